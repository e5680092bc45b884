/* What is done with the device's own cooperative matrices becomes Vulkan's instructions again (native_matrices.c has the
 * private ones):
 *
 *     %r = MatrixBinary FAdd %a %b   ->   %r = OpFAdd %matrix %a %b
 *     %x = MatrixExtract %m %i       ->   OpStore %v %m
 *                                         %p = OpAccessChain %component_ptr %v %i
 *                                         %x = OpLoad %component %p
 *     %m = OpPhi %matrix ...         ->   OpStore %v ... in the blocks before
 *                                         %m = OpLoad %matrix %v
 *
 * Compilers of shaders leave matrices in variables, and so do these: drivers have hardly seen anything else. */
#include "compiler/lower/ends/ends.h"
#include "compiler/lower/ends/passes.h"
#include "compiler/lower/values/matrices.h"

#include "base/util.h"

struct release {
    struct lower *lower;
    struct spv_module *module;
    struct spv_builder b; /* before the instruction at hand */
};

static spv_id component_of(const struct release *r, spv_id matrix)
{
    return spv_def(r->module, matrix)->words[0];
}

static spv_id variable_with(struct release *r, spv_id type)
{
    return spv_emit_variable(&r->b, type);
}

static bool is_undefined(const struct release *r, spv_id id)
{
    return spv_def(r->module, id)->op == SpvOpUndef;
}

/* ---- phis ---- */

static void store_value(struct release *r, const struct spv_inst *phi, uint32_t word, spv_id variable)
{
    struct spv_block *from = spv_block_of(r->module, phi->words[word + 1]);
    struct spv_inst *merge = spv_merge_inst(from);
    struct spv_builder b = {r->module, from->function, from, merge ? merge : spv_terminator(from), NULL};
    if (!is_undefined(r, phi->words[word]))
        spv_emitv_void(&b, SpvOpStore, variable, phi->words[word]);
}

/* Behind the block's other phis. A value of one that another one gets was loaded when the block began, so that the order
 * of stores does not matter. */
static void release_phi(struct release *r, struct spv_inst *phi)
{
    struct spv_inst *after = phi;
    while (after->op == SpvOpPhi || spv_op_is_line(after->op))
        after = after->next;
    spv_id variable = variable_with(r, phi->type);
    for (uint32_t i = 0; i < phi->num_words; i += 2)
        store_value(r, phi, i, variable);
    struct spv_builder b = {r->module, phi->block->function, phi->block, after, NULL};
    spv_inst_unlink(phi);
    phi->op = SpvOpLoad;
    spv_inst_set_words(r->module, phi, 1, &variable);
    spv_inst_insert(&b, phi);
}

/* ---- components ---- */

static spv_id chain_to(struct release *r, spv_id variable, spv_id type, spv_id index)
{
    return spv_emitv(&r->b, SpvOpAccessChain, spv_type_pointer(r->module, SpvStorageClassFunction, type), variable,
                     index);
}

/* Whether the index is a constant that work-items of all devices have, as far as they share a matrix out evenly. */
static bool is_surely_inside(const struct release *r, spv_id matrix, spv_id index, uint32_t *literal)
{
    const struct lower_matrix *known = u64_map_get(&r->lower->matrices, matrix);
    uint32_t lanes = lower_matrix_lanes(r->lower);
    uint64_t value;
    if (!spv_const_value(r->module, index, &value) || !known || !lanes || value >= known->rows * known->columns / lanes)
        return false;
    *literal = (uint32_t)value;
    return true;
}

/* An index that a work-item has: another one is undefined behaviour, but may be in code that never runs, and drivers do
 * not expect constants that are too large. */
static spv_id index_inside(struct release *r, spv_id matrix, spv_id index, spv_id *inside)
{
    spv_id u32 = spv_type_int(r->module, 32), zero = spv_const_u32(r->module, 0);
    uint64_t value;
    *inside = 0;
    if (!spv_const_value(r->module, index, &value))
        return index;
    spv_id length = spv_emitv(&r->b, SpvOpCooperativeMatrixLengthKHR, u32, matrix);
    *inside =
        spv_emitv(&r->b, SpvOpULessThan, spv_type_bool(r->module), spv_const_u32(r->module, (uint32_t)value), length);
    return spv_emitv(&r->b, SpvOpSelect, u32, *inside, spv_const_u32(r->module, (uint32_t)value), zero);
}

