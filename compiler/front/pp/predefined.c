/* Predefined macros. Nothing is defined when a build begins: a name is looked up here when it is interned, that is
 * once, and only then does the macro come to be (its value is lexed as a file of its own, "<built-in>"). OpenCL
 * C 3.0, 6.2 and 6.12. */
#include "base/util.h"
#include "compiler/front/pp/pp.h"

#include <string.h>

enum condition {
    always,
    since_20,
    since_30,
    fp16,
    fp64,
    little_endian,
    images,
    relaxed,
    embedded,
    fast_fma16,
    fast_fma32,
    fast_fma64,
};

struct predefined {
    const char *name, *parameters, *value;
    uint8_t condition;
};

static const struct predefined table[] = {
#define PREDEFINED(name, parameters, value, condition) {name, parameters, value, condition},
#include "compiler/front/pp/predefined.def"
#undef PREDEFINED
};

static const struct {
    const char *name;
    uint8_t builtin;
} computed[] = {
    {"__LINE__", MACRO_LINE},
    {"__FILE__", MACRO_FILE},
    {"__BASE_FILE__", MACRO_BASE_FILE},
    {"__COUNTER__", MACRO_COUNTER},
    {"__INCLUDE_LEVEL__", MACRO_INCLUDE_LEVEL},
    {"__DATE__", MACRO_DATE},
    {"__TIME__", MACRO_TIME},
    {"__TIMESTAMP__", MACRO_TIMESTAMP},
    {"_Pragma", MACRO_PRAGMA_OPERATOR},
    {"__has_include", MACRO_HAS_INCLUDE},
    {"__has_include_next", MACRO_HAS_INCLUDE_NEXT},
    {"__has_attribute", MACRO_HAS_ATTRIBUTE},
    {"__has_builtin", MACRO_HAS_BUILTIN},
    {"__has_extension", MACRO_HAS_EXTENSION},
    {"__has_feature", MACRO_HAS_FEATURE},
    {"__has_warning", MACRO_HAS_WARNING},
    {"__is_identifier", MACRO_IS_IDENTIFIER},
};

bool pp_word_in_list(const char *list, const char *word, size_t length)
{
    for (const char *at = list; at && *at;) {
        size_t span = strcspn(at, " ");
        if (span == length && memcmp(at, word, length) == 0)
            return true;
        at += span;
        at += strspn(at, " ");
    }
    return false;
}

static bool holds(const struct pp *pp, enum condition condition)
{
    const struct clc_front *front = pp->front;
    const struct clc_target *target = front->target;
    switch (condition) {
    case always:
        return true;
    case since_20:
        return pp_std_at_least(front, CLC_STD_20);
    case since_30:
        return pp_std_at_least(front, CLC_STD_30);
    case fp16:
        return pp->has_fp16;
    case fp64:
        return pp->has_fp64;
    case little_endian:
        return target->little_endian;
    case images:
        return target->images;
    case relaxed:
        return front->options.fast_relaxed_math;
    case embedded:
        return target->profile_embedded;
    case fast_fma16:
        return pp->has_fp16 && target->native[CLC_PROBE_FMA][CLC_WIDTH_16] == CLC_NATIVE_EXACT;
    case fast_fma32:
        return target->native[CLC_PROBE_FMA][CLC_WIDTH_32] == CLC_NATIVE_EXACT;
    case fast_fma64:
        return pp->has_fp64 && target->native[CLC_PROBE_FMA][CLC_WIDTH_64] == CLC_NATIVE_EXACT;
    }
    return false;
}

/* "#define NAME(parameters) value" goes through the ordinary reader; the name's ident exists already. */
static struct macro *make_macro(struct pp *pp, struct ident *name, const char *parameters, const char *value)
{
    struct clc_front *front = pp->front;
    const char *text = arena_printf(front->arena, "%s%s %s", name->name, parameters, value);
    struct src_file *file = pp_source_enter(front, "<built-in>", text, strlen(text), 0);
    struct lexer lexer;
    pp_lexer_init(&lexer, file);
    lexer.in_directive = true;
    pp_macro_define(pp, &lexer);
    struct macro *macro = name->macro;
    if (macro)
        macro->predefined = true;
    return macro;
}

static struct macro *make_number(struct pp *pp, struct ident *name, uint32_t value)
{
    return make_macro(pp, name, "", arena_printf(pp->front->arena, "%u", value));
}

static struct macro *find_in_table(struct pp *pp, struct ident *name)
{
    size_t low = 0, high = ARRAY_LENGTH(table);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name->name, table[middle].name);
        if (order == 0)
            return holds(pp, (enum condition)table[middle].condition)
                       ? make_macro(pp, name, table[middle].parameters, table[middle].value)
                       : NULL;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static struct macro *find_computed(struct pp *pp, struct ident *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(computed); i++) {
        if (strcmp(name->name, computed[i].name) != 0)
            continue;
        struct macro *macro = arena_new(pp->front->arena, struct macro);
        macro->name = name;
        macro->builtin = computed[i].builtin;
        macro->predefined = true;
        return macro;
    }
    return NULL;
}

struct macro *pp_predefined_find(struct pp *pp, struct ident *name)
{
    const struct clc_front *front = pp->front;
    const char *text = name->name;
    switch (text[0]) {
    case 'c': /* OpenCL C 3.0, 6.2.2: an extension's name is its macro */
        if (name->length > 3 && (strncmp(text, "cl_", 3) == 0 || strncmp(text, "cles_", 5) == 0) &&
            pp_word_in_list(front->target->extensions, text, name->length))
            return make_number(pp, name, 1);
        return NULL;
    case '_':
        if (text[1] != '_' && strcmp(text, "_Pragma") != 0 && strcmp(text, "_LP64") != 0)
            return NULL;
        /* OpenCL C 3.0, 6.2.1: earlier versions may define them too; clang does in 2.0 */
        if (strncmp(text, "__opencl_c_", 11) == 0)
            return pp_std_at_least(front, CLC_STD_20) && pp_word_in_list(front->target->features, text, name->length)
                       ? make_number(pp, name, 1)
                       : NULL;
        if (strcmp(text, "__OPENCL_VERSION__") == 0)
            return make_number(pp, name, front->target->opencl_version);
        if (strcmp(text, "__OPENCL_C_VERSION__") == 0)
            return pp_std_at_least(front, CLC_STD_12) || front->options.std_given
                       ? make_number(pp, name, (uint32_t)front->options.std)
                       : NULL;
        struct macro *macro = find_computed(pp, name);
        return macro ? macro : find_in_table(pp, name);
    default:
        if ((text[0] >= 'A' && text[0] <= 'N') || text[0] == 'S' || text[0] == 'U' || text[0] == 'k')
            return find_in_table(pp, name);
        return NULL;
    }
}
