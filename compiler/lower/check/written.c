/* Looks for reads of memory that nobody wrote, and notes what the kernel writes (check.h).
 *
 * Global memory that is watched has a second one beside it, with a byte for each of its bytes: 1 where it was written. The
 * launch tells where that is for what an argument leads to; other pointers are looked up in a list. Local memory of a group
 * has such bytes, too, unless races are looked for: then local.c knows more of it. Every read is one, as those of
 * NVIDIA's and Oclgrind's tools are: also that of a value which goes nowhere. But of a structure that is moved as a
 * whole, padding and members may be left out, so it is none as long as some byte was written.
 *
 *     %q = Checked %p 4 site     ->    %bad = __pumice_check_written_4(bytes of the argument, distance, its size, ...)
 *                                      __pumice_check(head, site, ..., %bad)
 *
 * What was written stays so. Therefore nothing is asked of a pointer behind a write by it. */
#include "compiler/lower/check/checking.h"
#include "compiler/lower/values/launch.h"

#include "compiler/spv/cfg.h"

#include "base/util.h"

enum { MOST_LOTS = 4 };

/* Bytes of which it is known which were written, and which of them an access means. */
struct bytes {
    spv_id start, distance, limit; /* u64 */
};

/* ---- what is known ---- */

/* A write by a pointer. */
struct write {
    uint32_t block;
    uint64_t size;
    const struct write *before;
};

static void find_known_in(struct checking *c, const struct spv_cfg *cfg, const struct spv_block *block,
                          struct u64_map *writes)
{
    spv_foreach_inst (inst, &block->insts) {
        uint64_t size, site = 0;
        if (!spv_is_private(inst, SPV_PRIVATE_CHECKED) || !spv_const_value(c->module, inst->words[3], &size) ||
            !spv_const_value(c->module, inst->words[4], &site))
            continue;
        spv_id pointer = inst->words[2];
        const struct write *first = u64_map_get(writes, pointer);
        uint32_t how = c->lower->check_sites.data[site].access;
        for (const struct write *write = first; write; write = write->before) {
            if (write->size >= size && spv_dominates(cfg, write->block, block->index))
                u64_map_set(c->lower->arena, &c->known_written, inst->id, inst);
        }
        if (how & CLC_SITE_WRITES && how < 1u << CHECK_BLOCK_SHIFT) {
            struct write *write = arena_new(c->lower->arena, struct write);
            *write = (struct write){block->index, size, first};
            u64_map_set(c->lower->arena, writes, pointer, write);
        }
    }
}

void check_find_written(struct checking *c, struct spv_function *function)
{
    struct spv_cfg cfg;
    struct u64_map writes = {0};
    if (!(c->lower->watched & CLC_CHECK_INIT) || !function->first_block)
        return;
    spv_cfg_compute(c->lower->arena, c->module, function, &cfg);
    for (uint32_t i = 0; i < cfg.count; i++)
        find_known_in(c, &cfg, cfg.blocks[i], &writes);
}

/* ---- accesses of a few bytes ---- */

/* The parts that are looked at. Of lanes that may be used alone, and of which one may be enough, it is all from the first
 * on. */
static uint32_t list_parts(struct checking *c, const struct mark *mark, struct check_part parts[CHECK_MOST_PARTS])
{
    const struct clc_check_site *info = mark->info;
    uint32_t lanes = info->lanes ? info->lanes : info->perhaps, low = lanes & (0 - lanes);
    if (!info->lanes && lanes)
        lanes = (2u << (31 - __builtin_clz(lanes))) - low;
    return check_parts_of(c, mark, lanes, parts);
}

/* The most bytes, of 1, 2, 4, 8 and 16, that the parts are made of, each lot at a multiple of its size; 0: there are not
 * a few such. */
static uint32_t lot_of(const struct mark *mark, const struct check_part *parts, uint32_t count)
{
    const struct clc_check_site *info = mark->info;
    uint32_t number = info->align | 16, bytes = 0;
    bool plain = !(info->access & ~(uint32_t)(CLC_SITE_READS | CLC_SITE_WRITES));
    bool both = (info->access & CLC_SITE_READS) && (info->access & CLC_SITE_WRITES);
    for (uint32_t i = 0; i < count; i++) {
        number |= parts[i].first | parts[i].bytes;
        bytes += parts[i].bytes;
    }
    uint32_t lot = number & (0 - number);
    return plain && !both && info->size && info->align && bytes / lot <= MOST_LOTS ? lot : 0;
}

