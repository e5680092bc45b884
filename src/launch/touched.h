/* What launches note of the bytes that they touch (touched.c). */
#ifndef SRC_LAUNCH_TOUCHED_H
#define SRC_LAUNCH_TOUCHED_H

#include "src/launch/state.h"
#include "src/object/touched.h"

/* For a launch whose kernel notes what it touches, with the bytes that each argument leads to (0: none): room for that, which is made
 * zero in front of the dispatch. NULL: nobody will ask, or there is no memory. */
struct ocl_touched *ocl_touched_create(struct launch *launch, const uint64_t *sizes);
/* What the kernel is told of the argument. */
uint64_t ocl_touched_limit(const struct ocl_touched *touched, uint32_t arg);
/* Behind the dispatch: brings it to the host. */
enum vkb_result ocl_touched_bring(struct launch *launch, struct ocl_touched *touched);

#endif
