/* What comes before what. A command that nobody has seen complete is alive; of each is known which of the others that
 * are alive it comes after: the vector clock of happens-before, as a set of bits. It comes after what its wait list
 * names, after the command before it in an in-order queue, after barriers, and after everything that those come after.
 * Once somebody sees a command complete (a wait, a blocking call, a status, a callback), it and all that it comes after
 * are alive no more: whatever is enqueued later comes behind them.
 *
 * A command that uses the memory of one that is alive and that it does not come after is a race, if one of them writes.
 *
 * A user event is a command that ends when it is set. The application may set it when it likes, also after it saw other
 * commands complete. So commands that come after one are looked at when it has been set. */
#include "src/checked/model.h"
#include "src/object/event.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ALIVE = 1024, WORDS = MAX_ALIVE / 64, MAX_SIGNALS = 64, MAX_SEMAPHORES = 256, MAX_PAIRS = 16384 };

struct set {
    uint64_t words[WORDS];
};

struct checked_command {
    uint32_t refs; /* its event's, its queue's, its slot's, semaphores', the call's */
    uint32_t slot; /* MAX_ALIVE: it is not alive */
    uint64_t serial, number;
    const char *function;
    const void *caller;
    cl_command_queue queue; /* only to be compared; NULL: a user event's */
    bool out_of_order, is_user, is_barrier, has_event, followed, is_launch;
    bool told;            /* a race of it with an earlier one was reported */
    const void *recorded; /* the command buffer that it is of, only to be compared; or NULL */
    struct checked_launch launch;
    const void *event;
    struct set before;
    struct checked_access *accesses;
    uint32_t num_accesses;
    struct ocl_touched *touched; /* of a launch, or NULL */
};

/* Two commands with nothing to order them that use the same buffers, and may use different parts of these: what they touch is known
 * when they have ended. A reference to each. */
struct open_pair {
    struct open_pair *next;
    struct checked_command *late, *early;
};
static struct open_pair *open_pairs;
static uint32_t num_open_pairs;

/* Signals that no wait has taken. */
static struct {
    const void *semaphore;
    struct checked_command *signals[MAX_SIGNALS];
    uint32_t num_signals;
    pthread_t user;
    bool unknown; /* which wait takes which signal: a wait came first, or several threads use it */
} semaphores[MAX_SEMAPHORES];

static struct checked_command *alive[MAX_ALIVE];
static uint32_t num_slots; /* used so far, alive or not */
static struct set users;   /* those of user events */
static uint64_t next_serial = 1;

/* ---- sets ---- */

static bool has(const struct set *set, uint32_t slot)
{
    return slot < MAX_ALIVE && set->words[slot / 64] >> slot % 64 & 1;
}

