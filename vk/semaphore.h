/* Semaphores that are shared with other APIs and processes (semaphore.c). */
#ifndef VK_SEMAPHORE_H
#define VK_SEMAPHORE_H

#include "vk/backend.h"

struct vkb_semaphore *vkb_semaphore_retain(struct vkb_semaphore *semaphore);
VkSemaphore vkb_semaphore_handle(const struct vkb_semaphore *semaphore);

#endif
