/* Pacing: no submission takes the device so long that a watchdog ends it (vk/device/watchdog.c says how long that is).
 *
 * Each pipeline remembers how long one of its work-groups takes, its pace. A launch that should be over within a
 * sixteenth of the watchdog's time is recorded as ever, and a batch is submitted before more than half of it comes
 * together. A launch that should take longer, or of whose pipeline nothing is known, is held, and a pool thread submits
 * it in parts: ranges of groups in the order of their numbers, each when the one before has ended. The first part is
 * small, since the arguments may make the kernel slower than ever before. Each next one is as large as the times of those
 * before allow, up to a quarter of the watchdog's time where that fills the device (parts.c). So the wait between two
 * parts, some 50 us, is paid by launches that take long, and once by each pipeline.
 *
 * A launch of few groups takes as long as one group does, which on a GPU may be a thousand times the pace: its room is
 * for thousands. So a pipeline that went in parts remembers its floor, too, by which its small launches are expected.
 *
 * Times are the host's, from a submission, or from the end of what came before it, until the end was noticed. They may
 * be too long, and then a launch goes in parts which need not: that corrects itself, since parts are waited for. A pace
 * rises at once and falls by half at most for each launch: a kernel that has taken long with some arguments is not
 * trusted soon again.
 *
 * OpenCL 3.0 API, 3.2.2: work-groups run in any order, and nothing is promised to one that waits for another. Kernels do
 * that all the same where all groups fit the device at once. Those whose code could wait for a group that comes later
 * (vkb_dispatch.stays_whole) are submitted whole. One that waits for earlier groups only does so in parts as well. */
#include "vk/queue/pace.h"

#include "vk/device/device.h"
#include "vk/device/pool.h"
#include "vk/queue/parts.h"
#include "vk/queue/queue.h"
#include "vk/queue/record.h"
#include "vk/queue/recording.h"
#include "vk/queue/rect.h"
#include "vk/shader/shader.h"

enum {
    /* Shares of the watchdog's time. */
    MOST_OF_BATCH = 2,
    LONG = 16,  /* a launch that takes more goes in parts */
    SHORT = 64, /* times below say little of a group's: they are mostly that of the submission */

    COPY_PS = 250,       /* for each byte of a copy: slow memory's */
    LOOK_NS = 100000000, /* how soon the end of the process is noticed */
};

/* 0 where there is no watchdog. */
static uint64_t share_ps(const struct vkb_device *device, uint32_t share)
{
    return (uint64_t)device->caps.watchdog_ms * 1000000000u / share;
}

static uint64_t num_groups(const struct vkb_grid *grid)
{
    return (uint64_t)grid->groups[0] * grid->groups[1] * grid->groups[2];
}

static bool is_splittable(const struct vkb_dispatch *dispatch)
{
    return !dispatch->stays_whole && (dispatch->num_grids > 1 || num_groups(&dispatch->grids[0]) > 1);
}

static uint64_t expect_groups(struct vkb_pipeline *pipeline, uint64_t groups, uint64_t launches)
{
    return u64_max(size_product(vkb_pipeline_pace(pipeline), groups),
                   size_product(vkb_pipeline_floor(pipeline), launches));
}

/* What is not known counts as long where it can be split, and as just not long elsewhere. */
static uint64_t expect_dispatch(const struct vkb_device *device, const struct vkb_dispatch *dispatch)
{
    uint64_t expected = 0, most = share_ps(device, LONG);
    for (uint32_t i = 0; i < dispatch->num_grids; i++) {
        uint64_t pace = vkb_pipeline_pace(dispatch->grids[i].pipeline);
        uint64_t unknown = most + is_splittable(dispatch);
        uint64_t own = pace ? expect_groups(dispatch->grids[i].pipeline, num_groups(&dispatch->grids[i]), 1) : unknown;
        expected = own < UINT64_MAX - expected ? expected + own : UINT64_MAX;
    }
    return expected;
}

