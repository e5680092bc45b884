/* Kernel launches: from an NDRange, which range.c splits into grids, to Vulkan dispatches.
 *
 * The argument block is put together on the stack from the kernel's argument values. A kernel that prints gets a buffer
 * of its own for each launch, and a host command behind the dispatch formats it: the event that the application sees
 * completes after the text is out. A kernel with too much private memory for the device's registers has scratch in a
 * buffer; if a launch would need too much of it, the launch is split into parts that run one after the other. */
#include "src/command/command.h"
#include "src/command/texels.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/launch/any_size.h"
#include "src/launch/checked.h"
#include "src/launch/family.h"
#include "src/launch/launch.h"
#include "src/launch/pack.h"
#include "src/launch/printed.h"
#include "src/launch/range.h"
#include "src/object/ahead.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/kernel.h"
#include "src/object/pointer.h"
#include "src/object/program.h"
#include "src/object/queue.h"

#include "base/log.h"
#include "base/trace.h"
#include "base/util.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH_LIMIT (256ull << 20) /* bytes at one time */
#define MAX_BLOCK     (OCL_MAX_PARAMETER_SIZE + 1024)

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

/* ---- the argument block ---- */

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

static void put(struct launch *launch, int32_t offset, const void *data, size_t size)
{
    if (offset < 0)
        return;
    assert((uint32_t)offset + size <= launch->lowered->block_size);
    memcpy(launch->block + offset, data, size);
}

static void put_address(struct launch *launch, enum clc_launch_value value, const struct vkb_buffer *buffer)
{
    uint64_t address = buffer ? vkb_buffer_address(buffer) : 0;
    put(launch, launch->lowered->launch_offset[value], &address, sizeof(address));
}

static void put_range(struct launch *launch)
{
    const int32_t *offset = launch->lowered->launch_offset;
    const struct ocl_range *range = launch->range;
    uint32_t groups[3], zero[3] = {0}, dims = range->dims;
    for (int i = 0; i < 3; i++)
        groups[i] = (uint32_t)((range->global[i] + range->local[i] - 1) / range->local[i]);
    put(launch, offset[CLC_LAUNCH_GLOBAL_OFFSET], range->offset, sizeof(range->offset));
    put(launch, offset[CLC_LAUNCH_QUERIED_OFFSET], range->offset, sizeof(range->offset));
    put(launch, offset[CLC_LAUNCH_GLOBAL_SIZE], range->global, sizeof(range->global));
    put(launch, offset[CLC_LAUNCH_NUM_GROUPS], groups, sizeof(groups));
    put(launch, offset[CLC_LAUNCH_GROUP_BASE], zero, sizeof(zero));
    put(launch, offset[CLC_LAUNCH_ENQUEUED_LOCAL_SIZE], range->local, sizeof(range->local));
    put(launch, offset[CLC_LAUNCH_WORK_DIM], &dims, sizeof(dims));
    if (!launch->lowered->can_bound)
        return;
    const uint32_t bound[3] = {(uint32_t)range->global[0], (uint32_t)range->global[1], (uint32_t)range->global[2]};
    const uint32_t tile = clc_tile_word(range->local);
    put(launch, offset[CLC_LAUNCH_BOUND], bound, sizeof(bound));
    put(launch, offset[CLC_LAUNCH_TILE], &tile, sizeof(tile));
}

static void add_access(struct launch *launch, struct vkb_buffer *buffer, bool reads, bool writes)
{
    launch->accesses[launch->num_accesses++] = (struct vkb_access){buffer, reads, writes};
}

/* Adds the memory that the kernel reaches by an address. If that is no allocation of the context, it is the host's own
 * memory, of which nothing is known. */
