/* Macros: their definitions, and their replacement (C99, 6.10.3).
 *
 * A macro without parameters or ## is replaced by pushing its body as it is: tokens are not copied, a difference is
 * added to their locations as they are read. Otherwise the body is written to a buffer with the arguments put in, and
 * that is pushed. An argument's tokens are mapped to new locations run by run, where a run is a stretch of tokens
 * written close together. */
#include "compiler/front/pp/pp.h"

#include <string.h>

enum { MAX_PARAMETERS = 1024, RUN_GAP = 64 };

/* ---- definition ---- */

static bool is_blank_before(const struct pp_token *token)
{
    return token->flags & (PP_SPACE | PP_LINE_START);
}

static uint32_t find_parameter(const struct macro *macro, const struct ident *name)
{
    for (uint32_t i = 0; i < macro->num_parameters; i++) {
        if (macro->parameters[i] == name)
            return i + 1;
    }
    return 0;
}

/* After the '(' of a definition: identifier-list? ( ',' '...' | '...' )? ')'; NAME... is GNU's. */
static bool parse_parameters(struct pp *pp, struct lexer *lexer, struct macro *macro)
{
    struct clc_front *front = pp->front;
    VEC(struct ident *) parameters = {0};
    struct pp_token token;
    for (;;) {
        pp_lex(pp, lexer, &token);
        if (token.kind == TOKEN_RIGHT_PAREN && !parameters.length)
            break;
        if (token.kind == TOKEN_ELLIPSIS) {
            vec_push(front->arena, &parameters, pp->id_va_args);
            macro->variadic = true;
            pp_lex(pp, lexer, &token);
        } else if (token.kind == TOKEN_IDENTIFIER) {
            if (token.ident == pp->id_va_args) {
                pp_error(front, token.loc, "__VA_ARGS__ can only appear in the expansion of a C99 variadic macro");
                return false;
            }
            macro->parameters = parameters.data;
            macro->num_parameters = parameters.length;
            if (find_parameter(macro, token.ident)) {
                pp_error(front, token.loc, "duplicate macro parameter name '%s'", token.ident->name);
                return false;
            }
            vec_push(front->arena, &parameters, token.ident);
            pp_lex(pp, lexer, &token);
            if (token.kind == TOKEN_ELLIPSIS) {
                macro->variadic = true;
                pp_lex(pp, lexer, &token);
            }
        } else {
            pp_error(front, token.loc,
                     token.kind == PP_END_OF_LINE      ? "missing ')' in macro parameter list"
                     : token.kind == TOKEN_RIGHT_PAREN ? "expected identifier in macro parameter list"
                                                       : "invalid token in macro parameter list");
            return false;
        }
        if (token.kind == TOKEN_RIGHT_PAREN)
            break;
        if (token.kind != TOKEN_COMMA || macro->variadic) {
            pp_error(front, token.loc,
                     macro->variadic ? "missing ')' in macro parameter list"
                                     : "expected comma in macro parameter list");
            return false;
        }
        if (parameters.length >= MAX_PARAMETERS) {
            pp_error(front, token.loc, "too many macro parameters");
            return false;
        }
    }
    macro->parameters = parameters.data;
    macro->num_parameters = parameters.length;
    return true;
}

static bool check_body(struct pp *pp, struct macro *macro, const struct pp_token *body, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        if (body[i].kind == TOKEN_HASH_HASH) {
            if (i == 0 || i == length - 1) {
                pp_error(pp->front, body[i].loc, "'##' cannot appear at %s of macro expansion",
                         i == 0 ? "start" : "end");
                return false;
            }
            macro->pastes = true;
        } else if (body[i].kind == TOKEN_HASH && macro->function_like && (i + 1 == length || !body[i + 1].parameter)) {
            src_loc loc = i + 1 < length ? body[i + 1].loc : body[i].loc + body[i].length;
            pp_error(pp->front, loc, "'#' is not followed by a macro parameter");
            return false;
        } else if (body[i].kind == TOKEN_IDENTIFIER && body[i].ident == pp->id_va_args && !body[i].parameter) {
            pp_warning(pp->front, DIAG_GROUP_PEDANTIC, body[i].loc,
                       "__VA_ARGS__ can only appear in the expansion of a C99 variadic macro");
        }
    }
    return true;
}

