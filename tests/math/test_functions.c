/* Errors of the math bodies in units in the last place, against the C library's doubles (for half and float) and MPFR
 * (for double).
 *
 * usage: test_functions [-n SAMPLES] [-a] [NAME...]       -a: every float there is (hours); without names: all
 * functions
 *
 * Bodies run twice: with subnormals kept, and flushed as some hardware does (OpenCL C 3.0, 7.5.3 says what may then
 * come out). */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

extern bool host_natives_are_good;

/* Wrappers only move bits: no conversion may flush an argument. */
enum { BODY_F32, BODY_F64, BODY_FAST, BODY_FAST64, NUM_BODIES };

struct bodies {
    void (*run[NUM_BODIES])(const union value *args, union value *result);
    bool (*has)(int body);
};

#define WRAP(name, arguments_f32, arguments_f64)                                                                       \
    static bool has_##name(int body)                                                                                   \
    {                                                                                                                  \
        return body == BODY_FAST     ? __pumice_##name##_fast_f32 != NULL                                              \
               : body == BODY_FAST64 ? __pumice_##name##_fast_f64 != NULL                                              \
                                     : true;                                                                           \
    }                                                                                                                  \
    static void name##_fast(const union value *a, union value *r)                                                      \
    {                                                                                                                  \
        r->f = __pumice_##name##_fast_f32 arguments_f32;                                                               \
    }                                                                                                                  \
    static void name##_32(const union value *a, union value *r)                                                        \
    {                                                                                                                  \
        r->f = __pumice_##name##_f32 arguments_f32;                                                                    \
    }                                                                                                                  \
    static void name##_64(const union value *a, union value *r)                                                        \
    {                                                                                                                  \
        r->d = __pumice_##name##_f64 arguments_f64;                                                                    \
    }                                                                                                                  \
    static void name##_fast64(const union value *a, union value *r)                                                    \
    {                                                                                                                  \
        r->d = __pumice_##name##_fast_f64 arguments_f64;                                                               \
    }
#define UNARY(name, ...)                                                                                               \
    float __pumice_##name##_f32(float);                                                                                \
    __attribute__((weak)) float __pumice_##name##_fast_f32(float);                                                     \
    double __pumice_##name##_f64(double);                                                                              \
    __attribute__((weak)) double __pumice_##name##_fast_f64(double);                                                   \
    WRAP(name, (a[0].f), (a[0].d))
#define BINARY(name, ...)                                                                                              \
    float __pumice_##name##_f32(float, float);                                                                         \
    __attribute__((weak)) float __pumice_##name##_fast_f32(float, float);                                              \
    double __pumice_##name##_f64(double, double);                                                                      \
    __attribute__((weak)) double __pumice_##name##_fast_f64(double, double);                                           \
    WRAP(name, (a[0].f, a[1].f), (a[0].d, a[1].d))
#define POWER(name, ...)                                                                                               \
    float __pumice_##name##_f32(float, int);                                                                           \
    __attribute__((weak)) float __pumice_##name##_fast_f32(float, int);                                                \
    double __pumice_##name##_f64(double, int);                                                                         \
    __attribute__((weak)) double __pumice_##name##_fast_f64(double, int);                                              \
    WRAP(name, (a[0].f, a[1].i), (a[0].d, a[1].i))
#include "functions.h"
#undef UNARY
#undef BINARY
#undef POWER

#define UNARY(name, ...)  {{name##_32, name##_64, name##_fast, name##_fast64}, has_##name},
#define BINARY(name, ...) {{name##_32, name##_64, name##_fast, name##_fast64}, has_##name},
#define POWER(name, ...)  {{name##_32, name##_64, name##_fast, name##_fast64}, has_##name},
static const struct bodies bodies[] = {
/* in the order of functions[] */
#include "functions.h"
};

static void set_flushing(bool flush)
{
#if defined(__x86_64__)
    _mm_setcsr(flush ? 0x9fc0 : 0x1f80); /* flush to zero, denormals are zero */
#else
    (void)flush;
#endif
}

static void try_arguments(struct judge *judge, int body, const union value *args)
{
    bool wide = judge->format->digits == 53, binary = judge->function->shape == SHAPE_BINARY;
    union value result = {0};
    host_natives_are_good = body == BODY_FAST || body == BODY_FAST64;
    set_flushing(judge->flush);
    bodies[judge->function - functions].run[body](args, &result);
    set_flushing(false);
    if (wide)
        judge_result(judge, args[0].d, binary ? args[1].d : 0.0, args[1].i, result.d);
    else
        judge_result(judge, args[0].f, binary ? args[1].f : 0.0f, args[1].i, result.f);
}

