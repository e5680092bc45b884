/* The shaders that copy between buffers and images, and between images (texel_shader.c). */
#ifndef VK_TEXEL_SHADER_H
#define VK_TEXEL_SHADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the image's view is: lines and planes are views of arrays, with one layer where the image has none. */
enum texel_view { TEXELS_LINES, TEXELS_PLANES, TEXELS_VOLUME, TEXEL_VIEWS };

enum texel_way { TEXELS_TO_BUFFER, TEXELS_TO_IMAGE, TEXELS_BETWEEN_IMAGES, TEXEL_WAYS };

struct texel_shader {
    enum texel_way way;
    enum texel_view view, target; /* target: between images, the second one's */
    uint32_t texel_size;          /* 1, 2, 4, 8 or 16 bytes */
};

/* Between images the first descriptor is the source; otherwise there is one. */
static inline uint32_t texel_images(enum texel_way way)
{
    return way == TEXELS_BETWEEN_IMAGES ? 2 : 1;
}

/* Its push constants. */
struct texel_push {
    uint64_t address;                        /* in the buffer, of the first texel */
    uint32_t row_texels, slice_texels;       /* the buffer's pitches */
    uint32_t origin[3], padding;             /* in the image */
    uint32_t extent[3], padding_behind;      /* of the region */
    uint32_t target_origin[3], padding_last; /* in the second image */
};

enum { TEXEL_WORDS = 512 };

/* Writes its SPIR-V, and returns how many words that is. */
size_t vkb_texel_shader(const struct texel_shader *shader, uint32_t words[TEXEL_WORDS]);
/* The work-items of a work-group. */
void vkb_texel_group(enum texel_view view, uint32_t size[3]);

#endif
