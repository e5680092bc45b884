/* Mutated kernels: takes OpenCL C files, changes them at random (bytes, tokens, lines, pieces of other files), compiles
 * each, and lowers every kernel of what compiles. Nothing may crash, hang or leak (run it under ASan), a failure must
 * have a log, and with SPIRV-Tools built in what is accepted must be valid.
 *
 *     mutate [-n COUNT] [-s SEED] [-v] FILE.cl...
 *
 * A crash or a hang (over 20 s of processor time) prints the seed of the one mutation, to be repeated with -n 1 -s
 * SEED. */
#include "base/util.h"
#include "compiler/clc.h"
#include "tests/fuzz/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 256, MAX_TEXT = 1 << 16 };

struct corpus {
    char *texts[MAX_FILES];
    size_t lengths[MAX_FILES];
    int count;
};

struct counts {
    unsigned compiled, refused, kernels, lowered, invalid;
};

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static size_t below(uint64_t *state, size_t n)
{
    return n ? (size_t)(next_random(state) % n) : 0;
}

static bool read_file(struct corpus *corpus, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || corpus->count == MAX_FILES) {
        perror(path);
        return false;
    }
    char *text = malloc(MAX_TEXT);
    corpus->lengths[corpus->count] = text ? fread(text, 1, MAX_TEXT / 2, file) : 0;
    corpus->texts[corpus->count++] = text;
    fclose(file);
    return text != NULL;
}

