/* Cooperative matrices that the device multiplies itself (VK_KHR_cooperative_matrix), as a part of extract. Their types,
 * loads, stores and multiplications stay what they are. All else that is done with them becomes private instructions,
 * of which passes need to know nothing but that they are pure:
 *
 *     %m = OpCompositeConstruct %matrix %x           ->   %m = MatrixFill %x, as constants where they are used
 *     %r = OpFAdd %matrix %a %b                      ->   %r = MatrixBinary FAdd %a %b
 *     %p = OpAccessChain %component_ptr %v %i        ->   %m = OpLoad %matrix %v
 *     %x = OpLoad %component %p                           %x = MatrixExtract %m %i
 *
 * So a variable that holds a matrix is loaded and stored whole, and becomes a value as others do. release_matrices.c
 * makes Vulkan's instructions of them in the end.
 *
 * A kernel has the device's matrices or the library's, not both. It has the device's where
 * - its sub-groups are the device's own, and full where it says how large its work-groups are;
 * - the device has all its types and multiplications, signs included;
 * - matrices are in no structures that outlive optimisation, and pointers to them are only indexed, loaded and stored;
 * - local memory that it loads or stores matrices in can have an explicit layout.
 * Otherwise lowering begins anew with software_matrices. */
#include "compiler/lower/ends/ends.h"
#include "compiler/lower/values/matrices.h"
#include "compiler/spv/layout.h"

#include "base/util.h"

struct keep {
    struct lower *lower;
    struct spv_module *module;
    struct spv_builder b;
    struct u64_map chains;      /* chain to a component -> struct component */
    VEC(struct spv_inst *) old; /* those chains */
    bool fails;
};

struct component {
    spv_id matrix, index; /* matrix: a pointer to it */
};

static const struct lower_matrix *matrix_of(const struct keep *k, spv_id type)
{
    return type ? u64_map_get(&k->lower->matrices, type) : NULL;
}

static const struct lower_matrix *matrix_of_value(const struct keep *k, spv_id value)
{
    return matrix_of(k, spv_value_type(k->module, value));
}

/* ---- types ---- */

static uint32_t constant_of(const struct spv_module *module, spv_id id)
{
    uint64_t value = 0;
    spv_const_value(module, id, &value);
    return (uint32_t)value;
}

static const struct encoding {
    enum spv_matrix_encoding matrix;
    uint32_t type[2]; /* the words of the float's */
} encodings[] = {{SPV_MATRIX_BFLOAT16, {16, SPV_FLOAT_BFLOAT16}},
                 {SPV_MATRIX_E4M3, {8, SPV_FLOAT_E4M3}},
                 {SPV_MATRIX_E5M2, {8, SPV_FLOAT_E5M2}}};

static enum spv_matrix_encoding encoding_of(const struct spv_module *module, spv_id component)
{
    const struct spv_inst *def = spv_def(module, component);
    for (uint32_t i = 0; i < ARRAY_LENGTH(encodings); i++) {
        if (spv_is_encoded_float(module, component) && def->words[1] == encodings[i].type[1])
            return encodings[i].matrix;
    }
    return SPV_MATRIX_NUMBERS;
}

/* Matrices of codes have the float's type from here on; what they are made of and taken apart into are still codes. */
void lower_import_native_matrices(struct lower *lower, struct spv_import *import)
{
    struct spv_module *module = lower->module;
    spv_foreach_inst (type, &lower->program->sections[SPV_SECTION_GLOBAL]) {
        bool is_matrix = type->op == SpvOpTypeCooperativeMatrixKHR;
        uint32_t encoding = is_matrix ? constant_of(lower->program, type->words[4]) & SPV_MATRIX_ENCODINGS : 0,
                 words[5];
        if (!encoding)
            continue;
        for (uint32_t i = 0; i < ARRAY_LENGTH(encodings); i++) {
            if (encodings[i].matrix == encoding)
                words[0] = spv_type(module, SpvOpTypeFloat, 2, encodings[i].type);
        }
        for (uint32_t i = 1; i < 5; i++) {
            uint32_t word = constant_of(lower->program, type->words[i]);
            words[i] = spv_const_u32(module, i < 4 ? word : word & ~(uint32_t)SPV_MATRIX_ENCODINGS);
        }
        spv_set_imported(import, type->id, spv_type(module, SpvOpTypeCooperativeMatrixKHR, 5, words));
    }
}

