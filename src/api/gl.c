/* Entry points of cl_khr_gl_sharing and cl_khr_gl_event 1.0.0: memory objects made from buffers, textures and renderbuffers
 * of OpenGL, their change of hands, and events of its sync objects. clGetGLContextInfoKHR is with the contexts. */
#include "src/api/functions.h"
#include "src/api/gl.h"
#include "src/api/memory.h"
#include "src/command/gl_turn.h"
#include "src/object/context.h"
#include "src/object/gl_event.h"
#include "src/object/gl_memory.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <string.h>

/* ---- objects ---- */

static cl_int check_context(const char *function, cl_context context)
{
    cl_int error = ocl_context_check(function, context);
    if (error == CL_SUCCESS && !context->gl)
        return ocl_fail(context, function, CL_INVALID_CONTEXT, "the context was not created for sharing with OpenGL");
    return error;
}

/* What the object's own calls look for. */
struct wanted {
    cl_gl_object_type type; /* CL_GL_OBJECT_BUFFER, _RENDERBUFFER, or any texture's */
    cl_GLenum target;
    cl_GLint level;
    cl_GLuint name;
};

static cl_int find(const char *function, struct ocl_gl *gl, const struct wanted *wanted, struct ocl_gl_object **object)
{
    if (wanted->type == CL_GL_OBJECT_BUFFER)
        return ocl_gl_find_buffer(function, gl, wanted->name, object);
    if (wanted->type == CL_GL_OBJECT_RENDERBUFFER)
        return ocl_gl_find_renderbuffer(function, gl, wanted->name, object);
    return ocl_gl_find_texture(function, gl, wanted->target, wanted->level, wanted->name, object);
}

