/* printf's format against its arguments. OpenCL C 3.0, 6.15.14.2: C99's conversions with a vector specifier vn before
 * the length modifier, hl for 4-byte elements; no n conversion, no %ls. Warnings only, like clang's -Wformat. */
#include "compiler/front/lint/lint.h"

struct conversion {
    uint32_t stars; /* int arguments for * */
    uint32_t lanes; /* 1: scalar */
    uint32_t flags; /* bits in the order of flags */
    bool has_precision;
    char length[3]; /* "", "hh", "h", "hl", "l", "z", "t" */
    char specifier;
};

static const char flags[] = "-+ #0";

static bool has_flag(const struct conversion *c, char flag)
{
    return c->flags >> (strchr(flags, flag) - flags) & 1;
}

static const char *skip_number(const char *p, const char *end, uint32_t *stars)
{
    if (p < end && *p == '*') {
        ++*stars;
        return p + 1;
    }
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* After the '%'. Returns the end of the specification. */
static const char *parse_conversion(const char *p, const char *end, struct conversion *c)
{
    *c = (struct conversion){.lanes = 1};
    for (; p < end && *p && strchr(flags, *p); p++)
        c->flags |= 1u << (strchr(flags, *p) - flags);
    p = skip_number(p, end, &c->stars);
    c->has_precision = p < end && *p == '.';
    if (c->has_precision)
        p = skip_number(p + 1, end, &c->stars);
    if (p < end && *p == 'v') {
        c->lanes = 0;
        for (p++; p < end && *p >= '0' && *p <= '9' && c->lanes < 100; p++)
            c->lanes = c->lanes * 10 + (uint32_t)(*p - '0');
    }
    if (p < end && (*p == 'z' || *p == 't')) /* OpenCL C 3.1 */
        c->length[0] = *p++;
    for (uint32_t i = 0; i < 2 && p < end && (*p == 'h' || *p == 'l'); i++)
        c->length[i] = *p++;
    if (p < end && *p)
        c->specifier = *p++;
    return p;
}

/* The type that a conversion asks for, as messages name it. */
static const char *wanted_type(struct sema *s, const struct conversion *c)
{
    const char *scalar = "int";
    bool is_unsigned = strchr("ouxX", c->specifier) != NULL;
    if (c->specifier == 's')
        return "char *";
    if (c->specifier == 'p')
        return "void *";
    if (strchr("fFeEgGaA", c->specifier))
        scalar = c->lanes == 1 || !strcmp(c->length, "l") ? "double" : !strcmp(c->length, "h") ? "half" : "float";
    else if (!strcmp(c->length, "hh"))
        scalar = is_unsigned ? "uchar" : "char";
    else if (!strcmp(c->length, "h"))
        scalar = is_unsigned ? "ushort" : "short";
    else if (strchr("lzt", c->length[0]) && c->length[0])
        scalar = is_unsigned ? "ulong" : "long";
    else
        scalar = is_unsigned ? "uint" : "int";
    return c->lanes == 1 ? scalar : arena_printf(s->arena, "%s%u", scalar, c->lanes);
}

/* C99, 7.19.6.1: the conversions that a flag has a meaning for. */
static bool means_something(char flag, char specifier)
{
    switch (flag) {
    case '+':
    case ' ':
        return strchr("difFeEgGaA", specifier) != NULL;
    case '#':
        return strchr("oxXfFeEgGaA", specifier) != NULL;
    case '0':
        return strchr("diouxXfFeEgGaA", specifier) != NULL;
    default:
        return true;
    }
}

static void check_flags(struct sema *s, const struct conversion *c, uint32_t loc)
{
    for (uint32_t i = 0; flags[i]; i++) {
        if (has_flag(c, flags[i]) && !means_something(flags[i], c->specifier))
            pp_warning(s->front, DIAG_GROUP_FORMAT, loc,
                       "flag '%c' results in undefined behavior with '%c' conversion specifier", flags[i],
                       c->specifier);
    }
    if (has_flag(c, '0') && has_flag(c, '-'))
        pp_warning(s->front, DIAG_GROUP_FORMAT, loc, "flag '0' is ignored when flag '-' is present");
    if (has_flag(c, ' ') && has_flag(c, '+'))
        pp_warning(s->front, DIAG_GROUP_FORMAT, loc, "flag ' ' is ignored when flag '+' is present");
    if (c->has_precision && strchr("cp", c->specifier))
        pp_warning(s->front, DIAG_GROUP_FORMAT, loc,
                   "precision used with '%c' conversion specifier, resulting in undefined behavior", c->specifier);
}

/* Which length modifiers fit: floating-point conversions take one for vectors only, as hl is for vectors only;
 * characters, strings and pointers take none (check_argument() reports %lc). */
static void check_length(struct sema *s, const struct conversion *c, uint32_t loc)
{
    bool fine = !c->length[0];
    if (strchr("diouxX", c->specifier))
        fine |= strcmp(c->length, "hl") != 0 || c->lanes > 1;
    else if (strchr("fFeEgGaA", c->specifier))
        fine |= c->lanes > 1 && c->length[0] != 'z' && c->length[0] != 't';
    else
        fine |= !strcmp(c->length, "l") && c->specifier == 'c';
    if (!fine)
        pp_warning(s->front, DIAG_GROUP_FORMAT, loc,
                   "length modifier '%s' results in undefined behavior or no effect with '%c' conversion specifier",
                   c->length, c->specifier);
}

/* What stands in the source, before the promotions that a variable argument gets. */
static struct qual_type written_type(const struct expr *arg)
{
    while (arg->kind == EXPR_CAST && !arg->cast.explicit_cast && type_is_arith(arg->type.type) &&
           type_is_arith(arg->cast.operand->type.type))
        arg = arg->cast.operand;
    return qual_type_unqualified(arg->type);
}

/* Of a vector's conversion, in bytes. */
static uint64_t element_size(const struct conversion *c)
{
    return !strcmp(c->length, "hh") ? 1 : !strcmp(c->length, "h") ? 2 : !strcmp(c->length, "hl") ? 4 : 8;
}

/* Behind the byte of a literal that is written at p; NULL where that is not easy to say. */
static const char *skip_byte(const char *p)
{
    if (*p != '\\')
        return *p == '\n' || !*p || (p[0] == '?' && p[1] == '?') ? NULL : p + 1;
    p++;
    if (*p >= '0' && *p <= '7')
        return p + strspn(p, "01234567") < p + 3 ? p + strspn(p, "01234567") : p + 3;
    if (*p == 'x')
        return p + 1 + strspn(p + 1, "0123456789abcdefABCDEF");
    return *p && strchr("abfnrtv\\'\"?", *p) ? p + 1 : NULL;
}

/* Where the byte of this number is written: in a literal, or in others that follow it on its line. NULL: unknown. */
static const char *find_byte(const char *written, size_t number)
{
    const char *p = *written == '"' ? written + 1 : NULL;
    while (p) {
        if (*p == '"') {
            p += 1 + strspn(p + 1, " \t");
            p = *p == '"' ? p + 1 : NULL;
        } else if (number--) {
            p = skip_byte(p);
        } else {
            return p;
        }
    }
    return NULL;
}

/* Shows below the format how this argument is printed. at: the '%' */
static void hint_conversion(struct sema *s, const struct conversion *c, const struct expr *format, const char *at,
                            const struct type *type)
{
    const char *written = pp_source_text(s->front, format->loc);
    const char *place = find_byte(written, (size_t)(at - format->string.bytes));
    const char *length = type->size == 8 && type_is_integer(type) ? "l" : "";
    char specifier = type_is_float(type)                                      ? 'f'
                     : type->kind == TYPE_POINTER                             ? 'p'
                     : !type_is_integer(type)                                 ? '\0'
                     : !type_is_signed(type) && !strchr("oxX", c->specifier)  ? 'u'
                     : type_is_signed(type) && !strchr("dioxX", c->specifier) ? 'd'
                                                                              : c->specifier;
    if (!specifier || c->lanes > 1 || !place || *place != '%')
        return;
    const char *end = at + 1;
    while (*end && strchr("-+ #0123456789.*", *end))
        end++;
    pp_hint(s->front, format->loc + (src_loc)(place - written),
            arena_printf(s->arena, "%.*s%s%c", (int)(end - at), at, length, specifier));
}

static void check_argument(struct sema *s, const struct conversion *c, const struct expr *format, const char *at,
                           const struct expr *arg)
{
    const struct type *type = arg->type.type, *element = type_element(type);
    bool fits = type_lanes(type) == c->lanes, wide = c->length[0] && strchr("lzt", c->length[0]);
    if (strchr("diouxXc", c->specifier))
        fits &= type_is_integer(element);
    else if (strchr("fFeEgGaA", c->specifier))
        fits &= type_is_float(element);
    else if (c->specifier == 's' || c->specifier == 'p')
        fits &= type->kind == TYPE_POINTER &&
                (c->specifier == 'p' || type_strip_enum(type->pointer.pointee.type)->size == 1 ||
                 is_poison(type->pointer.pointee.type));
    if (fits && type_is_integer(element) && c->lanes == 1)
        fits = (element->size == 8) == wide;
    if (fits && c->lanes > 1 && (c->length[0] == 'h' || c->length[0] == 'l'))
        fits = element->size == element_size(c);
    if (!fits) {
        struct qual_type written = written_type(arg);
        written.address_space = AS_PRIVATE;
        hint_conversion(s, c, format, at, type_strip_enum(written.type));
        pp_warning_range(s->front, DIAG_GROUP_FORMAT, arg->loc, arg->range,
                         "format specifies type '%s' but the argument has type %s", wanted_type(s, c),
                         type_quote(s, written));
    }
}

void lint_printf(struct sema *s, struct expr **args, uint32_t num_args)
{
    const struct expr *format = num_args ? args[0] : NULL;
    while (format && format->kind == EXPR_CAST)
        format = format->cast.operand;
    if (!format || format->kind != EXPR_STRING)
        return;
    uint32_t next = 1;
    const char *p = format->string.bytes, *end = p + (format->string.length ? format->string.length - 1 : 0);
    if (memchr(p, 0, (size_t)(end - p))) {
        pp_warning(s->front, DIAG_GROUP_FORMAT, format->loc, "format string contains '\\0' within the string body");
        return;
    }
    while (p < end) {
        struct conversion c;
        const char *at = p;
        if (*p++ != '%')
            continue;
        if (p < end && *p == '%') {
            p++;
            continue;
        }
        p = parse_conversion(p, end, &c);
        if (!c.specifier) {
            pp_warning(s->front, DIAG_GROUP_FORMAT, format->loc, "incomplete format specifier");
            return;
        }
        if (c.specifier == '%')
            continue;
        if (!strchr("diouxXcfFeEgGaAsp", c.specifier)) {
            pp_warning(s->front, DIAG_GROUP_FORMAT_INVALID_SPECIFIER, format->loc, "invalid conversion specifier '%c'",
                       c.specifier);
            return;
        }
        check_flags(s, &c, format->loc);
        check_length(s, &c, format->loc);
        next += c.stars;
        if (next >= num_args) {
            pp_warning(s->front, DIAG_GROUP_FORMAT_INSUFFICIENT_ARGS, format->loc,
                       "more '%%' conversions than data arguments");
            return;
        }
        check_argument(s, &c, format, at, args[next++]);
    }
    if (next < num_args)
        pp_warning_range(s->front, DIAG_GROUP_FORMAT_EXTRA_ARGS, args[next]->loc, args[next]->range,
                         "data argument not used by format string");
}
