/* Hides float zeros that only the driver would find to be constant. zeros.c rewrites operations on zeros that are
 * constant for Pumice. But llvmpipe has the same faults with constants that it finds itself, behind calls, private
 * variables and branches: it takes x / 0 for anything and 0 / y for 0, makes -0 of c ? -1.0 : 0.0 that is written as
 * branches, and 0 of c ? 1.0 : -0.0. NVIDIA's driver makes 0 of the last one too (so does its OpenCL), and sometimes of
 * c ? -1.0 : -0.0. Mesa says that -0.0 is not negative, and takes it for its own absolute value. It also computes
 * ceil() of many large constant doubles as 0.
 *
 *     x / f(1)            ->  x / (f(1) | hidden)        hidden is 0, but no driver knows
 *     fabs(f(1))          ->  f(1) & 0x7fffffff          where the driver may know f(1) to be -0.0, or not negative:
 *                                                        fabs(-0.0f * y), fabs(fmax(y, 0))
 *     ceil(f(1.0))        ->  ceil(f(1.0) | hidden)      doubles; floor, trunc and rint likewise
 *     phi(-1.0, 0.0)      ->  phi(-1.0, 0.0 | hidden)    drivers would take it for a converted boolean;
 *                                                        -0.0 beside 1.0 or -1.0 is hidden, too
 *     phi(0xbf800000, 0)  ->  phi(0xbf800000, 0 | hidden)    and 0x80000000 beside 0x3f800000: the same floats' bits
 *     sqrt(4.0)           ->  sqrt(4.0 | hidden)         where the probe saw it lost (CLC_PROBE_CONSTANTS)
 *
 * The last is SwiftShader's: its optimiser computes functions of constants, and then loses the result where a phi has
 * it beside another constant.
 *
 * With -cl-opt-disable everything is in private variables; then all operands of additions, subtractions and divisions
 * and all zeros that are stored are hidden. On drivers without these faults, by the probe (CLC_PROBE_ZEROS), the pass
 * does nothing. It expects Vulkan's SPIR-V, except that the entry point has no interface yet. */
#include "compiler/lower/quirks/passes.h"
#include "compiler/lower/quirks/quirks.h"
#include "compiler/lower/values/launch.h"

#include <spirv/unified1/GLSL.std.450.h>

/* How many definitions are visited to find out whether the driver may know a value to be constant. */
enum { MAX_LOOKS = 24 };

struct hide {
    struct lower *lower;
    struct spv_module *module;
    struct spv_function *function;
    bool all;      /* -cl-opt-disable */
    bool zeros;    /* they are to be hidden */
    bool lone;     /* functions of nothing but constants are to be hidden */
    spv_id hidden; /* u32, of this function; 0: not there yet */
};

static spv_id hidden_zero(struct hide *h)
{
    if (!h->hidden)
        h->hidden = lower_hidden_zero(h->lower, h->function);
    return h->hidden;
}

/* The bits of a lane (0 for a scalar), where they can be seen through insertions into and extractions from constants.
 */
static bool known_lane(const struct spv_module *module, spv_id id, uint32_t lane, uint64_t *bits)
{
    const struct spv_inst *inst = spv_def(module, id);
    switch (inst->op) {
    case SpvOpConstantNull:
        *bits = 0;
        return true;
    case SpvOpConstantComposite:
        return spv_const_value(module, inst->words[lane], bits);
    case SpvOpCompositeInsert:
        return inst->words[2] == lane ? known_lane(module, inst->words[0], 0, bits)
                                      : known_lane(module, inst->words[1], lane, bits);
    case SpvOpCompositeExtract:
        return inst->num_words == 2 && spv_type_is_vector(module, spv_value_type(module, inst->words[0])) &&
               known_lane(module, inst->words[0], inst->words[1], bits);
    default:
        return spv_const_value(module, id, bits);
    }
}

/* The same value in a form that the driver does not know. Without `whole`, lanes that are known to be no zero stay as
 * they are: if both values of a choice were hidden, the driver would choose first and hide the result, which undoes the
 * hiding. */
