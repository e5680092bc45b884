/* Sets of pending targets: few mostly, and the same operations again and again. */
#include "compiler/opt/cfg/pending.h"

#include <string.h>

/* The index in the set where target is, or would be inserted. */
static uint32_t place_of(const struct pending *set, uint32_t target)
{
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->targets[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool pending_has(const struct pending *set, uint32_t target)
{
    uint32_t at = place_of(set, target);
    return at < set->count && set->targets[at] == target;
}

struct pending pending_one(struct arena *arena, uint32_t target)
{
    struct pending set = {arena_array(arena, uint32_t, 1), 1, 1};
    set.targets[0] = target;
    return set;
}

struct pending pending_with(struct arena *arena, struct pending set, uint32_t target)
{
    uint32_t at = place_of(&set, target), *old = set.targets;
    if (at < set.count && old[at] == target)
        return set;
    if (set.count == set.capacity) {
        set.capacity = set.capacity * 2 + 2;
        set.targets = arena_array(arena, uint32_t, set.capacity);
        memcpy(set.targets, old, at * sizeof(*old));
    }
    memmove(set.targets + at + 1, old + at, (set.count - at) * sizeof(*old));
    set.targets[at] = target;
    set.count++;
    return set;
}

static bool has_all(const struct pending *set, const struct pending *some)
{
    uint32_t i = 0;
    for (uint32_t j = 0; j < some->count; j++) {
        while (i < set->count && set->targets[i] < some->targets[j])
            i++;
        if (i == set->count || set->targets[i] != some->targets[j])
            return false;
    }
    return true;
}

struct pending pending_join(struct arena *arena, const struct pending *a, const struct pending *b)
{
    if (!a->count || !b->count)
        return a->count ? *a : *b;
    if (b->count == 1)
        return pending_with(arena, *a, b->targets[0]);
    if (has_all(a, b))
        return *a;
    uint32_t most = a->count + b->count;
    struct pending set = {arena_array(arena, uint32_t, most), 0, most};
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        uint32_t x = i < a->count ? a->targets[i] : UINT32_MAX, y = j < b->count ? b->targets[j] : UINT32_MAX;
        set.targets[set.count++] = x < y ? x : y;
        i += x <= y;
        j += y <= x;
    }
    return set;
}

/* Removes target, which mostly is the first one. */
struct pending pending_without(struct pending set, uint32_t target)
{
    uint32_t at = place_of(&set, target);
    if (at == set.count || set.targets[at] != target)
        return set;
    if (at)
        memmove(set.targets + 1, set.targets, at * sizeof(*set.targets));
    return (struct pending){set.targets + 1, set.count - 1, set.capacity - 1};
}
