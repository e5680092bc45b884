/* Which pipelines kernels were launched with, remembered on disk for later processes (shapes.c). */
#ifndef SRC_DEVICE_SHAPES_H
#define SRC_DEVICE_SHAPES_H

#include "src/device/device.h"

/* A pipeline of a kernel. */
struct ocl_shape {
    uint64_t kernel;                 /* ocl_shape_kernel() */
    uint32_t values[CLC_SPEC_COUNT]; /* of the specialisation constants: untrusted where they come from a file */
    uint32_t order;                  /* the lower, the earlier it was used */
};

struct ocl_shapes;

enum { OCL_MOST_SHAPES = 8 }; /* of a kernel: some are launched with hundreds of sizes */

/* What a kernel is found by: its code. */
uint64_t ocl_shape_kernel(const struct clc_lowered *lowered);
/* Those of the kernel that earlier processes used first, *count of them. They stay as long as the process. */
const struct ocl_shape *ocl_shapes_find(cl_device_id device, uint64_t kernel, size_t *count);
/* Whether any are known. */
bool ocl_shapes_any(cl_device_id device);
/* For later processes, unless it is known, or enough are, or the file is full. */
void ocl_shapes_remember(cl_device_id device, const struct clc_lowered *lowered, const uint32_t values[CLC_SPEC_COUNT]);

#endif
