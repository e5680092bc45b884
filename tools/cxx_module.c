/* What clang cannot say of an OpenCL C++ module, said afterwards, on SPIR-V's words.
 *
 * 1. A kernel parameter of class global_ptr<T> is, for clang, a struct passed by value:
 *
 *        %p = OpFunctionParameter %ptr_Function_struct         ->   %q = OpFunctionParameter %ptr_CrossWorkgroup_T
 *        %l = OpLabel                                               %l = OpLabel
 *                                                                   %p = OpVariable %ptr_Function_struct Function
 *                                                                   %m = OpInBoundsAccessChain %p 0 0
 *                                                                        OpStore %m %q
 *
 *    so that the host passes a buffer. The struct is known by its name; its base holds the pointer and nothing else.
 *
 * 2. An object of cl::spec_constant<T, ID> is a variable whose initializer holds value and ID: it becomes an
 *    initializer of an OpSpecConstant with that SpecId (OpenCL C++ 1.0, 3.5). */
#include "cxx_passes.h"
#include "cxx_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 256 };

struct completer {
    struct module m;
    uint32_t *replacement; /* by id: the new function type, or the variable's new initializer; 0: none */
    uint32_t *parameter;   /* by id: the pointer that comes in this parameter's place; 0: it stays */
    bool *by_value;        /* by id: a parameter that the host passes as an object's bytes */
    const uint32_t *objects[MAX_PARAMETERS]; /* of the function that is being written */
    uint32_t num_objects;
    bool stores; /* the objects' pointers are stored behind the variables */
};

static bool has_name(const struct completer *f, uint32_t id, const char *part)
{
    const char *name = id && id < f->m.old_bound ? f->m.ids[id].name : NULL;
    const char *colons = name ? strstr(name, "cl::") : NULL;
    return colons && !strncmp(colons + 4, part, strlen(part));
}

/* The pointer that a pointer class holds, for the type of a parameter that is such an object, and how deep it lies in
 * it; 0: it is none. */
static uint32_t held_pointer(const struct completer *f, uint32_t type, uint32_t *depth)
{
    const uint32_t *pointer = module_def_of(&f->m, type, SpvOpTypePointer);
    if (!pointer || pointer[2] != SpvStorageClassFunction)
        return 0;
    uint32_t member = pointer[3];
    if (!has_name(f, member, "global_ptr") && !has_name(f, member, "local_ptr") && !has_name(f, member, "constant_ptr"))
        return 0;
    const uint32_t *object;
    for (*depth = 0; (object = module_def_of(&f->m, member, SpvOpTypeStruct)) && length_of(object) == 3; ++*depth)
        member = object[2];
    return module_def_of(&f->m, member, SpvOpTypePointer) ? member : 0;
}

/* OpenCL C++ 1.0, 2.6.2: "Types passed by value must be POD types." clang passes an object that must not be copied byte
 * by byte by its address, and no host can make that. */
static bool is_by_address(const struct completer *f, const uint32_t *param)
{
    const uint32_t *pointer = module_def_of(&f->m, param[1], SpvOpTypePointer);
    return pointer && pointer[2] == SpvStorageClassFunction && !f->by_value[param[2]];
}

static void find_by_value(struct completer *f)
{
    for (size_t at = SPIRV_HEADER; at < f->m.count; at += length_of(f->m.in + at)) {
        const uint32_t *inst = f->m.in + at;
        if (op_of(inst) == SpvOpDecorate && length_of(inst) == 4 && inst[1] < f->m.old_bound &&
            inst[2] == SpvDecorationFuncParamAttr && inst[3] == SpvFunctionParameterAttributeByVal)
            f->by_value[inst[1]] = true;
    }
}

/* False: the message says what is wrong with a parameter. */
static bool plan_kernel(struct completer *f, uint32_t id, const char *name, char message[CXX_MESSAGE])
{
    const uint32_t *function = module_def_of(&f->m, id, SpvOpFunction);
    const uint32_t *type = function ? module_def_of(&f->m, function[4], SpvOpTypeFunction) : NULL;
    uint32_t params[MAX_PARAMETERS], count = type ? length_of(type) - 3 : 0, depth;
    bool changes = false;
    if (!type || count > MAX_PARAMETERS)
        return true;
    const uint32_t *inst = function + length_of(function);
    for (uint32_t i = 0; i < count; i++, inst += length_of(inst)) {
        uint32_t pointer = held_pointer(f, type[3 + i], &depth);
        params[i] = pointer ? pointer : type[3 + i];
        if (!pointer && is_by_address(f, inst)) {
            snprintf(message, CXX_MESSAGE, "kernel '%s' takes an object by value that is of no POD type", name);
            return false;
        }
        if (!pointer)
            continue;
        changes = true;
        f->parameter[inst[2]] = module_new_id(&f->m);
    }
    if (changes)
        f->replacement[id] = module_function_type(&f->m, type[2], params, count);
    return true;
}

