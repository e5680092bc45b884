/* SPV_INTEL_arbitrary_precision_integers, up to 64 bits: modules with integers of 4, 24 or 48 bits become modules whose
 * integers have 8, 16, 32 or 64, when they are read. The bits above are always 0. So most operations stay what they
 * are; after those that could set these bits they are cleared, and before those that look at the sign it is spread:
 *
 *     %s = OpIAdd %int24 %a %b         ->   %1 = OpIAdd %int32 %a %b
 *                                           %s = OpBitwiseAnd %int32 %1 0xffffff
 *     %l = OpSLessThan %bool %a %b     ->   %2 = OpShiftRightArithmetic %int32 (OpShiftLeftLogical %int32 %a 8) 8 ...
 *                                           %l = OpSLessThan %bool %2 %3
 *
 * In memory such an integer takes the place of the wider one, which is what LLVM lays out; vectors of them are packed.
 * LLVM writes no byte more than the bits need, and loads what it likes through such types, three chars as an i24. So
 * accesses are made of smaller ones (bits.c), but where an integer's alignment shows that the place is the wider one's.
 * What is loaded, or comes as a kernel's argument, loses the bits above, since nobody says who wrote it.
 *
 * The types change first, since other widths are refused by spv_check_scope(). Then it is known of the module's scope
 * that types are types and numbers have their sizes. Of functions nothing is known but that operands are there: ids may
 * be undefined, and types wrong. */
#include "check.h"

#include "base/util.h"

#include <string.h>

struct odd {
    struct spv_module *module;
    const char *error;
    uint8_t *widths; /* by id, of integer types: the bits that they had; 0: others */
    uint32_t bound;  /* of it */
    struct spv_builder b;
    struct spv_inst *constant; /* the constant expression that is changed; NULL: an instruction of a function is */
    bool found;                /* an odd operand */
};

static void fail(struct odd *o, const char *what)
{
    if (!o->error)
        o->error = what;
}

static uint32_t wide(uint32_t width)
{
    return width <= 8 ? 8 : width <= 16 ? 16 : width <= 32 ? 32 : 64;
}

/* The bits of an odd integer or vector of such; 0: another type. */
static uint32_t width_of(const struct odd *o, spv_id type)
{
    const struct spv_inst *def = spv_def(o->module, type);
    spv_id component = def && def->op == SpvOpTypeVector ? def->words[0] : type;
    return component < o->bound ? o->widths[component] : 0;
}

static uint32_t width_of_value(const struct odd *o, spv_id value)
{
    return width_of(o, spv_value_type(o->module, value));
}

static uint64_t mask_of(uint32_t width)
{
    return ((uint64_t)1 << width) - 1; /* below 64 */
}

/* Whether memory of that type has vectors of odd integers in it, which LLVM packs and wider ones do not. */
static bool holds_packed(const struct odd *o, spv_id type, uint32_t depth)
{
    const struct spv_inst *def = spv_def(o->module, type);
    bool array = def && def->op == SpvOpTypeArray;
    bool packed = def && def->op == SpvOpTypeVector && width_of(o, type);
    for (uint32_t i = 0; def && (array ? i < 1 : def->op == SpvOpTypeStruct && i < def->num_words); i++)
        packed = packed || !depth || holds_packed(o, def->words[i], depth - 1);
    return packed;
}

enum { MAX_DEPTH = 16 }; /* of aggregates */

/* ---- types ---- */

const char *spv_widen_odd_types(struct spv_module *module, uint8_t **widths)
{
    *widths = arena_array(module->arena, uint8_t, module->bound);
    spv_foreach_inst (type, &module->sections[SPV_SECTION_GLOBAL]) {
        uint32_t width = type->op == SpvOpTypeInt ? type->words[0] : 0;
        if (type->op != SpvOpTypeInt || (width && width <= 64 && width == wide(width)))
            continue;
        if (!width || width > 64)
            return "an integer of unknown width: none, or more than 64 bits";
        (*widths)[type->id] = (uint8_t)width;
        type->words[0] = wide(width);
        spv_add_capability(module, width <= 8    ? SpvCapabilityInt8
                                   : width <= 16 ? SpvCapabilityInt16
                                                 : SpvCapabilityInt64);
    }
    return NULL;
}

