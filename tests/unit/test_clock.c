/* vk/device/clock.c: the device's time from the host's, for clocks that part, are set, or are read inexactly. */
#include "vk/device/clock.h"

#include "tests/support/check.h"

#include <math.h>

#define MS 1000000u

/* A device's clock that began elsewhere and gains `drift`, read to within 150 ns. */
static uint64_t shown(uint64_t host, double drift)
{
    return host + 77777777u + (uint64_t)(int64_t)((double)(host - 5000 * (uint64_t)MS) * drift);
}

/* The worst error in ns of what is said every 7 ms of ten seconds, from the host's first 300 ms on. */
static double worst(double drift)
{
    struct device_clock clock = {0};
    double most = 0;
    uint64_t begin = 5000 * (uint64_t)MS;
    int readings = 0;
    for (uint64_t host = begin; host < begin + 10000 * (uint64_t)MS; host += 7 * MS) {
        if (vkb_clock_is_stale(&clock, host)) {
            uint64_t noise = (uint64_t)readings * 37 % 301;
            vkb_clock_set(&clock, shown(host, drift) + noise - 150, host);
            readings++;
        }
        double error = fabs((double)(int64_t)(vkb_clock_device_ns(&clock, host) - shown(host, drift)));
        if (host > begin + 300 * (uint64_t)MS)
            most = fmax(most, error);
    }
    CHECK(readings > 10 && readings < 20);
    return most;
}

int main(void)
{
    CHECK(worst(0) < 1000);
    CHECK(worst(25e-6) < 1000); /* an H100's: 25 us in a second */
    CHECK(worst(-200e-6) < 1000);

    struct device_clock clock = {0};
    CHECK(vkb_clock_is_stale(&clock, 1000));
    vkb_clock_set(&clock, 2000, 1000);
    CHECK(vkb_clock_device_ns(&clock, 1500) == 2500);
    CHECK(vkb_clock_device_ns(&clock, 500) == 1500); /* before the reading */
    CHECK(!vkb_clock_is_stale(&clock, 1500));
    vkb_clock_set(&clock, 9999, 1600); /* too soon to say anything */
    CHECK(vkb_clock_device_ns(&clock, 1600) == 2600);
    CHECK(vkb_clock_is_stale(&clock, 1000 + 20 * MS));
    CHECK(!vkb_clock_is_stale(&clock, 1000 + 20 * MS)); /* another thread has been asked */
    vkb_clock_set(&clock, 5, 1000 + 30 * MS);           /* the device's clock was set */
    CHECK(vkb_clock_device_ns(&clock, 1000 + 31 * MS) == 5 + MS);
    return test_result();
}
