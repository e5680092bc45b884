/* vk/: every command against a model in host memory, on every device that qualifies. Run it under the validation layer,
 * ASan and TSan. Buffers whose mapping is hidden take the ways of a discrete GPU (staging, pipelined transfers) on a
 * CPU driver too. */
#include "vk_test.h"

#include "vk/memory/buffer.h"
#include "vk/memory/memory.h"
#include "vk/queue/queue.h"
#include "vk/queue/transfer.h"
#include "vk/shader/share.h"

#include <unistd.h>

static void test_dispatch(bool hidden)
{
    enum { COUNT = 1000 };
    uint32_t data[COUNT];
    struct vkb_queue *queue = make_queue(0);
    struct vkb_buffer *a = make_buffer(sizeof(data), hidden), *b = make_buffer(sizeof(data), hidden);
    struct vkb_enqueue enqueue = on(queue);
    for (uint32_t i = 0; i < COUNT; i++)
        data[i] = i;
    write_now(queue, a, 0, data, sizeof(data));
    /* a chain that must be ordered by barriers, longer than a batch */
    for (uint32_t i = 0; i < 200; i++)
        OK(add(&enqueue, i % 2 ? b : a, i % 2 ? a : b, COUNT, i, i % 3 == 0));
    memset(data, 0, sizeof(data));
    read_now(queue, a, 0, data, sizeof(data));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        wrong += data[i] != i + 199 * 200 / 2;
    CHECK(wrong == 0);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
}

static void test_pipelines(void)
{
    struct vkb_shader *shader = NULL;
    struct vkb_pipeline *first = NULL, *second = NULL;
    const uint32_t junk[8] = {0x07230203, 0x10000, 0, 1, 0, 0xffff000f, 5, 1};
    CHECK(vkb_shader_create(device, junk, 8, 0, &shader) == VKB_PIPELINE_FAILED);
    CHECK(vkb_shader_create(device, junk, 3, 0, &shader) == VKB_PIPELINE_FAILED);
    OK(vkb_shader_create(device, kernel_add, ARRAY_LENGTH(kernel_add), 24, &shader));
    uint32_t size = 32;
    vkb_shader_prefetch(shader, &size, 1, 0);
    OK(vkb_shader_pipeline(shader, &size, 1, 0, &first));
    OK(vkb_shader_pipeline(shader, &size, 1, 0, &second));
    CHECK(first && first == second);
    size = 16;
    OK(vkb_shader_pipeline(shader, &size, 1, 0, &second));
    CHECK(first != second);
    /* constants that the shader does not have make no difference */
    OK(vkb_shader_pipeline(shader, (const uint32_t[]){16, 5}, 2, 0, &first));
    OK(vkb_shader_pipeline(shader, (const uint32_t[]){16, 7}, 2, 0, &second));
    CHECK(first == second);
    vkb_shader_prefetch(shader, &(uint32_t){8}, 1, 0);
    vkb_shader_release(shader);
}

static bool is_at_least(void *data, const uint32_t *values)
{
    return values[0] >= *(const uint32_t *)data;
}

static bool stand_in_for(struct vkb_shader *shader, uint32_t size, uint32_t may_differ, uint32_t least, uint32_t *found)
{
    const struct vkb_stand_in args = {
        .wanted = &size, .count = 1, .may_differ = may_differ, .fits = is_at_least, .data = &least};
    return vkb_shader_stand_in(shader, &args, found);
}

/* Waits for what a thread of the pool makes. */
static void await_pipeline(struct vkb_shader *shader, uint32_t size)
{
    struct vkb_pipeline *pipeline = NULL;
    OK(vkb_shader_pipeline(shader, &size, 1, 0, &pipeline));
    CHECK(pipeline);
}

