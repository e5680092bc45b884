/* Types of the operations that the passes look into. The aim is not to be a validator, but that no pass meets a shape
 * that it does not expect: operands of an addition have the components of its result, a composite is indexed within its
 * bounds. */
#include "check.h"

#include <string.h>

enum { MAX_MEMBERS = 1 << 16 };

/* ---- module scope ---- */

static bool is_data_type(const struct spv_module *module, spv_id type)
{
    uint16_t op = spv_type_op(module, type);
    return spv_op_is_type(op) && op != SpvOpTypeVoid && op != SpvOpTypeFunction;
}

static bool is_scalar_type(const struct spv_module *module, spv_id type)
{
    return spv_op_class(spv_type_op(module, type)) == SPV_CLASS_SCALAR_TYPE;
}

static bool is_type(const struct spv_module *module, spv_id type)
{
    return spv_op_is_type(spv_type_op(module, type));
}

static const char *check_array(const struct spv_module *module, const struct spv_inst *inst)
{
    const struct spv_inst *length = spv_def(module, inst->words[1]);
    if (!is_data_type(module, inst->words[0]))
        return "an array of what is no data type";
    if (!spv_op_is_constant(length->op) || length->op == SpvOpUndef ||
        spv_type_op(module, length->type) != SpvOpTypeInt)
        return "the length of an array is no integer constant";
    uint64_t value;
    if (spv_const_value(module, length->id, &value) && (!value || value > UINT32_MAX))
        return "the length of an array is out of range";
    return NULL;
}

static const char *check_struct(const struct spv_module *module, const struct spv_inst *inst)
{
    if (inst->num_words > MAX_MEMBERS)
        return "a struct with too many members";
    for (uint32_t i = 0; i < inst->num_words; i++) {
        if (!is_data_type(module, inst->words[i]))
            return "a member of what is no data type";
    }
    return NULL;
}

static const char *check_type(const struct spv_module *module, const struct spv_inst *inst)
{
    const uint32_t *words = inst->words;
    switch (inst->op) {
    case SpvOpTypeInt:
        if (words[0] != 8 && words[0] != 16 && words[0] != 32 && words[0] != 64)
            return "an integer of unknown width";
        return words[1] > 1 ? "a signedness that is neither 0 nor 1" : NULL;
    case SpvOpTypeFloat:
        if (words[0] == 8 && inst->num_words > 1) /* of native matrices (lower/ends/native_matrices.c) */
            return NULL;
        return words[0] != 16 && words[0] != 32 && words[0] != 64 ? "a float of unknown width" : NULL;
    case SpvOpTypeVector:
        if (!is_scalar_type(module, words[0]))
            return "a vector of what is no scalar";
        return words[1] < 2 || (words[1] > 4 && words[1] != 8 && words[1] != 16) ? "a vector of unknown size" : NULL;
    case SpvOpTypeMatrix:
        if (!spv_type_is_vector(module, words[0]) || !spv_type_is_float(module, words[0]))
            return "a matrix of what is no float vector";
        return words[1] < 2 || words[1] > 4 ? "a matrix of unknown size" : NULL;
    case SpvOpTypeArray:
        return check_array(module, inst);
    case SpvOpTypeRuntimeArray:
        return is_data_type(module, words[0]) ? NULL : "an array of what is no data type";
    case SpvOpTypeStruct:
        return check_struct(module, inst);
    case SpvOpTypePointer:
        return is_type(module, words[1]) ? NULL : "a pointer to what is no type";
    case SpvOpTypeFunction:
        for (uint32_t i = 0; i < inst->num_words; i++) {
            if (!(i ? is_data_type(module, words[i]) : is_type(module, words[i])))
                return "a function of what are no types";
        }
        return NULL;
    case SpvOpTypeCooperativeMatrixKHR:
        return spv_check_matrix_type(module, inst);
    case SpvOpTypeImage:
    case SpvOpTypeSampledImage:
        return is_type(module, words[0]) ? NULL : "an image of what is no type";
    default:
        return NULL;
    }
}

