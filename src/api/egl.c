/* Entry points of cl_khr_egl_image and cl_khr_egl_event 1.0.0: images made from those of EGL, and events of its fences.
 * The images need no context of OpenGL by the application's; where its OpenCL context has none, one of ours is made on
 * the EGLDisplay, and kept. */
#include "src/api/functions.h"
#include "src/api/gl.h"
#include "src/command/gl_turn.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/gl_event.h"
#include "src/object/gl_memory.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <string.h>

static cl_int check_request(const char *function, cl_context context, cl_mem_flags *flags,
                            const cl_egl_image_properties_khr *properties)
{
    const cl_mem_flags access = *flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY),
                       host = *flags & OCL_HOST_ACCESS;
    if (*flags & ~(access | host) || access & (access - 1) || host & (host - 1))
        return ocl_fail(context, function, CL_INVALID_VALUE, "flags 0x%llx for an image of EGL's",
                        (unsigned long long)*flags);
    if (properties && properties[0])
        return ocl_fail(context, function, CL_INVALID_VALUE, "there are no properties");
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (!ocl_device_shares_gl(context->devices[i]))
            return ocl_fail(context, function, CL_INVALID_OPERATION, "a device has no images");
    }
    if (!access)
        *flags |= CL_MEM_READ_WRITE;
    return CL_SUCCESS;
}

/* The context's own OpenGL where that is on the display, else another, with a reference. */
static cl_int find_gl(const char *function, cl_context context, void *display, struct ocl_gl **gl)
{
    const struct ocl_gl_source source = {.binding = OCL_GL_EGL, .display = display};
    if (context->gl && ocl_gl_is_of_egl(context->gl, display)) {
        *gl = ocl_gl_retain(context->gl);
        return CL_SUCCESS;
    }
    ocl_lock(&context->mutex);
    *gl = context->egl && ocl_gl_is_of_egl(context->egl, display) ? ocl_gl_retain(context->egl) : NULL;
    ocl_unlock(&context->mutex);
    if (*gl)
        return CL_SUCCESS;
    if (!display || ocl_gl_open(function, &source, gl) != CL_SUCCESS)
        return ocl_fail(context, function, CL_INVALID_VALUE, "no EGLDisplay that has OpenGL");
    ocl_lock(&context->mutex);
    if (!context->egl)
        context->egl = ocl_gl_retain(*gl);
    ocl_unlock(&context->mutex);
    return CL_SUCCESS;
}

static cl_int create(const char *function, cl_context context, void *display, void *image, cl_mem_flags flags,
                     cl_mem *mem)
{
    struct ocl_gl *gl;
    struct ocl_gl_object *object = NULL;
    cl_int error = find_gl(function, context, display, &gl);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_gl_find_egl_image(function, gl, image, &object);
    if (error == CL_SUCCESS) {
        error = ocl_mem_create_gl(function, context, flags, object, mem);
        if (error != CL_SUCCESS)
            ocl_gl_object_release(object);
    }
    ocl_gl_release(gl);
    return error;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR display,
                                                        CLeglImageKHR image, cl_mem_flags flags,
                                                        const cl_egl_image_properties_khr *properties,
                                                        cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    cl_mem mem = NULL;
    cl_int error = ocl_context_check(__func__, context);
    if (error == CL_SUCCESS)
        error = check_request(__func__, context, &flags, properties);
    if (error == CL_SUCCESS)
        error = create(__func__, context, display, image, flags, &mem);
    if (errcode_ret)
        *errcode_ret = error;
    return mem;
}

/* ---- changes of hands ---- */

/* cl_khr_egl_event, issues: EGL's objects have no implicit synchronisation. */
static cl_int take_turn(const struct ocl_call *call, cl_uint count, const cl_mem *mems)
{
    struct ocl_command command;
    cl_int error = ocl_check_gl_turn(call, count, mems, true);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, call);
    if (error != CL_SUCCESS)
        return error;
    return call->type == CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR ? ocl_gl_acquire(&command, count, mems, NULL)
                                                            : ocl_gl_give_back(&command, count, mems, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireEGLObjectsKHR(cl_command_queue queue, cl_uint num_objects,
                                                              const cl_mem *mem_objects,
                                                              cl_uint num_events_in_wait_list,
                                                              const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR, false);
    return take_turn(&call, num_objects, mem_objects);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseEGLObjectsKHR(cl_command_queue queue, cl_uint num_objects,
                                                              const cl_mem *mem_objects,
                                                              cl_uint num_events_in_wait_list,
                                                              const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_RELEASE_EGL_OBJECTS_KHR, false);
    return take_turn(&call, num_objects, mem_objects);
}

/* ---- events of fences ---- */

CL_API_ENTRY cl_event CL_API_CALL clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync,
                                                              CLeglDisplayKHR display, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    cl_event event = NULL;
    cl_int error = ocl_context_check(__func__, context);
    if (error == CL_SUCCESS && !context->gl)
        error = ocl_error(context, CL_INVALID_CONTEXT, "the context was not created for sharing with OpenGL");
    if (error == CL_SUCCESS)
        event = ocl_event_create_gl(__func__, context, CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR, display, sync, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return event;
}

void *ocl_egl_function(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"clCreateFromEGLImageKHR", (void *)clCreateFromEGLImageKHR},
        {"clEnqueueAcquireEGLObjectsKHR", (void *)clEnqueueAcquireEGLObjectsKHR},
        {"clEnqueueReleaseEGLObjectsKHR", (void *)clEnqueueReleaseEGLObjectsKHR},
        {"clCreateEventFromEGLSyncKHR", (void *)clCreateEventFromEGLSyncKHR},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
        if (!strcmp(functions[i].name, name))
            return functions[i].address;
    }
    return NULL;
}
