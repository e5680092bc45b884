/* Directives (C99, 6.10): dispatch, conditional inclusion, #undef, #line, #error and #warning, and the linemarkers that
 * other preprocessors leave ("# 12 "file.h""). While a directive is read, its lexer gives PP_END_OF_LINE at the newline
 * again and again, so that no reader can run over it. */
#include "compiler/front/pp/log.h"
#include "compiler/front/pp/pp.h"

#include <string.h>

void pp_directive_skip_rest(struct pp *pp, struct lexer *lexer)
{
    struct pp_token token;
    while (vec_last(&pp->stack).lexer != lexer) /* the rest of macros in it */
        pp_pop(pp);
    bool hushed = pp->front->diag->hushed;
    pp->front->diag->hushed = true;
    do
        pp_lex(pp, lexer, &token);
    while (token.kind != PP_END_OF_LINE);
    pp->front->diag->hushed = hushed;
    lexer->in_directive = false;
}

void pp_directive_expect_end(struct pp *pp, struct lexer *lexer, const char *name)
{
    struct pp_token token;
    pp_lex(pp, lexer, &token);
    if (token.kind != PP_END_OF_LINE)
        pp_warning(pp->front, DIAG_GROUP_EXTRA_TOKENS, token.loc, "extra tokens at end of #%s directive", name);
}

/* ---- conditional inclusion ---- */

enum directive {
    DIRECTIVE_NONE,
    DIRECTIVE_IF,
    DIRECTIVE_IFDEF,
    DIRECTIVE_IFNDEF,
    DIRECTIVE_ELIF,
    DIRECTIVE_ELIFDEF,
    DIRECTIVE_ELIFNDEF,
    DIRECTIVE_ELSE,
    DIRECTIVE_ENDIF,
    DIRECTIVE_DEFINE,
    DIRECTIVE_UNDEF,
    DIRECTIVE_INCLUDE,
    DIRECTIVE_INCLUDE_NEXT,
    DIRECTIVE_IMPORT,
    DIRECTIVE_LINE,
    DIRECTIVE_ERROR,
    DIRECTIVE_WARNING,
    DIRECTIVE_PRAGMA,
    DIRECTIVE_IDENT,
};

static const char *const names[] = {
    [DIRECTIVE_IF] = "if",           [DIRECTIVE_IFDEF] = "ifdef",     [DIRECTIVE_IFNDEF] = "ifndef",
    [DIRECTIVE_ELIF] = "elif",       [DIRECTIVE_ELIFDEF] = "elifdef", [DIRECTIVE_ELIFNDEF] = "elifndef",
    [DIRECTIVE_ELSE] = "else",       [DIRECTIVE_ENDIF] = "endif",     [DIRECTIVE_DEFINE] = "define",
    [DIRECTIVE_UNDEF] = "undef",     [DIRECTIVE_INCLUDE] = "include", [DIRECTIVE_INCLUDE_NEXT] = "include_next",
    [DIRECTIVE_IMPORT] = "import",   [DIRECTIVE_LINE] = "line",       [DIRECTIVE_ERROR] = "error",
    [DIRECTIVE_WARNING] = "warning", [DIRECTIVE_PRAGMA] = "pragma",   [DIRECTIVE_IDENT] = "ident",
};

static enum directive find_directive(const struct pp_token *token)
{
    if (token->kind != TOKEN_IDENTIFIER || token->ident->length > 12)
        return DIRECTIVE_NONE;
    for (int i = DIRECTIVE_IF; i <= DIRECTIVE_IDENT; i++) {
        if (names[i][0] == token->ident->name[0] && strcmp(names[i], token->ident->name) == 0)
            return (enum directive)i;
    }
    return DIRECTIVE_NONE;
}

static uint32_t open_conditionals(const struct pp *pp, const struct lexer *lexer)
{
    return pp->conditionals.length - lexer->num_conditionals;
}

