/* The passes on values and calls: SPIR-V in, SPIR-V out, for OpenCL's environment and Vulkan's alike. They know nothing
 * of lowering, so they take only a module and a function. All memory comes from the module's arena. Each pass returns
 * whether it changed something, leaves a module that spv_check() accepts, and keeps a structured function structured.
 * Passes that only concern control flow are in cfg/.
 *
 * An order that makes sense: inline, sroa, mem2reg, fold, cse, dce while pointers are typed; structurise, then mem2reg
 * again; fold, cse and dce after any pass that makes new instructions. */
#ifndef COMPILER_OPT_OPT_H
#define COMPILER_OPT_OPT_H

#include "compiler/spv/spv.h"

/* ---- inline.c ---- */

/* The functions that root reaches by calls, callees first, root last. */
struct opt_call_order {
    VEC(struct spv_function *) functions;
};
/* False and *error when functions call themselves. Functions without a body are left out. */
bool opt_order_calls(struct spv_module *module, struct spv_function *root, struct opt_call_order *order,
                     const char **error);

/* What is done with calls of callee. Where a policy may be given, NULL means that all are inlined. */
enum opt_call_fate {
    OPT_CALL_INLINED,
    OPT_CALL_READY,   /* likewise; opt_prepare_callee() has been there, and all is still structured */
    OPT_CALL_CLEANED, /* likewise; the body is simplified once more before it is copied */
    OPT_CALL_STAYS,
};
typedef enum opt_call_fate (*opt_call_policy)(void *data, const struct spv_module *module,
                                              const struct spv_function *callee);

/* Inlines every call that function makes, directly or through others, but for those that the policy lets stay and those
 * of functions without a body. Local variables move to the entry block. Callees are first made to return at one place,
 * and are structurised if need be; so a structured function stays structured, unless a callee cannot return on every
 * way. False and *error when functions call themselves, or when the result would be too large. */
bool opt_inline_calls(struct spv_module *module, struct spv_function *function, opt_call_policy policy, void *data,
                      const char **error);

/* Brings a function into the shape in which it can be inlined: it returns at one place, and is structured.
 * opt_inline_calls() does this by itself. */
void opt_prepare_callee(struct spv_module *module, struct spv_function *function);

/* measure.c: about how many instructions a function has with all calls inlined; saturates. 0 and *error (in the arena)
 * where functions call themselves, or call what is no function. sizes: a cache, empty for the first call, that keeps
 * the sizes of functions between calls. */
uint32_t opt_inlined_size(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                          struct u64_map *sizes, const char **error);

/* Whether inst is a call of a function without effects, whose result depends on its arguments only. */
static inline bool opt_is_const_call(const struct spv_module *module, const struct spv_inst *inst)
{
    const struct spv_function *callee = inst->op == SpvOpFunctionCall ? spv_function_of(module, inst->words[0]) : NULL;
    return callee && callee->def->words[0] & SpvFunctionControlConstMask;
}

/* ---- values ---- */

/* initialise.c: private variables and undefined values are zeros from the start. */
bool opt_initialise(struct spv_module *module, struct spv_function *function);
/* mem2reg.c: Function variables that are only loaded and stored whole become values; uninitialised ones are undefined.
 */
bool opt_mem2reg(struct spv_module *module, struct spv_function *function);
/* sroa.c: structs and arrays in Function variables that are indexed by constants become variables for their members;
 * components of vectors are read and written through the whole vector. */
bool opt_sroa(struct spv_module *module, struct spv_function *function);
/* unroll.c: writes out loops with a constant number of iterations, if they have an unroll hint or if that turns private
 * arrays into values. Run opt_fold() afterwards, and call this again for as long as it changes something. */
bool opt_unroll(struct spv_module *module, struct spv_function *function);
/* The same for later rounds: a function that has nearly reached the size limit is left as it is. */
bool opt_unroll_more(struct spv_module *module, struct spv_function *function);
/* The same where each conditional branch costs the driver much: loops that have many are not written out for arrays. */
bool opt_unroll_few_branches(struct spv_module *module, struct spv_function *function);
/* fold.c: constant folding, identities that are exact, constant branches. Nothing that could change a result by a bit.
 */
bool opt_fold(struct spv_module *module, struct spv_function *function);
/* divide.c: quotients of 64 bits whose dividend fits into 32 are computed there. Leaves conversions for opt_fold(). */
bool opt_divide(struct spv_module *module, struct spv_function *function);
/* words.c: vectors of bytes that are words wherever they come from are words where paths meet. Leaves bitcasts for
 * opt_fold(). */