static void test_stand_ins(void)
{
    struct vkb_shader *quick = NULL, *slow = NULL;
    const uint32_t limit = device->caps.slow_pipeline_us;
    uint32_t found = 0;
    device->caps.slow_pipeline_us = UINT32_MAX;
    OK(vkb_shader_create(device, kernel_add, ARRAY_LENGTH(kernel_add), 36, &quick));
    await_pipeline(quick, 32);
    CHECK(!stand_in_for(quick, 16, 1, 0, &found)); /* it takes no time to make */
    device->caps.slow_pipeline_us = 0;
    OK(vkb_shader_create(device, kernel_add, ARRAY_LENGTH(kernel_add), 40, &slow));
    CHECK(!stand_in_for(slow, 16, 1, 0, &found)); /* there is none */
    await_pipeline(slow, 32);
    CHECK(!stand_in_for(slow, 16, 0, 0, &found) && !stand_in_for(slow, 16, 1, 33, &found));
    CHECK(stand_in_for(slow, 16, 1, 32, &found) && found == 32);
    await_pipeline(slow, 16);
    CHECK(!stand_in_for(slow, 16, 1, 0, &found)); /* the wanted one is there */
    CHECK(stand_in_for(slow, 8, 1, 17, &found) && found == 32);
    await_pipeline(slow, 8); /* which reads the limit */
    vkb_shader_release(slow);
    vkb_shader_release(quick);
    device->caps.slow_pipeline_us = limit;
}

/* kernel_add, but for the tool's number, which means nothing. */
static struct vkb_shader *make_variant(uint32_t number)
{
    uint32_t words[ARRAY_LENGTH(kernel_add)];
    memcpy(words, kernel_add, sizeof(words));
    words[2] = number;
    struct vkb_shader *shader = NULL;
    OK(vkb_shader_create(device, words, ARRAY_LENGTH(words), 24, &shader));
    return shader;
}

static void *share_shaders(void *data)
{
    struct vkb_buffer *buffer = data;
    struct vkb_queue *queue = make_queue(0);
    for (uint32_t i = 0; i < 100; i++) {
        struct vkb_shader *shader = make_variant(1000 + i / 10);
        struct vkb_pipeline *pipeline;
        OK(vkb_shader_pipeline(shader, &(uint32_t){32}, 1, 0, &pipeline));
        const struct block block = {vkb_buffer_address(buffer), vkb_buffer_address(buffer), 8, 0, {0}, 0};
        const struct vkb_grid grid = {.pipeline = pipeline, .groups = {1, 1, 1}};
        const struct vkb_dispatch dispatch = {.shader = shader,
                                              .block = &block,
                                              .block_size = 24,
                                              .block_in_push_constants = true,
                                              .group_base_offset = -1,
                                              .grids = &grid,
                                              .num_grids = 1,
                                              .reaches_any = true};
        struct vkb_enqueue enqueue = on(queue);
        OK(vkb_cmd_dispatch(&enqueue, &dispatch));
        vkb_shader_release(shader); /* still to run */
    }
    OK(vkb_queue_wait(queue));
    vkb_queue_release(queue);
    return NULL;
}

static void test_sharing(void)
{
    struct vkb_shader *one = make_variant(100), *same = make_variant(100), *other = make_variant(101), *kept;
    struct vkb_pipeline *pipeline = NULL, *again = NULL;
    CHECK(one == same && one != other);
    OK(vkb_shader_create(device, kernel_add, ARRAY_LENGTH(kernel_add), 28, &kept));
    CHECK(kept != add_shader && vkb_shader_push_size(kept) == 28);
    vkb_shader_release(kept);
    vkb_shader_release(same);
    OK(vkb_shader_pipeline(one, &(uint32_t){32}, 1, 0, &pipeline));
    vkb_shader_release(one);
    /* Nobody has it, but it is there with its pipeline. */
    one = make_variant(100);
    OK(vkb_shader_pipeline(one, &(uint32_t){32}, 1, 0, &again));
    CHECK(pipeline == again);
    vkb_shader_release(one);
    for (uint32_t i = 0; i < 500; i++)
        vkb_shader_release(make_variant(200 + i));
    CHECK(device->shaders->num_idle > 1 && device->shaders->num_idle <= 64);
    CHECK(device->shaders->idle_bytes == device->shaders->num_idle * (uint64_t)(sizeof(kernel_add) + 8));
    vkb_shader_release(other);
    struct vkb_buffer *buffer = make_buffer(64, false);
    pthread_t threads[8];
    for (size_t i = 0; i < ARRAY_LENGTH(threads); i++)
        CHECK(pthread_create(&threads[i], NULL, share_shaders, buffer) == 0);
    for (size_t i = 0; i < ARRAY_LENGTH(threads); i++)
        pthread_join(threads[i], NULL);
    vkb_buffer_release(buffer);
}

