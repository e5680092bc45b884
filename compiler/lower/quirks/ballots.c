/* OpGroupNonUniformInverseBallot gets a ballot that the driver sees to be the same for all work-items.
 *
 *     %r = OpGroupNonUniformInverseBallot %bool %scope %v   ->   %u = OpGroupNonUniformBroadcastFirst %uvec4 %scope %v
 *                                                                %r = OpGroupNonUniformInverseBallot %bool %scope %u
 *
 * It has to be the same (OpenCL extension specification, cl_khr_subgroup_ballot; SPIR-V 1.6), which is known here of a
 * ballot that the kernel has just made, and not of one that it has loaded. Where Mesa's RADV (seen with 25.0.7, on
 * GFX11) thinks that it differs, the process ends in vkCreateComputePipelines(). No probe can ask for that. */
#include "compiler/lower/quirks/passes.h"

static bool is_uniform(const struct spv_module *module, spv_id ballot)
{
    const struct spv_inst *def = spv_def(module, ballot);
    return spv_is_constant(module, ballot) || def->op == SpvOpGroupNonUniformBallot ||
           def->op == SpvOpGroupNonUniformBroadcastFirst;
}

bool lower_ballots(struct lower *lower)
{
    struct spv_module *module = lower->module;
    lower->idle = true;
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op != SpvOpGroupNonUniformInverseBallot || is_uniform(module, inst->words[1]))
                    continue;
                struct spv_builder b = {module, function, block, inst};
                spv_id type = spv_value_type(module, inst->words[1]);
                inst->words[1] =
                    spv_emitv(&b, SpvOpGroupNonUniformBroadcastFirst, type, inst->words[0], inst->words[1]);
                lower->idle = false;
            }
        }
    }
    return true;
}