bool opt_words(struct spv_module *module, struct spv_function *function);
/* bytes.c: bytes of a word that are widened at once are taken from it by shifts and masks. */
bool opt_bytes(struct spv_module *module, struct spv_function *function);
/* dot.c: sums of four products of bytes become dot products, packed in words. Leaves dead code for opt_dce(). */
bool opt_dot(struct spv_module *module, struct spv_function *function);
/* logic.c: bitwise functions of three values in the shortest form. Leaves dead code for opt_dce(). */
bool opt_logic(struct spv_module *module, struct spv_function *function);
/* unions.c: private objects that are accessed as different types, all at constant places, become words. Leaves dead
 * pointers for opt_dce(), and the words for SROA. */
bool opt_unions(struct spv_module *module, struct spv_function *function);
/* rotate.c: rotations of 64 bits are computed in halves, for devices with registers of 32. Leaves dead code for
 * opt_dce(). */
bool opt_rotate(struct spv_module *module, struct spv_function *function);
/* stores.c: stores to adjacent elements of global memory become one store of a vector where the address is aligned.
 * Adds functions to the module. */
bool opt_stores(struct spv_module *module, struct spv_function *function);
/* How many of a number's lowest bits are known to be 0. */
uint32_t opt_zeros_below(const struct spv_module *module, spv_id id);
/* sign.c: whether an integer, as an index, is known not to be negative. False: it may be. */
bool opt_never_negative(const struct spv_module *module, spv_id id);
/* strength.c: an address that advances by equal steps in a loop is advanced by addition. Leaves dead code for
 * opt_dce(). */
bool opt_strength(struct spv_module *module, struct spv_function *function);
/* loads.c: neighbours that a loop loads are loaded as vectors, in a copy of the loop that runs if addresses are
 * aligned. */
bool opt_loads(struct spv_module *module, struct spv_function *function);
/* The same for devices that can vote in a subgroup. */
bool opt_loads_voting(struct spv_module *module, struct spv_function *function);
/* elements.c: global accesses by base and index become access chains. */
bool opt_elements(struct spv_module *module, struct spv_function *function);
/* The same for drivers whose access chains reach from the base to 4 GiB after it and no further: only where the index
 * is not negative. */
bool opt_elements_short(struct spv_module *module, struct spv_function *function);
/* offsets.c: distances from what arguments point to have 32 bits. Leaves dead code for opt_dce(). */
bool opt_offsets(struct spv_module *module, struct spv_function *function);
/* reach.c: what a pipeline may see, by the specialisation constant of this number. */
enum {
    OPT_SPEC_REACH = 5,
    OPT_REACH_LARGE = 1, /* objects of 4 GiB or more */
    OPT_REACH_INNER = 2, /* arguments that point into an object: what is before them may be accessed */
};
/* A constant of the module, true where there may be large objects or, if what is asked about may be before where an
 * argument points, arguments that point into one. */
spv_id opt_reaches_far(struct spv_module *module, bool may_be_negative);
/* scale.c: masked indices of local memory are computed in bytes. Leaves equal computations for opt_cse() and dead code
 * for opt_dce(). */
bool opt_scale(struct spv_module *module, struct spv_function *function);
/* hoist.c: what does not change in a loop is computed before it. */
bool opt_hoist(struct spv_module *module, struct spv_function *function);
/* The same, with sums reordered so that more of them can move. */
bool opt_hoist_sums(struct spv_module *module, struct spv_function *function);
/* promote.c: what a loop reads and writes at one address is kept in a variable meanwhile. Wants a structured function.
 * Run opt_mem2reg() and opt_fold() afterwards, and call this again for the loops around. */
bool opt_promote(struct spv_module *module, struct spv_function *function);
/* cse.c: of equal computations the one that dominates the others stays. Loads give the value that is known to be in
 * memory, and stores that nobody reads are removed. */
bool opt_cse(struct spv_module *module, struct spv_function *function);
/* The same for a function whose accesses to memory have not changed since opt_cse() last ran (sums may have been
 * reordered): loads are looked at only if pointers turn out to be equal. */
bool opt_cse_values(struct spv_module *module, struct spv_function *function);
/* dce.c: removes unused values, and stores to variables that nobody reads. */
bool opt_dce(struct spv_module *module, struct spv_function *function);
/* dce.c: removes functions that no entry point (or exported function) reaches, then unused module-level types,
 * constants and variables. */
bool opt_dce_module(struct spv_module *module);

/* elements.c: a pointer to a block with a runtime array of the element, stride bytes apart, in memory known by its
 * address. There is one such block for each type. */
spv_id opt_elements_pointer(struct spv_module *module, spv_id element, uint32_t stride);

#endif
