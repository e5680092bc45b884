/* The word that tells a kernel the order and the type of an image's channels (image_word.h says where what stands). */
#include "compiler/lower/memory/image_word.h"

#include "compiler/clc.h"

#include "base/util.h"

#include <string.h>

uint32_t clc_image_word(uint32_t channel_order, uint32_t channel_type)
{
    static const struct {
        char load[5], store[5]; /* of Vulkan's formats with the components in the order of memory */
    } orders[] = {
        {"r001", "rgba"}, /* CL_R */
        {"000r", "agba"}, /* CL_A */
        {"rg01", "rgba"}, /* CL_RG */
        {"r00g", "raba"}, /* CL_RA */
        {"rgb1", "rgba"}, /* CL_RGB */
        {"rgba", "rgba"}, /* CL_RGBA */
        {"bgra", "bgra"}, /* CL_BGRA */
        {"gbar", "argb"}, /* CL_ARGB */
        {"rrrr", "rgba"}, /* CL_INTENSITY */
        {"rrr1", "rgba"}, /* CL_LUMINANCE */
        {"r001", "rgba"}, /* CL_Rx */
        {"rg01", "rgba"}, /* CL_RGx */
        {"rgb1", "rgba"}, /* CL_RGBx */
        {"r001", "rgba"}, /* CL_DEPTH */
        {"r001", "rgba"}, /* CL_DEPTH_STENCIL */
        {"rgb1", "rgba"}, /* CL_sRGB */
        {"rgb1", "rgba"}, /* CL_sRGBx */
        {"rgba", "rgba"}, /* CL_sRGBA */
        {"bgra", "bgra"}, /* CL_sBGRA */
        {"abgr", "abgr"}, /* CL_ABGR */
    };
    uint32_t order = channel_order - CL_R, type = channel_type - CL_SNORM_INT8;
    uint32_t row = order < ARRAY_LENGTH(orders) ? order : 5; /* CL_RGBA, as which others are kept in an image */
    /* Red is in the word's high bits, and in the low ones of the format that kernels can write. */
    bool turns = channel_type == CL_UNORM_INT_101010 || channel_type == CL_UNORM_INT_101010_2,
         opaque = channel_type == CL_UNORM_INT_101010;
    const char *load = turns ? (opaque ? "bgr1" : "bgra") : orders[row].load;
    const char *store = turns ? "bgra" : orders[row].store;
    if (channel_type == CL_UNORM_INT_2_101010) /* whose order, CL_ABGR, is that of the word's high bits first */
        load = store = "rgba";
    uint32_t word = (channel_order == CL_NV12_INTEL ? ORDER_NV12 : row) | (type & 31) << WORD_TYPE;
    if (channel_type - CL_UNSIGNED_INT10X6 < 3)
        word |= (3 - (channel_type - CL_UNSIGNED_INT10X6)) << WORD_LOW;
    for (uint32_t c = 0; c < 4; c++) {
        static const char names[] = "rgba01";
        uint32_t from = (uint32_t)(strchr(names, load[c]) - names), to = (uint32_t)(strchr(names, store[c]) - names);
        word |= from << (WORD_LOAD + 3 * c) | to << (WORD_STORE + 2 * c);
    }
    return word;
}

uint32_t clc_image_word_samples(uint32_t word, uint32_t samples)
{
    return (word & ~(0xffu << WORD_STORE)) | (samples & 0xff) << WORD_STORE;
}

enum clc_component clc_image_component(uint32_t word, uint32_t component)
{
    return (enum clc_component)(word >> (WORD_LOAD + 3 * component) & 7);
}
