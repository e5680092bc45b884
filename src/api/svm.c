/* Entry points of OpenCL 3.0 API, 5.6 (shared virtual memory) and 5.9.2 (setting SVM arguments). */
#include "src/api/svm.h"
#include "src/api/unified_svm.h"
#include "src/command/command.h"
#include "src/command/pointer_command.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/kernel.h"
#include "src/object/pointer.h"
#include "src/object/queue.h"

#include <stdlib.h>
#include <string.h>

#define ACCESS_FLAGS ((cl_svm_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY))
#define SVM_FLAGS    (ACCESS_FLAGS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)

/* Table 28 */
static const char *wrong_flags(cl_svm_mem_flags flags)
{
    cl_svm_mem_flags access = flags & ACCESS_FLAGS;
    if (flags & ~SVM_FLAGS)
        return "unknown flags";
    if (access & (access - 1))
        return "the access flags exclude each other";
    if (flags & CL_MEM_SVM_ATOMICS && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
        return "CL_MEM_SVM_ATOMICS needs CL_MEM_SVM_FINE_GRAIN_BUFFER";
    return NULL;
}

/* OpenCL 3.0 API, 5.6.1: NULL if no device of the context has what the flags ask for, if the size is 0 or more than
 * CL_DEVICE_MAX_MEM_ALLOC_SIZE of any device, or for an alignment that is no power of two or not supported. There is no
 * code for it, so the context's callback tells the reason. */
CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    FLOAT_ENV_DEFAULT();
    if (ocl_context_check(__func__, context) != CL_SUCCESS)
        return NULL;
    const char *reason = wrong_flags(flags);
    cl_device_svm_capabilities wanted = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    if (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)
        wanted |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    if (flags & CL_MEM_SVM_ATOMICS)
        wanted |= CL_DEVICE_SVM_ATOMICS;
    if (!reason && !ocl_context_has_svm(context, wanted))
        reason = "no device of the context supports such shared virtual memory";
    for (cl_uint i = 0; !reason && i < context->num_devices; i++) {
        if (size > context->devices[i]->max_allocation)
            reason = "more than a device's CL_DEVICE_MAX_MEM_ALLOC_SIZE";
    }
    if (!reason && size == 0)
        reason = "0 bytes";
    if (!reason && (alignment & (alignment - 1) || alignment > OCL_SVM_LARGEST_ALIGNMENT))
        reason = "the alignment is no power of two, or too large";
    if (reason) {
        ocl_error(context, CL_INVALID_VALUE, "%s", reason);
        return NULL;
    }
    cl_int error;
    if (!(flags & ACCESS_FLAGS))
        flags |= CL_MEM_READ_WRITE;
    void *pointer = ocl_pointer_alloc(context, OCL_POINTER_SVM, flags, NULL, size,
                                      alignment > OCL_SVM_ALIGNMENT ? alignment : OCL_SVM_ALIGNMENT, NULL, &error);
    if (!pointer)
        ocl_error(context, error, "no memory for %zu bytes", size);
    return pointer;
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *svm_pointer)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    else if (svm_pointer && !ocl_pointer_free(context, svm_pointer, true))
        ocl_error(context, CL_INVALID_VALUE, "%p was not allocated by clSVMAlloc", svm_pointer);
}

/* ---- commands ---- */

struct svm_free {
    cl_command_queue queue; /* retained */
    void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *);
    void *data;
    cl_uint count;
    void *pointers[];
};

static void do_free(void *data, bool run)
{
    struct svm_free *work = data;
    if (run && work->call)
        FLOAT_ENV_CALL(work->call(work->queue, work->count, work->pointers, work->data));
    for (cl_uint i = 0; run && !work->call && i < work->count; i++)
        ocl_pointer_free(work->queue->context, work->pointers[i], true);
    ocl_queue_release(work->queue);
    free(work);
}

static cl_int check_svm(const struct ocl_call *call)
{
    cl_int error = ocl_pointer_check(call);
    if (error == CL_SUCCESS && !ocl_device_svm(call->queue->device) && !ocl_context_uses_svm(call->queue->context))
        error = ocl_fail(call->queue->context, call->function, CL_INVALID_OPERATION,
                         "the device does not support shared virtual memory");
    return error;
}

