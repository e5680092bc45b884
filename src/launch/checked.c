/* Kernels that watch their accesses: what they are told of memory, and what they have found (docs/check.md).
 *
 * The compiler has put a comparison before each access (compiler/lower/check/). What an argument may reach goes to the
 * argument block. One buffer has the rest: pages where wrong accesses go, a list of all memory that the kernel may reach
 * by pointers of which the compiler knows nothing, counters, and records of what was wrong. A command of the host's behind
 * the dispatch makes findings of the records (findings.c). */
#include "src/launch/checked_local.h"
#include "src/launch/checked_state.h"
#include "src/launch/family.h"
#include "src/launch/touched.h"
#include "src/launch/tracks.h"
#include "src/launch/written.h"

#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/pointer.h"

#include "base/settings.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OF_SITE = 4, MOST_RECORDS = 1024 };

/* ---- what the kernel may reach ---- */

static uint64_t denied_by(const struct _cl_mem *mem)
{
    cl_mem_flags flags = mem->flags;
    if (mem->parent && !(flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)))
        flags = mem->parent->flags;
    return (flags & (CL_MEM_READ_ONLY | OCL_MEM_IMMUTABLE) ? CLC_SITE_WRITES : 0) |
           (flags & CL_MEM_WRITE_ONLY ? CLC_SITE_READS : 0);
}

static void find_mem(struct reach *reach, cl_mem mem, cl_uint device)
{
    cl_mem root = ocl_mem_root(mem);
    const struct ocl_storage *storage = &root->storage[device];
    struct ocl_place place;
    /* No command has used it yet. Neither does this one: the launch makes the memory of what its kernel uses. */
    if (!storage->buffer)
        return;
    reach->mem = mem;
    reach->address = vkb_buffer_address(storage->buffer) + storage->offset + mem->origin;
    reach->range = (struct clc_check_range){reach->address, mem->size, denied_by(mem)};
    /* A buffer of shared virtual memory, and a part of one, may be a way to all of the allocation. */
    if (!root->uses_svm || !ocl_pointer_find(mem->context, (uintptr_t)root->host_ptr, device, &place))
        return;
    if (reach->address >= place.start && reach->address - place.start < place.size)
        reach->range = (struct clc_check_range){place.start, place.size, denied_by(mem)};
    vkb_buffer_release(place.buffer);
}

static void find_pointer(struct reach *reach, uint64_t pointer, cl_context context, cl_uint device)
{
    struct ocl_place place;
    reach->address = pointer;
    reach->is_pointer = true;
    reach->is_null = !pointer;
    if (!pointer)
        return;
    if (ocl_pointer_find(context, pointer, device, &place)) {
        reach->range = (struct clc_check_range){place.start, place.size, 0};
        vkb_buffer_release(place.buffer);
        return;
    }
    reach->is_freed = ocl_pointer_was_freed(context, pointer, &reach->range.start, &reach->range.size);
    if (reach->is_freed)
        reach->range.denied = CLC_SITE_READS | CLC_SITE_WRITES;
    else /* the host's own memory, of which nothing is known */
        reach->range = (struct clc_check_range){0, UINT64_MAX, 0};
}

/* What kernels capture lies in memory that is none of the program's. */
static void find_captured(struct reach *reach, const struct ocl_arg *arg)
{
    reach->address = arg->pointer;
    reach->is_pointer = true;
    reach->range = (struct clc_check_range){arg->pointer, arg->captured_size, 0};
}

static void find_arg(cl_kernel kernel, uint32_t index, cl_uint device, struct reach *reach)
{
    const struct ocl_arg *arg = &kernel->args[index];
    switch (kernel->info->args[index].kind) {
    case CLC_ARG_GLOBAL:
    case CLC_ARG_CONSTANT:
        if (arg->mem)
            find_mem(reach, arg->mem, device);
        else if (arg->is_captured)
            find_captured(reach, arg);
        else
            find_pointer(reach, arg->is_pointer ? arg->pointer : 0, kernel->program->context, device);
        break;
    case CLC_ARG_LOCAL:
        reach->is_local = true;
        reach->range.size = arg->local_size;
        break;
    case CLC_ARG_PIPE:
        find_mem(reach, arg->mem, device);
        break;
    case CLC_ARG_IMAGE:
        reach->mem = arg->mem;
        break;
    default:
        break;
    }
}

/* What the argument gives to the list of all memory; a size of 0: nothing. */
static struct clc_check_range listed(cl_kernel kernel, uint32_t index, const struct reach *reach)
{
    bool is_pipe = kernel->info->args[index].kind == CLC_ARG_PIPE; /* only the library reaches its head */
    return reach->is_local || reach->is_freed || is_pipe ? (struct clc_check_range){0} : reach->range;
}

