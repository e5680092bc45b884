/* Float zeros that only the driver would find to be constants are kept from it. zeros.c rewrites what is constant here;
 * but llvmpipe has the same faults for what it folds itself, behind calls, private variables and branches: x / 0 is
 * anything then, 0 / y is 0, and c ? -1.0 : 0.0 is -0 where it was written as branches.
 *
 *     x / f(1)            ->  x / (f(1) | hidden)        hidden: 0, which no driver knows
 *     phi(-1.0, 0.0)      ->  phi(-1.0, 0.0 | hidden)
 *
 * With -cl-opt-disable everything is in private variables, so all operands of additions, subtractions and divisions and
 * all zeros that are stored are hidden. Expects SPIR-V as Vulkan has it, but for the entry point's interface. */
#include "lower.h"

/* How many definitions are looked at to find out whether a value may be a constant to the driver. */
enum { MAX_LOOKS = 24 };

struct hide {
    struct lower *lower;
    struct spv_module *module;
    struct spv_function *function;
    bool all;                 /* -cl-opt-disable */
    spv_id hidden;            /* u32, of this function; 0: not there yet */
    struct spv_builder entry; /* behind it, where it is there */
};

/* Whether there are no work-groups. */
static spv_id hidden_zero(struct hide *h)
{
    if (h->hidden)
        return h->hidden;
    struct spv_block *block = h->function->first_block;
    struct spv_inst *first = block->insts.first;
    while (first->op == SpvOpVariable)
        first = first->next;
    h->entry = (struct spv_builder){h->module, h->function, block, first};
    spv_id zero = spv_const_u32(h->module, 0);
    spv_id count = lower_emit_vulkan_builtin(h->lower, &h->entry, SpvBuiltInNumWorkgroups, 0);
    spv_id none = spv_emitv(&h->entry, SpvOpIEqual, spv_type_bool(h->module), count, zero);
    h->hidden = spv_emitv(&h->entry, SpvOpSelect, spv_type_int(h->module, 32), none, spv_const_u32(h->module, 1), zero);
    return h->hidden;
}

/* The value itself, without the driver knowing. */
static spv_id hide(struct hide *h, struct spv_builder *builder, spv_id value)
{
    spv_id type = spv_value_type(h->module, value), hidden = hidden_zero(h);
    uint32_t width = spv_type_width(h->module, type), lanes = spv_type_count(h->module, type);
    spv_id bits = spv_type_int(h->module, width), all = spv_type_vector(h->module, bits, lanes);
    if (width != 32)
        hidden = spv_emitv(builder, SpvOpUConvert, bits, hidden);
    if (lanes > 1) {
        spv_id parts[4] = {hidden, hidden, hidden, hidden};
        hidden = spv_emit(builder, SpvOpCompositeConstruct, all, lanes, parts);
    }
    spv_id number = spv_emitv(builder, SpvOpBitcast, all, value);
    return spv_emitv(builder, SpvOpBitcast, type, spv_emitv(builder, SpvOpBitwiseOr, all, number, hidden));
}

static bool is_constant(const struct spv_module *module, spv_id id)
{
    uint16_t op = spv_def(module, id)->op;
    return op == SpvOpConstant || op == SpvOpConstantNull || op == SpvOpConstantComposite || op == SpvOpUndef ||
           op == SpvOpExtInstImport;
}

static bool is_relaxed(const struct spv_module *module, spv_id id)
{
    const struct spv_inst *decoration = spv_find_decoration(module, id, SpvDecorationFPFastMathMode);
    return decoration && decoration->num_words > 2 && (decoration->words[2] & SpvFPFastMathModeNSZMask) != 0;
}

/* Whether a lane is known to be a number with these bits. */
static bool has_lane(const struct spv_module *module, spv_id id, uint64_t bits)
{
    const struct spv_inst *inst = spv_def(module, id);
    uint64_t value;
    if (inst->op == SpvOpCompositeInsert)
        return has_lane(module, inst->words[0], bits) || has_lane(module, inst->words[1], bits);
    if (inst->op != SpvOpConstantComposite)
        return inst->op == SpvOpConstantNull ? bits == 0 : spv_const_value(module, id, &value) && value == bits;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        if (has_lane(module, inst->words[i], bits))
            return true;
    }
    return false;
}

