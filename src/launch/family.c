/* Families: their memory, and the command that follows the parent's dispatch.
 *
 * A family has a header of its own (enum clc_enqueue_word), which is small, and a body: events, the list of free
 * events, records, and room for what launches captured. Only a family that runs writes into its body. So all families
 * of an in-order queue have the queue's body, one after the other; those of other queues have one each, and leave it to
 * the next family when they have ended. The events in it then have new generations, so that no clk_event_t that a
 * kernel kept in a buffer is valid any more. */
#include "src/check/check.h"
#include "src/device/device.h"
#include "src/launch/family.h"
#include "src/launch/written.h"
#include "src/object/context.h"
#include "src/object/program.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = (CLC_ENQUEUE_QUEUES + 2 * CLC_ENQUEUE_MAX_QUEUES) * 4,
    LIST_AT = OCL_MAX_DEVICE_EVENTS * sizeof(struct clc_enqueue_event), /* bytes in the body, whose start are events */
    CAPTURED_AT = LIST_AT + OCL_MAX_DEVICE_EVENTS * 4,
    RECORDS_AT = CAPTURED_AT + OCL_FAMILY_CAPTURED,
};

_Static_assert(CAPTURED_AT % 128 == 0, "what is captured is aligned as any type");
_Static_assert((int)CLC_RECORD_MOST_BYTES <= (int)OCL_FAMILY_CAPTURED - 128, "a launch can have what it captured");

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
    queues->spare = family->body;
    ocl_unlock(&family->context->mutex);
    vkb_buffer_release(other);
}

/* The body of an in-order queue, unless another thread's family has it that is not behind its dispatch yet: the
 * commands of the two families could be enqueued by turns. */
static void take_queues_body(struct ocl_family *family, uint64_t size)
{
    cl_command_queue queue = family->queue;
    if (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return;
    ocl_lock(&queue->mutex);
    family->has_queues_body = family->shares_body = !queue->body_taken;
    queue->body_taken = true;
    if (family->has_queues_body && queue->body && vkb_buffer_size(queue->body) >= size)
        family->body = vkb_buffer_retain(queue->body);
    ocl_unlock(&queue->mutex);
}

/* Makes the family's new body the queue's. Families that are under way keep the old one. */
static void set_queues_body(struct ocl_family *family)
{
    cl_command_queue queue = family->queue;
    ocl_lock(&queue->mutex);
    struct vkb_buffer *old = queue->body;
    queue->body = vkb_buffer_retain(family->body);
    ocl_unlock(&queue->mutex);
    vkb_buffer_release(old);
}

static void give_body_on(cl_command_queue queue)
{
    ocl_lock(&queue->mutex);
    queue->body_taken = false;
    ocl_unlock(&queue->mutex);
}

static bool find_body(struct ocl_family *family, uint64_t size)
{
    take_queues_body(family, size);
    if (family->body)
        return true;
    family->body = take_spare(family, size);
    if (!family->body && vkb_buffer_create(family->device->vk, size, VKB_MEMORY_HOST, &family->body) != VKB_SUCCESS)
        return false;
    if (family->has_queues_body)
        set_queues_body(family);
    return true;
}

static bool make_memory(struct ocl_family *family)
{
    uint64_t records = 0;
    for (uint32_t i = 0; i < family->num_queues; i++)
        records += family->queues[i]->size;
    family->capacity = (uint32_t)align_up(records, 128);
    if (vkb_buffer_create(family->device->vk, HEADER_BYTES, VKB_MEMORY_HOST, &family->header) != VKB_SUCCESS ||
        !find_body(family, RECORDS_AT + (uint64_t)family->capacity))
        return false;
    char *body = vkb_buffer_map(family->body); /* events need no first value: the kernel that makes one sets it */
    family->words = vkb_buffer_map(family->header);
    if (!body || !family->words)
        return false;
    family->shared_events = (struct clc_enqueue_event *)body;
    family->list = (uint32_t *)(body + LIST_AT);
    family->captured = body + CAPTURED_AT;
    family->captured_address = vkb_buffer_address(family->body) + CAPTURED_AT;
    family->records = body + RECORDS_AT;
    return true;
}

static void put_address(struct ocl_family *family, uint32_t word, uint64_t at)
{
    uint64_t address = vkb_buffer_address(family->body) + at;
    memcpy(family->words + word, &address, sizeof(address));
}

static void fill_header(struct ocl_family *family)
{
    const struct vkb_caps *caps = family->device->caps;
    uint32_t *words = family->words;
    cl_command_queue first = ocl_device_queue_default(family->context, family->queue->device_index);
    words[CLC_ENQUEUE_USED] = 0;
    words[CLC_ENQUEUE_CAPACITY] = family->capacity;
    words[CLC_ENQUEUE_NUM_QUEUES] = family->num_queues;
    words[CLC_ENQUEUE_DEFAULT_QUEUE] = first ? ocl_family_queue_number(family, first) : 0;
    words[CLC_ENQUEUE_EVENTS_TAKEN] = 0;
    words[CLC_ENQUEUE_EVENTS_LEFT] = OCL_MAX_DEVICE_EVENTS;
    words[CLC_ENQUEUE_EVENTS_LISTED] = 0;
    words[CLC_ENQUEUE_EVENTS_FRESH] = 0;
    words[CLC_ENQUEUE_MAX_EVENTS] = OCL_MAX_DEVICE_EVENTS;
    put_address(family, CLC_ENQUEUE_RECORDS, RECORDS_AT);
    put_address(family, CLC_ENQUEUE_EVENTS, 0);
    put_address(family, CLC_ENQUEUE_LIST, LIST_AT);
    words[CLC_ENQUEUE_MAX_ITEMS] = caps->max_workgroup_invocations;
    memcpy(words + CLC_ENQUEUE_MAX_SIZE, caps->max_workgroup_size, sizeof(caps->max_workgroup_size));
    words[CLC_ENQUEUE_SUBGROUP] = family->device->subgroup_size;
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
    bool notes = !check_on(CHECK_RACES) || ocl_written_of_args(&family->reached, queue, kernel);
    if (!family->blocks || !family->events || !notes || !make_memory(family)) {
        ocl_family_destroy(family);
        return NULL;
    }
    fill_header(family);
    return family;
}

/* The events that were used get new generations, for the family that has the memory next. */
static void retire_events(struct ocl_family *family)
{
    struct clc_enqueue_event *events = family->shared_events;
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
    if (family->shared_events)
        retire_events(family);
    if (family->shares_body || !family->shared_events)
        vkb_buffer_release(family->body);
    else
        leave_spare(family);
    if (family->has_queues_body)
        give_body_on(family->queue);
    vkb_buffer_release(family->header);
    for (uint32_t i = 0; i < family->num_queues; i++)
        ocl_queue_release(family->queues[i]);
    vkb_event_release(family->parent_done);
    ocl_written_finish(&family->reached);
    free(family->args);
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
    bool has_queues_body = family->has_queues_body;
    family->has_queues_body = false;
    cl_command_queue queue = command->queue; /* the family may be gone once its command is enqueued */
    enum vkb_result result = vkb_cmd_host_status(&enqueue, follow, family);
    if (has_queues_body)
        give_body_on(queue);
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
