/* __attribute__((...)). Known ones are checked and kept; unknown ones are warned about and skipped, as clang does.
 * OpenCL C 3.0, 6.13. */
#include "compiler/front/sema.h"

enum attribute {
    ATTR_UNKNOWN,
    ATTR_IGNORED, /* known, without effect here */
    ATTR_ALIGNED,
    ATTR_ALWAYS_INLINE,
    ATTR_CONST,
    ATTR_CONVERGENT,
    ATTR_DEPRECATED,
    ATTR_ENDIAN,
    ATTR_EXT_VECTOR_TYPE,
    ATTR_NOINLINE,
    ATTR_NORETURN,
    ATTR_NOSVM,
    ATTR_OVERLOADABLE,
    ATTR_PACKED,
    ATTR_PURE,
    ATTR_REQD_SUB_GROUP_SIZE,
    ATTR_REQD_WORK_GROUP_SIZE,
    ATTR_UNROLL_HINT,
    ATTR_UNUSED,
    ATTR_WARN_UNUSED_RESULT,
    ATTR_VEC_TYPE_HINT,
    ATTR_VECTOR_SIZE,
    ATTR_WORK_GROUP_SIZE_HINT,
};

static const struct {
    const char *name;
    enum attribute kind;
} table[] = {
    {"aligned", ATTR_ALIGNED},
    {"always_inline", ATTR_ALWAYS_INLINE},
    {"annotate", ATTR_IGNORED},
    {"artificial", ATTR_IGNORED},
    {"cold", ATTR_IGNORED},
    {"const", ATTR_CONST},
    {"convergent", ATTR_CONVERGENT},
    {"deprecated", ATTR_DEPRECATED},
    {"endian", ATTR_ENDIAN},
    {"ext_vector_type", ATTR_EXT_VECTOR_TYPE},
    {"fallthrough", ATTR_IGNORED},
    {"flatten", ATTR_IGNORED},
    {"format", ATTR_IGNORED},
    {"gnu_inline", ATTR_IGNORED},
    {"hot", ATTR_IGNORED},
    {"intel_reqd_sub_group_size", ATTR_REQD_SUB_GROUP_SIZE},
    {"may_alias", ATTR_IGNORED},
    {"minsize", ATTR_IGNORED},
    {"no_builtin", ATTR_IGNORED},
    {"noduplicate", ATTR_CONVERGENT},
    {"noinline", ATTR_NOINLINE},
    {"nonnull", ATTR_IGNORED},
    {"noreturn", ATTR_NORETURN},
    {"nosvm", ATTR_NOSVM},
    {"nothrow", ATTR_IGNORED},
    {"opencl_unroll_hint", ATTR_UNROLL_HINT},
    {"optnone", ATTR_NOINLINE},
    {"overloadable", ATTR_OVERLOADABLE},
    {"packed", ATTR_PACKED},
    {"pure", ATTR_PURE},
    {"reqd_work_group_size", ATTR_REQD_WORK_GROUP_SIZE},
    {"unused", ATTR_UNUSED},
    {"used", ATTR_UNUSED},
    {"vec_type_hint", ATTR_VEC_TYPE_HINT},
    {"vector_size", ATTR_VECTOR_SIZE},
    {"visibility", ATTR_IGNORED},
    {"warn_unused_result", ATTR_WARN_UNUSED_RESULT},
    {"weak", ATTR_IGNORED},
    {"work_group_size_hint", ATTR_WORK_GROUP_SIZE_HINT},
};

