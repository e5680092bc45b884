/* abilities: prints what the first device can do, a line each: abilities (base/abilities.def) with 0 or 1, limits, and
 * what OpenCL makes of them. played.py compares such lists. Ends with 77 where there is no device. */
#include "src/device/device.h"
#include "vk/device/devices.h"

#include "base/util.h"

#include <stdio.h>

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
    return 0;
}
