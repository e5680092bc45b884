/* Two numbers for a pointer that only the device knows: capture_event_profiling_info() (OpenCL C 3.0, 6.15.19.6) names
 * any global memory. So a small kernel stores them. It is compiled once for each device, when first needed, and kept.
 */
#include "src/device/device.h"
#include "src/launch/family.h"
#include "src/object/queue.h"
#include "src/probe/own_kernel.h"

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
    if (lowered && !lowered->constants.size && !lowered->scratch_size &&
        vkb_shader_create(device->vk, lowered->words, lowered->num_words, own_kernel_push_size(lowered), &shader) ==
            VKB_SUCCESS) {
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

cl_int ocl_store_profile(cl_command_queue queue, uint64_t address, const uint64_t values[2])
{
    static const uint32_t spec_values[CLC_SPEC_COUNT] = {1, 1, 1, 0};
    struct own_launch launch;
    if (!prepare(queue->device))
        return CL_OUT_OF_RESOURCES;
    if (!own_launch_init(&launch, queue->device->store_lowered, queue->device->store_shader, spec_values, 0, 1))
        return CL_OUT_OF_RESOURCES;
    own_launch_arg(&launch, 0, &address, sizeof(address));
    own_launch_arg(&launch, 1, &values[0], sizeof(values[0]));
    own_launch_arg(&launch, 2, &values[1], sizeof(values[1]));
    launch.dispatch.name = "(Pumice's profile)";
    launch.dispatch.reaches_any = true;
    struct vkb_event *done = NULL;
    const struct vkb_enqueue enqueue = {.queue = queue->vk, .event = &done};
    enum vkb_result result = vkb_cmd_dispatch(&enqueue, &launch.dispatch);
    if (result == VKB_SUCCESS)
        result = vkb_cmd_marker(&(struct vkb_enqueue){.queue = queue->vk, .num_waits = 1, .waits = &done}, true);
    if (result == VKB_SUCCESS)
        result = vkb_event_wait(done, UINT64_MAX);
    vkb_event_release(done);
    return ocl_from_vkb(result);
}
