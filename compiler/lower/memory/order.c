/* One total order of all accesses and fences that ask for memory_order_seq_cst. OpenCL C 3.0, 6.15.12.7 and the API
 * specification, 3.3.6 (memory ordering rules).
 *
 * Vulkan's memory model has acquire and release only. But it orders two read-modify-writes of one object: the later one
 * reads what the earlier one wrote, and with acquire and release everything before the earlier one is visible after the
 * later one. So:
 *
 *     atomic_load        ->  old = atomic_or(p, 0)
 *     atomic_store       ->  atomic_exchange(p, value)
 *     compare_exchange   ->  a loop, in which a comparison that fails is repeated by atomic_or(p, 0)
 *     fence              ->  atomic_or(word, 0), word being one of the context's on the device
 *
 * all with acquire and release. The word orders fences among each other. To order fences and accesses, every seq_cst
 * access goes to the word first. This is done only in programs that have such fences, since all work-items contend for
 * the word. */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/launch.h"

#include "base/util.h"

static uint32_t bits_of(const struct memory *m, spv_id id)
{
    uint64_t bits;
    return spv_const_value(m->module, id, &bits) ? (uint32_t)bits : 0;
}

bool mem_is_seq_cst(const struct memory *m, spv_id semantics)
{
    return bits_of(m, semantics) & SpvMemorySemanticsSequentiallyConsistentMask;
}

static bool is_total_fence(const struct spv_module *module, const struct spv_inst *inst)
{
    uint64_t semantics = 0, scope = SpvScopeDevice;
    if (inst->op != SpvOpMemoryBarrier)
        return false;
    spv_const_value(module, inst->words[0], &scope);
    spv_const_value(module, inst->words[1], &semantics);
    return semantics & SpvMemorySemanticsSequentiallyConsistentMask && scope != SpvScopeInvocation;
}

/* Whether the program has seq_cst fences. The whole program is searched, since its kernels may run at the same time. */
static bool program_has_fences(const struct spv_module *program)
{
    spv_foreach_function (function, program) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                if (is_total_fence(program, inst))
                    return true;
            }
        }
    }
    return false;
}

static void go_to_word(struct memory *m, struct spv_builder *b, uint32_t memory)
{
    spv_id u32 = spv_type_int(m->module, 32);
    spv_id address = lower_emit_launch_value(m->lower, b, CLC_LAUNCH_ORDER, 0);
    struct mem_ptr word = mem_ptr_from(MEM_GLOBAL, MEM_NODE_UNKNOWN, address);
    spv_id pointer = mem_global_pointer(m, b, &word, u32);
    spv_id semantics = spv_const_u32(m->module, SpvMemorySemanticsSequentiallyConsistentMask | memory |
                                                    SpvMemorySemanticsWorkgroupMemoryMask |
                                                    SpvMemorySemanticsCrossWorkgroupMemoryMask);
    spv_emitv(b, SpvOpAtomicOr, u32, pointer, spv_const_u32(m->module, SpvScopeDevice), semantics,
              spv_const_u32(m->module, 0));
}

void mem_order_access(struct memory *m, struct spv_builder *b)
{
    if (!m->fences_known) {
        m->fences_known = true;
        m->has_fences = program_has_fences(m->lower->program);
    }
    if (m->has_fences)
        go_to_word(m, b, 0);
}

void mem_lower_fence(struct memory *m, struct spv_inst *inst)
{
    if (!is_total_fence(m->module, inst))
        return;
    struct spv_builder b = {m->module, inst->block->function, inst->block, inst};
    go_to_word(m, &b, bits_of(m, inst->words[1]) & SpvMemorySemanticsImageMemoryMask);
    spv_inst_remove(m->module, inst);
}

/* In a function (number, comparator, value) -> what was there:
 *
 *     for (;;) {
 *         old = compare_exchange(p, comparator, value);
 *         if (old == comparator) return old;
 *         old = atomic_or(p, 0);
 *         if (old != comparator) return old;
 *     }
 */
spv_id mem_order_compare_exchange(struct memory *m, struct spv_builder *b, const struct mem_ptr *ptr, uint32_t size,
                                  mem_emit_pointer pointer_of, const struct mem_exchange *exchange)
{
    spv_id bits = spv_type_int(m->module, size * 8), bool_type = spv_type_bool(m->module);
    const spv_id types[] = {mem_number_type(m, ptr->space), bits, bits};
    const char *name =
        arena_printf(m->arena, "total_compare_exchange_%u_%u_%u_%u_%u", size * 8, ptr->space,
                     ptr->space == MEM_LOCAL ? mem_find(m, ptr->node) : 0, exchange->scope, exchange->semantics);
    struct mem_helper helper = mem_helper(m, name, bits, 3, types);
    spv_id number = mem_number(m, b, ptr);
    if (helper.is_new) {
        struct spv_builder h = helper.builder;
        struct spv_function *function = h.function;
        struct mem_ptr inner = mem_ptr_from(ptr->space, ptr->node, helper.params[0]);
        spv_id pointer = pointer_of(m, &h, &inner, size, bits), comparator = helper.params[1];
        if (!pointer)
            return 0;
        struct spv_block *loop = spv_block_create(function, m->module, 0),
                         *failed = spv_block_create(function, m->module, 0),
                         *again = spv_block_create(function, m->module, 0),
                         *merge = spv_block_create(function, m->module, 0);
        spv_emitv_void(&h, SpvOpBranch, loop->label->id);
        spv_block_append(function, loop);
        spv_block_append(function, failed);
        spv_block_append(function, again);
        spv_block_append(function, merge);
        h.block = loop;
        spv_id old = spv_emitv(&h, SpvOpAtomicCompareExchange, bits, pointer, exchange->scope, exchange->semantics,
                               exchange->failure_semantics, helper.params[2], comparator);
        spv_id done = spv_emitv(&h, SpvOpIEqual, bool_type, old, comparator);
        spv_emitv_void(&h, SpvOpLoopMerge, merge->label->id, again->label->id, SpvLoopControlMaskNone);
        spv_emitv_void(&h, SpvOpBranchConditional, done, merge->label->id, failed->label->id);
        h.block = failed;
        spv_id seen = spv_emitv(&h, SpvOpAtomicOr, bits, pointer, exchange->scope, exchange->semantics,
                                mem_int(m->module, bits, 0));
        spv_id differs = spv_emitv(&h, SpvOpINotEqual, bool_type, seen, comparator);
        spv_emitv_void(&h, SpvOpBranchConditional, differs, merge->label->id, again->label->id);
        h.block = again;
        spv_emitv_void(&h, SpvOpBranch, loop->label->id);
        h.block = merge;
        spv_id result = spv_emitv(&h, SpvOpPhi, bits, old, loop->label->id, seen, failed->label->id);
        spv_emitv_void(&h, SpvOpReturnValue, result);
    }
    return spv_emitv(b, SpvOpFunctionCall, bits, helper.function, number, exchange->comparator, exchange->value);
}
