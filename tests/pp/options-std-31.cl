// not clang: 15 does not know it
// options: -cl-std=CL3.1
// OpenCL C 3.1 on a device of OpenCL 3.0
__OPENCL_C_VERSION__ __OPENCL_VERSION__ CL_VERSION_3_1 __opencl_c_subgroups
// expect:
// 310 300 310 1
