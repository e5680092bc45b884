/* vk/: events of the host's and of commands, what waits for them, and their times; queues that wait for each other. Buffers
 * whose mapping is hidden take the ways of a discrete GPU (staging, pipelined transfers) on a CPU driver too. */
#include "vk_test.h"

#include "vk/memory/buffer.h"
#include "vk/queue/queue.h"
#include "vk/queue/transfer.h"

static void test_user_events(uint32_t flags)
{
    enum { COUNT = 256 };
    uint32_t data[COUNT] = {0}, got[COUNT];
    struct vkb_queue *queue = make_queue(flags);
    struct vkb_buffer *a = make_buffer(sizeof(data), false), *b = make_buffer(sizeof(data), false);
    struct vkb_event *user = NULL, *wrote = NULL, *ran = NULL, *called_host = NULL, *read = NULL;
    atomic_int host_calls = 0;
    OK(vkb_event_create_user(&user));
    /* a chain behind the user event, with data that is set only before the event is */
    struct vkb_enqueue enqueue = {.queue = queue, .num_waits = 1, .waits = &user, .event = &wrote};
    OK(vkb_cmd_write(&enqueue, a, 0, sizeof(data), data, true));
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &wrote, .event = &ran};
    OK(add(&enqueue, a, b, COUNT, 100, false));
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &ran, .event = &called_host};
    OK(vkb_cmd_host(&enqueue, host_increment, &host_calls));
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &called_host, .event = &read};
    OK(vkb_cmd_read(&enqueue, b, 0, sizeof(got), got));
    struct call_record records[3] = {0};
    OK(vkb_event_on_status(read, VKB_COMPLETE, on_call, &records[0]));
    OK(vkb_event_on_status(read, VKB_COMPLETE, on_call, &records[1]));
    OK(vkb_event_on_status(user, VKB_COMPLETE, on_call, &records[2]));
    OK(vkb_queue_flush(queue));
    CHECK(vkb_event_wait(read, 20000000) == VKB_TIMEOUT);
    CHECK(vkb_event_ask(ran) == VKB_QUEUED && host_calls == 0);
    for (uint32_t i = 0; i < COUNT; i++)
        data[i] = i * 3;
    vkb_event_set_user(user, 0);
    OK(vkb_event_wait(read, UINT64_MAX));
    CHECK(host_calls == 1 && got[0] == 100 && got[COUNT - 1] == (COUNT - 1) * 3 + 100);
    CHECK(called(&records[0]) && called(&records[1]) && called(&records[2]));
    CHECK(records[0].place < records[1].place && records[0].status == VKB_COMPLETE);
    struct vkb_event *all[] = {user, wrote, ran, called_host, read};
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        vkb_event_release(all[i]);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
}

static void test_failing_waits(uint32_t flags)
{
    struct vkb_queue *queue = make_queue(flags), *other = make_queue(0);
    struct vkb_buffer *buffer = make_buffer(64, false);
    struct vkb_event *user = NULL, *filled = NULL, *copied = NULL, *last = NULL, *late = NULL;
    uint8_t data[64];
    OK(vkb_event_create_user(&user));
    struct vkb_enqueue enqueue = {.queue = queue};
    OK(vkb_cmd_fill(&enqueue, buffer, 0, 64, "a", 1));
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &user, .event = &filled};
    OK(vkb_cmd_fill(&enqueue, buffer, 0, 64, "b", 1));
    enqueue = (struct vkb_enqueue){.queue = other, .num_waits = 1, .waits = &filled, .event = &copied};
    OK(vkb_cmd_copy(&enqueue, buffer, 0, buffer, 32, 32));
    struct call_record record = {0};
    OK(vkb_event_on_status(copied, VKB_COMPLETE, on_call, &record));
    vkb_event_set_user(user, -7);
    vkb_event_set_user(user, 0); /* only the first counts */
    CHECK(vkb_event_ask(user) == -7 && vkb_event_wait(user, 0) == VKB_WAIT_FAILED);
    CHECK(vkb_event_wait(copied, UINT64_MAX) == VKB_WAIT_FAILED);
    CHECK(vkb_event_ask(filled) == -14 && vkb_event_ask(copied) == -14);
    CHECK(called(&record) && record.status == -14);
    /* one that comes late fails at once; the queue goes on */
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &filled, .event = &late};
    OK(vkb_cmd_fill(&enqueue, buffer, 0, 64, "c", 1));
    CHECK(vkb_event_wait(late, UINT64_MAX) == VKB_WAIT_FAILED);
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &last};
    OK(vkb_cmd_marker(&enqueue, true));
    OK(vkb_event_wait(last, UINT64_MAX));
    OK(vkb_queue_wait(queue));
    read_now(queue, buffer, 0, data, 64);
    CHECK(data[0] == 'a' && data[63] == 'a');
    struct vkb_event *all[] = {user, filled, copied, last, late};
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        vkb_event_release(all[i]);
    vkb_buffer_release(buffer);
    vkb_queue_release(queue);
    vkb_queue_release(other);
}

