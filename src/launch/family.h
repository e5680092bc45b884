/* A family: a kernel of the application that enqueues others, and all its descendants (docs/device-enqueue.md). */
#ifndef SRC_LAUNCH_FAMILY_H
#define SRC_LAUNCH_FAMILY_H

#include "src/command/command.h"
#include "src/launch/state.h"
#include "src/object/kernel.h"

struct node;
struct reach;

enum { OCL_FAMILY_CAPTURED = 256 << 10 }; /* bytes: more than the largest record */

/* What the host knows of an event of the family. */
struct ocl_family_event {
    bool live;        /* its number is in use */
    bool is_complete; /* its command is, or a user event's status is set */
    bool is_written;  /* what capture_event_profiling_info() wanted is */
    int32_t status;
    uint32_t num_waiting; /* nodes */
    struct node *node;    /* its command, until it is complete; NULL: a user event */
};

/* Used by the thread that launches the parent, and then by the one that schedules; never by two at once. */
struct ocl_family {
    cl_context context;     /* alive through queue */
    cl_command_queue queue; /* of the parent; retained */
    cl_device_id device;
    cl_kernel kernel; /* the parent's; retained: keeps the program's code */
    struct vkb_buffer *header, *body;
    uint32_t *words;                         /* the header, mapped: enum clc_enqueue_word */
    struct clc_enqueue_event *shared_events; /* the body, mapped: OCL_MAX_DEVICE_EVENTS of them */
    uint32_t *list;                          /* numbers of free events */
    char *records;
    uint32_t capacity; /* bytes of records */
    char *captured;    /* OCL_FAMILY_CAPTURED bytes: where launches find what they captured */
    uint64_t captured_address;
    bool shares_body;     /* the body is the queue's */
    bool has_queues_body; /* and no other family gets it, until the command behind the dispatch is enqueued */
    uint32_t num_queues;
    cl_command_queue queues[CLC_ENQUEUE_MAX_QUEUES]; /* by number - 1; retained */
    uint32_t num_blocks;
    cl_kernel *blocks; /* kernel objects of the program's blocks, made when first launched */
    struct ocl_family_event *events;
    uint32_t num_fresh; /* events from here on were never used */
    uint32_t num_listed;
    struct vkb_event *parent_done; /* the parent's own work */
    struct ocl_written reached;    /* in a checked process: what the parent's arguments led to */
    struct reach *args;            /* where kernels are checked or robust: the same, one for each argument; or NULL */
};

/* For a launch of the kernel into the queue, whose arguments are set. NULL: no memory. */
struct ocl_family *ocl_family_create(cl_command_queue queue, cl_kernel kernel);
void ocl_family_destroy(struct ocl_family *family);                                        /* NULL is fine */
uint32_t ocl_family_queue_number(const struct ocl_family *family, cl_command_queue queue); /* 0: it is not there */
/* Enqueues the scheduling behind the dispatch (command->done), whose event becomes the command's. Takes the family,
 * also where it fails. */
enum vkb_result ocl_family_follow(struct ocl_family *family, struct ocl_command *command);

/* schedule.c: launches descendants until there are none left. Returns the parent's status. */
int32_t ocl_family_run(struct ocl_family *family);
/* profile_store.c: stores two words of 64 bits at the device's address, behind whatever ran before, and waits. */
cl_int ocl_store_profile(cl_command_queue queue, uint64_t address, const uint64_t values[2]);

#endif
