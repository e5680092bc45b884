/* The built-ins that library bodies call, for the host: the names are those that clang mangles OpenCL's overloads to.
 * The native ones are as bad as Vulkan allows hardware to be. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

bool host_natives_are_good; /* as bodies for fast devices count on (CLC_PROBE_FAST_BODIES) */

#define ALIAS(result, name, mangled, ...)                                                                              \
    result name(__VA_ARGS__) __asm__(mangled);                                                                         \
    result name(__VA_ARGS__)

ALIAS(float, host_fabsf, "_Z4fabsf", float x)
{
    return fabsf(x);
}
ALIAS(double, host_fabs, "_Z4fabsd", double x)
{
    return fabs(x);
}
ALIAS(float, host_rintf, "_Z4rintf", float x)
{
    return rintf(x);
}
ALIAS(double, host_rint, "_Z4rintd", double x)
{
    return rint(x);
}
ALIAS(float, host_truncf, "_Z5truncf", float x)
{
    return truncf(x);
}
ALIAS(double, host_trunc, "_Z5truncd", double x)
{
    return trunc(x);
}
ALIAS(float, host_floorf, "_Z5floorf", float x)
{
    return floorf(x);
}
ALIAS(double, host_floor, "_Z5floord", double x)
{
    return floor(x);
}
ALIAS(float, host_ceilf, "_Z4ceilf", float x)
{
    return ceilf(x);
}
ALIAS(double, host_ceil, "_Z4ceild", double x)
{
    return ceil(x);
}
ALIAS(float, host_copysignf, "_Z8copysignff", float x, float y)
{
    return copysignf(x, y);
}
ALIAS(double, host_copysign, "_Z8copysigndd", double x, double y)
{
    return copysign(x, y);
}
ALIAS(int, host_isnanf, "_Z5isnanf", float x)
{
    return isnan(x);
}
ALIAS(int, host_isnan, "_Z5isnand", double x)
{
    return isnan(x);
}
ALIAS(int, host_isinff, "_Z5isinff", float x)
{
    return isinf(x) != 0;
}
ALIAS(int, host_isinf, "_Z5isinfd", double x)
{
    return isinf(x) != 0;
}
ALIAS(int, host_isfinitef, "_Z8isfinitef", float x)
{
    return isfinite(x);
}
ALIAS(int, host_isfinite, "_Z8isfinited", double x)
{
    return isfinite(x);
}
ALIAS(int, host_signbitf, "_Z7signbitf", float x)
{
    return signbit(x) != 0;
}
ALIAS(int, host_signbit, "_Z7signbitd", double x)
{
    return signbit(x) != 0;
}
ALIAS(uint32_t, host_clz32, "_Z3clzj", uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}
ALIAS(uint64_t, host_clz64, "_Z3clzm", uint64_t x)
{
    return x ? (uint64_t)__builtin_clzll(x) : 64;
}
ALIAS(int, host_clampi, "_Z5clampiii", int x, int a, int b)
{
    return x < a ? a : x > b ? b : x;
}
ALIAS(int64_t, host_clampl, "_Z5clamplll", int64_t x, int64_t a, int64_t b)
{
    return x < a ? a : x > b ? b : x;
}
ALIAS(int, host_mini, "_Z3minii", int a, int b)
{
    return a < b ? a : b;
}
ALIAS(int, host_maxi, "_Z3maxii", int a, int b)
{
    return a > b ? a : b;
}
ALIAS(uint32_t, host_minu, "_Z3minjj", uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
ALIAS(uint32_t, host_maxu, "_Z3maxjj", uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}
ALIAS(uint32_t, host_absi, "_Z3absi", int a)
{
    return a < 0 ? 0u - (uint32_t)a : (uint32_t)a;
}
ALIAS(uint32_t, host_mul_hiu, "_Z6mul_hijj", uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}
ALIAS(uint64_t, host_mul_hil, "_Z6mul_himm", uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}
ALIAS(uint64_t, host_minul, "_Z3minmm", uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
ALIAS(uint64_t, host_maxul, "_Z3maxmm", uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
ALIAS(float, host_fmaxf, "_Z4fmaxff", float a, float b)
{
    return fmaxf(a, b);
}
ALIAS(float, host_fminf, "_Z4fminff", float a, float b)
{
    return fminf(a, b);
}
ALIAS(double, host_fmax, "_Z4fmaxdd", double a, double b)
{
    return fmax(a, b);
}
ALIAS(double, host_fmin, "_Z4fmindd", double a, double b)
{
    return fmin(a, b);
}
ALIAS(double, host_sqrt, "_Z4sqrtd", double a)
{
    return sqrt(a);
}
ALIAS(float, host_native_sqrtf, "_Z11native_sqrtf", float a)
{
    return (float)(sqrt((double)a) * (host_natives_are_good ? 1.00000003 : 1.0000002)); /* 1 ulp or 3 */
}
ALIAS(float, host_native_rsqrtf, "_Z12native_rsqrtf", float a)
{
    return 1.0f / sqrtf(a) * 0.9999998f;
}
ALIAS(float, host_native_dividef, "_Z13native_divideff", float a, float b)
{
    return a * (1.0f / b);
}
ALIAS(float, host_native_recipf, "_Z12native_recipf", float a)
{
    return (float)(1.0 / (double)a * 0.99999997); /* 1 ulp */
}
ALIAS(float, host_native_exp2f, "_Z11native_exp2f", float a)
{
    return (float)(exp2((double)a) * 1.0000001); /* 2.2 ulp */
}
ALIAS(float, host_native_log2f, "_Z11native_log2f", float a)
{
    return log2f(a) + 2e-7f;
}
ALIAS(float, host_fmaf, "_Z3fmafff", float a, float b, float c)
{
    return fmaf(a, b, c);
}
ALIAS(float, host_clampf, "_Z5clampfff", float x, float a, float b)
{
    return x < a ? a : x > b ? b : x;
}
ALIAS(double, host_fma, "_Z3fmaddd", double a, double b, double c)
{
    return fma(a, b, c);
}