/* ---- bits ---- */

static spv_id constant_like(struct odd *o, spv_id type, uint64_t value)
{
    return spv_const_splat(o->module, type, value);
}

/* An instruction before the one that is changed, or a constant expression before it. */
static spv_id emit(struct odd *o, SpvOp op, spv_id type, uint32_t count, const uint32_t *words)
{
    if (!o->constant)
        return spv_emit(&o->b, op, type, count, words);
    struct spv_list *globals = &o->module->sections[SPV_SECTION_GLOBAL];
    uint32_t *operation = arena_array(o->module->arena, uint32_t, count + 1);
    operation[0] = op;
    memcpy(operation + 1, words, count * sizeof(*words));
    spv_id id = spv_const_inst(o->module, SpvOpSpecConstantOp, type, count + 1, operation);
    struct spv_inst *made = spv_def(o->module, id);
    spv_list_remove(globals, made);
    spv_list_insert(globals, made, o->constant->prev);
    return id;
}

static spv_id emit2(struct odd *o, SpvOp op, spv_id type, spv_id left, spv_id right)
{
    return emit(o, op, type, 2, (const uint32_t[]){left, right});
}

static void become(struct odd *o, struct spv_inst *inst, SpvOp op, uint32_t count, const uint32_t *words)
{
    inst->op = (uint16_t)op;
    spv_inst_set_words(o->module, inst, count, words);
}

/* The value with its sign in the bits above. */
static spv_id spread(struct odd *o, spv_id value)
{
    spv_id type = spv_value_type(o->module, value);
    uint32_t width = width_of(o, type);
    if (!width)
        return value;
    spv_id above = constant_like(o, type, wide(width) - width);
    return emit2(o, SpvOpShiftRightArithmetic, type, emit2(o, SpvOpShiftLeftLogical, type, value, above), above);
}

static void spread_operands(struct odd *o, struct spv_inst *inst, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count && i < inst->num_words; i++)
        inst->words[i] = spread(o, inst->words[i]);
}

/* Nobody promises of wider numbers that they do not wrap, and of other operations nobody may. */
static void forget_wraps(struct odd *o, spv_id id)
{
    static const SpvDecoration wraps[] = {SpvDecorationNoSignedWrap, SpvDecorationNoUnsignedWrap};
    for (uint32_t i = 0; i < 2; i++) {
        struct spv_inst *decoration;
        while ((decoration = spv_find_decoration(o->module, id, wraps[i])))
            spv_inst_remove(o->module, decoration);
    }
}

/* The instruction stays, under another id, and its own becomes that of what the operation makes of it. */
static void follow(struct odd *o, struct spv_inst *inst, SpvOp op, uint64_t operand)
{
    forget_wraps(o, inst->id);
    spv_id before = emit(o, (SpvOp)inst->op, inst->type, inst->num_words, inst->words);
    become(o, inst, op, 2, (const uint32_t[]){before, constant_like(o, inst->type, operand)});
}

static void clear_above(struct odd *o, struct spv_inst *inst)
{
    uint32_t width = width_of(o, inst->type);
    if (width)
        follow(o, inst, SpvOpBitwiseAnd, mask_of(width));
}

/* ---- casts and memory ---- */

/* Two integers of other widths may have become such of one. */
static void convert(struct odd *o, struct spv_inst *inst)
{
    spv_id from = spv_value_type(o->module, inst->words[0]);
    if (inst->op == SpvOpSConvert)
        spread_operands(o, inst, 0, 1);
    if (spv_type_is_int(o->module, from) && spv_type_is_int(o->module, inst->type) &&
        spv_type_width(o->module, from) == spv_type_width(o->module, inst->type))
        inst->op = SpvOpBitcast; /* of another signedness, perhaps */
    clear_above(o, inst);
}

static void cast_bits(struct odd *o, struct spv_inst *inst)
{
    spv_id from = spv_value_type(o->module, inst->words[0]);
    uint32_t width = width_of(o, from), to = width_of(o, inst->type);
    if (from == inst->type)
        return;
    spv_id value = o->constant ? 0 : spv_emit_bit_cast(&o->b, inst->words[0], width, inst->type, to);
    if (value)
        become(o, inst, SpvOpCopyObject, 1, &value);
    else
        fail(o, "a cast of integers that do not have 8, 16, 32 or 64 bits, which is a constant expression or to "
                "another size");
}

