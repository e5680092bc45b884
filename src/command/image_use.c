/* Where an image's texels are when a command wants them.
 *
 * A transfer to or from an image of a buffer is one of the buffer. A kernel needs a vkb_image: over the buffer's
 * memory, or where the device cannot do that, another image beside it. That is copied from the buffer when the buffer
 * may have changed since the last time, and what a kernel writes is copied back behind the kernel. So the buffer always
 * has the truth, and commands that use it need not know of its images. The copies are steps of the command that needs them:
 * whatever orders that command orders them. */
#include "src/command/command.h"
#include "src/command/texels.h"
#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/image.h"
#include "src/object/queue.h"

#include <stdlib.h>

static bool is_over_buffer(cl_mem mem)
{
    return mem->parent && !ocl_mem_root(mem)->image;
}

bool ocl_image_is_beside(cl_mem mem, cl_uint device)
{
    return is_over_buffer(mem) && !vkb_image_is_over(mem->storage[device].image);
}

static void texels_of_buffer(cl_mem mem, cl_uint device, struct ocl_texels *texels)
{
    *texels = (struct ocl_texels){
        .buffer = ocl_mem_root(mem)->storage[device].buffer,
        .offset = ocl_mem_root(mem)->storage[device].offset + mem->origin,
        .pitch = {mem->image->pitch[0], mem->image->pitch[1]},
        .bits = mem->image->format.bits,
        .chroma = ocl_image_is_planar(mem) ? ocl_image_chroma(mem) : 0,
    };
}

static struct ocl_texels texels_of_image(cl_mem mem, struct vkb_image *image)
{
    const struct ocl_format *format = &mem->image->format;
    return (struct ocl_texels){.image = image, .bits = format->bits, .format = format->conversion ? format : NULL};
}

cl_int ocl_command_use_texels(struct ocl_command *command, cl_mem mem, bool writes, struct ocl_texels *texels)
{
    cl_uint device = command->queue->device_index;
    cl_int error = ocl_command_bring(command, mem, writes);
    if (error != CL_SUCCESS)
        return error;
    if (is_over_buffer(mem))
        texels_of_buffer(mem, device, texels);
    else
        *texels = texels_of_image(mem, ocl_mem_root(mem)->storage[device].image);
    return CL_SUCCESS;
}

static const size_t zero[3] = {0, 0, 0};

static enum vkb_result copy_whole(struct ocl_command *command, cl_mem mem, const struct ocl_texels *from,
                                  const struct ocl_texels *to)
{
    const uint32_t *extent = mem->image->extent;
    const size_t region[3] = {extent[0], extent[1], extent[2]};
    return ocl_texels_copy(command, from, zero, to, zero, region);
}

/* Called with mem's mutex held. */
static cl_int bring_up_to_date(struct ocl_command *command, cl_mem mem, struct ocl_storage *storage)
{
    cl_mem root = ocl_mem_root(mem);
    uint64_t stamp = ocl_mem_stamp(root);
    bool known = !root->has_address && !root->uses_svm; /* those are written without the runtime's knowing */
    if (storage->copied == stamp && known) {
        bool pending = storage->copies && vkb_event_ask(storage->copies) > VKB_COMPLETE;
        return pending ? ocl_command_wait_for(command, vkb_event_retain(storage->copies)) : CL_SUCCESS;
    }
    struct ocl_texels buffer, image = texels_of_image(mem, storage->image);
    texels_of_buffer(mem, command->queue->device_index, &buffer);
    enum vkb_result result = copy_whole(command, mem, &buffer, &image);
    if (result != VKB_SUCCESS)
        return ocl_from_vkb(result);
    if (storage->copies)
        vkb_event_release(storage->copies);
    storage->copies = vkb_event_retain(command->done);
    storage->copied = stamp;
    return CL_SUCCESS;
}

cl_int ocl_command_use_image(struct ocl_command *command, cl_mem mem, bool writes, struct vkb_image **image)
{
    cl_uint device = command->queue->device_index;
    struct ocl_storage *storage = &mem->storage[device];
    cl_int error = ocl_command_bring(command, mem, false);
    if (error != CL_SUCCESS)
        return error;
    ocl_lock(&mem->mutex);
    if (!storage->image)
        error = ocl_image_place(mem, device);
    bool beside = error == CL_SUCCESS && ocl_image_is_beside(mem, device);
    if (beside)
        error = bring_up_to_date(command, mem, storage);
    ocl_unlock(&mem->mutex);
    *image = storage->image;
    if (error == CL_SUCCESS && writes && !beside)
        error = ocl_command_bring(command, mem, true);
    return error;
}

