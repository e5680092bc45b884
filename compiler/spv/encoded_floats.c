/* Floats of other encodings than IEEE 754's: SPV_KHR_bfloat16, SPV_EXT_float8 and SPV_EXT_ocp_microscaling_types. When a
 * module is read, their types become those of integers that hold their codes, of 16 or 8 bits, and instructions that
 * compute with them become arithmetic of floats:
 *
 *     %b = OpFConvert %bfloat %a       ->   integer arithmetic on the bits of %a
 *     %e = OpFConvert %e4m3 %a         ->   OpFunctionCall %uint %__pumice_e4m3_from_float %a 127 0, converted
 *     %d = OpDot %bfloat %v %w         ->   the dot product of both as floats, converted
 *     %s = OpFAdd %bfloat %b %c        ->   the sum of both as floats, converted (SPV_EXT_bfloat16_arithmetic)
 *
 * The called functions are the library's (builtins/lib/small_float.cl), lane by lane. What moves values stays. Of 4 and
 * 6 bits the upper ones are 0. Such values are in no memory but private memory, so nobody sees that they have a byte each.
 *
 * The types change first, since spv_check_scope() knows no such type. Then it is known of the module's scope that types
 * are types and numbers have their sizes. Of functions nothing is known but that operands are there: ids may be
 * undefined, and types wrong. */
#include "check.h"

#include "base/util.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LANES = 16, MAX_DEPTH = 16, NO_SCALE = 127, SATURATES = 4, SATURATED_TO_LARGEST = 4216 };

/* Rows of a module's types by id are indexes + 1. name: as the library's bodies have it. */
static const struct encoding {
    uint32_t number, width;
    const char *name;
    enum spv_matrix_encoding matrix; /* SPV_MATRIX_NUMBERS: there are no matrices of it */
} encodings[] = {{SPV_FLOAT_BFLOAT16, 16, "bfloat16", SPV_MATRIX_BFLOAT16},
                 {SPV_FLOAT_E4M3, 8, "e4m3", SPV_MATRIX_E4M3},
                 {SPV_FLOAT_E5M2, 8, "e5m2", SPV_MATRIX_E5M2},
                 {4223, 6, "e2m3", SPV_MATRIX_NUMBERS},
                 {4224, 6, "e3m2", SPV_MATRIX_NUMBERS},
                 {4225, 4, "e2m1", SPV_MATRIX_NUMBERS},
                 {6214, 4, "e2m1", SPV_MATRIX_NUMBERS},
                 {4226, 8, "e8m0", SPV_MATRIX_NUMBERS},
                 {4227, 8, "mxint8", SPV_MATRIX_NUMBERS}};

struct encoded {
    struct spv_module *module;
    const uint8_t *types; /* by id: the row in `encodings` + 1 of those that were such floats */
    uint32_t bound;       /* of it */
    const char *error;
    bool found; /* an operand of such a type */
};

static void fail(struct encoded *e, const char *what)
{
    if (!e->error)
        e->error = what;
}

/* Of it, or of vectors of it; NULL: it is none. */
static const struct encoding *encoding_of(const struct encoded *e, spv_id type)
{
    const struct spv_inst *def = spv_def(e->module, type);
    spv_id component = def && def->op == SpvOpTypeVector ? def->words[0] : type;
    return component < e->bound && e->types[component] ? &encodings[e->types[component] - 1] : NULL;
}

static const struct encoding *encoding_of_value(const struct encoded *e, spv_id value)
{
    return encoding_of(e, spv_value_type(e->module, value));
}

static bool is_bfloat16(const struct encoding *encoding)
{
    return encoding == &encodings[0];
}

/* ---- types ---- */

static uint8_t find_encoding(const struct spv_inst *type)
{
    for (uint8_t i = 0; i < ARRAY_LENGTH(encodings); i++) {
        if (encodings[i].number == type->words[1] && encodings[i].width == type->words[0])
            return i + 1;
    }
    return 0;
}

/* Matrices of codes are told from those of integers by their use. */
static void mark_matrix(struct spv_module *module, struct spv_inst *matrix, enum spv_matrix_encoding encoding)
{
    const struct spv_inst *use = spv_def(module, matrix->words[4]);
    if (!use || use->op != SpvOpConstant || use->num_words != 1)
        return; /* spv_check_matrix_numbers() refuses it */
    const uint32_t marked = use->words[0] | (uint32_t)encoding;
    struct spv_inst *constant = spv_inst_create(module, SpvOpConstant, use->type, spv_new_id(module), 1, &marked);
    spv_list_insert(&module->sections[SPV_SECTION_GLOBAL], constant, matrix->prev);
    spv_define(module, constant);
    matrix->words[4] = constant->id;
}