/* Reads the replacement list to the end of the line. false: it was wrong (and is read nevertheless). */
static bool parse_body(struct pp *pp, struct lexer *lexer, struct macro *macro, struct pp_token *token)
{
    struct clc_front *front = pp->front;
    struct token_buffer *buffer = pp_buffer(pp);
    for (; token->kind != PP_END_OF_LINE; pp_lex(pp, lexer, token)) {
        if (token->kind == TOKEN_IDENTIFIER && macro->num_parameters)
            token->parameter = find_parameter(macro, token->ident);
        vec_push(front->arena, &buffer->tokens, *token);
    }
    uint32_t length = buffer->tokens.length;
    bool right = check_body(pp, macro, buffer->tokens.data, length);
    if (length) {
        const struct pp_token *tokens = buffer->tokens.data;
        macro->length = length;
        macro->body = arena_alloc_uncleared(front->arena, length * sizeof(*tokens), _Alignof(struct pp_token));
        memcpy(macro->body, tokens, length * sizeof(*tokens));
        macro->body_begin = tokens[0].loc;
        macro->body_end = tokens[length - 1].loc + tokens[length - 1].length;
    }
    pp_recycle(pp, buffer);
    return right;
}

/* C99, 6.10.3p1: the same parameters, tokens, and blanks in the same places. */
static bool is_same_definition(const struct macro *a, const struct macro *b)
{
    if (a->builtin || a->function_like != b->function_like || a->variadic != b->variadic ||
        a->num_parameters != b->num_parameters || a->length != b->length)
        return false;
    for (uint32_t i = 0; i < a->num_parameters; i++) {
        if (a->parameters[i] != b->parameters[i])
            return false;
    }
    for (uint32_t i = 0; i < a->length; i++) {
        const char *x, *y;
        uint32_t x_length, y_length;
        pp_token_spelling(&a->body[i], &x, &x_length);
        pp_token_spelling(&b->body[i], &y, &y_length);
        if (a->body[i].kind != b->body[i].kind || x_length != y_length || memcmp(x, y, x_length) != 0 ||
            (i > 0 && is_blank_before(&a->body[i]) != is_blank_before(&b->body[i])))
            return false;
    }
    return true;
}

static void set_macro(struct pp *pp, struct macro *macro)
{
    struct clc_front *front = pp->front;
    const struct macro *old = macro->name->macro;
    if (old && old->builtin) {
        pp_warning(front, DIAG_GROUP_BUILTIN_MACRO_REDEFINED, macro->loc, "redefining builtin macro");
    } else if (old && !is_same_definition(old, macro)) {
        pp_warning(front, DIAG_GROUP_MACRO_REDEFINED, macro->loc, "'%s' macro redefined", macro->name->name);
        pp_note(front, old->loc, "previous definition is here");
    }
    macro->name->macro = macro;
}

void pp_macro_define(struct pp *pp, struct lexer *lexer)
{
    struct clc_front *front = pp->front;
    struct pp_token token;
    pp_lex(pp, lexer, &token);
    if (token.kind != TOKEN_IDENTIFIER || token.ident == pp->id_defined) {
        pp_error(front, token.loc,
                 token.kind == PP_END_OF_LINE     ? "macro name missing"
                 : token.kind == TOKEN_IDENTIFIER ? "'defined' cannot be used as a macro name"
                                                  : "macro name must be an identifier");
        return;
    }
    struct macro *macro = arena_new(front->arena, struct macro);
    macro->name = token.ident;
    macro->loc = token.loc;
    pp_lex(pp, lexer, &token);
    if (token.kind == TOKEN_LEFT_PAREN && !is_blank_before(&token)) {
        macro->function_like = true;
        if (!parse_parameters(pp, lexer, macro))
            return;
        pp_lex(pp, lexer, &token);
    } else if (token.kind != PP_END_OF_LINE && !is_blank_before(&token)) {
        pp_warning(front, DIAG_GROUP_NONE, token.loc, "whitespace required after macro name");
    }
    if (parse_body(pp, lexer, macro, &token))
        set_macro(pp, macro);
}

