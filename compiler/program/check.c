/* Checks what OpenCL forbids in a module and what lowering relies on, for our own output and foreign IL alike. */
#include "compiler/opt/opt.h"
#include "compiler/program/program.h"

#include <string.h>

/* OpenCL C 3.0, 6.11, i: recursion is not supported. */
static const char *check_recursion(struct arena *arena, struct spv_module *module)
{
    struct u64_map sizes = {0};
    const char *message = NULL;
    for (struct spv_function *function = module->first_function; function && !message; function = function->next)
        opt_inlined_size(arena, module, function, &sizes, &message);
    return message;
}

/* Which types cannot be a kernel's argument: bool, pointers to storage classes that OpenCL does not have, and types
 * that contain one of these. A type stands after those that it is made of, so one walk is enough. */
static bool *find_refused(struct arena *arena, struct spv_module *module)
{
    bool *refused = arena_array(arena, bool, module->bound);
    spv_foreach_inst (type, &module->sections[SPV_SECTION_GLOBAL]) {
        switch (type->op) {
        case SpvOpTypeBool:
            refused[type->id] = true;
            break;
        case SpvOpTypePointer: {
            uint32_t storage = type->words[0];
            refused[type->id] = storage != SpvStorageClassCrossWorkgroup && storage != SpvStorageClassUniformConstant &&
                                storage != SpvStorageClassWorkgroup && storage != SpvStorageClassFunction &&
                                storage != SpvStorageClassGeneric;
            break;
        }
        case SpvOpTypeVector:
        case SpvOpTypeArray:
            refused[type->id] = refused[type->words[0]];
            break;
        case SpvOpTypeStruct:
            for (uint32_t i = 0; i < type->num_words; i++)
                refused[type->id] |= refused[type->words[i]];
            break;
        default:
            break;
        }
    }
    return refused;
}

static bool takes_refused(const struct spv_function *kernel, const bool *refused)
{
    for (uint32_t i = 0; i < kernel->params.length; i++) {
        if (refused[kernel->params.data[i]->type])
            return true;
    }
    return false;
}

static const char *check_entry_points(struct arena *arena, struct spv_module *module)
{
    struct str_map names = {0};
    const bool *refused = find_refused(arena, module);
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        const char *name = spv_string(entry, 2, NULL);
        const struct spv_function *function = spv_function_of(module, entry->words[1]);
        if (entry->words[0] != SpvExecutionModelKernel)
            return arena_printf(arena, "entry point '%s' is no kernel", name);
        if (!function || !function->first_block)
            return arena_printf(arena, "kernel '%s' has no body", name);
        if (spv_type_op(module, function->def->type) != SpvOpTypeVoid)
            return arena_printf(arena, "kernel '%s' returns a value", name);
        if (takes_refused(function, refused))
            return arena_printf(arena, "kernel '%s' has an argument of a type that no argument has", name);
        if (str_map_has(&names, name, strlen(name)))
            return arena_printf(arena, "kernel '%s' is defined twice", name);
        str_map_set(arena, &names, name, strlen(name), NULL);
    }
    return NULL;
}

static bool is_size(uint32_t mode)
{
    return mode == SpvExecutionModeLocalSize || mode == SpvExecutionModeLocalSizeId ||
           mode == SpvExecutionModeLocalSizeHint || mode == SpvExecutionModeLocalSizeHintId;
}

static const char *kernel_name(const struct spv_module *module, spv_id function)
{
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        if (entry->words[1] == function)
            return spv_string(entry, 2, NULL);
    }
    return "a function";
}

/* SPIR-V 1.6, 3.6: sizes of work-groups, by numbers or by ids of constants. Passes divide by them and rely on this. */
static const char *check_sizes(struct arena *arena, const struct spv_module *module)
{
    spv_foreach_inst (mode, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        uint32_t sizes[3];
        if (!is_size(mode->words[1]))
            continue;
        if (!spv_mode_numbers(module, mode, 3, sizes) || !sizes[0] || !sizes[1] || !sizes[2])
            return arena_printf(arena, "the work-group size of '%s' has a zero, or is not three numbers",
                                kernel_name(module, mode->words[0]));
    }
    return NULL;
}

/* SPIR-V 1.6, 3.6: Initializer, Finalizer. Nobody could give these kernels arguments. */
static const char *check_roles(struct arena *arena, const struct spv_module *module)
{
    spv_foreach_inst (mode, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        const struct spv_function *function = spv_function_of(module, mode->words[0]);
        bool role = mode->words[1] == SpvExecutionModeInitializer || mode->words[1] == SpvExecutionModeFinalizer;
        if (role && function && function->params.length)
            return arena_printf(arena, "'%s', which initialises or finalises the program, takes arguments",
                                kernel_name(module, mode->words[0]));
    }
    return NULL;
}

static const char *check_memory_model(struct spv_module *module)
{
    const struct spv_inst *model = module->sections[SPV_SECTION_MEMORY_MODEL].first;
    if (!model || model->words[1] != SpvMemoryModelOpenCL)
        return "the module is not for OpenCL: its memory model is another";
    if (model->next)
        return "the module has more than one memory model";
    if (model->words[0] != SpvAddressingModelPhysical64)
        return "the module's addresses do not have 64 bits, but the device's do";
    return NULL;
}

static bool is_built_in(const struct spv_inst *decoration)
{
    return decoration->op == SpvOpDecorate && decoration->words[1] == SpvDecorationBuiltIn;
}

/* Lowering computes the value of a built-in, so only a variable can be decorated with one. The reader has put those of
 * other storage classes into Input (spv/repair.c). */