void pp_conditionals_finish(struct pp *pp, struct lexer *lexer)
{
    while (open_conditionals(pp, lexer)) {
        struct conditional conditional = vec_pop(&pp->conditionals);
        pp_error(pp->front, conditional.loc, "unterminated conditional directive");
    }
}

/* After #ifdef and the like: whether the name there is a macro. */
static bool read_defined(struct pp *pp, struct lexer *lexer, const char *directive)
{
    struct pp_token token;
    pp_lex(pp, lexer, &token);
    if (token.kind != TOKEN_IDENTIFIER) {
        pp_error(pp->front, token.loc,
                 token.kind == PP_END_OF_LINE ? "macro name missing" : "macro name must be an identifier");
        return false;
    }
    pp_directive_expect_end(pp, lexer, directive);
    return token.ident->macro != NULL;
}

static bool evaluate(struct pp *pp, struct lexer *lexer, enum directive directive)
{
    switch (directive) {
    case DIRECTIVE_IFDEF:
    case DIRECTIVE_ELIFDEF:
        return read_defined(pp, lexer, names[directive]);
    case DIRECTIVE_IFNDEF:
    case DIRECTIVE_ELIFNDEF:
        return !read_defined(pp, lexer, names[directive]);
    default:
        return pp_condition(pp);
    }
}

static bool is_if(enum directive directive)
{
    return directive >= DIRECTIVE_IF && directive <= DIRECTIVE_IFNDEF;
}

static bool is_elif(enum directive directive)
{
    return directive >= DIRECTIVE_ELIF && directive <= DIRECTIVE_ELIFNDEF;
}

/* #elif, #else or #endif of the innermost conditional. Returns whether the group that follows is read. */
static bool next_group(struct pp *pp, struct lexer *lexer, enum directive directive, src_loc loc, bool may_evaluate)
{
    struct conditional *conditional = &vec_last(&pp->conditionals);
    if (directive == DIRECTIVE_ENDIF) {
        pp_directive_expect_end(pp, lexer, "endif");
        pp->conditionals.length--;
        return true;
    }
    if (conditional->seen_else)
        pp_error(pp->front, loc, "#%s after #else", names[directive]);
    if (directive == DIRECTIVE_ELSE) {
        pp_directive_expect_end(pp, lexer, "else");
        conditional->seen_else = true;
        bool taken = conditional->taken;
        conditional->taken = true;
        return !taken;
    }
    if (conditional->taken || !may_evaluate || conditional->seen_else)
        return false;
    bool taken = evaluate(pp, lexer, directive);
    vec_last(&pp->conditionals).taken = taken;
    return taken;
}

/* Goes past excluded groups up to the one that is read, or past the #endif. */
static void skip_groups(struct pp *pp, struct lexer *lexer)
{
    uint32_t nested = 0;
    struct diag_state *diag = pp->front->diag;
    while (pp_lex_skip_to_hash(pp, lexer)) {
        struct pp_token token;
        bool hushed = diag->hushed, read = false;
        pp_lex(pp, lexer, &token); /* # */
        lexer->in_directive = true;
        diag->hushed = true;
        pp_lex(pp, lexer, &token);
        diag->hushed = hushed;
        enum directive directive = find_directive(&token);
        if (is_if(directive))
            nested++;
        else if (directive == DIRECTIVE_ENDIF && nested)
            nested--;
        else if (!nested && (is_elif(directive) || directive == DIRECTIVE_ELSE || directive == DIRECTIVE_ENDIF))
            read = next_group(pp, lexer, directive, token.loc, true);
        if (read) {
            pp_directive_skip_rest(pp, lexer);
            return;
        }
        lexer->in_directive = false; /* the rest of the line is skipped like any other */
    }
}

