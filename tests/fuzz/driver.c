/* Drives a fuzz target without libFuzzer: seeds are made from the files given (OpenCL C, and for IL also SPIR-V's
 * text), and each input is a seed with a few random changes.
 *
 *     fuzz_TARGET [-n COUNT] [-s SEED] [-w FILE] FILE...      COUNT inputs, from SEED on
 *     fuzz_TARGET -c DIRECTORY FILE...                        writes the seeds there, for libFuzzer
 *
 * -w writes each input before it runs. A crash or a hang (over 20 s of processor time) prints the seed of the one
 * input, to be repeated with -n 1 -s SEED. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEDS = 256, MAX_SOURCE = 1 << 16, MAX_INPUT = 1 << 20 };

static struct {
    uint8_t *data;
    size_t size;
} seeds[MAX_SEEDS];
static size_t num_seeds;
static unsigned failures;

void fuzz_failed(const char *what, const char *detail)
{
    printf("seed %llu: %s: %s\n", current_seed, what, detail);
    failures++;
}

static bool read_seed(const char *path)
{
    static char source[MAX_SOURCE];
    FILE *file = fopen(path, "rb");
    if (!file || num_seeds == MAX_SEEDS) {
        perror(path);
        return false;
    }
    size_t length = fread(source, 1, sizeof(source) - 1, file);
    source[length] = '\0';
    fclose(file);
    uint8_t *data = NULL;
    size_t size = fuzz_target.seed(source, length, &data);
    if (size && size < MAX_INPUT) {
        seeds[num_seeds].data = data;
        seeds[num_seeds++].size = size;
    } else {
        free(data);
    }
    return true;
}

static bool write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file) != 0)
        written = false;
    if (!written)
        perror(path);
    return written;
}

static bool write_corpus(const char *directory)
{
    for (size_t i = 0; i < num_seeds; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%zu", directory, i);
        if (!write_file(path, seeds[i].data, seeds[i].size))
            return false;
    }
    return true;
}

static void run_one(const char *keep)
{
    static uint8_t input[MAX_INPUT];
    uint64_t state = current_seed * 0x2545f4914f6cdd1du;
    size_t from = fuzz_below(&state, num_seeds), size = seeds[from].size;
    memcpy(input, seeds[from].data, size);
    if (fuzz_target.code == FUZZ_BYTES) { /* others, rather than these with a few changes */
        size = 64 + fuzz_below(&state, 2000);
        for (size_t i = 0; i < size; i++)
            input[i] = (uint8_t)fuzz_random(&state);
    }
    for (size_t n = fuzz_below(&state, 5) + (current_seed > 1); n; n--) {
        if (fuzz_target.code == FUZZ_BYTES)
            size = fuzz_mutate_text(input, size, sizeof(input), &state);
        else if (fuzz_target.code == FUZZ_TEXT)
            size = (fuzz_below(&state, 4) ? fuzz_mutate_tokens : fuzz_mutate_text)(input, size, sizeof(input), &state);
        else
            size = fuzz_mutate_spirv(input, size, sizeof(input), fuzz_target.code, &state);
    }
    if (keep)
        write_file(keep, input, size);
    uint8_t *exact = malloc(size ? size : 1); /* a sanitizer sees reads past the end */
    if (exact) {
        memcpy(exact, input, size);
        limit_time(20);
        LLVMFuzzerTestOneInput(exact, size);
        limit_time(0);
    }
    free(exact);
}

int main(int argc, char **argv)
{
    unsigned long count = 1000;
    unsigned long long seed = 1;
    const char *keep = NULL, *corpus = NULL;
    int option;
    while ((option = getopt(argc, argv, "n:s:w:c:")) != -1) {
        if (option == 'n')
            count = strtoul(optarg, NULL, 0);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 0);
        else if (option == 'w')
            keep = optarg;
        else if (option == 'c')
            corpus = optarg;
        else
            return 2;
    }
    for (int i = optind; i < argc; i++) {
        if (!read_seed(argv[i]))
            return 2;
    }
    if (!num_seeds)
        return 2;
    if (corpus)
        return !write_corpus(corpus);
    watch_signals();
    for (unsigned long i = 0; i < count; i++) {
        current_seed = seed + i;
        run_one(keep);
    }
    for (size_t i = 0; i < num_seeds; i++)
        free(seeds[i].data);
    printf("%lu inputs from %zu seeds: %u failures\n", count, num_seeds, failures);
    return failures != 0;
}
