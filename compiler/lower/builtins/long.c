/* 64-bit integers on devices that have none: divisions, conversions from and to floats, and what sub-groups do with
 * them become calls of the library. The rest is arithmetic on pairs of words, which comes at the very end
 * (lower/weak/pairs.c). */
#include "compiler/lower/builtins/builtins.h"

static spv_id by_lanes(struct builtin_lowering *x, const char *name, spv_id component, uint32_t count)
{
    spv_id results[16];
    for (uint32_t lane = 0; lane < x->lanes; lane++) {
        spv_id scalars[2];
        for (uint32_t i = 0; i < count; i++)
            scalars[i] = lower_lane(x, x->args[i], lane);
        results[lane] = lower_library_call(x, name, count, scalars);
        if (!results[lane])
            return 0;
    }
    return lower_gather(x, component, x->lanes, results);
}

/* The power of two that a divisor is in all lanes; false: it is none. */
static bool power_of_two(const struct builtin_lowering *x, spv_id divisor, uint64_t *bits)
{
    const struct spv_inst *def = spv_def(x->module, divisor);
    if (def && def->op == SpvOpConstantComposite) {
        for (uint32_t i = 1; i < def->num_words; i++) {
            if (def->words[i] != def->words[0])
                return false;
        }
        divisor = def->words[0];
    }
    return spv_const_value(x->module, divisor, bits) && is_power_of_two(*bits);
}

spv_id lower_long_division(struct builtin_lowering *x)
{
    spv_id component = spv_type_component(x->module, x->type);
    uint16_t op = x->inst->op;
    uint64_t bits;
    if (x->width != 64)
        return x->inst->id;
    if (op == SpvOpSDiv)
        return by_lanes(x, "__pumice_divide_s64", component, 2);
    bool shifts = power_of_two(x, x->args[1], &bits);
    if (op == SpvOpUDiv && shifts)
        return lower_op2(x, SpvOpShiftRightLogical, x->type, x->args[0],
                         lower_constant(x, x->type, (uint64_t)__builtin_ctzll(bits)));
    if (op == SpvOpUMod && shifts)
        return lower_op2(x, SpvOpBitwiseAnd, x->type, x->args[0], lower_constant(x, x->type, bits - 1));
    return by_lanes(x, op == SpvOpUDiv ? "__pumice_divide_u64" : "__pumice_remainder_u64", component, 2);
}

spv_id lower_long_from_float(struct builtin_lowering *x)
{
    spv_id component = spv_type_component(x->module, x->type), value = x->args[0];
    uint32_t from = spv_type_width(x->module, spv_value_type(x->module, value));
    bool is_signed = x->inst->op == SpvOpConvertFToS;
    if (from == 64)
        return by_lanes(x, is_signed ? "__pumice_s64_from_double" : "__pumice_u64_from_double", component, 1);
    if (from == 16)
        x->args[0] = lower_op1(x, SpvOpFConvert, lower_vector_type(x, spv_type_float(x->module, 32), x->lanes), value);
    return by_lanes(x, is_signed ? "__pumice_s64_from_float" : "__pumice_u64_from_float", component, 1);
}

spv_id lower_float_from_long(struct builtin_lowering *x)
{
    static const char *const names[2][2] = {{"__pumice_float_from_u64", "__pumice_float_from_s64"},
                                            {"__pumice_double_from_u64", "__pumice_double_from_s64"}};
    bool is_signed = x->inst->op == SpvOpConvertSToF;
    return by_lanes(x, names[x->width == 64][is_signed], spv_type_float(x->module, x->width), 1);
}

/* OpGroupNonUniform... scope operation value [cluster]. Operations bit by bit are left to pairs.c. */
spv_id lower_long_collective(struct builtin_lowering *x)
{
    static const uint16_t how[] = {SpvOpGroupNonUniformIAdd, SpvOpGroupNonUniformIMul, SpvOpGroupNonUniformUMin,
                                   SpvOpGroupNonUniformSMin, SpvOpGroupNonUniformUMax, SpvOpGroupNonUniformSMax};
    uint32_t which = 0;
    while (which < ARRAY_LENGTH(how) && how[which] != x->inst->op)
        which++;
    if (x->width != 64 || which == ARRAY_LENGTH(how))
        return x->inst->id;
    spv_id cluster = x->num_args > 3 ? x->args[3] : spv_const_u32(x->module, 1), results[16];
    for (uint32_t lane = 0; lane < x->lanes; lane++) {
        const spv_id args[] = {lower_lane(x, x->args[2], lane), spv_const_u32(x->module, which),
                               spv_const_u32(x->module, x->inst->words[1]), cluster};
        results[lane] = lower_library_call(x, "__pumice_collect_u64", ARRAY_LENGTH(args), args);
        if (!results[lane])
            return 0;
    }
    return lower_gather(x, spv_type_component(x->module, x->type), x->lanes, results);
}
