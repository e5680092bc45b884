/* Hash maps with open addressing and linear probing, at most three quarters full. Nothing is ever removed, so that
 * probing needs no tombstones; the old table stays in the arena when the map grows, which costs at most as much as the
 * new one. */
#include "map.h"

#include "int128.h"

#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b)
{
    struct int128 product = int128_product(a, b);
    return product.low ^ product.high;
}

uint64_t hash_bytes64(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t hash = seed ^ 0x9e3779b97f4a7c15u ^ size;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = mix(hash ^ word, 0xd6e8feb86659fd93u) + 0x8ebc6af09c88c6e3u;
    }
    if (size) {
        uint64_t word = 0;
        memcpy(&word, bytes, size);
        hash = mix(hash ^ word, 0xa0761d6478bd642fu) + 0x589965cc75374cc3u;
    }
    return mix(hash ^ (hash >> 32), 0xe7037ed1a0b428dbu);
}

uint32_t hash_bytes(const void *data, size_t size)
{
    uint64_t hash = hash_bytes64(data, size, 0);
    return (uint32_t)(hash ^ (hash >> 32));
}

static uint32_t grown_capacity(struct arena *arena, uint32_t capacity)
{
    if (capacity > UINT32_MAX / 2)
        arena_fail(arena);
    return capacity ? capacity * 2 : 16;
}

/* The slot that holds key, or the free one where it belongs. */
static struct u64_map_slot *u64_slot(struct u64_map_slot *slots, uint32_t capacity, uint64_t key)
{
    uint32_t at = (uint32_t)mix(key ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u) & (capacity - 1);
    while (slots[at].used && slots[at].key != key)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

void *u64_map_get(const struct u64_map *map, uint64_t key)
{
    return map->capacity ? u64_slot(map->slots, map->capacity, key)->value : NULL;
}

bool u64_map_has(const struct u64_map *map, uint64_t key)
{
    return map->capacity && u64_slot(map->slots, map->capacity, key)->used;
}

void u64_map_set(struct arena *arena, struct u64_map *map, uint64_t key, void *value)
{
    if (map->count >= map->capacity - map->capacity / 4) {
        uint32_t capacity = grown_capacity(arena, map->capacity);
        struct u64_map_slot *slots = arena_array(arena, struct u64_map_slot, capacity);
        for (uint32_t i = 0; i < map->capacity; i++) {
            if (map->slots[i].used)
                *u64_slot(slots, capacity, map->slots[i].key) = map->slots[i];
        }
        map->slots = slots;
        map->capacity = capacity;
    }
    struct u64_map_slot *slot = u64_slot(map->slots, map->capacity, key);
    map->count += !slot->used;
    *slot = (struct u64_map_slot){key, value, true};
}

static struct str_map_slot *str_slot(struct str_map_slot *slots, uint32_t capacity, const char *key, size_t length,
                                     uint32_t hash)
{
    uint32_t at = hash & (capacity - 1);
    while (slots[at].key &&
           (slots[at].hash != hash || slots[at].length != length || memcmp(slots[at].key, key, length) != 0))
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

void *str_map_get(const struct str_map *map, const char *key, size_t length)
{
    return map->capacity ? str_slot(map->slots, map->capacity, key, length, hash_bytes(key, length))->value : NULL;
}

bool str_map_has(const struct str_map *map, const char *key, size_t length)
{
    return map->capacity && str_slot(map->slots, map->capacity, key, length, hash_bytes(key, length))->key;
}

void str_map_set(struct arena *arena, struct str_map *map, const char *key, size_t length, void *value)
{
    if (length > UINT32_MAX)
        arena_fail(arena);
    if (map->count >= map->capacity - map->capacity / 4) {
        uint32_t capacity = grown_capacity(arena, map->capacity);
        struct str_map_slot *slots = arena_array(arena, struct str_map_slot, capacity);
        for (uint32_t i = 0; i < map->capacity; i++) {
            const struct str_map_slot *old = &map->slots[i];
            if (old->key)
                *str_slot(slots, capacity, old->key, old->length, old->hash) = *old;
        }
        map->slots = slots;
        map->capacity = capacity;
    }
    uint32_t hash = hash_bytes(key, length);
    struct str_map_slot *slot = str_slot(map->slots, map->capacity, key, length, hash);
    if (slot->key) {
        slot->value = value;
        return;
    }
    *slot = (struct str_map_slot){key, (uint32_t)length, hash, value};
    map->count++;
}
