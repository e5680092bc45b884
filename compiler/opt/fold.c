/* Folding: each instruction is looked at after its operands were simplified, and becomes a constant, one of its
 * operands, or a simpler instruction.
 *
 * Blocks are visited in reverse post-order. When the condition of a branch turns out constant, the edge that is not
 * taken counts as removed for all later blocks; so one round does nearly everything. At the end of a round these
 * branches are rewritten, and where that makes more folding possible there is another round.
 *
 * Only exact rewrites are made: integer identities, and float identities that hold for every value, including signed
 * zeros and NaN. */
#include "compiler/opt/fold_pass.h"

#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/opt.h"
#include "compiler/spv/cfg.h"

#include <string.h>

enum { MAX_ROUNDS = 6, MAX_STEPS = 8 };

static uint64_t all_ones(const struct spv_module *module, spv_id type)
{
    uint32_t width = spv_type_is_bool(module, type) ? 1 : spv_type_width(module, type);
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

/* The bits of 1.0 in a float type */
static uint64_t float_one(const struct fold *f, spv_id type)
{
    switch (spv_type_width(f->module, type)) {
    case 16:
        return 0x3c00;
    case 32:
        return 0x3f800000;
    default:
        return 0x3ff0000000000000;
    }
}

/* ---- changing an instruction in place ---- */

void fold_become(struct fold *f, struct spv_inst *inst, SpvOp op, uint32_t count, const uint32_t *words)
{
    spv_remove_annotations(f->module, inst->id);
    inst->op = (uint16_t)op;
    spv_inst_set_words(f->module, inst, count, words);
    f->changed = true;
}

static void swap_operands(struct spv_inst *inst)
{
    uint32_t first = inst->words[0];
    inst->words[0] = inst->words[1];
    inst->words[1] = first;
}

/* ---- integers ---- */

/* Whether constants of two such instructions in a row may be taken together, and operands swapped. */
static bool is_associative(uint16_t op)
{
    return spv_op_flags(op) & SPV_OP_ASSOCIATIVE;
}

/* Whether the sum or product of the two constants does not overflow. */
static bool is_exact(const struct fold *f, uint16_t op, const uint32_t *constants)
{
    uint64_t bits[2];
    int64_t values[2], result;
    uint32_t width = spv_type_width(f->module, spv_value_type(f->module, constants[0]));
    for (uint32_t i = 0; i < 2; i++) {
        if (!spv_const_value(f->module, constants[i], &bits[i]))
            return false;
        values[i] = (int64_t)(bits[i] << (64 - width)) >> (64 - width);
    }
    bool wide = op == SpvOpIAdd ? !__builtin_add_overflow(values[0], values[1], &result)
                                : op == SpvOpIMul && !__builtin_mul_overflow(values[0], values[1], &result);
    return wide && (int64_t)((uint64_t)result << (64 - width)) >> (64 - width) == result;
}

/* (x + 1) + 2 => x + 3. The new sum keeps the no-wrap decorations that both sums had, provided that 1 + 2 does not
 * overflow. */
static bool reassociate(struct fold *f, struct spv_inst *inst)
{
    const struct spv_inst *inner = fold_def_if(f, inst->words[0], inst->op);
    if (!inner || !spv_is_constant(f->module, inst->words[1]) || !spv_is_constant(f->module, inner->words[1]) ||
        inner->type != inst->type)
        return false;
    const uint32_t constants[] = {inner->words[1], inst->words[1]};
    struct spv_inst both = *inst;
    uint32_t words[2] = {constants[0], constants[1]};
    both.words = words;
    spv_id sum = fold_constant(f->module, &both);
    if (!sum)
        return false;
    bool undefined = spv_no_signed_wrap(inst) && spv_no_signed_wrap(inner) && is_exact(f, inst->op, constants);
    fold_become(f, inst, (SpvOp)inst->op, 2, (const uint32_t[]){inner->words[0], sum});
    if (undefined)
        spv_set_no_signed_wrap(inst, true);
    return true;
}

/* x - x, x & x and the like: what they are for every x. */
static spv_id identity_of_equal(struct spv_module *module, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpISub:
    case SpvOpBitwiseXor:
        return spv_const_splat(module, inst->type, 0);
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
        return inst->words[0];
    default:
        return 0;
    }
}

