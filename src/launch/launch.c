/* Kernel launches: from an NDRange, which range.c splits into grids, to Vulkan dispatches.
 *
 * The argument block is put together on the stack (args.c). A kernel that prints gets a buffer of its own for each
 * launch (text.c). A kernel with too much private memory for the registers has scratch in a buffer; if a launch
 * would need too much of it, the launch is split into parts that run one after the other. */
#include "src/command/command.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/launch/any_size.h"
#include "src/launch/checked.h"
#include "src/launch/family.h"
#include "src/launch/launch.h"
#include "src/launch/pack.h"
#include "src/launch/range.h"
#include "src/launch/written.h"
#include "src/launch/state.h"
#include "src/object/ahead.h"
#include "src/object/context.h"
#include "src/object/kernel.h"
#include "src/object/memory.h"
#include "src/object/program.h"
#include "src/object/queue.h"

#include "base/trace.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH_LIMIT (256ull << 20) /* bytes at one time */

/* ---- what one dispatch may have ---- */

static uint64_t grid_items(const struct vkb_grid *grid, const uint32_t local[3])
{
    uint64_t items = 1;
    for (int i = 0; i < 3; i++)
        items *= (uint64_t)grid->groups[i] * local[i];
    return items;
}

/* Lowers the limits until one dispatch's scratch fits, keeping whole rows of groups as long as possible. per_group:
 * bytes. */
static void limit_for_scratch(const struct ocl_range *range, uint64_t per_group, uint32_t limits[3])
{
    uint64_t groups = u64_max(SCRATCH_LIMIT / u64_max(per_group, 1), 1);
    for (int i = 0; i < 3; i++) {
        uint64_t wanted = (range->global[i] + range->local[i] - 1) / range->local[i];
        limits[i] = (uint32_t)u64_max(u64_min(u64_min(limits[i], wanted), groups), 1);
        groups = u64_max(groups / limits[i], 1);
    }
}

/* ---- what every launch has in its block ---- */

static void put_range(struct launch *launch)
{
    const int32_t *offset = launch->lowered->launch_offset;
    const struct ocl_range *range = launch->range;
    uint32_t groups[3], zero[3] = {0}, dims = range->dims;
    for (int i = 0; i < 3; i++)
        groups[i] = (uint32_t)((range->global[i] + range->local[i] - 1) / range->local[i]);
    launch_put(launch, offset[CLC_LAUNCH_GLOBAL_OFFSET], range->offset, sizeof(range->offset));
    launch_put(launch, offset[CLC_LAUNCH_QUERIED_OFFSET], range->offset, sizeof(range->offset));
    launch_put(launch, offset[CLC_LAUNCH_GLOBAL_SIZE], range->global, sizeof(range->global));
    launch_put(launch, offset[CLC_LAUNCH_NUM_GROUPS], groups, sizeof(groups));
    launch_put(launch, offset[CLC_LAUNCH_GROUP_BASE], zero, sizeof(zero));
    launch_put(launch, offset[CLC_LAUNCH_ENQUEUED_LOCAL_SIZE], range->local, sizeof(range->local));
    launch_put(launch, offset[CLC_LAUNCH_WORK_DIM], &dims, sizeof(dims));
    if (!launch->lowered->can_bound)
        return;
    const uint32_t bound[3] = {(uint32_t)range->global[0], (uint32_t)range->global[1], (uint32_t)range->global[2]};
    const uint32_t tile = clc_tile_word(range->local);
    launch_put(launch, offset[CLC_LAUNCH_BOUND], bound, sizeof(bound));
    launch_put(launch, offset[CLC_LAUNCH_TILE], &tile, sizeof(tile));
}

/* ---- kernels that watch their accesses ---- */

static cl_int make_checked(struct launch *launch)
{
    if (launch->family && !ocl_checked_begin_family(launch->family))
        return CL_OUT_OF_RESOURCES;
    if (!ocl_is_checked(launch->lowered))
        return CL_SUCCESS;
    if (launch->lowered->unseen_writes) {
        cl_int error = ocl_written_unseen(launch);
        if (error != CL_SUCCESS)
            return error;
    }
    if (!ocl_watches(launch->lowered))
        return CL_SUCCESS;
    launch->checked = ocl_checked_create(launch);
    if (!launch->checked || !ocl_checked_use(launch->checked, launch))
        return CL_OUT_OF_RESOURCES;
    ocl_checked_put(launch->checked, launch->block);
    launch->command->want_event |= ocl_checks_report();
    return CL_SUCCESS;
}

