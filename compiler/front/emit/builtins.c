/* Emission of built-in calls: the dispatcher, and what is computed (work-item functions, OpenCL.std instructions,
 * relational and integer functions, vload and vstore, conversions). Synchronisation, atomics and collectives are in
 * builtin_sync.c, images and pipes in builtin_images.c. The SPIR-V is what clang with llvm-spirv makes, so that foreign IL
 * takes the same way. */
#include "compiler/front/emit/builtins.h"

#include "base/util.h"

#include <string.h>

bool builtin_const_arg(const struct builtin_call *call, uint32_t index, uint64_t *value)
{
    const struct expr *arg = call->args[index];
    while (!arg->is_constant && arg->kind == EXPR_CAST && (arg->cast.cast == CAST_INT || arg->cast.cast == CAST_NOP))
        arg = arg->cast.operand;
    if (!arg->is_constant || arg->float_value)
        return false;
    *value = arg->integer;
    return true;
}

/* ---- work-items: OpenCL C 3.0, 6.15.1 ---- */

static spv_id vector3_u64(struct emit *e)
{
    return spv_type_vector(e->module, spv_type_int(e->module, 64), 3);
}

/* "Valid values of dimindx are 0 to get_work_dim() - 1. For other values": aux (1 for sizes, 0 for ids and offsets). */
spv_id emit_workitem_builtin(struct emit *e, const struct builtin_call *call)
{
    SpvBuiltIn builtin = (SpvBuiltIn)call->op;
    spv_id otherwise = emit_const_u64(e, call->pattern->aux);
    uint64_t dimension;
    if (builtin_const_arg(call, 0, &dimension)) {
        if (dimension > 2)
            return otherwise;
        return emit_extract(e, call->type, emit_input(e, builtin, vector3_u64(e)), (uint32_t)dimension);
    }
    spv_id vector = emit_input(e, builtin, vector3_u64(e)), boolean = spv_type_bool(e->module);
    for (uint32_t i = 3; i-- > 0;) {
        spv_id is = spv_emitv(&e->b, SpvOpIEqual, boolean, call->ids[0], emit_const_u32(e, i));
        otherwise = emit_select(e, call->type, is, emit_extract(e, call->type, vector, i), otherwise);
    }
    return otherwise;
}

spv_id emit_workvalue_builtin(struct emit *e, const struct builtin_call *call)
{
    SpvBuiltIn builtin = (SpvBuiltIn)call->op;
    if (builtin == SpvBuiltInSubgroupEqMask || builtin == SpvBuiltInSubgroupGeMask ||
        builtin == SpvBuiltInSubgroupGtMask || builtin == SpvBuiltInSubgroupLeMask ||
        builtin == SpvBuiltInSubgroupLtMask) {
        if (e->module->version < 0x00010300)
            e->module->version = 0x00010300;
        emit_capability(e, SpvCapabilityGroupNonUniformBallot);
    } else if (builtin != SpvBuiltInWorkDim && builtin != SpvBuiltInGlobalLinearId &&
               builtin != SpvBuiltInLocalInvocationIndex) {
        emit_capability(e, SpvCapabilitySubgroupDispatch);
    }
    return emit_input(e, builtin, call->type);
}

/* ---- OpenCL.std ---- */

/* A scalar operand beside vectors is widened, since the instructions want equal types. With -cl-fast-relaxed-math the
 * same instruction is emitted: lowering chooses a faster one, since only lowering knows which ones keep the wider
 * bounds on the device. */
spv_id emit_cl_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id args[16];
    uint32_t lanes = type_lanes(call->result);
    for (uint32_t i = 0; i < call->num_args && i < ARRAY_LENGTH(args); i++) {
        const struct type *type = builtin_plain(call->args[i]->type.type);
        args[i] = call->ids[i];
        if (lanes > 1 && type_is_scalar_arith(type))
            args[i] = emit_splat(e, clc_type_vector(e->front, type, lanes), args[i]);
    }
    return emit_ext(e, call->type, call->op, call->num_args, args);
}

spv_id emit_shuffle_builtin(struct emit *e, const struct builtin_call *call)
{
    return emit_ext(e, call->type, call->op, call->num_args, call->ids);
}

spv_id emit_constant_builtin(struct emit *e, const struct builtin_call *call)
{
    return emit_const_int(e, call->result, call->expr->integer);
}

/* ---- integers ---- */

