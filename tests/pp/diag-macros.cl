// notes lead from the use to the definition
// options: -Wundef
#define INNER(x) (1 x)
#define OUTER(y) INNER(y + UNKNOWN)
#if OUTER(ALSO)
#endif
#define PASTE(a, b) a ## b
#define TWICE PASTE(+, -)
TWICE
#define D1(x) (x "s")
#define D2(x) D1(x)
#define D3(x) D2(x)
#define D4(x) D3(x)
#define D5(x) D4(x)
#define D6(x) D5(x)
#define D7(x) D6(x)
#define D8(x) D7(x)
#if D8(1)
#endif
// expect:
// + -
// log:
//  test.cl:5:11: error: token is not a valid binary operator in a preprocessor subexpression
//  #if OUTER(ALSO)
//            ^
//  test.cl:9:1: error: pasting formed '+-', an invalid preprocessing token
//  TWICE
//  ^
//  test.cl:8:15: note: expanded from macro 'TWICE'
//  #define TWICE PASTE(+, -)
//                ^
//  test.cl:7:23: note: expanded from macro 'PASTE'
//  #define PASTE(a, b) a ## b
//                        ^
//  test.cl:18:5: error: token is not a valid binary operator in a preprocessor subexpression
//  #if D8(1)
//      ^
//  test.cl:17:15: note: expanded from macro 'D8'
//  #define D8(x) D7(x)
//                ^
//  test.cl:16:15: note: expanded from macro 'D7'
//  #define D7(x) D6(x)
//                ^
//  test.cl:15:15: note: expanded from macro 'D6'
//  #define D6(x) D5(x)
//                ^
//  note: (skipping 2 expansions in backtrace)
//  test.cl:12:15: note: expanded from macro 'D3'
//  #define D3(x) D2(x)
//                ^
//  test.cl:11:15: note: expanded from macro 'D2'
//  #define D2(x) D1(x)
//                ^
//  test.cl:10:18: note: expanded from macro 'D1'
//  #define D1(x) (x "s")
//                   ^
//  3 errors generated.
