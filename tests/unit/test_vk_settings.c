/* vk/device/mask.c: what a setting says of a device holds, also where the driver's name says otherwise. tests/unit/meson.build
 * gives the settings. */
#include "vk_test.h"

static void test_device(void)
{
    const struct vkb_caps *caps = vkb_device_caps(device);
    CHECK(caps->max_nesting == 3);
    CHECK(caps->slow_pipeline_us == 5);
    CHECK(caps->doze_us == 7);
    CHECK(caps->shared_memory == 4096);
    CHECK(caps->short_chains && caps->computes_in_words);
    CHECK(!caps->float64);
}

int main(void)
{
    return test_devices(test_device);
}
