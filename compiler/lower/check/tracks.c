/* Global memory where work-items of one launch meet and nothing orders them (check.h). The library notes who touched each
 * word of four bytes last (lib/check_tracks.cl), beside the memory that the kernel may write.
 *
 * check-sites marks what orders a work-item's accesses (CHECK_STEP). A variable keeps who the work-item is,
 * how many barriers it has passed, and whether it may know what others did before:
 *
 *     OpControlBarrier           ->    %state = __pumice_check_track_step(%state, TRACK_BARRIER)
 *     %q = Checked %p 4 site     ->    __pumice_check_track(head, site, object, tracks of the argument, distance, ..., %state)
 *
 * Which bytes the launch touches of what its arguments lead to is noted, too (lib/check_touched.cl): of launches and other
 * commands with nothing to order them the host compares it (src/checked/touched.c).
 *
 * Work-items of other groups can be ordered by atomic operations and fences alone, and nobody can tell which of them were
 * meant to. So nothing is said of what a work-item does once it may have learnt of others. */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/values/launch.h"

#include "base/util.h"

/* ---- check-sites ---- */

enum {
    ORDERS = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask |
             SpvMemorySemanticsSequentiallyConsistentMask
};

static void step(struct check_sites *s, enum check_step what)
{
    const spv_id args[] = {spv_const_u32(s->module, what)};
    spv_emit_private(&s->b, SPV_PRIVATE_CHECK_STEP, spv_type_void(s->module), 1, args);
    s->lower->check_syncs |= what == CHECK_GLOBAL_READ || what == CHECK_GLOBAL_ACQUIRE;
}

/* A barrier orders the memory that its flags name (OpenCL C 3.0, 6.15.8). */
static void mark_barrier(struct check_sites *s, const struct spv_inst *inst)
{
    uint32_t scope = check_constant_or(s->module, inst->words[0], SpvScopeWorkgroup);
    if (!(check_constant_or(s->module, inst->words[2], UINT32_MAX) & SpvMemorySemanticsCrossWorkgroupMemoryMask))
        return;
    step(s, scope == SpvScopeSubgroup ? CHECK_GLOBAL_SUB_GROUP_BARRIER : CHECK_GLOBAL_BARRIER);
}

/* Who asks for no result learns nothing. */
static void mark_atomic(struct check_sites *s, const struct spv_inst *inst)
{
    if (!inst->id || inst->op == SpvOpAtomicStore || inst->op == SpvOpAtomicFlagClear || inst->num_words < 3 ||
        (inst->id < s->num_ids && !s->used_lanes[inst->id]))
        return;
    s->b.before = inst->next;
    step(s,
         check_constant_or(s->module, inst->words[2], UINT32_MAX) & ORDERS ? CHECK_GLOBAL_ACQUIRE : CHECK_GLOBAL_READ);
}

/* Programs of OpenCL 1.2 wait for others by volatile reads and fences. That is a race, but what is told so is none. */
static void mark_load(struct check_sites *s, const struct spv_inst *inst)
{
    SpvStorageClass storage = spv_pointer_storage(s->module, spv_value_type(s->module, inst->words[0]));
    if (inst->num_words < 2 || !(inst->words[1] & SpvMemoryAccessVolatileMask) ||
        (storage != SpvStorageClassCrossWorkgroup && storage != SpvStorageClassGeneric))
        return;
    s->b.before = inst->next;
    step(s, CHECK_GLOBAL_READ);
}

void check_mark_tracks(struct check_sites *s, struct spv_inst *inst)
{
    if (!(s->lower->watched & CLC_CHECK_RACES))
        return;
    s->b = (struct spv_builder){s->module, inst->block->function, inst->block, inst};
    if (spv_op_is_atomic(inst->op)) {
        mark_atomic(s, inst);
        return;
    }
    switch (inst->op) {
    case SpvOpLoad:
        mark_load(s, inst);
        break;
    case SpvOpControlBarrier:
        mark_barrier(s, inst);
        break;
    case SpvOpMemoryNamedBarrier:
        step(s, CHECK_GLOBAL_NAMED_BARRIER);
        break;
    case SpvOpMemoryBarrier:
        step(s, CHECK_GLOBAL_FENCE);
        break;
    default:
        if (check_orders_group(s->module, inst))
            step(s, CHECK_GLOBAL_BARRIER);
        break;
    }
}

