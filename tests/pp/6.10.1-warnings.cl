// options: -Wundef
#if -1 < 1u
#endif
#if 9223372036854775807 + 1 < 0
#endif
#if UNKNOWN_NAME || 9223372036854775808
#endif
#ifdef A B
#endif junk
#if 1
#else junk
#endif
// log:
//  test.cl:2:8: warning: left side of operator converted from negative value to unsigned: -1 to 18446744073709551615
//  #if -1 < 1u
//         ^
//  test.cl:4:25: warning: integer overflow in preprocessor expression
//  #if 9223372036854775807 + 1 < 0
//                          ^
//  test.cl:6:5: warning: 'UNKNOWN_NAME' is not defined, evaluates to 0 [-Wundef]
//  #if UNKNOWN_NAME || 9223372036854775808
//      ^
//  test.cl:6:21: warning: integer literal is too large to be represented in a signed integer type, interpreting as unsigned [-Wimplicitly-unsigned-literal]
//  #if UNKNOWN_NAME || 9223372036854775808
//                      ^
//  test.cl:8:10: warning: extra tokens at end of #ifdef directive [-Wextra-tokens]
//  #ifdef A B
//           ^
//  test.cl:9:8: warning: extra tokens at end of #endif directive [-Wextra-tokens]
//  #endif junk
//         ^
//  test.cl:11:7: warning: extra tokens at end of #else directive [-Wextra-tokens]
//  #else junk
//        ^
//  7 warnings generated.
