/* Launches in pipelines that take groups of any size (any_size.c). */
#ifndef SRC_LAUNCH_ANY_SIZE_H
#define SRC_LAUNCH_ANY_SIZE_H

#include "src/launch/range.h"

/* Whether a launch of the kernel over the range may run in such a pipeline, and the kernel has had enough of its own. */
bool ocl_may_have_any_size(const struct ocl_code *code, cl_device_id device, const struct ocl_range *range);
/* The code for it, or NULL: it has the pipeline with these values already, or has to wait for that. If it has not, a
 * thread makes that pipeline. */
struct ocl_code *ocl_choose_any_size(cl_kernel kernel, struct ocl_code *code, cl_device_id device,
                                     const uint32_t values[CLC_SPEC_COUNT]);
/* How many lanes a group has there; 0: the device has no such groups. */
uint32_t ocl_any_size_lanes(const struct ocl_range *range, cl_device_id device);

#endif
