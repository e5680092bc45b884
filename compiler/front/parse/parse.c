/* The parser's ground: tokens with a little look-ahead, scopes, and the loop over a translation unit.
 *
 * One pass over the source, recursive descent, checks and tree at once. Scopes cost nothing to search: an identifier
 * points at its innermost declaration, and leaving a scope puts back what that one hid. Pragmas are obeyed as soon as
 * their token is fetched, so that they may stand anywhere (parse/pragma.c). Depth of recursion is
 * bounded by sema_enter(). */
#include "compiler/front/pp/pp.h"
#include "compiler/front/sema/sema.h"

/* ---- tokens ---- */

static void fetch(struct sema *s, struct token *tok)
{
    clc_pp_next(s->front, tok);
    while (tok->kind == TOKEN_PRAGMA) {
        parse_pragma(s, tok);
        clc_pp_next(s->front, tok);
    }
}

void sema_next(struct sema *s)
{
    s->prev_end = s->tok.end;
    if (!s->num_ahead) {
        fetch(s, &s->tok);
        return;
    }
    s->tok = s->ahead[s->first_ahead];
    s->first_ahead = --s->num_ahead ? (s->first_ahead + 1) % SEMA_MAX_LOOKAHEAD : 0;
}

const struct token *sema_peek_further(struct sema *s, uint32_t distance)
{
    while (s->num_ahead < distance) {
        uint32_t at = (s->first_ahead + s->num_ahead++) % SEMA_MAX_LOOKAHEAD;
        fetch(s, &s->ahead[at]);
    }
    return &s->ahead[(s->first_ahead + distance - 1) % SEMA_MAX_LOOKAHEAD];
}

bool sema_accept(struct sema *s, enum token_kind kind)
{
    if (s->tok.kind != kind)
        return false;
    sema_next(s);
    return true;
}

bool sema_expect(struct sema *s, enum token_kind kind, const char *what)
{
    if (sema_accept(s, kind))
        return true;
    if (s->bad_token == s->tok.loc)
        return false;
    s->bad_token = s->tok.loc;
    bool closes = kind == TOKEN_RIGHT_PAREN || kind == TOKEN_RIGHT_BRACKET;
    if (closes && s->tok.kind == TOKEN_SEMICOLON && sema_peek(s, 1)->kind == kind) {
        clc_error(s->front, s->tok.loc, "unexpected ';' before '%s'", clc_token_name(kind));
        sema_next(s);
        sema_next(s);
        return true;
    }
    /* like clang: what should follow is reported at the end of what stands before */
    clc_error(s->front, kind == TOKEN_SEMICOLON && s->prev_end ? s->prev_end : s->tok.loc, "expected '%s'%s%s",
              clc_token_name(kind), what ? " " : "", what ? what : "");
    return false;
}

bool sema_expect_semicolon(struct sema *s, const char *what)
{
    if ((s->tok.kind == TOKEN_RIGHT_PAREN || s->tok.kind == TOKEN_RIGHT_BRACKET) &&
        sema_peek(s, 1)->kind == TOKEN_SEMICOLON) {
        clc_error(s->front, s->tok.loc, "extraneous '%s' before ';'", clc_token_name(s->tok.kind));
        sema_next(s);
    }
    return sema_expect(s, TOKEN_SEMICOLON, what);
}

void sema_insert_semicolon(struct sema *s)
{
    if (s->num_ahead == SEMA_MAX_LOOKAHEAD)
        return;
    s->first_ahead = (s->first_ahead + SEMA_MAX_LOOKAHEAD - 1) % SEMA_MAX_LOOKAHEAD;
    s->ahead[s->first_ahead] = s->tok;
    s->num_ahead++;
    s->tok = (struct token){.kind = TOKEN_SEMICOLON, .loc = s->prev_end, .end = s->prev_end};
}

bool sema_misses_closing(struct sema *s, enum token_kind kind, src_loc open, const struct expr *inside)
{
    if (sema_accept(s, kind))
        return false;
    if (inside && expr_poison(inside)) /* something was said of it */
        s->bad_token = s->tok.loc;
    bool said = s->bad_token == s->tok.loc;
    if (sema_expect(s, kind, NULL))
        return false;
    if (!said)
        clc_note(s->front, open, "to match this '%s'", kind == TOKEN_RIGHT_PAREN ? "(" : "[");
    sema_skip_until(s, kind);
    sema_accept(s, kind);
    return true;
}

