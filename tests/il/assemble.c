/* Makes a binary of SPIR-V's text, for instructions that the system's spirv-as may be too old for.
 * usage: assemble CASE.spvasm CASE.spv */
#include "compiler/spv/spv.h"
#include "tests/support/file.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    size_t size, count;
    const char *error;
    if (argc != 3)
        return 2;
    char *text = test_need_file(argv[1], &size);
    jmp_buf out_of_memory;
    struct arena arena;
    arena_init(&arena, &out_of_memory, 0);
    if (setjmp(out_of_memory))
        return 1;
    uint32_t *words = spv_assemble(&arena, text, &count, &error);
    FILE *file = words ? fopen(argv[2], "wb") : NULL;
    bool written = file && fwrite(words, sizeof(*words), count, file) == count;
    written = file && fclose(file) == 0 && written;
    if (!written)
        fprintf(stderr, "%s: %s\n", argv[1], words ? "cannot be written" : error);
    arena_finish(&arena);
    free(text);
    return !written;
}
