/* Entry points of OpenCL 3.0 API, 5.2.1 (buffers), 5.5 (memory objects: queries, maps, migration). */
#include "src/api/functions.h"
#include "src/api/memory.h"
#include "src/command/command.h"
#include "src/command/map.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/contents.h"
#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/va_memory.h"
#include "src/object/pipe.h"
#include "src/object/pointer.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdlib.h>

#define BUFFER_FLAGS                                                                                                   \
    ((cl_mem_flags)(OCL_DEVICE_ACCESS | OCL_HOST_ACCESS | OCL_HOST_POINTER | OCL_MEM_IMMUTABLE |                       \
                    CL_MEM_FORCE_HOST_MEMORY_INTEL | CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL))

/* What an immutable object cannot have. */
#define WRITING_FLAGS                                                                                                  \
    ((cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_KERNEL_READ_AND_WRITE))

static bool more_than_one(cl_mem_flags flags)
{
    return flags & (flags - 1);
}

cl_int ocl_mem_check_flags(const char *function, cl_context context, cl_mem_flags flags, cl_mem_flags allowed)
{
    const char *reason = NULL;
    if (flags & ~allowed)
        reason = "unknown flags";
    else if (more_than_one(flags & OCL_DEVICE_ACCESS))
        reason = "the kernel access flags exclude each other";
    else if (more_than_one(flags & OCL_HOST_ACCESS))
        reason = "the host access flags exclude each other";
    else if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        reason = "CL_MEM_USE_HOST_PTR excludes CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR";
    else if ((flags & OCL_MEM_IMMUTABLE) && (flags & WRITING_FLAGS))
        reason = "CL_MEM_IMMUTABLE_EXT excludes writing";
    if (!reason)
        return CL_SUCCESS;
    return ocl_fail(context, function, CL_INVALID_VALUE, "%s (0x%llx)", reason, (unsigned long long)flags);
}

cl_int ocl_mem_check_access(const char *function, cl_context context, cl_mem_flags *flags)
{
    const cl_mem_flags all = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    if (!*flags)
        *flags = CL_MEM_READ_WRITE;
    return ocl_mem_check_flags(function, context, *flags, all);
}