/* The number of members of a composite, and the type of one; 0 when it is none. */
static uint32_t composite_length(const struct spv_module *module, spv_id type)
{
    const struct spv_inst *def = spv_def(module, type);
    switch (def ? def->op : SpvOpNop) {
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        return def->words[1];
    case SpvOpTypeArray: {
        uint64_t length = spv_array_length(module, type);
        return length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
    }
    case SpvOpTypeStruct:
        return def->num_words;
    case SpvOpTypeCooperativeMatrixKHR:
        return spv_matrix_components(module, def);
    default:
        return 0;
    }
}

static spv_id member_type(const struct spv_module *module, spv_id type, uint32_t member)
{
    const struct spv_inst *def = spv_def(module, type);
    return def->op == SpvOpTypeStruct ? def->words[member] : def->words[0];
}

/* A matrix has one value in all its components. */
static const char *check_members(const struct spv_module *module, const struct spv_inst *inst)
{
    uint32_t length = spv_type_is_matrix(module, inst->type) ? 1 : composite_length(module, inst->type);
    if (length != inst->num_words)
        return "the number of members does not fit the type";
    for (uint32_t i = 0; i < inst->num_words; i++) {
        if (spv_value_type(module, inst->words[i]) != member_type(module, inst->type, i))
            return "a member does not fit the type";
    }
    return NULL;
}

static const char *check_constant(const struct spv_module *module, const struct spv_inst *inst)
{
    uint16_t type = spv_type_op(module, inst->type);
    switch (inst->op) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        return type == SpvOpTypeBool ? NULL : "the type is not bool";
    case SpvOpConstant:
    case SpvOpSpecConstant:
        if (type != SpvOpTypeInt && type != SpvOpTypeFloat)
            return "a number whose type is neither integer nor float";
        return inst->num_words == (spv_type_width(module, inst->type) > 32 ? 2u : 1u) ? NULL
                                                                                      : "a number of the wrong size";
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        for (uint32_t i = 0; i < inst->num_words; i++) {
            if (!spv_op_is_constant(spv_def(module, inst->words[i])->op) &&
                spv_def(module, inst->words[i])->op != SpvOpVariable)
                return "a member is not constant";
        }
        return check_members(module, inst);
    default:
        return is_data_type(module, inst->type) ? NULL : "the type is no data type";
    }
}

static const char *check_variable(const struct spv_module *module, const struct spv_inst *inst)
{
    if (!spv_type_is_pointer(module, inst->type))
        return "the type of a variable is no pointer";
    if ((uint32_t)spv_pointer_storage(module, inst->type) != inst->words[0])
        return "a variable's storage class is not its type's";
    const struct spv_inst *initializer = inst->num_words > 1 ? spv_def(module, inst->words[1]) : NULL;
    if (initializer && !spv_op_is_constant(initializer->op) && initializer->op != SpvOpVariable)
        return "a variable's initializer is not constant";
    if (!inst->block)
        return inst->words[0] == SpvStorageClassFunction ? "a function's variable outside of all functions" : NULL;
    return inst->words[0] != SpvStorageClassFunction ? "a local variable outside Function storage" : NULL;
}

const char *spv_check_global_shape(const struct spv_module *module, const struct spv_inst *inst)
{
    if (spv_op_is_type(inst->op))
        return check_type(module, inst);
    if (inst->type && !spv_op_is_type(spv_type_op(module, inst->type)))
        return "the result type is no type";
    bool number = inst->op == SpvOpConstant || inst->op == SpvOpSpecConstant;
    return number ? check_constant(module, inst) : NULL;
}

const char *spv_check_global(const struct spv_module *module, const struct spv_inst *inst)
{
    if (spv_op_is_type(inst->op))
        return check_type(module, inst);
    if (inst->op == SpvOpExtInst)
        return spv_def(module, inst->words[0])->op == SpvOpExtInstImport && inst->hints.ext_set == SPV_EXT_SET_OTHER
                   ? NULL
                   : "an extended instruction that does not belong at module scope";
    if (inst->type && !spv_op_is_type(spv_type_op(module, inst->type)))
        return "the result type is no type";
    if (inst->op == SpvOpVariable)
        return check_variable(module, inst);
    return spv_op_is_constant(inst->op) ? check_constant(module, inst) : NULL;
}

