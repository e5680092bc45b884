/* The one transition that an image makes (layout.c). */
#ifndef VK_MEMORY_LAYOUT_H
#define VK_MEMORY_LAYOUT_H

#include "vk/memory/image.h"

struct layouts;
/* NULL: out of memory. */
struct layouts *vkb_layouts_create(void);

/* What a batch waits for before it uses an image; semaphore is NULL where it need not wait. */
struct layout_wait {
    VkSemaphore semaphore;
    uint64_t value;
};

/* Before a command that uses the image is recorded for the VkQueue. */
enum vkb_result vkb_layout_ready(struct vkb_image *image, struct vulkan_queue *queue, struct layout_wait *wait);
/* Has the image in its layout for whatever queue, and waits until it is. */
enum vkb_result vkb_layout_settle(struct vkb_image *image);
/* Waits until the device does nothing with the image on its own: before it is destroyed. */
void vkb_layout_finish(struct vkb_image *image);

#endif
