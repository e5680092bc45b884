// not clang: its target has other features
// OpenCL C 3.0, 6.12 and C99, 6.10.8: predefined names, OpenCL C 1.2
__OPENCL_VERSION__ __OPENCL_C_VERSION__ CL_VERSION_1_0 CL_VERSION_1_2 CL_VERSION_2_0 CL_VERSION_3_0
__ENDIAN_LITTLE__ __IMAGE_SUPPORT__ __FAST_RELAXED_MATH__ __STDC_VERSION__ __DATE__ __TIME__
__COUNTER__ __COUNTER__ NULL ATOMIC_VAR_INIT(1)
kernel_exec(64, float4) void f();
cl_khr_fp16 cl_khr_fp64 cl_khr_unknown __opencl_c_fp64 __kernel kernel
#if CHAR_BIT == 8 && INT_MIN == -2147483648 && ULONG_MAX == 18446744073709551615u && LONG_MIN < 0 && UINT_MAX == 4294967295
limits
#endif
FLT_MAX DBL_EPSILON HALF_MAX M_PI M_PI_F M_PI_H INFINITY NAN HUGE_VAL FLT_MIN_EXP
CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE CLK_NORMALIZED_COORDS_TRUE CLK_FILTER_LINEAR CLK_ADDRESS_CLAMP CLK_RGBA
#undef M_PI
M_PI
#define M_PI 3
M_PI
#ifdef __LINE__
#if __has_attribute(packed) && __has_attribute(__aligned__) && !__has_attribute(nonsense) && __has_builtin(__builtin_astype) && !__has_feature(cxx) && __has_warning("-Wundef") && __is_identifier(foo) && !__is_identifier(int)
asked
#endif
#endif
// expect:
// 300 120 100 120 200 300
// 1 1 __FAST_RELAXED_MATH__ 199901L "Jan  1 1970" "00:00:00"
// 0 1 ((void *)0) ATOMIC_VAR_INIT(1)
// __kernel __attribute__((work_group_size_hint(64, 1, 1))) __attribute__((vec_type_hint(float4))) void f();
// 1 1 cl_khr_unknown __opencl_c_fp64 __kernel kernel
// limits
// 0x1.fffffep127f 0x1.0p-52 0x1.ffcp15h 0x1.921fb54442d18p+1 3.14159265358979323846264338327950288f 3.14159265358979323846264338327950288h (__builtin_inff()) (__builtin_nanf("")) (__builtin_huge_val()) -125
// 0x01 0x02 1 0x20 4 0x10B5
// M_PI
// 3
// asked
