/* Runs one pass of lowering on SPIR-V assembly and compares the kernel that comes out with what the file says.
 *
 * usage: run_lower [--bless] FILE...
 *
 * A file starts with directives in comments, then holds a kernel module in spirv-as syntax, and ends with the expected
 * text:
 *
 *     ; pass: entry                     (a name of lower.c, the pass that the test is about)
 *     ; after: memory                   (passes that have to come before it; extract always does)
 *     ; target: explicit_layout=1 max_push_constants=8
 *     ; matrices                        (the device multiplies some: set_matrices())
 *     ; any-size                        (for work-groups of any size: clc_lower_options.any_size)
 *     ; error                           (instead of a kernel, a message is expected)
 *     ; header                          (capabilities, memory model and execution modes are expected, too)
 *     ...assembly...
 *     ; ---- expected
 *     ...the kernel as listing.h prints it, or the message...
 *
 * --bless writes what came out into the file. Keep the input small: one behaviour each. */
#include "compiler/lower/run.h"
#include "compiler/program/program.h"
#include "tests/lower/listing.h"
#include "tests/support/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "; ---- expected\n"

static void set_target(struct clc_target *target)
{
    memset(target, 0, sizeof(*target));
    target->spirv_version = 0x00010600;
    target->int8 = target->int16 = target->int64 = target->float16 = target->float64 = true;
    target->storage8 = target->storage16 = target->push_constant8 = target->push_constant16 = true;
    target->buffer_address = target->memory_model = target->device_scope = true;
    target->buffer_int64_atomics = target->shared_int64_atomics = true;
    target->float32_atomic_add = target->shared_float32_atomic_add = true;
    target->subgroups = target->subgroup_resizes = true;
    target->images = target->image_read_any = target->image_write_any = true;
    target->max_push_constants = 256;
    target->max_private_array = 4096;
}

static void set_matrices(struct clc_target *target)
{
    static const struct clc_matrix_variant own[] = {
        {16, 16, 16, CLC_NUMBER_F16, CLC_NUMBER_F16, CLC_NUMBER_F32, CLC_NUMBER_F32, false},
        {16, 16, 16, CLC_NUMBER_BF16, CLC_NUMBER_BF16, CLC_NUMBER_F32, CLC_NUMBER_F32, false},
        {16, 16, 32, CLC_NUMBER_E4M3, CLC_NUMBER_E4M3, CLC_NUMBER_F32, CLC_NUMBER_F32, false},
        {16, 16, 32, CLC_NUMBER_E5M2, CLC_NUMBER_E5M2, CLC_NUMBER_F32, CLC_NUMBER_F32, false},
        {16, 16, 32, CLC_NUMBER_S8, CLC_NUMBER_S8, CLC_NUMBER_S32, CLC_NUMBER_S32, false},
    };
    target->cooperative_matrix = true;
    target->usual_subgroup_size = 32;
    target->num_matrices = sizeof(own) / sizeof(own[0]);
    memcpy(target->matrices, own, sizeof(own));
}

