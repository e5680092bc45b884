/* vk/ when things go wrong: Vulkan calls that fail one after the other, a device that is lost, and a process that ends
 * with work of every kind under way (argument: leave). */
#include "vk_test.h"

/* ---- failing Vulkan calls ---- */

static struct VolkDeviceTable real;
static atomic_int until_failure;
static atomic_int failure;

static bool fails(void)
{
    return atomic_fetch_sub(&until_failure, 1) == 1;
}

static VKAPI_ATTR VkResult VKAPI_CALL failing_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                                     VkFence fence)
{
    return fails() ? (VkResult)failure : real.vkQueueSubmit(queue, count, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL failing_allocate(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                       const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory)
{
    return fails() ? (VkResult)failure : real.vkAllocateMemory(handle, info, callbacks, memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL failing_buffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                     const VkAllocationCallbacks *callbacks, VkBuffer *buffer)
{
    return fails() ? (VkResult)failure : real.vkCreateBuffer(handle, info, callbacks, buffer);
}

static VKAPI_ATTR VkResult VKAPI_CALL failing_pool(VkDevice handle, const VkCommandPoolCreateInfo *info,
                                                   const VkAllocationCallbacks *callbacks, VkCommandPool *pool)
{
    return fails() ? (VkResult)failure : real.vkCreateCommandPool(handle, info, callbacks, pool);
}

static VKAPI_ATTR VkResult VKAPI_CALL failing_begin(VkCommandBuffer cmd, const VkCommandBufferBeginInfo *info)
{
    return fails() ? (VkResult)failure : real.vkBeginCommandBuffer(cmd, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL failing_end(VkCommandBuffer cmd)
{
    return fails() ? (VkResult)failure : real.vkEndCommandBuffer(cmd);
}

static VKAPI_ATTR VkResult VKAPI_CALL failing_pipeline(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *callbacks, VkPipeline *pipelines)
{
    return fails() ? (VkResult)failure
                   : real.vkCreateComputePipelines(handle, cache, count, infos, callbacks, pipelines);
}

/* Before any thread of the backend works: the table is not for changing later. */
static void install(void)
{
    real = device->vk;
    device->vk.vkQueueSubmit = failing_submit;
    device->vk.vkAllocateMemory = failing_allocate;
    device->vk.vkCreateBuffer = failing_buffer;
    device->vk.vkCreateCommandPool = failing_pool;
    device->vk.vkBeginCommandBuffer = failing_begin;
    device->vk.vkEndCommandBuffer = failing_end;
    device->vk.vkCreateComputePipelines = failing_pipeline;
}

/* 0: none */
static void inject(int after, VkResult result)
{
    atomic_store(&failure, result);
    atomic_store(&until_failure, after);
}

/* A bit of everything; true when all of it went well. Whatever happens, every event must end. */
static bool small_task(void)
{
    enum { COUNT = 300000 };
    struct vkb_queue *queue = NULL;
    struct vkb_buffer *a = NULL, *b = NULL;
    struct vkb_shader *shader = NULL;
    struct vkb_pipeline *pipeline = NULL;
    struct vkb_event *events[6] = {0};
    uint32_t *data = calloc(COUNT, 4);
    bool ok = vkb_queue_create(device, 0, &queue) == VKB_SUCCESS &&
              vkb_buffer_create(device, 40 << 20, VKB_MEMORY_DEVICE, &a) == VKB_SUCCESS &&
              vkb_buffer_create(device, COUNT * 4, VKB_MEMORY_DEVICE, &b) == VKB_SUCCESS &&
              vkb_shader_create(device, kernel_add, ARRAY_LENGTH(kernel_add), 24, &shader) == VKB_SUCCESS &&
              vkb_shader_pipeline(shader, &(uint32_t){4}, 1, 0, &pipeline) == VKB_SUCCESS;
    if (ok) {
        b->map = NULL;
        b->cached = false;
        struct vkb_enqueue enqueue = {.queue = queue, .event = &events[0]};
        ok &= vkb_cmd_write(&enqueue, b, 0, 1000, data, true) == VKB_SUCCESS;
        enqueue.event = &events[1];
        ok &= vkb_cmd_fill(&enqueue, a, 0, 1000, "12345678", 8) == VKB_SUCCESS;
        enqueue.event = &events[2];
        ok &= add(&enqueue, a, b, 250, 1, true) == VKB_SUCCESS;
        enqueue.event = &events[3];
        ok &= vkb_cmd_read(&enqueue, b, 0, COUNT * 4, data) == VKB_SUCCESS;
        enqueue.event = &events[4];
        ok &= vkb_cmd_copy(&enqueue, b, 0, b, 4, 800) == VKB_SUCCESS;
        enqueue.event = &events[5];
        ok &= vkb_cmd_read(&enqueue, b, 0, 1000, data) == VKB_SUCCESS;
    }
    for (int i = 0; i < 6; i++) {
        if (events[i])
            ok &= vkb_event_wait(events[i], UINT64_MAX) == VKB_SUCCESS;
        vkb_event_release(events[i]);
    }
    if (queue)
        ok &= vkb_queue_finish(queue) == VKB_SUCCESS;
    vkb_shader_release(shader);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
    free(data);
    return ok;
}

static void test_failing_calls(void)
{
    bool succeeded = false, failed = false;
    for (int after = 1; after < 200 && !succeeded; after++) {
        inject(after, after % 2 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_OUT_OF_DEVICE_MEMORY);
        bool ok = small_task();
        succeeded = ok && atomic_load(&until_failure) > 0;
        failed |= !ok;
        inject(0, VK_SUCCESS);
    }
    CHECK(succeeded && failed && small_task());
}

/* The last test of a device: it is lost with work of every kind under way. */
static void test_lost(void)
{
    struct vkb_queue *queue = make_queue(0), *other = make_queue(VKB_QUEUE_OUT_OF_ORDER);
    struct vkb_buffer *a = make_buffer(4096, true), *b = make_buffer(4096, true), *none = NULL;
    struct vkb_event *user = NULL, *ran = NULL, *held = NULL, *recorded = NULL;
    struct call_record record = {0};
    uint32_t data[16];
    OK(vkb_event_create_user(&user));
    struct vkb_enqueue enqueue = {.queue = queue, .event = &ran};
    OK(add(&enqueue, a, b, 100, 1, false));
    enqueue = (struct vkb_enqueue){.queue = other, .num_waits = 1, .waits = &user, .event = &held};
    OK(vkb_cmd_read(&enqueue, a, 0, sizeof(data), data));
    enqueue = (struct vkb_enqueue){.queue = other, .event = &recorded};
    OK(add(&enqueue, a, b, 100, 1, false));
    OK(vkb_event_on_status(held, VKB_COMPLETE, on_call, &record));
    /* the device is not lost really: what it still ran would be freed under its hands */
    device->vk.vkDeviceWaitIdle(device->handle);
    inject(1, VK_ERROR_DEVICE_LOST);
    CHECK(vkb_event_wait(ran, UINT64_MAX) == VKB_DEVICE_LOST);
    CHECK(vkb_device_lost(device));
    vkb_event_wait(recorded, UINT64_MAX);
    vkb_event_set_user(user, 0);
    CHECK(vkb_event_wait(held, UINT64_MAX) == VKB_DEVICE_LOST);
    CHECK(vkb_event_status(held) < 0 && vkb_event_status(ran) < 0);
    CHECK(called(&record) && record.status < 0);
    CHECK(vkb_cmd_read(&enqueue, a, 0, 4, data) == VKB_DEVICE_LOST);
    CHECK(vkb_buffer_create(device, 100, VKB_MEMORY_DEVICE, &none) == VKB_DEVICE_LOST);
    CHECK(vkb_queue_finish(queue) == VKB_DEVICE_LOST && vkb_queue_flush(other) == VKB_DEVICE_LOST);
    struct vkb_event *all[] = {user, ran, held, recorded};
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        vkb_event_release(all[i]);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
    vkb_queue_release(other);
}

static void sleep_long(void *data)
{
    (void)data;
    sleep(100);
}

/* Leaves everything as it is: the process must end soon and well. */
static void leave_in_the_middle(void)
{
    enum { COUNT = 2 << 20 };
    static struct call_record record;
    struct vkb_queue *queue = make_queue(VKB_QUEUE_PROFILING), *other = make_queue(VKB_QUEUE_OUT_OF_ORDER);
    struct vkb_buffer *a = make_buffer(COUNT * 4, false), *b = make_buffer(COUNT * 4, true);
    struct vkb_event *user = NULL, *event = NULL;
    uint32_t *data = calloc(COUNT, 4);
    make_shaders();
    OK(vkb_event_create_user(&user));
    for (uint32_t size = 1; size <= 16; size++)
        vkb_shader_prefetch(add_shader, &size, 1, 0);
    struct vkb_enqueue enqueue = {.queue = other, .num_waits = 1, .waits = &user};
    OK(vkb_cmd_read(&enqueue, a, 0, 100, data));
    enqueue = on(other);
    OK(vkb_cmd_host(&enqueue, sleep_long, NULL));
    OK(vkb_queue_flush(other));
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &event};
    for (int i = 0; i < 20; i++)
        OK(add(&enqueue, i % 2 ? a : b, i % 2 ? b : a, COUNT, 1, false));
    OK(vkb_event_on_status(event, VKB_COMPLETE, on_call, &record));
    OK(vkb_cmd_read(&enqueue, b, 0, COUNT * 4, data));
    OK(vkb_queue_flush(queue));
    vkb_queue_release(queue);
}

static void test_faults(void)
{
    install();
    make_shaders();
    test_failing_calls();
    test_lost();
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
}

int main(int argc, char **argv)
{
    bool leave = argc > 1 && !strcmp(argv[1], "leave");
    return test_devices(leave ? leave_in_the_middle : test_faults);
}
