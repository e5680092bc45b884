/* abilities: prints what the first device can do, a line each: abilities (base/abilities.def) with 0 or 1, limits, and
 * what OpenCL makes of them. played.py compares such lists. Ends with 77 where there is no device, and with 1 where
 * what it tells makes no sense. */
#include "src/device/device.h"
#include "vk/device/devices.h"

#include "base/util.h"

#include <stdio.h>
#include <string.h>

static void print_limits(const struct vkb_caps *caps)
{
    const struct {
        const char *name;
        uint64_t value;
    } limits[] = {
        {"vulkan", caps->api_version >> 12 & 0x3ff},
        {"workgroup", caps->max_workgroup_invocations},
        {"workgroup_x", caps->max_workgroup_size[0]},
        {"workgroup_y", caps->max_workgroup_size[1]},
        {"workgroup_z", caps->max_workgroup_size[2]},
        {"groups_x", caps->max_workgroup_count[0]},
        {"groups_y", caps->max_workgroup_count[1]},
        {"groups_z", caps->max_workgroup_count[2]},
        {"shared", caps->shared_memory},
        {"push_constants", caps->max_push_constants},
        {"image2d", caps->max_image_2d},
        {"image3d", caps->max_image_3d},
        {"layers", caps->max_image_layers},
        {"texels", caps->max_texel_buffer_elements},
        {"allocation", caps->max_allocation},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(limits); i++)
        printf("limit %s %llu\n", limits[i].name, (unsigned long long)limits[i].value);
}

static uint32_t nonsense;

static void expect(bool holds, const char *what)
{
    nonsense += !holds;
    if (!holds)
        printf("nonsense: %s\n", what);
}

static bool is_text(const char *text)
{
    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 127)
            return false;
    }
    return text[0] && text[0] != ' ';
}

/* What programs divide by, allocate by or show has to be a number or a text that stands for something. */
static void expect_sense(const struct _cl_device_id *device)
{
    static const uint8_t none[16];
    const struct vkb_caps *caps = device->caps;
    expect(is_text(caps->name), "the device's name");
    expect(is_text(caps->driver_name) && is_text(caps->driver_info), "the driver's name and version");
    expect(caps->vendor_id, "the vendor's number"); /* lavapipe's device has the number 0 */
    expect(memcmp(caps->driver_uuid, none, sizeof(none)) != 0, "the driver's UUID");
    expect(device->max_allocation && device->max_allocation <= device->global_size, "the largest allocation");
    expect(is_power_of_two(caps->subgroup_size) && is_power_of_two(caps->min_subgroup_size) &&
               is_power_of_two(caps->max_subgroup_size) && caps->min_subgroup_size <= caps->subgroup_size &&
               caps->subgroup_size <= caps->max_subgroup_size,
           "the sizes of sub-groups");
    expect(caps->max_workgroup_invocations >= 128 && caps->max_workgroup_size[0] >= caps->max_workgroup_invocations,
           "the size of work-groups");
    expect(caps->shared_memory >= 16384 && caps->max_push_constants >= 128, "local memory and push constants");
    expect(!device->images || (caps->max_image_2d >= 4096 && caps->max_image_3d >= 256), "the sizes of images");
    expect(!caps->timestamp_bits == !(caps->timestamp_period > 0), "the time stamps");
    expect(caps->compute_units < 4096 && caps->clock_mhz < 10000, "compute units and clock");
}

int main(void)
{
    ocl_platform_find_devices();
    if (!ocl_platform.num_devices) {
        printf("skipped: there is no device\n");
        return 77;
    }
    const struct _cl_device_id *device = ocl_platform.devices[0];
    const struct vkb_caps *caps = device->caps;
    printf("device %s\n", caps->name);
#define ABILITY(name, vulkan, words, lines, without) printf("ability " #name " %d\n", caps->name);
#include "base/abilities.def"
    printf("ability subgroups %d\n", device->subgroups);
    printf("ability images %d\n", device->images);
    print_limits(caps);
    expect_sense(device);
    return nonsense != 0;
}
