// options: -w
#warning unheard
#error heard
// log:
//  test.cl:3:2: error: heard
//  #error heard
//   ^
//  1 error generated.
