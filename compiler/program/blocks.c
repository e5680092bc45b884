/* Which functions of a program are enqueued by its kernels: blocks. Each is lowered like a kernel, so it has an entry
 * point, as clang and our front end write it; other IL may leave it out. The application sees none of them. */
#include "compiler/program/program.h"

struct block_search {
    struct arena *arena;
    struct spv_module *module;
    struct u64_map enqueued; /* function -> its entry point, or NULL */
};

static bool enqueues(const struct spv_module *module)
{
    return spv_has_capability(module, SpvCapabilityDeviceEnqueue) ||
           spv_has_capability(module, SpvCapabilitySubgroupDispatch);
}

static void find_enqueued(struct block_search *search)
{
    spv_foreach_function (function, search->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                const uint32_t *invoked = spv_enqueued_function(inst);
                if (invoked && !u64_map_has(&search->enqueued, *invoked))
                    u64_map_set(search->arena, &search->enqueued, *invoked, NULL);
            }
        }
    }
}

const spv_id *program_find_blocks(struct arena *arena, const struct spv_module *module, uint32_t *count)
{
    struct block_search search = {.arena = arena, .module = (struct spv_module *)module};
    VEC(spv_id) blocks = {0};
    if (enqueues(module)) {
        find_enqueued(&search);
        spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
            if (u64_map_has(&search.enqueued, entry->words[1]))
                vec_push(arena, &blocks, entry->words[1]);
        }
    }
    *count = blocks.length;
    return blocks.data;
}

/* SPIR-V 1.6, OpEnqueueKernel: Invoke returns nothing, takes a pointer to bytes, and then pointers to local bytes. */
static bool fits(const struct spv_module *module, spv_id id)
{
    const struct spv_function *function = spv_function_of(module, id);
    if (!function || !function->first_block || !function->params.length ||
        spv_type_op(module, function->def->type) != SpvOpTypeVoid)
        return false;
    for (uint32_t i = 0; i < function->params.length; i++) {
        spv_id type = function->params.data[i]->type;
        SpvStorageClass storage =
            spv_type_is_pointer(module, type) ? spv_pointer_storage(module, type) : SpvStorageClassMax;
        if (i ? storage != SpvStorageClassWorkgroup
              : storage != SpvStorageClassGeneric && storage != SpvStorageClassCrossWorkgroup)
            return false;
    }
    return true;
}

static bool is_called(const struct spv_module *module, spv_id id)
{
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpFunctionCall && inst->words[0] == id)
                    return true;
            }
        }
    }
    return false;
}

/* Whether the function does nothing but call the other one with its own parameters. */
static const struct spv_inst *forwarded_call(const struct spv_function *function)
{
    const struct spv_block *block = function ? function->first_block : NULL;
    const struct spv_inst *call = block && !block->next ? block->insts.first : NULL;
    bool alone = call && call->op == SpvOpFunctionCall && call->next && call->next->op == SpvOpReturn &&
                 call->num_words == function->params.length + 1;
    for (uint32_t i = 0; alone && i < function->params.length; i++)
        alone = call->words[1 + i] == function->params.data[i]->id;
    return alone ? call : NULL;
}

/* Translators from LLVM write a kernel twice: as a function, and as an entry point that calls it; what is enqueued is
 * the function. Then the entry point is enqueued instead. */
static void enqueue_entries(struct block_search *search)
{
    struct u64_map entries = {0};
    struct spv_module *module = search->module;
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        const struct spv_inst *call = forwarded_call(spv_function_of(module, entry->words[1]));
        if (call)
            u64_map_set(search->arena, &entries, call->words[0], (void *)(uintptr_t)entry->words[1]);
    }
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                uint32_t *invoked = spv_enqueued_function(inst);
                if (invoked && u64_map_has(&entries, *invoked))
                    *invoked = (spv_id)(uintptr_t)u64_map_get(&entries, *invoked);
            }
        }
    }
}

const char *program_name_blocks(struct arena *arena, struct spv_module *module)
{
    struct block_search search = {.arena = arena, .module = module};
    if (!enqueues(module))
        return NULL;
    enqueue_entries(&search);
    find_enqueued(&search);
    spv_foreach_inst (entry, &module->sections[SPV_SECTION_ENTRY_POINT]) {
        if (u64_map_has(&search.enqueued, entry->words[1]))
            u64_map_set(arena, &search.enqueued, entry->words[1], entry);
    }
    spv_foreach_function (function, module) {
        spv_id id = function->def->id;
        if (!u64_map_has(&search.enqueued, id))
            continue;
        if (!fits(module, id))
            return "a function that is enqueued does not take the address of what it captured and local memory";
        if (is_called(module, id))
            return "a function that is enqueued is also called";
        if (!u64_map_get(&search.enqueued, id))
            spv_add_entry_point(module, SpvExecutionModelKernel, id, arena_printf(arena, "__block_%u_kernel", id), 0,
                                NULL);
        u64_map_set(arena, &search.enqueued, id, function->def);
    }
    for (uint32_t i = 0; i < search.enqueued.capacity; i++) {
        const struct u64_map_slot *slot = &search.enqueued.slots[i];
        if (slot->used && !spv_function_of(module, (spv_id)slot->key))
            return "what is enqueued is no function";
    }
    return NULL;
}
