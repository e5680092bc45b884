// header outer.h
//| #include "inner.h"
//| #define BAD(x) #y
// header inner.h
//| #error broken
//| #warning and warned
#include "outer.h"
#undef
// log:
//  In file included from test.cl:7:
//  In file included from outer.h:1:
//  inner.h:1:2: error: broken
//  #error broken
//   ^
//  inner.h:2:2: warning: and warned [-W#warnings]
//  #warning and warned
//   ^
//  In file included from test.cl:7:
//  outer.h:2:17: error: '#' is not followed by a macro parameter
//  #define BAD(x) #y
//                  ^
//  test.cl:8:7: error: macro name missing
//  #undef
//        ^
//  1 warning and 3 errors generated.
