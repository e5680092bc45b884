/* Entry points of cl_khr_semaphore, cl_khr_external_semaphore and cl_khr_external_semaphore_sync_fd: OpenCL 3.0 API,
 * chapter Semaphores. */
#include "src/api/functions.h"
#include "src/command/command.h"
#include "src/command/semaphore.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* The system's headers may lack some of them, or have older signatures, so the entry points go by names of our own. */
#define ENTRY(type) static CL_API_ENTRY type CL_API_CALL

#define FAIL(code, ...) ocl_fail(context, function, (code), __VA_ARGS__)

/* ---- creating ---- */

struct seen {
    bool type, devices, exports;
};

static cl_int read_exports(const char *function, cl_context context, const cl_semaphore_properties_khr **at,
                           struct ocl_semaphore_request *request)
{
    const cl_semaphore_properties_khr *p = *at;
    for (; *p; p++) {
        uint32_t kind = ocl_is_semaphore_handle(*p) ? ocl_handle_kind((cl_uint)*p) : 0;
        if (!kind)
            return FAIL(CL_INVALID_PROPERTY, "0x%llx is no kind of semaphore handle", (unsigned long long)*p);
        /* cl_khr_external_semaphore: CL_INVALID_VALUE if the list has more than one type of handle. */
        if (request->exports)
            return FAIL(CL_INVALID_VALUE, "more than one kind of handle to export");
        request->exports = kind;
    }
    *at = p + 1;
    return CL_SUCCESS;
}

/* One property; moves at behind it. */
static cl_int read_property(const char *function, cl_context context, const cl_semaphore_properties_khr **at,
                            struct seen *seen, struct ocl_semaphore_request *request)
{
    cl_semaphore_properties_khr name = (*at)[0];
    bool *once = name == CL_SEMAPHORE_TYPE_KHR                  ? &seen->type
                 : name == OCL_SEMAPHORE_DEVICE_HANDLE_LIST     ? &seen->devices
                 : name == CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR ? &seen->exports
                                                                : NULL;
    if ((once && *once) || (ocl_is_semaphore_handle(name) && request->imports))
        return FAIL(CL_INVALID_PROPERTY, "property 0x%llx is repeated", (unsigned long long)name);
    if (once)
        *once = true;
    if (name == OCL_SEMAPHORE_DEVICE_HANDLE_LIST) {
        uint64_t devices = 0;
        *at += 1;
        cl_int error = ocl_read_device_list(function, context, at, &devices);
        if (error == CL_SUCCESS && (!devices || devices & (devices - 1)))
            error = FAIL(CL_INVALID_DEVICE, "a semaphore is for exactly one device");
        if (error == CL_SUCCESS)
            request->device = context->devices[__builtin_ctzll(devices)];
        return error;
    }
    if (name == CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) {
        *at += 1;
        return read_exports(function, context, at, request);
    }
    cl_semaphore_properties_khr value = (*at)[1];
    *at += 2;
    if (ocl_is_semaphore_handle(name)) {
        request->imports = ocl_handle_kind((cl_uint)name);
        bool is_fd = vkb_handle_is_taken((enum vkb_handle)request->imports);
        request->handle = is_fd ? (int)value : (intptr_t)value;
        bool signalled = request->imports == VKB_HANDLE_SYNC_FD && request->handle == -1;
        return request->handle >= 0 || signalled || !is_fd
                   ? CL_SUCCESS
                   : FAIL(CL_INVALID_PROPERTY, "%d is no file descriptor", (int)request->handle);
    }
    if (name != CL_SEMAPHORE_TYPE_KHR || value != CL_SEMAPHORE_TYPE_BINARY_KHR)
        return FAIL(CL_INVALID_PROPERTY, "unknown property 0x%llx, or value 0x%llx", (unsigned long long)name,
                    (unsigned long long)value);
    return CL_SUCCESS;
}

static cl_int read_properties(const char *function, cl_context context, const cl_semaphore_properties_khr *properties,
                              struct ocl_semaphore_request *request)
{
    const cl_semaphore_properties_khr *at = properties;
    struct seen seen = {0};
    if (!properties)
        return FAIL(CL_INVALID_VALUE, "sema_props is NULL");
    while (*at) {
        cl_int error = read_property(function, context, &at, &seen, request);
        if (error != CL_SUCCESS)
            return error;
    }
    request->properties = properties;
    request->num_properties = (size_t)(at - properties) + 1;
    /* cl_khr_semaphore: CL_INVALID_VALUE if the properties are NULL or have not the least set, which is the type. */
    if (!seen.type)
        return FAIL(CL_INVALID_VALUE, "the semaphore's type is missing");
    if (!request->device && context->num_devices > 1)
        return FAIL(CL_INVALID_PROPERTY, "the context has several devices, and the semaphore names none");
    if (!request->device)
        request->device = context->devices[0];
    /* cl_khr_external_semaphore: CL_INVALID_OPERATION if a handle is imported and handles to export are named, too. */
    if (request->imports && seen.exports)
        return FAIL(CL_INVALID_OPERATION, "an imported semaphore cannot be exported");
    const struct vkb_caps *caps = request->device->caps;
    if (request->imports & ~caps->semaphore_imports)
        return FAIL(CL_INVALID_DEVICE, "the device cannot import semaphores of this kind");
    if (request->exports & ~caps->semaphore_exports)
        return FAIL(CL_INVALID_PROPERTY, "the device cannot export semaphores of this kind");
    return CL_SUCCESS;
}

