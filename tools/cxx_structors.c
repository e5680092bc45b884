/* Destructors of objects at program scope. clang has them registered when the program starts, which needs pointers to
 * functions; OpenCL C++ has a kernel that runs them, of mode Finalizer (2.5.2):
 *
 *     %d = OpConstantFunctionPointerINTEL %p %destructor     ->   %end = OpFunction %void None %type
 *     ... in an initialiser:                                      %o = OpPtrCastToGeneric %q %object
 *     %r = OpFunctionCall %uint %__cxa_atexit %d %null ...             OpFunctionCall %void %destructor %o
 *
 * Objects are destroyed in the reverse order of their registration. clang 15 gives a null pointer where the object
 * should be ("On addr space mismatch we are passing NULL"). So objects are found by their class: each object of a class
 * with a destructor is registered once, in the order in which the module has them. Where the numbers differ, because an
 * object that nothing outside names was optimised away, nobody can tell, and it is an error. */
#include "cxx_passes.h"
#include "cxx_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REGISTRATIONS = 1024 };

struct registration {
    uint32_t destructor; /* the function */
    uint32_t object;     /* the variable; 0: the destructor needs none */
};

struct collector {
    struct module m;
    char *message;
    uint32_t atexit; /* 0: nothing is registered */
    struct registration list[MAX_REGISTRATIONS];
    uint32_t count;
};

/* What a pointer is a bit cast of. */
static uint32_t uncast(const struct module *m, uint32_t id)
{
    const uint32_t *def;
    while ((def = module_def(m, id)) && (op_of(def) == SpvOpBitcast || op_of(def) == SpvOpPtrCastToGeneric))
        id = def[3];
    return id;
}

/* Of a destructor's only parameter, which is a pointer to the object. */
static const uint32_t *parameter_type(const struct module *m, uint32_t function)
{
    const uint32_t *def = module_def_of(m, function, SpvOpFunction);
    const uint32_t *type = def ? module_def_of(m, def[4], SpvOpTypeFunction) : NULL;
    return type && length_of(type) == 4 ? module_def_of(m, type[3], SpvOpTypePointer) : NULL;
}

static bool register_call(struct collector *c, const uint32_t *call)
{
    const uint32_t *pointer = length_of(call) > 5 ? module_def(&c->m, uncast(&c->m, call[4])) : NULL;
    if (!pointer || op_of(pointer) != SpvOpConstantFunctionPointerINTEL || !parameter_type(&c->m, pointer[3])) {
        snprintf(c->message, CXX_MESSAGE, "a destructor at program scope is not known when the program is compiled");
        return false;
    }
    if (c->count == MAX_REGISTRATIONS) {
        snprintf(c->message, CXX_MESSAGE, "more than %d objects at program scope have destructors", MAX_REGISTRATIONS);
        return false;
    }
    c->list[c->count++] = (struct registration){.destructor = pointer[3]};
    return true;
}

static bool find_registrations(struct collector *c)
{
    for (uint32_t id = 1; id < c->m.old_bound; id++) {
        if (c->m.ids[id].import && !strcmp(c->m.ids[id].import, "__cxa_atexit"))
            c->atexit = id;
    }
    for (size_t at = SPIRV_HEADER; c->atexit && at < c->m.count; at += length_of(c->m.in + at)) {
        const uint32_t *inst = c->m.in + at;
        if (op_of(inst) == SpvOpFunctionCall && inst[3] == c->atexit && !register_call(c, inst))
            return false;
    }
    return true;
}

/* ---- objects ---- */

/* An object that is initialised by constants may have a type of its own, which is cast to the class where it is used.
 */
static bool is_cast_to(const struct module *m, uint32_t variable, uint32_t class)
{
    for (uint32_t id = 1; id < m->old_bound; id++) {
        const uint32_t *cast = module_def_of(m, id, SpvOpBitcast);
        const uint32_t *type = cast && cast[3] == variable ? module_def_of(m, cast[1], SpvOpTypePointer) : NULL;
        if (type && type[3] == class)
            return true;
    }
    return false;
}

