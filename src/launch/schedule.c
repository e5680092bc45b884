/* The scheduler of what kernels enqueue (docs/device-enqueue.md): a command of the host behind the parent's dispatch
 * runs it, on a thread of the pool, in rounds. Between two rounds no kernel of the family runs, so the memory that they
 * share is the host's.
 *
 * A node is a launch or a marker. It is complete when it has ended and its children are complete; then its event is,
 * and its parent may be. One without an event is freed when it has ended: its children are its parent's. Children of a
 * node that has not begun wait in a list, the newest first, so that a tree of launches is walked depth first and the
 * list stays short.
 *
 * The memory's contents come from kernels, which may write anywhere. Nothing that is read from it is trusted. */
#include "src/device/device.h"
#include "src/launch/enqueue_record.h"
#include "src/launch/family.h"
#include "src/launch/launch.h"
#include "src/launch/range.h"
#include "src/object/context.h"
#include "src/object/program.h"
#include "src/object/queue.h"

#include "base/log.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_LAUNCHES = 64,          /* of a round */
    LIKELY_BYTES = 4 << 10,     /* of records that a launch may leave, before any has been seen */
    POLL_NS = 50 * 1000 * 1000, /* how soon the end of the process is noticed */
    STATUS_RESOURCES = CL_OUT_OF_RESOURCES,
    STATUS_WAIT_FAILED = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
};

struct node {
    struct node *next, *parent; /* parent NULL: the application's kernel */
    struct ocl_kept kept;
    uint32_t num_left; /* children that are not complete, and 1 until it has ended */
    int32_t status;
    uint64_t start, end, complete; /* ns on the device's clock */
    struct ocl_enqueue_record record;
    uint32_t *waits, *locals; /* behind the struct, as what it captured */
    const void *captured;
};

struct schedule {
    struct ocl_family *family;
    struct node root, *pending; /* pending: the newest first */
    uint32_t num_blocked;       /* of these: markers, and those that wait for events */
    struct node *launched[MAX_LAUNCHES];
    uint32_t num_launched;
    uint32_t most_bytes;                    /* of records that one round's launches left, for each of them */
    struct vkb_event *before[MAX_LAUNCHES]; /* the last round's: what the next one must see */
    uint32_t num_before;
};

/* ---- completion ---- */

static void release_kept(struct ocl_kept *kept)
{
    vkb_event_release(kept->done);
    vkb_event_release(kept->first);
    vkb_event_release(kept->last);
}

static void node_free(struct node *node)
{
    release_kept(&node->kept);
    free(node);
}

static void complete_event(struct ocl_family *family, const struct node *node)
{
    struct ocl_family_event *event = &family->events[node->record.event - 1];
    event->is_complete = true;
    event->status = node->status;
    event->node = NULL;
    struct clc_enqueue_event *shared = &family->shared_events[node->record.event - 1];
    shared->times[0] = node->end - node->start;
    shared->times[1] = u64_max(node->complete, node->end) - node->start;
    shared->is_complete = true;
}

/* One of what the node waits for is there: its own end, or a child's completion. Nodes that are complete are freed. */
static void node_step(struct schedule *s, struct node *node)
{
    while (node && --node->num_left == 0) {
        struct node *parent = node->parent;
        if (node->record.event)
            complete_event(s->family, node);
        if (!parent)
            return;
        parent->complete = u64_max(parent->complete, u64_max(node->complete, node->end));
        if (node->status < 0 && parent->status == 0)
            parent->status = node->status;
        node_free(node);
        node = parent;
    }
}

static void node_fail(struct schedule *s, struct node *node, int32_t status)
{
    if (node->status == 0)
        node->status = status;
    node_step(s, node);
}

/* ---- records ---- */

static bool record_fits(const struct ocl_family *family, const struct ocl_enqueue_record *record, uint32_t num_parents)
{
    return record->parent < num_parents && record->queue - 1 < family->num_queues &&
           (record->is_marker || record->block < family->num_blocks) && record->event <= OCL_MAX_DEVICE_EVENTS;
}

static bool waits_fit(const struct ocl_family *family, const struct node *node)
{
    for (uint32_t i = 0; i < node->record.num_waits; i++) {
        if (node->waits[i] - 1 >= OCL_MAX_DEVICE_EVENTS || !family->events[node->waits[i] - 1].live)
            return false;
    }
    return !node->record.event ||
           (family->events[node->record.event - 1].live && !family->events[node->record.event - 1].node);
}