ENTRY(cl_semaphore_khr)
create_semaphore(cl_context context, const cl_semaphore_properties_khr *sema_props, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const char *function = "clCreateSemaphoreWithPropertiesKHR";
    struct ocl_semaphore_request request = {0};
    cl_semaphore_khr semaphore = NULL;
    cl_int error;
    if (!ocl_is(context, OCL_CONTEXT)) {
        context = NULL;
        error = FAIL(CL_INVALID_CONTEXT, "not a context");
    } else if (ocl_context_is_terminated(context)) {
        error = ocl_context_fail_terminated(context, function);
    } else {
        error = read_properties(function, context, sema_props, &request);
        if (error == CL_SUCCESS) {
            error = ocl_semaphore_create(context, &request, &semaphore);
            if (error != CL_SUCCESS)
                FAIL(error, "the semaphore cannot be made");
        }
    }
    if (errcode_ret)
        *errcode_ret = error;
    return semaphore;
}

ENTRY(cl_int) retain_semaphore(cl_semaphore_khr semaphore)
{
    if (!ocl_is(semaphore, OCL_SEMAPHORE))
        return ocl_fail(NULL, "clRetainSemaphoreKHR", CL_INVALID_SEMAPHORE_KHR, "not a semaphore");
    ocl_retain(&semaphore->object);
    return CL_SUCCESS;
}

ENTRY(cl_int) release_semaphore(cl_semaphore_khr semaphore)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(semaphore, OCL_SEMAPHORE))
        return ocl_fail(NULL, "clReleaseSemaphoreKHR", CL_INVALID_SEMAPHORE_KHR, "not a semaphore");
    ocl_semaphore_release(semaphore);
    return CL_SUCCESS;
}

