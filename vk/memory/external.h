/* Memory that others own (external.c). */
#ifndef VK_MEMORY_EXTERNAL_H
#define VK_MEMORY_EXTERNAL_H

#include "vk/memory/memory.h"

/* What memory is made from instead of fresh pages, or whom it is made for. */
struct memory_source {
    VkExternalMemoryHandleTypeFlagBits handle;
    void *pages;    /* the host's */
    intptr_t value; /* or a file descriptor, or a handle of Windows' */
    uint32_t types; /* ... which goes with these memory types; 0: nobody says */
    bool named;     /* no handle, but a text that names one */
    bool dedicated; /* the driver wants an allocation for one buffer or image */
    bool exports;   /* fresh pages, from which file descriptors of that kind are to be made */
};

enum vkb_result vkb_buffer_allocate_import(struct vkb_device *device, void *pages, uint64_t size,
                                           struct vkb_buffer *buffer);
enum vkb_result vkb_buffer_allocate_shared(struct vkb_device *device, enum vkb_handle kind, intptr_t value,
                                           uint64_t size, struct vkb_buffer *buffer);

/* The chain that imports source, or exports, with an allocation for one image or buffer (external.c). */
struct memory_chain {
    VkImportMemoryHostPointerInfoEXT pages;
    VkImportMemoryFdInfoKHR fd;
    VkImportMemoryWin32HandleInfoKHR win32;
    VkExportMemoryAllocateInfo exported;
    VkMemoryDedicatedAllocateInfo dedicated;
};
const void *vkb_source_chain(const struct memory_source *source, VkBuffer buffer, VkImage image,
                             struct memory_chain *chain);
/* The source that a handle of an image is; false: the device cannot import such images. */
bool vkb_source_of_image(struct vkb_device *device, const VkImageCreateInfo *create, enum vkb_handle kind,
                         intptr_t value, struct memory_source *source);
/* The same for a dma_buf, whose features the driver has told. */
bool vkb_source_of_dma_buf(struct vkb_device *device, VkExternalMemoryFeatureFlags features, int fd,
                           struct memory_source *source);
/* A handle of exported memory, which is the caller's, or -1. */
intptr_t vkb_memory_export(struct vkb_device *device, VkDeviceMemory memory, enum vkb_handle kind);
/* The queue family that stands for all others that have such memory. */
uint32_t vkb_owner_of(const struct vkb_device *device, enum vkb_handle kind);

#endif
