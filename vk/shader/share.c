/* Objects that are found by what they were made from.
 *
 * Programs are built again and again, also by several threads at once, and the driver would compile equal modules each
 * time. So requests with equal keys share one object, and an object that nobody uses any more is kept for a while. This
 * also means that no two threads make or destroy equal pipelines at the same time. NVIDIA's driver (580, H200)
 * sometimes answered that with another kernel's code: docs/measured/robustness.md. */
#include "vk/shader/share.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { IDLE_OBJECTS = 64, IDLE_BYTES = 4 << 20 };

static struct shared **bucket_of(struct share_table *table, uint64_t hash)
{
    return &table->buckets[hash % SHARE_BUCKETS];
}

static void idle_remove(struct share_table *table, struct shared *object)
{
    *(object->idle_prev ? &object->idle_prev->idle_next : &table->idle_first) = object->idle_next;
    *(object->idle_next ? &object->idle_next->idle_prev : &table->idle_last) = object->idle_prev;
    object->idle_prev = object->idle_next = NULL;
    table->num_idle--;
    table->idle_bytes -= object->key_size;
}

static void idle_append(struct share_table *table, struct shared *object)
{
    object->idle_prev = table->idle_last;
    *(table->idle_last ? &table->idle_last->idle_next : &table->idle_first) = object;
    table->idle_last = object;
    table->num_idle++;
    table->idle_bytes += object->key_size;
}

static void unlist(struct share_table *table, struct shared *object)
{
    struct shared **at = bucket_of(table, object->hash);
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
    object->next = NULL;
    object->listed = false;
}

/* With the lock held. */
static struct shared *find(struct share_table *table, uint64_t hash, const void *key, size_t key_size)
{
    struct shared *object = *bucket_of(table, hash);
    while (object && (object->hash != hash || object->key_size != key_size || memcmp(object->key, key, key_size) != 0))
        object = object->next;
    if (object && atomic_fetch_add(&object->refs, 1) == 0)
        idle_remove(table, object);
    return object;
}

struct shared *vkb_share_find(struct share_table *table, const void *key, size_t key_size)
{
    uint64_t hash = hash_bytes64(key, key_size, 0);
    pthread_mutex_lock(&table->lock);
    struct shared *object = find(table, hash, key, key_size);
    pthread_mutex_unlock(&table->lock);
    return object;
}

struct shared *vkb_share_add(struct share_table *table, struct shared *object)
{
    object->hash = hash_bytes64(object->key, object->key_size, 0);
    pthread_mutex_lock(&table->lock);
    struct shared *first = find(table, object->hash, object->key, object->key_size);
    if (!first) {
        struct shared **bucket = bucket_of(table, object->hash);
        object->next = *bucket;
        *bucket = object;
        object->listed = true;
    }
    pthread_mutex_unlock(&table->lock);
    return first ? first : object;
}

/* Takes the oldest unused objects out while there are too many. Returns them linked by next. */
static struct shared *evict(struct share_table *table)
{
    struct shared *evicted = NULL;
    while (table->num_idle > IDLE_OBJECTS || table->idle_bytes > IDLE_BYTES) {
        struct shared *object = table->idle_first;
        idle_remove(table, object);
        unlist(table, object);
        object->next = evicted;
        evicted = object;
    }
    return evicted;
}

struct shared *vkb_share_drop(struct share_table *table, struct shared *object)
{
    unsigned refs = atomic_load(&object->refs);
    while (refs > 1) {
        if (atomic_compare_exchange_weak(&object->refs, &refs, refs - 1))
            return NULL;
    }
    /* The last reference is dropped only under the lock, under which others find the object. */
    struct shared *unused = NULL;
    pthread_mutex_lock(&table->lock);
    if (atomic_fetch_sub(&object->refs, 1) == 1) {
        if (object->listed) {
            idle_append(table, object);
            unused = evict(table);
        } else {
            unused = object;
        }
    }
    pthread_mutex_unlock(&table->lock);
    return unused;
}
