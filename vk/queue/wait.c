/* Waiting for a queue's timeline.
 *
 * A wait spins first: a blocked thread wakes up to 20 us later than a spinning one. Soon it yields between looks, so that
 * only a processor that is idle otherwise is kept busy. Then it naps between looks, and at last it blocks.
 *
 * Where many processes use one GPU, each waits for its turn even with the least of its work, and a process that spins
 * takes a processor from all others, the driver's own threads among them. So the device remembers what batches of small
 * transfers have lately taken from their submission, when nothing of this process was before them. If that is much longer
 * than the work takes, waits spin for a moment only, and their first naps last for a good part of such a turn. */
#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/queue/queue.h"
#include "vk/queue/wait.h"

#include <sched.h>
#include <unistd.h>

/* Waits for the GPU are cut into slices, so that a thread notices a device that was lost and a process that exits. */
#define SLICE_NS 250000000u
/* On queues that may be terminated: threads that wait then return as soon. */
#define SHORT_SLICE_NS 5000000u

/* How long a polling thread keeps the processor before it lets other threads run. */
#define GREEDY_NS   50000u
#define LONG_NAP_NS 500000u
#define DOZE_NS     1000000000u

/* A turn that takes longer is one among those of others. */
#define CROWDED_NS      200000u
#define LONGEST_TURN_NS 8000000u

/* How often a long wait asks whether the device lives. */
#define ASK_NS 2000000000u

/* Waits that fail one after the other before the device counts as lost: some seconds. */
enum { WAITS_TRIED = 1000, RETRY_US = 2000 };

/* ---- how long the GPU takes to come to something ---- */

void vkb_wait_note_turn(struct vkb_device *device, uint64_t took_ns)
{
    uint64_t turn = atomic_load_explicit(&device->turn_ns, memory_order_relaxed);
    uint64_t next = turn - turn / 4 + u64_min(took_ns, LONGEST_TURN_NS) / 4;
    atomic_store_explicit(&device->turn_ns, next, memory_order_relaxed); /* one of two threads' may be lost */
}

static uint64_t turn_of(const struct vkb_device *device)
{
    return atomic_load_explicit(&device->turn_ns, memory_order_relaxed);
}

/* ---- by looking again and again ---- */

/* For how long a wait spins. */
static uint64_t spin_time(const struct vkb_device *device)
{
    return turn_of(device) > CROWDED_NS ? u64_min(GREEDY_NS, device->spin_ns) : device->spin_ns;
}

bool vkb_wait_spin(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns)
{
    struct vkb_device *device = queue->device;
    uint64_t now = time_ns(), end = u64_min(now + spin_time(device), deadline_ns), polite = now + GREEDY_NS, seen = 0;
    do {
        if (now >= polite)
            sched_yield();
        if (device->vk.vkGetSemaphoreCounterValue(device->handle, queue->timeline, &seen) != VK_SUCCESS)
            return false;
        if (seen >= value)
            return true;
        now = time_ns();
    } while (now < end);
    return false;
}

/* Drivers say that a wait has succeeded where it was interrupted, and where they only play a device. */
static bool has_reached(struct vkb_queue *queue, uint64_t value)
{
    struct vkb_device *device = queue->device;
    uint64_t seen = 0;
    return device->vk.vkGetSemaphoreCounterValue(device->handle, queue->timeline, &seen) != VK_SUCCESS || seen >= value;
}

/* How long to nap after so long: a sixty-fourth of that. In a crowd it is a sixteenth, or a quarter of what is left of a
 * turn. */
static uint64_t nap_after(const struct vkb_device *device, uint64_t waited_ns)
{
    uint64_t turn = turn_of(device);
    if (turn <= CROWDED_NS)
        return u64_min(waited_ns / 64, LONG_NAP_NS);
    return u64_min(u64_max(waited_ns / 16, turn > waited_ns ? (turn - waited_ns) / 4 : 0), LONG_NAP_NS);
}

