/* The host's half of PUMICE_CHECK: what a program does with the API that is a fault, whether or not the call fails.
 *
 * In a process that is checked for "host" or "races" all objects begin with a dispatch table of wrappers
 * (src/api/checked.c, made by gen_checked.py). Each wrapper tells here what is called, with which handles, and what came
 * of it. From that this room keeps a picture of its own: the application's references to each object (objects.c), the
 * commands that nobody has seen complete and what orders them (order.c), and the memory that they use (access.c). It
 * asks objects for facts, such as a kernel's arguments, and changes none.
 *
 * All of it is under one mutex, which no call of OpenCL or of the application is made with. What the picture leaves out,
 * it takes for right: a fault may go unseen, but nothing is reported that is none. */
#ifndef SRC_CHECKED_CHECKED_H
#define SRC_CHECKED_CHECKED_H

#include "src/check/check.h"
#include "src/device/object.h"

enum checked_kind {
    CHECKED_CONTEXT,
    CHECKED_QUEUE,
    CHECKED_MEM,
    CHECKED_PROGRAM,
    CHECKED_KERNEL,
    CHECKED_EVENT,
    CHECKED_SAMPLER,
    CHECKED_COMMAND_BUFFER,
    CHECKED_SEMAPHORE,
    CHECKED_POINTER, /* memory known by its address: SVM, USM */
    CHECKED_KIND_COUNT
};

/* A call under way. */
struct checked_call {
    const char *function;
    const void *caller; /* an address in the application, or in its wrapper of OpenCL */
    uint64_t number;    /* of the process's calls, from 1 */
    uint64_t serial;    /* commands before this were enqueued when the call began */
    bool off;           /* a child that fork() made: it has no objects */
    bool failed;
    void *result;                    /* of a call that returns a pointer */
    cl_uint count;                   /* of objects that it made */
    struct checked_command *command; /* what it enqueued, while that is looked at */
};

/* What the functions below take by themselves; hooks checked_does_NAME() run under it (hooks.c). */
void checked_lock(void);
void checked_unlock(void);

/* ---- calls.c: what wrappers tell ---- */

void checked_begin(struct checked_call *call, const char *function, const void *caller);
/* The call uses the object, or those of a list. */
void checked_handle(struct checked_call *call, enum checked_kind kind, const void *handle);
void checked_handles(struct checked_call *call, enum checked_kind kind, cl_uint count, const void *list);
/* The call waits, or makes a context or a queue, as callbacks may not. */
void checked_not_in_callbacks(struct checked_call *call, const char *what);
/* A query failed, and the answer has that size. */
void checked_query(struct checked_call *call, cl_uint name, size_t room, size_t size);
/* A query gave this: handles in it are the application's to use. */
void checked_answer(struct checked_call *call, const void *value, size_t size);
/* The process's end. */
void checked_start(void);

/* ---- objects.c ---- */

void checked_created(struct checked_call *call, enum checked_kind kind, const void *handle, size_t size);
void checked_retained(struct checked_call *call, const void *handle);
/* Before the object is released; afterwards its handle may be gone. */
void checked_releases(struct checked_call *call, enum checked_kind kind, const void *handle);

/* ---- order.c ---- */

/* The call enqueued a command after those of its wait list, and, where the queue is in order, after the one before. */
void checked_command(struct checked_call *call, cl_command_queue queue, cl_uint num_waits, const cl_event *waits);
/* All that is to be said of it was: now it is held against the others. event: as the application passed it. */
void checked_enqueued(struct checked_call *call, const cl_event *event, bool blocking);

/* ---- recorded.c ---- */

/* The call recorded a command of the command buffer. */
void checked_records(struct checked_call *call, const void *buffer);

/* ---- hooks.c, commands.c, recorded.c ---- */

/* What is special about single calls: functions of these names, which checked_args.h declares (gen_checked.py). */
#define CHECKED_BEFORE(name) checked_before_##name
#define CHECKED_AFTER(name)  checked_after_##name
#define CHECKED_DOES(name)   checked_does_##name

#endif
