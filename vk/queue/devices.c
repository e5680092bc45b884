/* What knows all queues of a device: opening it, its clock, making room when memory is short, and its end. */
#include "vk/device/device.h"
#include "vk/memory/memory.h"
#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/event.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"
#include "vk/shader/shader.h"

#include <unistd.h>

/* Without the extension: submits nothing but a timestamp, which lies between the host's times before and after. A
 * device that is busy for others, or executes nothing, gets no clock. */
#define ESTIMATE_NS UINT64_C(1000000000)

static bool estimated(struct vkb_device *device, uint64_t *device_ns, uint64_t *host_ns)
{
    struct vkb_queue *queue;
    struct vkb_event *event = NULL;
    if (!device->caps.timestamp_bits ||
        vkb_queue_create(device, VKB_QUEUE_PROFILING | VKB_QUEUE_EVENTS_ONLY, &queue) != VKB_SUCCESS)
        return false;
    const struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    uint64_t before = time_ns();
    bool ok = vkb_cmd_marker(&enqueue, false) == VKB_SUCCESS && vkb_event_wait(event, ESTIMATE_NS) == VKB_SUCCESS;
    uint64_t after = time_ns();
    if (ok) {
        *host_ns = before + (after - before) / 2;
        *device_ns = vkb_event_profile(event).end;
    }
    if (event)
        vkb_event_release(event);
    vkb_queue_release(queue);
    return ok && *device_ns;
}

static void calibrate(struct vkb_device *device)
{
    uint64_t device_ns, host_ns;
    if (vkb_device_calibrated(device, &device_ns, &host_ns) || estimated(device, &device_ns, &host_ns))
        vkb_device_set_clock(device, device_ns, host_ns);
}

enum vkb_result vkb_device_time(struct vkb_device *device, uint64_t *device_ns, uint64_t *host_ns)
{
    if (vkb_device_lost(device))
        return VKB_DEVICE_LOST;
    if (vkb_device_calibrated(device, device_ns, host_ns)) {
        vkb_device_set_clock(device, *device_ns, *host_ns);
        return VKB_SUCCESS;
    }
    *host_ns = time_ns();
    *device_ns = vkb_device_ns_from_host(device, *host_ns);
    return VKB_SUCCESS;
}

/* ---- opening ---- */

/* What the rooms keep for a device. What is there from an earlier attempt stays. */
static enum vkb_result make_rooms(struct vkb_device *device)
{
    enum vkb_result result = vkb_memory_init(device);
    if (result == VKB_SUCCESS)
        result = vkb_shaders_init(device);
    if (result == VKB_SUCCESS)
        result = vkb_bulk_init(device);
    return result == VKB_SUCCESS ? vkb_texels_init(device) : result;
}

static enum vkb_result open_device(struct vkb_device *device)
{
    if (!device->caps.qualifies)
        return VKB_UNSUPPORTED;
    enum vkb_result result = vkb_device_create_handle(device);
    if (result != VKB_SUCCESS)
        return result;
    const VkPipelineCacheCreateInfo cache = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    result = CHECK(device, device->vk.vkCreatePipelineCache(device->handle, &cache, NULL, &device->pipeline_cache));
    if (result == VKB_SUCCESS)
        result = make_rooms(device);
    if (result != VKB_SUCCESS) {
        device->vk.vkDestroyPipelineCache(device->handle, device->pipeline_cache, NULL);
        device->vk.vkDestroyDevice(device->handle, NULL);
        device->pipeline_cache = VK_NULL_HANDLE;
        device->handle = VK_NULL_HANDLE;
        return result;
    }
    /* On a CPU driver spinning would take processor time from the kernel that is waited for, and so would a kernel that
     * starts while the program still prepares the next ones. lavapipe even makes no pipeline while a kernel runs. */
    bool is_cpu = device->caps.type == VKB_DEVICE_CPU;
    device->spin_ns = is_cpu ? 0 : (uint64_t)device->caps.doze_us * 1000;
    device->prompt = !is_cpu;
    if (device->caps.compile_only)
        vkb_device_set_compile_only(device);
    else
        calibrate(device);
    return VKB_SUCCESS;
}

