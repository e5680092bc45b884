// C99, 6.10.3p11: directives within arguments are obeyed, as clang does
#define ID(x) x
ID(
#ifdef ID
yes
#else
no
#endif
#define LATER 1
LATER
#pragma unroll
)
LATER
// expect:
// yes 1
// 1
// log:
//  test.cl:11:2: error: embedding a #pragma directive within macro arguments is not supported
//  #pragma unroll
//   ^
//  1 error generated.
