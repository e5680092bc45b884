/* What the parts of the benchmark share: a device and how launches on it are timed. */
#pragma once

#include "tests/support/opencl.h"

#include <stdbool.h>

enum { MAX_DEVICES = 16, MAX_ROWS = 64, RUNS = 5 };

struct bench {
    struct test_device cl;
    bool is_cpu;
    char name[64];
    double values[MAX_ROWS]; /* < 0: failed */
};

/* NULL where it does not build */
cl_program bench_program(struct bench *bench, const char *source, const char *options, double *seconds);
/* The best wall-clock seconds of one launch that is waited for; < 0: it fails. */
double bench_time_launch(struct bench *bench, cl_kernel kernel, size_t global);
cl_mem bench_buffer(struct bench *bench, size_t size);

/* bench_math.c: every math function (or those named) in ns per value, on all devices. */
void bench_math(struct bench *benches, int count, int num_names, char **names);

/* bench_kernels.c: the kernels of kernels.cl (or those named), on all devices. */
void bench_kernels(struct bench *benches, int count, const char *source, int num_names, char **names);

/* bench_images.c: reads, writes, transfers and a blur of images, on all devices. */
void bench_images(struct bench *benches, int count);
