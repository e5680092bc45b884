/* SPIR-V as clCreateProgramWithIL takes it: what is accepted lowers to valid Vulkan SPIR-V or is refused with a reason,
 * and comes back from a binary. */
#include "tests/fuzz/fuzz.h"

#include "compiler/spv/spv.h"

#include <stdlib.h>
#include <string.h>

static size_t copy_of(const uint32_t *words, size_t count, uint8_t **seed)
{
    *seed = malloc(count * 4);
    if (*seed)
        memcpy(*seed, words, count * 4);
    return *seed ? count * 4 : 0;
}

static size_t assembled(const char *text, uint8_t **seed)
{
    jmp_buf out_of_memory;
    struct arena arena;
    size_t count;
    const char *error;
    arena_init(&arena, &out_of_memory, 0);
    if (setjmp(out_of_memory)) {
        arena_finish(&arena);
        return 0;
    }
    const uint32_t *words = spv_assemble(&arena, text, &count, &error);
    size_t size = words ? copy_of(words, count, seed) : 0;
    arena_finish(&arena);
    return size;
}

/* OpenCL C, or SPIR-V's text */
static size_t seed_of(const char *source, size_t length, uint8_t **seed)
{
    if (strstr(source, "OpMemoryModel"))
        return assembled(source, seed);
    struct clc_program *program = fuzz_compile(source, length);
    if (!program)
        return 0;
    size_t words;
    const uint32_t *spirv = clc_program_spirv(program, &words);
    size_t size = copy_of(spirv, words, seed);
    clc_program_release(program);
    return size;
}

const struct fuzz_target fuzz_target = {.seed = seed_of};

static void through_binary(const struct clc_program *program)
{
    void *data;
    size_t size;
    struct clc_program *again = NULL;
    if (clc_program_serialize(program, &data, &size) != CLC_SUCCESS)
        return;
    if (clc_program_deserialize(data, size, &again) == CLC_INVALID_BINARY)
        fuzz_failed("a program's own binary is refused", "");
    clc_program_release(again);
    free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct clc_target target;
    struct clc_program *program;
    char *log;
    const struct clc_spec_constant constant = {.id = 1, .size = 4, .value = 5};
    clc_target_default(&target);
    enum clc_result result = clc_program_from_il(data, size, "", &constant, 1, &target, false, &program, &log);
    if ((result == CLC_SUCCESS) != (program != NULL))
        fuzz_failed("the result does not fit the program", "");
    if (result != CLC_SUCCESS && result != CLC_OUT_OF_MEMORY && (!log || !*log))
        fuzz_failed("refused without a log", "");
    if (program && clc_program_kind(program) == CLC_PROGRAM_EXECUTABLE)
        fuzz_lower(program, true);
    if (program)
        through_binary(program);
    clc_program_release(program);
    free(log);
    return 0;
}
