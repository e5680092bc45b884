/* __attribute__((...)). Known ones are checked and kept; unknown ones are warned about and skipped, as clang does.
 * OpenCL C 3.0, 6.13. */
#include "compiler/front/parse/parse.h"

enum attribute {
    ATTR_UNKNOWN,
    ATTR_IGNORED, /* known, without effect here */
    ATTR_ALIGNED,
    ATTR_ALWAYS_INLINE,
    ATTR_CONST,
    ATTR_CONVERGENT,
    ATTR_COOP_MAT,
    ATTR_COOP_MAT_BFLOAT16,
    ATTR_COOP_MAT_E4M3,
    ATTR_COOP_MAT_E5M2,
    ATTR_DEPRECATED,
    ATTR_ENDIAN,
    ATTR_EXT_VECTOR_TYPE,
    ATTR_MODE,
    ATTR_NOINLINE,
    ATTR_NORETURN,
    ATTR_NOSVM,
    ATTR_OVERLOADABLE,
    ATTR_PACKED,
    ATTR_PURE,
    ATTR_QCOM_SUB_GROUP_SIZE,
    ATTR_REQD_SUB_GROUP_SIZE,
    ATTR_REQD_WORK_GROUP_SIZE,
    ATTR_UNAVAILABLE,
    ATTR_UNROLL_HINT,
    ATTR_UNUSED,
    ATTR_WARN_UNUSED_RESULT,
    ATTR_VEC_TYPE_HINT,
    ATTR_VECTOR_SIZE,
    ATTR_WORK_GROUP_SIZE_HINT,
};

enum { NO_ARGUMENTS, ANY_ARGUMENTS, ONE_STRING, TEXT_ARGUMENTS };

