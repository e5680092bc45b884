// case: recursion
// clang: accepts; its linker finds out
int f(int x) { return x ? f(x - 1) : 0; } // error: recursion is not supported in OpenCL: 'f' calls itself
kernel void k(global int *p) { p[0] = f(3); }
// case: mutual-recursion
// clang: accepts; its linker finds out
int g(int x);
int f(int x) { return g(x); }           // error: recursion is not supported in OpenCL: 'f' calls itself through other functions
int g(int x) { return f(x); }           // note: called from 'g'
kernel void k(global int *p) { p[0] = f(3); }
// case: function-pointers
void f(int x);
void g(int (*p)(int));                  // error: pointers to functions are not allowed
kernel void k(void) { void *p = f; p = &f; f; } // error: taking address of function is not allowed // error: taking address of function is not allowed
// case: bit-fields
struct s { int a : 3; };                // error: bit-fields are not supported in OpenCL
// case: vla
kernel void k(int n) {
    int a[n];                           // error: variable length arrays are not supported in OpenCL
    const int m = 4; int b[m]; int c[m * 2 + 1];
    int d[-1];                          // error: array declared with a negative size
    float e[1.5f];                      // error: size of array has non-integer type 'float'
}
// case: variadic
void f(int x, ...);                     // error: invalid prototype, variadic arguments are not allowed in OpenCL
kernel void k(int n) { printf("%d %s %f\n", n, "x", 1.0f); }
// case: undefined
// clang: accepts; its linker finds out
int f(int x);                           // error: undefined reference to 'f'
kernel void k(global int *p) { p[0] = f(3); }
// case: undefined-built-in
// clang: accepts; its linker finds out
int get_local_id(int x);                // error: undefined reference to 'get_local_id'
float sin(float x, float y);            // error: undefined reference to 'sin'
size_t get_global_id(uint x);
kernel void k(global float *p) { p[get_global_id(0)] = sin(1.0f, p[get_local_id(0)]); }
// case: storage
extern kernel void k(void);
auto int x;                             // error: does not support the 'auto' storage class specifier // error: program scope variable must reside
// case: storage-11 -cl-std=CL1.1
static int f(void) { return 1; }        // error: OpenCL C version 1.1 does not support the 'static' storage class specifier
// case: double-implicit
kernel void k(global float *p) { p[0] = 1.0 * 2; double d = p[0]; }
// case: pointer-to-image
kernel void k(image2d_t a, image2d_t b, int c) {
    c ? a : b;                          // error: type cannot be used as expression in ternary expression in OpenCL
}
