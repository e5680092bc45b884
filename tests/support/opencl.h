/* What every test program that runs kernels through the OpenCL API needs first: a device with a context and a queue,
 * programs with their build logs, buffers. It uses the API only, hence any driver. Tests of the API itself add checks
 * of their own to it (tests/api/api_test.h). */
#ifndef TESTS_SUPPORT_OPENCL_H
#define TESTS_SUPPORT_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <stdbool.h>

/* The exit code of a test that has nothing to run on; meson counts it as skipped. */
enum { TEST_SKIPPED = 77 };

struct test_device {
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;     /* NULL until the device is opened */
    cl_command_queue queue; /* in order */
};

/* The platform whose name contains this, NULL where there is none; it need not have devices. */
cl_platform_id test_find_platform(const char *name);
/* Fills in the devices of all platforms whose name contains this (NULL: of all platforms), not opened; returns how many
 * there are, at most room. */
cl_uint test_find_devices(const char *platform, struct test_device *devices, cl_uint room);
/* Makes the context and the queue. false: the device does not give them. */
bool test_open_device(struct test_device *device);
void test_close_device(struct test_device *device);
/* Whether the list of extensions has this name in it. */
bool test_has_extension(const struct test_device *device, const char *name);

/* Builds a program for the device. Where that fails, the program is released, the log goes to stderr unless the caller
 * is quiet, and the result is NULL. A NULL program stays NULL. */
cl_program test_build_program(const struct test_device *device, cl_program program, const char *options, bool quiet);
cl_program test_build_source(const struct test_device *device, const char *source, const char *options);
/* A buffer with these contents; NULL where there is no memory. */
cl_mem test_buffer_of(const struct test_device *device, size_t size, const void *contents);
/* Releases what is not NULL. */
void test_release_buffers(cl_mem *buffers, cl_uint count);

#endif
