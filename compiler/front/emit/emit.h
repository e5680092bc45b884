/* Emission, from outside: the typed tree of a unit to kernel SPIR-V. */
#ifndef COMPILER_FRONT_EMIT_H
#define COMPILER_FRONT_EMIT_H

#include <stdbool.h>

struct clc_front;
struct decl;
struct emit;
struct spv_module;
struct stmt;
struct translation_unit;

/* Emission of a unit into module (new, empty). compile_only: the module is an object for the linker, with every
 * external function. Errors go to the front's log. */
struct emit *emit_begin(struct clc_front *front, struct spv_module *module, bool compile_only);
/* What struct tree_taker calls before the unit's end: emits the first statements of a function, and a function's body
 * or what is left of it. */
void emit_function(struct emit *e, struct decl *function);
void emit_statements(struct emit *e, struct decl *function, struct stmt *first);
/* All the rest. true: the module may have functions that nobody reaches, since some were emitted before the end. */
bool emit_end(struct emit *e, const struct translation_unit *unit);

#endif
