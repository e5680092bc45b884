/* Shaders whose storage images have formats, for devices that want them to (formats.c). */
#ifndef VK_FORMATS_H
#define VK_FORMATS_H

#include "vk/device/backend.h"

/* SPIR-V's name of a VkFormat, or 0. */
uint32_t vkb_spirv_format(uint32_t format);
/* Whether the module reads or writes images without a format, and the device cannot. */
bool vkb_words_want_formats(const struct vkb_caps *caps, const uint32_t *words, size_t num_words);
/* The same module with formats (SPIR-V's, 0: none) for the storage images at bindings 0 to count - 1; malloc'ed. NULL:
 * out of memory. count is not 0. */
uint32_t *vkb_words_with_formats(const uint32_t *words, size_t num_words, const uint32_t *formats, uint32_t count,
                                 size_t *num_out);

#endif
