/* The shaders that copy between buffers and images (texel_shader.c). */
#ifndef VK_TEXEL_SHADER_H
#define VK_TEXEL_SHADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the image's view is: lines and planes are views of arrays, with one layer where the image has none. */
enum texel_view { TEXELS_LINES, TEXELS_PLANES, TEXELS_VOLUME, TEXEL_VIEWS };

struct texel_shader {
    enum texel_view view;
    uint32_t texel_size; /* 1, 2, 4, 8 or 16 bytes */
    bool writes_image;   /* else the buffer */
};

/* Its push constants. */
struct texel_push {
    uint64_t address;                     /* in the buffer, of the first texel */
    uint32_t row_texels, slice_texels;    /* the buffer's pitches */
    uint32_t origin[3], padding;          /* in the image */
    uint32_t extent[3], padding_behind_3; /* of the region */
};

enum { TEXEL_WORDS = 512 };

/* Writes its SPIR-V, and returns how many words that is. */
size_t vkb_texel_shader(const struct texel_shader *shader, uint32_t words[TEXEL_WORDS]);
/* The work-items of a work-group. */
void vkb_texel_group(enum texel_view view, uint32_t size[3]);

#endif
