/* Marks operations whose result OpenCL C or SPIR-V leaves open for some operands (check.h).
 *
 *     %q = OpSDiv %int %a %b    ->    CheckFault (%b == 0 || (%a == INT_MIN && %b == -1)) 0 site
 *                                     %q = OpSDiv %int %a %b
 *
 * Of a vector those lanes are looked at that something uses: others may not even have been loaded (lanes.c).
 *
 * OpenCL C 3.0, 6.3.10 has shifts count only the lowest bits of the amount, and the front end masks it. So shifts are
 * marked where nobody has: in modules from elsewhere. */
#include "compiler/lower/check/check.h"

#include "base/util.h"

#include <math.h>

enum { MAX_LANES = 16 };

/* An operation that is looked at, lane by lane. */
struct operation {
    struct check_sites *s;
    struct spv_inst *inst;
    spv_id truth;
    uint32_t lanes, used; /* how many; a bit for each that counts */
};

/* A macro, as spv_emitv() is: its arguments emit in turn. */
#define compare(o, op, left, right) spv_emitv(&(o)->s->b, op, (o)->truth, left, right)

static spv_id lane_of(struct operation *o, spv_id value, uint32_t lane)
{
    struct spv_module *module = o->s->module;
    spv_id type = spv_value_type(module, value);
    if (!spv_type_is_vector(module, type))
        return value;
    return spv_emitv(&o->s->b, SpvOpCompositeExtract, spv_type_component(module, type), value, lane);
}

static spv_id any(struct operation *o, spv_id so_far, spv_id wrong)
{
    return so_far && wrong ? compare(o, SpvOpLogicalOr, so_far, wrong) : so_far ? so_far : wrong;
}

static void fault(struct operation *o, enum clc_site_kind kind, spv_id wrong)
{
    struct check_sites *s = o->s;
    if (!wrong)
        return;
    const spv_id args[] = {wrong, spv_const_u64(s->module, 0), check_add_site(s, kind)};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_FAULT, spv_type_void(s->module), 3, args);
}

/* ---- integers ---- */

/* The lanes of a constant: whether none of them is 0, or -1 where that matters. */
static bool divides_well(const struct spv_module *module, spv_id divisor, bool is_signed)
{
    const struct spv_inst *def = spv_def(module, divisor);
    bool composite = def->op == SpvOpConstantComposite;
    uint32_t width = spv_type_width(module, def->type), count = composite ? def->num_words : 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value;
        if (!spv_const_value(module, composite ? def->words[i] : divisor, &value) || !value)
            return false;
        if (is_signed && value == UINT64_MAX >> (64 - width))
            return false;
    }
    return true;
}

static void mark_division(struct operation *o)
{
    struct spv_module *module = o->s->module;
    bool is_signed = o->inst->op == SpvOpSDiv || o->inst->op == SpvOpSRem || o->inst->op == SpvOpSMod;
    spv_id type = spv_type_component(module, o->inst->type), wrong = 0;
    uint32_t width = spv_type_width(module, type);
    if (divides_well(module, o->inst->words[1], is_signed))
        return;
    spv_id zero = spv_const_bits(module, type, 0), ones = spv_const_bits(module, type, UINT64_MAX >> (64 - width));
    spv_id least = spv_const_bits(module, type, (uint64_t)1 << (width - 1));
    for (uint32_t i = 0; i < o->lanes; i++) {
        if (!(o->used >> i & 1))
            continue;
        spv_id a = lane_of(o, o->inst->words[0], i), b = lane_of(o, o->inst->words[1], i);
        wrong = any(o, wrong, compare(o, SpvOpIEqual, b, zero));
        if (is_signed)
            wrong =
                any(o, wrong,
                    compare(o, SpvOpLogicalAnd, compare(o, SpvOpIEqual, a, least), compare(o, SpvOpIEqual, b, ones)));
    }
    fault(o, CLC_SITE_DIVISION, wrong);
}

/* Whether each lane of a constant is below the limit. */
static bool is_below(const struct spv_module *module, spv_id constant, uint64_t limit)
{
    const struct spv_inst *def = spv_def(module, constant);
    uint64_t value;
    if (def->op != SpvOpConstantComposite)
        return def->op == SpvOpConstantNull || (spv_const_value(module, constant, &value) && value < limit);
    for (uint32_t i = 0; i < def->num_words; i++) {
        if (!spv_const_value(module, def->words[i], &value) || value >= limit)
            return false;
    }
    return true;
}

