/* How a device's memory shares addresses with the host's, which decides what SVM there is, and so whether
 * cl_arm_shared_virtual_memory is listed. Drivers do not tell: vk/memory/shared.c tries an allocation of each kind.
 * That needs the device open, which takes a GPU's driver a tenth of a second. So what was found is kept in the cache's
 * folder, and a program that only lists devices does not open them.
 *
 * A trial can also fail for what the process or the machine does just then: something lies at the address, or other
 * programs have taken the memory. So an answer is kept only if every trial went well, and else the next process tries
 * again; where one of them never does, every process that lists extensions opens the device. The other way round, a
 * process may meet such trouble though the answer was kept. Then its allocations fail, as they always may. */
#include "src/probe/probe.h"
#include "src/probe/probe_file.h"

#include "base/log.h"

enum { SHARING_REVISION = 1 };

/* The answer depends on abilities that PUMICE_DISABLE takes away: each set of them has a file of its own. */
static struct probe_file kept_file(struct vkb_device *device, const char *directory)
{
    const struct vkb_caps *caps = vkb_device_caps(device);
    const bool abilities[] = {caps->shared_maps, caps->map_placed,      caps->device_map,    caps->rebar,
                              caps->import_host, caps->other_addresses, caps->capture_replay};
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof(abilities) / sizeof(abilities[0]); i++)
        bits |= (uint32_t)abilities[i] << i;
    return (struct probe_file){directory, "probe-sharing", SHARING_REVISION | bits << 16, caps};
}

bool probe_sharing_known(struct vkb_device *device, const char *directory, struct probe_sharing *sharing)
{
    const struct probe_file file = kept_file(device, directory);
    struct probe_sharing kept = {0};
    bool known = probe_file_load(&file, &kept, sizeof(kept));
    *sharing = known ? kept : (struct probe_sharing){0};
    return known || vkb_device_caps(device)->compile_only;
}

bool probe_sharing(struct vkb_device *device, const char *directory, struct probe_sharing *sharing)
{
    *sharing = (struct probe_sharing){0};
    if (vkb_device_open(device) != VKB_SUCCESS)
        return false;
    const struct vkb_caps *caps = vkb_device_caps(device);
    bool on_host = caps->type == VKB_DEVICE_CPU;
    bool may_share = caps->shared_maps && (on_host || caps->map_placed), may_shadow = !caps->other_addresses;
    bool may_import = on_host && caps->import_host && !caps->other_addresses;
    sharing->shares = may_share && vkb_device_shares_addresses(device);
    sharing->shadows = may_shadow && vkb_device_shadows(device);
    sharing->imports_in_place = may_import && vkb_device_imports_in_place(device);
    log_info("%s: memory of one address for host and device: %s, with a shadow: %s, the host's own: %s", caps->name,
             sharing->shares ? "yes" : "no", sharing->shadows ? "yes" : "no", sharing->imports_in_place ? "yes" : "no");
    const struct probe_file file = kept_file(device, directory);
    if (sharing->shares == may_share && sharing->shadows == may_shadow && sharing->imports_in_place == may_import)
        probe_file_store(&file, sharing, sizeof(*sharing));
    return true;
}