/* ---- transfers against a model ---- */

static void test_copies(bool hidden, uint32_t flags)
{
    enum { SIZE = 5000 };
    static uint8_t model_a[SIZE], model_b[SIZE], got[SIZE];
    struct vkb_queue *queue = make_queue(flags);
    struct vkb_buffer *a = make_buffer(SIZE, hidden), *b = make_buffer(SIZE, hidden);
    struct vkb_enqueue enqueue = on(queue);
    fill_random(model_a, SIZE);
    fill_random(model_b, SIZE);
    write_now(queue, a, 0, model_a, SIZE);
    write_now(queue, b, 0, model_b, SIZE);
    for (int i = 0; i < 150; i++) {
        uint64_t src = next_random() % 600, dst = next_random() % 600, size = next_random() % 4000;
        switch (next_random() % 5) {
        case 0:
            OK(vkb_cmd_copy(&enqueue, a, src, b, dst, size));
            memcpy(model_b + dst, model_a + src, size);
            break;
        case 1: /* overlapping */
            OK(vkb_cmd_copy(&enqueue, a, src, a, dst, size));
            memmove(model_a + dst, model_a + src, size);
            break;
        case 2:
            fill_random(got, size);
            memcpy(model_a + dst, got, size);
            write_now(queue, a, dst, got, size);
            memset(got, 0, size); /* the bytes must have been taken */
            break;
        case 3:
            OK(vkb_cmd_copy(&enqueue, b, src, a, dst, size));
            memcpy(model_a + dst, model_b + src, size);
            break;
        case 4:
            read_now(queue, b, src, got, size);
            CHECK(memcmp(got, model_b + src, size) == 0);
            break;
        }
    }
    read_now(queue, a, 0, got, SIZE);
    CHECK(memcmp(got, model_a, SIZE) == 0);
    read_now(queue, b, 0, got, SIZE);
    CHECK(memcmp(got, model_b, SIZE) == 0);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
}

static void check_fill(struct vkb_queue *queue, struct vkb_buffer *buffer, uint8_t *model, uint64_t total,
                       uint64_t offset, uint64_t size, const uint8_t *pattern, uint32_t pattern_size)
{
    struct vkb_enqueue enqueue = on(queue);
    uint8_t *got = malloc(total);
    OK(vkb_cmd_fill(&enqueue, buffer, offset, size, pattern, pattern_size));
    for (uint64_t i = 0; i < size; i++)
        model[offset + i] = pattern[i % pattern_size];
    read_now(queue, buffer, 0, got, total);
    CHECK(memcmp(got, model, total) == 0);
    free(got);
}

static void test_fills(void)
{
    enum { SIZE = 4096, BIG = 400 * 1024 };
    static uint8_t model[BIG], pattern[128];
    struct vkb_queue *queue = make_queue(0);
    struct vkb_buffer *buffer = make_buffer(BIG, false);
    fill_random(model, BIG);
    write_now(queue, buffer, 0, model, BIG);
    for (uint32_t size = 1; size <= 128; size *= 2) {
        for (uint32_t i = 0; i < 6; i++) {
            fill_random(pattern, size);
            uint64_t offset = next_random() % 64 / size * size, count = next_random() % (SIZE / size - 64 / size);
            check_fill(queue, buffer, model, SIZE, offset, count * size, pattern, size);
        }
    }
    memset(pattern, 7, sizeof(pattern));
    check_fill(queue, buffer, model, BIG, 1, BIG - 3, pattern, 1);
    fill_random(pattern, 16);
    check_fill(queue, buffer, model, BIG, 32, BIG - 48, pattern, 16);
    struct vkb_enqueue enqueue = on(queue);
    CHECK(vkb_cmd_fill(&enqueue, buffer, 0, 12, pattern, 3) == VKB_UNSUPPORTED);
    vkb_buffer_release(buffer);
    vkb_queue_release(queue);
}

static void model_rect(uint8_t *dst, const uint8_t *src, const struct vkb_rect *rect)
{
    for (uint64_t z = 0; z < rect->depth; z++) {
        for (uint64_t y = 0; y < rect->height; y++)
            memcpy(dst + rect->dst_offset + z * rect->dst_slice_pitch + y * rect->dst_row_pitch,
                   src + rect->src_offset + z * rect->src_slice_pitch + y * rect->src_row_pitch, rect->width);
    }
}

