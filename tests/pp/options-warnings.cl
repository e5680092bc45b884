// options: -Werror=macro-redefined -Wno-extra-tokens
#define A 1
#define A 2
#ifdef A B
#endif
#warning plain
// log:
//  test.cl:3:9: error: 'A' macro redefined [-Werror,-Wmacro-redefined]
//  #define A 2
//          ^
//  test.cl:2:9: note: previous definition is here
//  #define A 1
//          ^
//  test.cl:6:2: warning: plain [-W#warnings]
//  #warning plain
//   ^
//  1 warning and 1 error generated.
