// not clang: its target has other features
// options: -cl-std=CL2.0
// OpenCL C 3.0, 6.2.1: earlier versions may define the features' macros; clang's header does in 2.0
__OPENCL_C_VERSION__ __opencl_c_generic_address_space __opencl_c_pipes __opencl_c_nothing
// expect:
// 200 1 1 __opencl_c_nothing
