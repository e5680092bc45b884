// case: program-scope
int a;                                  // error: program scope variable must reside in constant address space
global int b;                           // error: program scope variable must reside in constant address space
constant int c = 1;
constant int d;                         // error: variable in constant address space must be initialized
local int e;                            // error: program scope variable must reside in constant address space
const sampler_t s = CLK_FILTER_NEAREST;
extern constant int x;
static constant float table[2] = {1, 2};
// case: program-scope-20 -cl-std=CL2.0
int a;
global int b = 3;
static int c;
constant int d = 1;
local int e;                            // error: program scope variable must reside in global or constant address space
global int *p = &b;
kernel void k(void) { static int n; n = a; *p = 1; }
// case: functions
void f(void) {
    local int a;                        // error: non-kernel function variable cannot be declared in local address space
    constant int b = 1;                 // error: non-kernel function variable cannot be declared in constant address space
    global int c;                       // error: function scope variable cannot be declared in global address space
    private int d; __private int e;
    static constant int g = 1;          // error: variables in function scope cannot be declared static
}
kernel void k(void) {
    local int a; local float b[4], c[2][2];
    local int d = 1;                    // error: '__local' variable cannot have an initializer
    constant int e = 3;
    a = e; b[0] = c[1][1] = 0;
}
void g(local int x);                    // error: parameter may not be qualified with an address space
struct s { global int *p; };
struct t { global int x; };             // error: field may not be qualified with an address space
// case: pointers
kernel void k(global int *g, local int *l, constant int *c, global const int *gc) {
    int *p = g;                         // error: changes address space of pointer
    g = l;                              // error: assigning to '__global int *' from type '__local int *' changes address space of pointer
    p = (int *)g;                       // error: casting '__global int *' to type '__private int *' changes address space of pointer
    g = gc;                             // warning: discards qualifiers
    global float *f = g;                // warning: incompatible pointer
    global uint *u = g;                 // warning: converts between pointers to integer types with different sign
    f = (global float *)g; global void *v = g; g = v; g = 0; g = (void *)0;
    if (g == l) {}                      // error: comparison between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces
    p = (int *)(size_t)g;
    *c = 1;                             // error: read-only variable is not assignable
    global int *global *gg; global int *local *gl;
    gg = gl;                            // error: changes address space
}
void f(global int *p);                  // note: passing argument to parameter 'p' here
kernel void m(local int *l) { f(l); }   // error: passing '__local int *' to parameter of type '__global int *' changes address space of pointer
// case: generic -cl-std=CL2.0
int f(int *p) { return *p; }
kernel void k(global int *g, local int *l, constant int *c) {
    int x; int *p = g; p = l; p = &x; x = f(g) + f(l) + f(&x); generic int *q = p;
    p = c;                              // error: changes address space of pointer
    g = p;                              // error: changes address space of pointer
    g = (global int *)p; g = to_global(p); x = p == g;
    c = (constant int *)p;              // error: changes address space of pointer
}
// case: generic-not-in-12
void f(__generic int *p);               // error: OpenCL C version 1.2 does not support the '__generic' type qualifier
// case: multiple
void f(global local int *p);            // error: multiple address spaces specified for type
typedef global int gi;
void g(local gi *p);                    // error: multiple address spaces specified for type
void h(gi *p, global int *q) { p = q; }
// case: strings
constant char *constant s = "abc";
kernel void k(void) { constant char *p = "x"; const char *q = "y"; } // error: changes address space of pointer
// case: arrays-of-pointers
kernel void k(global float *a, global float *b) {
    global float *list[2] = {a, b};
    list[0][1] = list[1][0];
    global float **pp = list;
    private float (*m)[4]; float n[3][4]; m = n;
}
// case: extern-incomplete
extern constant struct hidden shown;
constant struct hidden *at(void) { return &shown; }
extern constant struct hidden valued = {1}; // error: variable has incomplete type // warning: 'extern' variable has an initializer
void by_value(struct hidden h);
void f(void) {
    by_value(shown);                    // error: incomplete type '__constant struct hidden' where a complete type is required
    constant struct hidden *next = &shown + 1; // error: arithmetic on a pointer to an incomplete type
}
// case: null -cl-std=CL1.2
kernel void k(global int *o) {
    constant int *a = (void *)0;
    local int *b = 0;
    constant int *c = (global void *)0; // error: changes address space of pointer
    global int *d = (local void *)0;    // error: changes address space of pointer
    o[0] = o == (local void *)0;        // error: non-overlapping address spaces
}
// case: atomics -cl-std=CL2.0
global atomic_int a = 1;
constant int n = 3;
kernel void k(global int *o) {
    atomic_int b = 0;                   // error: atomic variable can be initialized to a variable only in global address space
    static atomic_int c = 2;
    atomic_int d;
    atomic_init(&d, 1);
}
// case: samplers -cl-std=CL1.2
kernel void k(global int *o, sampler_t s) {
    const sampler_t a = 0x100000000L;   // error: sampler_t initialization requires 32-bit integer, not 'long'
    o[0] = &s != 0;                     // error: invalid argument type 'sampler_t' to unary expression
}
// case: of-what-a-function-returns
private int f(void);                    // error: return value cannot be qualified with address space
int *private g(void);                   // error: return value cannot be qualified with address space
inline __private int h(void) { return 1; } // error: return value cannot be qualified with address space
kernel private void k(void) {}          // error: return value cannot be qualified with address space
typedef private int T;
T i(void);                              // error: return value cannot be qualified with address space
const void j(void);                     // warning: function cannot return qualified void type 'const void'
typedef int F(void);
local F l;                              // error: function type may not be qualified with an address space
void m(private int x) { }
// case: of-members-and-literals
struct s { private int x; int *private y; }; // error: field may not be qualified with an address space // error: field may not be qualified
kernel void k(void) {
    int a = (local int){1};             // error: compound literal in function scope may not be qualified with an address space
    int b = (private int){2};
}
// case: of-events-and-samplers
typedef local event_t T;
kernel void k(void) {
    local event_t a;                    // error: the event_t type can only be used with __private address space qualifier
    static event_t b;                   // error: the event_t type can only be used with __private address space qualifier
    constant event_t c;                 // error: the event_t type can only be used with __private address space qualifier
    T d;                                // error: the event_t type can only be used with __private address space qualifier
    private event_t e;
    local sampler_t f;                  // error: sampler type cannot be used with the __local and __global address space qualifiers
}
global sampler_t g = 0;                 // error: sampler type cannot be used with the __local and __global address space qualifiers
