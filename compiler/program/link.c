/* clLinkProgram: copies all modules into one, then replaces imports by the exports of the same names.
 *
 * Import copies equal types to equal ids, so a call across modules fits when the declarations agree. A kernel that
 * another module calls is copied once more as a plain function, because an entry point may not be called (SPIR-V 1.6,
 * 2.16.1). */
#include "compiler/program/program.h"

#include <stdlib.h>
#include <string.h>

struct linker {
    struct clc_program *const *inputs;
    uint32_t num_inputs;
    const char *options_text;
    struct clc_options options;
    struct clc_program *program;
    struct arena *arena;
    struct spv_module *module;
    struct spv_import *imports; /* per input */
    struct str_map exports;     /* name -> id in the result */
    struct str_map kernels;     /* name -> input number + 1 */
    struct str log;
    uint32_t num_errors;
};

__attribute__((format(printf, 2, 3))) static void link_error(struct linker *linker, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    linker->num_errors++;
    str_puts(&linker->log, "error: ");
    str_vprintf(&linker->log, format, args);
    str_putc(&linker->log, '\n');
    va_end(args);
}

static bool is_linkage(const struct spv_inst *inst)
{
    return inst->op == SpvOpDecorate && inst->num_words > 3 && inst->words[1] == SpvDecorationLinkageAttributes;
}

static uint32_t linkage_type(const struct spv_inst *inst)
{
    return inst->words[inst->num_words - 1];
}

static void copy_module_facts(struct linker *linker, const struct spv_module *from)
{
    spv_foreach_inst (inst, &from->sections[SPV_SECTION_CAPABILITY])
        spv_add_capability(linker->module, (SpvCapability)inst->words[0]);
    spv_foreach_inst (inst, &from->sections[SPV_SECTION_EXTENSION])
        spv_add_extension(linker->module, spv_string(inst, 0, NULL));
    spv_foreach_inst (inst, &from->sections[SPV_SECTION_DEBUG]) {
        const char *text = inst->op == SpvOpString ? spv_string(inst, 0, NULL) : "";
        if (!strncmp(text, "kernel_", 7))
            spv_add_string(linker->module, text);
    }
}

static void note_kernel(struct linker *linker, const struct spv_inst *entry, uint32_t input)
{
    const char *name = spv_string(entry, 2, NULL);
    if (str_map_has(&linker->kernels, name, strlen(name)))
        link_error(linker, "kernel '%s' is defined in more than one program", name);
    else
        str_map_set(linker->arena, &linker->kernels, name, strlen(name), (void *)(uintptr_t)(input + 1));
}

/* Blocks of static functions may have equal names in several programs. Only kernels' names mean something. */
static bool is_block(const struct clc_program *program, spv_id function)
{
    for (uint32_t i = 0; i < program->num_blocks; i++) {
        if (program->blocks[i] == function)
            return true;
    }
    return false;
}

static void rename_entry(struct linker *linker, spv_id function, const char *name)
{
    spv_foreach_inst_safe (inst, &linker->module->sections[SPV_SECTION_ENTRY_POINT]) {
        uint32_t next;
        if (inst->words[1] != function)
            continue;
        spv_string(inst, 2, &next);
        spv_add_entry_point(linker->module, SpvExecutionModelKernel, function, name, inst->num_words - next,
                            inst->words + next);
        spv_inst_remove(linker->module, inst);
        return;
    }
}

