/* Declarations: specifiers, declarators, structs, unions, enums, type names, and external declarations. C99, 6.7
 * and 6.9, with OpenCL's address space, access and function qualifiers.
 *
 * A declarator is read into a list of its parts, from the name outwards, and applied to the base type from the other
 * end. An address space belongs to the object at its level: the one that the specifiers name goes to the base type.
 * What is left unsaid gets its default when the level above is built: pointees become generic where the version has it
 * (OpenCL C 3.0, 6.7). */
#include "compiler/front/sema.h"

/* ---- specifiers ---- */

enum {
    SPEC_VOID = 1,
    SPEC_CHAR = 2,
    SPEC_SHORT = 4,
    SPEC_INT = 8,
    SPEC_LONG = 16,
    SPEC_LONG_LONG = 32,
    SPEC_SIGNED = 64,
    SPEC_UNSIGNED = 128,
    SPEC_FLOAT = 256,
    SPEC_DOUBLE = 512,
    SPEC_HALF = 1024,
    SPEC_BOOL = 2048,
    SPEC_OTHER = 4096 /* typedef name, struct, enum, typeof */
};

struct spec_state {
    struct decl_specs *specs;
    uint32_t bits;
    uint8_t quals, access;
    int address_space; /* -1: none */
    src_loc access_loc;
    bool is_pipe, bad, is_atomic, may_deduce;
};

bool sema_is_type_start(struct sema *s, const struct token *tok)
{
    switch (tok->kind) {
    case TOKEN_VOID:
    case TOKEN_CHAR:
    case TOKEN_SHORT:
    case TOKEN_INT:
    case TOKEN_LONG:
    case TOKEN_FLOAT:
    case TOKEN_DOUBLE:
    case TOKEN_HALF:
    case TOKEN_BOOL:
    case TOKEN_SIGNED:
    case TOKEN_UNSIGNED:
    case TOKEN_STRUCT:
    case TOKEN_UNION:
    case TOKEN_ENUM:
    case TOKEN_TYPEOF:
    case TOKEN_AUTO_TYPE:
    case TOKEN_TYPEDEF:
    case TOKEN_EXTERN:
    case TOKEN_STATIC:
    case TOKEN_AUTO:
    case TOKEN_REGISTER:
    case TOKEN_THREAD_LOCAL:
    case TOKEN_INLINE:
    case TOKEN_NORETURN:
    case TOKEN_CONST:
    case TOKEN_VOLATILE:
    case TOKEN_RESTRICT:
    case TOKEN_ALIGNAS:
    case TOKEN_KERNEL:
    case TOKEN_GLOBAL:
    case TOKEN_LOCAL:
    case TOKEN_CONSTANT:
    case TOKEN_PRIVATE:
    case TOKEN_GENERIC:
    case TOKEN_READ_ONLY:
    case TOKEN_WRITE_ONLY:
    case TOKEN_READ_WRITE:
    case TOKEN_PIPE:
    case TOKEN_COMPLEX:
    case TOKEN_IMAGINARY:
        return true;
    case TOKEN_IDENTIFIER: {
        const struct decl *decl = sema_lookup(s, tok->ident);
        return decl && decl->kind == DECL_TYPEDEF;
    }
    default:
        return false;
    }
}

static bool add_basic(struct sema *s, struct spec_state *state, uint32_t bit)
{
    uint32_t bits = state->bits;
    if (bit == SPEC_LONG && (bits & SPEC_LONG))
        bit = SPEC_LONG_LONG;
    if ((bits & bit) || (bits & SPEC_OTHER)) {
        clc_error(s->front, s->tok.loc, "cannot combine '%s' with previous declaration specifier",
                  sema_token_text(s, &s->tok));
        state->bad = true;
    }
    state->bits |= bit;
    sema_next(s);
    return true;
}

static void set_other(struct sema *s, struct spec_state *state, struct spec_type type, src_loc loc)
{
    if (state->bits) {
        clc_error(s->front, loc, "cannot combine with previous declaration specifier");
        state->bad = true;
    }
    state->bits |= SPEC_OTHER;
    state->specs->base = type;
}

static bool set_storage(struct sema *s, struct spec_state *state)
{
    struct decl_specs *specs = state->specs;
    bool again = (s->tok.kind == TOKEN_TYPEDEF && specs->is_typedef) ||
                 (s->tok.kind == TOKEN_STATIC && specs->storage == STORAGE_STATIC) ||
                 (s->tok.kind == TOKEN_EXTERN && specs->storage == STORAGE_EXTERN);
    if (again) {
        clc_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc, "duplicate '%s' declaration specifier",
                    sema_token_text(s, &s->tok));
    } else if (specs->storage_loc) {
        clc_error(s->front, s->tok.loc, "cannot combine with previous storage class specifier");
    } else if (s->tok.kind == TOKEN_TYPEDEF) {
        specs->is_typedef = true;
    } else if (s->tok.kind == TOKEN_STATIC || s->tok.kind == TOKEN_EXTERN) {
        specs->storage = s->tok.kind == TOKEN_STATIC ? STORAGE_STATIC : STORAGE_EXTERN;
        /* OpenCL C 1.1, 6.8.g: from 1.2 on only */
        if (s->front->options.std < CLC_STD_12)
            clc_error(s->front, s->tok.loc, "OpenCL C version %d.%d does not support the '%s' storage class specifier",
                      s->front->options.std / 100, s->front->options.std / 10 % 10, sema_token_text(s, &s->tok));
    } else if (s->tok.kind == TOKEN_THREAD_LOCAL) {
        clc_error(s->front, s->tok.loc, "thread-local storage is not supported in OpenCL");
    } else { /* 6.11.j */
        clc_error(s->front, s->tok.loc, "OpenCL C version %d.%d does not support the '%s' storage class specifier",
                  s->front->options.std / 100, s->front->options.std / 10 % 10, sema_token_text(s, &s->tok));
    }
    specs->storage_loc = s->tok.loc;
    sema_next(s);
    return true;
}