const char *spv_take_encoded_types(struct spv_module *module, uint8_t **types)
{
    uint32_t bound = module->bound;
    *types = arena_array(module->arena, uint8_t, bound);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        uint8_t of = inst->op == SpvOpTypeCooperativeMatrixKHR && inst->words[0] < bound ? (*types)[inst->words[0]] : 0;
        if (of && inst->prev && encodings[of - 1].matrix)
            mark_matrix(module, inst, encodings[of - 1].matrix);
        if (inst->op != SpvOpTypeFloat || inst->num_words < 2)
            continue;
        uint8_t row = find_encoding(inst);
        if (!row)
            return "floats of an encoding that is not supported";
        const uint32_t words[] = {encodings[row - 1].width == 16 ? 16 : 8, 0};
        (*types)[inst->id] = row;
        inst->op = SpvOpTypeInt;
        spv_inst_set_words(module, inst, 2, words);
        spv_add_capability(module, words[0] == 16 ? SpvCapabilityInt16 : SpvCapabilityInt8);
    }
    return NULL;
}

/* Whether memory of the type has floats of 4 or 6 bits in it. */
static bool holds_less_than_bytes(const struct encoded *e, spv_id type, uint32_t depth)
{
    const struct spv_inst *def = spv_def(e->module, type);
    const struct encoding *encoding = encoding_of(e, type);
    bool array = def && def->op == SpvOpTypeArray, holds = encoding && encoding->width < 8;
    for (uint32_t i = 0; def && (array ? i < 1 : def->op == SpvOpTypeStruct && i < def->num_words) && depth; i++)
        holds = holds || holds_less_than_bytes(e, def->words[i], depth - 1);
    return holds;
}

static bool is_private(uint32_t storage)
{
    return storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate;
}

static void check_global(struct encoded *e, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpTypePointer:
        if (!is_private(inst->words[0]) && holds_less_than_bytes(e, inst->words[1], MAX_DEPTH))
            fail(e, "floats of 4 or 6 bits are in private memory only; elsewhere have integers of their codes");
        break;
    case SpvOpConstant:
    case SpvOpSpecConstant: {
        const struct encoding *encoding = encoding_of(e, inst->type);
        if (encoding && inst->num_words)
            inst->words[0] &= (1u << encoding->width) - 1;
        break;
    }
    default:
        break;
    }
}

/* ---- conversions ---- */

static spv_id floats_like(const struct encoded *e, spv_id type)
{
    return spv_type_vector(e->module, spv_type_float(e->module, 32), spv_type_count(e->module, type));
}

static bool is_float_of(const struct encoded *e, spv_id type, uint32_t width)
{
    return spv_type_is_float(e->module, type) && spv_type_width(e->module, type) == width;
}

static spv_id lane_of(struct spv_builder *b, spv_id value, uint32_t lane)
{
    spv_id type = spv_value_type(b->module, value);
    if (!spv_type_is_vector(b->module, type))
        return value;
    return spv_emitv(b, SpvOpCompositeExtract, spv_type_component(b->module, type), value, lane);
}

/* A library function's results for all lanes; the arguments behind the first are the same for each. */
static spv_id by_lanes(struct spv_builder *b, const char *name, spv_id type, uint32_t count, spv_id *args)
{
    spv_id lanes[MAX_LANES], value = args[0], component = spv_type_component(b->module, type);
    uint32_t num_lanes = spv_type_count(b->module, type);
    for (uint32_t i = 0; i < num_lanes; i++) {
        args[0] = lane_of(b, value, i);
        lanes[i] = spv_emit_import_call(b, name, component, count, args);
    }
    return num_lanes == 1 ? lanes[0] : spv_emit(b, SpvOpCompositeConstruct, type, num_lanes, lanes);
}

static spv_id uints_like(struct spv_builder *b, spv_id type)
{
    return spv_type_vector(b->module, spv_type_int(b->module, 32), spv_type_count(b->module, type));
}