static const struct attribute_row table[] = {
    {"aligned", ATTR_ALIGNED, RULE_ANY, ANY_ARGUMENTS},
    {"always_inline", ATTR_ALWAYS_INLINE, RULE_FUNCTION_STATEMENT, NO_ARGUMENTS},
    {"annotate", ATTR_IGNORED, RULE_ANY, ANY_ARGUMENTS},
    {"artificial", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"cold", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"const", ATTR_CONST, RULE_ANY, NO_ARGUMENTS},
    {"convergent", ATTR_CONVERGENT, RULE_FUNCTION, NO_ARGUMENTS},
    {"coop_mat", ATTR_COOP_MAT, RULE_NUMBER, ANY_ARGUMENTS},
    {"pumice_coop_mat_bfloat16", ATTR_COOP_MAT_BFLOAT16, RULE_NUMBER, ANY_ARGUMENTS},
    {"pumice_coop_mat_e4m3", ATTR_COOP_MAT_E4M3, RULE_NUMBER, ANY_ARGUMENTS},
    {"pumice_coop_mat_e5m2", ATTR_COOP_MAT_E5M2, RULE_NUMBER, ANY_ARGUMENTS},
    {"deprecated", ATTR_DEPRECATED, RULE_ANY, TEXT_ARGUMENTS},
    {"disable_tail_calls", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"endian", ATTR_ENDIAN, RULE_ANY, ANY_ARGUMENTS},
    {"ext_vector_type", ATTR_EXT_VECTOR_TYPE, RULE_TYPEDEF, ANY_ARGUMENTS},
    {"fallthrough", ATTR_IGNORED, RULE_LOOP, NO_ARGUMENTS},
    {"flag_enum", ATTR_IGNORED, RULE_ANY, NO_ARGUMENTS},
    {"flatten", ATTR_IGNORED, RULE_FUNCTION_STRICT, NO_ARGUMENTS},
    {"format", ATTR_IGNORED, RULE_FUNCTION, ANY_ARGUMENTS},
    {"gnu_inline", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"hot", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"intel_reqd_sub_group_size", ATTR_REQD_SUB_GROUP_SIZE, RULE_FUNCTION_STRICT, ANY_ARGUMENTS},
    {"internal_linkage", ATTR_IGNORED, RULE_ANY, NO_ARGUMENTS},
    {"leaf", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"malloc", ATTR_IGNORED, RULE_FUNCTION, ANY_ARGUMENTS},
    {"may_alias", ATTR_IGNORED, RULE_ANY, NO_ARGUMENTS},
    {"minsize", ATTR_IGNORED, RULE_FUNCTION_STRICT, NO_ARGUMENTS},
    {"mode", ATTR_MODE, RULE_TYPED, ANY_ARGUMENTS},
    {"no_builtin", ATTR_IGNORED, RULE_FUNCTION, ANY_ARGUMENTS},
    {"no_instrument_function", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"no_stack_protector", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"nodebug", ATTR_IGNORED, RULE_ANY, NO_ARGUMENTS},
    {"noduplicate", ATTR_CONVERGENT, RULE_FUNCTION, NO_ARGUMENTS},
    {"noinline", ATTR_NOINLINE, RULE_FUNCTION_STATEMENT, NO_ARGUMENTS},
    {"nonnull", ATTR_IGNORED, RULE_ANY, ANY_ARGUMENTS},
    {"noreturn", ATTR_NORETURN, RULE_FUNCTION_TYPE, NO_ARGUMENTS},
    {"nosvm", ATTR_NOSVM, RULE_VARIABLE, NO_ARGUMENTS},
    {"not_tail_called", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"nothrow", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"opencl_unroll_hint", ATTR_UNROLL_HINT, RULE_LOOP, ANY_ARGUMENTS},
    {"optnone", ATTR_NOINLINE, RULE_FUNCTION, NO_ARGUMENTS},
    {"overloadable", ATTR_OVERLOADABLE, RULE_FUNCTION_STRICT, NO_ARGUMENTS},
    {"packed", ATTR_PACKED, RULE_RECORD, NO_ARGUMENTS},
    {"pure", ATTR_PURE, RULE_ANY, NO_ARGUMENTS},
    {"qcom_reqd_sub_group_size", ATTR_QCOM_SUB_GROUP_SIZE, RULE_FUNCTION_STRICT, ANY_ARGUMENTS},
    {"reqd_work_group_size", ATTR_REQD_WORK_GROUP_SIZE, RULE_FUNCTION_STRICT, ANY_ARGUMENTS},
    {"returns_nonnull", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"returns_twice", ATTR_IGNORED, RULE_FUNCTION, NO_ARGUMENTS},
    {"section", ATTR_IGNORED, RULE_ANY, ONE_STRING},
    {"unavailable", ATTR_UNAVAILABLE, RULE_ANY, TEXT_ARGUMENTS},
    {"unused", ATTR_UNUSED, RULE_ANY, NO_ARGUMENTS},
    {"used", ATTR_UNUSED, RULE_ANY, NO_ARGUMENTS},
    {"vec_type_hint", ATTR_VEC_TYPE_HINT, RULE_FUNCTION_STRICT, ANY_ARGUMENTS},
    {"vector_size", ATTR_VECTOR_SIZE, RULE_ANY, ANY_ARGUMENTS},
    {"visibility", ATTR_IGNORED, RULE_ANY, ONE_STRING},
    {"warn_unused_result", ATTR_WARN_UNUSED_RESULT, RULE_RESULT, ANY_ARGUMENTS},
    {"weak", ATTR_IGNORED, RULE_ANY, NO_ARGUMENTS},
    {"work_group_size_hint", ATTR_WORK_GROUP_SIZE_HINT, RULE_FUNCTION_STRICT, ANY_ARGUMENTS},
};

const char *parse_attribute_word(const struct ident *name, size_t *length)
{
    const char *text = name->name;
    bool framed = name->length > 4 && !memcmp(text, "__", 2) && !memcmp(text + name->length - 2, "__", 2);
    *length = framed ? name->length - 4 : name->length;
    return framed ? text + 2 : text;
}

