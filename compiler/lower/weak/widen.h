/* 8- and 16-bit integers in 32 bits: what the files of that pass share (widen.c, widen_cast.c). */
#ifndef COMPILER_LOWER_WEAK_WIDEN_H
#define COMPILER_LOWER_WEAK_WIDEN_H

#include "compiler/lower/values/lower.h"

/* What the upper bits of the 32 are. Sums and products leave anything there; operations that look at them ask for a form. */
enum widen_form { WIDEN_ANY, WIDEN_ZEROS, WIDEN_SIGNS };

struct widen {
    struct lower *lower;
    struct spv_module *module;
    struct spv_builder b; /* before the instruction of the walk */
    uint32_t num_ids;     /* ids that existed when the pass began; only they were narrow */
    uint8_t *width;       /* by id: bits of the narrow integer that it was; 0: it was none */
    uint8_t *form;        /* by id: enum widen_form of the value that it is */
    struct spv_replacements replacements;
    VEC(struct spv_inst *) dead; /* copies */
    struct u64_map structs;      /* struct type of values -> the type that takes its place */
};

/* u32 in as many lanes as type has. */
static inline spv_id widen_type(const struct widen *w, spv_id type)
{
    return spv_type_vector(w->module, spv_type_int(w->module, 32), spv_type_count(w->module, type));
}
static inline uint32_t widen_width(const struct widen *w, spv_id id)
{
    return id < w->num_ids ? w->width[id] : 0;
}
/* An operand: the id itself where it was not narrow, else the 32-bit value in that form. */
spv_id widen_operand(struct widen *w, spv_id id, enum widen_form form);
/* The instruction becomes a copy of that value. */
void widen_become(struct widen *w, struct spv_inst *inst, spv_id value, enum widen_form form);
/* OpBitcast with narrow integers on a side. */
void widen_bitcast(struct widen *w, struct spv_inst *inst, bool result);

#endif
