/* For devices without shaderInt8 or shaderInt16: 8- and 16-bit integers are computed in 32 bits.
 *
 *     %s = OpIAdd %uchar %a %b              ->    %s = OpIAdd %uint %a %b          (anything in the upper 24 bits)
 *     %c = OpULessThan %bool %s %d          ->    %t = OpBitwiseAnd %uint %s 255
 *                                                 %c = OpULessThan %bool %t %d     (if %d is known to be clean)
 *
 * Values keep their ids and change their types. For each the pass knows what is in the upper bits: zeros, copies of the
 * sign, or anything. An operation that looks at them asks for one of the first two, and they are made only there.
 * Loads and stores keep the narrow types where the device can access memory in them; Vulkan 1.3, 8-bit and 16-bit
 * storage: such values may be converted, and nothing else. Where it cannot, the passes before have left none.
 *
 * Before: Vulkan's SPIR-V, vectors of at most four. After: narrow integers are only loaded, stored and converted. */
#include "compiler/lower/values/access.h"
#include "compiler/lower/weak/passes.h"
#include "compiler/lower/weak/widen.h"

#include <string.h>

/* ---- values ---- */

static uint32_t narrow_width(const struct widen *w, spv_id type)
{
    if (!type || !spv_type_is_int(w->module, type))
        return 0;
    uint32_t width = spv_type_width(w->module, type);
    return (width == 8 && !w->lower->target->int8) || (width == 16 && !w->lower->target->int16) ? width : 0;
}

static spv_id extended_constant(struct widen *w, const struct spv_inst *def, uint32_t width, enum widen_form form)
{
    spv_id type = widen_type(w, def->type), lanes[4];
    switch (def->op) {
    case SpvOpConstant: {
        uint32_t bits = def->words[0] & ((1u << width) - 1);
        if (form == WIDEN_SIGNS && bits >> (width - 1))
            bits |= ~((1u << width) - 1);
        return spv_const_u32(w->module, bits);
    }
    case SpvOpConstantComposite:
        for (uint32_t i = 0; i < def->num_words && i < 4; i++)
            lanes[i] = extended_constant(w, spv_def(w->module, def->words[i]), width, form);
        return spv_const_composite(w->module, type, def->num_words, lanes);
    case SpvOpConstantNull:
        return spv_const_splat(w->module, type, 0);
    case SpvOpUndef: /* all its uses may look at different bits of it, but each at a number that fits */
        return form == WIDEN_ANY ? spv_undef(w->module, type) : spv_const_splat(w->module, type, 0);
    default:
        lower_fail(w->lower, "%s of %u-bit integers: the device has none", spv_op_name(def->op), width);
        return spv_undef(w->module, type);
    }
}

spv_id widen_operand(struct widen *w, spv_id id, enum widen_form form)
{
    uint32_t width = widen_width(w, id);
    if (!width)
        return id;
    const struct spv_inst *def = spv_def(w->module, id);
    if (!def->block && def->op != SpvOpFunctionParameter)
        return extended_constant(w, def, width, form);
    if (form == WIDEN_ANY || w->form[id] == form)
        return id;
    if (form == WIDEN_ZEROS)
        return spv_emitv(&w->b, SpvOpBitwiseAnd, def->type, id,
                         spv_const_splat(w->module, def->type, (1u << width) - 1));
    return spv_emitv(&w->b, SpvOpBitFieldSExtract, def->type, id, spv_const_u32(w->module, 0),
                     spv_const_u32(w->module, width));
}

static void rename_op(struct spv_inst *inst, SpvOp op)
{
    inst->op = (uint16_t)op;
    inst->hints.no_signed_wrap = 0;
}

void widen_become(struct widen *w, struct spv_inst *inst, spv_id value, enum widen_form form)
{
    inst->type = spv_value_type(w->module, value);
    rename_op(inst, SpvOpCopyObject); /* as long as the walk lasts */
    spv_inst_set_words(w->module, inst, 1, &value);
    w->form[inst->id] = (uint8_t)form;
    spv_replace(w->module, &w->replacements, inst->id, value);
    vec_push(w->module->arena, &w->dead, inst);
}

/* What is known of a value's upper bits. A constant suits every user. */
static bool has_form(const struct widen *w, spv_id id, enum widen_form form)
{
    const struct spv_inst *def = spv_def(w->module, id);
    return w->form[id] == form || (!def->block && def->op != SpvOpFunctionParameter);
}

