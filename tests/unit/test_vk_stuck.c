/* A device that executes nothing: what is submitted never ends, and waits time out or, as drivers have it that only
 * play a device, succeed at once. A wait for a kernel of our own ends after VKB_PATIENCE_NS, then everything does, and
 * pipelines are still made. */
#include "vk_test.h"

#include "vk/queue/queue.h"

static VKAPI_ATTR VkResult VKAPI_CALL swallow(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence)
{
    (void)queue;
    (void)count;
    (void)infos;
    (void)fence;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL lie(VkDevice handle, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
    (void)handle;
    (void)info;
    (void)timeout;
    return VK_SUCCESS;
}

/* A device that has done something is given longer: another process may hold it. */
static void test_patience(void)
{
    CHECK(!device->has_worked && vkb_device_patience_ns(device) == VKB_PATIENCE_NS);
    struct vkb_queue *queue = make_queue(VKB_QUEUE_BOUNDED);
    struct vkb_buffer *buffer = make_buffer(4096, true);
    make_shaders();
    struct vkb_enqueue enqueue = on(queue);
    OK(add(&enqueue, buffer, buffer, 100, 1, false));
    OK(vkb_queue_wait(queue));
    CHECK(device->has_worked && vkb_device_patience_ns(device) == VKB_LONG_PATIENCE_NS);
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
    vkb_buffer_release(buffer);
    vkb_queue_release(queue);
    device->has_worked = false;
}

static void test_stuck(void)
{
    struct vkb_pipeline *pipeline = NULL;
    struct vkb_event *event = NULL;
    const uint32_t local = 64;
    make_shaders();
    device->vk.vkQueueSubmit = swallow;
    device->vk.vkWaitSemaphores = lie;
    struct vkb_queue *other = make_queue(0), *queue = make_queue(VKB_QUEUE_BOUNDED);
    struct vkb_buffer *buffer = make_buffer(4096, true);
    struct vkb_enqueue enqueue = {.queue = other, .event = &event};
    OK(add(&enqueue, buffer, buffer, 100, 1, false));
    CHECK(vkb_event_wait(event, 100000000) == VKB_TIMEOUT);
    CHECK(!vkb_device_stuck(device) && !vkb_device_lost(device));
    enqueue = on(queue);
    OK(add(&enqueue, buffer, buffer, 100, 1, false));
    uint64_t began = time_ns();
    CHECK(vkb_queue_wait(queue) == VKB_DEVICE_LOST);
    uint64_t passed = time_ns() - began;
    CHECK(passed >= VKB_PATIENCE_NS && passed < 2 * VKB_PATIENCE_NS);
    CHECK(vkb_device_stuck(device) && vkb_device_lost(device) && !device->has_worked);
    CHECK(vkb_event_wait(event, UINT64_MAX) != VKB_SUCCESS);
    CHECK(vkb_queue_wait(other) == VKB_DEVICE_LOST);
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
    make_shaders(); /* anew */
    OK(vkb_shader_pipeline(add_shader, &local, 1, 0, &pipeline));
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
    vkb_event_release(event);
    vkb_buffer_release(buffer);
    vkb_queue_release(queue);
    vkb_queue_release(other);
}

static void test_all(void)
{
    test_patience();
    test_stuck();
}

int main(void)
{
    return test_devices(test_all);
}