static const struct attribute_row *find_attribute(const struct ident *name)
{
    size_t length;
    const char *text = parse_attribute_word(name, &length);
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
        if (strlen(table[i].name) == length && !memcmp(table[i].name, text, length))
            return &table[i];
    return NULL;
}

static void wrong_count(struct sema *s, const struct ident *name, src_loc loc, uint32_t count)
{
    if (count == 1)
        pp_error(s->front, loc, "'%s' attribute takes one argument", name->name);
    else
        pp_error(s->front, loc, "'%s' attribute requires exactly %u arguments", name->name, count);
}

/* "(" constant ("," constant)* ")" with exactly count values, each in 32 bits */
static bool integers(struct sema *s, const struct ident *name, uint32_t count, uint32_t *values)
{
    bool good = true;
    if (s->tok.kind != TOKEN_LEFT_PAREN) {
        wrong_count(s, name, s->tok.loc, count);
        return false;
    }
    parse_next(s);
    for (uint32_t i = 0; i < count; i++) {
        struct expr *expr;
        if (s->tok.kind == TOKEN_RIGHT_PAREN || (i && s->tok.kind != TOKEN_COMMA)) {
            wrong_count(s, name, s->tok.loc, count);
            good = false;
            break;
        }
        if (i)
            parse_next(s);
        src_loc loc = s->tok.loc;
        if (!parse_constant(s, "attribute argument", &expr)) {
            good = false;
            break;
        }
        if (expr->integer > UINT32_MAX) {
            pp_error_range(s->front, loc, expr->range,
                           "integer constant expression evaluates to value %lld that cannot be represented in a "
                           "32-bit unsigned integer type",
                           (long long)expr->integer);
            good = false;
            break;
        }
        values[i] = (uint32_t)expr->integer;
    }
    if (good && s->tok.kind != TOKEN_RIGHT_PAREN) {
        wrong_count(s, name, s->tok.loc, count);
        good = false;
    }
    parse_skip_until(s, TOKEN_RIGHT_PAREN);
    parse_accept(s, TOKEN_RIGHT_PAREN);
    return good;
}

static void skip_arguments(struct sema *s)
{
    if (!parse_accept(s, TOKEN_LEFT_PAREN))
        return;
    parse_skip_until(s, TOKEN_RIGHT_PAREN);
    parse_accept(s, TOKEN_RIGHT_PAREN);
}

static void attribute_aligned(struct sema *s, const struct ident *name, struct attributes *attrs, src_loc loc)
{
    uint32_t value = 16; /* without argument: the largest useful */
    if (s->tok.kind == TOKEN_LEFT_PAREN && !integers(s, name, 1, &value))
        return;
    if (!is_power_of_two(value)) {
        pp_error(s->front, loc, "requested alignment is not a power of 2");
        return;
    }
    if (value > 1u << 20) {
        pp_error(s->front, loc, "requested alignment must be 1048576 or smaller");
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
        pp_error(s->front, loc, "'%s' attribute must be greater than 0", name->name);
        return;
    }
    if (*has && memcmp(values, sizes, sizeof(values)) != 0)
        pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, loc,
                   "attribute '%s' is already applied with different arguments", name->name);
    memcpy(sizes, values, sizeof(values));
    *has = true;
}

/* 6.13.2: without an argument the compiler decides; 1 forbids */
static void attribute_unroll(struct sema *s, const struct ident *name, struct attributes *attrs, src_loc loc)
{
    uint32_t value = UINT32_MAX;
    if (s->tok.kind == TOKEN_LEFT_PAREN) {
        if (parse_peek(s, 1)->kind == TOKEN_RIGHT_PAREN)
            skip_arguments(s);
        else if (!integers(s, name, 1, &value))
            return;
    }
    if (!value) {
        pp_error(s->front, loc,
                 "'opencl_unroll_hint' attribute requires a positive integral compile time constant expression");
        return;
    }
    attrs->unroll = value;
}