/* lists: what follows the record's sizes in the memory of the kernels. */
static struct node *node_create(const struct ocl_enqueue_record *record, const void *lists)
{
    uint32_t size = record->size - record->lists_at;
    struct node *node = malloc(sizeof(*node) + size);
    if (!node)
        return NULL;
    *node = (struct node){.num_left = 1, .record = *record};
    memcpy(node + 1, lists, size);
    node->waits = (uint32_t *)(node + 1);
    node->locals = node->waits + record->num_waits;
    node->captured = node->locals + record->num_locals;
    return node;
}

static struct node *parent_of(struct schedule *s, uint32_t number)
{
    return s->num_launched ? s->launched[number] : &s->root;
}

/* The parent has ended, or nothing would be known of its children. If nobody can ask for its completion, they are its
 * own parent's children as well, so that it can be freed: a chain of kernels that enqueue each other may be endless. */
static struct node *who_waits(struct node *parent)
{
    while (parent->parent && !parent->record.event)
        parent = parent->parent;
    return parent;
}

static bool is_blocked(const struct node *node)
{
    return node->record.is_marker || node->record.num_waits;
}

static void add_node(struct schedule *s, struct node *node)
{
    struct ocl_family *family = s->family;
    node->parent = who_waits(parent_of(s, node->record.parent));
    node->parent->num_left++;
    for (uint32_t i = 0; i < node->record.num_waits; i++)
        family->events[node->waits[i] - 1].num_waiting++;
    if (node->record.event)
        family->events[node->record.event - 1].node = node;
    s->num_blocked += is_blocked(node);
    node->next = s->pending;
    s->pending = node;
}

/* False: something is wrong with the records. Those before it are taken. */
static bool take_records(struct schedule *s)
{
    struct ocl_family *family = s->family;
    uint64_t used = u64_min(family->words[CLC_ENQUEUE_USED], family->capacity), at = 0;
    uint32_t num_parents = s->num_launched ? s->num_launched : 1;
    while (at < used) {
        struct ocl_enqueue_record record;
        if (!ocl_enqueue_record_read(family->records + at, used - at, &record) ||
            !record_fits(family, &record, num_parents))
            return false;
        struct node *node = node_create(&record, family->records + at + record.lists_at);
        if (!node)
            return false;
        if (!waits_fit(family, node)) {
            node_free(node);
            return false;
        }
        add_node(s, node);
        at += record.size;
    }
    s->most_bytes = (uint32_t)u64_max(s->most_bytes, used / num_parents);
    return true;
}

/* ---- events ---- */

static uint32_t taken_number(const struct ocl_family *family, uint32_t i)
{
    return i < family->num_listed ? family->list[i] : family->num_fresh + i - family->num_listed;
}

/* Notes the events that kernels have made. */
static void take_events(struct ocl_family *family)
{
    uint32_t left = family->num_listed + OCL_MAX_DEVICE_EVENTS - family->num_fresh;
    uint32_t taken = (uint32_t)u64_min(family->words[CLC_ENQUEUE_EVENTS_TAKEN], left);
    for (uint32_t i = 0; i < taken; i++) {
        uint32_t number = taken_number(family, i);
        if (number >= OCL_MAX_DEVICE_EVENTS)
            continue;
        family->events[number] = (struct ocl_family_event){.live = true};
    }
    uint32_t *list = family->list;
    uint32_t listed = taken < family->num_listed ? taken : family->num_listed;
    memmove(list, list + listed, (family->num_listed - listed) * sizeof(list[0]));
    family->num_listed -= listed;
    family->num_fresh += taken - listed;
    family->words[CLC_ENQUEUE_EVENTS_TAKEN] = 0;
}

/* User events that kernels have set. */
static void look_at_user_events(struct ocl_family *family)
{
    const struct clc_enqueue_event *shared = family->shared_events;
    for (uint32_t i = 0; i < family->num_fresh; i++) {
        struct ocl_family_event *event = &family->events[i];
        if (!event->live || event->is_complete || !shared[i].is_user || shared[i].status > 0)
            continue;
        event->is_complete = true;
        event->status = shared[i].status;
    }
}

