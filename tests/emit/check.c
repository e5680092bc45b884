/* Compiles .cl files to kernel SPIR-V and checks it: valid for OpenCL, the same after a binary's round trip, and with
 * what the file expects. Directives are comments: "// options: ...", "// expect: TEXT", "// forbid: TEXT" (of the
 * disassembly), "// error: TEXT" (of the log; then it must fail). */
#include "compiler/clc.h"
#include "tests/support/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next directive's value in text, in a static buffer; NULL when there is none. */
static const char *directive(const char **text, const char *name)
{
    static char value[512];
    char prefix[32];
    snprintf(prefix, sizeof(prefix), "// %s: ", name);
    const char *at = strstr(*text, prefix);
    if (!at)
        return NULL;
    at += strlen(prefix);
    size_t length = strcspn(at, "\r\n");
    snprintf(value, sizeof(value), "%.*s", (int)length, at);
    *text = at + length;
    return value;
}

static bool check_text(const char *name, const char *source, const char *listing)
{
    bool fine = true;
    const char *at = source, *value;
    while ((value = directive(&at, "expect"))) {
        if (!strstr(listing, value)) {
            printf("%s: expected in the module: %s\n", name, value);
            fine = false;
        }
    }
    at = source;
    while ((value = directive(&at, "forbid"))) {
        if (strstr(listing, value)) {
            printf("%s: not expected in the module: %s\n", name, value);
            fine = false;
        }
    }
    return fine;
}

static bool same_after_round_trip(const struct clc_program *program)
{
    void *data;
    size_t size, count, count_again;
    struct clc_program *again = NULL;
    if (clc_program_serialize(program, &data, &size) != CLC_SUCCESS)
        return false;
    bool fine = clc_program_deserialize(data, size, &again) == CLC_SUCCESS;
    if (fine) {
        const uint32_t *words = clc_program_spirv(program, &count);
        const uint32_t *words_again = clc_program_spirv(again, &count_again);
        fine = count == count_again && !memcmp(words, words_again, count * 4) &&
               clc_program_num_kernels(program) == clc_program_num_kernels(again);
    }
    clc_program_release(again);
    for (size_t i = 0; i < size && fine; i += 1 + size / 64) { /* damage anywhere is found */
        ((unsigned char *)data)[i] ^= 0x40;
        fine = clc_program_deserialize(data, size, &again) == CLC_INVALID_BINARY;
        ((unsigned char *)data)[i] ^= 0x40;
    }
    for (size_t cut = 0; cut < size && fine; cut += 1 + size / 16)
        fine = clc_program_deserialize(data, cut, &again) == CLC_INVALID_BINARY;
    free(data);
    return fine;
}

static bool check_program(const char *name, const char *source, const struct clc_program *program)
{
    size_t count;
    const uint32_t *words = clc_program_spirv(program, &count);
    char *message = clc_validate(words, count, "opencl");
    char *listing = clc_disassemble(words, count);
    bool fine = !message;
    if (message)
        printf("%s: invalid SPIR-V: %s\n", name, message);
    fine = check_text(name, source, listing) && fine;
    if (!same_after_round_trip(program)) {
        printf("%s: the binary does not come back\n", name);
        fine = false;
    }
    free(listing);
    free(message);
    return fine;
}

static bool check_compile(const char *name, const char *source, const char *options, bool object)
{
    struct clc_target target;
    clc_target_default(&target);
    struct clc_compile_args args = {.strings = &source,
                                    .num_strings = 1,
                                    .options = options,
                                    .target = &target,
                                    .file_name = name,
                                    .compile_only = object};
    struct clc_program *program = NULL;
    char *log = NULL;
    const char *at = source;
    const char *error = directive(&at, "error");
    enum clc_result result = clc_compile(&args, &program, &log);
    bool fine;
    if (error) {
        fine = result == CLC_FAILED && log && strstr(log, error);
        if (!fine)
            printf("%s: expected to fail with: %s\n%s\n", name, error, log ? log : "");
    } else {
        fine = result == CLC_SUCCESS;
        if (!fine)
            printf("%s: does not compile:\n%s\n", name, log ? log : "out of memory");
        else
            fine = check_program(name, object ? "" : source, program);
    }
    free(log);
    clc_program_release(program);
    return fine;
}

int main(int argc, char **argv)
{
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        char *source = test_need_file(argv[i], NULL);
        char options[600];
        const char *at = source, *given = directive(&at, "options"), *end = source;
        snprintf(options, sizeof(options), "%s", given ? given : "");
        failures += !check_compile(argv[i], source, options, false);
        if (!directive(&end, "error"))
            failures += !check_compile(argv[i], source, options, true);
        strcat(options, " -g");
        failures += !check_compile(argv[i], source, options, false);
        free(source);
    }
    printf("%d files, %d failures\n", argc - 1, failures);
    return failures != 0;
}
