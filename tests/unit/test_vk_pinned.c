/* Transfers whose host's side the device reaches: they are copies of the GPU's and give what staged ones give. Device
 * buffers hide their mapping, so that lavapipe takes the ways of a discrete GPU. */
#include "vk_test.h"

#include "vk/memory/pinned.h"
#include "vk/queue/queue.h"

enum { SIZE = 3 << 20, LEAST = PINNED_LEAST };

static struct vkb_buffer *make_host(uint64_t size)
{
    struct vkb_buffer *buffer = NULL;
    OK(vkb_buffer_create(device, size, VKB_MEMORY_HOST, &buffer));
    CHECK(vkb_buffer_map(buffer) && vkb_buffer_fast_read(buffer));
    return buffer;
}

static bool finds(const void *data, uint64_t size, const struct vkb_buffer *expected)
{
    struct vkb_buffer *found = vkb_pinned_find(device, data, size);
    bool right = found == expected;
    vkb_buffer_release(found);
    return right;
}

/* Any range inside of a buffer is found, and nothing else. */
static void test_find(void)
{
    enum { COUNT = 40 };
    struct vkb_buffer *buffers[COUNT];
    static char elsewhere[LEAST];
    for (int i = 0; i < COUNT; i++)
        buffers[i] = make_host((uint64_t)LEAST + 4096 * (next_random() % 64));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) {
            if (round && i % 2) /* released */
                continue;
            const struct vkb_buffer *expected = buffers[i];
            const char *map = vkb_buffer_map(buffers[i]);
            uint64_t size = vkb_buffer_size(buffers[i]), at = next_random() % size;
            CHECK(finds(map, size, expected));
            CHECK(finds(map + at, size - at, expected));
            CHECK(finds(map + size - 1, 1, expected));
            CHECK(!finds(map + at, size - at + 1, expected)); /* one byte too many */
            CHECK(!finds(map - 1, 2, expected));
            CHECK(!finds(map + size, 1, expected));
        }
        CHECK(finds(elsewhere, sizeof(elsewhere), NULL));
        CHECK(finds((char *)UINTPTR_MAX - 8, 4, NULL));
        CHECK(finds(NULL, 1, NULL));
        for (int i = 1; i < COUNT && !round; i += 2) {
            const char *map = vkb_buffer_map(buffers[i]);
            uint64_t size = vkb_buffer_size(buffers[i]);
            vkb_buffer_release(buffers[i]);
            CHECK(finds(map, size, NULL));
        }
    }
    for (int i = 0; i < COUNT; i += 2)
        vkb_buffer_release(buffers[i]);
    /* small ones are not worth the search */
    struct vkb_buffer *small = make_host(LEAST - 1);
    CHECK(finds(vkb_buffer_map(small), 16, NULL));
    vkb_buffer_release(small);
}

/* Both imports of the same pages may be released first. */
static void test_imports(void)
{
    void *pages = NULL;
    struct vkb_buffer *first = NULL, *second = NULL;
    if (!vkb_device_caps(device)->import_host || posix_memalign(&pages, 65536, 2 * LEAST) != 0)
        return;
    for (int order = 0; order < 2; order++) {
        if (vkb_buffer_import(device, pages, 2 * LEAST, &first) != VKB_SUCCESS)
            break;
        OK(vkb_buffer_import(device, (char *)pages + LEAST, LEAST, &second));
        CHECK(finds((char *)pages + LEAST, LEAST, first));
        vkb_buffer_release(order ? first : second);
        CHECK(finds((char *)pages + LEAST, LEAST, order ? NULL : first));
        vkb_buffer_release(order ? second : first);
        CHECK(finds(pages, LEAST, NULL));
    }
    free(pages);
}

static uint64_t part(uint64_t least, uint64_t most)
{
    return least + next_random() % (most - least + 1);
}

