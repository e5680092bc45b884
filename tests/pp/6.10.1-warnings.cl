// options: -Wundef
#if -1 < 1u
#endif
#if 170141183460469231731687303715884105727 + 1 < 0
#endif
#if UNKNOWN_NAME || 170141183460469231731687303715884105728
#endif
#ifdef A B
#endif junk
#if 1
#else junk
#endif
// log:
//  test.cl:2:8: warning: left side of operator converted from negative value to unsigned: -1 to 340282366920938463463374607431768211455
//  #if -1 < 1u
//         ^
//  test.cl:4:45: warning: integer overflow in preprocessor expression
//  #if 170141183460469231731687303715884105727 + 1 < 0
//                                              ^
//  test.cl:6:5: warning: 'UNKNOWN_NAME' is not defined, evaluates to 0 [-Wundef]
//  #if UNKNOWN_NAME || 170141183460469231731687303715884105728
//      ^
//  test.cl:6:21: warning: integer literal is too large to be represented in a signed integer type, interpreting as unsigned [-Wimplicitly-unsigned-literal]
//  #if UNKNOWN_NAME || 170141183460469231731687303715884105728
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
