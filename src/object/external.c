/* The numbers by which OpenCL knows kinds of handles, what devices say of them, and the properties of memory objects,
 * which may name them. cl_khr_external_memory 1.0.1, cl_khr_external_semaphore 1.0.1. */
#include "src/object/external.h"

#include "src/object/context.h"
#include "src/device/device.h"
#include "src/object/dma_buf.h"
#include "src/object/pointer.h"

#include "base/platform.h"
#include "base/util.h"

static const struct {
    cl_uint type;
    uint32_t kind;
    bool memory;
} handles[] = {
    {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, VKB_HANDLE_OPAQUE_FD, true},
    {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, VKB_HANDLE_DMA_BUF, true},
    {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR, VKB_HANDLE_WIN32, true},
    {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR, VKB_HANDLE_WIN32_KMT, true},
    {OCL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME, VKB_HANDLE_WIN32_NAME, true},
    {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, VKB_HANDLE_OPAQUE_FD, false},
    {CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, VKB_HANDLE_SYNC_FD, false},
    {CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR, VKB_HANDLE_WIN32, false},
    {CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR, VKB_HANDLE_WIN32_KMT, false},
    {OCL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME, VKB_HANDLE_WIN32_NAME, false},
};

uint32_t ocl_handle_kind(cl_uint type)
{
    for (size_t i = 0; i < ARRAY_LENGTH(handles); i++) {
        if (handles[i].type == type)
            return handles[i].kind;
    }
    return 0;
}

static bool is_handle(cl_properties name, bool memory)
{
    for (size_t i = 0; i < ARRAY_LENGTH(handles); i++) {
        if (handles[i].type == name && handles[i].memory == memory)
            return true;
    }
    return false;
}

static bool is_memory_handle(cl_properties name)
{
    return is_handle(name, true);
}

bool ocl_is_semaphore_handle(cl_properties name)
{
    return is_handle(name, false);
}

static cl_int out_handles(const struct ocl_out *out, uint32_t kinds, bool memory)
{
    cl_uint list[ARRAY_LENGTH(handles)];
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(handles); i++) {
        if (handles[i].memory == memory && kinds & handles[i].kind)
            list[count++] = handles[i].type;
    }
    return ocl_out_bytes(out, list, count * sizeof(list[0]));
}

static cl_int out_memory_handles(const struct ocl_out *out, uint32_t kinds)
{
    return out_handles(out, kinds, true);
}

cl_int ocl_out_semaphore_handles(const struct ocl_out *out, uint32_t kinds)
{
    return out_handles(out, kinds, false);
}

cl_int ocl_external_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    const struct vkb_caps *caps = device->caps;
    switch (name) {
    case CL_DEVICE_SEMAPHORE_TYPES_KHR:
        return OCL_OUT(out, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
        return ocl_out_semaphore_handles(out, caps->semaphore_imports);
    case CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
        return ocl_out_semaphore_handles(out, caps->semaphore_exports);
    case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
        return out_memory_handles(out, ocl_device_memory_handles(device));
    case OCL_DEVICE_EXTERNAL_MEMORY_ASSUME_LINEAR_HANDLES: /* of others where they give a pitch */
        return out_memory_handles(out, (ocl_device_memory_handles(device) & VKB_HANDLE_DMA_BUF) | caps->image_imports);
    default:
        return CL_INVALID_VALUE;
    }
}

