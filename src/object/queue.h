/* Command queues. */
#ifndef SRC_OBJECT_QUEUE_H
#define SRC_OBJECT_QUEUE_H

#include "src/device/object.h"

struct _cl_command_queue {
    struct ocl_object object;
    cl_context context; /* retained */
    cl_device_id device;
    cl_uint device_index; /* in the context */
    cl_command_queue_properties flags;
    cl_queue_properties *properties; /* NULL when made without an array */
    size_t num_properties;           /* the 0 included */
    cl_uint size;                    /* on the device: bytes of records (device_queue.c) */
    struct vkb_queue *vk;
    cl_command_queue next, previous; /* the context's list, under its mutex */
    bool terminated;                 /* ocl_context_terminate() has come to it; under the context's mutex */
    pthread_mutex_t mutex;           /* guards what follows */
    struct vkb_buffer *scratch;      /* private memory that is shared by the launches of an in-order queue */
    struct vkb_buffer *body;         /* memory that families of an in-order queue share (family.c) */
    bool body_taken;                 /* by a launch that is not enqueued as a whole yet */
};

cl_int ocl_queue_create(cl_context context, cl_uint device_index, cl_command_queue_properties flags, uint32_t priority,
                        const cl_queue_properties *properties, size_t num_properties, cl_command_queue *queue);
bool ocl_is_queue(const void *handle); /* of the host or on the device */

/* ---- queues on the device (device_queue.c) ---- */

enum {
    OCL_DEVICE_QUEUE_PREFERRED_SIZE = 2 << 20, /* bytes of records: 2^15 that capture two pointers and a number */
    OCL_DEVICE_QUEUE_MAX_SIZE = 16 << 20,
    OCL_MAX_DEVICE_QUEUES = 32, /* of a device in a context, besides a default one */
    OCL_MAX_DEVICE_EVENTS = 16384,
};

/* Makes a queue on the device, or gives the default one that there is already, with a new reference. size 0: the
 * preferred one. CL_OUT_OF_RESOURCES where the context has as many as there may be. */
cl_int ocl_device_queue_create(cl_context context, cl_uint device_index, cl_command_queue_properties flags,
                               cl_uint size, const cl_queue_properties *properties, size_t num_properties,
                               cl_command_queue *queue);
cl_command_queue ocl_device_queue_default(cl_context context, cl_uint device_index); /* a new reference, or NULL */
void ocl_device_queue_set_default(cl_command_queue queue);
void ocl_device_queue_gone(cl_command_queue queue); /* its last reference is */

void ocl_queue_retain(cl_command_queue queue);
void ocl_queue_release(cl_command_queue queue);

#endif
