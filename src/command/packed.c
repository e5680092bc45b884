/* Contents on their way between a memory object and memory in which they lie packed, rows without gaps and level behind
 * level: the form in which OpenGL and the host hand them over. */
#include "src/command/packed.h"

#include "src/command/command.h"
#include "src/device/device.h"

static enum vkb_result copy_bytes(struct ocl_command *command, struct vkb_buffer *from, uint64_t from_offset,
                                  struct vkb_buffer *to, uint64_t to_offset, uint64_t size)
{
    struct vkb_enqueue step;
    enum vkb_result result = ocl_command_step(command, &step);
    return result == VKB_SUCCESS ? vkb_cmd_copy(&step, from, from_offset, to, to_offset, size) : result;
}

static enum vkb_result copy_levels(struct ocl_command *command, cl_mem mem, struct ocl_texels *texels,
                                   struct vkb_buffer *packed, bool into)
{
    static const size_t zero[3] = {0, 0, 0};
    enum vkb_result result = VKB_SUCCESS;
    struct ocl_texels rows = {.buffer = packed, .bits = texels->bits};
    for (uint32_t i = 0; i < ocl_image_levels(mem->image) && result == VKB_SUCCESS; i++) {
        uint32_t extent[3];
        ocl_image_extent(mem, i, extent);
        const size_t region[3] = {extent[0], extent[1], extent[2]};
        texels->level = i;
        rows.pitch[0] = ocl_format_bytes(&mem->image->format, extent[0]);
        rows.pitch[1] = rows.pitch[0] * extent[1];
        result = into ? ocl_texels_copy(command, &rows, zero, texels, zero, region)
                      : ocl_texels_copy(command, texels, zero, &rows, zero, region);
        rows.offset += rows.pitch[1] * extent[2];
    }
    return result;
}

cl_int ocl_packed_find(struct ocl_command *command, cl_mem mem, bool writes, struct ocl_packed_place *place)
{
    cl_mem root = ocl_mem_root(mem);
    if (!root->image)
        return ocl_command_use(command, root, writes, &place->buffer, &place->offset);
    return ocl_command_use_texels(command, mem, writes, &place->texels);
}

enum vkb_result ocl_packed_copy(struct ocl_command *command, cl_mem mem, struct ocl_packed_place *place,
                                struct vkb_buffer *packed, uint64_t size, bool into)
{
    if (!place->buffer)
        return copy_levels(command, mem, &place->texels, packed, into);
    return into ? copy_bytes(command, packed, 0, place->buffer, place->offset, size)
                : copy_bytes(command, place->buffer, place->offset, packed, 0, size);
}