static bool set_space(struct sema *s, struct spec_state *state, int space)
{
    if (space == AS_GENERIC && !s->generic_as)
        clc_error(s->front, s->tok.loc, "OpenCL C version %d.%d does not support the '%s' type qualifier",
                  s->front->options.std / 100, s->front->options.std / 10 % 10, sema_token_text(s, &s->tok));
    if (state->address_space >= 0 && state->address_space != space)
        clc_error(s->front, s->tok.loc, "multiple address spaces specified for type");
    else if (state->address_space >= 0)
        clc_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc,
                    "multiple identical address spaces specified for type");
    state->address_space = space;
    sema_next(s);
    return true;
}

static bool set_access(struct sema *s, struct spec_state *state, uint8_t access)
{
    if (state->access && state->access != access)
        clc_error(s->front, s->tok.loc, "multiple access qualifiers");
    else if (state->access)
        clc_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc, "duplicate '%s' declaration specifier",
                    sema_token_text(s, &s->tok));
    state->access = access;
    state->access_loc = s->tok.loc;
    sema_next(s);
    return true;
}

static bool set_typeof(struct sema *s, struct spec_state *state)
{
    src_loc loc = s->tok.loc;
    struct spec_type type = {.type = s->poison->type};
    sema_next(s);
    if (!sema_expect(s, TOKEN_LEFT_PAREN, "after 'typeof'"))
        return true;
    if (sema_is_type_start(s, &s->tok)) {
        type.type = parse_type_name(s);
    } else {
        s->unevaluated++;
        struct expr *expr = parse_expression(s);
        s->unevaluated--;
        type.type = expr->type;
        type.type.address_space = AS_PRIVATE; /* a variable declared with it lives where it stands */
    }
    sema_expect(s, TOKEN_RIGHT_PAREN, NULL);
    set_other(s, state, type, loc);
    return true;
}

/* GNU's __auto_type: the initialiser says the type. sema_deduce_variable() reads the rest. */
static bool set_auto_type(struct sema *s, struct spec_state *state)
{
    src_loc loc = s->tok.loc;
    sema_next(s);
    if (state->may_deduce && !state->specs->is_typedef) {
        state->specs->deduced = true;
        state->specs->deduced_loc = loc;
    } else {
        clc_error(s->front, loc, "'__auto_type' not allowed %s", state->specs->is_typedef ? "in typedef" : "here");
    }
    set_other(s, state, (struct spec_type){.type = s->poison->type}, loc);
    return true;
}

static bool set_alignas(struct sema *s, struct spec_state *state)
{
    struct expr *value;
    sema_next(s);
    if (!sema_expect(s, TOKEN_LEFT_PAREN, NULL))
        return true;
    if (sema_is_type_start(s, &s->tok)) {
        struct qual_type type = parse_type_name(s);
        state->specs->attrs.align = type.type->align;
    } else if (parse_constant(s, "requested alignment", &value)) {
        if (is_power_of_two(value->integer) && value->integer <= 1u << 20)
            state->specs->attrs.align = (uint32_t)value->integer;
        else if (value->integer)
            clc_error(s->front, value->loc, "requested alignment is not a power of 2");
    }
    sema_expect(s, TOKEN_RIGHT_PAREN, NULL);
    return true;
}

static bool set_qualifier(struct sema *s, struct spec_state *state, uint8_t qualifier)
{
    if (state->quals & qualifier)
        clc_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc, "duplicate '%s' declaration specifier",
                    sema_token_text(s, &s->tok));
    state->quals |= qualifier;
    sema_next(s);
    return true;
}

static bool set_tag(struct sema *s, struct spec_state *state)
{
    src_loc loc = s->tok.loc;
    bool is_enum = s->tok.kind == TOKEN_ENUM;
    const struct type *type = is_enum ? parse_enum(s, state->specs) : parse_record(s, state->specs);
    set_other(s, state, (struct spec_type){.type = qt(type)}, loc);
    return true;
}

void sema_unknown_type(struct sema *s, struct ident *name, src_loc loc)
{
    struct suggestion near = sema_suggest(s, name, SUGGEST_TYPE);
    clc_error(s->front, loc, "unknown type name '%s'%s", name->name, sema_suggestion_text(s, &near));
    sema_suggestion_note(s, &near);
    struct decl *decl = sema_decl_new(s, DECL_TYPEDEF, name, s->poison->type, loc);
    decl->invalid = decl->used = true;
    decl->scope_depth = 0;
    name->decl = decl; /* for the whole file: nothing of the name is hidden by it */
}

/* Does a type follow the current name, and a name that type? */
static bool precedes_type(struct sema *s)
{
    const struct token *next = sema_peek(s, 1);
    if (next->kind != TOKEN_IDENTIFIER)
        return sema_is_type_start(s, next);
    enum token_kind after = sema_peek(s, 2)->kind;
    if (sema_is_type_start(s, next))
        return after == TOKEN_IDENTIFIER || after == TOKEN_STAR;
    return !sema_lookup(s, next->ident) && after != TOKEN_IDENTIFIER && sema_is_type_start(s, sema_peek(s, 2));
}

