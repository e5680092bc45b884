/* What a batch's objects need because it is the first to use them (memory/first_use.c), found among all that the batch
 * keeps alive when it is submitted. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/first_use.h"
#include "vk/memory/image.h"
#include "vk/queue/batch.h"
#include "vk/queue/recording.h"

static struct vkb_image *root_of(struct vkb_image *image)
{
    return image->base ? image->base : image;
}

static bool is_new_buffer(const struct vkb_buffer *buffer)
{
    return !vkb_first_is_over(&buffer->first);
}

static bool is_new_image(struct vkb_image *image)
{
    return !vkb_first_is_over(&root_of(image)->first) || (image->buffer && is_new_buffer(image->buffer));
}

static bool has_new(const struct batch *batch)
{
    bool has = false;
    for (uint32_t i = 0; i < batch->num_refs && !has; i++) {
        const struct batch_ref *ref = &batch->refs[i];
        if (ref->kind == REF_BUFFER)
            has = is_new_buffer(ref->object);
        else if (ref->kind == REF_IMAGE)
            has = is_new_image(ref->object);
        else if (ref->kind == REF_RECORDING)
            has = has_new(vkb_recording_summary(ref->object)->load);
    }
    return has;
}

static enum vkb_result do_duty(struct batch *batch, const struct first_duty *duty)
{
    enum vkb_result result = VKB_SUCCESS;
    if (duty->semaphore)
        result = vkb_batch_wait_value(batch, duty->semaphore, duty->value);
    if (!duty->contents)
        return result;
    enum vkb_result kept = vkb_batch_add_ref(batch, REF_CONTENTS, duty->contents);
    return result == VKB_SUCCESS ? kept : result;
}

static enum vkb_result add_buffer(struct batch *batch, struct first_batch *first, struct vkb_buffer *buffer)
{
    struct first_duty duty = {0};
    enum vkb_result result = vkb_first_add_buffer(first, buffer, &duty);
    return result == VKB_SUCCESS ? do_duty(batch, &duty) : result;
}

static enum vkb_result add_image(struct batch *batch, struct first_batch *first, struct vkb_image *image)
{
    struct first_duty duty = {0};
    enum vkb_result result = vkb_first_add_image(first, root_of(image), &duty);
    if (result == VKB_SUCCESS)
        result = do_duty(batch, &duty);
    return result == VKB_SUCCESS && image->buffer ? add_buffer(batch, first, image->buffer) : result;
}

/* Those of one that uses them: the batch itself, or a recording that it runs. */
static enum vkb_result add_all(struct batch *batch, struct first_batch *first, const struct batch *user)
{
    enum vkb_result result = VKB_SUCCESS;
    for (uint32_t i = 0, count = user->num_refs; i < count && result == VKB_SUCCESS; i++) {
        const struct batch_ref ref = user->refs[i]; /* the array may move */
        if (ref.kind == REF_BUFFER)
            result = add_buffer(batch, first, ref.object);
        else if (ref.kind == REF_IMAGE)
            result = add_image(batch, first, ref.object);
        else if (ref.kind == REF_RECORDING)
            result = add_all(batch, first, vkb_recording_summary(ref.object)->load);
    }
    return result;
}

/* On a VkQueue that the batch does not go to, and waits for. */
static enum vkb_result submit_apart(struct batch *batch, struct first_batch *first)
{
    VkSemaphore semaphore = first->queue->first_done;
    uint64_t value = first->value;
    enum vkb_result result = vkb_first_submit(first);
    vkb_first_end(first, result == VKB_SUCCESS);
    return result == VKB_SUCCESS ? vkb_batch_wait_value(batch, semaphore, value) : result;
}

bool vkb_batch_first_uses(struct batch *batch, struct first_batch *first, enum vkb_result *result)
{
    struct vkb_device *device = batch->device;
    bool kernels = batch->vulkan->family == device->family;
    *result = VKB_SUCCESS;
    if (!has_new(batch))
        return false;
    vkb_first_begin(device, kernels ? batch->vulkan : &device->queues[0], first);
    *result = add_all(batch, first, batch);
    bool closed = *result == VKB_SUCCESS && vkb_first_close(first, result);
    if (closed && kernels)
        return true;
    if (closed)
        *result = submit_apart(batch, first);
    else
        vkb_first_end(first, false);
    return false;
}
