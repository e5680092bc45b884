// Multiplication of cooperative matrices (cl_khr_cooperative_matrix). Component i of a work-item is number i * lanes + (its place in
// the sub-group) of the matrix, row by row (lower/ends/matrices.c). Where the matrix has fewer than lanes, they begin again at 0.
//
// Floats are summed in the order of A's columns, halfs as floats and rounded once at the end. Integers are exact: what is stored
// wraps or saturates.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable

#define MATRIX_A_SIGNED      1u
#define MATRIX_B_SIGNED      2u
#define MATRIX_C_SIGNED      4u
#define MATRIX_RESULT_SIGNED 8u
#define MATRIX_SATURATING    16u

// small_float.cl
#define NO_SCALE 127
float __pumice_float_from_e4m3(uint code, uint scale);
float __pumice_float_from_e5m2(uint code, uint scale);

// The components that all work-items need in one step.
struct matrix_span {
    uint low, high;
};

// What the whole sub-group computes with its components number i: of all rows or columns in between.
static struct matrix_span matrix_rows(uint i, uint count, uint n, uint lanes)
{
    uint first = i * lanes, last = first + lanes - 1;
    struct matrix_span span = {first / n, last / n};
    if (last >= count)
        span.low = 0, span.high = (count - 1) / n;
    return span;
}

static struct matrix_span matrix_columns(uint i, uint count, uint n, uint lanes)
{
    uint first = i * lanes % n, last = first + lanes - 1;
    struct matrix_span span = {first, last};
    if (last >= n || i * lanes + lanes > count)
        span.low = 0, span.high = n - 1;
    return span;
}

// A component that any work-item may hold; places are the same neither for all, nor far apart. Bounds are the same for all.
#define MATRIX_FETCH(type)                                                                                             \
    static type matrix_fetch_##type(__private const type *part, uint place, uint low, uint high, uint lanes)           \
    {                                                                                                                  \
        type found = 0;                                                                                                \
        for (uint i = low / lanes; i <= high / lanes; i++) {                                                           \
            type other = sub_group_shuffle(part[i], place % lanes);                                                    \
            found = place / lanes == i ? other : found;                                                                \
        }                                                                                                              \
        return found;                                                                                                  \
    }
MATRIX_FETCH(half)
MATRIX_FETCH(float)
MATRIX_FETCH(double)
MATRIX_FETCH(uchar)
MATRIX_FETCH(ushort)
MATRIX_FETCH(uint)

// One component of C after the other: begin, then a step for each of A's columns, then end.
#define MATRIX_MULTIPLY(name, from, to, sum_type, begin, step, end)                                                    \
    void __pumice_matrix_##name(__private const from *a, __private const from *b, __private to *c, uint m, uint n,     \
                                uint k, uint lanes, uint operands)                                                     \
    {                                                                                                                  \
        uint self = get_sub_group_local_id(), count = m * n;                                                           \
        for (uint i = 0; i < (count + lanes - 1) / lanes; i++) {                                                       \
            uint place = (i * lanes + self) % count, row = place / n, column = place % n;                              \
            struct matrix_span rows = matrix_rows(i, count, n, lanes);                                                 \
            struct matrix_span columns = matrix_columns(i, count, n, lanes);                                           \
            to old = c[i];                                                                                             \
            sum_type sum = begin;                                                                                      \
            for (uint j = 0; j < k; j++) {                                                                             \
                from x = matrix_fetch_##from(a, row * k + j, rows.low * k + j, rows.high * k + j, lanes);              \
                from y = matrix_fetch_##from(b, j * n + column, j * n + columns.low, j * n + columns.high, lanes);     \
                sum = step;                                                                                            \
            }                                                                                                          \
            c[i] = end;                                                                                                \
        }                                                                                                              \
    }

MATRIX_MULTIPLY(f16_f16, half, half, float, (float)old, sum + (float)x * (float)y, (half)sum)
MATRIX_MULTIPLY(f16_f32, half, float, float, old, sum + (float)x * (float)y, sum)
MATRIX_MULTIPLY(f32_f32, float, float, float, old, sum + x * y, sum)
#define MATRIX_BFLOAT16(code) as_float((uint)(code) << 16)
MATRIX_MULTIPLY(bf16_f32, ushort, float, float, old, sum + MATRIX_BFLOAT16(x) * MATRIX_BFLOAT16(y), sum)
#define MATRIX_FLOAT8(format) __pumice_float_from_##format(x, NO_SCALE) * __pumice_float_from_##format(y, NO_SCALE)
MATRIX_MULTIPLY(e4m3_f32, uchar, float, float, old, sum + MATRIX_FLOAT8(e4m3), sum)
MATRIX_MULTIPLY(e5m2_f32, uchar, float, float, old, sum + MATRIX_FLOAT8(e5m2), sum)
MATRIX_MULTIPLY(f64_f64, double, double, double, old, sum + x * y, sum)

#define MATRIX_AS(sum, type, value, is_signed) (operands & (is_signed) ? (sum)(type)(value) : (sum)(value))
#define MATRIX_PRODUCT(sum, type)                                                                                      \
    (MATRIX_AS(sum, type, x, MATRIX_A_SIGNED) * MATRIX_AS(sum, type, y, MATRIX_B_SIGNED))

MATRIX_MULTIPLY(i8_i32, uchar, uint, uint, old, sum + MATRIX_PRODUCT(uint, char), sum)
MATRIX_MULTIPLY(i16_i32, ushort, uint, uint, old, sum + MATRIX_PRODUCT(uint, short), sum)
MATRIX_MULTIPLY(i32_i32, uint, uint, uint, old, sum + MATRIX_PRODUCT(uint, int), sum)

// The sum of products of 8 bits is exact in 64; that is what saturates.
static uint matrix_saturate(long sum, uint operands)
{
    return operands & MATRIX_RESULT_SIGNED ? (uint)clamp(sum, (long)INT_MIN, (long)INT_MAX)
                                           : (uint)clamp(sum, 0L, (long)UINT_MAX);
}

MATRIX_MULTIPLY(i8_i32_saturating, uchar, uint, long, MATRIX_AS(long, int, old, MATRIX_C_SIGNED), sum + MATRIX_PRODUCT(int, char),
                matrix_saturate(sum, operands))