/* ---- arguments ---- */

struct arguments {
    struct arguments *next;        /* in the list of unused ones */
    struct token_buffer *raw;      /* all arguments' tokens as written, one after the other */
    struct token_buffer *expanded; /* each replaced on its own, made when first needed */
    VEC(uint32_t) ends;            /* of each argument in raw */
    src_loc close;                 /* of the ')' */
    bool no_variadic;              /* nothing was given for the variadic parameter */
    struct argument_range {
        bool done;
        bool plain; /* nothing in it is to be replaced */
        uint32_t begin, end;
    } * ready; /* in expanded, per parameter */
    uint32_t ready_capacity;
};

static struct arguments *take_arguments(struct pp *pp)
{
    struct arguments *arguments = pp->free_arguments;
    if (arguments)
        pp->free_arguments = arguments->next;
    else
        arguments = arena_new(pp->front->arena, struct arguments);
    arguments->raw = pp_buffer(pp);
    arguments->expanded = pp_buffer(pp);
    arguments->ends.length = 0;
    arguments->close = 0;
    arguments->no_variadic = false;
    return arguments;
}

static void recycle_arguments(struct pp *pp, struct arguments *arguments)
{
    pp_recycle(pp, arguments->raw);
    pp_recycle(pp, arguments->expanded);
    arguments->next = pp->free_arguments;
    pp->free_arguments = arguments;
}

static void reset_ready(struct pp *pp, struct arguments *arguments, uint32_t count)
{
    if (count > arguments->ready_capacity) {
        arguments->ready = arena_array(pp->front->arena, struct argument_range, count);
        arguments->ready_capacity = count;
    } else if (count) {
        memset(arguments->ready, 0, count * sizeof(*arguments->ready));
    }
}

static struct pp_token *raw_argument(const struct arguments *arguments, uint32_t index, uint32_t *length)
{
    uint32_t begin = index ? arguments->ends.data[index - 1] : 0;
    *length = arguments->ends.data[index] - begin;
    return begin ? arguments->raw->tokens.data + begin : arguments->raw->tokens.data; /* none at all: NULL */
}

/* '(' is next, seen but not read: it may stand after the end of lists on the stack, which are left then. */
static bool next_is_paren(struct pp *pp)
{
    for (uint32_t i = pp->stack.length; i > 0; i--) {
        const struct pp_frame *frame = &pp->stack.data[i - 1];
        if (frame->lexer)
            return pp_lex_next_is_paren(pp, frame->lexer);
        if (frame->at < frame->end)
            return frame->at->kind == TOKEN_LEFT_PAREN;
        if (frame->isolated)
            return false;
    }
    return false;
}

static void unterminated_call(struct pp *pp, const struct pp_token *name, const struct macro *macro)
{
    pp_error(pp->front, name->loc, "unterminated function-like macro invocation");
    if (!macro->predefined)
        pp_note(pp->front, macro->loc, "macro '%s' defined here", macro->name->name);
}

/* Reads tokens up to the ')' that closes the call. false: it is never closed. */
static bool read_arguments(struct pp *pp, const struct pp_token *name, struct macro *macro, struct arguments *arguments)
{
    struct arena *arena = pp->front->arena;
    pp_tokens *raw = &arguments->raw->tokens;
    uint32_t depth = 0;
    bool fresh = true;
    struct pp_token token;
    pp_raw(pp, &token); /* ( */
    pp->collecting++;
    for (;;) {
        pp_raw(pp, &token);
        if (token.kind == TOKEN_END || token.kind == PP_END_OF_LINE || token.kind == PP_END_OF_LIST)
            break;
        if (token.kind == TOKEN_RIGHT_PAREN && depth-- == 0) {
            arguments->close = token.loc;
            break;
        }
        depth += token.kind == TOKEN_LEFT_PAREN;
        if (token.kind == TOKEN_COMMA && !depth &&
            !(macro->variadic && arguments->ends.length + 1 >= macro->num_parameters)) {
            vec_push(arena, &arguments->ends, raw->length);
            fresh = true;
            continue;
        }
        if (token.kind == TOKEN_IDENTIFIER && token.ident->macro && token.ident->macro->disabled)
            token.flags |= PP_NO_EXPAND;
        if (token.flags & PP_LINE_START)
            token.flags = (uint16_t)((token.flags & ~PP_LINE_START) | PP_SPACE);
        if (fresh)
            token.flags &= (uint16_t)~PP_SPACE;
        fresh = false;
        vec_push(arena, raw, token);
        pp_count(pp, 1, name->loc);
    }
    pp->collecting--;
    if (token.kind != TOKEN_RIGHT_PAREN) {
        unterminated_call(pp, name, macro);
        return false;
    }
    vec_push(arena, &arguments->ends, raw->length);
    return true;
}