bool ocl_checked_begin_family(struct ocl_family *family)
{
    cl_kernel kernel = family->kernel;
    uint32_t num_args = kernel->info->num_args;
    bool wanted = family->context->robust || check_on(CHECK_BOUNDS);
    if (!wanted || family->args)
        return true;
    family->args = calloc(num_args + 1, sizeof(family->args[0]));
    for (uint32_t i = 0; family->args && i < num_args; i++)
        find_arg(kernel, i, family->queue->device_index, &family->args[i]);
    return family->args;
}

static int by_start(const void *a, const void *b)
{
    const struct clc_check_range *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->size < right->size ? 1 : left->size > right->size ? -1 : 0;
}

static void add_buffer(struct clc_check_range *ranges, uint32_t *count, const struct vkb_buffer *buffer)
{
    if (buffer)
        ranges[(*count)++] = (struct clc_check_range){vkb_buffer_address(buffer), vkb_buffer_size(buffer), 0};
}

/* Joins those that overlap: what one of two arguments may write, the kernel may. Another one's memory that is beside it is
 * no part of it. */
static uint32_t join(struct clc_check_range *ranges, uint32_t count)
{
    uint32_t kept = 0;
    qsort(ranges, count, sizeof(ranges[0]), by_start);
    for (uint32_t i = 0; i < count; i++) {
        struct clc_check_range *last = kept ? &ranges[kept - 1] : NULL, *next = &ranges[i];
        if (!next->size)
            continue;
        if (last && next->start - last->start < last->size) {
            last->size = u64_max(last->size, next->size + (next->start - last->start));
            last->denied &= next->denied;
        } else {
            ranges[kept++] = *next;
        }
    }
    return kept;
}

/* What a kernel that was enqueued may have captured: what the application's kernel was given, and constants of it and of
 * blocks that came before. */
static void add_family(struct clc_check_range *ranges, uint32_t *count, const struct ocl_family *family)
{
    for (uint32_t i = 0; i < family->kernel->info->num_args; i++)
        ranges[(*count)++] = listed(family->kernel, i, &family->args[i]);
    add_buffer(ranges, count, ocl_kernel_code(family->kernel, family->device)->constants);
    for (uint32_t i = 0; i < family->num_blocks; i++) {
        if (family->blocks[i])
            add_buffer(ranges, count, ocl_kernel_code(family->blocks[i], family->device)->constants);
    }
}

/* All memory that a pointer may lead to: the context's that is known by its address, the arguments', and the program's. */
static bool find_ranges(struct ocl_checked *checked, cl_command_queue queue, const struct ocl_family *family)
{
    const struct ocl_build *build = ocl_kernel_build(checked->kernel, queue->device);
    const struct ocl_code *code = ocl_kernel_code(checked->kernel, queue->device);
    uint32_t num_args = checked->kernel->info->num_args, count = 0;
    bool everything = false;
    size_t known = 0;
    struct clc_check_range *pointers = ocl_pointer_ranges(checked->context, &known);
    uint32_t inherited = family && family->args ? family->kernel->info->num_args + family->num_blocks + 1 : 0;
    checked->ranges = malloc((known + num_args + inherited + 2) * sizeof(checked->ranges[0]));
    if (!pointers || !checked->ranges) {
        free(pointers);
        return false;
    }
    memcpy(checked->ranges, pointers, known * sizeof(pointers[0]));
    free(pointers);
    count = (uint32_t)known;
    for (uint32_t i = 0; i < num_args; i++)
        checked->ranges[count++] = listed(checked->kernel, i, &checked->args[i]);
    if (inherited)
        add_family(checked->ranges, &count, family);
    for (uint32_t i = 0; i < count; i++)
        everything |= checked->ranges[i].size == UINT64_MAX;
    add_buffer(checked->ranges, &count, build->globals);
    add_buffer(checked->ranges, &count, code->constants);
    /* Where kernels share all memory with the host, nothing is known of what they may reach. */
    everything |= checked->kernel->reaches_any && ocl_device_svm(queue->device) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    if (everything)
        checked->ranges[0] = (struct clc_check_range){0, UINT64_MAX, 0};
    checked->num_ranges = everything ? 1 : join(checked->ranges, count);
    return true;
}

/* ---- the buffer ---- */

static void put_written(const struct ocl_checked *checked, struct clc_check_written *list)
{
    for (uint32_t i = 0; i < checked->written.count; i++) {
        const struct vkb_buffer *buffer = checked->written.buffers[i];
        list[i] = (struct clc_check_written){vkb_buffer_address(buffer), vkb_buffer_size(buffer),
                                             vkb_buffer_address(vkb_buffer_written(buffer))};
    }
}

