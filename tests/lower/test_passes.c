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
    {"stores", opt_stores},
    {"elements", opt_elements},
    {"hoist", opt_hoist},
    {"sums", opt_hoist_sums},
    {"unroll", opt_unroll},
    {"cse", opt_cse},
    {"dce", opt_dce},
    {"structurise", cfg_structurise},
    {"unreachable", cfg_remove_unreachable},
    {"join", cfg_join_blocks},
};

/* The module as it would be read back: ids in order. */
static struct spv_module *renumbered(struct arena *arena, struct spv_module *module)
{
    size_t count;
    const char *error;
    uint32_t *words = spv_write(module, &count);
    struct spv_module *again = spv_read(arena, words, count, &error);
    if (!again)
        fprintf(stderr, "%s\n", error);
    return again;
}

/* Types and constants by what they are, so that cases read by themselves: %u32, 7, true; all others by number. */
static void print_global(const struct spv_module *module, spv_id id, struct str *out)
{
    const struct spv_inst *def = spv_def(module, id);
    uint64_t bits;
    if (spv_const_value(module, id, &bits) && def->op != SpvOpConstantNull) {
        if (def->op == SpvOpConstant)
            str_printf(out, spv_type_is_float(module, def->type) ? "0x%llx" : "%llu", (unsigned long long)bits);
        else
            str_puts(out, bits ? "true" : "false");
        return;
    }
    switch (def->op) {
    case SpvOpTypeVoid:
        str_puts(out, "void");
        return;
    case SpvOpTypeBool:
        str_puts(out, "bool");
        return;
    case SpvOpTypeInt:
        str_printf(out, "u%u", def->words[0]);
        return;
    case SpvOpTypeFloat:
        str_printf(out, "f%u", def->words[0]);
        return;
    case SpvOpTypeVector:
        print_global(module, def->words[0], out);
        str_printf(out, "x%u", def->words[1]);
        return;
    case SpvOpTypePointer:
        print_global(module, def->words[1], out);
        str_putc(out, '*');
        return;
    case SpvOpUndef:
        str_puts(out, "undef");
        return;
    case SpvOpConstantNull:
        str_puts(out, "null");
        return;
    case SpvOpTypeArray:
        print_global(module, def->words[0], out);
        str_printf(out, "[%u]", (unsigned)spv_array_length(module, id));
        return;
    case SpvOpTypeStruct:
    case SpvOpConstantComposite:
        str_putc(out, '{');
        for (uint32_t i = 0; i < def->num_words; i++) {
            str_puts(out, i ? " " : "");
            print_global(module, def->words[i], out);
        }
        str_putc(out, '}');
        return;
    default:
        str_printf(out, "@%s", spv_op_name(def->op));
        return;
    }
}

static bool is_global(const struct spv_module *module, spv_id id)
{
    const struct spv_inst *def = spv_def(module, id);
    return def && !def->block && def->op != SpvOpFunction && def->op != SpvOpFunctionParameter;
}

/* The functions, line by line, with ids of functions numbered from 1 on in order of appearance. */
static void print_functions(struct arena *arena, struct spv_module *module, struct str *out)
{
    struct str all;
    uint32_t *numbers = arena_array(arena, uint32_t, module->bound), next = 1;
    str_init(&all, arena);
    spv_print(module, &all);
    const char *text = strstr(str_text(&all), "OpFunction ");
    while (text && text > all.data && text[-1] != '\n')
        text--;
    bool line_starts = true;
    spv_id result = 0; /* of the line */
    for (; text && *text; text++) {
        if (line_starts && (*text == ' ' || *text == '\n'))
            continue;
        if (*text == '\n' && result && spv_no_signed_wrap(spv_def(module, result)))
            str_puts(out, " NoSignedWrap");
        if (line_starts)
            result = *text == '%' ? (spv_id)strtoul(text + 1, NULL, 10) : 0;
        line_starts = *text == '\n';
        if (*text != '%') {
            str_putc(out, *text);
            continue;
        }
        char *end;
        spv_id id = (spv_id)strtoul(text + 1, &end, 10);
        if (is_global(module, id)) {
            print_global(module, id, out);
        } else {
            if (!numbers[id])
                numbers[id] = next++;
            str_printf(out, "%%%u", numbers[id]);
        }
        text = end - 1;
    }
}

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
    module = renumbered(arena, module);
    if (!module)
        return NULL;
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
    print_functions(arena, module, &out);
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
