/* `pumice compile`: OpenCL C (or kernel SPIR-V) in; tokens, tree, kernel SPIR-V or Vulkan SPIR-V out. Needs no device:
 * the target is a description. */
#include "compile.h"
#include "input.h"

#include "base/spirv.h"
#include "base/util.h"
#include "compiler/clc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_COMPILED, EXIT_WRONG_SOURCE, EXIT_USAGE };

struct request {
    const char *input, *output, *stage, *kernel, *device, *dump;
    const char *checks; /* as PUMICE_CHECK has them, of kernels alone; NULL: none */
    bool robust;
    char *options; /* for the build */
    bool time, object, validate;
    bool many;        /* output is a directory */
    uint32_t threads; /* 0: as many as are useful */
    struct input source;
    struct clc_target target;
    struct clc_timing timing;
    uint64_t output_time; /* ns */
};

static const char help[] =
    "usage: pumice compile FILE [OPTIONS]\n"
    "\n"
    "FILE is OpenCL C, kernel SPIR-V, or - for standard input. Text goes to standard output; -o writes the binary.\n"
    "\n"
    "  -o FILE          write SPIR-V (or the text of --stage=tokens and ast) to FILE; where it is a directory, each\n"
    "                   kernel to DIRECTORY/KERNEL.spv\n"
    "  --stage=STAGE    tokens, ast, kernel (OpenCL SPIR-V) or vulkan (the default)\n"
    "  --kernel=NAME    only this kernel (--stage=vulkan)\n"
    "  --device=NAME    default (everything offered), gpu (what the probe finds on NVIDIA's: an exact fma, no "
    "subnormal\n"
    "                   floats) or minimal (no 8, 16 or 64-bit types)\n"
    "  --check=WORDS    with the checks that PUMICE_CHECK=WORDS makes in kernels\n"
    "  --robust         as in a robust context\n"
    "  --dump=PASS      print the module after each lowering pass (all) or after one\n"
    "  -c               compile only: leave undefined functions to the linker\n"
    "  --validate       check the output with SPIRV-Tools\n"
    "  --time           say how long each part took\n"
    "  --threads=N      lower at most N kernels at a time (default: as many as there are processors)\n"
    "\n"
    "Everything else is a build option as clBuildProgram takes it: -D, -I, -cl-std=CL3.0, -cl-fast-relaxed-math...\n"
    "Exit code: 0 compiled, 1 the source is wrong, 2 bad usage or file.\n";

/* ---- arguments ---- */

static const char *value_of(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool read_threads(struct request *request, const char *value)
{
    char *end;
    unsigned long threads = strtoul(value, &end, 10);
    request->threads = threads < 1000 ? (uint32_t)threads : 1000;
    return *value >= '0' && *value <= '9' && !*end;
}

static bool own_option(struct request *request, const char *argument)
{
    const char *value;
    if ((value = value_of(argument, "--stage")))
        request->stage = value;
    else if ((value = value_of(argument, "--kernel")))
        request->kernel = value;
    else if ((value = value_of(argument, "--device")))
        request->device = value;
    else if ((value = value_of(argument, "--check")))
        request->checks = value;
    else if (!strcmp(argument, "--robust"))
        request->robust = true;
    else if ((value = value_of(argument, "--dump")))
        request->dump = value;
    else if ((value = value_of(argument, "--threads")))
        return read_threads(request, value);
    else if (!strcmp(argument, "--time"))
        request->time = true;
    else if (!strcmp(argument, "--validate"))
        request->validate = true;
    else if (!strcmp(argument, "-c"))
        request->object = true;
    else
        return false;
    return true;
}

static bool parse_arguments(struct request *request, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *argument = argv[i];
        if (!strcmp(argument, "-o") && i + 1 < argc) {
            request->output = argv[++i];
        } else if (own_option(request, argument)) {
            continue;
        } else if (!strncmp(argument, "--", 2)) {
            fprintf(stderr, "pumice compile: unknown option '%s'\n", argument);
            return false;
        } else if (argument[0] == '-' && argument[1]) {
            if (!input_add_option(&request->options, argument))
                return false;
            if (input_takes_value(argument) && i + 1 < argc && !input_add_option(&request->options, argv[++i]))
                return false;
        } else if (request->input) {
            fprintf(stderr, "pumice compile: one file at a time, but there are '%s' and '%s'\n", request->input,
                    argument);
            return false;
        } else {
            request->input = argument;
        }
    }
    if (!request->input)
        fprintf(stderr, "%s", help);
    return request->input != NULL;
}