static bool is_object_of(const struct collector *c, uint32_t id, uint32_t class)
{
    const uint32_t *variable = module_def_of(&c->m, id, SpvOpVariable);
    const uint32_t *pointer = variable ? module_def_of(&c->m, variable[1], SpvOpTypePointer) : NULL;
    if (!pointer || variable[3] != SpvStorageClassCrossWorkgroup || c->m.ids[id].import)
        return false;
    return pointer[3] == class || is_cast_to(&c->m, id, class);
}

static uint32_t next_object(const struct collector *c, size_t *at, uint32_t class)
{
    while (*at < c->m.count) {
        const uint32_t *inst = c->m.in + *at;
        *at += length_of(inst);
        if (op_of(inst) == SpvOpVariable && is_object_of(c, inst[2], class))
            return inst[2];
    }
    return 0;
}

/* Gives the objects of one destructor's class to its registrations. Arrays have a destructor of their own, which names
 * its array: it takes a pointer to bytes that it ignores. */
static bool give_objects(struct collector *c, uint32_t destructor)
{
    const uint32_t *class = module_def_of(&c->m, parameter_type(&c->m, destructor)[3], SpvOpTypeStruct);
    size_t at = SPIRV_HEADER;
    bool all = true;
    if (!class)
        return true;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->list[i].destructor == destructor)
            all &= (c->list[i].object = next_object(c, &at, class[1])) != 0;
    }
    if (all && !next_object(c, &at, class[1]))
        return true;
    const char *name = c->m.ids[class[1]].name;
    snprintf(c->message, CXX_MESSAGE,
             "an object of '%.200s' at program scope has a destructor and was optimised away in part: make it visible "
             "from outside (not static, and in no unnamed namespace)",
             name ? name : "a class");
    return false;
}

/* ---- the finaliser ---- */

static uint32_t null_of(struct module *m, uint32_t type)
{
    uint32_t id = module_new_id(m);
    WORDS_PUT(&m->types, SpvOpConstantNull, type, id);
    return id;
}

static void put_destruction(struct collector *c, const struct registration *r)
{
    struct module *m = &c->m;
    const uint32_t *pointer = parameter_type(m, r->destructor);
    uint32_t argument = r->object;
    if (!argument) {
        argument = null_of(m, pointer[1]);
    } else if (pointer[2] == SpvStorageClassGeneric) {
        argument = module_new_id(m);
        WORDS_PUT(&m->functions, SpvOpPtrCastToGeneric, pointer[1], argument, r->object);
    }
    uint32_t result = module_new_id(m);
    WORDS_PUT(&m->functions, SpvOpFunctionCall, m->void_type, result, r->destructor, argument);
}

static void put_finaliser(struct collector *c)
{
    static const char name[20] = "_GLOBAL__finalizer"; /* whole words, zeros at its end */
    struct module *m = &c->m;
    uint32_t words[sizeof(name) / 4];
    uint32_t function = module_new_id(m), label = module_new_id(m);
    uint32_t type = module_function_type(m, m->void_type, NULL, 0);
    memcpy(words, name, sizeof(name));
    WORDS_PUT(&m->entries, SpvOpEntryPoint, SpvExecutionModelKernel, function, words[0], words[1], words[2], words[3],
              words[4]);
    WORDS_PUT(&m->modes, SpvOpExecutionMode, function, SpvExecutionModeFinalizer);
    WORDS_PUT(&m->functions, SpvOpFunction, m->void_type, function, SpvFunctionControlMaskNone, type);
    WORDS_PUT(&m->functions, SpvOpLabel, label);
    for (uint32_t i = c->count; i-- > 0;)
        put_destruction(c, &c->list[i]);
    static const uint32_t end[] = {1u << 16 | SpvOpReturn, 1u << 16 | SpvOpFunctionEnd};
    words_put(&m->functions, end, 2);
}

