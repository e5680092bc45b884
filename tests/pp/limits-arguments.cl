#define F(x) x
#define A F(F(F(F(F(F(F(F(
#define B ))))))))
#define AA A A A A A A A A
#define BB B B B B B B B B
#define APPLY(x) F(x)
F(F(F(F(F(F(F(F(1)))))))) A 2 B APPLY(A A 3 B B)
// expect:
// 1
// log:
//  test.cl:7:27: error: unterminated function-like macro invocation
//  F(F(F(F(F(F(F(F(1)))))))) A 2 B APPLY(A A 3 B B)
//                            ^
//  test.cl:2:11: note: expanded from macro 'A'
//  #define A F(F(F(F(F(F(F(F(
//            ^
//  test.cl:1:9: note: macro 'F' defined here
//  #define F(x) x
//          ^
//  1 error generated.