static bool known_stage(const char *stage)
{
    static const char *const stages[] = {"tokens", "ast", "kernel", "vulkan"};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        if (!strcmp(stage, stages[i]))
            return true;
    }
    fprintf(stderr, "pumice compile: unknown stage '%s' (tokens, ast, kernel, vulkan)\n", stage);
    return false;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return path && !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* What the probe finds on NVIDIA's H200 (`pumice info` there), by width. */
static void describe_gpu(struct clc_target *target)
{
    enum { NO = CLC_NATIVE_NO, RELAXED = CLC_NATIVE_RELAXED, BOUND = CLC_NATIVE_BOUND, EXACT = CLC_NATIVE_EXACT };
    static const struct {
        uint8_t probe, native[CLC_WIDTH_COUNT];
    } rows[] = {
        {CLC_PROBE_FMA, {EXACT, EXACT, EXACT}},
        {CLC_PROBE_DIV, {EXACT, NO, EXACT}},
        {CLC_PROBE_RECIPROCAL, {EXACT, BOUND, EXACT}},
        {CLC_PROBE_DIV_SCALED, {NO, BOUND, NO}},
        {CLC_PROBE_SQRT, {NO, BOUND, EXACT}},
        {CLC_PROBE_RSQRT, {NO, BOUND, NO}},
        {CLC_PROBE_EXP2, {NO, BOUND, NO}},
        {CLC_PROBE_LOG2, {NO, RELAXED, NO}},
        {CLC_PROBE_EXP, {NO, RELAXED, NO}},
        {CLC_PROBE_LOG, {NO, RELAXED, NO}},
        {CLC_PROBE_ASIN, {NO, BOUND, NO}},
        {CLC_PROBE_ACOS, {NO, BOUND, NO}},
        {CLC_PROBE_ATAN, {NO, BOUND, NO}},
        {CLC_PROBE_TANH, {NO, BOUND, NO}},
        {CLC_PROBE_ASINH, {NO, BOUND, NO}},
        {CLC_PROBE_ACOSH, {NO, BOUND, NO}},
        {CLC_PROBE_ATANH, {NO, BOUND, NO}},
        {CLC_PROBE_FAST_BODIES, {NO, BOUND, NO}},
        {CLC_PROBE_ROUND, {EXACT, EXACT, EXACT}},
        {CLC_PROBE_FMIN_FMAX, {EXACT, EXACT, NO}},
        {CLC_PROBE_DOUBLE_TO_HALF, {NO, NO, EXACT}},
        {CLC_PROBE_UINT_TO_FLOAT, {NO, EXACT, NO}},
        {CLC_PROBE_ULONG_TO_FLOAT, {NO, EXACT, NO}},
        {CLC_PROBE_LOOPS, {NO, EXACT, NO}},
        {CLC_PROBE_CONSTANTS, {NO, EXACT, NO}},
        {CLC_PROBE_ZEROS, {EXACT, NO, EXACT}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int width = 0; width < CLC_WIDTH_COUNT; width++)
            target->native[rows[i].probe][width] = rows[i].native[width];
    }
    target->denorm_preserve32 = target->denorms_kept32 = false;
    target->rounds_to_nearest32 = target->drops_half_rounding = target->short_chains = true;
    target->miscounts_trips = target->loses_lanes = true;
    target->inlines_calls = false;
    target->computes_in_words = true;
    target->subgroup_size = target->min_subgroup_size = target->max_subgroup_size = 32;
    target->max_private_array = 4096;
    target->local_memory_size = 49152;
}

