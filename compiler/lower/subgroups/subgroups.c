/* Sub-groups of the size that a kernel asks for (cl_intel_required_subgroup_size, SPIR-V's SubgroupSize).
 *
 * A size that the device has is the pipeline's affair. Where the kernel's sub-groups are smaller than the device's
 * smallest, that one holds several of them (clusters.c). Where they are larger than its largest, each lane runs several
 * work-items (turns.c).
 *
 * The pass comes when built-in functions are instructions and all that has to be inlined is, and before the entry pass,
 * which makes ids of work-items and sub-groups (ends/entry_ids.c). A kernel that cannot tell how large its sub-groups
 * are stays as it is. */
#include "compiler/lower/subgroups/subgroups.h"
#include "compiler/lower/subgroups/passes.h"
#include "compiler/lower/values/launch.h"

static bool is_subgroup_barrier(const struct spv_module *module, const struct spv_inst *inst)
{
    uint64_t scope;
    return inst->op == SpvOpControlBarrier && spv_const_value(module, inst->words[0], &scope) &&
           scope == SpvScopeSubgroup;
}

/* Whether the kernel can tell: it has an instruction of sub-groups, or asks for a work-item's place in one. */
static bool tells(const struct spv_module *module)
{
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                SpvBuiltIn which;
                if (spv_op_is_subgroup(inst->op) || is_subgroup_barrier(module, inst))
                    return true;
                if (inst->op != SpvOpLoad || !lower_builtin_of(module, inst->words[0], &which))
                    continue;
                if (which == SpvBuiltInSubgroupLocalInvocationId ||
                    (which >= SpvBuiltInSubgroupEqMask && which <= SpvBuiltInSubgroupLtMask))
                    return true;
            }
        }
    }
    return false;
}

/* Whether a function that stays one has a barrier: the lanes without a work-item do not call it. */
static bool has_called_barrier(const struct lower *lower)
{
    spv_foreach_function (function, lower->module) {
        if (function == lower->kernel)
            continue;
        spv_foreach_block (block, function)
            spv_foreach_inst (inst, &block->insts) {
                if (inst->op == SpvOpControlBarrier)
                    return true;
            }
    }
    return false;
}

/* clc_lower_options.any_size */
static bool make_any_size(struct lower *lower)
{
    if (lower->required_size[0] || lower->required_subgroup_size || tells(lower->module) || has_called_barrier(lower))
        return lower_fail(lower,
                          "work-groups of any size are not possible: the kernel requires a size, uses sub-groups, "
                          "or calls a function with a barrier");
    lower->idle = false;
    return subgroups_idle_lanes(lower);
}

bool lower_subgroups(struct lower *lower)
{
    lower->idle = true;
    if (lower->options->any_size)
        return make_any_size(lower);
    if (lower->subgroup_size == lower->subgroup_lanes || !tells(lower->module))
        return true;
    lower->idle = false;
    return lower->subgroup_size < lower->subgroup_lanes ? subgroups_make_clusters(lower) : subgroups_take_turns(lower);
}
