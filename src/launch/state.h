/* One launch while it is put together, for the files of this room that take part in that. It belongs to one thread. */
#ifndef SRC_LAUNCH_STATE_H
#define SRC_LAUNCH_STATE_H

#include "src/command/command.h"
#include "src/device/device.h"
#include "src/launch/range.h"
#include "src/object/kernel.h"

#define MAX_BLOCK (OCL_MAX_PARAMETER_SIZE + 1024)

/* Buffers that a kernel may reach, by their addresses; a reference to each. */
struct ocl_written {
    struct vkb_buffer **buffers;
    uint32_t count;
};

struct launch {
    struct ocl_command *command;
    cl_kernel kernel;
    const struct ocl_range *range;
    struct ocl_range regrouped; /* what range points to after regroup_range() */
    bool is_task;               /* it was to have groups of one work-item */
    struct ocl_code *code;
    struct vkb_shader *shader; /* the code's, for the images that are bound */
    const struct clc_lowered *lowered;
    enum clc_bounds bounds;
    uint32_t packs[3];        /* how many groups share one of the device's in each dimension */
    uint32_t lanes;           /* of a group, where the code is for groups of any size; else 0 */
    uint32_t local_args_size; /* bytes, the bucket */
    uint32_t image_kinds;     /* CLC_IMAGES_* */
    struct vkb_access *accesses;
    uint32_t num_accesses;
    struct vkb_access fixed_accesses[32];
    struct pin {
        struct vkb_buffer *buffer;
        cl_mem mem;           /* or NULL */
    } * pins, fixed_pins[32]; /* references to what pointers led to, until the launch is enqueued */
    uint32_t num_pins;
    uint32_t num_kept; /* the first arguments, whose memory objects have references until then, too */
    bool reaches_any;
    bool has_inner;            /* an argument may point into an object, not to where it begins */
    struct vkb_image **images; /* per binding */
    struct vkb_image *fixed_images[16];
    struct vkb_buffer *printf_buffer, *scratch;
    uint32_t printf_size;        /* of the buffer, without its head */
    struct ocl_checked *checked; /* of a kernel that watches its accesses, until it follows the dispatch; else NULL */
    struct ocl_family *family;   /* of a kernel that enqueues others, until it follows the dispatch; else NULL */
    uint8_t *block;
    uint8_t fixed_block[MAX_BLOCK];
};

/* args.c: the argument block. A negative offset: the kernel does not take the value. */
void launch_put(struct launch *launch, int32_t offset, const void *data, size_t size);
void launch_put_address(struct launch *launch, enum clc_launch_value value, const struct vkb_buffer *buffer);
void launch_add_access(struct launch *launch, struct vkb_buffer *buffer, bool reads, bool writes);
/* Before the buffers: what an image of one of them is copied from must not count as written by this launch yet. */
cl_int launch_put_images(struct launch *launch);
cl_int launch_put_args(struct launch *launch);
/* Where local arguments would end, and what bucket that takes. */
cl_int launch_size_local_args(struct launch *launch);
/* Behind the dispatch: takes what the kernel wrote into images of buffers there. */
enum vkb_result launch_return_images(struct launch *launch);

/* text.c: the buffer that the kernel prints into, and what has it formatted behind the dispatch. */
cl_int launch_make_text(struct launch *launch);
enum vkb_result launch_flush_text(struct launch *launch);

#endif