/* ---- what is left of pointers to functions ---- */

static bool is_function_pointer_type(const struct module *m, const uint32_t *inst)
{
    return op_of(inst) == SpvOpTypePointer && module_def_of(m, inst[3], SpvOpTypeFunction);
}

static bool uses_dropped(const struct module *m, const uint32_t *inst, uint32_t first)
{
    for (uint32_t i = first; i < length_of(inst); i++) {
        if (module_is_dropped(m, inst[i]))
            return true;
    }
    return false;
}

/* What the initialisers no longer call, and what <pumice_begin> put into the module. */
static bool is_dropped_function(const struct module_id *id)
{
    if (id->import)
        return !strcmp(id->import, "__cxa_atexit") || strstr(id->import, "pumice_nothing");
    return id->name && strstr(id->name, "12pumice_begin");
}

/* Types and constants with pointers to functions in them, and the table of initialisers, which nothing reads. */
static void drop_function_pointers(struct module *m)
{
    for (size_t at = SPIRV_HEADER; at < m->count; at += length_of(m->in + at)) {
        const uint32_t *inst = m->in + at;
        uint32_t op = op_of(inst), result = words_result_at(op);
        bool leaves = op == SpvOpConstantFunctionPointerINTEL || is_function_pointer_type(m, inst);
        switch (op) {
        case SpvOpTypeStruct:
            leaves = uses_dropped(m, inst, 2);
            break;
        case SpvOpTypePointer:
            leaves |= module_is_dropped(m, inst[3]);
            break;
        case SpvOpTypeArray:
            leaves = module_is_dropped(m, inst[2]);
            break;
        case SpvOpConstantNull:
        case SpvOpConstantComposite:
        case SpvOpVariable:
        case SpvOpBitcast:
            leaves = module_is_dropped(m, inst[1]);
            break;
        case SpvOpFunction:
            leaves = is_dropped_function(&m->ids[inst[2]]);
            break;
        default:
            break;
        }
        if (leaves && result && module_id(m, inst[result]))
            m->ids[inst[result]].dropped = true;
    }
}

/* A type of functions that take pointers to functions is __cxa_atexit's; no pass asks for it again. */
static bool change_pointers(void *data, struct words *out, const uint32_t *inst)
{
    const struct collector *c = data;
    (void)out;
    switch (op_of(inst)) {
    case SpvOpCapability:
        return inst[1] == SpvCapabilityFunctionPointersINTEL;
    case SpvOpExtension:
        return !strcmp((const char *)(inst + 1), "SPV_INTEL_function_pointers");
    case SpvOpFunctionCall:
        return c->atexit && inst[3] == c->atexit;
    case SpvOpTypeFunction:
        return uses_dropped(&c->m, inst, 2);
    default:
        return false;
    }
}

/* The name that C++ gives a library's handle: an import of a variable that only registrations use. */
static void drop_handle(struct module *m)
{
    for (uint32_t id = 1; id < m->old_bound; id++)
        m->ids[id].dropped |= m->ids[id].import && !strcmp(m->ids[id].import, "__dso_handle");
}

uint32_t *cxx_collect_destructors(const uint32_t *words, size_t *count, char message[CXX_MESSAGE])
{
    static struct collector c; /* large */
    uint32_t *result = NULL;
    memset(&c, 0, sizeof(c));
    c.message = message;
    bool good = module_open(&c.m, words, *count) && find_registrations(&c);
    for (uint32_t i = 0; good && i < c.count; i++)
        good = c.list[i].object || give_objects(&c, c.list[i].destructor);
    if (good) {
        drop_function_pointers(&c.m);
        drop_handle(&c.m);
        if (c.count)
            put_finaliser(&c);
        result = module_write(&c.m, change_pointers, &c, count);
    }
    module_close(&c.m);
    return result;
}
