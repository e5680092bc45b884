/* Diagnostics, in the form that clang has made familiar: the include stack when it changed, "file:line:column: error:
 * text [-Wgroup]", the source line, a caret with ~~~ under ranges, and a note for each macro between the caret and
 * where its characters were written. They are formatted at once into the log; nothing is kept.
 *
 * The log of a program can be fetched by anyone, so its size is bounded: past LOG_LIMIT warnings go unseen, and the
 * twenty-first error ends the compilation. */
#include "compiler/front/pp/front.h"
#include "compiler/front/pp/lex.h"
#include "compiler/front/pp/log.h"
#include "compiler/front/pp/source_map.h"

#include <stdio.h>
#include <string.h>

enum { ERROR_LIMIT = 20, MACRO_NOTES = 6, TAB_STOP = 8, MAX_LINE = 4096, SHOWN_CHARACTER = 16, LOG_LIMIT = 1 << 20 };

enum { FATAL_SEVERITY = DIAG_ERROR + 1 };

static const struct {
    const char *name;
    uint8_t on;
} groups[DIAG_GROUP_COUNT] = {
#define DIAG_GROUP(id, name, on) [DIAG_GROUP_##id] = {name, on},
#include "compiler/front/pp/diag_groups.def"
#undef DIAG_GROUP
};

void pp_diag_init(struct clc_front *front)
{
    front->diag = arena_new(front->arena, struct diag_state);
    str_init(&front->log, front->arena);
}

enum diag_group pp_diag_group_find(const char *name, size_t length)
{
    for (int i = DIAG_GROUP_NONE + 1; i < DIAG_GROUP_COUNT; i++) {
        if (strlen(groups[i].name) == length && memcmp(groups[i].name, name, length) == 0)
            return (enum diag_group)i;
    }
    return DIAG_GROUP_NONE;
}

bool pp_warning_enabled(const struct clc_front *front, enum diag_group group)
{
    const struct clc_options *options = &front->options;
    if (front->diag->hushed)
        return false;
    int state = options->group_state[group];
    if (options->no_warnings && state != 2)
        return false;
    if (state || group == DIAG_GROUP_NONE)
        return state >= 0;
    return groups[group].on == 1 || (groups[group].on == 2 && options->all_warnings) ||
           (groups[group].on == 3 && options->extra_warnings);
}

/* ---- one line of source with its caret ---- */

struct caret_line {
    struct str *out;
    const char *text;
    uint32_t length;
    uint32_t columns; /* shown width so far */
};

/* How a character of source appears: tabs as blanks, what cannot be seen as <U+XXXX>, bad UTF-8 as <XX>. *width:
 * columns, none for a mark that combines. Returns bytes consumed. */
static uint32_t show_character(const char *text, const char *end, uint32_t column, char *shown, uint32_t *width)
{
    unsigned char c = (unsigned char)*text;
    uint32_t code, bytes;
    if (c == '\t') {
        *width = TAB_STOP - column % TAB_STOP;
        memset(shown, ' ', *width);
        shown[*width] = '\0';
        return 1;
    }
    bytes = pp_utf8_decode(text, end, &code);
    if (!bytes) {
        *width = (uint32_t)snprintf(shown, SHOWN_CHARACTER, "<%02X>", c);
        return 1;
    }
    int columns = pp_character_width(code);
    if (columns < 0) {
        *width = (uint32_t)snprintf(shown, SHOWN_CHARACTER, "<U+%04X>", code);
        return bytes;
    }
    memcpy(shown, text, bytes);
    shown[bytes] = '\0';
    *width = (uint32_t)columns;
    return bytes;
}