static const char *check_built_in(struct arena *arena, struct spv_module *module, const struct spv_inst *decoration)
{
    const struct spv_inst *variable = spv_def(module, decoration->words[0]);
    struct spv_builtin_type expected = spv_builtin_type((SpvBuiltIn)decoration->words[2]);
    spv_id type = variable && variable->op == SpvOpVariable ? spv_pointer_pointee(module, variable->type) : 0;
    if (!type || variable->words[0] != SpvStorageClassInput || !spv_type_is_int(module, type) ||
        spv_type_width(module, type) != expected.width || spv_type_count(module, type) != expected.lanes)
        return arena_printf(arena, "built-in variable %u is not of OpenCL's type, or no input", decoration->words[2]);
    const struct spv_inst *first = spv_find_decoration(module, variable->id, SpvDecorationBuiltIn);
    if (first && first->words[2] != decoration->words[2])
        return arena_printf(arena, "one variable is the built-in variables %u and %u", first->words[2],
                            decoration->words[2]);
    return NULL;
}

struct initialiser {
    struct spv_module *module;
    bool refers;
};

static void find_input(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct initialiser *initialiser = data;
    const struct spv_inst *def = spv_def(initialiser->module, *word);
    (void)inst;
    initialiser->refers |= def && def->op == SpvOpVariable && def->words[0] == SpvStorageClassInput;
}

/* Refuses inputs that are no built-ins, since nothing fills them, and constants that hold an input's address, since
 * each work-item has inputs of its own. */
static const char *check_inputs(struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        struct initialiser initialiser = {.module = module};
        if (inst->op == SpvOpVariable && inst->words[0] == SpvStorageClassInput &&
            !spv_find_decoration(module, inst->id, SpvDecorationBuiltIn))
            return "an input variable is no built-in variable";
        if (inst->op != SpvOpVariable && inst->op != SpvOpConstantComposite && inst->op != SpvOpSpecConstantComposite)
            continue;
        spv_visit_operand_ids(inst, find_input, &initialiser);
        if (initialiser.refers)
            return "a constant holds the address of a built-in variable";
    }
    return NULL;
}

static const char *check_built_ins(struct arena *arena, struct spv_module *module)
{
    const char *message = NULL;
    spv_foreach_inst (decoration, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (decoration->op == SpvOpMemberDecorate && decoration->words[2] == SpvDecorationBuiltIn)
            return "a member of a struct is a built-in variable, which OpenCL does not have";
        if (is_built_in(decoration) && (message = check_built_in(arena, module, decoration)))
            return message;
    }
    return check_inputs(module);
}

/* SPIR-V 1.6, 3.20: only functions and variables of the module have linkage. The linker relies on it. */
static const char *check_linkage(const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (inst->op != SpvOpDecorate || inst->words[1] != SpvDecorationLinkageAttributes)
            continue;
        const struct spv_inst *target = spv_def(module, inst->words[0]);
        bool links = target && (target->op == SpvOpFunction || (target->op == SpvOpVariable && !target->block));
        if (!links)
            return "linkage is for functions and variables of the module only";
    }
    return NULL;
}

/* OpenCL SPIR-V Environment, "Storage Classes": the storage classes of kernels. Lowering knows where pointers of these
 * lead. */
static const char *check_storage(struct arena *arena, const struct spv_module *module)
{
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op != SpvOpTypePointer)
            continue;
        switch (inst->words[0]) {
        case SpvStorageClassUniformConstant:
        case SpvStorageClassInput:
        case SpvStorageClassWorkgroup:
        case SpvStorageClassCrossWorkgroup:
        case SpvStorageClassFunction:
        case SpvStorageClassGeneric:
            break;
        default:
            return arena_printf(arena, "pointers of storage class %u are none of kernels", inst->words[0]);
        }
    }
    return NULL;
}

/* SPIR-V 1.6, 3.36.25, and SPV_KHR_subgroup_rotate: the size of a cluster is a constant and a power of two. */
static bool has_good_cluster(const struct spv_module *module, const struct spv_inst *inst)
{
    enum spv_class class = spv_op_class(inst->op);
    bool reduces = (class == SPV_CLASS_SUBGROUP_ARITHMETIC || class == SPV_CLASS_SUBGROUP_BITWISE ||
                    class == SPV_CLASS_SUBGROUP_LOGICAL) &&
                   inst->words[1] == SpvGroupOperationClusteredReduce;
    bool rotates = inst->op == SpvOpGroupNonUniformRotateKHR && inst->num_words > 3;
    uint64_t size;
    if (!reduces && !rotates)
        return true;
    return inst->num_words > 3 && spv_const_value(module, inst->words[3], &size) && size && !(size & (size - 1));
}

static const char *check_clusters(const struct spv_module *module)
{
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (!has_good_cluster(module, inst))
                    return "the size of a cluster of a sub-group is no constant, or no power of two";
            }
        }
    }
    return NULL;
}

const char *program_check(struct arena *arena, struct spv_module *module)
{
    const char *message = check_memory_model(module);
    if (!message)
        message = check_storage(arena, module);
    if (!message)
        message = check_entry_points(arena, module);
    if (!message)
        message = check_linkage(module);
    if (!message)
        message = check_sizes(arena, module);
    if (!message)
        message = check_roles(arena, module);
    if (!message)
        message = check_built_ins(arena, module);
    if (!message)
        message = check_clusters(module);
    if (!message)
        message = check_recursion(arena, module);
    return message;
}
