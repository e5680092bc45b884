/* Contexts. */
#ifndef SRC_OBJECT_CONTEXT_H
#define SRC_OBJECT_CONTEXT_H

#include "src/device/object.h"
#include "src/object/pointer.h"

typedef void(CL_CALLBACK *ocl_printf_notify)(const char *, size_t, size_t, void *);

struct ocl_gl; /* src/gl/gl.h */
struct ocl_va; /* src/va/va.h */

struct ocl_context_callback {
    void(CL_CALLBACK *call)(cl_context, void *);
    void *data;
    struct ocl_context_callback *next;
};

enum { OCL_DUMMIES = 12 }; /* six kinds of images of two classes */

/* The queues on one device. */
struct ocl_device_queues {
    cl_command_queue first; /* the default queue, or NULL; not retained */
    cl_uint count;
    struct vkb_buffer *spare; /* memory of a family that has ended (family.c) */
};

struct _cl_context {
    struct ocl_listener listener;
    cl_uint num_devices;
    cl_device_id *devices;
    cl_context_properties *properties; /* as given, with the terminating 0 */
    size_t num_properties;             /* the 0 included */
    ocl_printf_notify printf_notify;   /* CL_PRINTF_CALLBACK_ARM */
    size_t printf_size;                /* CL_PRINTF_BUFFERSIZE_ARM: bytes, or 0 for what launch.c thinks right */
    _Atomic uint64_t printf_bytes;     /* of buffers whose text is not out yet */
    bool zero_local, zero_private;     /* CL_CONTEXT_MEMORY_INITIALIZE_KHR */
    bool robust;                       /* kernels reach nothing that the context does not own: docs/trust.md */
    bool terminable;                   /* CL_CONTEXT_TERMINATE_KHR */
    atomic_bool terminated;            /* by clTerminateContextKHR() */
    struct ocl_gl *gl;                 /* CL_GL_CONTEXT_KHR: what objects are shared with; or NULL */
    struct ocl_gl *egl;               /* what images of EGL's are shared with, where that is another; under the mutex */
    struct ocl_va *va;                /* CL_CONTEXT_VA_API_DISPLAY_INTEL, or NULL */
    bool user_sync;                   /* CL_CONTEXT_INTEROP_USER_SYNC */
    struct vkb_event *gl_packed_last; /* under the mutex: of the last command whose objects of OpenGL went through */
    uint64_t gl_packed_bytes;         /* the host's memory, and bytes of that since such commands were waited for */
    atomic_uint unset_events;         /* user events that nobody has set yet */
    uint64_t *readers;                /* per device: bits of the devices that can copy out of its memory (peer.c) */
    atomic_ullong any_writes;         /* launches that may write buffers which are no argument of theirs */
    atomic_uint writing;              /* calls that are about to enqueue a command which may write memory */
    pthread_mutex_t mutex;            /* guards what follows */
    struct ocl_context_callback *callbacks;    /* newest first */
    struct vkb_callback *farewell;             /* calls them, where the steward lets the context go; or NULL */
    cl_command_queue queues;                   /* not retained: a queue leaves the list when it is destroyed */
    struct ocl_pointers pointers;              /* memory that is known by its address */
    atomic_bool overlaps;                      /* it has had two queues, or one out of order: commands may overlap */
    atomic_ullong tracked;                     /* launches that noted who touched memory */
    struct vkb_buffer **order;                 /* per device, made when first needed: see CLC_LAUNCH_ORDER */
    struct vkb_queue **transfer;               /* per device, made when first needed: initial uploads and migration */
    struct ocl_device_queues *device_queues;   /* per device */
    struct vkb_image *(*dummies)[OCL_DUMMIES]; /* per device, made when first needed (image_use.c) */
};

cl_context ocl_context_create(cl_uint num_devices, const cl_device_id *devices, const cl_context_properties *properties,
                              size_t num_properties);
void ocl_context_retain(cl_context context);
void ocl_context_release(cl_context context);
/* cl_khr_terminate_context. false: it was terminated before. */
bool ocl_context_terminate(cl_context context);
/* Whether it was terminated, and makes and enqueues nothing any more. */
static inline bool ocl_context_is_terminated(cl_context context)
{
    return atomic_load_explicit(&context->terminated, memory_order_relaxed);
}
/* CL_CONTEXT_TERMINATED_KHR, said to the context's callback. */
cl_int ocl_context_fail_terminated(cl_context context, const char *function);
/* CL_INVALID_CONTEXT where it is none, else the same: what most calls that make objects look at first. */
cl_int ocl_context_check(const char *function, cl_context context);
#define OCL_RETURN_IF_TERMINATED(context)                                                                              \
    do {                                                                                                               \
        if (ocl_context_is_terminated(context))                                                                        \
            OCL_RETURN_ERROR((context), CL_CONTEXT_TERMINATED_KHR, "the context was terminated");                      \
    } while (0)
int ocl_context_device_index(cl_context context, cl_device_id device); /* -1: not there */
bool ocl_context_has_images(cl_context context);                       /* on some device */
/* Before a destructor callback is added, with the mutex held. False: out of memory. */
bool ocl_context_prepare_farewell(cl_context context);
struct vkb_queue *ocl_context_transfer_queue(cl_context context, cl_uint device);
struct vkb_buffer *ocl_context_order_word(cl_context context, cl_uint device); /* NULL: no memory */
/* Calls `call` when every command enqueued so far on the context's queues has ended. The call may come at once, or from
 * the caller's thread. */
void ocl_context_when_idle(cl_context context, enum vkb_caller caller, void (*call)(void *data), void *data);

#endif