/* Stores what capture_event_profiling_info() wanted of commands that are complete. */
static void write_profiles(struct schedule *s)
{
    struct ocl_family *family = s->family;
    const struct clc_enqueue_event *shared = family->shared_events;
    for (uint32_t i = 0; i < family->num_fresh && family->num_queues; i++) {
        struct ocl_family_event *event = &family->events[i];
        if (!event->live || !event->is_complete || event->is_written || !shared[i].profile)
            continue;
        event->is_written = true;
        if (ocl_store_profile(family->queues[0], shared[i].profile, shared[i].times) != CL_SUCCESS)
            log_warn("capture_event_profiling_info: the times could not be stored");
    }
}

/* Numbers that nobody has any more are free again. */
static void free_events(struct ocl_family *family)
{
    struct clc_enqueue_event *shared = family->shared_events;
    for (uint32_t i = 0; i < family->num_fresh; i++) {
        struct ocl_family_event *event = &family->events[i];
        bool gone = (int32_t)shared[i].references <= 0 && !event->node && !event->num_waiting;
        if (!event->live || !gone || (!event->is_complete && !shared[i].is_user))
            continue;
        event->live = false;
        shared[i] = (struct clc_enqueue_event){.generation = shared[i].generation + 1};
        family->list[family->num_listed++] = i;
    }
}

/* ---- what may begin ---- */

enum readiness { WAITS, READY, FAILS };

static enum readiness look(const struct ocl_family *family, const struct node *node)
{
    enum readiness ready = READY;
    for (uint32_t i = 0; i < node->record.num_waits; i++) {
        const struct ocl_family_event *event = &family->events[node->waits[i] - 1];
        if (event->is_complete && event->status < 0)
            return FAILS; /* whatever else it waits for */
        if (!event->is_complete)
            ready = WAITS;
    }
    return ready;
}

/* Takes the node from the list: it begins, or will never. Its record's bytes are room for others again. */
static void leave_list(struct schedule *s, struct node **link)
{
    struct ocl_family *family = s->family;
    struct node *node = *link;
    *link = node->next;
    s->num_blocked -= is_blocked(node);
    for (uint32_t i = 0; i < node->record.num_waits; i++)
        family->events[node->waits[i] - 1].num_waiting--;
    uint32_t *bytes = &family->words[CLC_ENQUEUE_QUEUES + 2 * (node->record.queue - 1) + 1];
    *bytes -= node->record.size < *bytes ? node->record.size : *bytes;
}

/* Ends markers whose events are complete, and all nodes that wait for an event which has failed, until there are no
 * more.
 */
static void settle(struct schedule *s)
{
    bool again = s->num_blocked;
    while (again) {
        again = false;
        for (struct node **link = &s->pending; *link;) {
            struct node *node = *link;
            enum readiness ready = look(s->family, node);
            if (ready == WAITS || (ready == READY && !node->record.is_marker)) {
                link = &node->next;
                continue;
            }
            leave_list(s, link);
            again = true;
            if (ready == FAILS)
                node_fail(s, node, STATUS_WAIT_FAILED);
            else
                node_step(s, node);
        }
    }
}

/* ---- launching ---- */

static cl_kernel block_kernel(struct ocl_family *family, uint32_t block)
{
    cl_program program = family->kernel->program;
    int device = ocl_program_device_index(program, family->device);
    struct ocl_build *build = &program->builds[device];
    if (family->blocks[block])
        return family->blocks[block];
    struct ocl_code *code = &build->codes[build->num_codes - family->num_blocks + block];
    cl_int error = ocl_kernel_create_of(program, (cl_uint)device, code, &family->blocks[block]);
    if (error == CL_SUCCESS)
        return family->blocks[block];
    family->blocks[block] = NULL;
    ocl_fail(family->context, "enqueue_kernel", error, "block %s cannot be prepared", code->info->name);
    return NULL;
}

static void set_args(const struct node *node, cl_kernel kernel, uint64_t captured)
{
    kernel->args[0].is_pointer = kernel->args[0].set = true;
    kernel->args[0].pointer = captured;
    kernel->args[0].is_captured = true;
    kernel->args[0].captured_size = node->record.captured_size;
    for (uint32_t i = 1; i < kernel->info->num_args; i++) {
        kernel->args[i].set = true;
        kernel->args[i].local_size = node->locals[i - 1];
    }
}

