/* The preprocessor's reader: a stack of files and token lists (C99, 5.1.1.2 phases 4 to 6).
 *
 * A macro's replacement is pushed as a list and read like source, so that rescanning with the rest of the file needs no
 * extra step. While the list is on the stack its macro is disabled; a name met meanwhile is marked for good
 * (C99, 6.10.3.4p2). This gives what hide sets give, and exactly what clang gives where the standard leaves a choice,
 * at the price of one bit.
 *
 * pp_raw() is the reader without replacement, pp_expanded() with it, pp_next() converts for the parser. */
#include "compiler/front/pp/pp.h"

#include <string.h>

/* ---- the stack ---- */

void pp_push(struct pp *pp, const struct pp_frame *frame)
{
    vec_push(pp->front->arena, &pp->stack, *frame);
}

void pp_pop(struct pp *pp)
{
    struct pp_frame frame = vec_pop(&pp->stack);
    if (frame.macro)
        frame.macro->disabled = false;
    if (frame.buffer)
        pp_recycle(pp, frame.buffer);
}

struct lexer *pp_lexer(struct pp *pp)
{
    for (uint32_t i = pp->stack.length; i > 0; i--) {
        if (pp->stack.data[i - 1].lexer)
            return pp->stack.data[i - 1].lexer;
    }
    return NULL;
}

struct token_buffer *pp_buffer(struct pp *pp)
{
    struct token_buffer *buffer = pp->free_buffers;
    if (!buffer)
        return arena_new(pp->front->arena, struct token_buffer);
    pp->free_buffers = buffer->next;
    buffer->tokens.length = 0;
    return buffer;
}

void pp_recycle(struct pp *pp, struct token_buffer *buffer)
{
    buffer->next = pp->free_buffers;
    pp->free_buffers = buffer;
}

/* ---- reading ---- */

/* A file is at its end: goes back to the one that included it. false: it was the main file. */
static bool leave_file(struct pp *pp, struct lexer *lexer)
{
    pp_conditionals_finish(pp, lexer);
    if (pp->depth == 1)
        return false;
    pp_pop(pp);
    pp->depth--;
    pp_lexer(pp)->line_start = true;
    return true;
}

static inline void read_list(struct pp_frame *frame, struct pp_token *token)
{
    *token = *frame->at++;
    token->loc += frame->delta;
    if (frame->first) {
        frame->first = false;
        token->flags = (uint16_t)((token->flags & ~(PP_LINE_START | PP_SPACE)) | frame->first_flags);
    }
}

/* The rest of next_raw(): handles a directive, the end of a file or list, and blanks that the next token inherits.
 * lexed: token was read from the file on top of the stack. */
static void read_raw(struct pp *pp, struct pp_token *token, bool lexed)
{
    for (;; lexed = false) {
        struct pp_frame *frame = &vec_last(&pp->stack);
        if (frame->lexer) {
            struct lexer *lexer = frame->lexer;
            if (!lexed)
                pp_lex(pp, lexer, token);
            if (token->kind == TOKEN_HASH && (token->flags & PP_LINE_START) && !lexer->in_directive) {
                if (pp_directive(pp, lexer, token, token))
                    break;
                continue;
            }
            if (token->kind != TOKEN_END || !leave_file(pp, lexer))
                break;
        } else if (frame->at < frame->end) {
            read_list(frame, token);
            break;
        } else if (frame->isolated) {
            *token = (struct pp_token){.kind = PP_END_OF_LIST};
            return;
        } else {
            if (frame->first) /* it was empty: its blanks go to what follows */
                pp->pending_flags |= frame->first_flags;
            pp_pop(pp);
        }
    }
    if (pp->pending_flags && token->kind != TOKEN_END && token->kind != PP_END_OF_LINE) {
        token->flags |= pp->pending_flags;
        pp->pending_flags = 0;
    }
}