/* An identifier in specifiers: a typedef's name when no type was named yet. */
static bool set_typedef_name(struct sema *s, struct spec_state *state)
{
    struct ident *name = s->tok.ident;
    struct decl *decl = sema_lookup(s, name);
    if (state->bits)
        return false;
    if (decl && decl->kind == DECL_TYPEDEF) {
        struct spec_type type = {.type = decl->type, .explicit_as = decl->alias.explicit_address_space};
        if (type.type.type->kind != TYPE_VECTOR) {
            type.type.sugar = decl;
            type.type.sugar_depth = 0;
        }
        decl->used = true;
        if (decl->restricted_use)
            sema_warn_availability(s, decl, name, s->tok.loc);
        if (decl->alias.align > state->specs->attrs.align && decl->alias.align > type.type.type->align)
            state->specs->attrs.align = decl->alias.align;
        set_other(s, state, type, s->tok.loc);
        sema_next(s);
        return true;
    }
    enum token_kind next = sema_peek(s, 1)->kind;
    if (!decl && !name->tag && precedes_type(s)) {
        /* kernal void f(), INLINE float3 g(): a specifier, misspelled or a macro that is missing; once is enough */
        if (!u64_map_has(&s->unknown_specifiers, (uint64_t)(uintptr_t)name)) {
            struct suggestion near = sema_suggest(s, name, SUGGEST_TYPE);
            clc_error(s->front, s->tok.loc, "unknown type name '%s'%s", name->name, sema_suggestion_text(s, &near));
            u64_map_set(s->arena, &s->unknown_specifiers, (uint64_t)(uintptr_t)name, s);
        }
        state->bad |= s->in_parameters > 0; /* it may have said the address space */
        sema_next(s);
        return true;
    }
    bool type_like = next == TOKEN_IDENTIFIER || next == TOKEN_STAR || next == TOKEN_GLOBAL || next == TOKEN_CONST ||
                     next == TOKEN_LOCAL || next == TOKEN_CONSTANT;
    bool param_like = (next == TOKEN_COMMA || next == TOKEN_RIGHT_PAREN) && state->address_space >= 0;
    if (decl || !(type_like || param_like))
        return false;
    if (next == TOKEN_STAR && !state->quals && state->address_space < 0 && s->function)
        return false;
    struct decl *tag = name->tag;
    if (tag)
        clc_error(s->front, s->tok.loc, "must use '%s' tag to refer to type '%s'",
                  tag->tag.is_enum                    ? "enum"
                  : tag->tag.type->kind == TYPE_UNION ? "union"
                                                      : "struct",
                  name->name);
    else
        sema_unknown_type(s, name, s->tok.loc);
    set_other(s, state, (struct spec_type){.type = tag ? qt(tag->tag.type) : s->poison->type}, s->tok.loc);
    sema_next(s);
    return true;
}

static bool parse_specifier(struct sema *s, struct spec_state *state)
{
    struct decl_specs *specs = state->specs;
    switch (s->tok.kind) {
    case TOKEN_VOID:
        return add_basic(s, state, SPEC_VOID);
    case TOKEN_CHAR:
        return add_basic(s, state, SPEC_CHAR);
    case TOKEN_SHORT:
        return add_basic(s, state, SPEC_SHORT);
    case TOKEN_INT:
        return add_basic(s, state, SPEC_INT);
    case TOKEN_LONG:
        return add_basic(s, state, SPEC_LONG);
    case TOKEN_SIGNED:
        return add_basic(s, state, SPEC_SIGNED);
    case TOKEN_UNSIGNED:
        return add_basic(s, state, SPEC_UNSIGNED);
    case TOKEN_FLOAT:
        return add_basic(s, state, SPEC_FLOAT);
    case TOKEN_DOUBLE:
        return add_basic(s, state, SPEC_DOUBLE);
    case TOKEN_HALF:
        return add_basic(s, state, SPEC_HALF);
    case TOKEN_BOOL:
        return add_basic(s, state, SPEC_BOOL);
    case TOKEN_STRUCT:
    case TOKEN_UNION:
    case TOKEN_ENUM:
        return set_tag(s, state);
    case TOKEN_TYPEOF:
        return set_typeof(s, state);
    case TOKEN_AUTO_TYPE:
        return set_auto_type(s, state);
    case TOKEN_TYPEDEF:
    case TOKEN_EXTERN:
    case TOKEN_STATIC:
    case TOKEN_AUTO:
    case TOKEN_REGISTER:
    case TOKEN_THREAD_LOCAL:
        return set_storage(s, state);
    case TOKEN_INLINE:
        specs->is_inline = true;
        specs->inline_loc = s->tok.loc;
        break;
    case TOKEN_NORETURN:
        specs->attrs.flags |= FN_NORETURN;
        break;
    case TOKEN_KERNEL:
        specs->is_kernel = true;
        specs->kernel_loc = s->tok.loc;
        break;
    case TOKEN_CONST:
        return set_qualifier(s, state, QUAL_CONST);
    case TOKEN_VOLATILE:
        return set_qualifier(s, state, QUAL_VOLATILE);
    case TOKEN_RESTRICT:
        return set_qualifier(s, state, QUAL_RESTRICT);
    case TOKEN_ALIGNAS:
        return set_alignas(s, state);
    case TOKEN_GLOBAL:
        return set_space(s, state, AS_GLOBAL);
    case TOKEN_LOCAL:
        return set_space(s, state, AS_LOCAL);
    case TOKEN_CONSTANT:
        return set_space(s, state, AS_CONSTANT);
    case TOKEN_PRIVATE:
        return set_space(s, state, AS_PRIVATE);
    case TOKEN_GENERIC:
        return set_space(s, state, AS_GENERIC);
    case TOKEN_READ_ONLY:
        return set_access(s, state, QUAL_READ_ONLY);
    case TOKEN_WRITE_ONLY:
        return set_access(s, state, QUAL_WRITE_ONLY);
    case TOKEN_READ_WRITE:
        return set_access(s, state, QUAL_READ_WRITE);
    case TOKEN_PIPE:
        state->is_pipe = true;
        break;
    case TOKEN_COMPLEX:
    case TOKEN_IMAGINARY:
        clc_error(s->front, s->tok.loc, "complex types are not supported in OpenCL");
        state->bad = true;
        break;
    case TOKEN_EXTENSION:
        break;
    case TOKEN_ATTRIBUTE:
        parse_attributes(s, &specs->attrs);
        return true;
    case TOKEN_IDENTIFIER:
        return set_typedef_name(s, state);
    default:
        return false;
    }
    sema_next(s);
    return true;
}

