/* Program binaries. The checksum would stop every mutation, so each input is tried as it is and with its checksum put
 * right: what loads then must lower without harm, whatever its words say. */
#include "tests/fuzz/fuzz.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 40, CHECKSUM_AT = 32, NUM_WORDS_AT = 24, VERSION_AT = 8 };

static size_t seed_of(const char *source, size_t length, uint8_t **seed)
{
    struct clc_program *program = fuzz_compile(source, length);
    size_t size = 0;
    if (!program)
        return 0;
    void *data = NULL;
    if (clc_program_serialize(program, &data, &size) != CLC_SUCCESS)
        size = 0;
    *seed = data;
    clc_program_release(program);
    return size;
}

const struct fuzz_target fuzz_target = {.seed = seed_of, .code = HEADER};

static void load(const uint8_t *data, size_t size)
{
    struct clc_program *program;
    enum clc_result result = clc_program_deserialize(data, size, &program);
    if ((result == CLC_SUCCESS) != (program != NULL))
        fuzz_failed("the result does not fit the program", "");
    if (!program)
        return;
    size_t words;
    const uint32_t *spirv = clc_program_spirv(program, &words);
    char *invalid = clc_validate(spirv, words, "opencl");
    if (clc_program_kind(program) == CLC_PROGRAM_EXECUTABLE)
        fuzz_lower(program, !invalid);
    free(invalid);
    clc_program_release(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    load(data, size);
    if (size < HEADER)
        return 0;
    uint8_t *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    uint64_t num_words = (size - HEADER) / 4, seed, sum;
    uint32_t version;
    memcpy(copy + NUM_WORDS_AT, &num_words, 8);
    memcpy(&version, copy + VERSION_AT, 4);
    seed = hash_bytes64(copy, CHECKSUM_AT, version);
    sum = hash_bytes64(copy + HEADER, (size_t)num_words * 4, seed);
    memcpy(copy + CHECKSUM_AT, &sum, 8);
    load(copy, size);
    free(copy);
    return 0;
}
