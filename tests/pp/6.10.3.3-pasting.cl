// C99, 6.10.3.3: the ## operator
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define THREE(a, b, c) a##b##c
CAT(1,e) CAT(.,5) CAT(+,+) CAT(<<,=) CAT(-,>) CAT(L,"x") CAT(L,'x') CAT(,) CAT(a,) CAT(,b) CAT(%:,%:) CAT(0x,1p) CAT(1,a)
XCAT(__LI,NE__) CAT(__LINE,__) XCAT(v, __COUNTER__) XCAT(v, __COUNTER__)
THREE(,,) THREE(1,,2) THREE(a b, c, d e) THREE(<,<,=)
#define HASHES # ## #
#define F(x) x HASHES x
F(a)
#define EMPTY
#define TAIL(x) x##EMPTY EMPTY##x
TAIL(t)
CAT(+,-) CAT(a,+) CAT(/,/) CAT(/,*) CAT("a","b")
#define OBJECT one ## two
OBJECT
// expect:
// 1e .5 ++ <<= -> L"x" L'x' a b %:%: 0x1p 1a
// 6 6 v0 v1
//           12 a bcd e <<=
// a ## a
// tEMPTY EMPTYt
// + - a+ / / / * "a""b"
// onetwo
// log:
//  test.cl:14:1: error: pasting formed '+-', an invalid preprocessing token
//  CAT(+,-) CAT(a,+) CAT(/,/) CAT(/,*) CAT("a","b")
//  ^
//  test.cl:2:20: note: expanded from macro 'CAT'
//  #define CAT(a, b) a##b
//                     ^
//  test.cl:14:10: error: pasting formed 'a+', an invalid preprocessing token
//  CAT(+,-) CAT(a,+) CAT(/,/) CAT(/,*) CAT("a","b")
//           ^
//  test.cl:2:20: note: expanded from macro 'CAT'
//  #define CAT(a, b) a##b
//                     ^
//  test.cl:14:19: error: pasting formed '//', an invalid preprocessing token
//  CAT(+,-) CAT(a,+) CAT(/,/) CAT(/,*) CAT("a","b")
//                    ^
//  test.cl:2:20: note: expanded from macro 'CAT'
//  #define CAT(a, b) a##b
//                     ^
//  test.cl:14:28: error: pasting formed '/*', an invalid preprocessing token
//  CAT(+,-) CAT(a,+) CAT(/,/) CAT(/,*) CAT("a","b")
//                             ^
//  test.cl:2:20: note: expanded from macro 'CAT'
//  #define CAT(a, b) a##b
//                     ^
//  test.cl:14:37: error: pasting formed '"a""b"', an invalid preprocessing token
//  CAT(+,-) CAT(a,+) CAT(/,/) CAT(/,*) CAT("a","b")
//                                      ^
//  test.cl:2:20: note: expanded from macro 'CAT'
//  #define CAT(a, b) a##b
//                     ^
//  5 errors generated.
