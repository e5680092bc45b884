/* From an NDRange to what the device runs (range.c). */
#ifndef SRC_RANGE_H
#define SRC_RANGE_H

#include "src/object/kernel.h"

/* Ranges of more than 2^32 work-items in a dimension need local sizes there that are powers of two. */
bool ocl_range_splits(const struct ocl_range *range);
/* Chooses range->local where the application left it open. */
void ocl_range_choose_local(struct ocl_range *range, cl_kernel kernel, cl_device_id device);

/* The dispatches of a range, in order. */
struct ocl_grids {
    struct vkb_grid *list; /* without pipelines */
    uint32_t count, capacity;
    struct vkb_grid fixed[8];
    uint32_t (*locals)[3]; /* the work-group size of each */
    uint32_t fixed_locals[8][3];
};

void ocl_grids_init(struct ocl_grids *grids);
void ocl_grids_finish(struct ocl_grids *grids);
/* Adds the range's grids. limits: groups per dispatch in each dimension. False: out of memory. */
bool ocl_range_split(const struct ocl_range *range, const uint32_t limits[3], struct ocl_grids *grids);
/* Whether ids within the range have more than 32 bits. */
bool ocl_range_is_vast(const struct ocl_range *range);

#endif