bool vkb_pace_is_long(const struct vkb_device *device, uint64_t expected_ps)
{
    return device->caps.watchdog_ms && expected_ps > share_ps(device, LONG);
}

bool vkb_pace_asks(const struct vkb_device *device, const struct vkb_dispatch *dispatch)
{
    return device->caps.watchdog_ms && is_splittable(dispatch) &&
           vkb_pace_is_long(device, expect_dispatch(device, dispatch));
}

uint64_t vkb_pace_of_batch(const struct batch *batch)
{
    uint64_t expected = 0;
    for (uint32_t i = 0; i < batch->num_loads; i++) {
        const struct batch_load *load = &batch->loads[i];
        uint64_t own = expect_groups(load->pipeline, load->groups, load->launches);
        expected = own < UINT64_MAX - expected ? expected + own : UINT64_MAX;
    }
    return u64_max(expected, batch->expected_ps);
}

uint64_t vkb_pace_expects(const struct vkb_device *device, const struct command *command)
{
    if (!device->caps.watchdog_ms)
        return 0;
    switch (command->kind) {
    case COMMAND_DISPATCH:
        return expect_dispatch(device, &command->dispatch);
    case COMMAND_REPLAY:
        return vkb_pace_of_batch(vkb_recording_summary(command->recording)->load);
    case COMMAND_COPY:
    case COMMAND_FILL:
        return size_product(vkb_rect_total(&command->rect), COPY_PS);
    default:
        return 0;
    }
}

/* ---- batches ---- */

bool vkb_pace_is_full(const struct vkb_queue *queue, const struct command *command)
{
    const struct vkb_device *device = queue->device;
    const struct batch *open = queue->open;
    if (!device->caps.watchdog_ms || !open || !open->num_commands)
        return false;
    uint64_t most = share_ps(device, MOST_OF_BATCH), more = vkb_pace_expects(device, command);
    uint32_t loads = command->kind == COMMAND_DISPATCH ? command->dispatch.num_grids
                     : command->kind == COMMAND_REPLAY ? vkb_recording_summary(command->recording)->load->num_loads
                                                       : 0;
    return open->expected_ps > most || more > most - open->expected_ps || open->num_loads + loads > BATCH_LOADS;
}

static void add_load(struct batch *batch, struct vkb_pipeline *pipeline, uint64_t groups, uint64_t launches)
{
    uint32_t i = 0;
    while (i < batch->num_loads && batch->loads[i].pipeline != pipeline)
        i++;
    if (i == BATCH_LOADS) /* the others are taken to have had its time, too */
        return;
    if (i == batch->num_loads)
        batch->loads[batch->num_loads++] = (struct batch_load){.pipeline = pipeline};
    batch->loads[i].groups += groups;
    batch->loads[i].launches += launches;
}

void vkb_pace_note(struct batch *batch, const struct command *command)
{
    uint64_t expected = vkb_pace_expects(batch->device, command);
    if (!batch->device->caps.watchdog_ms)
        return;
    batch->expected_ps = expected < UINT64_MAX - batch->expected_ps ? batch->expected_ps + expected : UINT64_MAX;
    if (command->kind == COMMAND_REPLAY) {
        const struct batch *load = vkb_recording_summary(command->recording)->load;
        for (uint32_t i = 0; i < load->num_loads; i++)
            add_load(batch, load->loads[i].pipeline, load->loads[i].groups, load->loads[i].launches);
    }
    if (command->kind != COMMAND_DISPATCH || command->is_part)
        return;
    for (uint32_t i = 0; i < command->dispatch.num_grids; i++)
        add_load(batch, command->dispatch.grids[i].pipeline, num_groups(&command->dispatch.grids[i]), 1);
}

/* Takes a new pace in. */
static void settle(struct vkb_pipeline *pipeline, uint64_t pace)
{
    vkb_pipeline_set_pace(pipeline, u64_max(u64_max(pace, vkb_pipeline_pace(pipeline) / 2), 1));
}

