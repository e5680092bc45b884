/* The arena: a chain of chunks, newest first. An allocation bumps a pointer; what does not fit opens a new chunk, and
 * the rest of the old one is left (but for a large object's sake): at most one such gap per chunk, which is cheaper
 * than searching. Memory is zeroed when handed out, not when a chunk is made, because arena_rewind() makes dirty memory
 * free again.
 *
 * Chunks are malloc'ed and grow from 16 KiB to 1 MiB. An arena with a pool takes its chunks from there once it has
 * grown a little. The pool cuts them from slabs of 2 MiB, which the system backs by one large page where it has them:
 * faulting 512 small pages in takes ten times as long, which was a seventh of a build's time. */
#include "arena.h"

#include "platform.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK ((size_t)16 << 10)
#define LAST_CHUNK  ((size_t)1 << 20)
#define MAX_ALIGN   _Alignof(max_align_t)

#define LARGE_OBJECT ((size_t)256 << 10) /* the chunk before stays in use beside it */

#define SLAB_SIZE  ((size_t)2 << 20)
#define CHUNK_GAP  ((size_t)128)       /* for headers, so that chunks fill a slab */
#define POOL_FROM  ((size_t)64 << 10)  /* bytes of an arena whose next chunk comes from its pool */
#define POOL_CHUNK ((size_t)256 << 10) /* or more, for a larger object */

struct arena_chunk {
    struct arena_chunk *older;
    size_t size; /* bytes of data[] */
    bool pooled; /* false: malloc'ed */
    _Alignas(max_align_t) char data[];
};

struct arena_slab { /* at the start of SLAB_SIZE bytes */
    struct arena_slab *older;
    _Alignas(max_align_t) char data[];
};

void arena_init(struct arena *arena, jmp_buf *out_of_memory, size_t limit)
{
    *arena = (struct arena){.limit = limit, .out_of_memory = out_of_memory};
}

void arena_finish(struct arena *arena)
{
    arena_rewind(arena, (struct arena_mark){0});
}

void arena_fail(struct arena *arena)
{
    if (!arena->out_of_memory)
        abort();
    longjmp(*arena->out_of_memory, 1);
}

/* GCC says it by a macro, clang by a feature. */
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#endif
#endif

/* ---- pools ---- */

void arena_pool_free(struct arena_pool *pool)
{
    while (pool->slabs) {
        struct arena_slab *slab = pool->slabs;
        pool->slabs = slab->older;
        platform_pages_free(slab, SLAB_SIZE);
        pool->held -= SLAB_SIZE;
    }
    pool->spare = NULL;
    pool->next = pool->end = NULL;
}

static bool add_slab(struct arena_pool *pool)
{
#ifdef UNDER_ADDRESS_SANITIZER
    (void)pool;
    return false; /* it sees what is allocated for itself */
#else
    struct arena_slab *slab = platform_pages(SLAB_SIZE, SLAB_SIZE);
    if (!slab)
        return false;
    slab->older = pool->slabs;
    pool->slabs = slab;
    pool->next = slab->data;
    pool->end = (char *)slab + SLAB_SIZE;
    pool->held += SLAB_SIZE;
    return true;
#endif
}

static struct arena_chunk *cut(struct arena_pool *pool, size_t size)
{
    struct arena_chunk *chunk = (struct arena_chunk *)pool->next;
    chunk->pooled = true;
    chunk->size = size;
    pool->next = chunk->data + size;
    return chunk;
}

/* A spare chunk, or one from the slabs. NULL: there is no memory. */
static struct arena_chunk *take_pooled(struct arena_pool *pool, size_t need)
{
    for (struct arena_chunk **at = &pool->spare; *at; at = &(*at)->older) {
        struct arena_chunk *chunk = *at;
        if (chunk->size >= need) {
            *at = chunk->older;
            return chunk;
        }
    }
    size_t size = need < POOL_CHUNK - CHUNK_GAP ? POOL_CHUNK - CHUNK_GAP : (need + MAX_ALIGN - 1) & ~(MAX_ALIGN - 1);
    size_t room = (size_t)(pool->end - pool->next);
    if (room < sizeof(struct arena_chunk) + size) {
        if (room > FIRST_CHUNK) {
            struct arena_chunk *rest = cut(pool, room - sizeof(struct arena_chunk));
            rest->older = pool->spare;
            pool->spare = rest;
        }
        if (!add_slab(pool))
            return NULL;
    }
    return cut(pool, size);
}

/* ---- chunks ---- */

static void free_chunk(struct arena *arena, struct arena_chunk *chunk)
{
    struct arena_pool *pool = arena->pool;
    arena->reserved -= chunk->size + sizeof(*chunk);
    if (arena->budget)
        atomic_fetch_sub_explicit(&arena->budget->reserved, chunk->size + sizeof(*chunk), memory_order_relaxed);
    if (chunk->pooled) {
        chunk->older = pool->spare;
        pool->spare = chunk;
        return;
    }
    if (pool)
        pool->held -= chunk->size + sizeof(*chunk);
    free(chunk);
}

