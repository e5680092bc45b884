/* Which cooperative matrices kernels may have (clc_matrix_variants()): first those that the device multiplies, where
 * kernels' sub-groups are its own (ends/native_matrices.c). All others are computed by the library for any sub-group size
 * (ends/matrices.c), so their sizes are those that hardware of today has, for programs that were written for it. */
#include "compiler/lower/values/matrices.h"

#include "base/util.h"

#include <stdio.h>

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
    TYPES(F16, F16, F16, false),   TYPES(F16, F16, F32, false),   TYPES(F32, F32, F32, false),
    TYPES(F64, F64, F64, false),   TYPES(BF16, BF16, F32, false), TYPES(E4M3, E4M3, F32, false),
    TYPES(E5M2, E5M2, F32, false), TYPES(S8, S8, S32, false),     TYPES(S8, S8, S32, true),
    TYPES(U8, U8, U32, false),     TYPES(U8, U8, U32, true),      TYPES(S16, S16, S32, false),
    TYPES(U16, U16, U32, false),   TYPES(S32, S32, S32, false),   TYPES(U32, U32, U32, false),
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

static bool is_same(const struct clc_matrix_variant *one, const struct clc_matrix_variant *two)
{
    return one->m == two->m && one->n == two->n && one->k == two->k && one->a == two->a && one->b == two->b &&
           one->c == two->c && one->result == two->result && one->saturating == two->saturating;
}

/* Whether kernels in sub-groups of that size can have the device's matrices: it has such sub-groups, and what Vulkan
 * wants beside them. What lacks integers is emulated, and then no value is what it was (lower/weak). */
static bool has_native(const struct clc_target *target, uint32_t subgroup_size)
{
    return target->cooperative_matrix && target->memory_model && target->int8 && target->int16 && target->int64 &&
           target->storage8 && target->storage16 && clc_subgroup_lanes(target, subgroup_size) == subgroup_size;
}

static bool is_native(const struct clc_target *target, const struct clc_matrix_variant *variant)
{
    for (uint32_t i = 0; i < target->num_matrices; i++) {
        if (is_same(&target->matrices[i], variant))
            return true;
    }
    return false;
}

uint32_t clc_matrix_variants(const struct clc_target *target, uint32_t subgroup_size, struct clc_matrix_variant *list,
                             uint32_t capacity, uint32_t *num_native)
{
    uint32_t count = 0;
    *num_native = 0;
    if (!target->subgroup_shuffle || !clc_subgroup_lanes(target, subgroup_size))
        return 0;
    bool native = has_native(target, subgroup_size);
    for (; native && count < target->num_matrices; count++) {
        if (count < capacity)
            list[count] = target->matrices[count];
    }
    *num_native = count;
    for (uint32_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
        for (uint32_t k = 0; k < ARRAY_LENGTH(types); k++) {
            const struct types *row = &types[k];
            const struct clc_matrix_variant variant = {sizes[i].m, sizes[i].n, sizes[i].k,  row->a,
                                                       row->b,     row->c,     row->result, row->saturating};
            if (!has_types(target, row) || (native && is_native(target, &variant)))
                continue;
            if (count < capacity)
                list[count] = variant;
            count++;
        }
    }
    return count;
}

/* ---- names, for messages ---- */

static const char *const component_names[] = {"f16", "f32", "f64", "s8",  "s16",  "s32",  "s64",
                                              "u8",  "u16", "u32", "u64", "bf16", "e4m3", "e5m2"};
_Static_assert(ARRAY_LENGTH(component_names) == CLC_NUMBER_COUNT, "each has a name");

void clc_matrix_name(const struct clc_matrix_variant *v, char text[CLC_MATRIX_NAME])
{
    snprintf(text, CLC_MATRIX_NAME, "%ux%ux%u %s*%s+%s%s", v->m, v->n, v->k, component_names[v->a],
             component_names[v->b], component_names[v->c], v->saturating ? " saturating" : "");
}

/* ---- the kernel's ---- */

static enum spv_matrix_encoding encoding_of(enum clc_number component)
{
    return component == CLC_NUMBER_BF16   ? SPV_MATRIX_BFLOAT16
           : component == CLC_NUMBER_E4M3 ? SPV_MATRIX_E4M3
           : component == CLC_NUMBER_E5M2 ? SPV_MATRIX_E5M2
                                          : SPV_MATRIX_NUMBERS;
}

static bool is_component(const struct spv_module *module, const struct lower_matrix *matrix, enum clc_number component)
{
    static const uint8_t widths[] = {16, 32, 64, 8, 16, 32, 64, 8, 16, 32, 64};
    spv_id type = matrix->component;
    if (matrix->encoding || component >= CLC_NUMBER_BF16)
        return matrix->encoding == encoding_of(component);
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
           is_component(module, matrix, component);
}

