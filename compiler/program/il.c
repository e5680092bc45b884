/* Programs from foreign SPIR-V: clCreateProgramWithIL and the build that follows. */
#include "compiler/program/program.h"

#include "base/float_env.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

struct il_build {
    const void *il;
    size_t size;
    const char *options;
    const struct clc_spec_constant *constants;
    uint32_t num_constants;
    const struct clc_target *target;
    bool compile_only;
    struct clc_program *program;
    struct clc_program *compiled; /* what declared functions are taken from, for that time */
    char *invalid;                /* the validator's message, malloc'ed */
    struct str log;
};

static enum clc_result failed(struct il_build *build, enum clc_result result, const char *message)
{
    str_printf(&build->log, "error: %s\n", message);
    return result;
}

static bool is_import(const struct spv_inst *inst)
{
    return inst->op == SpvOpDecorate && inst->words[1] == SpvDecorationLinkageAttributes &&
           inst->words[inst->num_words - 1] == SpvLinkageTypeImport;
}

static void note_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    uint8_t *used = data;
    (void)inst;
    used[*word] = 1;
}

static void note_uses(const struct spv_module *module, uint8_t *used)
{
    static const enum spv_section sections[] = {SPV_SECTION_ENTRY_POINT, SPV_SECTION_GLOBAL};
    for (uint32_t i = 0; i < ARRAY_LENGTH(sections); i++) {
        spv_foreach_inst (inst, &module->sections[sections[i]])
            spv_visit_operand_ids(inst, note_use, used);
    }
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                spv_visit_operand_ids(inst, note_use, used);
        }
    }
}

/* Removes declared functions and variables that nothing uses. Translators from LLVM leave declarations of intrinsics
 * that they replaced, such as llvm.fshl.i32: nobody defines those, and nobody misses them. */
static void drop_unused_imports(struct spv_module *module)
{
    uint8_t *used = NULL;
    VEC(spv_id) unused = {0}; /* their annotations go with them, so that the walk over these comes first */
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (!is_import(inst))
            continue;
        if (!used) {
            used = spv_borrow_table(module, uint8_t);
            note_uses(module, used);
        }
        spv_id id = inst->words[0];
        const struct spv_function *function = spv_function_of(module, id);
        if (!used[id] && !(function && function->first_block))
            vec_push(module->arena, &unused, id);
        used[id] = 1; /* once each */
    }
    for (uint32_t i = 0; i < unused.length; i++) {
        struct spv_function *function = spv_function_of(module, unused.data[i]);
        if (function) {
            spv_function_remove(module, function);
        } else {
            spv_remove_annotations(module, unused.data[i]);
            spv_inst_remove(module, spv_def(module, unused.data[i]));
        }
    }
    spv_give_back(module, used);
}

/* The name of a function or variable that is missing, or NULL. Built-in variables are not missing, although translators
 * from LLVM declare them as imports too. */
static const char *missing(const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (is_import(inst) && !spv_find_decoration(module, inst->words[0], SpvDecorationBuiltIn) &&
            !program_defines(spv_string(inst, 2, NULL)))
            return spv_string(inst, 2, NULL);
    }
    return NULL;
}

/* OpenCL 3.0 API, 5.8.2: what clBuildProgram() makes is compiled and linked, so nothing may be missing. */
static const char *check_whole(struct arena *arena, const struct spv_module *module)
{
    static const char *const advice =
        "it is called or read, but only declared. Compile the program, and link it with one "
        "that defines it (clCompileProgram, clLinkProgram)";
    const char *name = missing(module);
    return name ? arena_printf(arena, "undefined reference to '%s': %s", name, advice) : NULL;
}

/* A module that does not say of which language it is takes the options' word for it; without that it is of OpenCL C
 * 1.2, where work-groups are equal. */
static bool has_uniform_groups(const struct spv_module *module, const struct clc_options *options)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_DEBUG]) {
        if (inst->op == SpvOpSource)
            return false;
    }
    return !options->uneven_work_groups && (!options->std_given || options->std < CLC_STD_20);
}

static struct spv_module *read_words(struct arena *arena, const void *il, size_t size, const char **message)
{
    if (size % 4 || size < 20) {
        *message = "no SPIR-V: its size is not one of words";
        return NULL;
    }
    uint32_t *words = arena_array(arena, uint32_t, size / 4);
    memcpy(words, il, size);
    return spv_read(arena, words, size / 4, message);
}

/* SPIR-V 1.6, 2.16.1: a module without entry points is there to be linked, and says so. */
static const char *check_kernels(const struct spv_module *module)
{
    if (!spv_has_capability(module, SpvCapabilityKernel))
        return "the module has no kernels: capability Kernel is missing";
    if (!module->sections[SPV_SECTION_ENTRY_POINT].first && !spv_has_capability(module, SpvCapabilityLinkage))
        return "the module has no kernels, and nothing to link: capability Linkage is missing";
    return NULL;
}

