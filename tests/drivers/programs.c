/* See programs.h. */
#include "tests/drivers/programs.h"

#include "base/spirv.h"
#include "tests/support/file.h"
#include "tools/testfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = need(malloc(size));
    snprintf(text, size, "%s%s", a, b);
    return text;
}

static char *directory_of(const char *path)
{
    char *directory = join(path, "");
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
    return slash ? directory : (free(directory), join(".", ""));
}

static struct program *add(struct programs *programs, const char *path, const char *options)
{
    if (programs->count == programs->capacity) {
        programs->capacity = programs->capacity ? programs->capacity * 2 : 64;
        programs->list = need(realloc(programs->list, programs->capacity * sizeof(*programs->list)));
    }
    struct program *program = &programs->list[programs->count++];
    *program = (struct program){.options = join(options, ""), .directory = directory_of(path)};
    return program;
}

/* Each paragraph with the text that is common to all. */
static bool add_paragraphs(struct programs *programs, const char *path)
{
    struct test_file file;
    if (!test_file_read(path, &file))
        return false;
    for (uint32_t i = 0; i < file.num_cases; i++) {
        const struct test_case *test = &file.cases[i];
        struct program *program = add(programs, path, test->options);
        const char *slash = strrchr(path, '/');
        char *name = join(slash ? slash + 1 : path, ":");
        program->name = join(name, test->name);
        free(name);
        program->text = join(test->source, "");
        program->size = strlen(program->text);
        program->may_be_refused = test->build_fails || test->require[0] || test->todo[0];
    }
    test_file_free(&file);
    return true;
}

bool programs_add(struct programs *programs, const char *path, const char *options, bool may_be_refused)
{
    size_t size;
    char *text = test_read_file(path, &size);
    uint32_t magic = 0;
    if (!text)
        return false;
    if (strstr(text, "//! test:")) {
        free(text);
        return add_paragraphs(programs, path);
    }
    if (size >= sizeof(magic))
        memcpy(&magic, text, sizeof(magic));
    struct program *program = add(programs, path, options);
    program->name = join(path, "");
    program->text = text;
    program->size = size;
    program->is_il = magic == SPIRV_MAGIC;
    program->may_be_refused = may_be_refused || program->is_il;
    return true;
}

bool programs_add_list(struct programs *programs, const char *path)
{
    char *text = test_read_file(path, NULL);
    bool fine = text != NULL;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        next = next ? (*next = '\0', next + 1) : line + strlen(line);
        char *tab = strchr(line, '\t');
        if (tab)
            *tab = '\0';
        if (*line)
            fine = programs_add(programs, line, tab ? tab + 1 : "", true) && fine;
    }
    free(text);
    return fine;
}

static void program_finish(struct program *program)
{
    free(program->name);
    free(program->options);
    free(program->text);
    free(program->directory);
}

void programs_thin(struct programs *programs, uint32_t every)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < programs->count; i++) {
        if (i % every == 0)
            programs->list[kept++] = programs->list[i];
        else
            program_finish(&programs->list[i]);
    }
    programs->count = kept;
}

void programs_finish(struct programs *programs)
{
    for (uint32_t i = 0; i < programs->count; i++)
        program_finish(&programs->list[i]);
    free(programs->list);
}