static bool has_matrix(const struct spv_module *module, const struct clc_matrix_variant *v,
                       const struct lower_matrix *matrix)
{
    return is_matrix(module, matrix, v->m, v->k, 0, v->a) || is_matrix(module, matrix, v->k, v->n, 1, v->b) ||
           is_matrix(module, matrix, v->m, v->n, 2, v->c) || is_matrix(module, matrix, v->m, v->n, 2, v->result);
}

/* The same for any use: the library takes a matrix that is never multiplied as it is. The conformance suite's tests, as
 * of their draft, have constants for use 0 of a size that only use 1 has. */
static bool has_size(const struct spv_module *module, const struct clc_matrix_variant *v,
                     const struct lower_matrix *matrix)
{
    struct lower_matrix of_use = *matrix;
    for (of_use.use = 0; of_use.use < 3; of_use.use++) {
        if (has_matrix(module, v, &of_use))
            return true;
    }
    return false;
}

uint32_t lower_matrix_lanes(const struct lower *lower)
{
    const struct clc_target *target = lower->target;
    return lower->subgroup_size    ? lower->subgroup_size
           : target->subgroup_size ? target->subgroup_size
                                   : target->usual_subgroup_size;
}

enum { MOST_VARIANTS = 512 };

static uint32_t variants_of(const struct lower *lower, struct clc_matrix_variant **list)
{
    uint32_t native;
    *list = arena_array(lower->module->arena, struct clc_matrix_variant, MOST_VARIANTS);
    uint32_t count = clc_matrix_variants(lower->target, lower_matrix_lanes(lower), *list, MOST_VARIANTS, &native);
    return count < MOST_VARIANTS ? count : MOST_VARIANTS;
}

static bool refuse(struct lower *lower, const char *what, const struct clc_matrix_variant *list, uint32_t count)
{
    struct str text;
    str_init(&text, lower->module->arena);
    for (uint32_t i = 0; i < count; i++) {
        char name[CLC_MATRIX_NAME];
        clc_matrix_name(&list[i], name);
        str_printf(&text, "%s%s", i ? ", " : "", name);
    }
    return lower_fail(lower, "%s, which the device does not offer in sub-groups of %u; it offers %s", what,
                      lower_matrix_lanes(lower), count ? str_text(&text) : "none");
}

static bool has_number(const struct spv_module *module, const struct clc_matrix_variant *v,
                       const struct lower_matrix *matrix)
{
    return is_component(module, matrix,
                        matrix->use == 0   ? v->a
                        : matrix->use == 1 ? v->b
                                           : v->c) ||
           (matrix->use > 1 && is_component(module, matrix, v->result));
}

/* A message names what has the matrix's type of numbers, if there is any such: whoever reads it wants another size. */
static uint32_t keep_alike(const struct lower *lower, const struct lower_matrix *matrix,
                           struct clc_matrix_variant *list, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!has_number(lower->module, &list[i], matrix))
            continue;
        struct clc_matrix_variant other = list[kept];
        list[kept++] = list[i];
        list[i] = other;
    }
    return kept ? kept : count;
}

struct lower_number_name lower_matrix_number(const struct lower *lower, const struct lower_matrix *matrix)
{
    struct lower_number_name name;
    bool is_float = spv_type_op(lower->module, matrix->component) == SpvOpTypeFloat;
    if (matrix->encoding == SPV_MATRIX_E4M3 || matrix->encoding == SPV_MATRIX_E5M2)
        return matrix->encoding == SPV_MATRIX_E4M3 ? (struct lower_number_name){"e4m3"}
                                                   : (struct lower_number_name){"e5m2"};
    snprintf(name.text, sizeof(name.text), "%s%u",
             matrix->encoding ? "bf"
             : is_float       ? "f"
                              : "i",
             spv_type_width(lower->module, matrix->component) & 0xff);
    return name;
}

bool lower_offers_matrix(struct lower *lower, const struct lower_matrix *matrix)
{
    struct clc_matrix_variant *list;
    uint32_t count = variants_of(lower, &list);
    for (uint32_t i = 0; i < count; i++) {
        if (has_size(lower->module, &list[i], matrix))
            return true;
    }
    const char *what =
        arena_printf(lower->module->arena, "a cooperative matrix of %u rows and %u columns of %s for use %u",
                     matrix->rows, matrix->columns, lower_matrix_number(lower, matrix).text, matrix->use);
    return refuse(lower, what, list, keep_alike(lower, matrix, list, count));
}

/* The signs of A and B may be any: the types of integers have none. That they differ is not listed, since the conformance
 * suite's tests, as of their draft, stop at such a row. */
static bool fits_operands(const struct clc_matrix_variant *v, uint32_t operands)
{
    uint32_t any = v->a > CLC_NUMBER_F64 && v->a <= CLC_NUMBER_U64 ? SPV_MATRIX_A_SIGNED | SPV_MATRIX_B_SIGNED : 0;
    return (operands | any) == (operands_of(v) | any);
}

