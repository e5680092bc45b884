/* Each block begins with the largest item left; then comes, until the block is full, the one of whose runs of six bytes
 * the largest part is in the block already. */
#include "compiler/builtins/lib/gen_blocks.h"

#include "base/lz.h"
#include "compiler/builtins/library.h"

#include <stdlib.h>
#include <string.h>

enum { RUN = 6, HASH_BITS = 18 };

struct block {
    uint8_t bytes[BUILTINS_BLOCK], *has; /* has: by hash of a run */
    size_t used;
};

static uint32_t hash_run(const uint8_t *bytes)
{
    uint64_t run = 0;
    memcpy(&run, bytes, RUN);
    return (uint32_t)(run * 0x9e3779b97f4a7c15u >> (64 - HASH_BITS));
}

static double likeness(const struct block *block, const struct blocks_item *item)
{
    size_t shared = 0;
    for (size_t i = 0; i + RUN <= item->size; i++)
        shared += block->has[hash_run(item->bytes + i)];
    return (double)shared / (double)item->size;
}

/* NULL: none fits. */
static struct blocks_item *choose(const struct block *block, struct blocks_item *items, const bool *done,
                                  uint32_t count)
{
    struct blocks_item *best = NULL;
    double most = -1.0;
    for (uint32_t i = 0; i < count; i++) {
        if (done[i] || block->used + items[i].size > BUILTINS_BLOCK)
            continue;
        double value = block->used ? likeness(block, &items[i]) : (double)items[i].size;
        if (value > most) {
            best = &items[i];
            most = value;
        }
    }
    return best;
}

static void add(struct block *block, struct blocks_item *item, size_t at)
{
    item->block = at;
    item->start = block->used;
    memcpy(block->bytes + block->used, item->bytes, item->size);
    block->used += item->size;
    for (size_t i = 0; i + RUN <= item->size; i++)
        block->has[hash_run(item->bytes + i)] = 1;
}

bool blocks_make(struct blocks_item *items, uint32_t count, uint8_t **output, size_t *length)
{
    size_t total = LZ_SLACK, at = 0;
    for (uint32_t i = 0; i < count; i++)
        total += lz_bound(items[i].size);
    struct block *block = calloc(1, sizeof(*block));
    bool *done = calloc(count + 1, sizeof(*done)), ok = block && done;
    *output = calloc(1, total + lz_bound(BUILTINS_BLOCK));
    if (block)
        block->has = calloc(1, 1 << HASH_BITS);
    ok = ok && *output && block->has;
    for (uint32_t left = count; ok && left > 0;) {
        memset(block->has, 0, 1 << HASH_BITS);
        block->used = 0;
        for (struct blocks_item *item; (item = choose(block, items, done, count)) != NULL; left--) {
            add(block, item, at);
            done[item - items] = true;
        }
        size_t size = block->used ? lz_pack(block->bytes, block->used, *output + at) : 0;
        ok = size > 0;
        at += size;
    }
    if (block)
        free(block->has);
    free(block);
    free(done);
    *length = at + LZ_SLACK;
    return ok;
}
