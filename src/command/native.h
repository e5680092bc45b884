/* Native kernels: functions of the application's that run at their place in a queue. */
#ifndef SRC_COMMAND_NATIVE_H
#define SRC_COMMAND_NATIVE_H

#include "src/device/object.h"

struct ocl_command;

struct ocl_native_args {
    void(CL_CALLBACK *function)(void *);
    void *args;       /* copied */
    size_t size;      /* of args, bytes */
    cl_uint num_mems; /* buffers of the command's context, or NULL */
    const cl_mem *mems;
    const void **places; /* where in args their addresses go; within args */
};

/* Everything is checked, but for memory. */
cl_int ocl_native(struct ocl_command *command, const struct ocl_native_args *native);

#endif