static cl_mem create(const char *function, cl_context context, cl_mem_flags flags, const struct wanted *wanted,
                     cl_int *errcode_ret)
{
    struct ocl_gl_object *object = NULL;
    cl_mem mem = NULL;
    cl_int error = check_context(function, context);
    if (error == CL_SUCCESS)
        error = ocl_mem_check_access(function, context, &flags);
    if (error == CL_SUCCESS) {
        /* The worker binds the object, after which OpenGL need not show it changes that were on their way then. */
        ocl_gl_fence_wait(ocl_gl_fence_insert(context->gl));
        error = find(function, context->gl, wanted, &object);
    }
    if (error == CL_SUCCESS) {
        error = ocl_mem_create_gl(function, context, flags, object, &mem);
        if (error != CL_SUCCESS)
            ocl_gl_object_release(object);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj,
                                                     cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct wanted wanted = {.type = CL_GL_OBJECT_BUFFER, .name = bufobj};
    return create(__func__, context, flags, &wanted, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                                      cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct wanted wanted = {CL_GL_OBJECT_TEXTURE2D, target, miplevel, texture};
    return create(__func__, context, flags, &wanted, errcode_ret);
}

/* OpenCL 1.1, 9.8.3.1: these two take the targets whose textures have two and three dimensions. */
enum { TEXTURE_2D = 0x0DE1, TEXTURE_3D = 0x806F, RECTANGLE = 0x84F5, FIRST_FACE = 0x8515, LAST_FACE = 0x851A };

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                                        cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct wanted wanted = {CL_GL_OBJECT_TEXTURE2D, target, miplevel, texture};
    cl_int error = check_context(__func__, context);
    if (error == CL_SUCCESS && target != TEXTURE_2D && target != RECTANGLE &&
        (target < FIRST_FACE || target > LAST_FACE))
        error = ocl_error(context, CL_INVALID_VALUE, "0x%x is no target of planes", target);
    if (error == CL_SUCCESS)
        return create(__func__, context, flags, &wanted, errcode_ret);
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                                        cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct wanted wanted = {CL_GL_OBJECT_TEXTURE3D, target, miplevel, texture};
    cl_int error = check_context(__func__, context);
    if (error == CL_SUCCESS && target != TEXTURE_3D)
        error = ocl_error(context, CL_INVALID_VALUE, "0x%x is not GL_TEXTURE_3D", target);
    if (error == CL_SUCCESS)
        return create(__func__, context, flags, &wanted, errcode_ret);
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags,
                                                           cl_GLuint renderbuffer, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    const struct wanted wanted = {.type = CL_GL_OBJECT_RENDERBUFFER, .name = renderbuffer};
    return create(__func__, context, flags, &wanted, errcode_ret);
}

static cl_int check_object(const char *function, cl_mem mem)
{
    if (!ocl_is(mem, OCL_MEM))
        return ocl_fail(NULL, function, CL_INVALID_MEM_OBJECT, "not a memory object");
    if (!mem->gl || ocl_gl_object_shape(mem->gl)->of_egl)
        return ocl_fail(mem->context, function, CL_INVALID_GL_OBJECT, "not made from an OpenGL object");
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLObjectInfo(cl_mem mem, cl_gl_object_type *type, cl_GLuint *name)
{
    FLOAT_ENV_DEFAULT();
    cl_int error = check_object(__func__, mem);
    if (error != CL_SUCCESS)
        return error;
    if (type)
        *type = ocl_gl_object_shape(mem->gl)->type;
    if (name)
        *name = ocl_gl_object_shape(mem->gl)->name;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLTextureInfo(cl_mem mem, cl_gl_texture_info param_name, size_t param_value_size,
                                                   void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    cl_int error = check_object(__func__, mem);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_gl_shape *shape = ocl_gl_object_shape(mem->gl);
    if (!shape->target)
        return ocl_error(mem->context, CL_INVALID_GL_OBJECT, "not made from a texture");
    if (!param_value && !param_value_size_ret)
        return ocl_error(mem->context, CL_INVALID_VALUE, "nowhere to answer");
    switch (param_name) {
    case CL_GL_TEXTURE_TARGET:
        return OCL_OUT(&out, cl_GLenum, shape->target);
    case CL_GL_MIPMAP_LEVEL:
        return OCL_OUT(&out, cl_GLint, shape->level);
    case CL_GL_NUM_SAMPLES:
        return OCL_OUT(&out, cl_GLint, shape->samples ? (cl_GLint)shape->samples : 1);
    default:
        return ocl_error(mem->context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

/* ---- changes of hands ---- */

cl_int ocl_check_gl_turn(const struct ocl_call *call, cl_uint count, const cl_mem *mems, bool of_egl)
{
    const char *function = call->function;
    if (!ocl_is(call->queue, OCL_QUEUE))
        return ocl_fail(NULL, function, CL_INVALID_COMMAND_QUEUE, "not a command queue");
    cl_context context = call->queue->context;
    if (!count != !mems)
        return ocl_fail(context, function, CL_INVALID_VALUE, "%u objects, and a list that is%s NULL", count,
                        mems ? " not" : "");
    if (!context->gl && !of_egl)
        return ocl_fail(context, function, CL_INVALID_CONTEXT, "the context was not created for sharing with OpenGL");
    for (cl_uint i = 0; i < count; i++) {
        if (!ocl_is(mems[i], OCL_MEM) || mems[i]->context != context)
            return ocl_fail(context, function, CL_INVALID_MEM_OBJECT, "mem_objects[%u] is none of this context", i);
        if (!mems[i]->gl || ocl_gl_object_shape(mems[i]->gl)->of_egl != of_egl)
            return ocl_fail(context, function, of_egl ? CL_INVALID_EGL_OBJECT_KHR : CL_INVALID_GL_OBJECT,
                            "mem_objects[%u] is not made from %s's", i, of_egl ? "EGL" : "OpenGL");
    }
    return ocl_check_waits_of_turn(function, context, call->num_waits, call->waits);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint num_objects,
                                                          const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                          const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_ACQUIRE_GL_OBJECTS, false);
    struct ocl_command command;
    cl_int error = ocl_check_gl_turn(&call, num_objects, mem_objects, false);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, &call);
    if (error != CL_SUCCESS)
        return error;
    struct ocl_gl_fence *fence = num_objects ? ocl_gl_fence_insert(queue->context->gl) : NULL;
    return ocl_gl_acquire(&command, num_objects, mem_objects, fence);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint num_objects,
                                                          const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                          const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    const struct ocl_call call = OCL_CALL(CL_COMMAND_RELEASE_GL_OBJECTS, false);
    struct ocl_command command;
    cl_int error = ocl_check_gl_turn(&call, num_objects, mem_objects, false);
    if (error == CL_SUCCESS)
        error = ocl_command_begin(&command, &call);
    if (error != CL_SUCCESS)
        return error;
    return ocl_gl_give_back(&command, num_objects, mem_objects, ocl_gl_is_current(queue->context->gl));
}

/* ---- events of sync objects ---- */

CL_API_ENTRY cl_event CL_API_CALL clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    cl_event event = NULL;
    cl_int error = check_context(__func__, context);
    if (error == CL_SUCCESS)
        event = ocl_event_create_gl(__func__, context, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR, NULL, sync, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return event;
}

void *ocl_gl_function(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"clGetGLContextInfoKHR", (void *)clGetGLContextInfoKHR},
        {"clCreateFromGLBuffer", (void *)clCreateFromGLBuffer},
        {"clCreateFromGLTexture", (void *)clCreateFromGLTexture},
        {"clCreateFromGLTexture2D", (void *)clCreateFromGLTexture2D},
        {"clCreateFromGLTexture3D", (void *)clCreateFromGLTexture3D},
        {"clCreateFromGLRenderbuffer", (void *)clCreateFromGLRenderbuffer},
        {"clGetGLObjectInfo", (void *)clGetGLObjectInfo},
        {"clGetGLTextureInfo", (void *)clGetGLTextureInfo},
        {"clEnqueueAcquireGLObjects", (void *)clEnqueueAcquireGLObjects},
        {"clEnqueueReleaseGLObjects", (void *)clEnqueueReleaseGLObjects},
        {"clCreateEventFromGLsyncKHR", (void *)clCreateEventFromGLsyncKHR},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
        if (!strcmp(functions[i].name, name))
            return functions[i].address;
    }
    return NULL;
}
