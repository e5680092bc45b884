/* Passes on text: each file in passes/ holds cases of the form
 *
 *     ; case: what it shows
 *     ; pass: sroa mem2reg
 *     ...globals and functions, after passes/prelude.spvasm...
 *     ; expect
 *     ...the functions afterwards, ids renumbered...
 *
 *   test_passes [--bless] [--leave DIRECTORY] PRELUDE FILE...
 *
 * --bless writes what came out into the files; --leave writes the modules to a directory, for spirv-val. */
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/cfg/structurise.h"
#include "compiler/opt/opt.h"
#include "tests/lower/listing.h"
#include "tests/support/check.h"
#include "tests/support/file.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool (*run)(struct spv_module *module, struct spv_function *function);
} passes[] = {
    {"mem2reg", opt_mem2reg},
    {"sroa", opt_sroa},
    {"fold", opt_fold},
    {"bytes", opt_bytes},
    {"loads", opt_loads},
    {"voting", opt_loads_voting},
    {"strength", opt_strength},
    {"logic", opt_logic},
    {"rotate", opt_rotate},
    {"unions", opt_unions},
    {"stores", opt_stores},
    {"offsets", opt_offsets},
    {"elements", opt_elements},
    {"short_elements", opt_elements_short},
    {"scale", opt_scale},
    {"hoist", opt_hoist},
    {"sums", opt_hoist_sums},
    {"promote", opt_promote},
    {"divide", opt_divide},
    {"dot", opt_dot},
    {"words", opt_words},
    {"unroll", opt_unroll},
    {"unroll-few-branches", opt_unroll_few_branches},
    {"cse", opt_cse},
    {"dce", opt_dce},
    {"structurise", cfg_structurise},
    {"unreachable", cfg_remove_unreachable},
    {"join", cfg_join_blocks},
};

static enum opt_call_fate all_cleaned(void *data, const struct spv_module *module, const struct spv_function *callee)
{
    (void)data, (void)module, (void)callee;
    return OPT_CALL_CLEANED;
}

static bool run_pass(struct spv_module *module, const char *name, size_t length)
{
    const char *error;
    bool clean = length == 12 && !memcmp(name, "inline_clean", 12);
    if (clean || (length == 6 && !memcmp(name, "inline", 6))) {
        bool good = opt_inline_calls(module, module->last_function, clean ? all_cleaned : NULL, NULL, &error);
        if (!good)
            fprintf(stderr, "%s\n", error);
        return good;
    }
    if (length == 10 && !memcmp(name, "dce_module", 10)) {
        opt_dce_module(module);
        return true;
    }
    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
        if (strlen(passes[i].name) == length && !memcmp(passes[i].name, name, length)) {
            spv_foreach_function (function, module)
                passes[i].run(module, function);
            return true;
        }
    }
    fprintf(stderr, "unknown pass %.*s\n", (int)length, name);
    return false;
}

static const char *run_case(struct arena *arena, const char *prelude, const char *names, const char *body,
                            const char *leave)
{
    const char *error;
    struct spv_module *module = spv_parse_text(arena, arena_printf(arena, "%s%s", prelude, body), &error);
    if (!module) {
        fprintf(stderr, "%s\n", error);
        return NULL;
    }
    spv_take_scopes(module, arena);
    for (const char *at = names; *at && *at != '\n';) {
        size_t length = strcspn(at, " \n");
        if (length && !run_pass(module, at, length))
            return NULL;
        error = spv_check(module);
        if (error) {
            fprintf(stderr, "after %.*s: %s\n", (int)length, at, error);
            return NULL;
        }
        at += length + strspn(at + length, " ");
    }
    module = listing_renumbered(arena, module, &error);
    if (!module) {
        fprintf(stderr, "%s\n", error);
        return NULL;
    }
    if (leave) {
        size_t count;
        uint32_t *words = spv_write(module, &count);
        FILE *file = fopen(leave, "wb");
        CHECK(file && fwrite(words, sizeof(*words), count, file) == count);
        if (file)
            fclose(file);
    }
    struct str out;
    str_init(&out, arena);
    listing_print_functions(arena, module, &out);
    return str_text(&out);
}

static void test_file(struct arena *arena, const char *prelude, const char *path, bool bless, const char *directory)
{
    char *text = test_need_file(path, NULL);
    struct str blessed;
    str_init(&blessed, arena);
    uint32_t number = 0;
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char *start = strstr(text, "; case:");
    str_append(&blessed, text, start ? (size_t)(start - text) : strlen(text));
    for (char *next; start; start = next) {
        next = strstr(start + 1, "; case:");
        const char *body = arena_strndup(arena, start, next ? (size_t)(next - start) : strlen(start));
        const char *pass = strstr(body, "; pass: "), *expect = strstr(body, "; expect\n");
        if (!pass || !expect) {
            fprintf(stderr, "%s: a case without passes or expectation\n", path);
            test_failures++;
            break;
        }
        const char *input = arena_strndup(arena, body, (size_t)(expect - body));
        const char *leave = directory ? arena_printf(arena, "%s/%s.%u.spv", directory, base, number++) : NULL;
        const char *result = run_case(arena, prelude, pass + 8, input, leave);
        expect += strlen("; expect\n");
        size_t length = strlen(expect);
        while (length && expect[length - 1] == '\n')
            length--;
        const char *wanted = length ? arena_printf(arena, "%.*s\n", (int)length, expect) : "";
        if (!result || (!bless && strcmp(result, wanted) != 0)) {
            fprintf(stderr, "%s: %.*s\n", path, (int)strcspn(body, "\n"), body);
            if (result)
                fprintf(stderr, "--- expected\n%s--- got\n%s", wanted, result);
            test_failures++;
        }
        str_printf(&blessed, "%s; expect\n%s%s", input, result ? result : wanted, next ? "\n" : "");
    }
    free(text);
    if (!bless || test_failures)
        return;
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(blessed.data, 1, blessed.length, file) == blessed.length);
    if (file)
        fclose(file);
}

static int run(struct arena *arena, int argc, char **argv)
{
    bool bless = false;
    const char *directory = NULL;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (!strcmp(argv[at], "--bless"))
            bless = true;
        else if (at + 1 < argc)
            directory = argv[++at];
    }
    if (at >= argc)
        return 1;
    char *prelude = test_need_file(argv[at], NULL);
    for (int i = at + 1; i < argc; i++)
        test_file(arena, prelude, argv[i], bless, directory);
    free(prelude);
    return test_result();
}

int main(int argc, char **argv)
{
    jmp_buf out_of_memory;
    struct arena arena;
    arena_init(&arena, &out_of_memory, 0);
    int status = setjmp(out_of_memory) ? 1 : run(&arena, argc, argv);
    arena_finish(&arena);
    return status;
}
