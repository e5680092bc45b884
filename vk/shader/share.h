/* Objects that equal requests have in common (share.c). */
#ifndef VK_SHARE_H
#define VK_SHARE_H

#include "vk/device/backend.h"

/* The head of an object that is found by its key: bytes that tell everything that it was made from. */
struct shared {
    atomic_uint refs;
    uint64_t hash;
    void *key; /* the object's */
    size_t key_size;
    struct shared *next, *idle_prev, *idle_next;
    bool listed; /* under the table's lock, like the links */
};

enum { SHARE_BUCKETS = 256 };

struct share_table {
    pthread_mutex_t lock; /* guards what follows */
    struct shared *buckets[SHARE_BUCKETS];
    struct shared *idle_first, *idle_last; /* those without references, the oldest first */
    uint32_t num_idle;
    uint64_t idle_bytes; /* of their keys */
};

/* A new reference to the object with this key, or NULL. */
struct shared *vkb_share_find(struct share_table *table, const void *key, size_t key_size);
/* Adds an object with one reference. Returns it, or a new reference to one that was there before: then the caller
 * destroys its own. */
struct shared *vkb_share_add(struct share_table *table, struct shared *object);
/* Drops a reference. Returns the objects that are to be destroyed now, linked by next. */
struct shared *vkb_share_drop(struct share_table *table, struct shared *object);

#endif
