/* Entry points of cl_khr_command_buffer that record: clCommand*. Each checks what the clEnqueue* function of its name
 * checks, by the same function, and then adds a command. */
#include "src/api/command_buffer.h"
#include "src/api/transfer.h"
#include "src/command/pointer_command.h"
#include "src/device/device.h"
#include "src/launch/range.h"
#include "src/object/image.h"
#include "src/object/memory.h"
#include "src/object/pointer.h"
#include "src/object/queue.h"
#include "src/recorded/command_buffer.h"

#include <stdlib.h>
#include <string.h>

enum { PROPERTY_FIELDS = 0x12B1, PROPERTY_ASSERTS = 0x12B8 };

/* What every call here has. */
struct call {
    const char *function;
    ocl_buffer_handle buffer;
    cl_command_queue queue; /* as given: NULL is the buffer's only one */
    const cl_ulong *properties;
    cl_uint num_waits;
    const cl_uint *waits;
    cl_uint *sync_point;
    ocl_recorded_handle *handle;
    cl_uint index; /* of the queue */
};

#define PARAMETERS cl_uint num_waits, const cl_uint *waits, cl_uint *sync_point, ocl_recorded_handle *handle
#define CALL(name)                                                                                                     \
    {                                                                                                                  \
        name, buffer, queue, properties, num_waits, waits, sync_point, handle, 0                                       \
    }
#define FAIL(call, code, ...) ocl_fail((call)->buffer->context, (call)->function, (code), __VA_ARGS__)

/* cl_khr_command_buffer: sync points are numbers from 1, of commands of this buffer alone. */
static cl_int check_waits(const struct call *call)
{
    if (!call->num_waits != !call->waits)
        return FAIL(call, OCL_INVALID_SYNC_POINT_WAIT_LIST, "%u sync points, and a list that is%s NULL",
                    call->num_waits, call->waits ? " not" : "");
    for (cl_uint i = 0; i < call->num_waits; i++) {
        if (!call->waits[i] || call->waits[i] > call->buffer->num_commands)
            return FAIL(call, OCL_INVALID_SYNC_POINT_WAIT_LIST, "sync point %u is none of this buffer", call->waits[i]);
    }
    return CL_SUCCESS;
}

/* Which of the buffer's queues; call->queue becomes it. */
static cl_int choose_queue(struct call *call)
{
    const struct ocl_command_buffer *buffer = call->buffer;
    if (!call->queue && buffer->num_queues == 1) {
        call->queue = buffer->queues[0];
        return CL_SUCCESS;
    }
    for (cl_uint i = 0; i < buffer->num_queues; i++) {
        call->index = i;
        if (buffer->queues[i] == call->queue)
            return CL_SUCCESS;
    }
    return FAIL(call, CL_INVALID_COMMAND_QUEUE, "not one of the buffer's %u queues", buffer->num_queues);
}

/* Locks the buffer where it succeeds. */
static cl_int begin(struct call *call, bool kernel)
{
    if (!ocl_is(call->buffer, OCL_COMMAND_BUFFER))
        return ocl_fail(NULL, call->function, OCL_INVALID_COMMAND_BUFFER, "not a command buffer");
    cl_int error = choose_queue(call);
    if (error != CL_SUCCESS)
        return error;
    ocl_lock(&call->buffer->mutex);
    if (call->buffer->finalized)
        error = FAIL(call, CL_INVALID_OPERATION, "the buffer is finalised");
    if (error == CL_SUCCESS && !kernel && call->properties && call->properties[0])
        error = FAIL(call, CL_INVALID_VALUE, "unknown property 0x%llx", (unsigned long long)call->properties[0]);
    if (error == CL_SUCCESS && call->handle && (!kernel || !(call->buffer->flags & OCL_MUTABLE)))
        error = FAIL(call, CL_INVALID_VALUE, "the command cannot be mutable, and mutable_handle is not NULL");
    if (error == CL_SUCCESS)
        error = check_waits(call);
    if (error != CL_SUCCESS)
        ocl_unlock(&call->buffer->mutex);
    return error;
}

/* Adds the command, unless something was wrong or there was no memory for it, and unlocks the buffer. */
static cl_int end(const struct call *call, cl_int error, struct ocl_recorded *command)
{
    if (error == CL_SUCCESS) {
        error = command ? ocl_command_buffer_add(call->buffer, command, call->index, call->num_waits, call->waits,
                                                 command->type == CL_COMMAND_BARRIER, call->sync_point)
                        : CL_OUT_OF_HOST_MEMORY;
        if (error != CL_SUCCESS)
            FAIL(call, error, "no memory for a command");
    }
    if (error == CL_SUCCESS && call->handle)
        *call->handle = command;
    ocl_unlock(&call->buffer->mutex);
    if (error != CL_SUCCESS)
        ocl_recorded_destroy(command); /* may be the end of memory objects, which the application is told of */
    return error;
}

