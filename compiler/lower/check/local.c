/* Local memory: reads of what nobody wrote, and work-items of a group that meet there with no barrier between them
 * (check.h). The library notes who touched each granule last (lib/check_local.cl), in global memory that the launch has
 * for each group.
 *
 * check-sites finds what a granule is: what all accesses to local memory are made of, so that none touches a part of one.
 * It marks what orders a work-item's accesses (CHECK_STEP): barriers, fences, atomics. check has the accesses call. */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/values/launch.h"

#include "base/util.h"

enum { LARGEST_GRANULE = 16 };

/* As lib/check_local.cl has them. */
enum local_step { STEP_BEGIN, STEP_BARRIER, STEP_SUB_GROUP_BARRIER, STEP_ATOMIC_READ, STEP_ACQUIRE, STEP_FENCE };
enum {
    HOW_INIT = 32,
    HOW_RACES = 64,
    HOW_GRANULE = 8 /* from this bit on its logarithm */
};

/* ---- check-sites ---- */

static bool has_local(const struct lower *lower)
{
    const struct spv_module *module = lower->module;
    for (uint32_t i = 0; i < lower->kernel->params.length; i++) {
        spv_id type = lower->kernel->params.data[i]->type;
        if (spv_type_is_pointer(module, type) && spv_pointer_storage(module, type) == SpvStorageClassWorkgroup)
            return true;
    }
    spv_foreach_inst (inst, &module->sections[SPV_SECTION_GLOBAL]) {
        if (inst->op == SpvOpVariable && inst->words[0] == SpvStorageClassWorkgroup)
            return true;
    }
    return false;
}

void check_begin_local(struct check_sites *s)
{
    struct lower *lower = s->lower;
    bool races = lower->watched & CLC_CHECK_RACES, init = lower->watched & CLC_CHECK_INIT && !lower->target->zero_local;
    if (races && has_local(lower))
        lower->check_granule = LARGEST_GRANULE;
    lower->check_local_bytes = init && !races && has_local(lower);
}

static void keep_whole(uint32_t *granule, uint64_t number)
{
    uint64_t bit = number & (0 - number);
    if (bit && bit < *granule)
        *granule = (uint32_t)bit;
}

void check_note_local(struct check_sites *s, spv_id pointer, uint32_t align, uint64_t bytes)
{
    SpvStorageClass storage = spv_pointer_storage(s->module, spv_value_type(s->module, pointer));
    uint32_t *granule = &s->lower->check_granule;
    if (!*granule || (storage != SpvStorageClassWorkgroup && storage != SpvStorageClassGeneric))
        return;
    keep_whole(granule, align);
    keep_whole(granule, bytes);
    keep_whole(granule, check_known_align(&s->layouts, pointer));
}

static void step(struct check_sites *s, enum local_step what)
{
    const spv_id args[] = {spv_const_u32(s->module, what)};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_STEP, spv_type_void(s->module), 1, args);
}

enum {
    ACQUIRES = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask |
               SpvMemorySemanticsSequentiallyConsistentMask
};

/* OpenCL C 3.0, 6.15.8: a barrier orders the memory that its flags name. Of a named barrier only some wait. */
static void mark_barrier(struct check_sites *s, const struct spv_inst *inst)
{
    uint32_t scope = check_constant_or(s->module, inst->words[0], SpvScopeWorkgroup);
    if (!(check_constant_or(s->module, inst->words[2], UINT32_MAX) & SpvMemorySemanticsWorkgroupMemoryMask))
        return;
    step(s, scope == SpvScopeWorkgroup  ? STEP_BARRIER
            : scope == SpvScopeSubgroup ? STEP_SUB_GROUP_BARRIER
                                        : STEP_FENCE);
    s->lower->check_sub_groups |= scope == SpvScopeSubgroup;
}

/* What other work-items did before may be known to one that has read something atomically which they wrote behind it
 * (OpenCL 3.0 API, 3.3.6). */
static void mark_atomic(struct check_sites *s, const struct spv_inst *inst)
{
    if (inst->op == SpvOpAtomicStore || inst->op == SpvOpAtomicFlagClear || inst->num_words < 3)
        return;
    s->b.before = inst->next;
    step(s, check_constant_or(s->module, inst->words[2], UINT32_MAX) & ACQUIRES ? STEP_ACQUIRE : STEP_ATOMIC_READ);
}

