/* OpCopyMemory and OpCopyMemorySized, as far as the aggregates pass did not unroll them. They copy in chunks as large
 * as the alignment and the two spaces allow: a few chunks in line, more of them by a loop in a helper function. */
#include "compiler/lower/memory/memory.h"

#include "base/util.h"

#define UNROLL 16

static void note(struct memory *m, const struct mem_ptr *ptr, bool write)
{
    struct mem_class *class = mem_class_of(m, ptr);
    class->reads |= !write;
    class->writes |= write;
    mem_region_of(m, ptr);
}

void mem_survey_copy(struct memory *m, const struct spv_inst *inst)
{
    struct mem_ptr dst = mem_ptr_of(m, inst->words[0]), src = mem_ptr_of(m, inst->words[1]);
    note(m, &dst, true);
    note(m, &src, false);
}

static uint32_t widest(struct memory *m, const struct mem_ptr *ptr)
{
    struct mem_region *region = mem_region_of(m, ptr);
    if (ptr->space == MEM_GLOBAL)
        return 16;
    return region && !region->views && !region->scratch ? region->unit : 8;
}

static void copy_chunk(struct memory *m, struct spv_builder *b, const struct mem_ptr *dst, const struct mem_ptr *src,
                       uint32_t chunk, const struct lower_access *access)
{
    if (chunk == 16) {
        spv_id type = spv_type_vector(m->module, spv_type_int(m->module, 32), 4);
        mem_store(m, b, dst, type, mem_load(m, b, src, type, access), access);
        return;
    }
    mem_store_bits(m, b, dst, chunk, mem_load_bits(m, b, src, chunk, access), access);
}

/* void copy(dst, src, count): for (i = 0; i < count; i++) dst[i] = src[i], in chunks */
static void write_loop(struct memory *m, struct mem_helper *helper, struct mem_ptr dst, struct mem_ptr src,
                       uint32_t chunk, const struct lower_access *access)
{
    struct spv_function *function = helper->builder.function;
    struct spv_builder b = helper->builder;
    struct spv_block *entry = b.block, *header = spv_block_create(function, m->module, 0),
                     *body = spv_block_create(function, m->module, 0),
                     *again = spv_block_create(function, m->module, 0),
                     *merge = spv_block_create(function, m->module, 0);
    spv_id type = spv_value_type(m->module, helper->params[2]), next = spv_new_id(m->module);
    spv_emitv_void(&b, SpvOpBranch, header->label->id);
    spv_block_append(function, header);
    spv_block_append(function, body);
    spv_block_append(function, again);
    spv_block_append(function, merge);
    b.block = header;
    spv_id zero = mem_int(m->module, type, 0), one = mem_int(m->module, type, 1);
    spv_id i = spv_emitv(&b, SpvOpPhi, type, zero, entry->label->id, next, again->label->id);
    spv_id more = spv_emitv(&b, SpvOpULessThan, spv_type_bool(m->module), i, helper->params[2]);
    spv_emitv_void(&b, SpvOpLoopMerge, merge->label->id, again->label->id, SpvLoopControlMaskNone);
    spv_emitv_void(&b, SpvOpBranchConditional, more, body->label->id, merge->label->id);
    b.block = body;
    mem_add_index(m, &b, &dst, i, chunk);
    mem_add_index(m, &b, &src, i, chunk);
    copy_chunk(m, &b, &dst, &src, chunk, access);
    spv_emitv_void(&b, SpvOpBranch, again->label->id);
    b.block = again;
    spv_inst_insert(&b, spv_inst_create(m->module, SpvOpIAdd, type, next, 2, (const uint32_t[]){i, one}));
    spv_emitv_void(&b, SpvOpBranch, header->label->id);
    b.block = merge;
    spv_emit_void(&b, SpvOpReturn, 0, NULL);
}

static void copy_by_loop(struct memory *m, struct spv_builder *b, const struct mem_ptr *dst, const struct mem_ptr *src,
                         uint32_t chunk, spv_id count, const struct lower_access *access)
{
    spv_id void_type = spv_type_void(m->module), u64 = spv_type_int(m->module, 64);
    const spv_id types[] = {mem_number_type(m, dst->space), mem_number_type(m, src->space), u64};
    uint32_t dst_node = mem_find(m, dst->node), src_node = mem_find(m, src->node);
    /* The loop treats constant and global memory alike, but every private or local region needs its own. */
    if (dst->space == MEM_GLOBAL)
        dst_node = MEM_NODE_UNKNOWN;
    if (src->space == MEM_GLOBAL)
        src_node = MEM_NODE_UNKNOWN;
    const char *name = arena_printf(m->arena, "copy_%u_%u_%u_%u_%u_%u%s", chunk, access->align, dst->space, dst_node,
                                    src->space, src_node, access->is_volatile ? "_volatile" : "");
    struct mem_helper helper = mem_helper(m, name, void_type, 3, types);
    if (helper.is_new)
        write_loop(m, &helper, mem_ptr_from(dst->space, dst_node, helper.params[0]),
                   mem_ptr_from(src->space, src_node, helper.params[1]), chunk, access);
    spv_id to = mem_number(m, b, dst), from = mem_number(m, b, src);
    spv_emitv(b, SpvOpFunctionCall, void_type, helper.function, to, from, mem_resize_index(m, b, count, 64));
}

static spv_id object_size(struct memory *m, const struct spv_inst *inst, spv_id dst, uint64_t *bytes)
{
    if (inst->op == SpvOpCopyMemorySized) {
        spv_id size = spv_replaced(&m->replacements, inst->words[2]);
        if (!spv_const_value(m->module, size, bytes))
            *bytes = 0;
        return size;
    }
    *bytes = spv_layout_of(&m->layouts, dst)->size;
    return spv_const_u64(m->module, *bytes);
}

void mem_lower_copy(struct memory *m, struct spv_inst *inst)
{
    struct spv_builder b = {m->module, inst->block->function, inst->block, inst};
    struct mem_ptr dst = mem_ptr_of(m, inst->words[0]), src = mem_ptr_of(m, inst->words[1]);
    uint64_t bytes;
    spv_id pointee = mem_pointee(m, inst->words[0]);
    spv_id size = object_size(m, inst, pointee, &bytes);
    struct lower_access access = lower_read_access(inst, inst->op == SpvOpCopyMemorySized ? 3 : 2);
    if (!access.align)
        access.align = inst->op == SpvOpCopyMemory ? spv_layout_of(&m->layouts, pointee)->align : 1;
    uint32_t chunk = 16, dst_known = mem_known_align(m, &dst), src_known = mem_known_align(m, &src);
    uint32_t dst_align = dst_known > access.align ? dst_known : access.align;
    uint32_t src_align = src_known > access.align ? src_known : access.align;
    while (chunk > 1 && (chunk > dst_align || chunk > src_align || bytes % chunk || !bytes || chunk > widest(m, &dst) ||
                         chunk > widest(m, &src)))
        chunk /= 2;
    if (access.align < chunk)
        access.align = chunk;
    if (bytes && bytes / chunk <= UNROLL) {
        for (uint64_t at = 0; at < bytes; at += chunk) {
            struct mem_ptr to = mem_ptr_at(&dst, (int64_t)at), from = mem_ptr_at(&src, (int64_t)at);
            copy_chunk(m, &b, &to, &from, chunk, &access);
        }
    } else if (bytes || inst->op == SpvOpCopyMemorySized) {
        spv_id count = bytes ? spv_const_u64(m->module, bytes / chunk) : size;
        copy_by_loop(m, &b, &dst, &src, chunk, count, &access);
    }
    spv_inst_remove(m->module, inst);
}
