/* Which bytes a launch touched of what its arguments lead to, as the device noted it (PUMICE_CHECK=races). So the host can tell
 * whether commands with no order between them use the same memory, or different parts of a buffer. */
#ifndef SRC_OBJECT_TOUCHED_H
#define SRC_OBJECT_TOUCHED_H

#include "src/object/context.h"

#include "compiler/clc.h"

/* Of one argument. */
struct ocl_touched_arg {
    uint64_t size;  /* bytes that it leads to; 0: nothing is noted */
    uint64_t words; /* where its first word lies in the buffer */
    uint32_t shift; /* the logarithm of a granule's bytes */
};

/* Of one launch. Made with it, and filled before the command ends. */
struct ocl_touched {
    atomic_uint refs;
    struct vkb_buffer *buffer; /* the device's */
    struct vkb_buffer *copy;   /* the host's, or the same */
    uint64_t size;             /* bytes of it */
    bool counted;              /* among those that ocl_touched_count() bounds */
    bool complete, ran;        /* under the lock of who compares launches (src/checked) */
    const void *kernel;        /* which was launched; only compared */
    struct ocl_touched *next;  /* among those that the calling thread noted */
    uint32_t num_args;
    struct ocl_touched_arg args[];
};

struct ocl_touched *ocl_touched_retain(struct ocl_touched *touched); /* NULL is fine, as below */
void ocl_touched_release(struct ocl_touched *touched);
/* What the calling thread launches is noted in its order, each with a reference of its own, and taken in that order by who knows the
 * commands. The caller gets the reference. NULL: the next one is of another kernel, so that nothing is known of this launch. */
void ocl_touched_note(struct ocl_touched *touched);
struct ocl_touched *ocl_touched_take(const void *kernel);
void ocl_touched_forget(void); /* all that were not taken */

/* Whether there may be so much more of it; takes it into account until the release. */
bool ocl_touched_count(struct ocl_touched *touched, uint64_t most);

/* The first word that stands for the argument's bytes from the first granule on, four for 32 granules; the launch is complete. */
const uint32_t *ocl_touched_words(const struct ocl_touched *touched, uint32_t arg);

/* Called when a launch has ended, by any thread, with whether it ran. NULL: nobody asks; src/checked sets it before the library's first
 * call returns. */
extern void (*ocl_touched_complete)(struct ocl_touched *touched, bool ran);

#endif