/* Whether the memory is an odd integer's own, padding and all. */
static bool is_own_place(const struct odd *o, spv_id pointer)
{
    const struct spv_inst *def = spv_def(o->module, pointer);
    return def && def->op == SpvOpVariable && def->block;
}

/* Whether the access goes by bits: its type is the odd one; memory operands begin at that word. */
static bool is_split(struct odd *o, const struct spv_inst *inst, spv_id type, uint32_t operands)
{
    uint32_t width = width_of(o, type), size = wide(width) / 8, align = spv_access_alignment(inst, operands);
    if (!width) {
        if (holds_packed(o, type, MAX_DEPTH))
            fail(o, "arrays or structures of vectors of integers that do not have 8, 16, 32 or 64 bits are used whole");
        return false;
    }
    bool aligned = inst->op == SpvOpLoad && (!align || align >= size); /* a store would write the padding */
    return spv_type_is_vector(o->module, type) ||
           ((width + 7) / 8 < size && !aligned && !is_own_place(o, inst->words[0]));
}

static void load(struct odd *o, struct spv_inst *inst)
{
    if (!is_split(o, inst, inst->type, 1)) {
        clear_above(o, inst);
        return;
    }
    spv_id value = spv_emit_bit_load(&o->b, inst, width_of(o, inst->type));
    if (value)
        become(o, inst, SpvOpCopyObject, 1, &value);
    else
        fail(o, "OpLoad of what is no pointer");
}

static void store(struct odd *o, struct spv_inst *inst)
{
    spv_id type = spv_value_type(o->module, inst->words[1]);
    if (!is_split(o, inst, type, 2))
        return;
    if (spv_emit_bit_store(&o->b, inst, width_of(o, type)))
        spv_inst_remove(o->module, inst);
    else
        fail(o, "OpStore to what is no pointer");
}

/* ---- other instructions ---- */

/* SPIR-V 1.6, 2.2.2: indexes are signed. */
static void spread_indexes(struct odd *o, struct spv_inst *inst)
{
    spread_operands(o, inst, 1, inst->num_words);
}

/* A component of whatever value. */
static void shuffle(struct odd *o, struct spv_inst *inst)
{
    for (uint32_t i = 2; i < inst->num_words; i++) {
        if (inst->words[i] == UINT32_MAX) {
            clear_above(o, inst);
            return;
        }
    }
}

/* The two halves of a sum, difference or product: the lower one, and what is above it. */
static void extend(struct odd *o, struct spv_inst *inst)
{
    const struct spv_inst *type = spv_def(o->module, inst->type);
    spv_id half = spv_value_type(o->module, inst->words[0]);
    uint32_t width = width_of(o, half);
    if (!width || o->constant || !type || type->op != SpvOpTypeStruct || type->num_words != 2) {
        fail(o, "an extended operation of other types");
        return;
    }
    if (inst->op == SpvOpSMulExtended)
        spread_operands(o, inst, 0, 2);
    spv_id mask = constant_like(o, half, mask_of(width)), count = constant_like(o, half, width);
    spv_id low, high;
    if (inst->op == SpvOpIAddCarry || inst->op == SpvOpISubBorrow) {
        low = emit2(o, inst->op == SpvOpIAddCarry ? SpvOpIAdd : SpvOpISub, half, inst->words[0], inst->words[1]);
        spv_id above = emit2(o, SpvOpShiftRightLogical, half, low, count);
        high = emit2(o, SpvOpBitwiseAnd, half, above, constant_like(o, half, 1));
    } else {
        spv_id both = emit(o, (SpvOp)inst->op, inst->type, 2, inst->words);
        low = emit(o, SpvOpCompositeExtract, half, 2, (const uint32_t[]){both, 0});
        high = emit(o, SpvOpCompositeExtract, half, 2, (const uint32_t[]){both, 1});
        high = emit2(o, SpvOpShiftLeftLogical, half, high, constant_like(o, half, wide(width) - width));
        high = emit2(o, SpvOpBitwiseOr, half, high, emit2(o, SpvOpShiftRightLogical, half, low, count));
        high = emit2(o, SpvOpBitwiseAnd, half, high, mask);
    }
    const uint32_t halves[] = {emit2(o, SpvOpBitwiseAnd, half, low, mask), high};
    become(o, inst, SpvOpCompositeConstruct, 2, halves);
}

