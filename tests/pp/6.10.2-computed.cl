// header outer.h
//| #define NAME "inner.h"
//| #include NAME
// header inner.h
//| #define DIM 4
//| #error broken
#define DIM 3
#define OUTER(name) <name>
#include OUTER(outer.h)
// log:
//  In file included from test.cl:9:
//  In file included from outer.h:2:
//  inner.h:1:9: warning: 'DIM' macro redefined [-Wmacro-redefined]
//  #define DIM 4
//          ^
//  test.cl:7:9: note: previous definition is here
//  #define DIM 3
//          ^
//  inner.h:2:2: error: broken
//  #error broken
//   ^
//  1 warning and 1 error generated.
