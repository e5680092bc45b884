/* Whether a device can run a kernel, asked once: after every build, and after every load from IL, a binary or the
 * cache.
 *
 * Two sides meet here. The kernel's description comes from its module (attributes, arguments) and says what the program
 * wants. The lowered kernel says where the launch puts things; it may come from a file that somebody else wrote. What
 * passes is what launch code, prefetching of pipelines and the backend rely on: they assert, and check nothing again.
 */
#include "src/build/admit.h"
#include "src/device/device.h"

#include "base/spirv.h"
#include "base/util.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_BLOCK (64u << 10) /* bytes of an argument block: it travels through staging memory */

struct admission {
    const struct clc_kernel_info *info;
    const struct clc_lowered *lowered;
    const struct _cl_device_id *device;
    char reason[OCL_REASON_SIZE];
};

__attribute__((format(printf, 2, 3))) static bool refused(struct admission *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->reason, sizeof(a->reason), format, args);
    va_end(args);
    return false;
}

/* ---- what the program wants ---- */

/* OpenCL C 3.0, 6.11.2: the attribute's numbers are the local_work_size of every launch. */
static bool check_required_size(struct admission *a)
{
    const struct vkb_caps *caps = a->device->caps;
    const uint32_t *size = a->info->reqd_work_group_size;
    uint64_t items = 1;
    if (!size[0] && !size[1] && !size[2])
        return true;
    for (int i = 0; i < 3; i++) {
        if (size[i] == 0 || size[i] > caps->max_workgroup_size[i])
            return refused(a,
                           "reqd_work_group_size(%u,%u,%u) is not possible: the device's work-groups have at most "
                           "%u x %u x %u work-items",
                           size[0], size[1], size[2], caps->max_workgroup_size[0], caps->max_workgroup_size[1],
                           caps->max_workgroup_size[2]);
        items *= size[i]; /* each is at most 2^32 - 1, and the product of two is checked before the third */
        if (items > caps->max_workgroup_invocations)
            return refused(a,
                           "reqd_work_group_size(%u,%u,%u) is not possible: the device's work-groups have at most %u "
                           "work-items",
                           size[0], size[1], size[2], caps->max_workgroup_invocations);
    }
    return true;
}

/* A hint may ask for more than the device has: then nobody takes it. */
static bool check_hint(struct admission *a)
{
    const uint32_t *hint = a->info->work_group_size_hint;
    if ((hint[0] || hint[1] || hint[2]) && (!hint[0] || !hint[1] || !hint[2]))
        return refused(a, "work_group_size_hint(%u,%u,%u) has a zero", hint[0], hint[1], hint[2]);
    return true;
}

static bool check_subgroups(struct admission *a)
{
    const struct clc_target *target = &a->device->target;
    uint32_t least = 0, most = 0;
    uint32_t size = a->info->reqd_sub_group_size;
    if (!size)
        return true;
    for (uint32_t possible = 1; possible <= CLC_MAX_SUBGROUP_SIZE; possible *= 2) {
        most = clc_subgroup_lanes(target, possible) ? possible : most;
        least = least ? least : most;
    }
    if (!a->device->subgroups || !clc_subgroup_lanes(target, size))
        return refused(a, "sub-groups of %u work-items are not possible: they may have %u to %u, a power of two", size,
                       least, most);
    return true;
}

/* ---- where the launch puts things ---- */

static bool check_block(struct admission *a)
{
    const struct clc_lowered *l = a->lowered;
    if (l->block_size % 4 || l->block_size > MAX_BLOCK)
        return refused(a, "its arguments take %u bytes, the limit is %u", l->block_size, MAX_BLOCK);
    if (l->block_in_push_constants && l->block_size > a->device->target.max_push_constants)
        return refused(a, "%u bytes of push constants: the device has %u", l->block_size,
                       a->device->target.max_push_constants);
    return true;
}

/* Whether size bytes at the offset lie in the argument block. */
static bool in_block(const struct clc_lowered *l, uint32_t offset, uint64_t size)
{
    return size <= l->block_size && offset <= l->block_size - size;
}