/* A floor rises at once and falls by half at most, as a pace does. Short ones are mostly the submission's. */
static void settle_floor(const struct vkb_device *device, struct vkb_pipeline *pipeline, uint64_t floor)
{
    floor = u64_max(floor, vkb_pipeline_floor(pipeline) / 2);
    vkb_pipeline_set_floor(pipeline, floor < share_ps(device, SHORT) ? 0 : floor);
}

/* At least 1 for each group, of whose pipeline nothing may be known. */
static uint64_t expect_load(const struct batch_load *load)
{
    return u64_max(expect_groups(load->pipeline, load->groups, load->launches), load->groups);
}

/* What a load has taken: whichever its time was expected by, its groups' or its launches', takes that in. A short time
 * raises nothing. */
static void learn_load(const struct vkb_device *device, const struct batch_load *load, double took, bool is_short)
{
    uint64_t pace = vkb_pipeline_pace(load->pipeline), floor = vkb_pipeline_floor(load->pipeline);
    double by_group = took / (double)load->groups, by_launch = took / (double)load->launches;
    uint64_t new_pace = (uint64_t)(by_group < 1e18 ? by_group : 1e18);
    uint64_t new_floor = (uint64_t)(by_launch < 1e18 ? by_launch : 1e18);
    bool by_floor = floor && size_product(floor, load->launches) >= size_product(pace, load->groups);
    if (!by_floor)
        settle(load->pipeline, pace && is_short ? u64_min(new_pace, pace) : new_pace);
    if (floor && (new_floor < floor || (by_floor && !is_short)))
        settle_floor(device, load->pipeline, new_floor);
}

/* The batch's time is shared out as its kernels were expected to have parts in it. */
void vkb_pace_learn(const struct vkb_queue *queue, const struct batch *batch)
{
    if (!batch->num_loads)
        return;
    double expected = 0, took = (double)(time_ns() - u64_max(batch->paced_ns, queue->retired_ns)) * 1000;
    for (uint32_t i = 0; i < batch->num_loads; i++)
        expected += (double)expect_load(&batch->loads[i]);
    for (uint32_t i = 0; i < batch->num_loads; i++) {
        const struct batch_load *load = &batch->loads[i];
        bool is_short = took < (double)share_ps(queue->device, SHORT);
        learn_load(queue->device, load, took * (double)expect_load(load) / expected, is_short);
    }
}

/* ---- parts ---- */

struct paced {
    struct vkb_queue *queue;
    const struct held *held;
    bool has_begun;
};

/* The next groups of the grid, of which done are over: as many as wanted, or fewer, so that they are a box. */
static uint64_t take_part(const struct vkb_grid *grid, uint64_t done, uint64_t wanted, struct vkb_grid *part)
{
    const uint64_t row = grid->groups[0], plane = row * grid->groups[1];
    const uint32_t at[3] = {(uint32_t)(done % row), (uint32_t)(done / row % grid->groups[1]), (uint32_t)(done / plane)};
    *part = (struct vkb_grid){.pipeline = grid->pipeline, .groups = {1, 1, 1}};
    if (done % plane == 0 && wanted >= plane) {
        part->groups[0] = grid->groups[0];
        part->groups[1] = grid->groups[1];
        part->groups[2] = (uint32_t)u64_min(wanted / plane, grid->groups[2] - at[2]);
    } else if (at[0] == 0 && wanted >= row) {
        part->groups[0] = grid->groups[0];
        part->groups[1] = (uint32_t)u64_min(wanted / row, grid->groups[1] - at[1]);
    } else {
        part->groups[0] = (uint32_t)u64_min(wanted, grid->groups[0] - at[0]);
    }
    for (int i = 0; i < 3; i++)
        part->group_base[i] = grid->group_base[i] + at[i];
    return num_groups(part);
}

/* Waits until the queue's timeline has reached the value. */
static enum vkb_result await(struct vkb_queue *queue, uint64_t value)
{
    enum vkb_result result = VKB_TIMEOUT;
    while (result == VKB_TIMEOUT && !vkb_pool_exiting())
        result = vkb_queue_wait_value(queue, value, time_ns() + LOOK_NS);
    return result;
}

