// tabs, long characters and unprintable ones keep the caret in place
	#error	after tabs
/* ü€𝄞 */ #error not a directive
#if "é"	1
#endif
#if @ü
#endif
#if 1  0
#endif
#if /*	*/	1 +
#endif
// log:
//  test.cl:2:3: error: after tabs
//          #error  after tabs
//           ^
//  test.cl:3:18: error: not a directive
//  /* ü€𝄞 */ #error not a directive
//             ^
//  test.cl:4:5: error: invalid token at start of a preprocessor expression
//  #if "é" 1
//      ^
//  test.cl:6:5: error: invalid token at start of a preprocessor expression
//  #if @ü
//      ^
//  test.cl:8:8: error: token is not a valid binary operator in a preprocessor subexpression
//  #if 1  0
//         ^
//  test.cl:10:14: error: expected value in expression
//  #if /*  */      1 +
//                     ^
//  6 errors generated.
