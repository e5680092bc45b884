/* Arena allocation: many small objects, freed at once.
 *
 * The compiler allocates everything that belongs to one build here. An arena is owned by one thread at a time; two
 * threads need two arenas. Running out of memory (or over the arena's limit) does one longjmp to the point that the
 * owner gave to arena_init(); whatever the code in between owned must live in the arena, and it must hold no lock. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena_chunk;

/* What several arenas may take together, of any threads. It outlives them, or they are told to forget it. */
struct arena_budget {
    atomic_size_t reserved; /* bytes */
    size_t limit;
    atomic_bool exceeded; /* an allocation failed for it */
};

struct arena_slab;

/* Where several arenas of one thread take their larger chunks from and give them back to. All zero at first. */
struct arena_pool {
    struct arena_slab *slabs;  /* newest first; owned */
    char *next, *end;          /* the part of the newest slab that is not cut yet */
    struct arena_chunk *spare; /* chunks that were given back */
    size_t held;               /* bytes of the slabs, and of what its arenas took from malloc */
};

struct arena {
    struct arena_chunk *chunks; /* newest first; owned */
    char *next, *end;           /* the free part of the newest chunk */
    size_t used;                /* bytes handed out */
    size_t reserved;            /* bytes of the chunks */
    size_t limit;               /* reserved may not pass this; 0 means no limit */
    struct arena_pool *pool;    /* NULL: all chunks are malloc'ed. Set before the first allocation */
    size_t most_pooled;         /* bytes; beyond them chunks are large pages of their own. 0: no such bound */
    jmp_buf *out_of_memory;     /* where allocation failure goes; must be set before the first allocation */
    bool marked;                /* ever: so chunks stay in the order in which they were opened */
    /* NULL, or one in common with other arenas: set before the first allocation */
    struct arena_budget *budget;
};

/* Everything since is freed by arena_rewind(); for scratch memory of one pass. */
struct arena_mark {
    struct arena_chunk *chunk;
    char *next;
    size_t used;
};

void arena_init(struct arena *arena, jmp_buf *out_of_memory, size_t limit);
void arena_finish(struct arena *arena);
/* Gives a pool's memory back to the system. Its arenas must be finished; they may be used again afterwards. */
void arena_pool_free(struct arena_pool *pool);

/* Goes to the owner's out_of_memory point: for what cannot be represented, such as an overflowing count. */
_Noreturn void arena_fail(struct arena *arena);

void *arena_alloc_in_new_chunk(struct arena *arena, size_t size, size_t align);
/* Memory with any content, for a caller that writes all of it at once; otherwise like arena_alloc_aligned(). */
static inline void *arena_alloc_uncleared(struct arena *arena, size_t size, size_t align)
{
    size_t gap = -(uintptr_t)arena->next & (align - 1), room = (size_t)(arena->end - arena->next);
    if (!arena->next || room < gap || room - gap < size)
        return arena_alloc_in_new_chunk(arena, size, align);
    char *result = arena->next + gap;
    arena->next = result + size;
    arena->used += gap + size;
    return result;
}
/* Zeroed memory of size bytes at the given power-of-two alignment. Never returns NULL. */
void *arena_alloc_aligned(struct arena *arena, size_t size, size_t align);
/* Zeroed memory fit for any object. */
void *arena_alloc(struct arena *arena, size_t size);
/* count * size with the overflow checked (an overflow counts as out of memory). */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);
/* Grows an allocation (in place when it was the newest); the added bytes are zero. */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);
void *arena_grow_uncleared(struct arena *arena, void *old, size_t old_size, size_t new_size); /* added: any bytes */
/* A NUL-terminated copy. */
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3), nonnull(2)));

/* For a size that is known: clearing what is small is a few stores. */
static inline void *arena_alloc_object(struct arena *arena, size_t size, size_t align)
{
    if (size > 80) /* compilers would loop over it by an instruction that is slow to start */
        return arena_alloc_aligned(arena, size, align);
    return memset(arena_alloc_uncleared(arena, size, align), 0, size);
}
/* Gives the end of what was allocated just now back. */
static inline void arena_shorten(struct arena *arena, size_t by)
{
    arena->next -= by;
    arena->used -= by;
}

struct arena_mark arena_mark(struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

#define arena_new(arena, type)          ((type *)arena_alloc_object((arena), sizeof(type), _Alignof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

#endif
