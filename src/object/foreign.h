/* Contents that no device reaches, so that the host fetches them when a memory object is acquired, and brings them back
 * when it is released (src/command/external_turn.c). */
#ifndef SRC_OBJECT_FOREIGN_H
#define SRC_OBJECT_FOREIGN_H

#include "src/device/object.h"

struct ocl_foreign;
struct ocl_foreign_calls {
    cl_int (*read)(struct ocl_foreign *foreign, void *packed); /* from any thread, one at a time */
    cl_int (*write)(struct ocl_foreign *foreign, const void *packed);
    void (*destroy)(struct ocl_foreign *foreign);
};

/* The beginning of what the calls know. */
struct ocl_foreign {
    atomic_uint refs;
    atomic_bool acquired; /* in the order in which commands run, where they may overlap (external_turn.c) */
    const struct ocl_foreign_calls *calls;
    uint64_t size; /* of all contents, packed */
};

static inline struct ocl_foreign *ocl_foreign_retain(struct ocl_foreign *foreign)
{
    atomic_fetch_add_explicit(&foreign->refs, 1, memory_order_relaxed);
    return foreign;
}

static inline void ocl_foreign_release(struct ocl_foreign *foreign)
{
    if (foreign && atomic_fetch_sub(&foreign->refs, 1) == 1)
        foreign->calls->destroy(foreign);
}

#endif