/* What is in a matrix as what everybody else has: of other floats than IEEE 754's their code. */
static void become_number(struct release *r, struct spv_inst *inst, SpvOp op, uint32_t count, const uint32_t *words)
{
    spv_id component = component_of(r, spv_value_type(r->module, inst->words[2])), value = 0;
    if (spv_is_encoded_float(r->module, component)) {
        value = spv_emit(&r->b, op, component, count, words);
        op = SpvOpBitcast;
        words = &value;
        count = 1;
    }
    inst->op = (uint16_t)op;
    spv_inst_set_words(r->module, inst, count, words);
}

static spv_id as_component(struct release *r, spv_id matrix, spv_id number)
{
    spv_id component = component_of(r, matrix);
    return spv_is_encoded_float(r->module, component) ? spv_emitv(&r->b, SpvOpBitcast, component, number) : number;
}

static void release_extract(struct release *r, struct spv_inst *inst)
{
    spv_id matrix = inst->words[2], type = spv_value_type(r->module, matrix), inside;
    uint32_t literal;
    if (is_surely_inside(r, type, inst->words[3], &literal)) {
        become_number(r, inst, SpvOpCompositeExtract, 2, (const uint32_t[]){matrix, literal});
        return;
    }
    spv_id variable = variable_with(r, type);
    spv_emitv_void(&r->b, SpvOpStore, variable, matrix);
    spv_id pointer = chain_to(r, variable, component_of(r, type), index_inside(r, type, inst->words[3], &inside));
    become_number(r, inst, SpvOpLoad, 1, &pointer);
}

static spv_id as_number(struct release *r, spv_id component)
{
    spv_id type = spv_value_type(r->module, component);
    spv_id code = spv_type_int(r->module, spv_type_width(r->module, type));
    return spv_is_encoded_float(r->module, type) ? spv_emitv(&r->b, SpvOpBitcast, code, component) : component;
}

static void release_insert(struct release *r, struct spv_inst *inst)
{
    spv_id matrix = inst->words[2], number = inst->words[3], type = inst->type, component = component_of(r, type),
           inside;
    uint32_t literal;
    if (is_surely_inside(r, type, inst->words[4], &literal)) {
        inst->op = SpvOpCompositeInsert;
        number = as_component(r, type, number);
        spv_inst_set_words(r->module, inst, 3, (const uint32_t[]){number, matrix, literal});
        return;
    }
    spv_id variable = variable_with(r, type);
    spv_emitv_void(&r->b, SpvOpStore, variable, matrix);
    spv_id pointer = chain_to(r, variable, component, index_inside(r, type, inst->words[4], &inside));
    if (inside) {
        spv_id old = as_number(r, spv_emitv(&r->b, SpvOpLoad, component, pointer));
        number = spv_emitv(&r->b, SpvOpSelect, spv_value_type(r->module, number), inside, number, old);
    }
    spv_emitv_void(&r->b, SpvOpStore, pointer, as_component(r, type, number));
    inst->op = SpvOpLoad;
    spv_inst_set_words(r->module, inst, 1, &variable);
}

static void release_choice(struct release *r, struct spv_inst *inst)
{
    spv_id u32 = spv_type_int(r->module, 32), zero = spv_const_u32(r->module, 0), one = spv_const_u32(r->module, 1);
    spv_id condition = inst->words[2], values[] = {inst->words[4], inst->words[3]}, type = inst->type;
    spv_id variable = variable_with(r, spv_type_array(r->module, type, 2));
    spv_emitv_void(&r->b, SpvOpStore, chain_to(r, variable, type, zero), values[0]);
    spv_emitv_void(&r->b, SpvOpStore, chain_to(r, variable, type, one), values[1]);
    spv_id pointer = chain_to(r, variable, type, spv_emitv(&r->b, SpvOpSelect, u32, condition, one, zero));
    inst->op = SpvOpLoad;
    spv_inst_set_words(r->module, inst, 1, &pointer);
}

/* The same matrix of integers that have a sign in their type. Kernels' integers have none, and conversions say how they are
 * meant. Mesa looks at the types all the same. */
static spv_id signed_matrix(struct release *r, spv_id matrix)
{
    const struct spv_inst *def = spv_def(r->module, matrix);
    uint32_t words[5];
    for (uint32_t i = 0; i < 5; i++)
        words[i] = def->words[i];
    const uint32_t number[] = {spv_type_width(r->module, words[0]), 1};
    words[0] = spv_type(r->module, SpvOpTypeInt, 2, number);
    return spv_type(r->module, SpvOpTypeCooperativeMatrixKHR, 5, words);
}

