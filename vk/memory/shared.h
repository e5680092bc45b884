/* Memory that has one address for host and device (shared.c). */
#ifndef VK_MEMORY_SHARED_H
#define VK_MEMORY_SHARED_H

#include "vk/memory/memory.h"

/* Maps block->memory at the address that the device uses for it, block->address (shared.c). */
enum vkb_result vkb_shared_map(struct vkb_device *device, struct memory_block *block);
/* Gives the host pages at block->address, which the block owns from then on. VKB_UNSUPPORTED: something else of the
 * process is there. */
enum vkb_result vkb_shadow_reserve(struct vkb_device *device, struct memory_block *block);
void vkb_shadow_release(struct memory_block *block);

#endif
