/* Entry points of cl_intel_va_api_media_sharing: images made from planes of VA-API's surfaces, and their change of hands.
 * The system's header of the extension wants libva's, so all is declared here. */
#include "src/api/functions.h"
#include "src/api/memory.h"
#include "src/command/va_turn.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/queue.h"
#include "src/object/va_memory.h"

#include "base/util.h"

#include <string.h>

/* ---- devices ---- */

static cl_uint list_devices(cl_device_id *devices, cl_uint room)
{
    cl_uint count = 0;
    ocl_platform_find_devices();
    for (cl_uint i = 0; i < ocl_platform.num_devices && count < room; i++) {
        if (ocl_device_shares_va(ocl_platform.devices[i]))
            devices[count++] = ocl_platform.devices[i];
    }
    return count;
}

/* The device that the display works on where it tells, else the first. */
static cl_device_id preferred(struct ocl_va *va, const cl_device_id *devices, cl_uint count)
{
    uint32_t vendor, number;
    bool known = ocl_va_pci_id(va, &vendor, &number);
    for (cl_uint i = 0; i < count && known; i++) {
        if (devices[i]->caps->vendor_id == vendor && devices[i]->caps->device_id == number)
            return devices[i];
    }
    return devices[0];
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDsFromVA_APIMediaAdapterINTEL(cl_platform_id platform, cl_uint source,
                                                                          void *adapter, cl_uint set,
                                                                          cl_uint num_entries, cl_device_id *devices,
                                                                          cl_uint *num_devices);
CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDsFromVA_APIMediaAdapterINTEL(cl_platform_id platform, cl_uint source,
                                                                          void *adapter, cl_uint set,
                                                                          cl_uint num_entries, cl_device_id *devices,
                                                                          cl_uint *num_devices)
{
    FLOAT_ENV_DEFAULT();
    cl_device_id all[64];
    struct ocl_va *va;
    if (!ocl_is(platform, OCL_PLATFORM))
        return ocl_error(NULL, CL_INVALID_PLATFORM, "not a platform of Pumice");
    if (source != OCL_VA_API_DISPLAY || (set != OCL_PREFERRED_DEVICES_FOR_VA_API && set != OCL_ALL_DEVICES_FOR_VA_API))
        return ocl_error(NULL, CL_INVALID_VALUE, "source 0x%x, set 0x%x", source, set);
    if ((devices && !num_entries) || (!devices && !num_devices))
        return ocl_error(NULL, CL_INVALID_VALUE, "nowhere to answer, or room for no device");
    cl_int error = ocl_va_open(__func__, adapter, &va);
    if (error != CL_SUCCESS)
        return error;
    cl_uint count = list_devices(all, 64);
    if (count && set == OCL_PREFERRED_DEVICES_FOR_VA_API) {
        all[0] = preferred(va, all, count);
        count = 1;
    }
    ocl_va_release(va);
    if (!count)
        return ocl_error(NULL, CL_DEVICE_NOT_FOUND, "no device has images");
    for (cl_uint i = 0; devices && i < count && i < num_entries; i++)
        devices[i] = all[i];
    if (num_devices)
        *num_devices = count;
    return CL_SUCCESS;
}

/* ---- images ---- */

static cl_int check_context(const char *function, cl_context context)
{
    cl_int error = ocl_context_check(function, context);
    if (error == CL_SUCCESS && !context->va)
        return ocl_fail(context, function, CL_INVALID_CONTEXT, "the context was not created for sharing with VA-API");
    return error;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromVA_APIMediaSurfaceINTEL(cl_context context, cl_mem_flags flags,
                                                                    cl_uint *surface, cl_uint plane,
                                                                    cl_int *errcode_ret);
CL_API_ENTRY cl_mem CL_API_CALL clCreateFromVA_APIMediaSurfaceINTEL(cl_context context, cl_mem_flags flags,
                                                                    cl_uint *surface, cl_uint plane,
                                                                    cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    cl_mem mem = NULL;
    cl_int error = check_context(__func__, context);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_access(__func__, context, &flags);
    if (error == CL_SUCCESS && !surface)
        error = ocl_error(context, OCL_INVALID_VA_API_SURFACE, "surface is NULL");
    if (error == CL_SUCCESS)
        error = ocl_mem_create_va(__func__, context, flags, *surface, plane, &mem);
    if (errcode_ret)
        *errcode_ret = error;
    return error == CL_SUCCESS ? mem : NULL;
}

/* ---- changes of hands ---- */

static cl_int check_turn(const struct ocl_call *call, cl_uint count, const cl_mem *mems)
{
    const char *function = call->function;
    if (!ocl_is(call->queue, OCL_QUEUE))
        return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = call->queue->context;
    if (!count != !mems)
        return ocl_fail(context, function, CL_INVALID_VALUE, "%u objects, and a list that is%s NULL", count,
                        mems ? " not" : "");
    if (!context->va)
        return ocl_fail(context, function, CL_INVALID_CONTEXT, "the context was not created for sharing with VA-API");
    for (cl_uint i = 0; i < count; i++) {
        if (!ocl_is(mems[i], OCL_MEM) || mems[i]->context != context || !mems[i]->va)
            return ocl_fail(context, function, CL_INVALID_MEM_OBJECT, "mem_objects[%u] is no surface of the context",
                            i);
    }
    return ocl_check_waits(function, context, call->num_waits, call->waits);
}

/* Marks the first objects of the list as being OpenCL's or not. */
static void mark(cl_uint count, const cl_mem *mems, bool acquired)
{
    for (cl_uint i = 0; i < count; i++)
        atomic_store(&mems[i]->va->acquired, acquired);
}

/* Objects may be given twice, and by two threads: each is marked by itself, and what has been is taken back. */
static cl_int change_marks(const struct ocl_call *call, cl_uint count, const cl_mem *mems, bool acquire)
{
    for (cl_uint i = 0; i < count; i++) {
        if (atomic_exchange(&mems[i]->va->acquired, acquire) != acquire)
            continue;
        mark(i, mems, !acquire);
        return ocl_fail(call->queue->context, call->function,
                        acquire ? OCL_VA_API_ALREADY_ACQUIRED : OCL_VA_API_NOT_ACQUIRED, "mem_objects[%u] is %s", i,
                        acquire ? "OpenCL's already" : "not OpenCL's");
    }
    return CL_SUCCESS;
}

static cl_int take_turn(const struct ocl_call *call, cl_uint count, const cl_mem *mems, bool acquire)
{
    struct ocl_command command;
    cl_int error = check_turn(call, count, mems);
    if (error == CL_SUCCESS)
        error = change_marks(call, count, mems, acquire);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_command_begin(&command, call);
    if (error == CL_SUCCESS)
        error = ocl_va_turn(&command, count, mems, acquire);
    if (error != CL_SUCCESS)
        mark(count, mems, !acquire);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireVA_APIMediaSurfacesINTEL(cl_command_queue queue, cl_uint num_objects,
                                                                         const cl_mem *mem_objects,
                                                                         cl_uint num_events_in_wait_list,
                                                                         const cl_event *event_wait_list,
                                                                         cl_event *event);
CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireVA_APIMediaSurfacesINTEL(cl_command_queue queue, cl_uint num_objects,
                                                                         const cl_mem *mem_objects,
                                                                         cl_uint num_events_in_wait_list,
                                                                         const cl_event *event_wait_list,
                                                                         cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(OCL_COMMAND_ACQUIRE_VA_API_SURFACE, false);
    return take_turn(&call, num_objects, mem_objects, true);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseVA_APIMediaSurfacesINTEL(cl_command_queue queue, cl_uint num_objects,
                                                                         const cl_mem *mem_objects,
                                                                         cl_uint num_events_in_wait_list,
                                                                         const cl_event *event_wait_list,
                                                                         cl_event *event);
CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseVA_APIMediaSurfacesINTEL(cl_command_queue queue, cl_uint num_objects,
                                                                         const cl_mem *mem_objects,
                                                                         cl_uint num_events_in_wait_list,
                                                                         const cl_event *event_wait_list,
                                                                         cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(OCL_COMMAND_RELEASE_VA_API_SURFACE, false);
    return take_turn(&call, num_objects, mem_objects, false);
}

void *ocl_va_function(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"clGetDeviceIDsFromVA_APIMediaAdapterINTEL", (void *)clGetDeviceIDsFromVA_APIMediaAdapterINTEL},
        {"clCreateFromVA_APIMediaSurfaceINTEL", (void *)clCreateFromVA_APIMediaSurfaceINTEL},
        {"clEnqueueAcquireVA_APIMediaSurfacesINTEL", (void *)clEnqueueAcquireVA_APIMediaSurfacesINTEL},
        {"clEnqueueReleaseVA_APIMediaSurfacesINTEL", (void *)clEnqueueReleaseVA_APIMediaSurfacesINTEL},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
        if (!strcmp(functions[i].name, name))
            return functions[i].address;
    }
    return NULL;
}
