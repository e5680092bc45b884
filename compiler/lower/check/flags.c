/* Flags of private variables (private.c) that are always set where they are asked for (checking.h). mem2reg leaves, for a
 * variable that is set in front of a loop and again in one arm of a branch in it,
 *
 *     %flag = OpPhi %one %before %next %again
 *     ...
 *     %next = OpPhi %flag %other %one %arm
 *
 * which is one, since nothing else comes into the two. Folding does not see that: it looks at a phi by itself. */
#include "compiler/lower/check/checking.h"

#include "base/util.h"

enum { MOST_FOLLOWED = 256 };

struct followed {
    spv_id list[MOST_FOLLOWED];
    uint32_t count;
    spv_id constant; /* the only one that was met; 0: none yet */
};

/* False: there is another value among those that it may be. */
static bool add(struct followed *f, const struct spv_module *module, spv_id id)
{
    uint64_t bits;
    if (spv_const_value(module, id, &bits)) {
        bool same = !f->constant || f->constant == id;
        f->constant = id;
        return same && bits;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->list[i] == id)
            return true;
    }
    if (f->count == MOST_FOLLOWED)
        return false;
    f->list[f->count++] = id;
    return true;
}

static bool add_operands(struct followed *f, const struct spv_module *module, const struct spv_inst *inst)
{
    bool fits = inst->op == SpvOpPhi || inst->op == SpvOpSelect || inst->op == SpvOpBitwiseAnd;
    uint32_t step = inst->op == SpvOpPhi ? 2 : 1, first = inst->op == SpvOpSelect ? 1 : 0;
    for (uint32_t i = first; fits && i < inst->num_words; i += step)
        fits = add(f, module, inst->words[i]);
    return fits;
}

/* All that it is made of is one number, which is not 0. */
static bool is_set(const struct spv_module *module, spv_id flag)
{
    struct followed f = {.count = 0};
    bool fits = add(&f, module, flag);
    for (uint32_t i = 0; fits && i < f.count; i++)
        fits = add_operands(&f, module, spv_def(module, f.list[i]));
    return fits && f.constant;
}

bool check_flag_is_set(const struct checking *c, spv_id condition)
{
    const struct spv_inst *is_zero = spv_def(c->module, condition);
    uint64_t zero;
    return is_zero->op == SpvOpIEqual && spv_const_value(c->module, is_zero->words[1], &zero) && !zero &&
           spv_type_count(c->module, spv_value_type(c->module, is_zero->words[0])) == 1 &&
           is_set(c->module, is_zero->words[0]);
}