/* ---- check ---- */

/* Where a lane runs several work-items, or words of 64 bits have no atomic operations, nothing is looked at. */
bool check_looks_at_tracks(const struct checking *c)
{
    const struct lower *lower = c->lower;
    return lower->watched & CLC_CHECK_RACES && lower->subgroup_size <= lower->subgroup_lanes &&
           lower->target->buffer_int64_atomics;
}

/* The variable is the kernel's where all is done there, else that of all functions. */
static spv_id make_state(struct checking *c)
{
    if (!c->shares_state)
        return spv_emit_variable(&c->b, c->u64);
    spv_id type = spv_type_pointer(c->module, SpvStorageClassPrivate, c->u64);
    return spv_global_variable(c->module, type, SpvStorageClassPrivate, 0);
}

/* What is known of the work-item: a variable, which the kernel sets when it begins; 0: nothing is looked at. */
static spv_id state(struct checking *c)
{
    struct spv_function *kernel = c->lower->kernel;
    if (c->state || !check_looks_at_tracks(c))
        return c->state;
    struct spv_builder b = c->b;
    c->b = (struct spv_builder){c->module, kernel, kernel->first_block, kernel->first_block->insts.first};
    c->state = make_state(c);
    while (c->b.before && c->b.before->op == SpvOpVariable)
        c->b.before = c->b.before->next;
    const spv_id args[] = {check_head(c)};
    spv_emitv_void(&c->b, SpvOpStore, c->state,
                   check_call(c, &c->track_begin, "__pumice_check_track_begin", ARRAY_LENGTH(args), args));
    c->b = b;
    return c->state;
}

spv_id check_track_state(struct checking *c)
{
    spv_id variable = state(c);
    return variable ? spv_emitv(&c->b, SpvOpLoad, c->u64, variable) : spv_const_u64(c->module, 0);
}

void check_begin_tracks(struct checking *c)
{
    spv_foreach_function (function, c->module) {
        spv_foreach_block (block, function) {
            spv_foreach_inst (inst, &block->insts)
                c->shares_state |=
                    function != c->lower->kernel &&
                    (spv_is_private(inst, SPV_PRIVATE_CHECK_STEP) || spv_is_private(inst, SPV_PRIVATE_CHECKED) ||
                     spv_is_private(inst, SPV_PRIVATE_CHECK_PACKET) || spv_is_private(inst, SPV_PRIVATE_CHECKED_SIZE));
        }
    }
}

bool check_lower_tracks_step(struct checking *c, struct spv_inst *inst)
{
    uint64_t what = 0;
    spv_const_value(c->module, inst->words[2], &what);
    if (what < CHECK_GLOBAL_BARRIER)
        return false;
    c->b = (struct spv_builder){c->module, inst->block->function, inst->block, inst};
    spv_id variable = state(c);
    if (what <= CHECK_GLOBAL_NAMED_BARRIER && !c->lower->check_syncs)
        what |= CHECK_GLOBAL_LONE;
    if (variable) {
        const spv_id args[] = {spv_emitv(&c->b, SpvOpLoad, c->u64, variable), spv_const_u32(c->module, (uint32_t)what)};
        spv_emitv_void(&c->b, SpvOpStore, variable,
                       check_call(c, &c->track_step, "__pumice_check_track_step", ARRAY_LENGTH(args), args));
    }
    spv_inst_remove(c->module, inst);
    return true;
}

/* An access, as the library is told of it. */
struct tracked {
    struct mark *mark;
    const struct spv_inst *root; /* the argument that it leads into, or NULL: by its address */
    spv_id state;
    spv_id place, size; /* the distance from where the argument begins, or the address; bytes */
    uint32_t how;
};

/* Notes the bytes for the host. */
static void touch(struct checking *c, const struct tracked *t)
{
    uint32_t arg = check_param_number(c, t->root->id);
    enum clc_arg_limit limit = t->how & CLC_SITE_WRITES ? CLC_LIMIT_WRITE : CLC_LIMIT_READ;
    const spv_id args[] = {lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_TOUCHED), t->place,
                           lower_emit_arg_limit(c->lower, &c->b, arg, limit), t->size,
                           spv_const_u32(c->module, t->how)};
    c->lower->check_touches = true;
    check_call(c, &c->touch, "__pumice_check_touch", ARRAY_LENGTH(args), args);
}

