/* Blocks of memory in parts: where is a free part that is large enough? A two-level segregated fit. It knows addresses
 * and sizes alone, and neither Vulkan nor locks: who has a pool guards it. */
#ifndef VK_MEMORY_SPANS_H
#define VK_MEMORY_SPANS_H

#include <stdbool.h>
#include <stdint.h>

/* Sizes are multiples of the granule. OpenCL wants buffers aligned to its largest type, 128 bytes; no Vulkan limit for
 * buffers is above 256. */
enum { SPAN_GRANULE = 256, SPAN_CLASSES = 24 * 8 };

/* What a pool knows of a block. */
struct span_block {
    struct span *spans; /* in address order, malloc'ed; NULL: the block is in no pool */
    struct span_block *next, *prev;
    uint64_t size;
    uint64_t unused_ns; /* when its last part was given back, or when it came */
};

/* A part of a block, free or not. Neighbouring spans are never both free. */
struct span {
    struct span_block *block;
    uint64_t offset, size;
    bool is_free;
    struct span *next, *prev;           /* by address */
    struct span *next_free, *prev_free; /* in its class */
};

struct span_pool {
    struct span_block *blocks;
    struct span *classes[SPAN_CLASSES];
    uint64_t bitmap[SPAN_CLASSES / 64];
    uint64_t unused; /* bytes of blocks without allocations */
};

/* Adds a block of that size. span is the whole of it, zeroed, and becomes the block's. now_ns is any clock's that never
 * goes back. */
void vkb_spans_add(struct span_pool *pool, struct span_block *block, struct span *span, uint64_t size, uint64_t now_ns);
/* A span of that size, or a larger one where the host has no memory to describe the rest. NULL: nothing fits. */
struct span *vkb_spans_take(struct span_pool *pool, uint64_t size);
/* True: nothing of the block is in use any more. */
bool vkb_spans_give(struct span_pool *pool, struct span *span, uint64_t now_ns);
/* Takes the blocks that have been unused since before_ns, or longer, out of the pool, and puts them before the list
 * `removed` (by next), which it returns. Each has one span, which is the caller's to free. */
struct span_block *vkb_spans_remove_unused(struct span_pool *pool, uint64_t before_ns, struct span_block *removed);

#endif
