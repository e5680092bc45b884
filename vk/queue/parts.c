/* The sizes of parts.
 *
 * A part should take a quarter of the limit. While it takes less, the next one has more groups by that much, and eight
 * times as many at most.
 *
 * A part takes no less for having fewer groups than the device runs at once: a GPU that has room for thousands takes as
 * long for one as for all of these. Where one group takes most of a quarter, parts of a few groups would leave nearly all
 * of the device idle, and a launch of thousands of groups would take hours. So two parts of different sizes tell what a
 * part takes at least, its floor: where the time is a + b * groups, that is a. Parts double while they take little more
 * than that, and stay as they are where they take twice as long: the device is full half of the time at least then. No
 * part is made that could take more than one and a half times the limit, which is needed only where a group alone takes
 * more than half of it. (The limit is half of what the watchdog allows.)
 *
 * A device that a few groups fill has no floor to speak of, and parts stay at a quarter of the limit there. */
#include "vk/queue/parts.h"

#include "base/util.h"

enum {
    FIRST_GROUPS = 8, /* of a pipeline of which nothing is known */
    FIRST_SHARE = 32, /* of the limit: what the first part should take where something is */
    SHARE = 4,
    MOST_GROWTH = 8, /* from one part to the next */
};

void vkb_parts_begin(struct vkb_parts *parts, uint64_t limit_ps, uint64_t pace_ps)
{
    *parts = (struct vkb_parts){.limit_ps = limit_ps,
                                .wanted = pace_ps ? u64_max(limit_ps / FIRST_SHARE / pace_ps, 1) : FIRST_GROUPS};
}

/* Sizes that are nearly the same would tell more of the noise than of the device. */
static void learn_floor(struct vkb_parts *parts, uint64_t count, uint64_t took_ps)
{
    double few = (double)u64_min(count, parts->count), many = (double)u64_max(count, parts->count);
    double of_few = (double)(count < parts->count ? took_ps : parts->took_ps);
    double of_many = (double)(count < parts->count ? parts->took_ps : took_ps);
    if (parts->count && many < 1.5 * few)
        return;
    if (parts->count) {
        double floor = (of_few * many - of_many * few) / (many - few);
        uint64_t now = floor < 0 ? 0 : (uint64_t)(floor < of_few ? floor : of_few), kept = parts->floor_ps / 4 * 3;
        parts->floor_ps = u64_max(now, kept); /* two parts that both fill the device show none */
        parts->highest_ps = u64_max(parts->highest_ps, now);
        parts->knows_floor = true;
    }
    parts->count = count;
    parts->took_ps = took_ps;
}

/* The groups of the next part after one of so many. */
static uint64_t next_size(const struct vkb_parts *parts, uint64_t count, uint64_t took)
{
    const uint64_t share = parts->limit_ps / SHARE, most = parts->limit_ps + parts->limit_ps / 2;
    const uint64_t floor = parts->floor_ps, target = u64_max(share, u64_min(2 * floor, most));
    bool may_double = took <= most / 2, is_flat = took <= floor + floor / 2;
    double factor = (double)target / (double)took;
    uint64_t by_share = (uint64_t)((double)count * (factor < MOST_GROWTH ? factor : MOST_GROWTH) + 0.5);
    /* Twice or half as many show the floor. Of one group there is no half. */
    if (!parts->knows_floor && took > share)
        return count > 1 ? u64_min(by_share, count / 2) : may_double ? 2 : 1;
    if (!parts->knows_floor || (is_flat && may_double))
        return u64_max(took < share ? by_share : 1, 2 * count);
    if (took > share && (is_flat || took <= floor + floor / 4 * 5))
        return count;
    return by_share;
}

void vkb_parts_note(struct vkb_parts *parts, uint64_t count, uint64_t took_ps)
{
    uint64_t took = u64_max(took_ps, 1);
    learn_floor(parts, count, took);
    uint64_t size = u64_max(next_size(parts, count, took), 1);
    bool at_row_end = count < parts->wanted && size > count; /* what a short part could grow to is no bound */
    parts->wanted = at_row_end ? u64_max(size, parts->wanted) : size;
}