/* Floats as codes of the type. how: the library's, a rounding and whether it saturates. */
static spv_id codes_of(const struct encoded *e, struct spv_builder *b, spv_id floats, spv_id type, uint32_t how)
{
    const struct encoding *encoding = encoding_of(e, type);
    char name[64];
    if (is_bfloat16(encoding) && !how)
        return spv_emit_bfloat16(b, floats, type);
    if (is_bfloat16(encoding)) {
        spv_id u16 = spv_type_int(e->module, 16);
        spv_id codes = spv_type_vector(e->module, u16, spv_type_count(e->module, type));
        return by_lanes(b, "__pumice_bfloat16_rounded", codes, 2, (spv_id[]){floats, spv_const_u32(e->module, how)});
    }
    snprintf(name, sizeof(name), "__pumice_%s_from_float", encoding->name);
    spv_id args[] = {floats, spv_const_u32(e->module, NO_SCALE), spv_const_u32(e->module, how)};
    return spv_emitv(b, SpvOpUConvert, type, by_lanes(b, name, uints_like(b, type), 3, args));
}

static spv_id floats_of(const struct encoded *e, struct spv_builder *b, spv_id value)
{
    spv_id type = spv_value_type(e->module, value);
    const struct encoding *encoding = encoding_of(e, type);
    char name[64];
    if (is_bfloat16(encoding))
        return spv_emit_from_bfloat16(b, value);
    snprintf(name, sizeof(name), "__pumice_float_from_%s", encoding->name);
    spv_id args[] = {spv_emitv(b, SpvOpUConvert, uints_like(b, type), value), spv_const_u32(e->module, NO_SCALE)};
    return by_lanes(b, name, floats_like(e, type), 2, args);
}

/* ---- instructions ---- */

static void become(struct encoded *e, struct spv_inst *inst, SpvOp op, spv_id value)
{
    inst->op = (uint16_t)op;
    spv_inst_set_words(e->module, inst, 1, &value);
}

void spv_drop_arithmetic_decorations(struct spv_module *module, spv_id id)
{
    static const uint32_t gone[] = {SpvDecorationFPRoundingMode, SATURATED_TO_LARGEST, SpvDecorationFPFastMathMode,
                                    SpvDecorationNoContraction};
    for (uint32_t i = 0; i < ARRAY_LENGTH(gone); i++) {
        struct spv_inst *decoration;
        while ((decoration = spv_find_decoration(module, id, (SpvDecoration)gone[i])))
            spv_inst_remove(module, decoration);
    }
}

static void become_copy(struct encoded *e, struct spv_inst *inst, spv_id value)
{
    become(e, inst, SpvOpCopyObject, value);
    spv_drop_arithmetic_decorations(e->module, inst->id);
}

static bool same_lanes(struct encoded *e, const struct spv_inst *inst)
{
    uint32_t from = spv_type_count(e->module, spv_value_type(e->module, inst->words[0]));
    uint32_t to = spv_type_count(e->module, inst->type);
    if (from != to || to > MAX_LANES)
        fail(e, "a conversion of floats of other encodings to another number of lanes");
    return from == to && to <= MAX_LANES;
}

/* SPIR-V's numbers of rounding modes are the library's. */
uint32_t spv_encoding_how(const struct spv_module *module, const struct spv_inst *inst)
{
    const struct spv_inst *rounding = spv_find_decoration(module, inst->id, SpvDecorationFPRoundingMode);
    bool saturates = spv_find_decoration(module, inst->id, (SpvDecoration)SATURATED_TO_LARGEST) != NULL;
    return (rounding && rounding->num_words > 2 ? rounding->words[2] & 3 : 0) | (saturates ? SATURATES : 0);
}

static spv_id round_to_float(struct encoded *e, struct spv_builder *b, const struct spv_inst *inst, uint32_t how)
{
    const uint32_t mode = how & 3;
    spv_id floats = spv_emitv(b, (SpvOp)inst->op, floats_like(e, inst->type), inst->words[0]);
    if (mode)
        spv_decorate(e->module, floats, SpvDecorationFPRoundingMode, 1, &mode);
    return floats;
}

/* The number that becomes a code, as a float; 0: it is none. SPV_KHR_bfloat16: conversions to bfloat16 convert to float
 * first. So they round doubles and large integers twice. To the others nothing is lost: a double is rounded to odd, and
 * integers that are no floats are beyond these formats. */
static spv_id as_floats(struct encoded *e, struct spv_builder *b, const struct spv_inst *inst, uint32_t how)
{
    spv_id value = inst->words[0], from = spv_value_type(e->module, value);
    bool twice = is_bfloat16(encoding_of(e, inst->type));
    if (inst->op == SpvOpFConvert && encoding_of(e, from))
        return floats_of(e, b, value);
    if (inst->op == SpvOpFConvert && is_float_of(e, from, 32))
        return value;
    if (inst->op == SpvOpFConvert && is_float_of(e, from, 64) && !twice)
        return by_lanes(b, "__pumice_odd_from_double", floats_like(e, from), 1, &value);
    bool to_float = inst->op == SpvOpConvertSToF || inst->op == SpvOpConvertUToF;
    if (inst->op == SpvOpFConvert ? spv_type_is_float(e->module, from)
                                  : to_float && spv_type_is_int(e->module, from) && !encoding_of(e, from))
        return round_to_float(e, b, inst, how);
    return 0;
}

