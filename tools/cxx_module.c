/* What clang cannot say of an OpenCL C++ module, said afterwards, on SPIR-V's words.
 *
 * 1. A kernel parameter of class global_ptr<T> is, for clang, a struct passed by value:
 *
 *        %p = OpFunctionParameter %ptr_Function_struct         ->   %q = OpFunctionParameter %ptr_CrossWorkgroup_T
 *        %l = OpLabel                                               %l = OpLabel
 *                                                                   %p = OpVariable %ptr_Function_struct Function
 *                                                                   %m = OpInBoundsAccessChain %p 0
 *                                                                        OpStore %m %q
 *
 *    so that the host passes a buffer. The struct is known by its name and holds the pointer alone.
 *
 * 2. An object of cl::spec_constant<T, ID> is a variable whose initializer holds value and ID: it becomes an
 *    initializer of an OpSpecConstant with that SpecId (OpenCL C++ 1.0, 3.5). */
#include "cxx.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct text {
    uint32_t *words;
    size_t count, capacity;
    bool failed;
};

struct id_info {
    const uint32_t *def; /* the instruction that makes the id, NULL: none */
    const char *name;
    bool entry;           /* an entry point's function */
    uint32_t replacement; /* the new function type, or the new initializer */
    uint32_t parameter;   /* the pointer that comes in this parameter's place; 0: it stays */
};

struct finisher {
    const uint32_t *in;
    size_t count;
    struct id_info *ids;
    uint32_t bound, first_new, uint_type, zero;
    struct text decorations, types, out;
};

static void put(struct text *t, const uint32_t *words, size_t count)
{
    if (t->count + count > t->capacity) {
        size_t capacity = (t->count + count) * 2;
        uint32_t *grown = realloc(t->words, capacity * 4);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->words = grown;
        t->capacity = capacity;
    }
    memcpy(t->words + t->count, words, count * 4);
    t->count += count;
}

#define PUT(t, op, ...)                                                                                                \
    do {                                                                                                               \
        const uint32_t operands[] = {__VA_ARGS__};                                                                     \
        const uint32_t head = (uint32_t)(sizeof(operands) / 4 + 1) << 16 | (op);                                       \
        put(t, &head, 1);                                                                                              \
        put(t, operands, sizeof(operands) / 4);                                                                        \
    } while (0)

static uint32_t op_of(const uint32_t *inst)
{
    return inst[0] & 0xffff;
}

static uint32_t length_of(const uint32_t *inst)
{
    return inst[0] >> 16;
}

/* Where an instruction has its result; 0: it has none that matters here. */
static uint32_t result_at(uint32_t op)
{
    switch (op) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypeStruct:
    case SpvOpTypePointer:
    case SpvOpTypeFunction:
    case SpvOpTypeOpaque:
        return 1;
    case SpvOpConstant:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstantComposite:
    case SpvOpConstantNull:
    case SpvOpVariable:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
        return 2;
    default:
        return 0;
    }
}

static bool index_ids(struct finisher *f)
{
    for (size_t at = 5; at < f->count;) {
        const uint32_t *inst = f->in + at;
        uint32_t length = length_of(inst), op = op_of(inst), result = result_at(op);
        if (!length || at + length > f->count)
            return false;
        if (result && result < length && inst[result] < f->first_new)
            f->ids[inst[result]].def = inst;
        if (op == SpvOpName && length > 2 && inst[1] < f->first_new)
            f->ids[inst[1]].name = (const char *)(inst + 2);
        if (op == SpvOpEntryPoint && length > 3 && inst[2] < f->first_new)
            f->ids[inst[2]].entry = true;
        if (op == SpvOpTypeInt && inst[2] == 32)
            f->uint_type = inst[1];
        at += length;
    }
    return true;
}

static const uint32_t *def(const struct finisher *f, uint32_t id, uint32_t op)
{
    const uint32_t *inst = id < f->first_new ? f->ids[id].def : NULL;
    return inst && op_of(inst) == op ? inst : NULL;
}

static bool has_name(const struct finisher *f, uint32_t id, const char *part)
{
    const char *name = id < f->first_new ? f->ids[id].name : NULL;
    const char *colons = name ? strstr(name, "cl::") : NULL;
    return colons && !strncmp(colons + 4, part, strlen(part));
}

/* The pointer that a pointer class holds, for the type of a parameter that is such an object; 0: it is none. */
static uint32_t held_pointer(const struct finisher *f, uint32_t type)
{
    const uint32_t *pointer = def(f, type, SpvOpTypePointer);
    if (!pointer || pointer[2] != SpvStorageClassFunction)
        return 0;
    const uint32_t *object = def(f, pointer[3], SpvOpTypeStruct);
    if (!object || length_of(object) != 3)
        return 0;
    bool is_class = has_name(f, object[1], "global_ptr") || has_name(f, object[1], "local_ptr") ||
                    has_name(f, object[1], "constant_ptr");
    return is_class && def(f, object[2], SpvOpTypePointer) ? object[2] : 0;
}