static bool set_field(struct clc_target *target, const char *name, size_t length, unsigned long value)
{
    const struct {
        const char *name;
        bool *flag;
        uint32_t *number;
    } fields[] = {
#define ABILITIES_OF_KERNELS
#define ABILITY(name, vulkan, words, lines, without) {#name, &target->name, NULL},
#include "base/abilities.def"
#undef ABILITIES_OF_KERNELS
        {"short_offsets", &target->short_offsets, NULL},
        {"short_chains", &target->short_chains, NULL},
        {"miscounts_trips", &target->miscounts_trips, NULL},
        {"loses_lanes", &target->loses_lanes, NULL},
        {"sub_groups_in_step", &target->sub_groups_in_step, NULL},
        {"inlines_calls", &target->inlines_calls, NULL},
        {"computes_in_words", &target->computes_in_words, NULL},
        {"robust", &target->robust, NULL},
        {"drops_half_rounding", &target->drops_half_rounding, NULL},
        {"spirv_version", NULL, &target->spirv_version},
        {"max_push_constants", NULL, &target->max_push_constants},
        {"min_subgroup_size", NULL, &target->min_subgroup_size},
        {"max_subgroup_size", NULL, &target->max_subgroup_size},
        {"max_private_array", NULL, &target->max_private_array},
        {"filters", NULL, &target->filters},
    };
    if (length == 15 && !strncmp(name, "explicit_layout", length)) {
        target->explicit_layout = target->explicit_layout8 = value;
        target->explicit_layout16 = value;
        return true;
    }
    static const struct {
        const char *name;
        enum clc_probe probe;
    } natives[] = {{"fma", CLC_PROBE_FMA},
                   {"div", CLC_PROBE_DIV},
                   {"div_large", CLC_PROBE_DIV_LARGE},
                   {"div_scaled", CLC_PROBE_DIV_SCALED},
                   {"zeros", CLC_PROBE_ZEROS},
                   {"loops", CLC_PROBE_LOOPS},
                   {"constants", CLC_PROBE_CONSTANTS}};
    for (size_t i = 0; i < sizeof(natives) / sizeof(natives[0]); i++) {
        if (strlen(natives[i].name) != length || strncmp(natives[i].name, name, length) != 0)
            continue;
        memset(target->native[natives[i].probe], value ? CLC_NATIVE_EXACT : CLC_NATIVE_NO, CLC_WIDTH_COUNT);
        return true;
    }
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strlen(fields[i].name) != length || strncmp(fields[i].name, name, length) != 0)
            continue;
        if (fields[i].flag)
            *fields[i].flag = value != 0;
        else
            *fields[i].number = (uint32_t)value;
        return true;
    }
    return false;
}

struct test {
    const char *path;
    char *text; /* up to the mark: directives and module */
    char *expected;
    struct clc_target target;
    char before[256], pass[64];
    bool error, header, any_size;
};

static bool read_directive(struct test *test, const char *line)
{
    if (!strncmp(line, "; after:", 8)) {
        snprintf(test->before, sizeof(test->before), "%.*s", (int)strcspn(line + 8, "\n"), line + 8);
    } else if (!strncmp(line, "; pass: ", 8)) {
        snprintf(test->pass, sizeof(test->pass), "%.*s", (int)strcspn(line + 8, "\n"), line + 8);
    } else if (!strncmp(line, "; header", 8)) {
        test->header = true;
    } else if (!strncmp(line, "; any-size", 10)) {
        test->any_size = true;
    } else if (!strncmp(line, "; matrices", 10)) {
        set_matrices(&test->target);
    } else if (!strncmp(line, "; target:", 9)) {
        const char *at = line + 9, *end = at + strcspn(at, "\n");
        while ((at += strspn(at, " ")) < end) {
            size_t name = strcspn(at, "= \n");
            if (at[name] != '=' || !set_field(&test->target, at, name, strtoul(at + name + 1, NULL, 0)))
                return false;
            at += strcspn(at, " \n");
        }
    } else if (!strncmp(line, "; error", 7)) {
        test->error = true;
    }
    return true;
}

static bool read_test(struct test *test, const char *path)
{
    *test = (struct test){.path = path, .text = test_read_file(path, NULL)};
    set_target(&test->target);
    if (!test->text)
        return false;
    char *mark = strstr(test->text, MARK);
    test->expected = strdup(mark ? mark + strlen(MARK) : "");
    if (mark)
        *mark = 0;
    for (const char *line = test->text; *line == ';'; line += strcspn(line, "\n"), line += *line == '\n') {
        if (!read_directive(test, line)) {
            fprintf(stderr, "%s: unknown target field: %.*s\n", path, (int)strcspn(line, "\n"), line);
            return false;
        }
    }
    return true;
}

static const char *kernel_name(const struct spv_module *module)
{
    uint32_t next;
    const struct spv_inst *entry = module->sections[SPV_SECTION_ENTRY_POINT].first;
    return entry ? spv_string(entry, 2, &next) : "";
}

