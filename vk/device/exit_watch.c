/* The end of a process whose driver does not let it end.
 *
 * NVIDIA's driver has an exit handler of its own that waits for the GPU, for ever if a kernel does not end (seen with
 * 580.159: the main thread stays in exit(), in libnvidia-eglcore). Nothing takes such a handler back. So where work is
 * not done at exit, a thread looks whether exit() gets beyond the driver's handler, and if not in time ends the process
 * with the status that exit() was given.
 *
 * Exit handlers run in the opposite order of their registration. Ours that starts the watch was registered after the
 * driver's, and the one that ends it was registered before the driver was loaded. What the application registered
 * outside of these two is not bounded by the watch. */
#include "vk/device/device.h"

#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_bool driver_ended;
static int exit_status;
static uint64_t patience_ns;

static void end_watch(void)
{
    atomic_store(&driver_ended, true);
}

void vkb_exit_watch_prepare(void)
{
    atexit(end_watch);
}

static void *watch(void *data)
{
    const struct timespec time = {.tv_sec = (time_t)(patience_ns / 1000000000u),
                                  .tv_nsec = (long)(patience_ns % 1000000000u)};
    nanosleep(&time, NULL);
    if (!atomic_load(&driver_ended))
        _exit(exit_status);
    return data;
}

void vkb_exit_watch(int status, uint64_t ns)
{
    exit_status = status < 0 ? EXIT_FAILURE : status;
    patience_ns = ns;
    fflush(NULL); /* exit() would do it behind its handlers, which are perhaps never done */
    thread_start(NULL, watch, NULL);
}
