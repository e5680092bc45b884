/* Kernels that watch their accesses: what they are told of memory, and what they have found (docs/check.md).
 *
 * The compiler has put a comparison before each access (compiler/lower/check/). What an argument may reach goes to the
 * argument block. One buffer has the rest: pages where wrong accesses go, a list of all memory that the kernel may reach
 * by pointers of which the compiler knows nothing, counters, and records of what was wrong. A command of the host's behind
 * the dispatch makes findings of the records. */
#include "src/launch/checked.h"
#include "src/launch/checked_local.h"
#include "src/launch/touched.h"
#include "src/launch/tracks.h"
#include "src/launch/written.h"

#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/memory.h"
#include "src/object/pointer.h"

#include "base/log.h"
#include "base/settings.h"
#include "base/util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OF_SITE = 4, MOST_RECORDS = 1024 };

/* What an argument leads to. */
struct reach {
    struct clc_check_range range; /* local memory: from the offset 0 on */
    bool is_null, is_freed, is_pointer, is_local;
    uint64_t address; /* the argument's own */
    cl_mem mem;       /* whose address it is; the application's, which may be gone by now */
};

struct ocl_checked {
    cl_kernel kernel; /* retained: keeps lowered and the source */
    cl_context context;
    const struct clc_lowered *lowered;
    struct ocl_range range;
    struct vkb_buffer *buffer;
    struct vkb_buffer *local; /* what is noted of local memory, or NULL */
    uint8_t *map;
    uint32_t num_records;
    uint32_t num_ranges;
    struct clc_check_range *ranges; /* sorted, apart from each other */
    struct ocl_written written, tracks;
    uint32_t launch;             /* its number among those that have tracks */
    struct ocl_touched *touched; /* for the host to compare, or NULL */
    bool ran;
    struct reach args[];
};

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

