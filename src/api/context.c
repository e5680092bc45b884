/* Entry points of OpenCL 3.0 API, 4.4 (contexts). */
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/gl/gl.h"
#include "src/object/context.h"
#include "src/object/peer.h"
#include "src/va/va.h"

#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

#ifndef CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR /* cl_khr_initialize_memory; headers have the property alone */
#define CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR   1
#define CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR 2
#endif

/* The numbers of cl_khr_initialize_memory and cl_khr_terminate_context in the headers before 2021 */
#define MEMORY_INITIALIZE_OLD 0x200E
#define TERMINATE_OLD         0x2010

/* Ours: kernels reach nothing that the context does not own (docs/trust.md). */
#define CONTEXT_ROBUST 0x50756D52

struct context_request {
    size_t num_properties; /* the terminating 0 included; 0 for NULL */
    ocl_printf_notify printf_notify;
    size_t printf_size;
    bool zero_local, zero_private, robust, terminable;
    bool names_gl;                   /* some property of cl_khr_gl_sharing is there */
    bool names_user_sync, user_sync; /* CL_CONTEXT_INTEROP_USER_SYNC: whether it is there, and its value */
    void *va_display;                /* CL_CONTEXT_VA_API_DISPLAY_INTEL */
    void *gl_context, *egl_display, *glx_display, *others; /* others: of binding APIs that there are none of here */
};

static void note_gl(const cl_context_properties *property, struct context_request *request)
{
    void *value = (void *)property[1];
    request->names_gl = true;
    if (property[0] == CL_GL_CONTEXT_KHR)
        request->gl_context = value;
    else if (property[0] == CL_EGL_DISPLAY_KHR)
        request->egl_display = value;
    else if (property[0] == CL_GLX_DISPLAY_KHR)
        request->glx_display = value;
    else if (value)
        request->others = value;
}