/* OpenCL C 3.0, 6.15.3, dot: aux bits 0-1: uu, ss, us, su; bit 2: with saturating accumulation; bit 3: packed */
spv_id emit_idot_builtin(struct emit *e, const struct builtin_call *call)
{
    static const SpvOp plain[] = {SpvOpUDotKHR, SpvOpSDotKHR, SpvOpSUDotKHR, SpvOpSUDotKHR};
    static const SpvOp saturating[] = {SpvOpUDotAccSatKHR, SpvOpSDotAccSatKHR, SpvOpSUDotAccSatKHR,
                                       SpvOpSUDotAccSatKHR};
    uint32_t how = call->pattern->aux, which = how & 3, count = 0;
    spv_add_extension(e->module, "SPV_KHR_integer_dot_product");
    emit_capability(e, SpvCapabilityDotProductKHR);
    emit_capability(e, how & 8 ? SpvCapabilityDotProductInput4x8BitPackedKHR : SpvCapabilityDotProductInput4x8BitKHR);
    uint32_t words[4];
    words[count++] = call->ids[which == 2]; /* OpSUDot: the signed vector first */
    words[count++] = call->ids[which != 2];
    if (how & 4)
        words[count++] = call->ids[2];
    if (how & 8)
        words[count++] = SpvPackedVectorFormatPackedVectorFormat4x8BitKHR;
    return spv_emit(&e->b, how & 4 ? saturating[which] : plain[which], call->type, count, words);
}

spv_id emit_bitfield_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_add_extension(e->module, "SPV_KHR_bit_instructions");
    emit_capability(e, SpvCapabilityBitInstructions);
    return spv_emit(&e->b, (SpvOp)call->op, call->type, call->num_args, call->ids);
}

/* ---- geometric and relational ---- */

spv_id emit_fdot_builtin(struct emit *e, const struct builtin_call *call)
{
    bool scalar = type_lanes(builtin_plain(call->args[0]->type.type)) == 1;
    return emit_relaxed(e, spv_emit(&e->b, scalar ? SpvOpFMul : SpvOpDot, call->type, 2, call->ids));
}

static spv_id bool_type(struct emit *e, uint32_t lanes)
{
    return spv_type_vector(e->module, spv_type_bool(e->module), lanes);
}

/* OpenCL C 3.0, 6.15.6: 0 or 1 for scalars, 0 or -1 (all bits) in each lane of vectors. */
spv_id emit_relational_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_id value = spv_emit(&e->b, (SpvOp)call->op, bool_type(e, type_lanes(call->result)), call->num_args, call->ids);
    return emit_bool_to_int(e, call->result, value);
}

/* "1 if the most significant bit in any component of x is set" */
spv_id emit_any_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct type *type = builtin_plain(call->args[0]->type.type);
    uint32_t lanes = type_lanes(type);
    spv_id negative = spv_emitv(&e->b, SpvOpSLessThan, bool_type(e, lanes), call->ids[0], emit_const_int(e, type, 0));
    if (lanes > 1)
        negative = spv_emitv(&e->b, (SpvOp)call->op, spv_type_bool(e->module), negative);
    return emit_bool_to_int(e, call->result, negative);
}

/* ---- vload, vstore: OpenCL C 3.0, 6.15.7 ---- */

static spv_id emit_void_ext(struct emit *e, uint32_t number, uint32_t count, const spv_id *args)
{
    emit_ext(e, spv_type_void(e->module), number, count, args);
    return 0;
}

spv_id emit_vload_builtin(struct emit *e, const struct builtin_call *call)
{
    const uint32_t words[] = {call->ids[0], call->ids[1], call->pattern->aux};
    return emit_ext(e, call->type, call->op, call->op == OpenCLstd_Vload_half ? 2 : 3, words);
}

spv_id emit_vstore_builtin(struct emit *e, const struct builtin_call *call)
{
    return emit_void_ext(e, call->op, 3, call->ids);
}

spv_id emit_vstore_r_builtin(struct emit *e, const struct builtin_call *call)
{
    const uint32_t words[] = {call->ids[0], call->ids[1], call->ids[2], call->pattern->aux};
    return emit_void_ext(e, call->op, 4, words);
}

spv_id emit_prefetch_builtin(struct emit *e, const struct builtin_call *call)
{
    return emit_void_ext(e, OpenCLstd_Prefetch, 2, call->ids);
}

spv_id emit_printf_builtin(struct emit *e, const struct builtin_call *call)
{
    return emit_ext(e, call->type, OpenCLstd_Printf, call->num_args, call->ids);
}

/* ---- convert_*, as_*: OpenCL C 3.0, 6.4.3 and 6.4.4 ---- */

static spv_id decorate_conversion(struct emit *e, spv_id id, const struct builtin *builtin, bool rounds)
{
    static const uint32_t modes[] = {[ROUNDING_RTE] = SpvFPRoundingModeRTE,
                                     [ROUNDING_RTZ] = SpvFPRoundingModeRTZ,
                                     [ROUNDING_RTP] = SpvFPRoundingModeRTP,
                                     [ROUNDING_RTN] = SpvFPRoundingModeRTN};
    if (builtin->saturate)
        spv_decorate(e->module, id, SpvDecorationSaturatedConversion, 0, NULL);
    if (rounds && builtin->rounding)
        spv_decorate(e->module, id, SpvDecorationFPRoundingMode, 1, &modes[builtin->rounding]);
    return id;
}