static spv_id extended(struct odd *o, uint32_t number, spv_id type, spv_id left, spv_id right)
{
    return emit(o, SpvOpExtInst, type, 4,
                (const uint32_t[]){spv_import_ext_inst(o->module, "OpenCL.std"), number, left, right});
}

/* Sums and differences have room for one bit more. */
static void saturate(struct odd *o, struct spv_inst *inst, uint32_t width)
{
    uint32_t number = inst->words[1];
    bool is_signed = number == OpenCLstd_SAdd_sat || number == OpenCLstd_SSub_sat;
    bool adds = number == OpenCLstd_SAdd_sat || number == OpenCLstd_UAdd_sat;
    spv_id type = inst->type;
    if (is_signed)
        spread_operands(o, inst, 2, 2);
    spv_id sum = emit2(o, adds ? SpvOpIAdd : SpvOpISub, type, inst->words[2], inst->words[3]);
    if (is_signed) {
        uint64_t most = mask_of(width - 1);
        sum = extended(o, OpenCLstd_SMin, type, sum, constant_like(o, type, most));
        sum = extended(o, OpenCLstd_SMax, type, sum, constant_like(o, type, ~most));
    } else {
        sum = extended(o, OpenCLstd_UMin, type, sum, constant_like(o, type, mask_of(width)));
    }
    become(o, inst, SpvOpBitwiseAnd, 2, (const uint32_t[]){sum, constant_like(o, type, mask_of(width))});
}

/* OpenCL C 3.0, 6.15.3: to the left, modulo the width. */
static void rotate(struct odd *o, struct spv_inst *inst, uint32_t width)
{
    spv_id type = inst->type, value = inst->words[2], all = constant_like(o, type, width);
    spv_id left = emit2(o, SpvOpUMod, type, inst->words[3], all);
    spv_id right = emit2(o, SpvOpISub, type, all, left);
    spv_id moved = emit2(o, SpvOpShiftLeftLogical, type, value, left);
    spv_id both = emit2(o, SpvOpBitwiseOr, type, moved, emit2(o, SpvOpShiftRightLogical, type, value, right));
    become(o, inst, SpvOpBitwiseAnd, 2, (const uint32_t[]){both, constant_like(o, type, mask_of(width))});
}

static void change_extended(struct odd *o, struct spv_inst *inst)
{
    uint32_t width = width_of(o, inst->type);
    bool known = inst->hints.ext_set == SPV_EXT_SET_OPENCL && width && inst->num_words > 2;
    switch (known ? inst->words[1] : UINT32_MAX) {
    case OpenCLstd_UMin:
    case OpenCLstd_UMax:
    case OpenCLstd_UAbs:
    case OpenCLstd_UClamp:
    case OpenCLstd_USub_sat:
    case OpenCLstd_Popcount:
        break;
    case OpenCLstd_SMin:
    case OpenCLstd_SMax:
    case OpenCLstd_SAbs:
    case OpenCLstd_SClamp:
        spread_operands(o, inst, 2, 3);
        clear_above(o, inst);
        break;
    case OpenCLstd_SAdd_sat:
    case OpenCLstd_SSub_sat:
    case OpenCLstd_UAdd_sat:
        saturate(o, inst, width);
        break;
    case OpenCLstd_Rotate:
        rotate(o, inst, width);
        break;
    case OpenCLstd_Clz:
        follow(o, inst, SpvOpISub, wide(width) - width);
        break;
    case OpenCLstd_Ctz: /* of 0: the width */
        inst->words[2] =
            emit2(o, SpvOpBitwiseOr, inst->type, inst->words[2], constant_like(o, inst->type, (uint64_t)1 << width));
        break;
    default:
        fail(o, "a function of OpenCL.std of integers that do not have 8, 16, 32 or 64 bits");
    }
}