void sema_enter(struct sema *s, src_loc loc)
{
    if (++s->nesting > SEMA_MAX_NESTING)
        clc_fatal(s->front, loc, "bracket nesting level exceeded maximum of %d", SEMA_MAX_NESTING);
}

static enum token_kind closing(enum token_kind kind)
{
    return kind == TOKEN_LEFT_PAREN     ? TOKEN_RIGHT_PAREN
           : kind == TOKEN_LEFT_BRACKET ? TOKEN_RIGHT_BRACKET
           : kind == TOKEN_LEFT_BRACE   ? TOKEN_RIGHT_BRACE
                                        : TOKEN_END;
}

/* x = } y; and a[2};: a brace amid a line ends nothing. */
void sema_skip_stray_brace(struct sema *s)
{
    if (s->tok.kind == TOKEN_RIGHT_BRACE && s->bad_token == s->tok.loc && !s->tok.at_line_start &&
        !sema_peek(s, 1)->at_line_start && sema_peek(s, 1)->kind != TOKEN_END)
        sema_next(s);
}

void sema_skip_until(struct sema *s, enum token_kind stop)
{
    uint32_t depth = 0;
    if (stop == TOKEN_RIGHT_PAREN || stop == TOKEN_RIGHT_BRACKET)
        sema_skip_stray_brace(s);
    if (s->tok.kind == TOKEN_LEFT_BRACKET && s->tok.loc == s->bad_token) /* it opens nothing */
        sema_next(s);
    while (s->tok.kind != TOKEN_END) {
        if (!depth && (s->tok.kind == stop || s->tok.kind == TOKEN_SEMICOLON))
            return;
        /* after "f(int x {" and "if (x {" a body follows */
        if (!depth && s->tok.kind == TOKEN_LEFT_BRACE && (stop == TOKEN_RIGHT_PAREN || stop == TOKEN_RIGHT_BRACKET))
            return;
        if (closing(s->tok.kind) != TOKEN_END)
            depth++;
        else if (s->tok.kind == TOKEN_RIGHT_PAREN || s->tok.kind == TOKEN_RIGHT_BRACKET ||
                 s->tok.kind == TOKEN_RIGHT_BRACE) {
            if (!depth)
                return;
            depth--;
        }
        sema_next(s);
    }
}

void sema_skip_to_semicolon(struct sema *s)
{
    sema_skip_until(s, TOKEN_SEMICOLON);
}

const char *sema_token_text(struct sema *s, const struct token *tok)
{
    if (tok->ident)
        return tok->ident->name;
    (void)s;
    return clc_token_name(tok->kind);
}

/* ---- scopes ---- */

uint32_t sema_scope_push(struct sema *s)
{
    s->scope_depth++;
    return s->scope.length;
}

void sema_scope_pop(struct sema *s, uint32_t mark)
{
    s->scope_depth--;
    while (s->scope.length > mark) {
        struct scope_entry entry = vec_pop(&s->scope);
        if (entry.is_tag) {
            entry.decl->name->tag = entry.decl->shadowed;
        } else {
            entry.decl->name->decl = entry.decl->shadowed;
            sema_warn_unused_name(s, entry.decl);
        }
    }
}

void sema_scope_add(struct sema *s, struct decl *decl)
{
    decl->scope_depth = s->scope_depth;
    if (!decl->name)
        return;
    decl->shadowed = decl->name->decl;
    decl->name->decl = decl;
    vec_push(s->arena, &s->scope, (struct scope_entry){decl, false});
}

void sema_scope_add_tag(struct sema *s, struct decl *decl)
{
    decl->scope_depth = s->scope_depth;
    if (!decl->name)
        return;
    decl->shadowed = decl->name->tag;
    decl->name->tag = decl;
    vec_push(s->arena, &s->scope, (struct scope_entry){decl, true});
}

struct decl *sema_lookup(struct sema *s, struct ident *name)
{
    return name->decl ? name->decl : sema_predeclared(s, name);
}