static enum attribute find_attribute(const struct ident *name)
{
    const char *text = name->name;
    size_t length = name->length;
    if (length > 4 && !memcmp(text, "__", 2) && !memcmp(text + length - 2, "__", 2)) {
        text += 2;
        length -= 4;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
        if (strlen(table[i].name) == length && !memcmp(table[i].name, text, length))
            return table[i].kind;
    return ATTR_UNKNOWN;
}

/* "(" constant ("," constant)* ")" with exactly count values, each in 32 bits */
static bool integers(struct sema *s, const struct ident *name, uint32_t count, uint32_t *values)
{
    bool good = true;
    if (s->tok.kind != TOKEN_LEFT_PAREN) {
        clc_error(s->front, s->tok.loc, "'%s' attribute requires %s%u argument%s", name->name,
                  count == 1 ? "exactly " : "exactly ", count, count == 1 ? "" : "s");
        return false;
    }
    sema_next(s);
    for (uint32_t i = 0; i < count; i++) {
        struct expr *expr;
        if (i && !sema_expect(s, TOKEN_COMMA, NULL)) {
            good = false;
            break;
        }
        src_loc loc = s->tok.loc;
        if (!parse_constant(s, "attribute argument", &expr)) {
            good = false;
            break;
        }
        if (expr->integer > UINT32_MAX) {
            clc_error(s->front, loc,
                      "integer constant expression evaluates to value that cannot be represented in a 32-bit "
                      "unsigned integer type");
            good = false;
            break;
        }
        values[i] = (uint32_t)expr->integer;
    }
    if (good && s->tok.kind != TOKEN_RIGHT_PAREN) {
        clc_error(s->front, s->tok.loc, "'%s' attribute requires exactly %u argument%s", name->name, count,
                  count == 1 ? "" : "s");
        good = false;
    }
    sema_skip_until(s, TOKEN_RIGHT_PAREN);
    sema_accept(s, TOKEN_RIGHT_PAREN);
    return good;
}

static void skip_arguments(struct sema *s)
{
    if (!sema_accept(s, TOKEN_LEFT_PAREN))
        return;
    sema_skip_until(s, TOKEN_RIGHT_PAREN);
    sema_accept(s, TOKEN_RIGHT_PAREN);
}

static void attribute_aligned(struct sema *s, const struct ident *name, struct attributes *attrs, src_loc loc)
{
    uint32_t value = 16; /* without argument: the largest useful */
    if (s->tok.kind == TOKEN_LEFT_PAREN && !integers(s, name, 1, &value))
        return;
    if (!is_power_of_two(value)) {
        clc_error(s->front, loc, "requested alignment is not a power of 2");
        return;
    }
    if (value > 1u << 20) {
        clc_error(s->front, loc, "requested alignment must be 1048576 or smaller");
        return;
    }
    attrs->align = value > attrs->align ? value : attrs->align;
}

static void attribute_sizes(struct sema *s, const struct ident *name, src_loc loc, uint32_t *sizes, bool *has)
{
    uint32_t values[3];
    if (!integers(s, name, 3, values))
        return;
    if (!values[0] || !values[1] || !values[2]) {
        clc_error(s->front, loc, "'%s' attribute must be greater than 0", name->name);
        return;
    }
    if (*has && memcmp(values, sizes, sizeof(values)) != 0)
        clc_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, loc,
                    "attribute '%s' is already applied with different arguments", name->name);
    memcpy(sizes, values, sizeof(values));
    *has = true;
}

/* 6.13.2: without an argument the compiler decides; 1 forbids */
static void attribute_unroll(struct sema *s, const struct ident *name, struct attributes *attrs, src_loc loc)
{
    uint32_t value = UINT32_MAX;
    if (s->tok.kind == TOKEN_LEFT_PAREN) {
        if (sema_peek(s, 1)->kind == TOKEN_RIGHT_PAREN)
            skip_arguments(s);
        else if (!integers(s, name, 1, &value))
            return;
    }
    if (!value) {
        clc_error(s->front, loc,
                  "'opencl_unroll_hint' attribute requires a positive integral compile time constant expression");
        return;
    }
    attrs->unroll = value;
}

static void attribute_vec_type_hint(struct sema *s, struct attributes *attrs, src_loc loc)
{
    if (!sema_expect(s, TOKEN_LEFT_PAREN, NULL))
        return;
    if (!sema_is_type_start(s, &s->tok)) {
        clc_error(s->front, s->tok.loc, "expected a type");
        sema_skip_until(s, TOKEN_RIGHT_PAREN);
    } else {
        struct qual_type type = parse_type_name(s);
        if (!is_poison(type.type) && (!type_is_arith(type_element(type.type)) || type.type->kind == TYPE_BOOL))
            clc_error(s->front, loc, "invalid attribute argument %s - expecting a vector or vectorizable scalar type",
                      type_quote(s, type));
        else
            attrs->vec_type_hint = type;
    }
    sema_expect(s, TOKEN_RIGHT_PAREN, NULL);
}

static void attribute_endian(struct sema *s, src_loc loc)
{
    if (!sema_accept(s, TOKEN_LEFT_PAREN)) /* without argument: the device's, as clang has it */
        return;
    bool known = s->tok.ident && (!strcmp(s->tok.ident->name, "host") || !strcmp(s->tok.ident->name, "device"));
    if (!known)
        clc_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, loc, "'endian' attribute takes 'host' or 'device'");
    sema_skip_until(s, TOKEN_RIGHT_PAREN);
    sema_expect(s, TOKEN_RIGHT_PAREN, NULL);
}

