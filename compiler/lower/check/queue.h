/* Notes of accesses that are made together: what the plan (queue.c) and the code (queue_code.c) share. */
#ifndef COMPILER_LOWER_CHECK_QUEUE_H
#define COMPILER_LOWER_CHECK_QUEUE_H

#include "compiler/lower/check/checking.h"

enum { CHECK_MOST_PLACES = 2048, CHECK_MOST_NOTES = 64 };

/* Accesses that differ in place and site alone. */
struct check_known_note {
    struct check_note note;
    spv_id origin; /* a variable with the number of the argument that note.root is; 0: it is none */
};

struct check_queue {
    spv_id function; /* that goes through what was written down */
    spv_id places, kinds, filled;
    struct check_local_notes local; /* of the kernel; none: local memory is not looked at */
    uint32_t capacity, count;       /* of places; those that marks ask for, which may be more */
    struct check_known_note notes[CHECK_MOST_NOTES];
    uint32_t num_notes;
    struct u64_map
        marks; /* those that are written down -> one more than their first place: each of its notes has one */
};

/* What the kernel has for a queue of that capacity. */
void check_begin_queue(struct checking *c, struct check_queue *queue);
/* Goes through what was written down, where the builder is. */
void check_call_queue(struct checking *c, const struct check_queue *queue);

#endif