struct decl *sema_decl_new(struct sema *s, enum decl_kind kind, struct ident *name, struct qual_type type, src_loc loc)
{
    struct decl *decl = arena_new(s->arena, struct decl);
    decl->kind = kind;
    decl->name = name;
    decl->type = type;
    decl->loc = loc;
    decl->first = decl;
    decl->scope_depth = s->scope_depth;
    return decl;
}

void sema_unit_add(struct sema *s, struct decl *decl)
{
    if (s->unit->last)
        s->unit->last->next = decl;
    else
        s->unit->first = decl;
    s->unit->last = decl;
}

/* ---- what is on ---- */

bool clc_extension_enabled(struct clc_front *front, const char *name)
{
    static const char *const core[] = {"cl_khr_fp64",
                                       "cl_khr_byte_addressable_store",
                                       "cl_khr_3d_image_writes",
                                       "cl_khr_global_int32_base_atomics",
                                       "cl_khr_global_int32_extended_atomics",
                                       "cl_khr_local_int32_base_atomics",
                                       "cl_khr_local_int32_extended_atomics"};
    size_t length = strlen(name);
    if (!clc_word_in_list(front->target->extensions, name, length))
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(core); i++)
        if (!strcmp(core[i], name))
            return true;
    return front->sema && str_map_get(&front->sema->extensions, name, length);
}

/* OpenCL C 1.2 made double a part of the language, where the device has it; before that a pragma did. */
bool sema_double_constants(struct sema *s)
{
    return clc_std_at_least(s->front, CLC_STD_12) || str_map_get(&s->extensions, "cl_khr_fp64", 11);
}

bool clc_feature_enabled(struct clc_front *front, const char *name)
{
    /* Unlike __opencl_c_* macros, which OpenCL C 3.0 has, earlier versions fix the set: 2.0 has all of these, 1.x none.
     */
    static const char *const in_20[] = {"__opencl_c_generic_address_space",
                                        "__opencl_c_program_scope_global_variables",
                                        "__opencl_c_pipes",
                                        "__opencl_c_device_enqueue",
                                        "__opencl_c_work_group_collective_functions",
                                        "__opencl_c_read_write_images",
                                        "__opencl_c_atomic_order_acq_rel",
                                        "__opencl_c_atomic_order_seq_cst",
                                        "__opencl_c_atomic_scope_device",
                                        "__opencl_c_atomic_scope_all_devices",
                                        "__opencl_c_3d_image_writes"};
    bool offered = clc_word_in_list(front->target->features, name, strlen(name));
    if (front->options.std >= CLC_STD_30)
        return offered;
    if (front->options.std < CLC_STD_20)
        return offered && (!strcmp(name, "__opencl_c_fp64") || !strcmp(name, "__opencl_c_images") ||
                           !strcmp(name, "__opencl_c_int64"));
    for (size_t i = 0; i < ARRAY_LENGTH(in_20); i++)
        if (!strcmp(in_20[i], name))
            return true;
    return offered;
}

/* ---- the translation unit ---- */

static void init(struct sema *s, struct clc_front *front)
{
    s->front = front;
    s->arena = front->arena;
    s->unit = arena_new(s->arena, struct translation_unit);
    front->sema = s;
    if (!front->types)
        clc_types_init(front);
    s->generic_as = clc_feature_enabled(front, "__opencl_c_generic_address_space");
    s->program_scope_global = clc_feature_enabled(front, "__opencl_c_program_scope_global_variables");
    s->fp64 = clc_extension_enabled(front, "cl_khr_fp64") || clc_feature_enabled(front, "__opencl_c_fp64");
    s->images = front->target->images;
    s->poison = arena_new(s->arena, struct expr);
    s->poison->kind = EXPR_POISON;
    s->poison->type = qt(type_scalar(s, TYPE_POISON));
}

/* translation-unit = (external-declaration)* */
struct translation_unit *clc_parse(struct clc_front *front)
{
    struct sema *s = arena_new(front->arena, struct sema);
    init(s, front);
    sema_next(s);
    while (s->tok.kind != TOKEN_END)
        parse_external_declaration(s);
    parse_check_packs(s);
    if (!front->num_errors)
        sema_finish_unit(s);
    return s->unit;
}
