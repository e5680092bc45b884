/* Control flow that nests deeper than the driver takes it.
 *
 * The SPIR-V specification lets constructs nest 1,023 deep (1.6, 2.18), and code that comes one after the other may
 * have any number of early exits. Drivers do not say how much they take, and go wrong silently where it is too much:
 * lavapipe keeps 80 conditions and 80 loops of a shader, ignores those beyond, and then writes past its table. So
 * functions that are deeper than clc_target.max_nesting are rebuilt with less (cfg_flatten()); all others stay as they
 * are.
 *
 * Drivers inline all calls. So what counts is the depth of a call and that of the function together, and a function
 * gets the fewer levels the more calls lead to it. An eighth of the driver's levels is kept for what later passes add.
 */
#include "compiler/lower/quirks/passes.h"

#include "compiler/opt/cfg/structurise.h"
#include "compiler/opt/opt.h"

struct nesting {
    struct lower *lower;
    struct opt_call_order order;
    struct u64_map levels; /* function -> its depth, with what it calls */
    struct u64_map calls;  /* function -> the most calls that lead to it from the kernel */
};

enum { LEVELS_OF_CALL = 8, FEWEST_LEVELS = 8 };

static uint32_t measure(struct nesting *n, struct spv_function *function)
{
    uint32_t levels = cfg_depth(n->lower->module, function, &n->levels);
    u64_map_set(n->lower->module->arena, &n->levels, function->def->id, (void *)(uintptr_t)levels);
    return levels;
}

/* Callers come before those that they call. */
static void count_calls(struct nesting *n)
{
    for (uint32_t i = n->order.functions.length; i-- > 0;) {
        uintptr_t calls = (uintptr_t)u64_map_get(&n->calls, n->order.functions.data[i]->def->id) + 1;
        spv_foreach_block (block, n->order.functions.data[i]) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpFunctionCall && (uintptr_t)u64_map_get(&n->calls, inst->words[0]) < calls)
                    u64_map_set(n->lower->module->arena, &n->calls, inst->words[0], (void *)calls);
            }
        }
    }
}

/* Values that cross blocks are in variables now, and stay there: each would be a phi at each of the many places where
 * code meets again, for which lavapipe's compiler takes ten times as long. What is neither a number, nor a vector of
 * numbers, nor a bool has no place in memory at this point, and has to be a value. */
static bool keeps_values(const struct spv_module *module, const struct spv_function *function)
{
    spv_foreach_inst (inst, &function->first_block->insts) {
        spv_id pointee = inst->op == SpvOpVariable ? spv_pointer_pointee(module, inst->type) : 0;
        if (pointee && !spv_type_is_int(module, pointee) && !spv_type_is_float(module, pointee) &&
            (!spv_type_is_bool(module, pointee) || spv_type_is_vector(module, pointee)))
            return true;
    }
    return false;
}

/* A bool that stays in one of the variables with ids from first on is a number there. */
static void store_bools(struct spv_module *module, struct spv_function *function, spv_id first)
{
    const spv_id u32 = spv_type_int(module, 32), zero = spv_const_u32(module, 0), one = spv_const_u32(module, 1);
    const spv_id number = spv_type_pointer(module, SpvStorageClassFunction, u32);
    struct u64_map bools = {0};
    spv_foreach_inst (inst, &function->first_block->insts) {
        if (inst->op == SpvOpVariable && inst->id >= first &&
            spv_type_is_bool(module, spv_pointer_pointee(module, inst->type))) {
            inst->type = number;
            u64_map_set(module->arena, &bools, inst->id, inst);
        }
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            struct spv_builder at = {module, function, block, inst};
            if (inst->op == SpvOpLoad && u64_map_get(&bools, inst->words[0])) {
                const spv_id words[] = {spv_emitv(&at, SpvOpLoad, u32, inst->words[0]), zero};
                inst->op = SpvOpINotEqual;
                spv_inst_set_words(module, inst, 2, words);
            } else if (inst->op == SpvOpStore && u64_map_get(&bools, inst->words[0])) {
                const spv_id words[] = {inst->words[0], spv_emitv(&at, SpvOpSelect, u32, inst->words[1], one, zero)};
                spv_inst_set_words(module, inst, 2, words);
            }
        }
    }
}

static void flatten(struct nesting *n, struct spv_function *function, uint32_t most)
{
    struct spv_module *module = n->lower->module;
    uint32_t calls = (uint32_t)(uintptr_t)u64_map_get(&n->calls, function->def->id);
    bool leaves_room = calls <= most / LEVELS_OF_CALL && most - calls * LEVELS_OF_CALL > FEWEST_LEVELS;
    struct cfg_bound bound = {leaves_room ? most - calls * LEVELS_OF_CALL : FEWEST_LEVELS, &n->levels};
    if (measure(n, function) <= bound.levels)
        return;
    spv_id first = module->bound;
    cfg_flatten(module, function, &bound);
    if (keeps_values(module, function))
        opt_mem2reg(module, function);
    else
        store_bools(module, function, first);
    measure(n, function);
}

bool lower_nesting(struct lower *lower)
{
    struct nesting n = {.lower = lower};
    const char *error = NULL;
    uint32_t most = lower->target->max_nesting - lower->target->max_nesting / 8, deepest = 0;
    if (!opt_order_calls(lower->module, lower->kernel, &n.order, &error))
        return lower_fail(lower, "kernel '%s': %s", lower->kernel_name, error);
    for (uint32_t i = 0; i < n.order.functions.length; i++)
        deepest = measure(&n, n.order.functions.data[i]);
    lower->idle = !most || deepest <= most;
    if (lower->idle)
        return true;
    count_calls(&n);
    for (uint32_t i = 0; i < n.order.functions.length; i++)
        flatten(&n, n.order.functions.data[i], most);
    return true;
}
