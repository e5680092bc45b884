/* What is shared with other APIs and processes: the parts that memory objects and semaphores have in common
 * (external.c). */
#ifndef SRC_OBJECT_EXTERNAL_H
#define SRC_OBJECT_EXTERNAL_H

#include "src/device/object.h"

/* What some systems' headers lack. */
#define OCL_MEM_DEVICE_HANDLE_LIST                       0x2051
#define OCL_DEVICE_EXTERNAL_MEMORY_ASSUME_LINEAR_HANDLES 0x2052
#define OCL_SEMAPHORE_DEVICE_HANDLE_LIST                 0x2053
#define OCL_SEMAPHORE_EXPORTABLE                         0x2054
#define OCL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME           0x2068
#define OCL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME     0x2069

/* cl_pumice_dma_buf_layout, ours: how an image lies in a dma_buf (docs/images.md). Those of planes have four numbers. */
enum { OCL_DMA_BUF_PLANES = 4 };
#define OCL_MEM_DMA_BUF_MODIFIER 0x50756D40
#define OCL_MEM_DMA_BUF_OFFSET   0x50756D44
#define OCL_MEM_DMA_BUF_PITCH    0x50756D48
#define OCL_MEM_DMA_BUF_FD       0x50756D4C
#define OCL_MEM_DMA_BUF_LAST     0x50756D4F

/* Kinds of handles by OpenCL's numbers, of memory and of semaphores; 0: no such number. */
uint32_t ocl_handle_kind(cl_uint type); /* VKB_HANDLE_* */
bool ocl_is_semaphore_handle(cl_properties name);
/* Answers with the numbers of the kinds in the mask. */
cl_int ocl_out_semaphore_handles(const struct ocl_out *out, uint32_t kinds);
/* Queries of what devices can share; CL_INVALID_VALUE: it is none of them. */
cl_int ocl_external_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
cl_int ocl_external_platform_info(cl_platform_info name, const struct ocl_out *out);

/* A list of devices among properties, with 0 at its end: from at, the first device, on. Moves at behind the 0. The mask
 * has a bit for each, by its number in the context. CL_INVALID_DEVICE: one is none of the context's. */
cl_int ocl_read_device_list(const char *function, cl_context context, const cl_properties **at, uint64_t *devices);

/* ---- memory objects ---- */

/* Texels of an image in a dma_buf. */
struct ocl_dma_buf_layout {
    uint32_t given;      /* bits of the properties that were there, from the modifier on */
    uint64_t modifier;   /* 0: in rows */
    uint32_t num_planes; /* as many as the properties tell of; 0: none */
    uint64_t offset[OCL_DMA_BUF_PLANES], pitch[OCL_DMA_BUF_PLANES]; /* bytes */
    int fd[OCL_DMA_BUF_PLANES];                                     /* of all but the first, where given */
};

/* What cl_mem_properties say. */
struct ocl_mem_properties {
    size_t count;     /* of all words, with the 0 at the end; 0: no properties */
    bool has_address; /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */
    uint32_t kind;    /* VKB_HANDLE_*, or 0: not from a handle */
    intptr_t handle;
    uint64_t devices; /* bits of those that import it */
    struct ocl_dma_buf_layout layout;
    bool may_copy; /* no property: the host may copy what no device imports */
    bool in_place; /* no property: kernels are to work on what lies at host_ptr */
};

/* Reads the properties of a buffer or an image, and checks what they say of the devices. */
cl_int ocl_mem_read_properties(const char *function, cl_context context, const cl_mem_properties *properties,
                               bool image, struct ocl_mem_properties *read);
/* Memory from a handle takes neither flags of host memory nor host_ptr. */
cl_int ocl_mem_check_external(const char *function, cl_context context, const struct ocl_mem_properties *read,
                              cl_mem_flags flags, const void *host_ptr);

/* The object exists: a file descriptor, which the application gave away with it, is closed. Windows' handles stay the
 * application's. */
void ocl_mem_took_handle(const struct ocl_mem_properties *read);

#endif
