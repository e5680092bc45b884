/* Events of sync objects of OpenGL and fences of EGL: user events that OpenGL's worker sets. */
#include "src/object/gl_event.h"

#include "src/gl/gl.h"
#include "src/object/context.h"

static cl_int watch(const char *function, cl_event event, void *display, void *sync)
{
    struct ocl_gl *gl = event->context->gl;
    cl_int error = ocl_from_vkb(vkb_event_create_user(&event->done));
    if (error != CL_SUCCESS)
        return error;
    return event->type == CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR
               ? ocl_gl_watch_egl_sync(function, gl, display, sync, event->done)
               : ocl_gl_watch_sync(function, gl, sync, event->done);
}

cl_event ocl_event_create_gl(const char *function, cl_context context, cl_command_type type, void *display, void *sync,
                             cl_int *error)
{
    cl_event event = ocl_event_create(context, NULL, type);
    *error = event ? watch(function, event, display, sync) : CL_OUT_OF_HOST_MEMORY;
    if (event && *error != CL_SUCCESS) {
        ocl_event_release(event);
        event = NULL;
    }
    return event;
}
