/* Entry points of OpenCL 3.0 API, 5.9 (kernel objects). */
#include "src/build/structors.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/kernel.h"
#include "src/object/memory.h"
#include "src/object/pipe.h"
#include "src/object/program.h"
#include "src/object/queue.h"
#include "src/object/sampler.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(program, OCL_PROGRAM))
        OCL_RETURN_ERROR(NULL, CL_INVALID_PROGRAM, "not a program");
    OCL_RETURN_IF_TERMINATED(program->context);
    ocl_lock(&program->mutex);
    bool executable = ocl_program_executable(program);
    ocl_unlock(&program->mutex);
    if (!executable)
        OCL_RETURN_ERROR(program->context, CL_INVALID_PROGRAM_EXECUTABLE, "no executable was built");
    if (!kernel_name)
        OCL_RETURN_ERROR(program->context, CL_INVALID_VALUE, "kernel_name is NULL");
    cl_kernel kernel = NULL;
    cl_int error = ocl_kernel_create(program, kernel_name, ocl_program_initialise, &kernel);
    if (error != CL_SUCCESS)
        OCL_RETURN_ERROR(program->context, error, "kernel \"%s\"", kernel_name);
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return kernel;
}

/* The program is attached. */
static cl_int create_kernels(cl_program program, cl_uint num_kernels, cl_kernel *kernels, cl_uint *num_kernels_ret)
{
    static const char function[] = "clCreateKernelsInProgram";
    const struct ocl_build *build = ocl_program_executable(program);
    if (!build)
        return ocl_fail(program->context, function, CL_INVALID_PROGRAM_EXECUTABLE, "no executable was built");
    if (kernels && num_kernels < build->num_kernels)
        return ocl_fail(program->context, function, CL_INVALID_VALUE, "room for %u of %u kernels", num_kernels,
                        build->num_kernels);
    for (uint32_t i = 0; kernels && i < build->num_kernels; i++) {
        cl_int error = ocl_kernel_create(program, build->codes[i].info->name, ocl_program_initialise, &kernels[i]);
        if (error != CL_SUCCESS) {
            while (i > 0)
                ocl_kernel_release(kernels[--i]);
            return ocl_fail(program->context, function, error, "a kernel cannot be made");
        }
    }
    if (num_kernels_ret)
        *num_kernels_ret = build->num_kernels;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                                         cl_uint *num_kernels_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(program, OCL_PROGRAM))
        return ocl_error(NULL, CL_INVALID_PROGRAM, "not a program");
    if (ocl_context_is_terminated(program->context))
        return ocl_context_fail_terminated(program->context, __func__);
    if (!ocl_program_attach(program))
        return ocl_error(program->context, CL_INVALID_PROGRAM_EXECUTABLE, "a build is in progress");
    cl_int error = create_kernels(program, num_kernels, kernels, num_kernels_ret);
    ocl_program_detach(program);
    return error;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(source_kernel, OCL_KERNEL))
        OCL_RETURN_ERROR(NULL, CL_INVALID_KERNEL, "not a kernel");
    OCL_RETURN_IF_TERMINATED(source_kernel->program->context);
    cl_kernel kernel = NULL;
    cl_int error = ocl_kernel_clone(source_kernel, &kernel);
    if (error != CL_SUCCESS)
        OCL_RETURN_ERROR(source_kernel->program->context, error, "the kernel cannot be cloned");
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return kernel;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainKernel(cl_kernel kernel)
{
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    ocl_kernel_retain(kernel);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    ocl_kernel_release(kernel);
    return CL_SUCCESS;
}

/* ---- arguments ---- */

static void keep_mem(struct ocl_arg *arg, cl_mem mem)
{
    if (mem)
        ocl_mem_retain_weak(mem);
    if (arg->mem)
        ocl_mem_release_weak(arg->mem);
    arg->mem = mem;
}