static void conditional_directive(struct pp *pp, struct lexer *lexer, enum directive directive, src_loc loc)
{
    bool read;
    if (is_if(directive)) {
        bool taken = evaluate(pp, lexer, directive);
        vec_push(pp->front->arena, &pp->conditionals, ((struct conditional){.loc = loc, .taken = taken}));
        read = taken;
    } else if (!open_conditionals(pp, lexer)) {
        pp_error(pp->front, loc, "#%s without #if", names[directive]);
        read = true;
    } else {
        read = next_group(pp, lexer, directive, loc, false);
    }
    pp_directive_skip_rest(pp, lexer);
    if (!read)
        skip_groups(pp, lexer);
}

/* ---- the others ---- */

static void undefine(struct pp *pp, struct lexer *lexer)
{
    struct pp_token token;
    pp_lex(pp, lexer, &token);
    if (token.kind != TOKEN_IDENTIFIER) {
        pp_error(pp->front, token.loc,
                 token.kind == PP_END_OF_LINE ? "macro name missing" : "macro name must be an identifier");
        return;
    }
    if (token.ident == pp->id_defined)
        pp_error(pp->front, token.loc, "'defined' cannot be used as a macro name");
    pp_directive_expect_end(pp, lexer, "undef");
    if (token.ident->macro && token.ident->macro->builtin)
        pp_warning(pp->front, DIAG_GROUP_BUILTIN_MACRO_REDEFINED, token.loc, "undefining builtin macro");
    token.ident->macro = NULL;
}

/* A digit sequence, decimal whatever it begins with (C99, 6.10.4). */
static bool read_line_number(struct pp *pp, const struct pp_token *token, bool marker, uint32_t *line)
{
    uint64_t value = 0;
    const char *what = marker ? "line marker directive requires a positive integer argument"
                              : "#line directive requires a positive integer argument";
    if (token->kind != PP_NUMBER) {
        pp_error(pp->front, token->loc, "%s", what);
        return false;
    }
    for (uint32_t i = 0; i < token->length; i++) {
        if (token->text[i] < '0' || token->text[i] > '9') {
            pp_error(pp->front, token->loc + i, "%s directive requires a simple digit sequence",
                     marker ? "line marker" : "#line");
            return false;
        }
        if (value <= UINT32_MAX)
            value = value * 10 + (uint64_t)(token->text[i] - '0');
    }
    if (value > INT32_MAX) {
        pp_error(pp->front, token->loc, "line number is too large");
        return false;
    }
    *line = (uint32_t)value;
    return true;
}

static void set_line(struct pp *pp, struct lexer *lexer, uint32_t line, const char *name)
{
    /* it counts from the next line on: the mark lies on this line's end */
    struct pp_token end;
    do
        pp_lex(pp, lexer, &end);
    while (end.kind != PP_END_OF_LINE);
    const char *next = lexer->at;
    if (*next == '\r')
        next++;
    if (*next == '\n')
        next++;
    struct line_mark mark = {(uint32_t)(next - lexer->begin), line, name};
    vec_push(pp->front->arena, &lexer->file->marks, mark);
}

/* #line digits "name"; # digits "name" flags */
static void line_directive(struct pp *pp, struct lexer *lexer, struct pp_token *token, bool marker)
{
    uint32_t line;
    const char *name = NULL;
    if (!marker)
        pp_expanded(pp, token);
    if (!read_line_number(pp, token, marker, &line))
        return;
    if (!line && !marker)
        pp_warning(pp->front, DIAG_GROUP_PEDANTIC, token->loc, "#line directive with zero argument is a GNU extension");
    if (marker)
        pp_lex(pp, lexer, token);
    else
        pp_expanded(pp, token);
    if (token->kind == TOKEN_STRING) {
        struct token string;
        pp_literal_string(pp, token, 1, &string);
        name = string.text;
        if (!marker)
            pp_directive_expect_end(pp, lexer, "line");
    } else if (token->kind != PP_END_OF_LINE) {
        pp_error(pp->front, token->loc, "invalid filename for %s directive", marker ? "line marker" : "#line");
        return;
    }
    set_line(pp, lexer, line, name);
}

