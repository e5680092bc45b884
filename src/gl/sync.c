/* Order between OpenGL and OpenCL (cl_khr_gl_event).
 *
 * What a thread told the OpenGL context that is current to it must have ended before OpenCL reads an object that the
 * same thread acquires. A fence goes behind it, for which the worker waits; where the current context is not the one
 * that OpenCL knows, it may share nothing with the worker's, and the thread itself waits for its end.
 *
 * A sync object of the application's becomes an event: the worker looks at it now and then. The application may delete
 * it at once. So a fence of ours goes behind it where the context that OpenCL knows is current to the calling thread. */
#include "src/gl/binding.h"
#include "src/gl/private.h"

#include "base/util.h"

#include <stdlib.h>

bool ocl_gl_is_current(struct ocl_gl *gl)
{
    return gl_current(gl) != NULL;
}

/* The calling thread's context takes the fence, and begins with what is before it. */
static void *insert(struct ocl_gl *gl)
{
    void *sync = gl->f.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl->f.Flush();
    return sync;
}

static bool is_known(struct ocl_gl *gl)
{
    return gl->has_sync && gl_current(gl) == gl->source.context;
}

struct ocl_gl_fence *ocl_gl_fence_insert(struct ocl_gl *gl)
{
    struct ocl_gl_fence *fence = NULL;
    if (!ocl_gl_is_current(gl))
        return NULL;
    if (is_known(gl) && (fence = calloc(1, sizeof(*fence)))) {
        fence->sync = insert(gl);
        fence->gl = ocl_gl_retain(gl);
    }
    if (!fence || !fence->sync) {
        ocl_gl_fence_wait(fence);
        gl->f.Finish();
        return NULL;
    }
    return fence;
}

void gl_fence_wait_here(struct ocl_gl_fence *fence)
{
    enum { SLICE_NS = 100000000 };
    if (!fence || !fence->sync)
        return;
    const struct gl_functions *f = &fence->gl->f;
    while (f->ClientWaitSync(fence->sync, 0, SLICE_NS) == GL_TIMEOUT_EXPIRED)
        ;
    f->DeleteSync(fence->sync);
    fence->sync = NULL;
}

static void wait_here(void *data)
{
    gl_fence_wait_here(data);
}

void gl_fence_free(struct ocl_gl_fence *fence)
{
    ocl_gl_release(fence->gl);
    free(fence);
}

void ocl_gl_fence_wait(struct ocl_gl_fence *fence)
{
    if (!fence)
        return;
    if (fence->sync)
        gl_call(fence->gl, wait_here, fence);
    gl_fence_free(fence);
}

/* ---- events of sync objects ---- */

struct check {
    struct ocl_gl *gl;
    void *sync;
    bool known;
};

static void check_sync(void *data)
{
    struct check *check = data;
    check->known = check->gl->f.IsSync(check->sync);
}

static void add(struct ocl_gl *gl, struct gl_watch *watch)
{
    pthread_mutex_lock(&gl->lock);
    watch->next = gl->watches;
    gl->watches = watch;
    pthread_cond_signal(&gl->asked);
    pthread_mutex_unlock(&gl->lock);
}

static cl_int watch(const char *function, struct ocl_gl *gl, void *display, void *sync, struct vkb_event *event)
{
    struct gl_watch *watch = calloc(1, sizeof(*watch));
    if (!watch)
        return ocl_fail(NULL, function, CL_OUT_OF_HOST_MEMORY, "no memory for an event");
    *watch = (struct gl_watch){.theirs = sync, .display = display, .event = vkb_event_retain(event)};
    if (is_known(gl))
        watch->ours = insert(gl);
    add(gl, watch);
    return CL_SUCCESS;
}

cl_int ocl_gl_watch_sync(const char *function, struct ocl_gl *gl, void *sync, struct vkb_event *event)
{
    struct check check = {.gl = gl, .sync = sync};
    if (gl->has_sync && sync)
        gl_call(gl, check_sync, &check);
    if (!check.known)
        return ocl_fail(NULL, function, CL_INVALID_GL_OBJECT, "no sync object of the share group");
    return watch(function, gl, NULL, sync, event);
}

enum { EGL_SYNC_TYPE = 0x30F7, EGL_SYNC_FENCE = 0x30F9, EGL_TIMEOUT_EXPIRED = 0x30F5 };

cl_int ocl_gl_watch_egl_sync(const char *function, struct ocl_gl *gl, void *display, void *sync,
                             struct vkb_event *event)
{
    const struct gl_binding_functions *egl = gl_egl();
    int32_t type = 0;
    if (!egl || !egl->eglGetSyncAttribKHR || !egl->eglClientWaitSyncKHR || !display || !sync ||
        !egl->eglGetSyncAttribKHR(display, sync, EGL_SYNC_TYPE, &type) || type != EGL_SYNC_FENCE)
        return ocl_fail(NULL, function, CL_INVALID_EGL_OBJECT_KHR, "no fence of the display's");
    return watch(function, gl, display, sync, event);
}

static bool is_over(const struct gl_functions *f, void *sync)
{
    return f->ClientWaitSync(sync, 0, 0) != GL_TIMEOUT_EXPIRED;
}

/* One that was deleted counts as over. */
static bool theirs_is_over(const struct gl_functions *f, const struct gl_watch *watch)
{
    if (watch->display)
        return gl_egl()->eglClientWaitSyncKHR(watch->display, watch->theirs, 0, 0) != EGL_TIMEOUT_EXPIRED;
    return !f->IsSync(watch->theirs) || is_over(f, watch->theirs);
}

/* False: it is still to be waited for. */
static bool look(struct ocl_gl *gl, struct gl_watch *watch)
{
    const struct gl_functions *f = &gl->f;
    if (watch->theirs && theirs_is_over(f, watch))
        watch->theirs = NULL;
    if (watch->ours && is_over(f, watch->ours)) {
        f->DeleteSync(watch->ours);
        watch->ours = NULL;
    }
    return !watch->theirs && !watch->ours;
}

static void finish(struct gl_watch *watch, int32_t status)
{
    vkb_event_set_user(watch->event, status);
    vkb_event_release(watch->event);
    free(watch);
}

static struct gl_watch *take_all(struct ocl_gl *gl)
{
    pthread_mutex_lock(&gl->lock);
    struct gl_watch *all = gl->watches;
    gl->watches = NULL;
    pthread_mutex_unlock(&gl->lock);
    return all;
}

bool gl_watches_look(struct ocl_gl *gl)
{
    struct gl_watch *all = take_all(gl), *next;
    bool waits = false;
    for (; all; all = next) {
        next = all->next;
        bool over = gl->gone || look(gl, all);
        if (over) {
            finish(all, gl->gone ? CL_INVALID_GL_OBJECT : CL_COMPLETE);
        } else {
            add(gl, all);
            waits = true;
        }
    }
    return waits;
}

void gl_watches_end(struct ocl_gl *gl)
{
    struct gl_watch *all = take_all(gl), *next;
    for (; all; all = next) {
        next = all->next;
        finish(all, CL_INVALID_GL_OBJECT);
    }
}
