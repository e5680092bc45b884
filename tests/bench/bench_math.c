/* What each math function costs: nanoseconds per value when the device is full of them, beside the other devices of the
 * run.
 *
 * A work-item sums the function of many arguments that lie in the range where programs mostly call it; sums and
 * arguments cost as much as an addition each, "copy" shows how much. Ratios are to the first device that is not ours;
 * the geometric means over all functions come last. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 64 };

static const struct measured {
    const char *name, *expression; /* of x, the constant y and the integer n */
    double low, high;
} functions[] = {
    {"copy", "x", 0, 1},
    {"divide", "y / x", 0.1, 10},
    {"fma", "fma(x, y, x)", 0, 1},
    {"sqrt", "sqrt(x)", 0, 100},
    {"rsqrt", "rsqrt(x)", 0.1, 100},
    {"cbrt", "cbrt(x)", -100, 100},
    {"hypot", "hypot(x, y)", -10, 10},
    {"exp", "exp(x)", -10, 10},
    {"exp2", "exp2(x)", -10, 10},
    {"exp10", "exp10(x)", -4, 4},
    {"expm1", "expm1(x)", -4, 4},
    {"log", "log(x)", 0.01, 100},
    {"log2", "log2(x)", 0.01, 100},
    {"log10", "log10(x)", 0.01, 100},
    {"log1p", "log1p(x)", -0.9, 4},
    {"pow", "pow(x, y)", 0.01, 100},
    {"powr", "powr(x, y)", 0.01, 100},
    {"pown", "pown(x, n)", 0.1, 10},
    {"rootn", "rootn(x, n)", 0.01, 100},
    {"sin", "sin(x)", -10, 10},
    {"cos", "cos(x)", -10, 10},
    {"tan", "tan(x)", -10, 10},
    {"sincos", "sincos(x, &z) + z", -10, 10},
    {"sin, large", "sin(x)", 1e4, 1e8},
    {"sinpi", "sinpi(x)", -10, 10},
    {"cospi", "cospi(x)", -10, 10},
    {"tanpi", "tanpi(x)", -10, 10},
    {"asin", "asin(x)", -1, 1},
    {"acos", "acos(x)", -1, 1},
    {"atan", "atan(x)", -10, 10},
    {"atan2", "atan2(x, y)", -10, 10},
    {"asinpi", "asinpi(x)", -1, 1},
    {"acospi", "acospi(x)", -1, 1},
    {"atanpi", "atanpi(x)", -10, 10},
    {"atan2pi", "atan2pi(x, y)", -10, 10},
    {"sinh", "sinh(x)", -8, 8},
    {"cosh", "cosh(x)", -8, 8},
    {"tanh", "tanh(x)", -4, 4},
    {"asinh", "asinh(x)", -10, 10},
    {"acosh", "acosh(x)", 1, 10},
    {"atanh", "atanh(x)", -0.9, 0.9},
    {"erf", "erf(x)", -3, 3},
    {"erfc", "erfc(x)", -3, 8},
    {"tgamma", "tgamma(x)", 0.1, 10},
    {"lgamma", "lgamma(x)", 0.1, 10},
    {"fmod", "fmod(x, y)", -100, 100},
    {"remainder", "remainder(x, y)", -100, 100},
    {"frexp", "frexp(x, &k) + k", -100, 100},
    {"ldexp", "ldexp(x, n)", -100, 100},
    {"nextafter", "nextafter(x, y)", -100, 100},
    {"round", "round(x)", -100, 100},
    {"rint", "rint(x)", -100, 100},
    {"fmax", "fmax(x, y)", -100, 100},
    {"fract", "fract(x, &z) + z", -100, 100},
    {"native_sin", "native_sin(x)", -3, 3},
    {"native_exp", "native_exp(x)", -10, 10},
    {"native_log", "native_log(x)", 0.01, 100},
    {"native_powr", "native_powr(x, y)", 0.01, 100},
    {"native_rsqrt", "native_rsqrt(x)", 0.1, 100},
    {"native_divide", "native_divide(y, x)", 0.1, 10},
};
enum { NUM_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static const struct way {
    const char *title, *type, *options, *extension;
} ways[] = {
    {"float", "float", "-cl-std=CL1.2", ""},
    {"float, relaxed", "float", "-cl-std=CL1.2 -cl-fast-relaxed-math", ""},
    {"double", "double", "-cl-std=CL1.2", "cl_khr_fp64"},
    {"half", "half", "-cl-std=CL1.2", "cl_khr_fp16"},
};
enum { NUM_WAYS = sizeof(ways) / sizeof(ways[0]) };

static bool has_extension(const struct bench *bench, const char *name)
{
    char extensions[16384] = "";
    clGetDeviceInfo(bench->device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL);
    return strstr(extensions, name) != NULL;
}

/* ns per value; < 0: the device cannot */
static double measure(struct bench *bench, const struct measured *function, const struct way *way)
{
    if (!has_extension(bench, way->extension) || (!strncmp(function->name, "native_", 7) && strcmp(way->type, "float")))
        return -1.0;
    size_t items = bench->is_cpu ? 1u << 13 : 1u << 21;
    char source[768];
    double seconds, high = function->high > 6e4 && !strcmp(way->type, "half") ? 6e4 : function->high;
    snprintf(source, sizeof(source),
             "%s%s%s\n"
             "__kernel void run(__global %s *out, float low, float step, float constant_y, int n, int rounds)\n"
             "{ %s x = low + step * get_global_id(0), by = step * get_global_size(0), y = constant_y, z = 0, sum = 0;\n"
             "  int k = 0;\n"
             "  for (int i = 0; i < rounds; i++) { sum += %s; x += by; }\n"
             "  out[get_global_id(0)] = sum + z + k; }\n",
             way->extension[0] ? "#pragma OPENCL EXTENSION " : "", way->extension, way->extension[0] ? " : enable" : "",
             way->type, way->type, function->expression);
    cl_program program = bench_program(bench, source, way->options, &seconds);
    cl_kernel kernel = program ? clCreateKernel(program, "run", NULL) : NULL;
    cl_mem out = bench_buffer(bench, items * 8);
    cl_float low = (float)function->low, step = (float)((high - function->low) / ((double)items * ROUNDS)), y = 2.3f;
    cl_int n = 5, rounds = ROUNDS;
    seconds = -1.0;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, 4, &low) &&
        !clSetKernelArg(kernel, 2, 4, &step) && !clSetKernelArg(kernel, 3, 4, &y) &&
        !clSetKernelArg(kernel, 4, 4, &n) && !clSetKernelArg(kernel, 5, 4, &rounds))
        seconds = bench_time_launch(bench, kernel, items);
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    if (out)
        clReleaseMemObject(out);
    return seconds < 0.0 ? -1.0 : 1e9 * seconds / ((double)items * ROUNDS);
}

