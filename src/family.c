/* Families: their memory, and the command that follows the parent's dispatch. compiler/clc.h has the memory's layout:
 * header, queues, events, the list of free events, records, and behind them room for what launches captured.
 *
 * A family that has ended leaves its memory to the next one. Its events then have new generations, so that no
 * clk_event_t that a kernel kept in a buffer is valid any more. */
#include "src/family.h"
#include "src/context.h"
#include "src/device.h"
#include "src/program.h"
#include "src/queue.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    EVENTS_AT = 1024, /* bytes */
    EVENT_LIST_AT = EVENTS_AT + OCL_MAX_DEVICE_EVENTS * sizeof(struct clc_enqueue_event),
    RECORDS_AT = EVENT_LIST_AT + OCL_MAX_DEVICE_EVENTS * 4,
    LEAST_CAPTURED = 64 << 10,
};

_Static_assert(CLC_ENQUEUE_QUEUES * 4 + CLC_ENQUEUE_MAX_QUEUES * 8 <= EVENTS_AT, "the queues lie before the events");
_Static_assert(RECORDS_AT % 128 == 0, "what is captured is aligned as any type");

/* ---- queues ---- */

uint32_t ocl_family_queue_number(const struct ocl_family *family, cl_command_queue queue)
{
    for (uint32_t i = 0; i < family->num_queues; i++) {
        if (family->queues[i] == queue)
            return i + 1;
    }
    return 0;
}

/* Takes the reference. */
static void add_queue(struct ocl_family *family, cl_command_queue queue)
{
    if (ocl_family_queue_number(family, queue) || family->num_queues == CLC_ENQUEUE_MAX_QUEUES)
        ocl_queue_release(queue);
    else
        family->queues[family->num_queues++] = queue;
}

static void find_queues(struct ocl_family *family)
{
    cl_command_queue first = ocl_device_queue_default(family->context, family->queue->device_index);
    if (first)
        add_queue(family, first);
    for (uint32_t i = 0; i < family->kernel->info->num_args; i++) {
        cl_command_queue queue = family->kernel->args[i].queue;
        if (!queue || queue->device != family->device)
            continue;
        ocl_queue_retain(queue);
        add_queue(family, queue);
    }
}

/* ---- memory ---- */

static struct vkb_buffer *take_spare(struct ocl_family *family, uint64_t size)
{
    struct ocl_device_queues *queues = &family->context->device_queues[family->queue->device_index];
    ocl_lock(&family->context->mutex);
    struct vkb_buffer *spare = queues->spare;
    if (spare && vkb_buffer_size(spare) >= size)
        queues->spare = NULL;
    else
        spare = NULL;
    ocl_unlock(&family->context->mutex);
    return spare;
}

static void leave_spare(struct ocl_family *family)
{
    struct ocl_device_queues *queues = &family->context->device_queues[family->queue->device_index];
    ocl_lock(&family->context->mutex);
    struct vkb_buffer *other = queues->spare;
    queues->spare = family->memory;
    ocl_unlock(&family->context->mutex);
    vkb_buffer_release(other);
}

static bool make_memory(struct ocl_family *family)
{
    uint64_t records = 0, captured = LEAST_CAPTURED;
    for (uint32_t i = 0; i < family->num_queues; i++) {
        records += family->queues[i]->size;
        captured = u64_max(captured, family->queues[i]->size);
    }
    family->capacity = (uint32_t)align_up(records, 128);
    family->captured_at = RECORDS_AT + family->capacity;
    family->captured_size = (uint32_t)captured;
    uint64_t size = family->captured_at + captured;
    family->memory = take_spare(family, size);
    if (family->memory) {
        family->words = vkb_buffer_map(family->memory);
        return true;
    }
    if (vkb_buffer_create(family->device->vk, size, VKB_MEMORY_HOST, &family->memory) != VKB_SUCCESS)
        return false;
    family->words = vkb_buffer_map(family->memory); /* events need no first value: whoever makes one sets it */
    return family->words;
}

