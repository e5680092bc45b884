// The preprocessor and predefined macros. C99 6.10; OpenCL C 3.0, 6.12.

//! test: function_macros
//! buffer out int[5] = 0
//! expect out = 7 12 34 5 3
#define ADD(a, b) ((a) + (b))
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define TWELVE 12
#define COUNT(...) COUNT_(__VA_ARGS__, 3, 2, 1)
#define COUNT_(a, b, c, n, ...) n
kernel void function_macros(global int *out)
{
    out[0] = ADD(3, ADD(2, 2));
    out[1] = XCAT(TWEL, VE);
    out[2] = CAT(3, 4);
    out[3] = ADD(1, 4);
    out[4] = COUNT(x, y, z);
}

//! test: conditionals
//! options: -DMODE=2 -D FLAG
//! buffer out int[3] = 0
//! expect out = 2 1 5
kernel void conditionals(global int *out)
{
#if MODE == 1
    out[0] = 1;
#elif MODE == 2 && defined(FLAG)
    out[0] = 2;
#else
#error never
#endif
    out[1] = FLAG;
#ifndef MODE
    out[2] = 4;
#else
    out[2] = 5;
#endif
}

//! test: stringify
//! buffer out char[8] = 0
//! expect out = 97 32 43 32 49 0 0 0
#define TEXT(x) #x
kernel void stringify(global char *out)
{
    constant char *p = TEXT(a  +   1);
    for (int i = 0; p[i]; i++)
        out[i] = p[i];
}

//! test: predefined
//! buffer out int[4] = 0
//! expect out = 1 1 1 1
kernel void predefined(global int *out)
{
    out[0] = __OPENCL_VERSION__ >= 120;
    out[1] = __OPENCL_C_VERSION__ == 120 || __OPENCL_C_VERSION__ == 110 || __OPENCL_C_VERSION__ >= 200;
    out[2] = __ENDIAN_LITTLE__;
    out[3] = CL_VERSION_1_2 == 120 && __LINE__ > 10;
}

//! test: version_macro
//! require: >=3.0
//! options: -cl-std=CL3.0
//! buffer out int[1] = 0
//! expect out = 300
kernel void version_macro(global int *out)
{
    *out = __OPENCL_C_VERSION__;
}

//! test: limits
//! buffer out long[8] = 0
//! expect out = 8 127 -32768 2147483647 4294967295 -9223372036854775808 255 65535
kernel void limits(global long *out)
{
    out[0] = CHAR_BIT;
    out[1] = CHAR_MAX;
    out[2] = SHRT_MIN;
    out[3] = INT_MAX;
    out[4] = UINT_MAX;
    out[5] = LONG_MIN;
    out[6] = UCHAR_MAX;
    out[7] = USHRT_MAX;
}

//! test: float_constants
//! buffer out float[6] = 0
//! expect out = 0x1.fffffep+127 0x1p-126 0x1p-23 inf nan 0x1.921fb6p+1
kernel void float_constants(global float *out)
{
    out[0] = FLT_MAX;
    out[1] = FLT_MIN;
    out[2] = FLT_EPSILON;
    out[3] = INFINITY;
    out[4] = NAN;
    out[5] = M_PI_F;
}

//! test: fast_relaxed_math_macro
//! options: -cl-fast-relaxed-math
//! buffer out int[1] = 0
//! expect out = 1
kernel void fast_relaxed_math_macro(global int *out)
{
#ifdef __FAST_RELAXED_MATH__
    *out = 1;
#endif
}

//! test: literals
//! buffer out ulong[7] = 0
//! expect out = 255 8 10 97 10 4294967296 65
kernel void literals(global ulong *out)
{
    out[0] = 0xFFu;
    out[1] = 010;
    out[2] = 0b1010;
    out[3] = 'a';
    out[4] = '\n';
    out[5] = 4294967296;
    out[6] = '\x41';
}

//! test: float_literals
//! buffer out float[6] = 0
//! expect out = 0.5 100 0x1.8p+4 0.125 3 1e-30
kernel void float_literals(global float *out)
{
    out[0] = .5f;
    out[1] = 1e2f;
    out[2] = 0x1.8p4f;
    out[3] = 1.25e-1F;
    out[4] = 3.f;
    out[5] = 1e-30f;
}

//! test: overloadable
//! buffer out int[3] = 0
//! expect out = 1 2 3
int __attribute__((overloadable)) which(int x) { return 1; }
int __attribute__((overloadable)) which(float x) { return 2; }
int __attribute__((overloadable)) which(int4 x) { return 3; }
kernel void overloadable(global int *out)
{
    out[0] = which(5);
    out[1] = which(5.0f);
    out[2] = which((int4)(5));
}

//! test: huge_values
//! require: fp64
//! buffer out ulong[2] = 0
//! expect out = 0x7ff0000000000000 0x7f800000
kernel void huge_values(global ulong *out)
{
    out[0] = as_ulong(HUGE_VAL);
    out[1] = as_uint(HUGE_VALF);
}

//! test: parenthesised_callee
//! todo: Portable declares its built-ins as macros
//! buffer out int[4] = 9
//! expect out = 1 4 7 2
#define min(a, b) not_this_macro
__attribute__((overloadable)) int pick(int a) { return a; }
__attribute__((overloadable)) int pick(float a) { return 7; }
kernel void parenthesised_callee(global int *out)
{
    out[0] = (min)(1, 4);
    out[1] = (max)(1, 4);
    out[2] = (pick)(2.0f);
    out[3] = (pick)(2);
}
#undef min

//! test: null_before_20
//! options: -cl-std=CL1.2
//! buffer out int[2] = 9
//! null p
//! expect out = 1 0
kernel void null_before_20(global int *out, global int *p)
{
    out[0] = p == NULL;
    out[1] = out == NULL;
}
