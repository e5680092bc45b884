/* What all API objects share: handles, reference counts, error reports, and the answers of the clGet*Info functions. */
#include "src/check/check.h"
#include "src/device/device.h"
#include "src/device/object.h"

#include "base/log.h"
#include "base/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_SIZE = 768 };

/* What a context's callback is told when the thread has no lock any more. */
struct report {
    cl_context context; /* retained */
    struct report *next;
    char text[REPORT_SIZE];
};

static _Thread_local struct {
    uint32_t num_locks;
    struct report *first, **last; /* last: valid where there is a first */
} thread;

static const struct ocl_dispatch_table *ordinary_dispatch, *own_dispatch;

void ocl_set_dispatch(const struct ocl_dispatch_table *ordinary, const struct ocl_dispatch_table *own)
{
    ordinary_dispatch = ordinary;
    own_dispatch = own;
    ocl_platform.object.dispatch = own;
}

void ocl_object_init(struct ocl_object *object, enum ocl_kind kind)
{
    object->dispatch = own_dispatch;
    object->dispatch_data = atomic_load(&ocl_platform.dispatch_data);
    object->kind = kind;
    atomic_init(&object->refs, 1);
}

bool ocl_is(const void *handle, enum ocl_kind kind)
{
    const struct ocl_object *object = handle;
    /* In a child that fork() made no handle is good: what is behind it is the parent's. */
    return object && !vkb_forked() && (object->dispatch == ordinary_dispatch || object->dispatch == own_dispatch) &&
           object->kind == kind;
}

void ocl_retain(struct ocl_object *object)
{
    atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
}

bool ocl_try_retain(struct ocl_object *object)
{
    unsigned refs = atomic_load_explicit(&object->refs, memory_order_relaxed);
    while (refs && !atomic_compare_exchange_weak(&object->refs, &refs, refs + 1))
        continue;
    return refs;
}

bool ocl_release(struct ocl_object *object)
{
    return atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1;
}

void ocl_object_free(struct ocl_object *object)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct ocl_object *kept[OCL_KEPT_OBJECTS];
    static uint32_t next;
    if (check_on(CHECK_CALLS)) {
        object->kind = OCL_DEAD;
        pthread_mutex_lock(&lock);
        struct ocl_object *oldest = kept[next];
        kept[next] = object;
        next = (next + 1) % OCL_KEPT_OBJECTS;
        pthread_mutex_unlock(&lock);
        object = oldest;
    }
    free(object);
}

/* ---- locks ---- */

static struct ocl_listener *listener_of(cl_context context)
{
    return (struct ocl_listener *)context;
}

static void tell_now(cl_context context, const char *text)
{
    FLOAT_ENV_CALL(listener_of(context)->notify(text, NULL, 0, listener_of(context)->notify_data));
}

static void tell_later(cl_context context, const char *text)
{
    struct report *report = malloc(sizeof(*report));
    if (!report)
        return; /* the code that the call returns still says what went wrong */
    report->context = context;
    report->next = NULL;
    snprintf(report->text, sizeof(report->text), "%s", text);
    ocl_retain(&listener_of(context)->object);
    if (!thread.first)
        thread.last = &thread.first;
    *thread.last = report;
    thread.last = &report->next;
}

void ocl_lock(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    thread.num_locks++;
}

void ocl_unlock(pthread_mutex_t *mutex)
{
    pthread_mutex_unlock(mutex);
    thread.num_locks--;
    /* A callback may lead here again, and then tells what is left. */
    for (struct report *report; !thread.num_locks && (report = thread.first);) {
        thread.first = report->next;
        tell_now(report->context, report->text);
        listener_of(report->context)->release(report->context);
        free(report);
    }
}

bool ocl_is_locking(void)
{
    return thread.num_locks;
}

/* ---- errors ---- */

