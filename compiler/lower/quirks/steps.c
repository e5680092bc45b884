/* Barriers of sub-groups, on drivers whose sub-groups run in step anyway.
 *
 *     OpControlBarrier Subgroup scope semantics   ->   OpMemoryBarrier scope semantics, or nothing without semantics
 *
 * For lavapipe a sub-group is one thread of SIMD instructions, and a coroutine beside those of the work-group's other
 * sub-groups. Each barrier of whatever scope ends a round of all of them, and the first one that returns ends them all:
 * where one sub-group comes to a barrier of its own and another does not, what the others still had to do is lost (seen
 * with Mesa 25.0.7). OpenCL C 3.0, 6.15.13 wants all work-items of the sub-group to come there, and of no
 * others. */
#include "compiler/lower/quirks/passes.h"

static bool is_of_sub_group(const struct spv_module *module, const struct spv_inst *inst)
{
    uint64_t scope = 0;
    return inst->op == SpvOpControlBarrier && spv_const_value(module, inst->words[0], &scope) &&
           scope == SpvScopeSubgroup;
}

bool lower_steps(struct lower *lower)
{
    struct spv_module *module = lower->module;
    lower->idle = true;
    if (!lower->target->sub_groups_in_step)
        return true;
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                if (!is_of_sub_group(module, inst))
                    continue;
                struct spv_builder b = {module, function, block, inst};
                uint64_t semantics = 0;
                if (!spv_const_value(module, inst->words[2], &semantics) || semantics)
                    spv_emitv_void(&b, SpvOpMemoryBarrier, inst->words[1], inst->words[2]);
                spv_inst_remove(module, inst);
                lower->idle = false;
            }
        }
    }
    return true;
}