static uint32_t pointer_to(struct finisher *f, uint32_t type)
{
    for (uint32_t id = 1; id < f->first_new; id++) {
        const uint32_t *pointer = def(f, id, SpvOpTypePointer);
        if (pointer && pointer[2] == SpvStorageClassFunction && pointer[3] == type)
            return id;
    }
    for (size_t at = 0; at < f->types.count; at += length_of(f->types.words + at)) {
        const uint32_t *inst = f->types.words + at;
        if (op_of(inst) == SpvOpTypePointer && inst[3] == type)
            return inst[1];
    }
    PUT(&f->types, SpvOpTypePointer, f->bound, SpvStorageClassFunction, type);
    return f->bound++;
}

/* Types of functions must be unique: an equal one that exists is taken. */
static uint32_t function_type(struct finisher *f, const uint32_t *wanted)
{
    size_t size = (length_of(wanted) - 2) * 4;
    for (uint32_t id = 1; id < f->first_new; id++) {
        const uint32_t *type = def(f, id, SpvOpTypeFunction);
        if (type && type[0] == wanted[0] && !memcmp(type + 2, wanted + 2, size))
            return id;
    }
    for (size_t at = 0; at < f->types.count; at += length_of(f->types.words + at)) {
        const uint32_t *type = f->types.words + at;
        if (type[0] == wanted[0] && !memcmp(type + 2, wanted + 2, size))
            return type[1];
    }
    put(&f->types, wanted, length_of(wanted));
    return f->bound++;
}

static void plan_kernel(struct finisher *f, const uint32_t *function)
{
    const uint32_t *type = def(f, function[4], SpvOpTypeFunction), *inst = function + length_of(function);
    if (!type)
        return;
    bool changes = false;
    uint32_t *wanted = malloc(length_of(type) * 4);
    if (!wanted) {
        f->types.failed = true;
        return;
    }
    memcpy(wanted, type, length_of(type) * 4);
    for (uint32_t i = 3; i < length_of(type); i++, inst += length_of(inst)) {
        uint32_t pointer = held_pointer(f, type[i]);
        if (!pointer)
            continue;
        changes = true;
        wanted[i] = pointer;
        pointer_to(f, pointer);
        f->ids[inst[2]].parameter = f->bound++;
    }
    if (changes) {
        if (!f->zero) {
            f->zero = f->bound++;
            PUT(&f->types, SpvOpConstant, f->uint_type, f->zero, 0);
        }
        wanted[1] = f->bound;
        f->ids[function[2]].replacement = function_type(f, wanted);
    }
    free(wanted);
}

static void plan_constant(struct finisher *f, const uint32_t *variable)
{
    const uint32_t *pointer = def(f, variable[1], SpvOpTypePointer);
    const uint32_t *value = length_of(variable) > 4 ? def(f, variable[4], SpvOpConstantComposite) : NULL;
    if (!pointer || !value || length_of(value) < 5 || !has_name(f, pointer[3], "spec_constant"))
        return;
    const uint32_t *first = f->ids[value[3]].def, *id = def(f, value[4], SpvOpConstant);
    if (!first || !id)
        return;
    uint32_t constant = f->bound++, composite = f->bound++;
    PUT(&f->decorations, SpvOpDecorate, constant, SpvDecorationSpecId, id[3]);
    if (op_of(first) == SpvOpConstantNull) {
        const uint32_t *type = f->ids[first[1]].def;
        if (type[2] > 32)
            PUT(&f->types, SpvOpSpecConstant, first[1], constant, 0, 0);
        else
            PUT(&f->types, SpvOpSpecConstant, first[1], constant, 0);
    } else {
        const uint32_t head = length_of(first) << 16 | SpvOpSpecConstant;
        put(&f->types, &head, 1);
        put(&f->types, &first[1], 1);
        put(&f->types, &constant, 1);
        put(&f->types, first + 3, length_of(first) - 3);
    }
    const uint32_t head = length_of(value) << 16 | SpvOpSpecConstantComposite;
    put(&f->types, &head, 1);
    put(&f->types, &value[1], 1);
    put(&f->types, &composite, 1);
    put(&f->types, &constant, 1);
    put(&f->types, value + 4, length_of(value) - 4);
    f->ids[variable[2]].replacement = composite;
}

static void plan(struct finisher *f)
{
    for (uint32_t id = 1; id < f->first_new; id++) {
        const uint32_t *inst = f->ids[id].def;
        if (inst && op_of(inst) == SpvOpFunction && f->ids[id].entry)
            plan_kernel(f, inst);
        else if (inst && op_of(inst) == SpvOpVariable && inst[3] != SpvStorageClassFunction)
            plan_constant(f, inst);
    }
}

static bool is_type(uint32_t op)
{
    return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
           (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp) || op == SpvOpUndef || op == SpvOpLine ||
           op == SpvOpNoLine;
}

