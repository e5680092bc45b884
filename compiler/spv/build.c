/* Building functions, blocks and the instructions in them. */
#include "cfg.h"
#include "grammar.h"

#include <assert.h>
#include <string.h>

/* ---- functions ---- */

void spv_link_function(struct spv_module *module, struct spv_function *function)
{
    u64_map_set(module->arena, &module->functions, function->def->id, function);
    function->prev = module->last_function;
    if (module->last_function)
        module->last_function->next = function;
    else
        module->first_function = function;
    module->last_function = function;
}

struct spv_function *spv_function_create(struct spv_module *module, spv_id id, spv_id type, uint32_t control)
{
    const struct spv_inst *type_def = spv_def(module, type);
    assert(type_def && type_def->op == SpvOpTypeFunction);
    struct spv_function *function = arena_new(module->arena, struct spv_function);
    const uint32_t words[] = {control, type};
    if (!id)
        id = spv_new_id(module);
    function->def = spv_inst_create(module, SpvOpFunction, type_def->words[0], id, 2, words);
    for (uint32_t i = 1; i < type_def->num_words; i++) {
        spv_id param = spv_new_id(module);
        vec_push(module->arena, &function->params,
                 spv_inst_create(module, SpvOpFunctionParameter, type_def->words[i], param, 0, NULL));
    }
    spv_link_function(module, function);
    return function;
}

static void undefine(struct spv_module *module, struct spv_inst *inst)
{
    if (!inst->id)
        return;
    spv_remove_annotations(module, inst->id);
    if (module->defs[inst->id] == inst)
        module->defs[inst->id] = NULL;
}

void spv_function_remove(struct spv_module *module, struct spv_function *function)
{
    while (function->first_block)
        spv_block_remove(module, function->first_block);
    for (uint32_t i = 0; i < function->params.length; i++)
        undefine(module, function->params.data[i]);
    spv_foreach_inst_safe (mode, &module->sections[SPV_SECTION_EXECUTION_MODE]) {
        if (mode->words[0] == function->def->id)
            spv_inst_remove(module, mode);
    }
    spv_foreach_inst_safe (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        if (entry->words[1] == function->def->id)
            spv_inst_remove(module, entry);
    }
    undefine(module, function->def);
    u64_map_set(module->arena, &module->functions, function->def->id, NULL);
    if (function->prev)
        function->prev->next = function->next;
    else
        module->first_function = function->next;
    if (function->next)
        function->next->prev = function->prev;
    else
        module->last_function = function->prev;
}

struct spv_function *spv_function_of(const struct spv_module *module, spv_id id)
{
    return u64_map_get(&module->functions, id);
}

/* ---- blocks ---- */

struct spv_block *spv_block_create(struct spv_function *function, struct spv_module *module, spv_id label)
{
    struct spv_block *block = arena_new(module->arena, struct spv_block);
    if (!label)
        label = spv_new_id(module);
    block->function = function;
    block->label = spv_inst_create(module, SpvOpLabel, 0, label, 0, NULL);
    block->label->block = block;
    return block;
}

void spv_block_append(struct spv_function *function, struct spv_block *block)
{
    spv_cfg_forget(function);
    block->function = function;
    block->prev = function->last_block;
    block->next = NULL;
    if (function->last_block)
        function->last_block->next = block;
    else
        function->first_block = block;
    function->last_block = block;
}

void spv_block_prepend(struct spv_function *function, struct spv_block *block)
{
    spv_cfg_forget(function);
    block->function = function;
    block->prev = NULL;
    block->next = function->first_block;
    if (function->first_block)
        function->first_block->prev = block;
    else
        function->last_block = block;
    function->first_block = block;
}

void spv_block_insert_after(struct spv_block *position, struct spv_block *block)
{
    struct spv_function *function = position->function;
    spv_cfg_forget(function);
    block->function = function;
    block->prev = position;
    block->next = position->next;
    if (position->next)
        position->next->prev = block;
    else
        function->last_block = block;
    position->next = block;
}

void spv_block_unlink(struct spv_block *block)
{
    struct spv_function *function = block->function;
    spv_cfg_forget(function);
    if (block->prev)
        block->prev->next = block->next;
    else if (function->first_block == block)
        function->first_block = block->next;
    if (block->next)
        block->next->prev = block->prev;
    else if (function->last_block == block)
        function->last_block = block->prev;
    block->prev = block->next = NULL;
}