/* Operands [first, first + count) in a form; the result, where it was narrow, in another. */
static void take(struct widen *w, struct spv_inst *inst, uint32_t first, uint32_t count, enum widen_form form)
{
    for (uint32_t i = first; i < first + count && i < inst->num_words; i++)
        inst->words[i] = widen_operand(w, inst->words[i], form);
}

static void give(struct widen *w, struct spv_inst *inst, enum widen_form form)
{
    if (!widen_width(w, inst->id))
        return;
    inst->type = widen_type(w, inst->type);
    inst->hints.no_signed_wrap = 0; /* now the 32 bits do not overflow, or may */
    w->form[inst->id] = (uint8_t)form;
}

/* The form that operands have in common. */
static enum widen_form common_form(const struct widen *w, const struct spv_inst *inst, uint32_t first, uint32_t count)
{
    bool zeros = true, signs = true;
    for (uint32_t i = first; i < first + count && i < inst->num_words; i++) {
        zeros &= has_form(w, inst->words[i], WIDEN_ZEROS);
        signs &= has_form(w, inst->words[i], WIDEN_SIGNS);
    }
    return zeros ? WIDEN_ZEROS : signs ? WIDEN_SIGNS : WIDEN_ANY;
}

/* The form in which an operation takes its operands. */
static enum widen_form form_of(uint16_t op)
{
    uint32_t flags = spv_op_flags(op);
    return flags & SPV_OP_SIGNED ? WIDEN_SIGNS : flags & SPV_OP_UNSIGNED ? WIDEN_ZEROS : WIDEN_ANY;
}

/* Moves values without looking at them. */
static void move(struct widen *w, struct spv_inst *inst, uint32_t first, uint32_t count)
{
    enum widen_form form = common_form(w, inst, first, count);
    take(w, inst, first, count, form);
    give(w, inst, form);
}

/* ---- types of values ---- */

/* Of structs that functions return. */
static spv_id value_type(struct widen *w, spv_id type)
{
    if (narrow_width(w, type))
        return widen_type(w, type);
    const struct spv_inst *def = spv_def(w->module, type);
    if (!def || def->op != SpvOpTypeStruct)
        return type;
    spv_id known = (spv_id)(uintptr_t)u64_map_get(&w->structs, type);
    if (known)
        return known;
    spv_id *members = arena_array(w->module->arena, spv_id, def->num_words + 1u);
    bool changed = false;
    for (uint32_t i = 0; i < def->num_words; i++) {
        members[i] = value_type(w, def->words[i]);
        changed |= members[i] != def->words[i];
    }
    known = changed ? spv_type_struct(w->module, def->num_words, members) : type;
    u64_map_set(w->module->arena, &w->structs, type, (void *)(uintptr_t)known);
    return known;
}

/* A constant as functions return it, and as structs hold it. */
static spv_id value_constant(struct widen *w, const struct spv_inst *def)
{
    spv_id type = value_type(w, def->type);
    uint32_t width = narrow_width(w, def->type);
    if (type == def->type)
        return def->id;
    if (width)
        return extended_constant(w, def, width, WIDEN_ANY);
    if (def->op == SpvOpUndef)
        return spv_undef(w->module, type);
    if (def->op == SpvOpConstantNull)
        return spv_const_null(w->module, type);
    spv_id *members = arena_array(w->module->arena, spv_id, def->num_words + 1u);
    for (uint32_t i = 0; i < def->num_words; i++)
        members[i] = value_constant(w, spv_def(w->module, def->words[i]));
    return spv_const_composite(w->module, type, def->num_words, members);
}

static spv_id value_operand(struct widen *w, spv_id id)
{
    const struct spv_inst *def = spv_def(w->module, id);
    if (def && !def->block && (spv_op_is_constant(def->op) || def->op == SpvOpUndef))
        return value_constant(w, def);
    return widen_operand(w, id, WIDEN_ANY);
}

static void structure(struct widen *w, struct spv_inst *inst)
{
    uint32_t values = inst->op == SpvOpCompositeExtract ? 1 : inst->op == SpvOpCompositeInsert ? 2 : inst->num_words;
    for (uint32_t i = 0; i < values && i < inst->num_words; i++)
        inst->words[i] = value_operand(w, inst->words[i]);
    inst->type = value_type(w, inst->type);
}

/* ---- arithmetic ---- */

