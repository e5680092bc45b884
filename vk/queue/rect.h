/* Rectangles of bytes (rect.c). */
#ifndef VK_RECT_H
#define VK_RECT_H

#include "vk/device/backend.h"
#include "vk/queue/queues.h"

void vkb_rect_normalise(struct vkb_rect *rect);
struct vkb_rect vkb_rect_bytes(uint64_t src_offset, uint64_t dst_offset, uint64_t size);
uint64_t vkb_rect_total(const struct vkb_rect *rect);
/* One past the last byte touched on either side. */
uint64_t vkb_rect_src_end(const struct vkb_rect *rect);
uint64_t vkb_rect_dst_end(const struct vkb_rect *rect);
/* Copies on the host; either side may be packed staging memory holding the packed bytes [begin, end). */
void vkb_rect_copy_host(void *dst, const void *src, const struct vkb_rect *rect);
void vkb_rect_pack(void *staging, const void *src, const struct vkb_rect *rect, uint64_t begin, uint64_t end);
void vkb_rect_unpack(void *dst, const void *staging, const struct vkb_rect *rect, uint64_t begin, uint64_t end);

/* A walk over the contiguous pieces of a rectangle's packed bytes [at, end). */
struct rect_walk {
    const struct vkb_rect *rect;
    uint64_t at, end;
    uint64_t src, dst, packed, size; /* the piece: offsets on both sides, in packed order, and its length */
    uint64_t most;                   /* that a piece may have; 0: any number */
};
bool vkb_rect_next(struct rect_walk *walk);

#endif
