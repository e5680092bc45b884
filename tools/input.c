/* See input.h. */
#include "input.h"

#include "base/platform.h"
#include "base/spirv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- options ---- */

/* Build options come as words; the compiler takes one text, where quotes keep blanks. */
bool input_add_option(char **options, const char *word)
{
    size_t old = *options ? strlen(*options) : 0;
    char *text = realloc(*options, old + 2 * strlen(word) + 4);
    if (!text)
        return false;
    *options = text;
    bool quote = strpbrk(word, " \t\"\\") != NULL;
    char *at = text + old;
    if (old)
        *at++ = ' ';
    if (quote)
        *at++ = '"';
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            *at++ = '\\';
        *at++ = *word;
    }
    if (quote)
        *at++ = '"';
    *at = '\0';
    return true;
}

bool input_takes_value(const char *argument)
{
    return !strcmp(argument, "-D") || !strcmp(argument, "-U") || !strcmp(argument, "-I") || !strcmp(argument, "-x");
}

/* ---- the file ---- */

/* As clang has it, quoted includes are looked for beside the file that has them. */
static bool find_directory(struct input *input, const char *path)
{
    const char *slash = platform_last_slash(path);
    input->directory = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    return input->directory != NULL;
}

/* A file's length is known, and read at once; a pipe's grows. */
static bool read_all(struct input *input, int file)
{
    struct stat status;
    size_t capacity = fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size + 1 : 0;
    input->text = capacity ? malloc(capacity) : NULL;
    for (;;) {
        if (!input->text || input->size == capacity) {
            capacity = capacity ? capacity * 2 : 131072;
            char *text = realloc(input->text, capacity);
            if (!text)
                return false;
            input->text = text;
        }
        ssize_t got = read(file, input->text + input->size, capacity - input->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return !got;
        input->size += (size_t)got;
    }
}

bool input_read(const char *command, struct input *input, const char *path)
{
    bool standard = !strcmp(path, "-");
    int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        fprintf(stderr, "pumice %s: cannot read '%s': %s\n", command, path, strerror(errno));
        return false;
    }
    bool fine = read_all(input, file) && find_directory(input, path);
    if (!fine)
        fprintf(stderr, "pumice %s: cannot read '%s'\n", command, path);
    if (!standard)
        close(file);
    return fine;
}

void input_finish(struct input *input)
{
    free(input->text);
    free(input->directory);
}

bool input_is_il(const struct input *input)
{
    uint32_t first = 0;
    if (input->size >= 4)
        memcpy(&first, input->text, 4);
    return first == SPIRV_MAGIC || first == __builtin_bswap32(SPIRV_MAGIC);
}
