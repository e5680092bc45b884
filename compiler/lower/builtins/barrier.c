/* Lowering of named barriers (SPIR-V 1.1, NamedBarrier; OpenCL C++ 1.0, 3.16.3). A named barrier is two words in local
 * memory (lib/barrier.cl); extract.c has made the type a pointer to them.
 *
 *     %b = OpNamedBarrierInitialize %t %n   ->   OpControlBarrier Workgroup         nobody waits there any more
 *                                                %b = OpInBoundsAccessChain %words 0
 *                                                OpAtomicStore %b %n, and 0 behind it
 *                                                OpControlBarrier Workgroup
 *     OpMemoryNamedBarrier %b scope order   ->   OpControlBarrier Subgroup scope order
 *                                                OpMemoryBarrier scope AcquireRelease
 *                                                OpFunctionCall %__pumice_named_barrier_wait %b
 *                                                OpMemoryBarrier scope AcquireRelease
 *                                                OpControlBarrier Subgroup scope order
 *
 * One work-item of each sub-group waits, by relaxed atomics on one word. The fences before and after make what it knows
 * visible to the waiting work-items of other sub-groups, in the memory and to the scope that the instruction names; the
 * sub-group's barriers do so between it and the others of its sub-group. A barrier is no fence for both: it releases
 * before it acquires.
 *
 * The words belong to the instruction. It is lowered after inlining, for which calls.c sees to it that functions with
 * such an instruction do not stay: each call then has its own. One in a loop starts anew in the same words, which
 * OpenCL C++ allows. */
#include "compiler/lower/builtins/builtins.h"
#include "compiler/lower/builtins/passes.h"
#include "compiler/lower/values/access.h"

/* The semantics of the fences: no barrier takes part in the total order of fences (memory/order.c). */
spv_id lower_barrier_fence(struct spv_module *module, spv_id semantics)
{
    const uint32_t orders = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask |
                            SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsSequentiallyConsistentMask;
    uint64_t bits;
    if (!spv_const_value(module, semantics, &bits))
        return semantics;
    return spv_const_u32(module, ((uint32_t)bits & ~orders) | SpvMemorySemanticsAcquireReleaseMask);
}

/* The library waits in a loop, which needs sub-groups that make progress independently of each other. The build refuses
 * the capability on other devices (program/capabilities.c). */
spv_id lower_core_barrier(struct builtin_lowering *x)
{
    if (x->num_args != 3 || spv_value_type(x->module, x->args[0]) != lower_named_barrier_type(x->module)) {
        lower_fail(x->lower, "%s has operands that do not fit", spv_op_name(x->inst->op));
        return 0;
    }
    spv_id scope = spv_const_u32(x->module, SpvScopeSubgroup), semantics = lower_barrier_fence(x->module, x->args[2]);
    spv_emitv_void(&x->b, SpvOpControlBarrier, scope, x->args[1], x->args[2]);
    spv_emitv_void(&x->b, SpvOpMemoryBarrier, x->args[1], semantics);
    spv_id call = lower_library_call(x, "__pumice_named_barrier_wait", 1, x->args);
    spv_emitv_void(&x->b, SpvOpMemoryBarrier, x->args[1], semantics);
    spv_emitv_void(&x->b, SpvOpControlBarrier, scope, x->args[1], x->args[2]);
    return call;
}

/* ---- after inlining ---- */

static void group_barrier(struct spv_builder *b)
{
    spv_id scope = spv_const_u32(b->module, SpvScopeWorkgroup);
    uint32_t order = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask;
    spv_emitv_void(b, SpvOpControlBarrier, scope, scope, spv_const_u32(b->module, order));
}

/* All work-items store the same, which takes no branch. */
static void store_word(struct spv_builder *b, spv_id word, spv_id value)
{
    spv_emitv_void(b, SpvOpAtomicStore, word, spv_const_u32(b->module, SpvScopeWorkgroup),
                   spv_const_u32(b->module, SpvMemorySemanticsMaskNone), value);
}

/* num_words: two, or four in kernels whose barriers are checked (lib/check_named.cl). */
static spv_id initialise(struct spv_module *module, struct spv_inst *inst, uint32_t num_words)
{
    struct spv_builder b = {module, inst->block->function, inst->block, inst};
    spv_id type = lower_named_barrier_type(module), zero = spv_const_u32(module, 0);
    spv_id words = spv_type_array(module, spv_type_int(module, 32), num_words);
    spv_id variable = spv_global_variable(module, spv_type_pointer(module, SpvStorageClassWorkgroup, words),
                                          SpvStorageClassWorkgroup, 0);
    group_barrier(&b);
    spv_id barrier = spv_emitv(&b, SpvOpInBoundsAccessChain, type, variable, zero);
    store_word(&b, barrier, inst->words[0]);
    for (uint32_t i = 1; i < num_words; i++)
        store_word(&b, spv_emitv(&b, SpvOpInBoundsAccessChain, type, variable, spv_const_u32(module, i)), zero);
    group_barrier(&b);
    return barrier;
}

bool lower_barriers(struct lower *lower)
{
    struct spv_module *module = lower->module;
    struct spv_replacements replacements = {0};
    uint32_t num_words = lower->watched & CLC_CHECK_BARRIERS ? 4 : CLC_NAMED_BARRIER_SIZE / 4;
    lower->idle = true;
    spv_foreach_function (function, module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst_safe (inst, &block->insts) {
                if (inst->op != SpvOpNamedBarrierInitialize)
                    continue;
                if (spv_value_type(module, inst->words[0]) != spv_type_int(module, 32))
                    return lower_fail(lower, "%s has operands that do not fit", spv_op_name(inst->op));
                spv_replace(module, &replacements, inst->id, initialise(module, inst, num_words));
                spv_inst_remove(module, inst);
                lower->idle = false;
            }
        }
    }
    spv_apply_replacements(module, &replacements, NULL);
    spv_finish_replacements(module, &replacements);
    return true;
}