static void put_tracks(const struct ocl_checked *checked, struct clc_check_tracks *list)
{
    for (uint32_t i = 0; i < checked->tracks.count; i++) {
        const struct vkb_buffer *buffer = checked->tracks.buffers[i];
        list[i] = (struct clc_check_tracks){vkb_buffer_address(buffer), vkb_buffer_size(buffer),
                                            vkb_buffer_address(vkb_buffer_tracks(buffer))};
    }
}

static bool make_buffer(struct ocl_checked *checked, cl_device_id device)
{
    const struct clc_lowered *l = checked->lowered;
    uint64_t head = 2 * (uint64_t)l->check_page;
    uint64_t records =
        align_up(head + sizeof(struct clc_check_head) + l->num_check_sites * 4ull * CLC_CHECK_COUNTERS, 64);
    if (ocl_checks_report())
        checked->num_records = (uint32_t)u64_min(l->num_check_sites * (uint64_t)MOST_OF_SITE, MOST_RECORDS);
    uint64_t ranges = records + checked->num_records * sizeof(struct clc_check_record);
    uint64_t written = ranges + checked->num_ranges * sizeof(struct clc_check_range);
    uint64_t tracks = written + checked->written.count * sizeof(struct clc_check_written);
    uint64_t size = tracks + checked->tracks.count * sizeof(struct clc_check_tracks);
    if (vkb_buffer_create(device->vk, size, VKB_MEMORY_HOST, &checked->buffer) != VKB_SUCCESS) {
        checked->buffer = NULL;
        return false;
    }
    checked->map = vkb_buffer_map(checked->buffer);
    if (!checked->map)
        return false;
    memset(checked->map, 0, records);
    uint64_t start = vkb_buffer_address(checked->buffer);
    *checked_head(checked) = (struct clc_check_head){.capacity = checked->num_records,
                                                     .most = MOST_OF_SITE,
                                                     .num_ranges = checked->num_ranges,
                                                     .records = start + records,
                                                     .ranges = start + ranges,
                                                     .most_rounds = setting_number(SETTING_CHECK_ROUNDS),
                                                     .written = start + written,
                                                     .num_written = checked->written.count,
                                                     .launch = checked->launch,
                                                     .tracks = start + tracks,
                                                     .num_tracks = checked->tracks.count};
    checked->local = ocl_checked_local_create(device, checked->kernel, l, &checked->range, checked_head(checked));
    if (checked->num_ranges)
        memcpy(checked->map + ranges, checked->ranges, checked->num_ranges * sizeof(checked->ranges[0]));
    put_written(checked, (struct clc_check_written *)(void *)(checked->map + written));
    put_tracks(checked, (struct clc_check_tracks *)(void *)(checked->map + tracks));
    return true;
}

/* Reports name what the application gave to the kernel that this one comes of. False: no memory. */
static bool note_parent(struct ocl_checked *checked, const struct ocl_family *family)
{
    if (!family || !family->args || !ocl_checks_report())
        return true;
    size_t size = (family->kernel->info->num_args + 1) * sizeof(checked->parent_args[0]);
    checked->parent_args = malloc(size);
    if (!checked->parent_args)
        return false;
    memcpy(checked->parent_args, family->args, size);
    checked->parent = family->kernel;
    ocl_kernel_retain(checked->parent);
    return true;
}

/* What the checks need to know of the memory that the kernel reaches. False: no memory. */
static bool find_memory(struct ocl_checked *checked, const struct launch *launch)
{
    cl_command_queue queue = launch->command->queue;
    const struct clc_lowered *lowered = launch->lowered;
    /* Reports look into the list, too. */
    bool wants_ranges = lowered->check_ranges || ocl_checks_report();
    if (check_on(CHECK_INIT) && !ocl_written_find(&checked->written, queue, launch->kernel, lowered->check_written))
        return false;
    if (lowered->check_tracks && !ocl_tracks_find(&checked->tracks, launch, &checked->launch))
        return false;
    return !wants_ranges || find_ranges(checked, queue, launch->command->family);
}

/* What the host is to know of the bytes that the launch touches; the call that enqueues it takes that (src/checked). */
static void note_touches(struct ocl_checked *checked, struct launch *launch)
{
    uint32_t num_args = checked->kernel->info->num_args;
    /* What a kernel enqueues touches more. */
    bool all = checked->lowered->check_touches && checked->lowered->launch_offset[CLC_LAUNCH_ENQUEUE] < 0;
    uint64_t *sizes = all ? calloc(num_args + 1, sizeof(*sizes)) : NULL;
    for (uint32_t i = 0; sizes && i < num_args; i++) {
        const struct reach *reach = &checked->args[i];
        bool known = !reach->is_local && !reach->is_null && !reach->is_freed && reach->range.size != UINT64_MAX;
        /* Of a buffer it is from its own start on. */
        if (known && (reach->is_pointer ||
                      (reach->mem && reach->range.start == reach->address && reach->range.size == reach->mem->size)))
            sizes[i] = reach->range.size;
    }
    checked->touched = sizes ? ocl_touched_create(launch, sizes) : NULL;
    free(sizes);
    if (checked->touched && !launch->command->family)
        ocl_touched_note(checked->touched);
}