static void clear_literals(struct odd *o, struct spv_inst *inst)
{
    uint64_t mask = mask_of(width_of_value(o, inst->words[0]));
    uint32_t words = inst->hints.literal_words, step = words + 1;
    for (uint32_t at = 2; words && at + step <= inst->num_words; at += step) {
        for (uint32_t i = 0; i < words; i++)
            inst->words[at + i] &= (uint32_t)(mask >> 32 * i);
    }
}

static void note_odd(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct odd *o = data;
    (void)inst;
    o->found |= width_of_value(o, *word) != 0;
}

static bool has_odd(struct odd *o, struct spv_inst *inst)
{
    bool accesses = inst->op == SpvOpLoad || inst->op == SpvOpStore;
    spv_id type = inst->op == SpvOpStore ? spv_value_type(o->module, inst->words[1]) : inst->type;
    o->found = type && (width_of(o, type) || (accesses && holds_packed(o, type, MAX_DEPTH)));
    if (!o->found)
        spv_visit_operand_ids(inst, note_odd, o);
    return o->found;
}

static void change(struct odd *o, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpSNegate:
    case SpvOpNot:
    case SpvOpShiftLeftLogical:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertPtrToU:
    case SpvOpBitFieldSExtract:
    case SpvOpCompositeExtract: /* of an aggregate that was loaded, perhaps */
        clear_above(o, inst);
        break;
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        spread_operands(o, inst, 0, 2);
        clear_above(o, inst);
        break;
    case SpvOpShiftRightArithmetic:
        spread_operands(o, inst, 0, 1);
        clear_above(o, inst);
        break;
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
        spread_operands(o, inst, 0, 2);
        break;
    case SpvOpConvertSToF:
        spread_operands(o, inst, 0, 1);
        break;
    case SpvOpUConvert:
    case SpvOpSConvert:
        convert(o, inst);
        break;
    case SpvOpBitcast:
        cast_bits(o, inst);
        break;
    case SpvOpLoad:
        load(o, inst);
        break;
    case SpvOpStore:
        store(o, inst);
        break;
    case SpvOpVectorShuffle:
        shuffle(o, inst);
        break;
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        extend(o, inst);
        break;
    case SpvOpUndef:
        become(o, inst, SpvOpCopyObject, 1, (const uint32_t[]){spv_const_null(o->module, inst->type)});
        break;
    case SpvOpBitReverse:
        if (width_of(o, inst->type))
            follow(o, inst, SpvOpShiftRightLogical, wide(width_of(o, inst->type)) - width_of(o, inst->type));
        break;
    case SpvOpSwitch:
        clear_literals(o, inst);
        break;
    case SpvOpExtInst:
        change_extended(o, inst);
        break;
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpShiftRightLogical:
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpULessThan:
    case SpvOpULessThanEqual:
    case SpvOpUGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpConvertUToF:
    case SpvOpConvertUToPtr:
    case SpvOpBitCount:
    case SpvOpBitFieldUExtract:
    case SpvOpBitFieldInsert:
    case SpvOpSelect:
    case SpvOpPhi:
    case SpvOpVariable: /* with an initialiser */
    case SpvOpCopyObject:
    case SpvOpFunctionCall:
    case SpvOpReturnValue:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeInsert:
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
    case SpvOpFreezeKHR:
        break;
    default:
        if (spv_op_is_chain(inst->op))
            spread_indexes(o, inst);
        else if (!spv_op_is_lifetime(inst->op))
            fail(o,
                 arena_printf(o->module->arena, "%s of integers that do not have 8, 16, 32 or 64 bits is not supported",
                              spv_op_name(inst->op)));
    }
}

/* ---- constants ---- */

/* The application gives whatever bits. What it gives has a constant of its own then. */
static void clear_given(struct odd *o, struct spv_inst *inst, uint32_t width)
{
    struct spv_module *module = o->module;
    struct spv_list *globals = &module->sections[SPV_SECTION_GLOBAL];
    const struct spv_inst *given = spv_find_decoration(module, inst->id, SpvDecorationSpecId);
    if (!given)
        return;
    uint32_t number = given->words[2];
    struct spv_inst *raw =
        spv_def(module, spv_const_inst(module, SpvOpSpecConstant, inst->type, inst->num_words, inst->words));
    spv_list_remove(globals, raw);
    spv_list_insert(globals, raw, inst->prev);
    spv_remove_annotations(module, inst->id);
    spv_decorate(module, raw->id, SpvDecorationSpecId, 1, &number);
    const uint32_t words[] = {SpvOpBitwiseAnd, raw->id, constant_like(o, inst->type, mask_of(width))};
    become(o, inst, SpvOpSpecConstantOp, 3, words);
}