static void test_rects(bool hidden)
{
    enum { SIZE = 32768 };
    static uint8_t model_a[SIZE], model_b[SIZE], host[SIZE], expected[SIZE];
    struct vkb_queue *queue = make_queue(0);
    struct vkb_buffer *a = make_buffer(SIZE, hidden), *b = make_buffer(SIZE, hidden);
    struct vkb_enqueue enqueue = on(queue);
    fill_random(model_a, SIZE);
    fill_random(model_b, SIZE);
    write_now(queue, a, 0, model_a, SIZE);
    write_now(queue, b, 0, model_b, SIZE);
    for (int i = 0; i < 40; i++) {
        struct vkb_rect rect = {
            .src_offset = next_random() % 100,
            .dst_offset = next_random() % 100,
            .width = 1 + next_random() % 50,
            .height = 1 + next_random() % 12,
            .depth = 1 + next_random() % 5,
        };
        /* tight pitches now and then: those rows are joined */
        rect.src_row_pitch = rect.width + (next_random() % 3 ? next_random() % 20 : 0);
        rect.dst_row_pitch = rect.width + (next_random() % 3 ? next_random() % 20 : 0);
        rect.src_slice_pitch = rect.height * rect.src_row_pitch + (next_random() % 2 ? next_random() % 40 : 0);
        rect.dst_slice_pitch = rect.height * rect.dst_row_pitch + (next_random() % 2 ? next_random() % 40 : 0);
        OK(vkb_cmd_copy_rect(&enqueue, a, b, &rect));
        model_rect(model_b, model_a, &rect);
        fill_random(host, SIZE);
        OK(vkb_cmd_write_rect(&enqueue, a, host, &rect, false));
        model_rect(model_a, host, &rect);
        memcpy(expected, host, SIZE);
        struct vkb_event *event = NULL;
        struct vkb_enqueue read = {.queue = queue, .event = &event};
        OK(vkb_cmd_read_rect(&read, b, host, &rect));
        OK(vkb_event_wait(event, UINT64_MAX));
        vkb_event_release(event);
        model_rect(expected, model_b, &rect);
        CHECK(memcmp(host, expected, SIZE) == 0);
    }
    read_now(queue, a, 0, host, SIZE);
    CHECK(memcmp(host, model_a, SIZE) == 0);
    read_now(queue, b, 0, host, SIZE);
    CHECK(memcmp(host, model_b, SIZE) == 0);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
}

/* What a GPU's shaders copy and fill (bulk.c): wide rows, offsets that suit them and that do not, ends that are left.
 */
static void test_bulk(void)
{
    enum { PITCH = (1 << 20) + 512, WIDTH = (1 << 20) + 20, ROWS = 3, SIZE = PITCH * (ROWS + 1) };
    uint8_t *model_a = malloc(SIZE), *model_b = malloc(SIZE), *got = malloc(SIZE);
    struct vkb_queue *queue = make_queue(0);
    struct vkb_buffer *a = make_buffer(SIZE, true), *b = make_buffer(SIZE, true);
    struct vkb_enqueue enqueue = on(queue);
    fill_random(model_a, SIZE);
    write_now(queue, a, 0, model_a, SIZE);
    for (uint64_t i = 0; i < 8; i++) {
        uint8_t pattern[16];
        uint64_t offset = i % 3 * 8;
        fill_random(pattern, sizeof(pattern));
        struct vkb_rect rect = {.src_offset = i * 16,
                                .dst_offset = 160 + offset,
                                .width = WIDTH,
                                .height = ROWS,
                                .depth = 1,
                                .src_row_pitch = PITCH,
                                .dst_row_pitch = PITCH,
                                .src_slice_pitch = SIZE,
                                .dst_slice_pitch = SIZE};
        OK(vkb_cmd_fill(&enqueue, b, 16, SIZE - 32, pattern, 16));
        OK(vkb_cmd_copy(&enqueue, a, 16, b, 32 + offset, SIZE - 100));
        OK(vkb_cmd_copy_rect(&enqueue, a, b, &rect));
        for (uint64_t at = 16; at < SIZE - 16; at++)
            model_b[at] = pattern[at % 16];
        memcpy(model_b + 32 + offset, model_a + 16, SIZE - 100);
        model_rect(model_b, model_a, &rect);
        read_now(queue, b, 0, got, SIZE);
        CHECK(memcmp(got + 16, model_b + 16, SIZE - 32) == 0);
    }
    free(model_a);
    free(model_b);
    free(got);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
}