/* begin, end, caret: byte offsets into the line; begin == end: no range. */
static void put_source_line(struct str *out, const char *text, uint32_t length, uint32_t caret, uint32_t begin,
                            uint32_t end)
{
    if (length > MAX_LINE)
        return;
    char marks[MAX_LINE * 8 + 16];
    uint32_t column = 0, used = 0, offset = 0, caret_column = 0;
    while (offset < length) {
        char shown[SHOWN_CHARACTER];
        uint32_t width, bytes = show_character(text + offset, text + length, column, shown, &width);
        bool in_range = offset >= begin && offset < end;
        memset(marks + column, in_range ? '~' : ' ', width);
        if (caret >= offset && caret < offset + bytes)
            caret_column = column;
        str_puts(out, shown);
        column += width;
        if (in_range)
            used = column;
        offset += bytes;
    }
    if (caret >= length)
        caret_column = column;
    marks[caret_column] = '^';
    if (used <= caret_column)
        used = caret_column + 1;
    str_putc(out, '\n');
    str_append(out, marks, used);
    str_putc(out, '\n');
}

/* ---- where things are ---- */

/* loc as seen from inside the range of target: the call of whatever it lies in deeper. 0: it does not lie there. */
static src_loc loc_within(struct clc_front *front, src_loc loc, src_loc target_base, bool is_end)
{
    for (;;) {
        const struct src_entry *entry = pp_source_entry(front, loc);
        if (!entry)
            return 0;
        if (entry->base == target_base)
            return loc;
        if (entry->kind == SRC_FILE)
            return 0;
        if (entry->kind == SRC_ARGUMENT)
            loc = entry->spelling + (loc - entry->base);
        else
            loc = is_end ? entry->expansion_end : entry->expansion;
    }
}

/* Clips range to the line at position (which starts at line_loc) and makes offsets of it. */
static void clip_range(src_loc line_loc, uint32_t line_length, src_loc begin, src_loc end, uint32_t *from, uint32_t *to)
{
    *from = *to = 0;
    if (!begin || !end || end <= line_loc || begin >= end || begin > line_loc + line_length)
        return;
    *from = begin > line_loc ? begin - line_loc : 0;
    *to = end - line_loc < line_length ? end - line_loc : line_length;
}

static void put_snippet(struct clc_front *front, const struct src_entry *entry, src_loc loc,
                        const struct src_range *range, src_loc level)
{
    struct src_position at = pp_source_file_position(front, entry->file, loc - entry->base, true);
    uint32_t from = 0, to = 0;
    if (range && range->begin) {
        src_loc begin = loc_within(front, range->begin, level, false), end = loc_within(front, range->end, level, true);
        const struct src_entry *inner = pp_source_entry(front, level);
        if (begin && end && inner->kind != SRC_FILE) {
            begin = pp_source_spelling(front, begin);
            end = pp_source_spelling(front, end);
        }
        clip_range(loc - (at.column - 1), at.line_length, begin, end, &from, &to);
    }
    put_source_line(&front->log, at.line_text, at.line_length, at.column - 1, from, to);
}

/* The line below the caret's: what should be written there. entry: the file's, line: where its line begins. */
static void put_hints(struct clc_front *front, const struct src_entry *entry, src_loc line, const char *text,
                      uint32_t length)
{
    struct diag_state *diag = front->diag;
    uint32_t column = 0, offset = 0, end = 0;
    for (uint32_t i = 0; i < diag->num_hints && length <= MAX_LINE; i++) {
        const struct diag_hint *hint = &diag->hints[i];
        if (pp_source_entry(front, hint->loc) != entry || hint->loc < line || hint->loc > line + length)
            continue;
        while (offset < hint->loc - line) {
            char shown[SHOWN_CHARACTER];
            uint32_t width;
            offset += show_character(text + offset, text + length, column, shown, &width);
            column += width;
        }
        for (; end < column; end++)
            str_putc(&front->log, ' ');
        str_puts(&front->log, hint->text);
        end += (uint32_t)strlen(hint->text);
    }
    if (end)
        str_putc(&front->log, '\n');
}

void pp_hint(struct clc_front *front, src_loc loc, const char *text)
{
    struct diag_state *diag = front->diag;
    if (diag->num_hints < MAX_HINTS)
        diag->hints[diag->num_hints++] = (struct diag_hint){loc, text};
}