static spv_id hide_lanes(struct hide *h, struct spv_builder *builder, spv_id value, bool whole)
{
    spv_id type = spv_value_type(h->module, value), hidden = hidden_zero(h);
    uint32_t width = spv_type_width(h->module, type), lanes = spv_type_count(h->module, type);
    spv_id bits = spv_type_int(h->module, width), all = spv_type_vector(h->module, bits, lanes);
    if (width != 32)
        hidden = spv_emitv(builder, SpvOpUConvert, bits, hidden);
    if (lanes > 1) {
        spv_id parts[4];
        for (uint32_t i = 0; i < lanes; i++) {
            uint64_t known = 0, sign = (uint64_t)1 << (width - 1);
            bool stays = !whole && known_lane(h->module, value, i, &known) && (known & (sign - 1)) != 0;
            parts[i] = stays ? spv_const_bits(h->module, bits, 0) : hidden;
        }
        hidden = spv_emit(builder, SpvOpCompositeConstruct, all, lanes, parts);
    }
    if (type == all)
        return spv_emitv(builder, SpvOpBitwiseOr, all, value, hidden);
    spv_id number = spv_emitv(builder, SpvOpBitcast, all, value);
    return spv_emitv(builder, SpvOpBitcast, type, spv_emitv(builder, SpvOpBitwiseOr, all, number, hidden));
}

