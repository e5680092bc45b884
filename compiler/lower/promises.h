/* Debug builds check what lowering's driver takes for granted when it leaves work out. Each check does the work on a
 * copy of the module and aborts where the copy came out different. In other builds these are nothing. */
#ifndef COMPILER_LOWER_PROMISES_H
#define COMPILER_LOWER_PROMISES_H

#include "compiler/lower/values/lower.h"

typedef bool (*function_pass)(struct spv_module *module, struct spv_function *function);

#ifdef NDEBUG
static inline void promise_settled(struct lower *lower, const char *name, function_pass pass, uint8_t settled)
{
    (void)lower, (void)name, (void)pass, (void)settled;
}
static inline void promise_computing(struct lower *lower, const char *name, bool (*run)(struct lower *lower))
{
    (void)lower, (void)name, (void)run;
}
static inline void promise_idle(struct lower *lower, const char *name, bool (*run)(struct lower *lower))
{
    (void)lower, (void)name, (void)run;
}
static inline void promise_flow(struct lower *lower)
{
    (void)lower;
}
#else
/* Before a pass runs on every function but those whose bits in spv_function.settled say that it would find nothing:
 * it finds nothing in them. */
void promise_settled(struct lower *lower, const char *name, function_pass pass, uint8_t settled);
/* Before a pass that passes functions over that only compute: it would leave them as they are. */
void promise_computing(struct lower *lower, const char *name, bool (*run)(struct lower *lower));
/* Behind a pass that said by lower->idle that there was nothing to do: when it is made to look at everything, it
 * changes nothing. */
void promise_idle(struct lower *lower, const char *name, bool (*run)(struct lower *lower));
/* Every control flow graph that a function keeps is the graph of its blocks. */
void promise_flow(struct lower *lower);
#endif

#endif