/* Sizes around every threshold between the ways that a transfer can take. */
static void test_large_transfers(bool hidden)
{
    static const uint64_t sizes[] = {
        TRANSFER_INLINE, TRANSFER_INLINE + 1, TRANSFER_STAGED, TRANSFER_STAGED + 3, 5 << 20, 37 << 20};
    for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
        uint64_t size = sizes[i];
        struct vkb_queue *queue = make_queue(0);
        struct vkb_buffer *a = make_buffer(size, hidden), *b = make_buffer(size, hidden);
        uint8_t *data = malloc(size), *got = malloc(size);
        fill_random(data, size);
        struct vkb_enqueue enqueue = on(queue);
        struct vkb_event *event = NULL;
        struct vkb_enqueue last = {.queue = queue, .event = &event};
        /* none of them waited for: the queue's order must do */
        OK(vkb_cmd_write(&enqueue, a, 0, size, data, true));
        OK(vkb_cmd_copy(&enqueue, a, 0, b, 0, size));
        OK(vkb_cmd_fill(&enqueue, a, 0, size, "", 1));
        OK(vkb_cmd_read(&last, b, 0, size, got));
        OK(vkb_cmd_fill(&enqueue, b, 0, size, "", 1));
        OK(vkb_event_wait(event, UINT64_MAX));
        CHECK(memcmp(data, got, size) == 0);
        vkb_event_release(event);
        /* a write from the memory that a read before it fills */
        event = NULL;
        OK(vkb_cmd_read(&enqueue, a, 0, size, got));
        OK(vkb_cmd_write(&enqueue, b, 0, size, got, true));
        OK(vkb_cmd_read(&last, b, 0, size, data));
        OK(vkb_queue_wait(queue));
        CHECK(vkb_event_ask(event) == VKB_COMPLETE);
        CHECK(data[0] == 0 && data[size - 1] == 0 && memcmp(data, data + 1, size - 1) == 0);
        vkb_event_release(event);
        free(data);
        free(got);
        vkb_buffer_release(a);
        vkb_buffer_release(b);
        vkb_queue_release(queue);
    }
}

/* A device that gives 8 MiB in one piece: larger buffers are made of parts, and commands and kernels do not notice. */
static void test_sparse(void)
{
    enum { SIZE = (37 << 20) + 4096, COUNT = SIZE / 4, ADDED = 4000000 }; /* items within a dispatch's limit */
    const struct vkb_caps *caps = vkb_device_caps(device);
    if (!caps->sparse_space)
        return;
    uint64_t promised = caps->max_single_allocation;
    device->caps.max_single_allocation = 8 << 20;
    device->memory->refused_size = 8 << 20;
    vkb_memory_trim(device); /* a block in one piece might have been kept */
    struct vkb_queue *queue = make_queue(0);
    struct vkb_buffer *a = make_buffer(SIZE, false), *b = make_buffer(SIZE, false);
    CHECK(a->block->num_parts == 5 && !vkb_buffer_map(a));
    uint32_t *data = malloc(SIZE), *got = malloc(SIZE);
    fill_random((uint8_t *)data, SIZE);
    struct vkb_enqueue enqueue = on(queue);
    write_now(queue, a, 0, data, SIZE);
    OK(vkb_cmd_fill(&enqueue, b, 0, SIZE, "", 1));
    OK(add(&enqueue, a, b, ADDED, 5, false));
    read_now(queue, b, 0, got, SIZE);
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(got[i] == (i < ADDED ? data[i] + 5 : 0));
    OK(vkb_cmd_copy(&enqueue, a, 4, b, 0, SIZE - 4));
    read_now(queue, b, 0, got, SIZE);
    CHECK(memcmp(got, data + 1, SIZE - 4) == 0);
    free(data);
    free(got);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
    device->caps.max_single_allocation = promised;
    device->memory->refused_size = UINT64_MAX;
    vkb_memory_trim(device);
}