/* cl_ext_immutable_memory_objects: only what a kernel cannot write by this argument may be immutable. */
static bool may_write(const struct clc_arg_info *info)
{
    return info->kind == CLC_ARG_GLOBAL && info->address == CLC_ADDRESS_GLOBAL &&
           !(info->type_qualifiers & CLC_TYPE_CONST);
}

static cl_int set_mem(cl_kernel kernel, cl_uint index, cl_mem mem)
{
    struct ocl_arg *arg = &kernel->args[index];
    cl_context context = kernel->program->context;
    /* OpenCL 3.0 API, 5.9.2: for a buffer the value may be NULL, or point to NULL; the kernel sees a NULL pointer. */
    if (mem && (!ocl_is_buffer(mem) || mem->context != context))
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_MEM_OBJECT, "not a buffer of this context");
    if (mem && mem->flags & OCL_MEM_IMMUTABLE && may_write(&kernel->info->args[index]))
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_ARG_VALUE, "argument %u may write an immutable buffer",
                        index);
    keep_mem(arg, mem);
    arg->is_pointer = false;
    return CL_SUCCESS;
}

/* OpenCL C 3.0, 6.15.18: a kernel that takes packets of another size than the pipe's gets none of them (lib/pipe.cl);
 * what size a kernel takes is not part of an argument's type in SPIR-V. */
static cl_int set_pipe(cl_kernel kernel, struct ocl_arg *arg, cl_mem mem)
{
    cl_context context = kernel->program->context;
    if (!ocl_is_pipe(mem) || mem->context != context)
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_MEM_OBJECT, "not a pipe of this context");
    keep_mem(arg, mem);
    return CL_SUCCESS;
}

static bool is_of_kind(const struct _cl_mem *mem, const struct clc_arg_info *info)
{
    static const cl_mem_object_type types[] = {
        [CLC_IMAGE_1D] = CL_MEM_OBJECT_IMAGE1D,
        [CLC_IMAGE_1D_ARRAY] = CL_MEM_OBJECT_IMAGE1D_ARRAY,
        [CLC_IMAGE_1D_BUFFER] = CL_MEM_OBJECT_IMAGE1D_BUFFER,
        [CLC_IMAGE_2D] = CL_MEM_OBJECT_IMAGE2D,
        [CLC_IMAGE_2D_ARRAY] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
        [CLC_IMAGE_3D] = CL_MEM_OBJECT_IMAGE3D,
        [CLC_IMAGE_2D_SAMPLES] = CL_MEM_OBJECT_IMAGE2D,
        [CLC_IMAGE_2D_ARRAY_SAMPLES] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
    };
    bool samples = info->image == CLC_IMAGE_2D_SAMPLES || info->image == CLC_IMAGE_2D_ARRAY_SAMPLES;
    bool depth = ocl_format_is_depth(&mem->image->format);
    return types[info->image] == mem->type && depth == info->image_depth && samples == (mem->image->samples != 0);
}

static cl_int set_image(cl_kernel kernel, cl_uint index, cl_mem mem)
{
    const struct clc_arg_info *info = &kernel->info->args[index];
    cl_context context = kernel->program->context;
    if (!ocl_is(mem, OCL_MEM) || !mem->image || mem->context != context)
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_MEM_OBJECT, "not an image of this context");
    /* OpenCL 3.1 API, 5.9.2: "the memory object is not valid for the kernel argument". */
    if (!is_of_kind(mem, info))
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_MEM_OBJECT, "argument %u is another kind of image",
                        index);
    /* OpenCL 3.0 API, 5.9.2: CL_INVALID_ARG_VALUE where a read_only argument gets an image that was created with
     * CL_MEM_WRITE_ONLY, "or vice versa"; a read_write argument takes neither. */
    bool read_only = mem->flags & (CL_MEM_READ_ONLY | OCL_MEM_IMMUTABLE) || !ocl_image_moves(mem);
    if (mem->flags & CL_MEM_NO_ACCESS_INTEL ||
        (info->access != CLC_ACCESS_WRITE_ONLY && mem->flags & CL_MEM_WRITE_ONLY) ||
        (info->access != CLC_ACCESS_READ_ONLY && read_only))
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_ARG_VALUE,
                        "the image's flags forbid what argument %u is for", index);
    keep_mem(&kernel->args[index], mem);
    return CL_SUCCESS;
}

