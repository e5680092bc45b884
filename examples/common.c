/* See common.h. */
#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *error_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
        {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
        {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
        {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].code == code)
            return names[i].name;
    }
    return "see CL/cl.h";
}

void example_check(cl_int code, const char *expression, const char *file, int line)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: %s: error %d (%s)\n", file, line, expression, code, error_name(code));
    exit(1);
}

static bool try_platform(struct example *example, cl_platform_id platform, cl_device_type type, unsigned number,
                         const char *wanted)
{
    char name[256] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL);
    if (wanted && !strstr(name, wanted))
        return false;
    cl_device_id devices[64];
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, type, 64, devices, &count) != CL_SUCCESS)
        return false;
    example->device = devices[number % (count < 64 ? count : 64)];
    char device[256] = "";
    CHECK(clGetDeviceInfo(example->device, CL_DEVICE_NAME, sizeof(device), device, NULL));
    printf("%s: %s\n", name, device);
    example->platform = platform;
    return true;
}

static void open_device(struct example *example, cl_device_type first_type, unsigned number)
{
    memset(example, 0, sizeof(*example));
    cl_platform_id platforms[16];
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(16, platforms, &count));
    const char *wanted = getenv("EXAMPLE_PLATFORM");
    const cl_device_type types[2] = {first_type, CL_DEVICE_TYPE_ALL};
    for (int t = 0; t < 2; t++) {
        for (cl_uint i = 0; i < count && !example->device && i < 16; i++)
            try_platform(example, platforms[i], types[t], number, wanted);
    }
    if (!example->device) {
        fprintf(stderr, "no OpenCL device%s%s\n", wanted ? " on a platform named like " : "", wanted ? wanted : "");
        exit(1);
    }
    cl_int code;
    example->context = clCreateContext(NULL, 1, &example->device, NULL, NULL, &code);
    CHECK(code);
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    example->queue = clCreateCommandQueueWithProperties(example->context, example->device, properties, &code);
    CHECK(code);
}

void example_open(struct example *example)
{
    open_device(example, CL_DEVICE_TYPE_ALL, 0);
}

void example_open_number(struct example *example, unsigned number)
{
    open_device(example, CL_DEVICE_TYPE_GPU, number);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text || fread(text, 1, (size_t)length, file) != (size_t)length) {
        perror(path);
        exit(1);
    }
    fclose(file);
    text[length] = '\0';
    *size = (size_t)length;
    return text;
}

void example_build(struct example *example, const char *file, const char *options)
{
    size_t size;
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", EXAMPLE_DIR, file);
    char *text = read_file(path, &size);
    cl_int code;
    example->program = clCreateProgramWithSource(example->context, 1, (const char **)&text, &size, &code);
    CHECK(code);
    free(text);
    example_build_il(example, options);
}

void example_create_il(struct example *example, const char *path)
{
    size_t size;
    char *il = read_file(path, &size);
    cl_int code;
    example->program = clCreateProgramWithIL(example->context, il, size, &code);
    CHECK(code);
    free(il);
}

void example_build_il(struct example *example, const char *options)
{
    cl_int code = clBuildProgram(example->program, 1, &example->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(example->program, example->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    CHECK(code);
}

cl_kernel example_kernel(struct example *example, const char *name)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(example->program, name, &code);
    CHECK(code);
    return kernel;
}

cl_mem example_buffer(struct example *example, cl_mem_flags flags, size_t size, const void *data)
{
    cl_int code;
    if (data)
        flags |= CL_MEM_COPY_HOST_PTR;
    cl_mem buffer = clCreateBuffer(example->context, flags, size, (void *)data, &code);
    CHECK(code);
    return buffer;
}

void example_read(struct example *example, cl_mem buffer, size_t size, void *data)
{
    CHECK(clEnqueueReadBuffer(example->queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL));
}

double example_run(struct example *example, cl_kernel kernel, cl_uint dimensions, const size_t *global,
                   const size_t *local)
{
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(example->queue, kernel, dimensions, NULL, global, local, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    cl_ulong start, end;
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
    CHECK(clReleaseEvent(event));
    return (double)(end - start) * 1e-9;
}

void example_close(struct example *example)
{
    if (example->program)
        CHECK(clReleaseProgram(example->program));
    CHECK(clReleaseCommandQueue(example->queue));
    CHECK(clReleaseContext(example->context));
}

int example_result(const char *name, bool ok, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("%s: %s: ", name, ok ? "ok" : "WRONG");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    return ok ? 0 : 1;
}

float example_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * (1.0f / 16777216.0f);
}
