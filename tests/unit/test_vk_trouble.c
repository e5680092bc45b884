/* vk/ in particular troubles, each of which once was a fault: submissions that fail where nobody looks, waits that fail
 * in the background, a GPU that is far behind, commands that nobody will let run. */
#include "failing.h"
#include "vk/device/pool.h"
#include "vk/memory/memory.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/queue.h"

static struct vkb_buffer *a, *b;

/* A device's first kernel is submitted at once: the tests are about others. */
static void run_first(void)
{
    struct vkb_queue *queue = make_queue(0);
    struct vkb_enqueue enqueue = on(queue);
    OK(add(&enqueue, a, b, 100, 1, false));
    OK(vkb_queue_wait(queue));
    vkb_queue_release(queue);
}

/* A submission fails in the middle of an enqueueing call, which cannot say so: the queue does, until it is finished. */
static void test_lost_batch(uint32_t flags)
{
    struct vkb_queue *queue = make_lone_queue(flags), *other = make_queue(0);
    struct vkb_event *event = NULL, *behind = NULL, *marker = NULL;
    struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    OK(add(&enqueue, a, b, 100, 1, false));
    inject(CALL_vkQueueSubmit, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    enqueue = on(queue);
    enum vkb_result result = VKB_SUCCESS;
    for (int i = 0; i < 200 && result == VKB_SUCCESS; i++)
        result = add(&enqueue, a, b, 100, 1, false);
    CHECK(injected());
    CHECK(result == VKB_OUT_OF_HOST_MEMORY);
    CHECK(vkb_event_ask(event) == STATUS_HOST_MEMORY);
    CHECK(vkb_event_wait(event, UINT64_MAX) == VKB_WAIT_FAILED);
    CHECK(vkb_queue_flush(queue) == VKB_OUT_OF_HOST_MEMORY);
    /* a queue that is to be drained says when */
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &marker, .after_failure = true};
    OK(vkb_cmd_marker(&enqueue, false));
    OK(vkb_event_wait(marker, UINT64_MAX));
    /* who waits for a command that was lost does not run */
    enqueue = (struct vkb_enqueue){.queue = other, .num_waits = 1, .waits = &event, .event = &behind};
    OK(add(&enqueue, a, b, 100, 1, false));
    CHECK(vkb_event_wait(behind, UINT64_MAX) == VKB_WAIT_FAILED && vkb_event_ask(behind) == STATUS_WAIT_FAILED);
    CHECK(vkb_queue_wait(queue) == VKB_OUT_OF_HOST_MEMORY);
    OK(vkb_queue_wait(queue));
    enqueue = on(queue);
    OK(add(&enqueue, a, b, 100, 1, false));
    OK(vkb_queue_wait(queue));
    OK(vkb_queue_wait(other));
    vkb_event_release(event);
    vkb_event_release(behind);
    vkb_event_release(marker);
    vkb_queue_release(queue);
    vkb_queue_release(other);
}

