/* Checks of cooperative matrices (SPV_KHR_cooperative_matrix). Passes rely on them as on those of check_types.c. Whether
 * the device has matrices of that shape is seen when a kernel is lowered, since specialisation constants may say it. */
#include "check.h"

enum { MOST_COMPONENTS = 1 << 16, USE_ACCUMULATOR = 2 };

/* The words of the type. */
enum { COMPONENT, SCOPE, ROWS, COLUMNS, USE };

static bool is_scalar_number(const struct spv_module *module, spv_id type)
{
    uint16_t op = spv_type_op(module, type);
    return op == SpvOpTypeInt || op == SpvOpTypeFloat;
}

static bool is_constant_int(const struct spv_module *module, spv_id id)
{
    const struct spv_inst *def = spv_def(module, id);
    return def && spv_op_is_constant(def->op) && spv_type_op(module, def->type) == SpvOpTypeInt &&
           spv_type_width(module, def->type) == 32;
}

/* Whether its components are codes of other floats than IEEE 754's. */
static bool is_encoded(const struct spv_module *module, const struct spv_inst *type)
{
    uint64_t use;
    return spv_const_value(module, type->words[USE], &use) && use & SPV_MATRIX_ENCODINGS;
}

uint32_t spv_matrix_components(const struct spv_module *module, const struct spv_inst *type)
{
    uint64_t rows, columns;
    bool known =
        spv_const_value(module, type->words[ROWS], &rows) && spv_const_value(module, type->words[COLUMNS], &columns);
    return known ? (uint32_t)(rows * columns) : MOST_COMPONENTS;
}

const char *spv_check_matrix_type(const struct spv_module *module, const struct spv_inst *type)
{
    uint64_t value;
    if (!is_scalar_number(module, type->words[COMPONENT]))
        return "a cooperative matrix of what is no number";
    for (uint32_t i = SCOPE; i <= USE; i++) {
        if (!is_constant_int(module, type->words[i]))
            return "an operand of a cooperative matrix type is no constant of 32 bits";
    }
    if (spv_const_value(module, type->words[SCOPE], &value) && value != SpvScopeSubgroup)
        return "a cooperative matrix of another scope than Subgroup";
    for (uint32_t i = ROWS; i <= COLUMNS; i++) {
        if (spv_const_value(module, type->words[i], &value) && (!value || value > 1024))
            return "a cooperative matrix whose size is out of range";
    }
    bool known = spv_const_value(module, type->words[USE], &value);
    uint32_t encoding = known ? value & SPV_MATRIX_ENCODINGS : 0, width = encoding == SPV_MATRIX_BFLOAT16 ? 16 : 8;
    if (known && (value & ~(uint64_t)SPV_MATRIX_ENCODINGS) > USE_ACCUMULATOR)
        return "a cooperative matrix of unknown use";
    if (encoding && (spv_type_op(module, type->words[COMPONENT]) != SpvOpTypeInt ||
                     spv_type_width(module, type->words[COMPONENT]) != width))
        return "a cooperative matrix of codes of another width";
    return spv_matrix_components(module, type) > MOST_COMPONENTS ? "a cooperative matrix whose size is out of range"
                                                                 : NULL;
}

const char *spv_check_matrix_numbers(const struct spv_module *module, const uint8_t *changed, uint32_t bound)
{
    spv_foreach_inst (type, &module->sections[SPV_SECTION_GLOBAL]) {
        if (type->op == SpvOpTypeCooperativeMatrixKHR && type->words[COMPONENT] < bound &&
            changed[type->words[COMPONENT]] && !is_encoded(module, type))
            return "a cooperative matrix of numbers that are made of others: convert them before";
    }
    return NULL;
}

/* ---- instructions ---- */

static spv_id operand_type(const struct spv_module *module, const struct spv_inst *inst, uint32_t word)
{
    return spv_value_type(module, inst->words[word]);
}

/* Of codes it is no type of numbers, with which matrices compute. */
static uint16_t component_op(const struct spv_module *module, spv_id type)
{
    return spv_type_is_matrix(module, type) && !is_encoded(module, spv_def(module, type))
               ? spv_type_op(module, spv_def(module, type)->words[COMPONENT])
               : (uint16_t)SpvOpNop;
}

static bool is_matrix_of(const struct spv_module *module, spv_id type, uint16_t number)
{
    bool encoded = spv_type_is_matrix(module, type) && is_encoded(module, spv_def(module, type));
    return encoded ? number == SpvOpTypeFloat : component_op(module, type) == number;
}

