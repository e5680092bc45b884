/* Semaphores: cl_khr_semaphore 1.0.1, cl_khr_external_semaphore 1.0.1. */
#ifndef SRC_SEMAPHORE_H
#define SRC_SEMAPHORE_H

#include "src/external.h"

/* A wait that came before the signal it waits for. */
struct ocl_semaphore_promise {
    struct vkb_event *event;        /* a user event, which the signal's end sets */
    struct vkb_callback *when_kept; /* sets it */
    struct ocl_semaphore_promise *next;
};

/* A binary semaphore. Within the process it is a place where a signal leaves its event for the next wait. One that is
 * exported or imported has a vkb_semaphore, too; then the event only keeps the order of our own commands. */
struct _cl_semaphore_khr {
    struct ocl_object object;
    cl_context context;  /* retained */
    cl_device_id device; /* the one that may use it */
    cl_semaphore_properties_khr *properties;
    size_t num_properties;        /* with the 0 at the end */
    struct vkb_semaphore *shared; /* NULL: nobody outside knows it */
    uint32_t exported, imported;  /* VKB_HANDLE_* */

    pthread_mutex_t mutex;                                  /* guards what follows */
    struct vkb_event *signal;                               /* of the signal that no wait has taken yet, or NULL */
    struct vkb_event *last;                                 /* shared: of the last command that used it, or NULL */
    bool signalled;                                         /* imported with a signal that no wait has taken yet */
    struct ocl_semaphore_promise *promises, **last_promise; /* oldest first */
};

/* What clCreateSemaphoreWithPropertiesKHR has checked. */
struct ocl_semaphore_request {
    cl_device_id device;
    uint32_t exports, imports; /* VKB_HANDLE_*, one at most of both */
    int fd;
    const cl_semaphore_properties_khr *properties;
    size_t num_properties;
};

/* After success the request's file descriptor is the semaphore's. CL_INVALID_PROPERTY: it is no semaphore's. */
cl_int ocl_semaphore_create(cl_context context, const struct ocl_semaphore_request *request,
                            cl_semaphore_khr *semaphore);
void ocl_semaphore_release(cl_semaphore_khr semaphore);
bool ocl_semaphore_is_signalled(cl_semaphore_khr semaphore);

struct ocl_command;
/* Adds to the command what it must wait for to wait for the semaphore, or to signal it; undone by
 * ocl_semaphore_put_back() if the command cannot be enqueued. */
cl_int ocl_semaphore_take(struct ocl_command *command, cl_semaphore_khr semaphore, bool signals,
                          struct vkb_event **taken);
void ocl_semaphore_put_back(cl_semaphore_khr semaphore, struct vkb_event *taken);
/* Leaves the enqueued command's event with the semaphore. */
void ocl_semaphore_leave(cl_semaphore_khr semaphore, bool signals, struct vkb_event *event, struct vkb_queue *queue);
/* What it shares with others, with a reference, since another thread may import another descriptor at any time; NULL:
 * nothing. */
struct vkb_semaphore *ocl_semaphore_shared(cl_semaphore_khr semaphore);
/* Waits until our own commands with it are submitted, and gives its descriptor. */
cl_int ocl_semaphore_export(cl_semaphore_khr semaphore, uint32_t kind, int *fd);
cl_int ocl_semaphore_reimport(cl_semaphore_khr semaphore, int fd);

/* The entry points by their names (api_semaphore.c); NULL: it is none of them. */
void *ocl_semaphore_function(const char *name);

#endif