static cl_int set_sampler(cl_kernel kernel, struct ocl_arg *arg, cl_sampler sampler)
{
    cl_context context = kernel->program->context;
    if (!ocl_is(sampler, OCL_SAMPLER) || sampler->context != context)
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_SAMPLER, "not a sampler of this context");
    arg->sampler = ocl_sampler_bits(sampler);
    return CL_SUCCESS;
}

static cl_int set_queue(cl_kernel kernel, struct ocl_arg *arg, cl_command_queue queue)
{
    cl_context context = kernel->program->context;
    if (!ocl_is(queue, OCL_DEVICE_QUEUE) || queue->context != context)
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_DEVICE_QUEUE, "not a device queue of this context");
    ocl_queue_retain(queue);
    if (arg->queue)
        ocl_queue_release(arg->queue);
    arg->queue = queue;
    return CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.9.2: CL_INVALID_ARG_SIZE where "the argument is a memory object and arg_size != sizeof(cl_mem)", and
 * so for samplers and queues. */
static cl_int set_handle(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    static const char *const names[] = {
        [CLC_ARG_GLOBAL] = "a memory object", [CLC_ARG_CONSTANT] = "a memory object",
        [CLC_ARG_IMAGE] = "an image",         [CLC_ARG_SAMPLER] = "a sampler",
        [CLC_ARG_QUEUE] = "a queue",          [CLC_ARG_PIPE] = "a pipe",
    };
    enum clc_arg_kind kind = kernel->info->args[index].kind;
    struct ocl_arg *arg = &kernel->args[index];
    void *handle = NULL;
    if (size != sizeof(handle))
        return ocl_fail(kernel->program->context, "clSetKernelArg", CL_INVALID_ARG_SIZE, "%zu bytes for %s", size,
                        names[kind]);
    if (value)
        memcpy(&handle, value, size);
    switch (kind) {
    case CLC_ARG_SAMPLER:
        return set_sampler(kernel, arg, handle);
    case CLC_ARG_IMAGE:
        return set_image(kernel, index, handle);
    case CLC_ARG_QUEUE:
        return set_queue(kernel, arg, handle);
    case CLC_ARG_PIPE:
        return set_pipe(kernel, arg, handle);
    default:
        return set_mem(kernel, index, handle);
    }
}

static cl_int set_value(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_context context = kernel->program->context;
    const struct clc_arg_info *info = &kernel->info->args[index];
    if (!value)
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_ARG_VALUE, "argument %u needs a value", index);
    if (size > info->size || size < info->least)
        return ocl_fail(context, "clSetKernelArg", CL_INVALID_ARG_SIZE, "%zu bytes for argument %u of %u", size, index,
                        info->size);
    memcpy(kernel->values + kernel->args[index].offset, value, size);
    memset(kernel->values + kernel->args[index].offset + size, 0, info->size - size);
    return CL_SUCCESS;
}

/* OpenCL 3.1 API, 5.9.2: "For OpenCL 3.1 and newer, arg_size may be zero"; before it must not. A device of version 3.0
 * can do it as well, and the platform is of version 3.1. */
