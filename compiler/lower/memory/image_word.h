/* The word of an image argument, which image_word.c makes and images.c reads.
 *
 * bits 0-4: channel order from CL_R; 5-9: data type from CL_SNORM_INT8; 10-11: half of the number of low bits that an
 * integer does not use; 12-19: four times two bits: the component of the colour that a component of the texel takes, or
 * of a multisampled image, which nobody writes, the number of samples; 20-31: four times three bits: enum clc_component
 * for the colour's. */
#ifndef COMPILER_LOWER_MEMORY_IMAGE_WORD_H
#define COMPILER_LOWER_MEMORY_IMAGE_WORD_H

enum {
    CL_R = 0x10B0,
    CL_SNORM_INT8 = 0x10D0,
    CL_UNORM_INT_101010 = 0x10D6,
    CL_UNORM_INT_101010_2 = 0x10E0,
    CL_UNORM_INT_2_101010 = 0x10E5,
    CL_UNSIGNED_INT_RAW10 = 0x10E3,
    CL_UNSIGNED_INT10X6 = 0x10E6,
    CL_SIGNED_INT8 = 0x10D7,
    CL_UNSIGNED_INT8 = 0x10DA
};
/* CL_NV12_INTEL is far from CL_R: this number of five bits stands for it. */
enum { CL_NV12_INTEL = 0x410E, ORDER_NV12 = 30 };
enum { WORD_TYPE = 5, WORD_LOW = 10, WORD_STORE = 12, WORD_LOAD = 20 };

#endif