/* Of a queue that is for events only, these are all that tell. */
static void test_events_only(void)
{
    struct vkb_queue *queue = make_lone_queue(VKB_QUEUE_EVENTS_ONLY);
    struct vkb_event *event = NULL;
    struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    OK(add(&enqueue, a, b, 100, 1, false));
    inject(CALL_vkQueueSubmit, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    CHECK(vkb_queue_flush(queue) == VKB_OUT_OF_HOST_MEMORY);
    CHECK(injected() && vkb_event_ask(event) == STATUS_HOST_MEMORY);
    vkb_event_release(event);
    OK(add(&enqueue, a, b, 100, 1, false));
    OK(vkb_event_wait(event, UINT64_MAX));
    vkb_event_release(event);
    vkb_queue_release(queue);
}

/* Nobody waits but a pool thread, whose wait fails. */
static void test_background_wait(VkResult error)
{
    struct vkb_queue *queue = make_lone_queue(0);
    struct vkb_event *event = NULL;
    struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    for (int round = 0; round < 3; round++) {
        struct call_record record = {0};
        OK(add(&enqueue, a, b, 1000, 1, false));
        inject(CALL_vkWaitSemaphores, 1, error);
        OK(vkb_event_on_status(event, VKB_COMPLETE, on_call, &record));
        CHECK(called(&record) && record.status == VKB_COMPLETE);
        injected();
        vkb_event_release(event);
    }
    vkb_queue_release(queue);
}

static void test_pipeline_again(void)
{
    static const VkResult errors[] = {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_UNKNOWN};
    struct vkb_pipeline *pipeline;
    for (uint32_t i = 0; i < ARRAY_LENGTH(errors); i++) {
        uint32_t size = 40 + i;
        inject(CALL_vkCreateComputePipelines, 1, errors[i]);
        CHECK(vkb_shader_pipeline(add_shader, &size, 1, 0, &pipeline) != VKB_SUCCESS && !pipeline);
        CHECK(injected());
        OK(vkb_shader_pipeline(add_shader, &size, 1, 0, &pipeline));
        CHECK(pipeline != NULL);
    }
    /* ahead, in the background */
    inject(CALL_vkCreateComputePipelines, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    vkb_shader_prefetch(add_shader, &(uint32_t){50}, 1, 0);
    for (int i = 0; i < 5000 && atomic_load(&failing_after) > 0; i++)
        usleep(1000);
    CHECK(injected());
    OK(vkb_shader_pipeline(add_shader, &(uint32_t){50}, 1, 0, &pipeline));
}

static atomic_uint num_barriers;
static PFN_vkCmdPipelineBarrier real_barrier;

static VKAPI_ATTR void VKAPI_CALL counting_barrier(VkCommandBuffer cmd, VkPipelineStageFlags src,
                                                   VkPipelineStageFlags dst, VkDependencyFlags flags,
                                                   uint32_t num_memory, const VkMemoryBarrier *memory,
                                                   uint32_t num_buffers, const VkBufferMemoryBarrier *buffers,
                                                   uint32_t num_images, const VkImageMemoryBarrier *images)
{
    num_barriers++;
    real_barrier(cmd, src, dst, flags, num_memory, memory, num_buffers, buffers, num_images, images);
}

/* What another queue did is visible behind a marker that waits for it, though it ended long ago. */
static void test_marker_of_the_past(void)
{
    struct vkb_queue *queue = make_lone_queue(0), *other = make_queue(0);
    struct vkb_event *event = NULL;
    struct vkb_enqueue enqueue = {.queue = other, .event = &event};
    OK(add(&enqueue, a, b, 100, 1, false));
    OK(vkb_queue_wait(other));
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &event};
    OK(vkb_cmd_marker(&enqueue, false));
    uint32_t before = num_barriers;
    enqueue = on(queue);
    OK(add(&enqueue, b, a, 100, 1, false));
    CHECK(num_barriers == before + 1);
    OK(vkb_queue_wait(queue));
    vkb_event_release(event);
    vkb_queue_release(queue);
    vkb_queue_release(other);
}

static atomic_bool enqueued_all;

static void *enqueue_far_ahead(void *data)
{
    struct vkb_enqueue enqueue = on(data);
    for (int i = 0; i < 300; i++) {
        OK(add(&enqueue, a, b, 10, 1, false));
        OK(vkb_queue_flush(data));
    }
    atomic_store(&enqueued_all, true);
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL standing_counter(VkDevice handle, VkSemaphore semaphore, uint64_t *value)
{
    if (!atomic_load(&gpu_stands))
        return real_table.vkGetSemaphoreCounterValue(handle, semaphore, value);
    *value = 0;
    return VK_SUCCESS;
}

/* One thread is so far ahead of the GPU that it must wait; others may still ask. */
static void test_throttle(void)
{
    struct vkb_queue *queue = make_lone_queue(0);
    struct vkb_event *event = NULL;
    struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    pthread_t thread;
    OK(add(&enqueue, a, b, 100, 1, false));
    atomic_store(&enqueued_all, false);
    atomic_store(&gpu_stands, true);
    OK(vkb_queue_flush(queue));
    CHECK(pthread_create(&thread, NULL, enqueue_far_ahead, queue) == 0);
    /* While the GPU stands, one that had to wait for it would never come back. */
    for (int i = 0; i < 500; i++) {
        CHECK(vkb_event_ask(event) >= 0);
        OK(vkb_queue_flush(queue));
        usleep(1000);
    }
    CHECK(!atomic_load(&enqueued_all));
    atomic_store(&gpu_stands, false);
    pthread_join(thread, NULL);
    CHECK(atomic_load(&enqueued_all));
    OK(vkb_queue_wait(queue));
    vkb_event_release(event);
    vkb_queue_release(queue);
}

static struct vkb_queue *watched;
static pthread_t application; /* its main thread */
static atomic_uint freed, allocated, locked;

/* Counts calls of the driver that come from under a lock which others need for a moment only. */
static void watch_locks(void)
{
#ifdef __GLIBC__
    if (watched && watched->lock.__data.__owner == gettid())
        locked++;
    if (device->memory->lock.__data.__owner == gettid())
        locked++;
#endif
}

static VKAPI_ATTR void VKAPI_CALL watching_free(VkDevice handle, VkDeviceMemory memory,
                                                const VkAllocationCallbacks *callbacks)
{
    watch_locks();
    if (watched && pthread_equal(pthread_self(), application))
        locked++; /* who releases does not wait for the driver */
    twin_vkFreeMemory(handle, memory, callbacks);
    freed++;
}

static VKAPI_ATTR VkResult VKAPI_CALL watching_allocate(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                        const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory)
{
    watch_locks();
    allocated++;
    return twin_vkAllocateMemory(handle, info, callbacks, memory);
}

/* The last reference to a large buffer is a command's. Nothing may be kept, so the memory goes back to the driver. */
static void test_free_unlocked(void)
{
    struct vkb_event *user = NULL;
    uint32_t data[4];
    vkb_memory_trim(device);
    uint64_t most = device->memory->keeps_most, before = atomic_load(&device->memory->held);
    struct vkb_queue *queue = watched = make_queue(0);
    application = pthread_self();
    set_keeps_most(0);
    freed = locked = 0;
    for (int i = 0; i < 4; i++) {
        struct vkb_buffer *large = make_buffer(64 << 20, false);
        struct vkb_enqueue enqueue = on(queue);
        OK(add(&enqueue, large, b, 100, 1, false));
        if (i >= 2) {
            OK(vkb_event_create_user(&user));
            enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &user};
            OK(vkb_cmd_read(&enqueue, large, 0, sizeof(data), data));
        }
        vkb_buffer_release(large);
        if (i >= 2)
            vkb_event_set_user(user, i == 2 ? 0 : -1);
        OK(vkb_queue_wait(queue));
        vkb_event_release(user);
        user = NULL;
    }
    /* a pool thread may have ended the last command */
    for (int i = 0; i < 5000 && atomic_load(&device->memory->held) > before + (60 << 20); i++)
        usleep(1000);
    CHECK(freed >= 1 && locked == 0 && atomic_load(&device->memory->held) < before + (60 << 20));
    watched = NULL;
    set_keeps_most(most);
    vkb_queue_release(queue);
}

static struct vkb_buffer *small_buffer(void)
{
    return make_buffer(100000, false);
}

static void *fill_pool(void *data)
{
    struct vkb_buffer **buffers = data;
    for (int i = 0; i < 200; i++)
        buffers[i] = small_buffer();
    for (int i = 0; i < 200; i++) {
        vkb_buffer_release(buffers[i]);
        buffers[i] = small_buffer();
    }
    return NULL;
}

/* Small buffers from several threads, so many that their pool grows and shrinks. The parts do not overlap, and not
 * every thread makes a block of its own. */
static void test_small_unlocked(void)
{
    enum { THREADS = 4, BUFFERS = 200 };
    static struct vkb_buffer *buffers[THREADS][BUFFERS];
    pthread_t threads[THREADS];
    freed = allocated = locked = 0;
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, fill_pool, buffers[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct vkb_buffer *const *all = buffers[0];
    for (int i = 0; i < THREADS * BUFFERS; i++) {
        for (int k = 0; k < i; k++)
            CHECK(vkb_buffer_address(all[i]) + 100000 <= vkb_buffer_address(all[k]) ||
                  vkb_buffer_address(all[k]) + 100000 <= vkb_buffer_address(all[i]));
    }
    for (int i = 0; i < THREADS * BUFFERS; i++)
        vkb_buffer_release(all[i]);
    vkb_memory_trim(device);
    CHECK(allocated > 1 && allocated < 20 && freed >= allocated - 1); /* 80 MB, in blocks of 4 to 64 MiB */
    CHECK(locked == 0);
}

/* A thousand kernels to be built ahead, and one that is needed now. */
static void test_many_pipelines(void)
{
    struct vkb_pipeline *pipeline;
    uint32_t processors = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), most = 0;
    for (uint32_t size = 100; size < 600; size++) {
        vkb_shader_prefetch(spill_shader, &size, 1, 0);
        most = vkb_pool_num_threads() > most ? vkb_pool_num_threads() : most;
    }
    OK(vkb_shader_pipeline(spill_shader, &(uint32_t){599}, 1, 0, &pipeline));
    CHECK(most <= processors + 20);
}

struct host_record {
    atomic_int ran, dropped;
};

static void host_call(void *data, bool run)
{
    struct host_record *record = data;
    atomic_fetch_add(run ? &record->ran : &record->dropped, 1);
}

/* A host command that never runs is told so, once: what belongs to it must be freed. */
static void test_dropped_host_call(void)
{
    struct host_record record = {0};
    struct vkb_queue *queue = make_lone_queue(0);
    struct vkb_event *user = NULL, *event = NULL;
    OK(vkb_event_create_user(&user));
    struct vkb_enqueue enqueue = {.queue = queue, .num_waits = 1, .waits = &user, .event = &event};
    OK(vkb_cmd_host(&enqueue, host_call, &record));
    vkb_event_set_user(user, -5);
    CHECK(vkb_event_wait(event, UINT64_MAX) == VKB_WAIT_FAILED);
    OK(vkb_queue_wait(queue));
    for (int i = 0; i < 5000 && !atomic_load(&record.dropped); i++)
        usleep(1000);
    CHECK(record.ran == 0 && record.dropped == 1);
    vkb_event_release(user);
    vkb_event_release(event);
    vkb_queue_release(queue);
}

/* The host's work waits for a batch whose end a third thread sees first: one that needs memory, or only asks. That
 * thread has the lock from the moment that the work is known to wait, so that the pool thread which is to wait for the
 * batch mostly finds none. */
static void test_retired_by_others(void)
{
    struct vkb_queue *queue = make_lone_queue(0);
    struct host_record record = {0};
    for (int round = 1; round <= 50 && record.ran == round - 1; round++) {
        struct vkb_enqueue enqueue = on(queue);
        atomic_store(&gpu_stands, true);
        OK(add(&enqueue, a, b, 100, 1, false));
        OK(vkb_cmd_host(&enqueue, host_call, &record));
        OK(vkb_queue_flush(queue));
        bool waits = false;
        while (!waits) {
            pthread_mutex_lock(&queue->lock);
            waits = queue->held_first && queue->held_first->need_known;
            if (!waits)
                vkb_queue_unlock(queue);
        }
        atomic_store(&gpu_stands, false);
        OK(vkb_queue_await(queue, queue->submitted, UINT64_MAX));
        vkb_batch_retire(queue);
        vkb_queue_unlock(queue);
        for (int i = 0; i < 5000 && record.ran < round; i++)
            usleep(1000);
        CHECK(record.ran == round);
    }
    OK(vkb_queue_wait(queue));
    vkb_queue_release(queue);
}

/* Work of the host that nothing stands before, in a queue where an earlier command already waits for ever: a flush, or
 * the question how far it is, is enough to let it go on. */
static void test_demanded_again(bool asks)
{
    struct vkb_queue *queue = make_lone_queue(VKB_QUEUE_OUT_OF_ORDER);
    struct host_record first = {0}, second = {0};
    struct vkb_event *user = NULL, *event = NULL;
    OK(vkb_event_create_user(&user));
    struct vkb_enqueue enqueue = {.queue = queue, .num_waits = 1, .waits = &user};
    OK(vkb_cmd_host(&enqueue, host_call, &first));
    OK(vkb_queue_flush(queue));
    for (int i = 0; i < 5000 && atomic_load(&queue->kicks_busy); i++)
        usleep(1000);
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &event};
    OK(vkb_cmd_host(&enqueue, host_call, &second));
    if (!asks)
        OK(vkb_queue_flush(queue));
    for (int i = 0; i < 3000 && !second.ran; i++) {
        if (asks)
            CHECK(vkb_event_ask(event) >= 0);
        usleep(1000);
    }
    CHECK(second.ran == 1 && first.ran == 0);
    vkb_event_set_user(user, 0);
    OK(vkb_queue_wait(queue));
    CHECK(first.ran == 1);
    vkb_event_release(event);
    vkb_event_release(user);
    vkb_queue_release(queue);
}