spv_id fold_identity(struct spv_module *module, const struct spv_inst *inst)
{
    spv_id a = inst->words[0], b = inst->words[1];
    uint64_t bits;
    if (is_associative(inst->op) && spv_is_constant(module, a) && !spv_is_constant(module, b))
        a = inst->words[1], b = inst->words[0];
    if (!fold_is_splat(module, b, &bits))
        return a == b ? identity_of_equal(module, inst) : 0;
    switch (inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpBitwiseXor:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        if (!bits)
            return a;
        break;
    case SpvOpIMul:
        if (!bits)
            return spv_const_splat(module, inst->type, 0);
        return bits == 1 ? a : 0;
    case SpvOpUDiv:
    case SpvOpSDiv:
        return bits == 1 ? a : 0;
    case SpvOpUMod:
    case SpvOpSRem:
        return bits == 1 ? spv_const_splat(module, inst->type, 0) : 0;
    case SpvOpBitwiseAnd:
        if (!bits)
            return spv_const_splat(module, inst->type, 0);
        if (bits == all_ones(module, inst->type))
            return a;
        break;
    case SpvOpBitwiseOr:
        if (!bits)
            return a;
        if (bits == all_ones(module, inst->type))
            return spv_const_splat(module, inst->type, bits);
        break;
    default:
        return 0;
    }
    return a == b ? identity_of_equal(module, inst) : 0;
}

static spv_id simplify_int(struct fold *f, struct spv_inst *inst)
{
    bool commutes = is_associative(inst->op);
    if (commutes && spv_is_constant(f->module, inst->words[0]) && !spv_is_constant(f->module, inst->words[1]))
        swap_operands(inst);
    spv_id value = fold_identity(f->module, inst);
    if (!value && commutes)
        reassociate(f, inst);
    return value;
}

/* ---- floats ---- */

static spv_id simplify_float(struct fold *f, struct spv_inst *inst)
{
    spv_id a = inst->words[0], b = inst->words[1];
    uint64_t bits, other;
    uint64_t one = float_one(f, inst->type), minus_zero = (uint64_t)1 << (spv_type_width(f->module, inst->type) - 1);
    bool known = fold_is_splat(f->module, b, &bits);
    switch (inst->op) {
    case SpvOpFMul:
        if (fold_is_splat(f->module, a, &other) && other == one)
            return b;
        return known && bits == one ? a : 0;
    case SpvOpFDiv:
        return known && bits == one ? a : 0;
    case SpvOpFAdd:
        if (fold_is_splat(f->module, a, &other) && other == minus_zero)
            return b;
        return known && bits == minus_zero ? a : 0;
    case SpvOpFSub:
        return known && bits == 0 ? a : 0;
    default:
        return 0;
    }
}

/* ---- bools ---- */

static spv_id simplify_not(struct fold *f, struct spv_inst *inst)
{
    const struct spv_inst *inner = fold_def(f, inst->words[0]);
    if (inner->op == SpvOpLogicalNot && inner->block)
        return inner->words[0];
    uint16_t op = inner->block ? spv_op_inverse(inner->op) : 0;
    if (op)
        fold_become(f, inst, (SpvOp)op, 2, (const uint32_t[]){inner->words[0], inner->words[1]});
    return 0;
}

