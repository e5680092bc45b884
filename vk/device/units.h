/* What the system tells of a device, and Vulkan does not: its clock, and all of a CPU. */
#ifndef VK_DEVICE_UNITS_H
#define VK_DEVICE_UNITS_H

#include "vk/device/devices.h"

/* Sets compute units, caches and clock of a driver that computes on the host's processors. */
void vkb_units_of_host(struct vkb_caps *caps);

/* The highest clock in MHz that Linux's driver names in the device's folder of sysfs; 0: it names none. */
uint32_t vkb_clock_in_folder(const char *folder);

#endif