struct look {
    struct spv_module *module;
    uint32_t left;
    bool known;
};

/* Clears look->known where the operand is not made of constants, private variables and functions' parameters. */
static void look_at(void *data, struct spv_inst *user, uint32_t *word)
{
    struct look *look = data;
    struct spv_inst *inst = spv_def(look->module, *word);
    (void)user;
    if (!look->known || !inst || inst->op == SpvOpLabel)
        return;
    if (inst->op == SpvOpLoad) {
        SpvStorageClass storage = spv_pointer_storage(look->module, spv_value_type(look->module, inst->words[0]));
        look->known = storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate;
    } else if (inst->op != SpvOpFunctionCall && inst->op != SpvOpFunctionParameter &&
               !is_constant(look->module, *word)) {
        look->known = look->left > 0 && (inst->op == SpvOpPhi || spv_inst_is_pure(inst));
        if (look->known) {
            look->left--;
            spv_visit_operand_ids(inst, look_at, look);
        }
    }
}

static bool may_be_known(struct hide *h, spv_id value)
{
    struct look look = {h->module, MAX_LOOKS, true};
    look_at(&look, NULL, &value);
    return look.known;
}

static bool has_integers(const struct hide *h, spv_id type)
{
    const struct clc_target *target = h->lower->target;
    uint32_t width = spv_type_width(h->module, type);
    return spv_type_count(h->module, type) <= 4 &&
           (width == 32 || (width == 16 && target->int16) || (width == 64 && target->int64));
}

static void hide_operands(struct hide *h, struct spv_block *block, struct spv_inst *inst)
{
    struct spv_builder builder = {h->module, h->function, block, inst};
    for (uint32_t i = 0; i < 2; i++) {
        if (!is_constant(h->module, inst->words[i]) && (h->all || may_be_known(h, inst->words[i])))
            inst->words[i] = hide(h, &builder, inst->words[i]);
    }
}

/* Zeros that meet -1.0 */
static void hide_in_phi(struct hide *h, struct spv_inst *phi)
{
    uint32_t width = spv_type_width(h->module, phi->type);
    uint64_t minus_one = width == 16 ? 0xbc00u : width == 32 ? 0xbf800000u : 0xbff0000000000000u;
    bool meets = false;
    for (uint32_t i = 0; i < phi->num_words; i += 2)
        meets |= has_lane(h->module, phi->words[i], minus_one);
    for (uint32_t i = 0; meets && i < phi->num_words; i += 2) {
        if (is_constant(h->module, phi->words[i]) && has_lane(h->module, phi->words[i], 0)) {
            hidden_zero(h);
            phi->words[i] = hide(h, &h->entry, phi->words[i]);
        }
    }
}

/* A vector's constants are stored lane by lane. */
static void hide_stored(struct hide *h, struct spv_block *block, struct spv_inst *store)
{
    spv_id value = store->words[1], type = spv_value_type(h->module, value);
    bool known = is_constant(h->module, value) ? has_lane(h->module, value, 0)
                                               : spv_def(h->module, value)->op == SpvOpCompositeExtract;
    if (known && spv_type_is_float(h->module, type) && has_integers(h, type)) {
        struct spv_builder builder = {h->module, h->function, block, store};
        store->words[1] = hide(h, &builder, value);
    }
}

static void visit(struct hide *h, struct spv_block *block, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpPhi:
        if (spv_type_is_float(h->module, inst->type) && has_integers(h, inst->type))
            hide_in_phi(h, inst);
        break;
    case SpvOpFDiv:
    case SpvOpFAdd:
    case SpvOpFSub:
        if ((h->all || inst->op == SpvOpFDiv) && has_integers(h, inst->type) && !is_relaxed(h->module, inst->id))
            hide_operands(h, block, inst);
        break;
    case SpvOpStore:
        if (h->all)
            hide_stored(h, block, inst);
        break;
    default:
        break;
    }
}

bool lower_hide(struct lower *lower)
{
    spv_foreach_function (function, lower->module) {
        struct hide h = {.lower = lower, .module = lower->module, .function = function, .all = lower_keeps_code(lower)};
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                visit(&h, block, inst);
        }
    }
    return true;
}
