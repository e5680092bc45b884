/* The entry point: where a launch's values come from.
 *
 * Before this pass, arguments are parameters, and launch values and ids are loads from Input variables. This pass
 * - makes ids arithmetic on Vulkan's built-ins and launch values, and lets work-items beyond the end of a range return,
 *   where the pipeline says so (entry_ids.c);
 * - makes arguments and launch values reads of the argument block (entry_block.c). */
#include "compiler/lower/ends/entry.h"
#include "compiler/lower/ends/passes.h"

struct spv_builder entry_at_start(struct entry *e, struct spv_function *function)
{
    struct spv_builder b = {e->module, function, function->first_block, function->user};
    if (!b.before) {
        b.before = b.block->insts.first;
        while (b.before && b.before->op == SpvOpVariable)
            b.before = b.before->next;
        function->user = b.before;
    }
    return b;
}

static void drop_params(struct entry *e)
{
    struct spv_function *kernel = e->lower->kernel;
    for (uint32_t i = 0; i < kernel->params.length; i++) {
        spv_remove_annotations(e->module, kernel->params.data[i]->id);
        e->module->defs[kernel->params.data[i]->id] = NULL;
    }
    kernel->params.length = 0;
    kernel->def->words[1] = spv_type_function(e->module, spv_type_void(e->module), 0, NULL);
}

static bool run(struct lower *lower)
{
    struct entry e = {.lower = lower, .module = lower->module, .target = lower->target};
    e.layouts = (struct spv_layouts){.arena = lower->module->arena, .module = lower->module};
    e.num_ids = lower->module->bound;
    e.used = arena_array(spv_scratch(lower->module), uint8_t, e.num_ids);
    entry_rewrite_ids(&e);
    if (lower->error)
        return false;
    entry_read_block(&e);
    spv_apply_replacements(lower->module, &e.replacements, NULL);
    spv_finish_replacements(lower->module, &e.replacements);
    entry_remove_reads(&e);
    drop_params(&e);
    return true;
}

bool lower_entry(struct lower *lower)
{
    struct arena_mark mark = spv_scratch_begin(lower->module);
    bool done = run(lower);
    spv_scratch_end(lower->module, mark);
    return done;
}
