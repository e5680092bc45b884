/* What is special about single calls. gen_checked.py finds the functions here by their names:
 *
 *   checked_before_NAME(call, args)          before the call; args are what it then gets
 *   checked_after_NAME(call, args, result)   after it, also where it failed
 *   checked_does_NAME(call, args)            NAME enqueued call->command: which memory it uses, what it waits for
 */
#include "checked_args.h"

#include "src/checked/callbacks.h"
#include "src/checked/model.h"
#include "src/object/kernel.h"
#include "src/object/memory.h"
#include "src/object/pointer.h"

#include <inttypes.h>
#include <string.h>

/* ---- life ---- */

void checked_before_clCreateKernelsInProgram(struct checked_call *call, struct clCreateKernelsInProgram_args *a)
{
    if (!a->num_kernels_ret)
        a->num_kernels_ret = &call->count;
}

void checked_after_clCreateKernelsInProgram(struct checked_call *call, struct clCreateKernelsInProgram_args *a,
                                            cl_int error)
{
    for (cl_uint i = 0; error == CL_SUCCESS && a->kernels && i < *a->num_kernels_ret; i++)
        checked_created(call, CHECKED_KERNEL, a->kernels[i], 0);
}

static void created_pointer(struct checked_call *call, const void *pointer, size_t size)
{
    if (pointer)
        checked_created(call, CHECKED_POINTER, pointer, size);
}

void checked_after_clSVMAlloc(struct checked_call *call, struct clSVMAlloc_args *a, void *pointer)
{
    created_pointer(call, pointer, a->size);
}

void checked_after_clSVMAllocWithPropertiesKHR(struct checked_call *call, struct clSVMAllocWithPropertiesKHR_args *a,
                                               void *pointer)
{
    created_pointer(call, pointer, a->size);
}

void checked_after_clHostMemAllocINTEL(struct checked_call *call, struct clHostMemAllocINTEL_args *a, void *pointer)
{
    created_pointer(call, pointer, a->size);
}

void checked_after_clDeviceMemAllocINTEL(struct checked_call *call, struct clDeviceMemAllocINTEL_args *a, void *pointer)
{
    created_pointer(call, pointer, a->size);
}

void checked_after_clSharedMemAllocINTEL(struct checked_call *call, struct clSharedMemAllocINTEL_args *a, void *pointer)
{
    created_pointer(call, pointer, a->size);
}

static void frees_pointer(struct checked_call *call, const void *pointer)
{
    checked_handle(call, CHECKED_POINTER, pointer);
    checked_releases(call, CHECKED_POINTER, pointer);
}

void checked_before_clSVMFree(struct checked_call *call, struct clSVMFree_args *a)
{
    frees_pointer(call, a->svm_pointer);
}

void checked_before_clSVMFreeWithPropertiesKHR(struct checked_call *call, struct clSVMFreeWithPropertiesKHR_args *a)
{
    frees_pointer(call, a->ptr);
}

void checked_before_clMemFreeINTEL(struct checked_call *call, struct clMemFreeINTEL_args *a)
{
    frees_pointer(call, a->ptr);
}

/* It waits for the commands that use the memory. */
void checked_before_clMemBlockingFreeINTEL(struct checked_call *call, struct clMemBlockingFreeINTEL_args *a)
{
    checked_handle(call, CHECKED_POINTER, a->ptr);
    checked_gone(call, a->ptr);
}

/* ---- callbacks ---- */

#define WRAP(call, type, a, member)                                                                                    \
    ((a)->member = (void *)checked_wrap((call)->function, (type), (checked_function)(a)->member, &(a)->user_data))

void checked_before_clSetEventCallback(struct checked_call *call, struct clSetEventCallback_args *a)
{
    WRAP(call, CHECKED_EVENT_CALLBACK, a, pfn_notify);
    checked_lock();
    struct checked_object *object = checked_find(a->event);
    if (object && object->kind == CHECKED_EVENT && !call->off)
        checked_follow(object->command);
    checked_unlock();
}

/* What was wrapped for a call that failed is nobody's. */
void checked_after_clSetEventCallback(struct checked_call *call, struct clSetEventCallback_args *a, cl_int error)
{
    (void)call;
    if (error != CL_SUCCESS && a->pfn_notify)
        checked_unwrap(a->user_data);
}

void checked_before_clSetMemObjectDestructorCallback(struct checked_call *call,
                                                     struct clSetMemObjectDestructorCallback_args *a)
{
    WRAP(call, CHECKED_HANDLE_CALLBACK, a, pfn_notify);
}

