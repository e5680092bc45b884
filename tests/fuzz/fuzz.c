/* What the fuzz targets share: mutations that know SPIR-V's instructions, and lowering with a check of what comes out.
 */
#include "tests/fuzz/fuzz.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

uint64_t fuzz_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

size_t fuzz_below(uint64_t *state, size_t n)
{
    return n ? (size_t)(fuzz_random(state) % n) : 0;
}

/* The first word of a random instruction, *length its words; count when there is none. */
static size_t pick_instruction(const uint32_t *words, size_t count, uint64_t *state, size_t *length)
{
    size_t instructions = 0;
    for (size_t i = 5; i < count && words[i] >> 16; i += words[i] >> 16)
        instructions++;
    size_t wanted = fuzz_below(state, instructions), at = 5;
    for (; wanted && at < count; wanted--)
        at += words[at] >> 16;
    *length = at < count ? words[at] >> 16 : 0;
    if (at >= count || *length > count - at)
        return count;
    return at;
}

static void change_word(uint32_t *words, size_t count, size_t at, uint64_t *state)
{
    static const uint32_t numbers[] = {0,  1,  2,  3,  4,   7,     8,          16,         17,
                                       31, 32, 33, 64, 255, 65535, 0x7fffffff, 0x80000000, ~0u};
    switch (fuzz_below(state, 6)) {
    case 0:
        words[at] ^= 1u << fuzz_below(state, 32);
        break;
    case 1:
        words[at] = words[fuzz_below(state, count)];
        break;
    case 2:
        words[at] = numbers[fuzz_below(state, ARRAY_LENGTH(numbers))];
        break;
    case 3: /* another id */
        words[at] = count > 3 ? (uint32_t)fuzz_below(state, words[3]) : 1;
        break;
    case 4:
        words[at] += (uint32_t)fuzz_below(state, 9) - 4;
        break;
    default:
        words[at] = (uint32_t)fuzz_below(state, 100);
    }
}

/* Puts the length words at words + from in again at to; the new count. */
static size_t repeat_words(uint32_t *words, size_t count, size_t max, size_t from, size_t length, size_t to)
{
    uint32_t copy[64];
    if (length > ARRAY_LENGTH(copy) || count + length > max)
        return count;
    memcpy(copy, words + from, length * 4);
    memmove(words + to + length, words + to, (count - to) * 4);
    memcpy(words + to, copy, length * 4);
    return count + length;
}

static size_t mutate_words(uint32_t *words, size_t count, size_t max, uint64_t *state)
{
    size_t length, other, at = pick_instruction(words, count, state, &length);
    size_t to = pick_instruction(words, count, state, &other);
    size_t choice = fuzz_below(state, 16);
    if (count == 0)
        return 0;
    if (at == count || choice == 0) {
        change_word(words, count, fuzz_below(state, count), state);
    } else if (choice < 9 && length > 1) { /* an operand */
        change_word(words, count, at + 1 + fuzz_below(state, length - 1), state);
    } else if (choice < 11) { /* another opcode, near or of this module */
        uint32_t op =
            choice == 9 ? (words[at] & 0xffff) + (uint32_t)fuzz_below(state, 9) - 4 : words[to < count ? to : at];
        words[at] = (words[at] & 0xffff0000u) | (op & 0xffff);
    } else if (choice == 11) { /* an instruction away */
        memmove(words + at, words + at + length, (count - at - length) * 4);
        return count - length;
    } else if (choice < 14 && to < count) { /* an instruction again, elsewhere */
        return repeat_words(words, count, max, at, length, to);
    } else if (choice == 14) { /* an operand more or less */
        if (fuzz_below(state, 2) && length > 1) {
            memmove(words + at + length - 1, words + at + length, (count - at - length) * 4);
            words[at] -= 1u << 16;
            return count - 1;
        }
        size_t grown = repeat_words(words, count, max, fuzz_below(state, count), 1, at + length);
        words[at] += grown > count ? 1u << 16 : 0;
        return grown;
    } else if (!fuzz_below(state, 8)) { /* the end cut off */
        return fuzz_below(state, count);
    }
    return count;
}

size_t fuzz_mutate_spirv(uint8_t *data, size_t size, size_t max_size, size_t code, uint64_t *state)
{
    if (size < code + 24 || !fuzz_below(state, 200))
        return fuzz_mutate_text(data, size, max_size, state);
    size_t count = (size - code) / 4, max = (max_size - code) / 4;
    uint32_t *words = malloc(max * 4);
    if (!words)
        return size;
    memcpy(words, data + code, count * 4);
    count = mutate_words(words, count, max, state);
    memcpy(data + code, words, count * 4);
    free(words);
    return code + count * 4;
}

