/* Compiles the library's OpenCL C with Pumice's own front end, when Pumice is built, and writes it as C arrays.
 *
 * usage: gen_library OUTPUT.c REQUIRED.txt SOURCE.cl...
 *
 * The sources are one translation unit, in the order given. Each exported function becomes a module of its own with all
 * that it reaches, so that lowering a kernel reads only what the kernel needs. A name in REQUIRED.txt without a body is
 * an error: it must fail here and not when an application meets it. */
#include "base/util.h"
#include "compiler/builtins/lib/gen_blocks.h"
#include "compiler/builtins/library.h"
#include "compiler/clc.h"
#include "compiler/opt/cfg/blocks.h"
#include "compiler/opt/opt.h"
#include "compiler/lower/calls/passes.h"
#include "compiler/spv/pack.h"
#include "compiler/spv/spv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function {
    const char *name;
    spv_id id;
    uint32_t *words;
    size_t num_words;
};

/* A line of REQUIRED.txt: NAME, NAME read, or NAME fused WIDTH OTHER. */
struct required {
    char name[64], flag[8], fused[64];
    uint32_t width;
};
static struct required *all_required;
static uint32_t num_required;

static _Noreturn void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("gen_library: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static char *read_file(const char *path, const char *prefix, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die("cannot read %s", path);
    size_t used = strlen(prefix), capacity = used + 65536;
    char *text = malloc(capacity);
    if (!text)
        die("out of memory");
    memcpy(text, prefix, used);
    for (size_t got; (got = fread(text + used, 1, capacity - used - 1, file)) > 0;) {
        used += got;
        if (used + 1 < capacity)
            continue;
        capacity *= 2;
        text = realloc(text, capacity);
        if (!text)
            die("out of memory");
    }
    fclose(file);
    text[used] = 0;
    *length = used;
    return text;
}

static void read_required(const char *path)
{
    size_t length;
    char *text = read_file(path, "", &length), *state = NULL;
    all_required = calloc(length + 1, sizeof(*all_required));
    if (!all_required)
        die("out of memory");
    for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
        struct required *required = &all_required[num_required++];
        int words = sscanf(line, "%63s %7s %u %63s", required->name, required->flag, &required->width, required->fused);
        bool is_read = words == 2 && !strcmp(required->flag, "read");
        if (words != 1 && !is_read && !(words == 4 && !strcmp(required->flag, "fused")))
            die("%s: cannot read '%s'", path, line);
    }
    free(text);
}

/* NULL: the body is there for others only. */
static const struct required *required_of(const char *name)
{
    for (uint32_t i = 0; i < num_required; i++) {
        if (!strcmp(all_required[i].name, name))
            return &all_required[i];
    }
    return NULL;
}

/* The whole language: what the target lacks no kernel can call. */
static void library_target(struct clc_target *target)
{
    clc_target_default(target);
    target->max_std = 300;
    target->extensions =
        "cl_khr_fp16 cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_depth_images "
        "cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_shuffle cl_khr_subgroup_ballot cl_khr_mipmap_image "
        "cl_khr_mipmap_image_writes "
        "cl_khr_3d_image_writes cl_khr_integer_dot_product cl_pumice_small_floats "
        "cl_pumice_library";
    target->features = "__opencl_c_fp64 __opencl_c_int64 __opencl_c_generic_address_space __opencl_c_images "
                       "__opencl_c_subgroups __opencl_c_work_group_collective_functions "
                       "__opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device "
                       "__opencl_c_integer_dot_product_input_4x8bit_packed";
}