static atomic_bool blocks;

static void blocking_call(void *data, bool run)
{
    atomic_store(&blocks, true);
    CHECK(run && called(data));
}

/* Work of the host waits for a kernel, and then for the callback of a later one: it must not keep the thread that ends
 * the later one's batch. */
static void test_blocking_host_call(void)
{
    struct vkb_queue *queue = make_lone_queue(VKB_QUEUE_OUT_OF_ORDER);
    struct call_record record = {0};
    struct vkb_event *first = NULL, *last = NULL;
    struct vkb_enqueue enqueue = {.queue = queue, .event = &first};
    atomic_store(&gpu_stands, true);
    OK(add(&enqueue, a, b, 100, 1, false));
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &first};
    OK(vkb_cmd_host(&enqueue, blocking_call, &record));
    OK(vkb_queue_flush(queue));
    usleep(50000);
    atomic_store(&gpu_stands, false);
    for (int i = 0; i < 5000 && !atomic_load(&blocks); i++)
        usleep(1000);
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &last};
    OK(add(&enqueue, a, b, 100, 1, false));
    OK(vkb_event_on_status(last, VKB_COMPLETE, on_call, &record));
    OK(vkb_queue_flush(queue));
    CHECK(called(&record));
    OK(vkb_queue_wait(queue));
    vkb_event_release(first);
    vkb_event_release(last);
    vkb_queue_release(queue);
}