void check_mark_order(struct check_sites *s, struct spv_inst *inst)
{
    if (!s->lower->check_granule)
        return;
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    if (spv_op_is_atomic(inst->op)) {
        mark_atomic(s, inst);
        return;
    }
    switch (inst->op) {
    case SpvOpControlBarrier:
        mark_barrier(s, inst);
        break;
    case SpvOpMemoryNamedBarrier:
        step(s, STEP_ACQUIRE);
        break;
    case SpvOpMemoryBarrier:
        if (check_constant_or(s->module, inst->words[1], UINT32_MAX) & ACQUIRES)
            step(s, STEP_FENCE);
        break;
    default:
        if (check_orders_group(s->module, inst))
            step(s, STEP_BARRIER);
        break;
    }
}

void check_clear_local(struct check_sites *s)
{
    struct spv_function *kernel = s->lower->kernel;
    if (!s->lower->check_granule && !s->lower->check_local_bytes)
        return;
    s->b = (struct spv_builder){s->module, kernel, kernel->first_block, kernel->first_block->insts.first};
    while (s->b.before->op == SpvOpVariable)
        s->b.before = s->b.before->next;
    step(s, STEP_BEGIN);
    check_emit_barrier(s, SpvMemorySemanticsCrossWorkgroupMemoryMask);
}

/* ---- check ---- */

/* The kernel asks once, when it begins. */
struct check_local_notes check_find_local_notes(struct checking *c)
{
    bool in_kernel = c->b.function == c->lower->kernel;
    struct check_local_notes notes;
    if (in_kernel && c->local_notes.words)
        return c->local_notes;
    const spv_id args[] = {check_head(c)};
    notes.words = check_call(c, &c->local_words_at, "__pumice_check_local_words", ARRAY_LENGTH(args), args);
    notes.granules = check_call(c, &c->local_granules_at, "__pumice_check_local_granules", ARRAY_LENGTH(args), args);
    if (in_kernel)
        c->local_notes = notes;
    return notes;
}

void check_lower_step(struct checking *c, struct spv_inst *inst)
{
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    if (c->lower->check_local_bytes) {
        check_begin_local_bytes(c);
    } else {
        const struct check_local_notes notes = check_find_local_notes(c);
        const spv_id args[] = {notes.words, notes.granules, inst->words[2]};
        check_call(c, &c->local_step, "__pumice_check_local_step", ARRAY_LENGTH(args), args);
    }
    spv_inst_remove(c->module, inst);
}

/* The one variable or argument that the pointer leads into; NULL: others, too, or nobody knows. */
static const struct spv_inst *only_root(struct checking *c, const struct mark *mark)
{
    struct check_roots roots;
    check_find_roots(c->lower, mark->pointer, &roots);
    const struct spv_inst *root = roots.count == 1 && !roots.unknown ? spv_def(c->module, roots.list[0]) : NULL;
    bool known = root && check_storage_of(c, root->id) == SpvStorageClassWorkgroup &&
                 (root->op == SpvOpVariable || c->b.function == c->lower->kernel);
    return known ? root : NULL;
}

static spv_id origin_of(struct checking *c, const struct mark *mark, const struct spv_inst *root)
{
    return root ? check_number_of(c, root->id, mark->storage) : spv_const_u64(c->module, 0);
}

void check_note_local_access(struct checking *c, const struct check_local_notes *notes, spv_id site, spv_id what,
                             spv_id address, spv_id size, spv_id how, spv_id origin)
{
    spv_id sub_group = c->lower->check_sub_groups ? lower_emit_builtin(c->lower, &c->b, SpvBuiltInSubgroupMaxSize, 0)
                                                  : spv_const_u32(c->module, 1);
    const spv_id args[] = {check_head(c), notes->words, notes->granules, site,     what, address,
                           size,          how,          origin,          sub_group};
    check_call(c, &c->local, "__pumice_check_local", ARRAY_LENGTH(args), args);
}

static uint32_t granule_shift(uint32_t granule)
{
    uint32_t shift = 0;
    while (granule >> shift > 1)
        shift++;
    return shift;
}

