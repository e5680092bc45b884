/* Cooperative matrices that are not the device's own (native_matrices.c) become arrays, as a part of extract. A work-item holds the components i * S + s of a matrix, row by
 * row, where S is the size of the sub-group and s the work-item's place in it. Where a matrix has fewer components than
 * the sub-group has work-items, these begin again at the first one: they hold, and store, the same.
 *
 *     OpTypeCooperativeMatrixKHR %c %3 %rows %columns %use   ->   OpTypeArray %c %length
 *     OpConstantComposite %m %x, OpCompositeConstruct %m %x  ->   one with %x in all members
 *     OpFAdd %m %a %b                                        ->   OpFAdd of the members
 *     OpCooperativeMatrixLoadKHR %m %p %layout %stride       ->   OpLoad of the members
 *     OpCooperativeMatrixMulAddKHR %m %a %b %c               ->   stays, for lower/builtins/matrix.c
 *
 * All else that is done with values (variables, their access chains, calls, phis) is done with arrays as with
 * matrices. An index beyond a work-item's last component is undefined behaviour, but may be in code that never runs. */
#include "compiler/lower/ends/ends.h"
#include "compiler/lower/values/launch.h"
#include "compiler/lower/values/matrices.h"

#include "base/util.h"

/* ---- types ---- */

static uint32_t constant_of(const struct lower *lower, spv_id id)
{
    uint64_t value = 0;
    spv_const_value(lower->program, id, &value);
    return (uint32_t)value;
}

/* An array of its own, whatever other arrays of that length there are: it is known as a matrix by its type. */
static spv_id make_array(struct lower *lower, const struct lower_matrix *matrix)
{
    struct spv_module *module = lower->module;
    const uint32_t words[] = {matrix->component, spv_const_u32(module, matrix->length)};
    return spv_const_inst(module, SpvOpTypeArray, 0, 2, words);
}

void lower_import_matrices(struct lower *lower, struct spv_import *import)
{
    if (!spv_has_capability(lower->program, SpvCapabilityCooperativeMatrixKHR))
        return;
    if (lower_may_have_native_matrices(lower)) {
        lower_import_native_matrices(lower, import);
        return;
    }
    uint32_t lanes = lower_matrix_lanes(lower);
    spv_foreach_inst (type, &lower->program->sections[SPV_SECTION_GLOBAL]) {
        if (type->op != SpvOpTypeCooperativeMatrixKHR)
            continue;
        struct lower_matrix *matrix = arena_new(lower->arena, struct lower_matrix);
        matrix->component = spv_import_id(import, type->words[0]);
        matrix->rows = constant_of(lower, type->words[2]);
        matrix->columns = constant_of(lower, type->words[3]);
        uint32_t use = constant_of(lower, type->words[4]);
        matrix->use = use & ~(uint32_t)SPV_MATRIX_ENCODINGS;
        matrix->encoding = (enum spv_matrix_encoding)(use & SPV_MATRIX_ENCODINGS);
        matrix->length = lanes ? (matrix->rows * matrix->columns + lanes - 1) / lanes : 1;
        matrix->length = matrix->length ? matrix->length : 1;
        spv_id array = make_array(lower, matrix);
        u64_map_set(lower->arena, &lower->matrices, array, matrix);
        spv_set_imported(import, type->id, array);
    }
}

static const struct lower_matrix *matrix_of(const struct lower *lower, spv_id type)
{
    return type ? u64_map_get(&lower->matrices, type) : NULL;
}

/* Kernels of one program have its matrix types in common, but need not use them all. */
struct used {
    struct lower *lower;
    struct u64_map types;
};

static bool note_type(struct used *used, spv_id type)
{
    const struct lower_matrix *matrix = matrix_of(used->lower, type);
    if (!matrix || u64_map_has(&used->types, type))
        return true;
    u64_map_set(used->lower->module->arena, &used->types, type, used);
    return lower_offers_matrix(used->lower, matrix);
}

/* ---- constants and composites ---- */

