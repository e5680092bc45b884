/* The precision test: every function of the table of built-ins, for every type and width, on a device, against
 * references that are correctly rounded or judged by their distance. gen_cases.py makes the cases. */
#pragma once

#include "reference.h"

#include <stdbool.h>
#include <stdint.h>

enum type {
    TYPE_CHAR,
    TYPE_UCHAR,
    TYPE_SHORT,
    TYPE_USHORT,
    TYPE_INT,
    TYPE_UINT,
    TYPE_LONG,
    TYPE_ULONG,
    TYPE_HALF,
    TYPE_FLOAT,
    TYPE_DOUBLE
};

struct type_info {
    const char *name;
    uint32_t size; /* bytes */
    bool is_signed;
};

extern const struct type_info types[];

static inline bool type_is_float(enum type type)
{
    return type >= TYPE_HALF;
}

static inline uint32_t type_bits(enum type type)
{
    return types[type].size * 8;
}

static inline const struct format *type_format(enum type type)
{
    return &formats[type - TYPE_HALF];
}

/* A lane of any type: signed integers extended, halfs and floats as the double of the same value. */
union number {
    int64_t s;
    uint64_t u;
    double f;
};

union number number_load(enum type type, const void *data, size_t index);
void number_store(enum type type, void *data, size_t index, union number number);
/* d rounded to the type, to nearest even */
double round_to(enum type type, double d);

struct param {
    enum type type;
    uint8_t lanes; /* 0: as many as the width under test */
    bool pointer;  /* the function writes through it */
};

enum { MAX_PARAMS = 4, MAX_LANES = 16 };
#define EXACT     (0.0)
#define UNBOUNDED (-1.0)

struct test_case {
    const char *name; /* # stands for the width in names of conversions */
    enum type element;
    uint32_t widths; /* bit n: n lanes */
    uint32_t num_params;
    struct param params[1 + MAX_PARAMS]; /* the result first */
    double bound;                        /* ulp, EXACT or UNBOUNDED */
    const char *guard;
};

extern const struct test_case test_cases[];
extern const size_t num_test_cases;

/* One call: the arguments lane by lane. */
struct call {
    const struct test_case *test;
    uint32_t width;
    union number in[MAX_PARAMS][MAX_LANES];
};

static inline uint32_t param_lanes(const struct param *param, uint32_t width)
{
    return param->lanes ? param->lanes : width;
}

/* What one lane of a result must be: one of some values, or near the first. */
struct answer {
    bool any;      /* the specification leaves it open */
    bool any_zero; /* zeros of both signs are right */
    uint32_t num;
    union number values[2];
    double absolute;   /* allowed difference, 0: none */
    double ulps;       /* allowed difference, 0: none */
    long double right; /* unrounded, where ulps is set */
    bool open_pointee;
    union number pointee;
};

/* Fills in *answer; false: there is no reference of that name. */
bool exact_reference(const struct call *call, uint32_t lane, struct answer *answer);
