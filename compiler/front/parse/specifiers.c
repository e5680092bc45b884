/* The specifiers of declarations, and type names. C99, 6.7, with OpenCL's qualifiers for address spaces, access and
 * functions.
 *
 * A declarator is read into a list of its parts, from the name outwards, and applied to the base type from the other
 * end. An address space belongs to the object at its level: the one that the specifiers name goes to the base type.
 * What is left unsaid gets its default when the level above is built: pointees become generic where the version has it
 * (OpenCL C 3.0, 6.7). */
#include "compiler/front/parse/parse.h"
#include "compiler/front/sema/names.h"

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

bool parse_is_type_start(struct sema *s, const struct token *tok)
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
    bool sign = bit == SPEC_UNSIGNED || bit == SPEC_SIGNED;
    if (sign && (bits & bit) && !(bits & SPEC_OTHER)) {
        pp_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc, "duplicate '%s' declaration specifier",
                   parse_token_text(s, &s->tok));
    } else if ((bits & bit) || (bits & SPEC_OTHER)) {
        pp_error(s->front, s->tok.loc, "cannot combine '%s' with previous declaration specifier",
                 parse_token_text(s, &s->tok));
        state->bad = true;
    }
    state->bits |= bit;
    parse_next(s);
    return true;
}

static void set_other(struct sema *s, struct spec_state *state, struct spec_type type, src_loc loc)
{
    if (state->bits) {
        pp_error(s->front, loc, "cannot combine with previous declaration specifier");
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
        pp_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc, "duplicate '%s' declaration specifier",
                   parse_token_text(s, &s->tok));
    } else if (specs->storage_loc) {
        pp_error(s->front, s->tok.loc, "cannot combine with previous storage class specifier");
    } else if (s->tok.kind == TOKEN_TYPEDEF) {
        specs->is_typedef = true;
    } else if (s->tok.kind == TOKEN_STATIC || s->tok.kind == TOKEN_EXTERN) {
        specs->storage = s->tok.kind == TOKEN_STATIC ? STORAGE_STATIC : STORAGE_EXTERN;
        /* OpenCL C 1.1, 6.8.g: from 1.2 on only */
        if (s->front->options.std < CLC_STD_12)
            pp_error(s->front, s->tok.loc, "OpenCL C version %d.%d does not support the '%s' storage class specifier",
                     s->front->options.std / 100, s->front->options.std / 10 % 10, parse_token_text(s, &s->tok));
    } else if (s->tok.kind == TOKEN_THREAD_LOCAL) {
        pp_error(s->front, s->tok.loc, "thread-local storage is not supported in OpenCL");
    } else { /* 6.11.j */
        pp_error(s->front, s->tok.loc, "OpenCL C version %d.%d does not support the '%s' storage class specifier",
                 s->front->options.std / 100, s->front->options.std / 10 % 10, parse_token_text(s, &s->tok));
    }
    specs->storage_loc = s->tok.loc;
    parse_next(s);
    return true;
}

static bool set_space(struct sema *s, struct spec_state *state, int space)
{
    if (space == AS_GENERIC && !s->generic_as)
        pp_error(s->front, s->tok.loc, "OpenCL C version %d.%d does not support the '%s' type qualifier",
                 s->front->options.std / 100, s->front->options.std / 10 % 10, parse_token_text(s, &s->tok));
    if (state->address_space >= 0 && state->address_space != space)
        pp_error(s->front, s->tok.loc, "multiple address spaces specified for type");
    else if (state->address_space >= 0)
        pp_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc,
                   "multiple identical address spaces specified for type");
    state->address_space = space;
    parse_next(s);
    return true;
}

static bool set_access(struct sema *s, struct spec_state *state, uint8_t access)
{
    if (state->access && state->access != access)
        pp_error(s->front, s->tok.loc, "multiple access qualifiers");
    else if (state->access)
        pp_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc, "duplicate '%s' declaration specifier",
                   parse_token_text(s, &s->tok));
    state->access = access;
    state->access_loc = s->tok.loc;
    parse_next(s);
    return true;
}