static const char *run_pass(struct lower *lower, const char *name)
{
    if (!lower_run_pass(lower, name))
        return lower->error;
    const char *wrong = spv_check(lower->module);
    return wrong ? arena_printf(lower->arena, "broken after %s: %s", name, wrong) : NULL;
}

/* NULL, or what went wrong. */
static const char *run_passes(struct test *test, struct lower *lower)
{
    char *save = NULL;
    const char *error = run_pass(lower, "extract");
    for (char *name = strtok_r(test->before, " ", &save); name && !error; name = strtok_r(NULL, " ", &save))
        error = run_pass(lower, name);
    if (!error && strcmp(test->pass, "extract"))
        error = run_pass(lower, test->pass);
    return error;
}

/* The outcome as text: the kernel, or the message. */
static const char *outcome(struct test *test, struct arena *arena, bool *is_error)
{
    const char *error = NULL;
    struct str text;
    struct clc_lowered out = {0};
    struct clc_lower_options options = {.target = &test->target, .any_size = test->any_size};
    struct lower lower = {.arena = arena, .options = &options, .target = &test->target, .out = &out};
    str_init(&text, arena);
    struct spv_module *program = spv_parse_text(arena, test->text, &error);
    *is_error = true;
    if (!program)
        return arena_printf(arena, "the input does not parse: %s\n", error);
    lower.program = program;
    lower.kernel_name = kernel_name(program);
    error = program_check(arena, program); /* as of IL */
    if (!error)
        error = run_passes(test, &lower);
    if (error)
        return arena_printf(arena, "%s\n", error);
    *is_error = false;
    struct spv_module *renumbered = listing_renumbered(arena, lower.module, &error);
    if (!renumbered)
        return arena_printf(arena, "the output does not read: %s\n", error);
    if (test->header)
        listing_print_header(arena, renumbered, &text);
    listing_print_kernel(arena, renumbered, &text);
    return str_text(&text);
}

static void show_difference(const char *path, const char *want, const char *got)
{
    uint32_t line = 1;
    while (*want && *got) {
        size_t left = strcspn(want, "\n"), right = strcspn(got, "\n");
        if (left != right || strncmp(want, got, left) != 0)
            break;
        want += left + (want[left] == '\n');
        got += right + (got[right] == '\n');
        line++;
    }
    fprintf(stderr, "%s: differs at expected line %u\n  want: %.*s\n  got:  %.*s\n", path, line,
            (int)strcspn(want, "\n"), want, (int)strcspn(got, "\n"), got);
}

static bool bless(const struct test *test, const char *got)
{
    FILE *file = fopen(test->path, "wb");
    if (!file)
        return false;
    fprintf(file, "%s%s%s", test->text, MARK, got);
    return fclose(file) == 0;
}

static bool run_test(const char *path, bool blessing)
{
    struct test test;
    struct arena arena;
    jmp_buf out_of_memory;
    volatile bool passed = false;
    if (!read_test(&test, path)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(test.text);
        free(test.expected);
        return false;
    }
    arena_init(&arena, &out_of_memory, 0);
    if (!setjmp(out_of_memory)) {
        bool is_error;
        const char *got = outcome(&test, &arena, &is_error);
        if (is_error != test.error)
            fprintf(stderr, "%s: %s", path, is_error ? got : "an error was expected\n");
        else if (blessing)
            passed = bless(&test, got);
        else if (!(passed = !strcmp(test.expected, got)))
            show_difference(path, test.expected, got);
    }
    arena_finish(&arena);
    free(test.text);
    free(test.expected);
    return passed;
}

int main(int argc, char **argv)
{
    bool blessing = argc > 1 && !strcmp(argv[1], "--bless"), passed = true;
    for (int i = blessing ? 2 : 1; i < argc; i++)
        passed &= run_test(argv[i], blessing);
    return passed ? 0 : 1;
}