static void keep_times(struct node *node)
{
    struct vkb_profile first = vkb_event_profile(node->kept.first ? node->kept.first : node->kept.done);
    struct vkb_profile last = vkb_event_profile(node->kept.last ? node->kept.last : node->kept.done);
    node->start = first.start;
    node->end = u64_max(last.end, first.start);
    node->complete = u64_max(node->complete, node->end);
}

static cl_int launch(struct schedule *s, struct node *node, uint64_t captured)
{
    struct ocl_family *family = s->family;
    cl_kernel kernel = block_kernel(family, node->record.block);
    cl_command_queue queue = family->queues[node->record.queue - 1];
    if (!kernel)
        return CL_OUT_OF_RESOURCES;
    if (node->record.num_locals + 1 != kernel->info->num_args)
        return ocl_fail(family->context, "enqueue_kernel", CL_INVALID_KERNEL_ARGS, "%s takes %u local arguments",
                        kernel->info->name, kernel->info->num_args - 1);
    set_args(node, kernel, captured);
    uint64_t offset[3], global[3], local[3];
    for (int i = 0; i < 3; i++) {
        offset[i] = node->record.offset[i];
        global[i] = node->record.global[i];
        local[i] = node->record.local[i];
    }
    const struct ocl_range_args args = {.function = "enqueue_kernel",
                                        .queue = queue,
                                        .kernel = kernel,
                                        .work_dim = node->record.dims,
                                        .offset = offset,
                                        .global = global,
                                        .local = local[0] ? local : NULL,
                                        .by_kernel = true};
    struct ocl_range range;
    cl_int error = ocl_range_check(&args, false, &range);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_call call = {.function = "enqueue_kernel", .queue = queue, .type = CL_COMMAND_NDRANGE_KERNEL};
    struct ocl_command command;
    error = ocl_command_begin(&command, &call);
    if (error != CL_SUCCESS)
        return error;
    command.want_event = true;
    command.kept = &node->kept;
    command.family = family;
    command.family_number = s->num_launched;
    return ocl_launch(&command, kernel, &range);
}

/* How many launches may begin, so that there will be room for what they enqueue. One always does. */
static uint32_t most_launches(const struct schedule *s)
{
    const struct ocl_family *family = s->family;
    uint64_t room = UINT64_MAX, each = s->most_bytes ? 2ull * s->most_bytes : LIKELY_BYTES;
    for (uint32_t i = 0; i < family->num_queues; i++) {
        const uint32_t *queue = &family->words[CLC_ENQUEUE_QUEUES + 2 * i];
        room = u64_min(room, queue[0] > queue[1] ? queue[0] - queue[1] : 0);
    }
    return (uint32_t)u64_max(u64_min(room / each, MAX_LAUNCHES), 1);
}

/* In each queue that is used, all that comes now is behind what the last round did, in memory too. */
static cl_int order_queue(struct schedule *s, cl_command_queue queue)
{
    const struct vkb_enqueue enqueue = {.queue = queue->vk, .num_waits = s->num_before, .waits = s->before};
    return ocl_from_vkb(vkb_cmd_marker(&enqueue, true));
}

static void begin_round(struct schedule *s)
{
    struct ocl_family *family = s->family;
    uint32_t most = most_launches(s);
    uint64_t at = 0, ordered = 0;
    s->num_launched = 0;
    for (struct node **link = &s->pending; *link && s->num_launched < most;) {
        struct node *node = *link;
        uint64_t place = align_up(at, u64_max(node->record.captured_align, 16));
        if (look(family, node) != READY) {
            link = &node->next;
            continue;
        }
        if (place + node->record.captured_size > OCL_FAMILY_CAPTURED && s->num_launched)
            break;
        leave_list(s, link);
        uint32_t queue = node->record.queue - 1;
        cl_int error = place + node->record.captured_size > OCL_FAMILY_CAPTURED ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        if (error == CL_SUCCESS && !(ordered >> queue & 1))
            error = order_queue(s, family->queues[queue]);
        ordered |= 1ull << queue;
        if (error == CL_SUCCESS) {
            memcpy(family->captured + place, node->captured, node->record.captured_size);
            error = launch(s, node, family->captured_address + place);
        }
        if (error != CL_SUCCESS) {
            log_warn("a kernel that was enqueued by a kernel cannot be launched: %s", ocl_error_name(error));
            node_fail(s, node, error);
            continue;
        }
        at = place + node->record.captured_size;
        s->launched[s->num_launched++] = node;
    }
    for (uint32_t i = 0; i < family->num_queues; i++) {
        if (ordered >> i & 1)
            vkb_queue_flush(family->queues[i]->vk);
    }
}

