/* The argument block of a launch: the values of the kernel's arguments, and the memory and images that these reach. */
#include "src/command/texels.h"
#include "src/launch/family.h"
#include "src/launch/state.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/pointer.h"
#include "src/object/queue.h"

#include "base/util.h"

#include <assert.h>
#include <string.h>

void launch_put(struct launch *launch, int32_t offset, const void *data, size_t size)
{
    if (offset < 0)
        return;
    assert((uint32_t)offset + size <= launch->lowered->block_size);
    memcpy(launch->block + offset, data, size);
}

void launch_put_address(struct launch *launch, enum clc_launch_value value, const struct vkb_buffer *buffer)
{
    uint64_t address = buffer ? vkb_buffer_address(buffer) : 0;
    launch_put(launch, launch->lowered->launch_offset[value], &address, sizeof(address));
}

void launch_add_access(struct launch *launch, struct vkb_buffer *buffer, bool reads, bool writes)
{
    launch->accesses[launch->num_accesses++] = (struct vkb_access){buffer, reads, writes};
}

/* Adds the memory that the kernel reaches by an address. If that is no allocation of the context, it is the host's own
 * memory, of which nothing is known. */
static cl_int use_pointer(struct launch *launch, uint64_t pointer, uint8_t access)
{
    cl_command_queue queue = launch->command->queue;
    struct ocl_place place;
    if (!ocl_pointer_find(queue->context, pointer, queue->device_index, &place)) {
        launch->reaches_any |= pointer != 0;
        launch->has_inner |= pointer != 0;
        return CL_SUCCESS;
    }
    launch->has_inner |= pointer != place.start;
    struct pin *pin = &launch->pins[launch->num_pins++];
    *pin = (struct pin){.buffer = place.buffer};
    if (place.in_mem)
        pin->mem = ocl_pointer_retain_mem(queue->context, pointer);
    if (pin->mem) { /* in a context of several devices its contents may have to come first */
        uint64_t offset;
        struct vkb_buffer *buffer;
        ocl_mem_lean(ocl_mem_root(pin->mem));
        cl_int error = ocl_command_use(launch->command, pin->mem, access & 2 || !access, &buffer, &offset);
        if (error != CL_SUCCESS)
            return error;
    }
    if (place.buffer)
        launch_add_access(launch, place.buffer, access & 1 || !access, access & 2 || !access);
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
            launch_add_access(launch, buffer, access & 1, access & 2);
        else
            launch_add_access(launch, buffer, true, true);
    }
    launch_put(launch, (int32_t)offset, &address, sizeof(address));
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
        launch_put(launch, (int32_t)lowered->arg_offset[index], &word, sizeof(word));
    if (access & 1)
        note_kind(launch, mem, image);
    if (access)
        launch->accesses[launch->num_accesses++] =
            (struct vkb_access){.image = image, .reads = access & 1, .writes = access & 2};
    return bind_image(launch, index, format->integer, image);
}

/* Before the buffers: what an image of one of them is copied from must not count as written by this launch yet. */
cl_int launch_put_images(struct launch *launch)
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
enum vkb_result launch_return_images(struct launch *launch)
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
    launch_put(launch, (int32_t)offset, &start, sizeof(start));
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
cl_int launch_size_local_args(struct launch *launch)
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
    launch_put(launch, (int32_t)offset, &number, sizeof(number));
}

cl_int launch_put_args(struct launch *launch)
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
            launch_put(launch, (int32_t)offset, launch->kernel->values + arg->offset, info->args[i].size);
            break;
        case CLC_ARG_GLOBAL:
        case CLC_ARG_CONSTANT:
            error = put_pointer(launch, arg, offset, enqueues ? 0 : lowered->arg_access[i]);
            break;
        case CLC_ARG_LOCAL:
            put_local(launch, &info->args[i], arg, offset, &local_end);
            break;
        case CLC_ARG_IMAGE: /* launch_put_images() */
            break;
        case CLC_ARG_SAMPLER:
            launch_put(launch, (int32_t)offset, &arg->sampler, sizeof(arg->sampler));
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
