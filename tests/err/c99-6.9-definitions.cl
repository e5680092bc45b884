// case: no-prototypes
int f(a, b) int a; float b; { return a + (int)b; }      // warning: a function definition without a prototype is deprecated
int g(a, p, n)                                          // warning: a function definition without a prototype is deprecated // warning: parameter 'n' was not declared, defaults to 'int'
global const int *p, q[4];                              // error: parameter named 'q' is missing
int a; { return p[a] + n; }
int h(a, b) int a; int a; { return a; }                 // warning: without a prototype // warning: parameter 'b' was not declared // error: redefinition of parameter 'a'
int i(a, a) { return 1; }                               // warning: without a prototype // error: redefinition of parameter 'a' // warning: parameter 'a' was not declared // warning: parameter 'a' was not declared
int j(a, b);                                            // error: a parameter list without types is only allowed in a function definition
kernel void k(global int *p) { p[0] = f(1, 2.0f) + g(1, p, 2); int l(a); } // error: a parameter list without types
// case: implicit-int
kernel void k(global int *p, n) { p[0] = n; }           // warning: type specifier missing, defaults to 'int'
// case: mistyped-type
// clang: accepts, as two parameters of type int
kernel void l(global int *p, flaot, foo) { }            // error: unknown type name 'flaot'; did you mean 'float'? // warning: type specifier missing, defaults to 'int'
// case: designators
int f(int x) { return x; }
kernel void k(global int *p) { p[0] = (f)(1); }         // error: taking address of function is not allowed
// case: results -cl-std=CL3.0
sampler_t f(sampler_t s);                               // error: declaring function return value of type 'sampler_t' is not allowed
image2d_t g(void);                                      // error: declaring function return value of type
kernel void k(global int *p) { }