static void repeat(struct spv_module *module, struct spv_inst *inst, uint32_t length)
{
    uint32_t *words = arena_array(module->arena, uint32_t, length);
    for (uint32_t i = 0; i < length; i++)
        words[i] = inst->words[0];
    spv_inst_set_words(module, inst, length, words);
}

static void repeat_constants(struct lower *lower)
{
    spv_foreach_inst (inst, &lower->module->sections[SPV_SECTION_GLOBAL]) {
        const struct lower_matrix *matrix = matrix_of(lower, inst->type);
        if (matrix && inst->op == SpvOpConstantComposite)
            repeat(lower->module, inst, matrix->length);
    }
}

/* Whether the indices from words[first] on go beyond a work-item's part of a matrix. */
static bool is_beyond(const struct lower *lower, const struct spv_inst *inst, spv_id type, uint32_t first)
{
    for (uint32_t i = first; i < inst->num_words; i++) {
        const struct lower_matrix *matrix = matrix_of(lower, type);
        const struct spv_inst *def = spv_def(lower->module, type);
        if (matrix)
            return inst->words[i] >= matrix->length;
        type = def->op == SpvOpTypeStruct ? def->words[inst->words[i]] : def->words[0];
    }
    return false;
}

static void become_copy(struct spv_module *module, struct spv_inst *inst, spv_id value)
{
    inst->op = SpvOpCopyObject;
    spv_inst_set_words(module, inst, 1, &value);
}

/* ---- components ---- */

enum { NO_SCALE = 127 };

struct parts {
    struct lower *lower;
    struct spv_module *module;
    struct spv_builder b;
    struct spv_inst *inst;
};

static spv_id part_of(struct parts *p, spv_id value, uint32_t index)
{
    const struct lower_matrix *matrix = matrix_of(p->lower, spv_value_type(p->module, value));
    return matrix ? spv_emitv(&p->b, SpvOpCompositeExtract, matrix->component, value, index) : value;
}

/* The float that a code stands for. Those of 8 bits are the library's affair (builtins/lib/small_float.cl). */
static spv_id float_of(struct parts *p, const struct lower_matrix *from, spv_id code)
{
    bool e4m3 = from->encoding == SPV_MATRIX_E4M3;
    if (from->encoding == SPV_MATRIX_BFLOAT16)
        return spv_emit_from_bfloat16(&p->b, code);
    const spv_id args[] = {spv_emitv(&p->b, SpvOpUConvert, spv_type_int(p->module, 32), code),
                           spv_const_u32(p->module, NO_SCALE)};
    return spv_emit_import_call(&p->b, e4m3 ? "__pumice_float_from_e4m3" : "__pumice_float_from_e5m2",
                                spv_type_float(p->module, 32), ARRAY_LENGTH(args), args);
}

static spv_id code_of(struct parts *p, const struct lower_matrix *to, spv_id value, uint32_t how)
{
    bool e4m3 = to->encoding == SPV_MATRIX_E4M3;
    if (to->encoding == SPV_MATRIX_BFLOAT16 && !how)
        return spv_emit_bfloat16(&p->b, value, to->component);
    if (to->encoding == SPV_MATRIX_BFLOAT16)
        return spv_emit_import_call(&p->b, "__pumice_bfloat16_rounded", to->component, 2,
                                    (const spv_id[]){value, spv_const_u32(p->module, how)});
    const spv_id args[] = {value, spv_const_u32(p->module, NO_SCALE), spv_const_u32(p->module, how)};
    spv_id code = spv_emit_import_call(&p->b, e4m3 ? "__pumice_e4m3_from_float" : "__pumice_e5m2_from_float",
                                       spv_type_int(p->module, 32), ARRAY_LENGTH(args), args);
    return spv_emitv(&p->b, SpvOpUConvert, to->component, code);
}

/* A conversion from or to codes goes by way of a float. */
static spv_id convert_codes(struct parts *p, const struct lower_matrix *from, const struct lower_matrix *to, SpvOp op,
                            spv_id value)
{
    spv_id single = spv_type_float(p->module, 32), type = to->encoding ? single : to->component;
    if (from->encoding)
        value = float_of(p, from, value);
    if (op != SpvOpFConvert || spv_value_type(p->module, value) != type)
        value = spv_emitv(&p->b, op, type, value);
    return to->encoding ? code_of(p, to, value, spv_encoding_how(p->module, p->inst)) : value;
}

