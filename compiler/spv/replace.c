/* Replacing uses in bulk: a pass records pairs, and one walk rewrites all operands. Chains (a to b, b to c) are
 * followed with path compression, so that the order in which a pass finds its pairs does not matter. */
#include "cfg.h"
#include "grammar.h"

#include <assert.h>
#include <string.h>

static void clear(struct spv_module *module, struct spv_replacements *replacements)
{
    for (uint32_t i = 0; i < replacements->replaced.length; i++)
        replacements->to[replacements->replaced.data[i]] = 0;
    spv_give_back_zeroed(module, replacements->to);
}

void spv_replace(struct spv_module *module, struct spv_replacements *replacements, spv_id old, spv_id new_id)
{
    if (old >= replacements->capacity) {
        uint32_t capacity = replacements->capacity ? replacements->capacity : 64;
        while (capacity <= old || capacity < module->bound)
            capacity *= 2;
        spv_id *to = spv_borrow(module, capacity * sizeof(spv_id));
        if (replacements->capacity)
            memcpy(to, replacements->to, replacements->capacity * sizeof(spv_id));
        clear(module, replacements);
        replacements->to = to;
        replacements->capacity = capacity;
    }
    if (!replacements->to[old])
        vec_push(module->arena, &replacements->replaced, old);
    replacements->to[old] = new_id == old ? 0 : new_id;
}

void spv_finish_replacements(struct spv_module *module, struct spv_replacements *replacements)
{
    clear(module, replacements);
    *replacements = (struct spv_replacements){0};
}

spv_id spv_follow_replacements(const struct spv_replacements *replacements, spv_id id)
{
    spv_id last = id, next;
    uint32_t steps = 0;
    while (last < replacements->capacity && (next = replacements->to[last]) && next != id &&
           steps++ < replacements->capacity)
        last = next;
    while (id != last) {
        next = replacements->to[id];
        replacements->to[id] = last;
        id = next;
    }
    return last;
}

/* The same as spv_visit_operand_ids() with spv_rewrite_word(), which reads the table's place for each word. */
static void rewrite_operands(const struct spv_replacements *replacements, struct spv_inst *inst)
{
    const spv_id *to = replacements->to;
    uint32_t ids, capacity = replacements->capacity, *words = inst->words;
    if (!spv_leading_ids(inst, &ids)) {
        spv_visit_by_grammar(inst, spv_rewrite_word, (void *)replacements);
        return;
    }
    for (uint32_t i = 0; i < ids; i++) {
        if (words[i] < capacity && to[words[i]])
            words[i] = spv_follow_replacements(replacements, words[i]);
    }
}

static void rewrite_list(struct spv_replacements *replacements, struct spv_list *list, bool types)
{
    spv_foreach_inst (inst, list) {
        if (types)
            spv_rewrite_word(replacements, inst, &inst->type); /* 0 is never replaced */
        rewrite_operands(replacements, inst);
    }
}

static void rewrite_function(struct spv_replacements *replacements, struct spv_function *function, bool types)
{
    spv_foreach_block (block, function)
        rewrite_list(replacements, &block->insts, types);
}

static bool has_types(const struct spv_module *module, const struct spv_replacements *replacements)
{
    for (uint32_t i = 0; i < replacements->replaced.length; i++) {
        const struct spv_inst *by = spv_def(module, spv_replaced(replacements, replacements->replaced.data[i]));
        if (!by || spv_op_is_type(by->op))
            return true;
    }
    return false;
}

void spv_apply_rest_of_replacements(struct spv_module *module, struct spv_replacements *replacements,
                                    struct spv_function *function)
{
    (void)module;
    if (!replacements->replaced.length)
        return;
    spv_foreach_block (block, function) {
        if (block->index == SPV_UNREACHABLE) {
            rewrite_list(replacements, &block->insts, false);
            continue;
        }
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpPhi)
                spv_visit_operand_ids(inst, spv_rewrite_word, replacements);
            else if (inst->op != SpvOpLine && inst->op != SpvOpNoLine)
                break;
        }
    }
}

void spv_apply_replacements(struct spv_module *module, struct spv_replacements *replacements,
                            struct spv_function *function)
{
    if (!replacements->replaced.length)
        return;
    if (function) {
        rewrite_function(replacements, function, false);
        return;
    }
    bool types = has_types(module, replacements);
    for (int section = 0; section < SPV_SECTION_COUNT; section++) {
        /* annotations belong to the id that they name; the caller that replaces an id decides about them */
        if (section != SPV_SECTION_ANNOTATION && section != SPV_SECTION_DEBUG)
            rewrite_list(replacements, &module->sections[section], true);
    }
    spv_foreach_function (each, module) {
        if (each->only_computes)
            continue;
        each->def->type = spv_replaced(replacements, each->def->type);
        each->def->words[1] = spv_replaced(replacements, each->def->words[1]);
        for (uint32_t i = 0; i < each->params.length; i++)
            each->params.data[i]->type = spv_replaced(replacements, each->params.data[i]->type);
        rewrite_function(replacements, each, types);
    }
}