static struct clc_program *compile(uint32_t count, char **paths)
{
    const char **texts = calloc(count, sizeof(*texts));
    size_t *lengths = calloc(count, sizeof(*lengths));
    if (!texts || !lengths)
        die("out of memory");
    for (uint32_t i = 0; i < count; i++) {
        const char *slash = strrchr(paths[i], '/');
        char prefix[256];
        snprintf(prefix, sizeof(prefix), "#line 1 \"%s\"\n", slash ? slash + 1 : paths[i]);
        texts[i] = read_file(paths[i], prefix, &lengths[i]);
    }
    struct clc_target target;
    library_target(&target);
    const struct clc_compile_args args = {.strings = texts,
                                          .lengths = lengths,
                                          .num_strings = count,
                                          .options = "-cl-std=CL3.0",
                                          .target = &target,
                                          .file_name = "library",
                                          .compile_only = true};
    struct clc_program *program = NULL;
    char *log = NULL;
    if (clc_compile(&args, &program, &log) != CLC_SUCCESS)
        die("the library does not compile:\n%s", log ? log : "");
    free(log);
    for (uint32_t i = 0; i < count; i++)
        free((char *)texts[i]);
    free(texts);
    free(lengths);
    return program;
}

/* ---- splitting ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

/* Drops what has done its work once each body is a module: linkage decorations, which cost space and make a body look
 * like an exported function of the application's program, and marks against inlining. */
static void strip(struct spv_module *module)
{
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (inst->op == SpvOpDecorate && inst->words[1] == SpvDecorationLinkageAttributes)
            spv_inst_remove(module, inst);
    }
    spv_foreach_function (function, module)
        function->def->words[0] &= ~(uint32_t)SpvFunctionControlDontInlineMask;
}

static void clean(struct spv_module *module, struct spv_function *function)
{
    for (uint32_t round = 0; round < 4; round++) {
        bool changed = opt_sroa(module, function);
        changed |= opt_mem2reg(module, function);
        changed |= opt_fold(module, function);
        changed |= opt_cse(module, function);
        opt_dce(module, function);
        if (!changed)
            break;
    }
}

/* Which calls are inlined when the library is made. Large functions and those marked noinline (slow paths) stay
 * functions, since several places call them; lowering decides anew for each kernel. __pumice_product_rest_* stay, too,
 * for lowering may replace them. */
static enum opt_call_fate fate_of_call(void *data, const struct spv_module *module, const struct spv_function *callee)
{
    uint32_t size = 0, next;
    (void)data;
    const struct spv_inst *name = spv_names(module, callee->def->id);
    const struct required *required = name && name->op == SpvOpName ? required_of(spv_string(name, 1, &next)) : NULL;
    if (required && *required->fused)
        return OPT_CALL_STAYS;
    if (callee->def->words[0] & SpvFunctionControlDontInlineMask)
        return OPT_CALL_STAYS;
    spv_foreach_block (block, callee) {
        spv_foreach_inst (inst, &block->insts)
            size++;
    }
    return size > 200 ? OPT_CALL_STAYS : OPT_CALL_INLINED;
}

/* What need not be done again for each kernel: helpers inlined, values instead of variables, and what follows. */
static void optimise(struct spv_module *module)
{
    spv_foreach_function (function, module)
        clean(module, function);
    spv_foreach_function (function, module) {
        const char *error = NULL;
        if (!opt_inline_calls(module, function, fate_of_call, NULL, &error))
            die("%s", error ? error : "a call cannot be inlined");
        opt_prepare_callee(module, function);
        lower_generic_body(module, function);
        clean(module, function);
        cfg_join_blocks(module, function);
    }
}

static bool is_local_pointer(const struct spv_module *module, spv_id pointer, bool is_read)
{
    uint32_t storage = spv_pointer_storage(module, spv_value_type(module, pointer));
    return storage == SpvStorageClassFunction || (is_read && storage == SpvStorageClassUniformConstant);
}

/* Has no effect, and hangs on nothing but the operands and constants. */
static bool is_const_inst(const struct spv_module *module, const struct spv_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
        return is_local_pointer(module, inst->words[0], true);
    case SpvOpStore:
        return is_local_pointer(module, inst->words[0], false);
    case SpvOpVariable:
    case SpvOpPhi:
    case SpvOpUndef:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
        return true;
    case SpvOpFunctionCall:
        return opt_is_const_call(module, inst);
    default:
        return spv_op_is_terminator(inst->op) || spv_inst_is_pure(inst);
    }
}