/* The operation on each component; operands that are no matrices are the same for all. */
static void each_component(struct parts *p, const struct lower_matrix *matrix, SpvOp op)
{
    struct spv_inst *inst = p->inst;
    const struct lower_matrix *from = matrix_of(p->lower, spv_value_type(p->module, inst->words[0]));
    const struct spv_inst *rounding = spv_find_decoration(p->module, inst->id, SpvDecorationFPRoundingMode);
    uint32_t *parts = arena_array(p->module->arena, uint32_t, matrix->length), words[3];
    for (uint32_t i = 0; i < matrix->length; i++) {
        for (uint32_t k = 0; k < inst->num_words; k++)
            words[k] = part_of(p, inst->words[k], i);
        if (inst->num_words == 1 && from && (from->encoding || matrix->encoding)) {
            parts[i] = convert_codes(p, from, matrix, op, words[0]);
            continue;
        }
        bool same = op == SpvOpBitcast && spv_value_type(p->module, words[0]) == matrix->component;
        parts[i] = same ? words[0] : spv_emit(&p->b, op, matrix->component, inst->num_words, words);
        if (inst->hints.no_contraction && !same)
            spv_forbid_contraction(spv_def(p->module, parts[i]));
        if (rounding && !same)
            spv_decorate(p->module, parts[i], SpvDecorationFPRoundingMode, 1, rounding->words + 2);
    }
    inst->op = SpvOpCompositeConstruct;
    spv_inst_set_words(p->module, inst, matrix->length, parts);
    spv_drop_arithmetic_decorations(p->module, inst->id);
}

/* ---- memory ---- */

static spv_id number(struct parts *p, uint32_t value)
{
    return spv_const_u32(p->module, value);
}

/* The place in the matrix, row by row, of a work-item's component. */
static spv_id place_of(struct parts *p, const struct lower_matrix *matrix, uint32_t index)
{
    uint32_t lanes = lower_matrix_lanes(p->lower), count = matrix->rows * matrix->columns;
    spv_id uint = spv_type_int(p->module, 32);
    spv_id self = lower_emit_builtin(p->lower, &p->b, SpvBuiltInSubgroupLocalInvocationId, 0);
    spv_id place = spv_emitv(&p->b, SpvOpIAdd, uint, self, number(p, index * lanes));
    return count % lanes ? spv_emitv(&p->b, SpvOpUMod, uint, place, number(p, count)) : place;
}

static spv_id step(struct parts *p, spv_id pointer, spv_id type, spv_id distance)
{
    return spv_emitv(&p->b, SpvOpInBoundsPtrAccessChain, type, pointer, distance);
}

static spv_id as_long(struct parts *p, spv_id value)
{
    spv_id type = spv_value_type(p->module, value);
    return spv_type_width(p->module, type) == 64 ? value
                                                 : spv_emitv(&p->b, SpvOpUConvert, spv_type_int(p->module, 64), value);
}

struct access {
    spv_id pointer, stride; /* stride: a number of 64 bits */
    bool by_columns;
    uint32_t operands[2], num_operands; /* of memory */
};

/* SPV_KHR_cooperative_matrix: rows (columns) begin a stride apart, counted in what the pointer points to; in them
 * components follow each other. */
