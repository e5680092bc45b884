/* What is kept for later after its last use: in the order in which it became unused, found by size. It knows sizes and
 * times alone; who has a list guards it. */
#ifndef VK_MEMORY_KEPT_H
#define VK_MEMORY_KEPT_H

#include <stdbool.h>
#include <stdint.h>

/* A member of what is kept. */
struct kept {
    struct kept *newer, *older;
    uint64_t size;
    uint64_t since_ns; /* of any clock that never goes back */
};

struct kept_list {
    struct kept *newest, *oldest;
    uint64_t bytes;
    uint32_t count;
};

void vkb_kept_add(struct kept_list *list, struct kept *kept, uint64_t size, uint64_t now_ns);
void vkb_kept_remove(struct kept_list *list, struct kept *kept);
/* Removes the smallest of at least `least` and at most `most` bytes; of several the one used last. NULL: there is none.
 */
struct kept *vkb_kept_take(struct kept_list *list, uint64_t least, uint64_t most);
/* Removes the oldest if it has been unused since before_ns or longer; else NULL. */
struct kept *vkb_kept_expire(struct kept_list *list, uint64_t before_ns);

/* The size of a block that will fit other buffers of about this size as well: at most an eighth larger. */
uint64_t vkb_kept_round(uint64_t size);
/* The largest block that may serve so many bytes. */
static inline uint64_t vkb_kept_most(uint64_t size)
{
    return size + size / 4;
}
/* For how long (ns) unused memory is kept, given the bytes that are in use and all that there are. */
uint64_t vkb_kept_age(uint64_t in_use, uint64_t held);

#endif