/* Naps between looks at the timeline: a driver may wake a thread that it blocks many milliseconds after the GPU is done,
 * and this one is late by no more than a nap. A driver on the processor is quick, and needs it. False: whoever has waited
 * for so long may block; or something else happened. */
static bool doze(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns, enum wait_kind kind)
{
    const struct vkb_device *device = queue->device;
    const uint64_t began = time_ns(), end = began + DOZE_NS;
    uint64_t before = (uint64_t)device->caps.doze_us * 1000, seen = 0;
    if (device->caps.doze_us == UINT32_MAX)
        return false;
    if (kind == WAIT_FOR_COMMANDS)
        before = u64_min(before, spin_time(device));
    for (uint64_t now = began; now < u64_min(end, deadline_ns); now = time_ns()) {
        if (vkb_device_lost(device) || (kind == WAIT_FOR_COMMANDS && atomic_load(&queue->terminated)) ||
            (kind == WAIT_BACKGROUND && vkb_pool_exiting()) ||
            device->vk.vkGetSemaphoreCounterValue(device->handle, queue->timeline, &seen) != VK_SUCCESS)
            return false;
        if (seen >= value)
            return true;
        uint64_t nap = u64_min(nap_after(device, now - began + before), deadline_ns - now);
        usleep((useconds_t)(nap / 1000));
    }
    return false;
}

/* Whether the device still takes submissions, of nothing here. NVIDIA's driver (580) tells nobody but who submits that the
 * device is lost, and only then those who wait: their waits would never end. */
static bool takes_work(struct vkb_queue *queue)
{
    const VkSubmitInfo none = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
    struct vkb_device *device = queue->device;
    if (!queue->vulkan)
        return true;
    pthread_mutex_lock(&queue->vulkan->lock);
    enum vkb_result result = CHECK(device, device->vk.vkQueueSubmit(queue->vulkan->handle, 1, &none, VK_NULL_HANDLE));
    pthread_mutex_unlock(&queue->vulkan->lock);
    return result != VKB_DEVICE_LOST;
}

enum vkb_result vkb_wait_timeline(struct vkb_queue *queue, uint64_t value, uint64_t deadline_ns, enum wait_kind kind)
{
    struct vkb_device *device = queue->device;
    uint32_t failures = 0;
    const uint64_t began = queue->flags & VKB_QUEUE_BOUNDED ? time_ns() : 0;
    uint64_t asked = time_ns();
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &queue->timeline,
        .pValues = &value,
    };
    if (doze(queue, value, deadline_ns, kind))
        return VKB_SUCCESS;
    for (;;) {
        if (vkb_device_lost(device))
            return VKB_DEVICE_LOST;
        if (kind == WAIT_FOR_COMMANDS && atomic_load(&queue->terminated))
            return VKB_WAIT_FAILED;
        uint64_t now = time_ns(), slice = queue->flags & VKB_QUEUE_TERMINABLE ? SHORT_SLICE_NS : SLICE_NS;
        uint64_t left = now < deadline_ns ? u64_min(deadline_ns - now, slice) : 0;
        enum vkb_result result = CHECK(device, device->vk.vkWaitSemaphores(device->handle, &info, left));
        if ((result == VKB_SUCCESS && has_reached(queue, value)) || result == VKB_DEVICE_LOST)
            return result;
        if (time_ns() >= deadline_ns || (kind == WAIT_BACKGROUND && vkb_pool_exiting()))
            return VKB_TIMEOUT;
        if (began && time_ns() - began > vkb_device_patience_ns(device))
            vkb_device_mark_stuck(device);
        if (time_ns() - asked > ASK_NS) {
            if (!takes_work(queue))
                return VKB_DEVICE_LOST;
            asked = time_ns();
        }
        if (result == VKB_SUCCESS)
            usleep(RETRY_US);
        else if (result == VKB_TIMEOUT)
            failures = 0;
        else if (++failures == WAITS_TRIED)
            vkb_device_mark_lost(device); /* nothing can be said about it any more */
        else
            usleep(RETRY_US);
    }
}
