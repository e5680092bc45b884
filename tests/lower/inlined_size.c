/* How large kernels with many calls become where the driver inlines all of them: the instructions of the kernel and,
 * for each call, those of the function. Without loops that calls share (lower/calls/share.c) these kernels take
 * lavapipe minutes, as they do where reports of checks are written out at each access. Compared are numbers of
 * instructions, and no times. */
#include "compiler/clc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

enum { TEXT = 1 << 18 };

static int failures;

struct text {
    char *data;
    size_t length;
};

static void add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text->length += (size_t)vsnprintf(text->data + text->length, TEXT - text->length, format, args);
    va_end(args);
}

/* ---- the kernels ---- */

static void many_fma(struct text *text)
{
    add(text, "kernel void k(global double *a) { double t0 = a[0];\n");
    for (int i = 1; i < 1000; i++)
        add(text, "double t%d = fma(t%d, a[%d], t%d);\n", i, i - 1, i & 63, i > 20 ? i - 20 : 0);
    add(text, "a[0] = t999; }\n");
}

static void functions_of_double16(struct text *text)
{
    static const char *const names[] = {"sin",  "cos", "tan",  "sinh",   "cosh",   "tanh",  "asin",  "acos",  "atan",
                                        "exp",  "log", "exp2", "log2",   "exp10",  "log10", "sinpi", "cospi", "tanpi",
                                        "cbrt", "erf", "erfc", "tgamma", "lgamma", "expm1", "log1p", "asinh", "atanh"};
    add(text, "kernel void k(global double16 *a) { double16 x = *a, y = 0;\n");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        add(text, "y += %s(x);\n", names[i]);
    add(text, "*a = y; }\n");
}

/* Four storeys of calls, of which each calls the one below several times; structures go in and out. */
static void tower_of_fields(struct text *text)
{
    add(text,
        "typedef struct { uint v[12]; } fp; typedef struct { fp a, b; } fp2; typedef struct { fp2 a, b; } fp4;\n"
        "fp add(fp x, fp y) { ulong c = 0; fp r; for (int i = 0; i < 12; i++) { c += (ulong)x.v[i] + y.v[i]; "
        "r.v[i] = (uint)c; c >>= 32; } return r; }\n"
        "fp mul(fp x, fp y) { uint t[24] = {0}; for (int i = 0; i < 12; i++) { ulong c = 0; for (int j = 0; j < "
        "12; j++) { c += (ulong)x.v[j] * y.v[i] + t[i + j]; t[i + j] = (uint)c; c >>= 32; } t[i + 12] = c; } fp "
        "r; for (int i = 0; i < 12; i++) r.v[i] = t[i + 12]; return r; }\n"
        "fp2 mul2(fp2 x, fp2 y) { fp a = mul(x.a, y.a), b = mul(x.b, y.b), c = mul(add(x.a, x.b), add(y.a, "
        "y.b)); fp2 r = {add(a, b), add(c, a)}; return r; }\n"
        "fp2 add2(fp2 x, fp2 y) { fp2 r = {add(x.a, y.a), add(x.b, y.b)}; return r; }\n"
        "fp4 mul4(fp4 x, fp4 y) { fp2 a = mul2(x.a, y.a), b = mul2(x.b, y.b), c = mul2(add2(x.a, x.b), add2(y.a, "
        "y.b)); fp4 r = {add2(a, b), add2(c, a)}; return r; }\n"
        "typedef struct { fp4 a, b; } fp8;\n"
        "fp4 add4(fp4 x, fp4 y) { fp4 r = {add2(x.a, y.a), add2(x.b, y.b)}; return r; }\n"
        "fp8 mul8(fp8 x, fp8 y) { fp4 a = mul4(x.a, y.a), b = mul4(x.b, y.b), c = mul4(add4(x.a, x.b), add4(y.a, "
        "y.b)); fp8 r = {add4(a, b), add4(c, a)}; return r; }\n"
        "kernel void k(global fp8 *x) { fp8 a = x[0], b = mul8(a, a), c = mul8(b, a), d = mul8(c, c); d = mul8(d, "
        "b); d = mul8(d, d); x[0] = mul8(d, a); }\n");
}

/* Subtractions with an if stand between the calls. */
static void field_with_borrows(struct text *text)
{
    add(text,
        "typedef struct { uint v[12]; } fp;\n"
        "fp sub(fp x, fp y) { long b = 0; fp r; for (int i = 0; i < 12; i++) { b += (long)x.v[i] - (long)y.v[i]; "
        "r.v[i] = (uint)b; b >>= 32; } if (b < 0) { ulong c = 0; for (int i = 0; i < 12; i++) { c += (ulong)r.v[i] + "
        "77 * i; r.v[i] = (uint)c; c >>= 32; } } return r; }\n"
        "fp __attribute__((noinline)) mul(fp x, fp y) { uint t[24] = {0}; for (int i = 0; i < 12; i++) { ulong c = 0; "
        "for (int j = 0; j < 12; j++) { c += (ulong)x.v[j] * y.v[i] + t[i + j]; t[i + j] = (uint)c; c >>= 32; } "
        "t[i + 12] = c; } fp r; for (int i = 0; i < 12; i++) r.v[i] = t[i + 12]; return r; }\n"
        "kernel void k(global fp *x) { fp a = x[0], b = x[1];\n");
    for (int i = 0; i < 16; i++)
        add(text, "a = sub(mul(a, b), b); b = sub(b, a);\n");
    add(text, "x[0] = a; }\n");
}

