/* The OpenGL that `pumice info` finds by EGL, without a window: on which device it works, and by what memory its objects
 * would be shared. A child process opens it, because that loads drivers; it begins before Vulkan does, so that it takes
 * no time of its own. */
#include "info_gl.h"
#include "start.h"

#include "src/gl/gl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

/* What the child writes. */
struct message {
    bool found;
    struct ocl_gl_description gl;
};

/* ---- the child ---- */

enum { PLATFORM_SURFACELESS = 0x31DD, PLATFORM_DEVICE = 0x313F };

/* A display without a window system, else the default one; NULL: there is none. */
static void *open_display(void *library)
{
    void *(*get_function)(const char *name);
    void *(*get_platform_display)(unsigned platform, void *native, const int *attributes) = NULL;
    void *(*get_display)(void *native);
    unsigned (*initialize)(void *display, int *major, int *minor);
    *(void **)&get_function = dlsym(library, "eglGetProcAddress");
    *(void **)&get_display = dlsym(library, "eglGetDisplay");
    *(void **)&initialize = dlsym(library, "eglInitialize");
    if (!get_function || !get_display || !initialize)
        return NULL;
    *(void **)&get_platform_display = get_function("eglGetPlatformDisplayEXT");
    static const unsigned platforms[] = {PLATFORM_SURFACELESS, PLATFORM_DEVICE, 0};
    for (int i = 0; i < 3; i++) {
        void *display = !platforms[i]          ? get_display(NULL)
                        : get_platform_display ? get_platform_display(platforms[i], NULL, NULL)
                                               : NULL;
        if (display && initialize(display, NULL, NULL))
            return display;
    }
    return NULL;
}

static void look(struct message *message)
{
    void *library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    struct ocl_gl_source source = {.binding = OCL_GL_EGL, .display = library ? open_display(library) : NULL};
    struct ocl_gl *gl;
    message->found = source.display && ocl_gl_open("pumice info", &source, &gl) == CL_SUCCESS;
    if (message->found)
        ocl_gl_describe(gl, &message->gl);
    else
        snprintf(message->gl.name, sizeof(message->gl.name), "none: %s",
                 !library          ? "there is no libEGL.so.1"
                 : !source.display ? "EGL has no display here"
                                   : "EGL's display has no OpenGL 3.0");
}

void info_gl_ask(struct gl_answer *answer)
{
    int ends[2];
    *answer = (struct gl_answer){.pipe = -1, .child = -1};
    if (!start_pipe(ends))
        return;
    fflush(stdout);
    answer->child = fork();
    if (answer->child == 0) {
        struct message message = {.found = false};
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere >= 0)
            dup2(nowhere, 2); /* EGL's drivers talk */
        look(&message);
        ssize_t written = write(ends[1], &message, sizeof(message));
        _exit(written == sizeof(message) ? 0 : 1); /* without the drivers' exit handlers */
    }
    close(ends[1]);
    answer->pipe = ends[0];
}

/* ---- the parent ---- */

static void hear(struct gl_answer *answer)
{
    struct message message;
    struct pollfd wait = {.fd = answer->pipe, .events = POLLIN};
    int ready;
    answer->heard = true;
    do
        ready = poll(&wait, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0 || read(answer->pipe, &message, sizeof(message)) != sizeof(message)) {
        snprintf(answer->text, sizeof(answer->text), "none: EGL %s", ready ? "ends the process" : "does not answer");
        return;
    }
    answer->found = message.found;
    answer->takes_memory = message.gl.takes_memory;
    memcpy(answer->device_uuid, message.gl.device_uuid, 16);
    memcpy(answer->driver_uuid, message.gl.driver_uuid, 16);
    snprintf(answer->text, sizeof(answer->text), "%.*s", (int)sizeof(message.gl.name), message.gl.name);
}

void info_gl_print(struct gl_answer *answer, const struct vkb_caps *caps)
{
    if (answer->child < 0)
        return;
    if (!answer->heard)
        hear(answer);
    printf("\n  %-26s %s\n", "OpenGL by EGL", answer->text);
    if (!answer->found)
        return;
    bool same =
        !memcmp(answer->device_uuid, caps->device_uuid, 16) && !memcmp(answer->driver_uuid, caps->driver_uuid, 16);
    const char *why = !answer->takes_memory                            ? "OpenGL takes no memory of Vulkan's"
                      : !same                                          ? "OpenGL works on another device"
                      : !(caps->memory_exports & VKB_HANDLE_OPAQUE_FD) ? "the device exports no memory"
                                                                       : NULL;
    if (why)
        printf("  %-26s the host's memory: %s\n", "  contents go through", why);
    else
        printf("  %-26s the device's memory, by kinds of objects for which a trial goes well\n",
               "  contents go through");
}

void info_gl_end(struct gl_answer *answer)
{
    if (answer->child < 0)
        return;
    kill(answer->child, SIGKILL); /* it may hang, and has nothing more to say */
    waitpid(answer->child, NULL, 0);
    close(answer->pipe);
}