cl_int ocl_mem_check_source(const char *function, cl_context context, cl_mem_flags flags, bool has_source)
{
    if ((flags & OCL_MEM_IMMUTABLE) && !has_source && !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return ocl_fail(context, function, CL_INVALID_VALUE, "an immutable object needs contents");
    return CL_SUCCESS;
}

cl_int ocl_mem_check_written(const char *function, cl_mem mem)
{
    if (mem->flags & OCL_MEM_IMMUTABLE)
        return ocl_fail(mem->context, function, CL_INVALID_OPERATION, "the object that would be written is immutable");
    return CL_SUCCESS;
}

/* cl_ext_buffer_device_address: an address for each device of the context. That of a sub-buffer lies in its parent's.
 */
static cl_int out_addresses(const struct ocl_out *out, cl_mem mem)
{
    cl_ulong addresses[64];
    cl_mem root = ocl_mem_root(mem);
    if (!root->has_address)
        return ocl_fail(mem->context, out->function, CL_INVALID_OPERATION,
                        "the buffer was not created with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
    cl_uint count = (cl_uint)u64_min(mem->context->num_devices, ARRAY_LENGTH(addresses));
    for (cl_uint i = 0; i < count; i++)
        addresses[i] = vkb_buffer_address(root->storage[i].buffer) + root->storage[i].offset + mem->origin;
    return ocl_out_bytes(out, addresses, count * sizeof(addresses[0]));
}

/* cl_intel_mem_force_host_memory: what the application asks to be used as it is must be whole cache lines. */
static cl_int check_forced(const char *function, cl_context context, cl_mem_flags flags, size_t size,
                           const void *host_ptr)
{
    const cl_mem_flags both = CL_MEM_FORCE_HOST_MEMORY_INTEL | CL_MEM_USE_HOST_PTR;
    for (cl_uint i = 0; i < context->num_devices && (flags & both) == both; i++) {
        uint32_t line = context->devices[i]->caps->cache_line;
        if (line && (uintptr_t)host_ptr % line)
            return ocl_fail(context, function, CL_INVALID_HOST_PTR, "host_ptr is not aligned to cache lines");
        if (line && size % line)
            return ocl_fail(context, function, CL_INVALID_BUFFER_SIZE, "%zu bytes are no whole cache lines", size);
    }
    return CL_SUCCESS;
}

cl_mem ocl_create_buffer(const char *function, cl_context context, const cl_mem_properties *properties,
                         cl_mem_flags flags, size_t size, void *host_ptr, bool in_place, cl_int *errcode_ret)
{
    cl_mem mem = NULL;
    cl_int error = ocl_context_check(function, context);
    if (error != CL_SUCCESS)
        goto end;
    struct ocl_mem_properties read;
    error = ocl_mem_read_properties(function, context, properties, false, &read);
    if (error != CL_SUCCESS)
        goto end;
    error = ocl_mem_check_flags(function, context, flags, BUFFER_FLAGS);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_source(function, context, flags, read.kind);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_external(function, context, &read, flags, host_ptr);
    if (error == CL_SUCCESS)
        error = check_forced(function, context, flags, size, host_ptr);
    if (error != CL_SUCCESS)
        goto end;
    if (!(flags & (OCL_DEVICE_ACCESS | OCL_MEM_IMMUTABLE)))
        flags |= CL_MEM_READ_WRITE;
    cl_ulong limit = 0;
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (context->devices[i]->max_allocation > limit)
            limit = context->devices[i]->max_allocation;
    }
    /* OpenCL 3.0 API, 5.2.1: CL_INVALID_BUFFER_SIZE "if size is 0 or if size is greater than
     * CL_DEVICE_MAX_MEM_ALLOC_SIZE for all devices in context". So the largest of these counts. */
    if (size == 0 || size > limit) {
        error = ocl_fail(context, function, CL_INVALID_BUFFER_SIZE, "%zu bytes; devices allow 1 to %llu", size,
                         (unsigned long long)limit);
        goto end;
    }
    /* OpenCL 3.0 API, 5.2.1: CL_INVALID_HOST_PTR where flags want a host_ptr and it is NULL, "or if host_ptr is not
     * NULL but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags". */
    if (!host_ptr != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR))) {
        error = ocl_fail(context, function, CL_INVALID_HOST_PTR, "host_ptr and flags contradict each other");
        goto end;
    }
    /* OpenCL 3.0 API, 5.2.1: with a pointer of clSVMAlloc() and CL_MEM_USE_HOST_PTR it succeeds "as long as the size
     * argument is no larger than the size argument passed in the original clSVMAlloc call". */
    struct ocl_place place;
    if (flags & CL_MEM_USE_HOST_PTR && ocl_pointer_find(context, (uintptr_t)host_ptr, 0, &place)) {
        vkb_buffer_release(place.buffer);
        if (size > place.left) {
            error = ocl_fail(context, function, CL_INVALID_BUFFER_SIZE, "%zu bytes of shared virtual memory of %zu",
                             size, place.left);
            goto end;
        }
    }
    read.in_place = in_place || flags & CL_MEM_FORCE_HOST_MEMORY_INTEL;
    error = ocl_mem_create(context, flags, size, host_ptr, properties, &read, &mem);
    if (error == CL_SUCCESS && read.has_address) {
        mem->has_address = true;
        error = ocl_pointer_add_mem(mem);
        for (cl_uint i = 0; i < context->num_devices && host_ptr && error == CL_SUCCESS; i++) {
            if (mem->storage[i].buffer)
                error = ocl_contents_settle(context, i, mem->storage[i].buffer);
        }
        if (error != CL_SUCCESS) {
            ocl_mem_release(mem);
            mem = NULL;
        }
    }
    if (error != CL_SUCCESS)
        ocl_fail(context, function, error, read.kind ? "%zu bytes cannot be imported" : "no memory for %zu bytes",
                 size);
    else
        ocl_mem_took_handle(&read);
end:
    if (errcode_ret)
        *errcode_ret = error;
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                                               cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    return ocl_create_buffer(__func__, context, NULL, flags, size, host_ptr, false, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t size, void *host_ptr,
                                                             cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    return ocl_create_buffer(__func__, context, properties, flags, size, host_ptr, false, errcode_ret);
}