/* Where the checks leave too little local memory, the kernel runs without them. */
static cl_int size_local(struct launch *launch)
{
    cl_program program = launch->kernel->program;
    cl_int error = launch_size_local_args(launch);
    if (error != CL_OUT_OF_RESOURCES || !launch->lowered->num_check_sites)
        return error;
    int device = ocl_program_device_index(program, launch->command->queue->device);
    struct ocl_code *code = ocl_code_unchecked(program, (cl_uint)device, launch->code);
    if (!code)
        return error;
    launch->code = code;
    launch->lowered = code->lowered;
    return launch_size_local_args(launch);
}

static enum vkb_result enqueue_report(struct launch *launch)
{
    enum vkb_result result = ocl_checked_bring(launch->checked, launch);
    if (result == VKB_SUCCESS)
        result = ocl_command_behind(launch->command, ocl_checked_report, launch->checked);
    if (result == VKB_SUCCESS)
        launch->checked = NULL;
    return result;
}

/* ---- kernels that enqueue kernels ---- */

/* A kernel of the application begins a family; what kernels enqueue belongs to one already. */
static cl_int make_family(struct launch *launch)
{
    if (launch->lowered->launch_offset[CLC_LAUNCH_ENQUEUE] < 0 || launch->command->family)
        return CL_SUCCESS;
    launch->family = ocl_family_create(launch->command->queue, launch->kernel);
    return launch->family ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static void put_family(struct launch *launch)
{
    struct ocl_family *family = launch->family ? launch->family : launch->command->family;
    if (launch->lowered->launch_offset[CLC_LAUNCH_ENQUEUE] < 0)
        return;
    launch_put_address(launch, CLC_LAUNCH_ENQUEUE, family->header);
    launch_put(launch, launch->lowered->launch_offset[CLC_LAUNCH_ENQUEUE_PARENT], &launch->command->family_number, 4);
    launch_add_access(launch, family->header, true, true);
    launch_add_access(launch, family->body, true, true);
    launch->reaches_any = true; /* its descendants do */
    launch->command->want_event = true;
}

/* ---- scratch ---- */

/* Launches of an in-order queue share one buffer, which only grows. In an out-of-order queue each launch has its own.
 */
static cl_int make_scratch(struct launch *launch, uint64_t size)
{
    cl_command_queue queue = launch->command->queue;
    enum vkb_result result = VKB_SUCCESS;
    if (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
        result = vkb_buffer_create(queue->device->vk, size, VKB_MEMORY_DEVICE, &launch->scratch);
    } else {
        ocl_lock(&queue->mutex);
        if (!queue->scratch || vkb_buffer_size(queue->scratch) < size) {
            struct vkb_buffer *grown;
            result = vkb_buffer_create(queue->device->vk, size, VKB_MEMORY_DEVICE, &grown);
            if (result == VKB_SUCCESS) {
                if (queue->scratch)
                    vkb_buffer_release(queue->scratch);
                queue->scratch = grown;
            }
        }
        if (result == VKB_SUCCESS)
            launch->scratch = vkb_buffer_retain(queue->scratch);
        ocl_unlock(&queue->mutex);
    }
    if (result != VKB_SUCCESS) {
        launch->scratch = NULL;
        return ocl_from_vkb(result);
    }
    launch_add_access(launch, launch->scratch, true, true);
    return CL_SUCCESS;
}

/* ---- the launch ---- */

static void pipeline_values(const struct launch *launch, const uint32_t local[3], uint32_t values[CLC_SPEC_COUNT])
{
    memcpy(values, local, 3 * sizeof(values[0]));
    values[CLC_SPEC_LOCAL_ARGS_SIZE] = launch->local_args_size;
    values[CLC_SPEC_IMAGES] = launch->image_kinds;
    values[CLC_SPEC_REACH] = vkb_device_has_large_buffers(launch->command->queue->device->vk) ? CLC_REACH_LARGE : 0;
    values[CLC_SPEC_REACH] |= launch->has_inner ? CLC_REACH_INNER : 0;
    values[CLC_SPEC_BOUNDS] = launch->bounds;
    for (int i = 0; i < 3; i++)
        values[CLC_SPEC_MORE_GROUPS_X + i] = launch->packs[i] - 1;
}

static bool is_of_last_size(const struct ocl_grids *grids, uint32_t i)
{
    return i > 0 && memcmp(grids->locals[i], grids->locals[i - 1], sizeof(grids->locals[0])) == 0;
}

/* Each grid's remainder has a size of its own: other threads begin the pipelines of the later ones while this one makes
 * the first. */
static void begin_pipelines(struct launch *launch, const struct ocl_grids *grids, uint32_t lanes)
{
    uint32_t values[CLC_SPEC_COUNT];
    for (uint32_t i = 1; i < grids->count; i++) {
        if (is_of_last_size(grids, i))
            continue;
        pipeline_values(launch, grids->locals[i], values);
        vkb_shader_prefetch(launch->shader, values, CLC_SPEC_COUNT, lanes);
    }
}

/* Which groups share one of the device's, and what that and the local size leave at the range's end. A range that was
 * regrouped has groups for which there is a pipeline. */
static void choose_bounds(struct launch *launch)
{
    const struct ocl_range *range = launch->range;
    /* Pipelines that stand in for others have no groups that share one. */
    launch->packs[0] = launch->packs[1] = launch->packs[2] = 1;
    if (!launch->lanes && range != &launch->regrouped)
        ocl_pack_choose(range, launch->code, launch->command->queue->device, launch->packs);
    launch->bounds = ocl_range_bounds(range, launch->code);
    if (launch->bounds == CLC_BOUNDS_WHOLE && ocl_pack_is_uneven(range, launch->packs))
        launch->bounds = CLC_BOUNDS_CHECKED;
}

struct regroup {
    const struct launch *launch;
    struct ocl_range range;
};

static bool regroup(void *data, const uint32_t *values)
{
    struct regroup *r = data;
    r->range = *r->launch->range;
    return ocl_range_regroup(&r->range, r->launch->code, r->launch->command->queue->device, values);
}

/* A kernel that cannot tell in which groups it runs need not wait for the pipeline of just this work-group size where
 * the driver takes long for one: programs that look for the fastest size by trying each would wait once for every size.
 * It runs in groups for which there is a pipeline, until the other one is there. */
static void regroup_range(struct launch *launch)
{
    const struct ocl_range *range = launch->range;
    cl_device_id device = launch->command->queue->device;
    struct regroup r = {launch, *range};
    if (launch->lanes || !ocl_groups_are_hidden(launch->code) || launch->code->info->reqd_sub_group_size ||
        ocl_range_is_vast(range))
        return;
    if (ocl_range_tile_one(&r.range, launch->code, device)) {
        launch->regrouped = r.range;
        range = launch->range = &launch->regrouped;
    }
    /* Work-items that wait for each other in loops may not share a sub-group where the application gave each a group of
     * its own. A recording would have the other groups for ever. */
    if ((launch->is_task && !range->tiled) || launch->command->recording)
        return;
    uint32_t wanted[CLC_SPEC_COUNT], found[CLC_SPEC_COUNT], group[3];
    memcpy(group, range->local, sizeof(group));
    choose_bounds(launch);
    if (launch->bounds == CLC_BOUNDS_TILED)
        ocl_tile_group(device, group);
    pipeline_values(launch, group, wanted);
    const struct vkb_stand_in args = {
        .wanted = wanted,
        .count = CLC_SPEC_COUNT,
        .may_differ = 1 << CLC_SPEC_LOCAL_SIZE_X | 1 << CLC_SPEC_LOCAL_SIZE_Y | 1 << CLC_SPEC_LOCAL_SIZE_Z |
                      1 << CLC_SPEC_BOUNDS | 1 << CLC_SPEC_MORE_GROUPS_X | 1 << CLC_SPEC_MORE_GROUPS_Y |
                      1 << CLC_SPEC_MORE_GROUPS_Z,
        .fits = regroup,
        .data = &r,
    };
    struct vkb_shader *shader;
    if (vkb_shader_for_images(launch->code->shader, launch->images, &shader) != VKB_SUCCESS ||
        !vkb_shader_stand_in(shader, &args, found))
        return;
    launch->regrouped = r.range;
    launch->range = &launch->regrouped;
}

/* Takes the code for groups of any size where the pipeline for this size would be one too many to wait for. */
static void choose_code(struct launch *launch)
{
    uint32_t values[CLC_SPEC_COUNT];
    cl_device_id device = launch->command->queue->device;
    if (launch->command->recording || !ocl_may_have_any_size(launch->code, device, launch->range))
        return;
    launch->bounds = CLC_BOUNDS_WHOLE;
    pipeline_values(launch, launch->range->local, values);
    struct ocl_code *code = ocl_choose_any_size(launch->kernel, launch->code, device, values);
    if (!code)
        return;
    launch->code = code;
    launch->lowered = code->lowered;
    launch->lanes = ocl_any_size_lanes(launch->range, device);
}

static cl_int make_pipelines(struct launch *launch, struct ocl_grids *grids)
{
    cl_device_id device = launch->command->queue->device;
    uint32_t values[CLC_SPEC_COUNT], lanes = ocl_code_lanes(launch->code, device);
    enum vkb_result result = vkb_shader_for_images(launch->code->shader, launch->images, &launch->shader);
    if (result == VKB_SUCCESS)
        begin_pipelines(launch, grids, lanes);
    for (uint32_t i = 0; i < grids->count && result == VKB_SUCCESS; i++) {
        if (is_of_last_size(grids, i)) {
            grids->list[i].pipeline = grids->list[i - 1].pipeline;
            continue;
        }
        pipeline_values(launch, grids->locals[i], values);
        ocl_ahead_needed(ocl_kernel_build(launch->kernel, device)->ahead, launch->code, device, values,
                         launch->is_task);
        result = vkb_shader_pipeline(launch->shader, values, CLC_SPEC_COUNT, lanes, &grids->list[i].pipeline);
        if (result == VKB_SUCCESS && vkb_pipeline_use(grids->list[i].pipeline))
            ocl_ahead_used(launch->code, device, values);
    }
    return result == VKB_SUCCESS              ? CL_SUCCESS
           : result == VKB_OUT_OF_HOST_MEMORY ? CL_OUT_OF_HOST_MEMORY
                                              : CL_OUT_OF_RESOURCES;
}

static enum vkb_result dispatch(struct launch *launch, const struct vkb_grid *grids, uint32_t num_grids)
{
    const struct clc_lowered *lowered = launch->lowered;
    struct vkb_dispatch dispatch = {
        .shader = launch->shader,
        .block = launch->block,
        .block_size = lowered->block_size,
        .block_in_push_constants = lowered->block_in_push_constants,
        .group_base_offset = lowered->launch_offset[CLC_LAUNCH_GROUP_BASE],
        .grids = grids,
        .num_grids = num_grids,
        .accesses = launch->accesses,
        .num_accesses = launch->num_accesses,
        .images = launch->images,
        .reaches_any = lowered->pointers_from_memory || launch->reaches_any,
        .stays_whole = lowered->watches_memory,
        .name = trace_enabled() ? trace_intern(launch->code->info->name) : NULL,
    };
    struct vkb_enqueue enqueue = ocl_command_enqueue(launch->command);
    if (launch->command->done) {
        enum vkb_result result = ocl_command_step(launch->command, &enqueue);
        if (result != VKB_SUCCESS)
            return result;
    }
    return vkb_cmd_dispatch(&enqueue, &dispatch);
}

/* Enqueues a dispatch for each grid, each behind the one before: they use the same scratch, or differ in the upper bits
 * of their ids. */
static enum vkb_result dispatch_in_parts(struct launch *launch, const struct ocl_grids *grids)
{
    launch->command->want_event = true;
    for (uint32_t i = 0; i < grids->count; i++) {
        uint64_t offset[3];
        for (int k = 0; k < 3; k++)
            offset[k] = launch->range->offset[k] +
                        (((uint64_t)grids->list[i].group_base[k] * launch->range->local[k]) >> 32 << 32);
        launch_put(launch, launch->lowered->launch_offset[CLC_LAUNCH_GLOBAL_OFFSET], offset, sizeof(offset));
        enum vkb_result result = dispatch(launch, &grids->list[i], 1);
        if (result != VKB_SUCCESS)
            return result;
    }
    return VKB_SUCCESS;
}

static cl_int launch_grids(struct launch *launch, struct ocl_grids *grids, enum vkb_result *result)
{
    const struct clc_lowered *lowered = launch->lowered;
    struct ocl_command *command = launch->command;
    uint32_t limits[3], group[3];
    memcpy(limits, command->queue->device->caps->max_workgroup_count, sizeof(limits));
    memcpy(group, launch->range->local, sizeof(group));
    choose_bounds(launch);
    if (launch->bounds == CLC_BOUNDS_TILED)
        ocl_tile_group(command->queue->device, group);
    if (launch->lanes)
        memcpy(group, (const uint32_t[]){launch->lanes, 1, 1}, sizeof(group));
    if (lowered->scratch_size)
        limit_for_scratch(launch->range, (uint64_t)lowered->scratch_size * group[0] * group[1] * group[2], limits);
    if (!ocl_range_splits(launch->range))
        return CL_INVALID_WORK_GROUP_SIZE;
    if (!ocl_range_split(launch->range, limits, launch->bounds, group, launch->packs, grids))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = make_pipelines(launch, grids);
    if (error == CL_SUCCESS && lowered->scratch_size) {
        uint64_t items = 0;
        for (uint32_t i = 0; i < grids->count; i++)
            items = u64_max(items, grid_items(&grids->list[i], grids->locals[i]));
        error = make_scratch(launch, items * lowered->scratch_size);
    }
    if (error == CL_SUCCESS && lowered->uses_printf)
        error = launch_make_text(launch);
    if (error == CL_SUCCESS)
        error = make_checked(launch);
    if (error != CL_SUCCESS)
        return error;
    put_family(launch);
    if (lowered->launch_offset[CLC_LAUNCH_ORDER] >= 0) {
        struct vkb_buffer *word = ocl_context_order_word(command->queue->context, command->queue->device_index);
        if (!word)
            return CL_OUT_OF_RESOURCES;
        launch_put_address(launch, CLC_LAUNCH_ORDER, word);
        launch_add_access(launch, word, true, false); /* launches that share it need not wait for each other */
    }
    launch_put_address(launch, CLC_LAUNCH_SCRATCH, launch->scratch);
    launch_put_address(launch, CLC_LAUNCH_PRINTF, launch->printf_buffer);
    if (lowered->uses_printf)
        command->want_event = true;
    if (grids->count > 1 && (lowered->scratch_size || ocl_range_is_vast(launch->range)))
        *result = dispatch_in_parts(launch, grids);
    else
        *result = dispatch(launch, grids->list, grids->count);
    if (*result == VKB_SUCCESS && lowered->num_bindings)
        *result = launch_return_images(launch);
    if (*result == VKB_SUCCESS && lowered->uses_printf)
        *result = launch_flush_text(launch);
    if (*result == VKB_SUCCESS && launch->checked && ocl_checks_report())
        *result = enqueue_report(launch);
    if (*result == VKB_SUCCESS && launch->family) {
        *result = ocl_family_follow(launch->family, command);
        launch->family = NULL;
    }
    return CL_SUCCESS;
}

static bool launch_init(struct launch *launch)
{
    /* The ten others are globals, constants, printf, checks' three, scratch, order and the family's two. */
    size_t capacity = launch->kernel->info->num_args + launch->kernel->num_indirect + 10;
    launch->pins = launch->fixed_pins;
    if (capacity > ARRAY_LENGTH(launch->fixed_pins))
        launch->pins = malloc(capacity * sizeof(launch->pins[0]));
    launch->accesses = launch->fixed_accesses;
    if (capacity > ARRAY_LENGTH(launch->fixed_accesses))
        launch->accesses = malloc(capacity * sizeof(launch->accesses[0]));
    launch->images = launch->fixed_images;
    if (launch->lowered->num_bindings > ARRAY_LENGTH(launch->fixed_images))
        launch->images = malloc(launch->lowered->num_bindings * sizeof(launch->images[0]));
    launch->block = launch->fixed_block;
    if (launch->lowered->block_size > sizeof(launch->fixed_block))
        launch->block = malloc(launch->lowered->block_size);
    if (launch->block)
        memset(launch->block, 0, launch->lowered->block_size);
    return launch->accesses && launch->images && launch->pins && launch->block;
}

/* An argument is a weak reference. The launch takes one to what is there, so that it stays there meanwhile. */
static cl_int keep_args(struct launch *launch)
{
    uint32_t count = launch->kernel->info->num_args;
    for (; launch->num_kept < count; launch->num_kept++) {
        cl_mem mem = launch->kernel->args[launch->num_kept].mem;
        if (mem && !ocl_try_retain(&mem->object))
            return CL_INVALID_KERNEL_ARGS; /* released by another thread since the arguments were checked */
    }
    return CL_SUCCESS;
}

/* Behind the command's end, which notes in its memory objects what wrote them. */
static void drop_args(struct launch *launch)
{
    for (uint32_t i = 0; i < launch->num_kept; i++) {
        if (launch->kernel->args[i].mem)
            ocl_mem_release(launch->kernel->args[i].mem);
    }
    for (uint32_t i = 0; i < launch->num_pins; i++) {
        vkb_buffer_release(launch->pins[i].buffer);
        if (launch->pins[i].mem)
            ocl_mem_release(launch->pins[i].mem);
    }
    if (launch->pins != launch->fixed_pins)
        free(launch->pins);
}

static void launch_finish(struct launch *launch)
{
    if (launch->accesses != launch->fixed_accesses)
        free(launch->accesses);
    if (launch->images != launch->fixed_images)
        free(launch->images);
    if (launch->block != launch->fixed_block)
        free(launch->block);
    if (launch->printf_buffer)
        vkb_buffer_release(launch->printf_buffer);
    if (launch->scratch)
        vkb_buffer_release(launch->scratch);
    ocl_checked_destroy(launch->checked);
    ocl_family_destroy(launch->family);
}

static void put_blocks(struct launch *launch)
{
    const struct ocl_build *build = ocl_kernel_build(launch->kernel, launch->command->queue->device);
    launch_put_address(launch, CLC_LAUNCH_GLOBALS, build->globals);
    launch_put_address(launch, CLC_LAUNCH_CONSTANTS, launch->code->constants);
    bool takes_globals = launch->lowered->launch_offset[CLC_LAUNCH_GLOBALS] >= 0;
    if (build->globals && (takes_globals || launch->code->constants)) /* constants may be the addresses of variables */
        launch_add_access(launch, build->globals, takes_globals, takes_globals);
    if (launch->code->constants)
        launch_add_access(launch, launch->code->constants, true, false);
}

cl_int ocl_launch(struct ocl_command *command, cl_kernel kernel, const struct ocl_range *range)
{
    if (range->empty)
        return ocl_command_end(command, ocl_command_nothing(command), false);
    if (check_on(CHECK_KERNELS))
        check_ran(kernel->info->name);
    struct ocl_code *code = ocl_kernel_code(kernel, command->queue->device);
    struct launch launch;
    launch.command = command;
    launch.kernel = kernel;
    launch.range = range;
    launch.is_task = !range->tiled && range->local[0] == 1 && range->local[1] == 1 && range->local[2] == 1;
    launch.code = code;
    launch.lowered = code->lowered;
    launch.lanes = 0;
    launch.packs[0] = launch.packs[1] = launch.packs[2] = 1;
    launch.image_kinds = ocl_code_filters(code->lowered);
    launch.num_accesses = 0;
    launch.num_pins = launch.num_kept = 0;
    launch.reaches_any = kernel->reaches_any;
    launch.has_inner = false;
    launch.printf_buffer = launch.scratch = NULL;
    launch.checked = NULL;
    launch.family = NULL;
    struct ocl_grids grids;
    ocl_grids_init(&grids);
    enum vkb_result result = VKB_SUCCESS;
    cl_int error = size_local(&launch);
    if (error == CL_SUCCESS)
        choose_code(&launch);
    if (error == CL_SUCCESS && launch.lanes)
        error = launch_size_local_args(&launch);
    if (!launch_init(&launch))
        error = CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        error = keep_args(&launch);
    if (error == CL_SUCCESS)
        error = make_family(&launch);
    if (error == CL_SUCCESS)
        error = launch_put_images(&launch);
    if (error == CL_SUCCESS)
        error = launch_put_args(&launch);
    if (error == CL_SUCCESS) {
        regroup_range(&launch);
        put_range(&launch);
        put_blocks(&launch);
        error = launch_grids(&launch, &grids, &result);
        if (launch.lowered->pointers_from_memory || launch.reaches_any)
            ocl_command_writes_any(command);
    }
    launch_finish(&launch);
    ocl_grids_finish(&grids);
    error = error == CL_SUCCESS ? ocl_command_end(command, result, false) : ocl_command_fail(command, error);
    drop_args(&launch);
    return error;
}
