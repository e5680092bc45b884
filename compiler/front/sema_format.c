/* printf's format against its arguments. OpenCL C 3.0, 6.15.14.2: C99's conversions with a vector specifier vn before
 * the length modifier, hl for 4-byte elements; no n conversion, no %ls. Warnings only, like clang's -Wformat. */
#include "compiler/front/sema.h"

struct conversion {
    uint32_t stars; /* int arguments for * */
    uint32_t lanes; /* 1: scalar */
    char length[3]; /* "", "hh", "h", "hl", "l" */
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
    for (uint32_t i = 0; i < 2 && p < end && (*p == 'h' || *p == 'l'); i++)
        c->length[i] = *p++;
    if (p < end && *p)
        c->specifier = *p++;
    return p;
}

static void check_argument(struct sema *s, const struct conversion *c, const struct expr *arg)
{
    const struct type *type = arg->type.type, *element = type_element(type);
    bool fits = type_lanes(type) == c->lanes;
    if (strchr("diouxXc", c->specifier))
        fits &= type_is_integer(element);
    else if (strchr("fFeEgGaA", c->specifier))
        fits &= type_is_float(element);
    else if (c->specifier == 's' || c->specifier == 'p')
        fits &= type->kind == TYPE_POINTER;
    if (fits && type_is_integer(element) && c->lanes == 1)
        fits = (element->size == 8) == !strcmp(c->length, "l");
    if (!fits)
        clc_warning_range(s->front, DIAG_GROUP_FORMAT, arg->loc, arg->range,
                          "format '%%%s%c' does not fit an argument of type %s", c->length, c->specifier,
                          type_quote_expr(s, arg));
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
    while (p < end) {
        struct conversion c;
        if (*p++ != '%')
            continue;
        if (p < end && *p == '%') {
            p++;
            continue;
        }
        p = parse_conversion(p, end, &c);
        if (!c.specifier || !strchr("diouxXcfFeEgGaAsp", c.specifier)) {
            clc_warning(s->front, DIAG_GROUP_FORMAT, format->loc, "invalid conversion specifier '%c'",
                        c.specifier ? c.specifier : '%');
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