cl_int ocl_svm_free(const struct ocl_call *call, cl_uint num_svm_pointers, void *svm_pointers[],
                    void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *), void *user_data)
{
    cl_int error = check_svm(call);
    if (error != CL_SUCCESS)
        return error;
    cl_command_queue queue = call->queue;
    /* OpenCL 3.0 API, 5.6.1: CL_INVALID_VALUE "if num_svm_pointers is 0 and svm_pointers is non-NULL, or if svm_pointers
     * is NULL and num_svm_pointers is not 0". */
    if (!num_svm_pointers != !svm_pointers)
        return ocl_fail(queue->context, call->function, CL_INVALID_VALUE, "%u pointers, and a list that is%s NULL",
                        num_svm_pointers, svm_pointers ? " not" : "");
    struct ocl_command command;
    error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS)
        return error;
    struct svm_free *work = malloc(sizeof(*work) + num_svm_pointers * sizeof(void *));
    if (!work)
        return ocl_command_fail(&command, CL_OUT_OF_HOST_MEMORY);
    *work = (struct svm_free){queue, pfn_free_func, user_data, num_svm_pointers};
    if (num_svm_pointers)
        memcpy(work->pointers, svm_pointers, num_svm_pointers * sizeof(void *));
    ocl_queue_retain(queue);
    struct vkb_enqueue enqueue = ocl_command_enqueue(&command);
    enum vkb_result result = vkb_cmd_host(&enqueue, do_free, work);
    if (result != VKB_SUCCESS)
        do_free(work, false);
    return ocl_command_end(&command, result, false);
}

cl_int ocl_svm_copy(const struct ocl_call *call, void *dst_ptr, const void *src_ptr, size_t size)
{
    cl_int error = check_svm(call);
    return error == CL_SUCCESS ? ocl_pointer_copy(call, dst_ptr, src_ptr, size) : error;
}

cl_int ocl_svm_fill(const struct ocl_call *call, void *svm_ptr, const void *pattern, size_t pattern_size, size_t size)
{
    cl_int error = check_svm(call);
    return error == CL_SUCCESS ? ocl_pointer_fill(call, svm_ptr, pattern, pattern_size, size) : error;
}

cl_int ocl_svm_map(const struct ocl_call *call, cl_map_flags flags, void *svm_ptr, size_t size)
{
    const cl_map_flags all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int error = check_svm(call);
    if (error != CL_SUCCESS)
        return error;
    cl_context context = call->queue->context;
    if (!svm_ptr || size == 0)
        return ocl_fail(context, call->function, CL_INVALID_VALUE, "nothing to map: %p, %zu bytes", svm_ptr, size);
    if (flags & ~all || (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)))
        return ocl_fail(context, call->function, CL_INVALID_VALUE, "map flags 0x%llx", (unsigned long long)flags);
    struct ocl_place place;
    if (ocl_pointer_find(context, (uintptr_t)svm_ptr, call->queue->device_index, &place)) {
        vkb_buffer_release(place.buffer);
        if (size > place.left)
            return ocl_fail(context, call->function, CL_INVALID_VALUE, "%zu bytes reach beyond the allocation", size);
    }
    return ocl_pointer_map(call, flags, svm_ptr, size);
}