static bool write_down(struct checking *c, const struct tracked *t)
{
    struct check_note note = {.kind = t->root ? CHECK_NOTE_TRACK : CHECK_NOTE_TRACK_AT, .how = t->how, .size = t->size};
    if (t->root) {
        note.arg = check_param_number(c, t->root->id);
        note.what = check_object_of(c, t->root);
        c->lower->check_touches = true;
    }
    return t->state && check_write_down(c, t->mark, &note, t->place);
}

static void call_library(struct checking *c, const struct tracked *t)
{
    if (write_down(c, t))
        return;
    spv_id head = check_head(c), site = t->mark->site, how = spv_const_u32(c->module, t->how);
    if (t->root)
        touch(c, t);
    if (!t->state)
        return;
    if (!t->root) {
        const spv_id args[] = {head, site, t->place, t->size, how, t->state};
        check_call(c, &c->track_at, "__pumice_check_track_at", ARRAY_LENGTH(args), args);
        return;
    }
    uint32_t arg = check_param_number(c, t->root->id);
    enum clc_arg_limit limit = t->how & CLC_SITE_WRITES ? CLC_LIMIT_WRITE : CLC_LIMIT_READ;
    const spv_id args[] = {head,
                           site,
                           spv_const_u32(c->module, check_object_of(c, t->root)),
                           lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_TRACKS),
                           t->place,
                           lower_emit_arg_limit(c->lower, &c->b, arg, limit),
                           t->size,
                           how,
                           t->state,
                           t->place};
    check_call(c, &c->track, "__pumice_check_track", ARRAY_LENGTH(args), args);
}

static spv_id scaled(struct checking *c, spv_id number, uint64_t by)
{
    number = spv_emitv(&c->b, SpvOpUConvert, c->u64, number);
    return spv_emitv(&c->b, SpvOpIMul, c->u64, number, spv_const_u64(c->module, by));
}

static spv_id plus(struct checking *c, spv_id a, spv_id b)
{
    return spv_emitv(&c->b, SpvOpIAdd, c->u64, a, b);
}

/* The elements of a sub-group's block that are the work-item's. */
static void track_block(struct checking *c, struct tracked *t, uint32_t count)
{
    spv_id pointee = spv_pointer_pointee(c->module, spv_value_type(c->module, t->mark->pointer));
    uint64_t element = spv_layout_of(&c->layouts, pointee)->size;
    spv_id step = scaled(c, lower_emit_builtin(c->lower, &c->b, SpvBuiltInSubgroupMaxSize, 0), element);
    spv_id first = scaled(c, lower_emit_builtin(c->lower, &c->b, SpvBuiltInSubgroupLocalInvocationId, 0), element);
    t->size = spv_const_u64(c->module, element);
    t->place = plus(c, t->place, first);
    for (uint32_t i = 0; i < count; i++) {
        call_library(c, t);
        t->place = plus(c, t->place, step);
    }
}

/* The components of a vector that are used; the host is told of one that may be as of all. */
static void track_parts(struct checking *c, struct tracked *t)
{
    struct check_part parts[CHECK_MOST_PARTS];
    const struct clc_check_site *info = t->mark->info;
    uint32_t all = (1u << info->num_lanes) - 1,
             count = check_parts_of(c, t->mark, info->lanes ? info->lanes : all, parts);
    spv_id place = t->place;
    for (uint32_t i = 0; i < count; i++) {
        t->place = check_part_at(c, place, parts[i].first);
        t->size = parts[i].size;
        call_library(c, t);
    }
}

/* What the launch has to make ready. */
static void note_tracks(struct checking *c, const struct tracked *t, const struct check_roots *roots)
{
    bool writes = t->how & CLC_SITE_WRITES;
    uint8_t *tracks = &c->lower->check_tracks;
    *tracks |= CLC_TRACKS | (t->root ? 0 : CLC_TRACKS_ADDRESSES);
    *tracks |= writes && roots->unknown ? CLC_TRACKS_ALL : 0;
    for (uint32_t i = 0; i < roots->count; i++)
        *tracks |= spv_def(c->module, roots->list[i])->op == SpvOpVariable ? CLC_TRACKS_GLOBALS : 0;
}

