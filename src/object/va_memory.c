/* Images made from planes of VA-API's surfaces: each is over the dma_buf that the driver exports, where somebody takes
 * that, else beside the surface. */
#include "src/object/va_memory.h"

#include "src/device/device.h"
#include "src/object/context.h"
#include "src/object/foreign.h"
#include "src/object/image.h"

#include "base/log.h"
#include "base/platform.h"

#include <stdlib.h>
#include <string.h>

void ocl_va_origin_destroy(struct ocl_va_origin *origin)
{
    if (!origin)
        return;
    ocl_va_release(origin->va);
    free(origin);
}

/* ---- contents that the display copies ---- */

struct beside {
    struct ocl_foreign base;
    struct ocl_va *va; /* a reference */
    uint32_t surface, plane;
    struct ocl_va_plane shape;
};

static cl_int read_plane(struct ocl_foreign *foreign, void *packed)
{
    struct beside *beside = (struct beside *)foreign;
    return ocl_va_copy(beside->va, beside->surface, beside->plane, &beside->shape, packed, true);
}

static cl_int write_plane(struct ocl_foreign *foreign, const void *packed)
{
    struct beside *beside = (struct beside *)foreign;
    return ocl_va_copy(beside->va, beside->surface, beside->plane, &beside->shape, (void *)(uintptr_t)packed, false);
}

static void destroy_beside(struct ocl_foreign *foreign)
{
    struct beside *beside = (struct beside *)foreign;
    ocl_va_release(beside->va);
    free(beside);
}

static struct ocl_foreign *create_beside(struct ocl_va *va, uint32_t surface, uint32_t plane,
                                         const struct ocl_va_plane *shape)
{
    static const struct ocl_foreign_calls calls = {read_plane, write_plane, destroy_beside};
    struct beside *beside = calloc(1, sizeof(*beside));
    if (!beside)
        return NULL;
    atomic_init(&beside->base.refs, 1);
    beside->base.calls = &calls;
    beside->base.size = (uint64_t)shape->width * shape->height * shape->texel_size;
    beside->va = ocl_va_retain(va);
    beside->surface = surface;
    beside->plane = plane;
    beside->shape = *shape;
    return &beside->base;
}

/* ---- the image ---- */

static void fill_request(cl_mem_flags flags, const struct ocl_va_plane *shape, struct ocl_image_request *request)
{
    *request = (struct ocl_image_request){
        .flags = flags,
        .type = CL_MEM_OBJECT_IMAGE2D,
        .desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = shape->width, .image_height = shape->height},
        .external = {.handle = -1},
    };
}

static bool fits_some_device(cl_context context, const struct ocl_image_request *request)
{
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (ocl_format_supported(context->devices[i], &request->format, request->type, request->flags))
            return true;
    }
    return false;
}

/* By the exported memory. */
static cl_int import(cl_context context, const struct ocl_image_request *plain, const struct ocl_va_plane *shape,
                     cl_mem *mem)
{
    struct ocl_image_request request = *plain;
    struct ocl_mem_properties *external = &request.external;
    struct ocl_dma_buf_layout *layout = &external->layout;
    if (shape->fd < 0 || shape->pitch[0] < (uint64_t)shape->width * shape->texel_size)
        return CL_INVALID_PROPERTY;
    external->kind = VKB_HANDLE_DMA_BUF;
    external->handle = shape->fd;
    external->devices = context->num_devices < 64 ? (UINT64_C(1) << context->num_devices) - 1 : UINT64_MAX;
    layout->modifier = shape->modifier;
    layout->num_planes = shape->num_planes;
    memcpy(layout->offset, shape->offset, sizeof(layout->offset));
    memcpy(layout->pitch, shape->pitch, sizeof(layout->pitch));
    request.desc.image_row_pitch = (size_t)shape->pitch[0];
    for (cl_uint i = 0; i < context->num_devices; i++) {
        if (!(ocl_device_memory_handles(context->devices[i]) & VKB_HANDLE_DMA_BUF))
            return CL_INVALID_PROPERTY;
    }
    return ocl_image_create(context, &request, mem);
}

static cl_int create_copy(cl_context context, const struct ocl_image_request *request, uint32_t surface, uint32_t plane,
                          const struct ocl_va_plane *shape, cl_mem *mem)
{
    struct ocl_foreign *foreign = create_beside(context->va, surface, plane, shape);
    cl_int error = foreign ? ocl_image_create(context, request, mem) : CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        (*mem)->foreign = foreign;
    else
        ocl_foreign_release(foreign);
    return error;
}

cl_int ocl_mem_create_va(const char *function, cl_context context, cl_mem_flags flags, uint32_t surface, uint32_t plane,
                         cl_mem *mem)
{
    struct ocl_va_plane shape;
    struct ocl_image_request request;
    struct ocl_va_origin *origin = calloc(1, sizeof(*origin));
    cl_int error = origin ? ocl_va_find_plane(function, context->va, surface, plane, &shape) : CL_OUT_OF_HOST_MEMORY;
    if (error != CL_SUCCESS) {
        free(origin);
        return error;
    }
    fill_request(flags, &shape, &request);
    if (!ocl_format_find(&shape.format, &request.format) || !fits_some_device(context, &request))
        error = ocl_fail(context, function, CL_IMAGE_FORMAT_NOT_SUPPORTED, "no device has images for the plane");
    bool imports = false;
    if (error == CL_SUCCESS) {
        error = import(context, &request, &shape, mem);
        imports = error == CL_SUCCESS;
    }
    if (error == CL_INVALID_PROPERTY)
        error = create_copy(context, &request, surface, plane, &shape, mem);
    if (shape.fd >= 0)
        platform_handle_close(shape.fd);
    if (error != CL_SUCCESS) {
        free(origin);
        return error;
    }
    log_info("VA-API: surface %u, plane %u: %s", surface, plane,
             imports ? "the memory that the driver exports" : "copies by images of the display");
    origin->va = ocl_va_retain(context->va);
    origin->surface = surface;
    origin->plane = plane;
    (*mem)->va = origin;
    return CL_SUCCESS;
}
