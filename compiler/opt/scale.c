/* Masked indices of local memory are computed in bytes:
 *
 *     %s = OpIAdd %uint %a %i                    =>    %b = OpShiftLeftLogical %uint %a 2         (where %a is)
 *     %k = OpBitwiseAnd %uint %s 255                   %c = OpShiftLeftLogical %uint %i 2         (where %i is)
 *     %p = OpAccessChain %float_ptr %words %k          %s = OpIAdd %uint %b %c
 *                                                      %m = OpBitwiseAnd %uint %s 1020
 *                                                      %k = OpShiftRightLogical %uint %m 2
 *                                                      %p = OpAccessChain %float_ptr %words %k
 *
 * A device addresses local memory in bytes, so each access shifts its index. Where the index is a plain sum, drivers
 * fold the shift into its summands, but they keep it behind a mask. Written like this, the two shifts of the access
 * cancel out, and those of the summands are shared between accesses, or are done before the loop. A loop that reads a
 * ring of local memory then takes four instructions for each element where it took five.
 *
 * No bit that the mask keeps is lost, since the mask itself fits. */
#include "compiler/opt/opt.h"

enum { MAX_DEPTH = 4, MAX_LEAVES = 32 };

struct leaf {
    spv_id id, scaled;
    uint32_t shift;
};

struct scale {
    struct spv_module *module;
    struct leaf leaves[MAX_LEAVES];
    uint32_t num_leaves;
};

/* The power of two that the size of what a pointer points to is; 0: none that an index would be shifted by. */
static uint32_t shift_of(const struct spv_module *module, const struct spv_inst *chain)
{
    spv_id type = spv_pointer_pointee(module, chain->type);
    if (!spv_type_is_int(module, type) && !spv_type_is_float(module, type))
        return 0;
    uint32_t size = spv_type_count(module, type) * spv_type_width(module, type) / 8;
    return size && !(size & (size - 1)) ? (uint32_t)__builtin_ctz(size) : 0;
}

/* id << shift, computed where id is, once for all that want it. What is no instruction, or one too many, is shifted at
 * the access itself. */
static spv_id scaled_leaf(struct scale *s, struct spv_builder *b, spv_id id, uint32_t shift)
{
    struct spv_inst *def = spv_def(s->module, id);
    uint64_t bits;
    if (spv_const_value(s->module, id, &bits))
        return spv_const_bits(s->module, def->type, bits << shift & UINT32_MAX);
    for (uint32_t i = 0; i < s->num_leaves; i++) {
        if (s->leaves[i].id == id && s->leaves[i].shift == shift)
            return s->leaves[i].scaled;
    }
    if (!def->block || s->num_leaves == MAX_LEAVES)
        return spv_emitv(b, SpvOpShiftLeftLogical, def->type, id, spv_const_u32(s->module, shift));
    struct spv_inst *next = def->next;
    while (next && (next->op == SpvOpPhi || next->op == SpvOpVariable))
        next = next->next;
    struct spv_builder at = {s->module, def->block->function, def->block, next, NULL};
    spv_id scaled = spv_emitv(&at, SpvOpShiftLeftLogical, def->type, id, spv_const_u32(s->module, shift));
    s->leaves[s->num_leaves++] = (struct leaf){id, scaled, shift};
    return scaled;
}

static spv_id scaled_sum(struct scale *s, struct spv_builder *b, spv_id id, uint32_t shift, uint32_t depth)
{
    const struct spv_inst *def = spv_def(s->module, id);
    if (!def->block || def->op != SpvOpIAdd || depth == MAX_DEPTH)
        return scaled_leaf(s, b, id, shift);
    spv_id one = scaled_sum(s, b, def->words[0], shift, depth + 1);
    spv_id two = scaled_sum(s, b, def->words[1], shift, depth + 1);
    return spv_emitv(b, SpvOpIAdd, def->type, one, two);
}

static bool rewrite(struct scale *s, struct spv_inst *chain)
{
    struct spv_module *module = s->module;
    uint32_t shift = shift_of(module, chain), last = chain->num_words - 1u;
    const struct spv_inst *mask = spv_def(module, chain->words[last]), *sum;
    uint64_t bits;
    if (!shift || !mask->block || mask->op != SpvOpBitwiseAnd || spv_type_is_vector(module, mask->type) ||
        spv_type_width(module, mask->type) != 32 || !spv_const_value(module, mask->words[1], &bits) ||
        bits > UINT32_MAX >> shift)
        return false;
    sum = spv_def(module, mask->words[0]);
    if (!sum->block || sum->op != SpvOpIAdd)
        return false;
    struct spv_builder at = {module, chain->block->function, chain->block, chain, NULL};
    spv_id scaled = scaled_sum(s, &at, sum->id, shift, 0);
    spv_id offset =
        spv_emitv(&at, SpvOpBitwiseAnd, mask->type, scaled, spv_const_bits(module, mask->type, bits << shift));
    chain->words[last] = spv_emitv(&at, SpvOpShiftRightLogical, mask->type, offset, spv_const_u32(module, shift));
    return true;
}

bool opt_scale(struct spv_module *module, struct spv_function *function)
{
    struct scale s = {.module = module};
    bool changed = false;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op == SpvOpAccessChain && inst->num_words > 1 &&
                spv_pointer_storage(module, inst->type) == SpvStorageClassWorkgroup)
                changed |= rewrite(&s, inst);
        }
    }
    return changed;
}