static cl_int use_pointer(struct launch *launch, uint64_t pointer, uint8_t access)
{
    cl_command_queue queue = launch->command->queue;
    struct ocl_place place;
    if (!ocl_pointer_find(queue->context, (void *)(uintptr_t)pointer, queue->device_index, &place)) {
        launch->reaches_any |= pointer != 0;
        launch->has_inner |= pointer != 0;
        return CL_SUCCESS;
    }
    launch->has_inner |= pointer != place.start;
    struct pin *pin = &launch->pins[launch->num_pins++];
    *pin = (struct pin){.buffer = place.buffer};
    if (place.in_mem)
        pin->mem = ocl_pointer_retain_mem(queue->context, (void *)(uintptr_t)pointer);
    if (pin->mem) { /* in a context of several devices its contents may have to come first */
        uint64_t offset;
        struct vkb_buffer *buffer;
        ocl_mem_lean(ocl_mem_root(pin->mem));
        cl_int error = ocl_command_use(launch->command, pin->mem, access & 2 || !access, &buffer, &offset);
        if (error != CL_SUCCESS)
            return error;
    }
    if (place.buffer)
        add_access(launch, place.buffer, access & 1 || !access, access & 2 || !access);
    return CL_SUCCESS;
}

static cl_int put_pointer(struct launch *launch, const struct ocl_arg *arg, uint32_t offset, uint8_t access)
{
    uint64_t address = arg->is_pointer ? arg->pointer : 0;
    if (arg->is_pointer) {
        cl_int error = use_pointer(launch, arg->pointer, access);
        if (error != CL_SUCCESS)
            return error;
    }
    if (arg->mem) {
        struct vkb_buffer *buffer;
        uint64_t origin;
        ocl_mem_lean(ocl_mem_root(arg->mem));
        cl_int error = ocl_command_use(launch->command, arg->mem, access & 2 || !access, &buffer, &origin);
        if (error != CL_SUCCESS)
            return error;
        address = vkb_buffer_address(buffer) + origin;
        if (access)
            add_access(launch, buffer, access & 1, access & 2);
        else
            add_access(launch, buffer, true, true);
    }
    put(launch, (int32_t)offset, &address, sizeof(address));
    return CL_SUCCESS;
}

static const enum vkb_image_kind image_kinds[] = {
    [CLC_IMAGE_NONE] = VKB_IMAGE_2D,
    [CLC_IMAGE_1D] = VKB_IMAGE_1D,
    [CLC_IMAGE_1D_ARRAY] = VKB_IMAGE_1D_ARRAY,
    [CLC_IMAGE_1D_BUFFER] = VKB_IMAGE_BUFFER,
    [CLC_IMAGE_2D] = VKB_IMAGE_2D,
    [CLC_IMAGE_2D_ARRAY] = VKB_IMAGE_2D_ARRAY,
    [CLC_IMAGE_3D] = VKB_IMAGE_3D,
    [CLC_IMAGE_2D_SAMPLES] = VKB_IMAGE_2D_ARRAY,
    [CLC_IMAGE_2D_ARRAY_SAMPLES] = VKB_IMAGE_2D_ARRAY,
};

/* OpenCL C 3.0, 6.15.15.3: read_imagei of floats is undefined. It gives their bits, as GPUs do, because programs read
 * doubles so. */
static cl_int find_bits(struct launch *launch, cl_mem mem, const struct clc_binding *binding, struct vkb_image **bits)
{
    cl_int error = ocl_image_bits(mem, launch->command->queue->device_index, bits);
    if (error == CL_SUCCESS && *bits && binding->class == CLC_BINDING_FLOAT && !vkb_image_filters(*bits))
        launch->image_kinds &= ~(uint32_t)CLC_IMAGES_FILTER;
    return error;
}

/* The argument's bindings: the image where it is of the binding's class or of as many bits, else one that is not
 * touched. */
static cl_int bind_image(struct launch *launch, uint32_t index, bool integer, struct vkb_image *image)
{
    cl_mem mem = launch->kernel->args[index].mem;
    const struct clc_lowered *lowered = launch->lowered;
    cl_command_queue queue = launch->command->queue;
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < lowered->num_bindings && error == CL_SUCCESS; i++) {
        const struct clc_binding *binding = &lowered->bindings[i];
        bool binds_integer = binding->class == CLC_BINDING_INTEGER;
        if (binding->arg != index)
            continue;
        bool fits = binding->level < ocl_image_levels(mem->image) &&
                    (binding->kind != CLC_BINDING_SAMPLED_IMAGE || vkb_image_info(image)->sampled);
        struct vkb_image *bits = NULL;
        if (fits && binds_integer != integer && !binding->level)
            error = find_bits(launch, mem, binding, &bits);
        fits = fits && binds_integer == integer;
        if (bits)
            launch->images[i] = bits;
        else if (fits && binding->level)
            error = ocl_image_level_view(mem, queue->device_index, binding->level, &launch->images[i]);
        else if (fits)
            launch->images[i] = image;
        else if (error == CL_SUCCESS)
            error = ocl_image_dummy(queue->context, queue->device_index,
                                    image_kinds[launch->kernel->info->args[index].image], binds_integer,
                                    &launch->images[i]);
    }
    return error;
}