/* One choice among four, made a thousand times: hashcat's hc_bytealign_be_S() in its switches over an offset. */
static void bytes_moved(struct text *text)
{
    add(text,
        "uint align(uint a, uint b, uint c) { uint r = 0; c &= 3; if (c == 0) r = b; else if (c == 1) r = (a << 24) "
        "| (b >> 8); else if (c == 2) r = (a << 16) | (b >> 16); else if (c == 3) r = (a << 8) | (b >> 24); "
        "return r; }\n"
        "kernel void k(global uint *a, uint c) { uint v[33]; for (int i = 0; i < 33; i++) v[i] = a[i];\n"
        "switch (c / 4) {\n");
    for (int words = 0; words < 32; words++) {
        add(text, "case %d:\n", words);
        for (int i = 32; i >= 0; i--)
            add(text, i > words ? "v[%d] = align(v[%d], v[%d], c);\n" : "v[%d] = 0;\n", i, i - words - 1, i - words);
        add(text, "break;\n");
    }
    add(text, "} for (int i = 0; i < 33; i++) a[i] = v[i]; }\n");
}

/* More early exits and conditions in one another than drivers take: all of it is flattened. */
static void early_exits(struct text *text)
{
    add(text, "kernel void k(global uint *a) { uint v0 = a[0], v1 = a[1], v2 = a[2], v3 = a[3], v4 = a[4], v5 = a[5];\n"
              "for (uint i = 0; i < a[9]; i++) {\n");
    for (int i = 0; i < 150; i++)
        add(text,
            "if (v%d & %du) { v%d = v%d * 3 + 1; if (v%d > %du) { v%d ^= i; if (v%d == i) break; } } else { v%d += "
            "v%d; "
            "if (v%d == %du) continue; v%d ^= %d; }\n",
            i % 6, i + 1, (i + 1) % 6, i % 5, (i + 2) % 6, i * 77, (i + 3) % 6, i % 4, (i + 4) % 6, i % 3, (i + 1) % 6,
            i, (i + 5) % 6, i);
    add(text, "} a[0] = v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5; }\n");
}

/* Accesses that are checked, a read and a write of each of many blocks. */
static void leaves_of_a_round(struct text *text)
{
    add(text, "kernel void k(global const int *in, global int *out) { int s = in[0];\nfor (int k = 0; k < s; k++) {\n");
    for (int i = 0; i < 150; i++)
        add(text, "if (s == %d) { out[s] += %d; continue; }\n", i, i * 2 + 7);
    add(text, "out[s] += 1; } }\n");
}

/* The same in one block. */
static void reads_in_a_row(struct text *text)
{
    add(text, "kernel void k(global const int *in, global int *out) { int s = in[0];\nout[s] = 0");
    for (int i = 0; i < 200; i++)
        add(text, "+ in[s * %d]", i + 3);
    add(text, "; }\n");
}

/* Accesses of which each has an end of the kernel behind it. */
static void many_ends(struct text *text)
{
    add(text, "kernel void k(global const int *in, global int *out) { int s = in[0];\n");
    for (int i = 0; i < 150; i++)
        add(text, "if (s == %d) { out[s] = %d; return; }\n", i, i * 2 + 7);
    add(text, "out[s] = 1; }\n");
}

/* Private variables that are set in front of a loop and in one arm of a branch in it. */
static void sums_of_some(struct text *text)
{
    add(text, "kernel void k(global int *a) { int bad = 0, sum, n = a[0], i = a[1];\n");
    for (int i = 0; i < 50; i++)
        add(text,
            "sum = 0; for (int j = 0, begun = 0; j < n; j++) if (j %s i) { sum = begun ? sum + j * %d : j; begun = 1; "
            "}\n"
            "bad += sum != a[%d];\n",
            i & 1 ? "<" : ">", i + 3, i);
    add(text, "a[0] = bad; }\n");
}

/* Loops that end after a constant number of rounds. */
static void loops_of_constants(struct text *text)
{
    add(text, "kernel void k(global int *a) { int bad = 0, n = a[0];\n");
    for (int i = 0; i < 100; i++)
        add(text, "for (int j = %d; j %s; j %s %d) bad += a[%d * n + j];\n", i & 1 ? 0 : 40, i & 1 ? "< 12" : "> 3",
            i & 1 ? "+=" : "-=", i % 3 + 1, i + 1);
    add(text, "a[0] = bad; }\n");
}

/* ---- measuring ---- */

struct function {
    uint32_t id;
    uint64_t size;
};

