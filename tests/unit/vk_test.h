/* What the tests of the backend share: the device under test, small helpers, and one kernel that they all run. */
#ifndef TESTS_UNIT_VK_TEST_H
#define TESTS_UNIT_VK_TEST_H

#include "vk/device/device.h"
#include "vk/memory/buffer.h"
#include "vk/memory/image.h"
#include "vk/memory/memory.h"
#include "vk/queue/queue.h"
#include "vk/shader/shader.h"
#include "vk/vk.h"

#include "vk_kernels.h"

#undef CHECK
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK(call) CHECK((call) == VKB_SUCCESS)

static struct vkb_device *device;
static uint32_t seed = 1;

static inline uint32_t next_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static inline void fill_random(uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)next_random();
}

static inline struct vkb_queue *make_queue(uint32_t flags)
{
    struct vkb_queue *queue = NULL;
    OK(vkb_queue_create(device, flags, &queue));
    return queue;
}

/* A queue that submits nothing behind the test's back: it seems that a pool thread looks after it already. */
static inline struct vkb_queue *make_lone_queue(uint32_t flags)
{
    struct vkb_queue *queue = make_queue(flags);
    pthread_mutex_lock(&queue->lock);
    queue->looked_after = true;
    vkb_queue_unlock(queue);
    return queue;
}

static inline struct vkb_buffer *make_buffer(uint64_t size, bool hidden)
{
    struct vkb_buffer *buffer = NULL;
    OK(vkb_buffer_create(device, size, VKB_MEMORY_DEVICE, &buffer));
    if (hidden) {
        buffer->map = NULL;
        buffer->cached = false;
    }
    return buffer;
}

/* How much of what nothing uses may stay; the keeper looks at it. */
static inline void set_keeps_most(uint64_t most)
{
    pthread_mutex_lock(&device->memory->lock);
    device->memory->keeps_most = most;
    pthread_mutex_unlock(&device->memory->lock);
}

static inline struct vkb_enqueue on(struct vkb_queue *queue)
{
    return (struct vkb_enqueue){.queue = queue};
}

static inline void write_now(struct vkb_queue *queue, struct vkb_buffer *buffer, uint64_t offset, const void *data,
                             uint64_t size)
{
    struct vkb_enqueue enqueue = on(queue);
    OK(vkb_cmd_write(&enqueue, buffer, offset, size, data, false));
}

static inline void read_now(struct vkb_queue *queue, struct vkb_buffer *buffer, uint64_t offset, void *data,
                            uint64_t size)
{
    struct vkb_event *event = NULL;
    struct vkb_enqueue enqueue = {.queue = queue, .event = &event};
    OK(vkb_cmd_read(&enqueue, buffer, offset, size, data));
    OK(vkb_event_wait(event, UINT64_MAX));
    CHECK(vkb_event_ask(event) == VKB_COMPLETE);
    vkb_event_release(event);
}

/* ---- the kernel ---- */

struct block {
    uint64_t src, dst;
    uint32_t count, value, base[3], padding;
};

static struct vkb_shader *add_shader, *spill_shader;

static inline enum vkb_result add(const struct vkb_enqueue *enqueue, struct vkb_buffer *src, struct vkb_buffer *dst,
                                  uint32_t count, uint32_t value, bool spill)
{
    const uint32_t local = 64;
    struct vkb_shader *shader = spill ? spill_shader : add_shader;
    struct vkb_pipeline *pipeline;
    enum vkb_result result = vkb_shader_pipeline(shader, &local, 1, 0, &pipeline);
    if (result != VKB_SUCCESS)
        return result;
    const struct block block = {vkb_buffer_address(src), vkb_buffer_address(dst), count, value, {0}, 0};
    /* the spilling kernel runs in two parts */
    uint32_t groups = (count + local - 1) / local, half = spill && groups > 1 ? groups / 2 : groups;
    const struct vkb_grid grids[] = {
        {.pipeline = pipeline, .groups = {half, 1, 1}},
        {.pipeline = pipeline, .groups = {groups - half, 1, 1}, .group_base = {half, 0, 0}},
    };
    const struct vkb_access accesses[] = {{.buffer = src, .reads = true}, {.buffer = dst, .writes = true}};
    const struct vkb_dispatch dispatch = {
        .shader = shader,
        .block = &block,
        .block_size = spill ? sizeof(block) : 24,
        .block_in_push_constants = !spill,
        .group_base_offset = spill ? (int32_t)offsetof(struct block, base) : -1,
        .grids = grids,
        .num_grids = groups > half ? 2 : 1,
        .accesses = accesses,
        .num_accesses = 2,
    };
    return vkb_cmd_dispatch(enqueue, &dispatch);
}

static atomic_int order_of_calls;

struct call_record {
    int32_t status;
    int place;
    atomic_bool done;
};

static inline void on_call(void *data, int32_t status)
{
    struct call_record *record = data;
    record->status = status;
    record->place = atomic_fetch_add(&order_of_calls, 1);
    atomic_store(&record->done, true);
}

static inline bool called(struct call_record *record)
{
    for (int i = 0; i < 5000 && !atomic_load(&record->done); i++)
        usleep(1000);
    return atomic_load(&record->done);
}

/* A command of the host's, which counts how often it ran. data: an atomic_int. */
static inline void host_increment(void *data, bool run)
{
    atomic_fetch_add((atomic_int *)data, run);
}

static inline void make_shaders(void)
{
    OK(vkb_shader_create(device, kernel_add, ARRAY_LENGTH(kernel_add), 24, &add_shader));
    OK(vkb_shader_create(device, kernel_spill, ARRAY_LENGTH(kernel_spill), 8, &spill_shader));
}

/* Runs test on every device that qualifies, which makes main's result. */
static inline int test_devices(void (*test)(void))
{
    struct vkb_instance *instance = vkb_instance_get();
    uint32_t tested = 0;
    for (uint32_t i = 0; i < vkb_instance_num_devices(instance); i++) {
        device = vkb_instance_device(instance, i);
        const struct vkb_caps *caps = vkb_device_caps(device);
        if (!caps->qualifies) {
            printf("%s: %s\n", caps->name, caps->why_not);
            continue;
        }
        printf("%s (%s %s), %u queues\n", caps->name, caps->driver_name, caps->driver_info, caps->num_queues);
        OK(vkb_device_open(device));
        test();
        tested++;
    }
    if (!tested) {
        printf("no device qualifies\n");
        return 77;
    }
    return test_result();
}

#endif
