/* Emission of vendors' functions: Intel's sub-groups, split barriers, blocks and conversions, ARM's dot products, AMD's
 * media operations. */
#include "compiler/front/emit/builtins.h"

#include <stdio.h>

/* ---- cl_intel_subgroups ---- */

spv_id emit_intel_shuffle_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_add_extension(e->module, "SPV_INTEL_subgroups");
    emit_capability(e, SpvCapabilitySubgroupShuffleINTEL);
    return spv_emit(&e->b, (SpvOp)call->op, call->type, call->num_args, call->ids);
}

spv_id emit_intel_block_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_add_extension(e->module, "SPV_INTEL_subgroups");
    emit_capability(e, SpvCapabilitySubgroupBufferBlockIOINTEL);
    if (call->result->kind != TYPE_VOID)
        return spv_emit(&e->b, (SpvOp)call->op, call->type, call->num_args, call->ids);
    spv_emit_void(&e->b, (SpvOp)call->op, call->num_args, call->ids);
    return 0;
}

spv_id emit_intel_image_block_builtin(struct emit *e, const struct builtin_call *call)
{
    spv_add_extension(e->module, "SPV_INTEL_subgroups");
    emit_capability(e, SpvCapabilitySubgroupImageBlockIOINTEL);
    if (call->result->kind != TYPE_VOID)
        return spv_emit(&e->b, (SpvOp)call->op, call->type, call->num_args, call->ids);
    spv_emit_void(&e->b, (SpvOp)call->op, call->num_args, call->ids);
    return 0;
}

/* A hint, and no more. */
spv_id emit_nothing_builtin(struct emit *e, const struct builtin_call *call)
{
    (void)e, (void)call;
    return 0;
}

/* ---- cl_intel_subgroup_matrix_multiply_accumulate ---- */

/* aux: enum spv_mad_operands. Accumulators of bfloat16 are shorts. */
spv_id emit_matrix_mad_builtin(struct emit *e, const struct builtin_call *call)
{
    struct spv_matrix_mad mad = {call->type, call->ids[0], call->ids[1], call->ids[2], 0, call->pattern->aux};
    if (type_element(call->result)->kind == TYPE_SHORT)
        mad.operands |= SPV_MAD_C_BFLOAT16 | SPV_MAD_RESULT_BFLOAT16;
    return spv_emit_matrix_mad(&e->b, &mad);
}

/* ---- cl_arm_integer_dot_product_accumulate_int8, _int16 ---- */

/* aux: 1 of signed numbers; 2 of 16-bit numbers */
spv_id emit_dot_accumulate_builtin(struct emit *e, const struct builtin_call *call)
{
    uint32_t how = call->pattern->aux;
    spv_add_extension(e->module, "SPV_KHR_integer_dot_product");
    emit_capability(e, SpvCapabilityDotProductKHR);
    emit_capability(e, how & 2 ? SpvCapabilityDotProductInputAllKHR : SpvCapabilityDotProductInput4x8BitKHR);
    spv_id dot = spv_emitv(&e->b, how & 1 ? SpvOpSDotKHR : SpvOpUDotKHR, call->type, call->ids[0], call->ids[1]);
    return spv_emitv(&e->b, SpvOpIAdd, call->type, dot, call->ids[2]);
}

/* ---- what the library has ---- */

/* aux: what the body is called */
enum body { BODY_OF_NAME, BODY_OF_TYPE, BODY_TO_BFLOAT16, BODY_FROM_BFLOAT16, BODY_TO_TF32 };

static void body_name(const struct builtin_call *call, char *name, size_t size)
{
    const struct type *type = type_element(call->result);
    const char *suffix = type_is_float_kind(type->kind) ? "f32" : type_is_signed_kind(type->kind) ? "i32" : "u32";
    switch ((enum body)call->pattern->aux) {
    case BODY_OF_NAME:
        snprintf(name, size, "__pumice_%s", call->expr->builtin.builtin->name);
        break;
    case BODY_OF_TYPE:
        snprintf(name, size, "__pumice_%s_%s", call->expr->builtin.builtin->name, suffix);
        break;
    case BODY_TO_BFLOAT16:
        snprintf(name, size, "__pumice_bfloat16_from_float");
        break;
    case BODY_FROM_BFLOAT16:
        snprintf(name, size, "__pumice_float_from_bfloat16");
        break;
    case BODY_TO_TF32:
        snprintf(name, size, "__pumice_tfloat32_from_float");
        break;
    }
}

static spv_id lane_of(struct emit *e, spv_id value, uint32_t lane)
{
    spv_id type = spv_value_type(e->module, value);
    if (spv_type_op(e->module, type) != SpvOpTypeVector)
        return value;
    return spv_emitv(&e->b, SpvOpCompositeExtract, spv_type_component(e->module, type), value, lane);
}

/* A call for each lane of the result. Where that is a scalar, the lanes of the arguments are arguments of one call. */
spv_id emit_library_builtin(struct emit *e, const struct builtin_call *call)
{
    char name[64];
    uint32_t lanes = type_lanes(call->result), count;
    spv_id results[16], args[16], component = emit_type(e, type_element(call->result));
    body_name(call, name, sizeof(name));
    for (uint32_t lane = 0; lane < lanes; lane++) {
        count = 0;
        for (uint32_t i = 0; i < call->num_args; i++) {
            uint32_t own = type_lanes(builtin_plain(call->args[i]->type.type)), first = lanes > 1 ? lane : 0;
            uint32_t end = lanes > 1 ? first + 1 : own;
            for (uint32_t k = first; k < end; k++)
                args[count++] = lane_of(e, call->ids[i], k);
        }
        results[lane] = spv_emit_import_call(&e->b, name, component, count, args);
    }
    return lanes == 1 ? results[0] : spv_emit(&e->b, SpvOpCompositeConstruct, call->type, lanes, results);
}
