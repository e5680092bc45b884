/* The functions of cl_khr_command_buffer 0.9.8, cl_khr_command_buffer_mutable_dispatch 0.9.5 and
 * cl_khr_command_buffer_multi_device, found by name. They are declared here, since headers lack them or have older
 * versions. */
#ifndef TESTS_SUPPORT_COMMAND_BUFFERS_H
#define TESTS_SUPPORT_COMMAND_BUFFERS_H

#include "opencl.h"

typedef struct buffer_object *buffer_handle;
typedef struct command_object *command_handle;

enum {
    BUFFER_INVALID = -1138, /* CL_INVALID_COMMAND_BUFFER_KHR */
    BUFFER_INVALID_SYNC_POINTS = -1139,
    BUFFER_INCOMPATIBLE_QUEUE = -1140,
    BUFFER_INVALID_COMMAND = -1141, /* CL_INVALID_MUTABLE_COMMAND_KHR */

    BUFFER_FLAGS = 0x1293, /* a property of command buffers, and its flags */
    BUFFER_SIMULTANEOUS = 1,
    BUFFER_MUTABLE = 2,
    BUFFER_DEVICE_SIDE_SYNC = 4,
    BUFFER_ASSERTS = 0x12B7,
    COMMAND_FIELDS = 0x12B1, /* properties of recorded kernels */
    COMMAND_ASSERTS = 0x12B8,

    BUFFER_INFO_QUEUES = 0x1294, /* the first of six */
    BUFFER_INFO_STATE = 0x1297,
    COMMAND_INFO_QUEUE = 0x12A0, /* the first of some fourteen */
};

struct buffer_arg {
    cl_uint index;
    size_t size;
    const void *value;
};
struct buffer_exec_info {
    cl_uint name;
    size_t size;
    const void *value;
};
/* cl_mutable_dispatch_config_khr */
struct buffer_update {
    command_handle command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const struct buffer_arg *args, *svm_args;
    const struct buffer_exec_info *exec_infos;
    const size_t *offset, *global, *local;
};

#define BUFFER_CALL buffer_handle, cl_command_queue, const cl_ulong *
#define BUFFER_TAIL cl_uint, const cl_uint *, cl_uint *, command_handle *
struct buffer_functions {
    buffer_handle (*create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
    cl_int (*retain)(buffer_handle), (*release)(buffer_handle), (*finalize)(buffer_handle);
    cl_int (*enqueue)(cl_uint, const cl_command_queue *, buffer_handle, cl_uint, const cl_event *, cl_event *);
    cl_int (*info)(buffer_handle, cl_uint, size_t, void *, size_t *);
    cl_int (*barrier)(BUFFER_CALL, BUFFER_TAIL);
    cl_int (*copy)(BUFFER_CALL, cl_mem, cl_mem, size_t, size_t, size_t, BUFFER_TAIL);
    cl_int (*copy_rect)(BUFFER_CALL, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t, size_t,
                        size_t, size_t, BUFFER_TAIL);
    cl_int (*fill)(BUFFER_CALL, cl_mem, const void *, size_t, size_t, size_t, BUFFER_TAIL);
    cl_int (*copy_image)(BUFFER_CALL, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, BUFFER_TAIL);
    cl_int (*image_to_buffer)(BUFFER_CALL, cl_mem, cl_mem, const size_t *, const size_t *, size_t, BUFFER_TAIL);
    cl_int (*buffer_to_image)(BUFFER_CALL, cl_mem, cl_mem, size_t, const size_t *, const size_t *, BUFFER_TAIL);
    cl_int (*fill_image)(BUFFER_CALL, cl_mem, const void *, const size_t *, const size_t *, BUFFER_TAIL);
    cl_int (*svm_copy)(BUFFER_CALL, void *, const void *, size_t, BUFFER_TAIL);
    cl_int (*svm_fill)(BUFFER_CALL, void *, const void *, size_t, size_t, BUFFER_TAIL);
    cl_int (*launch)(BUFFER_CALL, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, BUFFER_TAIL);
    cl_int (*update)(buffer_handle, cl_uint, const cl_uint *, const void **);
    cl_int (*command_info)(command_handle, cl_uint, size_t, void *, size_t *);
    buffer_handle (*remap)(buffer_handle, cl_bool, cl_uint, const cl_command_queue *, cl_uint, const command_handle *,
                           command_handle *, cl_int *);
};

/* false: the platform lacks one of them. */
bool find_buffer_functions(cl_platform_id platform, struct buffer_functions *functions);

#endif
