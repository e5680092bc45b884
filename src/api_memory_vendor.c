/* Entry points by which vendors' programs know what OpenCL has by other names: cl_ext_migrate_memobject,
 * cl_intel_create_buffer_with_properties, and cl_arm_import_memory for memory of the host. */
#include "src/memory_vendor.h"

#include "src/command.h"
#include "src/context.h"
#include "src/memory.h"

#include "base/util.h"

#include <string.h>

static CL_API_ENTRY cl_int CL_API_CALL migrate_ext(cl_command_queue queue, cl_uint num_mem_objects,
                                                   const cl_mem *mem_objects, cl_bitfield flags,
                                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                   cl_event *event)
{
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
    return ocl_create_buffer("clCreateBufferWithPropertiesINTEL", context, properties, flags, size, host_ptr,
                             errcode_ret);
}

/* cl_arm_import_memory 1.11: the buffer is the host's pages themselves, or it is none. Dma_bufs go by
 * cl_khr_external_memory_dma_buf, which has the transfers of ownership that they need. */
static CL_API_ENTRY cl_mem CL_API_CALL import_arm(cl_context context, cl_mem_flags flags, const intptr_t *properties,
                                                  void *memory, size_t size, cl_int *errcode_ret)
{
    const char *function = "clImportMemoryARM";
    const cl_mem_flags allowed = OCL_DEVICE_ACCESS | OCL_HOST_ACCESS;
    cl_int error = CL_SUCCESS;
    cl_mem mem = NULL;
    bool seen = false;
    if (!ocl_is(context, OCL_CONTEXT)) {
        error = ocl_fail(NULL, function, CL_INVALID_CONTEXT, "not a context");
    } else {
        error = ocl_mem_check_flags(function, context, flags, allowed);
        for (const intptr_t *at = properties; at && at[0] && error == CL_SUCCESS; at += 2) {
            if (at[0] != CL_IMPORT_TYPE_ARM || at[1] != CL_IMPORT_TYPE_HOST_ARM || seen)
                error = ocl_fail(context, function, CL_INVALID_PROPERTY, "unknown or repeated property 0x%lx",
                                 (unsigned long)at[0]);
            seen = true;
        }
        if (error == CL_SUCCESS && !memory)
            error = ocl_fail(context, function, CL_INVALID_VALUE, "memory is NULL");
        if (error == CL_SUCCESS)
            mem = ocl_create_buffer(function, context, NULL, flags | CL_MEM_USE_HOST_PTR, size, memory, &error);
        if (mem && !mem->storage[0].zero_copy) {
            ocl_mem_release(mem);
            mem = NULL;
            error = ocl_fail(context, function, CL_INVALID_OPERATION, "the device cannot use these pages in place");
        }
    }
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