const char *ocl_error_name(cl_int code)
{
#define NAME(name)                                                                                                     \
    case name:                                                                                                         \
        return #name
    switch (code) {
        NAME(CL_SUCCESS);
        NAME(CL_DEVICE_NOT_FOUND);
        NAME(CL_DEVICE_NOT_AVAILABLE);
        NAME(CL_COMPILER_NOT_AVAILABLE);
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        NAME(CL_OUT_OF_RESOURCES);
        NAME(CL_OUT_OF_HOST_MEMORY);
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        NAME(CL_MEM_COPY_OVERLAP);
        NAME(CL_IMAGE_FORMAT_MISMATCH);
        NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
        NAME(CL_BUILD_PROGRAM_FAILURE);
        NAME(CL_MAP_FAILURE);
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        NAME(CL_COMPILE_PROGRAM_FAILURE);
        NAME(CL_LINKER_NOT_AVAILABLE);
        NAME(CL_LINK_PROGRAM_FAILURE);
        NAME(CL_DEVICE_PARTITION_FAILED);
        NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        NAME(CL_INVALID_VALUE);
        NAME(CL_INVALID_DEVICE_TYPE);
        NAME(CL_INVALID_PLATFORM);
        NAME(CL_INVALID_DEVICE);
        NAME(CL_INVALID_CONTEXT);
        NAME(CL_INVALID_QUEUE_PROPERTIES);
        NAME(CL_INVALID_COMMAND_QUEUE);
        NAME(CL_INVALID_HOST_PTR);
        NAME(CL_INVALID_MEM_OBJECT);
        NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        NAME(CL_INVALID_IMAGE_SIZE);
        NAME(CL_INVALID_SAMPLER);
        NAME(CL_INVALID_BINARY);
        NAME(CL_INVALID_BUILD_OPTIONS);
        NAME(CL_INVALID_PROGRAM);
        NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        NAME(CL_INVALID_KERNEL_NAME);
        NAME(CL_INVALID_KERNEL_DEFINITION);
        NAME(CL_INVALID_KERNEL);
        NAME(CL_INVALID_ARG_INDEX);
        NAME(CL_INVALID_ARG_VALUE);
        NAME(CL_INVALID_ARG_SIZE);
        NAME(CL_INVALID_KERNEL_ARGS);
        NAME(CL_INVALID_WORK_DIMENSION);
        NAME(CL_INVALID_WORK_GROUP_SIZE);
        NAME(CL_INVALID_WORK_ITEM_SIZE);
        NAME(CL_INVALID_GLOBAL_OFFSET);
        NAME(CL_INVALID_EVENT_WAIT_LIST);
        NAME(CL_INVALID_EVENT);
        NAME(CL_INVALID_OPERATION);
        NAME(CL_INVALID_GL_OBJECT);
        NAME(CL_INVALID_BUFFER_SIZE);
        NAME(CL_INVALID_MIP_LEVEL);
        NAME(CL_INVALID_GLOBAL_WORK_SIZE);
        NAME(CL_INVALID_PROPERTY);
        NAME(CL_INVALID_IMAGE_DESCRIPTOR);
        NAME(CL_INVALID_COMPILER_OPTIONS);
        NAME(CL_INVALID_LINKER_OPTIONS);
        NAME(CL_INVALID_DEVICE_PARTITION_COUNT);
        NAME(CL_INVALID_PIPE_SIZE);
    case OCL_INVALID_COMMAND_BUFFER:
        return "CL_INVALID_COMMAND_BUFFER_KHR";
    case OCL_INVALID_SYNC_POINT_WAIT_LIST:
        return "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR";
    case OCL_INCOMPATIBLE_COMMAND_QUEUE:
        return "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR";
    case CL_CONTEXT_TERMINATED_KHR:
        return "CL_CONTEXT_TERMINATED_KHR";
    case OCL_INVALID_MUTABLE_COMMAND:
        return "CL_INVALID_MUTABLE_COMMAND_KHR";
        NAME(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
        NAME(CL_INVALID_EGL_OBJECT_KHR);
        NAME(CL_INVALID_SEMAPHORE_KHR);
        NAME(CL_INVALID_DEVICE_QUEUE);
        NAME(CL_INVALID_SPEC_ID);
        NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED);
    default:
        return "an unknown error";
    }
#undef NAME
}

cl_int ocl_fail(cl_context context, const char *function, cl_int code, const char *format, ...)
{
    bool listens = ocl_is(context, OCL_CONTEXT) && listener_of(context)->notify;
    if (!listens && !log_enabled(LOG_INFO) && !trace_enabled())
        return code;
    char reason[512], line[REPORT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    snprintf(line, sizeof(line), "%s: %s: %s", function, ocl_error_name(code), reason);
    log_info("%s", line);
    if (trace_enabled())
        trace_instant("error", ocl_error_name(code), line);
    if (listens && thread.num_locks)
        tell_later(context, line);
    else if (listens)
        tell_now(context, line);
    return code;
}

cl_int ocl_from_vkb(enum vkb_result result)
{
    switch (result) {
    case VKB_SUCCESS:
        return CL_SUCCESS;
    case VKB_OUT_OF_HOST_MEMORY:
        return CL_OUT_OF_HOST_MEMORY;
    case VKB_OUT_OF_DEVICE_MEMORY:
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case VKB_UNSUPPORTED:
        return CL_INVALID_OPERATION;
    case VKB_WAIT_FAILED:
        return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    case VKB_DEVICE_LOST:
    case VKB_PIPELINE_FAILED:
    case VKB_TIMEOUT:
        break;
    }
    return CL_OUT_OF_RESOURCES;
}

cl_int ocl_out_bytes(const struct ocl_out *out, const void *data, size_t size)
{
    if (out->value) {
        if (out->capacity < size)
            return ocl_fail(NULL, out->function, CL_INVALID_VALUE, "param_value_size is %zu, the answer has %zu bytes",
                            out->capacity, size);
        if (size)
            memcpy(out->value, data, size);
    }
    if (out->size_ret)
        *out->size_ret = size;
    return CL_SUCCESS;
}

cl_int ocl_out_string(const struct ocl_out *out, const char *text)
{
    return ocl_out_bytes(out, text, strlen(text) + 1);
}

/* Programs that keep the list of extensions in an array of fixed size (ViennaCL: 2,048 bytes) take an error for a
 * broken driver and end, and our list is longer than most. So a buffer of a size that nobody has asked us for gets the
 * words that fit; the names that programs look for come first. Smaller buffers get the specification's
 * CL_INVALID_VALUE. */
cl_int ocl_out_words(const struct ocl_out *out, const char *text)
{
    enum { FIXED = 1024 };
    size_t length = strlen(text);
    if (!out->value || out->capacity > length || out->capacity < FIXED)
        return ocl_out_string(out, text);
    for (length = out->capacity - 1; length && text[length] != ' ';)
        length--;
    memcpy(out->value, text, length);
    ((char *)out->value)[length] = '\0';
    if (out->size_ret)
        *out->size_ret = length + 1;
    return CL_SUCCESS;
}