/* But for what components are codes of, beside a use. */
static bool is_same_constant(const struct spv_module *module, spv_id a, spv_id b)
{
    uint64_t first, second;
    return a == b || (spv_const_value(module, a, &first) && spv_const_value(module, b, &second) &&
                      ((first ^ second) & ~(uint64_t)SPV_MATRIX_ENCODINGS) == 0);
}

/* Whether both are matrices of one scope, size and use. */
static bool has_same_shape(const struct spv_module *module, spv_id a, spv_id b)
{
    const struct spv_inst *first = spv_def(module, a), *second = spv_def(module, b);
    if (!spv_type_is_matrix(module, a) || !spv_type_is_matrix(module, b))
        return false;
    for (uint32_t i = SCOPE; i <= USE; i++) {
        if (!is_same_constant(module, first->words[i], second->words[i]))
            return false;
    }
    return true;
}

static const char *is_arithmetic_of(const struct spv_module *module, const struct spv_inst *inst, uint16_t number)
{
    bool fits = component_op(module, inst->type) == number;
    for (uint32_t i = 0; i < inst->num_words; i++)
        fits = fits && operand_type(module, inst, i) == inst->type;
    return fits ? NULL : "the matrices do not fit the operation";
}

static const char *converts(const struct spv_module *module, const struct spv_inst *inst, uint16_t from, uint16_t to)
{
    spv_id type = operand_type(module, inst, 0);
    bool fits = has_same_shape(module, type, inst->type) && is_matrix_of(module, type, from) &&
                is_matrix_of(module, inst->type, to);
    return fits ? NULL : "the matrices do not fit the conversion";
}

static uint32_t width_of(const struct spv_module *module, spv_id matrix)
{
    return spv_type_width(module, spv_def(module, matrix)->words[COMPONENT]);
}

static const char *check_bitcast(const struct spv_module *module, const struct spv_inst *inst)
{
    const char *wrong = converts(module, inst, SpvOpTypeInt, SpvOpTypeInt);
    if (!wrong && width_of(module, operand_type(module, inst, 0)) != width_of(module, inst->type))
        wrong = "a bitcast between matrices of different widths";
    return wrong;
}

static const char *check_times_scalar(const struct spv_module *module, const struct spv_inst *inst)
{
    bool fits = spv_type_is_matrix(module, inst->type) && operand_type(module, inst, 0) == inst->type &&
                operand_type(module, inst, 1) == spv_def(module, inst->type)->words[COMPONENT];
    return fits ? NULL : "the scalar does not fit the matrix";
}

/* A layout, then a stride where there is one, from words[first] on. */
static const char *check_access(const struct spv_module *module, const struct spv_inst *inst, uint32_t first)
{
    spv_id pointer = operand_type(module, inst, 0), pointee;
    if (!spv_type_is_pointer(module, pointer))
        return "the operand is no pointer";
    pointee = spv_pointer_pointee(module, pointer);
    if (!spv_type_is_int(module, pointee) && !spv_type_is_float(module, pointee))
        return "the pointer of a cooperative matrix points neither to numbers nor to vectors of them";
    if (spv_pointer_storage(module, pointer) == SpvStorageClassFunction)
        return "a cooperative matrix is loaded or stored in private memory";
    if (!is_constant_int(module, inst->words[first]))
        return "the layout of a cooperative matrix is no constant of 32 bits";
    if (inst->num_words > first + 1 && spv_type_op(module, operand_type(module, inst, first + 1)) != SpvOpTypeInt)
        return "the stride of a cooperative matrix is no integer";
    return NULL;
}

/* Between lowering's first two passes this is of arrays already (lower/ends/matrices.c). */
static const char *check_multiplication(const struct spv_module *module, const struct spv_inst *inst)
{
    spv_id types[] = {operand_type(module, inst, 0), operand_type(module, inst, 1), operand_type(module, inst, 2),
                      inst->type};
    for (uint32_t i = 0; i < 4; i++) {
        if (!spv_type_is_matrix(module, types[i]) && spv_type_op(module, types[i]) != SpvOpTypeArray)
            return "an operand is no cooperative matrix";
        uint64_t use;
        uint32_t wanted = i < 2 ? i : USE_ACCUMULATOR;
        if (spv_type_is_matrix(module, types[i]) &&
            spv_const_value(module, spv_def(module, types[i])->words[USE], &use) &&
            (use & ~(uint64_t)SPV_MATRIX_ENCODINGS) != wanted)
            return "a cooperative matrix of another use";
    }
    return NULL;
}

