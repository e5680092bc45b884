/* Surfaces: what their planes are, where they lie, and copies of them.
 *
 * A driver that exports a surface gives a dma_buf with each plane's place (vaExportSurfaceHandle, one layer for each
 * plane). Where that is not possible, or nobody can take it, texels go through an image of the display's: the surface's
 * own memory if the driver maps that (vaDeriveImage), else a copy (vaGetImage, vaPutImage). */
#include "src/va/private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cl_int fail(const char *function, const struct ocl_va *va, int status, uint32_t surface)
{
    return ocl_fail(NULL, function, OCL_INVALID_VA_API_SURFACE, "surface %u: %s", surface,
                    va->calls->vaErrorStr(status));
}

/* ---- what a plane is ---- */

static cl_int set_shape(const char *function, uint32_t fourcc, uint32_t width, uint32_t height, uint32_t plane,
                        struct ocl_va_plane *found)
{
    const struct va_format *format = va_format_find(fourcc);
    if (!format)
        return ocl_fail(NULL, function, CL_IMAGE_FORMAT_NOT_SUPPORTED, "surfaces of format %.4s",
                        (const char *)&fourcc);
    if (plane >= format->num_planes)
        return ocl_fail(NULL, function, CL_INVALID_VALUE, "plane %u of a surface with %u", plane, format->num_planes);
    uint32_t right = format->planes[plane].right, down = format->planes[plane].down;
    found->format = format->planes[plane].format;
    found->texel_size = format->planes[plane].texel_size;
    found->width = (width + (1u << right) - 1) >> right;
    found->height = (height + (1u << down) - 1) >> down;
    found->fourcc = fourcc;
    found->surface_width = width;
    found->surface_height = height;
    return CL_SUCCESS;
}

/* Keeps the descriptor that has the plane, if the driver made a layer of it alone. */
static void take_layer(const struct va_prime_surface *exported, uint32_t plane, struct ocl_va_plane *found)
{
    uint32_t object = plane < exported->num_layers ? exported->layers[plane].object_index[0] : UINT32_MAX,
             count = plane < exported->num_layers ? exported->layers[plane].num_planes : 0;
    bool alone = object < exported->num_objects && count >= 1 && count <= 4;
    for (uint32_t i = 0; i < count && alone; i++) {
        alone = exported->layers[plane].object_index[i] == object;
        found->offset[i] = exported->layers[plane].offset[i];
        found->pitch[i] = exported->layers[plane].pitch[i];
    }
    for (uint32_t i = 0; i < exported->num_objects && i < 4; i++) {
        if (alone && i == object)
            found->fd = exported->objects[i].fd;
        else
            close(exported->objects[i].fd);
    }
    if (!alone)
        return;
    found->modifier = exported->objects[object].drm_format_modifier;
    found->num_planes = count;
}

cl_int ocl_va_find_plane(const char *function, struct ocl_va *va, uint32_t surface, uint32_t plane,
                         struct ocl_va_plane *found)
{
    struct va_prime_surface exported = {0};
    struct va_image image;
    *found = (struct ocl_va_plane){.fd = -1};
    pthread_mutex_lock(&va->lock);
    int status = va->calls->vaExportSurfaceHandle(va->display, surface, VA_DRM_PRIME_2,
                                                  VA_EXPORT_READ | VA_EXPORT_WRITE | VA_EXPORT_SEPARATE, &exported);
    bool exports = status == VA_SUCCESS;
    if (!exports && status != VA_NO_SUCH_SURFACE) {
        status = va->calls->vaDeriveImage(va->display, surface, &image);
        if (status == VA_SUCCESS)
            va->calls->vaDestroyImage(va->display, image.image_id);
    }
    pthread_mutex_unlock(&va->lock);
    if (status != VA_SUCCESS)
        return fail(function, va, status, surface);
    if (!exports)
        return set_shape(function, image.format.fourcc, image.width, image.height, plane, found);
    cl_int error = set_shape(function, exported.fourcc, exported.width, exported.height, plane, found);
    take_layer(&exported, error == CL_SUCCESS ? plane : UINT32_MAX, found);
    return error;
}

