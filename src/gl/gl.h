/* The OpenGL that a context of OpenCL shares objects with.
 *
 * Nothing of OpenGL is linked. Its libraries are opened when a context names an OpenGL context, and not before. A thread
 * of ours has an OpenGL context of its own, which shares its objects with the application's (worker.c): the
 * application's may be current to a thread of the application, and to that one only. Contents are copied: this thread
 * reads them when OpenCL acquires an object, and writes them when OpenCL releases it, to and from the host's memory or
 * memory of the device's that OpenGL uses as well. */
#ifndef SRC_GL_GL_H
#define SRC_GL_GL_H

#include "src/device/object.h"

struct ocl_gl;
struct ocl_gl_object;

enum ocl_gl_binding { OCL_GL_EGL, OCL_GL_GLX };

/* An OpenGL context as clCreateContext's properties name it. */
struct ocl_gl_source {
    enum ocl_gl_binding binding;
    void *display; /* EGLDisplay or Display * */
    void *context; /* EGLContext or GLXContext; NULL: images of the EGLDisplay alone are shared */
};

/* Opens what is shared with that context; reports failures for the function. CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR:
 * there is no such context, or its objects cannot be shared. CL_INVALID_OPERATION: there is no such binding API. */
cl_int ocl_gl_open(const char *function, const struct ocl_gl_source *source, struct ocl_gl **gl);
/* Whether that is on an EGLDisplay's. */
bool ocl_gl_is_of_egl(const struct ocl_gl *gl, const void *display);
struct ocl_gl *ocl_gl_retain(struct ocl_gl *gl);
void ocl_gl_release(struct ocl_gl *gl); /* NULL is fine */
/* The UUID of the device that OpenGL works on, as Vulkan knows it. False: it does not tell. */
bool ocl_gl_device_uuid(struct ocl_gl *gl, uint8_t uuid[16]);
/* Whether OpenGL takes memory of a device with these UUIDs by an opaque file descriptor. */
bool ocl_gl_takes_memory(struct ocl_gl *gl, const uint8_t device_uuid[16], const uint8_t driver_uuid[16]);

struct ocl_gl_description {
    char name[256];    /* of the renderer, and OpenGL's version */
    bool takes_memory; /* that others export */
    uint8_t device_uuid[16], driver_uuid[16];
};
void ocl_gl_describe(struct ocl_gl *gl, struct ocl_gl_description *description);

/* ---- objects (object.c) ---- */

/* What a buffer, texture or renderbuffer is in OpenCL; it does not change. */
struct ocl_gl_shape {
    cl_gl_object_type type;
    cl_GLenum target; /* of a texture, as given; else 0 */
    cl_GLint level;   /* likewise; -1: all levels */
    cl_GLuint name;
    uint64_t size;                 /* bytes of a buffer, or of what a buffer texture has of one */
    cl_image_format format;        /* of what is no buffer */
    cl_mem_object_type image_type; /* likewise; 0: a buffer */
    size_t width, height, depth;   /* texels; depth of a 3D texture. 1 where there is none */
    size_t layers;                 /* 0: no array */
    uint32_t levels;               /* that OpenCL has: 1, but for a mip-mapped image */
    uint32_t samples;              /* 0: not multisampled */
    bool reads_only;               /* OpenCL must not write it */
    bool of_egl;                   /* an image of EGL's: there is neither name nor target */
};

/* Finds a buffer, texture or renderbuffer by its name, and keeps its data store, whatever becomes of the name. target and
 * level are a texture's. The codes are those of clCreateFromGL*; failures are reported for the function. */
cl_int ocl_gl_find_buffer(const char *function, struct ocl_gl *gl, cl_GLuint name, struct ocl_gl_object **object);
cl_int ocl_gl_find_texture(const char *function, struct ocl_gl *gl, cl_GLenum target, cl_GLint level, cl_GLuint name,
                           struct ocl_gl_object **object);
cl_int ocl_gl_find_renderbuffer(const char *function, struct ocl_gl *gl, cl_GLuint name, struct ocl_gl_object **object);
/* An image of EGL's. CL_INVALID_EGL_OBJECT_KHR: OpenGL makes no texture of it; CL_IMAGE_FORMAT_NOT_SUPPORTED. */
cl_int ocl_gl_find_egl_image(const char *function, struct ocl_gl *gl, void *image, struct ocl_gl_object **object);
struct ocl_gl_object *ocl_gl_object_retain(struct ocl_gl_object *object);
void ocl_gl_object_release(struct ocl_gl_object *object); /* NULL is fine */
const struct ocl_gl_shape *ocl_gl_object_shape(const struct ocl_gl_object *object);
struct ocl_gl *ocl_gl_object_gl(const struct ocl_gl_object *object);

/* Memory of the device's by an opaque file descriptor, which is OpenGL's or closed afterwards. */
struct ocl_gl_memory {
    int fd;
    uint64_t size; /* bytes of the allocation */
    bool dedicated;
};
/* How contents go, the best way last. */
enum ocl_gl_way {
    OCL_GL_HOST,     /* packed, through the host's memory */
    OCL_GL_STAGED,   /* ... through such memory, by way of a buffer that is OpenGL's alone */
    OCL_GL_DIRECT,   /* ... from and to which OpenGL moves texels itself */
    OCL_GL_TWIN,     /* texels: such memory is the image's in OpenCL, and a texture in OpenGL, the object's twin */
    OCL_GL_SHADED,   /* ... and a shader copies between the two, not a blit */
    OCL_GL_EXPORTED, /* nowhere: the image in OpenCL lies in the texture's memory, which OpenGL exports */
    OCL_GL_WAYS
};
enum { OCL_GL_SMALL_SIDE = 64 }; /* texels along the edges of what counts as small */
/* Whether an object of its target and format may go that way at all. */
bool ocl_gl_object_fits(const struct ocl_gl_object *object, enum ocl_gl_way way);
/* OCL_GL_STAGED and _DIRECT: gives the object such memory, of whose bytes the first are for its contents. False: OpenGL
 * does not take it. */