static void message_directive(struct pp *pp, struct lexer *lexer, src_loc loc, bool error)
{
    size_t length;
    const char *text = pp_lex_rest_of_line(pp, lexer, &length);
    int shown = length < 4096 ? (int)length : 4096;
    if (error)
        pp_error(pp->front, loc, "%.*s", shown, text);
    else
        pp_warning(pp->front, DIAG_GROUP_WARNINGS, loc, "%.*s", shown, text);
}

static bool is_close(const char *a, const char *b)
{
    /* one letter more, less, changed, or two swapped */
    size_t x = strlen(a), y = strlen(b), same = 0, tail = 0;
    while (a[same] && a[same] == b[same])
        same++;
    while (tail < x - same && tail < y - same && a[x - 1 - tail] == b[y - 1 - tail])
        tail++;
    size_t left = x - same - tail, right = y - same - tail;
    return (left <= 1 && right <= 1) || (left == 2 && right == 2 && a[same] == b[same + 1] && a[same + 1] == b[same]);
}

static void unknown_directive(struct pp *pp, const struct pp_token *token)
{
    if (token->kind == TOKEN_IDENTIFIER && token->ident->length > 2) {
        for (int i = DIRECTIVE_IF; i <= DIRECTIVE_PRAGMA; i++) {
            if (is_close(token->ident->name, names[i])) {
                pp_error(pp->front, token->loc, "invalid preprocessing directive, did you mean '#%s'?", names[i]);
                return;
            }
        }
    }
    pp_error(pp->front, token->loc, "invalid preprocessing directive");
}

bool pp_directive(struct pp *pp, struct lexer *lexer, const struct pp_token *hash, struct pp_token *token)
{
    struct pp_token name;
    src_loc hash_loc = hash->loc;
    lexer->in_directive = true;
    pp_lex(pp, lexer, &name);
    enum directive directive = find_directive(&name);
    bool for_parser = false;
    switch (directive) {
    case DIRECTIVE_IF:
    case DIRECTIVE_IFDEF:
    case DIRECTIVE_IFNDEF:
    case DIRECTIVE_ELIF:
    case DIRECTIVE_ELIFDEF:
    case DIRECTIVE_ELIFNDEF:
    case DIRECTIVE_ELSE:
    case DIRECTIVE_ENDIF:
        conditional_directive(pp, lexer, directive, name.loc);
        return false;
    case DIRECTIVE_INCLUDE:
    case DIRECTIVE_INCLUDE_NEXT:
    case DIRECTIVE_IMPORT:
        pp_include(pp, lexer, &name, directive == DIRECTIVE_INCLUDE_NEXT);
        return false;
    case DIRECTIVE_DEFINE:
        pp_macro_define(pp, lexer);
        break;
    case DIRECTIVE_UNDEF:
        undefine(pp, lexer);
        break;
    case DIRECTIVE_LINE:
        line_directive(pp, lexer, &name, false);
        break;
    case DIRECTIVE_ERROR:
    case DIRECTIVE_WARNING:
        message_directive(pp, lexer, name.loc, directive == DIRECTIVE_ERROR);
        break;
    case DIRECTIVE_PRAGMA:
        if (pp->collecting) {
            pp_error(pp->front, name.loc, "embedding a #pragma directive within macro arguments is not supported");
            break;
        }
        for_parser = pp_pragma(pp, hash_loc, token);
        break;
    case DIRECTIVE_IDENT:
        break;
    case DIRECTIVE_NONE:
        if (name.kind == PP_NUMBER)
            line_directive(pp, lexer, &name, true);
        else if (name.kind != PP_END_OF_LINE)
            unknown_directive(pp, &name);
        break;
    }
    pp_directive_skip_rest(pp, lexer);
    return for_parser;
}