/* Copies everything that is visible from outside, with what it reaches. */
static void copy_input(struct linker *linker, uint32_t index)
{
    const struct spv_module *from = linker->inputs[index]->module;
    struct spv_import *import = &linker->imports[index];
    import->to = linker->module;
    import->from = from;
    copy_module_facts(linker, from);
    spv_foreach_inst (inst, &from->sections[SPV_SECTION_ENTRY_POINT]) {
        bool block = is_block(linker->inputs[index], inst->words[1]);
        if (!block)
            note_kernel(linker, inst, index);
        spv_id function = spv_import_function(import, inst->words[1]);
        if (block)
            rename_entry(linker, function, arena_printf(linker->arena, "%s.%u", spv_string(inst, 2, NULL), index));
    }
    spv_foreach_inst (inst, &from->sections[SPV_SECTION_ANNOTATION]) {
        if (!is_linkage(inst) || linkage_type(inst) == SpvLinkageTypeImport)
            continue;
        const char *name = spv_string(inst, 2, NULL);
        spv_id id = spv_import_id(import, inst->words[0]);
        if (linkage_type(inst) == SpvLinkageTypeExport && str_map_has(&linker->exports, name, strlen(name)))
            link_error(linker, "'%s' is defined in more than one program", name);
        if (!str_map_has(&linker->exports, name, strlen(name)))
            str_map_set(linker->arena, &linker->exports, name, strlen(name), (void *)(uintptr_t)id);
    }
}

/* Makes the body of a kernel a function of its own. */
static spv_id kernel_as_function(struct linker *linker, const char *name)
{
    uintptr_t input = (uintptr_t)str_map_get(&linker->kernels, name, strlen(name));
    if (!input)
        return 0;
    const struct spv_module *from = linker->inputs[input - 1]->module;
    spv_foreach_inst (entry, &from->sections[SPV_SECTION_ENTRY_POINT]) {
        if (strcmp(spv_string(entry, 2, NULL), name) != 0)
            continue;
        struct spv_import *import = &linker->imports[input - 1];
        spv_id first = spv_import_id(import, entry->words[1]);
        spv_set_imported(import, entry->words[1], 0);
        spv_id copy = spv_import_function(import, entry->words[1]);
        spv_set_imported(import, entry->words[1], first);
        static const enum spv_section sections[] = {SPV_SECTION_ENTRY_POINT, SPV_SECTION_EXECUTION_MODE};
        for (uint32_t i = 0; i < 2; i++) {
            spv_foreach_inst_safe (inst, &linker->module->sections[sections[i]]) {
                if (inst->words[sections[i] == SPV_SECTION_ENTRY_POINT ? 1 : 0] == copy)
                    spv_inst_remove(linker->module, inst);
            }
        }
        str_map_set(linker->arena, &linker->exports, name, strlen(name), (void *)(uintptr_t)copy);
        return copy;
    }
    return 0;
}

static bool same_type(const struct spv_module *module, spv_id a, spv_id b)
{
    const struct spv_function *f = spv_function_of(module, a), *g = spv_function_of(module, b);
    if (f && g)
        return f->def->words[1] == g->def->words[1];
    return !f && !g && spv_value_type(module, a) == spv_value_type(module, b);
}

static void drop_import(struct linker *linker, spv_id id)
{
    struct spv_function *function = spv_function_of(linker->module, id);
    if (function)
        spv_function_remove(linker->module, function);
    else
        spv_inst_remove(linker->module, spv_def(linker->module, id));
}

static void resolve_imports(struct linker *linker)
{
    struct spv_replacements replacements = {0};
    struct spv_module *module = linker->module;
    VEC(spv_id) resolved = {0};
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (!is_linkage(inst) || linkage_type(inst) != SpvLinkageTypeImport)
            continue;
        /* Translators from LLVM declare built-in variables as imports. No module defines those. */
        if (spv_find_decoration(module, inst->words[0], SpvDecorationBuiltIn))
            continue;
        const char *name = spv_string(inst, 2, NULL);
        spv_id target = (spv_id)(uintptr_t)str_map_get(&linker->exports, name, strlen(name));
        if (!target)
            target = kernel_as_function(linker, name);
        if (!target) {
            if (!linker->options.create_library && !program_defines(name))
                link_error(linker, "undefined reference to '%s'", name);
        } else if (!same_type(module, inst->words[0], target)) {
            link_error(linker, "'%s' is declared with another type than it is defined with", name);
        } else {
            spv_replace(module, &replacements, inst->words[0], target);
            vec_push(linker->arena, &resolved, inst->words[0]);
        }
    }
    if (!resolved.length || linker->num_errors)
        return;
    for (uint32_t i = 0; i < resolved.length; i++)
        spv_remove_annotations(module, resolved.data[i]);
    spv_apply_replacements(module, &replacements, NULL);
    for (uint32_t i = 0; i < resolved.length; i++)
        drop_import(linker, resolved.data[i]);
}

