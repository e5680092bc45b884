/* When recorded commands are submitted without anybody asking: the first kernel after a rest at once, those behind it
 * together, by a pool thread where the program leaves them lying. */
#include "vk_test.h"

#include "vk/queue/event.h"

enum { COUNT = 1000, PAUSE_NS = 100000 };

static struct vkb_buffer *a, *b;

static uint64_t submitted(struct vkb_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    uint64_t value = queue->submitted;
    vkb_queue_unlock(queue);
    return value;
}

static void launch(struct vkb_queue *queue, struct vkb_event **event)
{
    struct vkb_enqueue enqueue = {.queue = queue, .event = event};
    OK(add(&enqueue, a, b, COUNT, 1, false));
}

static void test_rest(uint32_t flags, bool prompt)
{
    struct vkb_queue *queue = make_lone_queue(flags);
    uint32_t data[4] = {0};
    uint32_t together = 0;
    device->prompt = prompt;
    for (int round = 0; round < 6; round++) {
        uint64_t before = submitted(queue);
        /* A small write alone does not make the GPU work. */
        write_now(queue, a, 0, data, sizeof(data));
        CHECK(submitted(queue) == before);
        launch(queue, NULL);
        CHECK(submitted(queue) == before + prompt);
        uint64_t first_ns = queue->submit_ns;
        launch(queue, NULL);
        uint64_t after = submitted(queue);
        /* Unless the thread lost the processor for long meanwhile. */
        if (time_ns() - first_ns < PAUSE_NS || !prompt)
            CHECK(after == before + prompt);
        together += after == before + prompt;
        queue->prompt_ns = prompt; /* it seems long ago: the submission at once was worth it */
        if (round % 3 == 0) {
            OK(vkb_queue_wait(queue));
        } else {
            struct vkb_event *event = NULL;
            launch(queue, &event);
            OK(vkb_event_wait(event, UINT64_MAX));
            vkb_event_release(event);
        }
    }
    CHECK(together);
    vkb_queue_release(queue);
}

/* Whether the first kernel after a rest is submitted at once. ago: the time that it seems to be of when the program
 * asks. Where this thread loses the processor for long, a pool thread submits what lies there: then that is no answer,
 * and *late is set.
 */
static bool is_prompt(struct vkb_queue *queue, uint64_t ago, bool *late)
{
    uint64_t before = submitted(queue), began = time_ns();
    launch(queue, NULL);
    bool prompt = submitted(queue) > before;
    *late = time_ns() - began >= PAUSE_NS;
    launch(queue, NULL);
    pthread_mutex_lock(&queue->lock);
    if (queue->prompt_ns)
        queue->prompt_ns = ago;
    if (queue->open_ns)
        queue->open_ns = ago;
    vkb_queue_unlock(queue);
    OK(vkb_queue_wait(queue));
    return prompt;
}

/* A program that asks at once is not served at once any more, until it leaves kernels lying. */
static void test_haste(void)
{
    const uint64_t long_ago = 1, just_now = UINT64_MAX / 2;
    struct vkb_queue *queue = make_lone_queue(0);
    bool late = false;
    device->prompt = true;
    CHECK(is_prompt(queue, just_now, &late));
    CHECK(is_prompt(queue, long_ago, &late)); /* once is nothing */
    CHECK(is_prompt(queue, just_now, &late) && is_prompt(queue, just_now, &late));
    for (int i = 0; i < 3; i++)
        CHECK(!is_prompt(queue, just_now, &late) || late);
    CHECK(!is_prompt(queue, long_ago, &late) || late);
    CHECK(is_prompt(queue, long_ago, &late) && is_prompt(queue, long_ago, &late));
    vkb_queue_release(queue);
}

/* A program that only looks now and then, and never waits, does not wait for its kernels to be many either. */
static void test_pause(void)
{
    struct vkb_queue *queue = make_queue(0);
    device->prompt = true;
    for (int round = 0; round < 3; round++) {
        struct vkb_event *event = NULL;
        launch(queue, &event);
        for (int i = 0; i < 10000 && vkb_event_ask(event) > 0; i++)
            usleep(1000);
        CHECK(vkb_event_ask(event) == 0);
        vkb_event_release(event);
        usleep(PAUSE_NS / 1000);
    }
    vkb_queue_release(queue);
}

static bool starts_alone(const struct vkb_event *event)
{
    for (int i = 0; i < 10000 && atomic_load(&event->state) < EVENT_SUBMITTED; i++)
        usleep(1000);
    return atomic_load(&event->state) >= EVENT_SUBMITTED;
}

/* Kernels that are too few for a batch, and a program that neither flushes, nor waits, nor even asks: they start when
 * the device has done what it was given before. num_before: kernels in front of them; the first of those is flushed. */
static void test_left(uint32_t flags, bool prompt, int num_before)
{
    struct vkb_queue *queue = make_queue(flags);
    device->prompt = prompt;
    for (int round = 0, failed = 0; round < 5 && !failed; round++) {
        struct vkb_event *first = NULL, *last = NULL;
        for (int i = 0; i < num_before; i++) {
            launch(queue, NULL);
            if (i == 0)
                OK(vkb_queue_flush(queue));
        }
        launch(queue, &first);
        if (round % 2)
            usleep(PAUSE_NS / 1000);
        launch(queue, &last);
        failed = !starts_alone(first) || !starts_alone(last);
        CHECK(!failed);
        vkb_event_release(first);
        vkb_event_release(last);
    }
    vkb_queue_release(queue);
}

static void test_device(void)
{
    bool prompt = device->prompt;
    make_shaders();
    a = make_buffer(COUNT * 4, true);
    b = make_buffer(COUNT * 4, true);
    for (uint32_t flags = 0; flags < 4; flags++) {
        test_rest((flags & 1 ? VKB_QUEUE_PROFILING : 0) | (flags & 2 ? VKB_QUEUE_OUT_OF_ORDER : 0), true);
        test_rest((flags & 1 ? VKB_QUEUE_PROFILING : 0) | (flags & 2 ? VKB_QUEUE_OUT_OF_ORDER : 0), false);
    }
    test_haste();
    test_pause();
    for (uint32_t flags = 0; flags < 4; flags++) {
        for (int i = 0; i < 6; i++)
            test_left((flags & 1 ? VKB_QUEUE_PROFILING : 0) | (flags & 2 ? VKB_QUEUE_OUT_OF_ORDER : 0), i & 1, i / 2);
    }
    device->prompt = prompt;
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
}

int main(void)
{
    return test_devices(test_device);
}
