/* Calls by function pointers that might lead back to a function they are in. Virtual functions are so: a shape that is
 * made of another one asks that one for its area, by a call that leads to the areas of all shapes, its own among them.
 *
 * OpenCL has no recursion (OpenCL C 3.0, 6.11, i; SYCL 2020, 5.4), so in a valid program no function is entered again
 * before it has returned. Of the functions that may lead to one another by pointers (a circle here), each entered by a
 * pointer, no more can be active at a time than there are. So the circle is copied, once for each level of such calls,
 * and nothing is recursive any more:
 *
 *     call -> call -> area_1, area_2           call -> area_1, area_2 -> call' -> area_1', area_2' -> call'' -> none
 *
 * Functions that do not lead back are called from all levels. What comes behind the last level is said on the program's
 * output, since it is recursion. A call that leads to nothing but the function it is in is refused at once, and so are
 * circles of calls by name: program_check() finds those that are left. */
#include "compiler/program/bind_calls.h"

#include "base/util.h"
#include "compiler/opt/opt.h"

#include <stdlib.h>
#include <string.h>

/* Drivers put functions into those that call them. So instructions count as often as there are ways to them: */
#define MOST_LEVELS 16u   /* as many at most, where no more are needed: programs do have trees of objects, and */
#define FEW_COPIED  512u  /* up to so many instructions that does no harm; */
#define MOST_COPIED 8192u /* what is needed gets so many */

struct node {
    struct spv_function *function;
    VEC(uint32_t) callees, callers;
    bool call; /* one by a pointer */
    uint8_t reached;
    uint64_t ways; /* calls by pointers in it and in what it calls by name, of the circle */
};

enum { FORWARD = 1, BACKWARD = 2, IN_CIRCLE = FORWARD | BACKWARD };

struct nesting {
    struct binding *binding;
    struct node *nodes;
    uint32_t count;
    struct u64_map indices; /* function -> its number + 1 */
    uint8_t *circle;        /* by id: a function of the circle */
    uint32_t bound;         /* of ids, before there were copies */
};

/* ---- who calls whom ---- */

static uint32_t index_of(const struct nesting *n, spv_id function)
{
    return (uint32_t)(uintptr_t)u64_map_get(&n->indices, function) - 1;
}

static void find_edges(struct nesting *n)
{
    struct arena *arena = n->binding->arena;
    for (uint32_t i = 0; i < n->count; i++) {
        spv_foreach_block (block, n->nodes[i].function) {
            spv_foreach_inst (inst, &block->insts) {
                uint32_t callee = inst->op == SpvOpFunctionCall ? index_of(n, inst->words[0]) : UINT32_MAX;
                if (callee == UINT32_MAX)
                    continue;
                vec_push(arena, &n->nodes[i].callees, callee);
                vec_push(arena, &n->nodes[callee].callers, i);
            }
        }
    }
}

static void find_nodes(struct nesting *n)
{
    struct arena *arena = n->binding->arena;
    spv_foreach_function (function, n->binding->module)
        n->count++;
    n->nodes = arena_array(arena, struct node, n->count);
    uint32_t i = 0;
    spv_foreach_function (each, n->binding->module) {
        n->nodes[i].function = each;
        u64_map_set(arena, &n->indices, each->def->id, (void *)(uintptr_t)(++i));
    }
    for (uint32_t k = 0; k < n->binding->calls.length; k++)
        n->nodes[index_of(n, n->binding->calls.data[k]->def->id)].call = true;
    find_edges(n);
}

/* Marks what is reached from the start by callees, or by callers; the start is only when a way leads back. */
static void reach(struct nesting *n, uint32_t start, uint8_t mark)
{
    VEC(uint32_t) open = {0};
    vec_push(n->binding->arena, &open, start);
    while (open.length) {
        const struct node *node = &n->nodes[vec_pop(&open)];
        uint32_t count = mark == FORWARD ? node->callees.length : node->callers.length;
        const uint32_t *next = mark == FORWARD ? node->callees.data : node->callers.data;
        for (uint32_t i = 0; i < count; i++) {
            if (n->nodes[next[i]].reached & mark)
                continue;
            n->nodes[next[i]].reached |= mark;
            vec_push(n->binding->arena, &open, next[i]);
        }
    }
}

/* The functions on ways from the call back to itself. */
static void find_circle(struct nesting *n, uint32_t call)
{
    for (uint32_t i = 0; i < n->count; i++)
        n->nodes[i].reached = 0;
    reach(n, call, FORWARD);
    reach(n, call, BACKWARD);
    memset(n->circle, 0, n->bound);
    for (uint32_t i = 0; i < n->count; i++)
        n->circle[n->nodes[i].function->def->id] = n->nodes[i].reached == IN_CIRCLE;
}

static bool in_circle(const struct nesting *n, const struct spv_function *function)
{
    return n->circle[function->def->id];
}

/* ---- how many levels ---- */

