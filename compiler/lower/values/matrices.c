/* Which cooperative matrices kernels may have (clc_matrix_variants()). They are computed by the library for any sub-group
 * size, so the sizes are those that hardware of today has, for programs that were written for it. */
#include "compiler/lower/values/matrices.h"

#include "base/util.h"

static const struct {
    uint32_t m, n, k;
} sizes[] = {
    {8, 8, 8}, {8, 8, 16}, {8, 8, 32}, {8, 16, 16}, {8, 16, 32}, {16, 8, 16}, {16, 8, 32}, {16, 16, 16}, {16, 16, 32},
};

static const struct types {
    enum clc_number a, b, c, result;
    bool saturating;
} types[] = {
#define TYPES(a, b, c, saturating)                                                                                     \
    {                                                                                                                  \
        CLC_NUMBER_##a, CLC_NUMBER_##b, CLC_NUMBER_##c, CLC_NUMBER_##c, saturating                                     \
    }
    TYPES(F16, F16, F16, false), TYPES(F16, F16, F32, false), TYPES(F32, F32, F32, false), TYPES(F64, F64, F64, false),
    TYPES(S8, S8, S32, false),   TYPES(S8, S8, S32, true),    TYPES(U8, U8, U32, false),   TYPES(U8, U8, U32, true),
    TYPES(S16, S16, S32, false), TYPES(U16, U16, U32, false), TYPES(S32, S32, S32, false), TYPES(U32, U32, U32, false),
#undef TYPES
};

static bool has_component(const struct clc_target *target, enum clc_number component)
{
    switch (component) {
    case CLC_NUMBER_F16:
        return target->float16;
    case CLC_NUMBER_F64:
        return target->float64 && target->int64;
    default:
        return true;
    }
}

static bool has_types(const struct clc_target *target, const struct types *row)
{
    return has_component(target, row->a) && has_component(target, row->b) && has_component(target, row->c);
}

uint32_t clc_matrix_variants(const struct clc_target *target, uint32_t subgroup_size, struct clc_matrix_variant *list,
                             uint32_t capacity)
{
    uint32_t count = 0;
    if (!target->subgroup_shuffle || !clc_subgroup_lanes(target, subgroup_size))
        return 0;
    for (uint32_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
        for (uint32_t k = 0; k < ARRAY_LENGTH(types); k++) {
            const struct types *row = &types[k];
            if (!has_types(target, row))
                continue;
            if (count < capacity)
                list[count] = (struct clc_matrix_variant){sizes[i].m, sizes[i].n, sizes[i].k,  row->a,
                                                          row->b,     row->c,     row->result, row->saturating};
            count++;
        }
    }
    return count;
}

/* ---- names, for messages ---- */

static const char *const component_names[] = {"f16", "f32", "f64", "s8",  "s16", "s32",
                                              "s64", "u8",  "u16", "u32", "u64"};

static void name_variant(struct str *text, const struct clc_matrix_variant *v)
{
    str_printf(text, "%ux%ux%u %s*%s+%s%s", v->m, v->n, v->k, component_names[v->a], component_names[v->b],
               component_names[v->c], v->saturating ? " saturating" : "");
}

/* ---- the kernel's ---- */

static bool is_component(const struct spv_module *module, spv_id type, enum clc_number component)
{
    static const uint8_t widths[] = {16, 32, 64, 8, 16, 32, 64, 8, 16, 32, 64};
    bool is_float = component <= CLC_NUMBER_F64;
    return spv_type_op(module, type) == (is_float ? SpvOpTypeFloat : SpvOpTypeInt) &&
           spv_type_width(module, type) == widths[component];
}

static bool is_signed(enum clc_number component)
{
    return component >= CLC_NUMBER_S8 && component <= CLC_NUMBER_S64;
}

static uint32_t operands_of(const struct clc_matrix_variant *v)
{
    return (is_signed(v->a) ? SPV_MATRIX_A_SIGNED : 0u) | (is_signed(v->b) ? SPV_MATRIX_B_SIGNED : 0u) |
           (is_signed(v->c) ? SPV_MATRIX_C_SIGNED : 0u) | (is_signed(v->result) ? SPV_MATRIX_RESULT_SIGNED : 0u) |
           (v->saturating ? SPV_MATRIX_SATURATING : 0u);
}