/* Which pipeline the kernel needs for an image that it reads. */
static void note_kind(struct launch *launch, cl_mem mem, const struct vkb_image *image)
{
    const struct ocl_format *format = &mem->image->format;
    bool three = mem->type == CL_MEM_OBJECT_IMAGE3D;
    cl_device_id device = launch->command->queue->device;
    launch->image_kinds |= ocl_image_decodes(format, device);
    if (!format->integer && !(vkb_image_filters(image) && ocl_format_filters(format, three, device)))
        launch->image_kinds &= ~(uint32_t)CLC_IMAGES_FILTER;
}

static cl_int put_image(struct launch *launch, uint32_t index)
{
    const struct clc_lowered *lowered = launch->lowered;
    cl_mem mem = launch->kernel->args[index].mem;
    const struct ocl_format *format = &mem->image->format;
    uint8_t access = lowered->arg_access[index];
    uint32_t word = clc_image_word(format->cl.image_channel_order, format->cl.image_channel_data_type);
    if (mem->image->samples)
        word = clc_image_word_samples(word, mem->image->samples);
    struct vkb_image *image;
    cl_int error = ocl_command_use_image(launch->command, mem, access & 2, &image);
    if (error != CL_SUCCESS)
        return error;
    if (access & 2 && ocl_image_is_beside(mem, launch->command->queue->device_index))
        launch->command->want_event = true; /* a step will come behind the dispatch */
    if (lowered->arg_offset[index] != UINT32_MAX)
        put(launch, (int32_t)lowered->arg_offset[index], &word, sizeof(word));
    if (access & 1)
        note_kind(launch, mem, image);
    if (access)
        launch->accesses[launch->num_accesses++] =
            (struct vkb_access){.image = image, .reads = access & 1, .writes = access & 2};
    return bind_image(launch, index, format->integer, image);
}

/* Before the buffers: what an image of one of them is copied from must not count as written by this launch yet. */
static cl_int put_images(struct launch *launch)
{
    const struct clc_kernel_info *info = launch->kernel->info;
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < info->num_args && error == CL_SUCCESS; i++) {
        if (info->args[i].kind == CLC_ARG_IMAGE)
            error = put_image(launch, i);
    }
    return error;
}

/* Takes what the kernel wrote into images of buffers there. */
static enum vkb_result return_images(struct launch *launch)
{
    const struct clc_kernel_info *info = launch->kernel->info;
    for (uint32_t i = 0; i < info->num_args; i++) {
        if (info->args[i].kind != CLC_ARG_IMAGE || !(launch->lowered->arg_access[i] & 2))
            continue;
        enum vkb_result result = ocl_command_wrote_image(launch->command, launch->kernel->args[i].mem);
        if (result != VKB_SUCCESS)
            return result;
    }
    return VKB_SUCCESS;
}

/* Local arguments lie one behind the other from local_args_offset; *end is where the next may begin. */
static void put_local(struct launch *launch, const struct clc_arg_info *info, const struct ocl_arg *arg,
                      uint32_t offset, uint64_t *end)
{
    *end = align_up(*end, u64_max(info->align, 16));
    uint32_t start = (uint32_t)*end;
    put(launch, (int32_t)offset, &start, sizeof(start));
    *end += arg->local_size;
}

/* Rounds the size of local arguments up to the next power of two from 256 bytes, but never beyond what the device has.
 * Each distinct size needs a pipeline of its own, so there should be few of them. */
