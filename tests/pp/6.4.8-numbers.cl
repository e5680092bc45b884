// C99, 6.4.8: preprocessing numbers take what cannot be a number
0x1p-3 1e+5 1.2.3e+4 0xe+1 .5.5 1_000 0b101 1.0h 0x1.8p1f 1..2 3e-x
#define e 1
#define E 2
0xe+e 1e+E 1.e 2E
// expect:
// 0x1p-3 1e+5 1.2.3e+4 0xe+1 .5.5 1_000 0b101 1.0h 0x1.8p1f 1..2 3e-x
// 0xe+e 1e+E 1.e 2E
