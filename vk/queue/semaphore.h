/* Semaphores that are shared with other APIs and processes (semaphore.c). */
#ifndef VK_SEMAPHORE_H
#define VK_SEMAPHORE_H

#include "vk/device/backend.h"
#include "vk/queue/events.h"

VkSemaphore vkb_semaphore_handle(const struct vkb_semaphore *semaphore);

#endif