static void attribute_vec_type_hint(struct sema *s, struct attributes *attrs, src_loc loc)
{
    if (!parse_expect(s, TOKEN_LEFT_PAREN, NULL))
        return;
    if (!parse_is_type_start(s, &s->tok)) {
        pp_error(s->front, s->tok.loc, "expected a type");
        parse_skip_until(s, TOKEN_RIGHT_PAREN);
    } else {
        struct qual_type type = parse_type_name(s);
        if (!is_poison(type.type) && (!type_is_arith(type_element(type.type)) || type.type->kind == TYPE_BOOL))
            pp_error(s->front, loc, "invalid attribute argument %s - expecting a vector or vectorizable scalar type",
                     type_quote(s, type));
        else
            attrs->vec_type_hint = type;
    }
    parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
}

static void attribute_endian(struct sema *s, src_loc loc)
{
    if (!parse_accept(s, TOKEN_LEFT_PAREN)) /* without argument: the device's, as clang has it */
        return;
    bool known = s->tok.ident && (!strcmp(s->tok.ident->name, "host") || !strcmp(s->tok.ident->name, "device"));
    if (!known)
        pp_warning(s->front, DIAG_GROUP_IGNORED_ATTRIBUTES, loc, "'endian' attribute takes 'host' or 'device'");
    parse_skip_until(s, TOKEN_RIGHT_PAREN);
    parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
}

/* Arguments that mean nothing here, but for how many they are. */
static void plain_arguments(struct sema *s, const struct attribute_row *row)
{
    bool any = s->tok.kind == TOKEN_LEFT_PAREN && parse_peek(s, 1)->kind != TOKEN_RIGHT_PAREN;
    if (any && row->arguments == NO_ARGUMENTS)
        pp_error(s->front, s->tok.loc, "'%s' attribute takes no arguments", row->name);
    else if (!any && row->arguments == ONE_STRING)
        pp_error(s->front, s->tok.loc, "'%s' attribute takes one argument", row->name);
    else if (any && row->arguments == ONE_STRING && parse_peek(s, 1)->kind != TOKEN_STRING)
        pp_error(s->front, parse_peek(s, 1)->loc, "'%s' attribute requires a string", row->name);
    skip_arguments(s);
}

/* cl_qcom_reqd_sub_group_size: "half" or "full" of what an Adreno has, which kernels that say so were written for. */
static void attribute_qcom_size(struct sema *s, const struct ident *name, struct attributes *attrs, src_loc loc)
{
    enum { FULL = 128 };
    const struct token *word = s->tok.kind == TOKEN_LEFT_PAREN ? parse_peek(s, 1) : NULL;
    bool is_text = word && word->kind == TOKEN_STRING;
    bool half = is_text && !strcmp(word->text, "half"), full = is_text && !strcmp(word->text, "full");
    if (half || full)
        attrs->reqd_subgroup = half ? FULL / 2 : FULL;
    else
        pp_error(s->front, word ? word->loc : loc, "'%s' attribute takes \"half\" or \"full\"", name->name);
    skip_arguments(s);
}

/* deprecated("text"), unavailable("text") */
static void attribute_availability(struct sema *s, const struct attribute_row *row, struct attributes *attrs,
                                   src_loc loc)
{
    struct availability *availability = arena_new(s->arena, struct availability);
    *availability = (struct availability){.unavailable = row->kind == ATTR_UNAVAILABLE, .loc = loc};
    if (s->tok.kind == TOKEN_LEFT_PAREN) {
        const struct token *first = parse_peek(s, 1);
        if (first->kind == TOKEN_STRING)
            availability->text = first->text;
        else if (first->kind != TOKEN_RIGHT_PAREN)
            pp_error(s->front, first->loc, "'%s' attribute requires a string", row->name);
    }
    attrs->availability = availability;
    skip_arguments(s);
}