/* After the label: the objects that were parameters, each with the pointer that came instead. Variables come first. */
static void put_objects(struct finisher *f, const uint32_t *label, const uint32_t *const *parameters, size_t count)
{
    struct text *out = &f->out;
    put(out, label, length_of(label));
    for (size_t i = 0; i < count; i++)
        PUT(out, SpvOpVariable, parameters[i][1], parameters[i][2], SpvStorageClassFunction);
    for (label += length_of(label); op_of(label) == SpvOpVariable; label += length_of(label))
        put(out, label, length_of(label));
    for (size_t i = 0; i < count; i++) {
        uint32_t held = held_pointer(f, parameters[i][1]), member = f->bound++;
        PUT(out, SpvOpInBoundsAccessChain, pointer_to(f, held), member, parameters[i][2], f->zero);
        PUT(out, SpvOpStore, member, f->ids[parameters[i][2]].parameter, SpvMemoryAccessAlignedMask, 8);
    }
}

static void write_out(struct finisher *f)
{
    enum { MAX_PARAMETERS = 256 };
    const uint32_t *objects[MAX_PARAMETERS];
    size_t num_objects = 0;
    bool decorated = false, typed = false;
    put(&f->out, f->in, 5);
    for (size_t at = 5; at < f->count;) {
        const uint32_t *inst = f->in + at;
        uint32_t length = length_of(inst), op = op_of(inst);
        uint32_t id = length > 2 && inst[2] < f->first_new && result_at(op) == 2 ? inst[2] : 0;
        at += length;
        if (!decorated && is_type(op) && op != SpvOpLine && op != SpvOpNoLine) {
            put(&f->out, f->decorations.words, f->decorations.count);
            decorated = true;
        }
        if (!typed && (op == SpvOpVariable || op == SpvOpFunction)) {
            put(&f->out, f->types.words, f->types.count);
            typed = true;
        }
        if (op == SpvOpDecorate && inst[1] < f->first_new && f->ids[inst[1]].parameter)
            continue; /* ByVal and an alignment: they are the object's, no pointer's */
        if (op == SpvOpVariable && id && f->ids[id].replacement) {
            PUT(&f->out, SpvOpVariable, inst[1], id, inst[3], f->ids[id].replacement);
        } else if (op == SpvOpFunction && id && f->ids[id].replacement) {
            PUT(&f->out, SpvOpFunction, inst[1], id, inst[3], f->ids[id].replacement);
        } else if (op == SpvOpFunctionParameter && id && f->ids[id].parameter && num_objects < MAX_PARAMETERS) {
            PUT(&f->out, SpvOpFunctionParameter, held_pointer(f, inst[1]), f->ids[id].parameter);
            objects[num_objects++] = inst;
        } else if (op == SpvOpLabel && num_objects) {
            put_objects(f, inst, objects, num_objects);
            for (num_objects = 0; at < f->count && op_of(f->in + at) == SpvOpVariable;)
                at += length_of(f->in + at);
        } else {
            put(&f->out, inst, length);
        }
    }
}

/* A variable may stand before a type or a constant of the module: all variables go behind them. */
static uint32_t *variables_last(const uint32_t *in, size_t count)
{
    uint32_t *out = malloc(count * 4);
    size_t at = 5, end = 0, to = 5;
    if (!out)
        return NULL;
    memcpy(out, in, 5 * 4);
    for (end = 5; end < count && length_of(in + end) && op_of(in + end) != SpvOpFunction;)
        end += length_of(in + end);
    for (int variables = 0; variables < 2; variables++) {
        for (at = 5; at < end && at < count; at += length_of(in + at)) {
            if ((op_of(in + at) == SpvOpVariable) != variables || at + length_of(in + at) > count)
                continue;
            memcpy(out + to, in + at, length_of(in + at) * 4);
            to += length_of(in + at);
        }
    }
    if (end < count)
        memcpy(out + to, in + end, (count - end) * 4);
    return out;
}

uint32_t *cxx_finish_module(const uint32_t *words, size_t *count)
{
    struct finisher f = {.count = *count};
    if (*count < 5 || words[0] != SpvMagicNumber || words[3] > (1u << 24))
        return NULL;
    uint32_t *sorted = variables_last(words, *count), *result = NULL;
    f.in = sorted;
    f.bound = f.first_new = words[3];
    f.ids = calloc(f.bound, sizeof(*f.ids));
    if (sorted && f.ids && index_ids(&f)) {
        plan(&f);
        write_out(&f);
        if (!f.out.failed && !f.types.failed && !f.decorations.failed) {
            f.out.words[3] = f.bound;
            result = f.out.words;
            f.out.words = NULL;
            *count = f.out.count;
        }
    }
    free(f.out.words);
    free(f.types.words);
    free(f.decorations.words);
    free(f.ids);
    free(sorted);
    return result;
}