static uint32_t merged_flags(const struct linker *linker)
{
    uint32_t flags = PROGRAM_ALL_FLAGS, optimise_off = 0, asked = program_flags(&linker->options);
    for (uint32_t i = 0; i < linker->num_inputs; i++) {
        const struct clc_program *input = linker->inputs[i];
        if (input->kind == CLC_PROGRAM_LIBRARY && !(input->flags & PROGRAM_LINK_OPTIONS))
            asked = 0; /* OpenCL 3.0 API, 5.8.7.1: they may not change the library */
        flags &= linker->inputs[i]->flags;
        optimise_off |= linker->inputs[i]->flags & (PROGRAM_OPT_DISABLE | PROGRAM_CORRECT_DIVIDE_SQRT);
    }
    flags &= ~(uint32_t)PROGRAM_LINK_OPTIONS;
    if (linker->options.enable_link_options)
        flags |= PROGRAM_LINK_OPTIONS;
    return flags | optimise_off | asked;
}

static enum clc_result link_all(struct linker *linker)
{
    const char *message = pp_options_parse(linker->arena, linker->options_text, true, &linker->options);
    if (message) {
        link_error(linker, "%s", message);
        return CLC_INVALID_OPTIONS;
    }
    str_puts(&linker->log, linker->options.notes);
    struct clc_program *program = linker->program;
    linker->module = program->module = spv_module_create(linker->arena, 0x00010200);
    linker->imports = arena_array(linker->arena, struct spv_import, linker->num_inputs + 1);
    spv_set_memory_model(linker->module, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
    for (uint32_t i = 0; i < linker->num_inputs; i++) {
        if (linker->inputs[i]->module->version > linker->module->version)
            linker->module->version = linker->inputs[i]->module->version;
        if (!linker->module->generator) /* who made a part of it: its chains may mean what that one's do */
            linker->module->generator = linker->inputs[i]->module->generator;
        copy_input(linker, i);
    }
    if (!linker->num_errors)
        resolve_imports(linker);
    if (linker->num_errors)
        return CLC_FAILED;
    message = linker->options.create_library ? NULL : program_bind_calls(linker->arena, linker->module);
    program->kind = linker->options.create_library ? CLC_PROGRAM_LIBRARY : CLC_PROGRAM_EXECUTABLE;
    program->flags = merged_flags(linker);
    if (!message)
        message = program_check(linker->arena, linker->module);
    if (!message)
        message = program_derive(program);
    if (message)
        link_error(linker, "%s", message);
    return message ? CLC_FAILED : CLC_SUCCESS;
}

enum clc_result clc_link(struct clc_program *const *programs, uint32_t count, const char *options,
                         const struct clc_target *target, struct clc_program **program, char **log)
{
    jmp_buf out_of_memory;
    struct linker linker = {.inputs = programs, .num_inputs = count, .options_text = options};
    (void)target;
    *program = NULL;
    *log = NULL;
    linker.program = program_create(&out_of_memory, (size_t)1 << 30);
    if (!linker.program)
        return CLC_OUT_OF_MEMORY;
    if (setjmp(out_of_memory)) {
        clc_program_release(linker.program);
        return CLC_OUT_OF_MEMORY;
    }
    linker.arena = &linker.program->arena;
    str_init(&linker.log, linker.arena);
    enum clc_result result = link_all(&linker);
    *log = strdup(str_text(&linker.log));
    if (!*log)
        result = CLC_OUT_OF_MEMORY;
    linker.program->arena.out_of_memory = NULL;
    if (result == CLC_SUCCESS)
        *program = linker.program;
    else
        clc_program_release(linker.program);
    return result;
}
