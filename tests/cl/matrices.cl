// Cooperative matrices in OpenCL C (docs/matrices.md), against plain loops. What instructions do with matrices of every type and size is
// tests/il/run_matrices.c's matter; here it is the language. All numbers are small and whole, so that sums are exact in any order.
//
// One sub-group works. The work-items of others wait at the barriers.

#if __OPENCL_C_VERSION__ >= 200
#define SCOPE memory_scope_sub_group
#else
#define SCOPE CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP
#endif
#define MATRIX(type, rows, columns, use)                                                                               \
    type __attribute__((coop_mat(SCOPE, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define ROWS    CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR

// The numbers below count that the work-item has to fill or to look at.
#define EACH(i, count) for (uint i = get_local_id(0); i < (count); i += get_local_size(0))

#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable

typedef MATRIX(float, 8, 16, A) a_t;
typedef MATRIX(float, 16, 8, B) b_t;
typedef MATRIX(float, 8, 8, ACCUMULATOR) c_t;
typedef MATRIX(int, 8, 8, ACCUMULATOR) i_t;

static float number(uint which, uint place)
{
    return (int)((place * 7 + which * 5 + place / 9) % 13) - 6;
}

// Row i, column k of A; the memory that the tests load has these numbers in rows.
static float a_of(uint i, uint k)
{
    return number(1, i * 16 + k);
}

static float b_of(uint k, uint j)
{
    return number(2, k * 8 + j);
}

static float c_of(uint i, uint j)
{
    return number(3, i * 8 + j);
}

static float product_of(uint i, uint j)
{
    float sum = 0;
    for (uint k = 0; k < 16; k++)
        sum += a_of(i, k) * b_of(k, j);
    return sum;
}

static c_t halved(c_t x)
{
    return x * 0.5f;
}

static void fill(global float *a, global float *b, global float *c)
{
    EACH(i, 128) {
        a[i] = number(1, i);
        b[i] = number(2, i);
        c[i % 64] = number(3, i % 64);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

//! test: matrix_product
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! buffer wrong int[1] = 0
//! buffer a float[128] = 0
//! buffer b float[128] = 0
//! buffer c float[64] = 0
//! buffer out float[64] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
kernel void matrix_product(global int *wrong, global float *a, global float *b, global float *c, global float *out)
{
    fill(a, b, c);
    if (get_sub_group_id() == 0) {
        a_t x = coop_mat_load(a, ROWS, 16);
        b_t y;
        c_t z;
        y = coop_mat_load(b, ROWS, 8);
        z = coop_mat_load(c, ROWS, 8ul);
        c_t r = coop_mat_mulAdd(x, y, z);
        coop_mat_store(out, r, ROWS, 8);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 64)
        atomic_add(wrong, out[i] != product_of(i / 8, i % 8) + c_of(i / 8, i % 8));
}

// In columns, with gaps, from local memory, by pointers to vectors, of which the stride counts.
//! test: matrix_layouts
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! buffer wrong int[1] = 0
//! buffer a float[128] = 0
//! buffer b float[128] = 0
//! buffer c float[64] = 0
//! buffer out float[160] = 99
//! global: 32
//! local: 32
//! expect wrong = 0
kernel void matrix_layouts(global int *wrong, global float *a, global float *b, global float *c, global float *out)
{
    local float turned[8 * 20];
    fill(a, b, c);
    EACH(i, 128)
        turned[i % 8 * 20 + i / 8] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        size_t stride = 20;
        a_t x = coop_mat_load((global const float4 *)a, ROWS, 4);
        b_t y = coop_mat_load(turned, COLUMNS, stride);
        c_t z = coop_mat_mulAdd(x, y, (c_t)0);
        coop_mat_store(out, z, COLUMNS, stride);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 160)
        atomic_add(wrong, out[i] != (i % 20 < 8 ? product_of(i % 20, i / 20) : 99));
}

//! test: matrix_operators
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! buffer wrong int[1] = 0
//! buffer a float[128] = 0
//! buffer b float[128] = 0
//! buffer c float[64] = 0
//! buffer out float[128] = 0
//! value two int = 2
//! global: 32
//! local: 32
//! expect wrong = 0
kernel void matrix_operators(global int *wrong, global float *a, global float *b, global float *c, global float *out, int two)
{
    fill(a, b, c);
    if (get_sub_group_id() == 0) {
        c_t x = coop_mat_load(c, ROWS, 8), one = coop_mat_init(1), r = x;
        r = (x + one) * x - two * x / (one + one); // x * x
        r += x;
        r -= one * 4;
        r *= x;
        r *= two;
        r /= one + one;
        r = -halved(two > 1 ? +r : x);
        coop_mat_store(out, r, ROWS, 8);
        i_t whole = (i_t)x;
        whole = whole * 3 / (i_t)2;
        coop_mat_store((global int *)out + 64, whole, ROWS, 8);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 64) {
        float x = c[i];
        atomic_add(wrong, out[i] != -0.5f * ((x * x + x - 4) * x));
        atomic_add(wrong, as_int(out[64 + i]) != (int)x * 3 / 2);
    }
}

// Each work-item changes what it has; all of it is changed once, or to the same.
//! test: matrix_elements
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! buffer wrong int[1] = 0
//! buffer a float[128] = 0
//! buffer b float[128] = 0
//! buffer c float[64] = 0
//! buffer out float[64] = 0
//! buffer total uint[1] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
kernel void matrix_elements(global int *wrong, global float *a, global float *b, global float *c, global float *out, global uint *total)
{
    fill(a, b, c);
    if (get_sub_group_id() == 0) {
        c_t x = coop_mat_load(c, ROWS, 8);
        float sum = 0;
        for (uint i = 0; i < coop_mat_length(x); i++) {
            x[i] = x[i] * 2 + 1;
            x[i] += 1;
            sum += x[i] > 100;
        }
        coop_mat_store(out, x, ROWS, 8);
        atomic_add(total, coop_mat_length(x));
        atomic_add(wrong, (int)sum);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 64)
        atomic_add(wrong, out[i] != c[i] * 2 + 2);
    if (get_local_id(0) == 0)
        atomic_add(wrong, *total < 64);
}

// A product of 32 x 32 by 16 tiles, as programs compute it: arrays of matrices that stay in registers.
//! test: matrix_tiles
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! buffer wrong int[1] = 0
//! buffer a float[1024] = 0
//! buffer b float[1024] = 0
//! buffer out float[1024] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
kernel void matrix_tiles(global int *wrong, global float *a, global float *b, global float *out)
{
    EACH(i, 1024)
        a[i] = number(1, i), b[i] = number(2, i);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        c_t sums[4][4];
        for (int i = 0; i < 16; i++)
            sums[i / 4][i % 4] = coop_mat_init(0);
        for (int k = 0; k < 32; k += 16) {
            a_t x[4];
            for (int i = 0; i < 4; i++)
                x[i] = coop_mat_load(a + i * 8 * 32 + k, ROWS, 32);
            for (int j = 0; j < 4; j++) {
                b_t y = coop_mat_load(b + k * 32 + j * 8, ROWS, 32);
                for (int i = 0; i < 4; i++)
                    sums[i][j] = coop_mat_mulAdd(x[i], y, sums[i][j]);
            }
        }
        for (int i = 0; i < 16; i++)
            coop_mat_store(out + i / 4 * 8 * 32 + i % 4 * 8, sums[i / 4][i % 4], ROWS, 32);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 1024) {
        float sum = 0;
        for (uint k = 0; k < 32; k++)
            sum += a[i / 32 * 32 + k] * b[k * 32 + i % 32];
        atomic_add(wrong, out[i] != sum);
    }
}

// Halfs, with sums of floats and of halfs, and conversions between them.
//! test: matrix_of_halfs
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix cl_khr_fp16
//! buffer wrong int[1] = 0
//! buffer a half[128] = 0
//! buffer b half[128] = 0
//! buffer out float[64] = 0
//! buffer halves half[64] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void matrix_of_halfs(global int *wrong, global half *a, global half *b, global float *out, global half *halves)
{
    EACH(i, 128)
        a[i] = number(1, i), b[i] = number(2, i);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        MATRIX(half, 8, 16, A) x = coop_mat_load(a, ROWS, 16);
        MATRIX(half, 16, 8, B) y = coop_mat_load(b, ROWS, 8);
        MATRIX(half, 8, 8, ACCUMULATOR) h = coop_mat_init(1.0f);
        c_t r = coop_mat_init(1);
        r = coop_mat_mulAdd(x, y, r, CLK_COOPERATIVE_MATRIX_OPERAND_NONE);
        h = coop_mat_mulAdd(x, y, h);
        r += (c_t)h;
        coop_mat_store(out, r, ROWS, 8);
        coop_mat_store(halves, h, ROWS, 8);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 64) {
        float sum = product_of(i / 8, i % 8) + 1;
        atomic_add(wrong, out[i] != 2 * sum || halves[i] != sum);
    }
}

// The signs are those of the element types; with and without saturation.
//! test: matrix_of_bytes
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! buffer wrong int[1] = 0
//! buffer a uchar[256] = 0
//! buffer b uchar[256] = 0
//! buffer out int[64] = 0
//! buffer sat int[64] = 0
//! buffer uns uint[64] = 0
//! global: 32
//! local: 32
//! expect wrong = 0
kernel void matrix_of_bytes(global int *wrong, global uchar *a, global uchar *b, global int *out, global int *sat, global uint *uns)
{
    EACH(i, 256)
        a[i] = i * 37, b[i] = i * 91 + 5;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        MATRIX(char, 8, 32, A) x = coop_mat_load(a, ROWS, 32);
        MATRIX(char, 32, 8, B) y = coop_mat_load(b, ROWS, 8);
        MATRIX(uchar, 8, 32, A) ux = coop_mat_load(a, ROWS, 32);
        MATRIX(uchar, 32, 8, B) uy = coop_mat_load(b, ROWS, 8);
        MATRIX(uint, 8, 8, ACCUMULATOR) u = coop_mat_init(7);
        i_t most = (i_t)INT_MAX;
        coop_mat_store(out, coop_mat_mulAdd(x, y, most), ROWS, 8);
        coop_mat_store(sat, coop_mat_mulAdd(x, y, most, CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION), ROWS, 8);
        coop_mat_store(uns, coop_mat_mulAdd(ux, uy, u), ROWS, 8);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 64) {
        int sum = 0;
        uint usum = 7;
        for (uint k = 0; k < 32; k++) {
            sum += (char)a[i / 8 * 32 + k] * (char)b[k * 8 + i % 8];
            usum += a[i / 8 * 32 + k] * b[k * 8 + i % 8];
        }
        atomic_add(wrong, out[i] != (int)(INT_MAX + (uint)sum) || sat[i] != add_sat(INT_MAX, sum) || uns[i] != usum);
    }
}

// Names as the extension's, before OpenCL C 2.0 has memory_scope_sub_group; overloads by matrix type.
//! test: matrix_overloads
//! options: -cl-std=CL1.2
//! require: cl_khr_cooperative_matrix
//! buffer out int[2] = 0
//! global: 32
//! local: 32
//! expect out = 1 2
typedef MATRIX(float, 8, 8, A) narrow_t;
int __attribute__((overloadable)) kind(narrow_t x)
{
    return 1 + (x[0] != x[0]);
}
int __attribute__((overloadable)) kind(a_t x)
{
    return 2 + (x[0] != x[0]);
}
kernel void matrix_overloads(global int *out)
{
    narrow_t narrow = coop_mat_init(1);
    a_t wide = coop_mat_init(1);
    out[0] = kind(narrow);
    out[1] = kind(wide);
}

// What a type's use allows: functions' parameters and results, choices, pointers into arrays, volatile, statement expressions, blocks.
//! test: matrix_values
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! buffer p float[64] = 1
//! buffer out float[64] = 0
//! global: 32
//! local: 32
//! expect out = 14*64
c_t __attribute__((noinline)) either(int n, c_t x)
{
    if (n)
        return x;
    return coop_mat_init(n + 3);
}
kernel void matrix_values(global float *p, global float *out)
{
    c_t a[2][2];
    a[0][0] = a[1][1] = coop_mat_load(p, ROWS, 8);
    **a = either(0, a[1][1]);
    *a[1] = either(1, (c_t)2);
    for (int i = 0; i < 2; i++)
        *(*(a + i) + 1) = i ? a[0][0] : a[1][0]; // 3 2, 2 3
    volatile c_t v = a[0][1];
    c_t u = v;
    int z = ({ c_t t = u; t += u; t[0] > 3; });
    a[z][0] += u, a[0][z][0] += 0;
    c_t all[2] = {a[1][0], either(0, u)}; // 4 3
    void (^store)(c_t) = ^(c_t x) { coop_mat_store(out, x + u, ROWS, 8); };
    store(all[0] * all[1]);
}

// A size that NVIDIA's, AMD's and Intel's units multiply.
//! test: matrix_of_units
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix cl_khr_fp16
//! buffer wrong int[1] = 0
//! buffer a half[1024] = 0
//! buffer b half[1024] = 0
//! buffer out float[1024] = 0
//! global: 64
//! local: 64
//! expect wrong = 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef MATRIX(half, 16, 16, A) unit_a;
typedef MATRIX(half, 16, 16, B) unit_b;
typedef MATRIX(float, 16, 16, ACCUMULATOR) unit_c;
static unit_c doubled(unit_c x)
{
    return x * 2;
}
kernel void matrix_of_units(global int *wrong, global half *a, global half *b, global float *out)
{
    local half turned[32 * 40];
    EACH(i, 1024) {
        a[i] = number(1, i), b[i] = number(2, i);
        turned[i % 32 * 40 + i / 32] = b[i];
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        unit_c sums[2][2];
        for (int i = 0; i < 4; i++)
            sums[i / 2][i % 2] = coop_mat_init(0);
        for (int k = 0; k < 32; k += 16) {
            unit_a x[2];
            for (int i = 0; i < 2; i++)
                x[i] = coop_mat_load(a + i * 16 * 32 + k, ROWS, 32);
            for (int j = 0; j < 2; j++) {
                unit_b y = coop_mat_load(turned + j * 16 * 40 + k, COLUMNS, 40);
                for (int i = 0; i < 2; i++)
                    sums[i][j] = coop_mat_mulAdd(x[i], y, sums[i][j]);
            }
        }
        for (int i = 0; i < 4; i++) {
            unit_c sum = doubled(sums[i / 2][i % 2]);
            for (uint e = 0; e < coop_mat_length(sum); e++)
                sum[e] += 1;
            sum -= (unit_c)1;
            coop_mat_store(out + i / 2 * 16 * 32 + i % 2 * 16, -(-sum), ROWS, 32);
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 1024) {
        float sum = 0;
        for (uint k = 0; k < 32; k++)
            sum += (float)a[i / 32 * 32 + k] * b[k * 32 + i % 32];
        atomic_add(wrong, out[i] != 2 * sum);
    }
}

// Elements are codes of bfloat16: the upper halves of these floats. A float is rounded to one.
//! test: matrix_of_bfloat16
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix cl_pumice_small_floats
//! buffer wrong int[1] = 0
//! buffer a ushort[256] = 0
//! buffer b ushort[256] = 0
//! buffer out float[256] = 0
//! buffer rounded ushort[256] = 0
//! global: 64
//! local: 64
//! expect wrong = 0
#define CODES(use) ushort __attribute__((pumice_coop_mat_bfloat16(SCOPE, 16, 16, CLK_COOPERATIVE_MATRIX_##use)))
typedef CODES(A) codes_a;
typedef CODES(B) codes_b;
static codes_a chosen(bool first, codes_a x, codes_a y)
{
    return first ? x : y;
}
kernel void matrix_of_bfloat16(global int *wrong, global ushort *a, global ushort *b, global float *out,
                               global ushort *rounded)
{
    local float fine[256];
    EACH(i, 256) {
        a[i] = as_uint(number(1, i)) >> 16, b[i] = as_uint(number(2, i)) >> 16;
        fine[i] = (number(1, i) + 0.3f) * 1.01f;
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        codes_a x = coop_mat_load(a, ROWS, 16), ones = coop_mat_init(0x3f80);
        codes_b y[2] = {coop_mat_load(b, COLUMNS, 16), coop_mat_init(as_uint(2.0f) >> 16)};
        MATRIX(float, 16, 16, ACCUMULATOR) sum = coop_mat_init(0.5f);
        sum = coop_mat_mulAdd(chosen(b == 0, ones, x), y[0], sum);
        sum = coop_mat_mulAdd(ones, y[1], sum);
        coop_mat_store(out, sum, ROWS, 16);
        MATRIX(float, 16, 16, A) single = coop_mat_load(fine, ROWS, 16);
        coop_mat_store(rounded, (codes_a)single, ROWS, 16);
        MATRIX(ushort, 16, 16, A) whole = (MATRIX(ushort, 16, 16, A))(codes_a)(MATRIX(short, 16, 16, A))3;
        atomic_add(wrong, whole[0] != 3);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 256) {
        float sum = 32.5f;
        for (uint k = 0; k < 16; k++)
            sum += number(1, i / 16 * 16 + k) * number(2, i % 16 * 16 + k);
        atomic_add(wrong, out[i] != sum);
        atomic_add(wrong, rounded[i] != pumice_convert_to_bfloat16(fine[i]));
    }
}

// Elements are codes of floats of 8 bits, whose products are exact. What is between two of them is rounded.
//! test: matrix_of_float8
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix cl_pumice_small_floats
//! buffer wrong int[1] = 0
//! buffer a uchar[512] = 0
//! buffer b uchar[512] = 0
//! buffer out float[512] = 0
//! buffer rounded uchar[1024] = 0
//! global: 64
//! local: 64
//! expect wrong = 0
#define E4M3(rows, columns, use) uchar __attribute__((pumice_coop_mat_e4m3(SCOPE, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define E5M2(rows, columns, use) uchar __attribute__((pumice_coop_mat_e5m2(SCOPE, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
kernel void matrix_of_float8(global int *wrong, global uchar *a, global uchar *b, global float *out, global uchar *rounded)
{
    local float fine[256], scales[256];
    EACH(i, 512) {
        a[i] = pumice_convert_to_e4m3(number(1, i)), b[i] = pumice_convert_to_e4m3(number(2, i) * 0.5f);
        fine[i % 256] = (number(1, i % 256) + 0.3f) * 1.01f, scales[i % 256] = number(2, i % 256);
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        E4M3(16, 32, A) x = coop_mat_load(a, ROWS, 32);
        E4M3(32, 16, B) y = coop_mat_load(b, COLUMNS, 32);
        MATRIX(float, 16, 16, ACCUMULATOR) sum = coop_mat_init(0.5f);
        coop_mat_store(out, coop_mat_mulAdd(x, y, sum), ROWS, 16);
        MATRIX(float, 16, 16, A) single = coop_mat_load(fine, ROWS, 16);
        E5M2(16, 16, A) z = (E5M2(16, 16, A))single, twos = coop_mat_init(0x40);
        E5M2(16, 16, B) scale = (E5M2(16, 16, B))(MATRIX(float, 16, 16, B))coop_mat_load(scales, ROWS, 16);
        coop_mat_store(rounded, (E4M3(16, 16, A))single, ROWS, 16);
        coop_mat_store(rounded + 256, z, ROWS, 16);
        coop_mat_store(rounded + 512, (E4M3(16, 16, A))z, ROWS, 16);
        coop_mat_store(rounded + 768, (MATRIX(char, 16, 16, A))twos, ROWS, 16);
        coop_mat_store(out + 256, coop_mat_mulAdd(twos, scale, sum), ROWS, 16);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    EACH(i, 256) {
        float sum = 0.5f, other = 0.5f;
        for (uint k = 0; k < 32; k++)
            sum += number(1, i / 16 * 32 + k) * number(2, i % 16 * 32 + k) * 0.5f;
        for (uint k = 0; k < 16; k++)
            other += 2 * pumice_convert_e5m2_to_float(pumice_convert_to_e5m2(number(2, k * 16 + i % 16)));
        uchar e5m2 = pumice_convert_to_e5m2(fine[i]);
        atomic_add(wrong, out[i] != sum || out[256 + i] != other);
        atomic_add(wrong, rounded[i] != pumice_convert_to_e4m3(fine[i]) || rounded[256 + i] != e5m2);
        atomic_add(wrong, rounded[512 + i] != pumice_convert_to_e4m3(pumice_convert_e5m2_to_float(e5m2)));
        atomic_add(wrong, rounded[768 + i] != 2);
    }
}

// A size that no device has: what there is is named.
//! test: matrix_of_no_size
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! build: fails "a cooperative matrix of 5 rows and 7 columns of f32 for use 0, which the device does not offer"
kernel void matrix_of_no_size(global float *out)
{
    MATRIX(float, 5, 7, A) x = coop_mat_load(out, ROWS, 7);
    coop_mat_store(out, x, ROWS, 7);
}

// It has no element but a constant's, and numbers of another type are not what is named.
//! test: constant_matrix_of_no_size
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! build: fails "use 2, which the device does not offer in sub-groups of"
kernel void constant_matrix_of_no_size(global float *out)
{
    MATRIX(float, 5, 7, ACCUMULATOR) x = coop_mat_init(1.0f);
    coop_mat_store(out, x, ROWS, 7);
}

//! test: matrix_array_by_index
//! options: -cl-std=CL3.0
//! require: cl_khr_cooperative_matrix
//! require: cl_khr_fp16
//! buffer out float[64] = 0
//! value n int = 7
//! value which int = 3
//! global: 64
//! local: 64
//! expect out = 195.5
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef MATRIX(half, 8, 8, A) ah_t;
typedef MATRIX(half, 8, 8, B) bh_t;

kernel void matrix_array_by_index(global float *out, int n, int which)
{
    c_t sums[5];
    for (int i = 0; i < 5; i++)
        sums[i] = coop_mat_init((float)i);
    ah_t a = coop_mat_init((half)2);
    bh_t b = coop_mat_init((half)3);
    for (int i = 0; i < n; i++)
        sums[i * which % 5] = coop_mat_mulAdd(a, b, sums[(i + which) % 5]);
    for (int i = 0; i < coop_mat_length(sums[0]); i++)
        sums[which % 5][i] += 0.5f;
    coop_mat_store(out, sums[which], ROWS, 8);
}
#endif