/* OpenCL 3.0 API, 5.2.1, of clCreateSubBuffer(): CL_INVALID_VALUE "if buffer was created with CL_MEM_WRITE_ONLY and
 * flags specifies CL_MEM_READ_WRITE or CL_MEM_READ_ONLY", and so on for each row. */
static bool asks_for_more(cl_mem_flags of_parent, cl_mem_flags given)
{
    static const struct {
        cl_mem_flags parent, excludes;
    } rows[] = {
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY},
        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY},
        {CL_MEM_NO_ACCESS_INTEL, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY},
        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
        {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (of_parent & rows[i].parent && given & rows[i].excludes)
            return true;
    }
    return false;
}

cl_int ocl_mem_inherit_flags(cl_mem parent, cl_mem_flags *flags)
{
    cl_mem_flags given = *flags, of_parent = parent->flags;
    /* cl_intel_planar_yuv: these flags say nothing of what is made of the object. */
    bool unrestricted = of_parent & CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL;
    if (given & ~(cl_mem_flags)(OCL_DEVICE_ACCESS | OCL_HOST_ACCESS | OCL_MEM_IMMUTABLE |
                                CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL))
        return CL_INVALID_VALUE;
    if (more_than_one(given & OCL_DEVICE_ACCESS) || more_than_one(given & OCL_HOST_ACCESS))
        return CL_INVALID_VALUE;
    if (((of_parent | given) & OCL_MEM_IMMUTABLE) && (given & WRITING_FLAGS))
        return CL_INVALID_VALUE;
    if (!unrestricted && asks_for_more(of_parent, given))
        return CL_INVALID_VALUE;
    /* OpenCL 3.0 API, 5.2.1: what is not specified is inherited from the buffer, and CL_MEM_USE_HOST_PTR and its like
     * always, which is why they may not be given. */
    if (!(given & (OCL_DEVICE_ACCESS | OCL_MEM_IMMUTABLE)))
        *flags |= of_parent & OCL_DEVICE_ACCESS;
    *flags |= of_parent & OCL_MEM_IMMUTABLE;
    if (!(given & OCL_HOST_ACCESS) && !unrestricted)
        *flags |= of_parent & OCL_HOST_ACCESS;
    *flags |= of_parent & OCL_HOST_POINTER;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                                  cl_buffer_create_type buffer_create_type,
                                                  const void *buffer_create_info, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is_buffer(buffer) || buffer->parent)
        OCL_RETURN_ERROR(NULL, CL_INVALID_MEM_OBJECT, "not a buffer, or itself a sub-buffer");
    cl_context context = buffer->context;
    OCL_RETURN_IF_TERMINATED(context);
    if (ocl_mem_inherit_flags(buffer, &flags) != CL_SUCCESS)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "flags 0x%llx do not go with the buffer's 0x%llx",
                         (unsigned long long)flags, (unsigned long long)buffer->flags);
    if (buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION || !buffer_create_info)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "no region is given");
    const cl_buffer_region *region = buffer_create_info;
    if (region->origin > buffer->size || region->size > buffer->size - region->origin)
        OCL_RETURN_ERROR(context, CL_INVALID_VALUE, "the region reaches beyond the buffer's %zu bytes", buffer->size);
    if (region->size == 0)
        OCL_RETURN_ERROR(context, CL_INVALID_BUFFER_SIZE, "the region is empty");
    /* OpenCL 3.0 API, 5.2.1: CL_MISALIGNED_SUB_BUFFER_OFFSET "if there are no devices in context associated with buffer
     * for which the origin field [...] is aligned to the CL_DEVICE_MEM_BASE_ADDR_ALIGN value". One is enough. */
    cl_uint align = ocl_device_base_align(context->devices[0]);
    for (cl_uint i = 1; i < context->num_devices; i++) {
        cl_uint other = ocl_device_base_align(context->devices[i]);
        align = other < align ? other : align;
    }
    if (region->origin % align)
        OCL_RETURN_ERROR(context, CL_MISALIGNED_SUB_BUFFER_OFFSET, "origin %zu is no multiple of %u", region->origin,
                         align);
    cl_mem mem = NULL;
    cl_int error = ocl_mem_create_sub(buffer, flags, region->origin, region->size, &mem);
    if (error != CL_SUCCESS)
        OCL_RETURN_ERROR(context, error, "no memory for a sub-buffer");
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return mem;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainMemObject(cl_mem mem)
{
    if (!ocl_is(mem, OCL_MEM))
        return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not a memory object");
    ocl_mem_retain(mem);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem mem)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(mem, OCL_MEM))
        return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not a memory object");
    ocl_mem_release(mem);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem mem,
                                                                 void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                                                 void *user_data)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(mem, OCL_MEM))
        return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not a memory object");
    if (!pfn_notify)
        return ocl_error(mem->context, CL_INVALID_VALUE, "pfn_notify is NULL");
    struct ocl_mem_callback *callback = malloc(sizeof(*callback));
    if (!callback)
        return ocl_error(mem->context, CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
    callback->call = pfn_notify;
    callback->data = user_data;
    ocl_lock(&mem->mutex);
    bool prepared = ocl_mem_prepare_farewell(mem);
    if (prepared) {
        callback->next = mem->callbacks;
        mem->callbacks = callback;
        ocl_mem_defer(mem);
    }
    ocl_unlock(&mem->mutex);
    if (prepared)
        return CL_SUCCESS;
    free(callback);
    return ocl_error(mem->context, CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem mem, cl_mem_info param_name, size_t param_value_size,
                                                   void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(mem, OCL_MEM))
        return ocl_error(NULL, CL_INVALID_MEM_OBJECT, "not a memory object");
    cl_uint map_count;
    switch (param_name) {
    case CL_MEM_TYPE:
        return OCL_OUT(&out, cl_mem_object_type, mem->type);
    case CL_MEM_FLAGS:
        return OCL_OUT(&out, cl_mem_flags, mem->flags);
    case CL_MEM_SIZE:
        return OCL_OUT(&out, size_t, mem->size);
    case CL_MEM_HOST_PTR:
        return OCL_OUT(&out, void *, mem->host_ptr);
    case CL_MEM_MAP_COUNT:
        ocl_lock(&mem->mutex);
        map_count = mem->map_count;
        ocl_unlock(&mem->mutex);
        return OCL_OUT(&out, cl_uint, map_count);
    case CL_MEM_REFERENCE_COUNT:
        return OCL_OUT(&out, cl_uint, atomic_load(&mem->object.refs));
    case CL_MEM_CONTEXT:
        return OCL_OUT(&out, cl_context, mem->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return OCL_OUT(&out, cl_mem, mem->hides_parent ? NULL : mem->parent);
    case CL_MEM_OFFSET:
        return OCL_OUT(&out, size_t, mem->image ? 0 : mem->origin);
    case CL_MEM_USES_SVM_POINTER:
    case CL_MEM_USES_SVM_POINTER_ARM:
        return OCL_OUT(&out, cl_bool, ocl_mem_root(mem)->uses_svm);
    case OCL_MEM_DEVICE_ADDRESS:
        return out_addresses(&out, mem);
    case OCL_MEM_VA_API_SURFACE:
        if (!mem->va)
            return ocl_error(mem->context, OCL_INVALID_VA_API_SURFACE, "not made from a surface of VA-API");
        return OCL_OUT(&out, cl_uint *, &mem->va->surface);
    case CL_MEM_PROPERTIES:
        return ocl_out_bytes(&out, mem->properties, mem->num_properties * sizeof(cl_mem_properties));
    default:
        return ocl_error(mem->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* ---- maps ---- */

static cl_int check_map(const char *function, cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t offset,
                        size_t size)
{
    const cl_map_flags all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = queue->context;
    if (!ocl_is_buffer(buffer))
        return ocl_fail(context, function, CL_INVALID_MEM_OBJECT, "not a buffer");
    if (buffer->context != context)
        return ocl_fail(context, function, CL_INVALID_CONTEXT, "queue and buffer are of different contexts");
    if (flags & ~all)
        return ocl_fail(context, function, CL_INVALID_VALUE, "unknown map flags 0x%llx", (unsigned long long)flags);
    if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)))
        return ocl_fail(context, function, CL_INVALID_VALUE, "CL_MAP_WRITE_INVALIDATE_REGION excludes the others");
    if (size == 0 || offset > buffer->size || size > buffer->size - offset)
        return ocl_fail(context, function, CL_INVALID_VALUE, "region %zu+%zu is not within %zu bytes", offset, size,
                        buffer->size);
    /* OpenCL 3.0 API, 5.2.4: what the buffer's flags keep from the host */
    bool reads = flags & CL_MAP_READ, writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    if ((reads && (buffer->flags & OCL_HOST_CANNOT_READ)) || (writes && (buffer->flags & OCL_HOST_CANNOT_WRITE)))
        return ocl_fail(context, function, CL_INVALID_OPERATION, "the buffer's flags forbid the host this access");
    return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_map,
                                                  cl_map_flags map_flags, size_t offset, size_t size,
                                                  cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                  cl_event *event, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_MAP_BUFFER, blocking_map);
    struct ocl_command command;
    void *pointer = NULL;
    cl_int error = check_map(__func__, queue, buffer, map_flags, offset, size);
    if (error == CL_SUCCESS)
        error = ocl_check_waits(__func__, queue->context, num_events_in_wait_list, event_wait_list);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, &call);
    if (error == CL_SUCCESS)
        error = ocl_mem_map(&command, buffer, map_flags, offset, size, blocking_map, &pointer);
    if (errcode_ret)
        *errcode_ret = error;
    return error == CL_SUCCESS ? pointer : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *mapped_ptr,
                                                        cl_uint num_events_in_wait_list,
                                                        const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = queue->context;
    if (!ocl_is(mem, OCL_MEM) || ocl_is_pipe(mem))
        return ocl_error(context, CL_INVALID_MEM_OBJECT, "not a memory object, or a pipe");
    if (mem->context != context)
        return ocl_error(context, CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
    if (!mapped_ptr || !ocl_mem_is_mapped_at(mem, mapped_ptr))
        return ocl_error(context, CL_INVALID_VALUE, "%p was not returned by a map of this object", mapped_ptr);
    cl_int error = ocl_check_waits(__func__, context, num_events_in_wait_list, event_wait_list);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call call = OCL_CALL(CL_COMMAND_UNMAP_MEM_OBJECT, false);
    struct ocl_command command;
    error = ocl_command_begin(&command, &call);
    return error == CL_SUCCESS ? ocl_mem_unmap(&command, mem, mapped_ptr) : error;
}

