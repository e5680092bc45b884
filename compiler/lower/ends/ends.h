/* What the files of this room share. */
#ifndef COMPILER_LOWER_ENDS_ENDS_H
#define COMPILER_LOWER_ENDS_ENDS_H

#include "compiler/lower/values/lower.h"

bool lower_inputs(struct lower *lower); /* inputs.c, a part of extract */
/* matrices.c, parts of extract: before the kernel is imported, and behind that. */
void lower_import_matrices(struct lower *lower, struct spv_import *import);
bool lower_take_matrices(struct lower *lower);
/* native_matrices.c, instead of these where lower_may_have_native_matrices(). */
void lower_import_native_matrices(struct lower *lower, struct spv_import *import);
bool lower_keep_matrices(struct lower *lower);

/* entry_ids.c: the product of the three sizes of the work-group, as a specialisation constant. */
spv_id lower_spec_items(struct lower *lower);
/* entry_ids.c: the lanes that they take. */
spv_id lower_spec_lanes(struct lower *lower);
/* entry_ids.c: how many work-groups the device's group holds in this dimension, as a specialisation constant. */
spv_id lower_spec_groups(struct lower *lower, uint32_t component);
/* pack.c: whether groups have nothing to do with each other, nor their work-items but in sub-groups, as far as barriers
 * do not say otherwise. */
bool lower_groups_are_loose(struct lower *lower);

#endif