static bool has_native_types(struct keep *k)
{
    spv_foreach_inst (type, &k->module->sections[SPV_SECTION_GLOBAL]) {
        if (type->op != SpvOpTypeCooperativeMatrixKHR)
            continue;
        struct lower_matrix *matrix = arena_new(k->lower->arena, struct lower_matrix);
        matrix->component = type->words[0];
        matrix->rows = constant_of(k->module, type->words[2]);
        matrix->columns = constant_of(k->module, type->words[3]);
        matrix->use = constant_of(k->module, type->words[4]);
        matrix->encoding = encoding_of(k->module, matrix->component);
        if (!lower_is_native_matrix(k->lower, matrix))
            return false;
        u64_map_set(k->lower->arena, &k->lower->matrices, type->id, matrix);
        k->lower->native_matrices = true;
    }
    return true;
}

/* ---- values ---- */

static void become_private(struct keep *k, struct spv_inst *inst, enum spv_private number, uint32_t count,
                           const spv_id *args)
{
    uint32_t words[5] = {spv_import_ext_inst(k->module, SPV_PRIVATE_SET), number};
    for (uint32_t i = 0; i < count; i++)
        words[2 + i] = args[i];
    inst->op = SpvOpExtInst;
    inst->hints.ext_set = SPV_EXT_SET_PRIVATE;
    spv_inst_set_words(k->module, inst, 2 + count, words);
}

/* The instruction on each component. Its operands are matrices, but for the number that scales one. Private instructions
 * have no decorations, so conversions that round in another way than the usual one, or saturate, are the library's. */
static void each_component(struct keep *k, struct spv_inst *inst)
{
    k->fails |= spv_encoding_how(k->module, inst) != 0;
    const spv_id args[] = {spv_const_u32(k->module, inst->op), inst->words[0],
                           inst->num_words > 1 ? inst->words[1] : 0};
    become_private(k, inst, inst->num_words > 1 ? SPV_PRIVATE_MATRIX_BINARY : SPV_PRIVATE_MATRIX_UNARY,
                   inst->num_words + 1u, args);
}

static bool is_constant_matrix(const struct keep *k, spv_id id)
{
    const struct spv_inst *def = spv_def(k->module, id);
    return def && !def->block && spv_op_is_constant(def->op) && def->op != SpvOpUndef && matrix_of(k, def->type);
}

static spv_id component_of_constant(struct keep *k, const struct spv_inst *constant)
{
    const struct lower_matrix *matrix = matrix_of(k, constant->type);
    uint32_t width = spv_type_width(k->module, matrix->component);
    spv_id type = matrix->encoding ? spv_type_int(k->module, width) : matrix->component;
    return constant->op == SpvOpConstantNull ? spv_const_null(k->module, type) : constant->words[0];
}

/* A constant is made where it is used, of a phi at the end of the block before. */
static void use_constant(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct keep *k = data;
    if (!is_constant_matrix(k, *word))
        return;
    struct spv_builder b = k->b;
    if (inst->op == SpvOpPhi) {
        b.block = spv_block_of(k->module, word[1]);
        b.before = spv_merge_inst(b.block) ? spv_merge_inst(b.block) : spv_terminator(b.block);
    }
    const struct spv_inst *constant = spv_def(k->module, *word);
    spv_id component = component_of_constant(k, constant);
    *word = spv_emit_private(&b, SPV_PRIVATE_MATRIX_FILL, constant->type, 1, &component);
}

/* ---- pointers to components ---- */

