/* What launches are expected to take on a device with a watchdog (PUMICE_WATCHDOG_MS), by what their pipeline has taken:
 * the pace of its groups, and its floor, below which no launch stays however few groups it has. */
#include "vk_test.h"

#include "vk/queue/batch.h"
#include "vk/queue/pace.h"

enum { LIMIT_MS = 1000, COUNT = 1000, LOCAL = 64, GROUPS = (COUNT + LOCAL - 1) / LOCAL };

static const uint64_t ms = 1000000000; /* of ps */
static struct vkb_buffer *a, *b;

static struct vkb_pipeline *pipeline_of(void)
{
    const uint32_t local = LOCAL;
    struct vkb_pipeline *pipeline = NULL;
    OK(vkb_shader_pipeline(add_shader, &local, 1, 0, &pipeline));
    return pipeline;
}

static uint64_t expected(struct vkb_pipeline *pipeline, uint64_t pace, uint64_t floor, uint32_t groups)
{
    const struct vkb_grid grid = {.pipeline = pipeline, .groups = {groups, 1, 1}};
    struct command command = {.kind = COMMAND_DISPATCH, .dispatch = {.grids = &grid, .num_grids = 1}};
    vkb_pipeline_set_pace(pipeline, pace);
    vkb_pipeline_set_floor(pipeline, floor);
    return vkb_pace_expects(device, &command);
}

static void launch(struct vkb_queue *queue)
{
    struct vkb_enqueue enqueue = on(queue);
    OK(add(&enqueue, a, b, COUNT, 1, false));
}

/* A small launch of a kernel whose floor is known counts with that in its batch, which takes half of the limit. */
static void test_batches(struct vkb_pipeline *pipeline)
{
    struct vkb_queue *queue = make_lone_queue(0);
    const struct vkb_grid grid = {.pipeline = pipeline, .groups = {1, 1, 1}};
    struct command command = {.kind = COMMAND_DISPATCH, .dispatch = {.grids = &grid, .num_grids = 1}};
    device->prompt = false;
    launch(queue); /* a queue's first kernel may be submitted at once */
    OK(vkb_queue_wait(queue));
    vkb_pipeline_set_pace(pipeline, 1);
    vkb_pipeline_set_floor(pipeline, 40 * ms);
    launch(queue);
    pthread_mutex_lock(&queue->lock);
    const struct batch *open = queue->open;
    CHECK(open && open->expected_ps == 40 * ms && vkb_pace_of_batch(open) == 40 * ms);
    CHECK(!vkb_pace_is_full(queue, &command));
    vkb_pipeline_set_floor(pipeline, 450 * ms);
    CHECK(!vkb_pace_is_full(queue, &command));
    CHECK(open && vkb_pace_of_batch(open) == 450 * ms);
    vkb_pipeline_set_floor(pipeline, 470 * ms);
    CHECK(vkb_pace_is_full(queue, &command));
    vkb_queue_unlock(queue);
    OK(vkb_queue_wait(queue));
    vkb_queue_release(queue);
}

/* It is not so slow any more: its floor falls by half with each batch, and then there is none. */
static void test_falls(struct vkb_pipeline *pipeline)
{
    struct vkb_queue *queue = make_lone_queue(0);
    uint64_t floor = 60 * ms;
    vkb_pipeline_set_pace(pipeline, 1);
    vkb_pipeline_set_floor(pipeline, floor);
    for (int i = 0; i < 20; i++) {
        launch(queue);
        OK(vkb_queue_wait(queue));
        uint64_t now = vkb_pipeline_floor(pipeline);
        CHECK(now >= floor / 2 || now == 0 || floor < LIMIT_MS * ms / 32);
        floor = now;
    }
    CHECK(floor < LIMIT_MS * ms / 16);
    vkb_queue_release(queue);
}

static void test(void)
{
    make_shaders();
    a = make_buffer(COUNT * 4, false);
    b = make_buffer(COUNT * 4, false);
    CHECK(device->caps.watchdog_ms == LIMIT_MS);
    struct vkb_pipeline *pipeline = pipeline_of();
    CHECK(expected(pipeline, 7, 0, 1) == 7 && expected(pipeline, 7, 0, 100) == 700);
    CHECK(expected(pipeline, 7, 500, 1) == 500 && expected(pipeline, 7, 500, 100) == 700);
    CHECK(!vkb_pace_is_long(device, expected(pipeline, ms / 100, 0, 8)));
    CHECK(vkb_pace_is_long(device, expected(pipeline, ms / 100, 70 * ms, 8)));
    test_batches(pipeline);
    test_falls(pipeline);
    vkb_buffer_release(a);
    vkb_buffer_release(b);
    vkb_shader_release(add_shader);
    vkb_shader_release(spill_shader);
}

int main(void)
{
    setenv("PUMICE_WATCHDOG_MS", "1000", 1);
    return test_devices(test);
}
