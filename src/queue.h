/* Command queues. */
#ifndef SRC_QUEUE_H
#define SRC_QUEUE_H

#include "src/object.h"

struct _cl_command_queue {
    struct ocl_object object;
    cl_context context; /* retained */
    cl_device_id device;
    cl_uint device_index; /* in the context */
    cl_command_queue_properties flags;
    cl_queue_properties *properties; /* NULL when made without an array */
    size_t num_properties;           /* the 0 included */
    struct vkb_queue *vk;
    cl_command_queue next, previous; /* the context's list, under its mutex */
    pthread_mutex_t mutex;           /* guards scratch */
    struct vkb_buffer *scratch;      /* private memory that is shared by the launches of an in-order queue */
};

cl_int ocl_queue_create(cl_context context, cl_uint device_index, cl_command_queue_properties flags, uint32_t priority,
                        const cl_queue_properties *properties, size_t num_properties, cl_command_queue *queue);
void ocl_queue_retain(cl_command_queue queue);
void ocl_queue_release(cl_command_queue queue);

#endif