static bool has_matrices(const struct spv_module *module, const struct clc_matrix_variant *v,
                         const struct lower_multiplication *m)
{
    return is_matrix(module, m->a, v->m, v->k, 0, v->a) && is_matrix(module, m->b, v->k, v->n, 1, v->b) &&
           is_matrix(module, m->c, v->m, v->n, 2, v->c) && is_matrix(module, m->result, v->m, v->n, 2, v->result);
}

bool lower_offers_multiplication(struct lower *lower, const struct lower_multiplication *m)
{
    struct clc_matrix_variant *list;
    uint32_t count = variants_of(lower, &list);
    for (uint32_t i = 0; i < count; i++) {
        if (has_matrices(lower->module, &list[i], m) && fits_operands(&list[i], m->operands))
            return true;
    }
    const char *what = arena_printf(lower->module->arena,
                                    "a multiplication of cooperative matrices of %ux%u and %ux%u with operands 0x%x",
                                    m->a->rows, m->a->columns, m->b->rows, m->b->columns, m->operands);
    count = keep_alike(lower, m->a, list, count);
    return refuse(lower, what, list, keep_alike(lower, m->c, list, count));
}

/* ---- the device's own ---- */

bool lower_may_have_native_matrices(const struct lower *lower)
{
    const struct clc_target *target = lower->target;
    uint32_t lanes = lower_matrix_lanes(lower);
    uint64_t items = (uint64_t)lower->required_size[0] * lower->required_size[1] * lower->required_size[2];
    return target->num_matrices && lanes && has_native(target, lanes) && items % lanes == 0 &&
           !lower->options->any_size && !lower->software_matrices && !lower_watches(lower);
}

bool lower_is_native_matrix(const struct lower *lower, const struct lower_matrix *matrix)
{
    for (uint32_t i = 0; i < lower->target->num_matrices; i++) {
        if (has_matrix(lower->module, &lower->target->matrices[i], matrix))
            return true;
    }
    return false;
}

bool lower_is_native_multiplication(const struct lower *lower, const struct lower_multiplication *m)
{
    for (uint32_t i = 0; i < lower->target->num_matrices; i++) {
        const struct clc_matrix_variant *v = &lower->target->matrices[i];
        if (has_matrices(lower->module, v, m) && operands_of(v) == m->operands)
            return true;
    }
    return false;
}

bool lower_refuse_native_matrices(struct lower *lower)
{
    lower->native_matrices = true;
    return lower_fail(lower, "kernel '%s': its cooperative matrices cannot be the device's own", lower->kernel_name);
}

/* ---- in variables ---- */

static bool holds_matrix(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    switch (def->op) {
    case SpvOpTypeCooperativeMatrixKHR:
        return true;
    case SpvOpTypeArray:
        return holds_matrix(module, def->words[0]);
    case SpvOpTypeStruct:
        for (uint32_t i = 0; i < def->num_words; i++) {
            if (holds_matrix(module, def->words[i]))
                return true;
        }
        return false;
    default:
        return false;
    }
}

bool lower_points_to_matrix(const struct spv_module *module, spv_id pointer_type)
{
    return holds_matrix(module, spv_pointer_pointee(module, pointer_type));
}

struct search {
    const struct spv_module *module;
    bool found;
};

static void find_pointer(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct search *search = data;
    spv_id type = spv_value_type(search->module, *word);
    (void)inst;
    search->found |= spv_type_is_pointer(search->module, type) && lower_points_to_matrix(search->module, type);
}

static bool is_array_of_matrices(const struct spv_module *module, spv_id type)
{
    while (spv_type_op(module, type) == SpvOpTypeArray)
        type = spv_def(module, type)->words[0];
    return spv_type_is_matrix(module, type);
}

static bool is_settled(const struct spv_module *module, struct spv_inst *inst)
{
    struct search search = {.module = module};
    bool in = inst->op == SpvOpLoad ||
              (inst->op == SpvOpStore && !spv_type_is_pointer(module, spv_value_type(module, inst->words[1])));
    if (inst->op == SpvOpVariable && lower_points_to_matrix(module, inst->type))
        return is_array_of_matrices(module, spv_pointer_pointee(module, inst->type));
    if (inst->op == SpvOpAccessChain || inst->op == SpvOpInBoundsAccessChain || in || spv_op_is_lifetime(inst->op))
        return true;
    spv_visit_operand_ids(inst, find_pointer, &search);
    return !search.found;
}

bool lower_matrices_are_settled(struct lower *lower)
{
    if (!lower->native_matrices)
        return true;
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (!is_settled(lower->module, inst))
                    return lower_refuse_native_matrices(lower);
            }
        }
    }
    return true;
}
