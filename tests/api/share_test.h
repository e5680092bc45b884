/* Entry points and numbers of cl_khr_semaphore, cl_khr_external_semaphore and cl_khr_external_memory, which the
 * system's headers lack or have in older versions; and a second process of the same test program. */
#ifndef TESTS_API_SHARE_TEST_H
#define TESTS_API_SHARE_TEST_H

#include "api_test.h"

#include <CL/cl_ext.h>

#ifndef _WIN32
#include <spawn.h>
#include <sys/wait.h>
#endif

#define MEM_DEVICE_HANDLE_LIST       0x2051
#define MEM_ASSUME_LINEAR            0x2052
#define SEMAPHORE_DEVICE_HANDLE_LIST 0x2053
#define SEMAPHORE_EXPORTABLE         0x2054

typedef cl_ulong properties_t;

static struct {
    cl_semaphore_khr (*create)(cl_context, const properties_t *, cl_int *);
    cl_int (*retain)(cl_semaphore_khr);
    cl_int (*release)(cl_semaphore_khr);
    cl_int (*info)(cl_semaphore_khr, cl_uint, size_t, void *, size_t *);
    cl_int (*wait)(cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_ulong *, cl_uint, const cl_event *,
                   cl_event *);
    cl_int (*signal)(cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_ulong *, cl_uint, const cl_event *,
                     cl_event *);
    cl_int (*handle)(cl_semaphore_khr, cl_device_id, cl_uint, size_t, void *, size_t *);
    cl_int (*reimport)(cl_semaphore_khr, const properties_t *, int);
    cl_int (*acquire)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
    cl_int (*give)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
} cl;

static inline void load_functions(void)
{
    static const char *const names[] = {
        "clCreateSemaphoreWithPropertiesKHR",
        "clRetainSemaphoreKHR",
        "clReleaseSemaphoreKHR",
        "clGetSemaphoreInfoKHR",
        "clEnqueueWaitSemaphoresKHR",
        "clEnqueueSignalSemaphoresKHR",
        "clGetSemaphoreHandleForTypeKHR",
        "clReImportSemaphoreSyncFdKHR",
        "clEnqueueAcquireExternalMemObjectsKHR",
        "clEnqueueReleaseExternalMemObjectsKHR",
    };
    void *found[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++)
        NEED(found[i] = clGetExtensionFunctionAddressForPlatform(platform, names[i]));
    memcpy(&cl, found, sizeof(cl));
}

static inline cl_semaphore_khr binary_semaphore(void)
{
    cl_int error;
    const properties_t properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr semaphore = cl.create(context, properties, &error);
    NEED(error == CL_SUCCESS && semaphore);
    return semaphore;
}

static inline cl_ulong payload(cl_semaphore_khr semaphore)
{
    cl_ulong value = 7;
    OK(cl.info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof(value), &value, NULL));
    return value;
}

static inline bool has_extension(const char *name)
{
    const struct test_device opened = {platform, device, context, queue};
    return test_has_extension(&opened, name);
}

/* Whether the device lists this number among those that it answers the query with. */
static inline bool lists(cl_device_info query, cl_uint wanted)
{
    cl_uint list[16];
    size_t size = 0;
    OK(clGetDeviceInfo(device, query, sizeof(list), list, &size));
    for (size_t i = 0; i < size / sizeof(list[0]); i++) {
        if (list[i] == wanted)
            return true;
    }
    return false;
}

#ifndef _WIN32

extern char **environ;

/* Runs this program again with two more arguments: what it is to do, and a file descriptor that it inherits. */
static inline pid_t start_child(const char *what, int fd)
{
    char number[16], name[] = "/proc/self/exe";
    char *const arguments[] = {name, (char *)(uintptr_t)what, number, NULL};
    pid_t child = 0;
    snprintf(number, sizeof(number), "%d", fd);
    NEED(posix_spawn(&child, name, NULL, NULL, arguments, environ) == 0);
    return child;
}

static inline void end_child(pid_t child)
{
    int status = -1;
    NEED(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif

#endif
