/* Accesses of images that stay inside of them (image_bounds.c): in robust kernels, and where faults of bounds are reported. */
#ifndef COMPILER_LOWER_MEMORY_IMAGE_BOUNDS_H
#define COMPILER_LOWER_MEMORY_IMAGE_BOUNDS_H

#include "compiler/lower/values/lower.h"

/* Whether each number is smaller than its bound, both without signs: a bool. Scalars or vectors of u32, alike. */
spv_id lower_is_inside(struct spv_builder *b, spv_id numbers, spv_id bounds);
/* Both, bools; 0 stands for true. */
spv_id lower_both(struct spv_builder *b, spv_id one, spv_id other);
/* The value where that is true, else zeros. A scalar or a vector of numbers. */
spv_id lower_or_zeros(struct spv_builder *b, spv_id condition, spv_id value);
/* The numbers as u32. */
spv_id lower_in_32_bits(struct spv_builder *b, spv_id numbers);

/* A function that writes a texel where the coordinate lies inside of the image, which it loads from the variable. Its
 * parameters: the coordinate, u32s, and the texel. */
spv_id lower_texel_writer(struct lower *lower, spv_id variable, spv_id image_type, spv_id coordinate_type,
                          spv_id texel_type);

#endif
