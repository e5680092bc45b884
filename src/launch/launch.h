/* Launches of kernels. */
#ifndef SRC_LAUNCH_LAUNCH_H
#define SRC_LAUNCH_LAUNCH_H

#include "src/launch/range.h"

struct ocl_command;

cl_int ocl_launch(struct ocl_command *command, cl_kernel kernel, const struct ocl_range *range);

#endif
