/* What the math functions with a bound on their error (functions.h) should give, and how far off a result is. */
#pragma once

#include "samples.h"

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum shape { SHAPE_UNARY, SHAPE_BINARY, SHAPE_POWER };

struct function {
    const char *name;
    enum shape shape;
    double (*reference)(double x, double y, int n);                     /* for half and float */
    int (*exact)(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, int n); /* for double */
    double bounds[3];                                                   /* half, float, double */
    double limits[2];                                                   /* float, double: see struct samples */
};

extern const struct function functions[];
extern const size_t num_functions;

struct format {
    const char *name;
    int digits, least, greatest; /* exponents of the least and the greatest normal number */
};

enum { FORMAT_HALF, FORMAT_FLOAT, FORMAT_DOUBLE };
extern const struct format formats[3];

/* The judgement of one function's results in one format: the worst of them. */
struct judge {
    const struct function *function;
    const struct format *format;
    bool flush; /* subnormals may be flushed: OpenCL C 3.0, 7.5.3 */
    mpfr_t x, y, right;
    double worst;
    double at_x, at_y, result;
    int at_n;
};

void judge_init(struct judge *judge, const struct function *function, const struct format *format, bool flush);
void judge_finish(struct judge *judge);
/* A result for the arguments x, y (BINARY) or n (POWER); all are numbers of the format. */
void judge_result(struct judge *judge, double x, double y, int n, double got);
bool judge_is_over(const struct judge *judge);
/* One line about the worst result. */
void judge_explain(const struct judge *judge, const char *way, char *text, size_t size);

/* Arguments number i of count for the function: special values, all pairs of them, random numbers. */
void sample_arguments(struct samples *s, const struct function *function, uint32_t i, uint32_t count,
                      union value *args);
