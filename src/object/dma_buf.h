/* dma_bufs: how images lie in them, and copies of their contents by the host (dma_buf.c). */
#ifndef SRC_OBJECT_DMA_BUF_H
#define SRC_OBJECT_DMA_BUF_H

#include "src/object/external.h"

struct ocl_foreign;

/* Rows in the memory. In packed memory they lie behind those of the part before. */
struct ocl_dma_buf_part {
    uint64_t offset, pitch, row; /* bytes */
    uint64_t packed;             /* from row to row in packed memory */
    uint32_t rows;
};

enum { OCL_DMA_BUF_PARTS = 2 };

/* The caller keeps its file descriptor. CL_INVALID_PROPERTY: it is no dma_buf that the host reaches, or it ends before
 * the parts do. */
cl_int ocl_dma_buf_open(int fd, const struct ocl_dma_buf_part *parts, uint32_t count, struct ocl_foreign **foreign);

static inline bool ocl_is_dma_buf_layout(cl_mem_properties name)
{
    return name >= OCL_MEM_DMA_BUF_MODIFIER && name <= OCL_MEM_DMA_BUF_LAST;
}
/* What a pair of properties says of the layout; false: it was said before, or it is wrong. */
bool ocl_dma_buf_read_property(cl_mem_properties name, cl_mem_properties value, struct ocl_dma_buf_layout *layout);
/* Planes from the first on, all in the same memory. */
bool ocl_dma_buf_is_whole(int fd, const struct ocl_dma_buf_layout *layout);

#endif