static const struct type *basic_type(struct sema *s, struct spec_state *state)
{
    static const struct {
        uint32_t bits;
        enum type_kind kind;
    } combinations[] = {
        {SPEC_VOID, TYPE_VOID}, {SPEC_CHAR, TYPE_CHAR},     {SPEC_SHORT, TYPE_SHORT},
        {SPEC_INT, TYPE_INT},   {SPEC_LONG, TYPE_LONG},     {SPEC_FLOAT, TYPE_FLOAT},
        {SPEC_HALF, TYPE_HALF}, {SPEC_DOUBLE, TYPE_DOUBLE}, {SPEC_BOOL, TYPE_BOOL},
    };
    bool is_unsigned = state->bits & SPEC_UNSIGNED;
    uint32_t bits = state->bits & ~(uint32_t)(SPEC_SIGNED | SPEC_UNSIGNED | SPEC_LONG_LONG);
    bool has_sign = state->bits & (SPEC_SIGNED | SPEC_UNSIGNED);
    if ((bits & SPEC_INT) && (bits & (SPEC_SHORT | SPEC_LONG)))
        bits &= ~(uint32_t)SPEC_INT;
    if (bits == (SPEC_LONG | SPEC_DOUBLE)) /* reserved by OpenCL C; clang's is a double */
        bits = SPEC_DOUBLE;
    if (!bits && has_sign)
        bits = SPEC_INT;
    for (size_t i = 0; i < ARRAY_LENGTH(combinations); i++) {
        if (combinations[i].bits != bits)
            continue;
        enum type_kind kind = combinations[i].kind;
        bool integer = kind == TYPE_CHAR || kind == TYPE_SHORT || kind == TYPE_INT || kind == TYPE_LONG;
        if (has_sign && (!integer || (state->bits & SPEC_SIGNED && is_unsigned)))
            break;
        return type_scalar(s, (enum type_kind)(kind + (is_unsigned ? 1 : 0)));
    }
    if (!state->bad)
        clc_error(s->front, state->specs->loc, "invalid combination of type specifiers");
    return s->poison->type.type;
}

static void apply_vector_attributes(struct sema *s, struct qual_type *type, struct attributes *attrs, src_loc loc)
{
    uint32_t lanes = attrs->vector_lanes;
    if (attrs->vector_bytes && type->type->size)
        lanes = attrs->vector_bytes / (uint32_t)type->type->size;
    if (!lanes)
        return;
    attrs->vector_lanes = attrs->vector_bytes = 0;
    if (is_poison(type->type))
        return;
    const struct type *element = type_strip_enum(type->type);
    const struct type *vector = type_is_arith(element) && element->kind != TYPE_BOOL
                                    ? clc_type_vector(s->front, element, lanes)
                                    : s->poison->type.type;
    if (is_poison(vector))
        clc_error(s->front, loc, "invalid vector element type or size: %u elements of %s", lanes, type_quote(s, *type));
    type->type = vector;
    type->sugar = NULL;
}

/* OpenCL C 3.0, 6.8 (access qualifiers), 6.15.13 (pipes). */
static void apply_access(struct sema *s, struct spec_state *state)
{
    struct qual_type *type = &state->specs->base.type;
    if (is_poison(type->type))
        return;
    if (state->is_pipe) {
        if (state->access == QUAL_READ_WRITE)
            clc_error(s->front, state->access_loc, "access qualifier 'read_write' can not be used for a pipe");
        *type = qt(type_pipe(s, *type, state->access));
        return;
    }
    if (!state->access)
        return;
    bool pipe = type->type->kind == TYPE_PIPE;
    if (pipe || (type->type->kind == TYPE_IMAGE && type->sugar && type->sugar->loc)) { /* a typedef has one already */
        if ((pipe ? type->type->pipe.access : type->type->image.access) != state->access) {
            clc_error(s->front, state->access_loc, "multiple access qualifiers");
            clc_note(s->front, type->sugar ? type->sugar->loc : state->access_loc, "previously declared here");
        } else {
            clc_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, state->access_loc,
                        "duplicate access qualifier: %s has it already", type_quote(s, *type));
        }
        return;
    }
    if (type->type->kind != TYPE_IMAGE) {
        clc_error(s->front, state->access_loc, "access qualifier can only be used for pipe and image type");
        return;
    }
    if (state->access == QUAL_READ_WRITE && !clc_feature_enabled(s->front, "__opencl_c_read_write_images"))
        clc_error(s->front, state->access_loc,
                  "access qualifier '__read_write' can not be used for %s: it requires __opencl_c_read_write_images",
                  type_quote(s, *type));
    type->type = type_image(s, type->type->image.dim, state->access);
}