static bool is_matrix(const struct spv_module *module, const struct lower_matrix *matrix, uint32_t rows,
                      uint32_t columns, uint32_t use, enum clc_number component)
{
    return matrix->rows == rows && matrix->columns == columns && matrix->use == use &&
           is_component(module, matrix->component, component);
}

static bool has_matrix(const struct spv_module *module, const struct clc_matrix_variant *v,
                       const struct lower_matrix *matrix)
{
    return is_matrix(module, matrix, v->m, v->k, 0, v->a) || is_matrix(module, matrix, v->k, v->n, 1, v->b) ||
           is_matrix(module, matrix, v->m, v->n, 2, v->c) || is_matrix(module, matrix, v->m, v->n, 2, v->result);
}

uint32_t lower_matrix_lanes(const struct lower *lower)
{
    return lower->subgroup_size ? lower->subgroup_size : lower->target->subgroup_size;
}

enum { MOST_VARIANTS = 512 };

static uint32_t variants_of(const struct lower *lower, struct clc_matrix_variant **list)
{
    *list = arena_array(lower->module->arena, struct clc_matrix_variant, MOST_VARIANTS);
    uint32_t count = clc_matrix_variants(lower->target, lower_matrix_lanes(lower), *list, MOST_VARIANTS);
    return count < MOST_VARIANTS ? count : MOST_VARIANTS;
}

static bool refuse(struct lower *lower, const char *what, const struct clc_matrix_variant *list, uint32_t count)
{
    struct str text;
    str_init(&text, lower->module->arena);
    for (uint32_t i = 0; i < count; i++) {
        str_printf(&text, "%s", i ? ", " : "");
        name_variant(&text, &list[i]);
    }
    return lower_fail(lower, "%s, which the device does not offer in sub-groups of %u; it offers %s", what,
                      lower_matrix_lanes(lower), count ? str_text(&text) : "none");
}

bool lower_offers_matrix(struct lower *lower, const struct lower_matrix *matrix)
{
    struct clc_matrix_variant *list;
    uint32_t count = variants_of(lower, &list);
    for (uint32_t i = 0; i < count; i++) {
        if (has_matrix(lower->module, &list[i], matrix))
            return true;
    }
    const char *what = arena_printf(
        lower->module->arena, "a cooperative matrix of %u rows and %u columns of %s%u for use %u", matrix->rows,
        matrix->columns, spv_type_op(lower->module, matrix->component) == SpvOpTypeFloat ? "f" : "i",
        spv_type_width(lower->module, matrix->component), matrix->use);
    return refuse(lower, what, list, count);
}

/* The signs of A and B may be any: the types of integers have none. That they differ is not listed, since the conformance
 * suite's tests, as of their draft, stop at such a row. */
static bool fits_operands(const struct clc_matrix_variant *v, uint32_t operands)
{
    uint32_t any = v->a > CLC_NUMBER_F64 ? SPV_MATRIX_A_SIGNED | SPV_MATRIX_B_SIGNED : 0;
    return (operands | any) == (operands_of(v) | any);
}

bool lower_offers_multiplication(struct lower *lower, const struct lower_multiplication *m)
{
    struct clc_matrix_variant *list;
    uint32_t count = variants_of(lower, &list);
    for (uint32_t i = 0; i < count; i++) {
        const struct clc_matrix_variant *v = &list[i];
        if (is_matrix(lower->module, m->a, v->m, v->k, 0, v->a) &&
            is_matrix(lower->module, m->b, v->k, v->n, 1, v->b) &&
            is_matrix(lower->module, m->c, v->m, v->n, 2, v->c) &&
            is_matrix(lower->module, m->result, v->m, v->n, 2, v->result) && fits_operands(v, m->operands))
            return true;
    }
    const char *what = arena_printf(lower->module->arena,
                                    "a multiplication of cooperative matrices of %ux%u and %ux%u with operands 0x%x",
                                    m->a->rows, m->a->columns, m->b->rows, m->b->columns, m->operands);
    return refuse(lower, what, list, count);
}