/* Those of an H100 that programs use most. */
static void describe_matrices(struct clc_target *target)
{
    static const struct clc_matrix_variant rows[] = {
#define ROW(m, n, k, of, sum) {m, n, k, CLC_NUMBER_##of, CLC_NUMBER_##of, CLC_NUMBER_##sum, CLC_NUMBER_##sum, false}
        ROW(16, 16, 16, F16, F16), ROW(16, 8, 16, F16, F16), ROW(16, 16, 16, F16, F32),
        ROW(16, 8, 16, F16, F32),  ROW(16, 16, 32, U8, U32), ROW(16, 8, 32, U8, U32),
        ROW(16, 16, 32, S8, S32),  ROW(16, 8, 32, S8, S32),  ROW(16, 16, 16, BF16, F32),
#undef ROW
    };
    target->cooperative_matrix = target->memory_model = true;
    target->num_matrices = sizeof(rows) / sizeof(rows[0]);
    memcpy(target->matrices, rows, sizeof(rows));
}

/* What checked processes and robust contexts make of kernels. False: a word is unknown. */
static bool describe_checks(struct request *request)
{
    static const struct {
        const char *word;
        uint32_t check;
    } rows[] = {{"bounds", CLC_CHECK_BOUNDS},
                {"init", CLC_CHECK_INIT},
                {"races", CLC_CHECK_RACES},
                {"barriers", CLC_CHECK_BARRIERS},
                {"values", CLC_CHECK_VALUES},
                {"finite", CLC_CHECK_FINITE},
                {"loops", CLC_CHECK_LOOPS},
                {"host", 0}, /* looks at calls, not at kernels */
                {"all", CLC_CHECK_BOUNDS | CLC_CHECK_INIT | CLC_CHECK_RACES | CLC_CHECK_BARRIERS | CLC_CHECK_VALUES |
                            CLC_CHECK_LOOPS}};
    request->target.robust = request->target.zero_private = request->robust;
    static const char between[] = ", \t";
    for (const char *word = request->checks; word && *(word += strspn(word, between));) {
        size_t length = strcspn(word, between), i = 0, count = sizeof(rows) / sizeof(rows[0]);
        while (i < count && (strlen(rows[i].word) != length || strncmp(rows[i].word, word, length) != 0))
            i++;
        if (i == count) {
            fprintf(stderr, "pumice compile: unknown check '%.*s'\n", (int)length, word);
            return false;
        }
        request->target.checks |= rows[i].check;
        word += length;
    }
    return true;
}

static bool describe_device(struct request *request)
{
    struct clc_target *target = &request->target;
    clc_target_default(target);
    target->usual_subgroup_size =
        32; /* matrices are shared out among so many, unless the kernel asks for another size */
    if (!strcmp(request->device, "minimal")) {
        target->int8 = target->int16 = target->int64 = target->float16 = target->float64 = false;
        target->storage8 = target->storage16 = target->push_constant8 = target->push_constant16 = false;
        target->explicit_layout = target->buffer_int64_atomics = false;
        target->explicit_layout8 = target->explicit_layout16 = false;
        target->shared_int64_atomics = false;
        target->computes_in_words = true;
    } else if (!strcmp(request->device, "gpu")) {
        describe_gpu(target);
        describe_matrices(target);
    } else if (strcmp(request->device, "default") != 0) {
        fprintf(stderr, "pumice compile: unknown device '%s' (default, gpu, minimal)\n", request->device);
        return false;
    }
    return describe_checks(request);
}

/* ---- files ---- */

static int write_output(const char *output, const void *data, size_t size)
{
    FILE *file = output ? fopen(output, "wb") : stdout;
    bool fine = file && (!size || fwrite(data, 1, size, file) == size);
    if (file && file != stdout)
        fine = !fclose(file) && fine;
    if (!fine)
        fprintf(stderr, "pumice compile: cannot write '%s': %s\n", output ? output : "-", strerror(errno));
    return fine ? EXIT_COMPILED : EXIT_USAGE;
}

/* The kernel's own file. Modules of other compilers may have kernels of any name. */
static int write_kernel(const struct request *request, const char *kernel, const uint32_t *words, size_t count)
{
    size_t size = strlen(request->output) + strlen(kernel) + sizeof("/.spv");
    char *path = strchr(kernel, '/') ? NULL : malloc(size);
    if (!path) {
        fprintf(stderr, "pumice compile: cannot name a file after '%s'\n", kernel);
        return EXIT_USAGE;
    }
    snprintf(path, size, "%s/%s.spv", request->output, kernel);
    int code = write_output(path, words, count * 4);
    free(path);
    return code;
}