static bool is_masked(const struct spv_module *module, spv_id amount, uint64_t limit)
{
    const struct spv_inst *def = spv_def(module, amount);
    while (def->op == SpvOpUConvert || def->op == SpvOpSConvert || def->op == SpvOpCompositeConstruct)
        def = spv_def(module, def->words[0]);
    if (def->op == SpvOpBitwiseAnd)
        return is_below(module, def->words[0], limit) || is_below(module, def->words[1], limit);
    return is_below(module, amount, limit);
}

static void mark_shift(struct operation *o)
{
    struct spv_module *module = o->s->module;
    uint32_t width = spv_type_width(module, o->inst->type);
    spv_id type = spv_type_component(module, spv_value_type(module, o->inst->words[1])), wrong = 0;
    if (is_masked(module, o->inst->words[1], width))
        return;
    for (uint32_t i = 0; i < o->lanes; i++) {
        if (!(o->used >> i & 1))
            continue;
        spv_id amount = lane_of(o, o->inst->words[1], i);
        wrong = any(o, wrong, compare(o, SpvOpUGreaterThanEqual, amount, spv_const_bits(module, type, width)));
    }
    fault(o, CLC_SITE_SHIFT, wrong);
}

/* ---- floats ---- */

static spv_id number(struct operation *o, spv_id type, double value)
{
    return spv_const_bits(o->s->module, type, float_to_bits(value, spv_type_width(o->s->module, type)));
}

/* Towards zero: what lies between the neighbours of the integer's least and greatest numbers is fine. */
static void mark_conversion(struct operation *o)
{
    struct spv_module *module = o->s->module;
    spv_id from = spv_type_component(module, spv_value_type(module, o->inst->words[0])), wrong = 0;
    uint32_t width = spv_type_width(module, o->inst->type), digits = spv_type_width(module, from);
    bool is_signed = o->inst->op == SpvOpConvertFToS;
    if (spv_find_decoration(module, o->inst->id, SpvDecorationSaturatedConversion))
        return;
    digits = digits == 16 ? 11 : digits == 32 ? 24 : 53;
    double end = ldexp(1, (int)(is_signed ? width - 1 : width)), least = is_signed ? -end : 0;
    bool exact = !is_signed || width - 1 < digits; /* least - 1 is a number of the type */
    for (uint32_t i = 0; i < o->lanes; i++) {
        if (!(o->used >> i & 1))
            continue;
        spv_id x = lane_of(o, o->inst->words[0], i);
        spv_id low = compare(o, exact ? SpvOpFOrdGreaterThan : SpvOpFOrdGreaterThanEqual, x,
                             number(o, from, exact ? least - 1 : least));
        spv_id high = compare(o, SpvOpFOrdLessThan, x, number(o, from, end));
        spv_id fits = compare(o, SpvOpLogicalAnd, low, high);
        wrong = any(o, wrong, spv_emitv(&o->s->b, SpvOpLogicalNot, o->truth, fits));
    }
    fault(o, CLC_SITE_FLOAT_TO_INT, wrong);
}

/* By its bits: comparisons may be relaxed. */
static spv_id is_finite(struct operation *o, spv_id value)
{
    struct spv_module *module = o->s->module;
    uint32_t width = spv_type_width(module, spv_value_type(module, value));
    uint64_t exponent = float_to_bits(INFINITY, width);
    spv_id bits = spv_type_int(module, width), mask = spv_const_bits(module, bits, exponent);
    spv_id word = spv_emitv(&o->s->b, SpvOpBitcast, bits, value);
    return compare(o, SpvOpINotEqual, spv_emitv(&o->s->b, SpvOpBitwiseAnd, bits, word, mask), mask);
}

/* An infinity or NaN that comes of finite numbers, behind the instruction. */
static void mark_result(struct operation *o, uint32_t first)
{
    struct spv_module *module = o->s->module;
    spv_id wrong = 0;
    for (uint32_t i = first; i < o->inst->num_words; i++) {
        spv_id type = spv_value_type(module, o->inst->words[i]);
        if (!type || !spv_type_is_float(module, type) || spv_type_count(module, type) != o->lanes)
            return; /* of other kinds: not looked at */
    }
    o->s->b.before = o->inst->next;
    for (uint32_t lane = 0; lane < o->lanes; lane++) {
        if (!(o->used >> lane & 1))
            continue;
        spv_id result = is_finite(o, lane_of(o, o->inst->id, lane));
        spv_id bad = spv_emitv(&o->s->b, SpvOpLogicalNot, o->truth, result);
        for (uint32_t i = first; i < o->inst->num_words; i++)
            bad = compare(o, SpvOpLogicalAnd, bad, is_finite(o, lane_of(o, o->inst->words[i], lane)));
        wrong = any(o, wrong, bad);
    }
    fault(o, CLC_SITE_NOT_FINITE, wrong);
}

