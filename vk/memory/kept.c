/* Keeping memory that is unused. Allocating takes a driver some hundred microseconds, and freeing the same again, while
 * programs allocate what they have just freed: temporaries of a library's calls, buffers of every frame. So what was
 * freed stays for a while. A list is searched from its newest member on: lists are short, since each member is a block
 * of some MiB, or an image of which a bounded number is kept. */
#include "vk/memory/kept.h"

#include <stddef.h>

/* Up to this size rounding wastes little. Beyond it programs ask for all that there is. */
#define LARGEST_ROUNDED ((uint64_t)1 << 30)
#define LITTLE          ((uint64_t)32 << 20)
#define SECOND          ((uint64_t)1000000000)

void vkb_kept_add(struct kept_list *list, struct kept *kept, uint64_t size, uint64_t now_ns)
{
    *kept = (struct kept){.older = list->newest, .size = size, .since_ns = now_ns};
    if (list->newest)
        list->newest->newer = kept;
    else
        list->oldest = kept;
    list->newest = kept;
    list->bytes += size;
    list->count++;
}

void vkb_kept_remove(struct kept_list *list, struct kept *kept)
{
    if (kept->newer)
        kept->newer->older = kept->older;
    else
        list->newest = kept->older;
    if (kept->older)
        kept->older->newer = kept->newer;
    else
        list->oldest = kept->newer;
    list->bytes -= kept->size;
    list->count--;
}

struct kept *vkb_kept_take(struct kept_list *list, uint64_t least, uint64_t most)
{
    struct kept *best = NULL;
    for (struct kept *kept = list->newest; kept && (!best || best->size > least); kept = kept->older) {
        if (kept->size >= least && kept->size <= most && (!best || kept->size < best->size))
            best = kept;
    }
    if (best)
        vkb_kept_remove(list, best);
    return best;
}

struct kept *vkb_kept_expire(struct kept_list *list, uint64_t before_ns)
{
    struct kept *oldest = list->oldest;
    if (!oldest || oldest->since_ns > before_ns)
        return NULL;
    vkb_kept_remove(list, oldest);
    return oldest;
}

uint64_t vkb_kept_round(uint64_t size)
{
    if (size < 8 || size > LARGEST_ROUNDED)
        return size;
    uint64_t step = (uint64_t)1 << (63 - __builtin_clzll(size)) >> 3;
    return (size + step - 1) / step * step;
}

/* A program that pauses finds half as much as it uses, and a little, when it goes on. More than that is for programs
 * that are busy. What lies between the parts of blocks counts, too. */
uint64_t vkb_kept_age(uint64_t in_use, uint64_t held)
{
    return held > in_use + in_use / 2 + LITTLE ? SECOND : 10 * SECOND;
}
