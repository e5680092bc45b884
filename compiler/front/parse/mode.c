/* __attribute__((mode(M))): the type of M's width instead of the one that is written. GCC's manual, Common Variable
 * Attributes; names as clang knows them. */
#include "compiler/front/parse/parse.h"

struct mode {
    uint32_t lanes; /* V4SI: 4; 0: no vector */
    char kind;      /* I integer, F floating-point, C complex; 0: unknown */
    uint32_t size;  /* bytes */
};

/* A name without the underscores around it. */
static struct mode find_mode(const char *name, size_t length)
{
    static const struct {
        char letter;
        uint8_t size;
    } sizes[] = {{'Q', 1}, {'H', 2}, {'S', 4}, {'D', 8}, {'X', 12}, {'T', 16}};
    struct mode mode = {0};
    if (length == 4 && !memcmp(name, "byte", 4))
        return (struct mode){.kind = 'I', .size = 1};
    if ((length == 4 && !memcmp(name, "word", 4)) || (length == 7 && !memcmp(name, "pointer", 7)) ||
        (length == 11 && !memcmp(name, "unwind_word", 11)))
        return (struct mode){.kind = 'I', .size = 8};
    const char *end = name + length;
    if (length && *name == 'V') {
        for (name++; name < end && *name >= '0' && *name <= '9' && mode.lanes < 1000; name++)
            mode.lanes = mode.lanes * 10 + (uint32_t)(*name - '0');
        if (!mode.lanes)
            return mode;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(sizes) && end - name == 2; i++) {
        bool known = name[1] == 'I' ? name[0] != 'X' : name[1] == 'F' || name[1] == 'C' ? name[0] != 'Q' : false;
        if (known && name[0] == sizes[i].letter) {
            mode.kind = name[1];
            mode.size = sizes[i].size;
        }
    }
    return mode;
}

static struct mode mode_of(const struct ident *ident)
{
    size_t length;
    const char *name = parse_attribute_word(ident, &length);
    return find_mode(name, length);
}

void parse_mode_argument(struct sema *s, struct attributes *attrs, src_loc loc)
{
    const struct token *argument = s->tok.kind == TOKEN_LEFT_PAREN ? parse_peek(s, 1) : NULL;
    if (!argument || argument->kind == TOKEN_RIGHT_PAREN)
        pp_error(s->front, loc, "'mode' attribute takes one argument");
    else if (!argument->ident)
        pp_error(s->front, loc, "'mode' attribute requires an identifier");
    else if (!mode_of(argument->ident).kind)
        pp_error(s->front, loc, "unknown machine mode '%s'", argument->ident->name);
    else {
        attrs->mode = argument->ident;
        attrs->mode_loc = loc;
    }
}

/* The scalar of this mode, or NULL. */
static const struct type *scalar_of(struct sema *s, const struct mode *mode, const struct type *element)
{
    if (mode->kind == 'F')
        return mode->size == 2   ? type_scalar(s, TYPE_HALF)
               : mode->size == 4 ? type_scalar(s, TYPE_FLOAT)
               : mode->size == 8 ? type_scalar(s, TYPE_DOUBLE)
                                 : NULL;
    if (mode->kind != 'I' || mode->size > 8)
        return NULL;
    enum type_kind kind = mode->size == 1   ? TYPE_CHAR
                          : mode->size == 2 ? TYPE_SHORT
                          : mode->size == 4 ? TYPE_INT
                                            : TYPE_LONG;
    return type_scalar(s, (enum type_kind)(kind + !type_is_signed(element)));
}

void parse_apply_mode(struct sema *s, struct qual_type *type, struct attributes *attrs)
{
    const struct ident *name = attrs->mode;
    const struct type *before = type->type, *element = type_element(type_strip_enum(before));
    attrs->mode = NULL;
    if (!name || is_poison(type->type))
        return;
    struct mode mode = mode_of(name);
    const struct type *scalar = NULL;
    if (!type_is_arith(element) || element->kind == TYPE_BOOL)
        pp_error(s->front, attrs->mode_loc, "mode attribute only supported for integer and floating-point types");
    else if (mode.lanes && type->type->kind == TYPE_VECTOR)
        pp_error(s->front, attrs->mode_loc, "mode '%s' is not supported for vector types", name->name);
    else if (mode.kind != (type_is_integer(element) ? 'I' : 'F'))
        pp_error(s->front, attrs->mode_loc, "type of machine mode does not match type of base type");
    else if (!(scalar = scalar_of(s, &mode, element)))
        pp_error(s->front, attrs->mode_loc, "unsupported machine mode '%s'", name->name);
    if (scalar && scalar->kind == TYPE_DOUBLE && !s->fp64) {
        pp_error(s->front, attrs->mode_loc, "use of type 'double' requires cl_khr_fp64 and __opencl_c_fp64 support");
        scalar = NULL;
    }
    type->sugar = NULL;
    type->type = scalar ? scalar : s->poison->type.type;
    if (scalar && mode.lanes)
        pp_warning(s->front, DIAG_GROUP_DEPRECATED_ATTRIBUTES, attrs->mode_loc,
                   "specifying vector types with the 'mode' attribute is deprecated; use the 'vector_size' attribute "
                   "instead");
    uint32_t lanes = mode.lanes ? mode.lanes : type_lanes(before);
    if (scalar && (mode.lanes || before->kind == TYPE_VECTOR)) {
        type->type = clc_type_vector(s->front, scalar, lanes);
        if (is_poison(type->type))
            pp_error(s->front, attrs->mode_loc, "unsupported machine mode '%s'", name->name);
    }
}
