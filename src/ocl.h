/* The API objects: what a cl_* handle points to, who owns what, and the functions that the files of src/ offer each
 * other.
 *
 * Two layers. api_*.c holds the entry points: they check every argument in the order of the specification and name the
 * error; then they call the functions below, which trust what they are given. Every object opens with struct
 * ocl_object: the ICD loader's dispatch table, a tag by which a foreign or freed handle is known, and the reference
 * count. Locks: each object's mutex guards what its struct says; no lock is held while an application's callback runs.
 */
#ifndef SRC_OCL_H
#define SRC_OCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include "compiler/clc.h"
#include "vk/vk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OCL_PRINTF_BUFFER_SIZE   (1u << 20) /* bytes; CL_DEVICE_PRINTF_BUFFER_SIZE */
#define OCL_MAX_PARAMETER_SIZE   4096u
#define OCL_MAX_GLOBAL_VARIABLES (64u << 20) /* bytes of one program's */
#define OCL_BASE_ALIGN           128u        /* bytes: sizeof(long16), the least that OpenCL 3.0, table 5 allows */

/* ---- objects ---- */

enum ocl_kind {
    OCL_DEAD = 0,
    OCL_PLATFORM = 0x50756d31,
    OCL_DEVICE,
    OCL_CONTEXT,
    OCL_QUEUE,
    OCL_MEM,
    OCL_PROGRAM,
    OCL_KERNEL,
    OCL_EVENT,
};

struct ocl_object {
    const cl_icd_dispatch *dispatch; /* must be first: the loader reads it */
    enum ocl_kind kind;
    atomic_uint refs;
};

extern const cl_icd_dispatch ocl_dispatch;

void ocl_object_init(struct ocl_object *object, enum ocl_kind kind);
bool ocl_is(const void *handle, enum ocl_kind kind); /* false for NULL and for what another platform made */
void ocl_retain(struct ocl_object *object);
bool ocl_release(struct ocl_object *object); /* true: that was the last one, destroy it */

/* ---- errors ---- */

/* Logs "clCreateBuffer: CL_INVALID_VALUE: reason", tells the context's callback where there is one, and returns code.
 */
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
#define OCL_OUT(out, type, ...) ocl_out_bytes((out), &(type){__VA_ARGS__}, sizeof(type))

/* ---- platform and devices ---- */

struct _cl_platform_id {
    struct ocl_object object;
    pthread_once_t once; /* finds the devices, on the first question about them */
    cl_uint num_devices;
    cl_device_id *devices; /* discrete GPUs first, CPUs last */
};

struct _cl_device_id {
    struct ocl_object object; /* root devices: never freed, retain and release do nothing */
    struct vkb_device *vk;
    const struct vkb_caps *caps;
    cl_device_type type;
    struct clc_target target;    /* ocl_device_target(); its strings are the last two below */
    pthread_mutex_t probe_mutex; /* guards the probe, which completes target */
    atomic_bool probed;
    char *extensions; /* CL_DEVICE_EXTENSIONS; owned */
    char *macros;     /* the same and what only the compiler tells; owned */
    char *features;   /* __opencl_c_* names with spaces between; owned */
    cl_ulong global_size, max_allocation;
    bool fp16, fp64, subgroups, il;
};

extern struct _cl_platform_id ocl_platform;

void ocl_platform_find_devices(void);
void ocl_device_init(cl_device_id device, struct vkb_device *vk);
cl_int ocl_device_open(cl_device_id device);
cl_int ocl_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
/* With what the probe says of the device, which runs now where nothing needed it before (target.c). */
const struct clc_target *ocl_device_target(cl_device_id device);

/* The tables of what is offered (extensions.c). Strings are malloc'ed. */
char *ocl_extensions_string(const struct _cl_device_id *device);
char *ocl_extension_macros(const struct _cl_device_id *device);
char *ocl_features_string(const struct _cl_device_id *device);
bool ocl_has_feature(const struct _cl_device_id *device, const char *name); /* "__opencl_c_subgroups" */
cl_int ocl_out_extensions(const struct ocl_out *out, cl_device_id device);  /* device NULL: the platform's */
cl_int ocl_out_features(const struct ocl_out *out, cl_device_id device);
const char *ocl_platform_extensions(void);

/* ---- contexts ---- */

typedef void(CL_CALLBACK *ocl_notify)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *ocl_printf_notify)(const char *, size_t, size_t, void *);

struct ocl_context_callback {
    void(CL_CALLBACK *call)(cl_context, void *);
    void *data;
    struct ocl_context_callback *next;
};