static bool set_typeof(struct sema *s, struct spec_state *state)
{
    src_loc loc = s->tok.loc;
    struct spec_type type = {.type = s->poison->type};
    parse_next(s);
    if (!parse_expect(s, TOKEN_LEFT_PAREN, "after 'typeof'"))
        return true;
    if (parse_is_type_start(s, &s->tok)) {
        type.type = parse_type_name(s);
    } else {
        s->unevaluated++;
        struct expr *expr = parse_expression(s);
        s->unevaluated--;
        type.type = expr->type;
        type.type.address_space = AS_PRIVATE; /* a variable declared with it lives where it stands */
    }
    parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
    set_other(s, state, type, loc);
    return true;
}

/* GNU's __auto_type: the initialiser says the type. deduce_variable() reads the rest. */
static bool set_auto_type(struct sema *s, struct spec_state *state)
{
    src_loc loc = s->tok.loc;
    parse_next(s);
    if (state->may_deduce && !state->specs->is_typedef) {
        state->specs->deduced = true;
        state->specs->deduced_loc = loc;
    } else {
        pp_error(s->front, loc, "'__auto_type' not allowed %s", state->specs->is_typedef ? "in typedef" : "here");
    }
    set_other(s, state, (struct spec_type){.type = s->poison->type}, loc);
    return true;
}

static bool set_alignas(struct sema *s, struct spec_state *state)
{
    struct expr *value;
    parse_next(s);
    if (!parse_expect(s, TOKEN_LEFT_PAREN, NULL))
        return true;
    if (parse_is_type_start(s, &s->tok)) {
        struct qual_type type = parse_type_name(s);
        state->specs->attrs.align = type.type->align;
    } else if (parse_constant(s, "requested alignment", &value)) {
        if (is_power_of_two(value->integer) && value->integer <= 1u << 20)
            state->specs->attrs.align = (uint32_t)value->integer;
        else if (value->integer)
            pp_error(s->front, value->loc, "requested alignment is not a power of 2");
    }
    parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
    return true;
}

static bool set_qualifier(struct sema *s, struct spec_state *state, uint8_t qualifier)
{
    if (state->quals & qualifier)
        pp_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, s->tok.loc, "duplicate '%s' declaration specifier",
                   parse_token_text(s, &s->tok));
    state->quals |= qualifier;
    parse_next(s);
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

void parse_unknown_type(struct sema *s, struct ident *name, src_loc loc)
{
    struct suggestion near = sema_suggest(s, name, SUGGEST_TYPE);
    pp_error(s->front, loc, "unknown type name '%s'%s", name->name, sema_suggestion_text(s, &near));
    sema_suggestion_note(s, &near);
    struct decl *decl = sema_decl_new(s, DECL_TYPEDEF, name, s->poison->type, loc);
    decl->invalid = decl->used = true;
    decl->scope_depth = 0;
    name->decl = decl; /* for the whole file: nothing of the name is hidden by it */
}

