/* Small floats as their specifications define them, by comparison with the values on either side, in doubles, which are
 * exact here. Nothing is shared with the library's bodies. */
#ifndef TESTS_MATH_SMALL_REFERENCE_H
#define TESTS_MATH_SMALL_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

enum rounding { TO_NEAREST, TO_ZERO, TO_PLUS_INFINITY, TO_MINUS_INFINITY, ROUNDINGS };

/* Sign, exponent and fraction; the kinds below the first are the exceptions. Codes of magnitudes, without the sign. */
enum small_kind { SMALL_USUAL, SMALL_FIXED, SMALL_SCALE };
struct small_format {
    const char *name;
    enum small_kind kind;
    uint32_t bits, point; /* behind the point */
    int least;            /* the least normal number is 2^least */
    uint32_t largest, infinite;
    uint32_t nan; /* what a NaN becomes: where there is one, it and all above `infinite` are NaN */
    bool has_infinity, has_nan;
    int most; /* of blocks: the largest power of two */
};

enum {
    SMALL_BFLOAT16,
    SMALL_E5M2,
    SMALL_E4M3,
    SMALL_E3M2,
    SMALL_E2M3,
    SMALL_E2M1,
    SMALL_E8M0,
    SMALL_MXINT8,
    SMALL_HALF,
    SMALL_FLOAT,
    SMALL_FORMATS
};
extern const struct small_format small_formats[SMALL_FORMATS];

/* NaN of any bits is NAN. */
double small_value(const struct small_format *format, uint32_t code);
/* Of a NaN: format->nan with its sign. */
uint32_t small_code(const struct small_format *format, double value, enum rounding rounding, bool saturates);
/* Equal, or both are NaN. */
bool small_same(const struct small_format *format, uint32_t a, uint32_t b);

#endif
