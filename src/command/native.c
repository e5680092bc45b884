/* Native kernels (OpenCL 3.0 API, 5.10). The function runs on a thread of the backend, between what comes before and
 * behind it in the queue. It finds each buffer in the device's memory itself where the host sees that, and elsewhere in
 * a copy of the whole root, which is read before and written back after. Buffers with one root share a copy, so that
 * they overlap as they do on the device. */
#include "src/command/command.h"
#include "src/command/native.h"
#include "src/object/memory.h"
#include "src/object/queue.h"

#include <stdlib.h>
#include <string.h>

struct native_root {
    cl_mem root; /* only to compare with, once the call is enqueued */
    struct vkb_buffer *buffer;
    uint64_t offset; /* of the root in it */
    uint64_t size;
    char *host; /* where the root begins */
    bool copied, written;
};

/* Each of the command's steps has a reference until it has ended: a step that is cut off may end before one that the
 * host is still doing. */
struct native {
    atomic_uint refs;
    void(CL_CALLBACK *function)(void *);
    char *args;
    uint32_t num_roots;
    struct native_root roots[];
};

static void release(struct native *native)
{
    if (atomic_fetch_sub(&native->refs, 1) != 1)
        return;
    for (uint32_t i = 0; i < native->num_roots; i++) {
        if (native->roots[i].copied)
            free(native->roots[i].host);
        vkb_buffer_release(native->roots[i].buffer);
    }
    free(native->args);
    free(native);
}

static void step_ended(void *data, int32_t status)
{
    (void)status;
    release(data);
}

static void run_function(void *data, bool run)
{
    struct native *native = data;
    if (run)
        FLOAT_ENV_CALL(native->function(native->args));
}

static struct native_root *find_root(struct native *native, cl_mem root)
{
    for (uint32_t i = 0; i < native->num_roots; i++) {
        if (native->roots[i].root == root)
            return &native->roots[i];
    }
    return NULL;
}

static cl_int add_root(struct ocl_command *command, struct native *native, cl_mem root)
{
    struct vkb_buffer *buffer;
    uint64_t offset;
    bool writes = !(root->flags & CL_MEM_READ_ONLY);
    cl_int error = ocl_command_use(command, root, writes, &buffer, &offset);
    if (error != CL_SUCCESS)
        return error;
    const struct ocl_storage *storage = &root->storage[command->queue->device_index];
    struct native_root added = {.root = root, .offset = offset, .size = root->size, .written = writes};
    if (storage->zero_copy)
        added.host = root->host_ptr ? root->host_ptr : (char *)vkb_buffer_map(buffer) + offset;
    else
        added.host = malloc(root->size);
    if (!added.host)
        return CL_OUT_OF_HOST_MEMORY;
    added.copied = !storage->zero_copy;
    added.buffer = vkb_buffer_retain(buffer);
    native->roots[native->num_roots++] = added;
    return CL_SUCCESS;
}

static cl_int prepare(struct ocl_command *command, const struct ocl_native_args *wanted, struct native *native)
{
    if (wanted->size) {
        native->args = malloc(wanted->size);
        if (!native->args)
            return CL_OUT_OF_HOST_MEMORY;
        memcpy(native->args, wanted->args, wanted->size);
    }
    for (cl_uint i = 0; i < wanted->num_mems; i++) {
        cl_mem mem = wanted->mems[i], root = mem ? ocl_mem_root(mem) : NULL;
        cl_int error = !root || find_root(native, root) ? CL_SUCCESS : add_root(command, native, root);
        if (error != CL_SUCCESS)
            return error;
        char *pointer = root ? find_root(native, root)->host + mem->origin : NULL;
        size_t place = (size_t)((const char *)wanted->places[i] - (const char *)wanted->args);
        memcpy(native->args + place, &pointer, sizeof(pointer));
    }
    return CL_SUCCESS;
}

enum step { STEP_READ, STEP_FUNCTION, STEP_WRITE, STEP_NOTE };

/* Enqueues a step behind the one before. root: of all but STEP_FUNCTION. */
static enum vkb_result enqueue_step(struct ocl_command *command, struct native *native, enum step kind,
                                    const struct native_root *root)
{
    struct vkb_enqueue step;
    struct vkb_callback *ended = vkb_callback_create(VKB_STEWARD, step_ended, native);
    enum vkb_result result = ended ? ocl_command_step(command, &step) : VKB_OUT_OF_HOST_MEMORY;
    if (result == VKB_SUCCESS && kind == STEP_FUNCTION)
        result = vkb_cmd_host(&step, run_function, native);
    else if (result == VKB_SUCCESS && kind == STEP_READ)
        result = vkb_cmd_read(&step, root->buffer, root->offset, root->size, root->host);
    else if (result == VKB_SUCCESS && kind == STEP_NOTE)
        result = vkb_cmd_written(&step, root->buffer, root->offset, root->size);
    else if (result == VKB_SUCCESS)
        result = vkb_cmd_write(&step, root->buffer, root->offset, root->size, root->host, true);
    if (result != VKB_SUCCESS) {
        vkb_callback_destroy(ended);
        return result;
    }
    atomic_fetch_add(&native->refs, 1);
    vkb_event_tell(command->done, VKB_COMPLETE, ended);
    return VKB_SUCCESS;
}

/* Copies in, the function, copies out. */
static enum vkb_result enqueue(struct ocl_command *command, struct native *native)
{
    enum vkb_result result = VKB_SUCCESS;
    for (uint32_t i = 0; i < native->num_roots && result == VKB_SUCCESS; i++) {
        if (native->roots[i].copied)
            result = enqueue_step(command, native, STEP_READ, &native->roots[i]);
    }
    if (result == VKB_SUCCESS)
        result = enqueue_step(command, native, STEP_FUNCTION, NULL);
    for (uint32_t i = 0; i < native->num_roots && result == VKB_SUCCESS; i++) {
        if (native->roots[i].copied && native->roots[i].written)
            result = enqueue_step(command, native, STEP_WRITE, &native->roots[i]);
        else if (native->roots[i].written && vkb_buffer_written(native->roots[i].buffer))
            result = enqueue_step(command, native, STEP_NOTE, &native->roots[i]);
    }
    return result;
}

cl_int ocl_native(struct ocl_command *command, const struct ocl_native_args *wanted)
{
    struct native *native = calloc(1, sizeof(*native) + wanted->num_mems * sizeof(native->roots[0]));
    if (!native)
        return ocl_command_fail(command, CL_OUT_OF_HOST_MEMORY);
    atomic_init(&native->refs, 1);
    native->function = wanted->function;
    cl_int error = prepare(command, wanted, native);
    if (error != CL_SUCCESS) {
        release(native);
        return ocl_command_fail(command, error);
    }
    enum vkb_result result = enqueue(command, native);
    release(native);
    return ocl_command_end(command, result, false);
}
