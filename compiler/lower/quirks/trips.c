/* Loops go round as often as they say. NVIDIA's driver (580.159) and its OpenCL compute how often a loop on signed
 * integers does, and get wrong:
 *
 *     for (int i = k - 1; i >= -k; i -= 2)       ran once for k = 2, not twice: an end that is a negation
 *     do i--; while (i > end);                   ran on where end - i overflows: a counter that is compared behind its
 *                                                step. Unsigned ones by != with steps of 8, too
 *
 * A value that is 0, but no driver knows, keeps it from that:
 *
 *     i >= -k     ->  i >= (-k | hidden)         before the loop
 *     i > end     ->  (i | hidden) > end         behind the step only: other loops stay as fast as they are
 *
 * With -cl-opt-disable counters are in private variables: there all that is compared is hidden. The pass expects what
 * hide.c expects, and comes after those that could undo it. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/quirks/quirks.h"

struct trips {
    struct lower *lower;
    struct spv_module *module;
    struct spv_function *function;
    bool all;      /* -cl-opt-disable */
    spv_id hidden; /* u32, of this function; 0: not there yet */
};

/* What a number was before it was widened or narrowed. */
static const struct spv_inst *before_resizes(const struct trips *t, spv_id id)
{
    const struct spv_inst *inst = spv_def(t->module, id);
    while (inst->block && spv_op_is_resize(inst->op))
        inst = spv_def(t->module, inst->words[0]);
    return inst;
}

/* The phi of a counter, or what a step makes of it: NULL for neither. */
static const struct spv_inst *counter_of(const struct trips *t, spv_id id, bool *stepped)
{
    const struct spv_inst *inst = before_resizes(t, id);
    *stepped = inst->block && (inst->op == SpvOpIAdd || inst->op == SpvOpISub);
    for (uint32_t i = 0; *stepped && i < 2; i++) {
        const struct spv_inst *phi = before_resizes(t, inst->words[i]);
        if (phi->op == SpvOpPhi)
            return phi;
    }
    return inst->op == SpvOpPhi ? inst : NULL;
}

/* Whether the phi gets the stepped value in its next round: then what is compared is behind the step. */
static bool goes_on_with(const struct trips *t, const struct spv_inst *phi, spv_id stepped)
{
    const struct spv_inst *value = before_resizes(t, stepped);
    for (uint32_t i = 0; i < phi->num_words; i += 2) {
        if (before_resizes(t, phi->words[i]) == value)
            return true;
    }
    return false;
}

/* Such as a negation, and what a driver may make one of. An end that is an argument, a constant or loaded stays. */
static bool is_arithmetic(const struct trips *t, spv_id id)
{
    const struct spv_inst *inst = before_resizes(t, id);
    return inst->block && (inst->op == SpvOpSNegate || inst->op == SpvOpISub || inst->op == SpvOpIAdd ||
                           inst->op == SpvOpIMul || inst->op == SpvOpNot);
}

static spv_id hide(struct trips *t, struct spv_builder *b, spv_id value)
{
    t->hidden = t->hidden ? t->hidden : lower_hidden_zero(t->lower, t->function);
    return lower_hide_integer(b, t->hidden, value);
}

static void hide_compared(struct trips *t, struct spv_inst *compare, uint32_t operand)
{
    struct spv_builder b = {t->module, t->function, compare->block, compare};
    compare->words[operand] = hide(t, &b, compare->words[operand]);
}

/* Where it is computed, which may be before the loop. */
static void hide_end(struct trips *t, struct spv_inst *compare, uint32_t operand)
{
    struct spv_inst *end = spv_def(t->module, compare->words[operand]);
    struct spv_builder b = {t->module, t->function, end->block, end->next};
    compare->words[operand] = hide(t, &b, end->id);
}

/* The driver gets loops that end by == or != right where they step by one. */
static bool steps_by_more(const struct trips *t, spv_id stepped)
{
    const struct spv_inst *inst = before_resizes(t, stepped);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t bits, width = spv_type_width(t->module, inst->type);
        if (spv_const_value(t->module, inst->words[i], &bits))
            return bits != 1 && bits != UINT64_MAX >> (64 - width);
    }
    return true;
}

static void visit(struct trips *t, struct spv_inst *compare)
{
    bool equality = compare->op == SpvOpIEqual || compare->op == SpvOpINotEqual, stepped;
    for (uint32_t i = 0; i < 2; i++) {
        spv_id value = compare->words[i];
        const struct spv_inst *phi = counter_of(t, value, &stepped);
        if (t->all && !spv_is_constant(t->module, value)) {
            hide_compared(t, compare, i);
            continue;
        }
        if (!phi)
            continue;
        if (stepped && goes_on_with(t, phi, value) && (!equality || steps_by_more(t, value)))
            hide_compared(t, compare, i);
        if (!equality && is_arithmetic(t, compare->words[!i]))
            hide_end(t, compare, !i);
        return;
    }
}

static bool is_interesting(const struct trips *t, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
    case SpvOpIEqual:
    case SpvOpINotEqual:
        return spv_type_count(t->module, spv_value_type(t->module, inst->words[0])) == 1;
    default:
        return false;
    }
}

bool lower_trips(struct lower *lower)
{
    if (!lower->target->miscounts_trips) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, lower->module) {
        struct trips t = {lower, lower->module, function, lower_keeps_code(lower), 0};
        VEC(struct spv_inst *) compares = {0}; /* new instructions come into blocks that are visited later, too */
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (is_interesting(&t, inst))
                    vec_push(lower->arena, &compares, inst);
            }
        }
        for (size_t i = 0; i < compares.length; i++)
            visit(&t, compares.data[i]);
    }
    return true;
}
