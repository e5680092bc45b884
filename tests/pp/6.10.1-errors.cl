// C99, 6.10.1: what is wrong in #if
#if
#endif
#if 1)
#endif
#if (1
#endif
#if 1 2
#endif
#if 1 ? 2
#endif
#if foo(2)
#endif
#if "a"
#endif
#if 1/0
#endif
#if 5 % 0
#endif
#if 1.0
#endif
#if defined
#endif
#if defined(
#endif
#if defined(A
#endif
#if 0x
#endif
#if 09
#endif
#if 1 = 1
#endif
// log:
//  test.cl:2:4: error: expected value in expression
//  #if
//     ^
//  test.cl:4:6: error: expected end of line in preprocessor expression
//  #if 1)
//       ^
//  test.cl:6:7: error: expected ')' in preprocessor expression
//  #if (1
//        ^
//  test.cl:6:5: note: to match this '('
//  #if (1
//      ^
//  test.cl:8:7: error: token is not a valid binary operator in a preprocessor subexpression
//  #if 1 2
//        ^
//  test.cl:10:10: error: expected ':'
//  #if 1 ? 2
//           ^
//  test.cl:10:7: note: to match this '?'
//  #if 1 ? 2
//        ^
//  test.cl:12:5: error: function-like macro 'foo' is not defined
//  #if foo(2)
//      ^
//  test.cl:14:5: error: invalid token at start of a preprocessor expression
//  #if "a"
//      ^
//  test.cl:16:6: error: division by zero in preprocessor expression
//  #if 1/0
//       ^
//  test.cl:18:7: error: remainder by zero in preprocessor expression
//  #if 5 % 0
//        ^
//  test.cl:20:5: error: floating point literal in preprocessor expression
//  #if 1.0
//      ^
//  test.cl:22:12: error: macro name missing
//  #if defined
//             ^
//  test.cl:24:13: error: macro name missing
//  #if defined(
//              ^
//  test.cl:26:14: error: missing ')' after 'defined'
//  #if defined(A
//               ^
//  test.cl:26:12: note: to match this '('
//  #if defined(A
//             ^
//  test.cl:28:6: error: invalid suffix 'x' on integer constant
//  #if 0x
//       ^
//  test.cl:30:6: error: invalid digit '9' in octal constant
//  #if 09
//       ^
//  test.cl:32:7: error: token is not a valid binary operator in a preprocessor subexpression
//  #if 1 = 1
//        ^
//  16 errors generated.
