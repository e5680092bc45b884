// not clang: its integers are 128 bits wide in #if
// C99, 6.10.1: conditional inclusion
#define A
#define B(x) x
#if defined(A) && !defined C && defined B
one
#else
no
#endif
#if -1 >> 63 == -1 && (1u - 2 > 0) && 0x7fffffffffffffff + 0 > 0 && 'a' == 97 && '\377' < 0
two
#elif unknown(
no
#endif
#if 0
#if 1
#else
'unterminated "
#error no
#endif
no
#bogus
#elif 2 ? 3 ? 0 : 1 : 1
no
#elif B(1) + 1 == 2
three
#elif 1/0
no
#else
no
#endif
#if 0 && 1/0 || 1 || 1%0
four
#endif
#ifdef A
#ifndef C
five
#else
no
#endif
#endif
#if 0
#elifdef C
#elifndef C
six
#elifdef A
no
#endif
#if ~0 == -1 && !0 && - - 1 == 1 && 5 % 3 == 2 && (7 & 3 | 8 ^ 1) == 11 && 1 << 3 == 8
seven
#endif
#if -9223372036854775807 - 1 < 0 && 340282366920938463463374607431768211455u == -1
eight
#endif
#if true && !false && !other
nine
#endif
#if -9223372036854775808 < 0 && 9223372036854775808 > 0 && 1 << 64 && ~0u == 0xffffffffffffffffffffffffffffffff
wide
#endif
#if (1, 2) == 2 && 0b11 == 3 && 010 == 8 && 0x10uL == 16
ten
#endif
// expect:
// one
// two
// three
// four
// five
// six
// seven
// eight
// nine
// wide
// ten
// log:
//  test.cl:52:78: warning: right side of operator converted from negative value to unsigned: -1 to 340282366920938463463374607431768211455
//  #if -9223372036854775807 - 1 < 0 && 340282366920938463463374607431768211455u == -1
//                                                                               ^
//  1 warning generated.