static const char *check_length(const struct spv_module *module, const struct spv_inst *inst)
{
    bool fits = spv_type_op(module, inst->type) == SpvOpTypeInt && spv_type_width(module, inst->type) == 32 &&
                spv_type_is_matrix(module, inst->words[0]);
    return fits ? NULL : "the length of what is no cooperative matrix, or as another number than one of 32 bits";
}

static const char *check_elementwise(const struct spv_module *module, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
        return is_arithmetic_of(module, inst, SpvOpTypeFloat);
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
        return converts(module, inst, SpvOpTypeFloat, SpvOpTypeInt);
    case SpvOpConvertUToF:
    case SpvOpConvertSToF:
        return converts(module, inst, SpvOpTypeInt, SpvOpTypeFloat);
    case SpvOpUConvert:
    case SpvOpSConvert:
        return converts(module, inst, SpvOpTypeInt, SpvOpTypeInt);
    case SpvOpFConvert:
        return converts(module, inst, SpvOpTypeFloat, SpvOpTypeFloat);
    case SpvOpBitcast:
        return check_bitcast(module, inst);
    case SpvOpMatrixTimesScalar:
        return check_times_scalar(module, inst);
    default:
        return is_arithmetic_of(module, inst, SpvOpTypeInt);
    }
}

const char *spv_check_matrix_inst(const struct spv_module *module, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpCooperativeMatrixLoadKHR:
        return spv_type_is_matrix(module, inst->type) ? check_access(module, inst, 1)
                                                      : "what is loaded is no cooperative matrix";
    case SpvOpCooperativeMatrixStoreKHR:
        return spv_type_is_matrix(module, operand_type(module, inst, 1)) ? check_access(module, inst, 2)
                                                                         : "what is stored is no cooperative matrix";
    case SpvOpCooperativeMatrixMulAddKHR:
        return check_multiplication(module, inst);
    case SpvOpCooperativeMatrixLengthKHR:
        return check_length(module, inst);
    default:
        return check_elementwise(module, inst);
    }
}

static bool is_elementwise(uint16_t op)
{
    switch (op) {
    case SpvOpSNegate:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpSDiv:
    case SpvOpUDiv:
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertUToF:
    case SpvOpConvertSToF:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpFConvert:
    case SpvOpBitcast:
    case SpvOpMatrixTimesScalar:
        return true;
    default:
        return false;
    }
}

bool spv_is_matrix_inst(const struct spv_module *module, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpCooperativeMatrixLoadKHR:
    case SpvOpCooperativeMatrixStoreKHR:
    case SpvOpCooperativeMatrixMulAddKHR:
    case SpvOpCooperativeMatrixLengthKHR:
        return true;
    default:
        return is_elementwise(inst->op) && spv_type_is_matrix(module, inst->type);
    }
}

/* ---- places ---- */

/* By types, for which those before them are known: spv_check() has seen that types nest without circles, but by
 * pointers. */
static bool holds_matrix(const uint8_t *holds, const struct spv_inst *type)
{
    switch (type->op) {
    case SpvOpTypeCooperativeMatrixKHR:
        return true;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        return holds[type->words[0]];
    case SpvOpTypeStruct:
        for (uint32_t i = 0; i < type->num_words; i++) {
            if (holds[type->words[i]])
                return true;
        }
        return false;
    default:
        return false;
    }
}

const char *spv_check_matrix_places(const struct spv_module *module)
{
    if (!spv_has_capability(module, SpvCapabilityCooperativeMatrixKHR))
        return NULL;
    uint8_t *holds = arena_array(module->arena, uint8_t, module->bound);
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->id && spv_op_is_type(inst->op))
            holds[inst->id] = holds_matrix(holds, inst);
        if (inst->op == SpvOpTypePointer && holds[inst->words[1]] && inst->words[0] != SpvStorageClassFunction)
            return "cooperative matrices in other memory than a function's own";
    }
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        const struct spv_function *kernel = spv_function_of(module, entry->words[1]);
        for (uint32_t i = 0; kernel && i < kernel->params.length; i++) {
            spv_id type = kernel->params.data[i]->type;
            if (holds[spv_type_is_pointer(module, type) ? spv_pointer_pointee(module, type) : type])
                return "a kernel's parameter is a cooperative matrix";
        }
    }
    return NULL;
}