/* ---- in functions ---- */

static spv_id operand_type(const struct spv_module *module, const struct spv_inst *inst, uint32_t word)
{
    return spv_value_type(module, inst->words[word]);
}

/* int or float or bool values of the same number of components; width 0: any */
static bool is_like(const struct spv_module *module, spv_id type, uint16_t component_op, uint32_t count, uint32_t width)
{
    spv_id component = spv_type_component(module, type);
    return spv_type_op(module, component) == component_op && spv_type_count(module, type) == count &&
           (!width || spv_type_width(module, component) == width);
}

static const char *all_like(const struct spv_module *module, const struct spv_inst *inst, uint16_t op, bool same_width)
{
    uint32_t count = spv_type_count(module, inst->type);
    if (!is_like(module, inst->type, op, count, 0))
        return "the result type does not fit the operation";
    uint32_t width = same_width ? spv_type_width(module, inst->type) : 0;
    for (uint32_t i = 0; i < inst->num_words; i++) {
        if (!is_like(module, operand_type(module, inst, i), op, count, width))
            return "an operand's type does not fit the operation";
    }
    return NULL;
}

/* Comparisons: bools from operands of one type */
static const char *compares(const struct spv_module *module, const struct spv_inst *inst, uint16_t op)
{
    uint32_t count = spv_type_count(module, inst->type);
    if (!is_like(module, inst->type, SpvOpTypeBool, count, 0))
        return "the result is not bool";
    spv_id first = operand_type(module, inst, 0);
    for (uint32_t i = 0; i < inst->num_words; i++) {
        spv_id type = operand_type(module, inst, i);
        if (!is_like(module, type, op, count, 0) ||
            (op != SpvOpTypeBool && spv_type_width(module, type) != spv_type_width(module, first)))
            return "an operand's type does not fit the comparison";
    }
    return NULL;
}

static const char *converts(const struct spv_module *module, const struct spv_inst *inst, uint16_t from, uint16_t to)
{
    uint32_t count = spv_type_count(module, inst->type);
    return is_like(module, inst->type, to, count, 0) && is_like(module, operand_type(module, inst, 0), from, count, 0)
               ? NULL
               : "the types do not fit the conversion";
}

static uint32_t bits_of(const struct spv_module *module, spv_id type)
{
    spv_id component = spv_type_component(module, type);
    uint16_t op = spv_type_op(module, component);
    return op == SpvOpTypeInt || op == SpvOpTypeFloat ? spv_type_width(module, type) * spv_type_count(module, type) : 0;
}

/* One, or several that are as wide as an address together. */
static bool holds_pointer(const struct spv_module *module, spv_id type)
{
    return spv_type_is_int(module, type) && (spv_type_count(module, type) == 1 || bits_of(module, type) == 64);
}

static bool is_input(const struct spv_module *module, spv_id pointer_type)
{
    return spv_pointer_storage(module, pointer_type) == SpvStorageClassInput;
}

static const char *check_bitcast(const struct spv_module *module, const struct spv_inst *inst)
{
    spv_id from = operand_type(module, inst, 0);
    bool from_pointer = spv_type_is_pointer(module, from), to_pointer = spv_type_is_pointer(module, inst->type);
    if (from_pointer != to_pointer)
        return holds_pointer(module, from_pointer ? inst->type : from) ? NULL : "a pointer as what holds none";
    if (from_pointer)
        return is_input(module, from) == is_input(module, inst->type)
                   ? NULL
                   : "a pointer to an input as one to other memory, or the other way round";
    if (bits_of(module, from) && bits_of(module, from) == bits_of(module, inst->type))
        return NULL;
    return "a bitcast between types of different sizes";
}

static bool is_integer(const struct spv_module *module, spv_id type)
{
    return spv_type_is_int(module, type) && spv_type_count(module, type) == 1;
}