/* Most tokens come from a list, and most others are no directive. */
static inline void next_raw(struct pp *pp, struct pp_token *token)
{
    struct pp_frame *frame = &vec_last(&pp->stack);
    bool lexed = frame->lexer && !pp->pending_flags;
    if (lexed) {
        pp_lex(pp, frame->lexer, token);
        if (token->kind != TOKEN_HASH && token->kind != TOKEN_END)
            return;
    } else if (!pp->pending_flags && frame->at < frame->end) {
        read_list(frame, token);
        return;
    }
    read_raw(pp, token, lexed);
}

void pp_raw(struct pp *pp, struct pp_token *token)
{
    next_raw(pp, token);
}

static inline void next_expanded(struct pp *pp, struct pp_token *token)
{
    for (;;) {
        next_raw(pp, token);
        if (token->kind != TOKEN_IDENTIFIER || !token->ident->macro || (token->flags & PP_NO_EXPAND))
            return;
        if (!pp_macro_expand(pp, token, token->ident->macro))
            return;
        if (token->kind != TOKEN_IDENTIFIER && token->kind != PP_PLACEMARKER)
            return; /* replaced by one token */
    }
}

void pp_expanded(struct pp *pp, struct pp_token *token)
{
    next_expanded(pp, token);
}

/* ---- for the parser ---- */

static inline void take(struct pp *pp, struct pp_token *token)
{
    if (pp->has_ahead)
        *token = pp->ahead;
    else
        next_expanded(pp, token);
    pp->has_ahead = false;
}

/* C99, 5.1.1.2 phase 6: adjacent strings are one. */
static void join_strings(struct pp *pp, const struct pp_token *first, struct token *token)
{
    struct pp_token next;
    pp_expanded(pp, &next);
    if (next.kind != TOKEN_STRING) {
        pp_literal_string(pp, first, 1, token);
    } else {
        struct token_buffer *strings = pp_buffer(pp);
        vec_push(pp->front->arena, &strings->tokens, *first);
        for (; next.kind == TOKEN_STRING; pp_expanded(pp, &next))
            vec_push(pp->front->arena, &strings->tokens, next);
        pp_literal_string(pp, strings->tokens.data, strings->tokens.length, token);
        pp_recycle(pp, strings);
    }
    pp->ahead = next;
    pp->has_ahead = true;
}

static inline void fill(struct token *token, const struct pp_token *in, src_loc loc)
{
    token->kind = (enum token_kind)in->kind;
    token->loc = loc;
    token->length = in->length;
    token->end = loc + in->length;
    token->at_line_start = in->flags & PP_LINE_START;
    token->space_before = in->flags & (PP_SPACE | PP_LINE_START);
    token->literal = LITERAL_INT;
    token->ident = NULL;
    token->text = NULL;
    if (in->kind == TOKEN_IDENTIFIER) {
        token->ident = in->ident;
        if (in->ident->keyword)
            token->kind = (enum token_kind)in->ident->keyword;
    }
}

/* Half of what pp_next() gives: a punctuator or a name that is no macro's, from amid a list. */
static inline bool next_from_list(struct pp *pp, struct token *token)
{
    struct pp_frame *frame = &vec_last(&pp->stack);
    const struct pp_token *in = frame->at;
    if (in == frame->end || frame->first || pp->has_ahead || pp->pending_flags) /* a file has no list */
        return false;
    if (in->kind > TOKEN_IDENTIFIER ||
        (in->kind == TOKEN_IDENTIFIER && in->ident->macro && !(in->flags & PP_NO_EXPAND)))
        return false;
    fill(token, in, in->loc + frame->delta);
    frame->at++;
    return true;
}

/* What is no punctuator, name or number. */
__attribute__((noinline)) static void convert(struct pp *pp, const struct pp_token *in, struct token *token)
{
    switch (in->kind) {
    case TOKEN_CHARACTER:
        pp_literal_character(pp, in, token);
        break;
    case TOKEN_STRING:
        join_strings(pp, in, token);
        break;
    case TOKEN_PRAGMA:
    case TOKEN_UNKNOWN:
        token->text = in->text;
        break;
    case TOKEN_END: /* and again, for ever */
        pp->ahead = *in;
        pp->has_ahead = true;
        break;
    }
}

