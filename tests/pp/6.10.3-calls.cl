// C99, 6.10.3p4: the number of arguments, and calls that never end
#define NONE() n
#define ONE(a) [a]
#define TWO(a, b) [a|b]
#define MORE(a, ...) [a|__VA_ARGS__]
NONE() NONE( ) ONE() ONE((1,2)) TWO(,) TWO((,),)
MORE(1) MORE(1,) MORE(1, 2, 3) MORE(,)
NONE(1)
ONE(1, 2)
TWO(1)
TWO()
TWO(1,2,3)
ONE
(3) ONE /* far */

(4) NONE ONE
#if ONE(1
#endif
ONE(1, (2
// expect:
// n n [] [(1,2)] [|] [(,)|]
// [1|] [1|] [1|2, 3] [|]
// NONE
// ONE
// TWO
// TWO
// TWO
// [3] [4] NONE ONE
// log:
//  test.cl:8:6: error: too many arguments provided to function-like macro invocation
//  NONE(1)
//       ^
//  test.cl:2:9: note: macro 'NONE' defined here
//  #define NONE() n
//          ^
//  test.cl:9:8: error: too many arguments provided to function-like macro invocation
//  ONE(1, 2)
//         ^
//  test.cl:3:9: note: macro 'ONE' defined here
//  #define ONE(a) [a]
//          ^
//  test.cl:10:6: error: too few arguments provided to function-like macro invocation
//  TWO(1)
//       ^
//  test.cl:4:9: note: macro 'TWO' defined here
//  #define TWO(a, b) [a|b]
//          ^
//  test.cl:11:5: error: too few arguments provided to function-like macro invocation
//  TWO()
//      ^
//  test.cl:4:9: note: macro 'TWO' defined here
//  #define TWO(a, b) [a|b]
//          ^
//  test.cl:12:9: error: too many arguments provided to function-like macro invocation
//  TWO(1,2,3)
//          ^
//  test.cl:4:9: note: macro 'TWO' defined here
//  #define TWO(a, b) [a|b]
//          ^
//  test.cl:17:5: error: unterminated function-like macro invocation
//  #if ONE(1
//      ^
//  test.cl:3:9: note: macro 'ONE' defined here
//  #define ONE(a) [a]
//          ^
//  test.cl:17:10: error: expected value in expression
//  #if ONE(1
//           ^
//  test.cl:19:1: error: unterminated function-like macro invocation
//  ONE(1, (2
//  ^
//  test.cl:3:9: note: macro 'ONE' defined here
//  #define ONE(a) [a]
//          ^
//  8 errors generated.