/* Writes and reads of every size between a device's buffer, pinned memory and ordinary memory, in one queue. */
static void test_bytes(uint32_t flags)
{
    struct vkb_queue *queue = make_queue(flags);
    struct vkb_buffer *buffer = make_buffer(SIZE, true), *host = make_host(SIZE);
    uint8_t *pinned = vkb_buffer_map(host), *model = malloc(SIZE), *plain = malloc(SIZE), *plain_model = malloc(SIZE);
    fill_random(pinned, SIZE);
    fill_random(plain, SIZE);
    memcpy(plain_model, plain, SIZE);
    write_now(queue, buffer, 0, pinned, SIZE);
    OK(vkb_queue_wait(queue));
    memcpy(model, pinned, SIZE);
    uint8_t *pinned_model = malloc(SIZE);
    memcpy(pinned_model, pinned, SIZE);
    for (int i = 0; i < 120; i++) {
        uint64_t size = i % 3 ? part(1, 4 * LEAST) : part(1, SIZE / 2), at = part(0, SIZE - size),
                 there = part(0, SIZE - size);
        bool write = next_random() % 2, is_pinned = next_random() % 4 != 0;
        uint8_t *memory = is_pinned ? pinned : plain, *memory_model = is_pinned ? pinned_model : plain_model;
        struct vkb_enqueue enqueue = on(queue);
        if (write) {
            OK(vkb_cmd_write(&enqueue, buffer, at, size, memory + there, true));
            memcpy(model + at, memory_model + there, size);
        } else {
            OK(vkb_cmd_read(&enqueue, buffer, at, size, memory + there));
            memcpy(memory_model + there, model + at, size);
        }
        if (next_random() % 16 == 0)
            OK(vkb_queue_flush(queue));
    }
    OK(vkb_queue_wait(queue));
    CHECK(memcmp(pinned, pinned_model, SIZE) == 0);
    CHECK(memcmp(plain, plain_model, SIZE) == 0);
    read_now(queue, buffer, 0, plain, SIZE);
    CHECK(memcmp(plain, model, SIZE) == 0);
    vkb_buffer_release(buffer);
    vkb_buffer_release(host);
    vkb_queue_release(queue);
    free(model);
    free(plain);
    free(plain_model);
    free(pinned_model);
}

/* No thread of the host has to do anything for a transfer of pinned memory, however large it is. Of ordinary memory it
 * has. */
static void test_way(void)
{
    struct vkb_queue *queue = make_queue(0);
    struct vkb_buffer *buffer = make_buffer(SIZE, true), *host = make_host(SIZE);
    char *plain = calloc(1, SIZE);
    struct vkb_enqueue enqueue = on(queue);
    OK(vkb_cmd_write(&enqueue, buffer, 0, SIZE, vkb_buffer_map(host), true));
    OK(vkb_cmd_read(&enqueue, buffer, 0, SIZE, vkb_buffer_map(host)));
    pthread_mutex_lock(&queue->lock);
    CHECK(!queue->held_first);
    vkb_queue_unlock(queue);
    OK(vkb_cmd_read(&enqueue, buffer, 0, SIZE, plain));
    pthread_mutex_lock(&queue->lock);
    CHECK(queue->held_first);
    vkb_queue_unlock(queue);
    /* Behind it, one of pinned memory is held too; the memory may be given back meanwhile. */
    OK(vkb_cmd_write(&enqueue, buffer, 0, SIZE, vkb_buffer_map(host), true));
    vkb_buffer_release(host);
    OK(vkb_queue_wait(queue));
    vkb_buffer_release(buffer);
    vkb_queue_release(queue);
    free(plain);
}