/* Whether one of them is memory of which the launch may know who touched it. */
static bool may_be_tracked(struct checking *c, const struct check_roots *roots)
{
    bool may = roots->unknown;
    for (uint32_t i = 0; i < roots->count; i++) {
        const struct spv_inst *root = spv_def(c->module, roots->list[i]);
        SpvStorageClass storage = check_storage_of(c, root->id);
        may |= root->op == SpvOpVariable ? storage == SpvStorageClassCrossWorkgroup
                                         : check_is_told(c, root) && storage != SpvStorageClassWorkgroup;
    }
    return may;
}

/* Whether it is known now which bytes are accessed. */
static bool is_known(const struct mark *mark)
{
    bool group = mark->info->access & CLC_SITE_GROUP && !(mark->info->access & (CLC_SITE_WHOLE | CHECK_LOOSE));
    if (!mark->info->size)
        return group || mark->info->access >> CHECK_BLOCK_SHIFT;
    return true;
}

/* Likewise; of vectors that are loaded some components may be used. */
static bool is_looked_at(const struct mark *mark)
{
    return is_known(mark) && (!mark->info->size || mark->info->lanes);
}

/* What the host is not told of. */
static bool is_untold(struct checking *c, const struct mark *mark, const struct check_roots *roots)
{
    bool told = roots->unknown;
    for (uint32_t i = 0; i < roots->count; i++)
        told |= check_is_told(c, spv_def(c->module, roots->list[i]));
    return told && (roots->unknown || roots->count != 1 || !is_known(mark));
}

static bool is_global(const struct mark *mark)
{
    return mark->storage == SpvStorageClassCrossWorkgroup || mark->storage == SpvStorageClassGeneric ||
           mark->storage == SpvStorageClassUniformConstant;
}

void check_tracks(struct checking *c, struct mark *mark)
{
    struct check_roots roots;
    if (!(c->lower->watched & CLC_CHECK_RACES) || !is_global(mark))
        return;
    check_find_roots(c->lower, mark->pointer, &roots);
    c->lower->check_untold |= is_untold(c, mark, &roots);
    if (!is_known(mark) || !may_be_tracked(c, &roots))
        return;
    spv_id variable = is_looked_at(mark) ? state(c) : 0;
    uint32_t access = check_meeting(mark), block = access >> CHECK_BLOCK_SHIFT;
    const struct spv_inst *root = roots.count == 1 && !roots.unknown ? spv_def(c->module, roots.list[0]) : NULL;
    struct tracked t = {.mark = mark,
                        .root = root && root->op != SpvOpVariable ? root : NULL,
                        .state = variable ? spv_emitv(&c->b, SpvOpLoad, c->u64, variable) : 0,
                        .size = mark->size,
                        .how = access & ((1u << CHECK_BLOCK_SHIFT) - 1)};
    t.place = t.root ? check_distance_from(c, mark, root, true) : check_address_of(c, mark);
    if (variable)
        note_tracks(c, &t, &roots);
    if (block)
        track_block(c, &t, block);
    else
        track_parts(c, &t);
}

uint32_t check_notes_of_tracks(struct checking *c, const struct mark *mark, uint32_t *count)
{
    struct check_roots roots;
    struct check_part parts[CHECK_MOST_PARTS];
    *count = 0;
    if (!is_global(mark))
        return 0;
    check_find_roots(c->lower, mark->pointer, &roots);
    if (!is_known(mark) || !may_be_tracked(c, &roots))
        return 0;
    if (!is_looked_at(mark) || !mark->info->size)
        return CHECK_NOTE_NOW;
    *count = check_parts_of(c, mark, mark->info->lanes, parts);
    bool in_argument = roots.count == 1 && !roots.unknown && spv_def(c->module, roots.list[0])->op != SpvOpVariable;
    return in_argument ? CHECK_NOTE_TRACK : CHECK_NOTE_TRACK_AT;
}
