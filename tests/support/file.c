#include "file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Doubles the room until a read comes back short: pipes and /proc have no size to ask for. */
static char *read_all(FILE *file, size_t *length)
{
    size_t room = 1 << 16, used = 0;
    char *text = malloc(room);
    while (text) {
        used += fread(text + used, 1, room - 1 - used, file);
        if (used < room - 1)
            break;
        char *larger = realloc(text, room *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    if (text && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (text)
        text[used] = '\0';
    *length = used;
    return text;
}

char *test_read_file(const char *path, size_t *length)
{
    size_t used = 0;
    FILE *file = fopen(path, "rb");
    char *text = file ? read_all(file, &used) : NULL;
    if (!text)
        perror(path);
    if (file)
        fclose(file);
    if (length)
        *length = used;
    return text;
}

char *test_need_file(const char *path, size_t *length)
{
    char *text = test_read_file(path, length);
    if (!text)
        exit(1);
    return text;
}

bool test_file_exists(const char *path)
{
    return access(path, R_OK) == 0;
}
