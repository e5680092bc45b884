/* Integers that are never negative: ids and sizes, counters of loops that begin at 0 and ascend, and what is computed
 * from them without overflow. A sum or product of 64 bits counts as one that does not overflow, since it is asked
 * about as a part of an address. */
#include "compiler/opt/opt.h"

enum { MAX_DEPTH = 12, MAX_PHIS = 8 };

struct sign {
    const struct spv_module *module;
    uint32_t depth, num_phis;
    spv_id phis[MAX_PHIS]; /* those that are being looked at: not negative, unless something else says that they are */
};

static bool is_positive(struct sign *s, spv_id id);

static bool is_positive_phi(struct sign *s, const struct spv_inst *phi)
{
    for (uint32_t i = 0; i < s->num_phis; i++) {
        if (s->phis[i] == phi->id)
            return true;
    }
    if (s->num_phis == MAX_PHIS)
        return false;
    s->phis[s->num_phis++] = phi->id;
    bool positive = true;
    for (uint32_t w = 0; w < phi->num_words && positive; w += 2)
        positive = is_positive(s, phi->words[w]);
    s->num_phis--;
    return positive;
}

static bool both(struct sign *s, const struct spv_inst *inst)
{
    return is_positive(s, inst->words[0]) && is_positive(s, inst->words[1]);
}

/* A shift by nothing keeps the sign. */
static bool shifts(const struct sign *s, spv_id by)
{
    uint64_t bits;
    return spv_const_value(s->module, by, &bits) && bits;
}

static bool is_positive_result(struct sign *s, const struct spv_inst *def)
{
    uint32_t width = spv_type_width(s->module, def->type);
    switch ((SpvOp)def->op) {
    case SpvOpUConvert: /* the low half of an id is one, too */
        return spv_type_width(s->module, spv_value_type(s->module, def->words[0])) < width ||
               spv_def(s->module, def->words[0])->hints.is_id;
    case SpvOpSConvert:
        return spv_type_width(s->module, spv_value_type(s->module, def->words[0])) < width &&
               is_positive(s, def->words[0]);
    case SpvOpIAdd:
    case SpvOpIMul:
        return (width == 64 || spv_no_signed_wrap(def)) && both(s, def);
    case SpvOpShiftLeftLogical:
        return width == 64 && is_positive(s, def->words[0]);
    case SpvOpShiftRightLogical:
        return shifts(s, def->words[1]) || is_positive(s, def->words[0]);
    case SpvOpShiftRightArithmetic:
    case SpvOpSRem: /* the sign of the first operand */
        return is_positive(s, def->words[0]);
    case SpvOpUDiv:
        return is_positive(s, def->words[0]);
    case SpvOpUMod: /* less than the second operand, and at most the first */
    case SpvOpBitwiseAnd:
        return is_positive(s, def->words[1]) || is_positive(s, def->words[0]);
    case SpvOpSMod: /* the sign of the second operand */
        return is_positive(s, def->words[1]);
    case SpvOpSDiv:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        return both(s, def);
    case SpvOpSelect:
        return is_positive(s, def->words[1]) && is_positive(s, def->words[2]);
    case SpvOpPhi:
        return is_positive_phi(s, def);
    default:
        return false;
    }
}

static bool is_positive(struct sign *s, spv_id id)
{
    const struct spv_inst *def = spv_def(s->module, id);
    uint64_t value;
    if (spv_const_value(s->module, id, &value))
        return !(value >> (spv_type_width(s->module, def->type) - 1) & 1);
    if (!def->block || s->depth == MAX_DEPTH)
        return false;
    if (def->hints.is_id)
        return true;
    s->depth++;
    bool positive = is_positive_result(s, def);
    s->depth--;
    return positive;
}

bool opt_never_negative(const struct spv_module *module, spv_id id)
{
    struct sign s = {.module = module};
    return spv_type_is_int(module, spv_value_type(module, id)) && is_positive(&s, id);
}
