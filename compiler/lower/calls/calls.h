/* What the passes on functions that stay functions share. */
#ifndef COMPILER_LOWER_CALLS_CALLS_H
#define COMPILER_LOWER_CALLS_CALLS_H

#include "compiler/lower/values/lower.h"
#include "compiler/opt/opt.h"

enum {
    LOWER_LIBRARY = 40,         /* instructions of a function of the library that stays one in small programs, too, */
    LOWER_LIBRARY_GROWTH = 400, /* where inlining it would make them grow by this: drivers inline it as they like */
};

/* flatten.c: ifs whose arms only compute, with at most so many instructions, become selects, and the blocks around them
 * one. */
bool lower_flatten_ifs(struct spv_module *module, struct spv_function *function, uint32_t most);

/* reads.c: whether the function is the library's body of a read with a sampler. */
bool lower_is_read_body(const struct lower *lower, const struct spv_function *function);
/* To be called when all other calls are inlined, so that these reads are called by the kernel. Those with the same
 * image share a function, where that makes the kernel much smaller; the rest is inlined. policy decides on other
 * functions. False and *error as opt_inline_calls(). */
bool lower_share_reads(struct lower *lower, opt_call_policy policy, void *data, const char **error);

#endif
