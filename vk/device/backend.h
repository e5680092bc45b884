/* What all files of the backend need: Vulkan, statuses, and how its parts work together. Files outside of vk/ include
 * vk.h only. Each of the other headers holds one subject.
 *
 * How a command travels: vkb_cmd_*() fills a struct command, and vkb_enqueue() (enqueue.c) looks at its waits. When the
 * GPU can wait for all of them, the command is recorded at once into its queue's open batch (record.c). The batch is
 * submitted when it is full, flushed or waited for (batch.c). When the GPU cannot wait for them, or when the command's
 * work is the host's, a copy of the command is held (held.c) until whatever it waits for has been submitted or has
 * ended.
 *
 * An event's state only moves forward: HELD, RECORDED (in an open batch), SUBMITTED (its batch signals value on its
 * queue's timeline), DONE. A batch is retired, and its events become DONE, by whichever thread looks next: a waiter, an
 * enqueuing thread, or a pool thread where that was asked for (callbacks, commands that depend on it, a
 * released queue).
 *
 * Locks, outermost first: a queue's lock; the list of queues'; a shader's; an event's; memory's, staging's, the pool's,
 * a VkQueue's, the table of shared objects'. No thread holds the locks of two queues. No lock is held while waiting for
 * the GPU or while running the application's code. docs/threads.md says what each guards. */
#ifndef VK_BACKEND_H
#define VK_BACKEND_H

#include "base/log.h"
#include "base/util.h"
#include "vk/device/devices.h"

#define VK_NO_PROTOTYPES
#include <volk.h>

#include <pthread.h>
#include <stdatomic.h>

#define MAX_VULKAN_QUEUES 16

/* The statuses that events end with; numbers of OpenCL's errors. */
enum {
    STATUS_MEMORY = -4,       /* CL_MEM_OBJECT_ALLOCATION_FAILURE */
    STATUS_RESOURCES = -5,    /* CL_OUT_OF_RESOURCES: the device was lost */
    STATUS_HOST_MEMORY = -6,  /* CL_OUT_OF_HOST_MEMORY */
    STATUS_WAIT_FAILED = -14, /* CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST */
};

/* Grows a malloc'ed array to hold count elements. */
enum vkb_result vkb_grow(void **data, uint32_t *capacity, uint32_t count, size_t size);

#endif