/* A command behind a user event must not hold up the others, but the barrier behind both must wait for it. */
static void test_out_of_order(void)
{
    enum { COUNT = 64 };
    uint32_t data[COUNT] = {0}, got = 0;
    struct vkb_queue *queue = make_queue(VKB_QUEUE_OUT_OF_ORDER);
    struct vkb_buffer *a = make_buffer(sizeof(data), false), *b = make_buffer(sizeof(data), false);
    struct vkb_buffer *c = make_buffer(sizeof(data), true);
    struct vkb_event *user = NULL, *blocked = NULL, *free_one = NULL, *chained = NULL, *barrier = NULL, *after = NULL;
    OK(vkb_event_create_user(&user));
    write_now(queue, a, 0, data, sizeof(data));
    struct vkb_enqueue enqueue = {.queue = queue};
    OK(vkb_cmd_marker(&enqueue, true));
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &user, .event = &blocked};
    OK(vkb_cmd_fill(&enqueue, c, 0, sizeof(data), "\1\0\0\0", 4));
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &free_one};
    OK(add(&enqueue, a, b, COUNT, 7, false));
    enqueue = (struct vkb_enqueue){.queue = queue, .num_waits = 1, .waits = &free_one, .event = &chained};
    OK(add(&enqueue, b, a, COUNT, 8, false));
    OK(vkb_event_wait(chained, UINT64_MAX));
    CHECK(vkb_event_ask(blocked) == VKB_QUEUED);
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &barrier};
    OK(vkb_cmd_marker(&enqueue, true));
    enqueue = (struct vkb_enqueue){.queue = queue, .event = &after};
    OK(add(&enqueue, c, b, COUNT, 10, false));
    CHECK(vkb_event_wait(after, 20000000) == VKB_TIMEOUT);
    vkb_event_set_user(user, 0);
    OK(vkb_event_wait(after, UINT64_MAX));
    CHECK(vkb_event_ask(barrier) == VKB_COMPLETE && vkb_event_ask(blocked) == VKB_COMPLETE);
    read_now(queue, b, 4, &got, 4);
    CHECK(got == 11);
    read_now(queue, a, 4, &got, 4);
    CHECK(got == 15);
    struct vkb_event *all[] = {user, blocked, free_one, chained, barrier, after};
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        vkb_event_release(all[i]);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_buffer_release(c);
    vkb_queue_release(queue);
}

/* Two queues that take turns on one buffer; neither is flushed by hand. */
static void test_across_queues(bool hidden)
{
    enum { COUNT = 512, ROUNDS = 40 };
    uint32_t data[COUNT] = {0};
    struct vkb_queue *queues[2] = {make_queue(0), make_queue(VKB_QUEUE_OUT_OF_ORDER)};
    struct vkb_buffer *a = make_buffer(sizeof(data), hidden), *b = make_buffer(sizeof(data), hidden);
    struct vkb_event *previous = NULL;
    write_now(queues[0], a, 0, data, sizeof(data));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct vkb_event *event = NULL;
        struct vkb_enqueue enqueue = {
            .queue = queues[i % 2], .num_waits = previous ? 1 : 0, .waits = &previous, .event = &event};
        if (i % 8 == 5) {
            OK(vkb_cmd_marker(&enqueue, false));
        } else if (i % 8 == 7) {
            OK(vkb_cmd_read(&enqueue, i % 2 ? b : a, 0, 4, data + 1));
        } else {
            OK(add(&enqueue, a, b, COUNT, 0, false));
        }
        vkb_event_release(previous);
        previous = event;
    }
    OK(vkb_event_wait(previous, UINT64_MAX));
    vkb_event_release(previous);
    previous = NULL;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct vkb_event *event = NULL;
        struct vkb_enqueue enqueue = {
            .queue = queues[i % 2], .num_waits = previous ? 1 : 0, .waits = &previous, .event = &event};
        OK(add(&enqueue, i % 2 ? b : a, i % 2 ? a : b, COUNT, 1, true));
        vkb_event_release(previous);
        previous = event;
    }
    struct vkb_event *read = NULL;
    struct vkb_enqueue enqueue = {.queue = queues[0], .num_waits = 1, .waits = &previous, .event = &read};
    OK(vkb_cmd_read(&enqueue, a, 0, sizeof(data), data));
    OK(vkb_event_wait(read, UINT64_MAX));
    CHECK(data[0] == ROUNDS && data[COUNT - 1] == ROUNDS);
    vkb_event_release(read);
    vkb_event_release(previous);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queues[0]);
    vkb_queue_release(queues[1]);
}

