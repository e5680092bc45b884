/* Lookups in the generated tables, and the walk over operands (SPIR-V 1.6, section 3: operands of an instruction are
 * given by its opcode, and by the values of enumerants that bring parameters with them). */
#include "grammar.h"

#include "base/util.h"

#include <spirv/unified1/OpenCL.std.h>

#include <assert.h>
#include <string.h>

#include "grammar_table.inc"

const struct spv_grammar_op *spv_grammar_op(uint32_t op)
{
    return op < ARRAY_LENGTH(op_index) && op_index[op] ? &ops[op_index[op] - 1] : NULL;
}

static bool same(const char *known, const char *name, size_t length)
{
    return strncmp(known, name, length) == 0 && !known[length];
}

const struct spv_grammar_op *spv_grammar_op_by_name(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(ops); i++) {
        if (same(ops[i].name, name, length))
            return &ops[i];
    }
    for (size_t i = 0; op_aliases[i].name; i++) {
        if (same(op_aliases[i].name, name, length))
            return spv_grammar_op(op_aliases[i].op);
    }
    return NULL;
}

static const struct spv_grammar_op *ext_table(uint32_t set, size_t *count)
{
    *count = set == SPV_EXT_SET_OPENCL    ? ARRAY_LENGTH(ext_opencl)
             : set == SPV_EXT_SET_GLSL    ? ARRAY_LENGTH(ext_glsl)
             : set == SPV_EXT_SET_PRIVATE ? ARRAY_LENGTH(ext_private)
                                          : 0;
    return set == SPV_EXT_SET_OPENCL ? ext_opencl : set == SPV_EXT_SET_GLSL ? ext_glsl : ext_private;
}

