/* Begins to watch new memory, of which nothing is written yet (vk/memory/written.c). */
#include "src/object/written.h"

#include "src/device/device.h"

#include "base/settings.h"

#include <string.h>

enum vkb_result ocl_written_clear(cl_context context, cl_uint device, struct vkb_buffer *written)
{
    static const uint32_t zero;
    struct vkb_event *event = NULL;
    void *map = vkb_buffer_map(written);
    if (map) {
        memset(map, 0, vkb_buffer_size(written));
        return VKB_SUCCESS;
    }
    struct vkb_queue *queue = ocl_context_transfer_queue(context, device);
    if (!queue)
        return VKB_OUT_OF_HOST_MEMORY;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    enum vkb_result result = vkb_cmd_fill(&enqueue, written, 0, vkb_buffer_size(written), &zero, 1);
    if (result == VKB_SUCCESS)
        result = vkb_event_wait(event, UINT64_MAX);
    vkb_event_release(event);
    return result;
}

uint64_t ocl_written_most(void)
{
    return (uint64_t)setting_number(SETTING_CHECK_MEMORY) << 20;
}

void ocl_written_begin(cl_context context, cl_uint device, struct vkb_buffer *buffer)
{
    enum vkb_result result = vkb_buffer_watch(buffer, ocl_written_most());
    if (result == VKB_SUCCESS)
        result = ocl_written_clear(context, device, vkb_buffer_written(buffer));
    if (result == VKB_SUCCESS)
        return;
    vkb_buffer_unwatch(buffer);
    check_memory_short();
}
