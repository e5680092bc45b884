/* Functions of OpenCL C's library that a module from IL only declares, by their mangled names, get bodies from our own
 * front end: whatever it knows, a compiler may leave to the driver. The name (Itanium C++ ABI, with the extensions of
 * clang for address spaces, vectors and atomics) tells function and parameters, the declaration what it returns:
 *
 *     _Z25atomic_fetch_max_explicitPVU3AS4U7_Atomicii12memory_order, %uint
 * ->
 *     uint declared(volatile generic atomic_int *a0, int a1, memory_order a2)
 *     {
 *         return as_uint(atomic_fetch_max_explicit(a0, a1, a2));
 *     }
 *
 * Pointers of IL have types of their own, so the declaration gets a body that casts the arguments and calls this. What
 * the front end refuses stays undefined: it is a function of the program's, which another module may have. */
#include "compiler/program/program.h"

#include "base/util.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = 8, MAX_KNOWN = 32, MAX_TEXT = 96, MAX_DEPTH = 8, MAX_NAME = 64 };

struct text {
    char c[MAX_TEXT];
};

/* A mangled name on its way. */
struct mangled {
    const char *at;
    struct text known[MAX_KNOWN]; /* types that S_, S0_... stand for */
    uint32_t num_known;
    bool failed;
};

/* ---- types by name ---- */

static struct text put(struct mangled *m, const char *before, const char *between, const char *behind)
{
    struct text text = {""};
    if (strlen(before) + strlen(between) + strlen(behind) >= sizeof(text.c)) {
        m->failed = true;
        return text;
    }
    strcpy(text.c, before);
    strcat(text.c, between);
    strcat(text.c, behind);
    return text;
}

static struct text remember(struct mangled *m, struct text type)
{
    if (m->num_known == MAX_KNOWN)
        m->failed = true;
    else
        m->known[m->num_known++] = type;
    return type;
}

static bool take(struct mangled *m, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(m->at, word, length) != 0)
        return false;
    m->at += length;
    return true;
}

static uint32_t take_number(struct mangled *m)
{
    uint32_t number = 0, digits = 0;
    while (isdigit((unsigned char)*m->at) && digits++ < 3)
        number = number * 10 + (uint32_t)(*m->at++ - '0');
    return number;
}

/* An identifier with its length before it: only letters, digits and underscores. */
static struct text take_identifier(struct mangled *m)
{
    struct text name = {""};
    uint32_t length = take_number(m);
    if (!length || length >= MAX_NAME || strlen(m->at) < length) {
        m->failed = true;
        return name;
    }
    for (uint32_t i = 0; i < length; i++) {
        name.c[i] = *m->at++;
        m->failed |= !isalnum((unsigned char)name.c[i]) && name.c[i] != '_';
    }
    return name;
}

static struct text substitution(struct mangled *m)
{
    uint32_t index = 0;
    if (*m->at != '_') {
        bool digit = isdigit((unsigned char)*m->at);
        index = digit                            ? (uint32_t)(*m->at - '0') + 1
                : *m->at >= 'A' && *m->at <= 'Z' ? (uint32_t)(*m->at - 'A') + 11
                                                 : MAX_KNOWN;
        m->at += *m->at != '\0';
    }
    if (!take(m, "_") || index >= m->num_known) {
        m->failed = true;
        return (struct text){""};
    }
    return m->known[index];
}

/* What clang calls a type of OpenCL's: ocl_image2d_ro, ocl_sampler, memory_order. */
static struct text named_type(struct mangled *m)
{
    static const struct {
        const char *end, *access;
    } accesses[] = {{"_ro", "read_only "}, {"_wo", "write_only "}, {"_rw", "read_write "}};
    struct text name = take_identifier(m);
    if (strncmp(name.c, "ocl_", 4) != 0)
        return remember(m, name);
    size_t length = strlen(name.c);
    for (uint32_t i = 0; i < ARRAY_LENGTH(accesses); i++) {
        if (length > 7 && !strcmp(name.c + length - 3, accesses[i].end)) {
            name.c[length - 3] = '\0';
            return remember(m, put(m, accesses[i].access, name.c + 4, "_t"));
        }
    }
    return remember(m, put(m, "", name.c + 4, "_t"));
}