struct _cl_context {
    struct ocl_object object;
    cl_uint num_devices;
    cl_device_id *devices;
    cl_context_properties *properties; /* as given, with the terminating 0 */
    size_t num_properties;             /* the 0 included */
    ocl_notify notify;
    void *notify_data;
    ocl_printf_notify printf_notify;        /* CL_PRINTF_CALLBACK_ARM */
    size_t printf_size;                     /* bytes */
    atomic_uint num_deferred;               /* memory objects that are freed only when the queues have passed them */
    pthread_mutex_t mutex;                  /* guards what follows */
    struct ocl_context_callback *callbacks; /* newest first */
    cl_command_queue queues;                /* not retained: a queue leaves the list when it is destroyed */
    struct vkb_queue **transfer;            /* per device, made when first needed: initial uploads and migration */
};

cl_context ocl_context_create(cl_uint num_devices, const cl_device_id *devices, const cl_context_properties *properties,
                              size_t num_properties);
void ocl_context_retain(cl_context context);
void ocl_context_release(cl_context context);
int ocl_context_device_index(cl_context context, cl_device_id device); /* -1: not there */
struct vkb_queue *ocl_context_transfer_queue(cl_context context, cl_uint device);
/* Calls `call` when every command enqueued so far on the context's queues has ended: perhaps at once, perhaps from
 * another thread. */
void ocl_context_when_idle(cl_context context, void (*call)(void *data), void *data);

/* ---- queues ---- */

struct _cl_command_queue {
    struct ocl_object object;
    cl_context context; /* retained */
    cl_device_id device;
    cl_uint device_index; /* in the context */
    cl_command_queue_properties flags;
    cl_queue_properties *properties; /* NULL when made without an array */
    size_t num_properties;           /* the 0 included */
    struct vkb_queue *vk;
    cl_command_queue next, previous; /* the context's list, under its mutex */
    pthread_mutex_t mutex;           /* guards scratch */
    struct vkb_buffer *scratch;      /* private memory that is shared by the launches of an in-order queue */
};

cl_int ocl_queue_create(cl_context context, cl_uint device_index, cl_command_queue_properties flags, uint32_t priority,
                        const cl_queue_properties *properties, size_t num_properties, cl_command_queue *queue);
void ocl_queue_retain(cl_command_queue queue);
void ocl_queue_release(cl_command_queue queue);

/* ---- memory objects ---- */

struct ocl_map {
    void *pointer;
    size_t offset, size; /* bytes, in the memory object that was mapped */
    cl_map_flags flags;
    struct ocl_map *next;
};

struct ocl_mem_callback {
    void(CL_CALLBACK *call)(cl_mem, void *);
    void *data;
    struct ocl_mem_callback *next;
};

/* A buffer or sub-buffer. The memory is the root's: one vkb_buffer per device of the context, made when first used
 * there (at once in a context of one device). In a context of several devices `valid` says whose copy is up to date,
 * and commands move it over (memory.c). */
struct _cl_mem {
    struct ocl_object object;
    atomic_uint weak; /* the struct itself: 1 for all references, 1 per kernel argument */
    cl_context context;
    cl_mem parent; /* retained; NULL for a root */
    size_t origin; /* in the parent */
    cl_mem_flags flags;
    size_t size;
    void *host_ptr; /* USE_HOST_PTR: the application's; else NULL */
    cl_mem_properties *properties;
    size_t num_properties;

    pthread_mutex_t mutex;              /* guards what follows */
    struct ocl_mem_callback *callbacks; /* newest first */
    struct ocl_map *maps;               /* newest first */
    cl_uint map_count;

    /* the root's */
    struct ocl_storage {
        struct vkb_buffer *buffer;
        bool zero_copy; /* the host reads and writes the memory in place */
    } * storage;        /* per device of the context */
    void *shadow;       /* what maps point to where nothing is zero-copy: host_ptr, or size bytes of ours */
    bool deferred;      /* commands may read the shadow: freed only when the queues have passed them */
    uint64_t valid;     /* several devices: bit per device; 0: nobody wrote yet */
    struct vkb_event *last_write;
};

struct ocl_command;

cl_int ocl_mem_create(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                      const cl_mem_properties *properties, size_t num_properties, cl_mem *mem);
cl_int ocl_mem_create_sub(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size, cl_mem *mem);
/* Makes the root's memory on a device of the context (its mutex held, or nobody else knows it yet). */
cl_int ocl_mem_place(cl_mem root, cl_uint device);
void ocl_mem_retain(cl_mem mem);
void ocl_mem_release(cl_mem mem);
void ocl_mem_retain_weak(cl_mem mem);
void ocl_mem_release_weak(cl_mem mem);
static inline cl_mem ocl_mem_root(cl_mem mem)
{
    return mem->parent ? mem->parent : mem;
}

/* map.c */
cl_int ocl_mem_map(struct ocl_command *command, cl_mem mem, cl_map_flags flags, size_t offset, size_t size,
                   bool blocking, void **pointer);
