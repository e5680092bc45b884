/* Keeps integer operations in forms that drivers do not take for others and get wrong. NVIDIA's driver (580.159) does
 * so in kernels that also divide numbers of 64 bits, or compute with doubles what takes it a subroutine:
 *
 *     x < z ? 0 : x - z      of 64-bit integers: the upper word of the result is anything; of vectors of 16-bit
 *     x + z < x ? ~0 : x + z integers: sums that wrapped. Also as branches, and with & and | in the place of ?:
 *     popcount of what was widened from 8 or 16 bits: it counts sign bits
 *     v[i] of vectors of two bytes: always the second
 *
 * A value that is 0, but no driver knows, keeps the first three from being recognised:
 *
 *     x < z ? 0 : x - z      ->  x < z ? 0 : (x - z | hidden)
 *     popcount(x)            ->  popcount(x | hidden << 31)
 *     v[i]                   ->  i != 0 ? v.y : v.x
 *
 * On drivers without these faults, by the probe (CLC_PROBE_PATTERNS), the pass does nothing. It expects what hide.c
 * expects, and comes after the passes that could undo it. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/quirks/quirks.h"

struct compare {
    spv_id a, b;
};

struct patterns {
    struct lower *lower;
    struct spv_module *module;
    struct spv_function *function;
    VEC(struct compare) compares; /* of unsigned integers, in this function */
    spv_id hidden;                /* u32, of this function; 0: not there yet */
};

static bool is_every_lane(const struct spv_module *module, spv_id id, uint64_t bits)
{
    const struct spv_inst *inst = spv_def(module, id);
    uint64_t value;
    if (inst->op == SpvOpConstantNull)
        return bits == 0;
    if (inst->op != SpvOpConstantComposite)
        return spv_const_value(module, id, &value) && value == bits;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        if (!is_every_lane(module, inst->words[i], bits))
            return false;
    }
    return true;
}

static bool is_not_of(const struct spv_module *module, spv_id id, spv_id of)
{
    const struct spv_inst *inst = spv_def(module, id);
    return inst->op == SpvOpNot && inst->words[0] == of;
}

/* Whether a comparison tells that x - z, or the sum of x and z, wraps. */
static bool tells_wrap(const struct patterns *p, const struct spv_inst *inst, spv_id a, spv_id b)
{
    spv_id x = inst->words[0], z = inst->words[1];
    if ((a == x && b == z) || (spv_is_constant(p->module, z) && a == x && spv_is_constant(p->module, b)))
        return true;
    return inst->op == SpvOpIAdd && ((a == inst->id && (b == x || b == z)) || (a == x && is_not_of(p->module, b, z)) ||
                                     (a == z && is_not_of(p->module, b, x)));
}

/* Sums and differences of 64-bit integers and of vectors of 16-bit ones whose wrapping something compares. */
static bool is_compared(const struct patterns *p, spv_id id)
{
    const struct spv_inst *inst = spv_def(p->module, id);
    if (inst->op != SpvOpIAdd && inst->op != SpvOpISub)
        return false;
    uint32_t width = spv_type_width(p->module, inst->type);
    if (width != 64 && (width != 16 || spv_type_count(p->module, inst->type) == 1))
        return false;
    for (size_t i = 0; i < p->compares.length; i++) {
        const struct compare *compare = &p->compares.data[i];
        if (tells_wrap(p, inst, compare->a, compare->b) || tells_wrap(p, inst, compare->b, compare->a))
            return true;
    }
    return false;
}

static spv_id hidden_zero(struct patterns *p)
{
    if (!p->hidden)
        p->hidden = lower_hidden_zero(p->lower, p->function);
    return p->hidden;
}

/* Hides an operand that is a compared sum or difference. It is hidden where it is computed: the user may be a phi. */
static void hide_operand(struct patterns *p, struct spv_inst *user, uint32_t operand)
{
    spv_id value = user->words[operand];
    if (!is_compared(p, value))
        return;
    struct spv_inst *inst = spv_def(p->module, value);
    struct spv_builder builder = {p->module, p->function, inst->block, inst->next};
    user->words[operand] = lower_hide_integer(&builder, hidden_zero(p), value);
}

/* What takes the place of a difference that wrapped is 0, of a sum ~0. Which is which is not looked at: subtracting a
 * constant is adding another one. */
static bool is_bound(const struct patterns *p, spv_id id)
{
    uint32_t width = spv_type_width(p->module, spv_value_type(p->module, id));
    return is_every_lane(p->module, id, 0) ||
           is_every_lane(p->module, id, width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1);
}

static void visit_select(struct patterns *p, struct spv_inst *inst)
{
    for (uint32_t i = 1; i < 3; i++) {
        if (is_bound(p, inst->words[3 - i]))
            hide_operand(p, inst, i);
    }
}

static void visit_phi(struct patterns *p, struct spv_inst *inst)
{
    bool bound = false;
    for (uint32_t i = 0; i < inst->num_words; i += 2)
        bound |= is_bound(p, inst->words[i]);
    for (uint32_t i = 0; bound && i < inst->num_words; i += 2) {
        const struct spv_inst *value = spv_def(p->module, inst->words[i]);
        /* A counter that starts at 0 is none of these. */
        if (value->op != SpvOpIAdd || (value->words[0] != inst->id && value->words[1] != inst->id))
            hide_operand(p, inst, i);
    }
}

