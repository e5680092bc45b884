/* Levels of detail of mip-mapped images (cl_khr_mipmap_image).
 *
 * Each level is half as large as the one before, rounded down. An application names a level by one more number of an
 * origin, behind those that the image's type has. Where all levels lie in a buffer or in host memory (a map's shadow, a
 * move to another device), level 0 comes first, in the image's own pitches, and the others follow packed. */
#include "src/object/context.h"
#include "src/object/image.h"

#include "base/util.h"

#include <stdlib.h>

uint32_t ocl_image_levels(const struct ocl_image *image)
{
    return image->num_levels ? image->num_levels : 1;
}

void ocl_image_extent(const struct _cl_mem *mem, uint32_t level, uint32_t extent[3])
{
    const uint32_t *base = mem->image->extent;
    bool lines = mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY, planes = mem->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    extent[0] = vkb_level_size(base[0], level);
    extent[1] = lines ? base[1] : vkb_level_size(base[1], level);
    extent[2] = planes ? base[2] : vkb_level_size(base[2], level);
}

bool ocl_image_find(const struct _cl_mem *mem, const size_t *origin, struct ocl_start *place)
{
    uint32_t axes = mem->type == CL_MEM_OBJECT_IMAGE1D                                               ? 1
                    : mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || mem->type == CL_MEM_OBJECT_IMAGE2D ? 2
                                                                                                     : 3;
    bool mipped = ocl_image_levels(mem->image) > 1;
    *place = (struct ocl_start){.origin = {origin[0], origin[1], origin[2]}};
    if (!mipped)
        return true;
    if (origin[axes] >= ocl_image_levels(mem->image))
        return false;
    place->level = (uint32_t)origin[axes];
    if (axes < 3)
        place->origin[axes] = 0;
    return true;
}

void ocl_image_level_pitch(const struct _cl_mem *mem, uint32_t level, uint64_t pitch[2])
{
    uint32_t extent[3];
    ocl_image_extent(mem, level, extent);
    pitch[0] = level ? ocl_format_bytes(&mem->image->format, extent[0]) : mem->image->pitch[0];
    pitch[1] = level ? pitch[0] * extent[1] : mem->image->pitch[1];
}

uint64_t ocl_image_level_offset(const struct _cl_mem *mem, uint32_t level)
{
    uint64_t offset = 0, pitch[2];
    for (uint32_t i = 0; i < level; i++) {
        uint32_t extent[3];
        ocl_image_extent(mem, i, extent);
        ocl_image_level_pitch(mem, i, pitch);
        offset = align_up(offset + pitch[1] * extent[2], 16);
    }
    return offset;
}

/* Aligned so that Vulkan copies to and from there. */
uint64_t ocl_image_packed_offset(const struct _cl_mem *mem, uint32_t level)
{
    uint64_t texels = 0;
    for (uint32_t i = 0; i < level; i++) {
        uint32_t extent[3];
        ocl_image_extent(mem, i, extent);
        texels = align_up(texels + (uint64_t)extent[0] * extent[1] * extent[2], 4);
    }
    return texels * mem->image->format.stored_size;
}

cl_int ocl_image_level_view(cl_mem mem, cl_uint device, uint32_t level, struct vkb_image **view)
{
    struct ocl_storage *storage = &mem->storage[device];
    uint32_t count = ocl_image_levels(mem->image);
    enum vkb_result result = VKB_SUCCESS;
    pthread_mutex_lock(&mem->mutex);
    if (!storage->levels)
        storage->levels = calloc(count, sizeof(storage->levels[0]));
    if (!storage->levels)
        result = VKB_OUT_OF_HOST_MEMORY;
    else if (!storage->levels[level]) {
        struct vkb_image_info info = *vkb_image_info(storage->image);
        info.first_level = level;
        info.levels = 1;
        info.sampled = false;
        result = vkb_image_create_view(ocl_mem_root(mem)->storage[device].image, &info, &storage->levels[level]);
    }
    if (result == VKB_SUCCESS)
        *view = storage->levels[level];
    pthread_mutex_unlock(&mem->mutex);
    return ocl_from_vkb(result);
}

void ocl_image_release_levels(cl_mem mem, cl_uint device)
{
    struct ocl_storage *storage = &mem->storage[device];
    for (uint32_t i = 0; storage->levels && i < ocl_image_levels(mem->image); i++)
        vkb_image_release(storage->levels[i]);
    free(storage->levels);
    storage->levels = NULL;
}
