// case: one-bracket-too-many
kernel void k(global int *p, int i) {
    i = p[1]];                          // error: extraneous ']' before ';'
    i = (1 + 2));                       // error: extraneous ')' before ';'
    int a);                             // error: extraneous ')' before ';'
    barrier CLK_LOCAL_MEM_FENCE);       // error: taking address of function is not allowed
    p[0] = i;
}
// case: no-bracket-after-if
kernel void k(global int *p, int i) {
    if i == 1) p[0] = 1;                // error: expected '(' after 'if'
    if i == 1 { p[0] = 1; }             // error: expected '(' after 'if'
    else p[0] = 2;
    while i < 3 { i++; }                // error: expected '(' after 'while'
    p[0] = i;
}
// case: return-without-end
int f(int x) { return x + }             // error: expected expression
int g(int x) { return }                 // error: expected expression
kernel void k(global int *p) { p[0] = f(1); }
// case: wrong-tag
struct st { int x; };
enum en { A };
kernel void k(global int *p) {
    union st a;                         // error: use of 'st' with tag type that does not match previous declaration
    enum st b;                          // error: use of 'st' with tag type
    struct en c;                        // error: use of 'en' with tag type
    a.x = 1; p[0] = b + c.x;
}
// case: semicolon-after-struct
struct a { int x; }                     // error: expected ';' after struct
struct b { int y; }                     // error: expected ';' after struct
kernel void k(global struct a *a, global struct b *b) { a->x = b->y; }
union u { int x; float y; }             // error: expected ';' after union
typedef float real;
enum e { A, B }                         // error: expected ';' after enum
constant int one = 1;
struct c { int z; }                     // error: expected ';' after struct
float4 f(float4 x) { return x; }
struct d { int x; } const d1 = { 1 }, d2; // error: program scope variable // error: program scope variable
struct g { int x; } constant g1 = { 1 };
// case: semicolon-after-last-struct
struct a { int x; float y }             // warning: expected ';' at end of declaration list // error: expected ';' after struct
// case: parameters
int f(int x; int y) { return x; }       // error: expected ')'
int g(int x)) { return x; }             // error: expected ';' after top level declarator
int h int x) { return x; }              // error: program scope variable // error: expected ';' after top level declarator
int i(int x) return x; }                // error: expected ';' after top level declarator // error: extraneous closing brace
int j(int x, ) { return x; }            // error: expected parameter declarator
int l(inline int x) { return x; }       // error: 'inline' can only appear on functions
kernel void () { }                      // error: expected identifier or '('
kernel void k(global int *p) { p[0] = 1; }
// case: names
int main(void) { return 0; }            // error: function cannot be called 'main'
kernel void k(global int *p) {
    kernel void inner(void);            // error: kernel functions can only be declared at file scope
    int a[4] = { [-1] = 1, 2 };         // error: array designator value '-1' is negative
    p[0] = a[0];
}
// case: flexible-arrays
struct a { int a[]; };                  // error: flexible array member 'a' not allowed in otherwise empty struct
union b { int n; int a[]; };            // error: field has incomplete type 'int[]'
struct c { int n; int a[]; };
kernel void k(global struct c *p) { p->n = p->a[0]; }
// case: blocks -cl-std=CL2.0
kernel void k(global int *p) {
    int (^b)(int) = ^(float x) { return 1; }; // error: initializing 'int (^)(int)' with an expression of incompatible type 'int (^)(float)'
    p[0] = 1;
}
// case: names-of-no-specifier
INLINE float3 f(float3 x) { return x; } // error: unknown type name 'INLINE'
INLINE float3 g(float3 x) { return x; }
INLINE void h(float3 x) { }
INLINE
float4 i(float4 x) { return x; }
DEVICE INLINE int *j(int *x) { return x; }      // error: unknown type name 'DEVICE'
kernal void l(global int *p) { p[0] = 1; }      // error: unknown type name 'kernal'; did you mean 'kernel'?
kernel void k(global float3 *p) { p[0] = f(p[1]) + g(p[2]); h(p[3]); }
// case: names-of-no-type
void a(global Texture *t, int x) {      // error: unknown type name 'Texture'
    t->x = 1;
    Texture u; u.y = x;
    global Texture *q = (global Texture *)t;
    b(*q);
}
void c(Texture t, Other *o);            // error: unknown type name 'Other'
typedef struct { int x; } Texture;
void d(global Texture *t) {
    t->x = 1;
    int y = (Unknown *)t;               // error: unknown type name 'Unknown'
    y = ((Unknown *)t)->x + Unknown;
}
kernel void k(global int *p) { p[0] = 1; }
// case: heads-of-loops
kernel void k(global int *p, int n) {
    for (int i = START i < n; i++) p[i] = 1;    // error: use of undeclared identifier 'START'
    for (int x = 0 x < n; x++) { p[x] = 1; }    // error: expected ';' at end of declaration
    for (int x = 0, x < n, x++) p[x] = 1;       // error: redefinition of 'x' 
    for (n = 0 n < 3; n++) p[n] = 1;            // error: expected ';' in 'for' statement specifier
    for (n = 0; n < 3 n++) p[n] = 1;            // error: expected ';' in 'for' statement specifier
    for (n = 0; n < 3; n++ p[n] = 1;            // error: expected ')'
    for (n = 0; n < END; n++) p[n] = 1;         // error: use of undeclared identifier 'END'
    if (n > max(n, 3) p[0] = 1;                 // error: expected ')'
    p[0] = n;
}
// case: qualifiers -cl-std=CL2.0
typedef read_only image2d_t source;
typedef image2d_t image;
typedef write_only image2d_t target;
typedef global int word;
void a(read_only write_only image2d_t i);       // error: multiple access qualifiers
void b(read_only read_only image2d_t i);        // warning: duplicate 'read_only' declaration specifier
void c(write_only source i);                    // error: multiple access qualifiers
void d(write_only image i);                     // error: multiple access qualifiers
void e(read_only source i);                     // warning: duplicate access qualifier
void f(source i, image j, target l, write_only image2d_t m);
void g(global global int *p);                   // warning: multiple identical address spaces specified for type
void h(global word *p);                         // warning: multiple identical address spaces specified for type
void i(local word *p);                          // error: multiple address spaces specified for type
void j(read_only pipe int p) { int x = 1; write_pipe(p, &x); }  // error: invalid pipe access modifier (expecting write_only)
void l(write_only pipe int p) { int x; read_pipe(p, &x); write_pipe(p, &x); } // error: invalid pipe access modifier (expecting read_only)
#pragma OPENCL FP_CONTRACT                      // warning: expected 'ON' or 'OFF' or 'DEFAULT' in pragma
#pragma OPENCL FP_CONTRACT maybe                // warning: expected 'ON' or 'OFF' or 'DEFAULT' in pragma
#pragma OPENCL EXTENSION                        // warning: expected identifier in '#pragma OPENCL'
#pragma OPENCL EXTENSION cl_khr_fp64 : enable x // warning: extra tokens at end of '#pragma OPENCL EXTENSION'
kernel void k(global int *p) { p[0] = 1; }
// case: one-message-for-a-token
int f(int x, int y);
int f(int x, int y y) { return x; }     // error: expected ')'
itn g(int x);                           // error: unknown type name 'itn'
int h(int x, unknown y);                // error: unknown type name 'unknown'
int h(int x, int y) { return x + y; }
typedef typedef int word;               // warning: duplicate 'typedef' declaration specifier
static static int i(int x) { return x; } // warning: duplicate 'static' declaration specifier
constant int a[2] = } { 1, 2 };         // error: expected expression
kernel void k(global int *p, int n) {
    if (n == ) p[0] = 1;                // error: expected expression
    p[1] = max(n, );                    // error: expected expression
    p[2] = p[n + ];                     // error: expected expression
    for (int j = 0; j < n; } j++) p[j] = 1; // error: expected expression
}
// case: brackets-that-close-nothing
int f(int x, , int y) { return x + y; } // error: expected parameter declarator
kernel void k(global int *p, int n) {
    if (n > 1)) p[0] = 1;               // error: extraneous ')' after condition, expected a statement
    while (n--)) { p[0] = 1; }          // error: extraneous ')' after condition, expected a statement
    p[1] = } n;                         // error: expected expression
    p[2] = n > } 2;                     // error: expected expression
    p[3] = m;                           // error: use of undeclared identifier 'm'
}
// case: parameters-after-a-wrong-one
float f(int a, , float b) { return a * b; } // error: expected parameter declarator
kernel void k(global int a, global float *b) { // error: parameter may not be qualified with an address space
    a[0] = b[0];
}
// case: brackets-that-open-nothing
int add(int a, int b);
kernel void k(global int *p, int n) {
    for (int i = 0; [ < n; ++i) {       // error: expected expression
        p[i] = n;
    }
    p[0] = add(, n);                    // error: expected expression
    p[0] = add(n, , 2) + 3;             // error: expected expression
    p[1] = add(n + ; 2);                // error: expected expression
    p[2] = (n + 2;);                    // error: unexpected ';' before ')'
    p[3] = p[n;];                       // error: unexpected ';' before ']'
    int m =} n / 2, q[2};               // error: expected expression
    m = n;
    int r[2};                           // error: expected ']'
    p[4] = 1z + 2;                      // error: invalid suffix 'z' on integer constant
    p[5] = 1.0f2 3;                     // error: invalid suffix 'f2' on floating constant
}
// case: no-arguments-at-all
kernel void k(global int4 *v, global int *p) {
    p[0] = __builtin_elementwise_add_sat(); // error: too few arguments to function call, expected 2, have 0
    p[1] = __builtin_elementwise_add_sat()v[0], v[0]).w; // error: too few arguments
    p[2] = __builtin_reduce_max;            // error: expected '('
}
// case: malformed-skips-pragmas
kernel void ) k(global int *p) {        // error: expected identifier or '('
    #pragma unroll
    for (int i = 0; i < 4; i++) p[i] = i;
}
// case: repeated-sign
unsigned unsigned int f(int x);         // warning: duplicate 'unsigned' declaration specifier
long f2(signed signed a, long unsigned unsigned b); // warning: duplicate 'signed' // warning: duplicate 'unsigned'
// case: implicit-int -cl-std=CL3.0
kernel void k(global int *p,
              const n) {                // warning: type specifier missing, defaults to 'int'
    const x = 1;                        // warning: type specifier missing
    static const z = 3;                 // warning: type specifier missing
    p[0] = *(global *)p + n + z;        // warning: type specifier missing
    p[1] = x + sizeof(const);           // warning: type specifier missing
}
foo = 3;                                // warning: type specifier missing, defaults to 'int'
void g(int a, b) { }                    // warning: type specifier missing, defaults to 'int'
void h(private const m) { }             // warning: type specifier missing, defaults to 'int'
// case: missing-brace
kernel void k(global int *o) {
    if (o[0]) {
        for (int i = 0; i < 3; i++) {
            o[1] = 2;
    }
}                                       // error: expected '}'
kernel void g(global int *o) { o[0] = undeclared; } // error: use of undeclared identifier 'undeclared'
static int h(int y) { return y; }
kernel void l(global int *o) {
    while (o[0]) {
        o[0]--;
}                                       // error: expected '}'
// case: images-that-may-not-be-written -cl-std=CL3.0
kernel void k(read_only image2d_t i, write_only image2d_t w, sampler_t s) {
    write_imagef(i, (int2)(0), (float4)(0)); // error: no matching function for call to 'write_imagef' // note: candidate: built-in function 'void write_imagef(__write_only image, int2, float4)'; argument 1 is a __read_only image
    read_imagef(w, s, (int2)(0));       // error: no matching function for call to 'read_imagef' // note: argument 1 is a __write_only image
}
// case: nearest-candidate
kernel void k(global float *o, float3 a, float4 b) {
    o[0] = dot(a, b);                   // error: no matching function for call to 'dot' // note: candidate: built-in function 'float dot(float3, float3)'; there is no conversion from 'float4' for argument 2
    int t[2];                           // note: array 't' declared here
    t[1] = t[2];                        // warning: array index 2 is past the end of the array (which contains 2 elements)
    float2 v = b;                       // error: initializing 'float2' (vector of 2 'float' values) with an expression of incompatible type 'float4' (vector of 4 'float' values)
}
// case: hints
kernel void k(global int *o, long l, ulong ul, float f, global int *p) {
    int a = 1                           // error: expected ';' at end of declaration // hint: ;
    int b = 2;
    printf("x %d %5.2d %s\n", l, f, a); // warning: format specifies type 'int' but the argument has type 'long' // hint: %ld // warning: type 'int' but the argument has type 'float' // hint: %5.2f // warning: format specifies type 'char *' but the argument has type 'int' // hint: %d
    printf("%ld %u", a, ul);            // warning: format specifies type 'long' but the argument has type 'int' // hint: %d // warning: the argument has type 'ulong' // hint: %lu
    printf("\t\"\x41\1012%d\n", l);      // warning: format specifies type 'int' but the argument has type 'long' // hint: %ld
    printf("x" "y%d\n", l);             // warning: format specifies type 'int' but the argument has type 'long' // hint: %ld
    if (a & 1 == 0)                     // warning: & has lower precedence than == // hint: (     ) // hint: (    )
        o[0] = a << 1 + b;              // warning: operator '<<' has lower precedence than '+' // hint: (    )
}