size_t fuzz_mutate_text(uint8_t *data, size_t size, size_t max_size, uint64_t *state)
{
    size_t at = fuzz_below(state, size + 1), run = fuzz_below(state, 24);
    run = run > size - at ? size - at : run;
    switch (fuzz_below(state, 5)) {
    case 0:
        if (at < size)
            data[at] ^= (uint8_t)(1u << fuzz_below(state, 8));
        return size;
    case 1:
        if (at < size)
            data[at] = (uint8_t)fuzz_random(state);
        return size;
    case 2: /* a run away */
        memmove(data + at, data + at + run, size - at - run);
        return size - run;
    case 3: { /* a run twice */
        uint8_t copy[24];
        size_t to = fuzz_below(state, size + 1);
        if (size + run > max_size)
            return size;
        memcpy(copy, data + at, run);
        memmove(data + to + run, data + to, size - to);
        memcpy(data + to, copy, run);
        return size + run;
    }
    default: /* a byte in, of the printable ones */
        if (size == max_size)
            return size;
        memmove(data + at + 1, data + at, size - at);
        data[at] = (uint8_t)(' ' + fuzz_below(state, 95));
        return size + 1;
    }
}

struct clc_program *fuzz_compile(const char *source, size_t length)
{
    struct clc_target target;
    clc_target_default(&target);
    struct clc_compile_args args = {
        .strings = &source, .lengths = &length, .num_strings = 1, .options = "-cl-std=CL3.0", .target = &target};
    struct clc_program *program = NULL;
    char *log = NULL;
    if (!length || clc_compile(&args, &program, &log) != CLC_SUCCESS)
        program = NULL;
    free(log);
    return program;
}

/* The device multiplies matrices, and kernels that mutation has left something of that can have them. */
static void have_matrices(struct clc_target *target)
{
    static const struct clc_matrix_variant own[] = {
        {16, 16, 16, CLC_NUMBER_F16, CLC_NUMBER_F16, CLC_NUMBER_F32, CLC_NUMBER_F32, false},
        {8, 8, 8, CLC_NUMBER_U32, CLC_NUMBER_U32, CLC_NUMBER_U32, CLC_NUMBER_U32, false},
        {8, 8, 8, CLC_NUMBER_F16, CLC_NUMBER_F16, CLC_NUMBER_F32, CLC_NUMBER_F32, false},
        {16, 16, 16, CLC_NUMBER_BF16, CLC_NUMBER_BF16, CLC_NUMBER_F32, CLC_NUMBER_F32, false},
    };
    target->cooperative_matrix = true;
    target->usual_subgroup_size = 32;
    target->num_matrices = sizeof(own) / sizeof(own[0]);
    memcpy(target->matrices, own, sizeof(own));
}

void fuzz_lower(const struct clc_program *program, bool check)
{
    struct clc_target target;
    clc_target_default(&target);
    have_matrices(&target);
    struct clc_lower_options options = {.target = &target};
    for (uint32_t i = 0; i < clc_program_num_kernels(program); i++) {
        struct clc_lowered *lowered = NULL;
        char *message = NULL;
        const char *name = clc_program_kernel(program, i)->name;
        enum clc_result result = clc_lower(program, name, &options, &lowered, &message);
        if ((result == CLC_SUCCESS) != (lowered != NULL))
            fuzz_failed("lowering's result does not fit its module", name);
        if (result != CLC_SUCCESS && result != CLC_OUT_OF_MEMORY && (!message || !*message))
            fuzz_failed("lowering failed without a message", name);
        char *invalid = lowered && check ? clc_validate(lowered->words, lowered->num_words, "vulkan") : NULL;
        if (invalid)
            fuzz_failed("invalid Vulkan SPIR-V", invalid);
        free(invalid);
        free(message);
        clc_lowered_destroy(lowered);
    }
}

#ifdef FUZZ_LIBFUZZER
#include <stdio.h>

void fuzz_failed(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint64_t state = seed;
    if (!(seed % 4) || fuzz_target.code == FUZZ_BYTES)
        return LLVMFuzzerMutate(data, size, max_size);
    if (fuzz_target.code == FUZZ_TEXT) {
        for (size_t n = 1 + fuzz_below(&state, 3); n; n--)
            size = fuzz_mutate_tokens(data, size, max_size, &state);
        return size;
    }
    return fuzz_mutate_spirv(data, size, max_size, fuzz_target.code, &state);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t size, const uint8_t *second, size_t second_size,
                                 uint8_t *out, size_t max_size, unsigned int seed)
{
    uint64_t state = seed;
    if (fuzz_target.code == FUZZ_TEXT)
        return fuzz_cross_tokens(first, size, second, second_size, out, max_size, &state);
    size = size > max_size ? max_size : size; /* words of another module seldom mean anything here */
    memcpy(out, first, size);
    return size;
}
#endif