cl_int ocl_mem_unmap(struct ocl_command *command, cl_mem mem, void *pointer);
bool ocl_mem_is_mapped_at(cl_mem mem, const void *pointer);

/* ---- commands ---- */

#define OCL_INLINE_WAITS 16

/* One command on its way into a queue: begin, use every memory object, one or more vkb_cmd_*, end. */
struct ocl_command {
    const char *function; /* for error messages */
    cl_command_queue queue;
    cl_event *event_ret;
    cl_event event;                        /* allocated ahead, so that nothing fails once the command is in */
    struct vkb_event *done, *first, *last; /* first and last carry the profile; NULL: done does */
    bool want_event;
    uint32_t num_waits, wait_capacity;
    struct vkb_event **waits; /* references */
    struct vkb_event *inline_waits[OCL_INLINE_WAITS];
    uint32_t num_written;
    cl_mem *written; /* several devices: roots whose last_write becomes this command */
};

cl_int ocl_check_waits(const char *function, cl_context context, cl_uint num_events, const cl_event *events);
cl_int ocl_command_begin(struct ocl_command *command, const char *function, cl_command_queue queue,
                         cl_command_type type, cl_uint num_waits, const cl_event *waits, cl_event *event_ret,
                         bool blocking);
cl_int ocl_command_wait_for(struct ocl_command *command, struct vkb_event *event); /* takes the reference */
/* The memory on the command's device, up to date by the time that the command runs. */
cl_int ocl_command_use(struct ocl_command *command, cl_mem mem, bool writes, struct vkb_buffer **buffer,
                       uint64_t *offset);
struct vkb_enqueue ocl_command_enqueue(struct ocl_command *command);
/* Makes the event and, when blocking, waits for the command. */
cl_int ocl_command_end(struct ocl_command *command, enum vkb_result result, bool blocking);
cl_int ocl_command_fail(struct ocl_command *command, cl_int code); /* gives up before anything was enqueued */
/* Ordered like a command and doing nothing: behind its waits (and, in order, what came before). */
enum vkb_result ocl_command_nothing(struct ocl_command *command);

/* ---- events ---- */

struct _cl_event {
    struct ocl_object object;
    cl_context context;     /* retained */
    cl_command_queue queue; /* retained; NULL for user events */
    cl_command_type type;
    struct vkb_event *done;
    struct vkb_event *first, *last; /* NULL, or the parts of a command made of several */
    atomic_bool user_set;
};

cl_event ocl_event_create(cl_context context, cl_command_queue queue, cl_command_type type);
void ocl_event_retain(cl_event event);
void ocl_event_release(cl_event event);
cl_int ocl_event_status(cl_event event);
struct vkb_profile ocl_event_profile(cl_event event);
cl_int ocl_event_on_status(cl_event event, cl_int status, void(CL_CALLBACK *call)(cl_event, cl_int, void *),
                           void *data);

/* ---- programs ---- */

/* One kernel on one device: made by the build, completed (shader, constants) when a kernel object first needs it. */
struct ocl_code {
    const struct clc_kernel_info *info; /* the clc_program's */
    struct clc_lowered *lowered;
    void *cached; /* NULL, or the block that lowered lies in when it came from the cache */
    pthread_mutex_t mutex;
    atomic_bool ready;
    struct vkb_shader *shader;
    struct vkb_buffer *constants;
};

/* What clBuildProgram and its kin made for one device. */
struct ocl_build {
    cl_build_status status;
    cl_program_binary_type binary_type;
    char *options, *log; /* never NULL once built */
    struct clc_program *program;
    struct clc_program *loaded; /* what clCreateProgramWithBinary brought; outlives rebuilding */
    uint32_t num_codes;
    struct ocl_code *codes; /* for executables, in the order of clc_program_kernel */
    bool uniform_groups;    /* work-groups must be uniform: OpenCL C before 2.0, or asked for */
    bool reads_local_size;  /* some kernel calls get_local_size */
    struct vkb_buffer *globals;
    void *binary;
    size_t binary_size;
};

struct _cl_program {
    struct ocl_object object;
    cl_context context;
    cl_uint num_devices;
    cl_device_id *devices;
    char *source; /* NULL unless made from source */
    void *il;     /* NULL unless made from IL */
    size_t il_size;
    pthread_mutex_t mutex; /* guards what follows */
    bool building;
    cl_uint num_kernels;      /* kernel objects attached */
    struct ocl_build *builds; /* per device; stable while kernels are attached */
    struct clc_spec_constant *spec_constants;
    uint32_t num_spec_constants;
};

struct ocl_build_request {
    const char *options; /* never NULL */
    bool compile_only;
    cl_uint num_headers;
    const cl_program *headers;
    const char **header_names;
};