static void narrow(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    uint32_t how = spv_encoding_how(e->module, inst);
    spv_id floats = same_lanes(e, inst) ? as_floats(e, b, inst, how) : 0;
    if (floats)
        become_copy(e, inst, codes_of(e, b, floats, inst->type, how));
    else
        fail(e, "a conversion to floats of another encoding of what is no number");
}

static void widen(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    if (!same_lanes(e, inst))
        return;
    spv_id floats = floats_of(e, b, inst->words[0]);
    if (is_float_of(e, inst->type, 32))
        become_copy(e, inst, floats);
    else
        become(e, inst, (SpvOp)inst->op, floats);
}

static void convert(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    const struct encoding *to = encoding_of(e, inst->type);
    if (!to)
        widen(e, b, inst);
    else if (inst->op == SpvOpFConvert && to == encoding_of_value(e, inst->words[0]))
        become_copy(e, inst, inst->words[0]);
    else
        narrow(e, b, inst);
}

/* SPV_EXT_bfloat16_arithmetic: in floats. Operands begin at that word. */
static void compute(struct encoded *e, struct spv_builder *b, struct spv_inst *inst, uint32_t first)
{
    for (uint32_t i = first; i < inst->num_words; i++) {
        const struct encoding *encoding = encoding_of_value(e, inst->words[i]);
        if (encoding && !is_bfloat16(encoding))
            fail(e,
                 arena_printf(e->module->arena, "%s of %s: compute in float", spv_op_name(inst->op), encoding->name));
        else if (encoding)
            inst->words[i] = spv_emit_from_bfloat16(b, inst->words[i]);
    }
    if (e->error || !encoding_of(e, inst->type))
        return;
    spv_id floats = spv_emit(b, (SpvOp)inst->op, floats_like(e, inst->type), inst->num_words, inst->words);
    become_copy(e, inst, spv_emit_bfloat16(b, floats, inst->type));
}

static bool points_to_encoded(const struct encoded *e, spv_id value)
{
    spv_id type = spv_value_type(e->module, value);
    return spv_type_is_pointer(e->module, type) && encoding_of(e, spv_pointer_pointee(e->module, type));
}

/* Functions that move values work on the codes. */
static void compute_extended(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    if (inst->hints.ext_set != SPV_EXT_SET_OPENCL)
        return;
    switch (inst->words[1]) {
    case OpenCLstd_Bitselect:
    case OpenCLstd_Select:
    case OpenCLstd_Shuffle:
    case OpenCLstd_Shuffle2:
    case OpenCLstd_Vloadn:
    case OpenCLstd_Vstoren:
        return;
    default:
        break;
    }
    for (uint32_t i = 2; i < inst->num_words; i++) {
        if (points_to_encoded(e, inst->words[i]))
            fail(e, "a function of OpenCL.std with a pointer to floats of another encoding");
    }
    compute(e, b, inst, 2);
}

/* ---- bits ---- */

static uint32_t narrow_width(const struct encoded *e, spv_id type)
{
    const struct encoding *encoding = encoding_of(e, type);
    return encoding && encoding->width < 8 ? encoding->width : 0;
}

/* Of 4 and 6 bits the values are packed. */
static void cast_bits(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    spv_id from = spv_value_type(e->module, inst->words[0]);
    uint32_t width = narrow_width(e, from), to_width = narrow_width(e, inst->type);
    if ((!width && !to_width) || from == inst->type)
        return;
    spv_id value = spv_emit_bit_cast(b, inst->words[0], width, inst->type, to_width);
    if (value)
        become_copy(e, inst, value);
    else
        fail(e, "a cast of floats of 4 or 6 bits to another size");
}

static spv_id ints_of(const struct encoded *e, uint32_t width, spv_id like)
{
    return spv_type_vector(e->module, spv_type_int(e->module, width), spv_type_count(e->module, like));
}

