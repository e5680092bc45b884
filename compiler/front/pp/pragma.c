/* #pragma and the _Pragma operator (C99, 6.10.6 and 6.10.9; OpenCL C 3.0, 6.12). What concerns the text is done here
 * (once, message, push_macro, diagnostic, ...); what concerns the program goes to the parser as one token that holds
 * the pragma's text. Both forms are one path: the operator's string is lexed as a line of its own. */
#include "compiler/front/pp/log.h"
#include "compiler/front/pp/pp.h"

#include <string.h>

static bool is_name(const struct pp_token *token, const char *name)
{
    return token->kind == TOKEN_IDENTIFIER && strcmp(token->ident->name, name) == 0;
}

static void append_token(struct str *text, const struct pp_token *token)
{
    const char *spelling;
    uint32_t length;
    pp_token_spelling(token, &spelling, &length);
    if (text->length && (token->flags & (PP_SPACE | PP_LINE_START)))
        str_putc(text, ' ');
    str_append(text, spelling, length);
}

/* The rest of the line after what text holds becomes the parser's token. */
static bool hand_on(struct pp *pp, struct lexer *lexer, struct str *text, src_loc loc, bool replace,
                    struct pp_token *token)
{
    struct pp_token next;
    for (;;) {
        if (replace)
            pp_expanded(pp, &next);
        else
            pp_lex(pp, lexer, &next);
        if (next.kind == PP_END_OF_LINE || next.kind == TOKEN_END)
            break;
        if (next.kind == TOKEN_IDENTIFIER || next.kind < TOKEN_IDENTIFIER)
            next.flags |= next.flags & PP_LINE_START ? PP_SPACE : 0;
        append_token(text, &next);
    }
    *token = (struct pp_token){.kind = TOKEN_PRAGMA, .flags = PP_LINE_START, .loc = loc};
    token->text = str_text(text);
    token->length = (uint32_t)text->length;
    return true;
}

/* ( "string" ) or just "string"; NULL: something else is there. */
static const char *read_message(struct pp *pp, const char *pragma)
{
    struct pp_token token;
    struct token string;
    struct str text;
    str_init(&text, pp->front->arena);
    pp_expanded(pp, &token);
    bool paren = token.kind == TOKEN_LEFT_PAREN;
    if (paren)
        pp_expanded(pp, &token);
    if (token.kind != TOKEN_STRING) {
        pp_error(pp->front, token.loc, "pragma %s requires parenthesized string", pragma);
        return NULL;
    }
    for (; token.kind == TOKEN_STRING; pp_expanded(pp, &token)) {
        pp_literal_string(pp, &token, 1, &string);
        str_puts(&text, string.text);
    }
    if (paren && token.kind != TOKEN_RIGHT_PAREN) {
        pp_error(pp->front, token.loc, "pragma %s requires parenthesized string", pragma);
        return NULL;
    }
    return str_text(&text);
}

/* #pragma push_macro("NAME"), #pragma pop_macro("NAME") */
static void stack_macro(struct pp *pp, bool push, src_loc loc)
{
    const char *pragma = push ? "push_macro" : "pop_macro";
    const char *text = read_message(pp, pragma);
    if (!text)
        return;
    struct ident *name = pp_intern(pp->front, text, strlen(text));
    if (push) {
        vec_push(pp->front->arena, &pp->saved_macros, ((struct saved_macro){name, name->macro}));
        return;
    }
    for (uint32_t i = pp->saved_macros.length; i > 0; i--) {
        struct saved_macro *saved = &pp->saved_macros.data[i - 1];
        if (saved->name != name)
            continue;
        name->macro = saved->macro;
        saved->name = NULL;
        return;
    }
    pp_warning(pp->front, DIAG_GROUP_IGNORED_PRAGMAS, loc,
               "pragma pop_macro could not pop '%s', no matching push_macro", text);
}

static void push_diagnostics(struct clc_front *front)
{
    int8_t *copy = arena_alloc(front->arena, sizeof(front->options.group_state));
    memcpy(copy, front->options.group_state, sizeof(front->options.group_state));
    vec_push(front->arena, &front->diag->saved, copy);
}

