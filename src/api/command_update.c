/* Entry points of cl_khr_command_buffer_mutable_dispatch: updates of recorded kernels, and questions about them.
 *
 * An update works on a clone of the kernel that the command has. Only when all of a call's updates are known to be good
 * do the clones take the kernels' places; else nothing changes. */
#include "src/api/command_buffer.h"
#include "src/launch/range.h"
#include "src/object/queue.h"
#include "src/recorded/command_buffer.h"

#include <stdlib.h>
#include <string.h>

enum {
    INFO_QUEUE = 0x12A0,
    INFO_BUFFER = 0x12A1,
    INFO_PROPERTIES = 0x12A2,
    INFO_KERNEL = 0x12A3,
    INFO_DIMENSIONS = 0x12A4,
    INFO_OFFSET = 0x12A5,
    INFO_GLOBAL_SIZE = 0x12A6,
    INFO_LOCAL_SIZE = 0x12A7,
    INFO_TYPE = 0x12AD
};

enum { CONFIG_DISPATCH = 0 };

/* cl_mutable_dispatch_arg_khr, cl_mutable_dispatch_exec_info_khr and cl_mutable_dispatch_config_khr of 0.9.5 */
struct arg {
    cl_uint index;
    size_t size;
    const void *value;
};
struct exec_info {
    cl_uint name;
    size_t size;
    const void *value;
};
struct config {
    ocl_recorded_handle command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const struct arg *args, *svm_args;
    const struct exec_info *exec_infos;
    const size_t *offset, *global, *local;
};

/* One command's new state. */
struct change {
    struct ocl_recorded *command;
    cl_kernel snapshot;         /* until fresh has it */
    struct ocl_recorded *fresh; /* the new clone and its memory; once they are the command's, what the command had */
    struct ocl_range range;
    bool local_given;
};

static const char update_name[] = "clUpdateMutableCommandsKHR";

#define FAIL(buffer, code, ...) ocl_fail((buffer)->context, update_name, (code), __VA_ARGS__)

static cl_int check_config(ocl_buffer_handle buffer, const struct config *config)
{
    const struct ocl_recorded *command = config->command;
    if (!ocl_is(command, OCL_RECORDED) || command->buffer != buffer || !command->is_mutable)
        return FAIL(buffer, OCL_INVALID_MUTABLE_COMMAND, "not a mutable command of this buffer");
    if (!config->num_args != !config->args || !config->num_svm_args != !config->svm_args ||
        !config->num_exec_infos != !config->exec_infos)
        return FAIL(buffer, CL_INVALID_VALUE, "a list's length and its pointer contradict each other");
    if (config->work_dim && config->work_dim != command->range.dims)
        return FAIL(buffer, CL_INVALID_OPERATION, "work_dim is %u, and was %u", config->work_dim, command->range.dims);
    cl_bitfield wanted = (config->offset ? OCL_MUTABLE_OFFSET : 0) | (config->global ? OCL_MUTABLE_GLOBAL_SIZE : 0) |
                         (config->local ? OCL_MUTABLE_LOCAL_SIZE : 0) |
                         (config->num_args || config->num_svm_args ? OCL_MUTABLE_ARGUMENTS : 0) |
                         (config->num_exec_infos ? OCL_MUTABLE_EXEC_INFO : 0);
    if (wanted & ~command->fields)
        return FAIL(buffer, CL_INVALID_OPERATION, "fields 0x%llx of the command are not mutable",
                    (unsigned long long)(wanted & ~command->fields));
    return CL_SUCCESS;
}

static cl_int change_kernel(struct change *change, const struct config *config)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < config->num_args && error == CL_SUCCESS; i++)
        error = clSetKernelArg(change->snapshot, config->args[i].index, config->args[i].size, config->args[i].value);
    for (cl_uint i = 0; i < config->num_svm_args && error == CL_SUCCESS; i++)
        error = clSetKernelArgSVMPointer(change->snapshot, config->svm_args[i].index, config->svm_args[i].value);
    for (cl_uint i = 0; i < config->num_exec_infos && error == CL_SUCCESS; i++)
        error = clSetKernelExecInfo(change->snapshot, config->exec_infos[i].name, config->exec_infos[i].size,
                                    config->exec_infos[i].value);
    return error;
}

