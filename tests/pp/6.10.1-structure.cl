// C99, 6.10.1: conditionals that do not nest
#elif 1
#else
#endif
#if 1
#else
#else
#elif 1
#endif
#ifdef
#endif
#ifdef 3
#endif
#bogus
#inculde "x"
#
#if 1
#ifdef X
// log:
//  test.cl:2:2: error: #elif without #if
//  #elif 1
//   ^
//  test.cl:3:2: error: #else without #if
//  #else
//   ^
//  test.cl:4:2: error: #endif without #if
//  #endif
//   ^
//  test.cl:7:2: error: #else after #else
//  #else
//   ^
//  test.cl:8:2: error: #elif after #else
//  #elif 1
//   ^
//  test.cl:10:7: error: macro name missing
//  #ifdef
//        ^
//  test.cl:12:8: error: macro name must be an identifier
//  #ifdef 3
//         ^
//  test.cl:14:2: error: invalid preprocessing directive
//  #bogus
//   ^
//  test.cl:15:2: error: invalid preprocessing directive, did you mean '#include'?
//  #inculde "x"
//   ^
//  test.cl:18:2: error: unterminated conditional directive
//  #ifdef X
//   ^
//  test.cl:17:2: error: unterminated conditional directive
//  #if 1
//   ^
//  11 errors generated.