static void fill_header(struct ocl_family *family)
{
    const struct vkb_caps *caps = family->device->caps;
    uint32_t *words = family->words;
    cl_command_queue first = ocl_device_queue_default(family->context, family->queue->device_index);
    words[CLC_ENQUEUE_USED] = 0;
    words[CLC_ENQUEUE_CAPACITY] = family->capacity;
    words[CLC_ENQUEUE_RECORDS] = RECORDS_AT;
    words[CLC_ENQUEUE_NUM_QUEUES] = family->num_queues;
    words[CLC_ENQUEUE_DEFAULT_QUEUE] = first ? ocl_family_queue_number(family, first) : 0;
    words[CLC_ENQUEUE_EVENTS_TAKEN] = 0;
    words[CLC_ENQUEUE_EVENTS_LEFT] = OCL_MAX_DEVICE_EVENTS;
    words[CLC_ENQUEUE_EVENTS_LISTED] = 0;
    words[CLC_ENQUEUE_EVENTS_FRESH] = 0;
    words[CLC_ENQUEUE_EVENTS] = EVENTS_AT;
    words[CLC_ENQUEUE_EVENT_LIST] = EVENT_LIST_AT;
    words[CLC_ENQUEUE_MAX_ITEMS] = caps->max_workgroup_invocations;
    memcpy(words + CLC_ENQUEUE_MAX_SIZE, caps->max_workgroup_size, sizeof(caps->max_workgroup_size));
    words[CLC_ENQUEUE_SUBGROUP] = caps->subgroup_size ? caps->subgroup_size : 1;
    for (uint32_t i = 0; i < family->num_queues; i++) {
        words[CLC_ENQUEUE_QUEUES + 2 * i] = family->queues[i]->size;
        words[CLC_ENQUEUE_QUEUES + 2 * i + 1] = 0;
    }
    if (first)
        ocl_queue_release(first);
}

/* ---- life ---- */

static uint32_t count_blocks(const struct ocl_build *build)
{
    return clc_program_num_blocks(build->program);
}

struct ocl_family *ocl_family_create(cl_command_queue queue, cl_kernel kernel)
{
    struct ocl_family *family = calloc(1, sizeof(*family));
    if (!family)
        return NULL;
    family->context = queue->context;
    family->device = queue->device;
    family->queue = queue;
    family->kernel = kernel;
    ocl_queue_retain(queue);
    ocl_kernel_retain(kernel);
    find_queues(family);
    family->num_blocks = count_blocks(ocl_kernel_build(kernel, queue->device));
    family->blocks = calloc(family->num_blocks + 1, sizeof(family->blocks[0]));
    family->events = calloc(OCL_MAX_DEVICE_EVENTS, sizeof(family->events[0]));
    if (!family->blocks || !family->events || !make_memory(family)) {
        ocl_family_destroy(family);
        return NULL;
    }
    fill_header(family);
    return family;
}

/* The events that were used get new generations, for the family that has the memory next. */
static void retire_events(struct ocl_family *family)
{
    struct clc_enqueue_event *events = (struct clc_enqueue_event *)((char *)family->words + EVENTS_AT);
    uint32_t used = family->num_fresh + family->words[CLC_ENQUEUE_EVENTS_TAKEN];
    for (uint32_t i = 0; i < used && i < OCL_MAX_DEVICE_EVENTS; i++)
        events[i] = (struct clc_enqueue_event){.generation = events[i].generation + 1};
}

void ocl_family_destroy(struct ocl_family *family)
{
    if (!family)
        return;
    for (uint32_t i = 0; family->blocks && i < family->num_blocks; i++) {
        if (family->blocks[i])
            ocl_kernel_release(family->blocks[i]);
    }
    if (family->words) {
        retire_events(family);
        leave_spare(family);
    } else {
        vkb_buffer_release(family->memory);
    }
    for (uint32_t i = 0; i < family->num_queues; i++)
        ocl_queue_release(family->queues[i]);
    vkb_event_release(family->parent_done);
    free(family->blocks);
    free(family->events);
    ocl_kernel_release(family->kernel);
    ocl_queue_release(family->queue);
    free(family);
}

/* ---- the command behind the dispatch ---- */

static int32_t follow(void *data, bool run)
{
    struct ocl_family *family = data;
    int32_t status = run ? ocl_family_run(family) : 0;
    ocl_family_destroy(family);
    return status;
}

enum vkb_result ocl_family_follow(struct ocl_family *family, struct ocl_command *command)
{
    struct vkb_event *before = command->done, *done = NULL;
    struct vkb_enqueue enqueue = {.queue = command->queue->vk, .num_waits = 1, .waits = &before, .event = &done};
    family->parent_done = vkb_event_retain(before);
    enum vkb_result result = vkb_cmd_host_status(&enqueue, follow, family);
    if (result != VKB_SUCCESS) {
        ocl_family_destroy(family);
        return result;
    }
    if (!command->first)
        command->first = vkb_event_retain(before);
    if (command->last)
        vkb_event_release(before);
    else
        command->last = before;
    command->done = done;
    return VKB_SUCCESS;
}
