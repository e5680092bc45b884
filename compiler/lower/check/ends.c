/* One end for a kernel that has several (checking.h).
 *
 * What a work-item wrote down of its accesses it goes through where the kernel ends (queue.c), by a copy of that code at
 * each end. A kernel that leaves at 150 places would have 150 of them, more than there are accesses.
 *
 *     OpReturn    ->    OpBranch %end    ...    %end = OpLabel
 *                                               OpReturn */
#include "compiler/lower/check/checking.h"

void check_join_ends(struct checking *c, struct spv_function *function)
{
    struct spv_block *last = NULL, *end = NULL;
    if (!c->lower->target->inlines_calls || !check_looks_at_tracks(c))
        return;
    spv_foreach_block (block, function) {
        if (spv_terminator(block)->op == SpvOpReturn && last && !end)
            end = spv_block_create(function, c->module, 0);
        if (spv_terminator(block)->op == SpvOpReturn)
            last = block;
    }
    if (!end)
        return;
    spv_foreach_block (block, function) {
        struct spv_inst *terminator = spv_terminator(block);
        if (terminator->op != SpvOpReturn)
            continue;
        spv_inst_remove(c->module, terminator);
        c->b = (struct spv_builder){c->module, function, block, NULL, NULL};
        spv_emitv_void(&c->b, SpvOpBranch, end->label->id);
    }
    spv_block_append(function, end);
    c->b = (struct spv_builder){c->module, function, end, NULL, NULL};
    spv_emit_void(&c->b, SpvOpReturn, 0, NULL);
}
