/* Where an in-order queue needs barriers.
 *
 * A barrier between dependent kernels costs a GPU microseconds in which independent ones could overlap. So this file
 * remembers, for every buffer (and every image, as one whole) that was used since the last barrier, which bytes were
 * read and which were written, each as one interval. A command that conflicts gets one global barrier. That orders
 * everything before it, so all that was remembered is dropped. Buffers do not alias: sub-allocations are disjoint, and
 * OpenCL leaves overlapping USE_HOST_PTR buffers undefined. A full table answers "conflict". */
#include "vk/queue/hazard.h"

#include <string.h>

void vkb_hazards_clear(struct hazards *hazards)
{
    hazards->generation++; /* empties all entries */
    hazards->count = 0;
    hazards->any = false;
    hazards->stages = 0;
}

/* The buffer's entry, or the free one where it belongs. The table is never full. */
static uint32_t slot_of(const struct hazards *hazards, const void *object)
{
    uint32_t slot = (uint32_t)((uintptr_t)object >> 4 ^ (uintptr_t)object >> 12) % HAZARD_SLOTS;
    while (hazards->entries[slot].object && hazards->entries[slot].generation == hazards->generation &&
           hazards->entries[slot].object != object)
        slot = (slot + 1) % HAZARD_SLOTS;
    return slot;
}

static bool is_live(const struct hazards *hazards, const struct hazard_entry *entry)
{
    return entry->object && entry->generation == hazards->generation;
}

static bool overlap(uint64_t begin, uint64_t end, uint64_t other_begin, uint64_t other_end)
{
    return begin < other_end && other_begin < end;
}

bool vkb_hazards_conflict(const struct hazards *hazards, const struct hazard_access *access)
{
    if (hazards->any || hazards->count >= HAZARD_SLOTS * 3 / 4)
        return true;
    const struct hazard_entry *entry = &hazards->entries[slot_of(hazards, access->object)];
    if (!is_live(hazards, entry))
        return false;
    return overlap(access->begin, access->end, entry->write_begin, entry->write_end) ||
           (access->writes && overlap(access->begin, access->end, entry->read_begin, entry->read_end));
}

static void extend(uint64_t *begin, uint64_t *end, const struct hazard_access *access)
{
    bool empty = *begin == *end;
    *begin = empty ? access->begin : u64_min(*begin, access->begin);
    *end = empty ? access->end : u64_max(*end, access->end);
}

void vkb_hazards_add(struct hazards *hazards, const struct hazard_access *access)
{
    /* A single command may use more buffers than the table holds. */
    if (hazards->any || hazards->count >= HAZARD_SLOTS - 1) {
        hazards->any = true;
        return;
    }
    struct hazard_entry *entry = &hazards->entries[slot_of(hazards, access->object)];
    if (!is_live(hazards, entry)) {
        *entry = (struct hazard_entry){.object = access->object, .generation = hazards->generation};
        hazards->count++;
    }
    if (access->reads)
        extend(&entry->read_begin, &entry->read_end, access);
    if (access->writes)
        extend(&entry->write_begin, &entry->write_end, access);
}