static cl_int local_bucket(struct launch *launch, uint64_t end)
{
    uint64_t available = launch->command->queue->device->caps->shared_memory;
    uint64_t start = launch->lowered->local_args_offset, wanted = end - start, bucket = 256;
    /* Arguments of 0 bytes have one element all the same, of at most 32 bytes, since arrays in SPIR-V are never empty.
     */
    if (end > available || (launch->lowered->uses_local_args && available - start < 32 && wanted == 0))
        return CL_OUT_OF_RESOURCES;
    while (bucket < wanted)
        bucket *= 2;
    if (launch->lowered->uses_local_args)
        launch->local_args_size = (uint32_t)u64_min(bucket, available - start);
    return CL_SUCCESS;
}

/* Where local arguments would end, and what bucket that takes. */
static cl_int size_local_args(struct launch *launch)
{
    const struct clc_kernel_info *info = launch->kernel->info;
    const struct clc_lowered *lowered = launch->lowered;
    uint64_t end = lowered->local_args_offset;
    for (uint32_t i = 0; i < info->num_args; i++) {
        if (info->args[i].kind == CLC_ARG_LOCAL && lowered->arg_offset[i] != UINT32_MAX)
            end = align_up(end, u64_max(info->args[i].align, 16)) + launch->kernel->args[i].local_size;
    }
    launch->local_args_size = 0;
    return lowered->uses_local_args || lowered->local_size ? local_bucket(launch, end) : CL_SUCCESS;
}

/* A kernel that enqueues nothing can do nothing with it, but tell it from no queue. */
static void put_queue(struct launch *launch, const struct ocl_arg *arg, uint32_t offset)
{
    uint64_t number = launch->family ? ocl_family_queue_number(launch->family, arg->queue) : 1;
    put(launch, (int32_t)offset, &number, sizeof(number));
}

static cl_int put_args(struct launch *launch)
{
    const struct clc_lowered *lowered = launch->lowered;
    const struct clc_kernel_info *info = launch->kernel->info;
    uint64_t local_end = lowered->local_args_offset;
    bool enqueues = lowered->launch_offset[CLC_LAUNCH_ENQUEUE] >= 0; /* its descendants may write what it only reads */
    for (uint32_t i = 0; i < info->num_args; i++) {
        const struct ocl_arg *arg = &launch->kernel->args[i];
        uint32_t offset = lowered->arg_offset[i];
        cl_int error = CL_SUCCESS;
        if (offset == UINT32_MAX)
            continue;
        switch (info->args[i].kind) {
        case CLC_ARG_VALUE:
            put(launch, (int32_t)offset, launch->kernel->values + arg->offset, info->args[i].size);
            break;
        case CLC_ARG_GLOBAL:
        case CLC_ARG_CONSTANT:
            error = put_pointer(launch, arg, offset, enqueues ? 0 : lowered->arg_access[i]);
            break;
        case CLC_ARG_LOCAL:
            put_local(launch, &info->args[i], arg, offset, &local_end);
            break;
        case CLC_ARG_IMAGE: /* put_images() */
            break;
        case CLC_ARG_SAMPLER:
            put(launch, (int32_t)offset, &arg->sampler, sizeof(arg->sampler));
            break;
        case CLC_ARG_PIPE: /* readers and writers alike change the ring */
            error = put_pointer(launch, arg, offset, 0);
            break;
        case CLC_ARG_QUEUE:
            put_queue(launch, arg, offset);
            break;
        }
        if (error != CL_SUCCESS)
            return error;
    }
    for (size_t i = 0; i < launch->kernel->num_indirect; i++) {
        cl_int error = use_pointer(launch, launch->kernel->indirect[i], 0);
        if (error != CL_SUCCESS)
            return error;
    }
    return CL_SUCCESS;
}

/* ---- printf ---- */

/* What a launch gets in which the application did not ask for a size: much, as long as the text of few others waits
 * to be put out, since what does not fit is lost. */
enum { PRINTF_GENEROUS = 16 << 20, PRINTF_WAITING = 64 << 20 };

struct printf_flush {
    struct vkb_buffer *buffer;
    uint32_t capacity; /* bytes behind the two words at the front */
    cl_kernel kernel;  /* retained: keeps the formats */
    cl_context context;
    const struct clc_lowered *lowered;
};

static void write_text(void *data, const char *text, size_t length)
{
    printed_append(data, text, length);
}