void spv_block_remove(struct spv_module *module, struct spv_block *block)
{
    spv_foreach_inst (inst, &block->insts)
        undefine(module, inst);
    spv_block_unlink(block);
    undefine(module, block->label);
}

uint32_t spv_successors(const struct spv_block *block, uint32_t capacity, spv_id *labels)
{
    struct spv_targets targets = spv_targets(block);
    for (uint32_t i = 0; i < targets.count && i < capacity; i++)
        labels[i] = targets.first[i * targets.step];
    return targets.count;
}

/* ---- instructions ---- */

spv_id spv_emit(struct spv_builder *builder, SpvOp op, spv_id type, uint32_t count, const uint32_t *words)
{
    spv_id id = spv_new_id(builder->module);
    spv_inst_insert(builder, spv_inst_create(builder->module, op, type, id, count, words));
    return id;
}

struct spv_inst *spv_emit_void(struct spv_builder *builder, SpvOp op, uint32_t count, const uint32_t *words)
{
    struct spv_inst *inst = spv_inst_create(builder->module, op, 0, 0, count, words);
    spv_inst_insert(builder, inst);
    return inst;
}

spv_id spv_emit_ext(struct spv_builder *builder, spv_id type, spv_id set, uint32_t number, uint32_t count,
                    const spv_id *args)
{
    struct spv_module *module = builder->module;
    spv_id id = spv_new_id(module);
    uint32_t small[16], *words = count + 2 <= 16 ? small : arena_array(module->arena, uint32_t, count + 2);
    words[0] = set;
    words[1] = number;
    if (count)
        memcpy(words + 2, args, count * sizeof(*args));
    spv_inst_insert(builder, spv_inst_create(module, SpvOpExtInst, type, id, count + 2, words));
    return id;
}

static spv_id find_import(const struct spv_module *module, const char *name)
{
    spv_foreach_function (function, module) {
        const struct spv_inst *linkage =
            function->first_block ? NULL
                                  : spv_find_decoration(module, function->def->id, SpvDecorationLinkageAttributes);
        if (linkage && !strcmp(spv_string(linkage, 2, NULL), name))
            return function->def->id;
    }
    return 0;
}

spv_id spv_emit_import_call(struct spv_builder *builder, const char *name, spv_id result, uint32_t count,
                            const spv_id *args)
{
    struct spv_module *module = builder->module;
    spv_id function = find_import(module, name);
    uint32_t words[17] = {function};
    assert(count < sizeof(words) / sizeof(*words));
    if (!function) {
        spv_id params[16];
        for (uint32_t i = 0; i < count; i++)
            params[i] = spv_value_type(module, args[i]);
        function = spv_function_create(module, 0, spv_type_function(module, result, count, params), 0)->def->id;
        spv_decorate_linkage(module, function, name, SpvLinkageTypeImport);
        spv_add_name(module, function, name);
        words[0] = function;
    }
    memcpy(words + 1, args, count * sizeof(*args));
    return spv_emit(builder, SpvOpFunctionCall, result, 1 + count, words);
}

/* SPIR-V 1.6, 2.4: all OpVariable instructions in a function must be the first instructions in the first block. */
spv_id spv_emit_private(struct spv_builder *builder, enum spv_private number, spv_id type, uint32_t count,
                        const spv_id *args)
{
    return spv_emit_ext(builder, type, spv_import_ext_inst(builder->module, SPV_PRIVATE_SET), number, count, args);
}

spv_id spv_emit_variable(struct spv_builder *builder, spv_id pointee)
{
    struct spv_module *module = builder->module;
    struct spv_block *entry = builder->function->first_block;
    assert(entry);
    struct spv_inst *last = builder->last_variable;
    struct spv_builder at = {module, builder->function, entry, NULL, NULL};
    at.before = last && last->block == entry ? last->next : entry->insts.first;
    while (at.before && at.before->op == SpvOpVariable) /* lines come behind, with the code */
        at.before = at.before->next;
    spv_id type = spv_type_pointer(module, SpvStorageClassFunction, pointee);
    spv_id id = spv_emitv(&at, SpvOpVariable, type, SpvStorageClassFunction);
    builder->last_variable = spv_def(module, id);
    return id;
}
