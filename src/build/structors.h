/* Constructors and destructors at program scope. */
#ifndef SRC_BUILD_STRUCTORS_H
#define SRC_BUILD_STRUCTORS_H

#include "src/object/program.h"

bool ocl_build_has_role(const struct ocl_build *build, enum clc_kernel_role role);
/* Runs the device's initialisers, once, and waits for them. The program is attached. */
cl_int ocl_program_initialise(cl_program program, cl_uint device);
/* The callback, which the program takes over, is called when the program has been released, before the callbacks that
 * were given earlier. */
void ocl_program_call_at_end(cl_program program, struct ocl_release_callback *callback);
/* Takes over a build that another takes the place of, and ends it when the context's commands have. */
void ocl_build_retire(cl_context context, cl_device_id device, struct ocl_build *build);

#endif