static void add(struct set *set, uint32_t slot)
{
    if (slot < MAX_ALIVE)
        set->words[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void add_all(struct set *set, const struct set *other)
{
    for (uint32_t i = 0; i < WORDS; i++)
        set->words[i] |= other->words[i];
}

/* ---- life ---- */

struct checked_command *checked_command_keep(struct checked_command *command)
{
    if (command)
        command->refs++;
    return command;
}

void checked_command_drop(struct checked_command *command)
{
    if (!command || --command->refs)
        return;
    free(command->accesses);
    ocl_touched_release(command->touched);
    free(command);
}

static void leave_slot(struct checked_command *command)
{
    alive[command->slot] = NULL;
    command->slot = MAX_ALIVE;
    command->before = (struct set){{0}};
    checked_command_drop(command);
}

/* Takes the commands of the set out of those that are alive. */
static void end_all(const struct set *set)
{
    const struct set gone = *set; /* it may be a set of one of them */
    for (uint32_t i = 0; i < num_slots; i++) {
        struct checked_command *command = alive[i];
        if (!command || has(&gone, i))
            continue;
        for (uint32_t k = 0; k < WORDS; k++)
            command->before.words[k] &= ~gone.words[k];
    }
    for (uint32_t k = 0; k < WORDS; k++)
        users.words[k] &= ~gone.words[k];
    for (uint32_t i = 0; i < num_slots; i++) {
        if (has(&gone, i) && alive[i])
            leave_slot(alive[i]);
    }
}

static void end_one(struct checked_command *command)
{
    uint32_t word = command->slot / 64;
    uint64_t others = ~(UINT64_C(1) << command->slot % 64);
    users.words[word] &= others;
    for (uint32_t i = 0; i < num_slots; i++) {
        if (alive[i])
            alive[i]->before.words[word] &= others;
    }
    leave_slot(command);
}

/* Where all slots are used, the oldest command is taken for complete. */
static uint32_t find_slot(void)
{
    struct checked_command *oldest = NULL;
    for (uint32_t i = 0; i < MAX_ALIVE; i++) {
        if (!alive[i]) {
            num_slots = (uint32_t)u64_max(num_slots, i + 1);
            return i;
        }
        if (!oldest || alive[i]->serial < oldest->serial)
            oldest = alive[i];
    }
    uint32_t slot = oldest->slot;
    end_one(oldest);
    return slot;
}

static struct checked_command *make(const struct checked_call *call, cl_command_queue queue)
{
    struct checked_command *command = calloc(1, sizeof(*command));
    if (!command)
        return NULL;
    command->refs = 1; /* the slot's */
    command->slot = find_slot();
    command->serial = next_serial++;
    command->number = call->number;
    command->function = call->function;
    command->caller = call->caller;
    command->queue = queue;
    alive[command->slot] = command;
    return command;
}

void checked_saw(struct checked_command *command)
{
    if (!command || command->slot == MAX_ALIVE)
        return;
    struct set set = command->before;
    add(&set, command->slot);
    end_all(&set);
}

void checked_saw_queue(cl_command_queue queue, uint64_t serial)
{
    struct set set = {{0}};
    for (uint32_t i = 0; i < num_slots; i++) {
        if (alive[i] && alive[i]->queue == queue && alive[i]->serial < serial) {
            add(&set, i);
            add_all(&set, &alive[i]->before);
        }
    }
    end_all(&set);
}

uint64_t checked_serial(void)
{
    checked_lock();
    uint64_t serial = next_serial;
    checked_unlock();
    return serial;
}

/* ---- what a command comes after ---- */

static void come_after(struct checked_command *command, struct checked_command *other)
{
    if (!other || other == command)
        return;
    other->followed = true;
    add(&command->before, other->slot);
    add_all(&command->before, &other->before);
}

void checked_follow(struct checked_command *command)
{
    if (command)
        command->followed = true;
}

struct checked_command *checked_user_command(struct checked_call *call)
{
    struct checked_command *command = make(call, NULL);
    if (command) {
        command->is_user = true;
        add(&users, command->slot);
    }
    return checked_command_keep(command);
}

/* The command waits for something of which nobody knows what it comes after: it hangs on a user event that is never set. */
static void come_after_unknown(struct checked_call *call)
{
    struct checked_command *unknown = checked_user_command(call);
    come_after(call->command, unknown);
    checked_command_drop(unknown);
}

static void set_last(cl_command_queue queue, struct checked_command *command)
{
    struct checked_object *object = checked_find(queue);
    if (!object)
        return;
    checked_command_drop(object->command);
    object->command = checked_command_keep(command);
}

/* Of a queue that is not known (nobody saw it made), it is not known either what its commands come after. */
static void begin_command(struct checked_call *call, cl_command_queue queue, cl_uint num_waits, const cl_event *waits)
{
    const struct checked_object *known = checked_find(queue);
    struct checked_command *command = known ? make(call, queue) : NULL;
    call->command = checked_command_keep(command);
    if (command) {
        command->out_of_order = queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        come_after(command, known->command);
        for (cl_uint i = 0; i < num_waits && waits; i++) {
            struct checked_object *event = checked_find(waits[i]);
            if (event && event->kind == CHECKED_EVENT && event->command)
                come_after(command, event->command);
            else
                come_after_unknown(call);
        }
        if (!command->out_of_order)
            set_last(queue, command);
    }
}

void checked_command(struct checked_call *call, cl_command_queue queue, cl_uint num_waits, const cl_event *waits)
{
    if (call->off)
        return;
    checked_lock();
    begin_command(call, queue, num_waits, waits);
    checked_unlock();
}

void checked_part(struct checked_call *call, cl_command_queue queue, cl_uint num_waits, const cl_event *waits,
                  const void *buffer)
{
    begin_command(call, queue, num_waits, waits);
    if (call->command)
        call->command->recorded = buffer;
}

void checked_comes_after(struct checked_call *call, struct checked_command *other)
{
    if (call->command)
        come_after(call->command, other);
}

void checked_after_all(struct checked_call *call)
{
    struct checked_command *command = call->command;
    for (uint32_t i = 0; command && i < num_slots; i++) {
        if (alive[i] && alive[i]->queue == command->queue)
            come_after(command, alive[i]);
    }
}

void checked_is_barrier(struct checked_call *call)
{
    if (call->command)
        set_last(call->command->queue, call->command);
}

void checked_is_last(struct checked_call *call, cl_command_queue queue)
{
    if (call->command && !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        set_last(queue, call->command);
}

/* ---- semaphores ---- */

static void take_signal(struct checked_command *command, uint32_t at)
{
    struct checked_command *signal = semaphores[at].signals[0];
    come_after(command, signal);
    checked_command_drop(signal);
    semaphores[at].num_signals--;
    memmove(semaphores[at].signals, semaphores[at].signals + 1,
            semaphores[at].num_signals * sizeof(semaphores[at].signals[0]));
}

static uint32_t semaphore_place(const void *semaphore)
{
    for (uint32_t i = 0; i < MAX_SEMAPHORES; i++) {
        if (semaphores[i].semaphore == semaphore || !semaphores[i].semaphore) {
            if (!semaphores[i].semaphore)
                semaphores[i].user = pthread_self();
            semaphores[i].semaphore = semaphore;
            semaphores[i].unknown |= !pthread_equal(semaphores[i].user, pthread_self());
            return i;
        }
    }
    return MAX_SEMAPHORES;
}

void checked_signals(struct checked_call *call, const void *semaphore)
{
    uint32_t at = semaphore_place(semaphore);
    if (at < MAX_SEMAPHORES && call->command && semaphores[at].num_signals < MAX_SIGNALS)
        semaphores[at].signals[semaphores[at].num_signals++] = checked_command_keep(call->command);
}

/* Where nobody knows which signal it will be, the wait hangs on something that is never set. */
void checked_takes(struct checked_call *call, const void *semaphore)
{
    uint32_t at = semaphore_place(semaphore);
    if (!call->command)
        return;
    if (at < MAX_SEMAPHORES && semaphores[at].num_signals && !semaphores[at].unknown) {
        take_signal(call->command, at);
        return;
    }
    if (at < MAX_SEMAPHORES)
        semaphores[at].unknown = true;
    come_after_unknown(call);
}

/* ---- races ---- */

void checked_uses(struct checked_call *call, struct checked_access access, bool reads, bool writes)
{
    struct checked_command *command = call->command;
    if (!command || (!reads && !writes))
        return;
    access.reads = reads;
    access.writes = writes;
    void *more = realloc(command->accesses, (command->num_accesses + 1) * sizeof(access));
    if (!more)
        return;
    command->accesses = more;
    command->accesses[command->num_accesses++] = access;
}

void checked_launches(struct checked_call *call, const struct checked_launch *launch, struct ocl_touched *touched)
{
    if (!call->command) {
        ocl_touched_release(touched);
        return;
    }
    call->command->touched = touched;
    call->command->is_launch = true;
    call->command->launch = *launch;
}

static bool is_held(const struct checked_command *command)
{
    uint64_t both = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        both |= command->before.words[i] & users.words[i];
    return both;
}

/* Launches of one kernel may share out a job: over different parts of the range, or, where they only write, told by
 * numbers which part it is. */
static bool are_parts(const struct checked_command *a, const struct checked_command *b, const struct checked_access *x,
                      const struct checked_access *y)
{
    if (!a->is_launch || !b->is_launch || strcmp(a->launch.kernel, b->launch.kernel) != 0)
        return false;
    for (int i = 0; i < 3; i++) {
        if (a->launch.offset[i] + a->launch.size[i] <= b->launch.offset[i] ||
            b->launch.offset[i] + b->launch.size[i] <= a->launch.offset[i])
            return true;
    }
    return a->launch.values != b->launch.values && !x->reads && !y->reads;
}

static void name_command(const struct checked_command *command, char *text, size_t size)
{
    if (command->is_launch)
        snprintf(text, size, "kernel '%s' (%s, call %" PRIu64 ")", command->launch.kernel, command->function,
                 command->number);
    else
        snprintf(text, size, "%s (call %" PRIu64 ")", command->function, command->number);
}

static const char *verb(const struct checked_access *access)
{
    return access->reads && access->writes ? "reads and writes" : access->writes ? "writes" : "reads";
}

/* Accesses of two commands that use the same memory. */
struct conflict {
    enum checked_meeting meeting;
    const struct checked_access *x, *y; /* of the later and the earlier command */
    uint64_t at;                        /* the first byte that both touch; UINT64_MAX: nobody knows */
};

/* "; both touch byte 128", of the object's. */
static void name_byte(const struct conflict *conflict, char text[64])
{
    const struct checked_access *x = conflict->x;
    uint64_t start = !x->root ? x->begin : x->shape == CHECKED_BYTES ? x->mem->origin : 0;
    *text = '\0';
    if (conflict->at != UINT64_MAX && conflict->at >= start)
        snprintf(text, 64, " (both touch byte %" PRIu64 ")", conflict->at - start);
}

static void report_race(const struct checked_command *late, const struct checked_command *early,
                        const struct conflict *conflict)
{
    const struct checked_access *x = conflict->x, *y = conflict->y;
    char late_name[160], early_name[160];
    struct checked_call call = {.function = late->function, .caller = late->caller, .number = late->number};
    const struct checked_object *object =
        x->root ? checked_find(x->mem) : checked_find_memory((void *)(uintptr_t)x->begin);
    const char *dependency = !early->recorded ? early->has_event ? "the other's event" : "the other, which has no event"
                             : early->recorded == late->recorded ? "the other's sync point"
                                                                 : "the other's command buffer";
    const char *why = late->queue != early->queue ? "they are in different queues" : "their queue is out of order";
    char what[64], byte[64];
    name_byte(conflict, byte);
    if (object || x->root)
        snprintf(what, sizeof(what), "%s", object ? checked_a_kind(object) : "memory");
    else
        snprintf(what, sizeof(what), "the host's memory at 0x%" PRIx64, x->begin);
    name_command(late, late_name, sizeof(late_name));
    name_command(early, early_name, sizeof(early_name));
    checked_report(&call, CHECK_KIND_COMMAND_RACE, object, late->is_launch ? late->launch.kernel : NULL, early->caller,
                   "the other command",
                   "%s %s %s that %s %s%s, and nothing orders them: %s, and call %" PRIu64 " does not wait for %s",
                   late_name, verb(x), what, early_name, verb(y), byte, why, late->number, dependency);
}

/* Of both of a noted launch it is known what they touch, or will be; of others the whole counts, unless they share out a job. */
static enum checked_meeting meet(const struct checked_command *late, const struct checked_command *early,
                                 struct conflict *conflict)
{
    const struct checked_access *x = conflict->x, *y = conflict->y;
    conflict->at = UINT64_MAX;
    if ((!x->writes && !y->writes) || !checked_overlap(x, y))
        return CHECKED_APART;
    if ((!x->touched || !y->touched) && are_parts(late, early, x, y))
        return CHECKED_APART;
    return x->touched || y->touched ? checked_meet(x, y, &conflict->at) : CHECKED_MEET;
}

/* The worst of their accesses: those that meet, then those of which it is not known yet. */
static struct conflict find_conflict(const struct checked_command *late, const struct checked_command *early)
{
    struct conflict worst = {.meeting = CHECKED_APART};
    for (uint32_t i = 0; i < late->num_accesses; i++) {
        for (uint32_t k = 0; k < early->num_accesses; k++) {
            struct conflict conflict = {.x = &late->accesses[i], .y = &early->accesses[k]};
            conflict.meeting = meet(late, early, &conflict);
            if (conflict.meeting == CHECKED_MEET)
                return conflict;
            worst = conflict.meeting == CHECKED_OPEN ? conflict : worst;
        }
    }
    return worst;
}

static void add_pair(struct checked_command *late, struct checked_command *early)
{
    struct open_pair *pair = num_open_pairs < MAX_PAIRS ? malloc(sizeof(*pair)) : NULL;
    if (!pair)
        return;
    num_open_pairs++;
    *pair = (struct open_pair){open_pairs, checked_command_keep(late), checked_command_keep(early)};
    open_pairs = pair;
}

static void compare_pair(struct checked_command *late, struct checked_command *early)
{
    const struct conflict conflict = find_conflict(late, early);
    if (conflict.meeting == CHECKED_OPEN)
        add_pair(late, early);
    if (conflict.meeting != CHECKED_MEET || late->told)
        return;
    late->told = true;
    report_race(late, early, &conflict);
}

/* Reports one race of the command's, with the latest command that it has one with; and looks later at those of which nothing is known
 * yet. */
static void compare_with_others(struct checked_command *command)
{
    struct checked_command *worst = NULL;
    for (uint32_t i = 0; i < num_slots; i++) {
        struct checked_command *other = alive[i];
        if (!other || other == command || has(&command->before, i) || has(&other->before, command->slot) ||
            is_held(other))
            continue;
        struct checked_command *late = command->serial > other->serial ? command : other;
        struct checked_command *early = late == command ? other : command;
        const struct conflict conflict = find_conflict(late, early);
        if (conflict.meeting == CHECKED_OPEN)
            add_pair(late, early);
        else if (conflict.meeting == CHECKED_MEET && (!worst || other->serial > worst->serial))
            worst = other;
    }
    if (worst && command->serial > worst->serial)
        compare_pair(command, worst);
    else if (worst)
        compare_pair(worst, command);
}

/* A launch has ended: what it touched is there. */
static void launch_ended(struct ocl_touched *touched, bool ran)
{
    checked_lock();
    touched->complete = true;
    touched->ran = ran;
    struct open_pair *pairs = open_pairs;
    open_pairs = NULL;
    while (pairs) {
        struct open_pair *pair = pairs;
        pairs = pair->next;
        if (pair->late->touched == touched || pair->early->touched == touched) {
            compare_pair(pair->late, pair->early);
            checked_command_drop(pair->late);
            checked_command_drop(pair->early);
            free(pair);
            num_open_pairs--;
        } else {
            pair->next = open_pairs;
            open_pairs = pair;
        }
    }
    checked_unlock();
}

void checked_hear_of_launches(void)
{
    ocl_touched_complete = launch_ended;
}

void checked_set_user(struct checked_command *user)
{
    static struct checked_command *freed[MAX_ALIVE];
    uint32_t count = 0;
    if (!user || user->slot == MAX_ALIVE)
        return;
    for (uint32_t i = 0; i < num_slots; i++) {
        if (alive[i] && has(&alive[i]->before, user->slot))
            freed[count++] = alive[i];
    }
    end_one(user);
    for (uint32_t i = 0; i < count && check_on(CHECK_RACES); i++) {
        if (!is_held(freed[i]))
            compare_with_others(freed[i]);
    }
}

static void compare(struct checked_call *call, struct checked_command *command)
{
    if (check_on(CHECK_RACES) && command->slot != MAX_ALIVE && !is_held(command))
        compare_with_others(command);
    for (uint32_t i = 0; i < command->num_accesses && !is_held(command); i++)
        checked_against_maps(call, &command->accesses[i], command->is_launch ? command->launch.kernel : NULL);
}

struct checked_command *checked_end_part(struct checked_call *call)
{
    struct checked_command *command = call->command;
    if (command)
        compare(call, command);
    call->command = NULL;
    return command;
}

void checked_enqueued(struct checked_call *call, const cl_event *event, bool blocking)
{
    struct checked_command *command = call->command;
    if (call->off)
        return;
    if (event && *event)
        checked_created(call, CHECKED_EVENT, *event, 0);
    if (!command)
        return;
    checked_lock();
    struct checked_object *object = event ? checked_find(*event) : NULL;
    if (object && object->kind == CHECKED_EVENT && !object->command) {
        command->has_event = true;
        command->event = *event;
        object->command = checked_command_keep(command);
    }
    compare(call, command);
    if (blocking)
        checked_saw(command);
    call->command = NULL;
    checked_command_drop(command);
    checked_unlock();
}

void checked_frees(struct checked_call *call, const struct checked_object *object)
{
    struct checked_access memory = checked_memory(object->handle, object->size);
    char name[160];
    for (uint32_t i = 0; i < num_slots && check_on(CHECK_RACES); i++) {
        const struct checked_command *command = alive[i];
        for (uint32_t k = 0; command && k < command->num_accesses; k++) {
            if (!checked_overlap(&memory, &command->accesses[k]))
                continue;
            name_command(command, name, sizeof(name));
            checked_report(call, CHECK_KIND_HOST_RACE, object, NULL, command->caller, "the command",
                           "call %" PRIu64 " frees memory that %s %s, and nobody has waited for that", call->number,
                           name, verb(&command->accesses[k]));
            return;
        }
    }
}

/* ---- the end ---- */

void checked_report_unwaited(void)
{
    char name[160];
    for (uint32_t i = 0; i < num_slots; i++) {
        const struct checked_command *command = alive[i];
        if (!command || !command->has_event || command->followed || command->is_user)
            continue;
        const struct checked_call call = {.function = command->function, .caller = command->caller};
        name_command(command, name, sizeof(name));
        checked_report(&call, CHECK_KIND_UNWAITED, checked_find(command->event),
                       command->is_launch ? command->launch.kernel : NULL, NULL, NULL,
                       "nobody waited for the event of %s, nothing came after it, and its queue was never finished",
                       name);
    }
}