static bool check_count(struct pp *pp, const struct pp_token *name, const struct macro *macro,
                        struct arguments *arguments)
{
    uint32_t given = arguments->ends.length, wanted = macro->num_parameters;
    if (!wanted && given == 1 && !arguments->raw->tokens.length)
        return true;
    if (given == wanted)
        return true;
    if (macro->variadic && given + 1 == wanted) {
        pp_warning(pp->front, DIAG_GROUP_VARIADIC_EMPTY, name->loc,
                   "must specify at least one argument for '...' parameter of variadic macro");
        vec_push(pp->front->arena, &arguments->ends, arguments->raw->tokens.length);
        arguments->no_variadic = true;
        return true;
    }
    src_loc loc = arguments->close;
    if (given > wanted) { /* the first that is too many */
        uint32_t first = wanted ? arguments->ends.data[wanted - 1] : 0;
        loc = first < arguments->raw->tokens.length ? arguments->raw->tokens.data[first].loc : arguments->close;
    }
    pp_error(pp->front, loc, "too %s arguments provided to function-like macro invocation",
             given < wanted ? "few" : "many");
    if (!macro->predefined)
        pp_note(pp->front, macro->loc, "macro '%s' defined here", macro->name->name);
    return false;
}

/* C99, 6.10.3.1: an argument is replaced as if it were all there is. */
static struct pp_token *expanded_argument(struct pp *pp, struct arguments *arguments, uint32_t index, uint32_t *length)
{
    struct argument_range *range = &arguments->ready[index];
    struct arena *arena = pp->front->arena;
    if (!range->done) {
        uint32_t count;
        const struct pp_token *raw = raw_argument(arguments, index, &count);
        bool plain = true;
        for (uint32_t i = 0; i < count && plain && !range->plain; i++)
            plain = raw[i].kind != TOKEN_IDENTIFIER || !raw[i].ident->macro;
        range->plain = plain;
        if (plain)
            return raw_argument(arguments, index, length);
        if (++pp->argument_depth > PP_MAX_ARGUMENT_DEPTH)
            pp_fatal(pp->front, raw[0].loc, "macro calls in arguments of macro calls are nested too deeply");
        struct token_buffer *out = pp_buffer(pp);
        pp_push(pp, &(struct pp_frame){.at = raw, .end = raw + count, .isolated = true});
        uint16_t pending = pp->pending_flags;
        pp->pending_flags = 0;
        for (;;) {
            struct pp_token token;
            pp_expanded(pp, &token);
            if (token.kind == PP_END_OF_LIST)
                break;
            vec_push(arena, &out->tokens, token);
        }
        pp->pending_flags = pending;
        pp_pop(pp);
        pp->argument_depth--;
        range->begin = arguments->expanded->tokens.length;
        range->end = range->begin + out->tokens.length;
        vec_reserve(arena, &arguments->expanded->tokens, range->end);
        if (out->tokens.length)
            memcpy(arguments->expanded->tokens.data + range->begin, out->tokens.data,
                   out->tokens.length * sizeof(struct pp_token));
        arguments->expanded->tokens.length = range->end;
        range->done = true;
        pp_recycle(pp, out);
    }
    *length = range->end - range->begin;
    return arguments->expanded->tokens.data + range->begin;
}

/* ---- # and ## ---- */

void pp_macro_quote(struct str *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            str_putc(out, '\\');
        str_putc(out, text[i]);
    }
}