static void parse_one(struct sema *s, struct attributes *attrs)
{
    const struct ident *name = s->tok.ident;
    src_loc loc = s->tok.loc;
    sema_next(s);
    if (!attrs->loc)
        attrs->loc = loc;
    switch (find_attribute(name)) {
    case ATTR_ALIGNED:
        attribute_aligned(s, name, attrs, loc);
        return;
    case ATTR_ALWAYS_INLINE:
        attrs->flags |= FN_ALWAYS_INLINE;
        break;
    case ATTR_CONST:
        attrs->flags |= FN_CONST;
        break;
    case ATTR_CONVERGENT:
        attrs->flags |= FN_CONVERGENT;
        break;
    case ATTR_NOINLINE:
        attrs->flags |= FN_NOINLINE;
        break;
    case ATTR_NORETURN:
        attrs->flags |= FN_NORETURN;
        break;
    case ATTR_OVERLOADABLE:
        attrs->flags |= FN_OVERLOADABLE;
        break;
    case ATTR_PURE:
        attrs->flags |= FN_PURE;
        break;
    case ATTR_PACKED:
        attrs->packed = true;
        break;
    case ATTR_UNUSED:
        attrs->unused = true;
        break;
    case ATTR_DEPRECATED:
        attrs->deprecated = true;
        break;
    case ATTR_WARN_UNUSED_RESULT:
        attrs->warn_unused = true;
        break;
    case ATTR_NOSVM:
        attrs->nosvm = true;
        break;
    case ATTR_ENDIAN:
        attribute_endian(s, loc);
        return;
    case ATTR_EXT_VECTOR_TYPE:
        integers(s, name, 1, &attrs->vector_lanes);
        return;
    case ATTR_VECTOR_SIZE:
        integers(s, name, 1, &attrs->vector_bytes);
        return;
    case ATTR_REQD_SUB_GROUP_SIZE:
        if (integers(s, name, 1, &attrs->reqd_subgroup) && !attrs->reqd_subgroup)
            clc_error(s->front, loc, "'%s' attribute must be greater than 0", name->name);
        return;
    case ATTR_REQD_WORK_GROUP_SIZE:
        attribute_sizes(s, name, loc, attrs->reqd, &attrs->has_reqd);
        return;
    case ATTR_WORK_GROUP_SIZE_HINT:
        attribute_sizes(s, name, loc, attrs->hint, &attrs->has_hint);
        return;
    case ATTR_UNROLL_HINT:
        attribute_unroll(s, name, attrs, loc);
        return;
    case ATTR_VEC_TYPE_HINT:
        attribute_vec_type_hint(s, attrs, loc);
        return;
    case ATTR_IGNORED:
        break;
    case ATTR_UNKNOWN:
        clc_warning(s->front, DIAG_GROUP_UNKNOWN_ATTRIBUTES, loc, "unknown attribute '%s' ignored", name->name);
        break;
    }
    skip_arguments(s);
}

/* attribute = "__attribute__" "((" (name arguments?)? ("," ...)* "))" */
void parse_attributes(struct sema *s, struct attributes *attrs)
{
    for (;;) {
        if (s->tok.kind == TOKEN_ASM && attrs->asm_label == NULL) {
            sema_next(s);
            skip_arguments(s);
            continue;
        }
        if (s->tok.kind != TOKEN_ATTRIBUTE)
            return;
        sema_next(s);
        if (!sema_expect(s, TOKEN_LEFT_PAREN, "after 'attribute'") || !sema_expect(s, TOKEN_LEFT_PAREN, NULL)) {
            sema_skip_until(s, TOKEN_RIGHT_PAREN);
            sema_accept(s, TOKEN_RIGHT_PAREN);
            continue;
        }
        while (s->tok.kind != TOKEN_RIGHT_PAREN && s->tok.kind != TOKEN_END) {
            if (sema_accept(s, TOKEN_COMMA))
                continue;
            if (!s->tok.ident) {
                clc_error(s->front, s->tok.loc, "expected attribute name");
                sema_skip_until(s, TOKEN_RIGHT_PAREN);
                break;
            }
            parse_one(s, attrs);
        }
        sema_expect(s, TOKEN_RIGHT_PAREN, NULL);
        sema_expect(s, TOKEN_RIGHT_PAREN, NULL);
    }
}

void attributes_merge(struct attributes *into, const struct attributes *from)
{
    into->flags |= from->flags;
    into->align = from->align > into->align ? from->align : into->align;
    into->packed |= from->packed;
    into->unused |= from->unused;
    into->nosvm |= from->nosvm;
    into->warn_unused |= from->warn_unused;
    into->deprecated |= from->deprecated;
    if (from->has_reqd) {
        into->has_reqd = true;
        memcpy(into->reqd, from->reqd, sizeof(into->reqd));
    }
    if (from->has_hint) {
        into->has_hint = true;
        memcpy(into->hint, from->hint, sizeof(into->hint));
    }
    if (from->reqd_subgroup)
        into->reqd_subgroup = from->reqd_subgroup;
    if (from->unroll)
        into->unroll = from->unroll;
    if (from->vector_lanes)
        into->vector_lanes = from->vector_lanes;
    if (from->vector_bytes)
        into->vector_bytes = from->vector_bytes;
    if (from->vec_type_hint.type)
        into->vec_type_hint = from->vec_type_hint;
    if (!into->loc)
        into->loc = from->loc;
}
