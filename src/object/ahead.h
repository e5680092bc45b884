/* Pipelines that are made before they are asked for (ahead.c). */
#ifndef SRC_OBJECT_AHEAD_H
#define SRC_OBJECT_AHEAD_H

#include "src/object/program.h"

struct ocl_ahead;

/* For a build that has succeeded. NULL: there is nothing to do, or no memory. */
struct ocl_ahead *ocl_ahead_create(cl_device_id device, struct ocl_code *codes, uint32_t num_codes,
                                   uint32_t num_kernels);
/* Has the pipelines made that earlier processes used. Returns at once; the program may end at any time. */
void ocl_ahead_start(struct ocl_ahead *ahead);
/* Before the codes end: nobody looks at them any more when it returns. NULL is fine. */
void ocl_ahead_stop(struct ocl_ahead *ahead);
/* A kernel object needs the code, whose shader is there: has the pipelines made that it will likely need. */
void ocl_ahead_created(struct ocl_ahead *ahead, struct ocl_code *code, cl_device_id device);
/* The application was told that this work-group size suits the code. */
void ocl_ahead_suggested(const struct ocl_code *code, cl_device_id device, const uint32_t size[3]);
/* A launch is about to ask for this pipeline: begins those that will likely be asked for next. is_task: for single
 * work-items. */
void ocl_ahead_needed(struct ocl_ahead *ahead, const struct ocl_code *code, cl_device_id device,
                      const uint32_t values[CLC_SPEC_COUNT], bool is_task);
/* A launch has used a pipeline of the code for the first time. */
void ocl_ahead_used(struct ocl_code *code, cl_device_id device, const uint32_t values[CLC_SPEC_COUNT]);

#endif