static spv_id address_of(struct parts *p, const struct access *access, const struct lower_matrix *matrix,
                         uint32_t index)
{
    spv_id uint = spv_type_int(p->module, 32), place = place_of(p, matrix, index);
    spv_id row = spv_emitv(&p->b, SpvOpUDiv, uint, place, number(p, matrix->columns));
    spv_id column = spv_emitv(&p->b, SpvOpUMod, uint, place, number(p, matrix->columns));
    spv_id line = as_long(p, access->by_columns ? column : row), within = as_long(p, access->by_columns ? row : column);
    spv_id distance = spv_emitv(&p->b, SpvOpIMul, spv_type_int(p->module, 64), line, access->stride);
    spv_id type = spv_value_type(p->module, access->pointer);
    spv_id pointer = step(p, access->pointer, type, distance);
    spv_id to = spv_type_pointer(p->module, spv_pointer_storage(p->module, type), matrix->component);
    if (to != type)
        pointer = spv_emitv(&p->b, SpvOpBitcast, to, pointer);
    return step(p, pointer, to, within);
}

/* Operands from words[first] on: the layout, the stride, and those of memory. */
static bool read_access(struct parts *p, const struct lower_matrix *matrix, uint32_t first, struct access *access)
{
    const struct spv_inst *inst = p->inst;
    uint64_t layout;
    if (!spv_const_value(p->module, inst->words[first], &layout) || layout > 1)
        return lower_fail(p->lower, "cooperative matrices in memory of a layout that is not supported");
    if (inst->num_words < first + 2)
        return lower_fail(p->lower, "%s without a stride", spv_op_name(inst->op));
    uint32_t natural = spv_type_width(p->module, matrix->component) / 8;
    uint32_t said = inst->num_words > first + 2 ? inst->words[first + 2] : 0;
    uint32_t align =
        said & SpvMemoryAccessAlignedMask && inst->num_words > first + 3 ? inst->words[first + 3] : natural;
    access->pointer = inst->words[0];
    access->by_columns = layout;
    access->stride = as_long(p, inst->words[first + 1]);
    access->operands[0] = SpvMemoryAccessAlignedMask | (said & SpvMemoryAccessVolatileMask);
    access->operands[1] = align && align < natural ? align : natural;
    return true;
}

static bool load(struct parts *p, const struct lower_matrix *matrix)
{
    struct access access;
    if (!read_access(p, matrix, 1, &access))
        return false;
    uint32_t *parts = arena_array(p->module->arena, uint32_t, matrix->length);
    for (uint32_t i = 0; i < matrix->length; i++) {
        spv_id pointer = address_of(p, &access, matrix, i);
        parts[i] = spv_emitv(&p->b, SpvOpLoad, matrix->component, pointer, access.operands[0], access.operands[1]);
    }
    p->inst->op = SpvOpCompositeConstruct;
    spv_inst_set_words(p->module, p->inst, matrix->length, parts);
    return true;
}

static bool store(struct parts *p, const struct lower_matrix *matrix)
{
    struct access access;
    spv_id value = p->inst->words[1];
    if (!read_access(p, matrix, 2, &access))
        return false;
    for (uint32_t i = 0; i < matrix->length; i++) {
        spv_id pointer = address_of(p, &access, matrix, i);
        spv_emitv_void(&p->b, SpvOpStore, pointer, part_of(p, value, i), access.operands[0], access.operands[1]);
    }
    spv_inst_remove(p->module, p->inst);
    return true;
}

/* How many components are the work-item's own. */
static void count_own(struct parts *p, const struct lower_matrix *matrix)
{
    uint32_t lanes = lower_matrix_lanes(p->lower), count = matrix->rows * matrix->columns;
    spv_id type = p->inst->type, all = spv_const_bits(p->module, type, count / lanes);
    if (count % lanes) {
        spv_id self = lower_emit_builtin(p->lower, &p->b, SpvBuiltInSubgroupLocalInvocationId, 0);
        spv_id more = spv_emitv(&p->b, SpvOpULessThan, spv_type_bool(p->module), self, number(p, count % lanes));
        all = spv_emitv(&p->b, SpvOpSelect, type, more, spv_const_bits(p->module, type, count / lanes + 1), all);
    }
    become_copy(p->module, p->inst, all);
}

/* ---- instructions ---- */

/* What has a matrix for an operand or result, and is as right for arrays. */
static bool is_of_values(const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpCompositeConstruct:
    case SpvOpCopyObject:
    case SpvOpUndef:
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpPhi:
    case SpvOpFunctionCall:
    case SpvOpReturnValue:
    case SpvOpCooperativeMatrixMulAddKHR:
        return true;
    default:
        return false;
    }
}