static uint32_t argument_size(const struct clc_arg_info *arg)
{
    switch (arg->kind) {
    case CLC_ARG_VALUE:
        return arg->size;
    case CLC_ARG_GLOBAL:
    case CLC_ARG_CONSTANT:
    case CLC_ARG_PIPE:
    case CLC_ARG_QUEUE:
        return 8;
    case CLC_ARG_LOCAL:
    case CLC_ARG_IMAGE:
    case CLC_ARG_SAMPLER:
        break;
    }
    return 4;
}

static bool check_arguments(struct admission *a)
{
    const struct clc_lowered *l = a->lowered;
    bool local = false;
    for (uint32_t i = 0; i < a->info->num_args; i++) {
        const struct clc_arg_info *arg = &a->info->args[i];
        if (l->arg_offset[i] == UINT32_MAX)
            continue;
        if (!in_block(l, l->arg_offset[i], argument_size(arg)))
            return refused(a, "argument %u lies outside the argument block", i);
        if (arg->kind == CLC_ARG_LOCAL && arg->align & (arg->align - 1))
            return refused(a, "argument %u is local memory aligned to %u bytes", i, arg->align);
        local |= arg->kind == CLC_ARG_LOCAL;
    }
    if (local && !l->uses_local_args)
        return refused(a, "it has local arguments, and no memory for them");
    return true;
}

static bool check_launch_values(struct admission *a)
{
    static const uint8_t sizes[CLC_LAUNCH_COUNT] = {
        [CLC_LAUNCH_GLOBAL_OFFSET] = 24, [CLC_LAUNCH_GLOBAL_SIZE] = 24,    [CLC_LAUNCH_NUM_GROUPS] = 12,
        [CLC_LAUNCH_GROUP_BASE] = 12,    [CLC_LAUNCH_WORK_DIM] = 4,        [CLC_LAUNCH_ENQUEUED_LOCAL_SIZE] = 12,
        [CLC_LAUNCH_PRINTF] = 8,         [CLC_LAUNCH_GLOBALS] = 8,         [CLC_LAUNCH_CONSTANTS] = 8,
        [CLC_LAUNCH_SCRATCH] = 8,        [CLC_LAUNCH_ORDER] = 8,           [CLC_LAUNCH_ENQUEUE] = 8,
        [CLC_LAUNCH_ENQUEUE_PARENT] = 4, [CLC_LAUNCH_QUERIED_OFFSET] = 24, [CLC_LAUNCH_BOUND] = 12,
        [CLC_LAUNCH_TILE] = 4,           [CLC_LAUNCH_CHECK] = 8,
    };
    const struct clc_lowered *l = a->lowered;
    for (uint32_t i = 0; i < CLC_LAUNCH_COUNT; i++) {
        assert(sizes[i]); /* each value is in the table */
        if (l->launch_offset[i] >= 0 && !in_block(l, (uint32_t)l->launch_offset[i], sizes[i]))
            return refused(a, "launch value %u lies outside the argument block", i);
    }
    if (l->can_bound && (l->launch_offset[CLC_LAUNCH_BOUND] < 0 || l->launch_offset[CLC_LAUNCH_TILE] < 0))
        return refused(a, "it is to keep within its range, which it does not know");
    return true;
}

/* A checked kernel may run without its checks. */
static bool check_local_memory(struct admission *a)
{
    const struct clc_lowered *l = a->lowered;
    uint32_t available = a->device->caps->shared_memory;
    if (l->num_check_sites && a->info->local_size <= available)
        return true;
    if (l->local_size > available || l->local_args_offset > available)
        return refused(a, "it needs %u bytes of local memory, the device has %u",
                       l->local_size > l->local_args_offset ? l->local_size : l->local_args_offset, available);
    return true;
}

/* Private memory that lies in a buffer: one work-item's must be possible, or no launch is. */
static bool check_scratch(struct admission *a)
{
    if (a->lowered->scratch_size > a->device->max_allocation)
        return refused(a, "it needs %u bytes of private memory for each work-item", a->lowered->scratch_size);
    return true;
}

