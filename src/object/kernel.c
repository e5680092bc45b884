/* Kernel objects: a function of a program with its arguments. Values are kept as the application gave them, independent
 * of any device. The launch puts them where the kernel that was lowered for its device wants them. */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/kernel.h"
#include "src/object/memory.h"
#include "src/object/program.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

static struct ocl_code *find_code(struct ocl_build *build, const char *name)
{
    if (build->status != CL_BUILD_SUCCESS)
        return NULL;
    uint32_t index = clc_program_find_kernel(build->program, name);
    return index < build->num_kernels ? &build->codes[index] : NULL;
}

/* OpenCL 3.0 API, 5.9.1: the function must be the same on all devices it was built for. */
static bool same_definition(const struct clc_kernel_info *a, const struct clc_kernel_info *b)
{
    if (a->num_args != b->num_args)
        return false;
    for (uint32_t i = 0; i < a->num_args; i++) {
        if (a->args[i].kind != b->args[i].kind || a->args[i].size != b->args[i].size)
            return false;
    }
    return true;
}

static cl_kernel allocate(cl_program program, const struct clc_kernel_info *info)
{
    cl_kernel kernel = calloc(1, sizeof(*kernel));
    if (!kernel)
        return NULL;
    ocl_object_init(&kernel->object, OCL_KERNEL);
    kernel->program = program;
    kernel->info = info;
    for (uint32_t i = 0; i < info->num_args; i++) {
        if (info->args[i].kind == CLC_ARG_VALUE)
            kernel->values_size += align_up(info->args[i].size, 8);
    }
    kernel->codes = calloc(program->num_devices, sizeof(kernel->codes[0]));
    kernel->args = calloc(info->num_args + 1, sizeof(kernel->args[0]));
    kernel->values = calloc(1, kernel->values_size + 1);
    if (!kernel->codes || !kernel->args || !kernel->values) {
        free(kernel->codes);
        free(kernel->args);
        free(kernel->values);
        free(kernel);
        return NULL;
    }
    uint32_t offset = 0;
    for (uint32_t i = 0; i < info->num_args; i++) {
        kernel->args[i].offset = offset;
        if (info->args[i].kind == CLC_ARG_VALUE)
            offset += (uint32_t)align_up(info->args[i].size, 8);
    }
    return kernel;
}

cl_int ocl_kernel_create(cl_program program, const char *name, cl_int (*initialise)(cl_program program, cl_uint device),
                         cl_kernel *result)
{
    if (!ocl_program_attach(program))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_int error = CL_INVALID_KERNEL_NAME;
    cl_kernel kernel = NULL;
    if (!ocl_program_executable(program)) { /* another thread has compiled it anew since the caller looked */
        error = CL_INVALID_PROGRAM_EXECUTABLE;
        goto fail;
    }
    for (cl_uint i = 0; i < program->num_devices; i++) {
        struct ocl_code *code = find_code(&program->builds[i], name);
        if (!code)
            continue;
        if (!kernel && !(kernel = allocate(program, code->info))) {
            error = CL_OUT_OF_HOST_MEMORY;
            goto fail;
        }
        if (!same_definition(kernel->info, code->info)) {
            error = CL_INVALID_KERNEL_DEFINITION;
            goto fail;
        }
        kernel->codes[i] = code;
        error = ocl_code_prepare(program, i, code);
        if (error == CL_SUCCESS)
            error = initialise(program, i);
        if (error != CL_SUCCESS) {
            error = error == CL_OUT_OF_HOST_MEMORY ? error : CL_OUT_OF_RESOURCES;
            goto fail;
        }
    }
    if (!kernel)
        goto fail;
    *result = kernel;
    return CL_SUCCESS;

fail:
    if (kernel)
        ocl_kernel_release(kernel); /* detaches */
    else
        ocl_program_detach(program);
    return error;
}

cl_int ocl_kernel_create_of(cl_program program, cl_uint device, struct ocl_code *code, cl_kernel *result)
{
    if (!ocl_program_attach(program))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_kernel kernel = allocate(program, code->info);
    if (!kernel) {
        ocl_program_detach(program);
        return CL_OUT_OF_HOST_MEMORY;
    }
    kernel->codes[device] = code;
    cl_int error = ocl_code_prepare(program, device, code);
    if (error == CL_SUCCESS)
        *result = kernel;
    else
        ocl_kernel_release(kernel);
    return error;
}