static const char *check_pointer_conversion(const struct spv_module *module, const struct spv_inst *inst)
{
    spv_id from = operand_type(module, inst, 0);
    bool from_pointer = inst->op != SpvOpConvertUToPtr, to_pointer = inst->op != SpvOpConvertPtrToU;
    if (spv_type_is_pointer(module, from) != from_pointer || (!from_pointer && !is_integer(module, from)))
        return from_pointer ? "the operand is no pointer" : "the operand is no integer";
    if (spv_type_is_pointer(module, inst->type) != to_pointer || (!to_pointer && !is_integer(module, inst->type)))
        return to_pointer ? "the result is no pointer" : "the result is no integer";
    return NULL;
}

static const char *check_select(const struct spv_module *module, const struct spv_inst *inst)
{
    spv_id condition = operand_type(module, inst, 0);
    uint32_t count = spv_type_count(module, condition);
    if (!spv_type_is_bool(module, condition) || (count > 1 && count != spv_type_count(module, inst->type)))
        return "the condition does not fit the selection";
    return operand_type(module, inst, 1) == inst->type && operand_type(module, inst, 2) == inst->type
               ? NULL
               : "an object's type is not the result's";
}

/* The type that literal indices from words[first] on lead to; 0 when they lead nowhere. */
static spv_id walk_literals(const struct spv_module *module, const struct spv_inst *inst, spv_id type, uint32_t first)
{
    for (uint32_t i = first; i < inst->num_words; i++) {
        if (inst->words[i] >= composite_length(module, type))
            return 0;
        type = member_type(module, type, inst->words[i]);
    }
    return type;
}

static const char *check_construct(const struct spv_module *module, const struct spv_inst *inst)
{
    if (!spv_type_is_vector(module, inst->type))
        return check_members(module, inst);
    uint32_t count = 0;
    spv_id component = spv_type_component(module, inst->type);
    for (uint32_t i = 0; i < inst->num_words; i++) {
        spv_id type = operand_type(module, inst, i);
        if (spv_type_component(module, type) != component)
            return "a constituent does not fit the vector";
        count += spv_type_count(module, type);
    }
    return count == spv_type_count(module, inst->type) ? NULL : "the number of components does not fit the vector";
}

static const char *check_shuffle(const struct spv_module *module, const struct spv_inst *inst)
{
    spv_id first = operand_type(module, inst, 0), second = operand_type(module, inst, 1);
    spv_id component = spv_type_component(module, inst->type);
    if (!spv_type_is_vector(module, first) || !spv_type_is_vector(module, second) ||
        !spv_type_is_vector(module, inst->type) || spv_type_component(module, first) != component ||
        spv_type_component(module, second) != component || spv_type_count(module, inst->type) != inst->num_words - 2)
        return "the vectors do not fit the shuffle";
    uint32_t total = spv_type_count(module, first) + spv_type_count(module, second);
    for (uint32_t i = 2; i < inst->num_words; i++) {
        if (inst->words[i] >= total && inst->words[i] != UINT32_MAX)
            return "a component that neither vector has";
    }
    return NULL;
}

static const char *check_access_chain(const struct spv_module *module, const struct spv_inst *inst)
{
    spv_id base = operand_type(module, inst, 0);
    if (!spv_type_is_pointer(module, base) || !spv_type_is_pointer(module, inst->type) ||
        spv_pointer_storage(module, base) != spv_pointer_storage(module, inst->type))
        return "not pointers of one storage class";
    spv_id type = spv_pointer_pointee(module, base);
    for (uint32_t i = 1; i < inst->num_words; i++) {
        uint64_t index = 0;
        const struct spv_inst *type_def = spv_def(module, type);
        if (spv_type_op(module, operand_type(module, inst, i)) != SpvOpTypeInt)
            return "an index that is no integer";
        if (i == 1 && spv_op_is_by_element(inst->op))
            continue;
        if (type_def->op == SpvOpTypeStruct &&
            (!spv_const_value(module, inst->words[i], &index) || index >= type_def->num_words))
            return "a struct member that does not exist";
        if (type_def->op != SpvOpTypeRuntimeArray && type_def->op != SpvOpTypeArray && !composite_length(module, type))
            return "an index into what is no composite";
        type = member_type(module, type, (uint32_t)index);
    }
    return type == spv_pointer_pointee(module, inst->type) ? NULL : "the indices lead to another type";
}