static void parse_one(struct sema *s, struct attributes *attrs)
{
    const struct ident *name = s->tok.ident;
    const struct attribute_row *row = find_attribute(name);
    src_loc loc = s->tok.loc;
    parse_next(s);
    if (!attrs->loc)
        attrs->loc = loc;
    if (row && row->rule != RULE_ANY) {
        struct attribute_use *use = arena_new(s->arena, struct attribute_use);
        *use = (struct attribute_use){.next = attrs->uses, .row = row, .loc = loc};
        attrs->uses = use;
    }
    switch (row ? (enum attribute)row->kind : ATTR_UNKNOWN) {
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
    case ATTR_UNAVAILABLE:
        attribute_availability(s, row, attrs, loc);
        return;
    case ATTR_WARN_UNUSED_RESULT:
        attrs->warn_unused = true;
        break;
    case ATTR_NOSVM:
        if (s->front->options.std < CLC_STD_20)
            pp_error(s->front, loc, "attribute 'nosvm' is supported in the OpenCL version 2.0 onwards");
        attrs->nosvm = true;
        break;
    case ATTR_ENDIAN:
        attribute_endian(s, loc);
        return;
    case ATTR_MODE:
        parse_mode_argument(s, attrs, loc);
        skip_arguments(s);
        return;
    case ATTR_EXT_VECTOR_TYPE:
        if (integers(s, name, 1, &attrs->vector_lanes) && !attrs->vector_lanes)
            pp_error(s->front, loc, "zero vector size");
        return;
    case ATTR_COOP_MAT:
    case ATTR_COOP_MAT_BFLOAT16:
    case ATTR_COOP_MAT_E4M3:
    case ATTR_COOP_MAT_E5M2:
        if (integers(s, name, 4, attrs->matrix))
            attrs->matrix_loc = loc;
        attrs->matrix_encoding = (enum matrix_encoding)(row->kind - ATTR_COOP_MAT);
        return;
    case ATTR_VECTOR_SIZE:
        if (integers(s, name, 1, &attrs->vector_bytes) && !attrs->vector_bytes)
            pp_error(s->front, loc, "zero vector size");
        return;
    case ATTR_REQD_SUB_GROUP_SIZE:
        if (integers(s, name, 1, &attrs->reqd_subgroup) && !attrs->reqd_subgroup)
            pp_error(s->front, loc, "'%s' attribute must be greater than 0", name->name);
        return;
    case ATTR_QCOM_SUB_GROUP_SIZE:
        attribute_qcom_size(s, name, attrs, loc);
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
        pp_warning(s->front, DIAG_GROUP_UNKNOWN_ATTRIBUTES, loc, "unknown attribute '%s' ignored", name->name);
        skip_arguments(s);
        return;
    }
    plain_arguments(s, row);
}

/* attribute = "__attribute__" "((" (name arguments?)? ("," ...)* "))" */
void parse_attributes(struct sema *s, struct attributes *attrs)
{
    for (;;) {
        if (s->tok.kind == TOKEN_ASM && attrs->asm_label == NULL) {
            parse_next(s);
            skip_arguments(s);
            continue;
        }
        if (s->tok.kind != TOKEN_ATTRIBUTE)
            return;
        parse_next(s);
        if (!parse_expect(s, TOKEN_LEFT_PAREN, "after 'attribute'") || !parse_expect(s, TOKEN_LEFT_PAREN, NULL)) {
            parse_skip_until(s, TOKEN_RIGHT_PAREN);
            parse_accept(s, TOKEN_RIGHT_PAREN);
            continue;
        }
        while (s->tok.kind != TOKEN_RIGHT_PAREN && s->tok.kind != TOKEN_END) {
            if (parse_accept(s, TOKEN_COMMA))
                continue;
            if (!s->tok.ident) {
                pp_error(s->front, s->tok.loc, "expected attribute name");
                parse_skip_until(s, TOKEN_RIGHT_PAREN);
                break;
            }
            parse_one(s, attrs);
        }
        parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
        parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
    }
}
