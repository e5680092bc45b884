/* What the built-ins' files share: the table as gen_builtins.py makes it of builtins.def, and what resolution and
 * emission do with a row. The other rooms of the front end see struct builtin as an opaque row (builtin.h). */
#ifndef COMPILER_FRONT_BUILTINS_BUILTINS_H
#define COMPILER_FRONT_BUILTINS_BUILTINS_H

#include "compiler/front/ast.h"
#include "compiler/front/builtin.h"
#include "builtins_enums.h"

enum builtin_emit {
#define X(name) BUILTIN_EMIT_##name,
    BUILTIN_EMITTERS(X)
#undef X
        BUILTIN_EMIT_COUNT
};

enum builtin_custom {
    BUILTIN_CUSTOM_none,
#define X(name) BUILTIN_CUSTOM_##name,
    BUILTIN_CUSTOMS(X)
#undef X
        BUILTIN_CUSTOM_COUNT
};

enum { PATTERN_GENERIC = TYPE_KIND_COUNT };
enum pattern_form {
    PATTERN_SELF,
    PATTERN_ELEMENT,
    PATTERN_UNSIGNED, /* unsigned integer of the same width and lanes */
    PATTERN_SIGNED,
    PATTERN_WIDE,  /* integer of twice the width */
    PATTERN_LANES, /* its element, type_pattern.lanes times */
    PATTERN_UNSIGNED_LANES,
};

/* One result or parameter: see builtins.def. */
struct type_pattern {
    uint8_t base;    /* enum type_kind of the element, or PATTERN_GENERIC */
    uint8_t form;    /* of PATTERN_GENERIC */
    uint8_t lanes;   /* of concrete arithmetic types; 0: as many as the generic type has */
    uint8_t spaces;  /* pointer: mask of 1 << AS_*; 0: no pointer */
    uint8_t quals;   /* of the pointee */
    uint8_t access;  /* images: mask of QUAL_READ_ONLY... */
    uint16_t images; /* images: mask of 1 << IMAGE_* */
};

struct builtin_pattern {
    uint16_t domain;     /* elements that $ may have: mask of 1 << TYPE_*; 0: no generic type */
    uint16_t operand[3]; /* emission's opcode or number: for floats, signed, unsigned */
    uint16_t aux;        /* emission's further argument */
    uint16_t types;      /* index of the result in builtin_types; the parameters follow */
    uint8_t guard;       /* index into builtin_guards; 0: none */
    uint8_t widths;      /* lanes that $ may have: bits for 1, 2, 3, 4, 8, 16 */
    uint8_t num_params;
    uint8_t emit;   /* enum builtin_emit */
    uint8_t custom; /* enum builtin_custom */
};

enum builtin_kind { BUILTIN_TABLE, BUILTIN_CONVERT, BUILTIN_AS };
enum builtin_rounding { ROUNDING_DEFAULT, ROUNDING_RTE, ROUNDING_RTZ, ROUNDING_RTP, ROUNDING_RTN };

struct builtin {
    const char *name;
    const struct builtin_pattern *patterns;
    uint32_t num_patterns;
    /* convert_* and as_*: parsed from the name */
    uint8_t kind;     /* enum builtin_kind */
    uint8_t rounding; /* enum builtin_rounding */
    bool saturate;
    const struct type *target;
};

/* Lanes by bit of widths. */
extern const uint8_t builtin_lanes[6];

/* ---- builtins/find.c ---- */

const struct type_pattern *builtin_pattern_types(const struct builtin_pattern *pattern);
/* The language version and the target have what the row asks for. */
bool builtin_available(struct clc_front *front, const struct builtin_pattern *pattern);
/* Scalars that need fp16 or fp64. */
bool builtin_kind_available(const struct clc_front *front, enum type_kind kind);
bool builtin_has_word(const char *words, const char *word, size_t length);
bool builtin_generic_spaces(const struct clc_front *front);

/* ---- builtins/custom.c ---- */

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
/* enqueue.c: the built-in functions that take a block */
struct expr *builtin_call_enqueue(struct clc_front *front, const struct builtin_call_site *site, uint32_t pattern);
/* A scalar or vector type; lanes 1: the scalar. */
const struct type *builtin_type(struct clc_front *front, enum type_kind element, uint32_t lanes);
/* The type behind an enum. */
const struct type *builtin_plain(const struct type *type);

#endif