static const char *check_call(const struct spv_module *module, const struct spv_inst *inst)
{
    const struct spv_function *callee = spv_function_of(module, inst->words[0]);
    const struct spv_inst *type = callee ? spv_def(module, callee->def->words[1]) : NULL;
    if (!type || type->op != SpvOpTypeFunction || callee->def->type != inst->type || type->num_words != inst->num_words)
        return "the call does not fit the function's type";
    for (uint32_t i = 1; i < inst->num_words; i++) {
        if (operand_type(module, inst, i) != type->words[i])
            return "an argument does not fit the function's type";
    }
    return NULL;
}

static const char *check_memory(const struct spv_module *module, const struct spv_inst *inst)
{
    spv_id pointer = operand_type(module, inst, 0);
    if (!spv_type_is_pointer(module, pointer))
        return "the operand is no pointer";
    spv_id value = inst->op == SpvOpLoad ? inst->type : operand_type(module, inst, 1);
    return spv_pointer_pointee(module, pointer) == value ? NULL : "the value is not of the type that is pointed to";
}

static const char *check_flow(const struct spv_module *module, const struct spv_function *function,
                              const struct spv_inst *inst)
{
    spv_id type;
    switch (inst->op) {
    case SpvOpBranchConditional:
        return spv_type_op(module, operand_type(module, inst, 0)) == SpvOpTypeBool ? NULL : "the condition is not bool";
    case SpvOpSwitch:
        type = operand_type(module, inst, 0);
        if (spv_type_op(module, type) != SpvOpTypeInt)
            return "the selector is no integer";
        return inst->hints.literal_words == (spv_type_width(module, type) > 32 ? 2u : 1u)
                   ? NULL
                   : "literals of the wrong size";
    case SpvOpReturn:
        return spv_type_op(module, function->def->type) == SpvOpTypeVoid ? NULL : "a return without a value";
    case SpvOpReturnValue:
        return operand_type(module, inst, 0) == function->def->type ? NULL : "the value is not of the function's type";
    default:
        for (uint32_t i = 0; i < inst->num_words; i += 2) {
            if (operand_type(module, inst, i) != inst->type)
                return "a value is not of the phi's type";
        }
        return NULL;
    }
}

static const char *check_composite(const struct spv_module *module, const struct spv_inst *inst)
{
    spv_id type;
    switch (inst->op) {
    case SpvOpCompositeConstruct:
        return check_construct(module, inst);
    case SpvOpCompositeExtract:
        return walk_literals(module, inst, operand_type(module, inst, 0), 1) == inst->type
                   ? NULL
                   : "the indices lead to another type";
    case SpvOpCompositeInsert:
        return operand_type(module, inst, 1) == inst->type &&
                       walk_literals(module, inst, inst->type, 2) == operand_type(module, inst, 0)
                   ? NULL
                   : "the indices lead to another type";
    case SpvOpVectorShuffle:
        return check_shuffle(module, inst);
    case SpvOpVectorExtractDynamic:
        type = operand_type(module, inst, 0);
        return spv_type_is_vector(module, type) && spv_type_component(module, type) == inst->type &&
                       spv_type_op(module, operand_type(module, inst, 1)) == SpvOpTypeInt
                   ? NULL
                   : "the types do not fit the extraction";
    default:
        return spv_type_is_vector(module, inst->type) && operand_type(module, inst, 0) == inst->type &&
                       operand_type(module, inst, 1) == spv_type_component(module, inst->type) &&
                       spv_type_op(module, operand_type(module, inst, 2)) == SpvOpTypeInt
                   ? NULL
                   : "the types do not fit the insertion";
    }
}

/* The first operands are like the result; offset and count behind them are numbers. */
static const char *check_bitfield(const struct spv_module *module, const struct spv_inst *inst, uint32_t values)
{
    bool fits = spv_type_is_int(module, inst->type) && inst->num_words >= values + 2;
    for (uint32_t i = 0; fits && i < values + 2; i++) {
        spv_id type = operand_type(module, inst, i);
        fits = i < values ? type == inst->type : spv_type_op(module, type) == SpvOpTypeInt;
    }
    return fits ? NULL : "the types do not fit the operation";
}

