/* Parts of blocks (vk/memory/spans.c), against a model that knows of each granule whether it is in use: allocations and
 * frees at random, of all sizes, in blocks that come and go. */
#include "vk/memory/spans.h"

#include "base/util.h"

#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 6, GRANULES = 4096, TAKEN = 2000, STEPS = 60000 };

struct block {
    struct span_block part; /* must be first */
    bool there;
    uint64_t unused_since;
    uint8_t used[GRANULES];
};

static struct block blocks[BLOCKS];
static struct span_pool pool;
static struct span *taken[TAKEN];
static uint32_t num_taken;
static uint64_t now;

static uint32_t next_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static uint32_t count_used(const struct block *block)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < GRANULES; i++)
        count += block->used[i];
    return count;
}

/* The most granules in a row that are free. */
static uint32_t largest_hole(const struct block *block)
{
    uint32_t largest = 0, run = 0;
    for (uint32_t i = 0; i < GRANULES; i++) {
        run = block->used[i] ? 0 : run + 1;
        largest = run > largest ? run : largest;
    }
    return largest;
}

static void add_block(struct block *block)
{
    *block = (struct block){.there = true, .unused_since = now};
    vkb_spans_add(&pool, &block->part, calloc(1, sizeof(struct span)), (uint64_t)GRANULES * SPAN_GRANULE, now);
}

static void mark(const struct span *span, bool used)
{
    struct block *block = (struct block *)span->block;
    CHECK(block->there && span->offset % SPAN_GRANULE == 0 && span->size % SPAN_GRANULE == 0);
    CHECK(span->size > 0 && span->offset + span->size <= (uint64_t)GRANULES * SPAN_GRANULE);
    for (uint64_t i = span->offset / SPAN_GRANULE; i < (span->offset + span->size) / SPAN_GRANULE; i++) {
        CHECK(block->used[i] != used);
        block->used[i] = used;
    }
}

/* Small ones mostly, and every number of granules at times. */
static uint32_t choose_granules(void)
{
    return 1 + next_random() % (1u << next_random() % 12);
}

static void take(void)
{
    uint32_t granules = choose_granules();
    struct span *span = vkb_spans_take(&pool, (uint64_t)granules * SPAN_GRANULE);
    if (span) {
        CHECK(span->size == (uint64_t)granules * SPAN_GRANULE);
        mark(span, true);
        taken[num_taken++] = span;
        return;
    }
    /* Only a hole that is hardly larger than what is asked for may be overlooked: classes are an eighth wide. */
    for (uint32_t i = 0; i < BLOCKS; i++)
        CHECK(!blocks[i].there || largest_hole(&blocks[i]) < granules + granules / 8 + 1);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (!blocks[i].there) {
            add_block(&blocks[i]);
            return;
        }
    }
}

static void give(uint32_t which)
{
    struct span *span = taken[which];
    struct block *block = (struct block *)span->block;
    taken[which] = taken[--num_taken];
    mark(span, false);
    CHECK(vkb_spans_give(&pool, span, now) == !count_used(block));
    if (!count_used(block))
        block->unused_since = now;
}

static void remove_unused(uint64_t before)
{
    struct span_block *next;
    for (struct span_block *removed = vkb_spans_remove_unused(&pool, before, NULL); removed; removed = next) {
        struct block *block = (struct block *)removed;
        next = removed->next;
        CHECK(block->there && !count_used(block) && block->unused_since <= before);
        CHECK(removed->spans->size == (uint64_t)GRANULES * SPAN_GRANULE && !removed->spans->next);
        free(removed->spans);
        block->there = false;
    }
    for (uint32_t i = 0; i < BLOCKS; i++)
        CHECK(!blocks[i].there || count_used(&blocks[i]) || blocks[i].unused_since > before);
}

/* The spans of a block are all of it, in order; no two neighbours are free; and the model says the same of each. */
static void check_block(const struct block *block)
{
    uint64_t at = 0;
    for (const struct span *span = block->part.spans; span; span = span->next) {
        CHECK(span->offset == at && span->block == &block->part);
        CHECK(!span->next || (span->next->prev == span && !(span->is_free && span->next->is_free)));
        for (uint64_t i = 0; i < span->size / SPAN_GRANULE; i++)
            CHECK(block->used[at / SPAN_GRANULE + i] == !span->is_free);
        at += span->size;
    }
    CHECK(at == (uint64_t)GRANULES * SPAN_GRANULE);
}

static void check_all(void)
{
    uint32_t unused = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (!blocks[i].there)
            continue;
        check_block(&blocks[i]);
        unused += !count_used(&blocks[i]);
    }
    CHECK((uint64_t)unused * GRANULES * SPAN_GRANULE == pool.unused);
}

int main(void)
{
    CHECK(!vkb_spans_take(&pool, SPAN_GRANULE));
    for (uint32_t step = 0; step < STEPS; step++, now++) {
        /* It fills for a while, and empties for a while. */
        bool fills = next_random() % 8 < (step / 3000 % 2 ? 3 : 6);
        if (fills && num_taken < TAKEN)
            take();
        else if (num_taken)
            give(next_random() % num_taken);
        if (next_random() % 256 == 0)
            remove_unused(now - next_random() % 200);
        if (step % 64 == 0)
            check_all();
    }
    while (num_taken)
        give(num_taken - 1);
    check_all();
    remove_unused(now);
    CHECK(!pool.blocks && !vkb_spans_take(&pool, SPAN_GRANULE));
    return test_result();
}