static bool is_const_function(const struct spv_module *module, const struct spv_function *function)
{
    bool is_const = spv_type_op(module, function->def->type) != SpvOpTypeVoid;
    for (uint32_t i = 0; i < function->params.length; i++) {
        spv_id type = function->params.data[i]->type;
        uint16_t op = spv_type_op(module, spv_type_is_vector(module, type) ? spv_type_component(module, type) : type);
        is_const &= op == SpvOpTypeInt || op == SpvOpTypeFloat || op == SpvOpTypeBool;
    }
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            is_const &= is_const_inst(module, inst);
    }
    return is_const;
}

/* Of images that are only read: calls whose result nobody wants may go. */
static bool is_image_function(const struct spv_module *module, const struct spv_function *function)
{
    bool reads = false;
    for (uint32_t i = 0; i < function->params.length; i++)
        reads |= spv_type_op(module, function->params.data[i]->type) == SpvOpTypeImage;
    spv_foreach_block (block, function) {
        spv_foreach_inst (inst, &block->insts)
            reads &= is_const_inst(module, inst) || spv_inst_effect(inst) == SPV_EFFECT_READS_IMAGE;
    }
    return reads;
}

/* Functions that only compute say so: lowering then takes equal calls for one. */
static void mark_const(struct spv_module *module, spv_id root)
{
    struct opt_call_order order = {0};
    const char *error = NULL;
    if (!opt_order_calls(module, spv_function_of(module, root), &order, &error))
        die("%s", error);
    vec_foreach (struct spv_function *, function, &order.functions) {
        if (is_const_function(module, *function))
            (*function)->def->words[0] |= SpvFunctionControlConstMask;
        else if (is_image_function(module, *function))
            (*function)->def->words[0] |= SpvFunctionControlPureMask;
    }
}

static struct spv_module *module_of(struct arena *arena, const struct spv_module *from, spv_id *function)
{
    struct spv_module *module = spv_module_create(arena, from->version);
    spv_set_memory_model(module, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
    struct spv_import import = {.to = module, .from = from};
    *function = spv_import_function(&import, *function);
    return module;
}

static void split(struct arena *arena, const struct spv_module *all, struct function *function)
{
    spv_id id = function->id;
    struct spv_module *module = module_of(arena, all, &id);
    optimise(module);
    const char *error = spv_check(module);
    if (error)
        die("%s is broken by optimising: %s", function->name, error);
    module = module_of(arena, module, &id); /* without what is not used any more */
    strip(module);
    mark_const(module, id);
    spv_remove_annotations(module, id);
    spv_add_name(module, id, function->name);
    function->words = spv_write(module, &function->num_words);
    if (!spv_read_own(arena, function->words, function->num_words, &error))
        die("%s cannot be read again: %s", function->name, error);
}

static uint32_t collect(struct arena *arena, const struct spv_module *all, struct function **functions)
{
    VEC(struct function) found = {0};
    spv_foreach_function (function, all) {
        const struct spv_inst *linkage = spv_find_decoration(all, function->def->id, SpvDecorationLinkageAttributes);
        uint32_t type;
        const char *name = linkage ? spv_string(linkage, 2, &type) : NULL;
        if (!name)
            continue;
        if (linkage->words[type] == SpvLinkageTypeImport)
            die("%s is declared, but has no body", name);
        vec_push(arena, &found, (struct function){.name = name, .id = function->def->id});
    }
    for (uint32_t i = 0; i < found.length; i++)
        split(arena, all, &found.data[i]);
    if (found.length)
        qsort(found.data, found.length, sizeof(*found.data), by_name);
    *functions = found.data;
    return found.length;
}

/* ---- checking and writing ---- */

static void check_required(const struct function *functions, uint32_t count)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < num_required; i++) {
        const struct function key = {.name = all_required[i].name};
        if (count && bsearch(&key, functions, count, sizeof(*functions), by_name))
            continue;
        fprintf(stderr, "gen_library: no body for %s\n", key.name);
        missing++;
    }
    if (missing)
        die("%u library functions are missing", missing);
}

