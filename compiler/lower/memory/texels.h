/* Colours between a kernel and a texel where the device does not convert them exactly (texels.c). */
#ifndef COMPILER_LOWER_MEMORY_TEXELS_H
#define COMPILER_LOWER_MEMORY_TEXELS_H

#include "compiler/lower/values/lower.h"

/* Each takes a vector of four floats and gives another. order is counted from CL_R, type from CL_SNORM_INT8; both are
 * u32. */

/* What a texel stands for that was sampled as its raw numbers: CL_UNORM_SHORT_565 and _555 as one of 16 bits,
 * normalised, in red; sRGB as linear colours; CL_UNORM_INT10X6_EXT and its kin as numbers of 16 bits, normalised.
 * decodes: u32, the value of CLC_SPEC_IMAGES. */
spv_id lower_decode_texel(struct spv_builder *b, const struct clc_target *target, spv_id texel, spv_id order,
                          spv_id type, spv_id decodes);
/* The colour that a device stores as convert_..._sat_rte() would, whichever way it rounds by itself. */
spv_id lower_round_texel(struct spv_builder *b, spv_id colour, spv_id type);

#endif
