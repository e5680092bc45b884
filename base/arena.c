/* The arena: a chain of chunks, newest first, that grow from 16 KiB to 1 MiB. An allocation bumps a pointer; what does
 * not fit opens a new chunk, and the rest of the old one is left (but for a large object's sake): at most one such gap
 * per chunk, which is cheaper than searching. Memory is zeroed when handed out, not when a chunk is made, because
 * arena_rewind() makes dirty memory free again.
 *
 * Arenas with a list of spare chunks cut theirs from slabs of 2 MiB once they have grown a little: a slab is one large
 * page where the system has them, and costs a tenth of what it takes to fault 512 small ones in, which was a seventh of
 * a build's time. The pieces of a slab are chunks; when all of them are spare they become one again. */
#include "arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_CHUNK ((size_t)16 << 10)
#define LAST_CHUNK  ((size_t)1 << 20)
#define MAX_ALIGN   _Alignof(max_align_t)

#define LARGE_OBJECT ((size_t)256 << 10) /* the chunk before stays in use beside it */

#define SLAB_SIZE ((size_t)2 << 20)
#define CHUNK_GAP ((size_t)128)      /* for headers, so that chunks fill a slab */
#define SLAB_FROM ((size_t)64 << 10) /* bytes of an arena whose next chunk comes from a slab */

struct slab; /* at the start of SLAB_SIZE bytes */

struct arena_chunk {
    struct arena_chunk *older;
    size_t size;       /* bytes of data[] */
    struct slab *slab; /* NULL: malloc'ed */
    _Alignas(max_align_t) char data[];
};

struct slab {
    size_t chunks, spare; /* into which it is cut; those of them that are on the list */
    _Alignas(max_align_t) struct arena_chunk first;
};

void arena_init(struct arena *arena, jmp_buf *out_of_memory, size_t limit)
{
    *arena = (struct arena){.limit = limit, .out_of_memory = out_of_memory};
}

