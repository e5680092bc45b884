/* Cooperative matrices: what the kernel's device offers. */
#ifndef COMPILER_LOWER_VALUES_MATRICES_H
#define COMPILER_LOWER_VALUES_MATRICES_H

#include "compiler/lower/values/lower.h"

/* An OpCooperativeMatrixMulAddKHR. operands: enum spv_matrix_operands. */
struct lower_multiplication {
    const struct lower_matrix *a, *b, *c, *result;
    uint32_t operands;
};

/* The size of the sub-groups that share out the kernel's matrices; 0: it is not known. */
uint32_t lower_matrix_lanes(const struct lower *lower);
/* Whether the device has it; else lower_fail() has named those that it has. */
bool lower_offers_matrix(struct lower *lower, const struct lower_matrix *matrix);
bool lower_offers_multiplication(struct lower *lower, const struct lower_multiplication *m);

#endif
