/* Rectangles of bytes: how to walk them piece by piece, and how the host copies them.
 *
 * Every transfer is a rectangle; a plain range is one row. Packed order counts only the bytes that are copied: staging
 * memory holds them in that order, and large transfers are cut anywhere in it. */
#include "vk/device/pool.h"
#include "vk/queue/rect.h"

#include <string.h>

struct vkb_rect vkb_rect_bytes(uint64_t src_offset, uint64_t dst_offset, uint64_t size)
{
    return (struct vkb_rect){
        .src_offset = src_offset,
        .src_row_pitch = size,
        .src_slice_pitch = size,
        .dst_offset = dst_offset,
        .dst_row_pitch = size,
        .dst_slice_pitch = size,
        .width = size,
        .height = 1,
        .depth = 1,
    };
}

static void fold_rows(struct vkb_rect *rect)
{
    if (rect->height > 1 && rect->src_row_pitch == rect->width && rect->dst_row_pitch == rect->width) {
        rect->width *= rect->height;
        rect->height = 1;
        rect->src_row_pitch = rect->dst_row_pitch = rect->width;
    }
}

/* Joins rows that are contiguous on both sides: the fewer pieces, the faster. */
void vkb_rect_normalise(struct vkb_rect *rect)
{
    fold_rows(rect);
    if (rect->depth > 1 && rect->src_slice_pitch == rect->height * rect->src_row_pitch &&
        rect->dst_slice_pitch == rect->height * rect->dst_row_pitch) {
        rect->height *= rect->depth;
        rect->depth = 1;
    }
    if (rect->depth > 1 && rect->height == 1) {
        rect->height = rect->depth;
        rect->depth = 1;
        rect->src_row_pitch = rect->src_slice_pitch;
        rect->dst_row_pitch = rect->dst_slice_pitch;
    }
    fold_rows(rect);
}

uint64_t vkb_rect_total(const struct vkb_rect *rect)
{
    return rect->width * rect->height * rect->depth;
}

uint64_t vkb_rect_src_end(const struct vkb_rect *rect)
{
    return rect->src_offset + (rect->depth - 1) * rect->src_slice_pitch + (rect->height - 1) * rect->src_row_pitch +
           rect->width;
}

uint64_t vkb_rect_dst_end(const struct vkb_rect *rect)
{
    return rect->dst_offset + (rect->depth - 1) * rect->dst_slice_pitch + (rect->height - 1) * rect->dst_row_pitch +
           rect->width;
}

bool vkb_rect_next(struct rect_walk *walk)
{
    const struct vkb_rect *rect = walk->rect;
    if (walk->at >= walk->end)
        return false;
    uint64_t row = walk->at / rect->width, column = walk->at % rect->width;
    uint64_t slice = row / rect->height;
    row %= rect->height;
    walk->size = u64_min(rect->width - column, walk->end - walk->at);
    if (walk->most)
        walk->size = u64_min(walk->size, walk->most);
    walk->src = rect->src_offset + slice * rect->src_slice_pitch + row * rect->src_row_pitch + column;
    walk->dst = rect->dst_offset + slice * rect->dst_slice_pitch + row * rect->dst_row_pitch + column;
    walk->packed = walk->at;
    walk->at += walk->size;
    return true;
}

void vkb_rect_copy_host(void *dst, const void *src, const struct vkb_rect *rect)
{
    struct rect_walk walk = {.rect = rect, .end = vkb_rect_total(rect)};
    while (vkb_rect_next(&walk))
        vkb_pool_copy((char *)dst + walk.dst, (const char *)src + walk.src, walk.size);
}

void vkb_rect_pack(void *staging, const void *src, const struct vkb_rect *rect, uint64_t begin, uint64_t end)
{
    struct rect_walk walk = {.rect = rect, .at = begin, .end = end};
    while (vkb_rect_next(&walk))
        vkb_pool_copy((char *)staging + (walk.packed - begin), (const char *)src + walk.src, walk.size);
}

void vkb_rect_unpack(void *dst, const void *staging, const struct vkb_rect *rect, uint64_t begin, uint64_t end)
{
    struct rect_walk walk = {.rect = rect, .at = begin, .end = end};
    while (vkb_rect_next(&walk))
        vkb_pool_copy((char *)dst + walk.dst, (const char *)staging + (walk.packed - begin), walk.size);
}
