/* Variables that are never in use at the same time become one.
 *
 * Once edges may be moved, every value that crosses blocks has a variable of its own (reducible.c), but for phis that
 * follow each other (share.c). What was one variable in the source is then hundreds. Where all blocks come to hang on
 * one dispatcher, each of them would get a phi there, and in every test of where to go on: 250 labels with four
 * variables made 80,000 phis.
 *
 * Few variables stay as they are: one that holds another's old value where its own is not needed has a phi there, which
 * it would not have alone.
 *
 * Liveness is that of the graph before its edges move. The blocks that are put in between later touch none of the
 * variables, so that each path still reads what it wrote. Variables that are copied to one another are joined first:
 * mostly these are the values of one variable in the source.
 *
 * Before: the variables are only loaded and stored, as a whole. */
#include "compiler/opt/cfg/slots.h"

#include "compiler/spv/cfg.h"

#include <string.h>

enum { MIN_SLOTS = 100, MAX_SLOTS = 40000, MAX_WORDS = 1 << 22, MAX_STEPS = 1 << 27 };

/* A load or a store of a variable. */
struct event {
    uint32_t slot;
    bool stores;
    uint32_t copied; /* a store of what another variable holds: that one, else NO_SLOT */
};

enum { NO_SLOT = UINT32_MAX };

struct slots {
    struct spv_module *module;
    struct spv_cfg cfg;
    struct arena *arena;
    uint32_t count, words; /* of the variables; of a set of them */
    spv_id *variables;
    uint32_t *numbers;        /* by id: 1 + number */
    VEC(struct event) events; /* block by block */
    uint32_t *first_event;    /* by block, and the end */
    uint64_t *live;           /* by block: at its start */
    uint64_t *conflicts;      /* by variable; of the root of a group: with any of the group */
    uint32_t *root, *next;    /* by variable: of its group; the next one of it, in a circle */
    uint64_t steps;
};

static bool has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> i % 64 & 1;
}

static void add(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << i % 64;
}

static void drop(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~((uint64_t)1 << i % 64);
}

static uint64_t *row(const struct slots *s, uint64_t *table, uint32_t i)
{
    return table + (size_t)i * s->words;
}

/* ---- what each block does ---- */

/* Which variable holds a value: by variable, how many events there were with its last store; by value, 1 + the variable,
 * and how many events there were when that was so. */
struct holders {
    uint32_t *stored, *slot, *since;
};

static uint32_t slot_of(const struct slots *s, const struct spv_inst *inst)
{
    bool access = inst->op == SpvOpLoad || inst->op == SpvOpStore;
    return access && s->numbers[inst->words[0]] ? s->numbers[inst->words[0]] - 1 : NO_SLOT;
}

/* The variable that holds value in this block already. */
static uint32_t holder_of(const struct slots *s, const struct holders *h, spv_id value, uint32_t block)
{
    uint32_t slot = h->slot[value] - 1;
    bool here = h->slot[value] && h->since[value] > s->first_event[block];
    return here && h->stored[slot] <= h->since[value] ? slot : NO_SLOT;
}

static void note_events(struct slots *s)
{
    struct holders h = {arena_array(s->arena, uint32_t, s->count), spv_borrow_table(s->module, uint32_t),
                        spv_borrow_table(s->module, uint32_t)};
    s->first_event = arena_array(s->arena, uint32_t, s->cfg.count + 1u);
    for (uint32_t b = 0; b < s->cfg.count; b++) {
        s->first_event[b] = s->events.length;
        spv_foreach_inst (inst, &s->cfg.blocks[b]->insts) {
            struct event event = {slot_of(s, inst), inst->op == SpvOpStore, NO_SLOT};
            if (event.slot == NO_SLOT)
                continue;
            spv_id value = event.stores ? inst->words[1] : inst->id;
            if (event.stores)
                event.copied = holder_of(s, &h, value, b);
            vec_push(s->arena, &s->events, event);
            if (event.stores)
                h.stored[event.slot] = s->events.length;
            h.slot[value] = event.slot + 1;
            h.since[value] = s->events.length;
        }
    }
    s->first_event[s->cfg.count] = s->events.length;
    spv_give_back(s->module, h.since);
    spv_give_back(s->module, h.slot);
}

/* The set at a block's end becomes that at its start. found: what a store conflicts with is noted. */
static void walk_back(struct slots *s, uint32_t block, uint64_t *live, bool found)
{
    for (uint32_t i = s->first_event[block + 1]; i-- > s->first_event[block];) {
        const struct event *event = &s->events.data[i];
        if (!event->stores) {
            add(live, event->slot);
            continue;
        }
        drop(live, event->slot);
        uint64_t *conflicts = row(s, s->conflicts, event->slot);
        for (uint32_t word = 0; found && word < s->words; word++) {
            uint64_t others = live[word];
            if (event->copied / 64 == word)
                others &= ~((uint64_t)1 << event->copied % 64);
            conflicts[word] |= others;
        }
    }
}