/* The functions of the circle that pointers lead to, whose number is the most that can be active at a time. */
static uint32_t count_entrances(const struct nesting *n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->binding->entrances.length; i++)
        count += in_circle(n, n->binding->entrances.data[i].function);
    return count;
}

/* The instructions of the circle's functions, with what they call elsewhere; MOST_COPIED + 1: more than that. */
static uint64_t measure_circle(const struct nesting *n)
{
    uint64_t size = 0;
    struct u64_map sizes = {0};
    const char *error = NULL;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct node *node = &n->nodes[i];
        if (!in_circle(n, node->function))
            continue;
        spv_foreach_block (block, node->function) {
            spv_foreach_inst (inst, &block->insts)
                size++;
        }
        for (uint32_t k = 0; k < node->callees.length && !error; k++) {
            struct spv_function *callee = n->nodes[node->callees.data[k]].function;
            if (!in_circle(n, callee))
                size += opt_inlined_size(n->binding->arena, n->binding->module, callee, &sizes, &error);
        }
    }
    return error ? MOST_COPIED + 1 : size;
}

/* Sums up until nothing changes any more. Functions that call each other by name would never come to an end, which is
 * left to program_check(). */
static bool count_ways(struct nesting *n)
{
    bool changed = true;
    for (uint32_t i = 0; i < n->count; i++)
        n->nodes[i].ways = 0;
    for (uint32_t round = 0; changed && round <= n->count; round++) {
        changed = false;
        for (uint32_t i = 0; i < n->count; i++) {
            struct node *node = &n->nodes[i];
            uint64_t ways = 0;
            if (node->call || !in_circle(n, node->function))
                continue;
            for (uint32_t k = 0; k < node->callees.length; k++) {
                const struct node *callee = &n->nodes[node->callees.data[k]];
                ways += in_circle(n, callee->function) ? (callee->call ? 1 : callee->ways) : 0;
            }
            ways = u64_min(ways, MOST_COPIED);
            changed |= ways != node->ways;
            node->ways = ways;
        }
    }
    return !changed;
}

/* How often more each level's instructions are there than those of the one before. */
static uint64_t growth(const struct nesting *n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n->binding->entrances.length; i++) {
        const struct spv_function *function = n->binding->entrances.data[i].function;
        sum += in_circle(n, function) ? n->nodes[index_of(n, function->def->id)].ways : 0;
    }
    return u64_max(sum, 1);
}

/* The instructions of so many levels; MOST_COPIED + 1: more than that. */
static uint64_t size_of_levels(uint64_t size, uint64_t growth, uint32_t levels)
{
    uint64_t sum = 0, level = size;
    for (uint32_t i = 0; i < levels && sum <= MOST_COPIED; i++) {
        sum += level;
        level = u64_min(level * growth, (uint64_t)MOST_COPIED + 1);
    }
    return u64_min(sum, (uint64_t)MOST_COPIED + 1);
}

/* Whether a call of the circle leads to its only entrance and nowhere else. */
static bool must_recurse(const struct nesting *n)
{
    const struct binding *binding = n->binding;
    for (uint32_t i = 0; i < binding->calls.length; i++) {
        bool others = !in_circle(n, binding->calls.data[i]);
        for (uint32_t k = 0; k < binding->entrances.length && !others; k++)
            others =
                bind_may_call(binding, binding->calls.data[i], k) && !in_circle(n, binding->entrances.data[k].function);
        if (!others)
            return true;
    }
    return false;
}

static bool holds_kernel(const struct nesting *n)
{
    spv_foreach_inst (entry, &n->binding->module->sections[SPV_SECTION_ENTRY_POINT]) {
        if (entry->op == SpvOpEntryPoint && n->circle[entry->words[1]])
            return true;
    }
    return false;
}

/* ---- copies ---- */

/* Copies what is not said to be something else already. The module's scope stays, and so do functions elsewhere. */
static struct spv_import begin_copies(struct nesting *n, const struct spv_entries *entries)
{
    struct spv_module *module = n->binding->module;
    struct spv_import import = {.to = module, .from = module, .entries = entries};
    for (spv_id id = 1; id < n->bound; id++) {
        const struct spv_inst *def = spv_def(module, id);
        if (def && !def->block && def->op != SpvOpFunctionParameter && !n->circle[id])
            spv_set_imported(&import, id, id);
    }
    return import;
}

/* Copies are known to nobody by name. */
static void hide(struct spv_module *module, spv_id function)
{
    struct spv_inst *linkage = spv_find_decoration(module, function, SpvDecorationLinkageAttributes);
    if (linkage)
        spv_inst_remove(module, linkage);
}

/* The functions of a level, whose calls by pointers are the next one's (by the place in binding->calls). These become
 * this level's. */
