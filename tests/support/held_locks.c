/* See held_locks.h. ThreadSanitizer has functions of its own in the place of these: with it nothing is counted. */
#include "held_locks.h"

#ifdef __SANITIZE_THREAD__
#define WATCHED 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED 0
#endif
#endif
#ifndef WATCHED
#define WATCHED 1
#endif

#if WATCHED

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef int (*mutex_function)(pthread_mutex_t *mutex);

static mutex_function real_lock, real_trylock, real_unlock;
static atomic_uintptr_t begin, end; /* of the library's code */
static atomic_ulong num_seen;
/* What this thread holds. A lock of ours is known by who locks it; who unlocks it may look like somebody else, for a call
 * in a function's last place is a jump. */
static _Thread_local pthread_mutex_t *held[64];
static _Thread_local unsigned num_held;

static mutex_function next_function(const char *name)
{
    mutex_function function;
    void *address = dlsym(RTLD_NEXT, name);
    memcpy(&function, &address, sizeof(function));
    return function;
}

__attribute__((constructor)) static void find_functions(void)
{
    real_lock = next_function("pthread_mutex_lock");
    real_trylock = next_function("pthread_mutex_trylock");
    real_unlock = next_function("pthread_mutex_unlock");
}

static int find_library(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    if (!strstr(info->dlpi_name, "libpumice.so"))
        return 0;
    uintptr_t last = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t segment_end = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && segment_end > last)
            last = segment_end;
    }
    atomic_store(&begin, info->dlpi_addr);
    atomic_store(&end, info->dlpi_addr + last);
    *(bool *)found = true;
    return 1;
}

bool held_locks_watch(void)
{
    bool found = false;
    dl_iterate_phdr(find_library, &found);
    return found;
}

unsigned held_locks(void)
{
    return num_held;
}

unsigned long held_locks_seen(void)
{
    return atomic_load(&num_seen);
}

static bool is_ours(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    return address >= atomic_load_explicit(&begin, memory_order_relaxed) &&
           address < atomic_load_explicit(&end, memory_order_relaxed);
}

static int count(pthread_mutex_t *mutex, int error)
{
    if (!error) {
        if (num_held < sizeof(held) / sizeof(held[0]))
            held[num_held++] = mutex;
        atomic_fetch_add_explicit(&num_seen, 1, memory_order_relaxed);
    }
    return error;
}

EXPORTED int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!real_lock) /* another constructor was earlier */
        find_functions();
    int error = real_lock(mutex);
    return is_ours(__builtin_return_address(0)) ? count(mutex, error) : error;
}

EXPORTED int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    if (!real_trylock)
        find_functions();
    int error = real_trylock(mutex);
    return is_ours(__builtin_return_address(0)) ? count(mutex, error) : error;
}

EXPORTED int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!real_unlock)
        find_functions();
    for (unsigned i = num_held; i-- > 0;) {
        if (held[i] == mutex) {
            held[i] = held[--num_held];
            break;
        }
    }
    return real_unlock(mutex);
}

#else

bool held_locks_watch(void)
{
    return false;
}

unsigned held_locks(void)
{
    return 0;
}

unsigned long held_locks_seen(void)
{
    return 0;
}

#endif
