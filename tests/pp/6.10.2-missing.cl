// not clang: its -E goes on
// header outer.h
//| #include "missing.h"
#include "outer.h"
never
// log:
//  In file included from test.cl:4:
//  outer.h:1:10: fatal error: 'missing.h' file not found
//  #include "missing.h"
//           ^~~~~~~~~~~
//  1 error generated.