/* Vectors of one number of components, of floats or integers; or four bytes in a word. What is added is like the
 * result.
 */
static const char *check_dot(const struct spv_module *module, const struct spv_inst *inst)
{
    bool of_floats = inst->op == SpvOpDot;
    bool adds = inst->op == SpvOpSDotAccSatKHR || inst->op == SpvOpUDotAccSatKHR || inst->op == SpvOpSUDotAccSatKHR;
    uint16_t number = of_floats ? SpvOpTypeFloat : SpvOpTypeInt;
    if (spv_type_op(module, inst->type) != number || inst->num_words < 2u + adds)
        return "the result type does not fit the operation";
    spv_id a = operand_type(module, inst, 0), b = operand_type(module, inst, 1);
    bool packed = !of_floats && spv_type_op(module, a) == SpvOpTypeInt && spv_type_width(module, a) == 32;
    bool fits = a == b && (packed || (spv_type_is_vector(module, a) &&
                                      spv_type_op(module, spv_type_component(module, a)) == number &&
                                      (!of_floats || spv_type_component(module, a) == inst->type)));
    if (adds)
        fits = fits && operand_type(module, inst, 2) == inst->type;
    return fits ? NULL : "an operand's type does not fit the operation";
}

/* A scope, what to do, and the value; the result is like that. */
static const char *check_group(const struct spv_module *module, const struct spv_inst *inst, uint16_t op)
{
    bool fits = inst->num_words >= 3 && operand_type(module, inst, 2) == inst->type &&
                spv_type_op(module, spv_type_component(module, inst->type)) == op;
    return fits ? NULL : "the types do not fit the operation";
}

/* The count may have another width than what is shifted. */
static const char *check_shift(const struct spv_module *module, const struct spv_inst *inst)
{
    if (spv_type_is_int(module, inst->type) &&
        !is_like(module, operand_type(module, inst, 0), SpvOpTypeInt, spv_type_count(module, inst->type),
                 spv_type_width(module, inst->type)))
        return "an operand's type does not fit the operation";
    return all_like(module, inst, SpvOpTypeInt, false);
}

/* A struct of two numbers from two numbers, all of one type. */
static const char *check_extended(const struct spv_module *module, const struct spv_inst *inst)
{
    const struct spv_inst *type = spv_def(module, inst->type);
    spv_id number = operand_type(module, inst, 0);
    bool fits = type->op == SpvOpTypeStruct && type->num_words == 2 && spv_type_is_int(module, number) &&
                type->words[0] == number && type->words[1] == number && operand_type(module, inst, 1) == number;
    return fits ? NULL : "the types do not fit the operation";
}

static bool is_aggregate(const struct spv_module *module, spv_id type)
{
    return spv_op_class(spv_type_op(module, type)) == SPV_CLASS_AGGREGATE_TYPE;
}

/* Whether they match member by member is seen when they are taken apart. */
static const char *check_copy_logical(const struct spv_module *module, const struct spv_inst *inst)
{
    return is_aggregate(module, inst->type) && is_aggregate(module, operand_type(module, inst, 0))
               ? NULL
               : "a logical copy of what is no struct or array";
}

static const char *check_int_comparison(const struct spv_module *module, const struct spv_inst *inst)
{
    enum spv_relation relation = spv_op_relation(inst->op);
    bool equality = relation == SPV_RELATION_EQUAL || relation == SPV_RELATION_UNEQUAL;
    /* OpenCL SPIR-V of LLVM's translator compares pointers by these too */
    if (equality && spv_type_is_pointer(module, operand_type(module, inst, 0)))
        return spv_type_is_pointer(module, operand_type(module, inst, 1)) ? NULL : "a pointer compared with a number";
    return compares(module, inst, SpvOpTypeInt);
}

/* Operations on memory whose first operand, or first two, are pointers. */
static const char *check_pointers(const struct spv_module *module, const struct spv_inst *inst, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!spv_type_is_pointer(module, operand_type(module, inst, i)))
            return "the operand is no pointer";
    }
    return NULL;
}

