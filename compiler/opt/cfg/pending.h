/* The targets that code which structurise.c has written still has to go to. */
#ifndef COMPILER_OPT_CFG_PENDING_H
#define COMPILER_OPT_CFG_PENDING_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* The set of targets that are still to be placed. Lists hold indices of blocks (in reverse post-order), which are also
 * the values of next. A set belongs to one holder: the functions below change the set that they are given and return
 * the new one, which the caller keeps in its place. */
struct pending {
    uint32_t *targets; /* rising */
    uint32_t count, capacity;
};

bool pending_has(const struct pending *set, uint32_t target);
struct pending pending_one(struct arena *arena, uint32_t target);
struct pending pending_with(struct arena *arena, struct pending set, uint32_t target);
struct pending pending_join(struct arena *arena, const struct pending *a, const struct pending *b);
struct pending pending_without(struct pending set, uint32_t target);

#endif
