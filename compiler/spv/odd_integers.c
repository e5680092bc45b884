/* SPV_INTEL_arbitrary_precision_integers, up to 64 bits: modules with integers of 4, 24 or 48 bits become modules whose
 * integers have 8, 16, 32 or 64, when they are read. The bits above are always 0. So most operations stay what they
 * are; after those that could set these bits they are cleared, and before those that look at the sign it is spread:
 *
 *     %s = OpIAdd %int24 %a %b         ->   %1 = OpIAdd %int32 %a %b
 *                                           %s = OpBitwiseAnd %int32 %1 0xffffff
 *     %l = OpSLessThan %bool %a %b     ->   %2 = OpShiftRightArithmetic %int32 (OpShiftLeftLogical %int32 %a 8) 8 ...
 *                                           %l = OpSLessThan %bool %2 %3
 *
 * In memory such an integer takes the place of the wider one, which is what LLVM lays out. What is loaded, or comes as
 * a kernel's argument, loses the bits above, since nobody says who wrote it.
 *
 * The types change first, since other widths are refused by spv_check_scope(). Then it is known of the module's scope
 * that types are types and numbers have their sizes. Of functions nothing is known but that operands are there: ids may
 * be undefined, and types wrong. */
#include "check.h"

#include "base/util.h"

struct odd {
    struct spv_module *module;
    const char *error;
    uint8_t *widths; /* by id, of integer types: the bits that they had; 0: others */
    uint32_t bound;  /* of it */
    struct spv_builder b;
    bool found; /* an odd operand */
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

/* ---- types and constants ---- */

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

/* Translators extend negative numbers by their sign. */
static void clear_constants(struct odd *o)
{
    spv_foreach_inst (inst, &o->module->sections[SPV_SECTION_GLOBAL]) {
        uint32_t width = inst->type ? width_of(o, inst->type) : 0;
        if (!width)
            continue;
        if (inst->op == SpvOpSpecConstantOp) {
            fail(o, "a constant expression of integers that do not have 8, 16, 32 or 64 bits");
        } else if (inst->op == SpvOpUndef) {
            inst->op = SpvOpConstantNull;
        } else if (inst->op == SpvOpConstant || inst->op == SpvOpSpecConstant) {
            uint64_t mask = mask_of(width);
            for (uint32_t i = 0; i < inst->num_words && i < 2; i++)
                inst->words[i] &= (uint32_t)(mask >> 32 * i);
        }
    }
}

/* ---- bits ---- */

static spv_id constant_like(struct odd *o, spv_id type, uint64_t value)
{
    return spv_const_splat(o->module, type, value);
}

/* The value with its sign in the bits above. */
static spv_id spread(struct odd *o, spv_id value)
{
    spv_id type = spv_value_type(o->module, value);
    uint32_t width = width_of(o, type);
    if (!width)
        return value;
    spv_id above = constant_like(o, type, wide(width) - width);
    spv_id shifted = spv_emitv(&o->b, SpvOpShiftLeftLogical, type, value, above);
    return spv_emitv(&o->b, SpvOpShiftRightArithmetic, type, shifted, above);
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
    spv_id before = spv_new_id(o->module);
    spv_inst_insert(&o->b, spv_inst_copy(o->module, inst, before));
    const uint32_t words[] = {before, constant_like(o, inst->type, operand)};
    inst->op = (uint16_t)op;
    spv_inst_set_words(o->module, inst, 2, words);
}

static void clear_above(struct odd *o, struct spv_inst *inst)
{
    uint32_t width = width_of(o, inst->type);
    if (width)
        follow(o, inst, SpvOpBitwiseAnd, mask_of(width));
}

/* ---- instructions ---- */

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

static void change_extended(struct odd *o, struct spv_inst *inst)
{
    uint32_t width = width_of(o, inst->type);
    bool known = inst->hints.ext_set == SPV_EXT_SET_OPENCL && width && inst->num_words > 2;
    switch (known ? inst->words[1] : UINT32_MAX) {
    case OpenCLstd_UMin:
    case OpenCLstd_UMax:
    case OpenCLstd_Popcount:
        break;
    case OpenCLstd_SMin:
    case OpenCLstd_SMax:
    case OpenCLstd_SAbs:
        spread_operands(o, inst, 2, 2);
        clear_above(o, inst);
        break;
    case OpenCLstd_Clz:
        follow(o, inst, SpvOpISub, wide(width) - width);
        break;
    case OpenCLstd_Ctz: /* of 0: the width */
        inst->words[2] = spv_emitv(&o->b, SpvOpBitwiseOr, inst->type, inst->words[2],
                                   constant_like(o, inst->type, (uint64_t)1 << width));
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
    o->found = inst->type && width_of(o, inst->type);
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
    case SpvOpLoad:
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
    case SpvOpUndef:
        inst->op = SpvOpBitwiseXor; /* of a number with itself: 0 */
        spv_inst_set_words(o->module, inst, 2,
                           (const uint32_t[]){constant_like(o, inst->type, 0), constant_like(o, inst->type, 0)});
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
    case SpvOpStore:
    case SpvOpCopyObject:
    case SpvOpFunctionCall:
    case SpvOpReturnValue:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
    case SpvOpFreezeKHR:
        break;
    default:
        if (!spv_op_is_chain(inst->op) && !spv_op_is_lifetime(inst->op))
            fail(o,
                 arena_printf(o->module->arena, "%s of integers that do not have 8, 16, 32 or 64 bits is not supported",
                              spv_op_name(inst->op)));
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
    clear_constants(&o);
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