static spv_id simplify_logical(struct fold *f, struct spv_inst *inst)
{
    uint64_t bits;
    for (int side = 0; side < 2; side++) {
        spv_id a = inst->words[side], b = inst->words[1 - side];
        bool known = fold_is_splat(f->module, b, &bits);
        if (inst->op == SpvOpLogicalAnd || inst->op == SpvOpLogicalOr) {
            if (a == b || (known && bits == (inst->op == SpvOpLogicalAnd)))
                return a;
            if (known)
                return spv_const_splat(f->module, inst->type, bits);
        } else if (known) {
            if (bits == (inst->op == SpvOpLogicalEqual))
                return a;
            fold_become(f, inst, SpvOpLogicalNot, 1, &a);
            return 0;
        }
    }
    return 0;
}

/* select(c, 1, 0) != 0 => c, and the same for any two constants and comparison. C's conditions produce such code. */
static spv_id compare_of_select(struct fold *f, struct spv_inst *inst)
{
    const struct spv_inst *select = fold_def_if(f, inst->words[0], SpvOpSelect);
    if (!select || !spv_is_constant(f->module, inst->words[1]) || !spv_is_constant(f->module, select->words[1]) ||
        !spv_is_constant(f->module, select->words[2]) || spv_value_type(f->module, select->words[0]) != inst->type)
        return 0;
    uint64_t outcome[2];
    for (int side = 0; side < 2; side++) {
        struct spv_inst compare = *inst;
        uint32_t words[2] = {select->words[1 + side], inst->words[1]};
        compare.words = words;
        spv_id result = fold_constant(f->module, &compare);
        if (!result || !fold_is_splat(f->module, result, &outcome[side]))
            return 0;
    }
    if (outcome[0] == outcome[1])
        return spv_const_splat(f->module, inst->type, outcome[0]);
    if (outcome[0])
        return select->words[0];
    fold_become(f, inst, SpvOpLogicalNot, 1, (const uint32_t[]){select->words[0]});
    return 0;
}

static spv_id simplify_compare(struct fold *f, struct spv_inst *inst)
{
    bool is_int = spv_type_is_int(f->module, spv_value_type(f->module, inst->words[0]));
    if (is_int && inst->words[0] == inst->words[1]) {
        enum spv_relation relation = spv_op_relation(inst->op);
        bool holds = relation == SPV_RELATION_EQUAL || relation == SPV_RELATION_LESS_EQUAL ||
                     relation == SPV_RELATION_GREATER_EQUAL;
        return spv_const_splat(f->module, inst->type, holds);
    }
    /* Two constants, of which one is known later, stay as they are, or each run would swap them again. */
    if (spv_op_flags(inst->op) & SPV_OP_COMMUTATIVE && spv_is_constant(f->module, inst->words[0]) &&
        !spv_is_constant(f->module, inst->words[1]))
        swap_operands(inst);
    return compare_of_select(f, inst);
}

/* A select whose lanes are known is a shuffle. */
static bool shuffle_of_select(struct fold *f, struct spv_inst *inst)
{
    uint32_t count = spv_type_count(f->module, inst->type);
    uint32_t words[18] = {inst->words[1], inst->words[2]};
    if (!spv_type_is_vector(f->module, spv_value_type(f->module, inst->words[0])))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t condition;
        if (!fold_component(f->module, inst->words[0], i, &condition))
            return false;
        words[2 + i] = condition ? i : count + i;
    }
    fold_become(f, inst, SpvOpVectorShuffle, 2 + count, words);
    return true;
}

static spv_id simplify_select(struct fold *f, struct spv_inst *inst)
{
    uint64_t condition, yes, no;
    if (inst->words[1] == inst->words[2])
        return inst->words[1];
    if (fold_is_splat(f->module, inst->words[0], &condition))
        return inst->words[condition ? 1 : 2];
    if (spv_is_constant(f->module, inst->words[0]) && shuffle_of_select(f, inst))
        return 0;
    bool is_bool = spv_type_is_bool(f->module, inst->type) && spv_value_type(f->module, inst->words[0]) == inst->type;
    if (is_bool && fold_is_splat(f->module, inst->words[1], &yes) && fold_is_splat(f->module, inst->words[2], &no)) {
        if (yes)
            return inst->words[0];
        fold_become(f, inst, SpvOpLogicalNot, 1, &inst->words[0]);
        return 0;
    }
    const struct spv_inst *inner = fold_def_if(f, inst->words[0], SpvOpLogicalNot);
    if (inner)
        fold_become(f, inst, SpvOpSelect, 3, (const uint32_t[]){inner->words[0], inst->words[2], inst->words[1]});
    return 0;
}

