/* What all API objects have in common: their head, errors, and answers of the clGet*Info functions. A header that is
 * named after an object says what its cl_* handle points to, who owns what, and what its file offers the others.
 *
 * There are two layers. src/api/ holds the entry points: they check every argument in the order of the specification
 * and name the error. Then they call the functions of the other files, which trust what they are given. Every object
 * begins with struct ocl_object: the ICD loader's dispatch table, a tag by which a foreign or freed handle is
 * recognised, and the reference count. Locks: each object's mutex guards what its struct says, and is taken by
 * ocl_lock(); no lock is held while an application's callback runs. */
#ifndef SRC_DEVICE_OBJECT_H
#define SRC_DEVICE_OBJECT_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
/* The entry points are visible; which of them a library exports, its map says (pumice.map, opencl.map). */
#pragma GCC visibility push(default)
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#pragma GCC visibility pop

#include "vk/vk.h"

#include "base/float_env.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ocl_kind {
    OCL_DEAD = 0,
    OCL_PLATFORM = 0x50756d31,
    OCL_DEVICE,
    OCL_CONTEXT,
    OCL_QUEUE,
    OCL_DEVICE_QUEUE, /* a queue on the device: no command of the host's goes into it */
    OCL_MEM,
    OCL_PROGRAM,
    OCL_KERNEL,
    OCL_EVENT,
    OCL_SAMPLER,
    OCL_COMMAND_BUFFER,
    OCL_RECORDED,
    OCL_SEMAPHORE,
};

struct ocl_object {
    const struct ocl_dispatch_table *dispatch; /* must be first: the loader reads it */
    void *dispatch_data;                       /* must be second: the loader's own (cl_khr_icd 2) */
    enum ocl_kind kind;
    atomic_uint refs;
};

struct ocl_dispatch_table; /* a cl_icd_dispatch, and what headers may lack */
/* The ordinary table, and the one that objects of this process begin with: the same, or wrappers where it is traced or
 * checked (PUMICE_TRACE, PUMICE_CHECK). They are given when the library is loaded, before there are objects. */
void ocl_set_dispatch(const struct ocl_dispatch_table *ordinary, const struct ocl_dispatch_table *own);

typedef void(CL_CALLBACK *ocl_notify)(const char *, const void *, size_t, void *);

/* What a context begins with: the callback that is told of errors. */
struct ocl_listener {
    struct ocl_object object;
    ocl_notify notify; /* or NULL */
    void *notify_data;
    /* A report that waits (ocl_lock()) holds a reference of the context. */
    void (*release)(cl_context context);
};

void ocl_object_init(struct ocl_object *object, enum ocl_kind kind);
bool ocl_is(const void *handle, enum ocl_kind kind); /* false for NULL and for what another platform made */
void ocl_retain(struct ocl_object *object);
bool ocl_release(struct ocl_object *object); /* true: that was the last one, destroy it */
/* Frees the struct, of which only the head is good any more. In a process whose calls are checked it stays readable,
 * for as long as fewer than OCL_KEPT_OBJECTS came after it: loaders look at handles before Pumice is asked. */
enum { OCL_KEPT_OBJECTS = 1 << 16 };
void ocl_object_free(struct ocl_object *object);
/* For a caller that knows that the memory is there, but not that a reference is left: a new one, or false if the last
 * one is gone and the object is about to be destroyed. */
bool ocl_try_retain(struct ocl_object *object);

/* ---- locks ---- */

/* The mutex of an object. The thread's locks are counted, because the application's callbacks may call anything, also
 * on the same objects: what ocl_fail() has to tell them waits until the thread has given its last lock back. */
void ocl_lock(pthread_mutex_t *mutex);
void ocl_unlock(pthread_mutex_t *mutex);
bool ocl_is_locking(void); /* this thread has a lock; for assertions in front of the other callbacks */

/* ---- errors ---- */

/* Of cl_khr_command_buffer, which systems' headers lack. */
#define OCL_INVALID_COMMAND_BUFFER       (-1138)
#define OCL_INVALID_SYNC_POINT_WAIT_LIST (-1139)
#define OCL_INCOMPATIBLE_COMMAND_QUEUE   (-1140)
#define OCL_INVALID_MUTABLE_COMMAND      (-1141)

/* Logs "clCreateBuffer: CL_INVALID_VALUE: reason", tells the context's callback where there is one (under a lock: once
 * that is given back), and returns code. */
cl_int ocl_fail(cl_context context, const char *function, cl_int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *ocl_error_name(cl_int code);
cl_int ocl_from_vkb(enum vkb_result result);

#define ocl_error(context, code, ...) ocl_fail((context), __func__, (code), __VA_ARGS__)
/* For entry points that return a handle and take errcode_ret. */
#define OCL_RETURN_ERROR(context, code, ...)                                                                           \
    do {                                                                                                               \
        cl_int ocl_code_ = ocl_fail((context), __func__, (code), __VA_ARGS__);                                         \
        if (errcode_ret)                                                                                               \
            *errcode_ret = ocl_code_;                                                                                  \
        return NULL;                                                                                                   \
    } while (0)

/* ---- answers of the clGet*Info functions ---- */

struct ocl_out {
    const char *function;
    size_t capacity;
    void *value;      /* NULL: only the size is asked for */
    size_t *size_ret; /* may be NULL */
};

#define OCL_OUT_INIT                                                                                                   \
    {                                                                                                                  \
        __func__, param_value_size, param_value, param_value_size_ret                                                  \
    }
cl_int ocl_out_bytes(const struct ocl_out *out, const void *data, size_t size);
cl_int ocl_out_string(const struct ocl_out *out, const char *text);
/* Words with spaces between. See the function. */
cl_int ocl_out_words(const struct ocl_out *out, const char *text);
#define OCL_OUT(out, type, ...) ocl_out_bytes((out), &(type){__VA_ARGS__}, sizeof(type))

#endif
