/* One OpenCL device: generates kernels that call many functions at once, and runs them. */
#pragma once

#include "opencl.h"
#include "precision.h"

struct device {
    struct test_device cl;
    cl_device_fp_config config[3]; /* half, float, double; 0: there is no such format */
    char name[256];
    char extensions[16384];
    uint32_t kernels; /* run so far */
};

/* found: one that is not opened yet */
bool device_open(struct device *device, const struct test_device *found);
void device_close(struct device *device);
bool device_has_type(const struct device *device, enum type type);
bool device_may_flush(const struct device *device, enum type type);
/* whether what guards the case (a version, an extension, a feature) is there */
bool device_has(const struct device *device, const char *guard);

/* Calls of one shape: the same types and width. */
struct batch {
    const struct test_case *const *tests;
    uint32_t num_tests;
    uint32_t width;
    size_t items;                 /* calls of each test, a multiple of GROUP_ITEMS */
    void *data[1 + MAX_PARAMS];   /* result, parameters (pointers: what they point at), test after test */
    size_t sizes[1 + MAX_PARAMS]; /* bytes */
};

enum { GROUP_ITEMS = 64 };

/* Fills in sizes and allocates the data, cleared. */
void batch_init(struct batch *batch);
void batch_finish(struct batch *batch);
/* Lanes from one vector to the next: three through a pointer to a vector lie four apart. */
uint32_t batch_stride(const struct batch *batch, uint32_t param);
/* The elements before a test's first. */
size_t batch_start(const struct batch *batch, uint32_t param, uint32_t test);
/* Runs the batch; false: it does not build or run, which it has said on stderr. */
bool device_run(struct device *device, struct batch *batch);