/* False: the process ends, or the device is lost. */
static bool await(struct vkb_event *event)
{
    while (vkb_event_wait(event, POLL_NS) == VKB_TIMEOUT) {
        if (vkb_exiting())
            return false;
    }
    return !vkb_exiting();
}

static bool await_round(struct schedule *s)
{
    for (uint32_t i = 0; i < s->num_launched; i++) {
        struct node *node = s->launched[i];
        if (!await(node->kept.done))
            return false;
        int32_t status = vkb_event_ask(node->kept.done);
        if (status < 0 && node->status == 0)
            node->status = status;
        if (s->family->queues[node->record.queue - 1]->flags & CL_QUEUE_PROFILING_ENABLE)
            keep_times(node);
    }
    return true;
}

static void forget_before(struct schedule *s)
{
    for (uint32_t i = 0; i < s->num_before; i++)
        vkb_event_release(s->before[i]);
    s->num_before = 0;
}

/* The launches of the round have ended: reads what they left. */
static bool end_round(struct schedule *s)
{
    struct ocl_family *family = s->family;
    take_events(family);
    bool fine = take_records(s);
    if (!fine)
        log_error("the records of enqueued kernels are damaged, or there is no memory for them");
    family->words[CLC_ENQUEUE_USED] = 0;
    look_at_user_events(family);
    if (s->num_launched) {
        forget_before(s);
        for (uint32_t i = 0; i < s->num_launched; i++)
            s->before[s->num_before++] = vkb_event_retain(s->launched[i]->kept.done);
    }
    for (uint32_t i = 0; i < s->num_launched; i++)
        node_step(s, s->launched[i]);
    return fine;
}

static void prepare_memory(struct ocl_family *family)
{
    family->words[CLC_ENQUEUE_EVENTS_LEFT] = family->num_listed + OCL_MAX_DEVICE_EVENTS - family->num_fresh;
    family->words[CLC_ENQUEUE_EVENTS_LISTED] = family->num_listed;
    family->words[CLC_ENQUEUE_EVENTS_FRESH] = family->num_fresh;
}

/* Ends all that has not begun. */
static void fail_pending(struct schedule *s, int32_t status)
{
    while (s->pending) {
        struct node *node = s->pending;
        leave_list(s, &s->pending);
        node_fail(s, node, status);
    }
}

static bool run_round(struct schedule *s)
{
    struct ocl_family *family = s->family;
    write_profiles(s);
    settle(s);
    write_profiles(s);
    free_events(family);
    if (!s->pending)
        return false;
    prepare_memory(family);
    begin_round(s);
    if (!s->num_launched && s->pending) {
        settle(s); /* those that could not be launched may have been waited for */
        for (struct node *node = s->pending; node; node = node->next) {
            if (look(family, node) == READY)
                return true;
        }
        if (s->pending)
            log_warn("enqueued kernels wait for user events that nobody can set any more");
        fail_pending(s, STATUS_WAIT_FAILED);
        return false;
    }
    if (!await_round(s)) {
        s->root.status = STATUS_RESOURCES;
        for (uint32_t i = 0; i < s->num_launched; i++)
            node_fail(s, s->launched[i], STATUS_RESOURCES);
        return false;
    }
    if (!end_round(s)) {
        s->root.status = STATUS_RESOURCES;
        fail_pending(s, STATUS_RESOURCES);
    }
    return true;
}

int32_t ocl_family_run(struct ocl_family *family)
{
    struct schedule s = {.family = family, .root = {.num_left = 1}};
    s.before[s.num_before++] = vkb_event_retain(family->parent_done);
    if (!end_round(&s)) {
        s.root.status = STATUS_RESOURCES;
        fail_pending(&s, STATUS_RESOURCES);
    }
    while (run_round(&s) && !vkb_exiting() && !vkb_device_lost(family->device->vk))
        continue;
    if (s.pending) { /* the process ends, or the device is lost */
        s.root.status = STATUS_RESOURCES;
        fail_pending(&s, STATUS_RESOURCES);
    }
    forget_before(&s);
    return s.root.status;
}
