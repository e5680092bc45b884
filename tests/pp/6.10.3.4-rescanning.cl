// C99, 6.10.3.4: rescanning, and names that are replaced no more
#define f(a) a*g
#define g(a) f(a)
f(2)(9)
#define obj() fun
#define fun() obj
obj()()()()() fun()()()
#define A B
#define B A
A B
#define AA BB CC
#define BB AA
#define CC AA BB
AA
#define NIL(xxx) xxx
#define G_0(arg) NIL(G_1)(arg)
#define G_1(arg) NIL(arg)
G_0(42)
#define x(y) y x
x(1)(2)(3)
#define t(y) y
t(t)(t)(t)(1) t(t(t))(1)
#define EMPTY
#define foo() bar
foo EMPTY () foo
EMPTY ()
#define LPAREN (
#define RPAREN )
#define CALL(a, b) a + b
#define ELLIPSIS(...) __VA_ARGS__
ELLIPSIS(CALL, LPAREN, 'a', 'b', RPAREN) ELLIPSIS(CALL LPAREN 'a', 'b' RPAREN)
#define h h1(
h 2) h
3)
#define swap(a, b) b a
swap(swap(1,2),swap(3,4)) swap(swap,swap)(5,6)
#define minus -
-minus -minus- minus minus &EMPTY&
// expect:
// 2*9*g
// fun obj
// A B
// AA AA AA
// 42
// 1 x(2)(3)
// t(t)(t)(1) t(1)
// foo () foo
//       ()
// CALL, (, 'a', 'b', ) 'a' + 'b'
// h1( 2) h1(
// 3)
// 4 3 2 1 swap swap(5,6)
// - - - - - - - & &