cl_program ocl_program_create(cl_context context, cl_uint num_devices, const cl_device_id *devices);
void ocl_program_retain(cl_program program);
void ocl_program_release(cl_program program);
int ocl_program_device_index(cl_program program, cl_device_id device);
/* One build at a time, and none while kernels are attached: false otherwise. */
bool ocl_program_begin_build(cl_program program);
void ocl_program_end_build(cl_program program);
cl_int ocl_program_build(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                         const struct ocl_build_request *request);
cl_int ocl_program_link(cl_program program, const char *options, cl_uint num_inputs, const cl_program *inputs);
cl_int ocl_program_load_binary(cl_program program, cl_uint device, const void *data, size_t size);
const struct ocl_build *ocl_program_executable(cl_program program); /* any device's, or NULL */
/* The device's build as a binary, kept with it. */
cl_int ocl_build_serialize(cl_program program, cl_uint device);
void ocl_build_finish(struct ocl_build *build);
cl_int ocl_code_prepare(cl_program program, cl_uint device, struct ocl_code *code);

/* ---- the cache of compiled programs ---- */

struct ocl_cache_key {
    uint8_t *data; /* malloc'ed: everything that decides the result; stored in the entry and compared */
    size_t size;
    uint64_t hash[2];
};

/* False: cannot be cached (headers, __DATE__, no cache). Free with ocl_cache_key_finish() either way. */
bool ocl_cache_key_init(struct ocl_cache_key *key, cl_device_id device, const struct clc_compile_args *args);
void ocl_cache_key_finish(struct ocl_cache_key *key);
bool ocl_cache_load(const struct ocl_cache_key *key, struct ocl_build *build);
void ocl_cache_store(const struct ocl_cache_key *key, const struct ocl_build *build);
const char *ocl_cache_directory(void); /* NULL: no cache */

/* A lowered kernel as bytes and back (cache_lowered.c). */
bool ocl_lowered_write(const struct clc_lowered *lowered, uint32_t num_args, uint8_t **data, size_t *size);
struct clc_lowered *ocl_lowered_read(const uint8_t *data, size_t size, uint32_t num_args, void **block);

/* ---- kernels ---- */

struct ocl_arg {
    bool set;
    cl_mem mem;        /* GLOBAL and CONSTANT: weak reference, or NULL */
    size_t local_size; /* LOCAL */
    uint32_t offset;   /* VALUE: where in values */
};

struct _cl_kernel {
    struct ocl_object object;
    cl_program program; /* retained */
    uint32_t index;     /* of the kernel in the builds' code lists of devices (found by name) */
    const struct clc_kernel_info *info;
    struct ocl_code **codes; /* per device of the program; NULL where it was not built */
    struct ocl_arg *args;
    uint8_t *values;
    size_t values_size;
};

cl_int ocl_kernel_create(cl_program program, const char *name, cl_kernel *kernel);
cl_int ocl_kernel_clone(cl_kernel source, cl_kernel *kernel);
void ocl_kernel_retain(cl_kernel kernel);
void ocl_kernel_release(cl_kernel kernel);
struct ocl_code *ocl_kernel_code(cl_kernel kernel, cl_device_id device); /* NULL: not built for it */
const struct ocl_build *ocl_kernel_build(cl_kernel kernel, cl_device_id device);
size_t ocl_kernel_work_group_size(cl_kernel kernel, cl_device_id device);
/* Local memory: the kernel's variables and the arguments set so far. */
cl_ulong ocl_kernel_local_size(cl_kernel kernel, cl_device_id device);

/* ---- launches ---- */

struct ocl_range {
    cl_uint dims;
    uint64_t offset[3], global[3]; /* offset 0 and global 1 beyond dims */
    uint32_t local[3];             /* as given or chosen */
    bool empty;                    /* a size is 0: nothing runs */
};

/* Fills range->local where the application left it open. */
/* The sub-group size that code's pipelines must have; 0: any. */
uint32_t ocl_code_subgroup_size(const struct ocl_code *code, const struct vkb_caps *caps);
void ocl_range_choose_local(struct ocl_range *range, cl_kernel kernel, cl_device_id device);
cl_int ocl_launch(struct ocl_command *command, cl_kernel kernel, const struct ocl_range *range);

/* ---- entries of the dispatch table that the headers know only as void * (api_interop.c) ---- */

cl_int ocl_d3d_no_devices(void);
/* clCreateFrom*: by the number of parameters, the last of which is errcode_ret */
void *ocl_d3d_no_object4(cl_context context, cl_mem_flags flags, void *resource, cl_int *errcode_ret);
void *ocl_d3d_no_object5(cl_context context, cl_mem_flags flags, void *resource, cl_uint sub, cl_int *errcode_ret);
void *ocl_d3d_no_object6(cl_context context, cl_mem_flags flags, cl_uint type, void *info, cl_uint plane,
                         cl_int *errcode_ret);
cl_int ocl_d3d_no_objects(cl_command_queue queue);

#endif
