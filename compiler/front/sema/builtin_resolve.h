/* What the files of overload resolution share. */
#ifndef COMPILER_FRONT_SEMA_BUILTIN_RESOLVE_H
#define COMPILER_FRONT_SEMA_BUILTIN_RESOLVE_H

#include "compiler/front/sema/builtin.h"
#include "compiler/front/sema/builtin_table.h"
#include "compiler/front/sema/check.h"

/* Lanes by bit of widths. */
extern const uint8_t builtin_lanes[6];

/* ---- builtin_find.c ---- */

const struct type_pattern *builtin_pattern_types(const struct builtin_pattern *pattern);
/* The language version and the target have what the row asks for. */
bool builtin_available(struct clc_front *front, const struct builtin_pattern *pattern);
/* Scalars that need fp16 or fp64. */
bool builtin_kind_available(const struct clc_front *front, enum type_kind kind);
bool builtin_has_word(const char *words, const char *word, size_t length);
bool builtin_generic_spaces(const struct clc_front *front);

/* ---- builtin_custom.c ---- */

struct builtin_call_site {
    const struct builtin *builtin;
    src_loc loc;
    struct src_range range;
    struct expr **args; /* rvalues */
    uint32_t num_args;
};

struct expr *builtin_custom_call(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern);
struct expr *builtin_make_call(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern,
                               struct qual_type result, const struct type *gentype);
struct expr *builtin_poison(struct clc_front *front, const struct builtin_call_site *site);
/* builtin_enqueue.c: the built-in functions that take a block */
struct expr *builtin_call_enqueue(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern);
/* matrix.c: coop_mat_* */
struct expr *builtin_call_matrix(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern);
/* A scalar or vector type; lanes 1: the scalar. */
const struct type *builtin_type(struct clc_front *front, enum type_kind element, uint32_t lanes);

#endif