static void convert(struct widen *w, struct spv_inst *inst)
{
    uint32_t from = widen_width(w, inst->words[0]), to = widen_width(w, inst->id);
    bool is_signed = inst->op == SpvOpSConvert;
    enum widen_form form = is_signed ? WIDEN_SIGNS : WIDEN_ZEROS;
    if (to && (!from || from > to)) { /* the lower bits of a wider number */
        spv_id value = widen_operand(w, inst->words[0], WIDEN_ANY);
        if (spv_type_width(w->module, spv_value_type(w->module, value)) != 32)
            value = spv_emitv(&w->b, (SpvOp)inst->op, widen_type(w, inst->type), value);
        widen_become(w, inst, value, WIDEN_ANY);
        return;
    }
    spv_id value = widen_operand(w, inst->words[0], form);
    if (to || spv_type_width(w->module, inst->type) == 32)
        widen_become(w, inst, value, form);
    else /* to 64 bits, or from 8 to 16 that the device has */
        inst->words[0] = value;
}

static void compare_equal(struct widen *w, struct spv_inst *inst)
{
    bool signs = has_form(w, inst->words[0], WIDEN_SIGNS) && has_form(w, inst->words[1], WIDEN_SIGNS);
    take(w, inst, 0, 2, signs ? WIDEN_SIGNS : WIDEN_ZEROS);
}

static void bitwise(struct widen *w, struct spv_inst *inst)
{
    enum widen_form form = common_form(w, inst, 0, inst->num_words);
    bool masks = inst->op == SpvOpBitwiseAnd &&
                 (has_form(w, inst->words[0], WIDEN_ZEROS) || has_form(w, inst->words[1], WIDEN_ZEROS));
    if (inst->op == SpvOpNot && form == WIDEN_ZEROS)
        form = WIDEN_ANY;
    take(w, inst, 0, inst->num_words, form == WIDEN_SIGNS && !masks ? WIDEN_SIGNS : WIDEN_ANY);
    give(w, inst, masks ? WIDEN_ZEROS : form);
}

static void shift(struct widen *w, struct spv_inst *inst, enum widen_form form)
{
    inst->words[0] = widen_operand(w, inst->words[0], form);
    inst->words[1] = widen_operand(w, inst->words[1], WIDEN_ZEROS);
    give(w, inst, form);
}

static bool extended(struct widen *w, struct spv_inst *inst)
{
    bool glsl = inst->words[0] == w->module->ext_glsl;
    switch (glsl ? inst->words[1] : 0) {
    case GLSLstd450SMin:
    case GLSLstd450SMax:
    case GLSLstd450SClamp:
    case GLSLstd450SSign:
        take(w, inst, 2, 3, WIDEN_SIGNS);
        give(w, inst, WIDEN_SIGNS);
        return true;
    case GLSLstd450SAbs:
        take(w, inst, 2, 1, WIDEN_SIGNS);
        give(w, inst, WIDEN_ZEROS);
        return true;
    case GLSLstd450UMin:
    case GLSLstd450UMax:
    case GLSLstd450UClamp:
        take(w, inst, 2, 3, WIDEN_ZEROS);
        give(w, inst, WIDEN_ZEROS);
        return true;
    default:
        return lower_fail(w->lower, "extended instruction %u of small integers: the device has none", inst->words[1]);
    }
}

/* ---- memory and control flow ---- */

static void load(struct widen *w, struct spv_inst *inst)
{
    spv_id narrow = spv_emit(&w->b, SpvOpLoad, inst->type, inst->num_words, inst->words);
    inst->type = widen_type(w, inst->type);
    rename_op(inst, SpvOpUConvert);
    spv_inst_set_words(w->module, inst, 1, &narrow);
    w->form[inst->id] = WIDEN_ZEROS;
}

static void store(struct widen *w, struct spv_inst *inst)
{
    spv_id type = spv_pointer_pointee(w->module, spv_value_type(w->module, inst->words[0]));
    spv_id value = widen_operand(w, inst->words[1], WIDEN_ANY);
    inst->words[1] = spv_emitv(&w->b, SpvOpUConvert, type, value);
}

static void change_switch(struct widen *w, struct spv_inst *inst)
{
    uint32_t mask = (1u << widen_width(w, inst->words[0])) - 1;
    inst->words[0] = widen_operand(w, inst->words[0], WIDEN_ZEROS);
    for (uint32_t i = 2; i + 1 < inst->num_words; i += 2)
        inst->words[i] &= mask;
}

