/* Built-in variables are loaded whole: a part of the extract pass. SPIR-V from other front ends also loads components
 * through access chains, and, where LLVM took them for ordinary variables, reads them through casts, phis and
 * arguments. (Those of other storage classes than Input the reader has changed: spv/repair.c.) For those uses each
 * function gets private copies:
 *
 *     %p = OpBitcast %input_ulong %global_id      %v = OpLoad %v3ulong %global_id
 *     %x = OpLoad %ulong %p                       OpStore %copy %v
 *                                                 %p = OpBitcast %function_ulong %copy
 *                                                 %x = OpLoad %ulong %p */
#include "compiler/lower/ends/ends.h"

#include "base/util.h"

/* The built-in vector that the chain 'into' leads into, or NULL. */
static const struct spv_inst *builtin_vector(struct spv_module *module, const struct spv_inst *into)
{
    if (!into || (into->op != SpvOpAccessChain && into->op != SpvOpInBoundsAccessChain) || into->num_words != 2)
        return NULL;
    const struct spv_inst *variable = spv_def(module, into->words[0]);
    bool builtin = variable && variable->op == SpvOpVariable && variable->words[0] == SpvStorageClassInput &&
                   spv_type_is_vector(module, spv_pointer_pointee(module, variable->type)) &&
                   spv_find_decoration(module, variable->id, SpvDecorationBuiltIn);
    return builtin ? variable : NULL;
}

static void load_builtins_whole(struct spv_module *module, struct spv_function *function)
{
    struct spv_replacements replacements = {0};
    spv_foreach_block (block, function) {
        spv_foreach_inst_safe (inst, &block->insts) {
            if (builtin_vector(module, inst))
                inst->type = spv_type_pointer(module, SpvStorageClassInput, spv_pointer_pointee(module, inst->type));
            const struct spv_inst *chain = inst->op == SpvOpLoad ? spv_def(module, inst->words[0]) : NULL;
            const struct spv_inst *variable = builtin_vector(module, chain);
            if (!variable)
                continue;
            struct spv_builder b = {.module = module, .function = function, .block = block, .before = inst};
            spv_id vector = spv_emitv(&b, SpvOpLoad, spv_pointer_pointee(module, variable->type), variable->id);
            uint64_t index;
            spv_id value = spv_const_value(module, chain->words[1], &index)
                               ? spv_emitv(&b, SpvOpCompositeExtract, inst->type, vector, (uint32_t)index)
                               : spv_emitv(&b, SpvOpVectorExtractDynamic, inst->type, vector, chain->words[1]);
            spv_replace(module, &replacements, inst->id, value);
            spv_inst_remove(module, inst);
        }
    }
    spv_apply_replacements(module, &replacements, function);
    spv_finish_replacements(module, &replacements);
}

/* ---- copies ---- */

static bool is_input(const struct spv_inst *inst)
{
    return inst && inst->op == SpvOpVariable && inst->words[0] == SpvStorageClassInput;
}

struct uses {
    struct spv_module *module;
    bool odd;   /* anything but a load, or a chain for loads, takes a pointer to a built-in variable */
    bool *used; /* by id */
};

static void look_at_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct uses *uses = data;
    const struct spv_inst *def = spv_def(uses->module, *word);
    if (inst->op == SpvOpLoad)
        return;
    if ((is_input(def) && !builtin_vector(uses->module, inst)) || builtin_vector(uses->module, def))
        uses->odd = true;
}

static void note_use(void *data, struct spv_inst *inst, uint32_t *word)
{
    struct uses *uses = data;
    (void)inst;
    uses->used[*word] = true;
}

static void visit_uses(struct uses *uses, struct spv_function *function, spv_visit_id visit)
{
    spv_foreach_block (block, function)
        spv_foreach_inst (inst, &block->insts)
            spv_visit_operand_ids(inst, visit, uses);
}

/* Gives all pointers into Input variables the private storage class, since they point into the copies now. The
 * variables themselves keep theirs. */
static void make_pointers_private(struct spv_module *module)
{
    spv_foreach_inst (type, &module->sections[SPV_SECTION_GLOBAL]) {
        if (type->op == SpvOpTypePointer && type->words[0] == SpvStorageClassInput)
            type->words[0] = SpvStorageClassFunction;
    }
}

static void copy_inputs(struct spv_module *module, struct spv_function *function, spv_id last)
{
    struct spv_replacements replacements = {0};
    struct uses uses = {.module = module, .used = arena_array(module->arena, bool, module->bound)};
    VEC(spv_id) pairs = {0};
    visit_uses(&uses, function, note_use);
    struct spv_builder b = {.module = module, .function = function, .block = function->first_block};
    b.before = b.block->insts.first;
    for (spv_id id = 1; id < last; id++) {
        const struct spv_inst *variable = spv_def(module, id);
        if (!uses.used[id] || !is_input(variable))
            continue;
        spv_id copy = spv_emitv(&b, SpvOpVariable, variable->type, SpvStorageClassFunction);
        spv_replace(module, &replacements, id, copy);
        vec_push(module->arena, &pairs, id);
        vec_push(module->arena, &pairs, copy);
    }
    spv_apply_replacements(module, &replacements, function);
    spv_finish_replacements(module, &replacements);
    while (b.before && b.before->op == SpvOpVariable)
        b.before = b.before->next;
    for (uint32_t i = 0; i < pairs.length; i += 2) {
        spv_id type = spv_pointer_pointee(module, spv_value_type(module, pairs.data[i]));
        spv_emitv_void(&b, SpvOpStore, pairs.data[i + 1], spv_emitv(&b, SpvOpLoad, type, pairs.data[i]));
    }
}

static bool has_odd_uses(struct spv_module *module)
{
    struct uses uses = {.module = module};
    spv_foreach_function (function, module)
        visit_uses(&uses, function, look_at_use);
    return uses.odd;
}

static void copy_odd_inputs(struct spv_module *module)
{
    spv_id last = module->bound;
    make_pointers_private(module);
    spv_foreach_function (function, module) {
        if (function->first_block)
            copy_inputs(module, function, last);
    }
    for (spv_id id = 1; id < last; id++) {
        struct spv_inst *variable = spv_def(module, id);
        if (is_input(variable))
            variable->type =
                spv_type_pointer(module, SpvStorageClassInput, spv_pointer_pointee(module, variable->type));
    }
}

/* Whether a built-in variable is constant or coherent means nothing in Vulkan. */
static void drop_decorations(struct spv_module *module)
{
    spv_foreach_inst_safe (inst, &module->sections[SPV_SECTION_ANNOTATION]) {
        if (inst->op == SpvOpDecorate && inst->words[1] != SpvDecorationBuiltIn &&
            is_input(spv_def(module, inst->words[0])))
            spv_inst_remove(module, inst);
    }
}

bool lower_inputs(struct lower *lower)
{
    struct spv_module *module = lower->module;
    drop_decorations(module);
    if (has_odd_uses(module))
        copy_odd_inputs(module);
    spv_foreach_function (function, module)
        load_builtins_whole(module, function);
    return true;
}