static cl_int set_local(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (value)
        return ocl_fail(kernel->program->context, "clSetKernelArg", CL_INVALID_ARG_VALUE,
                        "argument %u is local memory: its value must be NULL", index);
    kernel->args[index].local_size = size;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
                                               const void *arg_value)
{
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    if (arg_index >= kernel->info->num_args)
        return ocl_error(kernel->program->context, CL_INVALID_ARG_INDEX, "%u of %u arguments of %s", arg_index,
                         kernel->info->num_args, kernel->info->name);
    enum clc_arg_kind kind = kernel->info->args[arg_index].kind;
    cl_int error = kind == CLC_ARG_VALUE   ? set_value(kernel, arg_index, arg_size, arg_value)
                   : kind == CLC_ARG_LOCAL ? set_local(kernel, arg_index, arg_size, arg_value)
                                           : set_handle(kernel, arg_index, arg_size, arg_value);
    if (error == CL_SUCCESS)
        kernel->args[arg_index].set = true;
    return error;
}

/* ---- queries ---- */

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
                                                void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    switch (param_name) {
    case CL_KERNEL_FUNCTION_NAME:
        return ocl_out_string(&out, kernel->info->name);
    case CL_KERNEL_NUM_ARGS:
        return OCL_OUT(&out, cl_uint, kernel->info->num_args);
    case CL_KERNEL_REFERENCE_COUNT:
        return OCL_OUT(&out, cl_uint, atomic_load(&kernel->object.refs));
    case CL_KERNEL_CONTEXT:
        return OCL_OUT(&out, cl_context, kernel->program->context);
    case CL_KERNEL_PROGRAM:
        return OCL_OUT(&out, cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        return ocl_out_string(&out, kernel->info->attributes ? kernel->info->attributes : "");
    default:
        return ocl_error(kernel->program->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

static cl_kernel_arg_address_qualifier address_qualifier(enum clc_address_qualifier address)
{
    switch (address) {
    case CLC_ADDRESS_GLOBAL:
        return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case CLC_ADDRESS_CONSTANT:
        return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case CLC_ADDRESS_LOCAL:
        return CL_KERNEL_ARG_ADDRESS_LOCAL;
    case CLC_ADDRESS_PRIVATE:
        break;
    }
    return CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

static cl_kernel_arg_access_qualifier access_qualifier(enum clc_access_qualifier access)
{
    switch (access) {
    case CLC_ACCESS_READ_ONLY:
        return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    case CLC_ACCESS_WRITE_ONLY:
        return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    case CLC_ACCESS_READ_WRITE:
        return CL_KERNEL_ARG_ACCESS_READ_WRITE;
    case CLC_ACCESS_NONE:
        break;
    }
    return CL_KERNEL_ARG_ACCESS_NONE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name,
                                                   size_t param_value_size, void *param_value,
                                                   size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    cl_context context = kernel->program->context;
    if (arg_indx >= kernel->info->num_args)
        return ocl_error(context, CL_INVALID_ARG_INDEX, "%u of %u arguments", arg_indx, kernel->info->num_args);
    const struct clc_arg_info *info = &kernel->info->args[arg_indx];
    if (param_name < CL_KERNEL_ARG_ADDRESS_QUALIFIER || param_name > CL_KERNEL_ARG_NAME)
        return ocl_error(context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    if (!kernel->info->has_arg_info)
        return ocl_error(context, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "the program was built without it");
    switch (param_name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return OCL_OUT(&out, cl_kernel_arg_address_qualifier, address_qualifier(info->address));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return OCL_OUT(&out, cl_kernel_arg_access_qualifier, access_qualifier(info->access));
    case CL_KERNEL_ARG_TYPE_NAME:
        return ocl_out_string(&out, info->type_name ? info->type_name : "");
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return OCL_OUT(&out, cl_kernel_arg_type_qualifier, info->type_qualifiers);
    default:
        return ocl_out_string(&out, info->name ? info->name : "");
    }
}

/* device may be NULL if the kernel was built for one device. */
static cl_int resolve_device(const char *function, cl_kernel kernel, cl_device_id *device)
{
    cl_program program = kernel->program;
    if (!*device) {
        if (program->num_devices != 1)
            return ocl_fail(program->context, function, CL_INVALID_DEVICE, "the kernel is for several devices");
        *device = program->devices[0];
    }
    if (!ocl_is(*device, OCL_DEVICE) || !ocl_kernel_code(kernel, *device))
        return ocl_fail(program->context, function, CL_INVALID_DEVICE, "the kernel is not built for that device");
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info param_name, size_t param_value_size,
                                                         void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    cl_int error = resolve_device(__func__, kernel, &device);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_code *code = ocl_kernel_code(kernel, device);
    switch (param_name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return OCL_OUT(&out, size_t, ocl_kernel_work_group_size(kernel, device));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
        const uint32_t *size = code->info->reqd_work_group_size;
        size_t sizes[3] = {size[0], size[1], size[2]};
        return ocl_out_bytes(&out, sizes, sizeof(sizes));
    }
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return OCL_OUT(&out, cl_ulong, ocl_kernel_local_size(kernel, device));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return OCL_OUT(&out, size_t, ocl_code_subgroup_size(code, device));
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return OCL_OUT(&out, cl_ulong, u64_max(code->info->private_size, code->lowered->scratch_size));
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL: /* private memory in a buffer: bytes for each work-item */
        return OCL_OUT(&out, cl_ulong, code->lowered->scratch_size);
    default: /* CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels only */
        return ocl_error(kernel->program->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

static size_t product(const size_t *sizes, size_t count)
{
    size_t result = 1;
    for (size_t i = 0; i < count; i++)
        result = size_product(result, sizes[i]);
    return result;
}

static cl_int out_sub_group_shape(const struct ocl_out *out, cl_device_id device, size_t width, size_t num_sub_groups,
                                  size_t dims)
{
    size_t items = size_product(num_sub_groups, width), shape[3] = {items, 1, 1};
    if (items > device->caps->max_workgroup_invocations || items > device->caps->max_workgroup_size[0])
        shape[0] = shape[1] = shape[2] = 0;
    return ocl_out_bytes(out, shape, dims * sizeof(size_t));
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                        cl_kernel_sub_group_info param_name, size_t input_value_size,
                                                        const void *input_value, size_t param_value_size,
                                                        void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    cl_int error = resolve_device(__func__, kernel, &device);
    if (error != CL_SUCCESS)
        return error;
    cl_context context = kernel->program->context;
    if (!device->subgroups)
        return ocl_error(context, CL_INVALID_OPERATION, "the device offers no sub-groups");
    size_t width = ocl_code_subgroup_size(ocl_kernel_code(kernel, device), device),
           dims = input_value_size / sizeof(size_t);
    switch (param_name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        if (!input_value || dims < 1 || dims > 3 || input_value_size % sizeof(size_t))
            return ocl_error(context, CL_INVALID_VALUE, "input_value is no work-group size");
        if (param_name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE)
            return OCL_OUT(&out, size_t, u64_min(width, product(input_value, dims)));
        return OCL_OUT(&out, size_t, size_sum(product(input_value, dims), width - 1) / width);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        dims = param_value ? param_value_size / sizeof(size_t) : 1;
        if (!input_value || input_value_size != sizeof(size_t) || dims < 1 || dims > 3)
            return ocl_error(context, CL_INVALID_VALUE, "input_value is no number of sub-groups");
        return out_sub_group_shape(&out, device, width, *(const size_t *)input_value, dims);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return OCL_OUT(&out, size_t, (ocl_kernel_work_group_size(kernel, device) + width - 1) / width);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: /* cl_intel_required_subgroup_size */
        return OCL_OUT(&out, size_t, ocl_kernel_code(kernel, device)->info->reqd_sub_group_size);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return OCL_OUT(&out, size_t, ocl_kernel_code(kernel, device)->info->num_sub_groups);
    default:
        return ocl_error(context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                                           cl_kernel_sub_group_info param_name, size_t input_value_size,
                                                           const void *input_value, size_t param_value_size,
                                                           void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    return clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size, input_value, param_value_size,
                                   param_value, param_value_size_ret);
}