static cl_int change_range(ocl_buffer_handle buffer, struct change *change, const struct config *config)
{
    const struct ocl_range before = change->range;
    size_t offset[3], global[3], local[3];
    for (cl_uint i = 0; i < before.dims; i++) {
        offset[i] = config->offset ? config->offset[i] : (size_t)before.offset[i];
        global[i] = config->global ? config->global[i] : (size_t)before.global[i];
        local[i] = config->local ? config->local[i] : before.local[i];
    }
    change->local_given |= config->local != NULL;
    const struct ocl_range_args args = {update_name,
                                        buffer->queues[change->command->queue],
                                        change->snapshot,
                                        before.dims,
                                        offset,
                                        before.empty && !config->global ? NULL : global,
                                        change->local_given ? local : NULL};
    cl_int error = ocl_range_check(&args, true, &change->range);
    if (error == CL_SUCCESS && change->command->asserts & OCL_NO_ADDITIONAL_WORK_GROUPS &&
        ocl_range_groups(&change->range) > change->command->most_groups)
        error = FAIL(buffer, CL_INVALID_VALUE, "more work-groups than the command promised");
    return error;
}

/* The change of the same command that came before in this call, or a new one. */
static cl_int find_change(struct change *changes, cl_uint *count, struct ocl_recorded *command, struct change **found)
{
    for (cl_uint i = 0; i < *count; i++) {
        if (changes[i].command == command) {
            *found = &changes[i];
            return CL_SUCCESS;
        }
    }
    struct change *change = &changes[*count];
    cl_int error = ocl_kernel_clone(command->snapshot, &change->snapshot);
    if (error != CL_SUCCESS)
        return error;
    change->command = command;
    change->range = command->range;
    change->local_given = command->local_given;
    (*count)++;
    *found = change;
    return CL_SUCCESS;
}