__attribute__((noinline)) static void read_next(struct pp *pp, struct token *token)
{
    struct pp_token in;
    take(pp, &in);
    fill(token, &in, in.loc);
    if (in.kind == PP_NUMBER)
        pp_literal_number(pp, &in, token);
    else if (in.kind > TOKEN_IDENTIFIER || in.kind == TOKEN_END)
        convert(pp, &in, token);
}

void pp_next(struct clc_front *front, struct token *token)
{
    if (!next_from_list(front->pp, token))
        read_next(front->pp, token);
}

/* ---- the beginning ---- */

/* -D and -U, as a file that defines and undefines in order. OpenCL 3.0 API, 5.8.6.1. */
static void enter_command_line(struct pp *pp, struct lexer *lexer)
{
    struct clc_front *front = pp->front;
    struct str text;
    str_init(&text, front->arena);
    vec_foreach (struct clc_option_define, define, &front->options.defines) {
        if (define->value) {
            size_t line = strcspn(define->value, "\n\r");
            str_printf(&text, "#define %s %.*s\n", define->name, (int)(line < PP_MAX_TOKEN ? line : PP_MAX_TOKEN),
                       define->value);
        } else {
            str_printf(&text, "#undef %s\n", define->name);
        }
    }
    struct src_file *file = pp_source_enter(front, "<command line>", str_text(&text), text.length, 0);
    pp_lexer_init(lexer, file);
    pp_push(pp, &(struct pp_frame){.lexer = lexer});
    pp->depth = 1;
    struct pp_token token;
    do
        pp_raw(pp, &token);
    while (token.kind != TOKEN_END);
    pp_pop(pp);
    pp->depth = 0;
}

/* The strings of clCreateProgramWithSource joined without anything between. OpenCL 3.0 API, 5.8.1. */
static struct src_file *enter_main_file(struct clc_front *front)
{
    const struct clc_compile_args *args = front->args;
    struct str text;
    size_t total = 0;
    for (uint32_t i = 0; i < args->num_strings; i++)
        total += args->lengths && args->lengths[i] ? args->lengths[i] : strlen(args->strings[i]);
    if (total > PP_MAX_SOURCE)
        pp_fatal(front, 0, "program is too large");
    str_init(&text, front->arena);
    text.data = arena_alloc_uncleared(front->arena, total + 1, 1);
    text.data[0] = '\0';
    text.capacity = total + 1;
    for (uint32_t i = 0; i < args->num_strings; i++) {
        size_t length = args->lengths && args->lengths[i] ? args->lengths[i] : strlen(args->strings[i]);
        str_append(&text, args->strings[i], length);
    }
    /* a count that includes the terminator is a common slip */
    while (text.length && !text.data[text.length - 1])
        text.length--;
    const char *name = args->file_name ? args->file_name : "<source>";
    struct src_file *file = pp_source_enter(front, name, text.data, text.length, 0);
    file->directory = args->directory;
    return file;
}

void pp_begin(struct clc_front *front)
{
    struct pp *pp = arena_new(front->arena, struct pp);
    pp->front = front;
    str_init(&pp->scratch, front->arena);
    str_puts(&pp->scratch, "");
    pp_ident_init(front);
    front->pp = pp;
    const struct clc_target *target = front->target;
    pp->has_fp16 = pp_word_in_list(target->extensions, "cl_khr_fp16", 11);
    pp->has_fp64 = pp_word_in_list(target->extensions, "cl_khr_fp64", 11) ||
                   (pp_std_at_least(front, CLC_STD_30) && pp_word_in_list(target->features, "__opencl_c_fp64", 15));
    pp->id_defined = pp_intern(front, "defined", 7);
    pp->id_va_args = pp_intern(front, "__VA_ARGS__", 11);
    struct lexer *lexer = arena_new(front->arena, struct lexer);
    if (front->options.defines.length)
        enter_command_line(pp, lexer);
    pp->main_file = enter_main_file(front);
    pp_lexer_init(lexer, pp->main_file);
    lexer->search_index = UINT32_MAX; /* #include_next, in files beside it too, begins with the first -I */
    pp_push(pp, &(struct pp_frame){.lexer = lexer});
    pp->depth = 1;
}
