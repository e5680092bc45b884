/* Which commands of a queue conflict (hazard.c). */
#ifndef VK_HAZARD_H
#define VK_HAZARD_H

#include "vk/device/backend.h"

enum { HAZARD_SLOTS = 64 };

/* Which bytes were read and written since the last barrier in a queue. Of images, all or none. */
struct hazard_entry {
    const void *object;
    uint64_t generation, read_begin, read_end, write_begin, write_end;
};
struct hazards {
    struct hazard_entry entries[HAZARD_SLOTS];
    uint64_t generation;
    uint32_t count;
    bool any;                    /* something was used that is not in entries */
    VkPipelineStageFlags stages; /* that worked since */
};

struct hazard_access {
    const void *object; /* a vkb_buffer or vkb_image */
    bool host_reads;    /* the host may read what is written */
    uint64_t begin, end;
    bool reads, writes;
};

void vkb_hazards_clear(struct hazards *hazards);
bool vkb_hazards_conflict(const struct hazards *hazards, const struct hazard_access *access);
void vkb_hazards_add(struct hazards *hazards, const struct hazard_access *access);

#endif
