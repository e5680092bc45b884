// C99, 6.10.3p4: empty arguments, too many of them
#define ONE(a) [a]
ONE() ONE(,) ONE(,,)
// expect:
// [] ONE ONE
// log:
//  test.cl:3:12: error: too many arguments provided to function-like macro invocation
//  ONE() ONE(,) ONE(,,)
//             ^
//  test.cl:2:9: note: macro 'ONE' defined here
//  #define ONE(a) [a]
//          ^
//  test.cl:3:20: error: too many arguments provided to function-like macro invocation
//  ONE() ONE(,) ONE(,,)
//                     ^
//  test.cl:2:9: note: macro 'ONE' defined here
//  #define ONE(a) [a]
//          ^
//  2 errors generated.