/* C99, 6.10.3.2 */
static struct pp_token make_string(struct pp *pp, const struct pp_token *hash, const struct pp_token *tokens,
                                   uint32_t length)
{
    struct str *text = &pp->scratch;
    text->length = 0;
    str_putc(text, '"');
    for (uint32_t i = 0; i < length; i++) {
        const char *spelling;
        uint32_t bytes;
        pp_token_spelling(&tokens[i], &spelling, &bytes);
        if (i > 0 && is_blank_before(&tokens[i]))
            str_putc(text, ' ');
        if (tokens[i].kind == TOKEN_STRING || tokens[i].kind == TOKEN_CHARACTER)
            pp_macro_quote(text, spelling, bytes);
        else
            str_append(text, spelling, bytes);
    }
    size_t slashes = 0;
    while (text->data[text->length - 1 - slashes] == '\\')
        slashes++;
    if (slashes % 2) {
        pp_warning(pp->front, DIAG_GROUP_NONE, tokens[length - 1].loc, "invalid string literal, ignoring final '\\'");
        text->length--;
    }
    str_putc(text, '"');
    struct pp_token token = {.kind = TOKEN_STRING, .flags = hash->flags, .length = (uint32_t)text->length};
    src_loc spelled = pp_source_scratch(pp->front, str_text(text), text->length, &token.text);
    token.loc = pp_source_map(pp->front, SRC_EXPANSION, token.length, spelled, hash->loc, hash->loc + hash->length);
    return token;
}

/* C99, 6.10.3.3: left becomes left ## right; false, and both stay, when that is no token. */
static bool paste(struct pp *pp, struct pp_token *left, const struct pp_token *right, src_loc operator_loc)
{
    struct str *text = &pp->scratch;
    const char *spelling, *copy;
    uint32_t bytes;
    text->length = 0;
    pp_token_spelling(left, &spelling, &bytes);
    str_append(text, spelling, bytes);
    pp_token_spelling(right, &spelling, &bytes);
    str_append(text, spelling, bytes);
    size_t length = text->length;
    src_loc spelled = pp_source_scratch(pp->front, str_text(text), length, &copy);
    struct pp_token token;
    src_loc loc =
        pp_source_map(pp->front, SRC_EXPANSION, (uint32_t)length, spelled, left->loc, right->loc + right->length);
    if (pp_lex_text(pp, copy, loc, &token) != length || token.kind == TOKEN_UNKNOWN) {
        pp_error(pp->front, operator_loc, "pasting formed '%s', an invalid preprocessing token", copy);
        return false;
    }
    token.flags |= left->flags & (PP_SPACE | PP_LINE_START);
    *left = token;
    return true;
}

/* ---- replacement ---- */

struct replacement {
    struct pp *pp;
    const struct macro *macro;
    struct arguments *arguments;
    pp_tokens *out;
    src_loc base;          /* of the body's locations in this expansion */
    bool has_placemarkers; /* or had them */
};

static struct pp_token body_token(const struct replacement *r, uint32_t index)
{
    struct pp_token token = r->macro->body[index];
    token.loc = token.loc - r->macro->body_begin + r->base;
    token.parameter = 0;
    return token;
}

/* Gives the tokens from first on new locations that tell which parameter they stand for. */
static void map_argument(struct replacement *r, uint32_t first, const struct pp_token *parameter)
{
    struct pp_token *tokens = r->out->data;
    uint32_t count = r->out->length;
    while (first < count) {
        uint32_t end = first + 1;
        src_loc begin = tokens[first].loc, last = begin + tokens[first].length;
        while (end < count && tokens[end].loc >= last && tokens[end].loc - last < RUN_GAP) {
            last = tokens[end].loc + tokens[end].length;
            end++;
        }
        src_loc base = pp_source_map(r->pp->front, SRC_ARGUMENT, last - begin, begin, parameter->loc,
                                     parameter->loc + parameter->length);
        for (; first < end; first++)
            tokens[first].loc = tokens[first].loc - begin + base;
    }
}

/* Appends the body's item at index (a token, a parameter's argument, or # with its parameter) and returns the next
 * item's index. operand: next to ##, so that arguments go in as written and an empty one leaves a placemarker. */
