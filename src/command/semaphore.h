/* Semaphores: cl_khr_semaphore 1.0.1, cl_khr_external_semaphore 1.0.1. */
#ifndef SRC_COMMAND_SEMAPHORE_H
#define SRC_COMMAND_SEMAPHORE_H

#include "src/object/external.h"

/* A signal that was enqueued, until a wait takes it. Under the semaphore's mutex, but for what does not change. */
struct ocl_semaphore_signal {
    cl_semaphore_khr semaphore;
    struct vkb_event *event;   /* of the command */
    struct vkb_callback *told; /* settles the semaphore when the command has ended, where a wait needs that */
    bool is_told;              /* told was handed over: a use of the semaphore, and a reference to this */
    bool listed;
    uint32_t refs;
    struct ocl_semaphore_signal *next, *next_work;
};

/* A wait that has begun: it takes the payloads of its semaphores one after the other. The thread that takes it
 * out of a list, or has it called, has it. */
struct ocl_semaphore_wait {
    struct vkb_event *granted; /* a user event, which is set when it has all; the command waits for it */
    bool failed;               /* a semaphore is gone */
    uint32_t count, at;        /* semaphores, and how many of them it has taken */
    struct ocl_semaphore_wait *next, *next_work;
    struct ocl_semaphore_slot {
        cl_semaphore_khr semaphore;          /* a use */
        struct ocl_semaphore_signal *signal; /* a reference, once taken */
    } slots[];
};

/* A binary semaphore. Within the process its payload is a signal that has ended and that no wait has taken
 * (semaphore_turn.c). One that is exported or imported has a vkb_semaphore instead, and the events only keep the order
 * of our own commands (semaphore.c). */
struct _cl_semaphore_khr {
    struct ocl_object object;
    atomic_uint uses;    /* of the struct: one for all references, one for each wait and each signal that is told */
    cl_context context;  /* retained */
    cl_device_id device; /* the one that may use it */
    cl_semaphore_properties_khr *properties;
    size_t num_properties;        /* with the 0 at the end */
    struct vkb_semaphore *shared; /* NULL: nobody outside knows it */
    uint32_t exported, imported;  /* VKB_HANDLE_* */

    pthread_mutex_t mutex;                /* guards what follows */
    struct ocl_semaphore_signal *signals; /* that no wait has taken, oldest first */
    struct ocl_semaphore_wait *turns;     /* waits that found no payload, oldest first */
    bool released;                        /* the application's references are gone */
    /* shared: */
    struct vkb_event *last;   /* of the last command that used it, or NULL */
    struct vkb_event *signal; /* of the last signal, or NULL */
    struct vkb_event *taker;  /* of the wait that takes it, unless it fails; or NULL */
    bool signalled;           /* imported with a signal that no wait has taken yet */
};

static inline bool ocl_semaphore_is_shared(const struct _cl_semaphore_khr *semaphore)
{
    return semaphore->imported || semaphore->exported;
}

/* What clCreateSemaphoreWithPropertiesKHR has checked. */
struct ocl_semaphore_request {
    cl_device_id device;
    uint32_t exports, imports; /* VKB_HANDLE_*, one at most of both */
    intptr_t handle;
    const cl_semaphore_properties_khr *properties;
    size_t num_properties;
};

/* After success the request's file descriptor is the semaphore's; a handle of Windows' stays the application's. CL_INVALID_PROPERTY: it is no semaphore's. */
cl_int ocl_semaphore_create(cl_context context, const struct ocl_semaphore_request *request,
                            cl_semaphore_khr *semaphore);
void ocl_semaphore_release(cl_semaphore_khr semaphore);
bool ocl_semaphore_is_signalled(cl_semaphore_khr semaphore);

struct ocl_command;
/* Enqueue and end the command. */
cl_int ocl_semaphores_signal(struct ocl_command *command, cl_uint count, const cl_semaphore_khr *semaphores);
cl_int ocl_semaphores_wait(struct ocl_command *command, cl_uint count, const cl_semaphore_khr *semaphores);

/* ---- within the process (semaphore_turn.c) ---- */

void ocl_semaphore_drop(cl_semaphore_khr semaphore); /* a use */
/* Nobody can signal it any more but what was enqueued: waits that get nothing of that end with an error. */
void ocl_semaphore_close(cl_semaphore_khr semaphore);
bool ocl_semaphore_has_payload(cl_semaphore_khr semaphore);
void ocl_semaphore_destroy(cl_semaphore_khr semaphore); /* without uses */
void ocl_semaphore_forget_signals(cl_semaphore_khr semaphore);

/* ---- shared (semaphore.c) ---- */

/* Adds to the command what it must wait for; then the enqueued command's event is left with the semaphore. */
cl_int ocl_semaphore_follow(struct ocl_command *command, cl_semaphore_khr semaphore);
void ocl_semaphore_leave(cl_semaphore_khr semaphore, bool signals, struct vkb_event *event);
/* What it shares with others, with a reference, since another thread may import another descriptor at any time; NULL:
 * nothing. */
struct vkb_semaphore *ocl_semaphore_shared(cl_semaphore_khr semaphore);
/* Waits until our own commands with it are submitted, and gives its handle. */
cl_int ocl_semaphore_export(cl_semaphore_khr semaphore, uint32_t kind, intptr_t *handle);
cl_int ocl_semaphore_reimport(cl_semaphore_khr semaphore, int fd);

#endif
