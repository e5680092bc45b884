/* Finding a built-in by its name: the generated table through its hash, and the two families whose names are a small
 * language of their own, convert_<type>[_sat][_<rounding>] and as_<type>, which are taken apart here instead of listed
 * a thousand times. OpenCL C 3.0, 6.4.3 and 6.4.4. */
#include "compiler/front/sema/builtin_resolve.h"

#include "base/util.h"

#include <spirv/unified1/OpenCL.std.h>
#include <spirv/unified1/spirv.h>

#include <string.h>

/* Newer than some systems' headers. */
#define SpvOpGroupNonUniformRotateKHR 4431
#define SpvOpAtomicFMinEXT            5614
#define SpvOpAtomicFMaxEXT            5615
#define SpvOpAtomicFAddEXT            6035

#include "builtins_table.inc"

const uint8_t builtin_lanes[6] = {1, 2, 3, 4, 8, 16};

const struct type_pattern *builtin_pattern_types(const struct builtin_pattern *pattern)
{
    return builtin_types + pattern->types;
}

/* ---- guards ---- */

bool builtin_has_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; at && (at = strstr(at, word)); at++) {
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    }
    return false;
}

static bool has_extension(const struct clc_front *front, const char *name, size_t length)
{
    char text[64];
    if (length >= sizeof(text))
        return false;
    memcpy(text, name, length);
    text[length] = 0;
    return builtin_has_word(front->target->extensions, text, length);
}

/* OpenCL C 3.0, 6.2.1: in 3.0 features are optional; 2.0 has all of them but sub-groups; earlier versions have none.
 * Programs before 3.0 know sub-groups by cl_khr_subgroups, which a device without forward progress between sub-groups
 * does not list, though it lists extensions to it. So the device's own list of features decides about sub-groups in
 * every version. */
static bool has_feature(const struct clc_front *front, const char *name, size_t length)
{
    char text[64];
    if (length >= sizeof(text))
        return false;
    memcpy(text, name, length);
    text[length] = 0;
    if (!strcmp(text, "__opencl_c_subgroups"))
        return builtin_has_word(front->target->features, text, length);
    if (front->options.std < CLC_STD_30 && strstr(text, "_integer_dot_product"))
        return has_extension(front, "cl_khr_integer_dot_product", strlen("cl_khr_integer_dot_product"));
    if (front->options.std < CLC_STD_30)
        return front->options.std >= CLC_STD_20;
    return builtin_has_word(front->target->features, text, length);
}

static bool holds_term(const struct clc_front *front, const char *term, size_t length)
{
    if (length == 3 && term[1] == '.')
        return pp_std_at_least(front, (enum clc_std)((term[0] - '0') * 100 + (term[2] - '0') * 10));
    if (length > 2 && !memcmp(term, "__", 2))
        return has_feature(front, term, length);
    return has_extension(front, term, length);
}

static bool guard_is_met(const struct clc_front *front, const char *at)
{
    bool all = true;
    for (;;) {
        size_t length = strcspn(at, "+/");
        all = all && holds_term(front, at, length);
        at += length;
        if (*at != '+') {
            if (all)
                return true;
            if (!*at)
                return false;
            all = true;
        }
        at++;
    }
}

bool builtin_available(struct clc_front *front, const struct builtin_pattern *pattern)
{
    const char *guard = builtin_guards[pattern->guard];
    uint8_t *known = &front->guards[pattern->guard];
    if (*guard && !*known)
        *known = guard_is_met(front, guard) ? 2 : 1;
    return !*guard || *known == 2;
}

bool builtin_kind_available(const struct clc_front *front, enum type_kind kind)
{
    if (kind == TYPE_HALF)
        return has_extension(front, "cl_khr_fp16", strlen("cl_khr_fp16"));
    if (kind == TYPE_DOUBLE)
        return has_extension(front, "cl_khr_fp64", strlen("cl_khr_fp64")) ||
               has_feature(front, "__opencl_c_fp64", strlen("__opencl_c_fp64"));
    return true;
}

bool builtin_generic_spaces(const struct clc_front *front)
{
    return has_feature(front, "__opencl_c_generic_address_space", strlen("__opencl_c_generic_address_space"));
}

/* ---- convert_* and as_* ---- */

static const struct {
    const char *name;
    uint8_t kind;
    bool no_vector, no_convert;
} element_names[] = {
    {"char", TYPE_CHAR, false, false},     {"uchar", TYPE_UCHAR, false, false},   {"short", TYPE_SHORT, false, false},
    {"ushort", TYPE_USHORT, false, false}, {"int", TYPE_INT, false, false},       {"uint", TYPE_UINT, false, false},
    {"long", TYPE_LONG, false, false},     {"ulong", TYPE_ULONG, false, false},   {"half", TYPE_HALF, false, false},
    {"float", TYPE_FLOAT, false, false},   {"double", TYPE_DOUBLE, false, false}, {"size_t", TYPE_ULONG, true, true},
    {"ptrdiff_t", TYPE_LONG, true, true},  {"intptr_t", TYPE_LONG, true, true},   {"uintptr_t", TYPE_ULONG, true, true},
};

