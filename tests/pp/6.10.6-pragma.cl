// not clang: its -E leaves macros in pragmas that it replaces when compiling
// C99, 6.10.6 and OpenCL C 3.0, 6.12: pragmas for the parser, for the preprocessor, and for nobody
// options: -Wunknown-pragmas
#define cl_khr_fp64 replaced
#define N 4
#pragma OPENCL EXTENSION cl_khr_fp64 :   enable
#pragma OPENCL FP_CONTRACT /* comment */ OFF // end
#pragma STDC FP_CONTRACT N
#pragma unroll N
#pragma nounroll
#pragma clang loop unroll_count(N)
#pragma nobody knows
#pragma
#pragma once
#pragma message("hello " "there")
#pragma GCC error "stop"
#pragma GCC warning "careful"
#pragma push_macro("N")
#undef N
#define N 5
N
#pragma pop_macro("N")
N
#pragma pop_macro("N")
#pragma region x
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-W#warnings"
#warning unheard
#pragma clang diagnostic error "-W#warnings"
#warning an error
#pragma clang diagnostic pop
#warning heard
// expect:
// #pragma OPENCL EXTENSION cl_khr_fp64 : enable
// #pragma OPENCL FP_CONTRACT OFF
// #pragma STDC FP_CONTRACT N
// #pragma unroll 4
// #pragma nounroll
// #pragma clang loop unroll_count(4)
// 5
// 4
// log:
//  test.cl:4:9: warning: 'cl_khr_fp64' macro redefined [-Wmacro-redefined]
//  #define cl_khr_fp64 replaced
//          ^
//  <built-in>:1:1: note: previous definition is here
//  cl_khr_fp64 1
//  ^
//  test.cl:12:9: warning: unknown pragma ignored [-Wunknown-pragmas]
//  #pragma nobody knows
//          ^
//  test.cl:14:9: warning: #pragma once in main file [-Wpragma-once-outside-header]
//  #pragma once
//          ^
//  test.cl:15:9: warning: hello there [-W#pragma-messages]
//  #pragma message("hello " "there")
//          ^
//  test.cl:16:13: error: stop
//  #pragma GCC error "stop"
//              ^
//  test.cl:17:13: warning: careful [-W#pragma-messages]
//  #pragma GCC warning "careful"
//              ^
//  test.cl:24:9: warning: pragma pop_macro could not pop 'N', no matching push_macro [-Wignored-pragmas]
//  #pragma pop_macro("N")
//          ^
//  test.cl:30:2: error: an error [-Werror,-W#warnings]
//  #warning an error
//   ^
//  test.cl:32:2: warning: heard [-W#warnings]
//  #warning heard
//   ^
//  7 warnings and 2 errors generated.
