/* What memory is created with: the backend copies it in front of the first command that uses the memory, so creating an
 * object does not wait for the device. Where much waits for such commands already, and they may never come, the copy is
 * submitted at once. */
#include "src/object/contents.h"

#include "src/device/device.h"

#include <string.h>

/* Has the object filled, behind *event if that is not NULL. */
static enum vkb_result begin_use(cl_context context, cl_uint device, struct vkb_buffer *buffer, struct vkb_image *image,
                                 struct vkb_event **event)
{
    struct vkb_queue *queue = ocl_context_transfer_queue(context, device);
    if (!queue)
        return VKB_OUT_OF_HOST_MEMORY;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = event};
    enum vkb_result result = vkb_cmd_first_use(&enqueue, buffer, image);
    return result == VKB_SUCCESS ? vkb_queue_flush(queue) : result;
}

static enum vkb_result use_if_many_wait(cl_context context, cl_uint device, struct vkb_buffer *buffer,
                                        struct vkb_image *image)
{
    if (vkb_contents_may_wait(context->devices[device]->vk))
        return VKB_SUCCESS;
    return begin_use(context, device, buffer, image, NULL);
}

/* The way of all transfers. */
static enum vkb_result write_now(cl_context context, cl_uint device, struct vkb_buffer *buffer, const void *data,
                                 size_t size)
{
    struct vkb_queue *queue = ocl_context_transfer_queue(context, device);
    if (!queue)
        return VKB_OUT_OF_HOST_MEMORY;
    struct vkb_event *event = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    enum vkb_result result = vkb_cmd_write(&enqueue, buffer, 0, size, data, true);
    if (result == VKB_SUCCESS)
        result = vkb_event_wait(event, UINT64_MAX);
    vkb_event_release(event);
    return result;
}

cl_int ocl_contents_fill(cl_context context, cl_uint device, struct vkb_buffer *buffer, const void *data, size_t size)
{
    void *map = vkb_buffer_map(buffer);
    if (map) {
        memcpy(map, data, size);
        return CL_SUCCESS;
    }
    struct vkb_contents *contents;
    if (size > OCL_CONTENTS_LARGEST ||
        vkb_contents_create(context->devices[device]->vk, size, &contents) != VKB_SUCCESS)
        return ocl_from_vkb(write_now(context, device, buffer, data, size));
    memcpy(vkb_contents_map(contents), data, size);
    vkb_buffer_give(buffer, contents);
    return ocl_from_vkb(use_if_many_wait(context, device, buffer, NULL));
}

cl_int ocl_contents_copy(cl_context context, cl_uint device, struct vkb_buffer *buffer, struct vkb_buffer *pages)
{
    struct vkb_contents *contents = vkb_contents_of(pages);
    if (!contents)
        return CL_OUT_OF_HOST_MEMORY;
    vkb_buffer_give(buffer, contents);
    return ocl_from_vkb(use_if_many_wait(context, device, buffer, NULL));
}

cl_int ocl_contents_give_image(cl_context context, cl_uint device, struct vkb_image *image,
                               struct vkb_contents *contents)
{
    enum vkb_result result = vkb_image_give(image, contents);
    if (result != VKB_SUCCESS) {
        vkb_contents_release(contents);
        return ocl_from_vkb(result);
    }
    return ocl_from_vkb(use_if_many_wait(context, device, NULL, image));
}

cl_int ocl_contents_settle(cl_context context, cl_uint device, struct vkb_buffer *buffer)
{
    struct vkb_event *event = NULL;
    if (vkb_buffer_map(buffer)) /* the host has filled it */
        return CL_SUCCESS;
    enum vkb_result result = begin_use(context, device, buffer, NULL, &event);
    if (result == VKB_SUCCESS)
        result = vkb_event_wait(event, UINT64_MAX);
    vkb_event_release(event);
    return ocl_from_vkb(result);
}