/* SPV_EXT_ocp_microscaling_types: the bits of each component from the offset on, as many as the result has. */
static void extract_bits(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    struct spv_module *module = e->module;
    spv_id base = inst->words[0], from = spv_value_type(module, base), type = inst->type;
    spv_id offset = inst->words[1], counts = spv_value_type(module, offset);
    bool numbers = (spv_type_is_int(module, from) || spv_type_is_float(module, from)) &&
                   (spv_type_is_int(module, type) || spv_type_is_float(module, type)) &&
                   spv_type_op(module, counts) == SpvOpTypeInt;
    uint32_t width = numbers ? spv_type_width(module, from) : 0, narrow = narrow_width(e, type);
    uint32_t to = numbers ? spv_type_width(module, type) : 0;
    if (!numbers || (narrow ? narrow : to) >= width || !same_lanes(e, inst)) {
        fail(e, "OpBitcastExtractEXT of other types");
        return;
    }
    spv_id ints = ints_of(e, width, from), lanes[MAX_LANES];
    if (spv_type_is_float(module, from))
        base = spv_emitv(b, SpvOpBitcast, ints, base);
    if (spv_type_width(module, counts) != width)
        offset = spv_emitv(b, SpvOpUConvert, spv_type_int(module, width), offset);
    for (uint32_t i = 0; i < MAX_LANES; i++)
        lanes[i] = offset;
    if (spv_type_is_vector(module, ints))
        offset = spv_emit(b, SpvOpCompositeConstruct, ints, spv_type_count(module, ints), lanes);
    spv_id bits = spv_emitv(b, SpvOpShiftRightLogical, ints, base, offset);
    if (narrow)
        bits = spv_emitv(b, SpvOpBitwiseAnd, ints, bits, spv_const_splat(module, ints, (1u << narrow) - 1));
    if (to != width)
        bits = spv_emitv(b, SpvOpUConvert, ints_of(e, to, type), bits);
    become(e, inst, spv_value_type(module, bits) == type ? SpvOpCopyObject : SpvOpBitcast, bits);
}

/* ---- the whole ---- */

static void note_value(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct encoded *e = data;
    (void)inst;
    e->found |= encoding_of_value(e, *word) != NULL;
}

static void change(struct encoded *e, struct spv_builder *b, struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpFConvert:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertUToF:
    case SpvOpConvertSToF:
        convert(e, b, inst);
        break;
    case SpvOpBitcast:
        cast_bits(e, b, inst);
        break;
    case SpvOpExtInst:
        compute_extended(e, b, inst);
        break;
    case SpvOpUndef:
    case SpvOpPoisonKHR:
    case SpvOpFreezeKHR:
    case SpvOpArithmeticFenceEXT:
    case SpvOpFPGARegINTEL:
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpCopyObject:
    case SpvOpFunctionCall:
    case SpvOpReturnValue:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeConstructReplicateEXT:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        break;
    case SpvOpDot:
    case SpvOpVectorTimesScalar:
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpIsFinite:
    case SpvOpIsNormal:
    case SpvOpSignBitSet:
    case SpvOpLessOrGreater:
    case SpvOpOrdered:
    case SpvOpUnordered:
        compute(e, b, inst, 0);
        break;
    default:
        if (spv_op_class(inst->op) == SPV_CLASS_FLOAT_COMPARISON)
            compute(e, b, inst, 0);
        else
            fail(e, arena_printf(e->module->arena, "%s of floats of another encoding: compute in float",
                                 spv_op_name(inst->op)));
    }
}

static void change_all(struct encoded *e, struct spv_function *function)
{
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            struct spv_builder b = {e->module, function, block, inst, NULL};
            if (inst->op == SpvOpBitcastExtractEXT) {
                extract_bits(e, &b, inst);
                continue;
            }
            e->found = inst->type && encoding_of(e, inst->type);
            spv_visit_operand_ids(inst, note_value, e);
            if (e->found && !e->error)
                change(e, &b, inst);
        }
    }
}

/* Constant expressions that move values may stay. */
static bool is_computed(const struct encoded *e, const struct spv_inst *inst)
{
    switch (inst->op == SpvOpSpecConstantOp ? inst->words[0] : SpvOpNop) {
    case SpvOpBitcast:
        return narrow_width(e, inst->type) || narrow_width(e, spv_value_type(e->module, inst->words[1]));
    case SpvOpNop:
    case SpvOpSelect:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return false;
    default:
        return true;
    }
}

const char *spv_take_encoded_floats(struct spv_module *module, const uint8_t *types, uint32_t bound)
{
    struct encoded e = {.module = module, .types = types, .bound = bound};
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        e.found = inst->type && encoding_of(&e, inst->type);
        spv_visit_operand_ids(inst, note_value, &e);
        if (e.found && is_computed(&e, inst))
            fail(&e, "a constant expression of floats of another encoding");
        check_global(&e, inst);
    }
    spv_foreach_function (function, module)
        change_all(&e, function);
    return e.error;
}
