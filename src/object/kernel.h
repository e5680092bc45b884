/* Kernels and their launches. */
#ifndef SRC_KERNEL_H
#define SRC_KERNEL_H

#include "src/object/program.h"

struct ocl_command;

struct ocl_arg {
    bool set;
    cl_mem mem;      /* GLOBAL, CONSTANT, IMAGE and PIPE: weak reference, or NULL */
    bool is_pointer; /* GLOBAL and CONSTANT: pointer instead of mem */
    uint64_t pointer;
    uint32_t sampler;       /* SAMPLER: ocl_sampler_bits() */
    size_t local_size;      /* LOCAL */
    cl_command_queue queue; /* QUEUE: retained */
    uint32_t offset;        /* VALUE: where in values */
};

struct _cl_kernel {
    struct ocl_object object;
    cl_program program; /* retained */
    uint32_t index;     /* of the kernel in the builds' code lists of devices (found by name) */
    const struct clc_kernel_info *info;
    struct ocl_code **codes; /* per device of the program; NULL where it was not built */
    struct ocl_arg *args;
    uint8_t *values;
    size_t values_size;
    uintptr_t *indirect; /* allocations that it reaches by pointers in memory (clSetKernelExecInfo) */
    size_t num_indirect;
    bool reaches_any; /* the same for all that there are */
};

/* Makes the argument a pointer to global or constant memory. no_pointer: the error if the argument is something else.
 */
cl_int ocl_kernel_set_pointer(const char *function, cl_kernel kernel, cl_uint index, uint64_t pointer,
                              cl_int no_pointer);
bool ocl_kernel_set_indirect(cl_kernel kernel, const void *pointers, size_t count); /* false: out of memory */
cl_int ocl_kernel_create(cl_program program, const char *name, cl_kernel *kernel);
/* Of one device's code, whatever its role is. */
cl_int ocl_kernel_create_of(cl_program program, cl_uint device, struct ocl_code *code, cl_kernel *kernel);
cl_int ocl_kernel_clone(cl_kernel source, cl_kernel *kernel);
void ocl_kernel_retain(cl_kernel kernel);
void ocl_kernel_release(cl_kernel kernel);
struct ocl_code *ocl_kernel_code(cl_kernel kernel, cl_device_id device); /* NULL: not built for it */
const struct ocl_build *ocl_kernel_build(cl_kernel kernel, cl_device_id device);
size_t ocl_kernel_work_group_size(cl_kernel kernel, cl_device_id device);
/* Local memory: the kernel's variables and the arguments set so far; never wraps. */
cl_ulong ocl_kernel_local_size(cl_kernel kernel, cl_device_id device);

/* ---- launches (launch.c) ---- */

struct ocl_range {
    cl_uint dims;
    uint64_t offset[3], global[3]; /* offset 0 and global 1 beyond dims */
    uint32_t local[3];             /* as given or chosen */
    bool empty;                    /* a size is 0: nothing runs */
};

/* CLC_IMAGES_FILTER where the kernel uses linear filters of the device, else 0 (program.c). */
uint32_t ocl_code_filters(const struct clc_lowered *lowered);
/* The sub-group size that code's pipelines must have; 0: any. */
uint32_t ocl_code_subgroup_size(const struct ocl_code *code, const struct vkb_caps *caps);
/* What an application asks for. */
struct ocl_range_args {
    const char *function;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_uint work_dim;
    const size_t *offset, *global, *local;
    bool by_kernel; /* a kernel asks, of a queue on the device */
};
/* All checks of a launch but that of its wait list, in the specification's order. */
cl_int ocl_range_check(const struct ocl_range_args *args, bool args_may_be_unset, struct ocl_range *range);
cl_int ocl_launch(struct ocl_command *command, cl_kernel kernel, const struct ocl_range *range);

#endif
