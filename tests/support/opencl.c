#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64 };

static cl_uint list_platforms(cl_platform_id *platforms)
{
    cl_uint count = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS)
        return 0;
    return count < MAX_PLATFORMS ? count : MAX_PLATFORMS;
}

static bool is_named(cl_platform_id platform, const char *name)
{
    char full[256] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(full), full, NULL);
    return !name || strstr(full, name);
}

cl_platform_id test_find_platform(const char *name)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = list_platforms(platforms);
    for (cl_uint i = 0; i < count; i++)
        if (is_named(platforms[i], name))
            return platforms[i];
    return NULL;
}

cl_uint test_find_devices(const char *platform, struct test_device *devices, cl_uint room)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint num_platforms = list_platforms(platforms), found = 0;
    for (cl_uint p = 0; p < num_platforms; p++) {
        cl_device_id ids[MAX_DEVICES];
        cl_uint count = 0;
        if (!is_named(platforms[p], platform) ||
            clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < MAX_DEVICES && found < room; d++)
            devices[found++] = (struct test_device){.platform = platforms[p], .id = ids[d]};
    }
    return found;
}

bool test_open_device(struct test_device *device)
{
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, NULL);
    if (device->context) /* the call of OpenCL 1.0, which drivers of every version have */
        device->queue = clCreateCommandQueue(device->context, device->id, 0, NULL);
    return device->queue != NULL;
}

void test_close_device(struct test_device *device)
{
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    if (device->context)
        clReleaseContext(device->context);
    device->queue = NULL;
    device->context = NULL;
}

bool test_has_extension(const struct test_device *device, const char *name)
{
    size_t size = 0;
    clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
    char *list = calloc(1, size + 1);
    bool found = false;
    if (list && clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, size, list, NULL) == CL_SUCCESS)
        for (char *save, *word = strtok_r(list, " ", &save); word && !found; word = strtok_r(NULL, " ", &save))
            found = !strcmp(word, name);
    free(list);
    return found;
}

static void print_log(const struct test_device *device, cl_program program, cl_int error)
{
    size_t size = 0;
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(1, size + 1);
    if (log)
        clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    fprintf(stderr, "clBuildProgram: %d\n%s\n", error, log ? log : "");
    free(log);
}

cl_program test_build_program(const struct test_device *device, cl_program program, const char *options, bool quiet)
{
    cl_int error = program ? clBuildProgram(program, 0, NULL, options, NULL, NULL) : CL_SUCCESS;
    if (error == CL_SUCCESS)
        return program;
    if (!quiet)
        print_log(device, program, error);
    clReleaseProgram(program);
    return NULL;
}

cl_program test_build_source(const struct test_device *device, const char *source, const char *options)
{
    return test_build_program(device, clCreateProgramWithSource(device->context, 1, &source, NULL, NULL), options,
                              false);
}

cl_mem test_buffer_of(const struct test_device *device, size_t size, const void *contents)
{
    return clCreateBuffer(device->context, CL_MEM_COPY_HOST_PTR, size, (void *)contents, NULL);
}

void test_release_buffers(cl_mem *buffers, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
}
