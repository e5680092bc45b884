/* Functions of half against the host, on the device's first Pumice platform: 65536 values or pairs each. No other
 * driver at hand computes halfs. Exit code 77 where the device has none. OpenCL C 3.0, 7.4. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/util.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 65536, NUM_RESULTS = 16 };

static const char source[] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                             "kernel void run(global const half *pa, global const half *pb, global const half *pc, "
                             "global ushort *out, int n) {\n"
                             "    int i = get_global_id(0);\n"
                             "    half a = pa[i], b = pb[i], c = pc[i], whole;\n"
                             "    out[i] = as_ushort(a / b);\n"
                             "    out[i + n] = as_ushort(fma(a, b, c));\n"
                             "    out[i + 2 * n] = as_ushort(nextafter(a, b));\n"
                             "    out[i + 3 * n] = as_ushort(sqrt(a));\n"
                             "    out[i + 4 * n] = as_ushort(fmin(a, b));\n"
                             "    out[i + 5 * n] = as_ushort(rint(a));\n"
                             "    out[i + 6 * n] = as_ushort(round(a));\n"
                             "    out[i + 7 * n] = as_ushort(a * b);\n"
                             "    out[i + 8 * n] = as_ushort(convert_short_sat_rte(a));\n"
                             "    out[i + 9 * n] = convert_uchar_sat(a);\n"
                             "    out[i + 10 * n] = as_ushort(fmod(a, b));\n"
                             "    out[i + 11 * n] = as_ushort(ldexp(a, as_short(b) % 32));\n"
                             "    out[i + 12 * n] = as_ushort(exp(a));\n"
                             "    out[i + 13 * n] = as_ushort(sin(a));\n"
                             "    out[i + 14 * n] = as_ushort(convert_half(as_ushort(b)));\n"
                             "    out[i + 15 * n] = as_ushort(log2(a));\n"
                             "}\n";
static const char *const names[NUM_RESULTS] = {"/",     "fma", "nextafter",   "sqrt",     "fmin", "rint",
                                               "round", "*",   "to short",    "to uchar", "fmod", "ldexp",
                                               "exp",   "sin", "from ushort", "log2"};
static const uint8_t bounds[NUM_RESULTS] = {[12] = 2, [13] = 2, [15] = 2};

static uint16_t next_after(uint16_t a, uint16_t b)
{
    int from = a & 0x8000 ? -(a & 0x7fff) : a, to = b & 0x8000 ? -(b & 0x7fff) : b;
    if ((a & 0x7fff) > 0x7c00 || (b & 0x7fff) > 0x7c00)
        return 0x7e00;
    if (from == to)
        return b;
    int next = from < to ? from + 1 : from - 1;
    return (uint16_t)(next < 0 || (!next && from < 0) ? -next | 0x8000 : next);
}

static uint16_t saturate(double value, double low, double high)
{
    return isnan(value) ? 0 : (uint16_t)(int)(value < low ? low : value > high ? high : value);
}

static void expect(const uint16_t *bits, uint16_t *out)
{
    double a = half_to_float(bits[0]), b = half_to_float(bits[1]), c = half_to_float(bits[2]);
    const double values[NUM_RESULTS] = {[0] = a / b,      [1] = a * b + c,   [3] = sqrt(a),
                                        [4] = fmin(a, b), [5] = rint(a),     [6] = round(a),
                                        [7] = a * b,      [10] = fmod(a, b), [11] = ldexp(a, (int16_t)bits[1] % 32),
                                        [12] = exp(a),    [13] = sin(a),     [14] = bits[1],
                                        [15] = log2(a)};
    for (int i = 0; i < NUM_RESULTS; i++)
        out[i] = half_from_double(values[i]);
    out[2] = next_after(bits[0], bits[1]);
    out[8] = saturate(rint(a), -32768, 32767);
    out[9] = saturate(trunc(a), 0, 255);
}

static int differs(uint16_t got, uint16_t expected, uint32_t bound, int integer)
{
    if (got == expected)
        return 0;
    if (integer)
        return 1;
    if ((got & 0x7fff) > 0x7c00 && (expected & 0x7fff) > 0x7c00)
        return 0;
    if (!((got | expected) & 0x7fff)) /* zeros: their sign is checked where results are exact */
        return bound == 0 ? 1 : 0;
    return (got ^ expected) & 0x8000 || (uint32_t)abs(got - expected) > bound;
}

static cl_device_id find_device(cl_context *context)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    for (cl_uint i = 0; i < count && i < 8; i++) {
        static char text[65536];
        cl_device_id device;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(text), text, NULL);
        if (!strstr(text, "Pumice") || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            continue;
        clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL);
        if (!strstr(text, "cl_khr_fp16"))
            continue;
        *context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
        return device;
    }
    return NULL;
}

static int run(cl_context context, cl_device_id device, const uint16_t *in, uint16_t *out)
{
    const char *text = source;
    const size_t global = COUNT;
    const cl_int count = COUNT;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        printf("%s\n", log);
        return 0;
    }
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    cl_mem buffers[3];
    for (cl_uint i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, COUNT * 2, (void *)(in + i * COUNT), &error);
        error |= clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
    }
    cl_mem result = clCreateBuffer(context, 0, NUM_RESULTS * COUNT * 2, NULL, &error);
    error |= clSetKernelArg(kernel, 3, sizeof(result), &result);
    error |= clSetKernelArg(kernel, 4, sizeof(count), &count);
    error |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    error |= clEnqueueReadBuffer(queue, result, CL_TRUE, 0, NUM_RESULTS * COUNT * 2, out, 0, NULL, NULL);
    for (cl_uint i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseMemObject(result);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return !error;
}

int main(void)
{
    static uint16_t in[3 * COUNT], out[NUM_RESULTS * COUNT];
    cl_context context;
    cl_device_id device = find_device(&context);
    if (!device)
        return 77;
    uint32_t state = 1, wrong[NUM_RESULTS] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i] = (uint16_t)i;
        for (uint32_t k = 1; k < 3; k++)
            in[i + k * COUNT] = (uint16_t)((state = state * 1664525 + 1013904223) >> 16);
    }
    if (!run(context, device, in, out))
        return 1;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint16_t bits[3] = {in[i], in[i + COUNT], in[i + 2 * COUNT]};
        uint16_t expected[NUM_RESULTS];
        expect(bits, expected);
        for (uint32_t k = 0; k < NUM_RESULTS; k++) {
            uint16_t got = out[i + k * COUNT];
            if (differs(got, expected[k], bounds[k], k == 8 || k == 9) && wrong[k]++ < 3)
                printf("%s: %04x %04x %04x gives %04x, expected %04x\n", names[k], bits[0], bits[1], bits[2], got,
                       expected[k]);
        }
    }
    int failed = 0;
    for (uint32_t k = 0; k < NUM_RESULTS; k++) {
        if (wrong[k])
            printf("%s: %u of %d wrong\n", names[k], wrong[k], COUNT);
        failed += wrong[k] != 0;
    }
    return failed != 0;
}
