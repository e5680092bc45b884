/* The grammar: tokens with a little look-ahead, and a function for each of its parts. */
#ifndef COMPILER_FRONT_PARSE_PARSE_H
#define COMPILER_FRONT_PARSE_PARSE_H

#include "compiler/front/sema/check.h"
#include "compiler/front/sema/declare.h"

/* ---- parse.c: tokens ---- */

void parse_next(struct sema *s);
const struct token *parse_peek_further(struct sema *s, uint32_t distance);
static inline const struct token *parse_peek(struct sema *s, uint32_t distance) /* 1: the token after s->tok */
{
    if (distance > s->num_ahead)
        return parse_peek_further(s, distance);
    return &s->ahead[(s->first_ahead + distance - 1) % SEMA_MAX_LOOKAHEAD];
}
bool parse_accept(struct sema *s, enum token_kind kind);
/* Consumes kind, or says "expected …" and leaves the token. */
bool parse_expect(struct sema *s, enum token_kind kind, const char *what);
/* A ';', where one ')' or ']' too many may stand before it. */
bool parse_expect_semicolon(struct sema *s, const char *what);
void parse_insert_semicolon(struct sema *s); /* one was forgotten before the current token, and that was said */
/* Consumes what closes the bracket at open. When it is not there, says so, skips to it, and returns true. inside: what
 * the bracket holds, or NULL; nothing more is said when inside is poison. */
bool parse_misses_closing(struct sema *s, enum token_kind kind, src_loc open, const struct expr *inside);
/* The current token, where it is a '}' that is wrong there and was not meant to end anything. */
void parse_skip_stray_brace(struct sema *s);
/* Skips to (not over) one of: ; at this level, the closing bracket of this level, or the end. */
void parse_skip_to_semicolon(struct sema *s);
void parse_skip_until(struct sema *s, enum token_kind stop);
const char *parse_token_text(struct sema *s, const struct token *tok);

/* ---- pragma.c ---- */

void parse_pragma(struct sema *s, const struct token *tok); /* obeys a TOKEN_PRAGMA */
void parse_check_packs(struct sema *s);  /* at the end: says which #pragma pack(push) were not popped */
void parse_check_unroll(struct sema *s); /* at a statement: says so when no loop follows the pragma */

/* ---- specifiers.c, declarator.c, attribute.c, mode.c, declaration.c, record.c, block.c ---- */

bool parse_is_type_start(struct sema *s, const struct token *tok);
bool parse_decl_specs(struct sema *s, struct decl_specs *specs, bool type_only);
void parse_declarator(struct sema *s, const struct decl_specs *specs, struct declarator *declarator, bool need_name,
                      bool allow_name);
struct qual_type parse_type_name(struct sema *s);
/* Without the underscores that may be around it: __packed__. */
const char *parse_attribute_word(const struct ident *name, size_t *length);
/* mode.c: looks at the argument behind the name; and what it makes of a type, once. */
void parse_mode_argument(struct sema *s, struct attributes *attrs, src_loc loc);
void parse_apply_mode(struct sema *s, struct qual_type *type, struct attributes *attrs);
/* The vector of type that ext_vector_type(n) or vector_size(n) asks for, if one does. */
void parse_apply_vector_attributes(struct sema *s, struct qual_type *type, struct attributes *attrs, src_loc loc);
/* Says that a name is no type; from then on it is one of which nothing more is said. It has no declaration. */
void parse_unknown_type(struct sema *s, struct ident *name, src_loc loc);
void parse_external_declaration(struct sema *s);
/* A block-scope declaration, its semicolon included. */
struct stmt *parse_declaration_statement(struct sema *s, const struct attributes *before); /* before: or NULL */
void parse_static_assert(struct sema *s);
void parse_attributes(struct sema *s, struct attributes *attrs); /* any number of __attribute__((...)); may be none */
const struct type *parse_record(struct sema *s, struct decl_specs *specs);
const struct type *parse_enum(struct sema *s, struct decl_specs *specs);
struct expr *parse_block_literal(struct sema *s);

/* ---- expr.c, stmt.c, initializer.c, builtin.c, checked.c, bits.c ---- */

struct expr *parse_expression(struct sema *s); /* with commas */
struct expr *parse_assignment(struct sema *s);
struct expr *parse_conditional(struct sema *s);
/* An integer constant expression; poison was reported. */
bool parse_constant(struct sema *s, const char *what, struct expr **expr);
struct expr *parse_initializer(struct sema *s); /* raw: EXPR_INIT_LIST with designators, see sema/declare.h */
struct stmt *parse_compound(struct sema *s, bool own_scope);
void parse_function_body(struct sema *s, struct decl *function);
struct expr *parse_builtin_form(struct sema *s, struct ident *name, src_loc loc);       /* __builtin_…, or NULL */
struct expr *parse_checked_form(struct sema *s, const struct ident *name, src_loc loc); /* likewise */
struct expr *parse_bits_form(struct sema *s, const struct ident *name, src_loc loc);    /* likewise */
/* The name and "(" so many arguments ")"; NULL: reported, of one of them too. */
struct expr **parse_form_operands(struct sema *s, uint32_t wanted, src_loc loc);

#endif
