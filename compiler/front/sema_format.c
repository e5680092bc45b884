/* printf's format against its arguments. OpenCL C 3.0, 6.15.14.2: C99's conversions with a vector specifier vn before
 * the length modifier, hl for 4-byte elements; no n conversion, no %ls. Warnings only, like clang's -Wformat. */
#include "compiler/front/sema.h"

struct conversion {
    uint32_t stars; /* int arguments for * */
    uint32_t lanes; /* 1: scalar */
    char length[3]; /* "", "hh", "h", "hl", "l", "z", "t" */
    char specifier;
};

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
    while (p < end && strchr("-+ #0", *p) && *p)
        p++;
    p = skip_number(p, end, &c->stars);
    if (p < end && *p == '.')
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

/* What stands in the source, before the promotions that a variable argument gets. */
static struct qual_type written_type(const struct expr *arg)
{
    while (arg->kind == EXPR_CAST && !arg->cast.explicit_cast && type_is_arith(arg->type.type) &&
           type_is_arith(arg->cast.operand->type.type))
        arg = arg->cast.operand;
    return qual_type_unqualified(arg->type);
}

static void check_argument(struct sema *s, const struct conversion *c, const struct expr *arg)
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
    if (!fits) {
        struct qual_type written = written_type(arg);
        written.address_space = AS_PRIVATE;
        clc_warning_range(s->front, DIAG_GROUP_FORMAT, arg->loc, arg->range,
                          "format specifies type '%s' but the argument has type %s", wanted_type(s, c),
                          type_quote(s, written));
    }
}

void sema_check_printf(struct sema *s, struct expr **args, uint32_t num_args)
{
    const struct expr *format = num_args ? args[0] : NULL;
    while (format && format->kind == EXPR_CAST)
        format = format->cast.operand;
    if (!format || format->kind != EXPR_STRING)
        return;
    uint32_t next = 1;
    const char *p = format->string.bytes, *end = p + (format->string.length ? format->string.length - 1 : 0);
    if (memchr(p, 0, (size_t)(end - p))) {
        clc_warning(s->front, DIAG_GROUP_FORMAT, format->loc, "format string contains '\\0' within the string body");
        return;
    }
    while (p < end) {
        struct conversion c;
        if (*p++ != '%')
            continue;
        if (p < end && *p == '%') {
            p++;
            continue;
        }
        p = parse_conversion(p, end, &c);
        if (!c.specifier) {
            clc_warning(s->front, DIAG_GROUP_FORMAT, format->loc, "incomplete format specifier");
            return;
        }
        if (c.specifier == '%')
            continue;
        if (!strchr("diouxXcfFeEgGaAsp", c.specifier)) {
            clc_warning(s->front, DIAG_GROUP_FORMAT_INVALID_SPECIFIER, format->loc, "invalid conversion specifier '%c'",
                        c.specifier);
            return;
        }
        next += c.stars;
        if (next >= num_args) {
            clc_warning(s->front, DIAG_GROUP_FORMAT_INSUFFICIENT_ARGS, format->loc,
                        "more '%%' conversions than data arguments");
            return;
        }
        check_argument(s, &c, args[next++]);
    }
    if (next < num_args)
        clc_warning_range(s->front, DIAG_GROUP_FORMAT_EXTRA_ARGS, args[next]->loc, args[next]->range,
                          "data argument not used by format string");
}
