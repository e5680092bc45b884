/* Watchdogs: kernel drivers end work that keeps the hardware for too long, and the device is lost then. Vulkan does not
 * tell for how long a submission may run. So the kernel drivers that are known to have a watchdog are listed here, by
 * the Vulkan driver that comes with them, and PUMICE_WATCHDOG_MS says it for all others.
 *
 * The numbers are for pacing (vk/queue/pace.c) and not the watchdogs' own: half of that or less, since work may turn out
 * to take longer than was expected of it. */
#include "vk/device/backend.h"
#include "vk/device/device.h"

#include "base/log.h"
#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_MS = 3600000 };

static uint32_t of_driver(uint32_t driver)
{
    switch (driver) {
    /* v3d and panfrost give a job 500 ms. */
    case VK_DRIVER_ID_MESA_V3DV:
    case VK_DRIVER_ID_MESA_PANVK:
        return 250;
    /* Windows gives the hardware 2 s (TdrDelay), and so do Linux's kgsl and msm for Adreno. i915 and xe ask the hardware
     * to change to other work, after 640 ms to some seconds; macOS ends command buffers after a few seconds. The other
     * makers' drivers for phones are taken to be as strict. */
    case VK_DRIVER_ID_AMD_PROPRIETARY:
    case VK_DRIVER_ID_AMD_OPEN_SOURCE:
    case VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS:
    case VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA:
    case VK_DRIVER_ID_MESA_DOZEN:
    case VK_DRIVER_ID_QUALCOMM_PROPRIETARY:
    case VK_DRIVER_ID_MESA_TURNIP:
    case VK_DRIVER_ID_ARM_PROPRIETARY:
    case VK_DRIVER_ID_SAMSUNG_PROPRIETARY:
    case VK_DRIVER_ID_IMAGINATION_PROPRIETARY:
    case VK_DRIVER_ID_IMAGINATION_OPEN_SOURCE_MESA:
    case VK_DRIVER_ID_BROADCOM_PROPRIETARY:
    case VK_DRIVER_ID_VERISILICON_PROPRIETARY:
    case VK_DRIVER_ID_MOLTENVK:
    /* Nobody knows what is behind it. */
    case VK_DRIVER_ID_MESA_VENUS:
        return 1000;
    /* amdgpu and nouveau have 10 s. */
    case VK_DRIVER_ID_MESA_RADV:
    case VK_DRIVER_ID_MESA_NVK:
        return 4000;
    /* NVIDIA's own has a watchdog only where a display hangs on the GPU; drivers on the processor have none. */
    default:
        return 0;
    }
}

uint32_t vkb_watchdog_ms(const struct vkb_caps *caps)
{
    const char *text = setting_text(SETTING_WATCHDOG_MS);
    char *end;
    if (!text)
        return of_driver(caps->driver_id);
    unsigned long number = strtoul(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && !*end && number <= LONGEST_MS)
        return (uint32_t)number;
    log_warn("%s=%s does not count: it takes milliseconds, at most %d, or 0", setting_name(SETTING_WATCHDOG_MS), text,
             LONGEST_MS);
    return of_driver(caps->driver_id);
}