enum vkb_result ocl_command_wrote_image(struct ocl_command *command, cl_mem mem)
{
    struct ocl_storage *storage = &mem->storage[command->queue->device_index];
    struct ocl_texels buffer, image;
    if (!ocl_image_is_beside(mem, command->queue->device_index))
        return VKB_SUCCESS;
    cl_int error = ocl_command_bring(command, mem, true);
    if (error != CL_SUCCESS)
        return error == CL_OUT_OF_HOST_MEMORY ? VKB_OUT_OF_HOST_MEMORY : VKB_OUT_OF_DEVICE_MEMORY;
    ocl_lock(&mem->mutex);
    image = texels_of_image(mem, storage->image);
    texels_of_buffer(mem, command->queue->device_index, &buffer);
    storage->copied = 0;
    enum vkb_result result = copy_whole(command, mem, &image, &buffer);
    if (result == VKB_SUCCESS) {
        storage->copied = ocl_mem_stamp(ocl_mem_root(mem));
        if (storage->copies)
            vkb_event_release(storage->copies);
        storage->copies = vkb_event_retain(command->done);
    }
    ocl_unlock(&mem->mutex);
    return result;
}

/* ---- images of the other class ---- */

/* Beside or of its own: a view. Over a buffer: another image over it. */
static enum vkb_result make_bits(cl_mem mem, cl_uint device, struct ocl_storage *storage)
{
    const struct ocl_storage *root = &ocl_mem_root(mem)->storage[device];
    struct vkb_image_info info = *vkb_image_info(storage->image);
    info.format = mem->image->format.bits_format;
    info.other_format = 0;
    if (vkb_image_is_over(storage->image))
        return vkb_image_create_over(root->buffer, root->offset + mem->origin, &info, &storage->bits);
    return vkb_image_create_view(is_over_buffer(mem) ? storage->image : root->image, &info, &storage->bits);
}

cl_int ocl_image_bits(cl_mem mem, cl_uint device, struct vkb_image **view)
{
    struct ocl_storage *storage = &mem->storage[device];
    enum vkb_result result = VKB_SUCCESS;
    ocl_lock(&mem->mutex);
    if (!storage->bits && mem->image->format.bits_format)
        result = make_bits(mem, device, storage);
    *view = storage->bits;
    ocl_unlock(&mem->mutex);
    return result == VKB_UNSUPPORTED ? CL_SUCCESS : ocl_from_vkb(result);
}

/* ---- images that are not touched ---- */

static enum vkb_result make_dummy(cl_context context, cl_uint device, enum vkb_image_kind kind, bool integer,
                                  struct vkb_image **image)
{
    enum { R8G8B8A8_UNORM = 37, R8G8B8A8_UINT = 41, BYTES = 256 };
    struct vkb_device *vk = context->devices[device]->vk;
    struct vkb_image_info info = {
        .kind = kind,
        .format = integer ? R8G8B8A8_UINT : R8G8B8A8_UNORM,
        .texel_size = 4,
        .width = 1,
        .height = 1,
        .depth = 1,
        .layers = 1,
        .sampled = true,
        .storage = true,
        .mapping = {0, 1, 2, 3},
    };
    if (kind != VKB_IMAGE_BUFFER)
        return vkb_image_create(vk, &info, image);
    struct vkb_buffer *buffer;
    enum vkb_result result = vkb_buffer_create(vk, BYTES, VKB_MEMORY_DEVICE, &buffer);
    if (result != VKB_SUCCESS)
        return result;
    result = vkb_image_create_over(buffer, 0, &info, image);
    vkb_buffer_release(buffer);
    return result;
}

cl_int ocl_image_dummy(cl_context context, cl_uint device, enum vkb_image_kind kind, bool integer,
                       struct vkb_image **image)
{
    enum vkb_result result = VKB_SUCCESS;
    ocl_lock(&context->mutex);
    struct vkb_image **slot = &context->dummies[device][2 * kind + integer];
    if (!*slot)
        result = make_dummy(context, device, kind, integer, slot);
    *image = *slot;
    ocl_unlock(&context->mutex);
    return ocl_from_vkb(result);
}
