/* What instructions give on constants: for fold.c and fold_*.c, for loops that unroll*.c counts through, and for
 * specialisation constants (compiler/program). */
#ifndef COMPILER_OPT_FOLD_H
#define COMPILER_OPT_FOLD_H

#include "compiler/spv/cfg.h"

/* fold_const.c: the value of an instruction whose operands are constants; 0 when it is none, or when folding could
 * differ from what the device does (division by zero, conversions out of range, rounding modes). */
spv_id fold_constant_inst(struct spv_module *module, const struct spv_inst *inst);
static inline spv_id fold_constant(struct spv_module *module, const struct spv_inst *inst)
{
    return inst->num_words && spv_is_constant(module, inst->words[0]) ? fold_constant_inst(module, inst) : 0;
}
/* The same for functions of GLSL.std.450 that are exact: roundings, magnitudes, the smaller and the larger. */
spv_id fold_ext_inst(struct spv_module *module, const struct spv_inst *inst);
/* fold.c: x + 0, x * 1, x & x and the like of integers: the operand or constant that it is, else 0. */
spv_id fold_identity(struct spv_module *module, const struct spv_inst *inst);
/* Component of a scalar (0) or vector constant. */
bool fold_component(const struct spv_module *module, spv_id id, uint32_t component, uint64_t *bits);
/* Every component has these bits. */
bool fold_is_splat_constant(const struct spv_module *module, const struct spv_inst *constant, uint64_t *bits);
static inline bool fold_is_splat(const struct spv_module *module, spv_id id, uint64_t *bits)
{
    return spv_is_constant(module, id) && fold_is_splat_constant(module, spv_def(module, id), bits);
}

/* The same on plain numbers, for callers that compute many values and keep few of them as constants. */
struct fold_scalar {
    uint64_t bits;
    uint32_t width; /* 1 for bool */
    bool is_float;
};
/* Sets all of *scalar but the bits, from a type; false where the type is no scalar. */
bool fold_scalar_type(const struct spv_module *module, spv_id type, struct fold_scalar *scalar);
/* The value of an instruction, from those of its one or two operands. */
bool fold_scalars(const struct spv_module *module, const struct spv_inst *inst, const struct fold_scalar *operands,
                  struct fold_scalar *result);

/* fold_branch.c: rewrites branches and switches on constants, then joins blocks if it rewrote any or if join is set.
 * *opened: whether it removed more edges than fold_taken() had foretold. *simple: whether a phi lost entries and may be
 * one value now. */
bool fold_branches(struct spv_module *module, struct spv_function *function, bool join, bool *opened, bool *simple);
/* The one label that block number i of the graph will branch to once fold_branches() has run, whatever else is folded.
 * 0 where that is not sure, or where the block has only one successor already. */
spv_id fold_taken(const struct spv_module *module, const struct spv_cfg *cfg, uint32_t i);

/* fold_chain.c: the value that an address chain is equal to, or 0. *changed is set where the chain itself was
 * rewritten. */
spv_id fold_chain(struct spv_module *module, struct spv_function *function, struct spv_inst *chain, bool *changed);

#endif
