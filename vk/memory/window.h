/* Reading device memory through the host's window into it (window.c). */
#ifndef VK_MEMORY_WINDOW_H
#define VK_MEMORY_WINDOW_H

#include <stdint.h>

/* How many bytes come through the window sooner than a submission brings them. */
uint64_t vkb_window_bytes(void);
/* As memcpy, for src in memory that is mapped but not cached. Any thread. */
void vkb_window_copy(void *dst, const void *src, uint64_t size);

#endif
