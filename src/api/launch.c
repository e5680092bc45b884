/* Entry points of OpenCL 3.0 API, 5.10 (executing kernels). */
#include "src/api/interop.h"
#include "src/command/command.h"
#include "src/command/native.h"
#include "src/device/object.h"
#include "src/launch/launch.h"
#include "src/object/kernel.h"
#include "src/object/memory.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <string.h>

static cl_int enqueue(const struct ocl_range_args *r, const struct ocl_call *call)
{
    struct ocl_range range;
    cl_int error = ocl_range_check(r, false, &range);
    if (error == CL_SUCCESS)
        error = ocl_check_waits(call->function, call->queue->context, call->num_waits, call->waits);
    if (error != CL_SUCCESS)
        return error;
    struct ocl_command command;
    error = ocl_command_begin(&command, call);
    return error == CL_SUCCESS ? ocl_launch(&command, r->kernel, &range) : error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                                       const size_t *global_work_offset, const size_t *global_work_size,
                                                       const size_t *local_work_size, cl_uint num_events_in_wait_list,
                                                       const cl_event *event_wait_list, cl_event *event)
{
    struct ocl_range_args r = {__func__,         queue,          kernel, work_dim, global_work_offset,
                               global_work_size, local_work_size};
    const struct ocl_call call = OCL_CALL(CL_COMMAND_NDRANGE_KERNEL, false);
    return enqueue(&r, &call);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint num_events_in_wait_list,
                                              const cl_event *event_wait_list, cl_event *event)
{
    const size_t one = 1;
    struct ocl_range_args r = {__func__, queue, kernel, 1, NULL, &one, &one};
    const struct ocl_call call = OCL_CALL(CL_COMMAND_TASK, false);
    return enqueue(&r, &call);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *user_func)(void *),
                                                      void *args, size_t cb_args, cl_uint num_mem_objects,
                                                      const cl_mem *mem_list, const void **args_mem_loc,
                                                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                                      cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(queue, OCL_QUEUE))
        return ocl_error(NULL, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = queue->context;
    if (!user_func || (!args && (cb_args || num_mem_objects)) || (args && !cb_args) ||
        (num_mem_objects && (!mem_list || !args_mem_loc)) || (!num_mem_objects && (mem_list || args_mem_loc)))
        return ocl_error(context, CL_INVALID_VALUE, "function, arguments and memory objects contradict each other");
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        uintptr_t start = (uintptr_t)args, place = (uintptr_t)args_mem_loc[i];
        if (mem_list[i] && (!ocl_is_buffer(mem_list[i]) || mem_list[i]->context != context))
            return ocl_error(context, CL_INVALID_MEM_OBJECT, "mem_list[%u] is no buffer of the context", i);
        if (cb_args < sizeof(void *) || place < start || place - start > cb_args - sizeof(void *))
            return ocl_error(context, CL_INVALID_VALUE, "args_mem_loc[%u] lies outside of args", i);
    }
    cl_int error = ocl_check_waits(__func__, context, num_events_in_wait_list, event_wait_list);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_native_args native = {user_func, args, cb_args, num_mem_objects, mem_list, args_mem_loc};
    const struct ocl_call call = OCL_CALL(CL_COMMAND_NATIVE_KERNEL, false);
    struct ocl_command command;
    error = ocl_command_begin(&command, &call);
    return error == CL_SUCCESS ? ocl_native(&command, &native) : error;
}

/* OpenCL 3.1 API, 5.10; before that cl_khr_suggested_local_work_size. */
CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSize(cl_command_queue queue, cl_kernel kernel,
                                                                  cl_uint work_dim, const size_t *global_work_offset,
                                                                  const size_t *global_work_size,
                                                                  size_t *suggested_local_work_size)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_range_args r = {__func__,         queue,           kernel, work_dim, global_work_offset,
                               global_work_size, .suggests = true};
    return ocl_range_suggest(&r, suggested_local_work_size);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel,
                                                                     cl_uint work_dim, const size_t *global_work_offset,
                                                                     const size_t *global_work_size,
                                                                     size_t *suggested_local_work_size)
{
    FLOAT_ENV_DEFAULT();
    return clGetKernelSuggestedLocalWorkSize(queue, kernel, work_dim, global_work_offset, global_work_size,
                                             suggested_local_work_size);
}