static void write_callback(void *data, const char *text, size_t length)
{
    cl_context context = data;
    FLOAT_ENV_CALL(context->printf_notify(text, length, 1, context->listener.notify_data));
}

static void release_flush(struct printf_flush *flush)
{
    atomic_fetch_sub(&flush->context->printf_bytes, flush->capacity);
    vkb_buffer_release(flush->buffer);
    ocl_kernel_release(flush->kernel);
    free(flush);
}

static void flush_printf(void *data, bool run)
{
    struct printf_flush *flush = data;
    if (!run) {
        release_flush(flush);
        return;
    }
    uint32_t *words = vkb_buffer_map(flush->buffer);
    /* The capacity that the launch gave: the kernel may have written over the one in the buffer. */
    uint32_t used = words[0], capacity = flush->capacity;
    const struct clc_lowered *l = flush->lowered;
    bool callback = flush->context->printf_notify != NULL;
    if (used > capacity) {
        log_warn("printf: what did not fit into the buffer of %u bytes was dropped; a context made with "
                 "CL_PRINTF_BUFFERSIZE_ARM has one of any size",
                 capacity);
        used = capacity;
    }
    struct printed_text text = {0};
    clc_printf_write(l->printf_formats, l->num_printf_formats, l->printf_strings, l->num_printf_strings, words + 2,
                     used, callback ? write_callback : write_text, callback ? (void *)flush->context : &text);
    if (text.size)
        printed_hand_over(&text);
    release_flush(flush);
}

static cl_int make_printf_buffer(struct launch *launch)
{
    cl_context context = launch->command->queue->context;
    struct vkb_device *device = launch->command->queue->device->vk;
    enum vkb_result result = VKB_OUT_OF_DEVICE_MEMORY;
    launch->printf_size = context->printf_size ? (uint32_t)context->printf_size : PRINTF_GENEROUS;
    bool reduced = !context->printf_size && atomic_load(&context->printf_bytes) + PRINTF_GENEROUS > PRINTF_WAITING;
    if (!reduced)
        result = vkb_buffer_create(device, launch->printf_size + 8, VKB_MEMORY_HOST, &launch->printf_buffer);
    if (result != VKB_SUCCESS && !context->printf_size) {
        launch->printf_size = OCL_PRINTF_BUFFER_SIZE;
        result = vkb_buffer_create(device, launch->printf_size + 8, VKB_MEMORY_HOST, &launch->printf_buffer);
    }
    if (result != VKB_SUCCESS)
        return ocl_from_vkb(result);
    uint32_t *words = vkb_buffer_map(launch->printf_buffer);
    if (!words)
        return CL_OUT_OF_RESOURCES;
    words[0] = 0;
    words[1] = launch->printf_size;
    add_access(launch, launch->printf_buffer, true, true);
    return CL_SUCCESS;
}

/* Enqueues a host command behind the dispatch (command->done). Its event becomes the command's. */
static enum vkb_result enqueue_behind(struct ocl_command *command, void (*call)(void *data, bool run), void *data)
{
    struct vkb_event *dispatched = command->done, *behind = NULL;
    struct vkb_enqueue enqueue = {.queue = command->queue->vk, .num_waits = 1, .waits = &dispatched, .event = &behind};
    enum vkb_result result = vkb_cmd_host(&enqueue, call, data);
    if (result != VKB_SUCCESS)
        return result;
    if (!command->first)
        command->first = vkb_event_retain(dispatched);
    if (command->last)
        vkb_event_release(dispatched);
    else
        command->last = dispatched;
    command->done = behind;
    return VKB_SUCCESS;
}

/* Has the buffer formatted. */
static enum vkb_result enqueue_flush(struct launch *launch)
{
    struct ocl_command *command = launch->command;
    struct printf_flush *flush = malloc(sizeof(*flush));
    if (!flush)
        return VKB_OUT_OF_HOST_MEMORY;
    *flush = (struct printf_flush){launch->printf_buffer, launch->printf_size, launch->kernel, command->queue->context,
                                   launch->lowered};
    atomic_fetch_add(&flush->context->printf_bytes, flush->capacity);
    vkb_buffer_retain(flush->buffer);
    ocl_kernel_retain(flush->kernel);
    enum vkb_result result = enqueue_behind(command, flush_printf, flush);
    if (result != VKB_SUCCESS)
        release_flush(flush);
    return result;
}

