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
    F(int32_t, eglLabelObjectKHR, (void *display, uint32_t type, void *object, void *label))

#define GLX_FUNCTIONS(F)                                                                                               \
    F(void *, glXGetProcAddressARB, (const char *name))                                                                \
    F(int, glXQueryContext, (void *display, void *context, int name, int *value))                                      \
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

struct gl_binding_functions {
#define MEMBER(result, name, parameters) result(*name) parameters;
    EGL_FUNCTIONS(MEMBER)
    EGL_MORE_FUNCTIONS(MEMBER)
    GLX_FUNCTIONS(MEMBER)
    X_FUNCTIONS(MEMBER)
#undef MEMBER
    bool loaded, usable;
};

#endif
