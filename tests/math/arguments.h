/* The arguments that the functions are called with. Same numbers in each run. */
#pragma once

#include "precision.h"

/* function: the reference by distance that the test has, or NULL */
void arguments_init(struct samples *samples, const struct test_case *test, const struct function *function);
/* Lane number index of count, for every parameter; width and vectors know nothing of it. */
void arguments_draw(struct samples *samples, const struct test_case *test, const struct function *function,
                    uint32_t index, uint32_t count, union number *args);