static bool skip_prefix(const char **at, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(*at, prefix, length) != 0)
        return false;
    *at += length;
    return true;
}

/* type := name [2|3|4|8|16]; leaves *at after it */
static const struct type *parse_type(struct clc_front *front, const char **at, bool convert)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(element_names); i++) {
        const char *rest = *at;
        if ((convert && element_names[i].no_convert) || !skip_prefix(&rest, element_names[i].name))
            continue;
        enum type_kind kind = element_names[i].kind;
        if (!builtin_kind_available(front, kind))
            return NULL;
        uint32_t lanes = 1;
        if (!element_names[i].no_vector && *rest >= '1' && *rest <= '9') {
            lanes = (uint32_t)(*rest++ - '0');
            if (*rest >= '0' && *rest <= '9')
                lanes = lanes * 10 + (uint32_t)(*rest++ - '0');
            if (lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
                return NULL;
        }
        *at = rest;
        return builtin_type(front, kind, lanes);
    }
    return NULL;
}

/* "convert_" type ["_sat"] ["_rte" | "_rtz" | "_rtp" | "_rtn"]: saturation is for integers only */
static const struct builtin *parse_convert(struct clc_front *front, const struct ident *name)
{
    const char *at = name->name;
    bool convert = skip_prefix(&at, "convert_");
    if (!convert && !skip_prefix(&at, "as_"))
        return NULL;
    const struct type *target = parse_type(front, &at, convert);
    if (!target)
        return NULL;
    struct builtin row = {.name = name->name, .kind = convert ? BUILTIN_CONVERT : BUILTIN_AS, .target = target};
    if (convert) {
        row.saturate = skip_prefix(&at, "_sat");
        static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
        for (uint32_t i = 0; i < ARRAY_LENGTH(modes) && !row.rounding; i++) {
            if (skip_prefix(&at, modes[i]))
                row.rounding = (uint8_t)(ROUNDING_RTE + i);
        }
        if (row.saturate && type_is_float_kind(type_element(target)->kind))
            return NULL;
    }
    if (*at)
        return NULL;
    struct builtin *result = arena_new(front->arena, struct builtin);
    *result = row;
    return result;
}

/* ---- look-up ---- */

static const struct builtin *find_row(const struct ident *name)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < name->length; i++)
        hash = (hash ^ (unsigned char)name->name[i]) * 16777619u;
    for (uint32_t slot = hash;; slot++) {
        uint16_t index = builtin_slots[slot % ARRAY_LENGTH(builtin_slots)];
        if (!index)
            return NULL;
        if (!strcmp(builtins[index - 1].name, name->name))
            return &builtins[index - 1];
    }
}

const struct builtin *clc_builtin_find(struct clc_front *front, struct ident *name)
{
    if (name->builtin_checked)
        return name->builtin;
    name->builtin_checked = true;
    const struct builtin *row = find_row(name);
    bool available = false;
    for (uint32_t i = 0; row && i < row->num_patterns && !available; i++)
        available = builtin_available(front, &row->patterns[i]);
    name->builtin = available ? row : row ? NULL : parse_convert(front, name);
    return name->builtin;
}

const char *clc_builtin_name(struct clc_front *front, uint32_t index)
{
    if (index >= ARRAY_LENGTH(builtins))
        return NULL;
    const struct builtin *row = &builtins[index];
    for (uint32_t i = 0; i < row->num_patterns; i++)
        if (builtin_available(front, &row->patterns[i]))
            return row->name;
    return "";
}

const char *clc_builtin_needs(struct clc_front *front, const struct ident *name)
{
    const struct builtin *row = find_row(name);
    struct str text;
    if (!row)
        return NULL;
    str_init(&text, front->arena);
    for (const char *at = builtin_guards[row->patterns[0].guard]; *at;) {
        size_t length = strcspn(at, "+/");
        if (length == 3 && at[1] == '.')
            str_puts(&text, "OpenCL C ");
        str_append(&text, at, length);
        at += length;
        if (*at)
            str_puts(&text, *at++ == '+' ? " and " : " or ");
    }
    return str_text(&text);
}

/* Does nothing but compute its result: for warnings only. */
bool clc_builtin_is_pure(const struct expr *expr)
{
    static const char *const acting[] = {"work_group_", "sub_group_",        "atom",     "printf",     "async_",
                                         "enqueue_",    "create_",           "reserve_", "read_",      "write_",
                                         "prefetch",    "get_default_queue", "barrier",  "clock_read", "intel_"};
    if (expr->kind != EXPR_BUILTIN || expr->type.type->kind == TYPE_VOID)
        return false;
    const char *name = expr->builtin.builtin->name;
    for (size_t i = 0; i < ARRAY_LENGTH(acting); i++)
        if (!strncmp(name, acting[i], strlen(acting[i])))
            return false;
    for (uint32_t i = 0; i < expr->builtin.num_args; i++)
        if (expr->builtin.args[i]->type.type->kind > TYPE_DOUBLE &&
            expr->builtin.args[i]->type.type->kind != TYPE_VECTOR)
            return !strncmp(name, "vload", 5);
    return true;
}
