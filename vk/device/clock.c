/* See clock.h. */
#include "vk/device/clock.h"

enum { SHORTEST_NS = 5000000, FIRST_NS = 20000000, LONGEST_NS = 1000000000 };

/* No clock is as wrong as this: one of them has been set, or has stood still. */
#define MAX_DRIFT 1e-3

void vkb_clock_set(struct device_clock *clock, uint64_t device_ns, uint64_t host_ns)
{
    uint64_t wait = FIRST_NS;
    if (clock->host_ns) {
        if (host_ns < clock->host_ns + SHORTEST_NS)
            return;
        uint64_t passed = host_ns - clock->host_ns;
        double drift = (double)(int64_t)(device_ns - clock->device_ns - passed) / (double)passed;
        clock->drift = drift > -MAX_DRIFT && drift < MAX_DRIFT ? drift : 0;
        wait = passed < LONGEST_NS / 2 ? 2 * passed : LONGEST_NS;
    }
    clock->device_ns = device_ns;
    clock->host_ns = host_ns;
    clock->next_ns = host_ns + wait;
}

uint64_t vkb_clock_device_ns(const struct device_clock *clock, uint64_t host_ns)
{
    int64_t passed = (int64_t)(host_ns - clock->host_ns);
    return clock->device_ns + (uint64_t)passed + (uint64_t)(int64_t)((double)passed * clock->drift);
}

bool vkb_clock_is_stale(struct device_clock *clock, uint64_t host_ns)
{
    if (host_ns < clock->next_ns)
        return false;
    clock->next_ns = host_ns + LONGEST_NS;
    return true;
}
