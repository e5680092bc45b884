// not clang: its target has other features
// options: -cl-std=CL3.0 -cl-fast-relaxed-math
// OpenCL C 3.0, 6.2.1 and 6.12: predefined names, OpenCL C 3.0
__OPENCL_VERSION__ __OPENCL_C_VERSION__ CL_VERSION_1_0 CL_VERSION_2_0 CL_VERSION_3_0 CL_VERSION_3_1
__FAST_RELAXED_MATH__ __opencl_c_fp64 __opencl_c_int64 __opencl_c_pipes __opencl_c_nothing
NULL ATOMIC_VAR_INIT(1) ATOMIC_FLAG_INIT CLK_ENQUEUE_FLAGS_NO_WAIT CLK_sRGBA
// expect:
// 300 300 100 200 300 310
// 1 1 1 1 __opencl_c_nothing
// ((void *)0) (1) 0 0x0 0x10C1
