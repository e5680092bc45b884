/* What a launch prints: the buffer that its work-items fill, and the host command behind the dispatch that formats it.
 * The event that the application sees completes after the text is out. */
#include "src/device/object.h"
#include "src/launch/printed.h"
#include "src/launch/state.h"
#include "src/object/context.h"
#include "src/object/queue.h"

#include "base/log.h"

#include <stdlib.h>

/* What a launch gets in which the application did not ask for a size: much, as long as the text of few others waits
 * to be put out, since what does not fit is lost. */
enum { PRINTF_GENEROUS = 16 << 20, PRINTF_WAITING = 64 << 20 };

struct printf_flush {
    struct vkb_buffer *buffer;
    uint32_t capacity; /* bytes behind the two words at the front */
    cl_kernel kernel;  /* retained: keeps the formats */
    cl_context context;
    const struct clc_lowered *lowered;
};

static void write_text(void *data, const char *text, size_t length)
{
    printed_append(data, text, length);
}

static void write_callback(void *data, const char *text, size_t length)
{
    cl_context context = data;
    FLOAT_ENV_CALL(context->printf_notify(text, length, 1, context->listener.notify_data));
}

static void release_flush(struct printf_flush *flush)
{
    atomic_fetch_sub(&flush->context->printf_bytes, flush->capacity);
    vkb_buffer_release(flush->buffer);
    ocl_kernel_release(flush->kernel);
    free(flush);
}

static void flush_printf(void *data, bool run)
{
    struct printf_flush *flush = data;
    if (!run) {
        release_flush(flush);
        return;
    }
    uint32_t *words = vkb_buffer_map(flush->buffer);
    /* The capacity that the launch gave: the kernel may have written over the one in the buffer. */
    uint32_t used = words[0], capacity = flush->capacity;
    const struct clc_lowered *l = flush->lowered;
    bool callback = flush->context->printf_notify != NULL;
    if (used > capacity) {
        log_warn("printf: what did not fit into the buffer of %u bytes was dropped; a context made with "
                 "CL_PRINTF_BUFFERSIZE_ARM has one of any size",
                 capacity);
        used = capacity;
    }
    struct printed_text text = {0};
    clc_printf_write(l->printf_formats, l->num_printf_formats, l->printf_strings, l->num_printf_strings, words + 2,
                     used, callback ? write_callback : write_text, callback ? (void *)flush->context : &text);
    if (text.size)
        printed_hand_over(&text);
    release_flush(flush);
}

cl_int launch_make_text(struct launch *launch)
{
    cl_context context = launch->command->queue->context;
    struct vkb_device *device = launch->command->queue->device->vk;
    enum vkb_result result = VKB_OUT_OF_DEVICE_MEMORY;
    launch->printf_size = context->printf_size ? (uint32_t)context->printf_size : PRINTF_GENEROUS;
    bool reduced = !context->printf_size && atomic_load(&context->printf_bytes) + PRINTF_GENEROUS > PRINTF_WAITING;
    if (!reduced)
        result = vkb_buffer_create(device, launch->printf_size + 8, VKB_MEMORY_HOST, &launch->printf_buffer);
    if (result != VKB_SUCCESS && !context->printf_size) {
        launch->printf_size = OCL_PRINTF_BUFFER_SIZE;
        result = vkb_buffer_create(device, launch->printf_size + 8, VKB_MEMORY_HOST, &launch->printf_buffer);
    }
    if (result != VKB_SUCCESS)
        return ocl_from_vkb(result);
    uint32_t *words = vkb_buffer_map(launch->printf_buffer);
    if (!words)
        return CL_OUT_OF_RESOURCES;
    words[0] = 0;
    words[1] = launch->printf_size;
    launch_add_access(launch, launch->printf_buffer, true, true);
    return CL_SUCCESS;
}

/* Has the buffer formatted. */
enum vkb_result launch_flush_text(struct launch *launch)
{
    struct ocl_command *command = launch->command;
    struct printf_flush *flush = malloc(sizeof(*flush));
    if (!flush)
        return VKB_OUT_OF_HOST_MEMORY;
    *flush = (struct printf_flush){launch->printf_buffer, launch->printf_size, launch->kernel, command->queue->context,
                                   launch->lowered};
    atomic_fetch_add(&flush->context->printf_bytes, flush->capacity);
    vkb_buffer_retain(flush->buffer);
    ocl_kernel_retain(flush->kernel);
    enum vkb_result result = ocl_command_behind(command, flush_printf, flush);
    if (result != VKB_SUCCESS)
        release_flush(flush);
    return result;
}
