/* Images made from planes of VA-API's surfaces. */
#ifndef SRC_OBJECT_VA_MEMORY_H
#define SRC_OBJECT_VA_MEMORY_H

#include "src/object/memory.h"
#include "src/va/va.h"

/* What such an image stands for. */
struct ocl_va_origin {
    struct ocl_va *va; /* a reference */
    uint32_t surface, plane;
    atomic_bool acquired; /* by OpenCL */
};

/* The surface's own memory where a device or the host takes it as the driver exports it, else memory that the display's
 * images are copied to and from. */
cl_int ocl_mem_create_va(const char *function, cl_context context, cl_mem_flags flags, uint32_t surface, uint32_t plane,
                         cl_mem *mem);
void ocl_va_origin_destroy(struct ocl_va_origin *origin); /* NULL is fine */

#endif
