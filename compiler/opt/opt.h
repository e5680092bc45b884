/* The passes on values and calls: SPIR-V in, SPIR-V out, whatever the environment (OpenCL's or Vulkan's). They know
 * nothing of lowering, so they take a module and a function; all memory is the module's arena. Each returns whether it
 * changed something, leaves what spv_check() accepts, and keeps a structured function structured. Those on control flow
 * alone are in cfg/.
 *
 * The order that makes sense: inline, sroa, mem2reg, fold, cse, dce while pointers are typed; structurise, then mem2reg
 * again; fold, cse and dce after whatever makes new instructions. */
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

/* What becomes of calls of callee; NULL where a callback is taken: all are inlined. */
enum opt_call_fate {
    OPT_CALL_INLINED,
    OPT_CALL_READY,   /* likewise; opt_prepare_callee() has been there, and all is still structured */
    OPT_CALL_CLEANED, /* likewise; the body is simplified once more before it is copied */
    OPT_CALL_STAYS,
};
typedef enum opt_call_fate (*opt_call_policy)(void *data, const struct spv_module *module,
                                              const struct spv_function *callee);

/* Inlines every call that function makes, directly or through others, but for those that stay. Local variables move to
 * the entry block. Callees come to return at one place, structurised where need be, so that a structured function stays
 * one, except where a callee cannot return on every way. Calls of functions without a body stay. False and *error when
 * functions call themselves, or when the result would be unreasonably large. */
bool opt_inline_calls(struct spv_module *module, struct spv_function *function, opt_call_policy policy, void *data,
                      const char **error);

/* Brings a function into the shape in which it can be inlined, as the above does by itself: it returns at one place,
 * and is structured. */
void opt_prepare_callee(struct spv_module *module, struct spv_function *function);

/* measure.c: instructions of a function with all calls inlined, about; saturates. 0 and *error (in the arena) where
 * functions call themselves, or what is no function. sizes: empty at first, then of functions that were asked for. */
uint32_t opt_inlined_size(struct arena *arena, const struct spv_module *module, struct spv_function *function,
                          struct u64_map *sizes, const char **error);

/* Whether inst is a call that gives the same for the same arguments and does nothing else. */
static inline bool opt_is_const_call(const struct spv_module *module, const struct spv_inst *inst)
{
    const struct spv_function *callee = inst->op == SpvOpFunctionCall ? spv_function_of(module, inst->words[0]) : NULL;
    return callee && callee->def->words[0] & SpvFunctionControlConstMask;
}

/* ---- values ---- */

/* mem2reg.c: Function variables that are only loaded and stored whole become values; uninitialised ones are undefined.
 */
bool opt_mem2reg(struct spv_module *module, struct spv_function *function);
/* sroa.c: structs and arrays in Function variables that are indexed by constants become variables for their members;
 * components of vectors are read and written through the whole vector. */
bool opt_sroa(struct spv_module *module, struct spv_function *function);
/* unroll.c: writes out loops of a constant number of iterations that have an unroll hint, or where private arrays
 * become values by it. Fold afterwards, and call it again while it changes something. */
bool opt_unroll(struct spv_module *module, struct spv_function *function);
/* The same in later rounds, where a function that is nearly as large as it may become stays as it is. */
bool opt_unroll_more(struct spv_module *module, struct spv_function *function);
/* fold.c: constant folding, identities that are exact, constant branches. Nothing that could change a result by a bit.
 */
bool opt_fold(struct spv_module *module, struct spv_function *function);
/* bytes.c: bytes of words that are widened at once are taken by shifts. */
bool opt_bytes(struct spv_module *module, struct spv_function *function);
/* logic.c: bitwise functions of three values in the shortest form. Leaves dead code. */
bool opt_logic(struct spv_module *module, struct spv_function *function);
/* stores.c: stores to adjacent elements of global memory, by addresses, become stores of vectors where those allow it.
 * Makes functions. */
bool opt_stores(struct spv_module *module, struct spv_function *function);
/* How many of a number's lowest bits are known to be 0. */
uint32_t opt_zeros_below(const struct spv_module *module, spv_id id);
/* strength.c: addresses that go through a loop in equal steps are stepped. Leaves dead code. */
bool opt_strength(struct spv_module *module, struct spv_function *function);
/* loads.c: neighbours that a loop loads come as vectors, in a copy of the loop for where addresses allow it. */
bool opt_loads(struct spv_module *module, struct spv_function *function);
/* The same, where the device can vote. */
bool opt_loads_voting(struct spv_module *module, struct spv_function *function);
/* elements.c: global accesses by base and index are said as such. */
bool opt_elements(struct spv_module *module, struct spv_function *function);
/* hoist.c: what does not change in a loop is computed before it. */
bool opt_hoist(struct spv_module *module, struct spv_function *function);
/* The same, with sums ordered for it. */
bool opt_hoist_sums(struct spv_module *module, struct spv_function *function);
/* cse.c: one of equal computations stays where it dominates the others; loads give what is known to be there, and
 * stores that nobody reads go. */
bool opt_cse(struct spv_module *module, struct spv_function *function);
/* The same where memory is as it was, since that ran, but for the order of sums: loads are looked at only where
 * pointers came to be equal. */
bool opt_cse_values(struct spv_module *module, struct spv_function *function);
/* dce.c: unused values, and stores to variables that nobody reads. */
bool opt_dce(struct spv_module *module, struct spv_function *function);
/* dce.c: functions that no entry point (or exported function) reaches, then unused module-level types, constants,
 * variables. */
bool opt_dce_module(struct spv_module *module);

#endif