static spv_id hide(struct hide *h, struct spv_builder *builder, spv_id value)
{
    return hide_lanes(h, builder, value, false);
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

static uint64_t one_of(uint32_t width)
{
    return width == 16 ? 0x3c00u : width == 32 ? 0x3f800000u : 0x3ff0000000000000u;
}

/* The zeros and ones among the known lanes, by sign. A choice between such values looks like a converted boolean to
 * drivers. */
struct marks {
    bool zero[2], one[2];
    bool unknown; /* there are other lanes */
};

static void look_for_marks(const struct spv_module *module, spv_id id, struct marks *marks)
{
    spv_id type = spv_value_type(module, id);
    uint32_t width = spv_type_width(module, type);
    uint64_t value, sign = (uint64_t)1 << (width - 1);
    for (uint32_t i = 0; i < spv_type_count(module, type); i++) {
        if (known_lane(module, id, i, &value)) {
            bool negative = (value & sign) != 0;
            marks->zero[negative] |= (value & (sign - 1)) == 0;
            marks->one[negative] |= (value & (sign - 1)) == one_of(width);
        } else {
            marks->unknown = true;
        }
    }
}

struct look {
    struct spv_module *module;
    uint32_t left;
    bool known;
};

/* Clears look->known if the operand depends on anything but constants, private variables and functions' parameters. */
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

static void hide_operands(struct hide *h, struct spv_block *block, struct spv_inst *inst)
{
    struct spv_builder builder = {h->module, h->function, block, inst};
    for (uint32_t i = 0; i < 2; i++) {
        if (!is_constant(h->module, inst->words[i]) && (h->all || may_be_known(h, inst->words[i])))
            inst->words[i] = hide(h, &builder, inst->words[i]);
    }
}

/* Whether the value, one of several that are chosen from, may be a zero that the driver takes for the zero of the other
 * sign. */
static bool may_lose_sign(struct hide *h, spv_id value, const struct marks *all)
{
    struct marks own = {0};
    look_for_marks(h->module, value, &own);
    if (spv_type_is_int(h->module, spv_value_type(h->module, value)))
        return (own.zero[0] && all->one[1]) || (own.zero[1] && all->one[0]);
    return (own.zero[0] && all->one[1]) || (own.zero[1] && (all->one[0] || all->one[1])) ||
           (own.unknown && (all->one[0] || all->one[1]) && may_be_known(h, value));
}

/* The end of a block, before its branch, where the values are computed that phis take from it. */
static struct spv_builder at_end(struct hide *h, spv_id label)
{
    struct spv_block *block = spv_def(h->module, label)->block;
    struct spv_inst *last = block->insts.last;
    if (last->prev && spv_op_is_merge(last->prev->op))
        last = last->prev;
    return (struct spv_builder){h->module, h->function, block, last};
}

static void hide_in_phi(struct hide *h, struct spv_inst *phi)
{
    struct marks all = {0};
    for (uint32_t i = 0; i < phi->num_words; i += 2)
        look_for_marks(h->module, phi->words[i], &all);
    for (uint32_t i = 0; i < phi->num_words && (all.one[0] || all.one[1]); i += 2) {
        if (may_lose_sign(h, phi->words[i], &all)) {
            hidden_zero(h);
            struct spv_builder builder = at_end(h, phi->words[i + 1]);
            phi->words[i] = hide(h, &builder, phi->words[i]);
        }
    }
}

/* zeros.c has already made an integer conversion of a select between the constants -1.0 and 0.0; this hides the others.
 */
static void hide_in_select(struct hide *h, struct spv_block *block, struct spv_inst *select)
{
    struct spv_builder builder = {h->module, h->function, block, select};
    struct marks all = {0};
    look_for_marks(h->module, select->words[1], &all);
    look_for_marks(h->module, select->words[2], &all);
    for (uint32_t i = 1; i < 3 && (all.one[0] || all.one[1]); i++) {
        if (may_lose_sign(h, select->words[i], &all))
            select->words[i] = hide(h, &builder, select->words[i]);
    }
}

/* Hides zeros that are stored. The constants of a vector are stored lane by lane. */
static void hide_stored(struct hide *h, struct spv_block *block, struct spv_inst *store)
{
    spv_id value = store->words[1], type = spv_value_type(h->module, value);
    if (!spv_type_is_float(h->module, type) || spv_type_count(h->module, type) > 4)
        return;
    struct marks marks = {0};
    look_for_marks(h->module, value, &marks);
    if (marks.zero[0] || marks.zero[1]) {
        struct spv_builder builder = {h->module, h->function, block, store};
        store->words[1] = hide(h, &builder, value);
    }
}

static bool seems_positive(struct hide *h, spv_id value, uint32_t depth);

static bool one_seems_positive(struct hide *h, const struct spv_inst *inst, uint32_t first, uint32_t step,
                               uint32_t depth)
{
    for (uint32_t i = first; i < inst->num_words; i += step) {
        if (seems_positive(h, inst->words[i], depth - 1))
            return true;
    }
    return false;
}

/* Whether Mesa may find by its analysis of ranges that a value is not negative, though it is -0.0: a product with a
 * zero, a square root, a maximum with 0, and what is made of such. */
static bool seems_positive(struct hide *h, spv_id value, uint32_t depth)
{
    const struct spv_inst *inst = spv_def(h->module, value);
    struct marks marks = {0};
    if (is_constant(h->module, value)) {
        if (spv_type_is_float(h->module, inst->type))
            look_for_marks(h->module, value, &marks);
        return marks.zero[0] || marks.zero[1];
    }
    if (!depth)
        return true;
    if (spv_op_class(inst->op) == SPV_CLASS_FLOAT_ARITHMETIC)
        return one_seems_positive(h, inst, 0, 1, depth);
    switch (inst->op) {
    case SpvOpFConvert:
    case SpvOpVectorTimesScalar:
    case SpvOpCompositeConstruct:
        return one_seems_positive(h, inst, 0, 1, depth);
    case SpvOpPhi:
        return one_seems_positive(h, inst, 0, 2, depth);
    case SpvOpSelect:
        return one_seems_positive(h, inst, 1, 1, depth);
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpVectorInsertDynamic:
        return seems_positive(h, inst->words[0], depth - 1) || seems_positive(h, inst->words[1], depth - 1);
    case SpvOpCompositeExtract:
    case SpvOpVectorExtractDynamic:
    case SpvOpCopyObject:
        return seems_positive(h, inst->words[0], depth - 1);
    case SpvOpExtInst:
        return inst->words[0] != h->module->ext_glsl || inst->words[1] != GLSLstd450Fma ||
               one_seems_positive(h, inst, 2, 1, depth);
    case SpvOpLoad:
    case SpvOpFunctionCall:
    case SpvOpFunctionParameter:
        return may_be_known(h, value);
    default:
        return false;
    }
}

/* Mesa takes such a value for its own absolute value. */
static void hide_in_fabs(struct hide *h, struct spv_block *block, struct spv_inst *inst)
{
    enum { DEPTH = 4 };
    const struct spv_inst *operand = spv_def(h->module, inst->words[2]);
    if (!seems_positive(h, operand->id, DEPTH) && !may_be_known(h, operand->id))
        return;
    struct spv_builder builder = {h->module, h->function, block, inst};
    uint32_t width = spv_type_width(h->module, inst->type);
    spv_id bits = spv_type_vector(h->module, spv_type_int(h->module, width), spv_type_count(h->module, inst->type));
    spv_id mask = spv_const_splat(h->module, bits, ((uint64_t)1 << (width - 1)) - 1);
    spv_id number = spv_emitv(&builder, SpvOpBitcast, bits, operand->id);
    spv_id magnitude = spv_emitv(&builder, SpvOpBitwiseAnd, bits, number, mask);
    spv_remove_annotations(h->module, inst->id);
    inst->op = SpvOpBitcast;
    spv_inst_set_words(h->module, inst, 1, &magnitude);
}

/* A function of constants alone. */
static void hide_argument(struct hide *h, struct spv_block *block, struct spv_inst *inst)
{
    if (inst->words[0] != h->module->ext_glsl || inst->num_words < 3)
        return;
    for (uint32_t i = 2; i < inst->num_words; i++) {
        if (!is_constant(h->module, inst->words[i]))
            return;
    }
    spv_id type = spv_value_type(h->module, inst->words[2]);
    if (spv_type_is_float(h->module, type) && spv_type_count(h->module, type) <= 4) {
        struct spv_builder builder = {h->module, h->function, block, inst};
        inst->words[2] = hide_lanes(h, &builder, inst->words[2], true);
    }
}

static void hide_in_function(struct hide *h, struct spv_block *block, struct spv_inst *inst)
{
    if (inst->words[0] != h->module->ext_glsl || !spv_type_is_float(h->module, inst->type) ||
        spv_type_count(h->module, inst->type) > 4 || is_relaxed(h->module, inst->id))
        return;
    switch (inst->words[1]) {
    case GLSLstd450FAbs:
        hide_in_fabs(h, block, inst);
        break;
    case GLSLstd450Floor:
    case GLSLstd450Ceil:
    case GLSLstd450Trunc:
    case GLSLstd450RoundEven:
        if (spv_type_width(h->module, inst->type) == 64 && may_be_known(h, inst->words[2])) {
            struct spv_builder builder = {h->module, h->function, block, inst};
            inst->words[2] = hide(h, &builder, inst->words[2]);
        }
        break;
    default:
        break;
    }
}

/* Floats, or integers that may have the bits of some. */
static bool has_such_bits(const struct spv_module *module, spv_id type)
{
    bool fits = spv_type_is_float(module, type) || (spv_type_is_int(module, type) && spv_type_width(module, type) > 8);
    return fits && spv_type_count(module, type) <= 4;
}

static void visit(struct hide *h, struct spv_block *block, struct spv_inst *inst)
{
    if (h->lone && inst->op == SpvOpExtInst)
        hide_argument(h, block, inst);
    if (!h->zeros)
        return;
    switch (inst->op) {
    case SpvOpExtInst:
        hide_in_function(h, block, inst);
        break;
    case SpvOpPhi:
        if (has_such_bits(h->module, inst->type))
            hide_in_phi(h, inst);
        break;
    case SpvOpSelect:
        if (spv_type_is_float(h->module, inst->type) && spv_type_count(h->module, inst->type) <= 4)
            hide_in_select(h, block, inst);
        break;
    case SpvOpFDiv:
    case SpvOpFAdd:
    case SpvOpFSub:
        if ((h->all || inst->op == SpvOpFDiv) && spv_type_count(h->module, inst->type) <= 4 &&
            !is_relaxed(h->module, inst->id))
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
    bool zeros = lower_spoils_zeros(lower);
    bool lone = lower->target->native[CLC_PROBE_CONSTANTS][CLC_WIDTH_32] == CLC_NATIVE_NO;
    if (!zeros && !lone) {
        lower->idle = true;
        return true;
    }
    spv_foreach_function (function, lower->module) {
        struct hide h = {lower, lower->module, function, lower_keeps_code(lower), zeros, lone, 0};
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                visit(&h, block, inst);
        }
    }
    return true;
}