/* Does a type follow the current name, and a name that type? */
static bool precedes_type(struct sema *s)
{
    const struct token *next = parse_peek(s, 1);
    if (next->kind != TOKEN_IDENTIFIER)
        return parse_is_type_start(s, next);
    enum token_kind after = parse_peek(s, 2)->kind;
    if (parse_is_type_start(s, next))
        return after == TOKEN_IDENTIFIER || after == TOKEN_STAR;
    return !sema_lookup(s, next->ident) && after != TOKEN_IDENTIFIER && parse_is_type_start(s, parse_peek(s, 2));
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
        type.type.sugar = decl;
        type.type.sugar_depth = 0;
        decl->used = true;
        if (decl->restricted_use)
            sema_warn_availability(s, decl, name, s->tok.loc);
        state->specs->typedef_align = decl->alias.align;
        set_other(s, state, type, s->tok.loc);
        parse_next(s);
        return true;
    }
    enum token_kind next = parse_peek(s, 1)->kind;
    if (!decl && !name->tag && precedes_type(s)) {
        /* kernal void f(), INLINE float3 g(): a specifier, misspelled or a macro that is missing; once is enough */
        if (!u64_map_has(&s->unknown_specifiers, (uint64_t)(uintptr_t)name)) {
            struct suggestion near = sema_suggest(s, name, SUGGEST_TYPE);
            pp_error(s->front, s->tok.loc, "unknown type name '%s'%s", name->name, sema_suggestion_text(s, &near));
            u64_map_set(s->arena, &s->unknown_specifiers, (uint64_t)(uintptr_t)name, s);
        }
        state->bad |= s->in_parameters > 0; /* it may have said the address space */
        parse_next(s);
        return true;
    }
    bool type_like = next == TOKEN_IDENTIFIER || next == TOKEN_STAR || next == TOKEN_GLOBAL || next == TOKEN_CONST ||
                     next == TOKEN_LOCAL || next == TOKEN_CONSTANT;
    bool param_like = (next == TOKEN_COMMA || next == TOKEN_RIGHT_PAREN) && state->address_space > AS_PRIVATE;
    if (decl || !(type_like || param_like))
        return false;
    if (next == TOKEN_STAR && !state->quals && state->address_space < 0 && s->function)
        return false;
    struct decl *tag = name->tag;
    if (tag)
        pp_error(s->front, s->tok.loc, "must use '%s' tag to refer to type '%s'",
                 tag->tag.is_enum                    ? "enum"
                 : tag->tag.type->kind == TYPE_UNION ? "union"
                                                     : "struct",
                 name->name);
    else
        parse_unknown_type(s, name, s->tok.loc);
    set_other(s, state, (struct spec_type){.type = tag ? qt(tag->tag.type) : s->poison->type}, s->tok.loc);
    parse_next(s);
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
        pp_error(s->front, s->tok.loc, "complex types are not supported in OpenCL");
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
    parse_next(s);
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
        pp_error(s->front, state->specs->loc, "invalid combination of type specifiers");
    return s->poison->type.type;
}

void parse_apply_vector_attributes(struct sema *s, struct qual_type *type, struct attributes *attrs, src_loc loc)
{
    parse_apply_mode(s, type, attrs);
    sema_apply_matrix(s, type, attrs);
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
        pp_error(s->front, loc, "invalid vector element type or size: %u elements of %s", lanes, type_quote(s, *type));
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
            pp_error(s->front, state->access_loc, "access qualifier 'read_write' can not be used for a pipe");
        *type = qt(type_pipe(s, *type, state->access));
        return;
    }
    if (!state->access)
        return;
    bool pipe = type->type->kind == TYPE_PIPE;
    if (pipe || (type->type->kind == TYPE_IMAGE && type->sugar && type->sugar->loc)) { /* a typedef has one already */
        if ((pipe ? type->type->pipe.access : type->type->image.access) != state->access) {
            pp_error(s->front, state->access_loc, "multiple access qualifiers");
            pp_note(s->front, type->sugar ? type->sugar->loc : state->access_loc, "previously declared here");
        } else {
            pp_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, state->access_loc,
                       "duplicate access qualifier: %s has it already", type_quote(s, *type));
        }
        return;
    }
    if (type->type->kind != TYPE_IMAGE) {
        pp_error(s->front, state->access_loc, "access qualifier can only be used for pipe and image type");
        return;
    }
    if (state->access == QUAL_READ_WRITE && !clc_feature_enabled(s->front, "__opencl_c_read_write_images"))
        pp_error(s->front, state->access_loc,
                 "access qualifier '__read_write' can not be used for %s: it requires __opencl_c_read_write_images",
                 type_quote(s, *type));
    type->type = type_image(s, type->type->image.dim, state->access);
}

/* x; x = 1; x, y; x[2]: names, and not a type's that is unknown */
static bool ends_declarator(enum token_kind after)
{
    return after == TOKEN_SEMICOLON || after == TOKEN_EQUAL || after == TOKEN_COMMA || after == TOKEN_LEFT_BRACKET;
}