/* kernel: NULL where the module is not one kernel's */
static int write_module(const struct request *request, const char *kernel, const uint32_t *words, size_t count)
{
    const char *environment = kernel ? "vulkan" : "opencl";
    char *message = request->validate ? clc_validate(words, count, environment) : NULL;
    if (message) {
        fprintf(stderr, "pumice compile: invalid SPIR-V: %s\n", message);
        free(message);
        return EXIT_WRONG_SOURCE;
    }
    if (request->many && kernel)
        return write_kernel(request, kernel, words, count);
    if (request->output)
        return write_output(request->output, words, count * 4);
    char *text = clc_disassemble(words, count);
    int result = text ? write_output(NULL, text, strlen(text)) : EXIT_USAGE;
    free(text);
    return result;
}

/* ---- stages ---- */

static void print_row(const char *indent, const char *name, uint64_t time, size_t memory)
{
    fprintf(stderr, "%s%-*s %8.3f ms %8zu KiB\n", indent, 20 - (int)strlen(indent), name, (double)time / 1e6,
            memory / 1024);
}

/* Prints the passes in their order, then the parts that several of them share, added up over all threads. A pass's
 * memory is what one kernel held when it ended; that of "lower" and of "lower and write" is what all kernels held at
 * one time. "write" is the time to make words of modules, "output" the time to make files or text of words. The results
 * of a large program are not kept until the end, so "output" lies within "lower and write" there. */
static void print_times(const struct request *request)
{
    const struct clc_timing *timing = &request->timing;
    size_t front = timing->compile_memory, back = timing->program_memory + timing->lower_memory;
    print_row("", "preprocess and parse", timing->preprocess_parse, timing->front_memory);
    print_row("", "emit", timing->emit, front);
    print_row("", "lower and write", timing->lower_elapsed, back);
    print_row("", "lower", timing->lower, back);
    for (int inner = 0; inner < 2; inner++) {
        for (uint32_t i = 0; i < CLC_PASS_COUNT; i++) {
            const struct clc_pass_timing *pass = &timing->passes[i];
            if (pass->name && pass->inner == inner)
                print_row(inner ? "    " : "  ", pass->name, pass->time, pass->memory);
        }
    }
    print_row("", "write", timing->write, back);
    print_row("", "output", request->output_time, back);
    fprintf(stderr, "memory: front end %zu KiB, lowering %zu KiB, program %zu KiB, peak %zu KiB\n",
            timing->front_memory / 1024, timing->lower_memory / 1024, timing->program_memory / 1024,
            (front > back ? front : back) / 1024);
}

/* Collects kernels as they come out of lowering. It writes them in the program's order and frees them: once all are
 * there, or once they take so many bytes. */
struct results {
    struct request *request;
    struct clc_lowering *kernels;
    bool *done;
    size_t pending; /* bytes */
    uint32_t count, written;
    int code;
};

static const size_t most_pending = (size_t)2 << 20;

static int write_result(struct request *request, struct clc_lowering *kernel)
{
    int code = EXIT_WRONG_SOURCE;
    if (kernel->result != CLC_SUCCESS) {
        const char *unknown = kernel->result == CLC_OUT_OF_MEMORY ? "out of memory" : "cannot be lowered";
        fprintf(stderr, "%s: %s\n", kernel->kernel, kernel->message ? kernel->message : unknown);
    } else {
        if (!request->output)
            printf("; kernel %s\n", kernel->kernel);
        code = write_module(request, kernel->kernel, kernel->lowered->words, kernel->lowered->num_words);
    }
    free(kernel->message);
    clc_lowered_destroy(kernel->lowered);
    return code;
}

static size_t size_of(const struct clc_lowering *kernel)
{
    return kernel->lowered ? kernel->lowered->num_words * sizeof(uint32_t) : 0;
}

static void write_results(struct results *results)
{
    uint64_t start = time_ns();
    for (; results->written < results->count && results->done[results->written]; results->written++) {
        struct clc_lowering *kernel = &results->kernels[results->written];
        results->pending -= size_of(kernel);
        int code = write_result(results->request, kernel);
        results->code = code > results->code ? code : results->code;
    }
    results->request->output_time += time_ns() - start;
}

static void kernel_done(void *data, struct clc_lowering *kernel)
{
    struct results *results = data;
    results->done[kernel - results->kernels] = true;
    results->pending += size_of(kernel);
    if (results->pending > most_pending)
        write_results(results);
}