/* After "clang" or "GCC" and "diagnostic": push | pop | (ignored | warning | error | fatal) "-Wname" */
static void diagnostic_pragma(struct pp *pp, struct lexer *lexer)
{
    struct clc_front *front = pp->front;
    struct pp_token token;
    pp_lex(pp, lexer, &token);
    if (is_name(&token, "push")) {
        push_diagnostics(front);
        return;
    }
    if (is_name(&token, "pop")) {
        if (!front->diag->saved.length)
            pp_warning(front, DIAG_GROUP_UNKNOWN_PRAGMAS, token.loc,
                       "pragma diagnostic pop could not pop, no matching push");
        else
            memcpy(front->options.group_state, vec_pop(&front->diag->saved), sizeof(front->options.group_state));
        return;
    }
    int8_t state = is_name(&token, "ignored")                             ? -1
                   : is_name(&token, "warning")                           ? 1
                   : is_name(&token, "error") || is_name(&token, "fatal") ? 2
                                                                          : 0;
    if (!state) {
        pp_warning(front, DIAG_GROUP_UNKNOWN_PRAGMAS, token.loc,
                   "pragma diagnostic expected 'error', 'warning', 'ignored', 'fatal', 'push', or 'pop'");
        return;
    }
    pp_lex(pp, lexer, &token);
    if (token.kind != TOKEN_STRING || token.length < 5 || memcmp(token.text, "\"-W", 3) != 0) {
        pp_warning(front, DIAG_GROUP_UNKNOWN_PRAGMAS, token.loc,
                   "pragma diagnostic expected option name (e.g. \"-Wundef\")");
        return;
    }
    enum diag_group group = pp_diag_group_find(token.text + 3, token.length - 4);
    if (group != DIAG_GROUP_NONE)
        front->options.group_state[group] = state;
}

/* After "GCC" or "clang". true: for the parser. */
static bool vendor_pragma(struct pp *pp, struct lexer *lexer, const struct pp_token *vendor, src_loc loc,
                          struct pp_token *token)
{
    struct pp_token name;
    pp_lex(pp, lexer, &name);
    if (is_name(&name, "diagnostic")) {
        diagnostic_pragma(pp, lexer);
    } else if (is_name(&name, "error") || is_name(&name, "warning")) {
        bool error = is_name(&name, "error");
        const char *text = read_message(pp, error ? "error" : "warning");
        if (text && error)
            pp_error(pp->front, name.loc, "%s", text);
        else if (text)
            pp_warning(pp->front, DIAG_GROUP_PRAGMA_MESSAGES, name.loc, "%s", text);
    } else if (is_name(&name, "loop") || is_name(&name, "fp") || is_name(&name, "unroll") ||
               is_name(&name, "attribute")) {
        struct str text;
        str_init(&text, pp->front->arena);
        append_token(&text, vendor);
        append_token(&text, &name);
        return hand_on(pp, lexer, &text, loc, true, token);
    } else if (!is_name(&name, "system_header") && !is_name(&name, "poison") && !is_name(&name, "visibility") &&
               !is_name(&name, "ivdep") && !is_name(&name, "optimize")) {
        pp_warning(pp->front, DIAG_GROUP_UNKNOWN_PRAGMAS, name.loc, "unknown pragma ignored");
    }
    return false;
}

static bool is_ignored(const struct pp_token *name)
{
    static const char *const names[] = {"region", "endregion", "mark", "warning", "comment", "ident"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (is_name(name, names[i]))
            return true;
    }
    return false;
}

static bool is_for_parser(const struct pp_token *name)
{
    return is_name(name, "OPENCL") || is_name(name, "STDC") || is_name(name, "unroll") || is_name(name, "nounroll") ||
           is_name(name, "pack") || is_name(name, "ivdep") || is_name(name, "omp");
}

