/* How many work-groups the next part of a launch gets that is submitted in parts (pace.c). Knows of no device: what it is
 * told is how long parts took. */
#ifndef VK_PARTS_H
#define VK_PARTS_H

#include <stdbool.h>
#include <stdint.h>

struct vkb_parts {
    uint64_t limit_ps; /* the longest that a submission should take */
    uint64_t wanted;   /* groups of the next part; 1 at least */
    uint64_t count;    /* groups of a part that was seen, and its time; 0: none yet */
    uint64_t took_ps;
    uint64_t floor_ps;   /* what a part takes however few groups it has */
    uint64_t highest_ps; /* the most that seemed to be that */
    bool knows_floor;
};

/* pace_ps: what a group is expected to take in a full device; 0: nothing is known. */
void vkb_parts_begin(struct vkb_parts *parts, uint64_t limit_ps, uint64_t pace_ps);
/* A part has ended. It had count groups, 1 at least: as many as wanted, or fewer where a row or the range had no more. */
void vkb_parts_note(struct vkb_parts *parts, uint64_t count, uint64_t took_ps);

#endif