bool ocl_gl_object_attach(struct ocl_gl_object *object, const struct ocl_gl_memory *memory, uint64_t bytes,
                          enum ocl_gl_way way);
/* ---- textures in place (in_place.c) ---- */

/* OCL_GL_TWIN and _SHADED: the memory is an image's as large as the object. */
bool ocl_gl_object_attach_twin(struct ocl_gl_object *object, const struct ocl_gl_memory *memory, enum ocl_gl_way way);
enum { OCL_GL_PLANES = 4 };
struct ocl_gl_texture_memory {
    int fd; /* of a dma_buf; the caller's */
    uint32_t num_planes;
    uint64_t modifiers[OCL_GL_PLANES]; /* the first counts */
    uint64_t offset[OCL_GL_PLANES], pitch[OCL_GL_PLANES];
};
/* OCL_GL_EXPORTED: false, if OpenGL does not export it, or not as texels of its format. It goes that way once it is
 * set. */
bool ocl_gl_object_export(struct ocl_gl_object *object, struct ocl_gl_texture_memory *memory);
void ocl_gl_object_set_exported(struct ocl_gl_object *object);

struct ocl_gl_fence; /* see below */

/* All bytes or texels, packed, the levels one behind the other (transfer.c): to and from the host's memory, or with NULL
 * as the object's way is. They return when it is done, 0 or
 * CL_INVALID_GL_OBJECT, CL_OUT_OF_RESOURCES. Any thread may call them but the worker's own. */
cl_int ocl_gl_read(struct ocl_gl_object *object, void *data);
cl_int ocl_gl_write(struct ocl_gl_object *object, const void *data);
/* The same with several objects at once, behind the fence, which it frees: all in one call of the worker's, where they
 * are of one OpenGL. The status of the first that fails; the others move all the same. */
struct ocl_gl_transfer {
    struct ocl_gl_object *object;
    void *data;
    cl_int status; /* of this one: set by the call */
};
cl_int ocl_gl_move(struct ocl_gl_fence *fence, struct ocl_gl_transfer *list, uint32_t count, bool writes);

/* Who has the object, in the order in which commands run: a note of those that acquire and release it
 * (command/gl_turn.c). Any thread. */
enum ocl_gl_holder { OCL_GL_UNKNOWN, OCL_GL_HELD, OCL_GL_FAILED /* it could not be acquired */ };
enum ocl_gl_holder ocl_gl_object_hold(struct ocl_gl_object *object, enum ocl_gl_holder holder); /* what it was */
enum ocl_gl_holder ocl_gl_object_holder(const struct ocl_gl_object *object);

/* ---- trials (trial.c) ---- */

/* What the trial of a way has shown for objects of the same kind: the same target and format, and large or small. */
enum ocl_gl_verdict { OCL_GL_UNTRIED, OCL_GL_WRONG, OCL_GL_RIGHT };
enum ocl_gl_verdict ocl_gl_object_verdict(const struct ocl_gl_object *object, enum ocl_gl_way way);
void ocl_gl_object_judge(const struct ocl_gl_object *object, enum ocl_gl_way way, enum ocl_gl_verdict verdict);
/* Text that says which kind, with the terminating 0. */
enum { OCL_GL_KIND_TEXT = 64 };
void ocl_gl_object_kind(const struct ocl_gl_object *object, char text[OCL_GL_KIND_TEXT]);
/* An object of our own of the same kind, of a size that tells; NULL: there is none. What OpenCL must not write has
 * contents. */
struct ocl_gl_object *ocl_gl_make_like(const struct ocl_gl_object *object);
/* Bytes of all its contents. */
uint64_t ocl_gl_object_bytes(const struct ocl_gl_object *object);
/* What some copies of an object that goes by OCL_GL_TWIN or _SHADED to its twin take. */
struct ocl_gl_time {
    uint64_t gpu_ns;  /* by the GPU's timer; 0: it tells nothing */
    uint64_t host_ns; /* until they are waited for */
};
bool ocl_gl_time_copies(struct ocl_gl_object *object, struct ocl_gl_time *time);
/* Contents that every format of the kind keeps, others for each seed. */
void ocl_gl_pattern(const struct ocl_gl_object *object, uint32_t seed, uint8_t *bytes, uint64_t size);

/* ---- order (sync.c) ---- */

/* Whether a context of OpenGL is current to this thread. */
bool ocl_gl_is_current(struct ocl_gl *gl);
/* What OpenGL was told so far by this thread has an end: NULL where there is nothing to wait for any more. */
struct ocl_gl_fence;
struct ocl_gl_fence *ocl_gl_fence_insert(struct ocl_gl *gl);
void ocl_gl_fence_wait(struct ocl_gl_fence *fence); /* by any thread; once, and frees it. NULL is fine */
/* Sets the user event when the sync object is signalled. CL_INVALID_GL_OBJECT: it is none of the share group's. */
cl_int ocl_gl_watch_sync(const char *function, struct ocl_gl *gl, void *sync, struct vkb_event *event);
/* The same for a fence of EGL's. CL_INVALID_EGL_OBJECT_KHR: it is none of the display's. */
cl_int ocl_gl_watch_egl_sync(const char *function, struct ocl_gl *gl, void *display, void *sync,
                             struct vkb_event *event);

#endif