void checked_after_clSetMemObjectDestructorCallback(struct checked_call *call,
                                                    struct clSetMemObjectDestructorCallback_args *a, cl_int error)
{
    (void)call;
    if (error != CL_SUCCESS && a->pfn_notify)
        checked_unwrap(a->user_data);
}

void checked_before_clSetContextDestructorCallback(struct checked_call *call,
                                                   struct clSetContextDestructorCallback_args *a)
{
    WRAP(call, CHECKED_HANDLE_CALLBACK, a, pfn_notify);
}

void checked_after_clSetContextDestructorCallback(struct checked_call *call,
                                                  struct clSetContextDestructorCallback_args *a, cl_int error)
{
    (void)call;
    if (error != CL_SUCCESS && a->pfn_notify)
        checked_unwrap(a->user_data);
}

void checked_before_clEnqueueSVMFree(struct checked_call *call, struct clEnqueueSVMFree_args *a)
{
    WRAP(call, CHECKED_SVM_CALLBACK, a, pfn_free_func);
}

void checked_after_clEnqueueSVMFree(struct checked_call *call, struct clEnqueueSVMFree_args *a, cl_int error)
{
    if (error != CL_SUCCESS && a->pfn_free_func)
        checked_unwrap(a->user_data);
    for (cl_uint i = 0; error == CL_SUCCESS && !a->pfn_free_func && a->svm_pointers && i < a->num_svm_pointers; i++)
        checked_gone(call, a->svm_pointers[i]);
}

/* A build that is told of its end returns at once; others wait. */
void checked_before_clBuildProgram(struct checked_call *call, struct clBuildProgram_args *a)
{
    if (!a->pfn_notify)
        checked_not_in_callbacks(call, "builds a program, and waits for that,");
    WRAP(call, CHECKED_HANDLE_CALLBACK, a, pfn_notify);
}

void checked_before_clCompileProgram(struct checked_call *call, struct clCompileProgram_args *a)
{
    if (!a->pfn_notify)
        checked_not_in_callbacks(call, "compiles a program, and waits for that,");
    WRAP(call, CHECKED_HANDLE_CALLBACK, a, pfn_notify);
}

void checked_before_clLinkProgram(struct checked_call *call, struct clLinkProgram_args *a)
{
    if (!a->pfn_notify)
        checked_not_in_callbacks(call, "links a program, and waits for that,");
    WRAP(call, CHECKED_HANDLE_CALLBACK, a, pfn_notify);
}

/* ---- waits ---- */

void checked_after_clFinish(struct checked_call *call, struct clFinish_args *a, cl_int error)
{
    checked_lock();
    if (error != CL_INVALID_COMMAND_QUEUE && !call->off)
        checked_saw_queue(a->queue, call->serial);
    checked_unlock();
}

static void saw_event(struct checked_call *call, const void *event)
{
    checked_lock();
    struct checked_object *object = call->off ? NULL : checked_find(event);
    if (object && object->kind == CHECKED_EVENT)
        checked_saw(object->command);
    checked_unlock();
}

void checked_after_clWaitForEvents(struct checked_call *call, struct clWaitForEvents_args *a, cl_int error)
{
    bool waited = error == CL_SUCCESS || error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for (cl_uint i = 0; waited && i < a->num_events; i++)
        saw_event(call, a->event_list[i]);
}

void checked_after_clGetEventInfo(struct checked_call *call, struct clGetEventInfo_args *a, cl_int error)
{
    cl_int status;
    if (error != CL_SUCCESS || a->param_name != CL_EVENT_COMMAND_EXECUTION_STATUS || !a->param_value)
        return;
    memcpy(&status, a->param_value, sizeof(status));
    if (status <= CL_COMPLETE)
        saw_event(call, a->event);
}

/* There are times of a command that is complete only. */
void checked_after_clGetEventProfilingInfo(struct checked_call *call, struct clGetEventProfilingInfo_args *a,
                                           cl_int error)
{
    if (error == CL_SUCCESS)
        saw_event(call, a->event);
}

void checked_after_clCreateUserEvent(struct checked_call *call, struct clCreateUserEvent_args *a, cl_event event)
{
    (void)a;
    checked_lock();
    struct checked_object *object = call->off ? NULL : checked_find(event);
    if (object && !object->command)
        object->command = checked_user_command(call);
    checked_unlock();
}

/* Before it is set: what it held back runs from then on. */
void checked_before_clSetUserEventStatus(struct checked_call *call, struct clSetUserEventStatus_args *a)
{
    checked_lock();
    struct checked_object *object = call->off ? NULL : checked_find(a->event);
    if (object && object->kind == CHECKED_EVENT)
        checked_set_user(object->command);
    checked_unlock();
}

