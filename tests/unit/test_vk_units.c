/* The clocks that Linux's drivers tell in their own ways, and the cores of a driver that tells them: the layer of
 * told_cores.c does. */
#include "vk/device/units.h"
#include "vk/vk.h"

#undef CHECK
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pumice-units-XXXXXX";

/* Makes the file with the folders before it. */
static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

static void clocks(void)
{
    static const struct {
        const char *name, *text;
        uint32_t mhz;
    } cases[] = {
        {"amdgpu/pp_dpm_sclk", "0: 500Mhz\n1: 2575Mhz\n2: 1200Mhz *\n", 2575},
        {"i915/drm/card1/gt_RP0_freq_mhz", "1350\n", 1350},
        {"xe/tile0/gt0/freq0/rp0_freq", "2400\n", 2400},
        {"panthor/devfreq/fb000000.gpu/max_freq", "950000000\n", 950},
        {"other/power/control", "auto\n", 0},
        {"empty/pp_dpm_sclk", "", 0},
        {"text/drm/card0/gt_RP0_freq_mhz", "unknown\n", 0},
        {"wrong/tile0/gt0/freq0/rp0_freq", "99999999999\n", UINT32_MAX},
    };
    CHECK(mkdtemp(folder));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char path[256];
        put(cases[i].name, cases[i].text);
        snprintf(path, sizeof(path), "%s/%.*s", folder, (int)strcspn(cases[i].name, "/"), cases[i].name);
        CHECK(vkb_clock_in_folder(path) == cases[i].mhz);
    }
    CHECK(vkb_clock_in_folder("/nowhere") == 0);
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    CHECK(system(command) == 0);
}

static void cores(void)
{
    struct vkb_instance *instance = vkb_instance_get();
    if (vkb_instance_num_devices(instance)) {
        const struct vkb_caps *caps = vkb_device_caps(vkb_instance_device(instance, 0));
        CHECK(caps->compute_units == 10 && caps->warps_per_unit == 64);
    }
}

int main(void)
{
    clocks();
    cores();
    return test_result();
}
