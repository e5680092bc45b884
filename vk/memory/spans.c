/* A two-level segregated fit. Free spans are kept in classes, eight for each power of two. An allocation takes a span
 * from the first class whose smallest member is large enough, which a bitmap tells; so both allocation and freeing take
 * constant time. The bookkeeping is beside the memory, not in it, because device memory need not be mapped. */
#include "vk/memory/spans.h"

#include <stdlib.h>

/* The class that a span of this size belongs to. round_up: the first class in which every span is at least that large.
 */
static uint32_t class_of(uint64_t size, bool round_up)
{
    uint64_t units = size / SPAN_GRANULE;
    if (units < 8)
        return (uint32_t)units; /* exact classes for the smallest */
    uint32_t log = 63 - (uint32_t)__builtin_clzll(units);
    if (round_up)
        units += ((uint64_t)1 << (log - 3)) - 1;
    log = 63 - (uint32_t)__builtin_clzll(units);
    uint32_t index = (log - 2) * 8 + (uint32_t)(units >> (log - 3) & 7);
    return index < SPAN_CLASSES ? index : SPAN_CLASSES - 1;
}

static void free_list_add(struct span_pool *pool, struct span *span)
{
    uint32_t class = class_of(span->size, false);
    span->is_free = true;
    span->prev_free = NULL;
    span->next_free = pool->classes[class];
    if (span->next_free)
        span->next_free->prev_free = span;
    pool->classes[class] = span;
    pool->bitmap[class / 64] |= (uint64_t)1 << class % 64;
}

static void free_list_remove(struct span_pool *pool, struct span *span)
{
    uint32_t class = class_of(span->size, false);
    if (span->prev_free)
        span->prev_free->next_free = span->next_free;
    else
        pool->classes[class] = span->next_free;
    if (span->next_free)
        span->next_free->prev_free = span->prev_free;
    if (!pool->classes[class])
        pool->bitmap[class / 64] &= ~((uint64_t)1 << class % 64);
    span->is_free = false;
}

static struct span *find_span(struct span_pool *pool, uint64_t size)
{
    for (uint32_t class = class_of(size, true); class < SPAN_CLASSES; class = (class / 64 + 1) * 64) {
        uint64_t bits = pool->bitmap[class / 64] >> class % 64 << class % 64;
        if (bits)
            return pool->classes[class / 64 * 64 + (uint32_t)__builtin_ctzll(bits)];
    }
    return NULL;
}

/* Cuts span to size, and frees the rest. If there is no memory to describe the rest, the span stays larger than needed.
 */
static void split(struct span_pool *pool, struct span *span, uint64_t size)
{
    struct span *rest = span->size > size ? calloc(1, sizeof(*rest)) : NULL;
    if (!rest)
        return;
    rest->block = span->block;
    rest->offset = span->offset + size;
    rest->size = span->size - size;
    rest->prev = span;
    rest->next = span->next;
    if (rest->next)
        rest->next->prev = rest;
    span->next = rest;
    span->size = size;
    free_list_add(pool, rest);
}

/* Makes one span of two neighbours. */
static void merge(struct span *first, struct span *second)
{
    first->size += second->size;
    first->next = second->next;
    if (first->next)
        first->next->prev = first;
    free(second);
}

static bool block_unused(const struct span_block *block)
{
    return block->spans->is_free && !block->spans->next;
}

void vkb_spans_add(struct span_pool *pool, struct span_block *block, struct span *span, uint64_t size, uint64_t now_ns)
{
    span->block = block;
    span->size = size;
    block->spans = span;
    block->size = size;
    block->unused_ns = now_ns;
    block->prev = NULL;
    block->next = pool->blocks;
    if (block->next)
        block->next->prev = block;
    pool->blocks = block;
    pool->unused += size;
    free_list_add(pool, span);
}

static void remove_block(struct span_pool *pool, struct span_block *block)
{
    free_list_remove(pool, block->spans);
    if (block->prev)
        block->prev->next = block->next;
    else
        pool->blocks = block->next;
    if (block->next)
        block->next->prev = block->prev;
    pool->unused -= block->size;
}

struct span *vkb_spans_take(struct span_pool *pool, uint64_t size)
{
    struct span *span = find_span(pool, size);
    if (!span)
        return NULL;
    if (block_unused(span->block))
        pool->unused -= span->block->size;
    free_list_remove(pool, span);
    split(pool, span, size);
    return span;
}

bool vkb_spans_give(struct span_pool *pool, struct span *span, uint64_t now_ns)
{
    if (span->next && span->next->is_free) {
        free_list_remove(pool, span->next);
        merge(span, span->next);
    }
    if (span->prev && span->prev->is_free) {
        free_list_remove(pool, span->prev);
        span = span->prev;
        merge(span, span->next);
    }
    free_list_add(pool, span);
    if (!block_unused(span->block))
        return false;
    pool->unused += span->block->size;
    span->block->unused_ns = now_ns;
    return true;
}

struct span_block *vkb_spans_remove_unused(struct span_pool *pool, uint64_t before_ns, struct span_block *removed)
{
    struct span_block *next;
    for (struct span_block *block = pool->blocks; block && pool->unused; block = next) {
        next = block->next;
        if (block_unused(block) && block->unused_ns <= before_ns) {
            remove_block(pool, block);
            block->next = removed;
            removed = block;
        }
    }
    return removed;
}
