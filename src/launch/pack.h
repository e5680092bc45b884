/* Small work-groups share one of the device's. */
#ifndef SRC_LAUNCH_PACK_H
#define SRC_LAUNCH_PACK_H

#include "src/launch/range.h"

/* How many work-groups of the range share one of the device's in each dimension: 1 in all where they had better not. */
void ocl_pack_choose(const struct ocl_range *range, const struct ocl_code *code, cl_device_id device,
                     uint32_t packs[3]);
/* Whether the device's last groups have room for work-groups beyond the range. */
bool ocl_pack_is_uneven(const struct ocl_range *range, const uint32_t packs[3]);

#endif
