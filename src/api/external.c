/* Entry points of cl_khr_external_memory 1.0.1: memory from a file descriptor is taken over from the other APIs and
 * processes that share it, and given back. */
#include "src/api/functions.h"
#include "src/command/external_turn.h"
#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/queue.h"

static cl_int check_objects(const struct ocl_call *call, cl_uint count, const cl_mem *mems)
{
    const char *function = call->function;
    if (!ocl_is(call->queue, OCL_QUEUE))
        return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = call->queue->context;
    if (!count != !mems)
        return ocl_fail(context, function, CL_INVALID_VALUE, "%u objects, and a list that is%s NULL", count,
                        mems ? " not" : "");
    for (cl_uint i = 0; i < count; i++) {
        cl_mem mem = mems[i];
        if (!ocl_is(mem, OCL_MEM) || !ocl_mem_is_imported(mem) || mem->va)
            return ocl_fail(context, function, CL_INVALID_MEM_OBJECT, "mem_objects[%u] is not from a handle", i);
        int index = ocl_context_device_index(mem->context, call->queue->device);
        if (index < 0 || (!mem->foreign && !(ocl_mem_root(mem)->imports >> index & 1)))
            return ocl_fail(context, function, CL_INVALID_COMMAND_QUEUE,
                            "mem_objects[%u] was not imported by the queue's device", i);
        if (mem->context != context)
            return ocl_fail(context, function, CL_INVALID_CONTEXT, "mem_objects[%u] is of another context", i);
    }
    return ocl_check_waits_ended_well(function, context, call->num_waits, call->waits);
}

static cl_int hand_over_all(const struct ocl_call *call, cl_uint count, const cl_mem *mems, bool acquire)
{
    struct ocl_command command;
    cl_int error = check_objects(call, count, mems);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, call);
    return error == CL_SUCCESS ? ocl_external_turn(&command, count, mems, acquire, false) : error;
}

CL_API_ENTRY cl_int CL_API_CALL ocl_enqueue_acquire_external(cl_command_queue queue, cl_uint num_mem_objects,
                                                             const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                             const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, false);
    call.function = "clEnqueueAcquireExternalMemObjectsKHR";
    return hand_over_all(&call, num_mem_objects, mem_objects, true);
}

CL_API_ENTRY cl_int CL_API_CALL ocl_enqueue_release_external(cl_command_queue queue, cl_uint num_mem_objects,
                                                             const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                             const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, false);
    call.function = "clEnqueueReleaseExternalMemObjectsKHR";
    return hand_over_all(&call, num_mem_objects, mem_objects, false);
}