static void plan_constant(struct completer *f, const uint32_t *variable)
{
    const uint32_t *pointer = module_def_of(&f->m, variable[1], SpvOpTypePointer);
    const uint32_t *value = length_of(variable) > 4 ? module_def_of(&f->m, variable[4], SpvOpConstantComposite) : NULL;
    if (!pointer || !value || length_of(value) < 5 || !has_name(f, pointer[3], "spec_constant"))
        return;
    const uint32_t *first = module_def(&f->m, value[3]), *id = module_def_of(&f->m, value[4], SpvOpConstant);
    if (!first || !id)
        return;
    uint32_t constant = module_new_id(&f->m), composite = module_new_id(&f->m);
    WORDS_PUT(&f->m.annotations, SpvOpDecorate, constant, SpvDecorationSpecId, id[3]);
    if (op_of(first) == SpvOpConstantNull) {
        const uint32_t *type = module_def(&f->m, first[1]);
        if (type[2] > 32)
            WORDS_PUT(&f->m.types, SpvOpSpecConstant, first[1], constant, 0, 0);
        else
            WORDS_PUT(&f->m.types, SpvOpSpecConstant, first[1], constant, 0);
    } else {
        const uint32_t head = length_of(first) << 16 | SpvOpSpecConstant;
        words_put(&f->m.types, &head, 1);
        words_put(&f->m.types, &first[1], 1);
        words_put(&f->m.types, &constant, 1);
        words_put(&f->m.types, first + 3, length_of(first) - 3);
    }
    const uint32_t head = length_of(value) << 16 | SpvOpSpecConstantComposite;
    words_put(&f->m.types, &head, 1);
    words_put(&f->m.types, &value[1], 1);
    words_put(&f->m.types, &composite, 1);
    words_put(&f->m.types, &constant, 1);
    words_put(&f->m.types, value + 4, length_of(value) - 4);
    f->replacement[variable[2]] = composite;
}

static bool plan(struct completer *f, char message[CXX_MESSAGE])
{
    for (size_t at = SPIRV_HEADER; at < f->m.count; at += length_of(f->m.in + at)) {
        const uint32_t *inst = f->m.in + at;
        if (op_of(inst) == SpvOpEntryPoint && inst[2] < f->m.old_bound && !f->replacement[inst[2]] &&
            !plan_kernel(f, inst[2], (const char *)&inst[3], message))
            return false;
        if (op_of(inst) == SpvOpVariable && inst[3] != SpvStorageClassFunction)
            plan_constant(f, inst);
    }
    return true;
}

/* After the label: the objects that were parameters. */
static void put_objects(struct completer *f, struct words *out, const uint32_t *label)
{
    words_put(out, label, length_of(label));
    for (uint32_t i = 0; i < f->num_objects; i++)
        WORDS_PUT(out, SpvOpVariable, f->objects[i][1], f->objects[i][2], SpvStorageClassFunction);
    f->stores = f->num_objects > 0;
}

/* Behind all variables: the pointers that came instead. */
static void put_stores(struct completer *f, struct words *out)
{
    for (uint32_t i = 0; i < f->num_objects; i++) {
        uint32_t depth, held = held_pointer(f, f->objects[i][1], &depth), member = module_new_id(&f->m);
        uint32_t head[] = {(4 + depth) << 16 | SpvOpInBoundsAccessChain,
                           module_pointer_type(&f->m, SpvStorageClassFunction, held), member, f->objects[i][2]};
        uint32_t zero = module_uint_constant(&f->m, 0);
        words_put(out, head, 4);
        for (uint32_t k = 0; k < depth; k++)
            words_put(out, &zero, 1);
        WORDS_PUT(out, SpvOpStore, member, f->parameter[f->objects[i][2]], SpvMemoryAccessAlignedMask, 8);
    }
    f->stores = false;
    f->num_objects = 0;
}

static bool change(void *data, struct words *out, const uint32_t *inst)
{
    struct completer *f = data;
    uint32_t op = op_of(inst), depth;
    uint32_t id = words_result_at(op) == 2 && inst[2] < f->m.old_bound ? inst[2] : 0;
    if (f->stores && op != SpvOpVariable)
        put_stores(f, out);
    switch (op) {
    case SpvOpDecorate: /* ByVal and an alignment: they are the object's, no pointer's */
        return inst[1] < f->m.old_bound && f->parameter[inst[1]];
    case SpvOpVariable:
        if (!id || !f->replacement[id])
            return false;
        WORDS_PUT(out, SpvOpVariable, inst[1], id, inst[3], f->replacement[id]);
        return true;
    case SpvOpFunction:
        f->num_objects = 0;
        if (!id || !f->replacement[id])
            return false;
        WORDS_PUT(out, SpvOpFunction, inst[1], id, inst[3], f->replacement[id]);
        return true;
    case SpvOpFunctionParameter:
        if (!id || !f->parameter[id])
            return false;
        WORDS_PUT(out, SpvOpFunctionParameter, held_pointer(f, inst[1], &depth), f->parameter[id]);
        f->objects[f->num_objects++] = inst;
        return true;
    case SpvOpLabel:
        if (!f->num_objects)
            return false;
        put_objects(f, out, inst);
        return true;
    default:
        return false;
    }
}

uint32_t *cxx_complete_module(const uint32_t *words, size_t *count, char message[CXX_MESSAGE])
{
    static struct completer f; /* large */
    uint32_t *result = NULL;
    memset(&f, 0, sizeof(f));
    bool open = module_open(&f.m, words, *count);
    f.replacement = calloc(f.m.old_bound + 1, sizeof(*f.replacement));
    f.parameter = calloc(f.m.old_bound + 1, sizeof(*f.parameter));
    f.by_value = calloc(f.m.old_bound + 1, sizeof(*f.by_value));
    if (open && f.replacement && f.parameter && f.by_value) {
        find_by_value(&f);
        if (plan(&f, message))
            result = module_write(&f.m, change, &f, count);
    }
    free(f.by_value);
    free(f.replacement);
    free(f.parameter);
    module_close(&f.m);
    return result;
}