static bool take_values(struct parts *p, const struct lower_matrix *matrix)
{
    struct spv_inst *inst = p->inst;
    if (matrix && inst->op == SpvOpCompositeConstruct)
        repeat(p->module, inst, matrix->length);
    if (inst->op == SpvOpCompositeExtract && is_beyond(p->lower, inst, spv_value_type(p->module, inst->words[0]), 1))
        become_copy(p->module, inst, spv_undef(p->module, inst->type));
    else if (inst->op == SpvOpCompositeInsert && is_beyond(p->lower, inst, inst->type, 2))
        become_copy(p->module, inst, inst->words[1]);
    return true;
}

static bool take(struct parts *p)
{
    struct spv_inst *inst = p->inst;
    const struct lower_matrix *matrix = matrix_of(p->lower, inst->type), *stored;
    switch (inst->op) {
    case SpvOpCooperativeMatrixLoadKHR:
        return load(p, matrix);
    case SpvOpCooperativeMatrixStoreKHR:
        stored = matrix_of(p->lower, spv_value_type(p->module, inst->words[1]));
        return store(p, stored);
    case SpvOpCooperativeMatrixLengthKHR:
        count_own(p, matrix_of(p->lower, inst->words[0]));
        return true;
    case SpvOpMatrixTimesScalar: {
        bool floats = spv_type_op(p->module, matrix->component) == SpvOpTypeFloat;
        each_component(p, matrix, floats ? SpvOpFMul : SpvOpIMul);
        return true;
    }
    case SpvOpSelect:
        each_component(p, matrix, SpvOpSelect);
        return true;
    default:
        if (is_of_values(inst))
            return take_values(p, matrix);
        if (!matrix || inst->num_words > 2 || inst->op == SpvOpExtInst || !spv_op_is_pure(inst->op))
            return lower_fail(p->lower, "%s of cooperative matrices is not supported", spv_op_name(inst->op));
        each_component(p, matrix, (SpvOp)inst->op);
        return true;
    }
}

struct search {
    struct used *used;
    bool found, offered; /* a matrix, and each that was found */
};

/* Constants have their types nowhere but in what uses them. */
static void find_matrix(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct search *search = data;
    const struct lower *lower = search->used->lower;
    spv_id type = matrix_of(lower, *word) ? *word : spv_value_type(lower->module, *word);
    (void)inst;
    if (!matrix_of(lower, type))
        return;
    search->found = true;
    search->offered = search->offered && note_type(search->used, type);
}

/* Of composites a member may be a matrix that is reached through indices only. */
static bool is_by_index(const struct spv_inst *inst)
{
    return inst->op == SpvOpCompositeExtract || inst->op == SpvOpCompositeInsert;
}

static bool take_block(struct lower *lower, struct spv_function *function, struct spv_block *block, struct used *used)
{
    struct spv_module *module = lower->module;
    spv_foreach_inst_safe (inst, &block->insts) {
        struct search search = {used, is_by_index(inst) || matrix_of(lower, inst->type), note_type(used, inst->type)};
        spv_visit_operand_ids(inst, find_matrix, &search);
        struct parts p = {lower, module, {module, function, block, inst}, inst};
        if (!search.offered || (search.found && !take(&p)))
            return false;
    }
    return true;
}

bool lower_take_matrices(struct lower *lower)
{
    struct used used = {.lower = lower};
    if (!spv_has_capability(lower->program, SpvCapabilityCooperativeMatrixKHR))
        return true;
    if (lower_may_have_native_matrices(lower))
        return lower_keep_matrices(lower);
    repeat_constants(lower);
    spv_foreach_function (function, lower->module) {
        for (uint32_t i = 0; i < function->params.length; i++) {
            if (!note_type(&used, function->params.data[i]->type))
                return false;
        }
        spv_foreach_block (block, function) {
            if (!take_block(lower, function, block, &used))
                return false;
        }
    }
    return true;
}
