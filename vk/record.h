/* Recording commands into a batch (record.c, image.c, descriptor.c, bulk.c). */
#ifndef VK_RECORD_H
#define VK_RECORD_H

#include "vk/batch.h"
#include "vk/command.h"
#include "vk/hazard.h"

enum vkb_result vkb_record(struct vkb_queue *queue, const struct command *command, struct vkb_event *const *waits,
                           uint32_t num_waits, const struct order *order, struct vkb_event *event);
/* Records a command without events or waits into a batch that is not the queue's, behind those before it in there. */
enum vkb_result vkb_record_into(struct vkb_queue *queue, struct batch *batch, const struct command *command);
/* What a command touches, one after the other from index 0 on; false: that is all. Not for replays of others. */
bool vkb_record_access(const struct command *command, uint32_t index, struct hazard_access *access);
/* Copies between a buffer and staging in packed order: the packed bytes [begin, end) of rect. */
enum vkb_result vkb_record_staged(struct vkb_queue *queue, struct vkb_buffer *buffer, const struct vkb_rect *rect,
                                  uint64_t begin, uint64_t end, struct vkb_buffer *staging, uint64_t staging_offset,
                                  bool write, bool barrier);

/* A copy to or from an image (image.c). */
enum vkb_result vkb_record_image(struct batch *batch, const struct command *command);
/* Vulkan's half of a vkb_cmd_ownership() (external.c). */
enum vkb_result vkb_record_ownership(struct vkb_queue *queue, struct batch *batch, const struct command *command);

/* ---- descriptors (descriptor.c) ---- */

VkDescriptorType vkb_descriptor_type(enum vkb_descriptor_kind kind);
/* The sampler of a VKB_DESCRIPTOR_FILTER_*, which the device keeps. */
enum vkb_result vkb_device_filter(struct vkb_device *device, enum vkb_descriptor_kind kind, const VkSampler **filter);
/* Binds the dispatch's images, if its shader has any. */
enum vkb_result vkb_descriptors_bind(struct batch *batch, const struct vkb_dispatch *dispatch);
/* Drops what a batch has of a set and its shader. */
void vkb_descriptors_release(struct descriptor_set *set);
/* A shader's sets; NULL without memory. They are destroyed when no batch has one of them. */
struct descriptor_cache *vkb_descriptors_create(void);
void vkb_descriptors_destroy(struct vkb_device *device, struct descriptor_cache *cache);

/* ---- large copies and fills (bulk.c) ---- */

enum { BULK_PUSH_SIZE = 32 };

/* Record the first part of a copy or fill, as far as shaders do it best, and return how many bytes that is, maybe 0.
 * For barriers it counts as compute work. */
uint64_t vkb_bulk_copy(struct batch *batch, const struct vkb_buffer *src, uint64_t src_offset,
                       const struct vkb_buffer *dst, uint64_t dst_offset, uint64_t size);
uint64_t vkb_bulk_fill(struct batch *batch, const struct vkb_buffer *dst, uint64_t offset, uint64_t size,
                       const uint8_t pattern[16]);

#endif