static void write_bytes(FILE *out, const char *name, const uint8_t *bytes, size_t size)
{
    fprintf(out, "const uint8_t %s[] = {", name);
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%s%u,", i % 24 ? "" : "\n    ", bytes[i]);
    fprintf(out, "\n};\n\n");
}

/* Where the name is in builtins_library_names. */
static size_t name_offset(const struct function *functions, uint32_t count, const char *name)
{
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(functions[i].name, name))
            return at;
        at += strlen(functions[i].name) + 1;
    }
    die("no body for %s", name);
}

static void write_tables(FILE *out, const struct function *functions, const struct blocks_item *items, uint32_t count)
{
    fprintf(out, "const char builtins_library_names[] =");
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "\n    \"%s\\0\"", functions[i].name);
    fprintf(out, ";\n\nconst struct builtins_library_function builtins_library[] = {\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct required *required = required_of(functions[i].name);
        fprintf(out, "    {%zu, %zu, %zu, %zu, %zu", name_offset(functions, count, functions[i].name), items[i].block,
                items[i].start, items[i].start + items[i].size, functions[i].num_words);
        if (required && !strcmp(required->flag, "read"))
            fprintf(out, ", .is_read = true");
        if (required && *required->fused)
            fprintf(out, ", .fused_width = %u, .fused = %zu", required->width,
                    name_offset(functions, count, required->fused));
        fprintf(out, "},\n");
    }
    fprintf(out, "};\nconst uint32_t builtins_library_count = %u;\n", count);
}

static void write_library(const char *path, const struct function *functions, uint32_t count)
{
    FILE *out = fopen(path, "w");
    struct blocks_item *items = calloc(count, sizeof(*items));
    if (!out || !items)
        die("cannot write %s", path);
    for (uint32_t i = 0; i < count; i++) {
        items[i].bytes = malloc(spv_pack_bound(functions[i].num_words));
        if (!items[i].bytes)
            die("out of memory");
        items[i].size = spv_pack(functions[i].words, functions[i].num_words, items[i].bytes);
        if (items[i].size > BUILTINS_BLOCK)
            die("%s takes %zu bytes, more than BUILTINS_BLOCK", functions[i].name, items[i].size);
    }
    uint8_t *bytes;
    size_t size;
    if (!blocks_make(items, count, &bytes, &size))
        die("out of memory");
    fprintf(out, "/* Generated by gen_library. */\n#include \"compiler/builtins/library.h\"\n\n");
    write_bytes(out, "builtins_library_bytes", bytes, size);
    write_tables(out, functions, items, count);
    for (uint32_t i = 0; i < count; i++)
        free(items[i].bytes);
    free(items);
    free(bytes);
    if (ferror(out) | fclose(out))
        die("cannot write %s", path);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        die("usage: gen_library OUTPUT.c REQUIRED.txt SOURCE.cl...");
    read_required(argv[2]);
    struct clc_program *program = compile((uint32_t)argc - 3, argv + 3);
    size_t num_words;
    const uint32_t *words = clc_program_spirv(program, &num_words);
    struct arena arena;
    jmp_buf out_of_memory;
    arena_init(&arena, &out_of_memory, 0);
    if (setjmp(out_of_memory))
        die("out of memory");
    const char *error = NULL;
    struct spv_module *all = spv_read_own(&arena, words, num_words, &error);
    if (!all)
        die("the front end's module is invalid: %s", error);
    struct function *functions = NULL;
    uint32_t count = collect(&arena, all, &functions);
    check_required(functions, count);
    write_library(argv[1], functions, count);
    arena_finish(&arena);
    clc_program_release(program);
    free(all_required);
    return 0;
}