/* What all devices have. */
cl_int ocl_external_platform_info(cl_platform_info name, const struct ocl_out *out)
{
    ocl_platform_find_devices();
    uint32_t all = ocl_platform.num_devices ? UINT32_MAX : 0, memory = all, imports = all, exports = all;
    for (cl_uint i = 0; i < ocl_platform.num_devices; i++) {
        const struct vkb_caps *caps = ocl_platform.devices[i]->caps;
        memory &= ocl_device_memory_handles(ocl_platform.devices[i]);
        imports &= caps->semaphore_imports;
        exports &= caps->semaphore_exports;
    }
    switch (name) {
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR:
        return OCL_OUT(out, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
        return ocl_out_semaphore_handles(out, imports);
    case CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
        return ocl_out_semaphore_handles(out, exports);
    case CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
        return out_memory_handles(out, memory);
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- properties ---- */

cl_int ocl_read_device_list(const char *function, cl_context context, const cl_properties **at, uint64_t *devices)
{
    const cl_properties *p = *at;
    for (; *p; p++) {
        int index = ocl_context_device_index(context, (cl_device_id)(uintptr_t)*p);
        if (index < 0 || index > 63)
            return ocl_fail(context, function, CL_INVALID_DEVICE, "the list has what is no device of the context");
        *devices |= UINT64_C(1) << index;
    }
    *at = p + 1;
    return CL_SUCCESS;
}

/* Every device that is to import must be able to. */
static cl_int check_importers(const char *function, cl_context context, bool image, struct ocl_mem_properties *read,
                              bool has_list)
{
    if (!read->kind && (has_list || read->layout.given))
        return ocl_fail(context, function, CL_INVALID_PROPERTY, "%s without an external memory handle",
                        has_list ? "a list of devices" : "a layout");
    if (!read->kind)
        return CL_SUCCESS;
    if (!has_list)
        read->devices = context->num_devices < 64 ? (UINT64_C(1) << context->num_devices) - 1 : UINT64_MAX;
    if (read->layout.given &&
        (!image || read->kind != VKB_HANDLE_DMA_BUF || !ocl_dma_buf_is_whole((int)read->handle, &read->layout)))
        return ocl_fail(context, function, CL_INVALID_PROPERTY,
                        "a layout goes with an image of one dma_buf, and each plane but the first has a pitch");
    read->may_copy = read->kind == VKB_HANDLE_DMA_BUF;
    if (!read->devices)
        return ocl_fail(context, function, CL_INVALID_DEVICE, "the list of devices is empty");
    for (cl_uint i = 0; i < context->num_devices && i < 64; i++) {
        const struct vkb_caps *caps = context->devices[i]->caps;
        bool copies = read->kind & ocl_device_memory_handles(context->devices[i]) & VKB_HANDLE_DMA_BUF;
        if (read->devices >> i & 1 && !copies && !(read->kind & (image ? caps->image_imports : caps->memory_imports)))
            return ocl_fail(context, function, CL_INVALID_DEVICE, "device %u cannot import memory of this kind", i);
    }
    return CL_SUCCESS;
}

cl_int ocl_mem_read_properties(const char *function, cl_context context, const cl_mem_properties *properties,
                               bool image, struct ocl_mem_properties *read)
{
    const cl_mem_properties *at = properties;
    bool seen_address = false, has_list = false;
    *read = (struct ocl_mem_properties){0};
    while (at && *at) {
        cl_mem_properties name = at[0], value = at[1];
        bool repeated = false, known = true, none = false;
        if (name == OCL_MEM_DEVICE_HANDLE_LIST) {
            repeated = has_list;
            has_list = true;
            at++;
            cl_int error = repeated ? CL_SUCCESS : ocl_read_device_list(function, context, &at, &read->devices);
            if (error != CL_SUCCESS)
                return error;
        } else if (is_memory_handle(name)) {
            repeated = read->kind;
            read->kind = ocl_handle_kind((cl_uint)name);
            read->handle = (intptr_t)value;
            none = value > INT32_MAX && vkb_handle_is_taken((enum vkb_handle)read->kind);
            at += 2;
        } else if (ocl_is_dma_buf_layout(name)) {
            known = ocl_dma_buf_read_property(name, value, &read->layout);
            at += 2;
        } else {
            repeated = seen_address;
            seen_address = true;
            known = !image && name == OCL_MEM_DEVICE_PRIVATE_ADDRESS && value <= CL_TRUE;
            read->has_address = value;
            at += 2;
        }
        if (repeated || !known)
            return ocl_fail(context, function, CL_INVALID_PROPERTY, "unknown or repeated property 0x%llx, or its value",
                            (unsigned long long)name);
        /* The conformance suite's code for it (test_consistency_external_buffer). */
        if (none)
            return ocl_fail(context, function, CL_INVALID_VALUE, "%lld is no file descriptor", (long long)value);
    }
    if (properties)
        read->count = (size_t)(at - properties) + 1;
    return check_importers(function, context, image, read, has_list);
}

cl_int ocl_mem_check_external(const char *function, cl_context context, const struct ocl_mem_properties *read,
                              cl_mem_flags flags, const void *host_ptr)
{
    if (read->kind && flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        return ocl_fail(context, function, CL_INVALID_VALUE, "memory from a handle is no host memory");
    if (read->kind && host_ptr)
        return ocl_fail(context, function, CL_INVALID_HOST_PTR, "memory from a handle takes no host_ptr");
    return CL_SUCCESS;
}

void ocl_mem_took_handle(const struct ocl_mem_properties *read)
{
    if (read->kind && vkb_handle_is_taken((enum vkb_handle)read->kind))
        platform_handle_close(read->handle);
}