/* Operations that are the only ones of their kind. */
static const char *check_other(const struct spv_module *module, const struct spv_function *function,
                               const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpVariable:
        return check_variable(module, inst);
    case SpvOpSelect:
        return check_select(module, inst);
    case SpvOpBitcast:
        return check_bitcast(module, inst);
    case SpvOpLoad:
    case SpvOpStore:
        return check_memory(module, inst);
    case SpvOpFunctionCall:
        return check_call(module, inst);
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpPhi:
        return check_flow(module, function, inst);
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        return check_pointer_conversion(module, inst);
    case SpvOpBitReverse:
        return all_like(module, inst, SpvOpTypeInt, true);
    case SpvOpBitCount:
        return converts(module, inst, SpvOpTypeInt, SpvOpTypeInt);
    case SpvOpDot:
        return check_dot(module, inst);
    case SpvOpCopyLogical:
        return check_copy_logical(module, inst);
    default:
        return NULL;
    }
}

const char *spv_check_inst_types(const struct spv_module *module, const struct spv_function *function,
                                 const struct spv_inst *inst)
{
    if (spv_is_matrix_inst(module, inst))
        return spv_check_matrix_inst(module, inst);
    switch (spv_op_class(inst->op)) {
    case SPV_CLASS_INT_ARITHMETIC:
    case SPV_CLASS_INT_DIVISION:
    case SPV_CLASS_BITWISE:
        return all_like(module, inst, SpvOpTypeInt, true);
    case SPV_CLASS_SHIFT:
        return check_shift(module, inst);
    case SPV_CLASS_BIT_FIELD:
        return check_bitfield(module, inst, inst->op == SpvOpBitFieldInsert ? 2 : 1);
    case SPV_CLASS_INT_EXTENDED:
        return check_extended(module, inst);
    case SPV_CLASS_INT_DOT:
        return check_dot(module, inst);
    case SPV_CLASS_FLOAT_ARITHMETIC:
        return all_like(module, inst, SpvOpTypeFloat, true);
    case SPV_CLASS_LOGICAL:
        return all_like(module, inst, SpvOpTypeBool, false);
    case SPV_CLASS_INT_COMPARISON:
        return check_int_comparison(module, inst);
    case SPV_CLASS_FLOAT_COMPARISON:
    case SPV_CLASS_FLOAT_TEST:
        return compares(module, inst, SpvOpTypeFloat);
    case SPV_CLASS_FLOAT_TO_INT:
        return converts(module, inst, SpvOpTypeFloat, SpvOpTypeInt);
    case SPV_CLASS_INT_TO_FLOAT:
        return converts(module, inst, SpvOpTypeInt, SpvOpTypeFloat);
    case SPV_CLASS_INT_TO_INT:
    case SPV_CLASS_INT_SATURATED:
        return converts(module, inst, SpvOpTypeInt, SpvOpTypeInt);
    case SPV_CLASS_FLOAT_TO_FLOAT:
        return converts(module, inst, SpvOpTypeFloat, SpvOpTypeFloat);
    case SPV_CLASS_COMPOSITE:
        return check_composite(module, inst);
    case SPV_CLASS_ACCESS_CHAIN:
        return check_access_chain(module, inst);
    case SPV_CLASS_POINTER_CAST:
        return check_pointer_conversion(module, inst);
    case SPV_CLASS_COPY:
        return check_pointers(module, inst, 2);
    case SPV_CLASS_LIFETIME:
    case SPV_CLASS_ATOMIC:
    case SPV_CLASS_FLOAT_ATOMIC:
        return check_pointers(module, inst, 1);
    case SPV_CLASS_GROUP_INT:
        return check_group(module, inst, SpvOpTypeInt);
    case SPV_CLASS_GROUP_FLOAT:
        return check_group(module, inst, SpvOpTypeFloat);
    case SPV_CLASS_GROUP_LOGICAL:
        return check_group(module, inst, SpvOpTypeBool);
    default:
        return check_other(module, function, inst);
    }
}