/* Replaces [at, at + removed) by inserted bytes; keeps within MAX_TEXT. */
static void splice(char *text, size_t *length, size_t at, size_t removed, const char *insert, size_t inserted)
{
    if (at > *length)
        at = *length;
    if (removed > *length - at)
        removed = *length - at;
    if (*length - removed + inserted >= MAX_TEXT)
        return;
    memmove(text + at + inserted, text + at + removed, *length - at - removed);
    memcpy(text + at, insert, inserted);
    *length += inserted - removed;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* The word or number around a random place, *count its bytes. */
static size_t pick_word(const char *text, size_t length, uint64_t *state, size_t *count)
{
    size_t at = below(state, length + 1), end;
    while (at < length && !is_word(text[at]))
        at++;
    while (at > 0 && is_word(text[at - 1]))
        at--;
    for (end = at; end < length && is_word(text[end]);)
        end++;
    *count = end - at;
    return at;
}

static void swap_words(char *text, size_t *length, uint64_t *state)
{
    char word[64];
    size_t count, removed, from = 0, to = pick_word(text, *length, state, &removed);
    for (int tries = 0; tries < 30; tries++) {
        from = pick_word(text, *length, state, &count);
        if (count && removed && (text[from] <= '9') == (text[to] <= '9'))
            break;
    }
    count = count > sizeof(word) ? sizeof(word) : count;
    memcpy(word, text + from, count);
    splice(text, length, to, removed, word, count);
}

static void mutate_once(char *text, size_t *length, const struct corpus *corpus, uint64_t *state)
{
    static const char *const pieces[] = {"(",
                                         ")",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ";",
                                         ",",
                                         "<",
                                         ">",
                                         "*",
                                         "&",
                                         "+",
                                         "-",
                                         "/",
                                         "%",
                                         "=",
                                         "==",
                                         "?",
                                         ":",
                                         ".",
                                         "->",
                                         "#",
                                         "##",
                                         "\\\n",
                                         "\"",
                                         "'",
                                         "0",
                                         "1",
                                         "-1",
                                         "0x7fffffff",
                                         "18446744073709551615u",
                                         "1e999f",
                                         "0.0f",
                                         "int",
                                         "float4",
                                         "double16",
                                         "half",
                                         "uchar3",
                                         "struct",
                                         "union",
                                         "enum",
                                         "typedef",
                                         "static",
                                         "const",
                                         "volatile",
                                         "restrict",
                                         "__local",
                                         "__global",
                                         "__constant",
                                         "__private",
                                         "kernel",
                                         "void",
                                         "return",
                                         "goto",
                                         "switch",
                                         "case",
                                         "default:",
                                         "for(;;)",
                                         "while(1)",
                                         "do",
                                         "break;",
                                         "continue;",
                                         "sizeof",
                                         "if(0)",
                                         "else",
                                         "__attribute__((",
                                         "packed",
                                         "aligned(1)",
                                         "\n#define A A A\n",
                                         "\n#if\n",
                                         "\n#endif\n",
                                         "\n#include \"x\"\n",
                                         "\n#pragma unroll 7\n",
                                         ".xyzw",
                                         ".s0123",
                                         ".hi",
                                         "(float4)",
                                         "(int *)",
                                         "barrier(3);",
                                         "get_global_id(0)",
                                         "printf(\"%d\",",
                                         "sin(",
                                         "convert_char4_sat(",
                                         "as_int("};
    size_t at = below(state, *length + 1);
    switch (below(state, 12)) {
    case 0: { /* a byte */
        char byte = (char)next_random(state);
        splice(text, length, at, 1, &byte, 1);
        break;
    }
    case 7:
    case 8:
    case 9:
    case 10: /* a word or number for another: most likely to compile */
        swap_words(text, length, state);
        break;
    case 1: /* a run away */
        splice(text, length, at, 1 + below(state, 12), "", 0);
        break;
    case 2:
    case 3: { /* a piece in */
        const char *piece = pieces[below(state, ARRAY_LENGTH(pieces))];
        splice(text, length, at, below(state, 4), piece, strlen(piece));
        break;
    }
    case 4: { /* a run twice */
        char run[64];
        size_t n = below(state, sizeof(run));
        n = n > *length - at ? *length - at : n;
        memcpy(run, text + at, n);
        splice(text, length, below(state, *length + 1), 0, run, n);
        break;
    }
    case 5: { /* a piece of another file */
        size_t other = below(state, (size_t)corpus->count), from = below(state, corpus->lengths[other] + 1);
        size_t n = below(state, 200);
        n = n > corpus->lengths[other] - from ? corpus->lengths[other] - from : n;
        splice(text, length, at, below(state, 40), corpus->texts[other] + from, n);
        break;
    }
    case 6: { /* two words change places */
        size_t to = below(state, *length + 1);
        if (at < *length && to < *length) {
            char t = text[at];
            text[at] = text[to];
            text[to] = t;
        }
        break;
    }
    default: /* the end cut off, now and then */
        if (!below(state, 20))
            *length = at;
        else
            splice(text, length, at, 0, "\n", 1);
    }
}

static void lower_kernels(struct clc_program *program, const struct clc_target *target, struct counts *counts)
{
    for (uint32_t i = 0; i < clc_program_num_kernels(program); i++) {
        struct clc_lower_options options = {.target = target};
        struct clc_lowered *lowered = NULL;
        char *message = NULL;
        counts->kernels++;
        if (clc_lower(program, clc_program_kernel(program, i)->name, &options, &lowered, &message) == CLC_SUCCESS) {
            char *invalid = clc_validate(lowered->words, lowered->num_words, "vulkan");
            counts->lowered++;
            if (invalid) {
                counts->invalid++;
                printf("seed %llu: kernel %s: %s\n", current_seed, clc_program_kernel(program, i)->name, invalid);
            }
            free(invalid);
        }
        clc_lowered_destroy(lowered);
        free(message);
    }
}

static void compile(const char *text, size_t length, const struct clc_target *target, struct counts *counts)
{
    struct clc_compile_args args = {.strings = &text,
                                    .lengths = &length,
                                    .num_strings = 1,
                                    .options = "-cl-std=CL3.0",
                                    .target = target,
                                    .memory_limit = 256u << 20};
    struct clc_program *program = NULL;
    char *log = NULL;
    /* a length of 0 means "up to the NUL" */
    enum clc_result result = length ? clc_compile(&args, &program, &log) : CLC_FAILED;
    if (result == CLC_SUCCESS) {
        size_t words;
        const uint32_t *spirv = clc_program_spirv(program, &words);
        char *invalid = clc_validate(spirv, words, "opencl");
        if (invalid) {
            counts->invalid++;
            printf("seed %llu: kernel SPIR-V: %s\n", current_seed, invalid);
        }
        free(invalid);
        counts->compiled++;
        lower_kernels(program, target, counts);
    } else {
        counts->refused++;
        if (length && result == CLC_FAILED && (!log || !*log)) {
            counts->invalid++;
            printf("seed %llu: refused without a log\n", current_seed);
        }
    }
    clc_program_release(program);
    free(log);
}

int main(int argc, char **argv)
{
    struct corpus corpus = {.count = 0};
    unsigned long count = 1000;
    unsigned long long seed = 1;
    bool verbose = false;
    int option;
    while ((option = getopt(argc, argv, "n:s:v")) != -1) {
        if (option == 'n')
            count = strtoul(optarg, NULL, 0);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 0);
        else if (option == 'v')
            verbose = true;
        else
            return 2;
    }
    for (int i = optind; i < argc; i++) {
        if (!read_file(&corpus, argv[i]))
            return 2;
    }
    if (!corpus.count)
        return 2;
    watch_signals();

    static char text[MAX_TEXT];
    struct clc_target target;
    struct counts counts = {0};
    clc_target_default(&target);
    for (unsigned long i = 0; i < count; i++) {
        current_seed = seed + i;
        uint64_t state = current_seed * 0x2545f4914f6cdd1du;
        size_t file = below(&state, (size_t)corpus.count), length = corpus.lengths[file];
        memcpy(text, corpus.texts[file], length);
        for (size_t m = below(&state, below(&state, 6) + 1) + (current_seed > 1); m > 0; m--)
            mutate_once(text, &length, &corpus, &state);
        if (verbose)
            printf("---- seed %llu\n%.*s\n", current_seed, (int)length, text);
        limit_time(20);
        compile(text, length, &target, &counts);
        limit_time(0);
    }
    for (int i = 0; i < corpus.count; i++)
        free(corpus.texts[i]);
    printf("%lu mutations: %u compiled, %u refused, %u kernels, %u lowered, %u invalid\n", count, counts.compiled,
           counts.refused, counts.kernels, counts.lowered, counts.invalid);
    return counts.invalid != 0;
}