cl_int ocl_svm_unmap(const struct ocl_call *call, void *svm_ptr)
{
    cl_int error = check_svm(call);
    if (error == CL_SUCCESS && !svm_ptr)
        error = ocl_fail(call->queue->context, call->function, CL_INVALID_VALUE, "svm_ptr is NULL");
    return error == CL_SUCCESS ? ocl_pointer_unmap(call, svm_ptr) : error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint num_svm_pointers, void *svm_pointers[],
                                                 void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[],
                                                                                  void *),
                                                 void *user_data, cl_uint num_events_in_wait_list,
                                                 const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_FREE, false);
    return ocl_svm_free(&call, num_svm_pointers, svm_pointers, pfn_free_func, user_data);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking_copy, void *dst_ptr,
                                                   const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    const struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_MEMCPY, blocking_copy);
    return ocl_svm_copy(&call, dst_ptr, src_ptr, size);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *svm_ptr, const void *pattern,
                                                    size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                                    const cl_event *event_wait_list, cl_event *event)
{
    const struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_MEMFILL, false);
    return ocl_svm_fill(&call, svm_ptr, pattern, pattern_size, size);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking_map, cl_map_flags flags,
                                                void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                                                const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_MAP, blocking_map);
    return ocl_svm_map(&call, flags, svm_ptr, size);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *svm_ptr,
                                                  cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                  cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_UNMAP, false);
    return ocl_svm_unmap(&call, svm_ptr);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint num_svm_pointers,
                                                       const void **svm_pointers, const size_t *sizes,
                                                       cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                                       const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const cl_mem_migration_flags all = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    const struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_MIGRATE_MEM, false);
    cl_int error = check_svm(&call);
    if (error != CL_SUCCESS)
        return error;
    /* OpenCL 3.0 API, 5.6.1: each range lies within one allocation; a size of 0, or no sizes, means the whole allocation
     * that the pointer is in. cl_khr_unified_svm: there NULL is ignored. Memory of the system's has no allocation that is
     * known, so it wants sizes; one of 0 means nothing, as the draft has it. */
    const bool uses_system = ocl_device_svm(queue->device) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    if (num_svm_pointers == 0 || !svm_pointers || flags & ~all)
        return ocl_error(queue->context, CL_INVALID_VALUE, "no pointers, or unknown flags");
    for (cl_uint i = 0; i < num_svm_pointers; i++) {
        struct ocl_place place;
        const size_t size = sizes ? sizes[i] : 0;
        if (!svm_pointers[i] && size == 0)
            continue;
        if (!ocl_pointer_find(queue->context, (uintptr_t)svm_pointers[i], queue->device_index, &place)) {
            if (svm_pointers[i] && sizes && uses_system)
                continue;
            return ocl_error(queue->context, CL_INVALID_VALUE, "svm_pointers[%u] is in no allocation", i);
        }
        vkb_buffer_release(place.buffer);
        if (size > place.left)
            return ocl_error(queue->context, CL_INVALID_VALUE, "sizes[%u] reaches beyond the allocation", i);
    }
    return ocl_pointer_nothing(&call);
}

/* ---- kernels ---- */

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    if (!ocl_context_uses_svm(kernel->program->context))
        return ocl_error(kernel->program->context, CL_INVALID_OPERATION, "no device supports shared virtual memory");
    return ocl_kernel_set_pointer(__func__, kernel, arg_index, (uintptr_t)arg_value, CL_INVALID_ARG_VALUE);
}

/* OpenCL 3.0 API, 5.9.2: CL_INVALID_OPERATION if what is wanted is CL_TRUE, "but no devices in context associated with
 * kernel support" it; CL_FALSE may be said to any. */
static cl_int set_flag(cl_kernel kernel, const char *function, bool allowed, size_t size, const void *value, bool *flag)
{
    cl_bool given;
    if (!value || size != sizeof(given))
        return ocl_fail(kernel->program->context, function, CL_INVALID_VALUE, "the value is no cl_bool");
    memcpy(&given, value, sizeof(given));
    if (given && !allowed)
        return ocl_fail(kernel->program->context, function, CL_INVALID_OPERATION, "no device of the context has that");
    *flag = given;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                                                    size_t param_value_size, const void *param_value)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    cl_context context = kernel->program->context;
    bool svm = ocl_context_uses_svm(context);
    size_t size;
    switch (param_name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
    case OCL_KERNEL_EXEC_INFO_DEVICE_PTRS:
        if (param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS && !svm)
            return ocl_error(context, CL_INVALID_OPERATION, "no device supports shared virtual memory");
        /* An empty list takes back the one that was set before. Devices' addresses have 64 bits on every host. */
        size = param_name == OCL_KERNEL_EXEC_INFO_DEVICE_PTRS ? sizeof(cl_ulong) : sizeof(void *);
        if (!param_value != !param_value_size || param_value_size % size)
            return ocl_error(context, CL_INVALID_VALUE, "%zu bytes are no list of pointers", param_value_size);
        return ocl_kernel_set_indirect(kernel, param_value, size, param_value_size / size)
                   ? CL_SUCCESS
                   : ocl_error(context, CL_OUT_OF_HOST_MEMORY, "no memory for the list");
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        if (!svm)
            return ocl_error(context, CL_INVALID_OPERATION, "no device supports shared virtual memory");
        return set_flag(kernel, __func__, ocl_context_has_svm(context, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM),
                        param_value_size, param_value, &kernel->reaches_any);
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
    case OCL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS:
        return set_flag(kernel, __func__, true, param_value_size, param_value, &kernel->reaches_any);
    default:
        return ocl_error(context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}
