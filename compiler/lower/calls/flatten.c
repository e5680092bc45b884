/* Small ifs become selects, so that calls on both sides of them stand in one block (share.c looks no further):
 *
 *     H: if (c) { T: a = .. } else { F: b = .. }        H: a = .. b = ..
 *     M: x = phi(a, b); ..                              x = select(c, a, b); ..
 *
 * The subtraction of a field, which adds the modulus where it borrowed, is such an if. Its arms only compute, without
 * a division, a call or a read, so that nobody but the clock notices when both run. */
#include "compiler/lower/calls/calls.h"

#include "compiler/opt/cfg/blocks.h"
#include "compiler/spv/cfg.h"

/* Whether the block does nothing but compute with no more than so many instructions, and goes on to merge. */
static bool is_small_arm(const struct spv_cfg *cfg, struct spv_block *arm, spv_id merge, uint32_t most)
{
    uint32_t count = 0, index = arm->index;
    const struct spv_inst *end = spv_terminator(arm);
    if (index == SPV_UNREACHABLE || cfg->pred_start[index + 1] - cfg->pred_start[index] != 1 ||
        end->op != SpvOpBranch || end->words[0] != merge || spv_merge_inst(arm))
        return false;
    spv_foreach_inst (inst, &arm->insts) {
        if (inst != end &&
            (++count > most || !spv_inst_is_pure(inst) || spv_op_class(inst->op) == SPV_CLASS_INT_DIVISION))
            return false;
    }
    return true;
}

/* Whether all phis of the merge block are numbers that come from the two ways there, of which one may be straight. */
static bool can_select(const struct spv_module *module, const struct spv_cfg *cfg, const struct spv_block *merge)
{
    uint32_t index = merge->index;
    if (index == SPV_UNREACHABLE || cfg->pred_start[index + 1] - cfg->pred_start[index] != 2)
        return false;
    spv_foreach_inst (inst, &merge->insts) {
        if (inst->op != SpvOpPhi)
            break;
        if (!spv_type_is_int(module, inst->type) && !spv_type_is_float(module, inst->type) &&
            !spv_type_is_bool(module, inst->type))
            return false;
    }
    return true;
}

static void move_arm(struct spv_module *module, struct spv_block *header, struct spv_block *arm)
{
    struct spv_builder b = {module, header->function, header, spv_terminator(header)};
    spv_foreach_inst_safe (inst, &arm->insts) {
        if (inst == spv_terminator(arm))
            break;
        spv_inst_unlink(inst);
        spv_inst_insert(&b, inst);
    }
}

/* Vectors are selected by one bool for each component (SPIR-V before 1.4). */
static spv_id condition_for(struct spv_builder *b, spv_id condition, spv_id type)
{
    uint32_t count = spv_type_count(b->module, type);
    spv_id members[16];
    if (count == 1)
        return condition;
    for (uint32_t i = 0; i < count; i++)
        members[i] = condition;
    spv_id bools = spv_type_vector(b->module, spv_type_bool(b->module), count);
    return spv_emit(b, SpvOpCompositeConstruct, bools, count, members);
}

static spv_id value_from(const struct spv_inst *phi, spv_id label)
{
    return phi->words[1] == label ? phi->words[0] : phi->words[2];
}

/* The phis become selects at the end of the header. */
static void select_values(struct spv_module *module, struct spv_block *header, struct spv_block *merge, spv_id yes,
                          spv_id no)
{
    struct spv_builder b = {module, header->function, header, spv_terminator(header)};
    spv_id condition = b.before->words[0];
    spv_foreach_inst_safe (phi, &merge->insts) {
        if (phi->op != SpvOpPhi)
            break;
        const uint32_t words[] = {condition_for(&b, condition, phi->type), value_from(phi, yes), value_from(phi, no)};
        spv_inst_unlink(phi);
        phi->op = SpvOpSelect;
        spv_inst_set_words(module, phi, 3, words);
        spv_inst_insert(&b, phi);
    }
}

/* Whether the if that ends the block is gone. */
static bool flatten_if(struct spv_module *module, const struct spv_cfg *cfg, struct spv_block *header, uint32_t most)
{
    struct spv_inst *end = spv_terminator(header), *selection = spv_merge_inst(header);
    if (!selection || selection->op != SpvOpSelectionMerge || end->op != SpvOpBranchConditional ||
        end->words[1] == end->words[2])
        return false;
    spv_id label = selection->words[0], yes = header->label->id, no = yes;
    struct spv_block *merge = spv_block_of(module, label);
    struct spv_block *arms[2] = {spv_block_of(module, end->words[1]), spv_block_of(module, end->words[2])};
    if (!can_select(module, cfg, merge))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        if (arms[i] != merge && !is_small_arm(cfg, arms[i], label, most))
            return false;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (arms[i] == merge)
            continue;
        move_arm(module, header, arms[i]);
        *(i ? &no : &yes) = arms[i]->label->id;
    }
    select_values(module, header, merge, yes, no);
    spv_inst_remove(module, selection);
    end->op = SpvOpBranch;
    spv_inst_set_words(module, end, 1, &label);
    return true;
}

bool lower_flatten_ifs(struct spv_module *module, struct spv_function *function, uint32_t most)
{
    for (bool changed = false, more = true; more; changed |= more) {
        struct spv_cfg cfg;
        more = false;
        spv_cfg_keep(module, function, &cfg);
        for (uint32_t i = 0; i < cfg.count; i++)
            more |= flatten_if(module, &cfg, cfg.blocks[i], most);
        if (!more)
            return changed;
        spv_cfg_forget(function);
        cfg_remove_unreachable(module, function);
        cfg_join_blocks(module, function);
        spv_cfg_forget(function);
    }
    return true;
}
