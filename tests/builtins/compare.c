/* Runs the kernels of gen_differential.py on two OpenCL drivers and compares the results: Pumice and another one
 * (PoCL).
 *
 *   compare FILE.cl FILE.txt [KERNEL]      exit code 77 when there is no second driver
 *
 * Known errors of others, where Pumice is right: PoCL 3.1 loses the sign of fract(-0); NVIDIA 580 saturates NaN
 * (double, or to long) to the top bit, gives sign(-0) as +0 and wraps mad_sat of longs.
 *
 * Values are random bits mixed with the usual suspects. NaNs equal each other; floats may differ by the bound that
 * FILE.txt gives (ULP, or a fraction where it is below 1 and not 0). */
#include "tests/support/file.h"
#include "tests/support/opencl.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64, POOL = COUNT * 16 * 8, MAX_ARGS = 3, NUM_ELEMENTS = 10, OUT_SIZE = 16 << 20 };

static const char *const elements[] = {"char", "uchar", "short", "ushort", "int",
                                       "uint", "long",  "ulong", "float",  "double"};
static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

struct driver {
    struct test_device device;
    cl_program program;
    cl_mem in, out;
    uint8_t *results;
};

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t integer_value(uint32_t width)
{
    static const int64_t special[] = {0,   1,     -1,    2,         7,         127,       128,
                                      255, 32767, 65535, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    uint64_t bits = random_bits();
    if (bits % 4 == 0)
        return (uint64_t)special[bits / 4 % (sizeof(special) / sizeof(*special))];
    if (bits % 4 == 1)
        return (uint64_t)1 << (bits / 4 % width);
    return random_bits() >> (bits / 4 % width);
}

static double float_value(void)
{
    static const double special[] = {0.0,     -0.0,    0.5,      -0.5,      1.0,          -1.0,         1.5,    2.5,
                                     -2.5,    3.0,     INFINITY, -INFINITY, NAN,          127.5,        254.5,  255.5,
                                     32767.5, 65504.0, 65520.0,  65519.99,  2147483647.5, 4294967295.0, 9.3e18, 6.1e-5,
                                     5.9e-8,  2.9e-8,  3.0e-8,   1e-30,     1e30};
    uint64_t bits = random_bits();
    if (bits % 3 == 0)
        return special[bits / 3 % (sizeof(special) / sizeof(*special))];
    double fraction = (double)(int64_t)random_bits() * 0x1p-63;
    return bits % 3 == 1 ? ldexp(fraction, (int)(bits / 3 % 60) - 20) : ldexp(fraction, (int)(bits / 3 % 240) - 120);
}

static void fill(uint8_t *in)
{
    for (uint32_t e = 0; e < NUM_ELEMENTS; e++) {
        for (uint32_t at = 0; at < MAX_ARGS * POOL; at += sizes[e]) {
            uint8_t *to = in + e * MAX_ARGS * POOL + at;
            double wide = float_value();
            float single = (float)wide;
            uint64_t integer = integer_value(sizes[e] * 8u);
            if (e == 8 && fpclassify(single) == FP_SUBNORMAL)
                single = 0.0f;
            memcpy(to, e == 9 ? (void *)&wide : e == 8 ? (void *)&single : (void *)&integer, sizes[e]);
        }
    }
}

static bool open_driver(struct driver *driver, const char *source, const uint8_t *in)
{
    if (!test_open_device(&driver->device))
        return false;
    driver->program = test_build_source(&driver->device, source, "-cl-std=CL3.0");
    driver->in = test_buffer_of(&driver->device, NUM_ELEMENTS * MAX_ARGS * POOL, in);
    driver->results = calloc(1, OUT_SIZE);
    driver->out = driver->results ? test_buffer_of(&driver->device, OUT_SIZE, driver->results) : NULL;
    return driver->program && driver->in && driver->out;
}

static void close_driver(struct driver *driver)
{
    test_release_buffers((cl_mem[]){driver->in, driver->out}, 2);
    if (driver->program)
        clReleaseProgram(driver->program);
    test_close_device(&driver->device);
    free(driver->results);
}

static int run(struct driver *driver, const char *name)
{
    cl_int error;
    const size_t global = COUNT;
    cl_kernel kernel = clCreateKernel(driver->program, name, &error);
    if (error)
        return 0;
    memset(driver->results, 0, OUT_SIZE);
    error |=
        clEnqueueWriteBuffer(driver->device.queue, driver->out, CL_TRUE, 0, OUT_SIZE, driver->results, 0, NULL, NULL);
    error |= clSetKernelArg(kernel, 0, sizeof(cl_mem), &driver->in);
    error |= clSetKernelArg(kernel, 1, sizeof(cl_mem), &driver->out);
    error |= clEnqueueNDRangeKernel(driver->device.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    error |=
        clEnqueueReadBuffer(driver->device.queue, driver->out, CL_TRUE, 0, OUT_SIZE, driver->results, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return !error;
}

/* ---- comparing ---- */

static int close_enough(double a, double b, double bound, int digits)
{
    if (isnan(a) && isnan(b))
        return 1;
    if (a == b)
        return bound != 0 || signbit(a) == signbit(b);
    if (isinf(a) || isinf(b) || isnan(a) || isnan(b))
        return 0;
    if (bound > 0 && bound < 1)
        return fabs(a - b) <= bound * (fabs(a) + fabs(b) + 1);
    int exponent;
    frexp(b, &exponent);
    return fabs(a - b) <= bound * ldexp(1.0, exponent - digits);
}

static int compare_lane(const char *element, const uint8_t *a, const uint8_t *b, double bound)
{
    if (!strcmp(element, "float")) {
        float x, y;
        memcpy(&x, a, 4);
        memcpy(&y, b, 4);
        return close_enough(x, y, bound, 24);
    }
    if (!strcmp(element, "double")) {
        double x, y;
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        return close_enough(x, y, bound, 53);
    }
    if (!strcmp(element, "half")) {
        uint16_t x, y;
        memcpy(&x, a, 2);
        memcpy(&y, b, 2);
        return x == y || ((x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00);
    }
    return 0;
}

static uint32_t size_of(const char *element)
{
    for (uint32_t i = 0; i < NUM_ELEMENTS; i++) {
        if (!strcmp(element, elements[i]))
            return sizes[i];
    }
    return 2;
}

static uint64_t bits_of(const uint8_t *at, uint32_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, size);
    return bits;
}

/* lanes: 3 and -3 (three lanes at the stride of four) leave the fourth out */
static int compare_result(const struct driver *d, uint32_t offset, const char *element, int lanes, double bound,
                          const char *text)
{
    uint32_t size = size_of(element);
    int half = !strcmp(element, "half"), stride = lanes == -3 || (lanes == 3 && !half) ? 4 : abs(lanes), wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        for (int lane = 0; lane < abs(lanes); lane++) {
            uint32_t at = offset + (uint32_t)(i * stride + lane) * size;
            const uint8_t *a = d[0].results + at, *b = d[1].results + at;
            if (!memcmp(a, b, size) || compare_lane(element, a, b, bound))
                continue;
            if (!wrong++)
                printf("%s: item %d lane %d: %llx, expected %llx\n", text, i, lane,
                       (unsigned long long)bits_of(a, size), (unsigned long long)bits_of(b, size));
        }
    }
    return wrong != 0;
}

static int compare_all(struct driver *drivers, FILE *meta, const char *only)
{
    char line[512], kernel[128] = "", element[16], text[256];
    int failed = 0, active = 0;
    while (fgets(line, sizeof(line), meta)) {
        unsigned offset;
        int lanes;
        double bound;
        if (sscanf(line, "kernel %127s", kernel) == 1) {
            active = !only || !strcmp(only, kernel);
            if (active && (!run(&drivers[0], kernel) || !run(&drivers[1], kernel))) {
                printf("%s: does not run\n", kernel);
                failed++;
                active = 0;
            }
        } else if (active &&
                   sscanf(line, "result %u %15s %d %lf %255[^\n]", &offset, element, &lanes, &bound, text) == 5) {
            failed += compare_result(drivers, offset, element, lanes, bound, text);
        }
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct driver drivers[2] = {0};
    struct test_device found[16];
    char *source = argc > 2 ? test_need_file(argv[1], NULL) : NULL;
    FILE *meta = argc > 2 ? fopen(argv[2], "r") : NULL;
    uint8_t *in = calloc(NUM_ELEMENTS * MAX_ARGS, POOL);
    if (!source || !meta || !in)
        return 1;
    fill(in);
    cl_uint count = test_find_devices(NULL, found, 16);
    bool good = true;
    for (cl_uint i = 0; i < count; i++) {
        struct driver *driver = &drivers[found[i].platform != test_find_platform("Pumice")];
        if (driver->device.id)
            continue;
        driver->device = found[i];
        good &= open_driver(driver, source, in);
    }
    int status = TEST_SKIPPED;
    if (drivers[0].device.id && drivers[1].device.id) {
        int failed = good ? compare_all(drivers, meta, argc > 3 ? argv[3] : NULL) : 1;
        printf("%d results differ\n", failed);
        status = failed != 0;
    }
    for (int i = 0; i < 2; i++)
        close_driver(&drivers[i]);
    fclose(meta);
    free(source);
    free(in);
    return status;
}
