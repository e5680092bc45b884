/* NDRanges: what an application asks for (range_check.c), and what the device runs of it (range.c). */
#ifndef SRC_LAUNCH_RANGE_H
#define SRC_LAUNCH_RANGE_H

#include "src/object/kernel.h"

struct ocl_range {
    cl_uint dims;
    uint64_t offset[3], global[3]; /* offset 0 and global 1 beyond dims */
    uint32_t local[3];             /* as given or chosen */
    bool tiled;                    /* it was chosen for the pipeline of CLC_BOUNDS_TILED */
    bool empty;                    /* a size is 0: nothing runs */
};

/* What an application asks for. */
struct ocl_range_args {
    const char *function;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_uint work_dim;
    const void *offset, *global, *local; /* of size_t, or NULL */
    bool by_kernel; /* a kernel asks, of a queue on the device: of uint64_t, as size_t of the host may have 32 bits */
    bool suggests;  /* nothing is launched: ocl_range_suggest() */
};
/* All checks of a launch but that of its wait list, in the specification's order. */
cl_int ocl_range_check(const struct ocl_range_args *args, bool args_may_be_unset, struct ocl_range *range);
/* clGetKernelSuggestedLocalWorkSize: args->local is NULL. */
cl_int ocl_range_suggest(const struct ocl_range_args *args, size_t *suggested);

/* Ranges of more than 2^32 work-items in a dimension need local sizes there that are powers of two. */
bool ocl_range_splits(const struct ocl_range *range);
/* Chooses range->local where the application left it open. */
void ocl_range_choose_local(struct ocl_range *range, cl_kernel kernel, cl_device_id device);
/* The same for an application that will give the size itself: where the program's groups must be equal it divides the
 * range, also for kernels that cannot tell. */
void ocl_range_suggest_local(struct ocl_range *range, cl_kernel kernel, cl_device_id device);

/* The dispatches of a range, in order. */
struct ocl_grids {
    struct vkb_grid *list; /* without pipelines */
    uint32_t count, capacity;
    struct vkb_grid fixed[8];
    uint32_t (*locals)[3]; /* the work-group size of each, as its pipeline has it */
    uint32_t fixed_locals[8][3];
};

void ocl_grids_init(struct ocl_grids *grids);
void ocl_grids_finish(struct ocl_grids *grids);
/* How the range's last groups are cut off in a launch of the kernel. */
enum clc_bounds ocl_range_bounds(const struct ocl_range *range, const struct ocl_code *code);
/* Whether no work-item of the kernel can tell in which group it is, nor which size that has. */
bool ocl_groups_are_hidden(const struct ocl_code *code);
/* Has a single work-item of such a kernel run in the pipeline that serves every range, so that there need be none for
 * just one. False: the range has more, or the kernel no such pipeline. */
bool ocl_range_tile_one(struct ocl_range *range, const struct ocl_code *code, cl_device_id device);
/* Makes a range of groups that nobody can tell from others one that a pipeline with these values runs. False: it cannot,
 * or would take longer. */
bool ocl_range_regroup(struct ocl_range *range, const struct ocl_code *code, cl_device_id device,
                       const uint32_t values[CLC_SPEC_COUNT]);
/* The work-group size of pipelines for CLC_BOUNDS_TILED. */
void ocl_tile_group(cl_device_id device, uint32_t local[3]);
/* Adds the range's grids. limits: groups per dispatch in each dimension; group: the size of the pipelines for full
 * groups; packs: how many of these share one of the device's (pack.h). False: out of memory. */
bool ocl_range_split(const struct ocl_range *range, const uint32_t limits[3], enum clc_bounds bounds,
                     const uint32_t group[3], const uint32_t packs[3], struct ocl_grids *grids);
/* Whether the local size divides the range. */
bool ocl_range_is_even(const struct ocl_range *range);
/* Whether ids within the range have more than 32 bits. */
bool ocl_range_is_vast(const struct ocl_range *range);

#endif