/* ---- images ---- */

/* Up to three coordinates as one number: each has as many bits as there is room for. */
static spv_id packed(struct operation *o, spv_id coordinate, uint32_t axes)
{
    struct spv_module *module = o->s->module;
    spv_id u64 = spv_type_int(module, 64), all = 0;
    uint32_t bits = 64 / axes;
    for (uint32_t i = 0; i < axes; i++) {
        spv_id one = spv_emitv(&o->s->b, SpvOpUConvert, u64, lane_of(o, coordinate, i));
        one = spv_emitv(&o->s->b, SpvOpBitwiseAnd, u64, one, spv_const_u64(module, UINT64_MAX >> (64 - bits)));
        one = i ? spv_emitv(&o->s->b, SpvOpShiftLeftLogical, u64, one, spv_const_u64(module, i * bits)) : one;
        all = all ? spv_emitv(&o->s->b, SpvOpBitwiseOr, u64, all, one) : one;
    }
    return all;
}

/* words: image, coordinate, texel. What lies outside of an image is nowhere. */
static void mark_image_write(struct operation *o)
{
    struct spv_module *module = o->s->module;
    const struct spv_inst *image = spv_def(module, spv_value_type(module, o->inst->words[0]));
    if (o->inst->num_words != 3 || image->op != SpvOpTypeImage)
        return;
    uint32_t dim = image->words[1], axes = dim == SpvDim3D ? 3 : dim == SpvDim2D ? 2 : 1;
    axes += image->words[3] ? 1 : 0;
    spv_id u32 = spv_type_int(module, 32), type = spv_type_vector(module, u32, axes), wrong = 0;
    spv_id coordinate = o->inst->words[1], given = spv_value_type(module, coordinate);
    if (!spv_type_is_int(module, given) || spv_type_width(module, given) != 32 || spv_type_count(module, given) < axes)
        return;
    spv_id size = dim == SpvDimBuffer
                      ? spv_emitv(&o->s->b, SpvOpImageQuerySize, type, o->inst->words[0])
                      : spv_emitv(&o->s->b, SpvOpImageQuerySizeLod, type, o->inst->words[0], spv_const_u32(module, 0));
    for (uint32_t i = 0; i < axes; i++)
        wrong = any(o, wrong, compare(o, SpvOpUGreaterThanEqual, lane_of(o, coordinate, i), lane_of(o, size, i)));
    const spv_id args[] = {wrong, packed(o, coordinate, axes), check_add_site(o->s, CLC_SITE_IMAGE_WRITE),
                           o->inst->words[0]};
    spv_emit_private(&o->s->b, SPV_PRIVATE_CHECK_FAULT, spv_type_void(module), ARRAY_LENGTH(args), args);
    o->s->lower->check_sites.data[o->s->lower->check_sites.length - 1].size = axes;
}

/* ---- which ---- */

static void mark_integer(struct operation *o)
{
    switch (spv_op_class(o->inst->op)) {
    case SPV_CLASS_INT_DIVISION:
        mark_division(o);
        break;
    case SPV_CLASS_SHIFT:
        mark_shift(o);
        break;
    case SPV_CLASS_FLOAT_TO_INT:
        mark_conversion(o);
        break;
    default:
        break;
    }
}

void check_mark_value(struct check_sites *s, struct spv_inst *inst)
{
    uint32_t watched = s->lower->watched;
    struct operation o = {.s = s, .inst = inst, .truth = spv_type_bool(s->module), .lanes = 1};
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    if (watched & CLC_CHECK_BOUNDS && inst->op == SpvOpImageWrite)
        mark_image_write(&o);
    if (!inst->type || !(spv_type_is_int(s->module, inst->type) || spv_type_is_float(s->module, inst->type)))
        return;
    o.lanes = spv_type_count(s->module, inst->type);
    if (o.lanes > MAX_LANES)
        return;
    o.used = check_lanes_that_count(s, inst);
    if (watched & CLC_CHECK_VALUES)
        mark_integer(&o);
    bool arithmetic = spv_op_class(inst->op) == SPV_CLASS_FLOAT_ARITHMETIC && inst->op != SpvOpFNegate;
    bool function = inst->op == SpvOpExtInst && inst->hints.ext_set == SPV_EXT_SET_OPENCL && inst->num_words > 2;
    if (watched & CLC_CHECK_FINITE && spv_type_is_float(s->module, inst->type) && (arithmetic || function))
        mark_result(&o, function ? 2 : 0);
}