/* ---- sub-groups ---- */

/* A signed minimum or maximum of no values, which an exclusive scan starts with, is that of 32 bits, and is clamped. */
static void collect_signed(struct widen *w, struct spv_inst *inst)
{
    bool least = inst->op == SpvOpGroupNonUniformSMin;
    uint32_t limit = (1u << (widen_width(w, inst->id) - 1)) - 1, words[4];
    spv_id type = widen_type(w, inst->type);
    take(w, inst, 2, 1, WIDEN_SIGNS);
    for (uint32_t i = 0; i < inst->num_words && i < 4; i++)
        words[i] = inst->words[i];
    spv_id value = spv_emit(&w->b, (SpvOp)inst->op, type, inst->num_words, words);
    const spv_id args[] = {value, spv_const_splat(w->module, type, least ? limit : ~limit)};
    value = spv_emit_ext(&w->b, type, spv_import_ext_inst(w->module, "GLSL.std.450"),
                         least ? GLSLstd450SMin : GLSLstd450SMax, 2, args);
    widen_become(w, inst, value, WIDEN_SIGNS);
}

static bool subgroup(struct widen *w, struct spv_inst *inst)
{
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_SUBGROUP_VOTE: /* whether all are equal */
        take(w, inst, 1, 1, WIDEN_ZEROS);
        return true;
    case SPV_CLASS_SUBGROUP_MOVE:
        move(w, inst, 1, 1);
        return true;
    case SPV_CLASS_SUBGROUP_ARITHMETIC:
        if (spv_op_is_signed(inst->op)) {
            collect_signed(w, inst);
            return true;
        }
        take(w, inst, 2, 1, form_of(inst->op));
        give(w, inst, WIDEN_ANY);
        return true;
    case SPV_CLASS_SUBGROUP_BITWISE:
        take(w, inst, 2, 1, WIDEN_ANY);
        give(w, inst, WIDEN_ANY);
        return true;
    default:
        return lower_fail(w->lower, "%s of small integers: the device has none", spv_op_name(inst->op));
    }
}

/* ---- the walk ---- */

static void composite(struct widen *w, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpCompositeConstruct:
    case SpvOpCompositeInsert:
        if (widen_width(w, inst->id))
            move(w, inst, 0, inst->op == SpvOpCompositeInsert ? 2 : inst->num_words);
        else
            structure(w, inst);
        break;
    case SpvOpVectorShuffle:
        move(w, inst, 0, 2);
        break;
    case SpvOpCompositeExtract:
        if (widen_width(w, inst->words[0])) {
            move(w, inst, 0, 1);
        } else { /* of a struct that a function has returned */
            inst->words[0] = value_operand(w, inst->words[0]);
            give(w, inst, WIDEN_ANY);
        }
        break;
    default: /* by an index that is no constant */
        take(w, inst, inst->num_words - 1u, 1, WIDEN_ZEROS);
        if (widen_width(w, inst->id))
            move(w, inst, 0, inst->num_words - 1u);
        break;
    }
}

/* Instructions that are the only ones of their kind. */
static bool change_other(struct widen *w, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpUndef:
        give(w, inst, WIDEN_ANY);
        return true;
    case SpvOpPhi: /* what comes around a loop is not known yet */
        for (uint32_t i = 0; i < inst->num_words; i += 2)
            inst->words[i] = widen_operand(w, inst->words[i], WIDEN_ANY);
        give(w, inst, WIDEN_ANY);
        return true;
    case SpvOpCopyObject:
        move(w, inst, 0, 1);
        return true;
    case SpvOpBitcast:
        widen_bitcast(w, inst, widen_width(w, inst->id) != 0);
        return true;
    case SpvOpSelect:
        move(w, inst, 1, 2);
        return true;
    case SpvOpLoad:
        load(w, inst);
        return true;
    case SpvOpStore:
        store(w, inst);
        return true;
    case SpvOpFunctionCall:
        for (uint32_t i = 1; i < inst->num_words; i++)
            inst->words[i] = value_operand(w, inst->words[i]);
        inst->type = value_type(w, inst->type);
        return true;
    case SpvOpReturnValue:
        inst->words[0] = value_operand(w, inst->words[0]);
        return true;
    case SpvOpSwitch:
        change_switch(w, inst);
        return true;
    case SpvOpExtInst:
        return extended(w, inst);
    default:
        if (spv_op_is_subgroup(inst->op))
            return subgroup(w, inst);
        return lower_fail(w->lower, "%s of small integers: the device has none", spv_op_name(inst->op));
    }
}