/* What is that large consists of large pages, as far as it fills them. */
static void *allocate(size_t size)
{
#ifndef UNDER_ADDRESS_SANITIZER
    void *memory = size >= SLAB_SIZE ? platform_malloc_large(SLAB_SIZE, size) : NULL;
    if (memory)
        return memory;
#endif
    return malloc(size);
}

static struct arena_chunk *make_chunk(struct arena *arena, size_t size, size_t need)
{
    struct arena_chunk *chunk = NULL;
    bool more = arena->most_pooled && arena->reserved >= arena->most_pooled;
    if (more && size < SLAB_SIZE - sizeof(*chunk))
        size = SLAB_SIZE - sizeof(*chunk);
    if (arena->pool && arena->reserved >= POOL_FROM && need <= LAST_CHUNK && !more)
        chunk = take_pooled(arena->pool, need);
    if (chunk)
        return chunk;
    chunk = allocate(size + sizeof(*chunk));
    if (!chunk)
        arena_fail(arena);
    chunk->pooled = false;
    chunk->size = size;
    if (arena->pool)
        arena->pool->held += size + sizeof(*chunk);
    return chunk;
}

/* Threads that ask at once may pass it by a chunk each. */
static void check_budget(struct arena *arena, size_t total)
{
    struct arena_budget *budget = arena->budget;
    if (!budget)
        return;
    size_t reserved = atomic_load_explicit(&budget->reserved, memory_order_relaxed);
    if (total <= budget->limit && reserved <= budget->limit - total)
        return;
    atomic_store_explicit(&budget->exceeded, true, memory_order_relaxed);
    arena_fail(arena);
}

static void open_chunk(struct arena *arena, size_t need)
{
    size_t size = FIRST_CHUNK;
    while (size < arena->reserved / 4 && size < LAST_CHUNK)
        size *= 2;
    size -= CHUNK_GAP;
    if (size < need)
        size = need;
    size_t total = size + sizeof(struct arena_chunk);
    if (total < size || (arena->limit && (total > arena->limit || arena->reserved > arena->limit - total)))
        arena_fail(arena);
    check_budget(arena, total);
    struct arena_chunk *chunk = make_chunk(arena, size, need);
    chunk->older = arena->chunks;
    arena->chunks = chunk;
    arena->next = chunk->data;
    arena->end = chunk->data + chunk->size;
    arena->reserved += chunk->size + sizeof(*chunk);
    if (arena->budget)
        atomic_fetch_add_explicit(&arena->budget->reserved, chunk->size + sizeof(*chunk), memory_order_relaxed);
}

/* With a chunk that has more room than the newest one, which holds a large object. */
static void go_on_with(struct arena *arena, struct arena_chunk *chunk, char *next, char *end)
{
    struct arena_chunk *newest = arena->chunks;
    assert(newest->older == chunk);
    newest->older = chunk->older;
    chunk->older = newest;
    arena->chunks = chunk;
    arena->next = next;
    arena->end = end;
}

void *arena_alloc_in_new_chunk(struct arena *arena, size_t size, size_t align)
{
    assert(align && !(align & (align - 1)));
    size_t extra = align > MAX_ALIGN ? align : 0;
    if (size > SIZE_MAX - extra - sizeof(struct arena_chunk))
        arena_fail(arena);
    struct arena_chunk *open = arena->chunks;
    char *next = arena->next, *end = arena->end;
    open_chunk(arena, size + extra);
    void *result = arena_alloc_uncleared(arena, size, align);
    if (open && !arena->marked && size >= LARGE_OBJECT && end - next > arena->end - arena->next)
        go_on_with(arena, open, next, end);
    return result;
}

void *arena_alloc_aligned(struct arena *arena, size_t size, size_t align)
{
    return memset(arena_alloc_uncleared(arena, size, align), 0, size);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return arena_alloc_aligned(arena, size, MAX_ALIGN);
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        arena_fail(arena);
    return arena_alloc(arena, count * size);
}

void *arena_grow_uncleared(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
    if (new_size <= old_size && old)
        return old;
    size_t added = new_size - old_size;
    if (old && (char *)old + old_size == arena->next && (size_t)(arena->end - arena->next) >= added) {
        arena->next += added;
        arena->used += added;
        return old;
    }
    void *result = arena_alloc_uncleared(arena, new_size, MAX_ALIGN);
    if (old_size)
        memcpy(result, old, old_size);
    return result;
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
    char *result = arena_grow_uncleared(arena, old, old_size, new_size);
    if (new_size > old_size)
        memset(result + old_size, 0, new_size - old_size);
    return result;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX)
        arena_fail(arena);
    char *copy = arena_alloc_aligned(arena, length + 1, 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        va_end(again);
        arena_fail(arena);
    }
    char *text = arena_alloc_aligned(arena, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

struct arena_mark arena_mark(struct arena *arena)
{
    arena->marked = true;
    return (struct arena_mark){arena->chunks, arena->next, arena->used};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while (arena->chunks != mark.chunk) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->older;
        free_chunk(arena, chunk);
    }
    arena->next = mark.next;
    arena->end = mark.chunk ? mark.chunk->data + mark.chunk->size : NULL;
    arena->used = mark.used;
}
