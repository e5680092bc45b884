/* Entry points of cl_khr_command_buffer that do not record (those are in api/command_record.c), clRemapCommandBufferKHR
 * of cl_khr_command_buffer_multi_device, and what devices answer about the extensions. They are reached by
 * clGetExtensionFunctionAddressForPlatform alone. */
#include "src/api/functions.h"
#include "src/api/queries.h"
#include "src/command/command.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/queue.h"
#include "src/recorded/command_buffer.h"

#include "src/api/command_buffer.h"

#include <stdlib.h>
#include <string.h>

#define QUEUE_PROPERTIES (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)

enum { PROPERTY_FLAGS = 0x1293, PROPERTY_ASSERTS = 0x12B7 };
enum {
    INFO_QUEUES = 0x1294,
    INFO_NUM_QUEUES = 0x1295,
    INFO_REFERENCE_COUNT = 0x1296,
    INFO_STATE = 0x1297,
    INFO_PROPERTIES = 0x1298,
    INFO_CONTEXT = 0x1299
};

/* ---- devices ---- */

cl_int ocl_command_buffer_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    switch (name) {
    case OCL_DEVICE_COMMAND_BUFFER_CAPABILITIES:
        return OCL_OUT(out, cl_bitfield,
                       OCL_CAPABILITY_PRINTF | OCL_CAPABILITY_SIMULTANEOUS_USE | OCL_CAPABILITY_MULTIPLE_QUEUE |
                           (device->target.device_enqueue ? OCL_CAPABILITY_DEVICE_SIDE_ENQUEUE : 0));
    case OCL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES:
        return OCL_OUT(out, cl_command_queue_properties, QUEUE_PROPERTIES);
    case OCL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES:
        return OCL_OUT(out, cl_command_queue_properties, 0);
    case OCL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES: /* the host passes on what one device tells another */
        return OCL_OUT(out, cl_uint, 0);
    case OCL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES:
        return ocl_out_bytes(out, NULL, 0);
    case OCL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES:
        return OCL_OUT(out, cl_bitfield, OCL_MUTABLE_ALL);
    default:
        return CL_INVALID_VALUE;
    }
}

/* ---- creation ---- */

static cl_int check_queues(const char *function, cl_uint num_queues, const cl_command_queue *queues)
{
    if (!num_queues || !queues)
        return ocl_fail(NULL, function, CL_INVALID_VALUE, "%u queues, and a list that is%s NULL", num_queues,
                        queues ? " not" : "");
    for (cl_uint i = 0; i < num_queues; i++) {
        if (!ocl_is(queues[i], OCL_QUEUE))
            return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "queues[%u] is no command queue", i);
    }
    for (cl_uint i = 1; i < num_queues; i++) {
        if (queues[i]->context != queues[0]->context)
            return ocl_fail(queues[0]->context, function, CL_INVALID_CONTEXT, "queues[%u] is of another context", i);
    }
    if (ocl_context_is_terminated(queues[0]->context))
        return ocl_context_fail_terminated(queues[0]->context, function);
    return CL_SUCCESS;
}

struct creation {
    cl_bitfield flags, asserts;
    size_t num_properties;
};

/* cl_khr_command_buffer, clCreateCommandBufferKHR: CL_INVALID_VALUE if a value is not valid, "or if the same property name
 * is specified more than once". */
static cl_int check_properties(const char *function, cl_context context, const cl_ulong *properties,
                               struct creation *creation)
{
    *creation = (struct creation){0, 0, 0};
    if (!properties)
        return CL_SUCCESS;
    const cl_ulong *p = properties;
    for (; p[0]; p += 2) {
        for (const cl_ulong *before = properties; before < p; before += 2) {
            if (before[0] == p[0])
                return ocl_fail(context, function, CL_INVALID_VALUE, "property 0x%llx is given twice",
                                (unsigned long long)p[0]);
        }
        if (p[0] == PROPERTY_FLAGS && !(p[1] & ~(cl_ulong)(OCL_SIMULTANEOUS_USE | OCL_MUTABLE | OCL_DEVICE_SIDE_SYNC)))
            creation->flags = p[1];
        else if (p[0] == PROPERTY_ASSERTS && !(p[1] & ~(cl_ulong)OCL_NO_ADDITIONAL_WORK_GROUPS))
            creation->asserts = p[1];
        else
            return ocl_fail(context, function, CL_INVALID_VALUE, "unknown property 0x%llx, or value 0x%llx of it",
                            (unsigned long long)p[0], (unsigned long long)p[1]);
    }
    creation->num_properties = (size_t)(p - properties) + 1;
    return CL_SUCCESS;
}

