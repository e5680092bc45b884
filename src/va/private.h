/* libva as this room calls it: its functions, and those of its structs that they take (va.h and va_drmcommon.h of libva
 * 2; tests/api/va.c compares them with the system's headers). */
#ifndef SRC_VA_PRIVATE_H
#define SRC_VA_PRIVATE_H

#include "src/va/va.h"

enum { VA_SUCCESS = 0, VA_NO_SUCH_SURFACE = 6 };
enum { VA_EXPORT_READ = 1, VA_EXPORT_WRITE = 2, VA_EXPORT_SEPARATE = 4, VA_DRM_PRIME_2 = 0x40000000 };
enum { VA_PCI_ID = 21 };

struct va_image_format {
    uint32_t fourcc, byte_order, bits_per_pixel, depth, red_mask, green_mask, blue_mask, alpha_mask;
    uint32_t reserved[4];
};

struct va_image {
    uint32_t image_id;
    struct va_image_format format;
    uint32_t buf;
    uint16_t width, height;
    uint32_t data_size, num_planes, pitches[3], offsets[3];
    int32_t num_palette_entries, entry_bytes;
    int8_t component_order[4];
    uint32_t reserved[4];
};

struct va_prime_surface {
    uint32_t fourcc, width, height, num_objects;
    struct {
        int fd;
        uint32_t size;
        uint64_t drm_format_modifier;
    } objects[4];
    uint32_t num_layers;
    struct {
        uint32_t drm_format, num_planes, object_index[4], offset[4], pitch[4];
    } layers[4];
};

struct va_display_attribute {
    int type;
    int32_t min_value, max_value, value;
    uint32_t flags, reserved[4];
};

/* Result, name, parameters. */
#define VA_FUNCTIONS(X)                                                                                                \
    X(int, vaDisplayIsValid, (void *))                                                                                 \
    X(int, vaSyncSurface, (void *, uint32_t))                                                                          \
    X(int, vaExportSurfaceHandle, (void *, uint32_t, uint32_t, uint32_t, void *))                                      \
    X(int, vaDeriveImage, (void *, uint32_t, struct va_image *))                                                       \
    X(int, vaCreateImage, (void *, struct va_image_format *, int, int, struct va_image *))                             \
    X(int, vaDestroyImage, (void *, uint32_t))                                                                         \
    X(int, vaGetImage, (void *, uint32_t, int, int, unsigned, unsigned, uint32_t))                                     \
    X(int, vaPutImage, (void *, uint32_t, uint32_t, int, int, unsigned, unsigned, int, int, unsigned, unsigned))       \
    X(int, vaMapBuffer, (void *, uint32_t, void **))                                                                   \
    X(int, vaUnmapBuffer, (void *, uint32_t))                                                                          \
    X(int, vaMaxNumImageFormats, (void *))                                                                             \
    X(int, vaQueryImageFormats, (void *, struct va_image_format *, int *))                                             \
    X(int, vaGetDisplayAttributes, (void *, struct va_display_attribute *, int))                                       \
    X(const char *, vaErrorStr, (int))

struct va_functions {
    bool loaded, usable;
#define X(result, name, parameters) result(*name) parameters;
    VA_FUNCTIONS(X)
#undef X
};

struct ocl_va {
    atomic_uint refs;
    void *display;
    const struct va_functions *calls;
    pthread_mutex_t lock; /* around every call: drivers need not take several at once */
};

/* A format of surfaces and its planes. */
struct va_format {
    uint32_t fourcc, num_planes;
    struct {
        cl_image_format format;
        uint32_t texel_size, right, down; /* the plane's size is the surface's, shifted */
    } planes[3];
};
const struct va_format *va_format_find(uint32_t fourcc); /* NULL: it is not in the table */

#endif
