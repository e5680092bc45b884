/* Vulkan calls that fail when a test says so: every function that vk/ calls and that may fail has a twin, which
 * gen_failing_calls.py makes, and which counts. */
#ifndef TESTS_UNIT_FAILING_H
#define TESTS_UNIT_FAILING_H

#include "vk_test.h"

#include "failing_calls.h"

static atomic_uint call_counts[NUM_CALLS];
static atomic_int failing_call = -1, failing_after, failing_with;
/* From a failure with VK_ERROR_DEVICE_LOST to recover(). */
static atomic_bool gpu_is_lost;
/* Nothing that was submitted seems to end, while this is set. */
static atomic_bool gpu_stands;

/* The device is not lost really: what it still ran would be freed under its hands. */
static void lose(VkResult *failure)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    atomic_store(&gpu_is_lost, true);
    usleep(2000); /* for a thread that submits at this moment */
    device->vk.vkDeviceWaitIdle(device->handle);
    pthread_mutex_unlock(&lock);
    *failure = VK_ERROR_DEVICE_LOST;
}

static bool call_fails(int call, VkResult *failure)
{
    atomic_fetch_add(&call_counts[call], 1);
    if (atomic_load(&gpu_stands) && call == CALL_vkWaitSemaphores) {
        usleep(1000);
        *failure = VK_TIMEOUT;
        return true;
    }
    if (call == CALL_vkQueueSubmit && atomic_load(&gpu_is_lost)) {
        lose(failure);
        return true;
    }
    if (call != atomic_load(&failing_call) || atomic_fetch_sub(&failing_after, 1) != 1)
        return false;
    *failure = (VkResult)atomic_load(&failing_with);
    if (*failure == VK_ERROR_DEVICE_LOST && device && device->handle)
        lose(failure);
    return true;
}

/* From now on the call fails once, when it is made for the after'th time. */
static inline void inject(int call, int after, VkResult result)
{
    atomic_store(&failing_call, -1);
    atomic_store(&failing_with, result);
    atomic_store(&failing_after, after);
    atomic_store(&failing_call, call);
}

/* False where the failure is still to come. */
static inline bool injected(void)
{
    bool done = atomic_load(&failing_after) <= 0;
    atomic_store(&failing_call, -1);
    return done;
}

/* Queues end when their work has, a little after their release. */
static inline bool queues_are_gone(void)
{
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&device->queues_lock);
        bool gone = !device->first_queue;
        pthread_mutex_unlock(&device->queues_lock);
        if (gone)
            return true;
        usleep(1000);
    }
    return false;
}

/* The device that was lost is there again, for the next test. */
static inline void recover(void)
{
    atomic_store(&device->lost, false);
    atomic_store(&gpu_is_lost, false);
}

#endif
