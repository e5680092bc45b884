/* The worker: the thread that has our context of OpenGL.
 *
 * A context can be current to one thread only, and the application's is to one of its own. So there is another, which
 * shares its objects, and a thread for it alone. Others give it calls, in turn, and wait for their end. Between the calls
 * it looks after sync objects that events wait for. */
#include "src/gl/private.h"

#include "base/thread.h"
#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_NS = 100000 }; /* how often sync objects are looked at */

static struct gl_job *take_job(struct ocl_gl *gl)
{
    struct gl_job *job = gl->first;
    if (job) {
        gl->first = job->next;
        if (!gl->first)
            gl->last = &gl->first;
    }
    return job;
}

static void run_job(struct ocl_gl *gl, struct gl_job *job)
{
    if (!gl->gone) {
        pthread_mutex_unlock(&gl->lock);
        job->call(job->data);
        pthread_mutex_lock(&gl->lock);
        job->ran = true;
    }
    job->done = true;
    pthread_cond_broadcast(&gl->answered);
}

static void *work(void *data)
{
    struct ocl_gl *gl = data;
    pthread_mutex_lock(&gl->lock);
    while (!gl->ends || gl->first) {
        struct gl_job *job = take_job(gl);
        if (job) {
            run_job(gl, job);
            continue;
        }
        pthread_mutex_unlock(&gl->lock);
        bool waits = gl_watches_look(gl);
        pthread_mutex_lock(&gl->lock);
        if (gl->first || gl->ends)
            continue;
        if (waits)
            thread_cond_wait_until(&gl->asked, &gl->lock, time_ns() + LOOK_NS);
        else
            pthread_cond_wait(&gl->asked, &gl->lock);
    }
    pthread_mutex_unlock(&gl->lock);
    gl_watches_end(gl);
    gl_unbind(gl);
    return NULL;
}

bool gl_call(struct ocl_gl *gl, void (*call)(void *data), void *data)
{
    struct gl_job job = {.call = call, .data = data};
    pthread_mutex_lock(&gl->lock);
    *gl->last = &job;
    gl->last = &job.next;
    pthread_cond_signal(&gl->asked);
    while (!job.done)
        pthread_cond_wait(&gl->answered, &gl->lock);
    pthread_mutex_unlock(&gl->lock);
    return job.ran;
}

/* ---- its life ---- */

struct opening {
    struct ocl_gl *gl;
    const char *why;
    cl_int error;
};

static void open_context(void *data)
{
    struct opening *opening = data;
    opening->error = gl_bind(opening->gl, &opening->why);
}

static void destroy(struct ocl_gl *gl)
{
    pthread_cond_destroy(&gl->asked);
    pthread_cond_destroy(&gl->answered);
    pthread_mutex_destroy(&gl->lock);
    free(gl);
}

static struct ocl_gl *create(const struct ocl_gl_source *source)
{
    struct ocl_gl *gl = calloc(1, sizeof(*gl));
    if (!gl)
        return NULL;
    atomic_init(&gl->refs, 1);
    gl->source = *source;
    gl->last = &gl->first;
    pthread_mutex_init(&gl->lock, NULL);
    thread_cond_init(&gl->asked);
    thread_cond_init(&gl->answered);
    if (thread_start(&gl->thread, work, gl))
        return gl;
    destroy(gl);
    return NULL;
}

cl_int ocl_gl_open(const char *function, const struct ocl_gl_source *source, struct ocl_gl **result)
{
    struct ocl_gl *gl = create(source);
    if (!gl)
        return ocl_fail(NULL, function, CL_OUT_OF_HOST_MEMORY, "no thread for OpenGL");
    struct opening opening = {.gl = gl};
    gl_call(gl, open_context, &opening);
    if (opening.error == CL_SUCCESS) {
        *result = gl;
        return CL_SUCCESS;
    }
    ocl_gl_release(gl);
    return ocl_fail(NULL, function, opening.error, "the OpenGL context: %s", opening.why);
}

struct describing {
    struct ocl_gl *gl;
    struct ocl_gl_description *description;
};

static void describe(void *data)
{
    struct describing *describing = data;
    struct ocl_gl_description *description = describing->description;
    const struct gl_functions *f = &describing->gl->f;
    const char *renderer = f->GetString(GL_RENDERER), *version = f->GetString(GL_VERSION);
    snprintf(description->name, sizeof(description->name), "%s, OpenGL %s", renderer ? renderer : "nameless",
             version ? version : "");
}

void ocl_gl_describe(struct ocl_gl *gl, struct ocl_gl_description *description)
{
    struct describing describing = {gl, description};
    *description = (struct ocl_gl_description){.takes_memory = gl->has_memory};
    memcpy(description->device_uuid, gl->uuid, 16);
    memcpy(description->driver_uuid, gl->driver_uuid, 16);
    gl_call(gl, describe, &describing);
}

bool ocl_gl_is_of_egl(const struct ocl_gl *gl, const void *display)
{
    return gl->source.binding == OCL_GL_EGL && gl->source.display == display;
}

struct ocl_gl *ocl_gl_retain(struct ocl_gl *gl)
{
    atomic_fetch_add(&gl->refs, 1);
    return gl;
}

void ocl_gl_release(struct ocl_gl *gl)
{
    if (!gl || atomic_fetch_sub(&gl->refs, 1) != 1)
        return;
    pthread_mutex_lock(&gl->lock);
    gl->ends = true;
    pthread_cond_signal(&gl->asked);
    pthread_mutex_unlock(&gl->lock);
    pthread_join(gl->thread, NULL);
    destroy(gl);
}

bool ocl_gl_device_uuid(struct ocl_gl *gl, uint8_t uuid[16])
{
    memcpy(uuid, gl->uuid, 16);
    return gl->has_uuid;
}
