/* Source files and locations. A location is one 32-bit number in a space where each file entered and each macro
 * replacement has its own range; ranges are handed out in ascending order, so that resolving one is a binary search. A
 * range of macro tokens maps linearly to the text they were written in: nothing is stored per token, and offsets inside
 * a token stay meaningful through any number of replacements.
 *
 * Line tables are made when somebody first asks for a line: a program without diagnostics, __LINE__ or debug
 * information never pays for them. */
#include "compiler/front/pp/front.h"
#include "compiler/front/pp/limits.h"
#include "compiler/front/pp/source_map.h"

#include <string.h>

enum { SCRATCH_SIZE = 4096 };

void pp_source_init(struct clc_front *front)
{
    front->sources = arena_new(front->arena, struct source_manager);
    front->sources->next = 1;
}

/* Reserves size + 1 locations, so that the end of the last token has one too. */
static struct src_entry *add_entry(struct clc_front *front, enum src_kind kind, uint32_t size)
{
    struct source_manager *sources = front->sources;
    if (size >= UINT32_MAX - sources->next)
        pp_fatal(front, 0, "translation unit is too large: macros and includes use up all source locations");
    uint32_t at = sources->num_entries++ % SRC_BLOCK;
    if (!at)
        vec_push(front->arena, &sources->blocks,
                 arena_alloc_uncleared(front->arena, SRC_BLOCK * sizeof(struct src_entry), _Alignof(struct src_entry)));
    struct src_entry *entry = &vec_last(&sources->blocks)[at];
    *entry = (struct src_entry){.base = sources->next, .kind = (uint8_t)kind};
    sources->next += size + 1;
    return entry;
}

struct src_file *pp_source_enter(struct clc_front *front, const char *name, const char *text, size_t length,
                                 src_loc included_from)
{
    if (length > PP_MAX_SOURCE)
        pp_fatal(front, included_from, "file '%s' is too large", name);
    struct src_file *file = arena_new(front->arena, struct src_file);
    file->name = name;
    file->text = text;
    file->length = (uint32_t)length;
    file->included_from = pp_source_expansion(front, included_from); /* the name may come from a macro */
    struct src_entry *entry = add_entry(front, SRC_FILE, file->length);
    entry->file = file;
    file->base = entry->base;
    return file;
}

src_loc pp_source_map(struct clc_front *front, enum src_kind kind, uint32_t size, src_loc spelling, src_loc expansion,
                      src_loc expansion_end)
{
    struct src_entry *entry = add_entry(front, kind, size);
    entry->spelling = spelling;
    entry->expansion = expansion;
    entry->expansion_end = expansion_end;
    return entry->base;
}

src_loc pp_source_scratch(struct clc_front *front, const char *text, size_t length, const char **copy)
{
    struct source_manager *sources = front->sources;
    if (length >= PP_MAX_TOKEN)
        pp_fatal(front, 0, "token made by '#' or '##' is too long");
    uint32_t size = (uint32_t)length;
    if (size + 1 > PP_MAX_MADE - sources->scratch_total)
        pp_fatal(front, 0, "'#' and '##' make more than %d bytes", PP_MAX_MADE);
    sources->scratch_total += size + 1;
    if (!sources->scratch || sources->scratch->length - sources->scratch_used < size + 1) {
        uint32_t capacity = size + 1 > SCRATCH_SIZE ? size + 1 : SCRATCH_SIZE;
        char *buffer = arena_alloc_aligned(front->arena, (size_t)capacity + 1, 1);
        sources->scratch = pp_source_enter(front, "<scratch space>", buffer, capacity, 0);
        sources->scratch->scratch = true;
        sources->scratch_used = 0;
    }
    char *to = (char *)(uintptr_t)sources->scratch->text + sources->scratch_used;
    memcpy(to, text, size);
    to[size] = '\0';
    *copy = to;
    src_loc loc = sources->scratch->base + sources->scratch_used;
    sources->scratch_used += size + 1;
    return loc;
}

static const struct src_entry *entry_at(const struct source_manager *sources, uint32_t index)
{
    return &sources->blocks.data[index / SRC_BLOCK][index % SRC_BLOCK];
}

const struct src_entry *pp_source_entry(struct clc_front *front, src_loc loc)
{
    struct source_manager *sources = front->sources;
    if (!loc || loc >= sources->next || !sources->num_entries)
        return NULL;
    uint32_t low = 0, high = sources->num_entries;
    if (sources->last < high && entry_at(sources, sources->last)->base <= loc) {
        low = sources->last;
        if (low + 1 == high || entry_at(sources, low + 1)->base > loc)
            return entry_at(sources, low);
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (entry_at(sources, middle)->base <= loc)
            low = middle;
        else
            high = middle;
    }
    sources->last = low;
    return entry_at(sources, low);
}

src_loc pp_source_expansion(struct clc_front *front, src_loc loc)
{
    const struct src_entry *entry = pp_source_entry(front, loc);
    while (entry && entry->kind != SRC_FILE) {
        loc = entry->expansion;
        entry = pp_source_entry(front, loc);
    }
    return loc;
}