static void check_part(struct checking *c, struct mark *mark, spv_id address, spv_id size)
{
    uint32_t watched = c->lower->watched;
    bool init = watched & CLC_CHECK_INIT && !c->lower->target->zero_local;
    const struct spv_inst *root = only_root(c, mark);
    const struct check_note note = {.kind = CHECK_NOTE_LOCAL,
                                    .how = (check_meeting(mark) & ((1u << CHECK_BLOCK_SHIFT) - 1)) |
                                           (init ? HOW_INIT : 0) | (watched & CLC_CHECK_RACES ? HOW_RACES : 0) |
                                           granule_shift(c->lower->check_granule) << HOW_GRANULE,
                                    .what = CLC_WHAT_LOCAL | (root ? check_object_of(c, root) : 0),
                                    .size = size,
                                    .root = root,
                                    .storage = mark->storage};
    if (check_write_down(c, mark, &note, address))
        return;
    spv_id what = spv_const_u32(c->module, note.what), how = spv_const_u32(c->module, note.how);
    spv_id origin = origin_of(c, mark, root);
    const struct check_local_notes notes = check_find_local_notes(c);
    check_note_local_access(c, &notes, mark->site, what, address, size, how, origin);
}

static void check_block(struct checking *c, struct mark *mark, uint32_t count)
{
    spv_id pointee = spv_pointer_pointee(c->module, spv_value_type(c->module, mark->pointer));
    uint64_t element = spv_layout_of(&c->layouts, pointee)->size;
    spv_id lanes = lower_emit_builtin(c->lower, &c->b, SpvBuiltInSubgroupMaxSize, 0);
    spv_id step = spv_emitv(&c->b, SpvOpIMul, c->u64, spv_emitv(&c->b, SpvOpUConvert, c->u64, lanes),
                            spv_const_u64(c->module, element));
    spv_id place = lower_emit_builtin(c->lower, &c->b, SpvBuiltInSubgroupLocalInvocationId, 0);
    spv_id address = spv_emitv(&c->b, SpvOpIMul, c->u64, spv_emitv(&c->b, SpvOpUConvert, c->u64, place),
                               spv_const_u64(c->module, element));
    address = spv_emitv(&c->b, SpvOpIAdd, c->u64, check_address_of(c, mark), address);
    for (uint32_t i = 0; i < count; i++) {
        check_part(c, mark, address, spv_const_u64(c->module, element));
        address = spv_emitv(&c->b, SpvOpIAdd, c->u64, address, step);
    }
}

/* The lanes of a vector that count as read: those that may be used where none is for certain. Of v[n] nobody knows which one is. */
static uint32_t compared_lanes(const struct mark *mark)
{
    const struct clc_check_site *info = mark->info;
    return info->lanes ? info->lanes : info->by_number ? 0 : info->perhaps;
}

void check_local(struct checking *c, struct mark *mark)
{
    if ((!c->lower->check_granule && !c->lower->check_local_bytes) ||
        (mark->storage != SpvStorageClassWorkgroup && mark->storage != SpvStorageClassGeneric))
        return;
    uint32_t block = mark->info->access >> CHECK_BLOCK_SHIFT;
    if (c->lower->check_local_bytes) {
        const struct spv_inst *root = only_root(c, mark);
        uint32_t object = root ? check_object_of(c, root) : 0;
        check_local_bytes(c, mark, object, origin_of(c, mark, root));
    } else if (block) {
        check_block(c, mark, block);
    } else {
        struct check_part parts[CHECK_MOST_PARTS];
        uint32_t count = check_parts_of(c, mark, compared_lanes(mark), parts);
        for (uint32_t i = 0; i < count; i++)
            check_part(c, mark, check_part_at(c, check_address_of(c, mark), parts[i].first), parts[i].size);
    }
}

uint32_t check_notes_of_local(struct checking *c, const struct mark *mark, uint32_t *count)
{
    struct check_part parts[CHECK_MOST_PARTS];
    *count = 0;
    if ((!c->lower->check_granule && !c->lower->check_local_bytes) ||
        (mark->storage != SpvStorageClassWorkgroup && mark->storage != SpvStorageClassGeneric))
        return 0;
    if (!mark->info->size || c->lower->check_local_bytes)
        return CHECK_NOTE_NOW;
    *count = check_parts_of(c, mark, compared_lanes(mark), parts);
    return *count ? CHECK_NOTE_LOCAL : 0;
}
