/* Programs: their life, and how they come from source. */
#include "compiler/program/program.h"

#include "base/float_env.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/util.h"
#include "compiler/front/emit/emit.h"
#include "compiler/front/parse/unit.h"
#include "compiler/front/sema/ast.h"
#include "compiler/lower/values/data.h"
#include "compiler/opt/opt.h"
#include "compiler/spv/cfg.h"

#include <stdlib.h>
#include <string.h>

struct clc_program *program_create(jmp_buf *out_of_memory, size_t memory_limit)
{
    struct clc_program *program = calloc(1, sizeof(*program));
    if (!program)
        return NULL;
    atomic_init(&program->references, 1);
    arena_init(&program->arena, out_of_memory, memory_limit);
    arena_init(&program->code, out_of_memory, memory_limit);
    return program;
}

struct clc_program *clc_program_retain(struct clc_program *program)
{
    atomic_fetch_add_explicit(&program->references, 1, memory_order_relaxed);
    return program;
}

void clc_program_release(struct clc_program *program)
{
    if (!program || atomic_fetch_sub_explicit(&program->references, 1, memory_order_acq_rel) != 1)
        return;
    arena_finish(&program->code);
    arena_finish(&program->arena);
    free(program);
}

uint32_t program_flags(const struct clc_options *options)
{
    return (options->denorms_are_zero ? PROGRAM_DENORMS_ARE_ZERO : 0) |
           (options->fp32_correctly_rounded_divide_sqrt ? PROGRAM_CORRECT_DIVIDE_SQRT : 0) |
           (options->mad_enable ? PROGRAM_MAD_ENABLE : 0) | (options->fast_relaxed_math ? PROGRAM_FAST_RELAXED : 0) |
           (options->finite_math_only ? PROGRAM_FINITE_ONLY : 0) | (options->unsafe_math ? PROGRAM_UNSAFE_MATH : 0) |
           (options->no_signed_zeros ? PROGRAM_NO_SIGNED_ZEROS : 0) | (options->opt_disable ? PROGRAM_OPT_DISABLE : 0) |
           (options->uniform_work_group_size ? PROGRAM_UNIFORM_WORK_GROUP_SIZE : 0) |
           (options->debug_info ? PROGRAM_ENQUEUE_DETAILS : 0);
}

static bool has_encoded_floats(const struct spv_module *module)
{
    spv_foreach_inst (type, &module->sections[SPV_SECTION_GLOBAL]) {
        if (spv_is_encoded_float(module, type->id))
            return true;
    }
    return false;
}

/* What was written is for everybody. Floats of other encodings are what the reader makes of them, for lowering. */
static const char *program_write(struct clc_program *program)
{
    size_t count = 0;
    const char *error = NULL;
    program->words = spv_write(program->module, &count);
    program->num_words = count;
    if (has_encoded_floats(program->module))
        program->module = spv_read(program->module->arena, program->words, count, &error);
    if (!error)
        program_find_kernels(program);
    return error;
}

static const char *place_globals(struct clc_program *program)
{
    program->globals = lower_data_globals(&program->arena, program->module);
    return program->globals->error;
}

const char *program_derive(struct clc_program *program)
{
    const char *error = program_write(program);
    return error ? error : place_globals(program);
}

enum clc_program_kind clc_program_kind(const struct clc_program *program)
{
    return program->kind;
}

bool clc_program_wants_uniform_groups(const struct clc_program *program)
{
    return program->flags & PROGRAM_UNIFORM_WORK_GROUP_SIZE;
}

const uint32_t *clc_program_spirv(const struct clc_program *program, size_t *num_words)
{
    *num_words = program->num_words;
    return program->words;
}

uint32_t clc_program_num_kernels(const struct clc_program *program)
{
    return program->num_kernels;
}

uint32_t clc_program_num_blocks(const struct clc_program *program)
{
    return program->num_blocks;
}

const struct clc_kernel_info *clc_program_kernel(const struct clc_program *program, uint32_t index)
{
    return index < program->num_kernels ? &program->kernels[index] : NULL;
}

uint32_t clc_program_find_kernel(const struct clc_program *program, const char *name)
{
    const struct clc_kernel_info *info = str_map_get(&program->by_name, name, strlen(name));
    return info ? (uint32_t)(info - program->kernels) : program->num_kernels;
}

const struct clc_data_block *clc_program_globals(const struct clc_program *program)
{
    return &program->globals->block;
}

/* ---- from source ---- */

/* Bytes. Trees of most programs are smaller, and then only what kernels reach need be emitted. */
static const size_t default_tree_limit = (size_t)64 << 20, default_kernel_limit = (size_t)4 << 20;

/* Bytes of emitted code that are worth a copy. */
static const size_t large_program = (size_t)4 << 20;