void arena_finish(struct arena *arena)
{
    arena_rewind(arena, (struct arena_mark){0});
    free(arena->kept);
    arena->kept = NULL;
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

/* ---- chunks and slabs ---- */

static struct slab *slab_create(void)
{
#ifdef UNDER_ADDRESS_SANITIZER
    return NULL;
#else
    char *memory = mmap(NULL, 2 * SLAB_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)memory & (SLAB_SIZE - 1);
    if (before)
        munmap(memory, before);
    munmap(memory + before + SLAB_SIZE, SLAB_SIZE - before);
    struct slab *slab = (struct slab *)(memory + before);
    madvise(slab, SLAB_SIZE, MADV_HUGEPAGE);
    slab->chunks = 1;
    slab->spare = 0;
    slab->first.slab = slab;
    slab->first.size = SLAB_SIZE - offsetof(struct slab, first) - sizeof(slab->first);
    return slab;
#endif
}

static void free_chunk(struct arena_chunk *chunk)
{
    struct slab *slab = chunk ? chunk->slab : NULL;
    if (!slab)
        free(chunk);
    else if (!--slab->chunks)
        munmap(slab, SLAB_SIZE);
    else
        slab->spare--;
}

static void push_spare(struct arena_chunk **spare, struct arena_chunk *chunk)
{
    if (chunk->slab)
        chunk->slab->spare++;
    chunk->older = *spare;
    *spare = chunk;
}

/* The slab's chunks are all on the list. */
static void join_slab(struct arena_chunk **spare, struct slab *slab)
{
    for (struct arena_chunk **at = spare; *at;) {
        if ((*at)->slab == slab)
            *at = (*at)->older;
        else
            at = &(*at)->older;
    }
    slab->chunks = 1;
    slab->spare = 0;
    slab->first.size = SLAB_SIZE - offsetof(struct slab, first) - sizeof(slab->first);
    push_spare(spare, &slab->first);
}

/* What is not needed of a slab's chunk goes to the list. */
static void cut(struct arena_chunk **spare, struct arena_chunk *chunk, size_t size)
{
    size_t head = (size + MAX_ALIGN - 1) & ~(MAX_ALIGN - 1);
    if (!chunk->slab || chunk->size < head + sizeof(*chunk) + FIRST_CHUNK)
        return;
    struct arena_chunk *rest = (struct arena_chunk *)(chunk->data + head);
    rest->slab = chunk->slab;
    rest->size = chunk->size - head - sizeof(*rest);
    chunk->size = head;
    chunk->slab->chunks++;
    push_spare(spare, rest);
}

void arena_free_spare(struct arena_chunk **spare)
{
    while (*spare) {
        struct arena_chunk *chunk = *spare;
        *spare = chunk->older;
        free_chunk(chunk);
    }
}

void arena_trim_spare(struct arena_chunk **spare, size_t keep)
{
    size_t kept = 0;
    for (struct arena_chunk **at = spare; *at;) {
        struct arena_chunk *chunk = *at;
        if (chunk->size <= LAST_CHUNK && kept + chunk->size <= keep) {
            kept += chunk->size;
            at = &chunk->older;
            continue;
        }
        *at = chunk->older;
        free_chunk(chunk);
    }
}

void arena_hand_on(struct arena_chunk **from, struct arena_chunk **to, size_t most)
{
    size_t moved = arena_spare_size(*to);
    while (*from) {
        struct arena_chunk *chunk = *from;
        *from = chunk->older;
        moved += chunk->size + sizeof(*chunk);
        if (chunk->slab && moved <= most) {
            chunk->older = *to;
            *to = chunk;
        } else {
            moved -= chunk->size + sizeof(*chunk);
            free_chunk(chunk);
        }
    }
}

size_t arena_spare_size(const struct arena_chunk *spare)
{
    size_t size = 0;
    for (; spare; spare = spare->older)
        size += spare->size + sizeof(*spare);
    return size;
}

/* The smallest spare chunk that is large enough and not wasted on so little, or NULL. */
static struct arena_chunk *take_spare(struct arena *arena, size_t size)
{
    struct arena_chunk *kept = arena->kept, **best = NULL;
    if (kept && kept->size >= size) {
        arena->kept = NULL;
        return kept;
    }
    for (struct arena_chunk **at = arena->spare; at && *at; at = &(*at)->older) {
        struct arena_chunk *chunk = *at;
        if (chunk->size < size || (!chunk->slab && chunk->size / 2 > (size < LAST_CHUNK / 2 ? LAST_CHUNK / 2 : size)) ||
            (best && chunk->size >= (*best)->size))
            continue;
        best = at;
    }
    if (!best)
        return NULL;
    struct arena_chunk *chunk = *best;
    *best = chunk->older;
    if (chunk->slab) {
        chunk->slab->spare--;
        cut(arena->spare, chunk, size);
    }
    return chunk;
}

/* What is that large consists of large pages, as far as it fills them. */
static void *allocate(size_t size)
{
#ifndef UNDER_ADDRESS_SANITIZER
    void *memory;
    if (size >= SLAB_SIZE && posix_memalign(&memory, SLAB_SIZE, size) == 0) {
        madvise(memory, size & ~(SLAB_SIZE - 1), MADV_HUGEPAGE);
        return memory;
    }
#endif
    return malloc(size);
}

static struct arena_chunk *make_chunk(struct arena *arena, size_t size)
{
    size_t from = arena->large_from ? arena->large_from : SLAB_FROM;
    bool from_slab = arena->spare && arena->reserved >= from && size <= LAST_CHUNK;
    struct slab *slab = from_slab ? slab_create() : NULL;
    struct arena_chunk *chunk = slab ? &slab->first : allocate(size + sizeof(*chunk));
    if (!chunk)
        arena_fail(arena);
    if (slab) {
        cut(arena->spare, chunk, size);
        return chunk;
    }
    chunk->slab = NULL;
    chunk->size = size;
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
    struct arena_chunk *chunk = take_spare(arena, size);
    if (!chunk)
        chunk = make_chunk(arena, size);
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
        arena->reserved -= chunk->size + sizeof(*chunk);
        if (arena->budget)
            atomic_fetch_sub_explicit(&arena->budget->reserved, chunk->size + sizeof(*chunk), memory_order_relaxed);
        if (arena->spare) {
            push_spare(arena->spare, chunk);
            if (chunk->slab && chunk->slab->spare == chunk->slab->chunks)
                join_slab(arena->spare, chunk->slab);
        } else {
            /* a loop of marks and rewinds may stand at a chunk's end */
            bool keep = chunk->size <= LAST_CHUNK;
            free(keep ? arena->kept : chunk);
            arena->kept = keep ? chunk : arena->kept;
        }
    }
    arena->next = mark.next;
    arena->end = mark.chunk ? mark.chunk->data + mark.chunk->size : NULL;
    arena->used = mark.used;
}
