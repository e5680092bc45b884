/* The built-in functions, as the checks and the parser ask for them (builtin_find.c, builtin_resolve.c). */
#ifndef COMPILER_FRONT_BUILTIN_H
#define COMPILER_FRONT_BUILTIN_H

#include "compiler/front/sema/ast.h"

struct builtin; /* opaque: one row of the table, all overloads of a name */

/* The row for a name, or NULL: no built-in (in this language version, with these extensions). Cached in the ident. */
const struct builtin *clc_builtin_find(struct clc_front *front, struct ident *name);
/* For suggestions: the table's names by number, "" for one that is not available here, NULL after the last. */
const char *clc_builtin_name(struct clc_front *front, uint32_t index);
bool clc_builtin_is_pure(const struct expr *expr); /* a call whose result is all that it does */
/* What an unavailable built-in asks for, in words; NULL when there is none of the name. */
const char *clc_builtin_needs(struct clc_front *front, const struct ident *name);
/* Overload resolution for a call (as clang's for its overloadable declarations: exact match, then
 * promotions/conversions; ambiguity and no match are reported with the candidates as notes). Returns an EXPR_BUILTIN
 * with converted arguments, or EXPR_POISON. */
struct expr *clc_builtin_call(struct clc_front *front, const struct builtin *builtin, src_loc loc,
                              struct src_range range, struct expr **args, uint32_t num_args);
/* Does an overload take these rvalues without any conversion? For calls of names that the program overloads too. */
bool clc_builtin_fits_exactly(struct clc_front *front, const struct builtin *builtin, struct expr **args,
                              uint32_t num_args);

#endif
