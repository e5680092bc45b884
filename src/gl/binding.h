/* EGL's and GLX's functions, and of X11's library those that are needed beside GLX. */
#ifndef SRC_GL_BINDING_H
#define SRC_GL_BINDING_H

#include <stdbool.h>
#include <stdint.h>

struct x_codes {
    int extension, major_opcode, first_event, first_error;
};

#define EGL_FUNCTIONS(F)                                                                                               \
    F(void *, eglGetProcAddress, (const char *name))                                                                   \
    F(const char *, eglQueryString, (void *display, int32_t name))                                                     \
    F(uint32_t, eglQueryContext, (void *display, void *context, int32_t name, int32_t *value))                         \
    F(uint32_t, eglChooseConfig,                                                                                       \
      (void *display, const int32_t *attributes, void **configs, int32_t size, int32_t *count))                        \
    F(uint32_t, eglBindAPI, (uint32_t api))                                                                            \
    F(void *, eglCreateContext, (void *display, void *config, void *share, const int32_t *attributes))                 \
    F(uint32_t, eglDestroyContext, (void *display, void *context))                                                     \
    F(void *, eglCreatePbufferSurface, (void *display, void *config, const int32_t *attributes))                       \
    F(uint32_t, eglDestroySurface, (void *display, void *surface))                                                     \
    F(uint32_t, eglMakeCurrent, (void *display, void *draw, void *read, void *context))                                \
    F(void *, eglGetCurrentContext, (void))                                                                            \
    F(uint32_t, eglReleaseThread, (void))

/* Found by eglGetProcAddress(); NULL where EGL has them not. */
#define EGL_MORE_FUNCTIONS(F)                                                                                          \
    F(uint32_t, eglGetSyncAttribKHR, (void *display, void *sync, int32_t name, int32_t *value))                        \
    F(int32_t, eglClientWaitSyncKHR, (void *display, void *sync, int32_t flags, uint64_t timeout))                     \
    F(int32_t, eglLabelObjectKHR, (void *display, uint32_t type, void *object, void *label))                           \
    F(void *, eglCreateImageKHR,                                                                                       \
      (void *display, void *context, uint32_t target, void *buffer, const int32_t *attributes))                        \
    F(uint32_t, eglDestroyImageKHR, (void *display, void *image))                                                      \
    F(uint32_t, eglExportDMABUFImageQueryMESA,                                                                         \
      (void *display, void *image, int *fourcc, int *planes, uint64_t *modifiers))                                     \
    F(uint32_t, eglExportDMABUFImageMESA,                                                                              \
      (void *display, void *image, int *fds, int32_t *strides, int32_t *offsets))

#define GLX_FUNCTIONS(F)                                                                                               \
    F(void *, glXGetProcAddressARB, (const char *name))                                                                \
    F(int, glXQueryContext, (void *display, void *context, int name, int *value))                                      \
    F(const char *, glXGetClientString, (void *display, int name))                                                     \
    F(int, glXIsDirect, (void *display, void *context))                                                                \
    F(void **, glXGetFBConfigs, (void *display, int screen, int *count))                                               \
    F(int, glXGetFBConfigAttrib, (void *display, void *config, int name, int *value))                                  \
    F(void *, glXCreateNewContext, (void *display, void *config, int type, void *share, int direct))                   \
    F(void, glXDestroyContext, (void *display, void *context))                                                         \
    F(unsigned long, glXCreatePbuffer, (void *display, void *config, const int *attributes))                           \
    F(void, glXDestroyPbuffer, (void *display, unsigned long drawable))                                                \
    F(int, glXMakeContextCurrent, (void *display, unsigned long draw, unsigned long read, void *context))              \
    F(void *, glXGetCurrentContext, (void))

#define X_FUNCTIONS(F)                                                                                                 \
    F(int, XFree, (void *data))                                                                                        \
    F(int, XSync, (void *display, int discard))                                                                        \
    F(void *, XSetErrorHandler, (int (*handler)(void *display, void *event)))                                          \
    F(struct x_codes *, XAddExtension, (void *display))                                                                \
    F(void *, XESetCloseDisplay, (void *display, int extension, int (*call)(void *display, struct x_codes *codes)))

/* Mesa's interface for OpenCL drivers (its mesa_glinterop.h): structs that grow, and say how far they are filled. */
struct gl_interop_in {
    uint32_t version, target, object, level, access, data_size;
    void *data;
};

struct gl_interop_out {
    uint32_t version;
    int fd; /* of a dma_buf; the caller's */
    uint32_t internal;
    intptr_t offset, size;
    uint32_t view_level, view_levels, view_layer, view_layers, data_written;
    uint32_t width, height, depth, stride; /* from the second version on */
    uint64_t modifier;
};

/* Found by the binding API's own function; NULL where the driver has them not. */
#define EGL_INTEROP_FUNCTIONS(F)                                                                                       \
    F(int, MesaGLInteropEGLExportObject,                                                                               \
      (void *display, void *context, struct gl_interop_in *in, struct gl_interop_out *out))
#define GLX_INTEROP_FUNCTIONS(F)                                                                                       \
    F(int, MesaGLInteropGLXExportObject,                                                                               \
      (void *display, void *context, struct gl_interop_in *in, struct gl_interop_out *out))

struct gl_binding_functions {
#define MEMBER(result, name, parameters) result(*name) parameters;
    EGL_FUNCTIONS(MEMBER)
    EGL_MORE_FUNCTIONS(MEMBER)
    EGL_INTEROP_FUNCTIONS(MEMBER)
    GLX_FUNCTIONS(MEMBER)
    GLX_INTEROP_FUNCTIONS(MEMBER)
    X_FUNCTIONS(MEMBER)
#undef MEMBER
    bool loaded, usable;
};

#endif
