/* What the API tests share: checks that count, and the first device of Pumice's platform (of any, when PUMICE_TEST_ANY
 * is set: the tests use the OpenCL API only). Exit codes: 0 passed, 1 failed, 77 nothing to test on. */
#ifndef TESTS_API_API_TEST_H
#define TESTS_API_API_TEST_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int failures;

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition);                                            \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

/* The call's result is the code expected. */
#define CODE(expected, ...)                                                                                            \
    do {                                                                                                               \
        cl_int code_ = (__VA_ARGS__);                                                                                  \
        if (code_ != (expected)) {                                                                                     \
            printf("%s:%d: %d instead of %s from %s\n", __FILE__, __LINE__, code_, #expected, #__VA_ARGS__);           \
            failures++;                                                                                                \
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
            printf("%s:%d: %d instead of %s from %s\n", __FILE__, __LINE__, error, #expected, #__VA_ARGS__);           \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

/* Without what the rest depends on there is no going on. */
#define NEED(...)                                                                                                      \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            printf("%s:%d: %s failed; giving up\n", __FILE__, __LINE__, #__VA_ARGS__);                                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline void find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < 16 && !device; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        if (strcmp(name, "Pumice") != 0 && !getenv("PUMICE_TEST_ANY"))
            continue;
        platform = platforms[i];
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    }
    if (!device) {
        printf("no device\n");
        exit(77);
    }
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
    if (failures)
        printf("%d checks failed\n", atomic_load(&failures));
    return failures ? 1 : 0;
}

static inline cl_program build(const char *source, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    NEED(error == CL_SUCCESS);
    error = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        printf("build: %d\n%s\n", error, log);
        exit(1);
    }
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