/* lexer is in the pragma's line. */
static bool run_pragma(struct pp *pp, struct lexer *lexer, src_loc loc, struct pp_token *token)
{
    struct clc_front *front = pp->front;
    struct pp_token name;
    pp_lex(pp, lexer, &name);
    if (is_for_parser(&name)) {
        /* C99, 6.10.6p1: not replaced after STDC; OPENCL is the same in spirit */
        bool replace = !is_name(&name, "STDC") && !is_name(&name, "OPENCL");
        struct str text;
        str_init(&text, front->arena);
        append_token(&text, &name);
        return hand_on(pp, lexer, &text, loc, replace, token);
    }
    if (is_name(&name, "once")) {
        struct lexer *file = pp_lexer(pp);
        if (pp->depth <= 1)
            pp_warning(front, DIAG_GROUP_PRAGMA_ONCE_OUTSIDE_HEADER, name.loc, "#pragma once in main file");
        else
            pp_include_once(pp, file);
    } else if (is_name(&name, "message")) {
        const char *text = read_message(pp, "message");
        if (text)
            pp_warning(front, DIAG_GROUP_PRAGMA_MESSAGES, name.loc, "%s", text);
    } else if (is_name(&name, "push_macro") || is_name(&name, "pop_macro")) {
        stack_macro(pp, is_name(&name, "push_macro"), name.loc);
    } else if (is_name(&name, "GCC") || is_name(&name, "clang")) {
        return vendor_pragma(pp, lexer, &name, loc, token);
    } else if (!is_ignored(&name) && name.kind != PP_END_OF_LINE) {
        pp_warning(front, DIAG_GROUP_UNKNOWN_PRAGMAS, name.loc, "unknown pragma ignored");
    }
    return false;
}

bool pp_pragma(struct pp *pp, src_loc loc, struct pp_token *token)
{
    return run_pragma(pp, pp_lexer(pp), loc, token);
}

/* C99, 6.10.9: the string's text without quotes and escapes. */
static const char *destringize(struct pp *pp, const struct pp_token *string, size_t *length)
{
    struct str text;
    str_init(&text, pp->front->arena);
    bool wide = string->flags & PP_WIDE;
    const char *p = string->text + 1 + wide, *end = string->text + string->length - 1;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end && (p[1] == '"' || p[1] == '\\'))
            p++;
        str_putc(&text, *p == '\n' ? ' ' : *p);
    }
    *length = text.length;
    return str_text(&text);
}

bool pp_pragma_operator(struct pp *pp, const struct pp_token *name, struct pp_token *token)
{
    struct clc_front *front = pp->front;
    struct pp_token string, paren;
    src_loc loc = name->loc;
    pp_raw(pp, &paren);
    bool right = paren.kind == TOKEN_LEFT_PAREN;
    if (right) {
        pp_raw(pp, &string);
        right = string.kind == TOKEN_STRING;
    }
    if (right) {
        pp_raw(pp, &paren);
        right = paren.kind == TOKEN_RIGHT_PAREN;
    }
    if (!right) {
        pp_error(front, loc, "_Pragma takes a parenthesized string literal");
        return false;
    }
    /* its own line on the reader's stack, so that macros in it are replaced as in a #pragma */
    size_t length;
    const char *text = destringize(pp, &string, &length);
    src_loc spelled = pp_source_scratch(front, text, length, &text);
    struct src_file *file = arena_new(front->arena, struct src_file); /* a view of it, mapped to the operator */
    *file = (struct src_file){.name = "<scratch space>", .text = text, .length = (uint32_t)length};
    file->base = pp_source_map(front, SRC_EXPANSION, file->length, spelled, loc, paren.loc + paren.length);
    struct lexer *lexer = arena_new(front->arena, struct lexer);
    pp_lexer_init(lexer, file);
    lexer->in_directive = true;
    lexer->num_conditionals = pp->conditionals.length;
    uint32_t height = pp->stack.length;
    pp_push(pp, &(struct pp_frame){.lexer = lexer});
    bool for_parser = run_pragma(pp, lexer, loc, token);
    while (pp->stack.length > height)
        pp_pop(pp);
    return for_parser;
}
