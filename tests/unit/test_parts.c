/* Launches in parts on devices that are played: so many work-groups run at once, and each takes so long. Whatever the
 * device, no part takes longer than it may, and the launch takes little longer than it would whole. */
#include "vk/queue/parts.h"

#include "base/util.h"
#include "tests/support/check.h"

#include <stdio.h>

enum { MOST_PARTS = 100000 };

static const uint64_t ms = 1000000000, us = 1000000;

struct device {
    uint64_t width, group_ps, submit_ps; /* groups at once, the time of each, and of a submission */
    uint32_t noise;                      /* in percent: by so much a part may take longer */
};

static uint64_t time_of(const struct device *device, uint64_t groups)
{
    return device->submit_ps + (groups + device->width - 1) / device->width * device->group_ps;
}

static uint64_t disturbed(const struct device *device, uint64_t time)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return time + time / 100 * ((state >> 8) % (device->noise + 1));
}

static uint64_t disturbed_most(const struct device *device, uint64_t time)
{
    return time + time / 100 * device->noise;
}

struct outcome {
    uint64_t parts, took, longest;
};

static struct outcome run(const struct device *device, uint64_t limit, uint64_t pace, uint64_t groups, uint64_t row)
{
    struct vkb_parts parts;
    struct outcome outcome = {0};
    vkb_parts_begin(&parts, limit, pace);
    CHECK(parts.wanted >= 1);
    for (uint64_t done = 0; done < groups && outcome.parts < MOST_PARTS; outcome.parts++) {
        uint64_t rest = row - done % row, count = parts.wanted < rest ? parts.wanted : rest;
        if (done % row == 0 && parts.wanted >= row)
            count = parts.wanted / row * row;
        count = count < groups - done ? count : groups - done;
        uint64_t took = disturbed(device, time_of(device, count));
        vkb_parts_note(&parts, count, took);
        CHECK(parts.wanted >= 1);
        outcome.took += took;
        outcome.longest = took > outcome.longest ? took : outcome.longest;
        done += count;
    }
    return outcome;
}

/* The share of the limit that a group takes, in percent. */
static const uint64_t shares[] = {1, 3, 10, 20, 24, 26, 30, 45, 55, 70, 74};
static const uint64_t widths[] = {1, 2, 7, 64, 132, 1000, 4224};

static void run_on(uint64_t width, uint64_t share, uint64_t limit, uint64_t pace, uint64_t row, uint32_t noise)
{
    const struct device device = {width, limit * share / 100, 50 * us, noise};
    uint64_t groups = width * 100, whole = time_of(&device, groups);
    struct outcome outcome = run(&device, limit, pace, groups, row);
    uint64_t least = time_of(&device, pace ? 1 : 8), most = limit + limit / 2 + 50 * us;
    /* The device is full half of the time, but while parts grow to its width. */
    bool is_fast = outcome.took < (noise ? 4 : 3) * whole + 16 * (device.group_ps + 50 * us);
    if (share * width <= 10 && !noise) /* a few groups fill it: half shows that, and then it is a quarter */
        most = limit / 2 + 50 * us;
    bool is_short = outcome.longest <= disturbed_most(&device, least > most ? least : most);
    if (!is_fast || !is_short)
        printf("%llu at once, %llu %% of %llu ms, noise %u, pace %llu, rows of %llu: "
               "%llu parts, %llu ms (whole %llu), longest %llu\n",
               (unsigned long long)width, (unsigned long long)share, (unsigned long long)(limit / ms), noise,
               (unsigned long long)pace, (unsigned long long)row, (unsigned long long)outcome.parts,
               (unsigned long long)(outcome.took / ms), (unsigned long long)(whole / ms),
               (unsigned long long)(outcome.longest / ms));
    CHECK(is_fast && is_short);
}

int main(void)
{
    static const uint64_t limits[] = {200, 1000, 4000}, rows[] = {1, 4, 1000, UINT64_MAX};
    for (size_t w = 0; w < ARRAY_LENGTH(widths); w++) {
        for (size_t s = 0; s < ARRAY_LENGTH(shares); s++) {
            for (size_t l = 0; l < ARRAY_LENGTH(limits); l++) {
                uint64_t limit = limits[l] * ms, group = limit * shares[s] / 100;
                for (size_t r = 0; r < ARRAY_LENGTH(rows); r++) {
                    for (uint32_t noise = 0; noise <= 30 && shares[s] * (100 + noise) < 7500; noise += 10) {
                        run_on(widths[w], shares[s], limit, 0, rows[r], noise);     /* nothing is known */
                        run_on(widths[w], shares[s], limit, group, rows[r], noise); /* from a launch of one group */
                        run_on(widths[w], shares[s], limit, group / widths[w], rows[r], noise); /* a full device's */
                    }
                }
            }
        }
    }
    return test_result();
}