cl_int ocl_mem_migrate(const struct ocl_call *call, cl_uint num_mem_objects, const cl_mem *mem_objects,
                       cl_mem_migration_flags flags)
{
    const cl_mem_migration_flags all = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    const char *function = call->function;
    if (!ocl_is(call->queue, OCL_QUEUE))
        return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = call->queue->context;
    if (num_mem_objects == 0 || !mem_objects)
        return ocl_fail(context, function, CL_INVALID_VALUE, "no memory objects");
    if (flags & ~all)
        return ocl_fail(context, function, CL_INVALID_VALUE, "unknown flags 0x%llx", (unsigned long long)flags);
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        if (!ocl_is(mem_objects[i], OCL_MEM))
            return ocl_fail(context, function, CL_INVALID_MEM_OBJECT, "mem_objects[%u] is no memory object", i);
        if (mem_objects[i]->context != context)
            return ocl_fail(context, function, CL_INVALID_CONTEXT, "mem_objects[%u] is of another context", i);
    }
    cl_int error = ocl_check_waits(function, context, call->num_waits, call->waits);
    if (error != CL_SUCCESS)
        return error;
    struct ocl_command command;
    error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS)
        return error;
    /* The host reaches the contents from wherever they are, when it maps or reads them. */
    for (cl_uint i = 0; i < num_mem_objects && !(flags & CL_MIGRATE_MEM_OBJECT_HOST); i++) {
        error = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? ocl_command_place(&command, mem_objects[i])
                                                                : ocl_command_bring(&command, mem_objects[i], false);
        if (error != CL_SUCCESS)
            return ocl_command_fail(&command, error);
    }
    return ocl_command_end(&command, ocl_command_nothing(&command), false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint num_mem_objects,
                                                           const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                                           cl_uint num_events_in_wait_list,
                                                           const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_MIGRATE_MEM_OBJECTS, false);
    return ocl_mem_migrate(&call, num_mem_objects, mem_objects, flags);
}
