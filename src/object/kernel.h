/* Kernels. */
#ifndef SRC_OBJECT_KERNEL_H
#define SRC_OBJECT_KERNEL_H

#include "src/object/program.h"

struct ocl_arg {
    bool set;
    cl_mem mem;      /* GLOBAL, CONSTANT, IMAGE and PIPE: weak reference, or NULL */
    bool is_pointer; /* GLOBAL and CONSTANT: pointer instead of mem */
    uint64_t pointer;
    bool is_captured;       /* pointer leads to what a block captured, captured_size bytes that are no allocation */
    uint32_t captured_size; /* bytes */
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
    uint64_t *indirect; /* allocations that it reaches by pointers in memory (clSetKernelExecInfo) */
    size_t num_indirect;
    bool reaches_any; /* the same for all that there are */
};

/* Makes the argument a pointer to global or constant memory. no_pointer: the error if the argument is something else.
 */
cl_int ocl_kernel_set_pointer(const char *function, cl_kernel kernel, cl_uint index, uint64_t pointer,
                              cl_int no_pointer);
/* Each pointer has size bytes: the host's, or 8. false: out of memory */
bool ocl_kernel_set_indirect(cl_kernel kernel, const void *pointers, size_t size, size_t count);
/* initialise: runs the initialisers of a device, the first time. */
cl_int ocl_kernel_create(cl_program program, const char *name, cl_int (*initialise)(cl_program program, cl_uint device),
                         cl_kernel *kernel);
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

#endif
