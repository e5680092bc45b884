/* The threads of the process that work for the backend (pool.c). */
#ifndef VK_POOL_H
#define VK_POOL_H

#include "vk/device/backend.h"

/* One call to be made. The poster owns the memory, which is in use until call begins. */
struct pool_task {
    void (*call)(void *data);
    void *data;
    struct pool_task *next; /* the pool's */
};

/* Makes sure that there is a thread; false if there is none. From then on posting cannot fail. */
bool vkb_pool_start(void);
/* Makes the call on some thread of the process's pool, which counts as inside the driver meanwhile. The call may block.
 * The poster of such tasks bounds their number. */
void vkb_pool_run(struct pool_task *task);
/* The same for work of the processor that can wait for its turn: the pool bounds the number of threads. */
void vkb_pool_work(struct pool_task *task);
uint32_t vkb_pool_num_threads(void);
/* A pool thread calls these around a wait that must not hold up the process's exit. */
void vkb_pool_leave(void);
void vkb_pool_enter(void);
bool vkb_pool_exiting(void);
void vkb_pool_exit(uint64_t deadline_ns);
/* memcpy by several threads where that is faster. */
void vkb_pool_copy(void *dst, const void *src, uint64_t size);
/* A call for the watcher or the steward, malloc'ed. All that can fail happens here, where the thread is started, too:
 * NULL. */
void *vkb_notice_create(enum vkb_caller caller, void (*call)(void *data, int32_t status), void *data);
void vkb_notice_post(void *notice, int32_t status); /* takes it over; calls are made in this order */

#endif
