/* Emission of cooperative matrices' functions: the instructions of SPV_KHR_cooperative_matrix. Types of integers have no
 * sign in SPIR-V, so a product says which of its matrices have one. */
#include "compiler/front/emit/builtins.h"

static uint32_t access_operands(const struct type *pointer, uint32_t *words)
{
    struct qual_type pointee = pointer->pointer.pointee;
    words[0] = SpvMemoryAccessAlignedMask | (pointee.quals & QUAL_VOLATILE ? SpvMemoryAccessVolatileMask : 0);
    words[1] = pointee.type->align;
    return 2;
}

static spv_id layout_of(struct emit *e, const struct builtin_call *call, uint32_t index)
{
    uint64_t layout = 0;
    builtin_const_arg(call, index, &layout);
    return emit_const_u32(e, (uint32_t)layout);
}

static spv_id load_matrix(struct emit *e, const struct builtin_call *call)
{
    uint32_t words[5] = {call->ids[0], layout_of(e, call, 1), call->ids[2]};
    uint32_t count = 3 + access_operands(builtin_plain(call->args[0]->type.type), words + 3);
    return spv_emit(&e->b, SpvOpCooperativeMatrixLoadKHR, call->type, count, words);
}

static void store_matrix(struct emit *e, const struct builtin_call *call)
{
    uint32_t words[6] = {call->ids[0], call->ids[1], layout_of(e, call, 2), call->ids[3]};
    uint32_t count = 4 + access_operands(builtin_plain(call->args[0]->type.type), words + 4);
    spv_emit_void(&e->b, SpvOpCooperativeMatrixStoreKHR, count, words);
}

static uint32_t sign_of(const struct expr *matrix, uint32_t bits)
{
    return type_is_signed_kind(builtin_plain(matrix->type.type)->matrix.element->kind) ? bits : 0;
}

static spv_id multiply_matrices(struct emit *e, const struct builtin_call *call)
{
    uint64_t said = 0;
    if (call->num_args > 3)
        builtin_const_arg(call, 3, &said);
    uint32_t operands = (uint32_t)said | sign_of(call->args[0], SPV_MATRIX_A_SIGNED) |
                        sign_of(call->args[1], SPV_MATRIX_B_SIGNED) |
                        sign_of(call->args[2], SPV_MATRIX_C_SIGNED | SPV_MATRIX_RESULT_SIGNED);
    const uint32_t words[] = {call->ids[0], call->ids[1], call->ids[2], operands};
    return spv_emit(&e->b, SpvOpCooperativeMatrixMulAddKHR, call->type, operands ? 4 : 3, words);
}

spv_id emit_matrix_builtin(struct emit *e, const struct builtin_call *call)
{
    switch ((enum matrix_function)call->pattern->aux) {
    case MATRIX_LOAD:
        return load_matrix(e, call);
    case MATRIX_STORE:
        store_matrix(e, call);
        return 0;
    case MATRIX_MULTIPLY:
        return multiply_matrices(e, call);
    case MATRIX_INIT:
        return emit_splat(e, builtin_plain(call->result), call->ids[0]);
    case MATRIX_LENGTH:
        break;
    }
    spv_id type = emit_type(e, builtin_plain(call->args[0]->type.type));
    return spv_emitv(&e->b, SpvOpCooperativeMatrixLengthKHR, call->type, type);
}
