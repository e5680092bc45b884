/* Launches of Pumice's own small kernels, which need none of the API's objects: one dimension, no images of the
 * application's, no scratch, no constants. For one thread at a time each. */
#ifndef SRC_PROBE_OWN_KERNEL_H
#define SRC_PROBE_OWN_KERNEL_H

#include "compiler/clc.h"
#include "vk/vk.h"

struct own_launch {
    const struct clc_lowered *lowered;
    uint8_t block[1024];
    struct vkb_grid grid;
    struct vkb_dispatch
        dispatch; /* its name, accesses and images are the caller's to add; points into this structure */
};

/* Prepares num_groups work-groups of spec_values[CLC_SPEC_LOCAL_SIZE_X] work-items; arguments are 0 until set.
 * subgroup_size: that the pipeline must have, 0: any. False: the block is too large, or the driver refuses the
 * pipeline. */
bool own_launch_init(struct own_launch *launch, const struct clc_lowered *lowered, struct vkb_shader *shader,
                     const uint32_t spec_values[CLC_SPEC_COUNT], uint32_t subgroup_size, uint32_t num_groups);
void own_launch_arg(struct own_launch *launch, uint32_t index, const void *data, size_t size);
/* A buffer's address as an argument. */
void own_launch_buffer(struct own_launch *launch, uint32_t index, const struct vkb_buffer *buffer);
/* The bytes of push constants of the shader to make for it. */
uint32_t own_kernel_push_size(const struct clc_lowered *lowered);

#endif
