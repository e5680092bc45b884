/* Launches of kernels that watch their accesses (`pumice check`, robust mode). */
#ifndef SRC_LAUNCH_CHECKED_H
#define SRC_LAUNCH_CHECKED_H

#include "src/check/check.h"
#include "src/launch/range.h"
#include "src/launch/state.h"
#include "src/object/kernel.h"
#include "src/object/queue.h"

static inline bool ocl_watches(const struct clc_lowered *lowered)
{
    return lowered->arg_limit || lowered->launch_offset[CLC_LAUNCH_CHECK] >= 0;
}
/* Whether a launch has more to do for it than others. */
static inline bool ocl_is_checked(const struct clc_lowered *lowered)
{
    return ocl_watches(lowered) || lowered->unseen_writes;
}
/* Whether something is to come behind the dispatch; in robust mode nobody asks what was wrong. */
static inline bool ocl_checks_report(void)
{
    return check_on(CHECK_KERNELS);
}

struct ocl_family;

/* Notes what the application's kernel was given, which those that it enqueues may reach. Its buffers are there. False: no
 * memory. */
bool ocl_checked_begin_family(struct ocl_family *family);

/* What one launch has for it: the memory that CLC_LAUNCH_CHECK leads to, and what there is to know about the objects that
 * the kernel reaches. NULL: no memory. The launch's kernel watches (check_page). */
struct ocl_checked *ocl_checked_create(struct launch *launch);
void ocl_checked_destroy(struct ocl_checked *checked); /* NULL is fine */
/* Adds what the kernel reaches for this to what the launch uses. False: no memory. */
bool ocl_checked_use(const struct ocl_checked *checked, struct launch *launch);
/* Writes what the kernel asks for into the argument block. */
void ocl_checked_put(const struct ocl_checked *checked, uint8_t *block);
/* What comes behind the dispatch: brings what the device noted to the host. */
enum vkb_result ocl_checked_bring(const struct ocl_checked *checked, struct launch *launch);
/* Then tells what was found, where it is to run, and destroys it. */
void ocl_checked_report(void *data, bool run);

#endif