static void test_import(void)
{
    enum { COUNT = 3000 };
    uint32_t *pages = aligned_alloc(4096, 16384);
    struct vkb_buffer *imported = NULL, *buffer = make_buffer(COUNT * 4, false);
    memset(pages, 0, 16384);
    enum vkb_result result = vkb_buffer_import(device, pages, COUNT * 4, &imported);
    CHECK(result == VKB_SUCCESS || result == VKB_UNSUPPORTED);
    if (result == VKB_SUCCESS) {
        struct vkb_queue *queue = make_queue(0);
        struct vkb_enqueue enqueue = on(queue);
        for (uint32_t i = 0; i < COUNT; i++)
            pages[i] = i;
        CHECK(vkb_buffer_map(imported) == pages && vkb_buffer_fast_read(imported));
        OK(add(&enqueue, imported, buffer, COUNT, 5, false));
        OK(add(&enqueue, buffer, imported, COUNT, 6, false));
        OK(vkb_queue_wait(queue));
        CHECK(pages[0] == 11 && pages[COUNT - 1] == COUNT - 1 + 11);
        vkb_queue_release(queue);
        vkb_buffer_release(imported);
    }
    CHECK(vkb_buffer_import(device, NULL, 100, &imported) == VKB_UNSUPPORTED);
    vkb_buffer_release(buffer);
    free(pages);
}

/* ---- life and death ---- */

static void test_release_while_running(void)
{
    enum { COUNT = 100000 };
    struct vkb_event *last = NULL, *user = NULL;
    struct call_record record = {0};
    OK(vkb_event_create_user(&user));
    for (int i = 0; i < 20; i++) {
        struct vkb_queue *queue = make_queue(i % 2);
        struct vkb_buffer *a = make_buffer(COUNT * 4, false), *b = make_buffer(COUNT * 4, i % 3 == 0);
        struct vkb_enqueue enqueue = on(queue);
        vkb_event_release(last);
        last = NULL;
        OK(add(&enqueue, a, b, COUNT, 1, i % 2));
        enqueue.event = &last;
        OK(vkb_cmd_copy(&enqueue, b, 0, a, 0, COUNT * 4));
        if (i == 19) {
            /* a command that is still held when its queue goes */
            struct vkb_event *held = NULL;
            enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &user, .event = &held};
            OK(add(&enqueue, a, b, COUNT, 1, false));
            OK(vkb_event_on_status(held, VKB_COMPLETE, on_call, &record));
            vkb_event_release(held);
        }
        vkb_buffer_release(a);
        vkb_buffer_release(b);
        vkb_queue_release(queue);
    }
    OK(vkb_event_wait(last, UINT64_MAX));
    vkb_event_release(last);
    vkb_event_set_user(user, 0);
    CHECK(called(&record) && record.status == VKB_COMPLETE);
    vkb_event_release(user);
}

static void test_memory(void)
{
    enum { COUNT = 400 };
    struct vkb_buffer *buffers[COUNT] = {0};
    struct vkb_buffer *impossible = NULL;
    for (int i = 0; i < 4000; i++) {
        struct vkb_buffer **buffer = &buffers[next_random() % COUNT];
        vkb_buffer_release(*buffer);
        *buffer = NULL;
        if (next_random() % 3) {
            uint64_t size = 1 + next_random() % (next_random() % 16 ? 20000 : 3000000);
            OK(vkb_buffer_create(device, size, (enum vkb_memory_kind)(next_random() % 3), buffer));
            if (!*buffer)
                break;
            CHECK(vkb_buffer_size(*buffer) == size && vkb_buffer_address(*buffer) % 128 == 0);
            if (vkb_buffer_map(*buffer))
                memset(vkb_buffer_map(*buffer), (int)i, size < 64 ? size : 64);
        }
    }
    /* no two share bytes */
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < i && buffers[i]; k++) {
            if (buffers[k])
                CHECK(buffers[i]->address + buffers[i]->size <= buffers[k]->address ||
                      buffers[k]->address + buffers[k]->size <= buffers[i]->address);
        }
    }
    for (int i = 0; i < COUNT; i++)
        vkb_buffer_release(buffers[i]);
    CHECK(vkb_buffer_create(device, (uint64_t)1 << 60, VKB_MEMORY_DEVICE, &impossible) == VKB_OUT_OF_DEVICE_MEMORY);
    CHECK(vkb_buffer_create(device, 0, VKB_MEMORY_DEVICE, &impossible) != VKB_SUCCESS);
}