/* Where a lot's bytes are, or where the launch has a page for what goes nowhere. */
static spv_id look_at_lot(struct checking *c, const struct mark *mark, const struct bytes *bytes, uint32_t at,
                          uint32_t lot)
{
    static const char *const names[2][5] = {
        {"__pumice_check_read_1", "__pumice_check_read_2", "__pumice_check_read_4", "__pumice_check_read_8",
         "__pumice_check_read_16"},
        {"__pumice_check_write_1", "__pumice_check_write_2", "__pumice_check_write_4", "__pumice_check_write_8",
         "__pumice_check_write_16"},
    };
    bool writes = mark->info->access & CLC_SITE_WRITES;
    uint32_t number = lot == 16 ? 4 : lot == 8 ? 3 : lot / 2;
    const spv_id args[] = {bytes->start, check_part_at(c, bytes->distance, at), bytes->limit, check_page(c, writes)};
    return check_call(c, &c->lots[writes][number], names[writes][number], ARRAY_LENGTH(args), args);
}

static spv_id either(struct checking *c, spv_id bad, spv_id other)
{
    return bad && other ? spv_emitv(&c->b, SpvOpBitwiseOr, c->u32, bad, other) : other;
}

static spv_id look_at_lots(struct checking *c, const struct mark *mark, const struct bytes *bytes,
                           const struct check_part *part, uint32_t lot, spv_id bad)
{
    for (uint32_t at = 0; at < part->bytes; at += lot)
        bad = either(c, bad, look_at_lot(c, mark, bytes, part->first + at, lot));
    return bad;
}

/* ---- all accesses ---- */

/* The bytes that one work-item of the group is to look at, for all of them; the others at none. */
static spv_id size_once(struct checking *c, const struct mark *mark, spv_id size)
{
    if (!(mark->info->access & CLC_SITE_GROUP))
        return size;
    spv_id first = 0;
    for (uint32_t i = 0; i < 3; i++) {
        spv_id id = lower_emit_builtin(c->lower, &c->b, SpvBuiltInLocalInvocationId, i);
        spv_id zero = spv_const_bits(c->module, spv_value_type(c->module, id), 0);
        id = spv_emitv(&c->b, SpvOpIEqual, c->truth, id, zero);
        first = first ? spv_emitv(&c->b, SpvOpLogicalAnd, c->truth, first, id) : id;
    }
    return spv_emitv(&c->b, SpvOpSelect, c->u64, first, size, spv_const_u64(c->module, 0));
}

/* What the library is told. A block's elements have those of other work-items between them. */
static spv_id how_of(struct checking *c, const struct mark *mark)
{
    uint32_t access = mark->info->access, flags = access & ((1u << CHECK_BLOCK_SHIFT) - 1);
    return spv_const_u32(c->module, access == flags ? flags : flags | CLC_SITE_WHOLE);
}

/* Notes a write; not 0: a read is one of what nobody wrote. */
static spv_id look_at(struct checking *c, const struct mark *mark, const struct bytes *bytes)
{
    struct check_part parts[CHECK_MOST_PARTS];
    uint32_t count = list_parts(c, mark, parts), lot = lot_of(mark, parts, count);
    spv_id bad = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (lot) {
            bad = look_at_lots(c, mark, bytes, &parts[i], lot, bad);
            continue;
        }
        const spv_id args[] = {bytes->start, check_part_at(c, bytes->distance, parts[i].first), bytes->limit,
                               size_once(c, mark, parts[i].size), how_of(c, mark)};
        bad = either(c, bad, check_call(c, &c->written, "__pumice_check_written", ARRAY_LENGTH(args), args));
    }
    return bad;
}

/* The bytes of an argument that are looked at. What is written against its flags is dropped and reported; who reads there
 * reads what the program wrote, so that it counts as written. Each limit is the object's size, or 0 against the flags. */
static spv_id limit_of(struct checking *c, uint32_t arg, uint32_t how)
{
    spv_id read = lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_READ);
    if (!(how & CLC_SITE_WRITES))
        return read;
    spv_id write = lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_WRITE);
    return spv_emitv(&c->b, SpvOpBitwiseOr, c->u64, write, read);
}

/* An access through an argument alone. */
static spv_id in_argument(struct checking *c, struct mark *mark, const struct spv_inst *root)
{
    uint32_t arg = check_param_number(c, root->id);
    spv_id distance = check_distance_from(c, mark, root, true);
    mark->value = check_part_at(c, distance, mark->first);
    mark->what = check_object_of(c, root) | CLC_WHAT_UNINITIALISED;
    const struct bytes bytes = {lower_emit_arg_limit(c->lower, &c->b, arg, CLC_LIMIT_WRITTEN), distance,
                                limit_of(c, arg, mark->info->access)};
    return look_at(c, mark, &bytes);
}

