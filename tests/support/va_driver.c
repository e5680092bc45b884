/* A driver for libva without hardware: surfaces in the host's memory, which are filled and read by images. libva finds it
 * in LIBVA_DRIVERS_PATH by the name pumice (va_display.c).
 *
 * PUMICE_TEST_VA says what it can: "export" (as well as derive images), "derive", "copy" (neither) or "modifier" (it
 * exports with a modifier that nobody knows, and derives nothing). Surfaces are dma_bufs where there is /dev/udmabuf, else files in memory
 * that drivers on the host take as well. */
#include <va/va_backend.h>
#include <va/va_drmcommon.h>

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 64, PITCH_ALIGN = 64, FIRST_SURFACE = 0x100, FIRST_IMAGE = 0x200, FIRST_BUFFER = 0x300 };

/* Surfaces, and images with their buffers, which have the same place in their lists. */
struct frame {
    bool used;
    uint32_t fourcc, width, height, num_planes;
    uint32_t offset[3], pitch[3], size;
    int fd;    /* -1: malloc()ed */
    char *map; /* of an image that was derived: the surface's */
    bool is_derived, is_mapped;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the lists */
static struct frame surfaces[MOST], images[MOST];

static const VAImageFormat formats[] = {
    {.fourcc = VA_FOURCC_NV12, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12},
    {.fourcc = VA_FOURCC_P010, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 24},
    {.fourcc = VA_FOURCC_I420, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12},
    {.fourcc = VA_FOURCC_BGRA, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 32},
    {.fourcc = VA_FOURCC_YUY2, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 16},
};
enum { NUM_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static bool can(const char *what)
{
    const char *text = getenv("PUMICE_TEST_VA");
    return strcmp(text ? text : "export", what) == 0;
}

/* ---- frames ---- */

static void lay_out(struct frame *frame, uint32_t align)
{
    bool deep = frame->fourcc == VA_FOURCC_P010, planar = frame->fourcc == VA_FOURCC_I420,
         packed = frame->fourcc == VA_FOURCC_BGRA || frame->fourcc == VA_FOURCC_YUY2;
    uint32_t texel = frame->fourcc == VA_FOURCC_BGRA ? 4 : frame->fourcc == VA_FOURCC_YUY2 || deep ? 2 : 1;
    uint32_t half = (frame->height + 1) / 2, row = (frame->width * texel + align - 1) / align * align;
    frame->num_planes = packed ? 1 : planar ? 3 : 2;
    frame->pitch[0] = row;
    frame->pitch[1] = planar ? row / 2 : (((frame->width + 1) / 2) * 2 * texel + align - 1) / align * align;
    frame->pitch[2] = row / 2;
    frame->offset[0] = 0;
    frame->offset[1] = row * frame->height;
    frame->offset[2] = frame->offset[1] + frame->pitch[1] * half;
    frame->size = packed ? frame->offset[1] : frame->offset[2] + (planar ? frame->pitch[2] * half : 0);
}

static bool make_memory(struct frame *frame)
{
    struct {
        uint32_t memfd, flags;
        uint64_t offset, size;
    } create = {.flags = 1, .size = ((uint64_t)frame->size + 65535) & ~UINT64_C(65535)};
    int memfd = memfd_create("va", MFD_CLOEXEC | MFD_ALLOW_SEALING), maker = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
    if (memfd < 0 || ftruncate(memfd, (off_t)create.size) != 0 || fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
        abort();
    frame->map = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    create.memfd = (uint32_t)memfd;
    frame->fd = maker >= 0 ? ioctl(maker, _IOW('u', 0x42, char[24]), &create) : -1;
    if (maker >= 0)
        close(maker);
    if (frame->fd < 0)
        frame->fd = memfd;
    else
        close(memfd);
    return frame->map != MAP_FAILED;
}

static void free_memory(struct frame *frame)
{
    if (frame->fd >= 0) {
        munmap(frame->map, (frame->size + 65535) & ~(size_t)65535);
        close(frame->fd);
    } else if (!frame->is_derived) {
        free(frame->map);
    }
    frame->used = false;
}

/* A place that is free, with the lock held. */
static struct frame *new_frame(struct frame *list, uint32_t fourcc, uint32_t width, uint32_t height)
{
    size_t i = 0;
    while (i < MOST && list[i].used)
        i++;
    if (i == MOST)
        abort();
    list[i] = (struct frame){.used = true, .fourcc = fourcc, .width = width, .height = height, .fd = -1};
    return &list[i];
}

static struct frame *find(struct frame *list, uint32_t first, uint32_t id)
{
    return id >= first && id - first < MOST && list[id - first].used ? &list[id - first] : NULL;
}

/* ---- surfaces ---- */

static VAStatus create_surfaces2(VADriverContextP ctx, unsigned format, unsigned width, unsigned height,
                                 VASurfaceID *ids, unsigned count, VASurfaceAttrib *attributes, unsigned num_attributes)
{
    uint32_t fourcc = VA_FOURCC_NV12;
    (void)ctx, (void)format;
    for (unsigned i = 0; i < num_attributes; i++) {
        if (attributes[i].type == VASurfaceAttribPixelFormat)
            fourcc = (uint32_t)attributes[i].value.value.i;
    }
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < count; i++) {
        struct frame *frame = new_frame(surfaces, fourcc, width, height);
        lay_out(frame, PITCH_ALIGN);
        if (!make_memory(frame))
            abort();
        ids[i] = FIRST_SURFACE + (VASurfaceID)(frame - surfaces);
    }
    pthread_mutex_unlock(&lock);
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_surfaces(VADriverContextP ctx, VASurfaceID *ids, int count)
{
    VAStatus status = VA_STATUS_SUCCESS;
    (void)ctx;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++) {
        struct frame *frame = find(surfaces, FIRST_SURFACE, ids[i]);
        if (frame)
            free_memory(frame);
        else
            status = VA_STATUS_ERROR_INVALID_SURFACE;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static VAStatus sync_surface(VADriverContextP ctx, VASurfaceID id)
{
    (void)ctx;
    pthread_mutex_lock(&lock);
    VAStatus status = find(surfaces, FIRST_SURFACE, id) ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_SURFACE;
    pthread_mutex_unlock(&lock);
    return status;
}

/* As drivers do for chroma: DRM's formats R8, GR88, R16, GR1616 and what a packed surface is. */
static void fill_layers(const struct frame *frame, VADRMPRIMESurfaceDescriptor *out)
{
    out->num_layers = frame->num_planes;
    for (uint32_t i = 0; i < frame->num_planes; i++) {
        out->layers[i].drm_format = frame->fourcc + i;
        out->layers[i].num_planes = 1;
        out->layers[i].object_index[0] = 0;
        out->layers[i].offset[0] = frame->offset[i];
        out->layers[i].pitch[0] = frame->pitch[i];
    }
}

static VAStatus export_surface(VADriverContextP ctx, VASurfaceID id, uint32_t type, uint32_t flags, void *descriptor)
{
    VADRMPRIMESurfaceDescriptor *out = descriptor;
    VAStatus status = VA_STATUS_SUCCESS;
    (void)ctx;
    pthread_mutex_lock(&lock);
    struct frame *frame = find(surfaces, FIRST_SURFACE, id);
    if (!frame)
        status = VA_STATUS_ERROR_INVALID_SURFACE;
    else if (can("derive") || can("copy"))
        status = VA_STATUS_ERROR_UNIMPLEMENTED;
    else if (type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 || !(flags & VA_EXPORT_SURFACE_SEPARATE_LAYERS))
        status = VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE;
    if (status == VA_STATUS_SUCCESS) {
        memset(out, 0, sizeof(*out));
        out->fourcc = frame->fourcc;
        out->width = frame->width;
        out->height = frame->height;
        out->num_objects = 1;
        out->objects[0].fd = fcntl(frame->fd, F_DUPFD_CLOEXEC, 0);
        out->objects[0].size = frame->size;
        out->objects[0].drm_format_modifier = can("export") ? 0 : UINT64_C(0x7f000000000000ff);
        fill_layers(frame, out);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- images ---- */

static void tell(const struct frame *frame, VAImage *out)
{
    uint32_t number = (uint32_t)(frame - images);
    memset(out, 0, sizeof(*out));
    out->image_id = FIRST_IMAGE + number;
    out->buf = FIRST_BUFFER + number;
    out->format = (VAImageFormat){.fourcc = frame->fourcc, .byte_order = VA_LSB_FIRST};
    out->width = (uint16_t)frame->width;
    out->height = (uint16_t)frame->height;
    out->data_size = frame->size;
    out->num_planes = frame->num_planes;
    memcpy(out->offsets, frame->offset, sizeof(out->offsets));
    memcpy(out->pitches, frame->pitch, sizeof(out->pitches));
}

static VAStatus create_image(VADriverContextP ctx, VAImageFormat *format, int width, int height, VAImage *out)
{
    (void)ctx;
    pthread_mutex_lock(&lock);
    struct frame *frame = new_frame(images, format->fourcc, (uint32_t)width, (uint32_t)height);
    lay_out(frame, 16); /* not as surfaces do */
    frame->map = calloc(1, frame->size);
    tell(frame, out);
    pthread_mutex_unlock(&lock);
    return VA_STATUS_SUCCESS;
}

static VAStatus derive_image(VADriverContextP ctx, VASurfaceID id, VAImage *out)
{
    (void)ctx;
    pthread_mutex_lock(&lock);
    struct frame *surface = find(surfaces, FIRST_SURFACE, id);
    VAStatus status = !surface                         ? VA_STATUS_ERROR_INVALID_SURFACE
                      : can("copy") || can("modifier") ? VA_STATUS_ERROR_OPERATION_FAILED
                                                       : VA_STATUS_SUCCESS;
    if (status == VA_STATUS_SUCCESS) {
        struct frame *frame = new_frame(images, surface->fourcc, surface->width, surface->height);
        *frame = *surface;
        frame->fd = -1;
        frame->is_derived = true;
        tell(frame, out);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static VAStatus destroy_image(VADriverContextP ctx, VAImageID id)
{
    (void)ctx;
    pthread_mutex_lock(&lock);
    struct frame *frame = find(images, FIRST_IMAGE, id);
    if (frame && frame->is_mapped)
        abort();
    if (frame)
        free_memory(frame);
    pthread_mutex_unlock(&lock);
    return frame ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_IMAGE;
}

static void copy_plane(const struct frame *from, const struct frame *to, uint32_t plane)
{
    uint32_t rows = plane ? (from->height + 1) / 2 : from->height,
             row = from->pitch[plane] < to->pitch[plane] ? from->pitch[plane] : to->pitch[plane];
    for (uint32_t y = 0; y < rows; y++)
        memcpy(to->map + to->offset[plane] + (size_t)y * to->pitch[plane],
               from->map + from->offset[plane] + (size_t)y * from->pitch[plane], row);
}

/* Between a surface and an image, all of it. */
static VAStatus copy_frame(VASurfaceID surface_id, VAImageID image_id, bool to_image)
{
    pthread_mutex_lock(&lock);
    struct frame *surface = find(surfaces, FIRST_SURFACE, surface_id), *image = find(images, FIRST_IMAGE, image_id);
    bool alike = surface && image && surface->fourcc == image->fourcc && surface->width == image->width &&
                 surface->height == image->height;
    for (uint32_t i = 0; alike && i < surface->num_planes; i++)
        copy_plane(to_image ? surface : image, to_image ? image : surface, i);
    pthread_mutex_unlock(&lock);
    return !surface ? VA_STATUS_ERROR_INVALID_SURFACE
           : !image ? VA_STATUS_ERROR_INVALID_IMAGE
           : alike  ? VA_STATUS_SUCCESS
                    : VA_STATUS_ERROR_INVALID_IMAGE_FORMAT;
}

static VAStatus get_image(VADriverContextP ctx, VASurfaceID surface, int x, int y, unsigned width, unsigned height,
                          VAImageID image)
{
    (void)ctx, (void)x, (void)y, (void)width, (void)height;
    return copy_frame(surface, image, true);
}

static VAStatus put_image(VADriverContextP ctx, VASurfaceID surface, VAImageID image, int sx, int sy, unsigned sw,
                          unsigned sh, int dx, int dy, unsigned dw, unsigned dh)
{
    (void)ctx, (void)sx, (void)sy, (void)sw, (void)sh, (void)dx, (void)dy, (void)dw, (void)dh;
    return copy_frame(surface, image, false);
}

static VAStatus query_formats(VADriverContextP ctx, VAImageFormat *list, int *count)
{
    (void)ctx;
    memcpy(list, formats, sizeof(formats));
    *count = NUM_FORMATS;
    return VA_STATUS_SUCCESS;
}

static VAStatus turn_map(VABufferID id, bool maps, void **map)
{
    pthread_mutex_lock(&lock);
    struct frame *frame = find(images, FIRST_BUFFER, id);
    if (frame)
        frame->is_mapped = maps;
    if (frame && map)
        *map = frame->map;
    pthread_mutex_unlock(&lock);
    return frame ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_BUFFER;
}

static VAStatus map_buffer(VADriverContextP ctx, VABufferID id, void **map)
{
    (void)ctx;
    return turn_map(id, true, map);
}

static VAStatus unmap_buffer(VADriverContextP ctx, VABufferID id)
{
    (void)ctx;
    return turn_map(id, false, NULL);
}

/* ---- the driver ---- */

static VAStatus terminate(VADriverContextP ctx)
{
    (void)ctx;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST; i++) {
        if (images[i].used)
            free_memory(&images[i]);
        if (surfaces[i].used)
            free_memory(&surfaces[i]);
    }
    pthread_mutex_unlock(&lock);
    return VA_STATUS_SUCCESS;
}

static VAStatus unimplemented(void)
{
    return VA_STATUS_ERROR_UNIMPLEMENTED;
}

/* libva refuses drivers that lack any of its first functions. */
static void fill_all(struct VADriverVTable *table)
{
    VAStatus (*call)(void) = unimplemented;
    for (size_t at = 0; at < offsetof(struct VADriverVTable, reserved); at += sizeof(call))
        memcpy((char *)table + at, &call, sizeof(call));
}

/* The name that libva looks for has its version. */
#define JOIN(major, minor) __vaDriverInit_##major##_##minor
#define NAME(major, minor) JOIN(major, minor)
#define INIT               NAME(VA_MAJOR_VERSION, VA_MINOR_VERSION)

__attribute__((visibility("default"))) VAStatus INIT(VADriverContextP ctx);
__attribute__((visibility("default"))) VAStatus INIT(VADriverContextP ctx)
{
    struct VADriverVTable *table = ctx->vtable;
    ctx->version_major = VA_MAJOR_VERSION;
    ctx->version_minor = VA_MINOR_VERSION;
    ctx->max_profiles = ctx->max_entrypoints = ctx->max_attributes = ctx->max_subpic_formats = 1;
    ctx->max_display_attributes = 1;
    ctx->max_image_formats = NUM_FORMATS;
    ctx->str_vendor = "Pumice's driver for tests";
    fill_all(table);
    table->vaTerminate = terminate;
    table->vaCreateSurfaces2 = create_surfaces2;
    table->vaDestroySurfaces = destroy_surfaces;
    table->vaSyncSurface = sync_surface;
    table->vaExportSurfaceHandle = export_surface;
    table->vaCreateImage = create_image;
    table->vaDeriveImage = derive_image;
    table->vaDestroyImage = destroy_image;
    table->vaGetImage = get_image;
    table->vaPutImage = put_image;
    table->vaQueryImageFormats = query_formats;
    table->vaMapBuffer = map_buffer;
    table->vaUnmapBuffer = unmap_buffer;
    return VA_STATUS_SUCCESS;
}