cl_int ocl_kernel_clone(cl_kernel source, cl_kernel *result)
{
    if (!ocl_program_attach(source->program))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    cl_kernel kernel = allocate(source->program, source->info);
    if (!kernel) {
        ocl_program_detach(source->program);
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(kernel->codes, source->codes, source->program->num_devices * sizeof(kernel->codes[0]));
    memcpy(kernel->args, source->args, source->info->num_args * sizeof(kernel->args[0]));
    memcpy(kernel->values, source->values, source->values_size);
    for (uint32_t i = 0; i < source->info->num_args; i++) {
        if (kernel->args[i].mem)
            ocl_mem_retain_weak(kernel->args[i].mem);
        if (kernel->args[i].queue)
            ocl_queue_retain(kernel->args[i].queue);
    }
    kernel->reaches_any = source->reaches_any;
    if (!ocl_kernel_set_indirect(kernel, source->indirect, sizeof(uint64_t), source->num_indirect)) {
        ocl_kernel_release(kernel);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *result = kernel;
    return CL_SUCCESS;
}

cl_int ocl_kernel_set_pointer(const char *function, cl_kernel kernel, cl_uint index, uint64_t pointer,
                              cl_int no_pointer)
{
    cl_context context = kernel->program->context;
    if (index >= kernel->info->num_args)
        return ocl_fail(context, function, CL_INVALID_ARG_INDEX, "%u of %u arguments of %s", index,
                        kernel->info->num_args, kernel->info->name);
    enum clc_arg_kind kind = kernel->info->args[index].kind;
    if (kind != CLC_ARG_GLOBAL && kind != CLC_ARG_CONSTANT)
        return ocl_fail(context, function, no_pointer, "argument %u of %s is no pointer to global or constant memory",
                        index, kernel->info->name);
    struct ocl_arg *arg = &kernel->args[index];
    if (arg->mem)
        ocl_mem_release_weak(arg->mem);
    arg->mem = NULL;
    arg->is_pointer = true;
    arg->pointer = pointer;
    arg->set = true;
    return CL_SUCCESS;
}

bool ocl_kernel_set_indirect(cl_kernel kernel, const void *pointers, size_t size, size_t count)
{
    uint64_t *copy = count ? calloc(count, sizeof(*copy)) : NULL;
    if (count && !copy)
        return false;
    for (size_t i = 0; i < count; i++) /* hosts are little-endian */
        memcpy(&copy[i], (const char *)pointers + i * size, size);
    free(kernel->indirect);
    kernel->indirect = copy;
    kernel->num_indirect = count;
    return true;
}

void ocl_kernel_retain(cl_kernel kernel)
{
    ocl_retain(&kernel->object);
}

void ocl_kernel_release(cl_kernel kernel)
{
    if (!ocl_release(&kernel->object))
        return;
    kernel->object.kind = OCL_DEAD;
    for (uint32_t i = 0; i < kernel->info->num_args; i++) {
        if (kernel->args[i].mem)
            ocl_mem_release_weak(kernel->args[i].mem);
        if (kernel->args[i].queue)
            ocl_queue_release(kernel->args[i].queue);
    }
    cl_program program = kernel->program;
    free(kernel->codes);
    free(kernel->args);
    free(kernel->values);
    free(kernel->indirect);
    ocl_object_free(&kernel->object);
    ocl_program_detach(program);
}

struct ocl_code *ocl_kernel_code(cl_kernel kernel, cl_device_id device)
{
    int index = ocl_program_device_index(kernel->program, device);
    return index < 0 ? NULL : kernel->codes[index];
}

const struct ocl_build *ocl_kernel_build(cl_kernel kernel, cl_device_id device)
{
    int index = ocl_program_device_index(kernel->program, device);
    return index < 0 ? NULL : &kernel->program->builds[index];
}

/* OpenCL 3.0 API, table 42: the device's maximum, or what the kernel requires. */
size_t ocl_kernel_work_group_size(cl_kernel kernel, cl_device_id device)
{
    struct ocl_code *code = ocl_kernel_code(kernel, device);
    const uint32_t *required = code ? code->info->reqd_work_group_size : kernel->info->reqd_work_group_size;
    if (required[0])
        return (size_t)required[0] * required[1] * required[2];
    return device->caps->max_workgroup_invocations;
}

cl_ulong ocl_kernel_local_size(cl_kernel kernel, cl_device_id device)
{
    struct ocl_code *code = ocl_kernel_code(kernel, device);
    /* What checks need besides is theirs. */
    cl_ulong size = code && !code->lowered->num_check_sites ? code->lowered->local_size : kernel->info->local_size;
    const cl_ulong limit = UINT64_MAX / 2; /* more than any device has, and may be aligned */
    for (uint32_t i = 0; i < kernel->info->num_args; i++) {
        if (kernel->info->args[i].kind != CLC_ARG_LOCAL)
            continue;
        size = align_up(size, kernel->info->args[i].align ? kernel->info->args[i].align : 1);
        size = size_sum(size, kernel->args[i].local_size);
        if (size >= limit)
            return limit;
    }
    return size;
}