const struct spv_grammar_op *spv_grammar_ext(uint32_t set, uint32_t number)
{
    size_t low = 0, high;
    const struct spv_grammar_op *table = ext_table(set, &high);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle].op == number)
            return &table[middle];
        if (table[middle].op < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct spv_grammar_op *spv_grammar_ext_by_name(uint32_t set, const char *name, size_t length)
{
    size_t count;
    const struct spv_grammar_op *table = ext_table(set, &count);
    for (size_t i = 0; i < count; i++) {
        if (same(table[i].name, name, length))
            return &table[i];
    }
    return NULL;
}

enum spv_operand_category spv_grammar_category(uint8_t kind)
{
    return (enum spv_operand_category)kinds[kind].category;
}

/* The first (oldest) name of the value. */
const struct spv_grammar_enumerant *spv_grammar_enumerant(uint8_t kind, uint32_t value)
{
    const struct spv_grammar_enumerant *table = &enumerants[kinds[kind].first_enumerant];
    uint32_t low = 0, high = kinds[kind].num_enumerants;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (table[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < kinds[kind].num_enumerants && table[low].value == value ? &table[low] : NULL;
}

const struct spv_grammar_enumerant *spv_grammar_enumerant_by_name(uint8_t kind, const char *name, size_t length)
{
    const struct spv_grammar_enumerant *table = &enumerants[kinds[kind].first_enumerant];
    for (uint32_t i = 0; i < kinds[kind].num_enumerants; i++) {
        if (same(table[i].name, name, length))
            return &table[i];
    }
    return NULL;
}

void spv_walk_start(struct spv_operand_walk *walk, const struct spv_grammar_op *op)
{
    *walk = (struct spv_operand_walk){.next = &operands[op->first_operand], .num_next = op->num_operands};
}

enum { KIND_ID = 1 }; /* its place in kinds[]; gen_grammar.py begins with it */

uint8_t spv_walk_kind(const struct spv_operand_walk *walk, bool *required)
{
    *required = true;
    if (walk->num_pending)
        return walk->pending[walk->num_pending - 1];
    if (walk->second)
        return walk->next->second_kind;
    *required = false;
    if (!walk->num_next)
        return walk->any_ids ? KIND_ID : 0;
    *required = walk->next->quantifier == SPV_ONE;
    return walk->next->kind;
}

static bool push_parameters(struct spv_operand_walk *walk, const struct spv_grammar_enumerant *enumerant)
{
    if (!enumerant)
        return false;
    if (walk->num_pending + enumerant->num_operands > sizeof(walk->pending))
        return false;
    for (uint32_t i = enumerant->num_operands; i-- > 0;)
        walk->pending[walk->num_pending++] = operands[enumerant->first_operand + i].kind;
    return true;
}

/* The parameters of each bit follow in the order of the bits, lowest first: pushed highest first. */
static bool push_bits(struct spv_operand_walk *walk, uint8_t kind, uint32_t value)
{
    for (uint32_t bit = 32; bit-- > 0;) {
        if (value >> bit & 1 && !push_parameters(walk, spv_grammar_enumerant(kind, 1u << bit)))
            return false;
    }
    return true;
}

static bool continue_with(struct spv_operand_walk *walk, const struct spv_grammar_op *op)
{
    if (!op)
        return false;
    walk->next = &operands[op->first_operand];
    walk->num_next = op->num_operands;
    return true;
}

bool spv_walk_take(struct spv_operand_walk *walk, uint32_t value, uint32_t ext_set)
{
    bool required;
    uint8_t kind = spv_walk_kind(walk, &required);
    if (walk->num_pending) {
        walk->num_pending--;
    } else if (walk->second) {
        walk->second = false;
        if (walk->next->quantifier != SPV_ANY_NUMBER)
            walk->next++, walk->num_next--;
    } else if (walk->num_next && walk->next->second_kind) {
        walk->second = true;
    } else if (walk->num_next && walk->next->quantifier != SPV_ANY_NUMBER) {
        walk->next++, walk->num_next--;
    }
    switch (kinds[kind].category) {
    case SPV_CATEGORY_VALUE_ENUM:
        return push_parameters(walk, spv_grammar_enumerant(kind, value));
    case SPV_CATEGORY_BIT_ENUM:
        return push_bits(walk, kind, value);
    case SPV_CATEGORY_SPEC_OP:
        return value != SpvOpSpecConstantOp && continue_with(walk, spv_grammar_op(value));
    case SPV_CATEGORY_EXT_INST:
        if (ext_set != SPV_EXT_SET_OTHER)
            return continue_with(walk, spv_grammar_ext(ext_set, value));
        walk->num_next = 0;
        walk->any_ids = true;
        return true;
    default:
        return true;
    }
}

void spv_cursor_start(struct spv_operand_cursor *cursor, const struct spv_inst *inst)
{
    const struct spv_grammar_op *op = spv_grammar_op(inst->op);
    *cursor = (struct spv_operand_cursor){.inst = inst};
    if (op)
        spv_walk_start(&cursor->walk, op);
    else
        cursor->error = "unknown instruction";
}

static bool string_ends(uint32_t word)
{
    return ((word - 0x01010101u) & ~word & 0x80808080u) != 0;
}

/* The words of the operand at the cursor, 0 when they run over the instruction's end. */
static uint32_t operand_words(const struct spv_operand_cursor *cursor, enum spv_operand_category category)
{
    uint32_t left = cursor->inst->num_words - cursor->word;
    if (category == SPV_CATEGORY_NUMBER)
        return left;
    if (category == SPV_CATEGORY_SWITCH_LITERAL) {
        uint32_t width = cursor->inst->hints.literal_words == 2 ? 2 : 1;
        return width <= left ? width : 0;
    }
    if (category != SPV_CATEGORY_STRING)
        return left ? 1 : 0;
    for (uint32_t i = 0; i < left; i++) {
        if (string_ends(cursor->inst->words[cursor->word + i]))
            return i + 1;
    }
    return 0;
}

bool spv_cursor_next(struct spv_operand_cursor *cursor, struct spv_operand *operand)
{
    if (cursor->error)
        return false;
    bool required;
    uint8_t kind = spv_walk_kind(&cursor->walk, &required);
    bool ended = cursor->word >= cursor->inst->num_words;
    if (!kind || (ended && !required)) {
        if (!ended)
            cursor->error = "too many operands";
        return false;
    }
    operand->kind = kind;
    operand->category = spv_grammar_category(kind);
    operand->word = cursor->word;
    operand->count = ended ? 0 : operand_words(cursor, operand->category);
    if (!operand->count) {
        cursor->error = ended ? "too few operands" : "an operand runs over the end";
        return false;
    }
    if (!spv_walk_take(&cursor->walk, cursor->inst->words[cursor->word], cursor->inst->hints.ext_set)) {
        cursor->error = "an operand with an unknown value";
        return false;
    }
    cursor->word += operand->count;
    return true;
}

/* ---- the facts that spv.h offers ---- */

const char *spv_op_name(uint16_t op)
{
    const struct spv_grammar_op *row = spv_grammar_op(op);
    return row ? row->name : NULL;
}

const char *spv_private_name(enum spv_private number)
{
    return ext_private[number].name;
}

const char *spv_capability_name(uint32_t capability)
{
    uint8_t kind = operands[spv_grammar_op(SpvOpCapability)->first_operand].kind;
    const struct spv_grammar_enumerant *row = spv_grammar_enumerant(kind, capability);
    return row ? row->name : NULL;
}

uint32_t spv_grammar_flags(uint16_t op)
{
    const struct spv_grammar_op *row = spv_grammar_op(op);
    return row ? row->flags : 0;
}

uint16_t spv_op_inverse(uint16_t op)
{
    const struct spv_grammar_op *row = spv_grammar_op(op);
    return row ? row->inverse : 0;
}

enum spv_relation spv_relation_inverse(enum spv_relation relation)
{
    static const uint8_t inverse[] = {
        [SPV_RELATION_EQUAL] = SPV_RELATION_UNEQUAL,      [SPV_RELATION_UNEQUAL] = SPV_RELATION_EQUAL,
        [SPV_RELATION_LESS] = SPV_RELATION_GREATER_EQUAL, [SPV_RELATION_LESS_EQUAL] = SPV_RELATION_GREATER,
        [SPV_RELATION_GREATER] = SPV_RELATION_LESS_EQUAL, [SPV_RELATION_GREATER_EQUAL] = SPV_RELATION_LESS};
    return (enum spv_relation)inverse[relation];
}

enum spv_relation spv_relation_mirrored(enum spv_relation relation)
{
    static const uint8_t mirrored[] = {
        [SPV_RELATION_EQUAL] = SPV_RELATION_EQUAL,  [SPV_RELATION_UNEQUAL] = SPV_RELATION_UNEQUAL,
        [SPV_RELATION_LESS] = SPV_RELATION_GREATER, [SPV_RELATION_LESS_EQUAL] = SPV_RELATION_GREATER_EQUAL,
        [SPV_RELATION_GREATER] = SPV_RELATION_LESS, [SPV_RELATION_GREATER_EQUAL] = SPV_RELATION_LESS_EQUAL};
    return (enum spv_relation)mirrored[relation];
}

SpvCapability spv_op_capability(uint16_t op)
{
    const struct spv_grammar_op *row = spv_grammar_op(op);
    return row ? (SpvCapability)row->capability : SpvCapabilityMax;
}

bool spv_op_known(uint16_t op)
{
    return spv_grammar_op(op) != NULL;
}

uint32_t spv_ext_inst_flags(const struct spv_inst *inst)
{
    const struct spv_grammar_op *row = spv_grammar_ext(inst->hints.ext_set, inst->words[1]);
    return row ? row->flags : 0;
}

static void visit_words(struct spv_inst *inst, uint32_t first, uint32_t end, spv_visit_id visit, void *data)
{
    for (uint32_t i = first; i < end; i++)
        visit(data, inst, &inst->words[i]);
}

void spv_visit_by_grammar(struct spv_inst *inst, spv_visit_id visit, void *data)
{
    if (inst->op == SpvOpExtInst &&
        (inst->hints.ext_set == SPV_EXT_SET_GLSL || inst->hints.ext_set == SPV_EXT_SET_PRIVATE ||
         (inst->hints.ext_set == SPV_EXT_SET_OPENCL && inst->words[1] < OpenCLstd_Vloadn))) {
        visit(data, inst, &inst->words[0]);
        visit_words(inst, 2, inst->num_words, visit, data);
        return;
    }
    if (inst->op == SpvOpVariable || inst->op == SpvOpTypePointer || inst->op == SpvOpFunction) {
        visit_words(inst, 1, inst->num_words, visit, data);
        return;
    }
    if (inst->op == SpvOpName || (inst->op == SpvOpDecorate && inst->num_words == 2)) {
        visit(data, inst, &inst->words[0]);
        return;
    }
    struct spv_operand_cursor cursor;
    struct spv_operand operand;
    spv_cursor_start(&cursor, inst);
    while (spv_cursor_next(&cursor, &operand)) {
        if (operand.category == SPV_CATEGORY_ID)
            visit(data, inst, &inst->words[operand.word]);
    }
    assert(!cursor.error);
}
