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
