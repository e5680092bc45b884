// not clang: its -E prints messages as pragmas
// C99, 6.10.9: the _Pragma operator
#define PRAGMA(x) _Pragma(#x)
#define UNROLL _Pragma("unroll 4") for
#define ID(x) x
_Pragma("OPENCL EXTENSION cl_khr_fp16 : enable") after
PRAGMA(unroll 8) UNROLL (;;)
ID(_Pragma("unroll") loop)
_Pragma("message(\"quoted \\\\ text\")")
_Pragma(1) _Pragma
_Pragma("")
// expect:
// #pragma OPENCL EXTENSION cl_khr_fp16 : enable
//                                                  after
// #pragma unroll 8
//                  #pragma unroll 4
//                  for (;;)
// #pragma unroll
// loop)("")
// log:
//  test.cl:9:1: warning: quoted \ text [-W#pragma-messages]
//  _Pragma("message(\"quoted \\\\ text\")")
//  ^
//  <scratch space>:6:1: note: expanded from here
//  message("quoted \\ text")
//  ^
//  test.cl:10:1: error: _Pragma takes a parenthesized string literal
//  _Pragma(1) _Pragma
//  ^
//  test.cl:10:12: error: _Pragma takes a parenthesized string literal
//  _Pragma(1) _Pragma
//             ^
//  1 warning and 2 errors generated.