enum vkb_result vkb_device_open(struct vkb_device *device)
{
    if (vkb_gone())
        return VKB_DEVICE_LOST;
    if (atomic_load(&device->open))
        return VKB_SUCCESS;
    pthread_mutex_lock(&device->open_lock);
    if (!device->open_tried) {
        device->open_result = vkb_instance_open(device->instance) ? open_device(device) : VKB_DEVICE_LOST;
        /* Memory may be there the next time. */
        device->open_tried =
            device->open_result != VKB_OUT_OF_HOST_MEMORY && device->open_result != VKB_OUT_OF_DEVICE_MEMORY;
        if (device->open_result == VKB_SUCCESS)
            atomic_store(&device->open, true);
    }
    enum vkb_result result = device->open_result;
    pthread_mutex_unlock(&device->open_lock);
    return result;
}

/* ---- all queues of a device ---- */

/* The next queue, which the caller keeps from here on. It keeps one at a time, because no thread may have two queues'
 * locks, and none may be taken under queues_lock. */
static struct vkb_queue *next_queue(struct vkb_device *device, struct vkb_queue *after)
{
    pthread_mutex_lock(&device->queues_lock);
    struct vkb_queue *queue = after ? after->next_queue : device->first_queue;
    /* A queue whose last keeper is going is still in the list. The thread that drops it destroys it. */
    while (queue) {
        unsigned keepers = atomic_load(&queue->keepers);
        while (keepers && !atomic_compare_exchange_weak(&queue->keepers, &keepers, keepers + 1))
            ;
        if (keepers)
            break;
        queue = queue->next_queue;
    }
    pthread_mutex_unlock(&device->queues_lock);
    if (after)
        vkb_queue_drop(after);
    return queue;
}

static void reclaim(struct vkb_device *device)
{
    vkb_queue_defer_ends(true); /* the last keeper may go with a batch, or be this function */
    for (struct vkb_queue *queue = next_queue(device, NULL); queue; queue = next_queue(device, queue)) {
        /* The thread that asks for memory may have a queue's lock already, so it must never wait for one here. */
        if (pthread_mutex_trylock(&queue->lock) == 0) {
            vkb_batch_retire(queue);
            vkb_queue_unlock_batches(queue);
        }
    }
    vkb_queue_defer_ends(false);
}

/* Ends what has finished, and waits for other threads that have begun to drop what finished batches used: memory may
 * be among it. */
static bool drop_done(struct vkb_queue *queue, uint64_t deadline_ns)
{
    pthread_mutex_lock(&queue->lock);
    vkb_batch_retire(queue);
    bool others = atomic_load(&queue->dropping) > 0, done = vkb_queue_unlock_batches(queue);
    while (atomic_load(&queue->dropping) && time_ns() < deadline_ns)
        usleep(100);
    return done || others;
}

static bool drain(struct vkb_device *device, uint64_t deadline_ns)
{
    bool busy = false;
    for (struct vkb_queue *queue = next_queue(device, NULL); queue; queue = next_queue(device, queue)) {
        pthread_mutex_lock(&queue->lock);
        vkb_batch_submit(queue); /* if this fails, it ends the batch's events */
        uint64_t value = queue->first ? queue->submitted : 0;
        pthread_mutex_unlock(&queue->lock);
        if (value) {
            busy = true;
            vkb_queue_await(queue, value, deadline_ns);
        }
        busy |= drop_done(queue, deadline_ns);
    }
    return busy;
}

/* Ends all work of a lost device: callbacks and held commands must end even if no thread waits for them. */
static void end_lost(void *data)
{
    struct vkb_device *device = data;
    for (struct vkb_queue *queue = next_queue(device, NULL); queue; queue = next_queue(device, queue))
        vkb_queue_progress(queue, PROGRESS_BACKEND);
}

static void submit_last(struct vkb_device *device, uint64_t deadline_ns)
{
    if (!atomic_load(&device->open) || vkb_device_lost(device))
        return;
    for (struct vkb_queue *queue = next_queue(device, NULL); queue; queue = next_queue(device, queue))
        vkb_queue_submit_last(queue, deadline_ns);
}

static void exit_device(struct vkb_device *device, uint64_t deadline_ns)
{
    if (!atomic_load(&device->open) || vkb_device_lost(device))
        return;
    for (struct vkb_queue *queue = next_queue(device, NULL); queue; queue = next_queue(device, queue))
        vkb_queue_exit(queue, deadline_ns);
    vkb_cache_save(device);
}

static const struct device_work work = {
    .reclaim = reclaim,
    .drain = drain,
    .end_lost = end_lost,
    .submit_last = submit_last,
    .exit = exit_device,
};

static struct vkb_instance *the_instance;

static void make_instance(void)
{
    the_instance = vkb_instance_create(&work);
}

struct vkb_instance *vkb_instance_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_instance);
    return the_instance;
}
