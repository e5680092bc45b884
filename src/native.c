/* Native kernels (OpenCL 3.0 API, 5.10). The function runs on a thread of the backend, between what comes before and
 * behind it in the queue. It finds each buffer in the device's memory itself where the host sees that, and elsewhere in
 * a copy of the whole root, which is read before and written back after. Buffers with one root share a copy, so that
 * they overlap as they do on the device. */
#include "src/native.h"
#include "src/command.h"
#include "src/memory.h"
#include "src/queue.h"

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

/* Lives until the last of the command's steps has ended. */
struct native {
    void(CL_CALLBACK *function)(void *);
    char *args;
    uint32_t num_roots;
    struct native_root roots[];
};

static void destroy(struct native *native)
{
    for (uint32_t i = 0; i < native->num_roots; i++) {
        if (native->roots[i].copied)
            free(native->roots[i].host);
        vkb_buffer_release(native->roots[i].buffer);
    }
    free(native->args);
    free(native);
}

static void destroy_later(void *data, int32_t status)
{
    (void)status;
    destroy(data);
}

static void run_function(void *data, bool run)
{
    struct native *native = data;
    if (run)
        native->function(native->args);
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

/* Copies in, the function, copies out: each step behind the one before. */
static enum vkb_result enqueue(struct ocl_command *command, struct native *native)
{
    struct vkb_enqueue step;
    enum vkb_result result = VKB_SUCCESS;
    for (uint32_t i = 0; i < native->num_roots && result == VKB_SUCCESS; i++) {
        const struct native_root *root = &native->roots[i];
        if (!root->copied)
            continue;
        result = ocl_command_step(command, &step);
        if (result == VKB_SUCCESS)
            result = vkb_cmd_read(&step, root->buffer, root->offset, root->size, root->host);
    }
    if (result == VKB_SUCCESS)
        result = ocl_command_step(command, &step);
    if (result == VKB_SUCCESS)
        result = vkb_cmd_host(&step, run_function, native);
    for (uint32_t i = 0; i < native->num_roots && result == VKB_SUCCESS; i++) {
        const struct native_root *root = &native->roots[i];
        if (!root->copied || !root->written)
            continue;
        result = ocl_command_step(command, &step);
        if (result == VKB_SUCCESS)
            result = vkb_cmd_write(&step, root->buffer, root->offset, root->size, root->host, true);
    }
    return result;
}

cl_int ocl_native(struct ocl_command *command, const struct ocl_native_args *wanted)
{
    struct native *native = calloc(1, sizeof(*native) + wanted->num_mems * sizeof(native->roots[0]));
    if (!native)
        return ocl_command_fail(command, CL_OUT_OF_HOST_MEMORY);
    native->function = wanted->function;
    struct vkb_callback *ended = vkb_callback_create(destroy_later, native);
    cl_int error = ended ? prepare(command, wanted, native) : CL_OUT_OF_HOST_MEMORY;
    if (error != CL_SUCCESS) {
        vkb_callback_destroy(ended);
        destroy(native);
        return ocl_command_fail(command, error);
    }
    enum vkb_result result = enqueue(command, native);
    /* The last step that was enqueued: the one in front of a step that failed is what that one would have waited for.
     */
    struct vkb_event *last = command->done;
    if (!last && command->first)
        last = command->waits[command->num_waits - 1];
    if (last) {
        vkb_event_tell(last, VKB_COMPLETE, ended);
    } else {
        vkb_callback_destroy(ended);
        destroy(native);
    }
    return ocl_command_end(command, result, false);
}