/* ---- conversions ---- */

/* An integer conversion of an integer conversion: from width w0 to w1 to w2. */
static spv_id convert_of_convert(struct fold *f, struct spv_inst *inst, const struct spv_inst *inner)
{
    struct spv_module *module = f->module;
    spv_id source = inner->words[0];
    uint32_t w0 = spv_type_width(module, spv_value_type(module, source)), w1 = spv_type_width(module, inner->type);
    uint32_t w2 = spv_type_width(module, inst->type);
    if (spv_find_decoration(module, inner->id, SpvDecorationSaturatedConversion) ||
        spv_find_decoration(module, inst->id, SpvDecorationSaturatedConversion))
        return 0;
    if (w1 < w0 && w2 > w1) /* bits are lost on the way */
        return 0;
    if (w2 == w0)
        return spv_value_type(module, source) == inst->type ? source : 0;
    SpvOp op = (SpvOp)inner->op;
    if (w2 > w1 && inner->op == SpvOpSConvert && inst->op == SpvOpUConvert)
        return 0;
    if (w2 < w0)
        op = SpvOpUConvert;
    fold_become(f, inst, op, 1, &source);
    return 0;
}

/* convert(select(c, 1, 0)) => select(c, convert(1), convert(0)) */
static bool convert_of_select(struct fold *f, struct spv_inst *inst)
{
    const struct spv_inst *select = fold_def_if(f, inst->words[0], SpvOpSelect);
    if (!select || !spv_is_constant(f->module, select->words[1]) || !spv_is_constant(f->module, select->words[2]))
        return false;
    uint32_t words[3] = {select->words[0]};
    for (int side = 0; side < 2; side++) {
        struct spv_inst convert = *inst;
        convert.words = &select->words[1 + side];
        words[1 + side] = fold_constant(f->module, &convert);
        if (!words[1 + side])
            return false;
    }
    fold_become(f, inst, SpvOpSelect, 3, words);
    return true;
}

static spv_id simplify_convert(struct fold *f, struct spv_inst *inst)
{
    const struct spv_inst *inner = fold_def(f, inst->words[0]);
    if (spv_op_is_resize(inst->op) && inner->block && spv_op_is_resize(inner->op))
        return convert_of_convert(f, inst, inner);
    convert_of_select(f, inst);
    return 0;
}

static spv_id simplify_bitcast(struct fold *f, struct spv_inst *inst)
{
    spv_id source = inst->words[0];
    if (spv_value_type(f->module, source) == inst->type)
        return source;
    const struct spv_inst *inner = fold_def_if(f, source, SpvOpBitcast);
    if (!inner)
        return 0;
    if (spv_value_type(f->module, inner->words[0]) == inst->type)
        return inner->words[0];
    /* through a pointer the sizes of the ends need not agree */
    if (!spv_type_is_pointer(f->module, inner->type) ||
        (spv_type_is_pointer(f->module, inst->type) &&
         spv_type_is_pointer(f->module, spv_value_type(f->module, inner->words[0]))))
        fold_become(f, inst, SpvOpBitcast, 1, (const uint32_t[]){inner->words[0]});
    return 0;
}

/* ---- phis ---- */

/* Whether the edge from the block with that label to the phi's block is gone. False also for blocks that this round has
 * not come to yet. */
static bool is_cut(const struct fold *f, const struct spv_inst *phi, spv_id label)
{
    const struct spv_block *from = f->reached ? spv_block_of(f->module, label) : NULL;
    if (!from || from->index == SPV_UNREACHABLE || from->index >= phi->block->index)
        return false;
    spv_id taken = f->taken[from->index];
    return !f->reached[from->index] || (taken && taken != phi->block->label->id);
}

