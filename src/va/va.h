/* Surfaces of VA-API: what OpenCL has to know of libva, which nothing is linked with (library.c). */
#ifndef SRC_VA_VA_H
#define SRC_VA_VA_H

#include "src/device/object.h"

/* cl_intel_va_api_media_sharing; the systems' header of it wants libva's. */
#define OCL_INVALID_VA_API_ADAPTER         (-1098)
#define OCL_INVALID_VA_API_SURFACE         (-1099)
#define OCL_VA_API_ALREADY_ACQUIRED        (-1100)
#define OCL_VA_API_NOT_ACQUIRED            (-1101)
#define OCL_VA_API_DISPLAY                 0x4094
#define OCL_PREFERRED_DEVICES_FOR_VA_API   0x4095
#define OCL_ALL_DEVICES_FOR_VA_API         0x4096
#define OCL_CONTEXT_VA_API_DISPLAY         0x4097
#define OCL_MEM_VA_API_SURFACE             0x4098
#define OCL_IMAGE_VA_API_PLANE             0x4099
#define OCL_COMMAND_ACQUIRE_VA_API_SURFACE 0x409A
#define OCL_COMMAND_RELEASE_VA_API_SURFACE 0x409B

/* A VADisplay, with a count of references. Calls about it come from any thread, one at a time. */
struct ocl_va;
/* OCL_INVALID_VA_API_ADAPTER: it is none, or there is no libva. */
cl_int ocl_va_open(const char *function, void *display, struct ocl_va **va);
struct ocl_va *ocl_va_retain(struct ocl_va *va);
void ocl_va_release(struct ocl_va *va);
/* The PCI numbers of the device that the display works on; false: it does not tell. */
bool ocl_va_pci_id(struct ocl_va *va, uint32_t *vendor, uint32_t *device);

/* A plane of a surface. */
struct ocl_va_plane {
    cl_image_format format;
    uint32_t width, height, texel_size; /* texels, and bytes of one */
    uint32_t fourcc, surface_width, surface_height;
    int fd;                       /* a dma_buf with it, which is the caller's; -1: the driver exports none */
    uint64_t modifier;            /* how it lies there */
    uint32_t num_planes;          /* of memory */
    uint64_t offset[4], pitch[4]; /* bytes */
};
/* CL_INVALID_VALUE: the surface has not so many planes. OCL_INVALID_VA_API_SURFACE: there is no such surface, or nothing
 * tells what it has. CL_IMAGE_FORMAT_NOT_SUPPORTED: it is of a format that is not in the table (formats.c). */
cl_int ocl_va_find_plane(const char *function, struct ocl_va *va, uint32_t surface, uint32_t plane,
                         struct ocl_va_plane *found);
/* Waits for what the display does with the surface. */
cl_int ocl_va_sync(struct ocl_va *va, uint32_t surface);
/* Copies the plane's texels between the surface and packed memory, by an image of the display's. */
cl_int ocl_va_copy(struct ocl_va *va, uint32_t surface, uint32_t plane, const struct ocl_va_plane *shape, void *packed,
                   bool reads);

#endif
