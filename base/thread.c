#include "thread.h"

#include "float_env.h"
#include "platform.h"
#include "util.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* The compiler's recursion is bounded for this much, whatever the system gives threads by itself; half of it does
 * without a sanitizer, several times. */
enum { STACK_SIZE = 8 << 20, STACK_ENOUGH = STACK_SIZE / 2 };

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
    FLOAT_ENV_CLEAN(); /* the new thread inherits it */
    bool ok = pthread_create(thread ? thread : &unused, &attributes, call, data) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return ok;
}

/* ---- waits that end ---- */

#ifdef __APPLE__

void thread_cond_init(pthread_cond_t *condition)
{
    pthread_cond_init(condition, NULL);
}

/* Conditions have no clock of their choice there, but waits can be given how long they last. */
bool thread_cond_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline_ns)
{
    uint64_t now = time_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
    const struct timespec wait = {.tv_sec = (time_t)(left / 1000000000u), .tv_nsec = (long)(left % 1000000000u)};
    return pthread_cond_timedwait_relative_np(condition, lock, &wait) != ETIMEDOUT;
}

#else

void thread_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* time_ns() */
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool thread_cond_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t deadline_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
                                   .tv_nsec = (long)(deadline_ns % 1000000000u)};
    return pthread_cond_timedwait(condition, lock, &until) != ETIMEDOUT;
}

#endif

/* ---- a stack that is large enough ---- */

/* Asked once per thread: for a process's first thread the C library reads /proc/self/maps. */
static bool has_stack(void)
{
    static _Thread_local uintptr_t low, high; /* high 0: not asked yet; 1: not known */
    char here;
    if (!high && !platform_stack(&low, &high))
        high = 1;
    /* An application's coroutines have stacks that no thread knows of. */
    uintptr_t at = (uintptr_t)&here;
    return at > low && at < high && at - low >= STACK_ENOUGH;
}

struct errand {
    void (*call)(void *data);
    void *data;
};

static void *run_errand(void *data)
{
    const struct errand *errand = data;
    errand->call(errand->data);
    return NULL;
}

bool thread_run(void (*call)(void *data), void *data)
{
    if (has_stack()) {
        FLOAT_ENV_DEFAULT();
        call(data);
        return true;
    }
    struct errand errand = {call, data};
    pthread_t thread;
    return thread_start(&thread, run_errand, &errand) && pthread_join(thread, NULL) == 0;
}

uint32_t thread_count_processors(void)
{
    return platform_count_processors();
}

/* ---- the process's end ---- */

/* A child of fork() that calls exit() would wait for ever if a thread that it has not had the C library's lock of exit
 * handlers. So nobody is within thread_at_exit() while the process forks. */
static pthread_mutex_t exit_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

static void lock_exit(void)
{
    pthread_mutex_lock(&exit_lock);
}

static void unlock_exit(void)
{
    pthread_mutex_unlock(&exit_lock);
}

static void watch_forks(void)
{
    pthread_atfork(lock_exit, unlock_exit, unlock_exit);
}

void thread_at_exit(void (*call)(int status, void *data))
{
    pthread_once(&exit_once, watch_forks);
    lock_exit();
    platform_at_exit(call);
    unlock_exit();
}
