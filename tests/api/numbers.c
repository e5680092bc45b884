/* Options that change how floats are computed, and what the probe of the device decides: quotients and roots that are
 * correctly rounded or within their bounds, with and without the device's own instructions; relaxed functions within
 * the bounds of OpenCL C 3.0, 7.4; the probe's file. */
#include "api_test.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define ITEMS 65536

static float x[ITEMS], y[ITEMS], result[ITEMS];

static uint32_t random_bits(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Any bits, and divisors where Vulkan promises nothing: beyond 2^126, subnormal, zeros, infinities, NaNs. */
static void fill_any(void)
{
    static const uint32_t edges[] = {0,          1,          0x007fffff, 0x00800000, 0x00800001, 0x3f800000,
                                     0x3f800001, 0x3f7fffff, 0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000,
                                     0x7fc00000, 0x5f000000, 0x4b000000, 0x40400000};
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t a = random_bits(), b = random_bits();
        if (i < 1024) {
            a = edges[i & 15] | (i >> 8 & 1) << 31;
            b = edges[i >> 4 & 15] | (i >> 9 & 1) << 31;
        } else if (i % 4 == 1) {
            b = (b & 0x80ffffff) | 0x7e000000;
        } else if (i % 4 == 2) {
            b &= 0x80ffffff;
        } else if (i % 4 == 3) {
            a = (a & 0x807fffff) | 0x3f800000;
            b = (b & 0x807fffff) | 0x3f800000;
        }
        x[i] = float_of(a);
        y[i] = float_of(b);
    }
}

static void fill_range(float least, float most)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        x[i] = least + (most - least) * (float)(random_bits() >> 8) * 0x1p-24f;
        y[i] = (float)(int)(random_bits() % 9) - 4.0f;
    }
}

static void run(const char *expression, const char *options)
{
    char source[512];
    snprintf(source, sizeof(source),
             "kernel void run(global const float *a, global const float *b, global float *r)\n"
             "{ size_t i = get_global_id(0); float x = a[i], y = b[i]; r[i] = %s; }\n",
             expression);
    cl_program program = build(source, options);
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "run", &error);
    NEED(error == CL_SUCCESS);
    cl_mem buffers[3] = {buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(x), x), buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(y), y),
                         buffer_of(CL_MEM_WRITE_ONLY, sizeof(result), NULL)};
    for (cl_uint i = 0; i < 3; i++)
        OK(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
    size_t items = ITEMS;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof(result), result, 0, NULL, NULL));
    for (cl_uint i = 0; i < 3; i++)
        OK(clReleaseMemObject(buffers[i]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static double ulp_of(double right)
{
    int exponent;
    frexp(right, &exponent);
    exponent = exponent - 1 < -126 ? -126 : exponent - 1;
    return ldexp(1.0, exponent - 23);
}

static bool is_small(double value)
{
    return fabs(value) < 0x1p-126;
}

static bool flushes;

/* Subnormal operands and results may be zeros where the device says that it keeps none: those are left out. */
static bool may_be_flushed(double a, double b, double right)
{
    return flushes && ((a != 0.0 && is_small(a)) || (b != 0.0 && is_small(b)) || (right != 0.0 && is_small(right)));
}

static void check_within(const char *what, double (*reference)(double a, double b), double bound)
{
    int shown = 0;
    for (uint32_t i = 0; i < ITEMS && shown < 5; i++) {
        double right = reference((double)x[i], (double)y[i]), got = (double)result[i];
        bool good = isnan(right) ? isnan(got) : !isnan(got);
        if (may_be_flushed((double)x[i], (double)y[i], right))
            continue;
        if (good && !isnan(right) && bound <= 0.5)
            good = result[i] == (float)right && !signbit(got) == !signbit(right);
        else if (good && isfinite(right) && isfinite((float)right) && isfinite(got))
            good = fabs(got - right) <= bound * ulp_of(right);
        else if (good && isinf(right))
            good = got == right;
        if (good)
            continue;
        printf("%s: x %a, y %a: %a, not %a\n", what, (double)x[i], (double)y[i], got, right);
        test_failures++;
        shown++;
    }
}

/* |error| <= absolute, or <= ulps of the right result */
static void check_relaxed(const char *expression, const char *options, double (*reference)(double, double),
                          double absolute, double ulps)
{
    int shown = 0;
    run(expression, options);
    for (uint32_t i = 0; i < ITEMS && shown < 5; i++) {
        double right = reference((double)x[i], (double)y[i]), error = fabs((double)result[i] - right);
        if (error <= absolute || error <= ulps * ulp_of(right) || may_be_flushed((double)x[i], 0.0, right))
            continue;
        printf("%s, %s: x %a, y %a: %a, not %a\n", expression, options, (double)x[i], (double)y[i], (double)result[i],
               right);
        test_failures++;
        shown++;
    }
}

static double quotient(double a, double b)
{
    return a / b;
}

static double shifted_quotient(double a, double b)
{
    return a / (b + 4.5);
}

static double root(double a, double b)
{
    (void)b;
    return sqrt(a);
}

#define UNARY(name)                                                                                                    \
    static double name##_of(double a, double b)                                                                        \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return name(a);                                                                                                \
    }
UNARY(sin)
UNARY(cos)
UNARY(exp)
UNARY(exp2)
UNARY(log)
UNARY(log2)
UNARY(log10)
UNARY(asin)
UNARY(acos)
UNARY(atan)

static void test_exact(void)
{
    cl_device_fp_config config = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(config), &config, NULL));
    flushes = !(config & CL_FP_DENORM);
    fill_any();
    run("x / y", "");
    check_within("x / y", quotient, 2.5);
    run("sqrt(x)", "");
    check_within("sqrt(x)", root, 3.0);
    if (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) {
        run("x / y", "-cl-fp32-correctly-rounded-divide-sqrt");
        check_within("x / y, correctly rounded", quotient, 0.5);
        run("sqrt(x)", "-cl-fp32-correctly-rounded-divide-sqrt");
        check_within("sqrt(x), correctly rounded", root, 0.5);
    }
}

