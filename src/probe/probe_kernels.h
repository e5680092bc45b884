/* The probe's kernels: every expression of probe_rows.c, compiled for a device that claims to do all natively.
 *
 * A width's rows are spread over several kernels, because a driver's compiler takes most of the probe's time and works
 * for one thread as for another. How they are spread does not depend on the number of threads, so neither do the
 * results. */
#ifndef SRC_PROBE_PROBE_KERNELS_H
#define SRC_PROBE_PROBE_KERNELS_H

#include "src/probe/probe.h"

enum { PROBE_CHUNK = 8192, PROBE_MAX_ROWS = 64 };

struct probe_kernels;

/* Begins to make the kernels of all widths that the target has, on the caller's behalf with up to threads threads, the
 * caller's among them. The target must outlive them. NULL: out of memory. */
struct probe_kernels *probe_kernels_create(struct vkb_device *device, const struct clc_target *target,
                                           uint32_t threads);
void probe_kernels_destroy(struct probe_kernels *kernels);

/* Waits until the width's kernels are made, and makes some itself. NULL: they are; else why not. */
const char *probe_kernels_await(struct probe_kernels *kernels, enum clc_width width);
/* Makes the width's kernels anew, with or without the execution mode for rounding to nearest at 32 bits. When all
 * others are made. */
const char *probe_kernels_again(struct probe_kernels *kernels, enum clc_width width, bool rounds_to_nearest32);

/* Runs the width's rows on one chunk of arguments x, then y, then z. Those of row i are stored from i * PROBE_CHUNK on.
 * A kernel none of whose rows is wanted is left out. False: it failed. */
bool probe_kernels_run(struct probe_kernels *kernels, enum clc_width width, struct vkb_queue *queue,
                       struct vkb_buffer *input, struct vkb_buffer *output, const bool wanted[PROBE_MAX_ROWS]);

/* Whether the target has what a row needs at the width. */
bool probe_has_width(const struct clc_target *target, enum clc_width width);
bool probe_has_row(const struct clc_target *target, const struct probe_row *row, enum clc_width width);

#endif
