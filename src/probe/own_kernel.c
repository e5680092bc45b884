/* See own_kernel.h. */
#include "src/probe/own_kernel.h"

#include <string.h>

static void put(struct own_launch *launch, int64_t offset, const void *data, size_t size)
{
    if (offset >= 0 && (uint64_t)offset + size <= launch->lowered->block_size)
        memcpy(launch->block + offset, data, size);
}

bool own_launch_init(struct own_launch *launch, const struct clc_lowered *lowered, struct vkb_shader *shader,
                     const uint32_t spec_values[CLC_SPEC_COUNT], uint32_t subgroup_size, uint32_t num_groups)
{
    const uint32_t groups[3] = {num_groups, 1, 1}, local[3] = {spec_values[CLC_SPEC_LOCAL_SIZE_X], 1, 1}, dims = 1;
    const uint64_t size[3] = {(uint64_t)num_groups * local[0], 1, 1};
    memset(launch, 0, sizeof(*launch));
    launch->lowered = lowered;
    memcpy(launch->grid.groups, groups, sizeof(groups));
    if (lowered->block_size > sizeof(launch->block) ||
        vkb_shader_pipeline(shader, spec_values, CLC_SPEC_COUNT, subgroup_size, &launch->grid.pipeline) != VKB_SUCCESS)
        return false;
    put(launch, lowered->launch_offset[CLC_LAUNCH_GLOBAL_SIZE], size, sizeof(size));
    put(launch, lowered->launch_offset[CLC_LAUNCH_NUM_GROUPS], groups, sizeof(groups));
    put(launch, lowered->launch_offset[CLC_LAUNCH_ENQUEUED_LOCAL_SIZE], local, sizeof(local));
    put(launch, lowered->launch_offset[CLC_LAUNCH_WORK_DIM], &dims, sizeof(dims));
    launch->dispatch = (struct vkb_dispatch){
        .shader = shader,
        .block = launch->block,
        .block_size = lowered->block_size,
        .block_in_push_constants = lowered->block_in_push_constants,
        .group_base_offset = lowered->launch_offset[CLC_LAUNCH_GROUP_BASE],
        .grids = &launch->grid,
        .num_grids = 1,
        .stays_whole = true, /* it ends soon */
    };
    return true;
}

void own_launch_arg(struct own_launch *launch, uint32_t index, const void *data, size_t size)
{
    if (launch->lowered->arg_offset[index] != UINT32_MAX)
        put(launch, launch->lowered->arg_offset[index], data, size);
}

void own_launch_buffer(struct own_launch *launch, uint32_t index, const struct vkb_buffer *buffer)
{
    uint64_t address = vkb_buffer_address(buffer);
    own_launch_arg(launch, index, &address, sizeof(address));
}

uint32_t own_kernel_push_size(const struct clc_lowered *lowered)
{
    return lowered->block_in_push_constants ? lowered->block_size : (uint32_t)sizeof(uint64_t);
}