/* template <, vector<, std:: outside of functions: C++, or the name of something that no header has brought. */
static bool names_template(struct sema *s)
{
    bool inside = s->scope_depth && !s->in_parameters;
    if (inside || s->tok.kind != TOKEN_IDENTIFIER || sema_lookup(s, s->tok.ident))
        return false;
    enum token_kind next = parse_peek(s, 1)->kind;
    return next == TOKEN_LESS || next == TOKEN_COLON;
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
        bool named_only = s->tok.kind == TOKEN_IDENTIFIER && !s->scope_depth && ends_declarator(parse_peek(s, 1)->kind);
        if (!state.bad && (state.quals || state.address_space >= 0 || specs->storage_loc || specs->is_kernel ||
                           specs->is_inline || (named_only && !type_only))) {
            /* C89's implicit int; clang warns */
            pp_warning(s->front, DIAG_GROUP_IMPLICIT_INT, s->tok.loc, "type specifier missing, defaults to 'int'");
        } else if (!state.bad && names_template(s)) {
            parse_unknown_type(s, s->tok.ident, s->tok.loc);
            parse_next(s);
            state.bad = true;
        } else if (!state.bad) {
            pp_error(s->front, s->tok.loc, type_only ? "expected a type" : "type specifier missing");
            state.bad = true;
        }
        specs->base.type = qt(state.bad ? s->poison->type.type : type_scalar(s, TYPE_INT));
    } else if (!(state.bits & SPEC_OTHER)) {
        specs->base.type = qt(basic_type(s, &state));
    }
    if (state.bad)
        specs->base.type = s->poison->type;
    parse_apply_vector_attributes(s, &specs->base.type, &specs->attrs, specs->loc);
    const struct type *element = type_element(specs->base.type.type);
    if (element->kind == TYPE_DOUBLE && !s->fp64) {
        pp_error(s->front, specs->loc, "use of type 'double' requires cl_khr_fp64 and __opencl_c_fp64 support");
        specs->base.type = s->poison->type;
    }
    apply_access(s, &state);
    if (state.quals & QUAL_RESTRICT && !type_is_pointer(specs->base.type.type) && !is_poison(specs->base.type.type)) {
        pp_error(s->front, specs->loc, "restrict requires a pointer or reference (%s is invalid)",
                 type_quote(s, specs->base.type));
        state.quals &= (uint8_t)~QUAL_RESTRICT;
    }
    specs->base.type.quals |= state.quals;
    if (state.address_space >= 0) {
        if (specs->base.explicit_as && specs->base.type.address_space != state.address_space)
            pp_error(s->front, specs->loc, "multiple address spaces specified for type");
        else if (specs->base.explicit_as)
            pp_warning(s->front, DIAG_GROUP_DUPLICATE_DECL_SPECIFIER, specs->loc,
                       "multiple identical address spaces specified for type");
        specs->base.type.address_space = (uint8_t)state.address_space;
        specs->base.explicit_as = true;
    }
    return !is_poison(specs->base.type.type);
}

/* ---- type names, static assertions ---- */

struct qual_type parse_type_name(struct sema *s)
{
    struct decl_specs specs;
    struct declarator d = {0};
    parse_decl_specs(s, &specs, true);
    parse_declarator(s, &specs, &d, false, false);
    parse_apply_vector_attributes(s, &d.type.type, &d.attrs, d.loc);
    if (specs.storage_loc)
        pp_error(s->front, specs.storage_loc, "type name does not allow storage class to be specified");
    return d.type.type;
}

/* "_Static_assert" "(" constant ("," string)? ")" ";" */
void parse_static_assert(struct sema *s)
{
    struct expr *condition;
    src_loc loc = s->tok.loc;
    parse_next(s);
    if (!parse_expect(s, TOKEN_LEFT_PAREN, NULL)) {
        parse_skip_to_semicolon(s);
        parse_accept(s, TOKEN_SEMICOLON);
        return;
    }
    bool good = parse_constant(s, "static_assert expression", &condition);
    const char *text = NULL;
    if (parse_accept(s, TOKEN_COMMA) && s->tok.kind == TOKEN_STRING) {
        text = s->tok.text;
        parse_next(s);
    }
    parse_skip_until(s, TOKEN_RIGHT_PAREN);
    parse_expect(s, TOKEN_RIGHT_PAREN, NULL);
    parse_expect(s, TOKEN_SEMICOLON, "after '_Static_assert'");
    if (good && !condition->integer)
        pp_error_range(s->front, loc, condition->range, "static assertion failed%s%s", text ? ": " : "",
                       text ? text : "");
}