bool pp_source_in_macro(struct clc_front *front, src_loc loc)
{
    const struct src_entry *entry = pp_source_entry(front, loc);
    return entry && entry->kind != SRC_FILE;
}

bool pp_source_in_macro_body(struct clc_front *front, src_loc loc)
{
    const struct src_entry *entry = pp_source_entry(front, loc);
    return entry && entry->kind == SRC_EXPANSION;
}

bool pp_source_together(struct clc_front *front, src_loc a, src_loc b)
{
    const struct src_entry *entry = pp_source_entry(front, a);
    return entry == pp_source_entry(front, b);
}

bool pp_source_in_header(struct clc_front *front, src_loc loc)
{
    const struct src_entry *entry = pp_source_entry(front, pp_source_file_loc(front, loc));
    return entry && entry->file->included_from;
}

src_loc pp_source_expansion_end(struct clc_front *front, src_loc loc)
{
    const struct src_entry *entry = pp_source_entry(front, loc);
    while (entry && entry->kind != SRC_FILE) {
        loc = entry->expansion_end;
        entry = pp_source_entry(front, loc);
    }
    return loc;
}

src_loc pp_source_file_loc(struct clc_front *front, src_loc loc)
{
    const struct src_entry *entry = pp_source_entry(front, loc);
    while (entry && entry->kind != SRC_FILE) {
        loc = entry->kind == SRC_ARGUMENT ? entry->spelling + (loc - entry->base) : entry->expansion;
        entry = pp_source_entry(front, loc);
    }
    return loc;
}

src_loc pp_source_spelling(struct clc_front *front, src_loc loc)
{
    const struct src_entry *entry = pp_source_entry(front, loc);
    while (entry && entry->kind != SRC_FILE) {
        loc = entry->spelling + (loc - entry->base);
        entry = pp_source_entry(front, loc);
    }
    return loc;
}

const char *pp_source_text(struct clc_front *front, src_loc loc)
{
    loc = pp_source_spelling(front, loc);
    const struct src_entry *entry = pp_source_entry(front, loc);
    if (!entry)
        return "";
    uint32_t offset = loc - entry->base;
    return entry->file->text + (offset < entry->file->length ? offset : entry->file->length);
}

/* The line table of scratch space is made anew each time, since scratch space grows while its table is in use. Each
 * finished token in it is a line. */
static void make_line_table(struct clc_front *front, struct src_file *file)
{
    file->lines.length = 0;
    vec_push(front->arena, &file->lines, 0u);
    const char *text = file->text, *at = text, *end = text + file->length;
    if (file->scratch) {
        for (; at < end; at++) {
            if (!*at)
                vec_push(front->arena, &file->lines, (uint32_t)(at - text) + 1);
        }
        return;
    }
    bool returns = memchr(text, '\r', file->length) != NULL;
    if (!returns) {
        while ((at = memchr(at, '\n', (size_t)(end - at)))) {
            at++;
            vec_push(front->arena, &file->lines, (uint32_t)(at - text));
        }
        return;
    }
    for (; at < end; at++) {
        if (*at == '\n' || (*at == '\r' && at[1] != '\n'))
            vec_push(front->arena, &file->lines, (uint32_t)(at - text) + 1);
    }
}

static uint32_t find_line(const uint32_t *lines, uint32_t count, uint32_t offset)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct src_position pp_source_file_position(struct clc_front *front, const struct src_file *file, uint32_t offset,
                                            bool presumed)
{
    struct src_file *made = (struct src_file *)(uintptr_t)file;
    if (!file->lines.length || file->scratch)
        make_line_table(front, made);
    if (offset > file->length)
        offset = file->length;
    uint32_t line = find_line(file->lines.data, file->lines.length, offset);
    uint32_t start = file->lines.data[line];
    struct src_position position = {file->name, line + 1, offset - start + 1, file->text + start, 0};
    const char *end = position.line_text;
    if (!file->scratch &&
        line + 1 <
            file->lines.length) /* all but its line break; long lines are common in macros' and machines' output */
        end = file->text + file->lines.data[line + 1];
    else if (!file->scratch)
        end = file->text + file->length;
    while (end > position.line_text && !file->scratch && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    while (file->scratch && end < file->text + file->length && *end != '\n' && *end != '\r' &&
           !(file->scratch && !*end))
        end++;
    position.line_length = (uint32_t)(end - position.line_text);
    for (uint32_t i = file->marks.length; presumed && i > 0; i--) {
        const struct line_mark *mark = &file->marks.data[i - 1];
        if (mark->offset > offset)
            continue;
        position.line = mark->line + (line - find_line(file->lines.data, file->lines.length, mark->offset));
        if (mark->name)
            position.file = mark->name;
        break;
    }
    return position;
}

struct src_position pp_source_position(struct clc_front *front, src_loc loc)
{
    loc = pp_source_file_loc(front, loc);
    const struct src_entry *entry = pp_source_entry(front, loc);
    if (!entry)
        return (struct src_position){"<unknown>", 1, 1, "", 0};
    return pp_source_file_position(front, entry->file, loc - entry->base, true);
}
