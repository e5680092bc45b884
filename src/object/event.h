/* Events. */
#ifndef SRC_OBJECT_EVENT_H
#define SRC_OBJECT_EVENT_H

#include "src/device/object.h"

struct _cl_event {
    struct ocl_object object;
    cl_context context;     /* retained */
    cl_command_queue queue; /* retained; NULL for user events, and those of sync objects of OpenGL */
    cl_command_type type;
    struct vkb_event *done;
    struct vkb_event *first, *last; /* NULL, or the parts of a command made of several */
    atomic_bool user_set;
};

cl_event ocl_event_create(cl_context context, cl_command_queue queue, cl_command_type type);
void ocl_event_retain(cl_event event);
void ocl_event_release(cl_event event);
/* The command's status now. Asking makes progress with the command. */
cl_int ocl_event_ask(cl_event event);
/* The same for an application that may do nothing but ask again: its command is submitted if that has not been done. */
cl_int ocl_event_poll(cl_event event);
struct vkb_profile ocl_event_profile(cl_event event);
cl_int ocl_event_on_status(cl_event event, cl_int status, void(CL_CALLBACK *call)(cl_event, cl_int, void *),
                           void *data);

#endif