/* A rectangle whose rows lie apart on both sides, and one of a buffer into itself. */
static void test_rects(void)
{
    enum { WIDTH = 700, HEIGHT = 300, HOST_PITCH = 1000, PITCH = 900 };
    struct vkb_queue *queue = make_queue(0);
    struct vkb_buffer *buffer = make_buffer(SIZE, true), *host = make_host(SIZE);
    uint8_t *pinned = vkb_buffer_map(host), *before = malloc(SIZE);
    fill_random(pinned, SIZE);
    memcpy(before, pinned, SIZE);
    /* The pointer lies before the memory that the rectangle touches, and here before the buffer. */
    const uint8_t *origin = pinned + 4 - 50 * HOST_PITCH;
    struct vkb_rect rect = {.src_offset = 50 * HOST_PITCH + 3,
                            .src_row_pitch = HOST_PITCH,
                            .src_slice_pitch = HOST_PITCH * 400,
                            .dst_offset = 17,
                            .dst_row_pitch = PITCH,
                            .dst_slice_pitch = PITCH * HEIGHT,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .depth = 1};
    struct vkb_enqueue enqueue = on(queue);
    OK(vkb_cmd_write_rect(&enqueue, buffer, origin, &rect, true));
    struct vkb_rect back = {.src_offset = 17,
                            .src_row_pitch = PITCH,
                            .src_slice_pitch = PITCH * HEIGHT,
                            .dst_offset = 1 << 20,
                            .dst_row_pitch = WIDTH,
                            .dst_slice_pitch = WIDTH * HEIGHT,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .depth = 1};
    OK(vkb_cmd_read_rect(&enqueue, buffer, pinned, &back));
    OK(vkb_queue_wait(queue));
    for (int y = 0; y < HEIGHT; y++)
        CHECK(memcmp(pinned + (1 << 20) + y * WIDTH, before + 7 + y * HOST_PITCH, WIDTH) == 0);
    CHECK(memcmp(pinned, before, 1 << 20) == 0);
    memcpy(before, pinned, SIZE);
    OK(vkb_cmd_write(&enqueue, host, 0, SIZE / 2, pinned + SIZE / 2, true));
    OK(vkb_queue_wait(queue));
    CHECK(memcmp(pinned, before + SIZE / 2, SIZE / 2) == 0);
    vkb_buffer_release(buffer);
    vkb_buffer_release(host);
    vkb_queue_release(queue);
    free(before);
}

/* The bytes come from another queue's staged read, whose last step is the host's. */
static void test_behind_host_part(void)
{
    enum { STAGED = 512 << 10 };
    struct vkb_queue *first = make_queue(0), *second = make_queue(0);
    struct vkb_buffer *a = make_buffer(STAGED, true), *b = make_buffer(STAGED, true), *host = make_host(2 * STAGED);
    uint8_t *pinned = vkb_buffer_map(host), *data = malloc(STAGED), *result = calloc(1, STAGED);
    for (int i = 0; i < 8; i++) {
        fill_random(data, STAGED);
        memset(pinned, 0, STAGED);
        write_now(first, a, 0, data, STAGED);
        struct vkb_event *read = NULL;
        struct vkb_enqueue reading = {.queue = first, .event = &read};
        /* The smaller one is staged. */
        OK(vkb_cmd_read(&reading, a, 0, i % 2 ? STAGED : LEAST - 1, pinned));
        struct vkb_enqueue writing = {.queue = i & 2 ? first : second, .waits = &read, .num_waits = 1};
        OK(vkb_cmd_write(&writing, b, 0, STAGED, pinned, true));
        OK(vkb_queue_wait(first));
        OK(vkb_queue_wait(second));
        vkb_event_release(read);
        read_now(second, b, 0, result, STAGED);
        CHECK(memcmp(result, data, i % 2 ? STAGED : LEAST - 1) == 0);
    }
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_buffer_release(host);
    vkb_queue_release(first);
    vkb_queue_release(second);
    free(data);
    free(result);
}

static void test_device(void)
{
    test_find();
    test_imports();
    test_bytes(0);
    test_bytes(VKB_QUEUE_PROFILING);
    test_way();
    test_rects();
    test_behind_host_part();
}

int main(void)
{
    return test_devices(test_device);
}
