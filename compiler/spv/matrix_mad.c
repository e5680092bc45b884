/* SPV_INTEL_subgroup_matrix_multiply_accumulate: products of small matrices that the work-items of a sub-group hold
 * together. They are calls of the library, one for each row (builtins/lib/matrix_mad.cl):
 *
 *     %r = OpSubgroupMatrixMultiplyAccumulateINTEL %int2 %32 %a %b %c ...PackedInt8...
 *     ->
 *     %x = OpFunctionCall %int %__pumice_mad_ss8 %lanes %a.0 %b.0 ... %b.7 %c.0
 *     %y = OpFunctionCall %int %__pumice_mad_ss8 %lanes %a.1 %b.0 ... %b.7 %c.1
 *     %r = OpCompositeConstruct %int2 %x %y
 *
 * Each work-item has a column of B, C and the result, and a part of each row of A: 32 bits where sub-groups have 8
 * work-items, 16 bits where they have 16. Of tf32, which has only 8 columns in A, the second half of 16 work-items has
 * the odd rows. cl_intel_subgroup_matrix_multiply_accumulate (5.2.X) lists the types. */
#include "check.h"

#include "base/util.h"

#include <stdio.h>

enum { B_WORDS = 8, MOST_ROWS = 8 };

static const struct kind {
    uint32_t operands; /* of A and of B */
    uint32_t k;
    const char *name; /* behind the signs of A and B, where it is one of integers */
    bool is_integer;
} kinds[] = {
    {SPV_MAD_A_INT8 | SPV_MAD_B_INT8, 32, "8", true},
    {SPV_MAD_A_INT4 | SPV_MAD_B_INT4, 64, "4", true},
    {SPV_MAD_A_FLOAT16 | SPV_MAD_B_FLOAT16, 16, "f16", false},
    {SPV_MAD_A_BFLOAT16 | SPV_MAD_B_BFLOAT16, 16, "bf16", false},
    {SPV_MAD_A_TF32 | SPV_MAD_B_TF32, 8, "tf32", false},
};

enum { SIGNS = SPV_MAD_A_SIGNED | SPV_MAD_B_SIGNED, OF_BFLOAT16 = SPV_MAD_C_BFLOAT16 | SPV_MAD_RESULT_BFLOAT16 };

static const struct kind *kind_of(const struct spv_matrix_mad *mad)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        uint32_t may = kinds[i].is_integer ? SIGNS : kinds[i].operands & SPV_MAD_A_BFLOAT16 ? OF_BFLOAT16 : 0;
        uint32_t rest = mad->operands & ~kinds[i].operands;
        if ((mad->operands & kinds[i].operands) == kinds[i].operands && (!mad->k || mad->k == kinds[i].k) &&
            !(rest & ~may))
            return &kinds[i];
    }
    return NULL;
}

static bool is_of_floats(const struct kind *kind)
{
    return kind->operands & SPV_MAD_A_TF32;
}

static bool is_vector_of(const struct spv_module *module, spv_id type, uint32_t count, bool floats, uint32_t width)
{
    bool number = floats ? spv_type_is_float(module, type) : spv_type_is_int(module, type);
    return number && spv_type_count(module, type) == count && spv_type_width(module, type) == width;
}

/* How many work-items the sub-group has, which A's type tells; 0: its type does not fit. */
static uint32_t lanes_of(const struct spv_module *module, const struct kind *kind, spv_id a, uint32_t rows)
{
    spv_id type = spv_value_type(module, a);
    if (is_of_floats(kind))
        return is_vector_of(module, type, (rows + 1) / 2, true, 32) ? 16 : 0;
    return is_vector_of(module, type, rows, false, 32) ? 8 : is_vector_of(module, type, rows, false, 16) ? 16 : 0;
}

static bool fits_result(const struct spv_module *module, const struct kind *kind, const struct spv_matrix_mad *mad,
                        uint32_t rows, uint32_t lanes)
{
    if (spv_value_type(module, mad->c) != mad->type)
        return false;
    if (mad->operands & OF_BFLOAT16)
        return (mad->operands & OF_BFLOAT16) == OF_BFLOAT16 && lanes == 16 &&
               is_vector_of(module, mad->type, rows, false, 16);
    if (kind->operands & SPV_MAD_A_FLOAT16 && lanes == 16 && is_vector_of(module, mad->type, rows, true, 16))
        return true;
    return is_vector_of(module, mad->type, rows, !kind->is_integer, 32);
}

