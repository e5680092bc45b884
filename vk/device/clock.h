/* What the device's clock shows when the host's shows something, by readings of both.
 *
 * The two never run at the same speed: those of an H100's machine part by 25 us in a second. So their speeds are
 * compared too, first after 20 ms, then after twice as long each time, until every second. Not thread-safe. */
#ifndef PUMICE_VK_CLOCK_H
#define PUMICE_VK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: no reading yet. */
struct device_clock {
    uint64_t device_ns, host_ns; /* the last reading */
    double drift;                /* by how many ns the device's clock gains in one of the host's */
    uint64_t next_ns;            /* host's time of the next reading */
};

/* Takes in a reading. One that follows the last within 5 ms says too little about speeds, and changes nothing. */
void vkb_clock_set(struct device_clock *clock, uint64_t device_ns, uint64_t host_ns);
/* The device's time in ns at host_ns, which may be before the last reading. */
uint64_t vkb_clock_device_ns(const struct device_clock *clock, uint64_t host_ns);
/* Whether it is time for a reading. If so, the next one is put off, so that one caller at a time takes it. */
bool vkb_clock_is_stale(struct device_clock *clock, uint64_t host_ns);

#endif
