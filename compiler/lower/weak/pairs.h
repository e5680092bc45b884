/* 64-bit integers as pairs of words: what the files of that pass share (pairs.c, pair_math.c, pair_memory.c).
 *
 * A value of 64 bits becomes two of 32, its low and its high half. A vector of them becomes two vectors, so that
 * operations still work on all lanes at once. */
#ifndef COMPILER_LOWER_WEAK_PAIRS_H
#define COMPILER_LOWER_WEAK_PAIRS_H

#include "compiler/lower/values/lower.h"

struct pair {
    spv_id low, high; /* u32, or a vector of u32; 0: no pair */
};

struct pairs {
    struct lower *lower;
    struct arena *arena; /* the pass's own time */
    struct spv_module *module;
    struct spv_builder b;  /* where the walk is */
    uint32_t num_ids;      /* ids that existed when the pass began; only they can have 64 bits */
    struct pair *values;   /* by id */
    struct u64_map twins;  /* type of a half -> struct of two such */
    struct u64_map blocks; /* pointer type -> that of a pointer to a block */
    struct u64_map mapped; /* type -> the type that takes its place in memory */
    struct spv_replacements replacements;
    VEC(struct spv_inst *) phis, dead;
    VEC(spv_id) params; /* that are pairs now */
};

/* ---- types ---- */

static inline bool pair_is_wide(const struct pairs *p, spv_id type)
{
    return type && spv_type_is_int(p->module, type) && spv_type_width(p->module, type) == 64;
}
/* u32 in as many lanes as type has. */
static inline spv_id pair_half(const struct pairs *p, spv_id type)
{
    return spv_type_vector(p->module, spv_type_int(p->module, 32), spv_type_count(p->module, type));
}
static inline spv_id pair_bool(const struct pairs *p, spv_id type)
{
    return spv_type_vector(p->module, spv_type_bool(p->module), spv_type_count(p->module, type));
}
/* A struct of two halves: what functions return, and what additions with a carry give. */
spv_id pair_twin_type(struct pairs *p, spv_id half);

/* ---- pairs.c ---- */

/* The pair of a 64-bit value: of an instruction that the walk has passed, or of a constant. */
struct pair pair_of(struct pairs *p, spv_id id);
void pair_define(struct pairs *p, struct spv_inst *inst, struct pair value);
void pair_replace(struct pairs *p, struct spv_inst *inst, spv_id value);
static inline spv_id pair_resolve(struct pairs *p, spv_id id)
{
    return spv_replaced(&p->replacements, id);
}

/* ---- pair_math.c: half is the type of the operands' halves ---- */

spv_id pair_constant(struct pairs *p, spv_id half, uint32_t bits);
struct pair pair_add(struct pairs *p, spv_id half, struct pair a, struct pair b);
struct pair pair_subtract(struct pairs *p, spv_id half, struct pair a, struct pair b);
struct pair pair_multiply(struct pairs *p, spv_id half, struct pair a, struct pair b);
struct pair pair_bitwise(struct pairs *p, SpvOp op, spv_id half, struct pair a, struct pair b);
/* count: u32 in each lane, below 64. */
struct pair pair_shift(struct pairs *p, SpvOp op, spv_id half, struct pair value, spv_id count);
/* A comparison of integers by its opcode. */
spv_id pair_compare(struct pairs *p, SpvOp op, spv_id half, struct pair a, struct pair b);
struct pair pair_select(struct pairs *p, spv_id half, spv_id condition, struct pair yes, struct pair no);
/* GLSL.std.450's functions of 64-bit integers; false where there is no such. */
bool pair_glsl(struct pairs *p, spv_id half, uint32_t number, const struct pair *args, struct pair *result);

/* ---- pair_memory.c ---- */

/* The two halves side by side, as memory holds them: u32 x 2 for a scalar, u32 x 4 for two lanes; and back. */
spv_id pair_join(struct pairs *p, struct pair value, uint32_t lanes);
struct pair pair_split(struct pairs *p, spv_id words, uint32_t lanes);
/* The type that a type of memory becomes: itself where it holds no 64-bit integer. 0 after lower_fail(). */
spv_id pair_memory_type(struct pairs *p, spv_id type);
/* For a pointer to a type that the device can only load and store: the type of a pointer to a block with an array of
 * them, by which it is made of words; 0: it is made of them as it is. */
spv_id pair_block_pointer(struct pairs *p, spv_id pointer);
bool pair_variables(struct pairs *p);
bool pair_load(struct pairs *p, struct spv_inst *inst);
bool pair_store(struct pairs *p, struct spv_inst *inst);
bool pair_bitcast(struct pairs *p, struct spv_inst *inst);

#endif