static void copy_level(struct nesting *n, const struct spv_entries *entries, spv_id *calls)
{
    struct binding *binding = n->binding;
    struct spv_import functions = begin_copies(n, entries), switches = begin_copies(n, entries);
    for (uint32_t i = 0; i < binding->calls.length; i++) {
        if (in_circle(n, binding->calls.data[i]))
            spv_set_imported(&functions, binding->calls.data[i]->def->id, calls[i]);
    }
    for (uint32_t i = 0; i < n->count; i++) {
        const struct spv_function *function = n->nodes[i].function;
        if (!in_circle(n, function) || n->nodes[i].call)
            continue;
        spv_id copy = spv_import_function(&functions, function->def->id);
        hide(binding->module, copy);
        spv_set_imported(&switches, function->def->id, copy);
    }
    for (uint32_t i = 0; i < binding->calls.length; i++) {
        if (in_circle(n, binding->calls.data[i]))
            calls[i] = spv_import_function(&switches, binding->calls.data[i]->def->id);
    }
}

/* The first level is what there was. */
static void lead_on(struct nesting *n, const spv_id *calls)
{
    struct spv_replacements replacements = {0};
    for (uint32_t i = 0; i < n->binding->calls.length; i++) {
        if (calls[i])
            spv_replace(n->binding->module, &replacements, n->binding->calls.data[i]->def->id, calls[i]);
    }
    for (uint32_t i = 0; i < n->count; i++) {
        if (in_circle(n, n->nodes[i].function) && !n->nodes[i].call)
            spv_apply_replacements(n->binding->module, &replacements, n->nodes[i].function);
    }
    spv_finish_replacements(n->binding->module, &replacements);
}

static void copy_circle(struct nesting *n, uint32_t levels)
{
    struct binding *binding = n->binding;
    const struct spv_entries *entries = spv_find_entries(binding->arena, binding->module);
    spv_id *calls = arena_array(binding->arena, spv_id, binding->calls.length);
    for (uint32_t i = 0; i < binding->calls.length; i++) {
        const struct spv_function *call = binding->calls.data[i];
        if (!in_circle(n, call))
            continue;
        struct spv_function *last =
            spv_function_create(binding->module, 0, call->def->words[1], SpvFunctionControlMaskNone);
        uint8_t *allowed = bind_allowed(binding, call);
        if (allowed)
            u64_map_set(binding->arena, &binding->allowed, last->def->id, allowed);
        bind_body(binding, last, n->circle);
        calls[i] = last->def->id;
    }
    for (uint32_t level = levels; level > 1; level--)
        copy_level(n, entries, calls);
    lead_on(n, calls);
}

static const char *open_circle(struct nesting *n)
{
    uint32_t levels = count_entrances(n);
    if (holds_kernel(n) || !count_ways(n) || (levels == 1 && must_recurse(n)))
        return NULL; /* recursion */
    uint64_t size = measure_circle(n), factor = growth(n);
    if (size_of_levels(size, factor, levels) > MOST_COPIED)
        return arena_printf(n->binding->arena,
                            "recursion is not supported in OpenCL: %u functions may call one another by function "
                            "pointers of their own type, which are too many ways to show that none calls itself; give "
                            "functions that call others by pointers another type than those others",
                            (unsigned)levels);
    while (levels < MOST_LEVELS && size_of_levels(size, factor, levels + 1) <= FEW_COPIED)
        levels++;
    copy_circle(n, levels);
    return NULL;
}

/* How many functions are reached from the call, if it leads back to itself; 0: it does not. */
static uint32_t count_reached(struct nesting *n, uint32_t call)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->count; i++)
        n->nodes[i].reached = 0;
    reach(n, call, FORWARD);
    for (uint32_t i = 0; i < n->count; i++)
        count += n->nodes[i].reached != 0;
    return n->nodes[call].reached ? count : 0;
}

struct way_back {
    uint32_t call, reached;
};

static int by_reached(const void *a, const void *b)
{
    const struct way_back *x = a, *y = b;
    return x->reached != y->reached ? (x->reached > y->reached) - (x->reached < y->reached)
                                    : (x->call > y->call) - (x->call < y->call);
}

const char *bind_nested(struct binding *binding)
{
    const char *message = NULL;
    struct nesting n = {.binding = binding, .bound = binding->module->bound};
    VEC(struct way_back) ways = {0};
    find_nodes(&n);
    for (uint32_t i = 0; i < binding->calls.length; i++) {
        uint32_t call = index_of(&n, binding->calls.data[i]->def->id);
        const struct way_back way = {call, count_reached(&n, call)};
        if (way.reached)
            vec_push(binding->arena, &ways, way);
    }
    if (!ways.length)
        return NULL;
    /* A circle from which another one is reached comes behind that one, of whose copies it is made, too. */
    qsort(ways.data, ways.length, sizeof(*ways.data), by_reached);
    n.circle = arena_array(binding->arena, uint8_t, n.bound);
    uint8_t *done = arena_array(binding->arena, uint8_t, n.count);
    for (uint32_t i = 0; i < ways.length && !message; i++) {
        if (done[ways.data[i].call])
            continue;
        find_circle(&n, ways.data[i].call);
        for (uint32_t k = 0; k < n.count; k++)
            done[k] |= in_circle(&n, n.nodes[k].function);
        message = open_circle(&n);
    }
    return message;
}
