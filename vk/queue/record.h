/* Recording commands into a batch (record.c, image_copy.c, ownership.c, bind.c, bulk.c, texels.c). */
#ifndef VK_RECORD_H
#define VK_RECORD_H

#include "vk/queue/batch.h"
#include "vk/queue/command.h"
#include "vk/queue/hazard.h"

enum vkb_result vkb_record(struct vkb_queue *queue, const struct command *command, struct vkb_event *const *waits,
                           uint32_t num_waits, const struct order *order, struct vkb_event *event);
/* Records a command without events or waits into a batch that is not the queue's, behind those before it in there. */
enum vkb_result vkb_record_into(struct vkb_queue *queue, struct batch *batch, const struct command *command);
/* Of a transfer; else 0. */
uint64_t vkb_command_bytes(const struct command *command);
/* What a command touches, one after the other from index 0 on; false: that is all. Not for replays of others. */
bool vkb_record_access(const struct command *command, uint32_t index, struct hazard_access *access);
/* Copies between a buffer and staging in packed order: the packed bytes [begin, end) of rect. */
enum vkb_result vkb_record_staged(struct vkb_queue *queue, struct vkb_buffer *buffer, const struct vkb_rect *rect,
                                  uint64_t begin, uint64_t end, struct vkb_buffer *staging, uint64_t staging_offset,
                                  bool write, bool barrier);

/* A copy to or from an image (image_copy.c). */
enum vkb_result vkb_record_image(struct vkb_queue *queue, struct batch *batch, const struct command *command);
/* Vulkan's half of a vkb_cmd_ownership() (ownership.c). */
enum vkb_result vkb_record_ownership(struct vkb_queue *queue, struct batch *batch, const struct command *command);

/* Binds the dispatch's images, if its shader has any (bind.c). */
enum vkb_result vkb_bind_images(struct batch *batch, const struct vkb_dispatch *dispatch);

/* ---- large copies and fills (bulk.c) ---- */

enum { BULK_PUSH_SIZE = 32 };

/* Makes what they need; once is enough. */
enum vkb_result vkb_bulk_init(struct vkb_device *device);
/* Record the first part of a copy or fill, as far as shaders do it best, and return how many bytes that is, maybe 0.
 * For barriers it counts as compute work. */
uint64_t vkb_bulk_copy(struct batch *batch, const struct vkb_buffer *src, uint64_t src_offset,
                       const struct vkb_buffer *dst, uint64_t dst_offset, uint64_t size);
uint64_t vkb_bulk_fill(struct batch *batch, const struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                       const uint8_t pattern[16]);

/* ---- copies between buffers and images, and between images (texels.c) ---- */

/* Makes what they need; once is enough. */
enum vkb_result vkb_texels_init(struct vkb_device *device);
/* Records a copy of the first level if shaders do it best: then true, and *result says whether it was recorded. The
 * batch has both objects. For barriers it counts as compute work. */
bool vkb_texels_copy(struct batch *batch, struct vkb_buffer *buffer, struct vkb_image *image,
                     const struct vkb_image_region *region, bool writes_image, enum vkb_result *result);
bool vkb_texels_copy_image(struct batch *batch, struct vkb_image *src, struct vkb_image *dst,
                           const struct vkb_image_region *region, enum vkb_result *result);

#endif
