// not clang: it keeps the blank before a header's name that a macro made
// header a.h
//| #pragma once
//| from_a __FILE__ __LINE__ __INCLUDE_LEVEL__
//| #include "dir/b.h"
// header dir/b.h
//| #ifndef B_H
//| #define B_H
//| from_b __INCLUDE_LEVEL__
//| #endif
// header empty.h
//|
// C99, 6.10.2: headers by name, through macros, and once
#include "a.h"
#include <a.h>
#include "./a.h"
#include "dir/b.h"
#define HEADER "dir/b.h"
#undef B_H
#include HEADER
#define LT <
#define ANGLED LT dir/b.h>
#undef B_H
#include ANGLED
#include "empty.h"
#if __has_include("a.h") && !__has_include(<missing.h>) && __has_include(HEADER)
found
#endif
after __LINE__ __INCLUDE_LEVEL__
// expect:
// from_a "a.h" 2 1
// from_b 2
// from_b 1
// from_b 1
// found
// after 29 0
