/* See units.h.
 *
 * Linux's drivers tell a GPU's clocks in files, each in its own way:
 *
 *     amdgpu                    pp_dpm_sclk                    a line for each level: "1: 2575Mhz *"
 *     i915                      drm/cardN/gt_RP0_freq_mhz      the highest that the hardware can
 *     xe                        tile0/gtN/freq0/rp0_freq       likewise
 *     panfrost, panthor, msm    devfreq/NAME/max_freq          in Hz
 *
 * (Linux 6.12: Documentation/gpu/amdgpu/thermal.rst, drivers/gpu/drm/i915/i915_sysfs.c, drivers/gpu/drm/xe/xe_gt_freq.c,
 * Documentation/ABI/testing/sysfs-class-devfreq.) */
#include "vk/device/units.h"

#include "base/util.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void vkb_units_of_host(struct vkb_caps *caps)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    caps->compute_units = processors > 0 ? (uint32_t)processors : 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE), line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    caps->cache_bytes = cache > 0 && (unsigned long)cache < UINT32_MAX ? (uint32_t)cache : 0;
    caps->cache_line = line > 0 ? (uint32_t)line : 0;
#endif
    FILE *file = fopen("/proc/cpuinfo", "re");
    char text[256];
    double mhz = 0;
    while (file && !caps->clock_mhz && fgets(text, sizeof(text), file)) {
        if (sscanf(text, "cpu MHz : %lf", &mhz) == 1 && mhz > 0)
            caps->clock_mhz = (uint32_t)mhz;
    }
    if (file)
        fclose(file);
}

/* The largest number that a line of the file begins with, in the form of scanf(). 0: there is no such file or line. */
static unsigned long long largest(const char *path, const char *form)
{
    FILE *file = fopen(path, "re");
    char text[128];
    unsigned long long most = 0, value;
    while (file && fgets(text, sizeof(text), file)) {
        if (sscanf(text, form, &value) == 1 && value > most)
            most = value;
    }
    if (file)
        fclose(file);
    return most;
}

/* Where a driver tells a clock: in one file, or in the one of that name in each folder whose name begins so. */
struct clock_file {
    const char *folder, *begins, *file, *form;
    uint32_t per_mhz;
};

static uint64_t clock_of_each(const char *folder, const struct clock_file *clock)
{
    char path[256];
    uint64_t most = 0;
    snprintf(path, sizeof(path), "%s/%s", folder, clock->folder);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.' || strncmp(entry->d_name, clock->begins, strlen(clock->begins)) != 0)
            continue;
        int size = snprintf(path, sizeof(path), "%s/%s/%s/%s", folder, clock->folder, entry->d_name, clock->file);
        if (size > 0 && (size_t)size < sizeof(path))
            most = u64_max(most, largest(path, clock->form) / clock->per_mhz);
    }
    if (directory)
        closedir(directory);
    return most;
}

uint32_t vkb_clock_in_folder(const char *folder)
{
    static const struct clock_file files[] = {
        {NULL, NULL, "pp_dpm_sclk", "%*u: %llu", 1},
        {"drm", "card", "gt_RP0_freq_mhz", "%llu", 1},
        {"tile0", "gt", "freq0/rp0_freq", "%llu", 1},
        {"devfreq", "", "max_freq", "%llu", 1000000},
    };
    uint64_t most = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
        char path[256];
        snprintf(path, sizeof(path), "%s/%s", folder, files[i].file);
        uint64_t clock =
            files[i].folder ? clock_of_each(folder, &files[i]) : largest(path, files[i].form) / files[i].per_mhz;
        most = u64_max(most, clock);
    }
    return (uint32_t)u64_min(most, UINT32_MAX);
}