static void release_conversion(struct release *r, struct spv_inst *inst, SpvOp op, spv_id value)
{
    if (op == SpvOpConvertSToF || op == SpvOpSConvert)
        value = spv_emitv(&r->b, SpvOpBitcast, signed_matrix(r, spv_value_type(r->module, value)), value);
    if (op == SpvOpConvertFToS || op == SpvOpSConvert) {
        value = spv_emitv(&r->b, op, signed_matrix(r, inst->type), value);
        op = SpvOpBitcast;
    }
    inst->op = (uint16_t)op;
    spv_inst_set_words(r->module, inst, 1, &value);
}

static void release_unary(struct release *r, struct spv_inst *inst)
{
    uint64_t op = 0;
    spv_const_value(r->module, inst->words[2], &op);
    release_conversion(r, inst, (SpvOp)op, inst->words[3]);
}

static void release_binary(struct release *r, struct spv_inst *inst)
{
    uint64_t op = 0;
    const uint32_t words[] = {inst->words[3], inst->words[4]};
    spv_const_value(r->module, inst->words[2], &op);
    inst->op = (uint16_t)op;
    spv_inst_set_words(r->module, inst, 2, words);
}

/* ---- all ---- */

static void release_private(struct release *r, struct spv_inst *inst)
{
    spv_id component;
    switch (inst->words[1]) {
    case SPV_PRIVATE_MATRIX_FILL:
        component = as_component(r, inst->type, inst->words[2]);
        inst->op = SpvOpCompositeConstruct;
        spv_inst_set_words(r->module, inst, 1, &component);
        return;
    case SPV_PRIVATE_MATRIX_UNARY:
        release_unary(r, inst);
        return;
    case SPV_PRIVATE_MATRIX_BINARY:
        release_binary(r, inst);
        return;
    case SPV_PRIVATE_MATRIX_EXTRACT:
        release_extract(r, inst);
        return;
    case SPV_PRIVATE_MATRIX_INSERT:
        release_insert(r, inst);
        return;
    case SPV_PRIVATE_MATRIX_CHOOSE:
        release_choice(r, inst);
        return;
    default:
        return;
    }
}

/* The type of what it is filled with. */
static spv_id number_of(struct release *r, spv_id matrix)
{
    spv_id component = component_of(r, matrix);
    uint32_t width = spv_type_width(r->module, component);
    return spv_is_encoded_float(r->module, component) ? spv_type_int(r->module, width) : component;
}

/* Drivers need not know undefined matrices. */
static void define(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct release *r = data;
    spv_id type = spv_value_type(r->module, *word);
    (void)inst;
    if (!spv_type_is_matrix(r->module, type) || !is_undefined(r, *word))
        return;
    spv_id zero = as_component(r, type, spv_const_null(r->module, number_of(r, type)));
    *word = spv_emitv(&r->b, SpvOpCompositeConstruct, type, zero);
}

static void release(struct release *r, struct spv_inst *inst)
{
    bool in_variable =
        (inst->op == SpvOpLoad && spv_type_is_matrix(r->module, inst->type)) ||
        (inst->op == SpvOpStore && spv_type_is_matrix(r->module, spv_value_type(r->module, inst->words[1])));
    spv_visit_operand_ids(inst, define, r);
    if (inst->op == SpvOpExtInst && inst->hints.ext_set == SPV_EXT_SET_PRIVATE)
        release_private(r, inst);
    else if (inst->op == SpvOpInBoundsAccessChain)
        inst->op = SpvOpAccessChain;
    else if (in_variable)
        spv_inst_set_words(r->module, inst, inst->op == SpvOpLoad ? 1 : 2, inst->words);
}

bool lower_release_matrices(struct lower *lower)
{
    struct release r = {.lower = lower, .module = lower->module};
    lower->idle = !lower->native_matrices;
    if (lower->idle)
        return true;
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                r.b = (struct spv_builder){lower->module, function, block, inst, NULL};
                if (inst->op == SpvOpPhi && spv_type_is_matrix(lower->module, inst->type))
                    release_phi(&r, inst);
            }
        }
    }
    spv_foreach_function (function, lower->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                r.b = (struct spv_builder){lower->module, function, block, inst, NULL};
                release(&r, inst);
            }
        }
    }
    return true;
}