/* A command with up to two memory objects; NULL: no memory. */
static struct ocl_recorded *make(cl_command_type type, cl_mem first, cl_mem second)
{
    struct ocl_recorded *command = ocl_recorded_allocate(type);
    if (command && ((first && !ocl_recorded_use(command, first)) || (second && !ocl_recorded_use(command, second)))) {
        ocl_recorded_destroy(command);
        return NULL;
    }
    return command;
}

/* ---- barriers ---- */

static CL_API_ENTRY cl_int CL_API_CALL record_barrier(ocl_buffer_handle buffer, cl_command_queue queue,
                                                      const cl_ulong *properties, PARAMETERS)
{
    struct call call = CALL("clCommandBarrierWithWaitListKHR");
    cl_int error = begin(&call, false);
    return error == CL_SUCCESS ? end(&call, error, make(CL_COMMAND_BARRIER, NULL, NULL)) : error;
}

/* ---- buffers ---- */

static CL_API_ENTRY cl_int CL_API_CALL record_copy(ocl_buffer_handle buffer, cl_command_queue queue,
                                                   const cl_ulong *properties, cl_mem src, cl_mem dst,
                                                   size_t src_offset, size_t dst_offset, size_t size, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandCopyBufferKHR");
    struct ocl_recorded *command = NULL;
    cl_int error = begin(&call, false);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_check_copy(call.function, call.queue, src, dst, src_offset, dst_offset, size, 0, NULL);
    if (error == CL_SUCCESS && (command = make(CL_COMMAND_COPY_BUFFER, src, dst)))
        command->rect = (struct vkb_rect){.src_offset = src_offset, .dst_offset = dst_offset, .width = size};
    return end(&call, error, command);
}

static CL_API_ENTRY cl_int CL_API_CALL record_copy_rect(ocl_buffer_handle buffer, cl_command_queue queue,
                                                        const cl_ulong *properties, cl_mem src, cl_mem dst,
                                                        const size_t *src_origin, const size_t *dst_origin,
                                                        const size_t *region, size_t src_row_pitch,
                                                        size_t src_slice_pitch, size_t dst_row_pitch,
                                                        size_t dst_slice_pitch, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandCopyBufferRectKHR");
    const struct ocl_copy_rect r = {src_origin,      dst_origin,    region,         src_row_pitch,
                                    src_slice_pitch, dst_row_pitch, dst_slice_pitch};
    struct ocl_recorded *command = NULL;
    struct vkb_rect rect;
    cl_int error = begin(&call, false);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_check_copy_rect(call.function, call.queue, src, dst, &r, 0, NULL, &rect);
    if (error == CL_SUCCESS && (command = make(CL_COMMAND_COPY_BUFFER_RECT, src, dst))) {
        command->rect = rect;
        command->rect.src_offset -= src->origin;
        command->rect.dst_offset -= dst->origin;
    }
    return end(&call, error, command);
}

static CL_API_ENTRY cl_int CL_API_CALL record_fill(ocl_buffer_handle buffer, cl_command_queue queue,
                                                   const cl_ulong *properties, cl_mem dst, const void *pattern,
                                                   size_t pattern_size, size_t offset, size_t size, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandFillBufferKHR");
    struct ocl_recorded *command = NULL;
    cl_int error = begin(&call, false);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_check_fill(call.function, call.queue, dst, pattern, pattern_size, offset, size, 0, NULL);
    if (error == CL_SUCCESS && (command = make(CL_COMMAND_FILL_BUFFER, dst, NULL))) {
        command->rect = (struct vkb_rect){.dst_offset = offset, .width = size};
        command->pattern_size = pattern_size;
        memcpy(command->pattern, pattern, pattern_size);
    }
    return end(&call, error, command);
}

/* ---- images ---- */

static CL_API_ENTRY cl_int CL_API_CALL record_copy_image(ocl_buffer_handle buffer, cl_command_queue queue,
                                                         const cl_ulong *properties, cl_mem src, cl_mem dst,
                                                         const size_t *src_origin, const size_t *dst_origin,
                                                         const size_t *region, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandCopyImageKHR");
    struct ocl_recorded *command = NULL;
    struct ocl_start from, to;
    cl_int error = begin(&call, false);
    if (error != CL_SUCCESS)
        return error;
    error =
        ocl_check_copy_image(call.function, call.queue, src, dst, src_origin, dst_origin, region, 0, NULL, &from, &to);
    if (error == CL_SUCCESS && (command = make(CL_COMMAND_COPY_IMAGE, src, dst))) {
        command->src_place = from;
        command->dst_place = to;
        memcpy(command->region, region, sizeof(command->region));
    }
    return end(&call, error, command);
}

