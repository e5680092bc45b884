/* The device's timestamps and the host's time: which of the one is which of the other (clock.c does the sums). */
#include "vk/device/device.h"

#include "base/float_env.h"

uint64_t vkb_device_ns_from_ticks(const struct vkb_device *device, uint64_t ticks)
{
    if (device->caps.timestamp_bits < 64)
        ticks &= ((uint64_t)1 << device->caps.timestamp_bits) - 1;
    if (device->caps.timestamp_period == 1.0)
        return ticks;
    FLOAT_ENV_DEFAULT();
    return (uint64_t)((long double)ticks * (long double)device->caps.timestamp_period);
}

/* One reading is as exact as its deviation says: on NVIDIA's H200 3 us, of some readings 10. So a reading is repeated
 * until it is about as exact as the best so far. */
enum { READINGS = 5 };

bool vkb_device_calibrated(struct vkb_device *device, uint64_t *device_ns, uint64_t *host_ns)
{
    if (!device->extensions.calibrated_timestamps || !device->vk.vkGetCalibratedTimestampsEXT ||
        !device->caps.timestamp_bits)
        return false;
    const VkCalibratedTimestampInfoEXT infos[] = {
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
    };
    uint64_t known = atomic_load(&device->clock_deviation), least = UINT64_MAX;
    for (int i = 0; i < READINGS && (!known || least > known + known / 4); i++) {
        uint64_t values[2], deviation;
        if (device->vk.vkGetCalibratedTimestampsEXT(device->handle, 2, infos, values, &deviation) != VK_SUCCESS)
            break;
        if (deviation >= least)
            continue;
        least = deviation;
        *device_ns = vkb_device_ns_from_ticks(device, values[0]);
        *host_ns = values[1];
    }
    if (least == UINT64_MAX)
        return false;
    if (!known || least < known)
        atomic_store(&device->clock_deviation, least ? least : 1);
    return true;
}

void vkb_device_set_clock(struct vkb_device *device, uint64_t device_ns, uint64_t host_ns)
{
    pthread_mutex_lock(&device->clock_lock);
    vkb_clock_set(&device->clock, device_ns, host_ns);
    pthread_mutex_unlock(&device->clock_lock);
}

uint64_t vkb_device_ns_from_host(struct vkb_device *device, uint64_t host_ns)
{
    FLOAT_ENV_DEFAULT();
    pthread_mutex_lock(&device->clock_lock);
    bool stale = vkb_clock_is_stale(&device->clock, host_ns);
    pthread_mutex_unlock(&device->clock_lock);
    uint64_t device_ns, now_ns;
    if (stale && vkb_device_calibrated(device, &device_ns, &now_ns))
        vkb_device_set_clock(device, device_ns, now_ns);
    pthread_mutex_lock(&device->clock_lock);
    uint64_t result = vkb_clock_device_ns(&device->clock, host_ns);
    pthread_mutex_unlock(&device->clock_lock);
    return result;
}
