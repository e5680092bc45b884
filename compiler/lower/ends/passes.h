/* The passes at both ends. */
#ifndef COMPILER_LOWER_ENDS_PASSES_H
#define COMPILER_LOWER_ENDS_PASSES_H

#include "compiler/lower/values/lower.h"

/* extract.c: the kernel into a module of its own; by-value pointers to values */
bool lower_extract(struct lower *lower);
bool lower_entry(struct lower *lower);    /* entry.c: parameters, launch values and ids; the Vulkan entry point */
bool lower_vectors(struct lower *lower);  /* vectors.c: vectors of 8 and 16 to vectors of four */
bool lower_contract(struct lower *lower); /* contract.c: a * b + c to fma where it is exact, fast and allowed */
/* The same for one function of the library, whether or not the program allows contraction. */
void lower_contract_library(struct lower *lower, struct spv_module *module, struct spv_function *function);
/* release_matrices.c: the device's own cooperative matrices as Vulkan has them */
bool lower_release_matrices(struct lower *lower);
bool lower_read_only(struct lower *lower); /* read_only.c: blocks that are NonWritable, for what nobody writes */
bool lower_legalise(struct lower *lower);  /* legalise.c: capabilities, execution modes, decorations */

#endif
