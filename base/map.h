/* Hash maps in an arena: 64-bit keys or strings to pointers. Insertion keeps no order; iteration is over slots. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "arena.h"

#include <stdbool.h>

/* A zero-initialised map is empty. Values may be NULL; *_has tells. */
struct u64_map_slot {
    uint64_t key;
    void *value;
    bool used;
};
struct u64_map {
    struct u64_map_slot *slots;
    uint32_t count, capacity;
};

void *u64_map_get(const struct u64_map *map, uint64_t key);
bool u64_map_has(const struct u64_map *map, uint64_t key);
void u64_map_set(struct arena *arena, struct u64_map *map, uint64_t key, void *value);

struct str_map_slot {
    const char *key; /* not copied: must outlive the map; NULL where the slot is free */
    uint32_t length, hash;
    void *value;
};
struct str_map {
    struct str_map_slot *slots;
    uint32_t count, capacity;
};

void *str_map_get(const struct str_map *map, const char *key, size_t length);
bool str_map_has(const struct str_map *map, const char *key, size_t length);
void str_map_set(struct arena *arena, struct str_map *map, const char *key, size_t length, void *value);

uint32_t hash_bytes(const void *data, size_t size);
uint64_t hash_bytes64(const void *data, size_t size, uint64_t seed);

#endif