/* With the buffer's mutex held. */
static cl_int apply(ocl_buffer_handle buffer, cl_uint num_configs, const cl_uint *types, const void **configs,
                    struct change *changes, cl_uint *count)
{
    for (cl_uint i = 0; i < num_configs; i++) {
        struct change *change;
        if (types[i] != CONFIG_DISPATCH || !configs[i])
            return FAIL(buffer, CL_INVALID_VALUE, "configs[%u] is NULL or of unknown type %u", i, types[i]);
        cl_int error = check_config(buffer, configs[i]);
        if (error == CL_SUCCESS)
            error = find_change(changes, count, ((const struct config *)configs[i])->command, &change);
        if (error == CL_SUCCESS)
            error = change_kernel(change, configs[i]);
        if (error == CL_SUCCESS)
            error = change_range(buffer, change, configs[i]);
        if (error != CL_SUCCESS)
            return error;
    }
    for (cl_uint i = 0; i < *count; i++) {
        changes[i].fresh = ocl_recorded_allocate(CL_COMMAND_NDRANGE_KERNEL);
        cl_int error =
            changes[i].fresh ? ocl_recorded_set_kernel(changes[i].fresh, changes[i].snapshot) : CL_OUT_OF_HOST_MEMORY;
        if (error != CL_SUCCESS)
            return FAIL(buffer, error, "an argument's memory was released, or there is no memory for the update");
        changes[i].snapshot = NULL;
    }
    /* Everything is good, and nothing can fail any more. */
    for (cl_uint i = 0; i < *count; i++) {
        ocl_recorded_swap_kernels(changes[i].command, changes[i].fresh);
        changes[i].command->range = changes[i].range;
        changes[i].command->local_given = changes[i].local_given;
        ocl_command_buffer_changed(buffer, changes[i].command);
    }
    return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL update(ocl_buffer_handle buffer, cl_uint num_configs, const cl_uint *types,
                                              const void **configs)
{
    if (!ocl_is(buffer, OCL_COMMAND_BUFFER))
        return ocl_fail(NULL, update_name, OCL_INVALID_COMMAND_BUFFER, "not a command buffer");
    if (!(buffer->flags & OCL_MUTABLE))
        return FAIL(buffer, CL_INVALID_OPERATION, "the buffer is not mutable");
    if (!num_configs != !types || !num_configs != !configs)
        return FAIL(buffer, CL_INVALID_VALUE, "%u updates, and lists that do not go with that", num_configs);
    struct change *changes = calloc(num_configs + 1u, sizeof(*changes));
    if (!changes)
        return FAIL(buffer, CL_OUT_OF_HOST_MEMORY, "no memory for the updates");
    cl_uint count = 0;
    ocl_lock(&buffer->mutex);
    cl_int error = buffer->finalized ? apply(buffer, num_configs, types, configs, changes, &count)
                                     : FAIL(buffer, CL_INVALID_OPERATION, "the buffer is not finalised");
    ocl_unlock(&buffer->mutex);
    for (cl_uint i = 0; i < count; i++) {
        if (changes[i].snapshot)
            ocl_kernel_release(changes[i].snapshot);
        ocl_recorded_destroy(changes[i].fresh); /* not under the lock: it may end memory objects */
    }
    free(changes);
    return error;
}

/* ---- questions ---- */

static cl_int out_sizes(const struct ocl_out *out, const struct ocl_range *range, cl_uint name)
{
    size_t sizes[3];
    for (cl_uint i = 0; i < range->dims; i++)
        sizes[i] = name == INFO_OFFSET        ? (size_t)range->offset[i]
                   : name == INFO_GLOBAL_SIZE ? (size_t)range->global[i]
                                              : range->local[i];
    return ocl_out_bytes(out, sizes, range->dims * sizeof(sizes[0]));
}

static CL_API_ENTRY cl_int CL_API_CALL get_info(ocl_recorded_handle command, cl_uint param_name,
                                                size_t param_value_size, void *param_value,
                                                size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = {"clGetMutableCommandInfoKHR", param_value_size, param_value, param_value_size_ret};
    if (!ocl_is(command, OCL_RECORDED) || !command->is_mutable)
        return ocl_fail(NULL, out.function, OCL_INVALID_MUTABLE_COMMAND, "not a mutable command");
    ocl_buffer_handle buffer = command->buffer;
    ocl_lock(&buffer->mutex);
    struct ocl_range range = command->range;
    ocl_unlock(&buffer->mutex);
    switch (param_name) {
    case INFO_QUEUE:
        return OCL_OUT(&out, cl_command_queue, buffer->queues[command->queue]);
    case INFO_BUFFER:
        return OCL_OUT(&out, ocl_buffer_handle, buffer);
    case INFO_TYPE:
        return OCL_OUT(&out, cl_command_type, command->type);
    case INFO_PROPERTIES:
        return ocl_out_bytes(&out, command->properties, command->num_properties * sizeof(command->properties[0]));
    case INFO_KERNEL:
        return OCL_OUT(&out, cl_kernel, command->kernel);
    case INFO_DIMENSIONS:
        return OCL_OUT(&out, cl_uint, range.dims);
    case INFO_OFFSET:
    case INFO_GLOBAL_SIZE:
    case INFO_LOCAL_SIZE:
        return out_sizes(&out, &range, param_name);
    default:
        return ocl_fail(buffer->context, out.function, CL_INVALID_VALUE, "unknown param_name 0x%x", param_name);
    }
}

void *ocl_command_update_function(const char *name)
{
    if (strcmp(name, "clUpdateMutableCommandsKHR") == 0)
        return (void *)update;
    if (strcmp(name, "clGetMutableCommandInfoKHR") == 0)
        return (void *)get_info;
    return NULL;
}