bool parse_decl_specs(struct sema *s, struct decl_specs *specs, bool type_only)
{
    struct spec_state state = {.specs = specs, .address_space = -1, .may_deduce = s->may_deduce};
    s->may_deduce = false;
    *specs = (struct decl_specs){.loc = s->tok.loc, .type_only = type_only};
    while (parse_specifier(s, &state))
        ;
    specs->has_type = state.bits != 0;
    if (!state.bits) {
        if (!state.bad && !type_only &&
            (state.quals || state.address_space >= 0 || specs->storage_loc || specs->is_kernel || specs->is_inline)) {
            /* C89's implicit int; clang warns */
            clc_warning(s->front, DIAG_GROUP_IMPLICIT_INT, s->tok.loc, "type specifier missing, defaults to 'int'");
        } else if (!state.bad) {
            clc_error(s->front, s->tok.loc, type_only ? "expected a type" : "type specifier missing");
            state.bad = true;
        }
        specs->base.type = qt(state.bad ? s->poison->type.type : type_scalar(s, TYPE_INT));
    } else if (!(state.bits & SPEC_OTHER)) {
        specs->base.type = qt(basic_type(s, &state));
    }
    if (state.bad)
        specs->base.type = s->poison->type;
    apply_vector_attributes(s, &specs->base.type, &specs->attrs, specs->loc);
    const struct type *element = type_element(specs->base.type.type);
    if (element->kind == TYPE_DOUBLE && !s->fp64) {
        clc_error(s->front, specs->loc, "use of type 'double' requires cl_khr_fp64 and __opencl_c_fp64 support");
        specs->base.type = s->poison->type;
    }
    apply_access(s, &state);
    if (state.quals & QUAL_RESTRICT && !type_is_pointer(specs->base.type.type) && !is_poison(specs->base.type.type)) {
        clc_error(s->front, specs->loc, "restrict requires a pointer or reference (%s is invalid)",
                  type_quote(s, specs->base.type));
        state.quals &= (uint8_t)~QUAL_RESTRICT;
    }
    specs->base.type.quals |= state.quals;
    if (state.address_space >= 0) {
        if (specs->base.explicit_as && specs->base.type.address_space != state.address_space)
            clc_error(s->front, specs->loc, "multiple address spaces specified for type");
        else if (specs->base.explicit_as)
            clc_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, specs->loc,
                        "multiple identical address spaces specified for type");
        specs->base.type.address_space = (uint8_t)state.address_space;
        specs->base.explicit_as = true;
    }
    return !is_poison(specs->base.type.type);
}

/* ---- structs, unions, enums ---- */

static void check_field_type(struct sema *s, struct qual_type *type, const struct decl_specs *specs,
                             const struct declarator *d, bool last, bool is_union)
{
    const struct type *element = type->type;
    while (element->kind == TYPE_ARRAY && !element->incomplete)
        element = element->array.element.type;
    if (d->type.explicit_as && type->address_space != AS_PRIVATE) {
        clc_error(s->front, d->loc, "field may not be qualified with an address space");
    } else if (type->type->kind == TYPE_FUNCTION) {
        clc_error(s->front, d->loc, "field '%s' declared as a function", d->name ? d->name->name : "");
        *type = s->poison->type;
    } else if (type_is_opaque(element) || element->kind == TYPE_BLOCK) {
        /* OpenCL C 3.0, 6.11.b, 6.14.1 */
        clc_error(s->front, d->loc, "the %s type cannot be used to declare a structure or union field",
                  type_quote(s, qt(element)));
        *type = s->poison->type;
    } else if (type->type->incomplete && !(type->type->kind == TYPE_ARRAY && last && !is_union)) {
        clc_error(s->front, d->loc, "field has incomplete type %s", type_quote(s, *type));
        *type = s->poison->type;
    }
    type->address_space = AS_PRIVATE;
    (void)specs;
}

struct field_list {
    VEC(struct field) fields;
    VEC(struct availability *) restricted; /* of the fields that are restricted_use, in order */
    struct u64_map names;
    bool flexible;
};

static void name_field(struct sema *s, struct field_list *list, const struct ident *name)
{
    u64_map_set(s->arena, &list->names, (uint64_t)(uintptr_t)name, (void *)(uintptr_t)(list->fields.length + 1));
}

/* C11, 6.7.2.1: an anonymous member's members are members of what it stands in. */
static void name_fields_of(struct sema *s, struct field_list *list, const struct type *record)
{
    for (uint32_t i = 0; i < record->record.num_fields; i++) {
        const struct field *field = &record->record.fields[i];
        if (!field->name && type_is_record(field->type.type))
            name_fields_of(s, list, field->type.type);
        else if (field->name && u64_map_has(&list->names, (uint64_t)(uintptr_t)field->name))
            clc_error(s->front, field->loc, "member of anonymous %s redeclares '%s'",
                      record->kind == TYPE_UNION ? "union" : "struct", field->name->name);
        else if (field->name)
            name_field(s, list, field->name);
    }
}

static void add_field(struct sema *s, struct field_list *list, struct ident *name, struct qual_type type, src_loc loc,
                      uint32_t align)
{
    if (name && u64_map_has(&list->names, (uint64_t)(uintptr_t)name)) {
        clc_error(s->front, loc, "duplicate member '%s'", name->name);
        return;
    }
    if (name)
        name_field(s, list, name);
    else if (type_is_record(type.type))
        name_fields_of(s, list, type.type);
    /* offset carries the aligned attribute until the layout is made */
    vec_push(s->arena, &list->fields, (struct field){.name = name, .type = type, .offset = align, .loc = loc});
}

