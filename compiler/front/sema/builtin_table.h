/* The table of built-in functions as gen_builtins.py makes it of builtins.def: for resolution (builtin_*.c) and for
 * emission. Others see struct builtin as an opaque row (builtin.h). */
#ifndef COMPILER_FRONT_SEMA_BUILTIN_TABLE_H
#define COMPILER_FRONT_SEMA_BUILTIN_TABLE_H

#include "compiler/front/sema/ast.h"
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

/* aux of coop_mat_*'s patterns */
enum matrix_function { MATRIX_LOAD, MATRIX_STORE, MATRIX_MULTIPLY, MATRIX_INIT, MATRIX_LENGTH };

/* The type behind an enum. */
const struct type *builtin_plain(const struct type *type);

#endif