static spv_id convert_integers(struct emit *e, const struct builtin *builtin, const struct type *from,
                               const struct type *to, spv_id value)
{
    enum type_kind source = type_element(from)->kind, target = type_element(to)->kind;
    bool from_signed = type_is_signed_kind(source), to_signed = type_is_signed_kind(target);
    bool same_width = type_element(from)->size == type_element(to)->size;
    if (source == target || (!builtin->saturate && same_width))
        return value;
    if (builtin->saturate && from_signed != to_signed)
        return spv_emitv(&e->b, from_signed ? SpvOpSatConvertSToU : SpvOpSatConvertUToS, emit_type(e, to), value);
    spv_id id = spv_emitv(&e->b, from_signed ? SpvOpSConvert : SpvOpUConvert, emit_type(e, to), value);
    if (builtin->saturate && type_element(to)->size < type_element(from)->size)
        decorate_conversion(e, id, builtin, false);
    return id;
}

spv_id emit_convert_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct builtin *builtin = call->expr->builtin.builtin;
    const struct type *from = builtin_plain(call->args[0]->type.type), *to = call->result;
    enum type_kind source = type_element(from)->kind, target = type_element(to)->kind;
    spv_id value = call->ids[0];
    if (source == target)
        return value;
    if (!type_is_float_kind(source) && !type_is_float_kind(target))
        return convert_integers(e, builtin, from, to, value);
    SpvOp op = !type_is_float_kind(target)   ? type_is_signed_kind(target) ? SpvOpConvertFToS : SpvOpConvertFToU
               : type_is_float_kind(source)  ? SpvOpFConvert
               : type_is_signed_kind(source) ? SpvOpConvertSToF
                                             : SpvOpConvertUToF;
    return decorate_conversion(e, spv_emitv(&e->b, op, call->type, value), builtin, true);
}

static spv_id resize_vector(struct emit *e, spv_id value, spv_id component, uint32_t from, uint32_t to)
{
    uint32_t words[6] = {value, value};
    for (uint32_t i = 0; i < to; i++)
        words[2 + i] = i < from ? i : UINT32_MAX;
    return spv_emit(&e->b, SpvOpVectorShuffle, spv_type_vector(e->module, component, to), 2 + to, words);
}

/* Bits stay; a three-lane vector has the size of four, the last one undefined. */
spv_id emit_as_builtin(struct emit *e, const struct builtin_call *call)
{
    const struct type *from = builtin_plain(call->args[0]->type.type), *to = call->result;
    spv_id value = call->ids[0];
    if (type_lanes(from) == 3 && type_lanes(to) != 3)
        value = resize_vector(e, value, emit_type(e, type_element(from)), 3, 4);
    if (type_lanes(to) == 3 && type_lanes(from) != 3) {
        spv_id component = emit_type(e, type_element(to));
        value = emit_bitcast(e, spv_type_vector(e->module, component, 4), value);
        return resize_vector(e, value, component, 4, 3);
    }
    return emit_bitcast(e, call->type, value);
}

/* ---- dispatch ---- */

static uint16_t pick_operand(const struct builtin_pattern *pattern, const struct expr *expr)
{
    const struct type *type = expr->builtin.gentype;
    if (!type && expr->builtin.num_args)
        type = builtin_plain(expr->builtin.args[0]->type.type);
    enum type_kind kind = type ? type_element(type)->kind : TYPE_UINT;
    return pattern->operand[type_is_float_kind(kind) ? 0 : type_is_signed_kind(kind) ? 1 : 2];
}

spv_id emit_builtin(struct emit *e, struct expr *expr)
{
    static builtin_emit_fn *const emitters[BUILTIN_EMIT_COUNT] = {
#define X(name) [BUILTIN_EMIT_##name] = emit_##name##_builtin,
        BUILTIN_EMITTERS(X)
#undef X
    };
    const struct builtin *builtin = expr->builtin.builtin;
    struct builtin_call call = {.expr = expr, .args = expr->builtin.args, .num_args = expr->builtin.num_args};
    call.ids = arena_array(e->arena, spv_id, call.num_args + 1);
    for (uint32_t i = 0; i < call.num_args; i++) {
        if (call.args[i]->type.type->kind != TYPE_BLOCK) /* else emit_enqueued_block() */
            call.ids[i] = emit_rvalue(e, call.args[i]);
    }
    call.result = expr->type.type;
    call.type = emit_type(e, call.result);
    if (builtin->kind == BUILTIN_CONVERT)
        return emit_convert_builtin(e, &call);
    if (builtin->kind == BUILTIN_AS)
        return emit_as_builtin(e, &call);
    emit_checked_line(e, expr->loc);
    call.pattern = &builtin->patterns[expr->builtin.pattern];
    call.op = pick_operand(call.pattern, expr);
    return emitters[call.pattern->emit](e, &call);
}