static void print_value(double value, double base, bool is_base)
{
    if (value < 0.0)
        printf("  %12s%8s", "-", "");
    else if (is_base || base <= 0.0)
        printf("  %12.4f%8s", value, "");
    else
        printf("  %12.4f%7.2fx", value, value / base);
}

/* The device that the others are compared with: the first that is not ours. */
static int find_base(const struct bench *benches, int count)
{
    for (int i = 0; i < count; i++)
        if (strncmp(benches[i].name, "Pumice", 6))
            return i;
    return 0;
}

static bool is_wanted(const struct measured *function, int num_names, char **names)
{
    for (int i = 0; i < num_names; i++)
        if (!strcmp(names[i], function->name))
            return true;
    return num_names == 0;
}

static void bench_way(struct bench *benches, int count, const struct way *way, int num_names, char **names)
{
    double logs[MAX_DEVICES] = {0}, values[MAX_DEVICES];
    int compared[MAX_DEVICES] = {0}, base = find_base(benches, count);
    printf("%-16s", way->title);
    for (int i = 0; i < count; i++)
        printf("  %20s", benches[i].name);
    printf("\n");
    for (int f = 0; f < NUM_FUNCTIONS; f++) {
        if (!is_wanted(&functions[f], num_names, names))
            continue;
        for (int i = 0; i < count; i++)
            values[i] = measure(&benches[i], &functions[f], way);
        printf("%-16s", functions[f].name);
        for (int i = 0; i < count; i++) {
            print_value(values[i], values[base], i == base);
            if (f && i != base && values[base] > 0.0 && values[i] > 0.0) {
                logs[i] += log(values[i] / values[base]);
                compared[i]++;
            }
        }
        printf("\n");
        fflush(stdout);
    }
    for (int i = 0; i < count; i++)
        if (compared[i])
            printf("%s takes %.2fx the time of %s in the geometric mean of %d functions\n", benches[i].name,
                   exp(logs[i] / compared[i]), benches[base].name, compared[i]);
    printf("\n");
}

void bench_math(struct bench *benches, int count, int num_names, char **names)
{
    printf("ns per value, and how many times what the first other driver takes\n\n");
    for (int i = 0; i < NUM_WAYS; i++)
        bench_way(benches, count, &ways[i], num_names, names);
}
