/* The same judgement through OpenCL: what a device's math functions give, whether bodies of the library or the
 * hardware's own. Works on any driver. OpenCL C 3.0, 7.4 and 7.5.
 *
 * usage: test_device [-n SAMPLES] [NAME...]        without names: all functions, on every device */
#define CL_TARGET_OPENCL_VERSION 300
#include "reference.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_device_fp_config config[3]; /* 0: there is no such format */
};

static _Noreturn void die(const char *what, cl_int error)
{
    fprintf(stderr, "test_device: %s: %d\n", what, error);
    exit(1);
}

static cl_kernel build(const struct device *device, const struct function *function, const char *type,
                       cl_program *program)
{
    static const char *const calls[] = {"%s(x[i])", "%s(x[i], y[i])", "%s(x[i], y[i])"};
    char call[64], source[512];
    const char *source_text = source;
    snprintf(call, sizeof(call), calls[function->shape], function->name);
    if (!strcmp(function->name, "div"))
        strcpy(call, "x[i] / y[i]");
    snprintf(source, sizeof(source),
             "%s\n"
             "kernel void run(global %s *r, global const %s *x, global const %s *y)\n"
             "{\n"
             "    size_t i = get_global_id(0);\n"
             "    r[i] = %s;\n"
             "}\n",
             !strcmp(type, "half") ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable" : "", type, type,
             function->shape == SHAPE_POWER ? "int" : type, call);
    cl_int error;
    *program = clCreateProgramWithSource(device->context, 1, &source_text, NULL, &error);
    if (!*program)
        die("clCreateProgramWithSource", error);
    error = clBuildProgram(*program, 1, &device->id, "-cl-std=CL3.0", NULL, NULL);
    if (error) {
        char log[4096] = "";
        clGetProgramBuildInfo(*program, device->id, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s%s\n", source, log);
        die("clBuildProgram", error);
    }
    cl_kernel kernel = clCreateKernel(*program, "run", &error);
    if (!kernel)
        die("clCreateKernel", error);
    return kernel;
}

/* data[0] from data[1] and data[2]; size bytes each */
static void run(const struct device *device, cl_kernel kernel, void **data, size_t size, size_t count)
{
    cl_mem buffers[3];
    cl_int error = 0;
    for (cl_uint i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(device->context, CL_MEM_COPY_HOST_PTR, size, data[i], &error);
        if (!buffers[i] || (error = clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i])) != 0)
            die("arguments", error);
    }
    error = clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
    if (!error)
        error = clEnqueueReadBuffer(device->queue, buffers[0], CL_TRUE, 0, size, data[0], 0, NULL, NULL);
    if (error)
        die("running", error);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
}