static void test_profiling(uint32_t flags)
{
    enum { COUNT = 4096, COMMANDS = 80 };
    struct vkb_queue *queue = make_queue(flags | VKB_QUEUE_PROFILING);
    struct vkb_buffer *a = make_buffer(COUNT * 4, false), *b = make_buffer(COUNT * 4, false);
    struct vkb_event *events[COMMANDS] = {0};
    static uint32_t got[COUNT];
    uint64_t device_ns = 0, host_ns = 0, end_ns = 0;
    OK(vkb_device_time(device, &device_ns, &host_ns));
    for (uint32_t i = 0; i < COMMANDS; i++) {
        struct vkb_enqueue enqueue = {.queue = queue, .event = &events[i]};
        if (i % 10 == 3)
            OK(vkb_cmd_read(&enqueue, b, 0, sizeof(got), got));
        else if (i % 10 == 6)
            OK(vkb_cmd_marker(&enqueue, false));
        else
            OK(add(&enqueue, a, b, COUNT, i, false));
    }
    OK(vkb_queue_wait(queue));
    OK(vkb_device_time(device, &end_ns, &host_ns));
    uint64_t previous = 0;
    for (uint32_t i = 0; i < COMMANDS; i++) {
        struct vkb_profile profile = vkb_event_profile(events[i]);
        CHECK(profile.queued && profile.queued <= profile.submitted && profile.submitted <= profile.start);
        CHECK(profile.start <= profile.end);
        /* within a millisecond of the clock's readings around it */
        CHECK(profile.queued + 1000000 >= device_ns && profile.end <= end_ns + 1000000);
        if (!flags)
            CHECK(profile.end + 1000000 >= previous);
        previous = profile.end;
        vkb_event_release(events[i]);
    }
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
}

/* A program that wants each kernel submitted while others run gets fewer submissions, and all without asking again. */
static void test_flush_soon(void)
{
    enum { COUNT = 1 << 20, KERNELS = 24 };
    bool prompt = device->prompt;
    uint32_t *data = calloc(COUNT, 4), wrong = 0;
    struct vkb_queue *queue = make_queue(0);
    struct vkb_buffer *a = make_buffer(COUNT * 4, false), *b = make_buffer(COUNT * 4, false);
    struct vkb_event *last = NULL;
    struct vkb_enqueue enqueue = on(queue);
    device->prompt = true;
    write_now(queue, a, 0, data, COUNT * 4);
    uint64_t before = queue->submitted;
    for (uint32_t i = 0; i < KERNELS; i++) {
        enqueue.event = i + 1 == KERNELS ? &last : NULL;
        OK(add(&enqueue, i % 2 ? b : a, i % 2 ? a : b, COUNT, i, false));
        OK(vkb_queue_flush_soon(queue));
    }
    pthread_mutex_lock(&queue->lock);
    uint64_t submissions = queue->submitted - before;
    vkb_queue_unlock(queue);
    CHECK(submissions >= 2 && (submissions < KERNELS || device->caps.type != VKB_DEVICE_CPU));
    for (int i = 0; i < 20000 && vkb_event_ask(last) > VKB_COMPLETE; i++)
        usleep(1000);
    CHECK(vkb_event_ask(last) == VKB_COMPLETE);
    read_now(queue, a, 0, data, COUNT * 4);
    for (uint32_t i = 0; i < COUNT; i++)
        wrong += data[i] != KERNELS * (KERNELS - 1) / 2;
    CHECK(wrong == 0);
    device->prompt = prompt;
    vkb_event_release(last);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_queue_release(queue);
    free(data);
}

static void test_device(void)
{
    make_shaders();
    test_user_events(0);
    test_user_events(VKB_QUEUE_OUT_OF_ORDER);
    test_failing_waits(0);
    test_failing_waits(VKB_QUEUE_OUT_OF_ORDER | VKB_QUEUE_PROFILING);
    test_out_of_order();
    test_across_queues(false);
    test_across_queues(true);
    if (vkb_device_caps(device)->timestamp_bits) {
        test_profiling(0);
        test_profiling(VKB_QUEUE_OUT_OF_ORDER);
    }
    test_flush_soon();
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
}

int main(void)
{
    return test_devices(test_device);
}
