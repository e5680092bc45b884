/* Calls by function pointers: what bind_calls.c and bind_nested.c share. */
#ifndef COMPILER_PROGRAM_BIND_CALLS_H
#define COMPILER_PROGRAM_BIND_CALLS_H

#include "compiler/program/program.h"

/* A function whose address is taken, as the reader has made one for it. */
struct entrance {
    uint32_t number;
    const struct spv_function *function;
};

struct binding {
    struct arena *arena;
    struct spv_module *module;
    VEC(struct entrance) entrances;
    VEC(struct spv_function *) calls; /* they have the pointer as first parameter, and bodies from bind_body() on */
    struct u64_map
        allowed; /* call's id -> for each entrance whether it may lead there (uint8_t); all, where it has none */
};

/* bind_slots.c: gives calls of which more is known than the type functions of their own. */
void bind_split(struct binding *binding);
static inline uint8_t *bind_allowed(const struct binding *binding, const struct spv_function *call)
{
    return (uint8_t *)u64_map_get(&binding->allowed, call->def->id);
}

/* Gives the call its body. left_out: NULL, or by the function's id those that the call must not lead to; instead it
 * says on the program's output that it was asked to. */
void bind_body(struct binding *binding, struct spv_function *call, const uint8_t *left_out);
/* Whether the call may lead to the entrance of that number. */
bool bind_may_call(const struct binding *binding, const struct spv_function *call, uint32_t entrance);

/* bind_nested.c: calls by pointers that might lead back to the function they are in. NULL, or what is wrong. */
const char *bind_nested(struct binding *binding);

#endif
