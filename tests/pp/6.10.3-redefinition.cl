// C99, 6.10.3p2: the same definition again is none; another warns
#define SAME(a) a + 1
#define SAME(a)  a   +  1
#define BLANKS a b
#define BLANKS ab
#define PARAMETER(a) a
#define PARAMETER(b) b
#define KIND 1
#define KIND() 1
#define __LINE__ 3
#undef __FILE__
#define M_PI_F 3
#undef BLANKS
#define BLANKS c
BLANKS KIND() __FILE__
// expect:
// c 1 __FILE__
// log:
//  test.cl:5:9: warning: 'BLANKS' macro redefined [-Wmacro-redefined]
//  #define BLANKS ab
//          ^
//  test.cl:4:9: note: previous definition is here
//  #define BLANKS a b
//          ^
//  test.cl:7:9: warning: 'PARAMETER' macro redefined [-Wmacro-redefined]
//  #define PARAMETER(b) b
//          ^
//  test.cl:6:9: note: previous definition is here
//  #define PARAMETER(a) a
//          ^
//  test.cl:9:9: warning: 'KIND' macro redefined [-Wmacro-redefined]
//  #define KIND() 1
//          ^
//  test.cl:8:9: note: previous definition is here
//  #define KIND 1
//          ^
//  test.cl:10:9: warning: redefining builtin macro [-Wbuiltin-macro-redefined]
//  #define __LINE__ 3
//          ^
//  test.cl:11:8: warning: undefining builtin macro [-Wbuiltin-macro-redefined]
//  #undef __FILE__
//         ^
//  test.cl:12:9: warning: 'M_PI_F' macro redefined [-Wmacro-redefined]
//  #define M_PI_F 3
//          ^
//  <built-in>:1:1: note: previous definition is here
//  M_PI_F 3.14159265358979323846264338327950288f
//  ^
//  6 warnings generated.
