/* Which accesses of a function may touch the same memory. A snapshot: pointers that were made after alias_start() are
 * not known to it. */
#ifndef COMPILER_OPT_ALIAS_H
#define COMPILER_OPT_ALIAS_H

#include "compiler/spv/cfg.h"

/* Memory is divided into places; a set of them is a mask of 64 bits. ALIAS_NEVER: memory that nobody writes while the
 * kernel runs. */
enum { ALIAS_PLACES = 64, ALIAS_NEVER = ALIAS_PLACES };

/* What a call that is not known, a barrier or a fence concerns: all that is not private to the work-item. */
#define ALIAS_SHARED (UINT64_MAX << 24 | 0xf)

struct alias {
    struct spv_module *module;
    struct arena *arena;
    spv_id *root;      /* pointer -> the variable or parameter that it points into, where that is known */
    uint8_t *escapes;  /* root -> its address is used otherwise than for loads and stores; bit 1: it is stored to;
                          address chain -> 0, or from which operand on it stays inside of what it starts from */
    VEC(spv_id) noted; /* the ids that these two have entries for */
    VEC(const struct spv_inst *) writers; /* instructions that do more than load */
    bool whole_program;                   /* the function is an entry point: nothing but it runs on these parameters */
};

/* In the module's scratch arena, between spv_scratch_begin() and spv_scratch_end(). */
void alias_start(struct alias *a, struct spv_module *module, const struct spv_function *function,
                 const struct spv_cfg *cfg);
void alias_finish(struct alias *a);

/* Whether memory that is reached through the parameter is reached by no other way. */
bool alias_is_restrict(const struct spv_module *module, const struct spv_inst *param);

/* The place that a pointer points to. */
uint32_t alias_place(struct alias *a, spv_id pointer);
/* The places that share memory with a place. */
uint64_t alias_overlapping(uint32_t place);

/* What an instruction does to memory: nothing, a load or store by its first operand, a copy to its first operand from
 * its second, reads of anything, anything. */
enum alias_effect { ALIAS_NONE, ALIAS_LOAD, ALIAS_STORE, ALIAS_COPY, ALIAS_READ_ALL, ALIAS_ALL };
enum alias_effect alias_effect_of(const struct alias *a, const struct spv_inst *inst);
static inline enum alias_effect alias_effect(const struct alias *a, const struct spv_inst *inst)
{
    return spv_op_is_pure(inst->op) ? ALIAS_NONE : alias_effect_of(a, inst);
}
/* Whether a load or store does more than read or write memory for this work-item: it is volatile, or makes memory
 * available or visible to others. */
bool alias_is_special(const struct spv_inst *inst);
/* Whether two pointers lead to memory that cannot overlap because they part at a member or a constant index. */
bool alias_beside(struct alias *a, spv_id one, spv_id two);

#endif