static void find_arg(struct ocl_checked *checked, uint32_t index, cl_uint device)
{
    const struct ocl_arg *arg = &checked->kernel->args[index];
    struct reach *reach = &checked->args[index];
    switch (checked->kernel->info->args[index].kind) {
    case CLC_ARG_GLOBAL:
    case CLC_ARG_CONSTANT:
        if (arg->mem)
            find_mem(reach, arg->mem, device);
        else
            find_pointer(reach, arg->is_pointer ? arg->pointer : 0, checked->context, device);
        break;
    case CLC_ARG_LOCAL:
        reach->is_local = true;
        reach->range.size = arg->local_size;
        break;
    case CLC_ARG_PIPE:
        find_mem(reach, arg->mem, device);
        break;
    default:
        break;
    }
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

/* All memory that a pointer may lead to: the context's that is known by its address, the arguments', and the program's. */
static bool find_ranges(struct ocl_checked *checked, cl_command_queue queue)
{
    const struct ocl_build *build = ocl_kernel_build(checked->kernel, queue->device);
    const struct ocl_code *code = ocl_kernel_code(checked->kernel, queue->device);
    uint32_t num_args = checked->kernel->info->num_args, count = 0;
    bool everything = false;
    size_t known = 0;
    struct clc_check_range *pointers = ocl_pointer_ranges(checked->context, &known);
    checked->ranges = malloc((known + num_args + 2) * sizeof(checked->ranges[0]));
    if (!pointers || !checked->ranges) {
        free(pointers);
        return false;
    }
    memcpy(checked->ranges, pointers, known * sizeof(pointers[0]));
    free(pointers);
    count = (uint32_t)known;
    for (uint32_t i = 0; i < num_args; i++) {
        const struct reach *reach = &checked->args[i];
        everything |= reach->range.size == UINT64_MAX;
        if (!reach->is_local && !reach->is_freed && reach->range.size)
            checked->ranges[count++] = reach->range;
    }
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

static struct clc_check_head *head_of(const struct ocl_checked *checked)
{
    return (struct clc_check_head *)(void *)(checked->map + 2 * (size_t)checked->lowered->check_page);
}

static uint32_t *counters_of(const struct ocl_checked *checked)
{
    return (uint32_t *)(head_of(checked) + 1);
}

static const struct clc_check_record *records_of(const struct ocl_checked *checked)
{
    uint64_t offset = head_of(checked)->records - vkb_buffer_address(checked->buffer);
    return (const struct clc_check_record *)(const void *)(checked->map + offset);
}

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
    *head_of(checked) = (struct clc_check_head){.capacity = checked->num_records,
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
    checked->local = ocl_checked_local_create(device, checked->kernel, l, &checked->range, head_of(checked));
    if (checked->num_ranges)
        memcpy(checked->map + ranges, checked->ranges, checked->num_ranges * sizeof(checked->ranges[0]));
    put_written(checked, (struct clc_check_written *)(void *)(checked->map + written));
    put_tracks(checked, (struct clc_check_tracks *)(void *)(checked->map + tracks));
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
    return !wants_ranges || find_ranges(checked, queue);
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
    checked->lowered = launch->lowered;
    checked->range = *launch->range;
    for (uint32_t i = 0; i < num_args; i++)
        find_arg(checked, i, queue->device_index);
    if (!find_memory(checked, launch) || !make_buffer(checked, queue->device)) {
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

/* ---- findings ---- */

/* One finding while its words are put together. */
struct telling {
    const struct ocl_checked *checked;
    const struct clc_check_site *site;
    const struct clc_check_record *record;
    const struct clc_check_site *other; /* of a race, or NULL */
    bool is_others;                     /* the finding's place and work-item are the other access's */
    struct check_finding finding;
    char message[256], object[1024];
};

static void say(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, size - length, format, args);
    va_end(args);
}
#define SAY(text, ...) say(text, sizeof(text), __VA_ARGS__)

static const char *access_name(uint32_t access)
{
    bool both = (access & CLC_SITE_READS) && (access & CLC_SITE_WRITES);
    return access & CLC_SITE_ATOMIC  ? both                      ? "atomic operation on"
                                       : access & CLC_SITE_READS ? "atomic read of"
                                                                 : "atomic write of"
           : access & CLC_SITE_READS ? "read of"
                                     : "write of";
}

/* Where the access is, by an object's size; false: inside. */
static bool say_where(struct telling *t, int64_t distance, uint64_t size, const char *of)
{
    uint64_t bytes = t->record->size;
    if (distance < 0) {
        SAY(t->message, ", %" PRIu64 " byte%s before the start of %s", 0 - (uint64_t)distance,
            distance == -1 ? "" : "s", of);
    } else if ((uint64_t)distance >= size) {
        uint64_t behind = (uint64_t)distance - size;
        if (behind)
            SAY(t->message, ", %" PRIu64 " byte%s behind the end of %s", behind, behind == 1 ? "" : "s", of);
        else
            SAY(t->message, ", right behind the end of %s", of);
    } else if (bytes > size - (uint64_t)distance) {
        SAY(t->message, ", across the end of %s", of);
    } else {
        return false;
    }
    return true;
}

/* Which object it is and where the application made it, if that is known: mem, or the allocation at the address. */
static bool say_known(struct telling *t, const char *of, cl_mem mem, uint64_t address)
{
    char known[768];
    bool is_known = check_describe && check_describe(mem, (const void *)(uintptr_t)address, known, sizeof(known));
    if (is_known)
        SAY(t->object, "%s: %s", of, known);
    return is_known;
}

/* What the argument leads to. */
static void say_memory(struct telling *t, const char *of, const struct reach *reach)
{
    if (!reach->is_local && !reach->is_freed && say_known(t, of, reach->mem, reach->range.start))
        return;
    if (reach->range.size == UINT64_MAX) /* a kernel gave it to another that it enqueued */
        SAY(t->object, "%s: memory of which only the address is known", of);
    else
        SAY(t->object, "%s: %s of %" PRIu64 " bytes", of,
            reach->is_local     ? "local memory"
            : reach->is_pointer ? "an allocation"
                                : "a buffer",
            reach->range.size);
}

/* denied: what kernels may not do there, CLC_SITE_*. */
static void tell_denied(struct telling *t, const char *of, uint64_t denied)
{
    t->finding.kind = CHECK_KIND_FLAGS;
    SAY(t->message,
        t->site->access & CLC_SITE_WRITES & denied ? " to %s, which kernels may only read"
                                                   : " from %s, which kernels may only write",
        of);
}

static void name_argument(const struct telling *t, uint32_t index, char *text, size_t size)
{
    const struct clc_arg_info *info = &t->checked->kernel->info->args[index];
    if (info->name && *info->name)
        say(text, size, "argument '%.64s'", info->name);
    else
        say(text, size, "argument %u", index);
}

static void tell_argument(struct telling *t, uint32_t index)
{
    const struct reach *reach = &t->checked->args[index];
    char of[128] = "";
    name_argument(t, index, of, sizeof(of));
    if (!reach->is_local) {
        t->finding.has_address = true;
        t->finding.address = reach->range.start + t->record->value;
    }
    if (reach->is_null) {
        SAY(t->message, " through %s, which is NULL", of);
        return;
    }
    say_memory(t, of, reach);
    if (reach->is_freed) {
        t->finding.kind = CHECK_KIND_FREED;
        SAY(t->message, " through %s, whose memory was freed before the launch", of);
    } else if (!say_where(t, (int64_t)t->record->value, reach->range.size, of)) {
        tell_denied(t, of, reach->range.denied);
    }
}

static void tell_variable(struct telling *t, const struct clc_check_object *object)
{
    static const char *const kinds[] = {[CLC_OBJECT_LOCAL] = "local variable",
                                        [CLC_OBJECT_PRIVATE] = "private variable",
                                        [CLC_OBJECT_CONSTANT] = "constant variable",
                                        [CLC_OBJECT_GLOBAL] = "variable at program scope"};
    char of[128] = "";
    SAY(of, object->name ? "%s '%.64s'" : "a %s", kinds[object->kind], object->name);
    SAY(t->object, "%s of %" PRIu64 " bytes", of, object->size);
    if (!say_where(t, (int64_t)t->record->value, object->size, of))
        tell_denied(t, of, CLC_SITE_WRITES);
}

/* Whether other memory lies by now where that was. */
static bool is_taken(const struct ocl_checked *checked, uint64_t start, uint64_t size)
{
    for (uint32_t i = 0; i < checked->num_ranges; i++) {
        const struct clc_check_range *range = &checked->ranges[i];
        if (range->start < start + size && start < range->start + range->size)
            return true;
    }
    return false;
}

/* A pointer of which the compiler did not see what it leads to. */
static void tell_address(struct telling *t)
{
    const struct ocl_checked *checked = t->checked;
    uint64_t address = t->record->value, start, size;
    t->finding.has_address = true;
    t->finding.address = address;
    if (address < 4096) {
        SAY(t->message, " through a null pointer");
        return;
    }
    if (ocl_pointer_was_freed(checked->context, address, &start, &size) && !is_taken(checked, start, size)) {
        t->finding.kind = CHECK_KIND_FREED;
        SAY(t->message, " in memory that was freed");
        SAY(t->object, "%" PRIu64 " bytes behind the start of what were %" PRIu64 " bytes", address - start, size);
        return;
    }
    uint32_t i = 0;
    while (i < checked->num_ranges && checked->ranges[i].start <= address)
        i++;
    const struct clc_check_range *range = i ? &checked->ranges[i - 1] : NULL;
    if (range && address - range->start < range->size && t->record->size <= range->size - (address - range->start)) {
        tell_denied(t, "memory", range->denied);
        return;
    }
    if (range && address - range->start < range->size + 4096)
        say_where(t, (int64_t)(address - range->start), range->size, "an allocation");
    else
        SAY(t->message, " where the context has no memory");
    if (range && !say_known(t, "before it", NULL, range->start))
        SAY(t->object, "the allocation before it has %" PRIu64 " bytes", range->size);
}

/* What another work-item did, or whether anybody wrote what is read here. */
static void tell_local(struct telling *t)
{
    const struct clc_lowered *l = t->checked->lowered;
    uint32_t number = t->record->what & CLC_WHAT_OBJECT;
    const struct clc_check_object *object =
        number && number <= l->num_check_objects ? &l->check_objects[number - 1] : NULL;
    char of[128] = "local memory";
    if (object) {
        const char *name =
            object->kind == CLC_OBJECT_ARGUMENT ? t->checked->kernel->info->args[object->arg].name : object->name;
        uint64_t size = object->kind == CLC_OBJECT_ARGUMENT ? t->checked->args[object->arg].range.size : object->size;
        snprintf(of, sizeof(of), "%s '%.64s'", object->kind == CLC_OBJECT_ARGUMENT ? "argument" : "local variable",
                 name ? name : "?");
        SAY(t->object, "%" PRIu64 " bytes behind the start of %s of %" PRIu64 " bytes", t->record->value, of, size);
    }
    if (t->record->what & CLC_WHAT_UNINITIALISED) {
        t->finding.kind = CHECK_KIND_UNINITIALISED;
        SAY(t->message, " of %s, which no work-item of the group wrote", of);
        return;
    }
    t->finding.kind = CHECK_KIND_LOCAL_RACE;
    SAY(t->message, " of %s; another work-item of the group %s it, and no barrier is between", of,
        t->other && t->other->access & CLC_SITE_WRITES ? "writes" : "reads");
}

/* C11, 6.7.3.1: what is reached by one of two such pointers and written is not reached by the other. */
static void tell_restrict(struct telling *t)
{
    const struct clc_kernel_info *info = t->checked->kernel->info;
    const char *name[2];
    uint32_t number[2] = {t->record->what & CLC_WHAT_OBJECT, t->record->size};
    for (int i = 0; i < 2; i++)
        name[i] = number[i] < info->num_args && info->args[number[i]].name ? info->args[number[i]].name : "";
    t->finding.kind = CHECK_KIND_RESTRICT;
    t->finding.has_address = true;
    t->finding.address = t->record->value;
    SAY(t->message,
        "%s memory through argument %u%s%.64s that the work-item reached through argument %u%s%.64s: both are restrict",
        t->site->access & CLC_SITE_WRITES ? "write of" : "read of", number[0], *name[0] ? " " : "", name[0], number[1],
        *name[1] ? " " : "", name[1]);
}

/* The allocation at the address; nothing where the address alone is known, as of what kernels give to those that they enqueue. */
static void say_allocation(struct telling *t, uint64_t address)
{
    for (uint32_t i = 0; i < t->checked->num_ranges; i++) {
        const struct clc_check_range *range = &t->checked->ranges[i];
        if (range->size != UINT64_MAX && address - range->start < range->size)
            SAY(t->object, "%" PRIu64 " bytes behind the start of an allocation of %" PRIu64 " bytes",
                address - range->start, range->size);
    }
}

static void tell_uninitialised(struct telling *t, uint32_t object)
{
    const struct ocl_checked *checked = t->checked;
    uint64_t value = t->record->value;
    t->finding.kind = CHECK_KIND_UNINITIALISED;
    t->finding.has_address = true;
    if (t->record->size == 1 || t->site->access & CLC_SITE_WHOLE)
        SAY(t->message, " that nobody wrote");
    else
        SAY(t->message, ", some or all of which nobody wrote");
    if (object) {
        char of[128] = "";
        uint32_t arg = checked->lowered->check_objects[object - 1].arg;
        const struct reach *reach = &checked->args[arg];
        name_argument(t, arg, of, sizeof(of));
        t->finding.address = reach->range.start + value;
        SAY(t->message, ", %" PRIu64 " byte%s behind the start of %s", value, value == 1 ? "" : "s", of);
        say_memory(t, of, reach);
        return;
    }
    t->finding.address = value;
    if (!say_known(t, "in", NULL, value))
        say_allocation(t, value);
}

/* What lies at the address: an argument's memory, or other. */
static void tell_object(struct telling *t, uint64_t address)
{
    const struct ocl_checked *checked = t->checked;
    for (uint32_t i = 0; i < checked->kernel->info->num_args; i++) {
        const struct reach *reach = &checked->args[i];
        if (reach->is_local || reach->range.size == UINT64_MAX || address - reach->range.start >= reach->range.size)
            continue;
        SAY(t->object, "%" PRIu64 " bytes behind the start of ", address - reach->range.start);
        name_argument(t, i, t->object, sizeof(t->object));
        SAY(t->object, ": %s of %" PRIu64 " bytes", reach->is_pointer ? "an allocation" : "a buffer",
            reach->range.size);
        return;
    }
    say_allocation(t, address);
}

static void tell_global_race(struct telling *t, uint32_t object)
{
    const struct ocl_checked *checked = t->checked;
    uint64_t address = t->record->value;
    if (object && object <= checked->lowered->num_check_objects)
        address += checked->args[checked->lowered->check_objects[object - 1].arg].range.start;
    t->finding.kind = CHECK_KIND_GLOBAL_RACE;
    t->finding.has_address = true;
    t->finding.address = address;
    SAY(t->message, " of global memory; another work-item %s it, and nothing orders the two",
        !t->other                            ? "touches"
        : t->other->access & CLC_SITE_WRITES ? "writes"
                                             : "reads");
    tell_object(t, address);
}

static void tell_access(struct telling *t)
{
    const struct clc_lowered *l = t->checked->lowered;
    uint32_t object = t->record->what & CLC_WHAT_OBJECT;
    if (t->record->what & CLC_WHAT_RESTRICT) {
        tell_restrict(t);
        return;
    }
    t->finding.kind = CHECK_KIND_OUT_OF_BOUNDS;
    uint32_t size = t->is_others && t->site->size ? t->site->size : t->record->size;
    SAY(t->message, "%s %u byte%s", access_name(t->site->access), size, size == 1 ? "" : "s");
    if (t->record->what & CLC_WHAT_LOCAL) {
        tell_local(t);
    } else if (t->record->what & CLC_WHAT_RACE) {
        tell_global_race(t, object);
    } else if (t->record->what & CLC_WHAT_UNINITIALISED) {
        tell_uninitialised(t, object);
    } else if (t->record->what & CLC_WHAT_MISALIGNED) {
        t->finding.kind = CHECK_KIND_MISALIGNED;
        t->finding.has_address = true;
        t->finding.address = t->record->value;
        SAY(t->message, " at an address that is no multiple of %u", t->site->align);
    } else if (!object || object > l->num_check_objects) {
        tell_address(t);
    } else if (l->check_objects[object - 1].kind == CLC_OBJECT_ARGUMENT) {
        tell_argument(t, l->check_objects[object - 1].arg);
    } else {
        tell_variable(t, &l->check_objects[object - 1]);
    }
}

static void tell_unwritten(struct telling *t)
{
    const struct clc_lowered *l = t->checked->lowered;
    uint64_t number = t->record->value;
    const char *name = number && number <= l->num_check_objects ? l->check_objects[number - 1].name : NULL;
    SAY(t->message, "read of a private variable that was not written");
    if (name)
        SAY(t->message, ": '%.64s'", name);
}

static void tell_operation(struct telling *t)
{
    const uint32_t *local = t->checked->range.local;
    uint64_t items = (uint64_t)local[0] * local[1] * local[2];
    switch (t->site->kind) {
    case CLC_SITE_INDEX:
        t->finding.kind = CHECK_KIND_OUT_OF_BOUNDS;
        SAY(t->message, "index %" PRId64 " of an array of %u", (int64_t)t->record->value, t->site->size);
        break;
    case CLC_SITE_IMAGE_WRITE:
        t->finding.kind = CHECK_KIND_OUT_OF_BOUNDS;
        SAY(t->message, "write to an image at coordinates outside of it");
        break;
    case CLC_SITE_DIVISION:
        t->finding.kind = CHECK_KIND_DIVISION;
        SAY(t->message, "division by zero, or of the least number by -1");
        break;
    case CLC_SITE_SHIFT:
        t->finding.kind = CHECK_KIND_SHIFT;
        SAY(t->message, "shift by as many bits as the value has, or more");
        break;
    case CLC_SITE_FLOAT_TO_INT:
        t->finding.kind = CHECK_KIND_FLOAT_TO_INT;
        SAY(t->message, "the integer cannot hold the number that is converted to it");
        break;
    case CLC_SITE_NOT_FINITE:
        t->finding.kind = CHECK_KIND_NOT_FINITE;
        SAY(t->message, "an infinity or NaN that comes of finite numbers");
        break;
    case CLC_SITE_BARRIER:
        t->finding.kind = CHECK_KIND_BARRIER;
        SAY(t->message, "%" PRIu64 " of the group's work-items reach this barrier together; it has %" PRIu64,
            t->record->value, items);
        break;
    case CLC_SITE_COPY:
        t->finding.kind = CHECK_KIND_COPY;
        SAY(t->message, "the work-item ends without waiting for this copy, or for another");
        break;
    case CLC_SITE_COPIES_DIFFER:
        t->finding.kind = CHECK_KIND_COPY;
        SAY(t->message, "the group's work-items do not all make the copies before this wait, with the same arguments");
        break;
    case CLC_SITE_LOOP:
        t->finding.kind = CHECK_KIND_ENDLESS;
        SAY(t->message, "the work-item went round this loop %" PRIu64 " times; all loops of the launch were ended",
            t->record->value);
        break;
    case CLC_SITE_PACKET:
        t->finding.kind = CHECK_KIND_OUT_OF_BOUNDS;
        if (t->record->value >> 32)
            SAY(t->message, "packet %u of a reservation of %u", (uint32_t)t->record->value,
                (uint32_t)(t->record->value >> 32));
        else
            SAY(t->message, "packet %u of a reservation that is none", (uint32_t)t->record->value);
        break;
    case CLC_SITE_UNWRITTEN:
        t->finding.kind = CHECK_KIND_UNINITIALISED;
        tell_unwritten(t);
        break;
    default:
        t->finding.kind = CHECK_KIND_SUB_GROUP;
        SAY(t->message, "%" PRIu64 " of the sub-group's work-items take part, which are not all", t->record->value);
        break;
    }
}

static void place_item(struct telling *t)
{
    const struct ocl_range *range = &t->checked->range;
    bool is_global = t->record->what & CLC_WHAT_RACE && !(t->record->what & CLC_WHAT_LOCAL);
    uint64_t other = t->record->other, item = other >> 32 & (is_global ? CLC_OTHER_ITEM : CLC_OTHER_GROUP);
    uint64_t groups[3], in_groups = 1, in_items = 1;
    item = is_global && item == CLC_OTHER_ITEM ? 0 : item; /* it acted for all */
    for (uint32_t i = 0; i < 3; i++)
        groups[i] = (range->global[i] + range->local[i] - 1) / range->local[i];
    t->finding.has_item = !(t->is_others && is_global && groups[0] * groups[1] * groups[2] > CLC_OTHER_GROUPS);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t local = t->record->local_id[i], global = t->record->global_id[i];
        if (t->is_others) {
            uint64_t others = item / in_items % range->local[i];
            global += others - local;
            local = others;
        }
        if (t->is_others && is_global) {
            uint64_t group = (other >> CLC_OTHER_GROUP_SHIFT & (CLC_OTHER_GROUPS - 1)) / in_groups % groups[i];
            global = range->offset[i] + group * range->local[i] + local;
        }
        in_items *= range->local[i];
        in_groups *= groups[i];
        t->finding.global_id[i] = global;
        t->finding.local_id[i] = local;
        t->finding.group[i] = (global - range->offset[i] - local) / (range->local[i] ? range->local[i] : 1);
    }
}

static struct check_place place_of(const struct clc_check_site *site)
{
    return (struct check_place){.file = site->file, .line = site->line, .column = site->column, .text = site->text};
}

/* Which of two work-items notices a race depends on which came first. So that it is told once, and always at the same place, the
 * place is that of the write, or of the later one in the source where both write. */
static void find_other(struct telling *t)
{
    const struct clc_check_site *sites = t->checked->lowered->check_sites;
    uint32_t number = (uint32_t)t->record->other;
    if (!(t->record->other & CLC_OTHER_KNOWN) || number >= t->checked->lowered->num_check_sites)
        return;
    bool writes = t->site->access & CLC_SITE_WRITES, other_writes = sites[number].access & CLC_SITE_WRITES;
    t->other = &sites[number];
    t->is_others = writes == other_writes ? number > t->record->site : other_writes;
    if (t->is_others) {
        t->other = t->site;
        t->site = &sites[number];
    }
}

static void tell_of(const struct ocl_checked *checked, const struct clc_check_record *record, uint64_t times)
{
    struct telling t = {.checked = checked, .record = record, .site = &checked->lowered->check_sites[record->site]};
    find_other(&t);
    t.finding.kernel = checked->kernel->info->name;
    t.finding.place = place_of(t.site);
    if (t.other) {
        t.finding.other = place_of(t.other);
        t.finding.other_is = "the other access";
    }
    t.finding.times = times;
    place_item(&t);
    switch (t.site->kind) {
    case CLC_SITE_ACCESS:
        tell_access(&t);
        break;
    default:
        tell_operation(&t);
        break;
    }
    t.finding.message = t.message;
    t.finding.object = *t.object ? t.object : NULL;
    check_found(&t.finding);
}

static bool is_told(const struct clc_check_record *records, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (records[i].site == records[index].site && records[i].what == records[index].what)
            return true;
    }
    return false;
}

/* Of those that are of one place and kind the first one is told. The first of a site and counter
 * stands for all that made no record. */
static void tell_all(const struct ocl_checked *checked)
{
    struct clc_check_head *head = head_of(checked);
    const uint32_t *counters = counters_of(checked), num_sites = checked->lowered->num_check_sites;
    uint32_t count = (uint32_t)u64_min(head->used, checked->num_records);
    const struct clc_check_record *records = records_of(checked);
    size_t num_counters = (size_t)num_sites * CLC_CHECK_COUNTERS;
    uint32_t *others = calloc(num_counters + 1, sizeof(*others));
    for (size_t i = 0; others && i < num_counters; i++)
        others[i] = counters[i] ? counters[i] - 1 : 0;
    for (uint32_t i = 0; others && i < count; i++) {
        if (records[i].site < num_sites && !is_told(records, i)) {
            size_t counter = (size_t)records[i].site * CLC_CHECK_COUNTERS + clc_check_counter(records[i].what);
            tell_of(checked, &records[i], 1 + (uint64_t)others[counter]);
            others[counter] = 0;
        }
    }
    free(others);
}

enum vkb_result ocl_checked_bring(const struct ocl_checked *checked, struct launch *launch)
{
    return checked->touched ? ocl_touched_bring(launch, checked->touched) : VKB_SUCCESS;
}

void ocl_checked_report(void *data, bool run)
{
    struct ocl_checked *checked = data;
    checked->ran = run;
    if (run && checked->lowered->num_check_sites)
        tell_all(checked);
    ocl_checked_destroy(checked);
}
