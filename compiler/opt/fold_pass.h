/* The state of the pass opt_fold(), for its files: fold.c and fold_composite.c. */
#ifndef COMPILER_OPT_FOLD_PASS_H
#define COMPILER_OPT_FOLD_PASS_H

#include "compiler/opt/fold.h"

struct fold {
    struct spv_module *module;
    struct spv_function *function;
    struct spv_replacements replacements;
    bool changed;
    struct spv_cfg cfg;
    bool *reached; /* by block; NULL: all that were seen */
    spv_id *taken; /* by block: fold_taken() */
};

static inline const struct spv_inst *fold_def(const struct fold *f, spv_id id)
{
    return spv_def(f->module, id);
}

/* The same if it is such an instruction in a block, else NULL. */
static inline const struct spv_inst *fold_def_if(const struct fold *f, spv_id id, uint16_t op)
{
    const struct spv_inst *def = spv_def(f->module, id);
    return def && def->op == op && def->block ? def : NULL;
}

/* fold.c: makes another instruction of it, in place. */
void fold_become(struct fold *f, struct spv_inst *inst, SpvOp op, uint32_t count, const uint32_t *words);

/* fold_composite.c: what a composite, or a part of one, is equal to; 0 where it has no other id. The instruction itself
 * may have been rewritten. */
spv_id fold_composite(struct fold *f, struct spv_inst *inst);

#endif
