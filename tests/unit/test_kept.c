/* Memory that is kept for later (vk/memory/kept.c), against a model that is a plain array. */
#include "vk/memory/kept.h"

#include "tests/support/check.h"

#include <stddef.h>

enum { MEMBERS = 40, STEPS = 40000, MIB = 1 << 20 };

static struct member {
    struct kept kept; /* must be first */
    bool listed;
    uint64_t size, since;
} members[MEMBERS];

static struct kept_list list;

static uint32_t next_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static void check_list(void)
{
    uint64_t bytes = 0;
    uint32_t count = 0;
    for (int i = 0; i < MEMBERS; i++) {
        bytes += members[i].listed ? members[i].size : 0;
        count += members[i].listed;
    }
    CHECK(list.bytes == bytes && list.count == count);
    uint32_t seen = 0;
    for (const struct kept *kept = list.newest, *newer = NULL; kept; newer = kept, kept = kept->older, seen++) {
        CHECK(kept->newer == newer && ((const struct member *)kept)->listed);
        CHECK(!newer || newer->since_ns >= kept->since_ns);
        CHECK(kept->older || kept == list.oldest);
    }
    CHECK(seen == count);
}

static void add(uint64_t now)
{
    struct member *member = &members[next_random() % MEMBERS];
    if (member->listed)
        return;
    *member = (struct member){.listed = true, .size = 1 + next_random() % 1000, .since = now};
    vkb_kept_add(&list, &member->kept, member->size, now);
}

/* The smallest that fits, and of several the newest. */
static void take(void)
{
    uint64_t least = 1 + next_random() % 1000, most = least + next_random() % 300;
    const struct member *best = NULL;
    for (int i = 0; i < MEMBERS; i++) {
        const struct member *member = &members[i];
        if (member->listed && member->size >= least && member->size <= most &&
            (!best || member->size < best->size || (member->size == best->size && member->since > best->since)))
            best = member;
    }
    struct member *taken = (struct member *)vkb_kept_take(&list, least, most);
    CHECK(taken == best);
    if (taken)
        taken->listed = false;
}

static void expire(uint64_t before)
{
    for (struct member *gone; (gone = (struct member *)vkb_kept_expire(&list, before));) {
        CHECK(gone->listed && gone->since <= before);
        gone->listed = false;
    }
    for (int i = 0; i < MEMBERS; i++)
        CHECK(!members[i].listed || members[i].since > before);
}

static void test_sizes(void)
{
    CHECK(vkb_kept_round(16 * MIB) == 16 * MIB && vkb_kept_round(16 * MIB + 1) == 18 * MIB);
    CHECK(vkb_kept_round(1) == 1 && vkb_kept_round(0) == 0);
    CHECK(vkb_kept_round(((uint64_t)1 << 30) + 1) == ((uint64_t)1 << 30) + 1);
    for (int i = 0; i < 10000; i++) {
        uint64_t size = 1 + next_random() % (1u << 30), rounded = vkb_kept_round(size);
        CHECK(rounded >= size && rounded <= size + size / 8 && vkb_kept_round(rounded) == rounded);
        CHECK(rounded <= vkb_kept_most(size));
    }
}

/* What is left when a program has been idle for some seconds: half of what it uses, and 64 MiB. */
static void test_ages(void)
{
    const uint64_t second = 1000000000;
    CHECK(vkb_kept_age(0, 4 * MIB) > 5 * second && vkb_kept_age(0, 65 * MIB) <= 2 * second);
    CHECK(vkb_kept_age((uint64_t)1000 * MIB, (uint64_t)1400 * MIB) > 5 * second);
    CHECK(vkb_kept_age((uint64_t)1000 * MIB, (uint64_t)1600 * MIB) <= 2 * second);
}

int main(void)
{
    CHECK(!vkb_kept_take(&list, 0, UINT64_MAX) && !vkb_kept_expire(&list, UINT64_MAX));
    for (uint64_t step = 1; step <= STEPS; step++) {
        uint32_t what = next_random() % 16;
        if (what < 9)
            add(step);
        else if (what < 15)
            take();
        else
            expire(step - next_random() % 400);
        check_list();
    }
    expire(STEPS);
    CHECK(!list.newest && !list.oldest && !list.bytes);
    test_sizes();
    test_ages();
    return test_result();
}
