/* What a process's first launch and first read would wait for, made ahead of them.
 *
 * On an H100, NVIDIA's driver takes 0.7 ms for a process's first command buffer, 0.05 to 0.15 ms for each further one,
 * and 1.2 ms for the first 4 MiB of the host's memory. A process that has made a queue is going to need both, but has
 * programs to build and data to read before. So a thread of the pool makes them meanwhile, once for each device.
 *
 * Processes without a queue pay nothing. A driver on the processor is quick with all of it. */
#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/staging.h"
#include "vk/queue/batch.h"
#include "vk/queue/queue.h"

/* As many as a row of launches keeps in flight (due.c), and the one that is being recorded. */
enum { BATCHES = 3, PAGE = 4096 };

/* Memory that reads come by. Its pages are touched, since the first touch of each costs the host a fault. */
static void make_download(struct vkb_device *device)
{
    struct staging_chunk *chunk;
    if (vkb_staging_chunk_get(device, STAGING_DOWNLOAD, &chunk) != VKB_SUCCESS)
        return; /* a read will try again, and tell */
    for (uint64_t at = 0; at < STAGING_CHUNK; at += PAGE)
        *(volatile char *)(chunk->buffer->map + at) = 0;
    vkb_staging_chunk_release(device, chunk);
}

void vkb_ahead_task(void *data)
{
    struct vkb_queue *queue = data;
    vkb_batch_make_some(queue, BATCHES);
    make_download(queue->device);
    vkb_queue_drop(queue);
}

void vkb_queue_make_ahead(struct vkb_queue *queue)
{
    struct vkb_device *device = queue->device;
    if (!device->prompt || device->caps.compile_only || queue->flags & (VKB_QUEUE_EVENTS_ONLY | VKB_QUEUE_LANE) ||
        atomic_exchange(&device->made_ahead, true))
        return;
    vkb_queue_keep(queue);
    vkb_pool_run(&queue->ahead_task);
}
