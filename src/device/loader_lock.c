/* Is somebody loading a library just now?
 *
 * The C library does not tell. So a thread of ours takes the lock: glibc's dlsym() does, and on Windows a new thread
 * does before it begins. While it waits, no second one is started. */
#include "src/device/loader_lock.h"

#include "base/thread.h"
#include "base/util.h"

#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

enum { PATIENCE_MS = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static bool asks, given_up;                               /* a thread waits for the lock; and did so for too long */

static void *take_lock(void *unused)
{
    (void)unused;
    dlsym(RTLD_DEFAULT, "clGetPlatformIDs"); /* found or not */
    pthread_mutex_lock(&mutex);
    asks = given_up = false;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static bool still_asks(void)
{
    pthread_mutex_lock(&mutex);
    bool waits = asks;
    pthread_mutex_unlock(&mutex);
    return waits;
}

bool ocl_loader_lock_is_held(void)
{
    pthread_mutex_lock(&mutex);
    bool held = given_up, begins = !asks;
    if (begins)
        asks = thread_start(NULL, take_lock, NULL);
    bool waits = asks;
    pthread_mutex_unlock(&mutex);
    if (held || !waits)
        return true;
    uint64_t deadline = time_ns() + PATIENCE_MS * UINT64_C(1000000);
    while ((held = still_asks()) && time_ns() < deadline)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    if (held) {
        pthread_mutex_lock(&mutex);
        given_up = asks;
        held = asks;
        pthread_mutex_unlock(&mutex);
    }
    return held;
}
