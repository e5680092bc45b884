/* Growable arrays in an arena: VEC(int) v = {0}; vec_push(arena, &v, 3); v.data[0]; v.length. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "arena.h"

#define VEC(type)                                                                                                      \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        uint32_t length, capacity;                                                                                     \
    }

/* Makes room for count elements in all, with any content; never shrinks. */
#define vec_reserve(arena, vec, count)                                                                                 \
    vec_reserve_bytes((arena), (void **)&(vec)->data, &(vec)->capacity, (count), sizeof(*(vec)->data))
#define vec_push(arena, vec, ...)                                                                                      \
    do {                                                                                                               \
        if ((vec)->length == (vec)->capacity)                                                                          \
            vec_reserve((arena), (vec), (vec)->length + 1u);                                                           \
        (vec)->data[(vec)->length++] = (__VA_ARGS__);                                                                  \
    } while (0)
#define vec_pop(vec)               ((vec)->data[--(vec)->length])
#define vec_last(vec)              ((vec)->data[(vec)->length - 1])
#define vec_foreach(type, it, vec) for (type *it = (vec)->data; it && it < (vec)->data + (vec)->length; it++)

void vec_reserve_bytes(struct arena *arena, void **data, uint32_t *capacity, uint32_t count, size_t size);

#endif
