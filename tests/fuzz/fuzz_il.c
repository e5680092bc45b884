/* SPIR-V as clCreateProgramWithIL takes it: what is accepted lowers to valid Vulkan SPIR-V or is refused with a reason,
 * and comes back from a binary. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static size_t seed_of(const char *source, size_t length, uint8_t **seed)
{
    struct clc_program *program = fuzz_compile(source, length);
    if (!program)
        return 0;
    size_t words;
    const uint32_t *spirv = clc_program_spirv(program, &words);
    *seed = malloc(words * 4);
    if (*seed)
        memcpy(*seed, spirv, words * 4);
    clc_program_release(program);
    return *seed ? words * 4 : 0;
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