/* Waits for all that comes before the command, so that the first part's time is its own: what it was told to wait for,
 * and in an in-order queue whatever is there. */
static enum vkb_result await_turn(struct vkb_queue *queue, const struct held *held)
{
    enum vkb_result result = VKB_SUCCESS;
    for (uint32_t i = 0; i < held->num_waits && result == VKB_SUCCESS; i++) {
        do
            result = vkb_event_wait(held->waits[i], LOOK_NS);
        while (result == VKB_TIMEOUT && !vkb_pool_exiting() && !atomic_load(&queue->terminated));
        if (result == VKB_TIMEOUT || vkb_event_ask(held->waits[i]) < 0)
            result = held->after_failure ? VKB_SUCCESS : VKB_WAIT_FAILED;
    }
    if (result != VKB_SUCCESS || queue->flags & VKB_QUEUE_OUT_OF_ORDER)
        return result;
    pthread_mutex_lock(&queue->lock);
    result = vkb_batch_submit(queue);
    uint64_t value = queue->submitted;
    vkb_queue_unlock(queue);
    return result == VKB_SUCCESS ? await(queue, value) : result;
}

/* Submits a part and waits for it. *took: ps. */
static enum vkb_result run_part(struct paced *paced, const struct vkb_grid *part, uint64_t *took)
{
    struct vkb_queue *queue = paced->queue;
    const struct held *held = paced->held;
    struct command command = held->command;
    const struct order order = {.barrier = !paced->has_begun};
    command.is_part = true;
    command.dispatch.grids = part;
    command.dispatch.num_grids = 1;
    pthread_mutex_lock(&queue->lock);
    enum vkb_result result = atomic_load(&queue->terminated) ? VKB_WAIT_FAILED : VKB_SUCCESS;
    if (result == VKB_SUCCESS)
        result = vkb_batch_submit(queue); /* what others have recorded would count as the part's time */
    uint64_t began = time_ns();
    if (result == VKB_SUCCESS)
        result = vkb_record(queue, &command, held->waits, paced->has_begun ? 0 : held->num_waits, &order, NULL);
    if (result == VKB_SUCCESS)
        result = vkb_batch_submit(queue);
    uint64_t value = queue->submitted;
    vkb_queue_unlock(queue);
    paced->has_begun = true;
    if (result == VKB_SUCCESS)
        result = await(queue, value);
    *took = (time_ns() - began) * 1000;
    return result;
}

static enum vkb_result run_grid(struct paced *paced, const struct vkb_grid *grid)
{
    const struct vkb_device *device = paced->queue->device;
    const uint64_t all = num_groups(grid);
    uint64_t done = 0, total = 0, took;
    struct vkb_parts parts;
    vkb_parts_begin(&parts, share_ps(device, 1), vkb_pipeline_pace(grid->pipeline));
    enum vkb_result result = VKB_SUCCESS;
    while (done < all && result == VKB_SUCCESS) {
        struct vkb_grid part;
        uint64_t count = take_part(grid, done, parts.wanted, &part);
        result = run_part(paced, &part, &took);
        vkb_parts_note(&parts, count, took);
        done += count;
        total += took;
    }
    if (result == VKB_SUCCESS)
        settle(grid->pipeline, total / all);
    if (result == VKB_SUCCESS && parts.knows_floor)
        settle_floor(device, grid->pipeline, parts.highest_ps);
    return result;
}

enum vkb_result vkb_pace_run(struct vkb_queue *queue, const struct held *held)
{
    const struct vkb_dispatch *dispatch = &held->command.dispatch;
    struct paced paced = {.queue = queue, .held = held};
    enum vkb_result result = await_turn(queue, held);
    for (uint32_t i = 0; i < dispatch->num_grids && result == VKB_SUCCESS; i++)
        result = run_grid(&paced, &dispatch->grids[i]);
    return result;
}