struct compilation {
    const struct clc_compile_args *args;
    struct clc_front *front;     /* NULL: it is gone */
    struct clc_program *program; /* owned until handed out */
    struct emit *emit;
    uint64_t emit_time;
    bool pack; /* a copy of the code is made: */
    struct arena packed;
    struct arena scratch;    /* of passes; empty but for their time */
    struct arena_pool spare; /* scratch's, when the front end is gone */
    bool out_of_memory;
};

/* Our own output is checked where PUMICE_VALIDATE asks for it: a message here is a bug of the compiler. */
bool program_validates_output(void)
{
    return setting_on(SETTING_VALIDATE);
}

static void validate_output(struct clc_front *front, const struct clc_program *program)
{
    const char *broken = spv_check(program->module);
    if (broken) {
        pp_error(front, 0, "internal error: broken module: %s", broken);
        return;
    }
    if (program->module->ext_private) /* the library, when Pumice is built: SPIRV-Tools knows nothing of the set */
        return;
    char *message = clc_validate(program->words, program->num_words, "opencl");
    if (!message)
        return;
    char text[1024];
    strncpy(text, message, sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    free(message); /* pp_error() may leave by longjmp */
    pp_error(front, 0, "internal error: invalid SPIR-V: %s", text);
}

static size_t program_memory(const struct clc_program *program)
{
    return program->arena.reserved + program->code.reserved;
}

static void note_memory(struct compilation *compilation)
{
    struct clc_timing *timing = compilation->args->timing;
    const struct clc_front *front = compilation->front;
    size_t used = program_memory(compilation->program) + compilation->packed.reserved + compilation->spare.held;
    if (front)
        used += front->arena->pool->held;
    if (timing && timing->compile_memory < used)
        timing->compile_memory = used;
}

static void take_function(void *data, struct decl *function)
{
    struct compilation *compilation = data;
    uint64_t start = time_ns();
    emit_function(compilation->emit, function);
    compilation->emit_time += time_ns() - start;
    note_memory(compilation);
}

static void take_statements(void *data, struct decl *function, struct stmt *first)
{
    struct compilation *compilation = data;
    uint64_t start = time_ns();
    emit_statements(compilation->emit, function, first);
    compilation->emit_time += time_ns() - start;
    note_memory(compilation);
}

static bool begin_program(struct compilation *compilation, struct clc_front *front)
{
    const struct clc_compile_args *args = compilation->args;
    struct clc_program *program = program_create(&front->fatal, args->memory_limit);
    compilation->program = program;
    if (!program) {
        compilation->out_of_memory = true;
        return false;
    }
    program->arena.budget = program->code.budget = front->arena->budget;
    program->kind = args->compile_only ? CLC_PROGRAM_OBJECT : CLC_PROGRAM_EXECUTABLE;
    program->flags = program_flags(&front->options);
    if (front->options.std < CLC_STD_20 && !front->options.uneven_work_groups) /* OpenCL C 1.2 has no others */
        program->flags |= PROGRAM_UNIFORM_WORK_GROUP_SIZE;
    program->module = spv_module_create(&program->code, 0x00010200);
    compilation->emit = emit_begin(front, program->module, args->compile_only);
    return true;
}

/* Values instead of variables, and what follows from that: once, and not for each kernel that reaches a function. */
static void simplify(struct compilation *compilation, struct arena_pool *pool)
{
    struct clc_program *program = compilation->program;
    struct spv_module *module = program->module;
    struct arena *scratch = &compilation->scratch;
    if (compilation->args->target->zero_private) {
        spv_foreach_function (function, module)
            opt_initialise(module, function);
    }
    /* What is stored to variables, and when, shows only where they are variables. */
    if (program->flags & PROGRAM_OPT_DISABLE || compilation->args->target->checks & CLC_CHECK_INIT)
        return;
    arena_init(scratch, program->code.out_of_memory, compilation->args->memory_limit);
    scratch->budget = program->code.budget;
    scratch->pool = pool;
    module->scratch = scratch;
    spv_foreach_function (function, module) {
        if (!function->first_block)
            continue;
        opt_mem2reg(module, function);
        opt_fold(module, function);
        opt_dce(module, function);
        spv_cfg_forget(function);
    }
    module->scratch = NULL;
    note_memory(compilation);
    arena_finish(scratch);
}

static void end_program(struct compilation *compilation, const struct translation_unit *unit)
{
    struct clc_front *front = compilation->front;
    struct clc_program *program = compilation->program;
    bool has_unreached = emit_end(compilation->emit, unit);
    note_memory(compilation);
    pp_front_free_tree(front, (struct arena_mark){0});
    if (front->num_errors)
        return;
    if (has_unreached)
        opt_dce_module(program->module);
    const char *message = program_check(front->arena, program->module);
    compilation->pack =
        program->code.reserved >= large_program && !program_validates_output() && !has_encoded_floats(program->module);
    if (!message && !compilation->pack)
        simplify(compilation, front->arena->pool);
    if (!message)
        message = compilation->pack ? place_globals(program) : program_derive(program);
    if (message)
        pp_error(front, 0, "%s", message);
    else if (program_validates_output())
        validate_output(front, program);
    note_memory(compilation);
}

static void compile(struct clc_front *front, void *data)
{
    struct compilation *compilation = data;
    struct clc_timing *timing = compilation->args->timing;
    size_t limit = compilation->args->tree_limit, kernel_limit = compilation->args->kernel_tree_limit;
    limit = limit ? limit : default_tree_limit;
    kernel_limit = kernel_limit ? kernel_limit : default_kernel_limit;
    struct tree_taker taker = {limit, kernel_limit, compilation, take_function, take_statements};
    compilation->front = front;
    front->taker = &taker;
    if (!begin_program(compilation, front))
        return;
    uint64_t start = time_ns();
    const struct translation_unit *unit = clc_parse(front);
    uint64_t parsed = time_ns();
    if (timing)
        timing->preprocess_parse = parsed - start - compilation->emit_time;
    if (front->num_errors)
        return;
    end_program(compilation, unit);
    if (timing) {
        timing->emit = time_ns() - parsed + compilation->emit_time;
    }
}

/* Simplifies a large program and copies its module, so that what emission and the passes left behind is freed:
 * functions that nothing reaches, and tables that grew. This runs after the front end has freed its memory. */
static bool pack_program(struct compilation *compilation)
{
    struct clc_program *program = compilation->program;
    struct clc_timing *timing = compilation->args->timing;
    uint64_t start = time_ns();
    jmp_buf out_of_memory;
    struct arena *packed = &compilation->packed;
    if (!compilation->pack)
        return true;
    arena_init(packed, &out_of_memory, compilation->args->memory_limit);
    program->arena.out_of_memory = program->code.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory)) {
        arena_finish(packed);
        return false;
    }
    simplify(compilation, &compilation->spare);
    arena_pool_free(&compilation->spare);
    struct spv_module *module = spv_clone(packed, program->module);
    note_memory(compilation);
    arena_finish(&program->code);
    program->code = *packed;
    arena_init(packed, NULL, 0);
    program->module = module;
    module->arena = &program->code;
    (void)program_write(program); /* not before: there was less room for it */
    if (timing)
        timing->emit += time_ns() - start;
    return true;
}