static void put_include_stack(struct clc_front *front, src_loc included_from)
{
    const struct src_entry *entry = pp_source_entry(front, included_from);
    if (!entry)
        return;
    put_include_stack(front, entry->file->included_from);
    struct src_position at = pp_source_position(front, included_from);
    str_printf(&front->log, "In file included from %s:%u:\n", at.file, at.line);
}

static void put_header(struct clc_front *front, src_loc loc, int severity)
{
    static const char *const words[] = {"note", "remark", "warning", "error", "fatal error"};
    const struct src_entry *entry = pp_source_entry(front, loc);
    if (entry) {
        if (severity > DIAG_NOTE && entry->file->included_from != front->diag->last_include) {
            front->diag->last_include = entry->file->included_from;
            put_include_stack(front, entry->file->included_from);
        }
        struct src_position at = pp_source_file_position(front, entry->file, loc - entry->base, true);
        str_printf(&front->log, "%s:%u:%u: ", at.file, at.line, at.column);
    }
    str_printf(&front->log, "%s: ", words[severity]);
}

/* ---- macro notes ---- */

/* The name of the macro whose replacement entry is: what is written at its call. "" for text made by # or ##. */
static uint32_t macro_name(struct clc_front *front, const struct src_entry *entry, const char **name)
{
    while (entry && entry->kind == SRC_ARGUMENT)
        entry = pp_source_entry(front, entry->expansion);
    if (!entry || entry->kind == SRC_FILE)
        return 0;
    const struct src_entry *spelled = pp_source_entry(front, pp_source_spelling(front, entry->spelling));
    if (!spelled || spelled->file->scratch)
        return 0;
    *name = pp_source_text(front, entry->expansion);
    uint32_t length = 0;
    while (clc_char_class[(unsigned char)(*name)[length]] & CHAR_IDENT)
        length++;
    return length;
}

static void put_macro_note(struct clc_front *front, src_loc loc, const struct src_range *range)
{
    const struct src_entry *entry = pp_source_entry(front, loc);
    const char *name = "";
    uint32_t length = macro_name(front, entry, &name);
    src_loc spelled = pp_source_spelling(front, loc);
    put_header(front, spelled, DIAG_NOTE);
    if (length)
        str_printf(&front->log, "expanded from macro '%.*s'\n", (int)length, name);
    else
        str_puts(&front->log, "expanded from here\n");
    const struct src_entry *file = pp_source_entry(front, spelled);
    if (file)
        put_snippet(front, file, spelled, range, entry->base);
}

/* Notes for the macros between the place shown and the characters meant, the outermost first; of many, only the first
 * and last few. Where the characters are in an argument of a call, the place shown is that argument, and what the
 * call's own macros did with it is left out. */
static void put_macro_notes(struct clc_front *front, src_loc loc, const struct src_range *range)
{
    VEC(src_loc) levels = {0};
    uint32_t ignored = 0;
    const struct src_entry *entry;
    while ((entry = pp_source_entry(front, loc)) && entry->kind != SRC_FILE) {
        bool argument = entry->kind == SRC_ARGUMENT;
        vec_push(front->arena, &levels, argument ? entry->expansion : loc);
        if (argument)
            ignored = levels.length;
        loc = argument ? entry->spelling + (loc - entry->base) : entry->expansion;
    }
    uint32_t count = levels.length - ignored;
    for (uint32_t i = 0; i < count; i++) {
        if (count > MACRO_NOTES && i == MACRO_NOTES / 2) {
            uint32_t skipped = count - MACRO_NOTES;
            str_printf(&front->log, "note: (skipping %u expansion%s in backtrace)\n", skipped, skipped == 1 ? "" : "s");
            i += skipped;
        }
        put_macro_note(front, levels.data[levels.length - 1 - i], range);
    }
}

/* ---- the public functions ---- */

