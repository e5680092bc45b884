/* The threads of the process that work for the backend (pool.c). */
#ifndef VK_POOL_H
#define VK_POOL_H

#include "vk/backend.h"

/* One call to be made. It is the poster's memory, in use until call begins. */
struct pool_task {
    void (*call)(void *data);
    void *data;
    struct pool_task *next; /* the pool's */
};

/* Sees to it that there is a thread; false without. From then on posting cannot fail. */
bool vkb_pool_start(void);
/* Makes the call on some thread of the process's pool, which counts as inside the driver meanwhile. It may block; who
 * posts such tasks bounds their number. */
void vkb_pool_run(struct pool_task *task);
/* The same for work of the processor that may wait its turn: the pool bounds the threads. */
void vkb_pool_work(struct pool_task *task);
uint32_t vkb_pool_num_threads(void);
/* For pool threads around a wait that must not hold up the process's exit. */
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
