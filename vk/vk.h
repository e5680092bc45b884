/* The Vulkan backend's one public header: what the headers that it includes declare, each of the room that defines it.
 * It knows no OpenCL type: devices, memory, pipelines, and queues whose commands complete events. libvulkan is loaded
 * on the first vkb_instance_get(); without it there are no devices, and nothing fails.
 *
 * Every object is reference-counted with an atomic count. All functions are thread-safe unless they say otherwise.
 * Errors are enum vkb_result; the failing Vulkan expression is logged where it failed. A lost device stays lost: every
 * later call on it gives VKB_DEVICE_LOST, all its events end with that error, and nothing hangs. */
#ifndef VK_VK_H
#define VK_VK_H

#include "vk/queue/queues.h"

#endif