/* The type that the pointer leads to with all indices but the last one; 0: it leads nowhere, which others refuse. */
static spv_id type_before(const struct keep *k, const struct spv_inst *chain)
{
    spv_id type = spv_pointer_pointee(k->module, spv_value_type(k->module, chain->words[0]));
    for (uint32_t i = spv_op_is_by_element(chain->op) ? 2 : 1; i + 1 < chain->num_words; i++) {
        const struct spv_inst *def = spv_def(k->module, type);
        bool members = def->op == SpvOpTypeStruct;
        uint32_t member = members ? constant_of(k->module, chain->words[i]) : 0;
        if (!spv_type_is_aggregate(k->module, type) || (members && member >= def->num_words))
            return 0;
        type = def->words[member];
    }
    return type;
}

static void note_chain(struct keep *k, struct spv_inst *chain)
{
    bool by_element = spv_op_is_by_element(chain->op);
    if (!spv_type_is_pointer(k->module, chain->type) || chain->num_words < (by_element ? 3 : 2))
        return;
    spv_id matrix = type_before(k, chain);
    if (!matrix || !matrix_of(k, matrix))
        return;
    struct component *component = arena_new(k->module->arena, struct component);
    component->index = chain->words[chain->num_words - 1];
    component->matrix = chain->words[0];
    if (chain->num_words > 2) {
        SpvStorageClass storage = spv_pointer_storage(k->module, chain->type);
        component->matrix = spv_emit(&k->b, (SpvOp)chain->op, spv_type_pointer(k->module, storage, matrix),
                                     chain->num_words - 1u, chain->words);
    }
    u64_map_set(k->module->arena, &k->chains, chain->id, component);
    vec_push(k->module->arena, &k->old, chain);
}

static spv_id load_matrix(struct keep *k, const struct component *component)
{
    spv_id type = spv_pointer_pointee(k->module, spv_value_type(k->module, component->matrix));
    return spv_emitv(&k->b, SpvOpLoad, type, component->matrix);
}

static void load_component(struct keep *k, struct spv_inst *inst, const struct component *component)
{
    const spv_id args[] = {load_matrix(k, component), component->index};
    become_private(k, inst, SPV_PRIVATE_MATRIX_EXTRACT, 2, args);
}

static void store_component(struct keep *k, struct spv_inst *inst, const struct component *component)
{
    const spv_id args[] = {load_matrix(k, component), inst->words[1], component->index};
    spv_id type = spv_value_type(k->module, args[0]);
    spv_id changed = spv_emit_private(&k->b, SPV_PRIVATE_MATRIX_INSERT, type, 3, args);
    spv_inst_set_words(k->module, inst, 2, (const uint32_t[]){component->matrix, changed});
}

static void find_chain(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct keep *k = data;
    k->fails |= u64_map_has(&k->chains, *word) && !spv_op_is_lifetime(inst->op);
}

/* ---- composites ---- */

/* Members of composites that are matrices may be reached at once with a component: only whole ones are taken. */
static bool goes_into_matrix(const struct keep *k, const struct spv_inst *inst, spv_id type, uint32_t first)
{
    for (uint32_t i = first; i < inst->num_words; i++) {
        const struct spv_inst *def = spv_def(k->module, type);
        if (matrix_of(k, type))
            return true;
        type = def->op == SpvOpTypeStruct ? def->words[inst->words[i]] : def->words[0];
    }
    return false;
}

static void take_extract(struct keep *k, struct spv_inst *inst)
{
    spv_id type = spv_value_type(k->module, inst->words[0]);
    const spv_id args[] = {inst->words[0], spv_const_u32(k->module, inst->num_words > 1 ? inst->words[1] : 0)};
    if (matrix_of(k, type) && inst->num_words == 2)
        become_private(k, inst, SPV_PRIVATE_MATRIX_EXTRACT, 2, args);
    else
        k->fails |= goes_into_matrix(k, inst, type, 1);
}

static void take_insert(struct keep *k, struct spv_inst *inst)
{
    const spv_id args[] = {inst->words[1], inst->words[0],
                           spv_const_u32(k->module, inst->num_words > 2 ? inst->words[2] : 0)};
    if (matrix_of(k, inst->type) && inst->num_words == 3)
        become_private(k, inst, SPV_PRIVATE_MATRIX_INSERT, 3, args);
    else
        k->fails |= goes_into_matrix(k, inst, inst->type, 2);
}

