/* Two numbers for a pointer that only the device knows: capture_event_profiling_info() (OpenCL C 3.0, 6.15.19.6) names
 * any global memory. So a small kernel stores them. It is compiled once for each device, when first needed, and kept.
 */
#include "src/device.h"
#include "src/family.h"
#include "src/queue.h"

#include "base/log.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

static void compile(void *data)
{
    cl_device_id device = data;
    const char *text = "kernel void store(global ulong *at, ulong run, ulong whole) { at[0] = run; at[1] = whole; }";
    const struct clc_compile_args args = {
        .strings = &text, .num_strings = 1, .options = "-cl-std=CL1.2", .target = ocl_device_target(device)};
    struct clc_program *program = NULL;
    struct clc_lowered *lowered = NULL;
    char *log = NULL;
    if (clc_compile(&args, &program, &log) == CLC_SUCCESS) {
        const struct clc_lower_options options = {.target = args.target};
        clc_lower(program, "store", &options, &lowered, NULL);
    }
    clc_program_release(program);
    free(log);
    struct vkb_shader *shader = NULL;
    uint32_t push = lowered && lowered->block_in_push_constants ? lowered->block_size : 8;
    if (lowered && !lowered->constants.size && !lowered->scratch_size &&
        vkb_shader_create(device->vk, lowered->words, lowered->num_words, push, &shader) == VKB_SUCCESS) {
        device->store_lowered = lowered;
        device->store_shader = shader;
        return;
    }
    clc_lowered_destroy(lowered);
}

static bool prepare(cl_device_id device)
{
    ocl_device_target(device); /* not with the lock */
    ocl_lock(&device->probe_mutex);
    if (!device->store_shader)
        thread_run(compile, device);
    bool ready = device->store_shader;
    ocl_unlock(&device->probe_mutex);
    return ready;
}

static void put(uint8_t *block, const struct clc_lowered *lowered, uint32_t arg, uint64_t value)
{
    if (lowered->arg_offset[arg] != UINT32_MAX)
        memcpy(block + lowered->arg_offset[arg], &value, sizeof(value));
}

cl_int ocl_store_profile(cl_command_queue queue, uint64_t address, const uint64_t values[2])
{
    static const uint32_t spec_values[CLC_SPEC_COUNT] = {1, 1, 1, 0};
    uint8_t block[256] = {0};
    if (!prepare(queue->device))
        return CL_OUT_OF_RESOURCES;
    const struct clc_lowered *lowered = queue->device->store_lowered;
    struct vkb_grid grid = {.groups = {1, 1, 1}};
    if (lowered->block_size > sizeof(block) ||
        vkb_shader_pipeline(queue->device->store_shader, spec_values, CLC_SPEC_COUNT, 0, &grid.pipeline) != VKB_SUCCESS)
        return CL_OUT_OF_RESOURCES;
    put(block, lowered, 0, address);
    put(block, lowered, 1, values[0]);
    put(block, lowered, 2, values[1]);
    const struct vkb_dispatch dispatch = {
        .shader = queue->device->store_shader,
        .block = block,
        .block_size = lowered->block_size,
        .block_in_push_constants = lowered->block_in_push_constants,
        .group_base_offset = lowered->launch_offset[CLC_LAUNCH_GROUP_BASE],
        .grids = &grid,
        .num_grids = 1,
        .reaches_any = true,
    };
    struct vkb_event *done = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue->vk, .event = &done};
    enum vkb_result result = vkb_cmd_dispatch(&enqueue, &dispatch);
    if (result == VKB_SUCCESS)
        result = vkb_cmd_marker(&(struct vkb_enqueue){.queue = queue->vk, .num_waits = 1, .waits = &done}, true);
    if (result == VKB_SUCCESS)
        result = vkb_event_wait(done, UINT64_MAX);
    vkb_event_release(done);
    return ocl_from_vkb(result);
}
