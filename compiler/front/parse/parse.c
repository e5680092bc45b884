/* The parser's ground: tokens with a little look-ahead, and the loop over a translation unit.
 *
 * One pass over the source, recursive descent, checks and tree at once. Pragmas are obeyed as soon as their token is
 * fetched, so that they may stand anywhere (pragma.c). Depth of recursion is bounded by sema_enter(). */
#include "compiler/front/parse/parse.h"
#include "compiler/front/lint/advice.h"
#include "compiler/front/parse/unit.h"

/* ---- tokens ---- */

static void fetch(struct sema *s, struct token *tok)
{
    pp_next(s->front, tok);
    while (tok->kind == TOKEN_PRAGMA) {
        parse_pragma(s, tok);
        pp_next(s->front, tok);
    }
}

void parse_next(struct sema *s)
{
    s->prev_end = s->tok.end;
    if (!s->num_ahead) {
        fetch(s, &s->tok);
        return;
    }
    s->tok = s->ahead[s->first_ahead];
    s->first_ahead = --s->num_ahead ? (s->first_ahead + 1) % SEMA_MAX_LOOKAHEAD : 0;
}

const struct token *parse_peek_further(struct sema *s, uint32_t distance)
{
    while (s->num_ahead < distance) {
        uint32_t at = (s->first_ahead + s->num_ahead++) % SEMA_MAX_LOOKAHEAD;
        fetch(s, &s->ahead[at]);
    }
    return &s->ahead[(s->first_ahead + distance - 1) % SEMA_MAX_LOOKAHEAD];
}

bool parse_accept(struct sema *s, enum token_kind kind)
{
    if (s->tok.kind != kind)
        return false;
    parse_next(s);
    return true;
}

bool parse_expect(struct sema *s, enum token_kind kind, const char *what)
{
    if (parse_accept(s, kind))
        return true;
    if (s->bad_token == s->tok.loc)
        return false;
    s->bad_token = s->tok.loc;
    bool closes = kind == TOKEN_RIGHT_PAREN || kind == TOKEN_RIGHT_BRACKET;
    if (closes && s->tok.kind == TOKEN_SEMICOLON && parse_peek(s, 1)->kind == kind) {
        pp_error(s->front, s->tok.loc, "unexpected ';' before '%s'", pp_token_name(kind));
        parse_next(s);
        parse_next(s);
        return true;
    }
    /* like clang: what should follow is reported at the end of what stands before */
    if (kind == TOKEN_SEMICOLON && s->prev_end)
        pp_hint(s->front, s->prev_end, ";");
    pp_error(s->front, kind == TOKEN_SEMICOLON && s->prev_end ? s->prev_end : s->tok.loc, "expected '%s'%s%s",
             pp_token_name(kind), what ? " " : "", what ? what : "");
    return false;
}

bool parse_expect_semicolon(struct sema *s, const char *what)
{
    if ((s->tok.kind == TOKEN_RIGHT_PAREN || s->tok.kind == TOKEN_RIGHT_BRACKET) &&
        parse_peek(s, 1)->kind == TOKEN_SEMICOLON) {
        pp_error(s->front, s->tok.loc, "extraneous '%s' before ';'", pp_token_name(s->tok.kind));
        parse_next(s);
    }
    return parse_expect(s, TOKEN_SEMICOLON, what);
}

void parse_insert_semicolon(struct sema *s)
{
    if (s->num_ahead == SEMA_MAX_LOOKAHEAD)
        return;
    s->first_ahead = (s->first_ahead + SEMA_MAX_LOOKAHEAD - 1) % SEMA_MAX_LOOKAHEAD;
    s->ahead[s->first_ahead] = s->tok;
    s->num_ahead++;
    s->tok = (struct token){.kind = TOKEN_SEMICOLON, .loc = s->prev_end, .end = s->prev_end};
}

bool parse_misses_closing(struct sema *s, enum token_kind kind, src_loc open, const struct expr *inside)
{
    if (parse_accept(s, kind))
        return false;
    if (inside && expr_poison(inside)) /* something was said of it */
        s->bad_token = s->tok.loc;
    bool said = s->bad_token == s->tok.loc;
    if (parse_expect(s, kind, NULL))
        return false;
    if (!said)
        pp_note(s->front, open, "to match this '%s'", kind == TOKEN_RIGHT_PAREN ? "(" : "[");
    parse_skip_until(s, kind);
    parse_accept(s, kind);
    return true;
}

static enum token_kind closing(enum token_kind kind)
{
    return kind == TOKEN_LEFT_PAREN     ? TOKEN_RIGHT_PAREN
           : kind == TOKEN_LEFT_BRACKET ? TOKEN_RIGHT_BRACKET
           : kind == TOKEN_LEFT_BRACE   ? TOKEN_RIGHT_BRACE
                                        : TOKEN_END;
}

/* x = } y; and a[2};: a brace amid a line ends nothing. */
void parse_skip_stray_brace(struct sema *s)
{
    if (s->tok.kind == TOKEN_RIGHT_BRACE && s->bad_token == s->tok.loc && !s->tok.at_line_start &&
        !parse_peek(s, 1)->at_line_start && parse_peek(s, 1)->kind != TOKEN_END)
        parse_next(s);
}

void parse_skip_until(struct sema *s, enum token_kind stop)
{
    uint32_t depth = 0;
    if (stop == TOKEN_RIGHT_PAREN || stop == TOKEN_RIGHT_BRACKET)
        parse_skip_stray_brace(s);
    if (s->tok.kind == TOKEN_LEFT_BRACKET && s->tok.loc == s->bad_token) /* it opens nothing */
        parse_next(s);
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
        parse_next(s);
    }
}

void parse_skip_to_semicolon(struct sema *s)
{
    parse_skip_until(s, TOKEN_SEMICOLON);
}

const char *parse_token_text(struct sema *s, const struct token *tok)
{
    if (tok->ident)
        return tok->ident->name;
    (void)s;
    return pp_token_name(tok->kind);
}

/* ---- the translation unit ---- */

static void init(struct sema *s, struct clc_front *front)
{
    s->front = front;
    s->arena = front->arena;
    lint_begin(s);
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
    parse_next(s);
    while (s->tok.kind != TOKEN_END)
        parse_external_declaration(s);
    parse_check_packs(s);
    if (!front->num_errors)
        sema_end_unit(s);
    return s->unit;
}