static void test_relaxed(void)
{
    static const char *const options[] = {"-cl-fast-relaxed-math", "-cl-std=CL3.0 -cl-unsafe-math-optimizations"};
    for (int i = 0; i < 2; i++) {
        fill_range(-3.14f, 3.14f);
        check_relaxed("sin(x)", options[i], sin_of, 0x1p-11, 0);
        check_relaxed("cos(x)", options[i], cos_of, 0x1p-11, 0);
        check_relaxed("exp(x)", options[i], exp_of, 0, 3 + floor(2 * 3.14));
        check_relaxed("exp2(x)", options[i], exp2_of, 0, 3 + floor(2 * 3.14));
        check_relaxed("atan(x)", options[i], atan_of, 0, 4096);
        fill_range(-1.0f, 1.0f);
        check_relaxed("asin(x)", options[i], asin_of, 0, 4096);
        check_relaxed("acos(x)", options[i], acos_of, 0, 4096);
        fill_range(0.5f, 2.0f);
        check_relaxed("log(x)", options[i], log_of, 0x1p-21, 0);
        check_relaxed("log2(x)", options[i], log2_of, 0x1p-21, 0);
        check_relaxed("log10(x)", options[i], log10_of, 0x1p-21, 0);
        check_relaxed("pow(x, y)", options[i], pow, 0, 8192);
        check_relaxed("powr(x, y)", options[i], pow, 0, 8192);
        fill_range(-2.0f, -0.5f); /* whole exponents: the sign follows their oddness */
        check_relaxed("pow(x, y)", options[i], pow, 0, 8192);
        check_relaxed("pown(x, (int)y)", options[i], pow, 0, 8192);
        check_relaxed("x / (y + 4.5f)", options[i], shifted_quotient, 0, 2.5);
    }
}

static int probe_files(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)) != NULL)
        count += strncmp(entry->d_name, "probe-", 6) == 0 && entry->d_name[6] && !strchr(entry->d_name + 6, '-');
    if (directory)
        closedir(directory);
    return count;
}

static void remove_all(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory)
        closedir(directory);
    rmdir(path);
}

/* With an argument: without the device's own functions. */
int main(int argc, char **argv)
{
    (void)argv;
    char directory[] = "/tmp/pumice-numbers-XXXXXX";
    NEED(mkdtemp(directory) != NULL);
    if (argc > 1)
        setenv("PUMICE_PROBE", "0", 1);
    unsetenv("PUMICE_CACHE");
    setenv("PUMICE_CACHE_DIR", directory, 1);
    open_device(0);
    test_exact();
    test_relaxed();
    CHECK(probe_files(directory) == (argc > 1 ? 0 : 1));
    remove_all(directory);
    return close_device();
}