static uint32_t append_item(struct replacement *r, uint32_t index, bool operand)
{
    struct arena *arena = r->pp->front->arena;
    const struct pp_token *item = &r->macro->body[index];
    struct pp_token token = body_token(r, index);
    uint32_t length;
    if (item->kind == TOKEN_HASH && r->macro->function_like) {
        const struct pp_token *raw = raw_argument(r->arguments, r->macro->body[index + 1].parameter - 1, &length);
        vec_push(arena, r->out, make_string(r->pp, &token, raw, length));
        return index + 2;
    }
    if (!item->parameter) {
        vec_push(arena, r->out, token);
        return index + 1;
    }
    const struct pp_token *tokens = operand ? raw_argument(r->arguments, item->parameter - 1, &length)
                                            : expanded_argument(r->pp, r->arguments, item->parameter - 1, &length);
    if (!length) {
        token.kind = PP_PLACEMARKER;
        r->has_placemarkers = true;
        vec_push(arena, r->out, token);
        return index + 1;
    }
    pp_count(r->pp, length, token.loc);
    uint32_t first = r->out->length;
    if (first + length > r->out->capacity)
        vec_reserve(arena, r->out, first + length);
    struct pp_token *to = r->out->data + first;
    *to = *tokens;
    if (length > 1)
        memcpy(to + 1, tokens + 1, (length - 1) * sizeof(*tokens));
    r->out->length += length;
    to->flags = (uint16_t)((to->flags & ~(PP_SPACE | PP_LINE_START)) | (token.flags & (PP_SPACE | PP_LINE_START)));
    map_argument(r, first, &token);
    return index + 1;
}

/* GNU's ", ## __VA_ARGS__": no pasting; where the call has no such argument the comma goes too. */
static bool is_comma_paste(const struct replacement *r, uint32_t operator_index)
{
    const struct pp_token *body = r->macro->body;
    return r->macro->variadic && operator_index >= 1 && body[operator_index - 1].kind == TOKEN_COMMA &&
           body[operator_index + 1].parameter == r->macro->num_parameters && r->out->length &&
           vec_last(r->out).kind == TOKEN_COMMA;
}

static uint32_t comma_paste(struct replacement *r, uint32_t operator_index)
{
    uint32_t length;
    raw_argument(r->arguments, r->macro->num_parameters - 1, &length);
    if (length)
        return append_item(r, operator_index + 1, true);
    /* as in clang's C99: f(x, ) gave an argument, an empty one; the only parameter of f(...) is always given */
    if (r->arguments->no_variadic) {
        vec_last(r->out).kind = PP_PLACEMARKER;
        r->has_placemarkers = true;
    }
    return operator_index + 2;
}

/* The operator at operator_index joins the last token written with the next item's first. */
static uint32_t append_pasted(struct replacement *r, uint32_t operator_index)
{
    if (is_comma_paste(r, operator_index))
        return comma_paste(r, operator_index);
    pp_tokens *out = r->out;
    uint32_t left = out->length - 1;
    uint32_t next = append_item(r, operator_index + 1, true);
    struct pp_token *tokens = out->data;
    bool joined = true;
    if (tokens[left].kind == PP_PLACEMARKER) {
        uint16_t flags = tokens[left].flags & (PP_SPACE | PP_LINE_START);
        tokens[left] = tokens[left + 1];
        tokens[left].flags = (uint16_t)((tokens[left].flags & ~(PP_SPACE | PP_LINE_START)) | flags);
    } else if (tokens[left + 1].kind != PP_PLACEMARKER) {
        struct pp_token right = tokens[left + 1];
        joined = paste(r->pp, &tokens[left], &right, body_token(r, operator_index).loc);
        tokens = out->data;
    }
    if (joined) {
        memmove(&tokens[left + 1], &tokens[left + 2], (out->length - left - 2) * sizeof(*tokens));
        out->length--;
    }
    return next;
}