/* Queues of one device wait for each other on the device. */
static cl_int check_sync(const char *function, cl_uint num_queues, const cl_command_queue *queues, cl_bitfield flags)
{
    for (cl_uint i = 1; flags & OCL_DEVICE_SIDE_SYNC && i < num_queues; i++) {
        if (queues[i]->device != queues[0]->device)
            return ocl_fail(queues[0]->context, function, OCL_INCOMPATIBLE_COMMAND_QUEUE,
                            "the queues' devices cannot wait for each other");
    }
    return CL_SUCCESS;
}

static CL_API_ENTRY ocl_buffer_handle CL_API_CALL create(cl_uint num_queues, const cl_command_queue *queues,
                                                         const cl_ulong *properties, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    static const char function[] = "clCreateCommandBufferKHR";
    struct creation creation;
    ocl_buffer_handle buffer = NULL;
    cl_int error = check_queues(function, num_queues, queues);
    if (error == CL_SUCCESS)
        error = check_properties(function, queues[0]->context, properties, &creation);
    if (error == CL_SUCCESS)
        error = check_sync(function, num_queues, queues, creation.flags);
    if (error == CL_SUCCESS) {
        buffer = ocl_command_buffer_create(queues[0]->context, num_queues, queues, properties, creation.num_properties);
        if (!buffer)
            error = ocl_fail(queues[0]->context, function, CL_OUT_OF_HOST_MEMORY, "no memory for a command buffer");
    }
    if (buffer) {
        buffer->flags = creation.flags;
        buffer->asserts = creation.asserts;
    }
    if (errcode_ret)
        *errcode_ret = error;
    return buffer;
}

static cl_int not_a_buffer(const char *function)
{
    return ocl_fail(NULL, function, OCL_INVALID_COMMAND_BUFFER, "not a command buffer");
}

static CL_API_ENTRY cl_int CL_API_CALL retain(ocl_buffer_handle buffer)
{
    if (!ocl_is(buffer, OCL_COMMAND_BUFFER))
        return not_a_buffer("clRetainCommandBufferKHR");
    ocl_retain(&buffer->object);
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL release(ocl_buffer_handle buffer)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(buffer, OCL_COMMAND_BUFFER))
        return not_a_buffer("clReleaseCommandBufferKHR");
    ocl_command_buffer_release(buffer);
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL finalize(ocl_buffer_handle buffer)
{
    FLOAT_ENV_DEFAULT();
    static const char function[] = "clFinalizeCommandBufferKHR";
    if (!ocl_is(buffer, OCL_COMMAND_BUFFER))
        return not_a_buffer(function);
    /* CL_INVALID_OPERATION if the buffer is not in the recording state, which it never comes back to. */
    ocl_lock(&buffer->mutex);
    bool before = buffer->finalized;
    buffer->finalized = true;
    ocl_unlock(&buffer->mutex);
    return before ? ocl_fail(buffer->context, function, CL_INVALID_OPERATION, "the buffer is finalised already")
                  : CL_SUCCESS;
}

/* ---- enqueueing ---- */

/* cl_khr_command_buffer, clEnqueueCommandBufferKHR: the list is empty, or has a queue for each of the buffer's, in their
 * order; CL_INCOMPATIBLE_COMMAND_QUEUE_KHR if one does not suit the queue of its place. */