/* The operation as an instruction, and what becomes of it as a constant expression again. */
static void change_expression(struct odd *o, struct spv_inst *inst)
{
    struct spv_inst operation = {
        .op = (uint16_t)inst->words[0], .type = inst->type, .id = inst->id, .num_words = inst->num_words - 1};
    operation.words = inst->words + 1;
    if (inst->words[0] > UINT16_MAX || !spv_op_is_pure(operation.op)) {
        fail(o, "a constant expression of integers that do not have 8, 16, 32 or 64 bits");
        return;
    }
    o->constant = inst;
    change(o, &operation);
    o->constant = NULL;
    uint32_t *words = arena_array(o->module->arena, uint32_t, operation.num_words + 1);
    words[0] = operation.op == SpvOpCopyObject ? SpvOpBitcast : operation.op;
    memcpy(words + 1, operation.words, operation.num_words * sizeof(*words));
    spv_inst_set_words(o->module, inst, operation.num_words + 1, words);
}

static void change_constant(struct odd *o, struct spv_inst *inst)
{
    uint32_t width = inst->type ? width_of(o, inst->type) : 0;
    if (inst->op == SpvOpSpecConstantOp && inst->num_words) {
        if (has_odd(o, inst))
            change_expression(o, inst);
    } else if (inst->op == SpvOpVariable && inst->num_words > 1) {
        if (holds_packed(o, spv_value_type(o->module, inst->words[1]), MAX_DEPTH))
            fail(o, "initialisers with vectors of integers that do not have 8, 16, 32 or 64 bits");
    } else if (width && inst->op == SpvOpUndef) {
        inst->op = SpvOpConstantNull;
    } else if (width && (inst->op == SpvOpConstant || inst->op == SpvOpSpecConstant)) {
        uint64_t mask = mask_of(width); /* translators extend negative numbers by their sign */
        for (uint32_t i = 0; i < inst->num_words && i < 2; i++)
            inst->words[i] &= (uint32_t)(mask >> 32 * i);
        if (inst->op == SpvOpSpecConstant)
            clear_given(o, inst, width);
    }
}

/* A kernel's argument comes from the application. */
static void clear_arguments(struct odd *o, struct spv_function *function)
{
    struct spv_inst *start = function->first_block->insts.first;
    while (start && start->op == SpvOpVariable)
        start = start->next;
    o->b = (struct spv_builder){o->module, function, function->first_block, start, NULL};
    for (uint32_t i = 0; i < function->params.length; i++) {
        struct spv_inst *param = function->params.data[i];
        uint32_t width = width_of(o, param->type);
        if (!width)
            continue;
        if (spv_type_is_vector(o->module, param->type))
            fail(o, "kernels' arguments of vectors of integers that do not have 8, 16, 32 or 64 bits");
        spv_id id = param->id;
        param->id = spv_new_id(o->module);
        o->module->defs[param->id] = param;
        o->module->defs[id] = NULL;
        spv_remove_annotations(o->module, id);
        const uint32_t words[] = {param->id, constant_like(o, param->type, mask_of(width))};
        spv_inst_insert(&o->b, spv_inst_create(o->module, SpvOpBitwiseAnd, param->type, id, 2, words));
    }
}

const char *spv_widen_odd_integers(struct spv_module *module, uint8_t *widths, uint32_t bound)
{
    struct odd o = {.module = module, .widths = widths, .bound = bound};
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (!o.error)
            change_constant(&o, inst);
    }
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                o.b = (struct spv_builder){module, function, block, inst, NULL};
                if (!o.error && has_odd(&o, inst))
                    change(&o, inst);
            }
        }
    }
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        struct spv_function *function = spv_function_of(module, entry->words[1]);
        if (function && function->first_block && !o.error)
            clear_arguments(&o, function);
    }
    return o.error;
}