static spv_id at_address(struct checking *c, struct mark *mark)
{
    spv_id address = check_address_of(c, mark);
    mark->value = check_part_at(c, address, mark->first);
    mark->what = CLC_WHAT_UNINITIALISED;
    c->lower->check_written = true;
    struct check_part parts[CHECK_MOST_PARTS];
    uint32_t count = list_parts(c, mark, parts);
    spv_id bad = 0;
    for (uint32_t i = 0; i < count; i++) {
        const spv_id args[] = {check_head(c), check_part_at(c, address, parts[i].first),
                               size_once(c, mark, parts[i].size), how_of(c, mark)};
        bad = either(c, bad, check_call(c, &c->written_at, "__pumice_check_written_at", ARRAY_LENGTH(args), args));
    }
    return bad;
}

static void report_read(struct checking *c, const struct mark *mark, spv_id bad)
{
    if (bad && mark->info->access & CLC_SITE_READS)
        check_report(c, mark, spv_emitv(&c->b, SpvOpINotEqual, c->truth, bad, spv_const_u32(c->module, 0)), mark->what);
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

static void check_global(struct checking *c, struct mark *mark)
{
    struct check_roots roots;
    check_find_roots(c->lower, mark->pointer, &roots);
    if (!may_be_watched(c, &roots))
        return;
    bool alone = roots.count == 1 && !roots.unknown && c->b.function == c->lower->kernel;
    report_read(c, mark, alone ? in_argument(c, mark, spv_def(c->module, roots.list[0])) : at_address(c, mark));
}

/* ---- local memory ---- */

/* Where the group's bytes are and how many there are. The kernel asks once. */
static void find_local_bytes(struct checking *c, struct bytes *bytes)
{
    const spv_id args[] = {check_head(c)};
    if (c->b.function == c->lower->kernel && c->local_bytes) {
        bytes->start = c->local_bytes;
        bytes->limit = c->local_limit;
        return;
    }
    bytes->start = check_call(c, &c->local_bytes_at, "__pumice_check_local_bytes", ARRAY_LENGTH(args), args);
    bytes->limit = check_call(c, &c->local_limit_at, "__pumice_check_local_limit", ARRAY_LENGTH(args), args);
}

void check_begin_local_bytes(struct checking *c)
{
    struct bytes bytes;
    find_local_bytes(c, &bytes);
    c->local_bytes = bytes.start;
    c->local_limit = bytes.limit;
    const spv_id args[] = {bytes.start, bytes.limit};
    check_call(c, &c->local_clear, "__pumice_check_local_clear", ARRAY_LENGTH(args), args);
}

void check_local_bytes(struct checking *c, struct mark *mark, uint32_t object, spv_id origin)
{
    struct bytes bytes;
    const struct clc_check_site *info = mark->info;
    if (u64_map_has(&c->known_written, mark->inst->id) || (info->access & CHECK_LOOSE && info->access & CLC_SITE_READS))
        return;
    find_local_bytes(c, &bytes);
    spv_id address = check_address_of(c, mark), value = mark->value;
    uint32_t what = mark->what;
    const spv_id args[] = {address, spv_const_u32(c->module, mark->storage == SpvStorageClassGeneric)};
    bytes.distance = check_call(c, &c->local_distance, "__pumice_check_local_distance", ARRAY_LENGTH(args), args);
    mark->value = check_part_at(c, spv_emitv(&c->b, SpvOpISub, c->u64, address, origin), mark->first);
    mark->what = object | CLC_WHAT_LOCAL | CLC_WHAT_UNINITIALISED;
    report_read(c, mark, look_at(c, mark, &bytes));
    mark->value = value;
    mark->what = what;
}

void check_written(struct checking *c, struct mark *mark)
{
    bool global = mark->storage == SpvStorageClassCrossWorkgroup || mark->storage == SpvStorageClassGeneric ||
                  mark->storage == SpvStorageClassUniformConstant;
    if (!(c->lower->watched & CLC_CHECK_INIT) || !global || u64_map_has(&c->known_written, mark->inst->id))
        return;
    spv_id value = mark->value;
    uint32_t what = mark->what;
    check_global(c, mark);
    mark->value = value;
    mark->what = what;
}
