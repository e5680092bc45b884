/* Preprocessed text, for people and for comparing: tokens on the lines that they came from (linemarkers where that is
 * not possible), blanks where there were any or where two tokens would otherwise become one. */
#include "compiler/front/pp/pp.h"

#include <string.h>

enum { MAX_EMPTY_LINES = 8 };

struct printer {
    struct clc_front *front;
    struct str *out;
    const char *file;
    uint32_t line;
    bool at_start; /* of an output line */
};

static void move_to(struct printer *printer, src_loc loc)
{
    struct src_position at = pp_source_position(printer->front, pp_source_expansion(printer->front, loc));
    bool same = printer->file && strcmp(printer->file, at.file) == 0;
    if (!printer->at_start) {
        str_putc(printer->out, '\n');
        printer->line++;
        printer->at_start = true;
    }
    if (same && at.line >= printer->line && at.line - printer->line <= MAX_EMPTY_LINES) {
        for (; printer->line < at.line; printer->line++)
            str_putc(printer->out, '\n');
    } else {
        str_puts(printer->out, "# ");
        str_printf(printer->out, "%u \"", at.line);
        pp_macro_quote(printer->out, at.file, strlen(at.file));
        str_puts(printer->out, "\"\n");
    }
    printer->file = at.file;
    printer->line = at.line;
    /* keeps the column, so that the layout can be recognised */
    for (uint32_t i = 1; printer->at_start && i < at.column && i <= 80; i++)
        str_putc(printer->out, ' ');
}

/* Whether left directly followed by right might lex as something else. */
static bool would_join(const struct pp_token *left, const struct pp_token *right)
{
    const char *a, *b;
    uint32_t a_length, b_length;
    pp_token_spelling(left, &a, &a_length);
    pp_token_spelling(right, &b, &b_length);
    if (!a_length || !b_length)
        return false;
    unsigned char last = (unsigned char)a[a_length - 1], first = (unsigned char)b[0];
    bool word_left = left->kind == TOKEN_IDENTIFIER || left->kind == PP_NUMBER;
    if (word_left && (clc_char_class[first] & (CHAR_IDENT | CHAR_NUMBER)))
        return true;
    if (left->kind == PP_NUMBER && (first == '+' || first == '-'))
        return strchr("eEpP", last) != NULL;
    if (left->kind == TOKEN_IDENTIFIER)
        return (first == '"' || first == '\'') && a_length == 1 && last == 'L';
    if (last == '.')
        return first == '.' || (clc_char_class[first] & CHAR_DIGIT);
    return strchr("+-*/%&|^<>=!#:", last) && last && strchr("+-*/%&|^<>=#:", first) && first;
}

static void print_token(struct printer *printer, const struct pp_token *token)
{
    const char *text;
    uint32_t length;
    pp_token_spelling(token, &text, &length);
    str_append(printer->out, text, length);
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(text + length - p))); p++)
        printer->line++;
    printer->at_start = false;
}

void pp_print(struct clc_front *front, struct str *out)
{
    struct printer printer = {.front = front, .out = out, .line = 1, .at_start = true};
    struct pp_token token, previous = {.kind = TOKEN_END};
    printer.file = front->pp->main_file->name;
    for (;;) {
        pp_expanded(front->pp, &token);
        if (token.kind == TOKEN_END)
            break;
        if (token.kind == TOKEN_PRAGMA) {
            move_to(&printer, token.loc);
            str_printf(out, "#pragma %s\n", token.text);
            printer.line++;
            printer.at_start = true;
            previous.kind = TOKEN_END;
            continue;
        }
        if (token.flags & PP_LINE_START || printer.at_start)
            move_to(&printer, token.loc);
        else if ((token.flags & PP_SPACE) || (previous.kind != TOKEN_END && would_join(&previous, &token)))
            str_putc(out, ' ');
        print_token(&printer, &token);
        previous = token;
    }
    if (!printer.at_start)
        str_putc(out, '\n');
}