static int lower_all(struct request *request, const struct clc_program *program)
{
    uint32_t count = clc_program_num_kernels(program);
    if (request->output && !request->many && !request->kernel && count > 1) {
        fprintf(stderr,
                "pumice compile: there are %" PRIu32 " kernels; name one with --kernel=, or a directory with -o\n",
                count);
        return EXIT_USAGE;
    }
    struct results results = {.request = request,
                              .kernels = calloc(count + 1, sizeof(*results.kernels)),
                              .done = calloc(count + 1, sizeof(*results.done)),
                              .code = EXIT_COMPILED};
    for (uint32_t i = 0; i < count && results.kernels; i++) {
        const char *name = clc_program_kernel(program, i)->name;
        if (!request->kernel || !strcmp(request->kernel, name))
            results.kernels[results.count++].kernel = name;
    }
    struct clc_lower_options options = {.target = &request->target,
                                        .dump_passes = request->dump,
                                        .timing = &request->timing,
                                        .max_threads = request->threads};
    if (!results.kernels || !results.done) {
        fprintf(stderr, "pumice compile: out of memory\n");
        results.code = EXIT_USAGE;
    } else if (!results.count && request->kernel) {
        fprintf(stderr, "pumice compile: there is no kernel '%s'\n", request->kernel);
        results.code = EXIT_USAGE;
    } else {
        clc_lower_kernels(program, results.kernels, results.count, &options, kernel_done, &results);
        write_results(&results);
    }
    free(results.kernels);
    free(results.done);
    return results.code;
}

static int exit_code(enum clc_result result)
{
    if (result == CLC_OUT_OF_MEMORY)
        fprintf(stderr, "pumice compile: out of memory\n");
    return result == CLC_SUCCESS ? EXIT_COMPILED : result == CLC_FAILED ? EXIT_WRONG_SOURCE : EXIT_USAGE;
}

static enum clc_result make_program(struct request *request, const struct clc_compile_args *args,
                                    struct clc_program **program, char **log)
{
    if (input_is_il(&request->source))
        return clc_program_from_il(request->source.text, request->source.size, request->options, NULL, 0,
                                   &request->target, false, program, log);
    return clc_compile(args, program, log);
}

static int compile_request(struct request *request)
{
    const char *text = request->source.text;
    struct clc_compile_args args = {.strings = &text,
                                    .lengths = &request->source.size,
                                    .num_strings = 1,
                                    .options = request->options,
                                    .target = &request->target,
                                    .file_name = !strcmp(request->input, "-") ? "<stdin>" : request->input,
                                    .directory = request->source.directory,
                                    .compile_only = request->object,
                                    .timing = &request->timing};
    char *log = NULL, *listing = NULL;
    struct clc_program *program = NULL;
    enum clc_result result;
    if (!request->source.size) /* a length of 0 would mean: up to the NUL */
        request->source.text[0] = '\0';
    if (!strcmp(request->stage, "tokens"))
        result = clc_preprocess(&args, &listing, &log);
    else if (!strcmp(request->stage, "ast"))
        result = clc_print_ast(&args, &listing, &log);
    else
        result = make_program(request, &args, &program, &log);
    if (log)
        fputs(log, stderr);
    int code = exit_code(result);
    if (listing && code == EXIT_COMPILED)
        code = write_output(request->output, listing, strlen(listing));
    if (program && !strcmp(request->stage, "kernel")) {
        size_t count;
        const uint32_t *words = clc_program_spirv(program, &count);
        code = write_module(request, NULL, words, count);
    } else if (program) {
        code = lower_all(request, program);
    }
    if (request->time)
        print_times(request);
    clc_program_release(program);
    free(listing);
    free(log);
    return code;
}

int compile_main(int argc, char **argv)
{
    struct request request = {.stage = "vulkan", .device = "default"};
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        printf("%s", help);
        return EXIT_COMPILED;
    }
    int code = EXIT_USAGE;
    bool parsed = parse_arguments(&request, argc, argv);
    request.many = is_directory(request.output);
    if (parsed && known_stage(request.stage) && describe_device(&request) &&
        input_read("compile", &request.source, request.input))
        code = compile_request(&request);
    free(request.options);
    input_finish(&request.source);
    return code;
}
