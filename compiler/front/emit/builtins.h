/* What the built-ins' emission files share. */
#ifndef COMPILER_FRONT_EMIT_BUILTINS_H
#define COMPILER_FRONT_EMIT_BUILTINS_H

#include "compiler/front/sema/builtin_table.h"
#include "compiler/front/emit/emitter.h"

/* Newer than some systems' headers. */
#define SpvOpGroupNonUniformRotateKHR         4431
#define SpvOpReadClockKHR                     5056
#define SpvOpAtomicFMinEXT                    5614
#define SpvOpAtomicFMaxEXT                    5615
#define SpvOpAtomicFAddEXT                    6035
#define SpvCapabilityGroupNonUniformRotateKHR 6026

/* One call being emitted: the arguments are evaluated, in value form. */
struct builtin_call {
    const struct expr *expr;
    const struct builtin_pattern *pattern;
    const struct type *result;
    spv_id type; /* emit_type() of result */
    struct expr **args;
    spv_id *ids;
    uint32_t num_args;
    uint16_t op; /* the pattern's operand for the generic type's kind */
};

/* The handlers' type; each returns the value, 0 for void. */
typedef spv_id builtin_emit_fn(struct emit *e, const struct builtin_call *call);

#define X(name) builtin_emit_fn emit_##name##_builtin;
BUILTIN_EMITTERS(X)
#undef X

/* Whether an argument is an integer constant; its value. */
bool builtin_const_arg(const struct builtin_call *call, uint32_t index, uint64_t *value);
/* convert_*; also plain conversions by it. */
spv_id emit_convert_builtin(struct emit *e, const struct builtin_call *call);
spv_id emit_as_builtin(struct emit *e, const struct builtin_call *call);
/* SPIR-V's scope for a memory_scope argument; Device where it is not constant. */
uint32_t builtin_scope(const struct builtin_call *call, uint32_t index);

#endif
