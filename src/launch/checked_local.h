/* Local memory of checked kernels. */
#ifndef SRC_LAUNCH_CHECKED_LOCAL_H
#define SRC_LAUNCH_CHECKED_LOCAL_H

#include "src/launch/range.h"
#include "src/object/kernel.h"

/* Makes what the device notes accesses to local memory in, and tells the head of it. NULL: the kernel has none, or there is
 * no memory for it; then it is not looked at. */
struct vkb_buffer *ocl_checked_local_create(cl_device_id device, cl_kernel kernel, const struct clc_lowered *lowered,
                                            const struct ocl_range *range, struct clc_check_head *head);

#endif
