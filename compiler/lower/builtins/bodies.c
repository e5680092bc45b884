#include "compiler/lower/builtins/bodies.h"

#include "base/lz.h"
#include "compiler/spv/pack.h"

enum { MOST = 2 << 20 }; /* bytes; beyond them each kernel reads the bodies that it needs for itself */

void lower_bodies_init(struct lower_bodies *bodies)
{
    pthread_mutex_init(&bodies->lock, NULL);
    arena_init(&bodies->arena, NULL, 0);
    bodies->read = (struct u64_map){0};
    atomic_init(&bodies->held, 0);
}

void lower_bodies_finish(struct lower_bodies *bodies)
{
    arena_finish(&bodies->arena);
    pthread_mutex_destroy(&bodies->lock);
}

/* The module keeps the words, which are in the same arena. */
static const struct spv_module *read_body(struct arena *arena, const struct builtins_library_function *function)
{
    uint8_t block[BUILTINS_BLOCK + LZ_SLACK];
    uint32_t *words = arena_alloc_uncleared(arena, function->num_words * sizeof(*words), _Alignof(uint32_t));
    lz_unpack(builtins_library_bytes + function->block, block, function->end);
    spv_unpack(block + function->start, words, function->num_words);
    return spv_read_embedded(arena, words, function->num_words);
}

/* The module, from those that are kept. NULL: there is no room for another, or no memory. */
static const struct spv_module *read_locked(struct lower_bodies *bodies,
                                            const struct builtins_library_function *function)
{
    uint64_t number = (uint64_t)(function - builtins_library);
    const struct spv_module *known = u64_map_get(&bodies->read, number);
    if (known || bodies->arena.reserved >= MOST)
        return known;
    jmp_buf out_of_memory; /* caught here, where the lock is held */
    bodies->arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory)) {
        bodies->arena.out_of_memory = NULL;
        return NULL;
    }
    const struct spv_module *module = read_body(&bodies->arena, function);
    u64_map_set(&bodies->arena, &bodies->read, number, (void *)module);
    bodies->arena.out_of_memory = NULL;
    return module;
}

const struct spv_module *lower_read_body(struct lower_bodies *bodies, struct arena *arena,
                                         const struct builtins_library_function *function)
{
    const struct spv_module *module = NULL;
    if (bodies) {
        pthread_mutex_lock(&bodies->lock);
        module = read_locked(bodies, function);
        atomic_store(&bodies->held, bodies->arena.reserved);
        pthread_mutex_unlock(&bodies->lock);
    }
    return module ? module : read_body(arena, function);
}