static enum clc_result read_il(struct il_build *build)
{
    struct clc_program *program = build->program;
    struct arena *arena = &program->arena;
    struct clc_options options = {0};
    const char *message = pp_options_parse(arena, build->options, false, &options);
    if (message)
        return failed(build, CLC_INVALID_OPTIONS, message);
    str_puts(&build->log, options.notes);
    program->module = read_words(arena, build->il, build->size, &message);
    if (!program->module)
        return failed(build, CLC_INVALID_BINARY, message);
    /* Before the validator, which does not know that OpConstantPipeStorage stands outside of functions. */
    message = program_open_storage(arena, program->module);
    if (message)
        return failed(build, CLC_INVALID_BINARY, message);
    /* The reader may have repaired the module, so the validator gets the words of the repaired one. */
    size_t num_read;
    const uint32_t *read = spv_write(program->module, &num_read);
    enum clc_result valid = clc_check_valid(read, num_read, "opencl", &build->invalid);
    if (valid != CLC_SUCCESS)
        return failed(build, valid, build->invalid ? build->invalid : "no memory to validate the module");
    message = check_kernels(program->module);
    if (!message)
        message = program_check_capabilities(arena, program->module, build->target);
    if (!message)
        message = program_specialise(arena, program->module, build->constants, build->num_constants);
    if (!message)
        message = spv_check(program->module);
    if (!message)
        message = program_name_blocks(arena, program->module);
    if (!message)
        drop_unused_imports(program->module);
    if (!message)
        program_define_declared(program->module, build->target, &build->compiled);
    program->kind = build->compile_only ? CLC_PROGRAM_OBJECT : CLC_PROGRAM_EXECUTABLE;
    if (!message && program->kind == CLC_PROGRAM_EXECUTABLE)
        message = check_whole(arena, program->module);
    if (!message && program->kind == CLC_PROGRAM_EXECUTABLE)
        message = program_bind_calls(arena, program->module);
    if (!message)
        message = program_check(arena, program->module);
    if (message)
        return failed(build, CLC_INVALID_BINARY, message);
    program->flags = program_flags(&options) | PROGRAM_FOREIGN;
    if (has_uniform_groups(program->module, &options))
        program->flags |= PROGRAM_UNIFORM_WORK_GROUP_SIZE;
    message = program_derive(program);
    return message ? failed(build, CLC_FAILED, message) : CLC_SUCCESS;
}

enum clc_result clc_program_from_il(const void *il, size_t size, const char *options,
                                    const struct clc_spec_constant *constants, uint32_t num_constants,
                                    const struct clc_target *target, bool compile_only, struct clc_program **program,
                                    char **log)
{
    FLOAT_ENV_DEFAULT();
    jmp_buf out_of_memory;
    struct il_build build = {
        .il = il,
        .size = size,
        .options = options,
        .constants = constants,
        .num_constants = num_constants,
        .target = target,
        .compile_only = compile_only,
    };
    *program = NULL;
    *log = NULL;
    build.program = program_create(&out_of_memory, (size_t)1 << 30);
    if (!build.program)
        return CLC_OUT_OF_MEMORY;
    if (setjmp(out_of_memory)) {
        free(build.invalid);
        clc_program_release(build.compiled);
        clc_program_release(build.program);
        return CLC_OUT_OF_MEMORY;
    }
    str_init(&build.log, &build.program->arena);
    enum clc_result result = read_il(&build);
    *log = strdup(str_text(&build.log));
    if (!*log)
        result = CLC_OUT_OF_MEMORY;
    free(build.invalid);
    build.program->arena.out_of_memory = NULL;
    if (result == CLC_SUCCESS)
        *program = build.program;
    else
        clc_program_release(build.program);
    return result;
}

enum clc_result clc_spec_constants(const void *il, size_t size, struct clc_spec_constant **list, uint32_t *count)
{
    jmp_buf out_of_memory;
    const char *message;
    *list = NULL;
    *count = 0;
    struct clc_program *program = program_create(&out_of_memory, (size_t)1 << 30);
    if (!program)
        return CLC_OUT_OF_MEMORY;
    if (setjmp(out_of_memory)) {
        clc_program_release(program);
        return CLC_OUT_OF_MEMORY;
    }
    const struct spv_module *module = read_words(&program->arena, il, size, &message);
    program->arena.out_of_memory = NULL;
    enum clc_result result = module ? CLC_SUCCESS : CLC_INVALID_BINARY;
    if (module) {
        uint32_t wanted = program_spec_constants(module, NULL, 0);
        *list = calloc(wanted + 1u, sizeof(**list));
        if (*list)
            *count = program_spec_constants(module, *list, wanted);
        else
            result = CLC_OUT_OF_MEMORY;
    }
    clc_program_release(program);
    return result;
}