/* Whether the upper half of a 32-bit value is 0 because it was widened, as far as a few definitions tell. */
static bool is_widened(const struct spv_module *module, spv_id id, int depth)
{
    const struct spv_inst *inst = spv_def(module, id);
    if (spv_is_constant(module, id))
        return true;
    switch (inst->op) {
    case SpvOpUConvert:
        return spv_type_width(module, spv_value_type(module, inst->words[0])) <= 16 ||
               (depth && is_widened(module, inst->words[0], depth - 1));
    case SpvOpBitwiseAnd:
        return depth &&
               (is_widened(module, inst->words[0], depth - 1) || is_widened(module, inst->words[1], depth - 1));
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        return depth && is_widened(module, inst->words[0], depth - 1) && is_widened(module, inst->words[1], depth - 1);
    case SpvOpShiftRightLogical:
        return depth && is_widened(module, inst->words[0], depth - 1);
    case SpvOpSelect:
        return depth && is_widened(module, inst->words[1], depth - 1) && is_widened(module, inst->words[2], depth - 1);
    default:
        return false;
    }
}

static void visit_count(struct patterns *p, struct spv_block *block, struct spv_inst *inst)
{
    enum { DEPTH = 4 };
    spv_id value = inst->words[0], type = spv_value_type(p->module, value);
    if (spv_type_width(p->module, type) != 32 || spv_is_constant(p->module, value) ||
        !is_widened(p->module, value, DEPTH))
        return;
    struct spv_builder builder = {p->module, p->function, block, inst};
    spv_id word = spv_type_int(p->module, 32);
    spv_id top = spv_emitv(&builder, SpvOpShiftLeftLogical, word, hidden_zero(p), spv_const_u32(p->module, 31));
    uint32_t lanes = spv_type_count(p->module, type), parts[16];
    for (uint32_t i = 0; i < lanes; i++)
        parts[i] = top;
    if (lanes > 1)
        top = spv_emit(&builder, SpvOpCompositeConstruct, type, lanes, parts);
    inst->words[0] = spv_emitv(&builder, SpvOpBitwiseOr, type, value, top);
}

/* The instruction becomes the choice between the lanes. */
static void visit_lane(struct patterns *p, struct spv_block *block, struct spv_inst *inst)
{
    spv_id vector = inst->words[0], index = inst->words[1], type = spv_value_type(p->module, vector);
    if (!spv_type_is_int(p->module, type) || spv_type_width(p->module, type) != 8 ||
        spv_type_count(p->module, type) != 2)
        return;
    struct spv_builder builder = {p->module, p->function, block, inst};
    uint32_t width = spv_type_width(p->module, spv_value_type(p->module, index));
    spv_id zero = spv_const_bits(p->module, spv_type_int(p->module, width), 0);
    uint32_t words[3] = {spv_emitv(&builder, SpvOpINotEqual, spv_type_bool(p->module), index, zero),
                         spv_emitv(&builder, SpvOpCompositeExtract, inst->type, vector, 1),
                         spv_emitv(&builder, SpvOpCompositeExtract, inst->type, vector, 0)};
    inst->op = SpvOpSelect;
    spv_inst_set_words(p->module, inst, 3, words);
}

static void visit(struct patterns *p, struct spv_block *block, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpSelect:
        if (spv_type_is_int(p->module, inst->type))
            visit_select(p, inst);
        break;
    case SpvOpPhi:
        if (spv_type_is_int(p->module, inst->type))
            visit_phi(p, inst);
        break;
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
        hide_operand(p, inst, 0);
        hide_operand(p, inst, 1);
        break;
    case SpvOpBitCount:
        visit_count(p, block, inst);
        break;
    case SpvOpVectorExtractDynamic:
        visit_lane(p, block, inst);
        break;
    default:
        break;
    }
}

static bool is_interesting(const struct patterns *p, uint16_t op)
{
    return op == SpvOpBitCount || op == SpvOpVectorExtractDynamic ||
           (p->compares.length &&
            (op == SpvOpSelect || op == SpvOpPhi || op == SpvOpBitwiseAnd || op == SpvOpBitwiseOr));
}

static void find_compares(struct patterns *p)
{
    spv_foreach_block (block, p->function) {
        spv_foreach_inst (inst, &block->insts) {
            if (inst->op != SpvOpULessThan && inst->op != SpvOpULessThanEqual && inst->op != SpvOpUGreaterThan &&
                inst->op != SpvOpUGreaterThanEqual)
                continue;
            uint32_t width = spv_type_width(p->module, spv_value_type(p->module, inst->words[0]));
            if (width == 64 || width == 16)
                vec_push(p->lower->arena, &p->compares, ((struct compare){inst->words[0], inst->words[1]}));
        }
    }
}

bool lower_patterns(struct lower *lower)
{
    if (lower->target->native[CLC_PROBE_PATTERNS][CLC_WIDTH_64] == CLC_NATIVE_EXACT) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, lower->module) {
        struct patterns p = {.lower = lower, .module = lower->module, .function = function};
        VEC(struct spv_inst *) old = {0}; /* new ones come into blocks that are visited later, too */
        find_compares(&p);
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (is_interesting(&p, inst->op))
                    vec_push(lower->arena, &old, inst);
            }
        }
        for (size_t i = 0; i < old.length; i++)
            visit(&p, old.data[i]->block, old.data[i]);
    }
    return true;
}