/* The last field's. */
static void check_field_attributes(struct sema *s, struct field_list *list, const struct decl_specs *specs,
                                   const struct declarator *d)
{
    struct availability *availability = d->attrs.availability ? d->attrs.availability : specs->attrs.availability;
    sema_check_attributes(s, &specs->attrs, SUBJECT_FIELD, d->type.type);
    sema_check_attributes(s, &d->attrs, SUBJECT_FIELD, d->type.type);
    if (!availability || !list->fields.length)
        return;
    list->fields.data[list->fields.length - 1].restricted_use = true;
    vec_push(s->arena, &list->restricted, availability);
}

static void parse_bit_field(struct sema *s, src_loc loc)
{
    struct expr *width;
    sema_next(s);
    parse_constant(s, "bit-field width", &width);
    /* OpenCL C 3.0, 6.11.c */
    clc_error(s->front, loc, "bit-fields are not supported in OpenCL");
}

/* struct-declaration = specifiers (declarator ("," declarator)*)? ";" */
static void parse_fields(struct sema *s, struct field_list *list, bool is_union)
{
    struct decl_specs specs;
    if (s->tok.kind == TOKEN_STATIC_ASSERT) {
        parse_static_assert(s);
        return;
    }
    if (sema_accept(s, TOKEN_SEMICOLON))
        return;
    src_loc start = s->tok.loc;
    bool good = parse_decl_specs(s, &specs, true);
    if (specs.storage_loc)
        clc_error(s->front, specs.storage_loc, "type name does not allow storage class to be specified");
    if (s->tok.kind == TOKEN_SEMICOLON) {
        if (good && type_is_record(specs.base.type.type) && specs.defines_tag && (!specs.tag || !specs.tag->name))
            add_field(s, list, NULL, qual_type_unqualified(specs.base.type), specs.loc, specs.attrs.align);
        else if (good)
            clc_warning(s->front, DIAG_GROUP_MISSING_DECLARATIONS, specs.loc, "declaration does not declare anything");
        sema_next(s);
        return;
    }
    do {
        struct declarator d = {.loc = s->tok.loc, .type = specs.base};
        if (s->tok.kind != TOKEN_COLON)
            parse_declarator(s, &specs, &d, true, true);
        if (s->tok.kind == TOKEN_COLON)
            parse_bit_field(s, d.loc);
        parse_attributes(s, &d.attrs);
        apply_vector_attributes(s, &d.type.type, &d.attrs, d.loc);
        struct qual_type type = d.type.type;
        bool last = s->tok.kind == TOKEN_SEMICOLON && sema_peek(s, 1)->kind == TOKEN_RIGHT_BRACE;
        check_field_type(s, &type, &specs, &d, last, is_union);
        if (type.type->kind == TYPE_ARRAY && type.type->incomplete) {
            list->flexible = true;
            type.type = clc_type_array(s->front, type.type->array.element, 0);
        }
        uint32_t align = d.attrs.align > specs.attrs.align ? d.attrs.align : specs.attrs.align;
        if (align <= 1) /* 1 stands for the packed attribute on a member */
            align = d.attrs.packed || specs.attrs.packed;
        if (d.name || is_poison(type.type))
            add_field(s, list, d.name, type, d.loc, align);
        check_field_attributes(s, list, &specs, &d);
    } while (sema_accept(s, TOKEN_COMMA));
    if (s->tok.kind == TOKEN_RIGHT_BRACE) {
        clc_warning(s->front, DIAG_GROUP_NONE, s->prev_end, "expected ';' at end of declaration list");
        return;
    }
    if (!sema_expect(s, TOKEN_SEMICOLON, "at end of declaration list")) {
        sema_skip_to_semicolon(s);
        if (!sema_accept(s, TOKEN_SEMICOLON) && s->tok.loc == start)
            sema_next(s);
    }
}

static void flexible_misplaced(struct sema *s, const struct field *field, enum type_kind kind)
{
    clc_error(s->front, field->loc, "flexible array member '%s' %s", field->name ? field->name->name : "",
              kind == TYPE_UNION ? "in a union is not allowed" : "not allowed in otherwise empty struct");
}

static struct decl *tag_declare(struct sema *s, enum type_kind kind, struct ident *name, src_loc loc)
{
    struct decl *tag = sema_decl_new(s, DECL_TAG, name, qt(NULL), loc);
    tag->tag.type = type_new_record(s, kind, tag);
    tag->tag.is_enum = kind == TYPE_ENUM;
    tag->type = qt(tag->tag.type);
    sema_scope_add_tag(s, tag);
    return tag;
}

/* The tag that "struct name" means here; defining: a definition follows. */
static struct decl *tag_reference(struct sema *s, enum type_kind kind, struct ident *name, src_loc loc, bool defining)
{
    struct decl *tag = name ? name->tag : NULL;
    bool only = s->tok.kind == TOKEN_SEMICOLON; /* "struct name;" declares anew in this scope */
    if (tag && (defining || only) && tag->scope_depth != s->scope_depth)
        tag = NULL;
    if (tag && tag->tag.type->kind != kind) {
        clc_error(s->front, loc, "use of '%s' with tag type that does not match previous declaration", name->name);
        if (tag->loc)
            clc_note(s->front, tag->loc, "previous use is here");
        if (!defining)
            return NULL;
        tag = NULL;
    }
    if (tag && defining && tag->tag.defined) {
        clc_error(s->front, loc, "redefinition of '%s'", name->name);
        clc_note(s->front, tag->loc, "previous definition is here");
        struct decl *other = tag_declare(s, kind, NULL, loc);
        other->invalid = true;
        return other;
    }
    if (!tag && name && s->in_parameters && !defining)
        clc_warning(s->front, DIAG_GROUP_VISIBILITY, loc,
                    "declaration of '%s %s' will not be visible outside of this function",
                    kind == TYPE_ENUM    ? "enum"
                    : kind == TYPE_UNION ? "union"
                                         : "struct",
                    name->name);
    return tag ? tag : tag_declare(s, kind, name, loc);
}

