/* Multiplication of cooperative matrices, which are arrays by now (ends/matrices.c), by the library (lib/matrix.cl):
 *
 *     %r = OpCooperativeMatrixMulAddKHR %array %a %b %c   ->   OpStore of all three to private variables
 *                                                              OpFunctionCall %__pumice_matrix_i8_i32 ...
 *                                                              %r = OpLoad of the third */
#include "compiler/lower/builtins/builtins.h"
#include "compiler/lower/values/matrices.h"

#include <stdio.h>

static uint32_t align_of(const struct builtin_lowering *x, const struct lower_matrix *matrix)
{
    return spv_type_width(x->module, matrix->component) / 8;
}

/* A private array, and a pointer to its first component. */
static spv_id keep(struct builtin_lowering *x, spv_id value, const struct lower_matrix *matrix, spv_id *variable)
{
    *variable = spv_emit_variable(&x->b, spv_value_type(x->module, value));
    spv_emitv_void(&x->b, SpvOpStore, *variable, value, SpvMemoryAccessAlignedMask, align_of(x, matrix));
    spv_id pointer = spv_type_pointer(x->module, SpvStorageClassFunction, matrix->component);
    return spv_emitv(&x->b, SpvOpInBoundsAccessChain, pointer, *variable, spv_const_u32(x->module, 0));
}

static const struct lower_matrix *matrix_of(const struct builtin_lowering *x, spv_id value)
{
    return u64_map_get(&x->lower->matrices, spv_value_type(x->module, value));
}

spv_id lower_core_matrix(struct builtin_lowering *x)
{
    struct lower_multiplication m = {matrix_of(x, x->args[0]), matrix_of(x, x->args[1]), matrix_of(x, x->args[2]),
                                     u64_map_get(&x->lower->matrices, x->type),
                                     x->inst->num_words > 3 ? x->inst->words[3] : 0};
    if (!m.a || !m.b || !m.c || !m.result || m.c != m.result) {
        lower_fail(x->lower, "%s has operands that do not fit", spv_op_name(x->inst->op));
        return 0;
    }
    if (!lower_offers_multiplication(x->lower, &m))
        return 0;
    char name[64];
    snprintf(name, sizeof(name), "__pumice_matrix_%s_%s%s", lower_matrix_number(x->lower, m.a).text,
             lower_matrix_number(x->lower, m.c).text, m.operands & SPV_MATRIX_SATURATING ? "_saturating" : "");
    spv_id a, b, c;
    const spv_id args[] = {
        keep(x, x->args[0], m.a, &a),
        keep(x, x->args[1], m.b, &b),
        keep(x, x->args[2], m.c, &c),
        spv_const_u32(x->module, m.a->rows),
        spv_const_u32(x->module, m.b->columns),
        spv_const_u32(x->module, m.a->columns),
        spv_const_u32(x->module, lower_matrix_lanes(x->lower)),
        spv_const_u32(x->module, m.operands),
    };
    if (!lower_library_call(x, name, ARRAY_LENGTH(args), args))
        return 0;
    return spv_emitv(&x->b, SpvOpLoad, x->type, c, SpvMemoryAccessAlignedMask, align_of(x, m.c));
}