enum clc_result clc_compile(const struct clc_compile_args *args, struct clc_program **program, char **log)
{
    FLOAT_ENV_DEFAULT();
    struct compilation compilation = {.args = args};
    *program = NULL;
    enum clc_result result = pp_front_run(args, compile, &compilation, log);
    compilation.front = NULL;
    if (compilation.program) {
        compilation.program->arena.budget = compilation.program->code.budget = NULL; /* it went with the front end */
        compilation.scratch.budget = NULL;
    }
    if (compilation.out_of_memory)
        result = CLC_OUT_OF_MEMORY;
    if (result == CLC_SUCCESS && !pack_program(&compilation))
        result = CLC_OUT_OF_MEMORY;
    arena_finish(&compilation.scratch);
    arena_pool_free(&compilation.spare);
    if (result != CLC_SUCCESS) {
        clc_program_release(compilation.program);
        return result;
    }
    if (args->timing)
        args->timing->program_memory = program_memory(compilation.program);
    compilation.program->arena.out_of_memory = compilation.program->code.out_of_memory = NULL;
    *program = compilation.program;
    log_debug("compiled: %zu words of kernel SPIR-V, %u kernels", compilation.program->num_words,
              compilation.program->num_kernels);
    return CLC_SUCCESS;
}

/* ---- the tree as text ---- */

struct tree_print {
    char *text;
};

static void print_tree(struct clc_front *front, void *data)
{
    struct tree_print *print = data;
    const struct translation_unit *unit = clc_parse(front);
    struct str out;
    str_init(&out, front->arena);
    clc_ast_print(front, unit, &out);
    print->text = strdup(str_text(&out));
}

enum clc_result clc_print_ast(const struct clc_compile_args *args, char **text, char **log)
{
    FLOAT_ENV_DEFAULT();
    struct tree_print print = {NULL};
    enum clc_result result = pp_front_run(args, print_tree, &print, log);
    *text = print.text;
    if (result == CLC_SUCCESS && !print.text)
        return CLC_OUT_OF_MEMORY;
    return result;
}
