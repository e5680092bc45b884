/* Command buffers: cl_khr_command_buffer 0.9.8, cl_khr_command_buffer_mutable_dispatch 0.9.5 and
 * cl_khr_command_buffer_multi_device 0.9.2. Systems' headers lack these extensions or have older, different versions,
 * so what is needed of them is declared here, by the published numbers and under names of our own. */
#ifndef SRC_RECORDED_COMMAND_BUFFER_H
#define SRC_RECORDED_COMMAND_BUFFER_H

#include "src/device/object.h"
#include "src/launch/range.h"
#include "src/object/image.h"
#include "src/object/kernel.h"

#define OCL_PLATFORM_COMMAND_BUFFER_CAPABILITIES             0x0908
#define OCL_DEVICE_COMMAND_BUFFER_CAPABILITIES               0x12A9
#define OCL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES 0x129A
#define OCL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES  0x12AA
#define OCL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES           0x12AB
#define OCL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES               0x12AC
#define OCL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES             0x12B0

enum { /* of the platform */
       OCL_PLATFORM_UNIVERSAL_SYNC = 1,
       OCL_PLATFORM_REMAP_QUEUES = 2,
       OCL_PLATFORM_AUTOMATIC_REMAP = 4
};
enum { /* of a device */
       OCL_CAPABILITY_PRINTF = 1,
       OCL_CAPABILITY_DEVICE_SIDE_ENQUEUE = 2,
       OCL_CAPABILITY_SIMULTANEOUS_USE = 4,
       OCL_CAPABILITY_MULTIPLE_QUEUE = 16
};
enum { OCL_SIMULTANEOUS_USE = 1, OCL_MUTABLE = 2, OCL_DEVICE_SIDE_SYNC = 4 };
enum {
    OCL_MUTABLE_OFFSET = 1,
    OCL_MUTABLE_GLOBAL_SIZE = 2,
    OCL_MUTABLE_LOCAL_SIZE = 4,
    OCL_MUTABLE_ARGUMENTS = 8,
    OCL_MUTABLE_EXEC_INFO = 16,
    OCL_MUTABLE_ALL = 31
};
enum { OCL_NO_ADDITIONAL_WORK_GROUPS = 1 };

#define OCL_COMMAND_COMMAND_BUFFER 0x12A8

enum ocl_buffer_state { OCL_RECORDING = 0, OCL_EXECUTABLE = 1, OCL_FINALIZED = 2 };

typedef struct ocl_command_buffer *ocl_buffer_handle;
typedef struct ocl_recorded *ocl_recorded_handle;

/* One command of a command buffer. Its buffer owns it; its memory objects are retained. */
struct ocl_recorded {
    struct ocl_object object;
    struct ocl_command_buffer *buffer;
    cl_command_type type;
    uint32_t number; /* in the buffer, from 0 */
    cl_uint queue;   /* of the buffer's */
    uint32_t *waits; /* commands before it, by number */
    uint32_t num_waits;
    bool awaited;         /* some command waits for it */
    bool is_mutable;      /* it has a handle */
    cl_ulong *properties; /* as given, with the terminating 0 */
    size_t num_properties;

    cl_mem *mems; /* retained: what kernel and the copies name */
    uint32_t num_mems;

    /* kernels */
    cl_kernel kernel;   /* the application's, retained */
    cl_kernel snapshot; /* a clone of it with the arguments */
    struct ocl_range range;
    bool local_given;
    cl_bitfield fields;  /* OCL_MUTABLE_*: what may change */
    cl_bitfield asserts; /* OCL_NO_ADDITIONAL_WORK_GROUPS */
    uint64_t most_groups;

    /* copies and fills: mems[0] is the source and mems[1] the destination, or mems[0] the destination of a fill */
    struct vkb_rect rect; /* relative to the memory objects */
    uint8_t pattern[128];
    size_t pattern_size;
    struct ocl_start src_place, dst_place; /* of images */
    size_t region[3];
    void *dst;
    const void *src;
    size_t size;
};

struct ocl_command;