/* After the "}" of a struct or enum: is it plain that a new declaration starts here? A qualifier or storage class may
 * also stand behind the type, but hardly with another type after it. */
static bool starts_anew(struct sema *s)
{
    const struct token *next = sema_peek(s, 1);
    switch (s->tok.kind) {
    case TOKEN_END:
    case TOKEN_RIGHT_BRACE:
    case TOKEN_KERNEL:
    case TOKEN_TYPEDEF:
    case TOKEN_INLINE:
    case TOKEN_STATIC_ASSERT:
        return true;
    case TOKEN_CONST:
    case TOKEN_VOLATILE:
    case TOKEN_RESTRICT:
    case TOKEN_GLOBAL:
    case TOKEN_LOCAL:
    case TOKEN_CONSTANT:
    case TOKEN_PRIVATE:
    case TOKEN_GENERIC:
    case TOKEN_STATIC:
    case TOKEN_EXTERN:
        return next->kind != TOKEN_IDENTIFIER
                   ? sema_is_type_start(s, next)
                   : sema_is_type_start(s, next) && sema_peek(s, 2)->kind == TOKEN_IDENTIFIER;
    case TOKEN_IDENTIFIER: /* a typedef's name: float4 x */
        return sema_is_type_start(s, &s->tok) && next->kind == TOKEN_IDENTIFIER;
    default:
        return sema_is_type_start(s, &s->tok);
    }
}

static void require_semicolon(struct sema *s, const struct decl_specs *specs, const char *what)
{
    if (specs->type_only || s->in_parameters || specs->is_typedef || !starts_anew(s))
        return;
    clc_error(s->front, s->prev_end, "expected ';' after %s", what);
    sema_insert_semicolon(s);
}

/* ("struct" | "union") attributes name? ("{" fields "}" attributes)? */
const struct type *parse_record(struct sema *s, struct decl_specs *specs)
{
    enum type_kind kind = s->tok.kind == TOKEN_UNION ? TYPE_UNION : TYPE_STRUCT;
    struct attributes attrs = {0};
    struct field_list list = {0};
    struct ident *name = NULL;
    sema_next(s);
    parse_attributes(s, &attrs);
    src_loc loc = s->tok.loc;
    if (s->tok.kind == TOKEN_IDENTIFIER) {
        name = s->tok.ident;
        sema_next(s);
    }
    bool defining = s->tok.kind == TOKEN_LEFT_BRACE;
    if (!name && !defining) {
        clc_error(s->front, s->tok.loc, "declaration of anonymous %s must be a definition",
                  kind == TYPE_UNION ? "union" : "struct");
        return s->poison->type.type;
    }
    struct decl *tag = tag_reference(s, kind, name, loc, defining);
    if (!tag)
        return s->poison->type.type;
    specs->tag = tag;
    if (!defining)
        return tag->tag.type;
    struct type *type = (struct type *)tag->tag.type;
    uint32_t pack = s->pack_align; /* a pragma between the braces is for others */
    specs->defines_tag = true;
    tag->tag.defined = true;
    tag->loc = loc;
    sema_enter(s, loc);
    sema_next(s);
    while (s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END)
        parse_fields(s, &list, kind == TYPE_UNION);
    sema_leave(s);
    sema_expect(s, TOKEN_RIGHT_BRACE, NULL);
    parse_attributes(s, &attrs);
    type->record.fields = list.fields.data;
    struct u64_map *names = arena_new(s->arena, struct u64_map);
    *names = list.names;
    type->record.names = names;
    type->record.num_fields = list.fields.length;
    type->record.packed = attrs.packed;
    sema_check_attributes(s, &attrs, SUBJECT_RECORD, qt(type));
    for (uint32_t i = 0, n = 0; n < list.restricted.length; i++)
        if (list.fields.data[i].restricted_use)
            sema_restrict(s, &list.fields.data[i], list.restricted.data[n++]);
    type->record.has_flexible = list.flexible;
    if (list.flexible && (list.fields.length == 1 || kind == TYPE_UNION))
        flexible_misplaced(s, &list.fields.data[list.fields.length - 1], kind);
    type_layout_record(s, type, attrs.align ? attrs.align : 1, pack);
    require_semicolon(s, specs, kind == TYPE_UNION ? "union" : "struct");
    return type;
}

static void add_enumerator(struct sema *s, struct ident *name, src_loc loc, int64_t value, bool is_unsigned,
                           struct type *type, struct decl **last)
{
    struct decl *decl = sema_decl_new(s, DECL_ENUM_CONSTANT, name, qt(type), loc);
    if (value < INT32_MIN || value > INT32_MAX || (is_unsigned && value < 0)) {
        enum type_kind kind = is_unsigned ? TYPE_ULONG : TYPE_LONG;
        if (value >= 0 && value <= UINT32_MAX)
            kind = TYPE_UINT;
        decl->type = qt(type_scalar(s, kind));
    } else {
        decl->type = qt(type_scalar(s, TYPE_INT));
    }
    decl->enum_constant.value = value;
    decl->enum_constant.of = type;
    if (name->decl && name->decl->scope_depth == s->scope_depth && name->decl->loc) {
        clc_error(s->front, loc,
                  name->decl->kind == DECL_ENUM_CONSTANT ? "redefinition of enumerator '%s'"
                                                         : "redefinition of '%s' as different kind of symbol",
                  name->name);
        clc_note(s->front, name->decl->loc, "previous definition is here");
        return;
    }
    sema_scope_add(s, decl);
    if (*last)
        (*last)->next = decl;
    else
        type->enumeration.constants = decl;
    *last = decl;
}