/* cl_khr_gl_sharing, for clCreateContext. */
static cl_int check_gl(const char *function, const struct context_request *request)
{
    if (request->names_gl && request->names_user_sync)
        return ocl_fail(NULL, function, CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC does not go with OpenGL");
    if (request->va_display && request->gl_context)
        return ocl_fail(NULL, function, CL_INVALID_OPERATION, "sharing with both OpenGL and VA-API");
    if (request->others)
        return ocl_fail(NULL, function, CL_INVALID_OPERATION, "there is neither WGL nor CGL");
    if (request->egl_display && request->glx_display)
        return ocl_fail(NULL, function, CL_INVALID_OPERATION, "displays of both EGL and GLX");
    if (request->gl_context && !request->egl_display && !request->glx_display)
        return ocl_fail(NULL, function, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, "an OpenGL context without a display");
    return CL_SUCCESS;
}

/* *gl is NULL where the properties name no context of OpenGL. */
static cl_int open_gl(const char *function, const struct context_request *request, struct ocl_gl **gl)
{
    const struct ocl_gl_source source = {
        .binding = request->egl_display ? OCL_GL_EGL : OCL_GL_GLX,
        .display = request->egl_display ? request->egl_display : request->glx_display,
        .context = request->gl_context,
    };
    *gl = NULL;
    return request->gl_context ? ocl_gl_open(function, &source, gl) : CL_SUCCESS;
}

/* OpenCL 3.0 API, table 7: each property may be there once, and a platform must be ours. */
static cl_int check_properties(const char *function, const cl_context_properties *properties,
                               struct context_request *request)
{
    *request = (struct context_request){.printf_size = 0};
    if (!properties)
        return CL_SUCCESS;
    const cl_context_properties *p = properties;
    for (; p[0]; p += 2) {
        for (const cl_context_properties *before = properties; before < p; before += 2) {
            if (before[0] == p[0])
                return ocl_fail(NULL, function, CL_INVALID_PROPERTY, "property 0x%lx is given twice", (long)p[0]);
        }
        switch (p[0]) {
        case CL_CONTEXT_PLATFORM:
            if (!ocl_is((const void *)p[1], OCL_PLATFORM))
                return ocl_fail(NULL, function, CL_INVALID_PLATFORM, "CL_CONTEXT_PLATFORM is not Pumice");
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            if (p[1] != CL_TRUE && p[1] != CL_FALSE)
                return ocl_fail(NULL, function, CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is no cl_bool");
            request->names_user_sync = true;
            request->user_sync = p[1];
            break;
        case OCL_CONTEXT_VA_API_DISPLAY:
            request->va_display = (void *)p[1];
            break;
        case CL_GL_CONTEXT_KHR:
        case CL_EGL_DISPLAY_KHR:
        case CL_GLX_DISPLAY_KHR:
        case CL_WGL_HDC_KHR:
        case CL_CGL_SHAREGROUP_KHR:
            note_gl(p, request);
            break;
        case CL_CONTEXT_MEMORY_INITIALIZE_KHR:
        case MEMORY_INITIALIZE_OLD:
            if (p[1] & ~(cl_context_properties)(CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR |
                                                CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR))
                return ocl_fail(NULL, function, CL_INVALID_PROPERTY, "memory of unknown kind 0x%lx to initialise",
                                (long)p[1]);
            request->zero_local = p[1] & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR;
            request->zero_private = p[1] & CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
            break;
        case CONTEXT_ROBUST:
            if (p[1] != CL_TRUE && p[1] != CL_FALSE)
                return ocl_fail(NULL, function, CL_INVALID_PROPERTY, "CL_CONTEXT_ROBUST_PUMICE is no cl_bool");
            request->robust = p[1];
            break;
        case CL_CONTEXT_TERMINATE_KHR:
        case TERMINATE_OLD:
            if (p[1] != CL_TRUE && p[1] != CL_FALSE)
                return ocl_fail(NULL, function, CL_INVALID_PROPERTY, "CL_CONTEXT_TERMINATE_KHR is no cl_bool");
            request->terminable = p[1] == CL_TRUE;
            break;
        case CL_PRINTF_CALLBACK_ARM:
            request->printf_notify = (ocl_printf_notify)p[1];
            break;
        case CL_PRINTF_BUFFERSIZE_ARM:
            if (p[1] < 64 || p[1] > (1 << 30))
                return ocl_fail(NULL, function, CL_INVALID_PROPERTY, "a printf buffer of %ld bytes", (long)p[1]);
            request->printf_size = (size_t)p[1] & ~(size_t)7;
            break;
        default:
            return ocl_fail(NULL, function, CL_INVALID_PROPERTY, "unknown property 0x%lx", (long)p[0]);
        }
    }
    request->num_properties = (size_t)(p - properties) + 1;
    return check_gl(function, request);
}

/* Sharing goes through the host's memory at worst, which all devices reach that have images. */
static cl_int check_sharing_devices(const char *function, const struct context_request *request, cl_uint num_devices,
                                    const cl_device_id *devices)
{
    for (cl_uint i = 0; request->gl_context && i < num_devices; i++) {
        if (!ocl_device_shares_gl(devices[i]))
            return ocl_fail(NULL, function, CL_INVALID_OPERATION, "%s shares no objects with OpenGL",
                            devices[i]->caps->name);
    }
    for (cl_uint i = 0; request->va_display && i < num_devices; i++) {
        if (!ocl_device_shares_va(devices[i]))
            return ocl_fail(NULL, function, CL_INVALID_OPERATION, "%s shares no surfaces with VA-API",
                            devices[i]->caps->name);
    }
    return CL_SUCCESS;
}

static cl_context create(const char *function, const cl_context_properties *properties,
                         const struct context_request *request, cl_uint num_devices, const cl_device_id *devices,
                         ocl_notify notify, void *user_data, cl_int *error)
{
    struct ocl_gl *gl = NULL;
    struct ocl_va *va = NULL;
    *error = check_sharing_devices(function, request, num_devices, devices);
    if (*error != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < num_devices; i++) {
        if (vkb_device_lost(devices[i]->vk)) {
            *error = ocl_fail(NULL, function, CL_DEVICE_NOT_AVAILABLE, "%s was lost", devices[i]->caps->name);
            return NULL;
        }
        *error = ocl_device_open(devices[i]);
        if (*error != CL_SUCCESS) {
            if (notify)
                FLOAT_ENV_CALL(notify("Pumice: the Vulkan device cannot be opened", NULL, 0, user_data));
            ocl_fail(NULL, function, *error, "%s cannot be opened", devices[i]->caps->name);
            return NULL;
        }
    }
    *error = request->va_display ? ocl_va_open(function, request->va_display, &va) : open_gl(function, request, &gl);
    if (*error != CL_SUCCESS)
        return NULL;
    cl_context context = ocl_context_create(num_devices, devices, properties, request->num_properties);
    if (!context) {
        ocl_gl_release(gl);
        ocl_va_release(va);
        *error = ocl_fail(NULL, function, CL_OUT_OF_HOST_MEMORY, "no memory for a context");
        return NULL;
    }
    context->gl = gl;
    context->va = va;
    context->user_sync = request->user_sync;
    context->listener.notify = notify;
    context->listener.notify_data = user_data;
    context->printf_notify = request->printf_notify;
    context->printf_size = request->printf_size;
    context->zero_local = request->zero_local;
    context->zero_private = request->zero_private;
    context->robust = request->robust || setting_on(SETTING_ROBUST);
    context->terminable = request->terminable;
    ocl_peers_find(context);
    return context;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                                    const cl_device_id *devices, ocl_notify pfn_notify, void *user_data,
                                                    cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    struct context_request request;
    cl_int error = check_properties(__func__, properties, &request);
    if (error != CL_SUCCESS) {
        if (errcode_ret)
            *errcode_ret = error;
        return NULL;
    }
    if (!devices || num_devices == 0 || num_devices > 64)
        OCL_RETURN_ERROR(NULL, CL_INVALID_VALUE, "devices is NULL, or their number %u is wrong", num_devices);
    if (!pfn_notify && user_data)
        OCL_RETURN_ERROR(NULL, CL_INVALID_VALUE, "user_data without pfn_notify");
    cl_device_id unique[64];
    cl_uint count = 0;
    for (cl_uint i = 0; i < num_devices; i++) {
        if (!ocl_is(devices[i], OCL_DEVICE))
            OCL_RETURN_ERROR(NULL, CL_INVALID_DEVICE, "devices[%u] is not a device of Pumice", i);
        cl_uint before = 0;
        while (before < count && unique[before] != devices[i])
            before++;
        if (before == count) /* OpenCL 3.0 API, 4.4: duplicates are ignored */
            unique[count++] = devices[i];
    }
    cl_context context = create(__func__, properties, &request, count, unique, pfn_notify, user_data, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return context;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *properties,
                                                            cl_device_type device_type, ocl_notify pfn_notify,
                                                            void *user_data, cl_int *errcode_ret)
{
    FLOAT_ENV_DEFAULT();
    struct context_request request;
    cl_int error = check_properties(__func__, properties, &request);
    if (error == CL_SUCCESS && !pfn_notify && user_data)
        error = ocl_error(NULL, CL_INVALID_VALUE, "user_data without pfn_notify");
    cl_device_id devices[64];
    cl_uint count = 0;
    if (error == CL_SUCCESS)
        error = clGetDeviceIDs(&ocl_platform, device_type, 64, devices, &count);
    cl_context context = NULL;
    if (error == CL_SUCCESS)
        context =
            create(__func__, properties, &request, count < 64 ? count : 64, devices, pfn_notify, user_data, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return context;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainContext(cl_context context)
{
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    ocl_context_retain(context);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    ocl_context_release(context);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info param_name,
                                                 size_t param_value_size, void *param_value,
                                                 size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return OCL_OUT(&out, cl_uint, atomic_load(&context->listener.object.refs));
    case CL_CONTEXT_NUM_DEVICES:
        return OCL_OUT(&out, cl_uint, context->num_devices);
    case CL_CONTEXT_DEVICES:
        return ocl_out_bytes(&out, context->devices, context->num_devices * sizeof(cl_device_id));
    case CL_CONTEXT_PROPERTIES:
        return ocl_out_bytes(&out, context->properties, context->num_properties * sizeof(cl_context_properties));
    default:
        return ocl_error(context, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
                                                               void(CL_CALLBACK *pfn_notify)(cl_context, void *),
                                                               void *user_data)
{
    FLOAT_ENV_DEFAULT();
    cl_int error = ocl_context_check(__func__, context);
    if (error != CL_SUCCESS)
        return error;
    if (!pfn_notify)
        return ocl_error(context, CL_INVALID_VALUE, "pfn_notify is NULL");
    struct ocl_context_callback *callback = malloc(sizeof(*callback));
    if (!callback)
        return ocl_error(context, CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
    callback->call = pfn_notify;
    callback->data = user_data;
    ocl_lock(&context->mutex);
    bool prepared = ocl_context_prepare_farewell(context);
    if (prepared) {
        callback->next = context->callbacks;
        context->callbacks = callback;
    }
    ocl_unlock(&context->mutex);
    if (prepared)
        return CL_SUCCESS;
    free(callback);
    return ocl_error(context, CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
}

/* cl_khr_terminate_context */
CL_API_ENTRY cl_int CL_API_CALL clTerminateContextKHR(cl_context context)
{
    FLOAT_ENV_DEFAULT();
    if (!ocl_is(context, OCL_CONTEXT))
        return ocl_error(NULL, CL_INVALID_CONTEXT, "not a context");
    if (!context->terminable)
        return ocl_error(context, CL_INVALID_OPERATION, "the context was made without CL_CONTEXT_TERMINATE_KHR");
    if (!ocl_context_terminate(context))
        return ocl_context_fail_terminated(context, __func__);
    if (context->listener.notify)
        FLOAT_ENV_CALL(
            context->listener.notify("Pumice: the context was terminated", NULL, 0, context->listener.notify_data));
    return CL_SUCCESS;
}

/* ---- cl_khr_gl_sharing: which devices go with an OpenGL context ---- */

/* The device that OpenGL works on where it tells, else the first. */
static cl_device_id current_device(struct ocl_gl *gl, const cl_device_id *devices, cl_uint count)
{
    uint8_t uuid[16];
    for (cl_uint i = 0; i < count && ocl_gl_device_uuid(gl, uuid); i++) {
        if (!memcmp(devices[i]->caps->device_uuid, uuid, sizeof(uuid)))
            return devices[i];
    }
    return devices[0];
}

static cl_uint sharing_devices(cl_device_id *devices, cl_uint capacity)
{
    cl_uint count = 0;
    ocl_platform_find_devices();
    for (cl_uint i = 0; i < ocl_platform.num_devices && count < capacity; i++) {
        if (ocl_device_shares_gl(ocl_platform.devices[i]))
            devices[count++] = ocl_platform.devices[i];
    }
    return count;
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLContextInfoKHR(const cl_context_properties *properties,
                                                      cl_gl_context_info param_name, size_t param_value_size,
                                                      void *param_value, size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    struct context_request request;
    struct ocl_gl *gl = NULL;
    cl_device_id devices[64], current = NULL;
    cl_int error = check_properties(__func__, properties, &request);
    if (error == CL_SUCCESS)
        error = open_gl(__func__, &request, &gl);
    if (error != CL_SUCCESS)
        return error;
    if (!gl)
        return ocl_error(NULL, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, "the properties name no OpenGL context");
    cl_uint count = sharing_devices(devices, 64);
    if (count)
        current = current_device(gl, devices, count);
    ocl_gl_release(gl);
    switch (param_name) {
    case CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR:
        return ocl_out_bytes(&out, &current, current ? sizeof(current) : 0);
    case CL_DEVICES_FOR_GL_CONTEXT_KHR:
        return ocl_out_bytes(&out, devices, count * sizeof(devices[0]));
    default:
        return ocl_error(NULL, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}
