/* Tree that no source text stands for: statements, the last of which gives a statement expression its value. With it
 * clang's __builtin_... become ordinary code, and nothing behind the parser knows of them. All of it is in the unit's
 * arena. */
#ifndef COMPILER_FRONT_PARSE_SYNTH_H
#define COMPILER_FRONT_PARSE_SYNTH_H

#include "compiler/front/parse/parse.h"

struct synth {
    struct sema *s;
    struct stmt *first, *last; /* statements so far */
    src_loc loc;
    struct src_range range;
};

struct stmt *synth_add(struct synth *seq, enum stmt_kind kind);
/* A variable with this (rvalue's) value. */
struct decl *synth_keep(struct synth *seq, struct expr *value);
struct expr *synth_use(struct synth *seq, struct decl *variable); /* an rvalue */
struct expr *synth_as(struct synth *seq, struct expr *value, const struct type *type);
struct expr *synth_number(struct synth *seq, const struct type *type, uint64_t value);
struct expr *synth_binary(struct synth *seq, enum binary_op op, struct expr *left, struct expr *right);
void synth_assign(struct synth *seq, struct expr *left, struct expr *right);
/* Of a function of the library that every version has. */
struct expr *synth_call(struct synth *seq, const char *name, struct expr **args, uint32_t count);
/* The statement expression. */
struct expr *synth_expression(struct synth *seq, struct expr *value);

#endif