ENTRY(cl_int)
get_semaphore_info(cl_semaphore_khr semaphore, cl_semaphore_info_khr param_name, size_t param_value_size,
                   void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_out out = {"clGetSemaphoreInfoKHR", param_value_size, param_value, param_value_size_ret};
    if (!ocl_is(semaphore, OCL_SEMAPHORE))
        return ocl_fail(NULL, out.function, CL_INVALID_SEMAPHORE_KHR, "not a semaphore");
    switch (param_name) {
    case CL_SEMAPHORE_CONTEXT_KHR:
        return OCL_OUT(&out, cl_context, semaphore->context);
    case CL_SEMAPHORE_REFERENCE_COUNT_KHR:
        return OCL_OUT(&out, cl_uint, atomic_load(&semaphore->object.refs));
    case CL_SEMAPHORE_PROPERTIES_KHR:
        return ocl_out_bytes(&out, semaphore->properties, semaphore->num_properties * sizeof(semaphore->properties[0]));
    case CL_SEMAPHORE_TYPE_KHR:
        return OCL_OUT(&out, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_SEMAPHORE_PAYLOAD_KHR:
        return OCL_OUT(&out, cl_semaphore_payload_khr, ocl_semaphore_is_signalled(semaphore) ? 1 : 0);
    case OCL_SEMAPHORE_DEVICE_HANDLE_LIST:
        return OCL_OUT(&out, cl_device_id, semaphore->device);
    case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
        return ocl_out_semaphore_handles(&out, semaphore->exported);
    case OCL_SEMAPHORE_EXPORTABLE:
        return OCL_OUT(&out, cl_bool, semaphore->exported != 0);
    default:
        return ocl_fail(semaphore->context, out.function, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* ---- commands ---- */

/* cl_khr_semaphore: CL_INVALID_COMMAND_QUEUE if the queue's device is none that a semaphore was created for. A wait list
 * with an event that has failed is an error of the call: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. */
static cl_int check_command(const struct ocl_call *call, cl_uint count, const cl_semaphore_khr *semaphores)
{
    const char *function = call->function;
    if (!ocl_is(call->queue, OCL_QUEUE))
        return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = call->queue->context;
    if (!count || !semaphores)
        return FAIL(CL_INVALID_VALUE, "no semaphores");
    for (cl_uint i = 0; i < count; i++) {
        if (!ocl_is(semaphores[i], OCL_SEMAPHORE))
            return FAIL(CL_INVALID_SEMAPHORE_KHR, "sema_objects[%u] is no semaphore", i);
        if (semaphores[i]->context != context)
            return FAIL(CL_INVALID_CONTEXT, "sema_objects[%u] is of another context", i);
        if (semaphores[i]->device != call->queue->device)
            return FAIL(CL_INVALID_COMMAND_QUEUE, "sema_objects[%u] is for another device", i);
    }
    return ocl_check_waits_ended_well(function, context, call->num_waits, call->waits);
}

static cl_int use_semaphores(const struct ocl_call *call, cl_uint count, const cl_semaphore_khr *semaphores,
                             bool signals)
{
    struct ocl_command command;
    cl_int error = check_command(call, count, semaphores);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS)
        return error;
    return signals ? ocl_semaphores_signal(&command, count, semaphores)
                   : ocl_semaphores_wait(&command, count, semaphores);
}

ENTRY(cl_int)
enqueue_wait(cl_command_queue queue, cl_uint num_sema_objects, const cl_semaphore_khr *sema_objects,
             const cl_semaphore_payload_khr *sema_payload_list, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    (void)sema_payload_list; /* binary semaphores have none */
    struct ocl_call call = OCL_CALL(CL_COMMAND_SEMAPHORE_WAIT_KHR, false);
    call.function = "clEnqueueWaitSemaphoresKHR";
    return use_semaphores(&call, num_sema_objects, sema_objects, false);
}

ENTRY(cl_int)
enqueue_signal(cl_command_queue queue, cl_uint num_sema_objects, const cl_semaphore_khr *sema_objects,
               const cl_semaphore_payload_khr *sema_payload_list, cl_uint num_events_in_wait_list,
               const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    (void)sema_payload_list;
    struct ocl_call call = OCL_CALL(CL_COMMAND_SEMAPHORE_SIGNAL_KHR, false);
    call.function = "clEnqueueSignalSemaphoresKHR";
    return use_semaphores(&call, num_sema_objects, sema_objects, true);
}

/* ---- handles ---- */

ENTRY(cl_int)
get_semaphore_handle(cl_semaphore_khr semaphore, cl_device_id device, cl_external_semaphore_handle_type_khr handle_type,
                     size_t handle_size, void *handle_ptr, size_t *handle_size_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_out out = {"clGetSemaphoreHandleForTypeKHR", handle_size, handle_ptr, handle_size_ret};
    if (!ocl_is(semaphore, OCL_SEMAPHORE))
        return ocl_fail(NULL, out.function, CL_INVALID_SEMAPHORE_KHR, "not a semaphore");
    cl_context context = semaphore->context;
    if (device != semaphore->device)
        return ocl_fail(context, out.function, CL_INVALID_DEVICE, "not the semaphore's device");
    uint32_t kind = ocl_is_semaphore_handle(handle_type) ? ocl_handle_kind(handle_type) : 0;
    if (!kind || !(kind & semaphore->exported))
        return ocl_fail(context, out.function, CL_INVALID_VALUE, "the semaphore was not made for handles of type 0x%x",
                        handle_type);
    /* A file descriptor is an int, and a HANDLE of Windows' a pointer. An export has effects, so the caller's memory is
     * looked at first. */
    intptr_t handle = -1;
    size_t size = vkb_handle_is_taken((enum vkb_handle)kind) ? sizeof(int) : sizeof(void *);
    if (!handle_ptr || handle_size < size)
        return ocl_out_bytes(&out, &handle, size);
    cl_int error = ocl_semaphore_export(semaphore, kind, &handle);
    if (error != CL_SUCCESS)
        return ocl_fail(context, out.function, error, "the semaphore cannot be exported");
    return ocl_out_bytes(&out, &handle, size); /* little-endian */
}

ENTRY(cl_int) reimport_semaphore(cl_semaphore_khr semaphore, const cl_properties *reimport_props, int fd)
{
    FLOAT_ENV_DEFAULT();
    const char *function = "clReImportSemaphoreSyncFdKHR";
    if (!ocl_is(semaphore, OCL_SEMAPHORE))
        return ocl_fail(NULL, function, CL_INVALID_SEMAPHORE_KHR, "not a semaphore");
    cl_context context = semaphore->context;
    if (semaphore->imported != VKB_HANDLE_SYNC_FD)
        return FAIL(CL_INVALID_SEMAPHORE_KHR, "the semaphore was not made from a sync file");
    if ((reimport_props && reimport_props[0]) || fd < -1)
        return FAIL(CL_INVALID_VALUE, "unknown property, or no file descriptor");
    cl_int error = ocl_semaphore_reimport(semaphore, fd);
    return error == CL_SUCCESS ? CL_SUCCESS : FAIL(error, "%d cannot be imported", fd);
}

void *ocl_semaphore_function(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"clCreateSemaphoreWithPropertiesKHR", (void *)create_semaphore},
        {"clRetainSemaphoreKHR", (void *)retain_semaphore},
        {"clReleaseSemaphoreKHR", (void *)release_semaphore},
        {"clGetSemaphoreInfoKHR", (void *)get_semaphore_info},
        {"clEnqueueWaitSemaphoresKHR", (void *)enqueue_wait},
        {"clEnqueueSignalSemaphoresKHR", (void *)enqueue_signal},
        {"clGetSemaphoreHandleForTypeKHR", (void *)get_semaphore_handle},
        {"clReImportSemaphoreSyncFdKHR", (void *)reimport_semaphore},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].address;
    }
    return NULL;
}