/* ---- kernels that watch their accesses ---- */

static cl_int make_checked(struct launch *launch)
{
    if (!ocl_is_checked(launch->lowered))
        return CL_SUCCESS;
    launch->checked = ocl_checked_create(launch->command->queue, launch->kernel, launch->lowered, launch->range);
    if (!launch->checked)
        return CL_OUT_OF_RESOURCES;
    ocl_checked_put(launch->checked, launch->block);
    add_access(launch, ocl_checked_buffer(launch->checked), true, true);
    launch->command->want_event |= ocl_checks_report();
    return CL_SUCCESS;
}

static enum vkb_result enqueue_report(struct launch *launch)
{
    enum vkb_result result = enqueue_behind(launch->command, ocl_checked_report, launch->checked);
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
    put_address(launch, CLC_LAUNCH_ENQUEUE, family->header);
    put(launch, launch->lowered->launch_offset[CLC_LAUNCH_ENQUEUE_PARENT], &launch->command->family_number, 4);
    add_access(launch, family->header, true, true);
    add_access(launch, family->body, true, true);
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
    add_access(launch, launch->scratch, true, true);
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
        put(launch, launch->lowered->launch_offset[CLC_LAUNCH_GLOBAL_OFFSET], offset, sizeof(offset));
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
        error = make_printf_buffer(launch);
    if (error == CL_SUCCESS)
        error = make_checked(launch);
    if (error != CL_SUCCESS)
        return error;
    put_family(launch);
    if (lowered->launch_offset[CLC_LAUNCH_ORDER] >= 0) {
        struct vkb_buffer *word = ocl_context_order_word(command->queue->context, command->queue->device_index);
        if (!word)
            return CL_OUT_OF_RESOURCES;
        put_address(launch, CLC_LAUNCH_ORDER, word);
        add_access(launch, word, true, false); /* launches that share it need not wait for each other */
    }
    put_address(launch, CLC_LAUNCH_SCRATCH, launch->scratch);
    put_address(launch, CLC_LAUNCH_PRINTF, launch->printf_buffer);
    if (lowered->uses_printf)
        command->want_event = true;
    if (grids->count > 1 && (lowered->scratch_size || ocl_range_is_vast(launch->range)))
        *result = dispatch_in_parts(launch, grids);
    else
        *result = dispatch(launch, grids->list, grids->count);
    if (*result == VKB_SUCCESS && lowered->num_bindings)
        *result = return_images(launch);
    if (*result == VKB_SUCCESS && lowered->uses_printf)
        *result = enqueue_flush(launch);
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
    /* The eight others are globals, constants, printf, checks, scratch, order and the family's two. */
    size_t capacity = launch->kernel->info->num_args + launch->kernel->num_indirect + 8;
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
    put_address(launch, CLC_LAUNCH_GLOBALS, build->globals);
    put_address(launch, CLC_LAUNCH_CONSTANTS, launch->code->constants);
    bool takes_globals = launch->lowered->launch_offset[CLC_LAUNCH_GLOBALS] >= 0;
    if (build->globals && (takes_globals || launch->code->constants)) /* constants may be the addresses of variables */
        add_access(launch, build->globals, takes_globals, takes_globals);
    if (launch->code->constants)
        add_access(launch, launch->code->constants, true, false);
}

cl_int ocl_launch(struct ocl_command *command, cl_kernel kernel, const struct ocl_range *range)
{
    if (range->empty)
        return ocl_command_end(command, ocl_command_nothing(command), false);
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
    cl_int error = size_local_args(&launch);
    if (error == CL_SUCCESS)
        choose_code(&launch);
    if (error == CL_SUCCESS && launch.lanes)
        error = size_local_args(&launch);
    if (!launch_init(&launch))
        error = CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        error = keep_args(&launch);
    if (error == CL_SUCCESS)
        error = make_family(&launch);
    if (error == CL_SUCCESS)
        error = put_images(&launch);
    if (error == CL_SUCCESS)
        error = put_args(&launch);
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