/* Commands of a buffer that are recorded, or given to the queue, together. */
struct ocl_piece {
    uint32_t begin, end;             /* numbers of commands */
    struct vkb_recording *recording; /* the commands as they are since the last update, or NULL */
    bool unfit;                      /* they cannot be recorded */
    bool enqueued;                   /* since the last update */
    uint32_t num_delays;             /* how often it was not recorded because it may take too long for a watchdog */
};

struct ocl_command_buffer {
    struct ocl_object object;
    cl_context context; /* retained */
    cl_uint num_queues;
    cl_command_queue *queues; /* retained */
    cl_ulong *properties;     /* as given, with the terminating 0 */
    size_t num_properties;
    cl_bitfield flags;
    cl_bitfield asserts;
    pthread_mutex_t mutex; /* guards what follows */
    bool finalized;
    struct ocl_recorded **commands;
    uint32_t num_commands, capacity;
    uint32_t *barrier;        /* per queue: 1 + the last barrier's number, or 0 */
    struct vkb_event *done;   /* of the last enqueue */
    bool done_elsewhere;      /* that was to other queues than the buffer's */
    struct ocl_piece *pieces; /* NULL until the first enqueueing */
    uint32_t num_pieces;
};

/* ---- command_buffer.c ---- */

ocl_buffer_handle ocl_command_buffer_create(cl_context context, cl_uint num_queues, const cl_command_queue *queues,
                                            const cl_ulong *properties, size_t num_properties);
void ocl_command_buffer_release(ocl_buffer_handle buffer);
struct ocl_recorded *ocl_recorded_allocate(cl_command_type type);
void ocl_recorded_destroy(struct ocl_recorded *command);
bool ocl_recorded_use(struct ocl_recorded *command, cl_mem mem); /* false: out of memory */
/* Takes the command over where it succeeds. With the buffer's mutex held. */
cl_int ocl_command_buffer_add(ocl_buffer_handle buffer, struct ocl_recorded *command, cl_uint queue, cl_uint num_waits,
                              const cl_uint *waits, bool barrier, cl_uint *sync_point);
enum ocl_buffer_state ocl_command_buffer_state(ocl_buffer_handle buffer);
/* Gives a command that has none a clone of a kernel, whose arguments' memory it keeps; takes the clone over where it
 * succeeds. */
cl_int ocl_recorded_set_kernel(struct ocl_recorded *command, cl_kernel snapshot);
/* Exchanges the clones of two commands, and what memory these keep. */
void ocl_recorded_swap_kernels(struct ocl_recorded *first, struct ocl_recorded *second);
uint64_t ocl_range_groups(const struct ocl_range *range);
/* Gives a command to the queue, or to the recording, of the part that has been begun for it; ends or fails the part. */
cl_int ocl_recorded_enqueue(struct ocl_command *part, struct ocl_recorded *command);
/* With the buffer's mutex held; queues: the buffer's or what replaces them. */
cl_int ocl_command_buffer_enqueue(const char *function, ocl_buffer_handle buffer, const cl_command_queue *queues,
                                  cl_uint num_waits, const cl_event *waits, cl_event *event);
/* The same commands on other queues; map: from the buffer's queues to the new ones. What was made so far is in
 * *remapped also where it fails: release it without the buffer's mutex. */
cl_int ocl_command_buffer_remap(ocl_buffer_handle buffer, cl_uint num_queues, const cl_command_queue *queues,
                                const cl_uint *map, ocl_buffer_handle *remapped);

/* ---- command_replay.c, with the buffer's mutex held ---- */

/* Makes the recordings that are worth it, for an enqueueing to these queues. mixes: pieces without recording may be
 * given to the queue between the recorded ones. *replays: whether the buffer is to be run by its pieces. */
cl_int ocl_command_buffer_prepare(const char *function, ocl_buffer_handle buffer, const cl_command_queue *queues,
                                  bool mixes, bool *replays);
/* After a change of the command. What is under way goes on as it was. */
void ocl_command_buffer_changed(ocl_buffer_handle buffer, const struct ocl_recorded *command);
void ocl_command_buffer_forget(ocl_buffer_handle buffer); /* all recordings */

#endif
