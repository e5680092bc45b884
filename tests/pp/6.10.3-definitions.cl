// C99, 6.10.3: definitions that are wrong
#define
#define 3
#define defined 1
#define A(x, x) x
#define B(x
#define C(x,) x
#define D(..., x) x
#define E(x) #y
#define F ## x
#define G x ##
#define H(1) x
#define I(x y) x
#define J(x) # x ## #x
#define K+1
#define __VA_OTHER__(__VA_ARGS__) 1
#undef 4
#undef A B
#define L(x) a#b
// log:
//  test.cl:2:8: error: macro name missing
//  #define
//         ^
//  test.cl:3:9: error: macro name must be an identifier
//  #define 3
//          ^
//  test.cl:4:9: error: 'defined' cannot be used as a macro name
//  #define defined 1
//          ^
//  test.cl:5:14: error: duplicate macro parameter name 'x'
//  #define A(x, x) x
//               ^
//  test.cl:6:12: error: expected comma in macro parameter list
//  #define B(x
//             ^
//  test.cl:7:13: error: expected identifier in macro parameter list
//  #define C(x,) x
//              ^
//  test.cl:8:14: error: missing ')' in macro parameter list
//  #define D(..., x) x
//               ^
//  test.cl:9:15: error: '#' is not followed by a macro parameter
//  #define E(x) #y
//                ^
//  test.cl:10:11: error: '##' cannot appear at start of macro expansion
//  #define F ## x
//            ^
//  test.cl:11:13: error: '##' cannot appear at end of macro expansion
//  #define G x ##
//              ^
//  test.cl:12:11: error: invalid token in macro parameter list
//  #define H(1) x
//            ^
//  test.cl:13:13: error: expected comma in macro parameter list
//  #define I(x y) x
//              ^
//  test.cl:15:10: warning: whitespace required after macro name
//  #define K+1
//           ^
//  test.cl:16:22: error: __VA_ARGS__ can only appear in the expansion of a C99 variadic macro
//  #define __VA_OTHER__(__VA_ARGS__) 1
//                       ^
//  test.cl:17:8: error: macro name must be an identifier
//  #undef 4
//         ^
//  test.cl:18:10: warning: extra tokens at end of #undef directive [-Wextra-tokens]
//  #undef A B
//           ^
//  test.cl:19:16: error: '#' is not followed by a macro parameter
//  #define L(x) a#b
//                 ^
//  2 warnings and 15 errors generated.