static double number_at(const void *data, size_t i, int format)
{
#ifdef __FLT16_MAX__
    if (format == FORMAT_HALF)
        return (double)((const _Float16 *)data)[i];
#endif
    return format == FORMAT_DOUBLE ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void fill(const struct function *function, int format, uint32_t count, void **data)
{
    int width = format == FORMAT_HALF ? 2 : format == FORMAT_FLOAT ? 4 : 8;
    struct samples s = {1, format == FORMAT_DOUBLE ? 53 : 24, function->limits[format == FORMAT_DOUBLE]};
    for (uint32_t i = 0; i < count; i++) {
        union value args[2];
        sample_arguments(&s, function, i, count, args);
        if (format == FORMAT_HALF) {
            args[0].bits = i;
            if (function->shape == SHAPE_BINARY)
                args[1].bits = samples_random(&s) >> 16;
        }
        memcpy((char *)data[1] + (size_t)i * width, &args[0], width);
        if (function->shape == SHAPE_POWER)
            memcpy((char *)data[2] + (size_t)i * 4, &args[1], 4);
        else
            memcpy((char *)data[2] + (size_t)i * width, &args[1], width);
    }
}

static bool test_function(const struct device *device, const struct function *function, uint32_t samples)
{
    bool good = true;
    char details[2048] = "";
    printf("%-8s", function->name);
    for (int format = FORMAT_HALF; format <= FORMAT_DOUBLE; format++) {
        if (!device->config[format]) {
            printf("        -   ");
            continue;
        }
        uint32_t count = format == FORMAT_HALF ? 0x10000 : format == FORMAT_FLOAT ? 4 * samples : samples;
        size_t size = (size_t)count * 8;
        void *data[3] = {calloc(1, size), calloc(1, size), calloc(1, size)};
        fill(function, format, count, data);
        cl_program program;
        cl_kernel kernel = build(device, function, formats[format].name, &program);
        run(device, kernel, data, size, count);
        struct judge judge;
        judge_init(&judge, function, &formats[format], !(device->config[format] & CL_FP_DENORM));
        for (uint32_t i = 0; i < count; i++) {
            double y = function->shape == SHAPE_BINARY ? number_at(data[2], i, format) : 0.0;
            int n = function->shape == SHAPE_POWER ? ((const int *)data[2])[i] : 0;
            judge_result(&judge, number_at(data[1], i, format), y, n, number_at(data[0], i, format));
        }
        bool over = judge_is_over(&judge);
        printf(" %10.4g%s", judge.worst, over ? "!" : " ");
        if (over)
            judge_explain(&judge, formats[format].name, details + strlen(details), sizeof(details) - strlen(details));
        good &= !over;
        judge_finish(&judge);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        for (int i = 0; i < 3; i++)
            free(data[i]);
    }
    printf("\n%s", details);
    fflush(stdout);
    return good;
}

static bool has_extension(cl_device_id id, const char *name)
{
    char extensions[8192] = "";
    clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL);
    return strstr(extensions, name) != NULL;
}

static bool test_device(cl_device_id id, uint32_t samples, char **names, int num_names)
{
    char name[256] = "";
    clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof(name), name, NULL);
    struct device device = {.id = id};
    clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_device_fp_config), &device.config[FORMAT_FLOAT], NULL);
    clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config), &device.config[FORMAT_DOUBLE], NULL);
#ifdef __FLT16_MAX__
    if (has_extension(id, "cl_khr_fp16"))
        clGetDeviceInfo(id, CL_DEVICE_HALF_FP_CONFIG, sizeof(cl_device_fp_config), &device.config[FORMAT_HALF], NULL);
#endif
    cl_int error;
    device.context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    if (!device.context)
        die("clCreateContext", error);
    device.queue = clCreateCommandQueueWithProperties(device.context, id, NULL, &error);
    if (!device.queue)
        die("clCreateCommandQueueWithProperties", error);
    printf("%s: worst errors in ulp\n         half       float      double\n", name);
    bool good = true;
    for (size_t i = 0; i < num_functions; i++) {
        bool wanted = num_names == 0;
        for (int k = 0; k < num_names; k++)
            wanted |= !strcmp(names[k], functions[i].name);
        if (wanted)
            good &= test_function(&device, &functions[i], samples);
    }
    clReleaseCommandQueue(device.queue);
    clReleaseContext(device.context);
    return good;
}

int main(int argc, char **argv)
{
    uint32_t samples = 25000;
    int first = 1;
    if (argc > 2 && !strcmp(argv[1], "-n")) {
        samples = (uint32_t)strtoul(argv[2], NULL, 10);
        first = 3;
    }
    cl_platform_id platforms[8];
    cl_uint num_platforms = 0;
    bool good = true, any = false;
    clGetPlatformIDs(8, platforms, &num_platforms);
    for (cl_uint p = 0; p < num_platforms && p < 8; p++) {
        cl_device_id devices[8];
        cl_uint num_devices = 0;
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 8, devices, &num_devices);
        for (cl_uint d = 0; d < num_devices && d < 8; d++) {
            good &= test_device(devices[d], samples, argv + first, argc - first);
            any = true;
        }
    }
    mpfr_free_cache();
    if (!any) {
        fprintf(stderr, "test_device: no OpenCL device\n");
        return 77;
    }
    return good ? 0 : 1;
}