/* ---- threads ---- */

struct worker {
    struct vkb_queue *queue;
    struct vkb_buffer *buffer;
    struct vkb_event **gate;
    int number;
    atomic_int *host_calls;
};

static void *hammer(void *data)
{
    struct worker *worker = data;
    enum { COUNT = 300 };
    uint32_t local[COUNT];
    for (int i = 0; i < 60; i++) {
        struct vkb_event *events[3] = {0};
        struct vkb_enqueue enqueue = {
            .queue = worker->queue, .num_waits = 1, .waits = worker->gate, .event = &events[0]};
        vkb_cmd_fill(&enqueue, worker->buffer, 0, COUNT * 4, &worker->number, 4);
        enqueue =
            (struct vkb_enqueue){.queue = worker->queue, .num_waits = 1, .waits = &events[0], .event = &events[1]};
        vkb_cmd_host(&enqueue, host_increment, worker->host_calls);
        enqueue =
            (struct vkb_enqueue){.queue = worker->queue, .num_waits = 1, .waits = &events[1], .event = &events[2]};
        vkb_cmd_read(&enqueue, worker->buffer, 0, COUNT * 4, local);
        if (i % 3 == 0)
            vkb_queue_flush(worker->queue);
        if (i % 5 == 0)
            while (vkb_event_ask(events[2]) > 0)
                usleep(100);
        if (vkb_event_wait(events[2], UINT64_MAX) != VKB_SUCCESS || local[7] != (uint32_t)worker->number)
            atomic_store(worker->host_calls, -1000000);
        for (int k = 0; k < 3; k++)
            vkb_event_release(events[k]);
    }
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 6 };
    struct vkb_queue *queues[2] = {make_queue(VKB_QUEUE_OUT_OF_ORDER), make_queue(0)};
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    struct vkb_event *gate = NULL;
    atomic_int host_calls = 0;
    OK(vkb_event_create_user(&gate));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){queues[i % 2], make_buffer(1200, i % 3 == 0), &gate, i + 1, &host_calls};
        pthread_create(&threads[i], NULL, hammer, &workers[i]);
    }
    usleep(20000);
    vkb_event_set_user(gate, 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        vkb_buffer_release(workers[i].buffer);
    }
    CHECK(host_calls == THREADS * 60);
    vkb_event_release(gate);
    vkb_queue_release(queues[0]);
    vkb_queue_release(queues[1]);
}

static void test_cache(void)
{
    char directory[] = "/tmp/pumice-test-vk-XXXXXX", command[64];
    if (!mkdtemp(directory))
        return;
    vkb_cache_set_directory(device, directory);
    struct vkb_shader *shader = NULL;
    struct vkb_pipeline *pipeline;
    OK(vkb_shader_create(device, kernel_add, ARRAY_LENGTH(kernel_add), 24, &shader));
    OK(vkb_shader_pipeline(shader, &(uint32_t){128}, 1, 0, &pipeline));
    vkb_shader_release(shader);
    vkb_cache_save(device);
    vkb_cache_set_directory(device, directory);
    vkb_cache_set_directory(device, NULL);
    snprintf(command, sizeof(command), "rm -r %s", directory);
    CHECK(system(command) == 0);
}

static void test_device(void)
{
    OK(vkb_device_open(device)); /* once more */
    make_shaders();
    test_memory();
    test_stand_ins(); /* while no thread makes a pipeline, since it changes the limit */
    test_pipelines();
    test_sharing();
    for (int hidden = 0; hidden < 2; hidden++) {
        test_dispatch(hidden);
        test_copies(hidden, 0);
        test_rects(hidden);
        test_large_transfers(hidden);
    }
    test_copies(true, VKB_QUEUE_PROFILING);
    test_fills();
    test_bulk();
    test_sparse();
    test_import();
    test_release_while_running();
    test_threads();
    test_cache();
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
}

int main(void)
{
    return test_devices(test_device);
}