/* Appends the tokens from index on that stand for themselves, and returns the next one's index. */
static uint32_t append_plain(struct replacement *r, uint32_t index)
{
    const struct macro *macro = r->macro;
    uint32_t most = r->out->length + (macro->length - index);
    if (most > r->out->capacity)
        vec_reserve(r->pp->front->arena, r->out, most);
    src_loc delta = r->base - macro->body_begin;
    struct pp_token *to = r->out->data + r->out->length;
    const struct pp_token *from = macro->body + index, *end = macro->body + macro->length;
    for (; from < end && !from->parameter && from->kind != TOKEN_HASH && from->kind != TOKEN_HASH_HASH; from++, to++) {
        *to = *from;
        to->loc += delta;
    }
    r->out->length = (uint32_t)(to - r->out->data);
    return (uint32_t)(from - macro->body);
}

static void substitute(struct replacement *r)
{
    const struct macro *macro = r->macro;
    uint32_t index = 0;
    pp_count(r->pp, macro->length, r->base);
    while ((index = append_plain(r, index)) < macro->length) {
        uint32_t after = index + 1 + (macro->body[index].kind == TOKEN_HASH && macro->function_like);
        if (macro->body[index].kind == TOKEN_HASH_HASH && index > 0) {
            index = append_pasted(r, index);
        } else {
            bool operand = after < macro->length && macro->body[after].kind == TOKEN_HASH_HASH;
            index = append_item(r, index, operand);
        }
    }
    if (!r->has_placemarkers)
        return;
    uint32_t kept = 0;
    uint16_t blanks = 0;
    for (uint32_t i = 0; i < r->out->length; i++) {
        struct pp_token *token = &r->out->data[i];
        blanks |= token->flags & (PP_SPACE | PP_LINE_START);
        if (token->kind == PP_PLACEMARKER)
            continue;
        token->flags |= blanks;
        blanks = 0;
        if (kept++ < i)
            r->out->data[kept - 1] = *token;
    }
    r->out->length = kept;
}

static void push_expansion(struct pp *pp, const struct pp_token *name, struct macro *macro, struct arguments *arguments)
{
    struct pp_frame frame = {.macro = macro, .first = true};
    frame.first_flags = name->flags & (PP_SPACE | PP_LINE_START);
    src_loc end = arguments ? arguments->close + 1 : name->loc + name->length;
    src_loc base =
        pp_source_map(pp->front, SRC_EXPANSION, macro->body_end - macro->body_begin, macro->body_begin, name->loc, end);
    if (arguments || macro->pastes) {
        frame.buffer = pp_buffer(pp);
        struct replacement replacement = {pp, macro, arguments, &frame.buffer->tokens, base, false};
        substitute(&replacement);
        frame.at = frame.buffer->tokens.data;
        frame.end = frame.at + frame.buffer->tokens.length;
    } else {
        pp_count(pp, macro->length, name->loc);
        frame.at = macro->body;
        frame.end = macro->body + macro->length;
        frame.delta = base - macro->body_begin;
    }
    macro->disabled = true;
    pp_push(pp, &frame);
}

/* false: it has the wrong arguments; its name stays, as something for the parser to go on with. */
static bool expand_call(struct pp *pp, struct pp_token *name, struct macro *macro)
{
    struct arguments *arguments = take_arguments(pp);
    bool read = read_arguments(pp, name, macro, arguments);
    bool right = read && check_count(pp, name, macro, arguments);
    if (right) {
        reset_ready(pp, arguments, macro->num_parameters);
        if (macro->length)
            push_expansion(pp, name, macro, arguments);
        else
            pp->pending_flags |= name->flags & (PP_SPACE | PP_LINE_START);
    }
    recycle_arguments(pp, arguments);
    if (read && !right)
        name->flags |= PP_NO_EXPAND;
    return right || !read;
}

bool pp_macro_expand(struct pp *pp, struct pp_token *token, struct macro *macro)
{
    if (macro->builtin)
        return pp_builtin_macro_expand(pp, token, macro);
    if (macro->disabled) {
        token->flags |= PP_NO_EXPAND;
        return false;
    }
    pp_count(pp, 1, token->loc);
    if (macro->function_like) {
        if (!next_is_paren(pp))
            return false;
        return expand_call(pp, token, macro);
    }
    if (!macro->length) {
        pp->pending_flags |= token->flags & (PP_SPACE | PP_LINE_START);
        return true;
    }
    push_expansion(pp, token, macro, NULL);
    return true;
}