/* "{" name ("=" constant)? ("," ...)* ","? "}" */
static void parse_enumerators(struct sema *s, struct type *type)
{
    int64_t value = -1;
    struct decl *last = NULL;
    bool negative = false, wide = false, is_unsigned = false, needs_unsigned = false;
    sema_next(s);
    if (s->tok.kind == TOKEN_RIGHT_BRACE)
        clc_error(s->front, s->tok.loc, "use of empty enum");
    while (s->tok.kind != TOKEN_RIGHT_BRACE && s->tok.kind != TOKEN_END) {
        struct ident *name = s->tok.ident;
        src_loc loc = s->tok.loc;
        struct expr *expr;
        if (s->tok.kind != TOKEN_IDENTIFIER) {
            clc_error(s->front, loc, "expected identifier");
            sema_skip_until(s, TOKEN_RIGHT_BRACE);
            break;
        }
        sema_next(s);
        struct attributes attrs = {0};
        parse_attributes(s, &attrs);
        value = (int64_t)((uint64_t)value + 1);
        src_loc value_loc = s->tok.kind == TOKEN_EQUAL ? 0 : loc;
        if (sema_accept(s, TOKEN_EQUAL) && parse_constant(s, "enumerator value", &expr)) {
            value = (int64_t)expr->integer;
            is_unsigned = !type_is_signed(expr->type.type);
        }
        if (value_loc && last && last->enum_constant.value == INT32_MAX)
            clc_warning(s->front, DIAG_GROUP_NONE, value_loc, "overflow in enumeration value");
        negative |= value < 0 && !is_unsigned;
        wide |= value < INT32_MIN || value > UINT32_MAX || (value < 0 && is_unsigned);
        needs_unsigned |= value > INT32_MAX;
        add_enumerator(s, name, loc, value, is_unsigned, type, &last);
        if (attrs.availability && last && last->name == name) {
            last->restricted_use = true;
            sema_restrict(s, last, attrs.availability);
        }
        if (!sema_accept(s, TOKEN_COMMA) && s->tok.kind != TOKEN_RIGHT_BRACE) {
            clc_error(s->front, s->tok.loc, "expected ',' or '}'");
            sema_skip_until(s, TOKEN_RIGHT_BRACE);
            break;
        }
    }
    sema_expect(s, TOKEN_RIGHT_BRACE, NULL);
    wide |= negative && needs_unsigned;
    enum type_kind kind = wide ? (negative ? TYPE_LONG : TYPE_ULONG) : negative ? TYPE_INT : TYPE_UINT;
    type->enumeration.underlying = type_scalar(s, kind);
    type->size = type->enumeration.underlying->size;
    type->align = type->enumeration.underlying->align;
    type->incomplete = false;
}

const struct type *parse_enum(struct sema *s, struct decl_specs *specs)
{
    struct attributes attrs = {0};
    struct ident *name = NULL;
    sema_next(s);
    parse_attributes(s, &attrs);
    src_loc loc = s->tok.loc;
    if (s->tok.kind == TOKEN_IDENTIFIER) {
        name = s->tok.ident;
        sema_next(s);
    }
    bool defining = s->tok.kind == TOKEN_LEFT_BRACE;
    if (!name && !defining) {
        clc_error(s->front, s->tok.loc, "expected identifier or '{'");
        return s->poison->type.type;
    }
    struct decl *tag = tag_reference(s, TYPE_ENUM, name, loc, defining);
    if (!tag)
        return s->poison->type.type;
    struct type *type = (struct type *)tag->tag.type;
    specs->tag = tag;
    if (!type->enumeration.underlying)
        type->enumeration.underlying = type_scalar(s, TYPE_UINT);
    if (defining) {
        specs->defines_tag = true;
        tag->tag.defined = true;
        parse_enumerators(s, type);
        parse_attributes(s, &attrs);
        require_semicolon(s, specs, "enum");
    } else if (!tag->tag.defined && type->incomplete) {
        type->size = type->align = 4;
    }
    return type;
}

/* ---- type names, static assertions ---- */

struct qual_type parse_type_name(struct sema *s)
{
    struct decl_specs specs;
    struct declarator d = {0};
    parse_decl_specs(s, &specs, true);
    parse_declarator(s, &specs, &d, false, false);
    apply_vector_attributes(s, &d.type.type, &d.attrs, d.loc);
    if (specs.storage_loc)
        clc_error(s->front, specs.storage_loc, "type name does not allow storage class to be specified");
    return d.type.type;
}

/* "_Static_assert" "(" constant ("," string)? ")" ";" */
void parse_static_assert(struct sema *s)
{
    struct expr *condition;
    src_loc loc = s->tok.loc;
    sema_next(s);
    if (!sema_expect(s, TOKEN_LEFT_PAREN, NULL)) {
        sema_skip_to_semicolon(s);
        sema_accept(s, TOKEN_SEMICOLON);
        return;
    }
    bool good = parse_constant(s, "static_assert expression", &condition);
    const char *text = NULL;
    if (sema_accept(s, TOKEN_COMMA) && s->tok.kind == TOKEN_STRING) {
        text = s->tok.text;
        sema_next(s);
    }
    sema_skip_until(s, TOKEN_RIGHT_PAREN);
    sema_expect(s, TOKEN_RIGHT_PAREN, NULL);
    sema_expect(s, TOKEN_SEMICOLON, "after '_Static_assert'");
    if (good && !condition->integer)
        clc_error_range(s->front, loc, condition->range, "static assertion failed%s%s", text ? ": " : "",
                        text ? text : "");
}