static spv_id lane_of(struct spv_builder *b, spv_id value, uint32_t lane)
{
    spv_id type = spv_value_type(b->module, value);
    if (!spv_type_is_vector(b->module, type))
        return value;
    return spv_emitv(b, SpvOpCompositeExtract, spv_type_component(b->module, type), value, lane);
}

static spv_id widen(struct spv_builder *b, const struct spv_matrix_mad *mad, spv_id value)
{
    if (mad->operands & SPV_MAD_C_BFLOAT16)
        return spv_emit_from_bfloat16(b, value);
    spv_id type = spv_value_type(b->module, value);
    return spv_type_width(b->module, type) == 32 ? value
                                                 : spv_emitv(b, SpvOpFConvert, spv_type_float(b->module, 32), value);
}

static spv_id narrow(struct spv_builder *b, const struct spv_matrix_mad *mad, spv_id value)
{
    spv_id component = spv_type_component(b->module, mad->type);
    if (mad->operands & SPV_MAD_RESULT_BFLOAT16)
        return spv_emit_bfloat16(b, value, component);
    return spv_type_width(b->module, component) == 32 ? value : spv_emitv(b, SpvOpFConvert, component, value);
}

/* The work-item's part of a row of A. */
static spv_id part_of_row(struct spv_builder *b, const struct kind *kind, spv_id a, uint32_t row)
{
    spv_id part = lane_of(b, a, is_of_floats(kind) ? row / 2 : row);
    spv_id type = spv_value_type(b->module, part);
    return spv_type_width(b->module, type) == 32 ? part
                                                 : spv_emitv(b, SpvOpUConvert, spv_type_int(b->module, 32), part);
}

static spv_id emit_rows(struct spv_builder *b, const struct kind *kind, const struct spv_matrix_mad *mad, uint32_t rows,
                        uint32_t lanes)
{
    char name[32];
    if (kind->is_integer)
        snprintf(name, sizeof(name), "__pumice_mad_%c%c%s", mad->operands & SPV_MAD_A_SIGNED ? 's' : 'u',
                 mad->operands & SPV_MAD_B_SIGNED ? 's' : 'u', kind->name);
    else
        snprintf(name, sizeof(name), "__pumice_mad_%s", kind->name);
    spv_id args[2 + B_WORDS + 1], results[MOST_ROWS];
    for (uint32_t i = 0; i < B_WORDS; i++)
        args[2 + i] = lane_of(b, mad->b, i);
    for (uint32_t row = 0; row < rows; row++) {
        args[0] = spv_const_u32(b->module, is_of_floats(kind) ? row % 2 * 8 : lanes);
        args[1] = part_of_row(b, kind, mad->a, row);
        args[2 + B_WORDS] = widen(b, mad, lane_of(b, mad->c, row));
        spv_id type = kind->is_integer ? spv_type_int(b->module, 32) : spv_type_float(b->module, 32);
        results[row] = narrow(b, mad, spv_emit_import_call(b, name, type, ARRAY_LENGTH(args), args));
    }
    return rows == 1 ? results[0] : spv_emit(b, SpvOpCompositeConstruct, mad->type, rows, results);
}

spv_id spv_emit_matrix_mad(struct spv_builder *b, const struct spv_matrix_mad *mad)
{
    const struct spv_module *module = b->module;
    const struct kind *kind = kind_of(mad);
    bool number = kind && (spv_type_is_int(module, mad->type) || spv_type_is_float(module, mad->type));
    uint32_t rows = number ? spv_type_count(module, mad->type) : 0;
    if (rows > MOST_ROWS || !is_power_of_two(rows))
        return 0;
    uint32_t lanes = lanes_of(module, kind, mad->a, rows);
    if (!lanes || !fits_result(module, kind, mad, rows, lanes) ||
        !is_vector_of(module, spv_value_type(module, mad->b), B_WORDS, is_of_floats(kind), 32))
        return 0;
    return emit_rows(b, kind, mad, rows, lanes);
}