/* ---- kernels ---- */

static const char *argument_kind(const struct clc_arg_info *info)
{
    static const char *const names[] = {
        [CLC_ARG_GLOBAL] = "a buffer",    [CLC_ARG_CONSTANT] = "a buffer", [CLC_ARG_IMAGE] = "an image",
        [CLC_ARG_SAMPLER] = "a sampler",  [CLC_ARG_QUEUE] = "a queue",     [CLC_ARG_PIPE] = "a pipe",
        [CLC_ARG_LOCAL] = "local memory", [CLC_ARG_VALUE] = "a value",
    };
    return names[info->kind];
}

void checked_after_clSetKernelArg(struct checked_call *call, struct clSetKernelArg_args *a, cl_int error)
{
    if (error == CL_SUCCESS || call->off || !check_on(CHECK_HOST) || !ocl_is(a->kernel, OCL_KERNEL))
        return;
    const struct clc_kernel_info *info = a->kernel->info;
    checked_lock();
    const struct checked_object *object = checked_find(a->kernel);
    if (a->arg_index >= info->num_args)
        checked_report(call, CHECK_KIND_ARGUMENT, object, info->name, NULL, NULL,
                       "call %" PRIu64 " sets argument %u of kernel '%s', which has %u", call->number, a->arg_index,
                       info->name, info->num_args);
    else
        checked_report(call, CHECK_KIND_ARGUMENT, object, info->name, NULL, NULL,
                       "call %" PRIu64
                       " sets argument %u of kernel '%s' with %zu bytes%s, but it is %s of %u bytes (%s)",
                       call->number, a->arg_index, info->name, a->arg_size, a->arg_value ? "" : " of NULL",
                       argument_kind(&info->args[a->arg_index]), info->args[a->arg_index].size, ocl_error_name(error));
    checked_unlock();
}

void checked_before_clSetKernelArgSVMPointer(struct checked_call *call, struct clSetKernelArgSVMPointer_args *a)
{
    checked_handle(call, CHECKED_POINTER, a->arg_value);
}

void checked_before_clSetKernelArgMemPointerINTEL(struct checked_call *call,
                                                  struct clSetKernelArgMemPointerINTEL_args *a)
{
    checked_handle(call, CHECKED_POINTER, a->arg_value);
}

/* The address may be another allocation's by now: that of a buffer with an address, for example. */
static bool is_memory(cl_kernel kernel, uint64_t address)
{
    struct ocl_place place;
    if (!ocl_pointer_find(kernel->program->context, address, 0, &place))
        return false;
    if (place.buffer)
        vkb_buffer_release(place.buffer);
    return true;
}

/* Arguments that were never set, and memory that was released since it was set: a kernel keeps none. */
void checked_arguments(struct checked_call *call, cl_kernel kernel, bool may_lack, bool keeps)
{
    if (!check_on(CHECK_HOST))
        return;
    for (uint32_t i = 0; i < kernel->info->num_args; i++) {
        const struct ocl_arg *arg = &kernel->args[i];
        const struct checked_object *object = arg->mem && !keeps ? checked_find(arg->mem) : NULL;
        const char *name = kernel->info->args[i].name;
        if (!arg->set && !may_lack)
            checked_report(call, CHECK_KIND_ARGUMENT, checked_find(kernel), kernel->info->name, NULL, NULL,
                           "call %" PRIu64 " launches kernel '%s', whose argument %u%s%s was never set", call->number,
                           kernel->info->name, i, name && *name ? ", " : "", name ? name : "");
        if (arg->set && arg->is_pointer && !is_memory(kernel, arg->pointer))
            object = checked_find_memory((const void *)(uintptr_t)arg->pointer);
        if (object && checked_is_gone(object))
            checked_report(call, CHECK_KIND_RELEASED, object, kernel->info->name, object->released_at, "released here",
                           "call %" PRIu64 " launches kernel '%s', whose argument %u is %s after its last release",
                           call->number, kernel->info->name, i, checked_a_kind(object));
    }
}

static void check_arguments(struct checked_call *call, cl_kernel kernel)
{
    if (call->off || !ocl_is(kernel, OCL_KERNEL))
        return;
    checked_lock();
    checked_arguments(call, kernel, false, false);
    checked_unlock();
}

void checked_before_clEnqueueNDRangeKernel(struct checked_call *call, struct clEnqueueNDRangeKernel_args *a)
{
    check_arguments(call, a->kernel);
}

void checked_before_clEnqueueTask(struct checked_call *call, struct clEnqueueTask_args *a)
{
    check_arguments(call, a->kernel);
}
