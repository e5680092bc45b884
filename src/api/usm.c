/* Entry points of cl_intel_unified_shared_memory and cl_ext_buffer_device_address. */
#include "src/command/pointer_command.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/kernel.h"
#include "src/object/pointer.h"
#include "src/object/queue.h"

#include <string.h>

/* ---- allocation ---- */

/* cl_intel_unified_shared_memory: only shared allocations have an initial place. */
static cl_int read_properties(const char *function, cl_context context, enum ocl_pointer_kind kind,
                              const cl_mem_properties_intel *properties, cl_mem_alloc_flags_intel *flags)
{
    const cl_mem_alloc_flags_intel places =
        CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    const cl_mem_alloc_flags_intel all = CL_MEM_ALLOC_WRITE_COMBINED_INTEL | (kind == OCL_POINTER_SHARED ? places : 0);
    bool seen = false;
    *flags = 0;
    for (; properties && properties[0]; properties += 2) {
        if (properties[0] != CL_MEM_ALLOC_FLAGS_INTEL || seen || properties[1] & ~all)
            return ocl_fail(context, function, CL_INVALID_PROPERTY, "unknown or repeated property 0x%llx, or its value",
                            (unsigned long long)properties[0]);
        *flags = properties[1];
        seen = true;
    }
    if ((*flags & places) == places)
        return ocl_fail(context, function, CL_INVALID_PROPERTY, "the places exclude each other");
    return CL_SUCCESS;
}

static void *allocate(const char *function, cl_context context, enum ocl_pointer_kind kind, cl_device_id device,
                      const cl_mem_properties_intel *properties, size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    cl_mem_alloc_flags_intel flags = 0;
    cl_int error = ocl_context_check(function, context);
    void *pointer = NULL;
    if (error == CL_SUCCESS && (kind == OCL_POINTER_DEVICE || device) &&
        (!ocl_is(device, OCL_DEVICE) || ocl_context_device_index(context, device) < 0))
        error = ocl_fail(context, function, CL_INVALID_DEVICE, "not a device of this context");
    if (error == CL_SUCCESS)
        error = read_properties(function, context, kind, properties, &flags);
    if (error == CL_SUCCESS && kind != OCL_POINTER_DEVICE &&
        !(device ? ocl_device_svm(device) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER
                 : ocl_context_has_svm(context, CL_DEVICE_SVM_FINE_GRAIN_BUFFER)))
        error = ocl_fail(context, function, CL_INVALID_OPERATION, "no memory can be shared with the device");
    for (cl_uint i = 0; error == CL_SUCCESS && i < context->num_devices; i++) {
        if ((!device || context->devices[i] == device) && (size == 0 || size > context->devices[i]->max_allocation))
            error = ocl_fail(context, function, CL_INVALID_BUFFER_SIZE, "%zu bytes", size);
    }
    if (error == CL_SUCCESS && (alignment & (alignment - 1) || alignment > OCL_SVM_LARGEST_ALIGNMENT))
        error = ocl_fail(context, function, CL_INVALID_VALUE, "alignment %u", alignment);
    if (error == CL_SUCCESS) {
        pointer = ocl_pointer_alloc(context, kind, flags, device, size,
                                    alignment > OCL_SVM_ALIGNMENT ? alignment : OCL_SVM_ALIGNMENT, NULL, &error);
        if (!pointer)
            ocl_fail(context, function, error, "no memory for %zu bytes", size);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return pointer;
}

CL_API_ENTRY void *CL_API_CALL clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties,
                                                   size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    return allocate(__func__, context, OCL_POINTER_HOST, NULL, properties, size, alignment, errcode_ret);
}

CL_API_ENTRY void *CL_API_CALL clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                                                     const cl_mem_properties_intel *properties, size_t size,
                                                     cl_uint alignment, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    return allocate(__func__, context, OCL_POINTER_DEVICE, device, properties, size, alignment, errcode_ret);
}

CL_API_ENTRY void *CL_API_CALL clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                                                     const cl_mem_properties_intel *properties, size_t size,
                                                     cl_uint alignment, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    return allocate(__func__, context, OCL_POINTER_SHARED, device, properties, size, alignment, errcode_ret);
}

static cl_int free_pointer(const char *function, cl_context context, void *pointer)
{
    if (pointer && !ocl_pointer_free(context, pointer, false))
        return ocl_fail(context, function, CL_INVALID_VALUE, "%p is no allocation of this context", pointer);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clMemFreeINTEL(cl_context context, void *ptr)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    return free_pointer(__func__, context, ptr);
}

struct idle {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done;
};

static void set_idle(void *data)
{
    struct idle *idle = data;
    pthread_mutex_lock(&idle->mutex);
    idle->done = true;
    pthread_cond_signal(&idle->changed);
    pthread_mutex_unlock(&idle->mutex);
}

static bool is_allocation(cl_context context, const void *pointer)
{
    struct ocl_place place;
    if (!ocl_pointer_find(context, (uintptr_t)pointer, 0, &place))
        return false;
    vkb_buffer_release(place.buffer);
    return place.start == (uintptr_t)pointer && place.kind != OCL_POINTER_SVM && !place.in_mem;
}

