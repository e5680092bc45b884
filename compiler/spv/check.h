/* Shared by check.c, check_types.c and the reader. Internal to compiler/spv. */
#ifndef COMPILER_SPV_CHECK_H
#define COMPILER_SPV_CHECK_H

#include "grammar.h"

/* NULL when the instruction's types fit its opcode, else what is wrong. Its operand ids are defined and of the right
 * sort (values where values are due). */
const char *spv_check_inst_types(const struct spv_module *module, const struct spv_function *function,
                                 const struct spv_inst *inst);
/* The same for a type, constant or variable of module scope, whose operands are defined. */
const char *spv_check_global(const struct spv_module *module, const struct spv_inst *inst);

/* check_matrices.c: SPV_KHR_cooperative_matrix. Of the types, of the instructions that only matrices have, and of
 * arithmetic and conversions whose result is a matrix; NULL, or what is wrong. */
const char *spv_check_matrix_type(const struct spv_module *module, const struct spv_inst *type);
const char *spv_check_matrix_inst(const struct spv_module *module, const struct spv_inst *inst);
bool spv_is_matrix_inst(const struct spv_module *module, const struct spv_inst *inst);
/* Where matrices may be: neither in memory that is not a function's own, nor among the parameters of kernels. Behind
 * spv_check(). */
const char *spv_check_matrix_places(const struct spv_module *module);
/* The reader has made other numbers of types whose entry in changed, by ids below bound, is not 0: no matrix has them. */
const char *spv_check_matrix_numbers(const struct spv_module *module, const uint8_t *changed, uint32_t bound);
/* The most components that one work-item can have of a matrix; what spec constants say counts as anything. */
uint32_t spv_matrix_components(const struct spv_module *module, const struct spv_inst *type);

/* What of that holds for modules with types that are there twice, too: types, and the sizes of numbers. */
const char *spv_check_global_shape(const struct spv_module *module, const struct spv_inst *inst);
/* check.c: the module's scope alone, by spv_check_global_shape(). The repairs need it, and mend what spv_check() would
 * refuse in functions and of members and initialisers. */
const char *spv_check_scope(struct spv_module *module);

/* settle_globals.c: repairs of what the reader has read. The first puts constant addresses in the place of variables in
 * composites, at the end of the section, and says whether there were any; the second sorts the section, and returns 0
 * or an id that cannot be placed. forward: the ids that OpTypeForwardPointer announced. */
bool spv_wrap_addresses(struct spv_module *module);
/* Moves the instructions that compute initialisers out of functions, to the end of the section. Whether there were any. */
bool spv_lift_initialisers(struct spv_module *module);
spv_id spv_sort_globals(struct spv_module *module, const uint8_t *forward, size_t num_forward);
/* Adds to each entry point what the initialisers of its variables reach; the section is sorted. */
void spv_list_initialisers(struct spv_module *module);

/* untyped.c: SPV_KHR_untyped_pointers. Gives all pointers a type, before the section is sorted; NULL, or what is wrong.
 */
const char *spv_type_untyped(struct spv_module *module);
bool spv_is_untyped_op(uint16_t op);

/* extensions.c: what extensions.def says of the names that a module declares. */
/* A message where it declares what is refused by name, else NULL. */
const char *spv_find_refused(const struct spv_module *module);
bool spv_is_hint_decoration(uint32_t decoration);
/* Removes hints, and the declarations of what the reader has dropped or made plain. */
void spv_drop_hints(struct spv_module *module);

/* function_pointers.c: SPV_INTEL_function_pointers. Makes numbers of them, and calls of declared functions of calls by
 * them; seed: a hash of the whole module. Behind spv_check_scope(). NULL, or what is wrong. */
const char *spv_take_function_pointers(struct spv_module *module, uint64_t seed);

/* encoded_floats.c: floats that are not IEEE 754's, in the same two steps as odd integers below. NULL, or what is wrong.
 */
const char *spv_take_encoded_types(struct spv_module *module, uint8_t **types);
const char *spv_take_encoded_floats(struct spv_module *module, const uint8_t *types, uint32_t bound);

/* bits.c: casts and accesses by bits. `odd` says how many bits the integers of a value or of memory have, where these are
 * fewer than those of its type; 0: as many. The bits above are 0. */
/* A number or vector of numbers, bools among them, as one of another type of the same size; 0: it has another size, or
 * is none of numbers. */
spv_id spv_emit_bit_cast(struct spv_builder *b, spv_id value, uint32_t odd, spv_id type, uint32_t to_odd);
/* What an OpLoad or OpStore of odd integers does, where LLVM packs them: without touching a byte too many. 0, false: it
 * has no pointer. */
spv_id spv_emit_bit_load(struct spv_builder *b, const struct spv_inst *load, uint32_t odd);
bool spv_emit_bit_store(struct spv_builder *b, const struct spv_inst *store, uint32_t odd);
/* In bytes, of an access whose memory operands begin at that word; 0: it does not say. */
uint32_t spv_access_alignment(const struct spv_inst *inst, uint32_t operands);

/* odd_integers.c: SPV_INTEL_arbitrary_precision_integers, for modules that have integers of other widths than 8, 16, 32
 * and 64 bits. The first comes before spv_check_scope(), and gives the second, which comes behind it, a table by ids
 * (below the bound that was). NULL, or what is wrong. */
const char *spv_widen_odd_types(struct spv_module *module, uint8_t **widths);
const char *spv_widen_odd_integers(struct spv_module *module, uint8_t *widths, uint32_t bound);

/* long_composites.c: SPV_INTEL_long_composites. Splits the constants that were put together of several instructions
 * (longer: count of them), where they are too long for one. Behind spv_check_scope(). NULL, or what is wrong. */
const char *spv_split_composites(struct spv_module *module, struct spv_inst *const *longer, uint32_t count);

/* fast_math.c: SPV_KHR_float_controls2. LLVM 22's back end gives kernels its execution mode without declaring it, so the
 * mode alone counts as well. Whether a module has it is asked before its capability is dropped; it is taken behind
 * spv_check_scope(). */
bool spv_has_float_controls(const struct spv_module *module);
void spv_take_float_controls(struct spv_module *module);

/* plain.c: makes older SPIR-V of instructions that extensions bring. Behind spv_check_scope(). NULL, or what is wrong.
 */
const char *spv_make_plain(struct spv_module *module);

/* repair.c: what translators write wrong in functions and in the module's head. Behind spv_check_scope(). */
void spv_repair(struct spv_module *module);

#endif
