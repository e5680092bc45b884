// the twenty-first error ends the build
#if
#endif
#error 2
#error 3
#error 4
#error 5
#error 6
#error 7
#error 8
#error 9
#error 10
#error 11
#error 12
#error 13
#error 14
#error 15
#error 16
#error 17
#error 18
#error 19
#error 20
#error 21
#error 22
// log:
//  test.cl:2:4: error: expected value in expression
//  #if
//     ^
//  test.cl:4:2: error: 2
//  #error 2
//   ^
//  test.cl:5:2: error: 3
//  #error 3
//   ^
//  test.cl:6:2: error: 4
//  #error 4
//   ^
//  test.cl:7:2: error: 5
//  #error 5
//   ^
//  test.cl:8:2: error: 6
//  #error 6
//   ^
//  test.cl:9:2: error: 7
//  #error 7
//   ^
//  test.cl:10:2: error: 8
//  #error 8
//   ^
//  test.cl:11:2: error: 9
//  #error 9
//   ^
//  test.cl:12:2: error: 10
//  #error 10
//   ^
//  test.cl:13:2: error: 11
//  #error 11
//   ^
//  test.cl:14:2: error: 12
//  #error 12
//   ^
//  test.cl:15:2: error: 13
//  #error 13
//   ^
//  test.cl:16:2: error: 14
//  #error 14
//   ^
//  test.cl:17:2: error: 15
//  #error 15
//   ^
//  test.cl:18:2: error: 16
//  #error 16
//   ^
//  test.cl:19:2: error: 17
//  #error 17
//   ^
//  test.cl:20:2: error: 18
//  #error 18
//   ^
//  test.cl:21:2: error: 19
//  #error 19
//   ^
//  fatal error: too many errors emitted, stopping now
//  20 errors generated.
