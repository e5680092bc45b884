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

enum { CPU_ROUNDS = 64, GPU_ROUNDS = 2048 };

static const struct measured {
    const char *name, *expression; /* of x, the constant y and the integer n */
    double low, high;
} functions[] = {
    {"copy", "x", 0, 1},
    {"x / y", "y / x", 0.1, 10},
    {"1 / x", "(T)1 / x", 0.1, 10},
    {"acos", "acos(x)", -1, 1},
    {"acosh", "acosh(x)", 1, 10},
    {"acospi", "acospi(x)", -1, 1},
    {"asin", "asin(x)", -1, 1},
    {"asinh", "asinh(x)", -10, 10},
    {"asinpi", "asinpi(x)", -1, 1},
    {"atan", "atan(x)", -10, 10},
    {"atan2", "atan2(x, y)", -10, 10},
    {"atan2pi", "atan2pi(x, y)", -10, 10},
    {"atanh", "atanh(x)", -0.9, 0.9},
    {"atanpi", "atanpi(x)", -10, 10},
    {"cbrt", "cbrt(x)", -100, 100},
    {"ceil", "ceil(x)", -100, 100},
    {"copysign", "copysign(y, x)", -100, 100},
    {"cos", "cos(x)", -10, 10},
    {"cos, large", "cos(x)", 1e5, 1e8},
    {"cosh", "cosh(x)", -8, 8},
    {"cospi", "cospi(x)", -10, 10},
    {"erf", "erf(x)", -3, 3},
    {"erfc", "erfc(x)", -3, 8},
    {"exp", "exp(x)", -10, 10},
    {"exp10", "exp10(x)", -4, 4},
    {"exp2", "exp2(x)", -10, 10},
    {"expm1", "expm1(x)", -4, 4},
    {"fabs", "fabs(x)", -100, 100},
    {"fdim", "fdim(x, y)", -100, 100},
    {"floor", "floor(x)", -100, 100},
    {"fma", "fma(x, y, x)", 0, 1},
    {"fmax", "fmax(x, y)", -100, 100},
    {"fmin", "fmin(x, y)", -100, 100},
    {"fmod", "fmod(x, y)", -100, 100},
    {"fract", "fract(x, &z) + z", -100, 100},
    {"frexp", "frexp(x, &k) + k", -100, 100},
    {"hypot", "hypot(x, y)", -10, 10},
    {"ilogb", "ilogb(x)", -100, 100},
    {"ldexp", "ldexp(x, n)", -100, 100},
    {"lgamma", "lgamma(x)", 0.1, 10},
    {"lgamma_r", "lgamma_r(x, &k) + k", 0.1, 10},
    {"log", "log(x)", 0.01, 100},
    {"log10", "log10(x)", 0.01, 100},
    {"log1p", "log1p(x)", -0.9, 4},
    {"log2", "log2(x)", 0.01, 100},
    {"logb", "logb(x)", -100, 100},
    {"mad", "mad(x, y, x)", 0, 1},
    {"maxmag", "maxmag(x, y)", -100, 100},
    {"minmag", "minmag(x, y)", -100, 100},
    {"modf", "modf(x, &z) + z", -100, 100},
    {"nextafter", "nextafter(x, y)", -100, 100},
    {"pow", "pow(x, y)", 0.01, 100},
    {"pown", "pown(x, n)", 0.1, 10},
    {"powr", "powr(x, y)", 0.01, 100},
    {"remainder", "remainder(x, y)", -100, 100},
    {"remquo", "remquo(x, y, &k) + k", -100, 100},
    {"rint", "rint(x)", -100, 100},
    {"rootn", "rootn(x, n)", 0.01, 100},
    {"round", "round(x)", -100, 100},
    {"rsqrt", "rsqrt(x)", 0.1, 100},
    {"sin", "sin(x)", -10, 10},
    {"sin, large", "sin(x)", 1e5, 1e8},
    {"sincos", "sincos(x, &z) + z", -10, 10},
    {"sinh", "sinh(x)", -8, 8},
    {"sinpi", "sinpi(x)", -10, 10},
    {"sqrt", "sqrt(x)", 0, 100},
    {"tan", "tan(x)", -10, 10},
    {"tanh", "tanh(x)", -4, 4},
    {"tanpi", "tanpi(x)", -10, 10},
    {"tgamma", "tgamma(x)", 0.1, 10},
    {"trunc", "trunc(x)", -100, 100},
};
enum { NUM_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* OpenCL C 3.0, 6.15.2: for float only, and fast rather than exact. */
static const struct measured rough_functions[] = {
    {"copy", "x", 0, 1},
    {"half_cos", "half_cos(x)", -10, 10},
    {"half_divide", "half_divide(y, x)", 0.1, 10},
    {"half_exp", "half_exp(x)", -10, 10},
    {"half_exp10", "half_exp10(x)", -4, 4},
    {"half_exp2", "half_exp2(x)", -10, 10},
    {"half_log", "half_log(x)", 0.01, 100},
    {"half_log10", "half_log10(x)", 0.01, 100},
    {"half_log2", "half_log2(x)", 0.01, 100},
    {"half_powr", "half_powr(x, y)", 0.01, 100},
    {"half_recip", "half_recip(x)", 0.1, 10},
    {"half_rsqrt", "half_rsqrt(x)", 0.1, 100},
    {"half_sin", "half_sin(x)", -10, 10},
    {"half_sqrt", "half_sqrt(x)", 0, 100},
    {"half_tan", "half_tan(x)", -10, 10},
    {"native_cos", "native_cos(x)", -3, 3},
    {"native_divide", "native_divide(y, x)", 0.1, 10},
    {"native_exp", "native_exp(x)", -10, 10},
    {"native_exp10", "native_exp10(x)", -4, 4},
    {"native_exp2", "native_exp2(x)", -10, 10},
    {"native_log", "native_log(x)", 0.01, 100},
    {"native_log10", "native_log10(x)", 0.01, 100},
    {"native_log2", "native_log2(x)", 0.01, 100},
    {"native_powr", "native_powr(x, y)", 0.01, 100},
    {"native_recip", "native_recip(x)", 0.1, 10},
    {"native_rsqrt", "native_rsqrt(x)", 0.1, 100},
    {"native_sin", "native_sin(x)", -3, 3},
    {"native_sqrt", "native_sqrt(x)", 0, 100},
    {"native_tan", "native_tan(x)", -1.5, 1.5},
};
enum { NUM_ROUGH = sizeof(rough_functions) / sizeof(rough_functions[0]) };

static const struct way {
    const char *title, *type, *options, *extension;
    const struct measured *functions;
    int num_functions;
} ways[] = {
    {"float", "float", "-cl-std=CL1.2", "", functions, NUM_FUNCTIONS},
    {"float, relaxed", "float", "-cl-std=CL1.2 -cl-fast-relaxed-math", "", functions, NUM_FUNCTIONS},
    {"half_, native_", "float", "-cl-std=CL1.2", "", rough_functions, NUM_ROUGH},
    {"double", "double", "-cl-std=CL1.2", "cl_khr_fp64", functions, NUM_FUNCTIONS},
    {"half", "half", "-cl-std=CL1.2", "cl_khr_fp16", functions, NUM_FUNCTIONS},
};
enum { NUM_WAYS = sizeof(ways) / sizeof(ways[0]) };

/* ns per value; < 0: the device cannot */
static double measure(struct bench *bench, const struct measured *function, const struct way *way)
{
    if (way->extension[0] && !bench_has_extension(bench, way->extension))
        return -1.0;
    int num_rounds = bench->is_cpu ? CPU_ROUNDS : GPU_ROUNDS;
    size_t items = bench->is_cpu ? 1u << 13 : 1u << 21;
    char source[768];
    double seconds, high = function->high > 6e4 && !strcmp(way->type, "half") ? 6e4 : function->high;
    snprintf(source, sizeof(source),
             "%s%s%s\n#define T %s\n"
             "__kernel void run(__global %s *out, float low, float step, float constant_y, int n, int rounds)\n"
             "{ %s x = low + step * get_global_id(0), by = step * get_global_size(0), y = constant_y, z = 0, sum = 0;\n"
             "  int k = 0;\n"
             "  for (int i = 0; i < rounds; i++) { sum += %s; x += by; }\n"
             "  out[get_global_id(0)] = sum + z + k; }\n",
             way->extension[0] ? "#pragma OPENCL EXTENSION " : "", way->extension, way->extension[0] ? " : enable" : "",
             way->type, way->type, way->type, function->expression);
    cl_program program = bench_program(bench, source, way->options, &seconds);
    cl_kernel kernel = program ? clCreateKernel(program, "run", NULL) : NULL;
    cl_mem out = bench_buffer(bench, items * 8);
    cl_float low = (float)function->low, step = (float)((high - function->low) / ((double)items * num_rounds)),
             y = 2.3f;
    cl_int n = 5, rounds = num_rounds;
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
    return seconds < 0.0 ? -1.0 : 1e9 * seconds / ((double)items * num_rounds);
}

void bench_math(struct bench *bench)
{
    for (int i = 0; i < NUM_WAYS; i++) {
        const struct way *way = &ways[i];
        for (int f = 0; f < way->num_functions; f++) {
            char row[80];
            snprintf(row, sizeof(row), "%s %s, ns", way->title, way->functions[f].name);
            if (!bench_wanted(row))
                continue;
            bench_progress(bench, "math", row);
            bench_record(bench, "math", row, measure(bench, &way->functions[f], way));
        }
    }
}