static void live_at_end(const struct slots *s, uint32_t block, uint64_t *live)
{
    memset(live, 0, s->words * sizeof(*live));
    for (uint32_t e = s->cfg.succ_start[block]; e < s->cfg.succ_start[block + 1]; e++) {
        const uint64_t *next = row(s, s->live, s->cfg.succs[e]);
        for (uint32_t word = 0; word < s->words; word++)
            live[word] |= next[word];
    }
}

/* False: it takes too long. */
static bool find_conflicts(struct slots *s)
{
    uint64_t *live = arena_array(s->arena, uint64_t, s->words);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = s->cfg.count; b-- > 0;) {
            live_at_end(s, b, live);
            walk_back(s, b, live, false);
            changed |= memcmp(row(s, s->live, b), live, s->words * sizeof(*live)) != 0;
            memcpy(row(s, s->live, b), live, s->words * sizeof(*live));
        }
        s->steps += (uint64_t)s->cfg.count * s->words + s->events.length;
        if (s->steps > MAX_STEPS)
            return false;
    }
    for (uint32_t b = 0; b < s->cfg.count; b++) {
        live_at_end(s, b, live);
        walk_back(s, b, live, true);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t *conflicts = row(s, s->conflicts, i);
        for (uint32_t word = 0; word < s->words; word++) {
            for (uint64_t rest = conflicts[word]; rest; rest &= rest - 1)
                add(row(s, s->conflicts, word * 64 + (uint32_t)__builtin_ctzll(rest)), i);
        }
    }
    return true;
}

/* ---- groups ---- */

static uint32_t root_of(struct slots *s, uint32_t i)
{
    while (s->root[i] != i)
        i = s->root[i] = s->root[s->root[i]];
    return i;
}

static bool join(struct slots *s, uint32_t a, uint32_t b)
{
    a = root_of(s, a);
    b = root_of(s, b);
    if (a == b || spv_value_type(s->module, s->variables[a]) != spv_value_type(s->module, s->variables[b]))
        return a == b;
    uint64_t *conflicts = row(s, s->conflicts, a);
    const uint64_t *others = row(s, s->conflicts, b);
    uint32_t member = b;
    do {
        if (has(conflicts, member))
            return false;
        member = s->next[member];
        s->steps++;
    } while (member != b);
    for (uint32_t word = 0; word < s->words; word++)
        conflicts[word] |= others[word];
    uint32_t second = s->next[a];
    s->next[a] = s->next[b];
    s->next[b] = second;
    s->root[b] = a;
    return true;
}

static void group(struct slots *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->root[i] = s->next[i] = i;
    vec_foreach (struct event, event, &s->events) {
        if (event->copied != NO_SLOT)
            join(s, event->slot, event->copied);
    }
    VEC(uint32_t) kept = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        bool joined = root_of(s, i) != i;
        for (uint32_t k = 0; k < kept.length && !joined && s->steps < MAX_STEPS; k++)
            joined = join(s, kept.data[k], i);
        if (!joined)
            vec_push(s->arena, &kept, i);
    }
}

static void rewrite(struct slots *s)
{
    for (uint32_t b = 0; b < s->cfg.count; b++) {
        spv_foreach_inst (inst, &s->cfg.blocks[b]->insts) {
            uint32_t slot = slot_of(s, inst);
            if (slot != NO_SLOT)
                inst->words[0] = s->variables[root_of(s, slot)];
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (root_of(s, i) != i)
            spv_inst_remove(s->module, spv_def(s->module, s->variables[i]));
    }
}

/* ---- the pass ---- */

static void find_variables(struct slots *s, const struct spv_function *function, spv_id first)
{
    VEC(spv_id) variables = {0};
    spv_foreach_inst (inst, &function->first_block->insts) {
        if (inst->op != SpvOpVariable || inst->id < first)
            continue;
        vec_push(s->arena, &variables, inst->id);
        s->numbers[inst->id] = variables.length;
    }
    s->variables = variables.data;
    s->count = variables.length;
    s->words = (s->count + 63) / 64;
}

static void run(struct slots *s, struct spv_function *function, spv_id first)
{
    find_variables(s, function, first);
    if (s->count < MIN_SLOTS || s->count > MAX_SLOTS)
        return;
    spv_cfg_compute(s->arena, s->module, function, &s->cfg);
    if ((uint64_t)s->cfg.count * s->words > MAX_WORDS)
        return;
    note_events(s);
    s->live = arena_array(s->arena, uint64_t, (size_t)s->cfg.count * s->words);
    s->conflicts = arena_array(s->arena, uint64_t, (size_t)s->count * s->words);
    s->root = arena_array(s->arena, uint32_t, s->count);
    s->next = arena_array(s->arena, uint32_t, s->count);
    if (!find_conflicts(s))
        return;
    group(s);
    rewrite(s);
}

void cfg_share_slots(struct spv_module *module, struct spv_function *function, spv_id first)
{
    struct slots s = {.module = module, .arena = spv_scratch(module), .numbers = spv_borrow_table(module, uint32_t)};
    struct arena_mark mark = spv_scratch_begin(module);
    run(&s, function, first);
    for (uint32_t i = 0; i < s.count; i++)
        s.numbers[s.variables[i]] = 0;
    spv_give_back_zeroed(module, s.numbers);
    spv_scratch_end(module, mark);
}
