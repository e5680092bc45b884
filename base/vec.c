/* Growth of VEC(): by doubling, so that pushing is constant time on average. */
#include "vec.h"

void vec_reserve_bytes(struct arena *arena, void **data, uint32_t *capacity, uint32_t count, size_t size)
{
    if (count <= *capacity && count)
        return;
    uint32_t grown = *capacity < 4 ? 4 : *capacity;
    while (grown < count) {
        if (grown > UINT32_MAX / 2)
            arena_fail(arena);
        grown *= 2;
    }
    if (grown > SIZE_MAX / size)
        arena_fail(arena);
    *data = arena_grow_uncleared(arena, *data, *capacity * size, grown * size);
    *capacity = grown;
}