static const char *letter_type(char letter)
{
    static const char letters[] = "vbchstijlmfd";
    static const char *const names[] = {"void", "bool", "char", "uchar", "short", "ushort",
                                        "int",  "uint", "long", "ulong", "float", "double"};
    const char *found = letter ? strchr(letters, letter) : NULL;
    return found ? names[found - letters] : NULL;
}

/* type: builtin | Dh | Dv <number> _ <type> | P <type> | <qualifiers> <type> | <number> <name> | S <seq> _ */
static struct text take_type(struct mangled *m, uint32_t depth)
{
    static const char *const spaces[] = {"private ", "global ", "constant ", "local ", "generic "};
    struct text qualifiers = {""};
    if (!depth || m->failed) {
        m->failed = true;
        return qualifiers;
    }
    for (bool more = true; more;) {
        if (take(m, "U3AS")) {
            uint32_t space = (uint32_t)(*m->at - '0');
            if (space >= ARRAY_LENGTH(spaces)) {
                m->failed = true;
                return qualifiers;
            }
            m->at++;
            qualifiers = put(m, qualifiers.c, spaces[space], "");
        } else if (*m->at == 'V' || *m->at == 'K' || *m->at == 'r') {
            qualifiers = put(m, qualifiers.c, *m->at == 'V' ? "volatile " : *m->at == 'K' ? "const " : "", "");
            m->at++;
        } else {
            more = false;
        }
    }
    if (*qualifiers.c)
        return remember(m, put(m, qualifiers.c, take_type(m, depth - 1).c, ""));
    if (take(m, "U7_Atomic"))
        return remember(m, put(m, "atomic_", take_type(m, depth - 1).c, ""));
    if (take(m, "Dh"))
        return put(m, "half", "", "");
    if (take(m, "Dv")) {
        uint32_t lanes = take_number(m);
        char number[12];
        snprintf(number, sizeof(number), "%u", (unsigned)lanes);
        m->failed |= !take(m, "_");
        return remember(m, put(m, take_type(m, depth - 1).c, number, ""));
    }
    if (take(m, "P"))
        return remember(m, put(m, take_type(m, depth - 1).c, " *", ""));
    if (take(m, "S"))
        return substitution(m);
    if (isdigit((unsigned char)*m->at))
        return named_type(m);
    const char *name = letter_type(*m->at);
    m->failed |= !name;
    m->at += *m->at != '\0';
    return put(m, name ? name : "", "", "");
}

/* ---- source ---- */

/* What the wrapper returns, and what makes that of the function's result; false: no type that is known. */
static bool result_type(struct mangled *m, const struct spv_module *module, spv_id type, struct text *name,
                        struct text *cast)
{
    static const char *const ints[] = {"uchar", "ushort", "uint", "ulong"}, *const floats[] = {"", "half", "float",
                                                                                               "double"};
    uint32_t lanes = spv_type_count(module, type), width = 0;
    char number[12] = "";
    *cast = (struct text){""};
    switch (spv_type_op(module, type)) {
    case SpvOpTypeVoid:
        *name = put(m, "void", "", "");
        return true;
    case SpvOpTypeBool:
        *name = put(m, "bool", "", "");
        return true;
    case SpvOpTypeEvent:
        *name = put(m, "event_t", "", "");
        return true;
    default:
        break;
    }
    if (!spv_type_is_int(module, type) && !spv_type_is_float(module, type))
        return false;
    for (width = 0; width < 3 && 8u << width != spv_type_width(module, type); width++)
        ;
    if (lanes > 1)
        snprintf(number, sizeof(number), "%u", (unsigned)lanes);
    *name = put(m, spv_type_is_int(module, type) ? ints[width] : floats[width], number, "");
    *cast = put(m, "as_", name->c, "");
    return true;
}

/* The text of the wrapper, or false where the name is none of such a function. */
static bool write_wrapper(struct str *source, const struct spv_function *function, const struct spv_module *module,
                          const char *mangled)
{
    struct mangled *m = &(struct mangled){.at = mangled};
    struct text result, cast, params[MAX_PARAMS];
    uint32_t count = 0;
    if (!take(m, "_Z"))
        return false;
    struct text name = take_identifier(m);
    if (m->failed || !result_type(m, module, function->def->type, &result, &cast))
        return false;
    if (strcmp(m->at, "v") != 0) {
        while (*m->at && count < MAX_PARAMS && !m->failed)
            params[count++] = take_type(m, MAX_DEPTH);
    }
    if (m->failed || count != function->params.length)
        return false;
    str_printf(source, "%s declared(", result.c);
    for (uint32_t i = 0; i < count; i++)
        str_printf(source, "%s%s a%u", i ? ", " : "", params[i].c, (unsigned)i);
    str_printf(source, ")\n{\n    %s%s(%s(", strcmp(result.c, "void") != 0 ? "return " : "", cast.c, name.c);
    for (uint32_t i = 0; i < count; i++)
        str_printf(source, "%sa%u", i ? ", " : "", (unsigned)i);
    str_puts(source, "));\n}\n");
    return true;
}