static const struct function *find(const struct function *functions, uint32_t count, uint32_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (functions[i].id == id)
            return &functions[i];
    }
    return NULL;
}

/* One round of sizes by those of the round before; whether any changed. */
static int sum_up(const struct clc_lowered *lowered, struct function *functions, uint32_t count)
{
    int changed = 0;
    uint32_t at = 0;
    uint64_t size = 0;
    for (size_t i = 5; i < lowered->num_words; i += lowered->words[i] >> 16) {
        uint32_t op = lowered->words[i] & 0xffff;
        if (op == SpvOpFunction)
            size = 0;
        if (op == SpvOpFunctionEnd) {
            changed |= functions[at].size != size;
            functions[at++].size = size;
        }
        size += 1 + (op == SpvOpFunctionCall ? find(functions, count, lowered->words[i + 3])->size : 0);
    }
    return changed;
}

static uint64_t inlined_size(const struct clc_lowered *lowered)
{
    struct function functions[256] = {{0, 0}};
    uint32_t count = 0;
    uint64_t most = 0;
    for (size_t i = 5; i < lowered->num_words; i += lowered->words[i] >> 16) {
        if ((lowered->words[i] & 0xffff) == SpvOpFunction && count < 256)
            functions[count++].id = lowered->words[i + 2];
    }
    while (sum_up(lowered, functions, count)) {
    }
    for (uint32_t i = 0; i < count; i++)
        most = functions[i].size > most ? functions[i].size : most;
    return most;
}

static uint64_t size_on(const struct clc_target *target, const char *source)
{
    struct clc_compile_args args = {.strings = &source, .num_strings = 1, .options = "", .target = target};
    const struct clc_lower_options options = {.target = target};
    struct clc_program *program = NULL;
    struct clc_lowered *lowered = NULL;
    char *log = NULL, *message = NULL;
    if (clc_compile(&args, &program, &log) != CLC_SUCCESS ||
        clc_lower(program, "k", &options, &lowered, &message) != CLC_SUCCESS) {
        fprintf(stderr, "%s%s\n", log ? log : "", message ? message : "");
        exit(1);
    }
    uint64_t size = inlined_size(lowered);
    clc_lowered_destroy(lowered);
    clc_program_release(program);
    free(log);
    free(message);
    return size;
}

static void check(const char *name, void (*write)(struct text *text), uint64_t most, uint64_t least_without)
{
    struct text text = {calloc(TEXT, 1), 0};
    struct clc_target target;
    write(&text);
    clc_target_default(&target);
    uint64_t size = size_on(&target, text.data);
    target.inlines_calls = false; /* calls stay what they were */
    uint64_t without = size_on(&target, text.data);
    printf("%-24s %8llu instructions, %8llu without shared calls\n", name, (unsigned long long)size,
           (unsigned long long)without);
    if (size > most || without < least_without) {
        fprintf(stderr, "%s: more than %llu, or less than %llu without shared calls\n", name, (unsigned long long)most,
                (unsigned long long)least_without);
        failures++;
    }
    free(text.data);
}

static void compare(const char *name, uint64_t size, uint64_t most)
{
    printf("%-24s %8llu instructions\n", name, (unsigned long long)size);
    if (size > most) {
        fprintf(stderr, "%s: more than %llu\n", name, (unsigned long long)most);
        failures++;
    }
}

/* Where values of code that is flattened are not copied from variable to variable at each place where paths meet. */
static void check_flat(const char *name, void (*write)(struct text *text), uint64_t most)
{
    struct text text = {calloc(TEXT, 1), 0};
    struct clc_target target;
    write(&text);
    clc_target_default(&target);
    target.max_nesting = 80;
    uint64_t size = size_on(&target, text.data);
    compare(name, size, most);
    free(text.data);
}

/* Where reports of accesses are not written out at each of them. */
static void check_checked(const char *name, void (*write)(struct text *text), uint32_t checks, uint64_t most)
{
    struct text text = {calloc(TEXT, 1), 0};
    struct clc_target target;
    write(&text);
    clc_target_default(&target);
    target.checks = checks;
    uint64_t size = size_on(&target, text.data);
    compare(name, size, most);
    free(text.data);
}

int main(void)
{
    check("1000 fma of double", many_fma, 30000, 100000);
    check("functions of double16", functions_of_double16, 40000, 200000);
    check("a tower of fields", tower_of_fields, 30000, 100000);
    check("a field with borrows", field_with_borrows, 10000, 18000);
    check_flat("early exits", early_exits, 25000);
    check_flat("bytes moved", bytes_moved, 15000);
    check_checked("leaves of a round", leaves_of_a_round, CLC_CHECK_BOUNDS, 50000);
    check_checked("reads in a row", reads_in_a_row, CLC_CHECK_BOUNDS, 10000);
    check_checked("many ends", many_ends, CLC_CHECK_RACES, 10000);
    check_checked("loops of constants", loops_of_constants, CLC_CHECK_LOOPS, 17000);
    check_checked("sums of some", sums_of_some, CLC_CHECK_INIT, 15000);
    return failures != 0;
}
