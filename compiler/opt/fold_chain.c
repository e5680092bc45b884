/* Address chains of address chains become one:
 *
 *     %p = OpInBoundsAccessChain %a %0                =>
 *     %q = OpInBoundsPtrAccessChain %p %1                  %q = OpInBoundsAccessChain %a %1
 *
 * which is how an array that was passed to a function looks after inlining. sroa.c can split the array only once its
 * members are reached from the variable itself. Indices are signed (SPIR-V 1.6, OpAccessChain). */
#include "compiler/opt/chain.h"
#include "compiler/opt/fold.h"

#include <string.h>

static uint16_t chain_op(bool element, bool in_bounds)
{
    if (element)
        return in_bounds ? SpvOpInBoundsPtrAccessChain : SpvOpPtrAccessChain;
    return in_bounds ? SpvOpInBoundsAccessChain : SpvOpAccessChain;
}

/* Whether the chain's last operand may be stepped: it counts elements of an array or whole objects, not members. */
static bool last_is_step(const struct spv_module *module, const struct spv_inst *chain)
{
    uint32_t first = spv_op_is_by_element(chain->op) ? 2 : 1;
    if (chain->num_words == first)
        return first == 2;
    spv_id type = spv_pointer_pointee(module, spv_value_type(module, chain->words[0]));
    for (uint32_t i = first; i + 1 < chain->num_words; i++) {
        const struct spv_inst *def = spv_def(module, type);
        int64_t member;
        if (def->op == SpvOpTypeStruct) {
            if (!chain_constant(module, chain->words[i], &member) || member < 0 || member >= (int64_t)def->num_words)
                return false;
            type = def->words[member];
        } else {
            type = def->words[0];
        }
    }
    return spv_type_op(module, type) == SpvOpTypeArray;
}

static spv_id index64(struct spv_builder *at, spv_id index)
{
    spv_id wide = spv_type_int(at->module, 64);
    int64_t value;
    if (chain_constant(at->module, index, &value))
        return spv_const_u64(at->module, (uint64_t)value);
    return spv_value_type(at->module, index) == wide ? index : spv_emitv(at, SpvOpSConvert, wide, index);
}

static spv_id add_indices(struct spv_builder *at, spv_id a, spv_id b)
{
    int64_t x = 0, y = 0;
    bool known_a = chain_constant(at->module, a, &x), known_b = chain_constant(at->module, b, &y);
    if (known_a && known_b)
        return spv_const_u64(at->module, (uint64_t)x + (uint64_t)y);
    if ((known_a && !x) || (known_b && !y)) /* no sum with 0: folding is past this place */
        return index64(at, known_a ? b : a);
    return spv_emitv(at, SpvOpIAdd, spv_type_int(at->module, 64), index64(at, a), index64(at, b));
}

static void set(struct spv_module *module, struct spv_inst *chain, uint16_t op, uint32_t count, const uint32_t *words)
{
    chain->op = op;
    spv_inst_set_words(module, chain, count, words);
}

/* Joins a chain that begins with an Element step to its base: the operands of base, whose last one the step is added
 * to, then the chain's own indices. */
static bool step_last(struct spv_module *module, struct spv_function *function, struct spv_inst *chain,
                      const struct spv_inst *base)
{
    int64_t value;
    bool constant = chain_constant(module, chain->words[1], &value) &&
                    chain_constant(module, base->words[base->num_words - 1], &value);
    /* A sum of variable indices costs an instruction. It pays only for local variables, which sroa.c may then remove.
     */
    if (!constant && spv_pointer_storage(module, chain->type) != SpvStorageClassFunction)
        return false;
    if (!last_is_step(module, base))
        return false;
    struct spv_builder at = {module, function, chain->block, chain};
    uint32_t count = base->num_words + chain->num_words - 2;
    uint32_t *words = arena_array(module->arena, uint32_t, count);
    memcpy(words, base->words, base->num_words * sizeof(*words));
    words[base->num_words - 1] = add_indices(&at, base->words[base->num_words - 1], chain->words[1]);
    memcpy(words + base->num_words, chain->words + 2, (chain->num_words - 2) * sizeof(*words));
    bool in_bounds = spv_op_is_in_bounds(base->op) && spv_op_is_in_bounds(chain->op);
    set(module, chain, chain_op(spv_op_is_by_element(base->op), in_bounds), count, words);
    /* The step may lead out of the row that base's last index is in, and the object that is in bounds is no larger than
     * it. */
    bool in_row = base->num_words > 2 || !spv_op_is_by_element(base->op);
    if (in_bounds && in_row && !chain_stays_inside(module, chain, base->num_words - 1, false))
        chain->op = chain_op(spv_op_is_by_element(base->op), false);
    return true;
}

static void append(struct spv_module *module, struct spv_inst *chain, const struct spv_inst *base)
{
    uint32_t count = base->num_words + chain->num_words - 1;
    uint32_t *words = arena_array(module->arena, uint32_t, count);
    memcpy(words, base->words, base->num_words * sizeof(*words));
    memcpy(words + base->num_words, chain->words + 1, (chain->num_words - 1) * sizeof(*words));
    set(module, chain,
        chain_op(spv_op_is_by_element(base->op), spv_op_is_in_bounds(base->op) && spv_op_is_in_bounds(chain->op)),
        count, words);
}

spv_id fold_chain(struct spv_module *module, struct spv_function *function, struct spv_inst *chain, bool *changed)
{
    int64_t element;
    if (spv_op_is_by_element(chain->op) && chain_constant(module, chain->words[1], &element) && element == 0) {
        if (chain->num_words == 2)
            return chain->words[0];
        uint32_t *words = arena_array(module->arena, uint32_t, chain->num_words - 1);
        words[0] = chain->words[0];
        memcpy(words + 1, chain->words + 2, (chain->num_words - 2) * sizeof(*words));
        set(module, chain, chain_op(false, spv_op_is_in_bounds(chain->op)), chain->num_words - 1, words);
        *changed = true;
        return 0;
    }
    if (!spv_op_is_by_element(chain->op) && chain->num_words == 1)
        return chain->words[0];
    const struct spv_inst *base = spv_def(module, chain->words[0]);
    if (!base || !spv_op_is_chain(base->op) || !base->block)
        return 0;
    if (spv_op_is_by_element(chain->op)) {
        *changed |= step_last(module, function, chain, base);
    } else {
        append(module, chain, base);
        *changed = true;
    }
    return 0;
}