struct ocl_checked *ocl_checked_create(struct launch *launch)
{
    cl_command_queue queue = launch->command->queue;
    cl_kernel kernel = launch->kernel;
    uint32_t num_args = kernel->info->num_args;
    struct ocl_checked *checked = calloc(1, sizeof(*checked) + num_args * sizeof(checked->args[0]));
    if (!checked)
        return NULL;
    checked->kernel = kernel;
    ocl_kernel_retain(kernel);
    checked->context = queue->context;
    checked->device = queue->device;
    checked->lowered = launch->lowered;
    checked->range = *launch->range;
    for (uint32_t i = 0; i < num_args; i++)
        find_arg(kernel, i, queue->device_index, &checked->args[i]);
    if (!note_parent(checked, launch->command->family) || !find_memory(checked, launch) ||
        !make_buffer(checked, queue->device)) {
        ocl_checked_destroy(checked);
        return NULL;
    }
    note_touches(checked, launch);
    return checked;
}

void ocl_checked_destroy(struct ocl_checked *checked)
{
    if (!checked)
        return;
    if (checked->touched)
        ocl_touched_complete(checked->touched, checked->ran);
    ocl_touched_release(checked->touched);
    if (checked->buffer)
        vkb_buffer_release(checked->buffer);
    if (checked->local)
        vkb_buffer_release(checked->local);
    ocl_kernel_release(checked->kernel);
    if (checked->parent)
        ocl_kernel_release(checked->parent);
    free(checked->parent_args);
    ocl_written_finish(&checked->written);
    ocl_written_finish(&checked->tracks);
    free(checked->ranges);
    free(checked);
}

bool ocl_checked_use(const struct ocl_checked *checked, struct launch *launch)
{
    if ((checked->written.count && !ocl_written_use(&checked->written, launch, vkb_buffer_written)) ||
        (checked->tracks.count && !ocl_written_use(&checked->tracks, launch, vkb_buffer_tracks)))
        return false;
    launch_add_access(launch, checked->buffer, true, true);
    if (checked->local)
        launch_add_access(launch, checked->local, true, true);
    if (checked->touched)
        launch_add_access(launch, checked->touched->buffer, true, true);
    return true;
}

void ocl_checked_put(const struct ocl_checked *checked, uint8_t *block)
{
    const struct clc_lowered *l = checked->lowered;
    uint64_t address = vkb_buffer_address(checked->buffer);
    if (l->launch_offset[CLC_LAUNCH_CHECK] >= 0)
        memcpy(block + l->launch_offset[CLC_LAUNCH_CHECK], &address, sizeof(address));
    for (uint32_t i = 0; l->arg_limit && i < checked->kernel->info->num_args; i++) {
        const struct clc_check_range *range = &checked->args[i].range;
        const int32_t *offset = l->arg_limit + i * CLC_LIMIT_COUNT;
        const uint64_t values[CLC_LIMIT_COUNT] = {
            [CLC_LIMIT_START] = range->start,
            [CLC_LIMIT_READ] = range->denied & CLC_SITE_READS ? 0 : range->size,
            [CLC_LIMIT_WRITE] = range->denied & CLC_SITE_WRITES ? 0 : range->size,
            [CLC_LIMIT_TRACKS] = range->size ? ocl_tracks_words(&checked->tracks, range->start) : 0,
            [CLC_LIMIT_TOUCHED] = checked->touched ? ocl_touched_limit(checked->touched, i) : 0,
            [CLC_LIMIT_WRITTEN] = range->size ? ocl_written_bytes(&checked->written, range->start) : 0,
        };
        for (uint32_t k = 0; k < CLC_LIMIT_COUNT; k++) {
            if (offset[k] >= 0)
                memcpy(block + offset[k], &values[k], sizeof(values[k]));
        }
    }
}

/* ---- behind the dispatch ---- */

enum vkb_result ocl_checked_bring(const struct ocl_checked *checked, struct launch *launch)
{
    return checked->touched ? ocl_touched_bring(launch, checked->touched) : VKB_SUCCESS;
}

void ocl_checked_report(void *data, bool run)
{
    struct ocl_checked *checked = data;
    checked->ran = run;
    if (run && checked->lowered->num_check_sites)
        ocl_checked_tell(checked);
    ocl_checked_destroy(checked);
}
