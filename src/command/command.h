/* What every enqueued command has in common. */
#ifndef SRC_COMMAND_COMMAND_H
#define SRC_COMMAND_COMMAND_H

#include "src/device/object.h"

#define OCL_INLINE_WAITS 16

/* What a call that enqueues was told, for its checks and for beginning its command. */
struct ocl_call {
    const char *function; /* for error messages */
    cl_command_queue queue;
    cl_command_type type;
    cl_uint num_waits;
    const cl_event *waits;
    cl_event *event;
    bool blocking;
};

/* In an entry point, whose parameters have the specification's names. */
#define OCL_CALL(type, blocking)                                                                                       \
    {                                                                                                                  \
        __func__, queue, type, num_events_in_wait_list, event_wait_list, event, blocking                               \
    }

/* The flags of memory objects that forbid the host to read and to write. */
#define OCL_HOST_CANNOT_READ  (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
#define OCL_HOST_CANNOT_WRITE (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | OCL_MEM_IMMUTABLE)

/* What is left of a command that is a part of another: a command buffer's. NULL where it had no event. */
struct ocl_kept {
    struct vkb_event *done, *first, *last;
};

/* One command on its way into a queue: begin, use every memory object, one or more vkb_cmd_*, end. */
struct ocl_command {
    const char *function; /* for error messages */
    cl_command_queue queue;
    cl_event *event_ret;
    cl_event event;                        /* allocated ahead, so that nothing fails once the command is in */
    struct vkb_event *done, *first, *last; /* first and last carry the profile; NULL: done does */
    bool want_event, blocking;
    bool writing; /* the context counts it among those that are about to write */
    uint32_t num_waits, wait_capacity;
    uint32_t num_covered;     /* the first of waits, which the last step has waited for */
    struct vkb_event **waits; /* references */
    struct vkb_event *inline_waits[OCL_INLINE_WAITS];
    uint32_t num_written;
    cl_mem *written;                 /* several devices: roots whose last_write becomes this command */
    struct ocl_kept *kept;           /* NULL, or gets references to the events */
    struct ocl_family *family;       /* of a launch that a kernel enqueued; else NULL */
    uint32_t family_number;          /* of that launch in its round */
    struct vkb_recording *recording; /* NULL, or what gets the command instead of the queue; then it has no events */
};

cl_int ocl_check_waits(const char *function, cl_context context, cl_uint num_events, const cl_event *events);
/* The same for commands that take objects of OpenGL, which may wait for its sync objects. */
cl_int ocl_check_waits_of_turn(const char *function, cl_context context, cl_uint num_events, const cl_event *events);
/* For commands that refuse events that have failed already. */
cl_int ocl_check_waits_ended_well(const char *function, cl_context context, cl_uint num_events, const cl_event *events);
/* The call is checked; the command keeps no pointer to it. After a failure there is no command. */
cl_int ocl_command_begin(struct ocl_command *command, const struct ocl_call *call);
cl_int ocl_command_wait_for(struct ocl_command *command, struct vkb_event *event); /* takes the reference */
/* Gives the memory on the command's device. Its contents are up to date by the time that the command runs. */
cl_int ocl_command_use(struct ocl_command *command, cl_mem mem, bool writes, struct vkb_buffer **buffer,
                       uint64_t *offset);
/* The same for an object of any kind: its root's memory. */
cl_int ocl_command_bring(struct ocl_command *command, cl_mem mem, bool writes);
/* The command may write any memory that is not named to it. */
void ocl_command_writes_any(struct ocl_command *command);
/* Gives the root memory on the command's device, which has its contents from here on, whatever they are. */
cl_int ocl_command_place(struct ocl_command *command, cl_mem mem);
/* For commands of several steps: the next comes behind the one before, which begins the command's profile. */
enum vkb_result ocl_command_step(struct ocl_command *command, struct vkb_enqueue *enqueue);
/* Enqueues a call on the host behind the command's last step, which has an event (done). Its event becomes the
 * command's. */
enum vkb_result ocl_command_behind(struct ocl_command *command, void (*call)(void *data, bool run), void *data);
struct vkb_enqueue ocl_command_enqueue(struct ocl_command *command);
/* Makes the event and, when blocking, waits for the command. */
cl_int ocl_command_end(struct ocl_command *command, enum vkb_result result, bool blocking);
cl_int ocl_command_fail(struct ocl_command *command, cl_int code); /* gives up before anything was enqueued */
/* Enqueues a command that does nothing, after its waits (and, in an in-order queue, after what came before). */
enum vkb_result ocl_command_nothing(struct ocl_command *command);
/* The same, but VKB_UNSUPPORTED where something on the host must happen before it can be recorded. */
enum vkb_result ocl_command_nothing_unheld(struct ocl_command *command);

#endif