cl_int ocl_va_sync(struct ocl_va *va, uint32_t surface)
{
    pthread_mutex_lock(&va->lock);
    int status = va->calls->vaSyncSurface(va->display, surface);
    pthread_mutex_unlock(&va->lock);
    return status == VA_SUCCESS ? CL_SUCCESS : OCL_INVALID_VA_API_SURFACE;
}

/* ---- copies ---- */

/* The driver's own words for the format, which it may want to see again. */
static bool find_format(const struct ocl_va *va, uint32_t fourcc, struct va_image_format *found)
{
    int count = va->calls->vaMaxNumImageFormats(va->display);
    struct va_image_format *list = count > 0 ? calloc((size_t)count, sizeof(*list)) : NULL;
    bool known = false;
    if (list && va->calls->vaQueryImageFormats(va->display, list, &count) == VA_SUCCESS) {
        for (int i = 0; i < count && !known; i++) {
            *found = list[i];
            known = found->fourcc == fourcc;
        }
    }
    free(list);
    return known;
}

/* An image with what the surface has. *derived: it is the surface's memory. */
static int make_image(const struct ocl_va *va, uint32_t surface, const struct ocl_va_plane *shape,
                      struct va_image *image, bool *derived)
{
    const struct va_functions *calls = va->calls;
    struct va_image_format format;
    int status = calls->vaDeriveImage(va->display, surface, image);
    *derived = status == VA_SUCCESS;
    if (*derived || !find_format(va, shape->fourcc, &format))
        return status;
    status = calls->vaCreateImage(va->display, &format, (int)shape->surface_width, (int)shape->surface_height, image);
    if (status != VA_SUCCESS)
        return status;
    status =
        calls->vaGetImage(va->display, surface, 0, 0, shape->surface_width, shape->surface_height, image->image_id);
    if (status != VA_SUCCESS)
        calls->vaDestroyImage(va->display, image->image_id);
    return status;
}

/* Whether the plane lies in the image's buffer as the driver says. */
static bool has_plane(const struct va_image *image, uint32_t plane, const struct ocl_va_plane *shape)
{
    uint64_t row = (uint64_t)shape->width * shape->texel_size;
    return image->format.fourcc == shape->fourcc && plane < image->num_planes && plane < 3 &&
           image->pitches[plane] >= row &&
           image->offsets[plane] + (uint64_t)image->pitches[plane] * (shape->height - 1) + row <= image->data_size;
}

static void copy_rows(char *lines, uint32_t pitch, const struct ocl_va_plane *shape, char *packed, bool reads)
{
    size_t row = (size_t)shape->width * shape->texel_size;
    for (uint32_t y = 0; y < shape->height; y++, lines += pitch, packed += row)
        memcpy(reads ? packed : lines, reads ? lines : packed, row);
}

static int copy_image(const struct ocl_va *va, const struct va_image *image, uint32_t plane,
                      const struct ocl_va_plane *shape, void *packed, bool reads)
{
    void *map = NULL;
    int status = va->calls->vaMapBuffer(va->display, image->buf, &map);
    if (status != VA_SUCCESS)
        return status;
    copy_rows((char *)map + image->offsets[plane], image->pitches[plane], shape, packed, reads);
    return va->calls->vaUnmapBuffer(va->display, image->buf);
}

cl_int ocl_va_copy(struct ocl_va *va, uint32_t surface, uint32_t plane, const struct ocl_va_plane *shape, void *packed,
                   bool reads)
{
    struct va_image image;
    bool derived;
    pthread_mutex_lock(&va->lock);
    int status = make_image(va, surface, shape, &image, &derived);
    bool made = status == VA_SUCCESS, fits = made && has_plane(&image, plane, shape);
    if (fits)
        status = copy_image(va, &image, plane, shape, packed, reads);
    if (fits && status == VA_SUCCESS && !reads && !derived)
        status = va->calls->vaPutImage(va->display, surface, image.image_id, 0, 0, shape->surface_width,
                                       shape->surface_height, 0, 0, shape->surface_width, shape->surface_height);
    if (made)
        va->calls->vaDestroyImage(va->display, image.image_id);
    pthread_mutex_unlock(&va->lock);
    return fits && status == VA_SUCCESS ? CL_SUCCESS : OCL_INVALID_VA_API_SURFACE;
}
