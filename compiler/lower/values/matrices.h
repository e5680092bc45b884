/* Cooperative matrices: what the kernel's device offers. */
#ifndef COMPILER_LOWER_VALUES_MATRICES_H
#define COMPILER_LOWER_VALUES_MATRICES_H

#include "compiler/lower/values/lower.h"

/* An OpCooperativeMatrixMulAddKHR. operands: enum spv_matrix_operands. */
struct lower_multiplication {
    const struct lower_matrix *a, *b, *c, *result;
    uint32_t operands;
};

/* "f16", "bf16", "i8", as messages and the library's names have them: integers have no sign in their type. */
struct lower_number_name {
    char text[8];
};
struct lower_number_name lower_matrix_number(const struct lower *lower, const struct lower_matrix *matrix);

/* The size of the sub-groups that share out the kernel's matrices; 0: it is not known. */
uint32_t lower_matrix_lanes(const struct lower *lower);
/* Whether the device has it; else lower_fail() has named those that it has. */
bool lower_offers_matrix(struct lower *lower, const struct lower_matrix *matrix);
bool lower_offers_multiplication(struct lower *lower, const struct lower_multiplication *m);

/* Whether the device's own could be the kernel's, as far as its sub-groups go; whether this is one of them. */
bool lower_may_have_native_matrices(const struct lower *lower);
bool lower_is_native_matrix(const struct lower *lower, const struct lower_matrix *matrix);
bool lower_is_native_multiplication(const struct lower *lower, const struct lower_multiplication *m);
/* Fails; lowering begins anew with software_matrices. */
bool lower_refuse_native_matrices(struct lower *lower);
/* Whether a pointer leads to such matrices, which stay in variables of their types; whether all of them could. */
bool lower_points_to_matrix(const struct spv_module *module, spv_id pointer_type);
bool lower_matrices_are_settled(struct lower *lower);

#endif