static bool change_narrow(struct widen *w, struct spv_inst *inst)
{
    enum widen_form form = form_of(inst->op);
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_INT_ARITHMETIC:
        take(w, inst, 0, 2, WIDEN_ANY);
        give(w, inst, WIDEN_ANY);
        return true;
    case SPV_CLASS_BITWISE:
        bitwise(w, inst);
        return true;
    case SPV_CLASS_SHIFT:
        shift(w, inst, form);
        return true;
    case SPV_CLASS_INT_DIVISION: /* -128 / -1 is 128 */
        take(w, inst, 0, 2, form);
        give(w, inst, form == WIDEN_ZEROS ? WIDEN_ZEROS : WIDEN_ANY);
        return true;
    case SPV_CLASS_INT_TO_INT:
        convert(w, inst);
        return true;
    case SPV_CLASS_INT_TO_FLOAT:
        take(w, inst, 0, 1, form);
        return true;
    case SPV_CLASS_FLOAT_TO_INT:
        rename_op(inst, SpvOpConvertFToS);
        give(w, inst, WIDEN_ANY);
        return true;
    case SPV_CLASS_INT_COMPARISON:
        if (form == WIDEN_ANY)
            compare_equal(w, inst);
        else
            take(w, inst, 0, 2, form);
        return true;
    case SPV_CLASS_COMPOSITE:
        composite(w, inst);
        return true;
    case SPV_CLASS_ACCESS_CHAIN:
        take(w, inst, 1, inst->num_words - 1u, WIDEN_SIGNS);
        return true;
    default:
        return change_other(w, inst);
    }
}

struct search {
    const struct widen *w;
    bool found;
};

static void find_narrow(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct search *search = data;
    (void)inst;
    search->found |= widen_width(search->w, *word) != 0;
}

static bool change_inst(struct widen *w, struct spv_inst *inst)
{
    struct search search = {w, widen_width(w, inst->id) != 0};
    if (!search.found)
        spv_visit_operand_ids(inst, find_narrow, &search);
    struct spv_inst *merge = inst == inst->block->insts.last ? spv_merge_inst(inst->block) : NULL;
    w->b = (struct spv_builder){w->module, inst->block->function, inst->block, merge ? merge : inst, NULL};
    if (search.found || inst->op == SpvOpReturnValue || inst->op == SpvOpFunctionCall)
        return change_narrow(w, inst);
    if (inst->type && spv_type_op(w->module, inst->type) == SpvOpTypeStruct)
        structure(w, inst);
    return true;
}

static void note_widths(struct widen *w)
{
    for (spv_id id = 1; id < w->num_ids; id++) {
        const struct spv_inst *def = w->module->defs[id];
        if (def && def->type && def->op != SpvOpFunction)
            w->width[id] = (uint8_t)narrow_width(w, def->type);
    }
}

static bool run(struct lower *lower)
{
    struct widen w = {.lower = lower, .module = lower->module, .num_ids = lower->module->bound};
    w.width = arena_array(spv_scratch(lower->module), uint8_t, w.num_ids);
    w.form = arena_array(spv_scratch(lower->module), uint8_t, w.num_ids);
    note_widths(&w);
    spv_foreach_function (function, lower->module) {
        for (uint32_t i = 0; i < function->params.length; i++)
            function->params.data[i]->type = value_type(&w, function->params.data[i]->type);
        function->def->type = value_type(&w, function->def->type);
        lower_update_function_type(lower->module, function);
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                if (!change_inst(&w, inst))
                    return false;
            }
        }
        spv_apply_replacements(lower->module, &w.replacements, function);
        spv_finish_replacements(lower->module, &w.replacements);
        vec_foreach (struct spv_inst *, copy, &w.dead) {
            spv_remove_annotations(lower->module, (*copy)->id);
            spv_inst_remove(lower->module, *copy);
        }
        w.dead.length = 0;
    }
    return !lower->error;
}

bool lower_widen(struct lower *lower)
{
    if (lower->target->int8 && lower->target->int16) {
        lower->idle = true;
        return true;
    }
    struct arena_mark mark = spv_scratch_begin(lower->module);
    bool done = run(lower);
    spv_scratch_end(lower->module, mark);
    return done;
}
