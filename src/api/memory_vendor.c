/* Entry points by which vendors' programs know what OpenCL has by other names: cl_ext_migrate_memobject,
 * cl_intel_create_buffer_with_properties, and cl_arm_import_memory. */
#include "src/api/functions.h"
#include "src/api/memory.h"

#include "src/command/command.h"
#include "src/object/context.h"
#include "src/device/device.h"
#include "src/object/external.h"
#include "src/object/memory.h"

#include "base/util.h"

#include <string.h>

static CL_API_ENTRY cl_int CL_API_CALL migrate_ext(cl_command_queue queue, cl_uint num_mem_objects,
                                                   const cl_mem *mem_objects, cl_bitfield flags,
                                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                   cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_MIGRATE_MEM_OBJECT_EXT, false);
    call.function = "clEnqueueMigrateMemObjectEXT";
    if (flags & ~(cl_bitfield)CL_MIGRATE_MEM_OBJECT_HOST_EXT)
        return ocl_fail(NULL, call.function, CL_INVALID_VALUE, "unknown flags 0x%llx", (unsigned long long)flags);
    return ocl_mem_migrate(&call, num_mem_objects, mem_objects, flags);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer_intel(cl_context context, const cl_mem_properties *properties,
                                                           cl_mem_flags flags, size_t size, void *host_ptr,
                                                           cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    return ocl_create_buffer("clCreateBufferWithPropertiesINTEL", context, properties, flags, size, host_ptr, false,
                             errcode_ret);
}

/* ---- cl_arm_import_memory 1.11 ---- */

struct import_request {
    intptr_t type;   /* CL_IMPORT_TYPE_*_ARM */
    bool consistent; /* with the host, which need not say when it reads and writes */
};

static cl_int read_import(const char *function, cl_context context, const intptr_t *properties,
                          struct import_request *request)
{
    bool typed = false, told = false;
    *request = (struct import_request){.type = CL_IMPORT_TYPE_HOST_ARM};
    for (const intptr_t *at = properties; at && at[0]; at += 2) {
        bool type = at[0] == CL_IMPORT_TYPE_ARM && !typed &&
                    (at[1] == CL_IMPORT_TYPE_HOST_ARM || at[1] == CL_IMPORT_TYPE_DMA_BUF_ARM);
        bool consistent = at[0] == CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM && !told &&
                          (at[1] == CL_TRUE || at[1] == CL_FALSE);
        if (!type && !consistent)
            return ocl_fail(context, function, CL_INVALID_PROPERTY, "unknown or repeated property 0x%lx",
                            (unsigned long)at[0]);
        if (type)
            request->type = at[1];
        else
            request->consistent = at[1];
        typed |= type;
        told |= consistent;
    }
    if (told && request->type != CL_IMPORT_TYPE_DMA_BUF_ARM)
        return ocl_fail(context, function, CL_INVALID_PROPERTY, "consistency of what is no dma_buf");
    return CL_SUCCESS;
}

/* The buffer is the host's pages themselves, or it is none. */
static cl_mem import_host(const char *function, cl_context context, cl_mem_flags flags, void *memory, size_t size,
                          cl_int *error)
{
    cl_mem mem = ocl_create_buffer(function, context, NULL, flags | CL_MEM_USE_HOST_PTR, size, memory, true, error);
    if (!mem || mem->storage[0].zero_copy)
        return mem;
    ocl_mem_release(mem);
    *error = ocl_fail(context, function, CL_INVALID_OPERATION, "the device cannot use these pages in place");
    return NULL;
}

/* memory points to the file descriptor, which stays the application's. Nobody says when the memory changes hands, so
 * every command takes it and gives it back. */
static cl_mem import_dma_buf(const char *function, cl_context context, cl_mem_flags flags, const void *memory,
                             size_t size, bool consistent, cl_int *error)
{
    struct ocl_mem_properties read = {.kind = VKB_HANDLE_DMA_BUF};
    cl_mem mem = NULL;
    for (cl_uint i = 0; i < context->num_devices && i < 64; i++) {
        cl_device_id device = context->devices[i];
        if (!(device->caps->memory_imports & VKB_HANDLE_DMA_BUF)) {
            *error = ocl_fail(context, function, CL_INVALID_OPERATION, "%s imports no dma_bufs", device->caps->name);
            return NULL;
        }
        if (size == 0 || size > device->max_allocation) {
            *error = ocl_fail(context, function, CL_INVALID_BUFFER_SIZE, "%zu bytes", size);
            return NULL;
        }
        read.devices |= (uint64_t)1 << i;
    }
    int fd;
    memcpy(&fd, memory, sizeof(fd));
    read.handle = fd;
    if (!(flags & OCL_DEVICE_ACCESS))
        flags |= CL_MEM_READ_WRITE;
    *error = ocl_mem_create(context, flags, size, NULL, NULL, &read, &mem);
    if (*error == CL_INVALID_PROPERTY)
        *error = CL_INVALID_VALUE;
    if (*error != CL_SUCCESS) {
        ocl_fail(context, function, *error, "descriptor %d cannot be imported as a dma_buf of %zu bytes", fd, size);
        return NULL;
    }
    mem->lent = true;
    for (cl_uint i = 0; i < context->num_devices; i++) {
        vkb_buffer_lend(mem->storage[i].buffer);
        if (!consistent || vkb_buffer_map(mem->storage[i].buffer))
            continue;
        ocl_mem_release(mem);
        *error = ocl_fail(context, function, CL_INVALID_OPERATION, "the host does not see this memory");
        return NULL;
    }
    return mem;
}

static CL_API_ENTRY cl_mem CL_API_CALL import_arm(cl_context context, cl_mem_flags flags, const intptr_t *properties,
                                                  void *memory, size_t size, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const char *function = "clImportMemoryARM";
    const cl_mem_flags allowed = OCL_DEVICE_ACCESS | OCL_HOST_ACCESS;
    struct import_request request;
    cl_int error = ocl_context_check(function, context);
    cl_mem mem = NULL;
    if (error == CL_SUCCESS)
        error = ocl_mem_check_flags(function, context, flags, allowed);
    if (error == CL_SUCCESS)
        error = read_import(function, context, properties, &request);
    if (error == CL_SUCCESS && !memory)
        error = ocl_fail(context, function, CL_INVALID_VALUE, "memory is NULL");
    if (error == CL_SUCCESS && request.type == CL_IMPORT_TYPE_HOST_ARM)
        mem = import_host(function, context, flags, memory, size, &error);
    else if (error == CL_SUCCESS)
        mem = import_dma_buf(function, context, flags, memory, size, request.consistent, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return mem;
}

void *ocl_memory_vendor_function(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"clEnqueueMigrateMemObjectEXT", (void *)migrate_ext},
        {"clCreateBufferWithPropertiesINTEL", (void *)create_buffer_intel},
        {"clImportMemoryARM", (void *)import_arm},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].address;
    }
    return NULL;
}