static cl_int check_substitutes(const char *function, ocl_buffer_handle buffer, cl_uint num_queues,
                                const cl_command_queue *queues)
{
    if (!num_queues != !queues || (num_queues && num_queues != buffer->num_queues))
        return ocl_fail(buffer->context, function, CL_INVALID_VALUE, "%u queues of %u, and a list that is%s NULL",
                        num_queues, buffer->num_queues, queues ? " not" : "");
    for (cl_uint i = 0; i < num_queues; i++) {
        if (!ocl_is(queues[i], OCL_QUEUE))
            return ocl_fail(buffer->context, function, CL_INVALID_COMMAND_QUEUE, "queues[%u] is no command queue", i);
        if (queues[i]->context != buffer->context)
            return ocl_fail(buffer->context, function, CL_INVALID_CONTEXT, "queues[%u] is of another context", i);
        if (queues[i]->device != buffer->queues[i]->device)
            return ocl_fail(buffer->context, function, OCL_INCOMPATIBLE_COMMAND_QUEUE,
                            "queues[%u] is of another device", i);
    }
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL enqueue(cl_uint num_queues, const cl_command_queue *queues,
                                               ocl_buffer_handle buffer, cl_uint num_waits, const cl_event *waits,
                                               cl_event *event)
{
    static const char function[] = "clEnqueueCommandBufferKHR";
    if (!ocl_is(buffer, OCL_COMMAND_BUFFER))
        return not_a_buffer(function);
    cl_int error = check_substitutes(function, buffer, num_queues, queues);
    if (error == CL_SUCCESS)
        error = ocl_check_waits(function, buffer->context, num_waits, waits);
    if (error != CL_SUCCESS)
        return error;
    ocl_lock(&buffer->mutex);
    /* CL_INVALID_OPERATION if the buffer was not finalised, or lacks arguments that may be updated. One that is pending may
     * be enqueued again: wait_for_last() in src/recorded/command_buffer.c. */
    if (ocl_command_buffer_state(buffer) == OCL_EXECUTABLE)
        error =
            ocl_command_buffer_enqueue(function, buffer, num_queues ? queues : buffer->queues, num_waits, waits, event);
    else
        error = CL_INVALID_OPERATION;
    ocl_unlock(&buffer->mutex);
    return error == CL_INVALID_OPERATION
               ? ocl_fail(buffer->context, function, error, "the buffer is not in its executable state")
               : error;
}

/* ---- questions ---- */

static CL_API_ENTRY cl_int CL_API_CALL get_info(ocl_buffer_handle buffer, cl_uint param_name, size_t param_value_size,
                                                void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = {"clGetCommandBufferInfoKHR", param_value_size, param_value, param_value_size_ret};
    if (!ocl_is(buffer, OCL_COMMAND_BUFFER))
        return not_a_buffer(out.function);
    switch (param_name) {
    case INFO_QUEUES:
        return ocl_out_bytes(&out, buffer->queues, buffer->num_queues * sizeof(buffer->queues[0]));
    case INFO_NUM_QUEUES:
        return OCL_OUT(&out, cl_uint, buffer->num_queues);
    case INFO_REFERENCE_COUNT:
        return OCL_OUT(&out, cl_uint, atomic_load(&buffer->object.refs));
    case INFO_STATE: {
        ocl_lock(&buffer->mutex);
        cl_uint state = ocl_command_buffer_state(buffer);
        ocl_unlock(&buffer->mutex);
        return OCL_OUT(&out, cl_uint, state);
    }
    case INFO_PROPERTIES:
        return ocl_out_bytes(&out, buffer->properties, buffer->num_properties * sizeof(buffer->properties[0]));
    case INFO_CONTEXT:
        return OCL_OUT(&out, cl_context, buffer->context);
    default:
        return ocl_fail(buffer->context, out.function, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* ---- remapping ---- */

struct remap_args {
    cl_bool automatic;
    cl_uint num_queues, num_handles;
    const cl_command_queue *queues;
    const ocl_recorded_handle *handles;
    ocl_recorded_handle *handles_ret;
};

/* With the buffer's mutex held. */
static int find(ocl_buffer_handle buffer, ocl_recorded_handle handle)
{
    for (uint32_t i = 0; i < buffer->num_commands; i++) {
        if (buffer->commands[i] == handle && handle->is_mutable)
            return (int)i;
    }
    return -1;
}

static cl_int check_remap(const char *function, ocl_buffer_handle buffer, const struct remap_args *args)
{
    if (!args->num_queues || !args->queues || (!args->automatic && args->num_queues != buffer->num_queues))
        return ocl_fail(buffer->context, function, CL_INVALID_VALUE,
                        "%u queues instead of %u, and a list that is%s NULL", args->num_queues, buffer->num_queues,
                        args->queues ? " not" : "");
    if (!args->num_handles != !args->handles || !args->num_handles != !args->handles_ret)
        return ocl_fail(buffer->context, function, CL_INVALID_VALUE, "%u handles, and lists that do not go with that",
                        args->num_handles);
    ocl_lock(&buffer->mutex);
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < args->num_handles && error == CL_SUCCESS; i++) {
        if (find(buffer, args->handles[i]) < 0)
            error = CL_INVALID_VALUE;
    }
    ocl_unlock(&buffer->mutex);
    if (error != CL_SUCCESS)
        return ocl_fail(buffer->context, function, error, "a handle is none of the buffer's");
    error = check_queues(function, args->num_queues, args->queues);
    if (error != CL_SUCCESS)
        return error;
    if (args->queues[0]->context != buffer->context)
        return ocl_fail(buffer->context, function, CL_INVALID_CONTEXT, "the queues are of another context");
    return check_sync(function, args->num_queues, args->queues, buffer->flags);
}

/* With the buffer's mutex held. In automatic mode the commands of the old queues go to the new ones in turn. */
static cl_int remap_locked(const char *function, ocl_buffer_handle buffer, const struct remap_args *args,
                           ocl_buffer_handle *remapped)
{
    cl_uint *map = malloc(buffer->num_queues * sizeof(*map));
    if (!map)
        return ocl_fail(buffer->context, function, CL_OUT_OF_HOST_MEMORY, "no memory for a command buffer");
    for (cl_uint i = 0; i < buffer->num_queues; i++)
        map[i] = i % args->num_queues;
    cl_int error = ocl_command_buffer_remap(buffer, args->num_queues, args->queues, map, remapped);
    free(map);
    if (error != CL_SUCCESS)
        return ocl_fail(buffer->context, function, error, "a command does not go with its new queue");
    for (cl_uint i = 0; i < args->num_handles; i++)
        args->handles_ret[i] = (*remapped)->commands[find(buffer, args->handles[i])];
    return CL_SUCCESS;
}

static CL_API_ENTRY ocl_buffer_handle CL_API_CALL remap(ocl_buffer_handle buffer, cl_bool automatic, cl_uint num_queues,
                                                        const cl_command_queue *queues, cl_uint num_handles,
                                                        const ocl_recorded_handle *handles,
                                                        ocl_recorded_handle *handles_ret, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    static const char function[] = "clRemapCommandBufferKHR";
    ocl_buffer_handle remapped = NULL;
    cl_int error = ocl_is(buffer, OCL_COMMAND_BUFFER) ? CL_SUCCESS : not_a_buffer(function);
    const struct remap_args args = {automatic, num_queues, num_handles, queues, handles, handles_ret};
    if (error == CL_SUCCESS)
        error = check_remap(function, buffer, &args);
    if (error == CL_SUCCESS) {
        ocl_lock(&buffer->mutex);
        error = remap_locked(function, buffer, &args, &remapped);
        ocl_unlock(&buffer->mutex);
    }
    if (error != CL_SUCCESS && remapped) {
        ocl_command_buffer_release(remapped);
        remapped = NULL;
    }
    if (errcode_ret)
        *errcode_ret = error;
    return remapped;
}

/* ---- the way to all of them ---- */

void *ocl_command_buffer_function(const char *name)
{
    static const struct ocl_named_function functions[] = {
        {"clCreateCommandBufferKHR", (void *)create},   {"clRetainCommandBufferKHR", (void *)retain},
        {"clReleaseCommandBufferKHR", (void *)release}, {"clFinalizeCommandBufferKHR", (void *)finalize},
        {"clEnqueueCommandBufferKHR", (void *)enqueue}, {"clGetCommandBufferInfoKHR", (void *)get_info},
        {"clRemapCommandBufferKHR", (void *)remap},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].address;
    }
    void *address = ocl_command_record_function(name);
    return address ? address : ocl_command_update_function(name);
}
