// not clang: it would expand this for ever
// a billion laughs
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(x)))
#define C(x) B(B(B(x)))
C(C(ha))
// log:
//  test.cl:6:3: fatal error: macros expand to more than 4194304 tokens
//  C(C(ha))
//    ^
//  test.cl:5:14: note: expanded from macro 'C'
//  #define C(x) B(B(B(x)))
//               ^
//  test.cl:4:18: note: expanded from macro 'B'
//  #define B(x) A(A(A(x)))
//                   ^
//  1 error generated.
