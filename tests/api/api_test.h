/* What the API tests add to tests/support: checks of error codes, and the first device of Pumice's platform (of any,
 * when PUMICE_TEST_ANY is set: the tests use the OpenCL API only). Exit codes: 0 passed, 1 failed, 77 nothing to test
 * on. */
#ifndef TESTS_API_API_TEST_H
#define TESTS_API_API_TEST_H

#include "check.h"
#include "opencl.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The call's result is the code expected. */
#define CODE(expected, ...)                                                                                            \
    do {                                                                                                               \
        cl_int code_ = (__VA_ARGS__);                                                                                  \
        if (code_ != (expected)) {                                                                                     \
            fprintf(stderr, "%s:%d: %d instead of %s from %s\n", __FILE__, __LINE__, code_, #expected, #__VA_ARGS__);  \
            test_failures++;                                                                                           \
        }                                                                                                              \
    } while (0)
#define OK(...) CODE(CL_SUCCESS, __VA_ARGS__)

/* NO_OBJECT declares an error of its own wherever it stands. */
#pragma GCC diagnostic ignored "-Wshadow"

/* For calls that return an object and take &error last: the object is NULL and error the code expected. */
#define NO_OBJECT(expected, ...)                                                                                       \
    do {                                                                                                               \
        cl_int error = 12345;                                                                                          \
        if ((__VA_ARGS__) != NULL || error != (expected)) {                                                            \
            fprintf(stderr, "%s:%d: %d instead of %s from %s\n", __FILE__, __LINE__, error, #expected, #__VA_ARGS__);  \
            test_failures++;                                                                                           \
        }                                                                                                              \
    } while (0)

/* Without what the rest depends on there is no going on. */
#define NEED(...)                                                                                                      \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            fprintf(stderr, "%s:%d: %s failed; giving up\n", __FILE__, __LINE__, #__VA_ARGS__);                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline void find_device(void)
{
    struct test_device found;
    if (!test_find_devices(getenv("PUMICE_TEST_ANY") ? NULL : "Pumice", &found, 1)) {
        printf("no device\n");
        exit(TEST_SKIPPED);
    }
    platform = found.platform;
    device = found.id;
}

static inline void open_device(cl_command_queue_properties flags)
{
    cl_int error;
    find_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, flags, &error);
    NEED(error == CL_SUCCESS);
}

static inline int close_device(void)
{
    if (queue) {
        OK(clFinish(queue));
        OK(clReleaseCommandQueue(queue));
    }
    if (context)
        OK(clReleaseContext(context));
    return test_result();
}

static inline cl_program build(const char *source, const char *options)
{
    const struct test_device opened = {platform, device, context, queue};
    cl_program program = test_build_source(&opened, source, options);
    NEED(program);
    return program;
}

static inline cl_mem buffer_of(cl_mem_flags flags, size_t size, void *host)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, flags, size, host, &error);
    NEED(error == CL_SUCCESS);
    return mem;
}

static inline cl_event user_event(void)
{
    cl_int error;
    cl_event event = clCreateUserEvent(context, &error);
    NEED(error == CL_SUCCESS);
    return event;
}

static inline cl_int event_status(cl_event event)
{
    cl_int status = 12345;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    return status;
}

#endif
