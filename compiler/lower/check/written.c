/* Looks for reads of global memory that nobody wrote, and notes what the kernel writes (check.h).
 *
 * Memory that is watched has a second one beside it, with a byte for each of its bytes: 1 where it was written. The launch
 * tells where that is for what an argument leads to; other pointers are looked up in a list. Every read is one, as those
 * of NVIDIA's and Oclgrind's tools are: also that of a value which goes nowhere. But of a structure that is moved as a
 * whole, padding and members may be left out, so it is none as long as some byte was written.
 *
 *     %q = Checked %p 4 site     ->    %bad = __pumice_check_written(bytes of the argument, distance, its size, 4, reads)
 *                                      __pumice_check(head, site, ..., %bad) */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/values/launch.h"

#include "base/util.h"

/* Where the bytes begin that are asked for. */
static spv_id behind_first(struct checking *c, const struct mark *mark, spv_id place)
{
    uint32_t first = mark->info->first;
    return first ? spv_emitv(&c->b, SpvOpIAdd, c->u64, place, spv_const_u64(c->module, first)) : place;
}

static spv_id size_asked(struct checking *c, const struct mark *mark)
{
    return mark->info->size ? spv_const_u64(c->module, mark->info->used) : mark->size;
}

/* The bytes that one work-item of the group is to look at, for all of them; the others at none. */
static spv_id size_once(struct checking *c, const struct mark *mark)
{
    if (!(mark->info->access & CLC_SITE_GROUP))
        return size_asked(c, mark);
    spv_id first = 0;
    for (uint32_t i = 0; i < 3; i++) {
        spv_id id = lower_emit_builtin(c->lower, &c->b, SpvBuiltInLocalInvocationId, i);
        spv_id zero = spv_const_bits(c->module, spv_value_type(c->module, id), 0);
        id = spv_emitv(&c->b, SpvOpIEqual, c->truth, id, zero);
        first = first ? spv_emitv(&c->b, SpvOpLogicalAnd, c->truth, first, id) : id;
    }
    return spv_emitv(&c->b, SpvOpSelect, c->u64, first, mark->size, spv_const_u64(c->module, 0));
}

/* What the library is told. A block's elements have those of other work-items between them. */
static spv_id how_of(struct checking *c, const struct mark *mark)
{
    uint32_t access = mark->info->access, flags = access & ((1u << CHECK_BLOCK_SHIFT) - 1);
    return spv_const_u32(c->module, access == flags ? flags : flags | CLC_SITE_WHOLE);
}

/* An access through an argument alone. */
static spv_id in_argument(struct checking *c, struct mark *mark, const struct spv_inst *root)
{
    uint32_t arg = check_param_number(c, root->id), how = mark->info->access;
    enum clc_arg_limit limit = how & CLC_SITE_WRITES ? CLC_LIMIT_WRITE : CLC_LIMIT_READ;
    mark->value = check_distance_from(c, mark, root, true);
    mark->what = check_object_of(c, root) | CLC_WHAT_UNINITIALISED;
    const spv_id args[] = {lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_WRITTEN),
                           behind_first(c, mark, mark->value), lower_emit_arg_limit(c->lower, &c->b, arg, limit),
                           size_once(c, mark), how_of(c, mark)};
    return check_call(c, &c->written, "__pumice_check_written", ARRAY_LENGTH(args), args);
}

static spv_id at_address(struct checking *c, struct mark *mark)
{
    mark->value = check_address_of(c, mark);
    mark->what = CLC_WHAT_UNINITIALISED;
    c->lower->check_written = true;
    const spv_id args[] = {check_head(c), behind_first(c, mark, mark->value), size_once(c, mark), how_of(c, mark)};
    return check_call(c, &c->written_at, "__pumice_check_written_at", ARRAY_LENGTH(args), args);
}

static bool may_be_watched(struct checking *c, const struct check_roots *roots)
{
    bool may = roots->unknown;
    for (uint32_t i = 0; i < roots->count; i++) {
        const struct spv_inst *root = spv_def(c->module, roots->list[i]);
        may |= check_is_told(c, root) && check_storage_of(c, root->id) != SpvStorageClassWorkgroup;
    }
    return may;
}

void check_written(struct checking *c, struct mark *mark)
{
    struct check_roots roots;
    bool global = mark->storage == SpvStorageClassCrossWorkgroup || mark->storage == SpvStorageClassGeneric ||
                  mark->storage == SpvStorageClassUniformConstant;
    if (!(c->lower->watched & CLC_CHECK_INIT) || !global)
        return;
    check_find_roots(c->lower, mark->pointer, &roots);
    if (!may_be_watched(c, &roots))
        return;
    spv_id value = mark->value;
    uint32_t what = mark->what;
    bool alone = roots.count == 1 && !roots.unknown && c->b.function == c->lower->kernel;
    spv_id bad = alone ? in_argument(c, mark, spv_def(c->module, roots.list[0])) : at_address(c, mark);
    if (bad && mark->info->access & CLC_SITE_READS)
        check_report(c, mark, spv_emitv(&c->b, SpvOpINotEqual, c->truth, bad, spv_const_u32(c->module, 0)), mark->what);
    mark->value = value;
    mark->what = what;
}