/* One of the two copies between an image and a buffer. */
static cl_int record_mixed(struct call *call, cl_mem image, cl_mem buffer, const size_t *origin, const size_t *region,
                           size_t offset, bool to_image)
{
    struct ocl_recorded *command = NULL;
    struct ocl_start place;
    cl_int error = begin(call, false);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_check_copy_mixed(call->function, call->queue, image, buffer, origin, region, offset, to_image, 0, NULL,
                                 &place);
    if (error == CL_SUCCESS)
        command = to_image ? make(CL_COMMAND_COPY_BUFFER_TO_IMAGE, buffer, image)
                           : make(CL_COMMAND_COPY_IMAGE_TO_BUFFER, image, buffer);
    if (command) {
        *(to_image ? &command->dst_place : &command->src_place) = place;
        *(to_image ? &command->rect.src_offset : &command->rect.dst_offset) = offset;
        memcpy(command->region, region, sizeof(command->region));
    }
    return end(call, error, command);
}

static CL_API_ENTRY cl_int CL_API_CALL record_image_to_buffer(ocl_buffer_handle buffer, cl_command_queue queue,
                                                              const cl_ulong *properties, cl_mem src, cl_mem dst,
                                                              const size_t *src_origin, const size_t *region,
                                                              size_t dst_offset, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandCopyImageToBufferKHR");
    return record_mixed(&call, src, dst, src_origin, region, dst_offset, false);
}

static CL_API_ENTRY cl_int CL_API_CALL record_buffer_to_image(ocl_buffer_handle buffer, cl_command_queue queue,
                                                              const cl_ulong *properties, cl_mem src, cl_mem dst,
                                                              size_t src_offset, const size_t *dst_origin,
                                                              const size_t *region, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandCopyBufferToImageKHR");
    return record_mixed(&call, dst, src, dst_origin, region, src_offset, true);
}

static CL_API_ENTRY cl_int CL_API_CALL record_fill_image(ocl_buffer_handle buffer, cl_command_queue queue,
                                                         const cl_ulong *properties, cl_mem image,
                                                         const void *fill_color, const size_t *origin,
                                                         const size_t *region, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandFillImageKHR");
    struct ocl_recorded *command = NULL;
    struct ocl_start place;
    cl_int error = begin(&call, false);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_check_fill_image(call.function, call.queue, image, fill_color, origin, region, 0, NULL, &place);
    if (error == CL_SUCCESS && (command = make(CL_COMMAND_FILL_IMAGE, image, NULL))) {
        ocl_format_pack(&image->image->format, fill_color, command->pattern);
        command->dst_place = place;
        memcpy(command->region, region, sizeof(command->region));
    }
    return end(&call, error, command);
}

/* ---- shared virtual memory ---- */