/* The one value that all entries are; entries that are the phi itself or come by a cut edge are left out. Undefined
 * entries count as that value, but only if it is known everywhere (a constant): another one may not dominate the phi.
 */
static spv_id simplify_phi(struct fold *f, const struct spv_inst *inst)
{
    spv_id same = 0;
    bool undefined = false;
    for (uint32_t i = 0; i < inst->num_words; i += 2) {
        spv_id value = spv_replaced(&f->replacements, inst->words[i]);
        const struct spv_inst *def = fold_def(f, value);
        if (value == inst->id || is_cut(f, inst, inst->words[i + 1]))
            continue;
        if (def && def->op == SpvOpUndef)
            undefined = true;
        else if (same && value != same)
            return 0;
        else
            same = value;
    }
    if (!same)
        return spv_undef(f->module, inst->type);
    const struct spv_inst *def = fold_def(f, same);
    return !undefined || (def && !def->block) ? same : 0;
}

/* ---- the pass ---- */

/* - - x => x */
static spv_id simplify_twice(struct fold *f, const struct spv_inst *inst)
{
    const struct spv_inst *inner = fold_def_if(f, inst->words[0], inst->op);
    return inner ? inner->words[0] : 0;
}

static spv_id simplify_other(struct fold *f, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpExtInst:
        return fold_ext_inst(f->module, inst);
    case SpvOpSelect:
        return simplify_select(f, inst);
    case SpvOpBitcast:
        return simplify_bitcast(f, inst);
    case SpvOpCopyObject:
        return inst->words[0];
    case SpvOpPhi:
        return simplify_phi(f, inst);
    default:
        return 0;
    }
}

static spv_id simplify_once(struct fold *f, struct spv_inst *inst)
{
    spv_id constant = fold_constant(f->module, inst);
    if (constant)
        return constant;
    bool unary = inst->num_words == 1;
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_INT_ARITHMETIC:
    case SPV_CLASS_INT_DIVISION:
    case SPV_CLASS_BITWISE:
    case SPV_CLASS_SHIFT:
        return unary ? simplify_twice(f, inst) : simplify_int(f, inst);
    case SPV_CLASS_FLOAT_ARITHMETIC:
        return unary ? simplify_twice(f, inst) : simplify_float(f, inst);
    case SPV_CLASS_LOGICAL:
        return unary ? simplify_not(f, inst) : simplify_logical(f, inst);
    case SPV_CLASS_INT_COMPARISON:
        return simplify_compare(f, inst);
    case SPV_CLASS_FLOAT_COMPARISON:
        return compare_of_select(f, inst);
    case SPV_CLASS_INT_TO_INT:
    case SPV_CLASS_INT_TO_FLOAT:
        return simplify_convert(f, inst);
    case SPV_CLASS_COMPOSITE:
        return fold_composite(f, inst);
    case SPV_CLASS_ACCESS_CHAIN:
        return fold_chain(f->module, f->function, inst, &f->changed);
    default:
        return simplify_other(f, inst);
    }
}

static void fold_inst(struct fold *f, struct spv_inst *inst)
{
    /* a phi's operands may stand further down, and are judged as they are */
    if (inst->op != SpvOpPhi)
        spv_rewrite_operands(&f->replacements, inst);
    if (!inst->id || !inst->type)
        return;
    for (int step = 0; step < MAX_STEPS; step++) {
        bool before = f->changed;
        f->changed = false;
        spv_id value = simplify_once(f, inst);
        bool became = f->changed;
        f->changed = before || became || value;
        if (value && value != inst->id && spv_value_type(f->module, value) == inst->type) {
            spv_replace(f->module, &f->replacements, inst->id, value);
            cfg_remove_inst(f->module, inst);
            return;
        }
        if (!became)
            return;
    }
}

