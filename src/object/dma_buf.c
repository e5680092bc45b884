/* dma_bufs that no device takes in, and what properties say of images in them.
 *
 * The host maps such memory once and copies rows when the memory object changes hands. Linux, dma-buf.h: around each
 * access of the host's DMA_BUF_IOCTL_SYNC makes what devices have written visible, and the other way. */
#include "src/object/dma_buf.h"

#include "src/object/foreign.h"

#include "base/platform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct dma_buf {
    struct ocl_foreign base;
    int fd;
    char *map;
    size_t map_size;
    pthread_mutex_t lock; /* one access at a time: two turns of one object may be under way in two queues */
    uint32_t count;
    struct ocl_dma_buf_part parts[OCL_DMA_BUF_PARTS];
};

static void copy_rows(const struct dma_buf *buf, char *packed, bool reads)
{
    for (uint32_t i = 0; i < buf->count; i++) {
        const struct ocl_dma_buf_part *part = &buf->parts[i];
        char *row = buf->map + part->offset;
        for (uint32_t y = 0; y < part->rows; y++, row += part->pitch, packed += part->packed)
            memcpy(reads ? packed : row, reads ? row : packed, part->row);
    }
}

static cl_int read_buf(struct ocl_foreign *foreign, void *packed)
{
    struct dma_buf *buf = (struct dma_buf *)foreign;
    pthread_mutex_lock(&buf->lock);
    platform_dma_buf_turn(buf->fd, true, false);
    copy_rows(buf, packed, true);
    platform_dma_buf_turn(buf->fd, false, false);
    pthread_mutex_unlock(&buf->lock);
    return CL_SUCCESS;
}

static cl_int write_buf(struct ocl_foreign *foreign, const void *packed)
{
    struct dma_buf *buf = (struct dma_buf *)foreign;
    pthread_mutex_lock(&buf->lock);
    platform_dma_buf_turn(buf->fd, true, true);
    copy_rows(buf, (char *)(uintptr_t)packed, false);
    platform_dma_buf_turn(buf->fd, false, true);
    pthread_mutex_unlock(&buf->lock);
    return CL_SUCCESS;
}

static void destroy_buf(struct ocl_foreign *foreign)
{
    struct dma_buf *buf = (struct dma_buf *)foreign;
    platform_pages_free(buf->map, buf->map_size);
    platform_handle_close(buf->fd);
    pthread_mutex_destroy(&buf->lock);
    free(buf);
}

static bool is_within(const struct ocl_dma_buf_part *part, uint64_t size)
{
    uint64_t rows = part->rows - 1;
    return part->row <= size && part->offset <= size - part->row &&
           (!rows || part->pitch <= (size - part->row - part->offset) / rows);
}

cl_int ocl_dma_buf_open(int fd, const struct ocl_dma_buf_part *parts, uint32_t count, struct ocl_foreign **foreign)
{
    static const struct ocl_foreign_calls calls = {read_buf, write_buf, destroy_buf};
    struct dma_buf *buf = calloc(1, sizeof(*buf));
    if (!buf)
        return CL_OUT_OF_HOST_MEMORY;
    atomic_init(&buf->base.refs, 1);
    buf->base.calls = &calls;
    buf->fd = platform_handle_copy(fd);
    buf->map = buf->fd >= 0 ? platform_dma_buf_map(buf->fd, &buf->map_size) : NULL;
    buf->count = count;
    bool fits = buf->map;
    for (uint32_t i = 0; i < count && fits; i++) {
        buf->parts[i] = parts[i];
        buf->base.size += parts[i].packed * parts[i].rows;
        fits = is_within(&parts[i], buf->map_size);
    }
    if (fits) {
        pthread_mutex_init(&buf->lock, NULL);
        *foreign = &buf->base;
        return CL_SUCCESS;
    }
    if (buf->map)
        platform_pages_free(buf->map, buf->map_size);
    if (buf->fd >= 0)
        platform_handle_close(buf->fd);
    free(buf);
    return CL_INVALID_PROPERTY;
}

/* ---- properties ---- */

bool ocl_dma_buf_read_property(cl_mem_properties name, cl_mem_properties value, struct ocl_dma_buf_layout *layout)
{
    uint64_t index = name - OCL_MEM_DMA_BUF_MODIFIER;
    if (layout->given >> index & 1)
        return false;
    layout->given |= 1u << index;
    uint32_t plane = index % OCL_DMA_BUF_PLANES;
    if (name == OCL_MEM_DMA_BUF_MODIFIER) {
        layout->modifier = value;
        return true;
    }
    if (name < OCL_MEM_DMA_BUF_OFFSET || value > (name < OCL_MEM_DMA_BUF_FD ? UINT32_MAX : INT32_MAX))
        return false;
    if (plane >= layout->num_planes)
        layout->num_planes = plane + 1;
    if (name < OCL_MEM_DMA_BUF_PITCH)
        layout->offset[plane] = value;
    else if (name < OCL_MEM_DMA_BUF_FD)
        layout->pitch[plane] = value;
    else
        layout->fd[plane] = (int)value;
    return name != OCL_MEM_DMA_BUF_FD; /* the first plane's is the handle itself */
}

bool ocl_dma_buf_is_whole(int fd, const struct ocl_dma_buf_layout *layout)
{
    uint32_t fds = OCL_MEM_DMA_BUF_FD - OCL_MEM_DMA_BUF_MODIFIER,
             pitches = OCL_MEM_DMA_BUF_PITCH - OCL_MEM_DMA_BUF_MODIFIER;
    for (uint32_t i = 1; i < layout->num_planes; i++) {
        if (!(layout->given >> (pitches + i) & 1) ||
            (layout->given >> (fds + i) & 1 && !platform_handle_is_same(fd, layout->fd[i])))
            return false;
    }
    return true;
}