/* Any command that was enqueued may use the memory, also by a pointer in other memory. So this waits for all of them;
 * what is no memory is refused at once. */
CL_API_ENTRY cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context context, void *ptr)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    if (!is_allocation(context, ptr))
        return free_pointer(__func__, context, ptr);
    struct idle idle = {.done = false};
    pthread_mutex_init(&idle.mutex, NULL);
    pthread_cond_init(&idle.changed, NULL);
    ocl_context_when_idle(context, VKB_STEWARD, set_idle, &idle);
    pthread_mutex_lock(&idle.mutex);
    while (!idle.done)
        pthread_cond_wait(&idle.changed, &idle.mutex);
    pthread_mutex_unlock(&idle.mutex);
    pthread_cond_destroy(&idle.changed);
    pthread_mutex_destroy(&idle.mutex);
    return free_pointer(__func__, context, ptr);
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemAllocInfoINTEL(cl_context context, const void *ptr,
                                                       cl_mem_info_intel param_name, size_t param_value_size,
                                                       void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    struct ocl_place place = {0};
    bool found = ocl_pointer_find(context, (uintptr_t)ptr, 0, &place);
    if (found)
        vkb_buffer_release(place.buffer);
    if (found && (place.kind == OCL_POINTER_SVM || place.in_mem)) {
        found = false;
        place = (struct ocl_place){0};
    }
    switch (param_name) {
    case CL_MEM_ALLOC_TYPE_INTEL:
        return OCL_OUT(&out, cl_unified_shared_memory_type_intel,
                       !found                             ? CL_MEM_TYPE_UNKNOWN_INTEL
                       : place.kind == OCL_POINTER_HOST   ? CL_MEM_TYPE_HOST_INTEL
                       : place.kind == OCL_POINTER_DEVICE ? CL_MEM_TYPE_DEVICE_INTEL
                                                          : CL_MEM_TYPE_SHARED_INTEL);
    case CL_MEM_ALLOC_BASE_PTR_INTEL:
        return OCL_OUT(&out, void *, (void *)(uintptr_t)place.start);
    case CL_MEM_ALLOC_SIZE_INTEL:
        return OCL_OUT(&out, size_t, place.size);
    case CL_MEM_ALLOC_DEVICE_INTEL:
        return OCL_OUT(&out, cl_device_id, place.device);
    case CL_MEM_ALLOC_FLAGS_INTEL:
        return OCL_OUT(&out, cl_mem_alloc_flags_intel, place.flags);
    default:
        return ocl_error(context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* ---- commands ---- */

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemFillINTEL(cl_command_queue queue, void *dst_ptr, const void *pattern,
                                                      size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                                      const cl_event *event_wait_list, cl_event *event)
{
    const struct ocl_call call = OCL_CALL(CL_COMMAND_MEMFILL_INTEL, false);
    return ocl_pointer_fill(&call, dst_ptr, pattern, pattern_size, size);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void *dst_ptr,
                                                     const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                                                     const cl_event *event_wait_list, cl_event *event)
{
    const struct ocl_call call = OCL_CALL(CL_COMMAND_MEMCPY_INTEL, blocking);
    return ocl_pointer_copy(&call, dst_ptr, src_ptr, size);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemINTEL(cl_command_queue queue, const void *ptr, size_t size,
                                                         cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                                         const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const cl_mem_migration_flags all = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    const struct ocl_call call = OCL_CALL(CL_COMMAND_MIGRATEMEM_INTEL, false);
    cl_int error = ocl_pointer_check(&call);
    if (error == CL_SUCCESS && (!ptr || size == 0 || flags & ~all))
        error = ocl_error(queue->context, CL_INVALID_VALUE, "no memory, or unknown flags");
    return error == CL_SUCCESS ? ocl_pointer_nothing(&call) : error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *ptr, size_t size,
                                                        cl_mem_advice_intel advice, cl_uint num_events_in_wait_list,
                                                        const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_MEMADVISE_INTEL, false);
    cl_int error = ocl_pointer_check(&call);
    if (error == CL_SUCCESS && (!ptr || size == 0))
        error = ocl_error(queue->context, CL_INVALID_VALUE, "no memory");
    if (error == CL_SUCCESS && advice) /* the extension defines none; 0 is what programs pass */
        error = ocl_error(queue->context, CL_INVALID_VALUE, "unknown advice 0x%x", advice);
    return error == CL_SUCCESS ? ocl_pointer_nothing(&call) : error;
}

/* ---- kernel arguments ---- */

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index,
                                                              const void *arg_value)
{
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    return ocl_kernel_set_pointer(__func__, kernel, arg_index, (uintptr_t)arg_value, CL_INVALID_ARG_VALUE);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index, cl_ulong arg_value)
{
    if (!ocl_is(kernel, OCL_KERNEL))
        return ocl_error(NULL, CL_INVALID_KERNEL, "not a kernel");
    return ocl_kernel_set_pointer(__func__, kernel, arg_index, arg_value, CL_INVALID_ARG_INDEX);
}
