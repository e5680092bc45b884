/* What can be wrong with a launch: the checks of OpenCL 3.0 API, 5.10, for those who enqueue kernels, those who record
 * them, and kernels that enqueue kernels. */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/launch/range.h"
#include "src/object/ahead.h"
#include "src/object/kernel.h"
#include "src/object/memory.h"
#include "src/object/program.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <string.h>

/* Everything about an NDRange that can be wrong is checked in the order of the specification's list. */

static cl_int check_kernel(const struct ocl_range_args *r)
{
    if (!ocl_is(r->queue, r->by_kernel ? OCL_DEVICE_QUEUE : OCL_QUEUE))
        return ocl_fail(NULL, r->function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = r->queue->context;
    if (!ocl_is(r->kernel, OCL_KERNEL))
        return ocl_fail(context, r->function, CL_INVALID_KERNEL, "not a kernel");
    if (r->kernel->program->context != context)
        return ocl_fail(context, r->function, CL_INVALID_CONTEXT, "queue and kernel are of different contexts");
    if (!ocl_kernel_code(r->kernel, r->queue->device))
        return ocl_fail(context, r->function, CL_INVALID_PROGRAM_EXECUTABLE,
                        "kernel \"%s\" is not built for the queue's device", r->kernel->info->name);
    return CL_SUCCESS;
}

static cl_int check_args(const struct ocl_range_args *r)
{
    cl_context context = r->queue->context;
    const struct clc_kernel_info *info = r->kernel->info;
    for (uint32_t i = 0; i < info->num_args; i++) {
        const struct ocl_arg *arg = &r->kernel->args[i];
        if (!arg->set)
            return ocl_fail(context, r->function, CL_INVALID_KERNEL_ARGS, "argument %u (%s) of \"%s\" is not set", i,
                            info->args[i].name ? info->args[i].name : "", info->name);
        /* Another thread may release it after this, so the launch takes references and looks again. */
        if (arg->mem && !atomic_load(&arg->mem->object.refs))
            return ocl_fail(context, r->function, CL_INVALID_KERNEL_ARGS, "argument %u of \"%s\" was released", i,
                            info->name);
    }
    return CL_SUCCESS;
}

/* Number i of offset, global or local. */
static uint64_t number(const struct ocl_range_args *r, const void *list, cl_uint i)
{
    return r->by_kernel ? ((const uint64_t *)list)[i] : ((const size_t *)list)[i];
}

static cl_int check_global(const struct ocl_range_args *r, struct ocl_range *range)
{
    cl_context context = r->queue->context;
    if (r->work_dim < 1 || r->work_dim > 3)
        return ocl_fail(context, r->function, CL_INVALID_WORK_DIMENSION, "%u dimensions", r->work_dim);
    /* OpenCL 3.0 API, 5.10: a global_work_size that is NULL or has a 0 is no error since OpenCL 2.1. Such a command
     * completes, and no work-item runs. */
    *range = (struct ocl_range){.dims = r->work_dim, .global = {1, 1, 1}, .local = {1, 1, 1}, .empty = !r->global};
    for (cl_uint i = 0; r->global && i < r->work_dim; i++) {
        range->global[i] = number(r, r->global, i);
        range->empty |= range->global[i] == 0;
    }
    for (cl_uint i = 0; r->offset && i < r->work_dim; i++) {
        range->offset[i] = number(r, r->offset, i);
        /* OpenCL 3.0 API, 5.10: CL_INVALID_GLOBAL_OFFSET where size and offset together exceed what a size_t of the
         * device can hold. */
        if (r->global && range->global[i] > UINT64_MAX - range->offset[i])
            return ocl_fail(context, r->function, CL_INVALID_GLOBAL_OFFSET, "offset and size overflow");
    }
    return CL_SUCCESS;
}

/* Whether all groups have a multiple of so many work-items, those at the range's ends included. */
static bool has_multiples(const struct ocl_range *range, uint32_t width)
{
    for (uint32_t end = 0; end < 8; end++) {
        uint64_t items = 1;
        for (int i = 0; i < 3; i++)
            items *= end >> i & 1 ? range->global[i] % range->local[i] : range->local[i];
        if (items % width)
            return false;
    }
    return true;
}

static cl_int check_local(const struct ocl_range_args *r, struct ocl_range *range)
{
    cl_context context = r->queue->context;
    cl_device_id device = r->queue->device;
    const uint32_t *required = ocl_kernel_code(r->kernel, device)->info->reqd_work_group_size;
    const struct ocl_build *build = ocl_kernel_build(r->kernel, device);
    if (!r->local) {
        if (!range->empty && r->suggests)
            ocl_range_suggest_local(range, r->kernel, device);
        else if (!range->empty)
            ocl_range_choose_local(range, r->kernel, device);
    } else {
        uint64_t items = 1;
        for (cl_uint i = 0; i < r->work_dim; i++) {
            uint64_t local = number(r, r->local, i);
            if (local == 0)
                return ocl_fail(context, r->function, CL_INVALID_WORK_GROUP_SIZE, "local_work_size[%u] is 0", i);
            /* OpenCL 3.0 API, 5.10: one dimension that is too large is CL_INVALID_WORK_ITEM_SIZE, while all together
             * are CL_INVALID_WORK_GROUP_SIZE. */
            if (local > device->caps->max_workgroup_size[i])
                return ocl_fail(context, r->function, CL_INVALID_WORK_ITEM_SIZE, "local_work_size[%u] is %llu of %u", i,
                                (unsigned long long)local, device->caps->max_workgroup_size[i]);
            range->local[i] = (uint32_t)local;
            items = size_product(items, local);
        }
        if (items > device->caps->max_workgroup_invocations)
            return ocl_fail(context, r->function, CL_INVALID_WORK_GROUP_SIZE, "a work-group of %llu of %u work-items",
                            (unsigned long long)items, device->caps->max_workgroup_invocations);
    }
    /* OpenCL 3.0 API, 5.10: CL_INVALID_WORK_GROUP_SIZE "if local_work_size is specified and does not match the required
     * work-group size". Without a local_work_size the chosen one is the required one. */
    if (required[0] && memcmp(range->local, required, sizeof(range->local)) != 0)
        return ocl_fail(context, r->function, CL_INVALID_WORK_GROUP_SIZE, "the kernel requires %ux%ux%u", required[0],
                        required[1], required[2]);
    /* OpenCL 3.0 API, 5.10: the same code where the size "is not consistent with the required number of sub-groups". */
    uint32_t sub_groups = ocl_kernel_code(r->kernel, device)->info->num_sub_groups;
    uint64_t group = (uint64_t)range->local[0] * range->local[1] * range->local[2];
    uint32_t width = ocl_code_subgroup_size(ocl_kernel_code(r->kernel, device), device);
    if (sub_groups && !range->empty && (group + width - 1) / width != sub_groups)
        return ocl_fail(context, r->function, CL_INVALID_WORK_GROUP_SIZE,
                        "the kernel requires work-groups of %u sub-groups", sub_groups);
    /* cl_khr_cooperative_matrix: without full sub-groups behaviour is undefined; Vulkan makes no such pipeline. */
    if (ocl_kernel_code(r->kernel, device)->lowered->full_subgroups && !range->empty && !has_multiples(range, width))
        return ocl_fail(context, r->function, CL_INVALID_WORK_GROUP_SIZE,
                        "the kernel's cooperative matrices need full sub-groups of %u", width);
    /* OpenCL 3.0 API, 5.10: the same code "if the work-group size must be uniform" and the local size does not divide
     * the global one. It must be with -cl-uniform-work-group-size, and in OpenCL C before 2.0. */
    bool uniform = build->uniform_groups && (r->local || required[0]);
    for (int i = 0; i < 3 && !range->empty; i++) {
        if (uniform && range->global[i] % range->local[i])
            return ocl_fail(context, r->function, CL_INVALID_WORK_GROUP_SIZE,
                            "work-groups must be uniform, and %u does not divide %llu", range->local[i],
                            (unsigned long long)range->global[i]);
        if (range->global[i] / range->local[i] >= UINT32_MAX)
            return ocl_fail(context, r->function, CL_INVALID_GLOBAL_WORK_SIZE, "more than 2^32 work-groups");
    }
    if (!range->empty && !ocl_range_splits(range))
        return ocl_fail(context, r->function, CL_INVALID_WORK_GROUP_SIZE,
                        "beyond 2^32 work-items a local size must be a power of two");
    return CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.10: a sub-buffer's offset must suit the device. That was checked when the sub-buffer was made,
 * since all devices have the same alignment. What is left to check is whether local memory suffices. */
static cl_int check_resources(const struct ocl_range_args *r)
{
    cl_ulong local = ocl_kernel_local_size(r->kernel, r->queue->device);
    if (local > r->queue->device->caps->shared_memory)
        return ocl_fail(r->queue->context, r->function, CL_OUT_OF_RESOURCES, "%llu of %u bytes of local memory",
                        (unsigned long long)local, r->queue->device->caps->shared_memory);
    return CL_SUCCESS;
}

cl_int ocl_range_check(const struct ocl_range_args *r, bool args_may_be_unset, struct ocl_range *range)
{
    cl_int error = check_kernel(r);
    if (error == CL_SUCCESS && !args_may_be_unset)
        error = check_args(r);
    if (error == CL_SUCCESS)
        error = check_global(r, range);
    if (error == CL_SUCCESS)
        error = check_local(r, range);
    return error == CL_SUCCESS ? check_resources(r) : error;
}

cl_int ocl_range_suggest(const struct ocl_range_args *r, size_t *suggested)
{
    struct ocl_range range;
    cl_int error = check_kernel(r);
    if (error == CL_SUCCESS)
        error = check_args(r);
    if (error == CL_SUCCESS)
        error = check_global(r, &range);
    if (error != CL_SUCCESS)
        return error;
    cl_context context = r->queue->context;
    if (range.empty)
        return ocl_fail(context, r->function, CL_INVALID_GLOBAL_WORK_SIZE, "a size is 0, or global_work_size is NULL");
    if (!suggested)
        return ocl_fail(context, r->function, CL_INVALID_VALUE, "suggested_local_work_size is NULL");
    /* A kernel that requires a size gets it, whatever the range is: this function has no error for what does not fit.
     */
    const uint32_t *required = ocl_kernel_code(r->kernel, r->queue->device)->info->reqd_work_group_size;
    if (!required[0])
        error = check_local(r, &range);
    if (error == CL_SUCCESS && !required[0])
        ocl_ahead_suggested(ocl_kernel_code(r->kernel, r->queue->device), r->queue->device, range.local);
    for (cl_uint i = 0; error == CL_SUCCESS && i < r->work_dim; i++)
        suggested[i] = required[0] ? required[i] : range.local[i];
    return error;
}