/* Whether a phi became simple after this round had visited it: by a value from a later block, or by an edge that was
 * cut later. */
static bool has_simple_phi(struct fold *f)
{
    for (uint32_t i = 0; i < f->cfg.count; i++) {
        if (f->reached && !f->reached[i])
            continue;
        spv_foreach_inst (inst, &f->cfg.blocks[i]->insts) {
            if (inst->op != SpvOpPhi)
                break;
            spv_id value = simplify_phi(f, inst);
            if (value && value != inst->id && spv_value_type(f->module, value) == inst->type)
                return true;
        }
    }
    return false;
}

/* Whether every edge that goes back leads to a block that dominates the edge's start. */
static bool is_reducible(const struct spv_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->count; i++) {
        for (uint32_t e = cfg->succ_start[i]; e < cfg->succ_start[i + 1]; e++) {
            if (cfg->succs[e] <= i && !spv_dominates(cfg, cfg->succs[e], i))
                return false;
        }
    }
    return true;
}

/* A branch whose condition became constant counts as folded for all blocks after it, so that branches that decide each
 * other take one round, and not one round each. From the first such branch on, blocks are marked when they are reached.
 */
static void leave_block(struct fold *f, uint32_t i)
{
    const struct spv_cfg *cfg = &f->cfg;
    spv_id taken = fold_taken(f->module, cfg, i);
    if (!f->reached) {
        if (!taken || !is_reducible(cfg))
            return;
        f->reached = arena_array(spv_scratch(f->module), bool, cfg->count);
        f->taken = arena_array(spv_scratch(f->module), spv_id, cfg->count);
        for (uint32_t e = 0; e < cfg->succ_start[i]; e++)
            f->reached[cfg->succs[e]] = true;
        f->reached[0] = true;
    }
    f->taken[i] = taken;
    for (uint32_t e = cfg->succ_start[i]; e < cfg->succ_start[i + 1]; e++) {
        if (!taken || cfg->blocks[cfg->succs[e]]->label->id == taken)
            f->reached[cfg->succs[e]] = true;
    }
}

static void rewrite_unreached(struct fold *f)
{
    for (uint32_t i = 0; i < f->cfg.count; i++) {
        spv_foreach_inst (inst, &f->cfg.blocks[i]->insts) {
            if (!f->reached[i])
                spv_rewrite_operands(&f->replacements, inst);
        }
    }
}

/* One round. Returns whether another round may find more: only phis can, since all other instructions are visited after
 * their operands. */
static bool fold_round(struct fold *f)
{
    bool more = false;
    f->changed = false;
    f->replacements = (struct spv_replacements){0};
    f->reached = NULL;
    spv_cfg_keep(f->module, f->function, &f->cfg);
    for (uint32_t i = 0; i < f->cfg.count; i++) {
        if (f->reached && !f->reached[i])
            continue;
        spv_foreach_inst_safe (inst, &f->cfg.blocks[i]->insts)
            fold_inst(f, inst);
        leave_block(f, i);
    }
    if (f->changed) {
        if (f->reached)
            rewrite_unreached(f);
        spv_apply_rest_of_replacements(f->module, &f->replacements, f->function);
        more = has_simple_phi(f);
    }
    spv_finish_replacements(f->module, &f->replacements);
    return more;
}

bool opt_fold(struct spv_module *module, struct spv_function *function)
{
    struct fold f = {.module = module, .function = function};
    bool changed = false, more = true;
    if (!function->first_block)
        return false;
    for (uint32_t round = 0; round < MAX_ROUNDS && more; round++) {
        struct arena_mark mark = spv_scratch_begin(module);
        more = fold_round(&f);
        changed |= f.changed;
        bool opened, simple, folded = fold_branches(module, function, round == 0, &opened, &simple);
        changed |= folded;
        more |= simple && (opened || (folded && !f.reached)); /* nothing else brings news to the passes behind */
        spv_scratch_end(module, mark);
    }
    return changed;
}
