/* The threads of the process that work for the backend (pool.c). */
#ifndef VK_POOL_H
#define VK_POOL_H

#include "vk/backend.h"

/* Runs call on some thread of the process's pool; false without memory or threads. Such a thread counts as inside the
 * driver. */
bool vkb_pool_run(void (*call)(void *data), void *data);
/* For pool threads around code of the application's, which must not hold up the process's exit. */
void vkb_pool_leave(void);
void vkb_pool_enter(void);
bool vkb_pool_exiting(void);
void vkb_pool_exit(uint64_t deadline_ns);
/* memcpy by several threads where that is faster. */
void vkb_pool_copy(void *dst, const void *src, uint64_t size);
/* Callbacks run one after the other on the watcher thread, which counts as inside the driver meanwhile. What can fail
 * happens when they are registered. */
bool vkb_watcher_start(void);
void *vkb_watcher_notice(void (*call)(void *data, int32_t status), void *data); /* malloc'ed; NULL without memory */
void vkb_watcher_post(void *notice, int32_t status);                            /* takes it over */

#endif