static bool check_bindings(struct admission *a)
{
    const struct clc_lowered *l = a->lowered;
    for (uint32_t i = 0; i < l->num_bindings; i++) {
        const struct clc_binding *binding = &l->bindings[i];
        if (binding->arg >= a->info->num_args || a->info->args[binding->arg].kind != CLC_ARG_IMAGE ||
            binding->kind > CLC_BINDING_SAMPLER || binding->class > CLC_BINDING_INTEGER ||
            binding->level >= (binding->kind == CLC_BINDING_SAMPLER ? CLC_FILTER_COUNT : CLC_MAX_LEVELS))
            return refused(a, "descriptor %u is of no image argument", i);
    }
    return true;
}

bool ocl_images_fit(const struct clc_lowered *lowered, const struct vkb_caps *caps)
{
    uint32_t sampled = 0, storage = 0;
    for (uint32_t i = 0; i < lowered->num_bindings; i++) {
        enum clc_binding_kind kind = lowered->bindings[i].kind;
        sampled += kind == CLC_BINDING_SAMPLED_IMAGE || kind == CLC_BINDING_SAMPLED_BUFFER;
        storage += kind == CLC_BINDING_STORAGE_IMAGE || kind == CLC_BINDING_STORAGE_BUFFER;
    }
    return sampled <= caps->max_sampled_images && storage <= caps->max_storage_images &&
           sampled + storage <= caps->max_images;
}

static bool check_images(struct admission *a)
{
    const struct vkb_caps *caps = a->device->caps;
    return ocl_images_fit(a->lowered, caps) ||
           refused(a, "it has too many images: the device has %u that are read, %u that are written, %u together",
                   caps->max_sampled_images, caps->max_storage_images, caps->max_images);
}

static const char *data_problem(const struct clc_data_block *block, uint64_t limit)
{
    if (block->size > limit)
        return "it is larger than the device's memory for it";
    if (block->init_size > block->size)
        return "its initial value is longer than itself";
    for (uint32_t i = 0; i < block->num_relocations; i++) {
        const struct clc_relocation *relocation = &block->relocations[i];
        if (block->size < 8 || relocation->offset > block->size - 8 || relocation->block > CLC_BLOCK_CONSTANTS)
            return "an address in it lies outside";
    }
    return NULL;
}

static bool check_constants(struct admission *a)
{
    const char *problem = data_problem(&a->lowered->constants, a->device->max_allocation);
    return !problem || refused(a, "its block of constants: %s", problem);
}

static bool check_words(struct admission *a)
{
    return spirv_is_whole(a->lowered->words, a->lowered->num_words) || refused(a, "its code is no SPIR-V");
}

bool ocl_admit(const struct ocl_build *build, const struct _cl_device_id *device,
               void (*refuse)(void *data, const char *kernel, const char *reason), void *data)
{
    static bool (*const checks[])(struct admission *) = {
        check_required_size, check_hint,    check_subgroups, check_block,  check_arguments, check_launch_values,
        check_local_memory,  check_scratch, check_bindings,  check_images, check_constants, check_words,
    };
    const struct clc_data_block *globals = clc_program_globals(build->program);
    uint64_t limit = u64_min(device->max_allocation, OCL_MAX_GLOBAL_VARIABLES);
    const char *problem = globals ? data_problem(globals, limit) : NULL;
    bool all = true;
    if (problem) {
        refuse(data, NULL, problem);
        all = false;
    }
    for (uint32_t i = 0; i < build->num_codes; i++) {
        struct admission a = {.info = build->codes[i].info, .lowered = build->codes[i].lowered, .device = device};
        bool admitted = true;
        for (size_t k = 0; admitted && k < ARRAY_LENGTH(checks); k++)
            admitted = checks[k](&a);
        if (!admitted)
            refuse(data, a.info->name, a.reason);
        all &= admitted;
    }
    return all;
}