/* The device is lost while a command waits for an event that nobody will ever set. */
static void test_lost_behind_user_event(void)
{
    struct host_record host = {0};
    struct call_record record = {0};
    struct vkb_queue *queue = make_lone_queue(0);
    struct vkb_event *user = NULL, *held = NULL, *host_held = NULL;
    uint32_t data[16];
    OK(vkb_event_create_user(&user));
    struct vkb_enqueue enqueue = {.queue = queue, .num_waits = 1, .waits = &user, .event = &held};
    OK(vkb_cmd_read(&enqueue, a, 0, sizeof(data), data));
    enqueue.event = &host_held;
    OK(vkb_cmd_host(&enqueue, host_call, &host));
    OK(vkb_event_on_status(host_held, VKB_COMPLETE, on_call, &record));
    vkb_device_mark_lost(device);
    CHECK(vkb_event_wait(held, 60000000000u) == VKB_DEVICE_LOST);
    CHECK(called(&record) && record.status < 0);
    CHECK(vkb_queue_wait(queue) == VKB_DEVICE_LOST);
    vkb_event_release(held);
    vkb_event_release(host_held);
    vkb_event_set_user(user, 0);
    vkb_event_release(user);
    vkb_queue_release(queue);
    for (int i = 0; i < 5000 && !atomic_load(&host.dropped); i++)
        usleep(1000);
    CHECK(host.ran == 0 && host.dropped == 1);
    CHECK(queues_are_gone());
}

static void test_trouble(void)
{
    install_table(&device->vk);
    real_barrier = device->vk.vkCmdPipelineBarrier;
    device->vk.vkCmdPipelineBarrier = counting_barrier;
    device->vk.vkGetSemaphoreCounterValue = standing_counter;
    device->vk.vkFreeMemory = watching_free;
    device->vk.vkAllocateMemory = watching_allocate;
    make_shaders();
    a = make_buffer(4096, true);
    b = make_buffer(4096, true);
    run_first();
    test_lost_batch(0);
    test_lost_batch(VKB_QUEUE_OUT_OF_ORDER);
    test_events_only();
    test_background_wait(VK_ERROR_OUT_OF_HOST_MEMORY);
    test_background_wait(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    test_pipeline_again();
    test_marker_of_the_past();
    test_throttle();
    test_free_unlocked();
    test_small_unlocked();
    test_many_pipelines();
    test_dropped_host_call();
    test_retired_by_others();
    test_demanded_again(false);
    test_demanded_again(true);
    test_blocking_host_call();
    test_lost_behind_user_event();
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
}

int main(void)
{
    return test_devices(test_trouble);
}
