/* Marks asynchronous copies that the work-items of a group make differently, or never wait for (check.h). OpenCL C 3.0,
 * 6.15.11: all work-items of the group make the copy, with the same arguments.
 *
 *     OpGroupAsyncCopy     ->    made[0]++; made[1] += hash of its operands;    in local memory, and so in private memory
 *     OpGroupWaitEvents    ->    barrier; CheckFault made != own * items; barrier; OpGroupWaitEvents
 *     OpReturn             ->    CheckFault a copy was made since the last wait; OpReturn
 *
 * Which copies a wait is for cannot be told: it is taken for one of all. Only copies in the kernel itself are looked at, and
 * only where no function that it calls makes or awaits any. */
#include "compiler/lower/check/check.h"

enum { COUNT, HASH };

static spv_id u32_type(const struct check_sites *s)
{
    return spv_type_int(s->module, 32);
}

static bool is_copy(const struct spv_inst *inst)
{
    return inst->op == SpvOpGroupAsyncCopy && inst->num_words >= 6;
}

/* Whether all copies and waits are the kernel's own. */
static bool are_own(const struct check_sites *s)
{
    bool any = false;
    spv_foreach_function (function, s->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts) {
                bool ours = inst->op == SpvOpGroupAsyncCopy || inst->op == SpvOpGroupWaitEvents;
                if (ours && function != s->lower->kernel)
                    return false;
                any |= ours;
            }
        }
    }
    return any;
}

static void store(struct check_sites *s, spv_id pointer, spv_id value)
{
    spv_emitv_void(&s->b, SpvOpStore, pointer, value, SpvMemoryAccessAlignedMask, 4);
}

static spv_id load(struct check_sites *s, spv_id pointer)
{
    return spv_emitv(&s->b, SpvOpLoad, u32_type(s), pointer, SpvMemoryAccessAlignedMask, 4);
}

static spv_id made(struct check_sites *s, int which)
{
    return check_local_word(s, CHECK_FIRST_COPY_WORD + (uint32_t)which);
}

void check_begin_copies(struct check_sites *s)
{
    struct spv_function *kernel = s->lower->kernel;
    s->looks_at_copies = s->lower->watched & CLC_CHECK_BARRIERS && are_own(s);
    if (!s->looks_at_copies)
        return;
    s->b = (struct spv_builder){s->module, kernel, kernel->first_block, kernel->first_block->insts.first};
    for (int i = 0; i < 3; i++)
        s->own_copies[i] = spv_emit_variable(&s->b, u32_type(s));
    while (s->b.before->op == SpvOpVariable)
        s->b.before = s->b.before->next;
    for (int i = 0; i < 3; i++)
        store(s, s->own_copies[i], spv_const_u32(s->module, 0));
}

/* Of the operands behind the scope, but the event. */
static spv_id hash_of(struct check_sites *s, const struct spv_inst *inst)
{
    static const uint64_t factors[] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93};
    spv_id u64 = spv_type_int(s->module, 64), sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        spv_id value = inst->words[i + 1], type = spv_value_type(s->module, value);
        if (spv_type_is_pointer(s->module, type))
            value = spv_emitv(&s->b, SpvOpConvertPtrToU, u64, value);
        else if (spv_type_width(s->module, type) < 64)
            value = spv_emitv(&s->b, SpvOpUConvert, u64, value);
        value = spv_emitv(&s->b, SpvOpIMul, u64, value, spv_const_u64(s->module, factors[i]));
        sum = sum ? spv_emitv(&s->b, SpvOpIAdd, u64, sum, value) : value;
    }
    sum = spv_emitv(&s->b, SpvOpShiftRightLogical, u64, sum, spv_const_u64(s->module, 32));
    return spv_emitv(&s->b, SpvOpUConvert, u32_type(s), sum);
}

static void mark_copy(struct check_sites *s, const struct spv_inst *inst)
{
    const spv_id added[2] = {spv_const_u32(s->module, 1), hash_of(s, inst)};
    spv_id u32 = u32_type(s), group = spv_const_u32(s->module, SpvScopeWorkgroup), zero = spv_const_u32(s->module, 0);
    for (int i = COUNT; i <= HASH; i++) {
        spv_emitv(&s->b, SpvOpAtomicIAdd, u32, made(s, i), group, zero, added[i]);
        store(s, s->own_copies[i], spv_emitv(&s->b, SpvOpIAdd, u32, load(s, s->own_copies[i]), added[i]));
    }
    store(s, s->own_copies[2], added[0]);
    s->last_copy = check_add_site(s, CLC_SITE_COPY);
}

static void fault(struct check_sites *s, spv_id wrong, spv_id site)
{
    const spv_id args[] = {wrong, spv_const_u64(s->module, 0), site};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_FAULT, spv_type_void(s->module), 3, args);
}

static void mark_wait(struct check_sites *s)
{
    spv_id u32 = u32_type(s), truth = spv_type_bool(s->module), zero = spv_const_u32(s->module, 0), wrong = 0;
    spv_id group = spv_const_u32(s->module, SpvScopeWorkgroup), items = check_group_items(s);
    check_emit_barrier(s, SpvMemorySemanticsWorkgroupMemoryMask);
    for (int i = COUNT; i <= HASH; i++) {
        spv_id all = spv_emitv(&s->b, SpvOpAtomicLoad, u32, made(s, i), group, zero);
        spv_id expected = spv_emitv(&s->b, SpvOpIMul, u32, load(s, s->own_copies[i]), items);
        spv_id differs = spv_emitv(&s->b, SpvOpINotEqual, truth, all, expected);
        wrong = wrong ? spv_emitv(&s->b, SpvOpLogicalOr, truth, wrong, differs) : differs;
    }
    check_emit_barrier(s, SpvMemorySemanticsWorkgroupMemoryMask);
    fault(s, wrong, check_add_site(s, CLC_SITE_COPIES_DIFFER));
    store(s, s->own_copies[2], zero);
}

void check_mark_copies(struct check_sites *s, struct spv_inst *inst)
{
    if (!s->looks_at_copies)
        return;
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    if (is_copy(inst))
        mark_copy(s, inst);
    else if (inst->op == SpvOpGroupWaitEvents)
        mark_wait(s);
}

void check_end_copies(struct check_sites *s)
{
    if (!s->looks_at_copies || !s->last_copy)
        return;
    spv_id pending = load(s, s->own_copies[2]);
    fault(s, spv_emitv(&s->b, SpvOpINotEqual, spv_type_bool(s->module), pending, spv_const_u32(s->module, 0)),
          s->last_copy);
}
