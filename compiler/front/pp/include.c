/* #include (C99, 6.10.2). A name is looked for among the headers given to clCompileProgram, then beside the including
 * file ("name" only; the source itself lies nowhere, unless the caller says where), then in the -I directories in
 * order, then in the current directory (OpenCL 3.0 API, 5.8.6.1 and 5.8.2).
 *
 * Only regular files are read; each is read once and kept. */
#include "compiler/front/pp/log.h"
#include "compiler/front/pp/pp.h"

#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct loaded_file *find_loaded(struct pp *pp, const char *path)
{
    vec_foreach (struct loaded_file, file, &pp->files) {
        if (strcmp(file->path, path) == 0)
            return file;
    }
    return NULL;
}

static const char *directory_of(struct arena *arena, const char *path)
{
    const char *slash = platform_last_slash(path);
    return slash ? arena_strndup(arena, path, (size_t)(slash - path)) : ".";
}

/* Reads a regular file of known size; NULL when it is none, is too large, or changes its mind. */
static const char *read_file(struct pp *pp, const char *path, struct stat *status, size_t *length)
{
    /* no descriptor is held while the arena may jump for want of memory */
    if (stat(path, status) != 0 || !S_ISREG(status->st_mode) || status->st_size > PP_MAX_SOURCE)
        return NULL;
    size_t size = (size_t)status->st_size, have = 0;
    char *text = arena_alloc_uncleared(pp->front->arena, size + 1, 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    while (have < size) {
        ssize_t got = read(fd, text + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    close(fd);
    *length = have;
    text[have] = '\0';
    return text;
}

static struct loaded_file *load(struct pp *pp, const char *path, uint32_t search_index)
{
    struct loaded_file *known = find_loaded(pp, path);
    if (known)
        return known;
    struct stat status;
    size_t length;
    const char *text = read_file(pp, path, &status, &length);
    if (!text)
        return NULL;
    struct loaded_file file = {.path = path, .text = text, .length = length, .search_index = search_index};
    file.directory = directory_of(pp->front->arena, path);
    file.device = (uint64_t)status.st_dev;
    file.inode = (uint64_t)status.st_ino;
    vec_foreach (struct loaded_file, other, &pp->files) /* the same file by another path */
    {
        if (other->inode && other->device == file.device && other->inode == file.inode && other->once)
            return other;
    }
    vec_push(pp->front->arena, &pp->files, file);
    return &vec_last(&pp->files);
}

/* "./a" and "a//b" name what "a" and "a/b" name. */
static const char *plain_name(struct arena *arena, const char *name, size_t length)
{
    char *copy = arena_strndup(arena, name, length);
    while (copy[0] == '.' && copy[1] == '/') {
        copy += 2;
        while (*copy == '/')
            copy++;
    }
    return copy;
}

static struct loaded_file *find_embedded(struct pp *pp, const char *name, size_t length)
{
    const struct clc_compile_args *args = pp->front->args;
    struct arena *arena = pp->front->arena;
    if (!args->num_headers)
        return NULL;
    const char *wanted = plain_name(arena, name, length);
    for (uint32_t i = 0; i < args->num_headers; i++) {
        const struct clc_header *header = &args->headers[i];
        if (strcmp(plain_name(arena, header->name, strlen(header->name)), wanted) != 0)
            continue;
        const char *path = arena_printf(arena, "%s", header->name);
        struct loaded_file *known = find_loaded(pp, path);
        if (known)
            return known;
        size_t size = header->length ? header->length : strlen(header->text);
        struct loaded_file file = {.path = path, .text = arena_strndup(arena, header->text, size), .length = size};
        vec_push(arena, &pp->files, file);
        return &vec_last(&pp->files);
    }
    return NULL;
}

static struct loaded_file *find_header(struct pp *pp, const char *name, size_t length, bool angled, bool next)
{
    struct clc_front *front = pp->front;
    const struct lexer *lexer = pp_lexer(pp);
    uint32_t first = next ? lexer->search_index + 1 : 0;
    struct loaded_file *file = next ? NULL : find_embedded(pp, name, length);
    if (file)
        return file;
    const char *whole = arena_strndup(front->arena, name, length);
    if (platform_is_absolute(whole))
        return load(pp, whole, 0);
    if (!angled && !next && lexer->file->directory) {
        file = load(pp, arena_printf(front->arena, "%s/%.*s", lexer->file->directory, (int)length, name),
                    lexer->search_index);
        if (file)
            return file;
    }
    uint32_t count = front->options.include_dirs.length;
    for (uint32_t i = first; i <= count; i++) { /* the last is the current directory */
        const char *directory = i < count ? front->options.include_dirs.data[i] : ".";
        file = load(pp, arena_printf(front->arena, "%s/%.*s", directory, (int)length, name), i);
        if (file)
            return file;
    }
    return NULL;
}

bool pp_include_exists(struct pp *pp, const char *name, size_t length, bool angled, bool next)
{
    return length && length < 4096 && !memchr(name, '\0', length) && find_header(pp, name, length, angled, next);
}

/* The name of <...> spelled by tokens: their spellings, with one blank where there was any. first is '<'. */
static bool name_of_tokens(struct pp *pp, struct pp_token *first, struct str *name)
{
    struct pp_token token;
    for (;;) {
        const char *text;
        uint32_t length;
        pp_expanded(pp, &token);
        if (token.kind == TOKEN_GREATER)
            return true;
        if (token.kind == PP_END_OF_LINE || token.kind == TOKEN_END || name->length > 4096) {
            pp_error(pp->front, token.loc, "expected '>'");
            pp_note(pp->front, first->loc, "to match this '<'");
            return false;
        }
        if (name->length && (token.flags & PP_SPACE))
            str_putc(name, ' ');
        pp_token_spelling(&token, &text, &length);
        str_append(name, text, length);
    }
}

bool pp_include_name(struct pp *pp, struct pp_token *first, const char **name, size_t *length, bool *angled)
{
    *angled = false;
    if (first->kind == TOKEN_STRING && first->length >= 2 && (first->text[0] == '"' || first->text[0] == '<')) {
        *angled = first->text[0] == '<';
        *name = first->text + 1;
        *length = first->length - 2;
    } else if (first->kind == TOKEN_LESS) {
        struct str text;
        str_init(&text, pp->front->arena);
        if (!name_of_tokens(pp, first, &text))
            return false;
        *angled = true;
        *name = str_text(&text);
        *length = text.length;
    } else {
        pp_error(pp->front, first->loc, "expected \"FILENAME\" or <FILENAME>");
        return false;
    }
    if (!*length) {
        pp_error(pp->front, first->loc, "empty filename");
        return false;
    }
    return true;
}

void pp_include_once(struct pp *pp, struct lexer *lexer)
{
    vec_foreach (struct loaded_file, file, &pp->files) {
        if (file->text == lexer->file->text)
            file->once = true;
    }
}

static void enter(struct pp *pp, const struct loaded_file *loaded, src_loc loc)
{
    struct clc_front *front = pp->front;
    if (pp->depth >= PP_MAX_INCLUDE_DEPTH)
        pp_fatal(front, loc, "#include nested too deeply");
    pp_count(pp, 64 + (uint32_t)(loaded->length / 64), loc);
    struct src_file *file = pp_source_enter(front, loaded->path, loaded->text, loaded->length, loc);
    file->directory = loaded->directory;
    struct lexer *lexer = arena_new(front->arena, struct lexer);
    pp_lexer_init(lexer, file);
    lexer->num_conditionals = pp->conditionals.length;
    lexer->search_index = loaded->search_index;
    pp_push(pp, &(struct pp_frame){.lexer = lexer});
    pp->depth++;
}

void pp_include(struct pp *pp, struct lexer *lexer, const struct pp_token *directive, bool next)
{
    struct clc_front *front = pp->front;
    struct pp_token token;
    const char *name;
    size_t length;
    bool angled;
    if (!pp_lex_header_name(pp, lexer, &token))
        pp_expanded(pp, &token);
    if (next && pp->depth == 1) {
        pp_warning(front, DIAG_GROUP_INCLUDE_NEXT_OUTSIDE_HEADER, directive->loc,
                   "#include_next in primary source file; will search from start of include path");
        next = false;
    }
    if (!pp_include_name(pp, &token, &name, &length, &angled)) {
        pp_directive_skip_rest(pp, lexer);
        return;
    }
    pp_directive_expect_end(pp, lexer, directive->ident->name);
    pp_directive_skip_rest(pp, lexer);
    struct loaded_file *file = NULL;
    if (length < 4096 && !memchr(name, '\0', length))
        file = find_header(pp, name, length, angled, next);
    if (!file)
        pp_fatal_range(front, token.loc, (struct src_range){token.loc, token.loc + token.length},
                       "'%.*s' file not found", length < 4096 ? (int)length : 4096, name);
    if (!file->once)
        enter(pp, file, token.loc);
}