static void run_samples(struct judge *judge, int body, uint32_t count)
{
    bool wide = judge->format->digits == 53;
    struct samples s = {1, judge->format->digits, judge->function->limits[wide]};
    for (uint32_t i = 0; i < count; i++) {
        union value args[2];
        sample_arguments(&s, judge->function, i, count, args);
        try_arguments(judge, body, args);
    }
}

/* A half function is the float function, rounded once more, but for those with bodies of their own (test_exact.c). */
static void run_halfs(struct judge *judge, uint32_t step)
{
#ifdef __FLT16_MAX__
    struct samples s = {1, 24, 1.0};
    bool binary = judge->function->shape == SHAPE_BINARY;
    for (uint32_t i = 0; i < (judge->function->shape == SHAPE_UNARY ? 0x10000 : 0x30000); i += step) {
        uint16_t bits[2] = {(uint16_t)i, (uint16_t)samples_random(&s)};
        _Float16 h[2];
        memcpy(h, bits, sizeof(h));
        union value args[2] = {{.f = (float)h[0]}, {.f = (float)h[1]}}, result;
        if (judge->function->shape == SHAPE_POWER)
            args[1].i = samples_integer(&s, i);
        bodies[judge->function - functions].run[BODY_F32](args, &result);
        judge_result(judge, args[0].f, binary ? args[1].f : 0.0f, args[1].i, (float)(_Float16)result.f);
    }
#else
    (void)judge;
    (void)step;
#endif
}

static void run_all_floats(struct judge *judge, int body)
{
    for (uint64_t i = 0; i < 0x100000000ull; i++)
        try_arguments(judge, body, (union value[2]){{.bits = i}, {0}});
}

enum way {
    WAY_HALF,
    WAY_FLOAT,
    WAY_FLOAT_FLUSHED,
    WAY_FAST,
    WAY_FAST_FLUSHED,
    WAY_DOUBLE,
    WAY_DOUBLE_FLUSHED,
    WAY_DOUBLE_FAST,
    NUM_WAYS
};

static bool test_function(const struct function *function, uint32_t count, bool all)
{
    static const struct {
        const char *name;
        int format, body;
        bool flush;
    } ways[NUM_WAYS] = {{"half", FORMAT_HALF, BODY_F32, false},
                        {"float", FORMAT_FLOAT, BODY_F32, false},
                        {"float, flushed", FORMAT_FLOAT, BODY_F32, true},
                        {"float, fast", FORMAT_FLOAT, BODY_FAST, false},
                        {"float, fast, flushed", FORMAT_FLOAT, BODY_FAST, true},
                        {"double", FORMAT_DOUBLE, BODY_F64, false},
                        {"double, flushed", FORMAT_DOUBLE, BODY_F64, true},
                        {"double, fast", FORMAT_DOUBLE, BODY_FAST64, false}};
    const uint32_t counts[NUM_WAYS] = {0, 10 * count, 10 * count, 10 * count, 10 * count, count, count / 2, count};
    bool good = true;
    char details[2048] = "";
    printf("%-8s", function->name);
    for (int way = 0; way < NUM_WAYS; way++) {
        struct judge judge;
        if (!bodies[function - functions].has(ways[way].body)) {
            printf(" %10s ", "-");
            continue;
        }
        judge_init(&judge, function, &formats[ways[way].format], ways[way].flush);
        if (way == WAY_HALF)
            run_halfs(&judge, all ? 1 : 3);
        else if ((way == WAY_FLOAT || way == WAY_FAST) && all && function->shape == SHAPE_UNARY)
            run_all_floats(&judge, ways[way].body);
        else
            run_samples(&judge, ways[way].body, counts[way]);
        bool over = judge_is_over(&judge);
        printf(" %10.4g%s", judge.worst, over ? "!" : " ");
        if (over)
            judge_explain(&judge, ways[way].name, details + strlen(details), sizeof(details) - strlen(details));
        good &= !over;
        judge_finish(&judge);
    }
    printf("\n%s", details);
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    uint32_t count = 25000;
    bool all = false, good = true;
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (!strcmp(argv[first], "-a"))
            all = true;
        else if (!strcmp(argv[first], "-n") && first + 1 < argc)
            count = (uint32_t)strtoul(argv[++first], NULL, 10);
    }
    printf("worst errors in ulp\n         half        float       flushed     fast        flushed     double      "
           "flushed     fast\n");
    for (size_t i = 0; i < num_functions; i++) {
        bool wanted = first == argc;
        for (int k = first; k < argc; k++)
            wanted |= !strcmp(argv[k], functions[i].name);
        if (wanted)
            good &= test_function(&functions[i], count, all);
    }
    mpfr_free_cache();
    return good ? 0 : 1;
}