static void put_diagnostic(struct clc_front *front, int severity, src_loc loc, const struct src_range *range,
                           const char *flag, const char *format, va_list args)
{
    src_loc file_loc = pp_source_file_loc(front, loc);
    put_header(front, file_loc, severity);
    str_vprintf(&front->log, format, args);
    str_puts(&front->log, flag);
    str_putc(&front->log, '\n');
    const struct src_entry *entry = pp_source_entry(front, file_loc);
    if (!entry)
        return;
    put_snippet(front, entry, file_loc, range, entry->base);
    if (front->diag->num_hints) {
        struct src_position at = pp_source_file_position(front, entry->file, file_loc - entry->base, true);
        put_hints(front, entry, file_loc - (at.column - 1), at.line_text, at.line_length);
        front->diag->num_hints = 0;
    }
    put_macro_notes(front, loc, range);
}

static void put_error(struct clc_front *front, src_loc loc, const struct src_range *range, const char *flag,
                      const char *format, va_list args)
{
    front->diag->dropped = front->diag->hushed;
    if (front->diag->hushed) {
        front->diag->num_hints = 0;
        return;
    }
    if (front->num_errors >= ERROR_LIMIT - 1) { /* what ends it counts too */
        front->num_errors++;
        str_puts(&front->log, "fatal error: too many errors emitted, stopping now\n");
        longjmp(front->fatal, 2);
    }
    front->num_errors++;
    put_diagnostic(front, DIAG_ERROR, loc, range, flag, format, args);
}

void pp_error(struct clc_front *front, src_loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_error(front, loc, NULL, "", format, args);
    va_end(args);
}

void pp_error_range(struct clc_front *front, src_loc loc, struct src_range range, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_error(front, loc, &range, "", format, args);
    va_end(args);
}

static void put_warning(struct clc_front *front, enum diag_group group, src_loc loc, const struct src_range *range,
                        const char *format, va_list args)
{
    const struct clc_options *options = &front->options;
    front->diag->dropped = !pp_warning_enabled(front, group) || front->log.length > LOG_LIMIT;
    if (front->diag->dropped) {
        front->diag->num_hints = 0;
        return;
    }
    bool error = options->group_state[group] == 2 || options->warnings_are_errors;
    char flag[96] = "";
    if (group != DIAG_GROUP_NONE)
        snprintf(flag, sizeof(flag), " [%s-W%s]", error ? "-Werror," : "", groups[group].name);
    if (error) {
        put_error(front, loc, range, flag, format, args);
        return;
    }
    front->num_warnings++;
    put_diagnostic(front, DIAG_WARNING, loc, range, flag, format, args);
}

void pp_warning(struct clc_front *front, enum diag_group group, src_loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_warning(front, group, loc, NULL, format, args);
    va_end(args);
}

void pp_warning_range(struct clc_front *front, enum diag_group group, src_loc loc, struct src_range range,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_warning(front, group, loc, &range, format, args);
    va_end(args);
}

void pp_note(struct clc_front *front, src_loc loc, const char *format, ...)
{
    if (front->diag->dropped || front->log.length > 2 * (size_t)LOG_LIMIT) {
        front->diag->num_hints = 0;
        return;
    }
    va_list args;
    va_start(args, format);
    put_diagnostic(front, DIAG_NOTE, loc, NULL, "", format, args);
    va_end(args);
}

void pp_fatal(struct clc_front *front, src_loc loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    front->num_errors++;
    put_diagnostic(front, FATAL_SEVERITY, loc, NULL, "", format, args);
    va_end(args);
    longjmp(front->fatal, 2);
}

void pp_fatal_range(struct clc_front *front, src_loc loc, struct src_range range, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    front->num_errors++;
    put_diagnostic(front, FATAL_SEVERITY, loc, &range, "", format, args);
    va_end(args);
    longjmp(front->fatal, 2);
}

void pp_diag_summary(struct clc_front *front)
{
    uint32_t warnings = front->num_warnings, errors = front->num_errors;
    if (!warnings && !errors)
        return;
    if (warnings)
        str_printf(&front->log, "%u warning%s", warnings, warnings == 1 ? "" : "s");
    if (warnings && errors)
        str_puts(&front->log, " and ");
    if (errors)
        str_printf(&front->log, "%u error%s", errors, errors == 1 ? "" : "s");
    str_puts(&front->log, " generated.\n");
}
