/* The sources that the programs of this folder take. */
#ifndef TESTS_EMIT_SOURCE_H
#define TESTS_EMIT_SOURCE_H

#include <stdio.h>
#include <stdlib.h>

/* At most 1 MiB, malloc'ed; ends the test where there is none. */
static char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    char *text = calloc(1, 1 << 20);
    if (!file || !text || !fread(text, 1, (1 << 20) - 1, file)) {
        perror(name);
        exit(1);
    }
    fclose(file);
    return text;
}

#endif
