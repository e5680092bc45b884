/* OpCopyMemory and OpCopyMemorySized, as far as the aggregates pass did not unroll them. They copy in chunks as large
 * as the alignment and the two spaces allow: a few chunks in line, more of them by a loop in a helper function. */
#include "compiler/lower/memory/memory.h"
#include "compiler/lower/values/access.h"

#include "base/util.h"

#define UNROLL 16

static void note(struct memory *m, const struct mem_ptr *ptr, bool write)
{
    struct mem_class *class = mem_class_of(m, ptr);
    class->reads |= !write;
    class->writes |= write;
    mem_region_of(m, ptr);
}

struct copy {
    struct mem_ptr dst, src;
    struct lower_access access;
    spv_id size;    /* bytes */
    uint64_t bytes; /* the same; 0: not known, or nothing */
    uint32_t chunk; /* bytes that are moved at once, as far as alignment and size decide it */
};

static struct copy read_copy(struct memory *m, const struct spv_inst *inst)
{
    bool sized = inst->op == SpvOpCopyMemorySized;
    struct copy copy = {.dst = mem_ptr_of(m, inst->words[0]), .src = mem_ptr_of(m, inst->words[1]), .chunk = 16};
    const struct spv_layout *layout = spv_layout_of(&m->layouts, mem_pointee(m, inst->words[0]));
    if (sized) {
        copy.size = spv_replaced(&m->replacements, inst->words[2]);
        if (!spv_const_value(m->module, copy.size, &copy.bytes))
            copy.bytes = 0;
    } else {
        copy.bytes = layout->size;
    }
    copy.access = lower_read_access(inst, sized ? 3 : 2);
    if (!copy.access.align)
        copy.access.align = sized ? 1 : layout->align;
    uint32_t dst_align = mem_known_align(m, &copy.dst), src_align = mem_known_align(m, &copy.src);
    dst_align = dst_align > copy.access.align ? dst_align : copy.access.align;
    src_align = src_align > copy.access.align ? src_align : copy.access.align;
    while (copy.chunk > 1 &&
           (copy.chunk > dst_align || copy.chunk > src_align || copy.bytes % copy.chunk || !copy.bytes))
        copy.chunk /= 2;
    return copy;
}

void mem_survey_copy(struct memory *m, const struct spv_inst *inst)
{
    struct copy copy = read_copy(m, inst);
    note(m, &copy.dst, true);
    note(m, &copy.src, false);
    mem_survey_chunks(m, &copy.dst, copy.chunk);
    mem_survey_chunks(m, &copy.src, copy.chunk);
}

static bool is_vectors(struct memory *m, const struct mem_ptr *ptr)
{
    struct mem_region *region = mem_region_of(m, ptr);
    return region && region->lanes > 1;
}

static uint32_t widest(struct memory *m, const struct mem_ptr *ptr)
{
    struct mem_region *region = mem_region_of(m, ptr);
    if (ptr->space == MEM_GLOBAL || is_vectors(m, ptr))
        return 16;
    return region && !region->views && !region->scratch ? region->unit : 8;
}

/* Bytes that a store to ptr must have at least, or it would be a part of a unit. The survey has seen to it that copies
 * by chunks that are smaller anyway find such units. */
static uint32_t narrowest(struct memory *m, const struct mem_ptr *ptr)
{
    struct mem_region *region = mem_region_of(m, ptr);
    return region && !region->views && !region->scratch ? region->unit : 1;
}

/* The chunk that suits both sides. What is an array of vectors is copied by whole vectors (the survey has seen to it
 * that alignment and size allow this), whatever the other side is. */
static uint32_t choose_chunk(struct memory *m, const struct copy *copy)
{
    uint32_t chunk = copy->chunk, least = narrowest(m, &copy->dst);
    if (is_vectors(m, &copy->dst) || is_vectors(m, &copy->src))
        return chunk;
    while (chunk > least && (chunk > widest(m, &copy->dst) || chunk > widest(m, &copy->src)))
        chunk /= 2;
    return chunk;
}

static void copy_chunk(struct memory *m, struct spv_builder *b, const struct mem_ptr *dst, const struct mem_ptr *src,
                       uint32_t chunk, const struct lower_access *access)
{
    if (chunk == 16 || (chunk == 8 && (is_vectors(m, dst) || is_vectors(m, src)))) {
        spv_id type = spv_type_vector(m->module, spv_type_int(m->module, 32), chunk / 4);
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

void mem_lower_copy(struct memory *m, struct spv_inst *inst)
{
    struct spv_builder b = {m->module, inst->block->function, inst->block, inst};
    struct copy copy = read_copy(m, inst);
    uint32_t chunk = choose_chunk(m, &copy);
    if (copy.access.align < chunk)
        copy.access.align = chunk;
    if (copy.bytes && copy.bytes / chunk <= UNROLL) {
        for (uint64_t at = 0; at < copy.bytes; at += chunk) {
            struct mem_ptr to = mem_ptr_at(&copy.dst, (int64_t)at), from = mem_ptr_at(&copy.src, (int64_t)at);
            copy_chunk(m, &b, &to, &from, chunk, &copy.access);
        }
    } else if (copy.bytes || copy.size) {
        spv_id count = copy.bytes ? spv_const_u64(m->module, copy.bytes / chunk) : copy.size;
        copy_by_loop(m, &b, &copy.dst, &copy.src, chunk, count, &copy.access);
    }
    spv_inst_remove(m->module, inst);
}