/* ---- bodies ---- */

static const struct spv_function *find_wrapper(const struct spv_module *module)
{
    spv_foreach_function (function, module) {
        const struct spv_inst *linkage = spv_find_decoration(module, function->def->id, SpvDecorationLinkageAttributes);
        if (linkage && function->first_block && !strcmp(spv_string(linkage, 2, NULL), "declared"))
            return function;
    }
    return NULL;
}

/* Whether a value of one type can be had as one of the other: pointers to the same memory can. */
static bool fits(const struct spv_module *module, spv_id from, spv_id to)
{
    return from == to || (spv_type_is_pointer(module, from) && spv_type_is_pointer(module, to) &&
                          spv_pointer_storage(module, from) == spv_pointer_storage(module, to));
}

static bool call_wrapper(struct spv_module *module, struct spv_function *function, const struct spv_function *wrapper)
{
    uint32_t count = function->params.length, words[MAX_PARAMS + 1];
    bool all = wrapper->params.length == count && wrapper->def->type == function->def->type;
    for (uint32_t i = 0; all && i < count; i++)
        all = fits(module, function->params.data[i]->type, wrapper->params.data[i]->type);
    if (!all)
        return false;
    struct spv_block *block = spv_block_create(function, module, 0);
    spv_block_append(function, block);
    struct spv_builder b = {.module = module, .function = function, .block = block};
    words[0] = wrapper->def->id;
    for (uint32_t i = 0; i < count; i++) {
        spv_id value = function->params.data[i]->id, type = wrapper->params.data[i]->type;
        words[i + 1] = spv_value_type(module, value) == type ? value : spv_emitv(&b, SpvOpBitcast, type, value);
    }
    spv_id result = spv_emit(&b, SpvOpFunctionCall, wrapper->def->type, count + 1, words);
    if (spv_type_op(module, wrapper->def->type) == SpvOpTypeVoid)
        spv_emit_void(&b, SpvOpReturn, 0, NULL);
    else
        spv_emitv_void(&b, SpvOpReturnValue, result);
    return true;
}

static bool take_wrapper(struct spv_module *module, struct spv_function *function, const struct spv_module *from)
{
    const struct spv_function *wrapper = find_wrapper(from);
    if (!wrapper)
        return false;
    struct spv_import import = {.to = module, .from = from};
    spv_id id = spv_import_function(&import, wrapper->def->id);
    struct spv_inst *linkage = spv_find_decoration(module, id, SpvDecorationLinkageAttributes);
    if (linkage)
        spv_inst_remove(module, linkage);
    spv_foreach_inst (inst, &from->sections[SPV_SECTION_CAPABILITY])
        spv_add_capability(module, (SpvCapability)inst->words[0]);
    spv_foreach_inst (inst, &from->sections[SPV_SECTION_EXTENSION])
        spv_add_extension(module, spv_string(inst, 0, NULL));
    return call_wrapper(module, function, spv_function_of(module, id));
}

bool program_define_by_library(struct spv_module *module, struct spv_function *function, const char *mangled,
                               const struct clc_target *target, struct clc_program **compiled)
{
    struct str source;
    str_init(&source, module->arena);
    str_puts(&source, "#pragma OPENCL EXTENSION all : enable\n");
    if (!target || !write_wrapper(&source, function, module, mangled))
        return false;
    const char *text = str_text(&source);
    char *log = NULL;
    const struct clc_compile_args args = {
        .strings = &text, .num_strings = 1, .options = "-cl-std=CL3.0 -w", .target = target, .compile_only = true};
    bool defined = clc_compile(&args, compiled, &log) == CLC_SUCCESS;
    free(log);
    defined = defined && take_wrapper(module, function, (*compiled)->module);
    clc_program_release(*compiled);
    *compiled = NULL;
    return defined;
}
