// case: unroll
#define N 8
enum { COUNT = 4 };
kernel void k(global int *p, int n) {
    const int m = 2;
#pragma unroll
    for (int i = 0; i < 4; i++) p[i] = 1;
#pragma unroll (N / 2 + COUNT * m)
    while (p[0]) p[0]--;
#pragma unroll N
    do p[0]++; while (p[0] < 3);
_Pragma("unroll 0x10u") for (;;) break;
#pragma nounroll
    for (;;) break;
#pragma clang loop unroll_count(4)
    for (;;) break;
#pragma clang loop unroll(disable)
    for (;;) break;
    if (n)
#pragma unroll 2
        for (;;) break;
#pragma unroll n                                // error: expression 'n' is not an integer constant expression
    for (;;) break;
#pragma unroll 0                                // error: invalid value '0'; must be positive
    for (;;) break;
#pragma unroll (1 - 2)                          // error: invalid value '-1'; must be positive
    for (;;) break;
#pragma unroll 1 / 0                            // error: expression '1 / 0' is not an integer constant expression
    for (;;) break;
#pragma unroll                                  // error: expected a for, while, or do-while loop to follow '#pragma unroll'
    p[0] = 1;
#pragma nounroll                                // error: expected a for, while, or do-while loop to follow '#pragma nounroll'
    { p[0] = 2; }
}
// case: file-scope
#pragma unroll                                  // error: expected a for, while, or do-while loop to follow '#pragma unroll'
kernel void k(global int *p) {}
// case: extensions
#pragma OPENCL EXTENSION cl_khr_nosuch : enable // warning: unsupported OpenCL extension 'cl_khr_nosuch' - ignoring
#pragma OPENCL EXTENSION all : disable
#pragma OPENCL EXTENSION all : enable           // warning: expected 'disable' - ignoring
#pragma OPENCL EXTENSION cl_khr_fp64            // warning: missing ':' after 'cl_khr_fp64' - ignoring
#pragma OPENCL EXTENSION cl_khr_fp64 : perhaps  // warning: expected 'enable', 'disable', 'begin' or 'end' - ignoring
kernel void k(global int *p) {}
// case: pack
#pragma pack(3)                                 // warning: expected #pragma pack parameter to be '1', '2', '4', '8', or '16'
#pragma pack(push, 3)                           // warning: expected #pragma pack parameter to be '1', '2', '4', '8', or '16'
#pragma pack(32)                                // warning: expected #pragma pack parameter to be '1', '2', '4', '8', or '16'
#pragma pack(pop)                               // warning: #pragma pack(pop, ...) failed: stack empty
#pragma pack 4                                  // warning: missing '(' after '#pragma pack' - ignoring
#pragma pack(4                                  // warning: missing ')' after '#pragma pack' - ignoring
#pragma pack(1 + 1)                             // warning: missing ')' after '#pragma pack' - ignoring
#pragma pack(4) x                               // warning: extra tokens at end of '#pragma pack' - ignored
#pragma pack(high)                              // warning: unknown action for '#pragma pack' - ignored
#pragma pack(push, a, b)                        // warning: expected integer or identifier in '#pragma pack' - ignored
#pragma pack(push, )                            // warning: expected integer or identifier in '#pragma pack' - ignored
#pragma pack(push, 4.0)                         // warning: expected #pragma pack parameter to be '1', '2', '4', '8', or '16'
#pragma pack(show)                              // warning: value of #pragma pack(show) == 8
struct natural { char a; int b; };
_Static_assert(sizeof(struct natural) == 8, "all those were ignored");
#pragma pack(push, id, 2)
#pragma pack(push, 4)
#pragma pack(show)                              // warning: value of #pragma pack(show) == 4
#pragma pack(pop, id, 1)                        // warning: specifying both a name and alignment to 'pop' is undefined
struct tight { char a; int b; };
_Static_assert(sizeof(struct tight) == 5, "");
#pragma pack(push, 0x2u)                        // warning: unterminated '#pragma pack (push, ...)' at end of file
#pragma pack(push)                              // warning: unterminated '#pragma pack (push, ...)' at end of file
struct even { char a; int b; };
_Static_assert(sizeof(struct even) == 6, "");
#pragma pack(pop, none)
#pragma pack(0)
struct reset { char a; int b; };
_Static_assert(sizeof(struct reset) == 8, "");

// case: pack-layout
typedef struct { char a; int b; short c; double d; } inner;
typedef int aligned __attribute__((aligned(16)));
#define N 4
#pragma pack(push, N)
struct members { char a; int b __attribute__((aligned(16))); char c; aligned d; double3 e; };
_Static_assert(sizeof(struct members) == 48 && __alignof__(struct members) == 4, "the attribute is bounded too");
struct __attribute__((aligned(32))) whole { char a; long b; };
_Static_assert(sizeof(struct whole) == 32 && __alignof__(struct whole) == 32, "that of the struct is not");
struct __attribute__((packed)) both { char a; int b __attribute__((aligned(2))); long c; };
_Static_assert(sizeof(struct both) == 14 && __builtin_offsetof(struct both, c) == 6, "");
struct nested { char a; inner b; };
_Static_assert(sizeof(struct nested) == 28 && __builtin_offsetof(struct nested, b) == 4, "");
union joined { char a; double4 b; int c[9]; };
_Static_assert(sizeof(union joined) == 36 && __alignof__(union joined) == 4, "");
#pragma pack(1)
struct within { char a;
#pragma pack()
    int b; struct { char x; long y; } c; };
_Static_assert(__builtin_offsetof(struct within, b) == 1 && __builtin_offsetof(struct within, c) == 5 &&
               sizeof(struct within) == 21, "a struct has what holds at its brace");
_Pragma("pack(pop)") struct after { char a; double b; };
_Static_assert(sizeof(struct after) == 16, "");