/* ---- instructions ---- */

static void check_multiplication(struct keep *k, const struct spv_inst *inst)
{
    const struct lower_multiplication m = {matrix_of_value(k, inst->words[0]), matrix_of_value(k, inst->words[1]),
                                           matrix_of_value(k, inst->words[2]), matrix_of(k, inst->type),
                                           inst->num_words > 3 ? inst->words[3] : 0};
    k->fails |= !m.a || !m.b || !m.c || !m.result || !lower_is_native_multiplication(k->lower, &m);
}

/* From words[at] on: the layout and the stride. What cannot be is refused, with words, where matrices are arrays. Strides
 * count what the pointer leads to; three numbers take the room of four in OpenCL only. */
static void check_memory(struct keep *k, const struct spv_inst *inst, uint32_t at)
{
    uint64_t layout;
    spv_id pointer = spv_value_type(k->module, inst->words[0]);
    SpvStorageClass storage = spv_pointer_storage(k->module, pointer);
    bool memory = storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassWorkgroup ||
                  storage == SpvStorageClassUniformConstant || storage == SpvStorageClassGeneric;
    k->fails |= !memory || spv_type_count(k->module, spv_pointer_pointee(k->module, pointer)) == 3 ||
                inst->num_words < at + 2 || !spv_const_value(k->module, inst->words[at], &layout) || layout > 1;
}

static void take_access(struct keep *k, struct spv_inst *inst)
{
    const struct component *component = u64_map_get(&k->chains, inst->words[0]);
    if (component && inst->op == SpvOpLoad)
        load_component(k, inst, component);
    else if (component && !u64_map_has(&k->chains, inst->words[1]))
        store_component(k, inst, component);
}

static void take(struct keep *k, struct spv_inst *inst)
{
    const struct lower_matrix *matrix = matrix_of(k, inst->type);
    spv_visit_operand_ids(inst, use_constant, k);
    if (spv_op_is_chain(inst->op)) {
        note_chain(k, inst);
        return;
    }
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpStore:
        take_access(k, inst);
        return;
    case SpvOpCooperativeMatrixLoadKHR:
        check_memory(k, inst, 1);
        return;
    case SpvOpCooperativeMatrixStoreKHR:
        check_memory(k, inst, 2);
        return;
    case SpvOpCooperativeMatrixMulAddKHR:
        check_multiplication(k, inst);
        return;
    case SpvOpCompositeExtract:
        take_extract(k, inst);
        return;
    case SpvOpCompositeInsert:
        take_insert(k, inst);
        return;
    case SpvOpCompositeConstruct:
        if (matrix)
            become_private(k, inst, SPV_PRIVATE_MATRIX_FILL, 1, inst->words);
        return;
    case SpvOpSelect:
        if (matrix)
            become_private(k, inst, SPV_PRIVATE_MATRIX_CHOOSE, 3, inst->words);
        return;
    default:
        if (matrix && inst->op != SpvOpExtInst && inst->op != SpvOpCopyObject && spv_op_is_pure(inst->op) &&
            inst->op != SpvOpUndef && inst->num_words <= 2)
            each_component(k, inst);
        return;
    }
}

static bool take_functions(struct keep *k)
{
    spv_foreach_function (function, k->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                k->b = (struct spv_builder){k->module, function, block, inst, NULL};
                take(k, inst);
            }
        }
    }
    spv_foreach_function (function, k->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, find_chain, k);
        }
    }
    for (uint32_t i = 0; i < k->old.length && !k->fails; i++)
        spv_inst_remove(k->module, k->old.data[i]);
    return !k->fails;
}

bool lower_keep_matrices(struct lower *lower)
{
    struct keep k = {.lower = lower, .module = lower->module};
    if (!has_native_types(&k))
        return lower_refuse_native_matrices(lower);
    return !lower->native_matrices || take_functions(&k) || lower_refuse_native_matrices(lower);
}
