/* A tiny interpreter for what the random programs of test_flow.c are made of: 32-bit integers, bools, local variables,
 * branches, calls aside. Stores outside Function storage are events (and volatile, so that all of them stay); running
 * stops at a return or after a number of events or steps. */
#ifndef TESTS_LOWER_INTERPRET_H
#define TESTS_LOWER_INTERPRET_H

#include "compiler/spv/spv.h"

struct run {
    uint32_t events[64];
    uint32_t num_events, max_events;
    bool returned, out_of_steps;
    const char *error; /* something that the interpreter does not know, or the use of an undefined value for control or
                          events */
};

void interpret(struct arena *arena, const struct spv_module *module, const struct spv_function *function,
               uint32_t input, struct run *run);

#endif