/* begin() where the device has such memory. */
static cl_int begin_svm(struct call *call)
{
    cl_int error = begin(call, false);
    if (error != CL_SUCCESS || ocl_device_svm(call->queue->device))
        return error;
    error = FAIL(call, CL_INVALID_OPERATION, "the device does not support shared virtual memory");
    return end(call, error, NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL record_svm_copy(ocl_buffer_handle buffer, cl_command_queue queue,
                                                       const cl_ulong *properties, void *dst, const void *src,
                                                       size_t size, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandSVMMemcpyKHR");
    struct ocl_recorded *command = NULL;
    cl_int error = begin_svm(&call);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call pointers = {.function = call.function, .queue = call.queue};
    error = ocl_pointer_check_copy(&pointers, dst, src, size);
    if (error == CL_SUCCESS && (command = make(CL_COMMAND_SVM_MEMCPY, NULL, NULL))) {
        command->dst = dst;
        command->src = src;
        command->size = size;
    }
    return end(&call, error, command);
}

static CL_API_ENTRY cl_int CL_API_CALL record_svm_fill(ocl_buffer_handle buffer, cl_command_queue queue,
                                                       const cl_ulong *properties, void *dst, const void *pattern,
                                                       size_t pattern_size, size_t size, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandSVMMemFillKHR");
    struct ocl_recorded *command = NULL;
    cl_int error = begin_svm(&call);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call pointers = {.function = call.function, .queue = call.queue};
    error = ocl_pointer_check_fill(&pointers, dst, pattern, pattern_size, size);
    if (error == CL_SUCCESS && (command = make(CL_COMMAND_SVM_MEMFILL, NULL, NULL))) {
        command->dst = dst;
        command->size = size;
        command->pattern_size = pattern_size;
        memcpy(command->pattern, pattern, pattern_size);
    }
    return end(&call, error, command);
}

/* ---- kernels ---- */

static cl_int check_kernel_properties(const struct call *call, struct ocl_recorded *command)
{
    const cl_ulong *p = call->properties;
    command->fields = call->buffer->flags & OCL_MUTABLE ? OCL_MUTABLE_ALL : 0;
    command->asserts = call->buffer->asserts;
    for (; p && p[0]; p += 2) {
        for (const cl_ulong *before = call->properties; before < p; before += 2) {
            if (before[0] == p[0])
                return FAIL(call, CL_INVALID_VALUE, "property 0x%llx is given twice", (unsigned long long)p[0]);
        }
        if (p[0] == PROPERTY_FIELDS && !(p[1] & ~(cl_ulong)OCL_MUTABLE_ALL))
            command->fields = call->buffer->flags & OCL_MUTABLE ? p[1] : 0;
        else if (p[0] == PROPERTY_ASSERTS && !(p[1] & ~(cl_ulong)OCL_NO_ADDITIONAL_WORK_GROUPS))
            command->asserts |= p[1];
        else
            return FAIL(call, CL_INVALID_VALUE, "unknown property 0x%llx, or value 0x%llx of it",
                        (unsigned long long)p[0], (unsigned long long)p[1]);
    }
    if (!p)
        return CL_SUCCESS;
    command->num_properties = (size_t)(p - call->properties) + 1;
    command->properties = malloc(command->num_properties * sizeof(p[0]));
    if (!command->properties)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(command->properties, call->properties, command->num_properties * sizeof(p[0]));
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL record_kernel(ocl_buffer_handle buffer, cl_command_queue queue,
                                                     const cl_ulong *properties, cl_kernel kernel, cl_uint work_dim,
                                                     const size_t *global_work_offset, const size_t *global_work_size,
                                                     const size_t *local_work_size, PARAMETERS)
{
    FLOAT_ENV_DEFAULT();
    struct call call = CALL("clCommandNDRangeKernelKHR");
    cl_int error = begin(&call, true);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_range_args args = {call.function,      call.queue,       kernel,         work_dim,
                                        global_work_offset, global_work_size, local_work_size};
    struct ocl_recorded *command = ocl_recorded_allocate(CL_COMMAND_NDRANGE_KERNEL);
    if (!command)
        return end(&call, CL_SUCCESS, NULL);
    error = check_kernel_properties(&call, command);
    if (error == CL_SUCCESS)
        error = ocl_range_check(&args, command->fields & OCL_MUTABLE_ARGUMENTS, &command->range);
    cl_kernel snapshot;
    if (error == CL_SUCCESS && (error = ocl_kernel_clone(kernel, &snapshot)) == CL_SUCCESS) {
        error = ocl_recorded_set_kernel(command, snapshot);
        if (error != CL_SUCCESS) {
            FAIL(&call, error, "an argument's memory was released, or there is no memory for the command");
            ocl_kernel_release(snapshot);
        }
    }
    if (error == CL_SUCCESS) {
        command->kernel = kernel;
        ocl_kernel_retain(kernel);
        command->local_given = local_work_size != NULL;
        command->most_groups = ocl_range_groups(&command->range);
        command->is_mutable = handle != NULL;
    }
    return end(&call, error, command);
}

void *ocl_command_record_function(const char *name)
{
    static const struct ocl_named_function functions[] = {
        {"clCommandBarrierWithWaitListKHR", (void *)record_barrier},
        {"clCommandCopyBufferKHR", (void *)record_copy},
        {"clCommandCopyBufferRectKHR", (void *)record_copy_rect},
        {"clCommandFillBufferKHR", (void *)record_fill},
        {"clCommandCopyImageKHR", (void *)record_copy_image},
        {"clCommandCopyImageToBufferKHR", (void *)record_image_to_buffer},
        {"clCommandCopyBufferToImageKHR", (void *)record_buffer_to_image},
        {"clCommandFillImageKHR", (void *)record_fill_image},
        {"clCommandSVMMemcpyKHR", (void *)record_svm_copy},
        {"clCommandSVMMemFillKHR", (void *)record_svm_fill},
        {"clCommandNDRangeKernelKHR", (void *)record_kernel},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].address;
    }
    return NULL;
}
