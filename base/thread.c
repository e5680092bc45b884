#include "thread.h"

#include "util.h"

#include <sched.h>
#include <signal.h>

/* The compiler's recursion is bounded for this much, whatever the system gives threads by itself. */
enum { STACK_SIZE = 8 << 20 };

bool thread_start(pthread_t *thread, void *(*call)(void *data), void *data)
{
    pthread_attr_t attributes;
    pthread_t unused;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, thread ? PTHREAD_CREATE_JOINABLE : PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t blocked, old;
    sigfillset(&blocked);
    for (uint32_t i = 0; i < ARRAY_LENGTH(own); i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &old);
    bool ok = pthread_create(thread ? thread : &unused, &attributes, call, data) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return ok;
}

uint32_t thread_count_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 1 ? (uint32_t)count : 1;
}
