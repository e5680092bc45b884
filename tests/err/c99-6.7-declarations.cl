// case: redeclarations
int f(int);
int f(int x) { return x; }              // note: previous definition is here
float f(int x);                         // error: conflicting types for 'f'
int f(int y) { return y; }              // error: redefinition of 'f'
constant int a = 1;                     // note: previous definition is here
constant int a = 2;                     // error: redefinition of 'a'
constant int f = 1;                     // error: redefinition of 'f' as different kind of symbol
void g(int x, float x);                 // error: redefinition of parameter 'x'
kernel void k(int n) {
    int n;                              // error: redefinition of 'n'
    int m; float m;                     // error: redefinition of 'm'
    { int m; { float n; } }
}
// case: overloads
int __attribute__((overloadable)) f(int x) { return x; } // note: candidate function
float __attribute__((overloadable)) f(float x) { return x; }
float4 __attribute__((overloadable)) f(float4 x) { return x; }
int __attribute__((overloadable)) g(int a, float b) { return 1; } // note: candidate function
int __attribute__((overloadable)) g(float a, int b) { return 2; } // note: candidate function
kernel void k(float x, float4 v, char c, global int *p) {
    x = f(c) + f(x) + f(v).x;
    g(1, 1.0f);
    g(1, 1);                            // error: call to 'g' is ambiguous
    f(p);                               // error: no matching function
}
// case: user-shadows-builtin
// clang: refuses; an overload hides the library's there, but not with the header that other drivers include
float clamp(float x) { return x; }
float4 __attribute__((overloadable)) min(float4 a, int b) { return a; }
kernel void k(global float *p) { p[0] = clamp(p[0]) + min(1.0f, 2.0f) + min((float4)(1), 2).x; float max = 1; p[1] = max; }
// case: overloads-without-attribute
int __attribute__((overloadable)) f(local int *p) { return 1; }
int f(float x) { return 3; }                            // note: previous unmarked overload of function is here
int __attribute__((overloadable)) f(global int *p) { return 2; }
int f(char x) { return 3; }                             // error: at most one overload for a given name may lack the 'overloadable' attribute
int f(float x);
// case: initialisers
struct s { int a, b; float4 v; int c[2]; };
kernel void k(void) {
    struct s x = {1, 2, (float4)(1), {3, 4}}, y = {.b = 1, .c[1] = 2}, z = {1, 2, 3, 4, 5};
    int a[] = {1, 2, 3}, b[2] = {1, 2, 3}; // warning: excess elements in array initializer
    int c[] = {[4] = 1, 2}, d[2][2] = {1, 2, 3, 4}, e[2][2] = {{1}, {2}};
    _Static_assert(sizeof(a) == 12 && sizeof(c) == 24, "");
    struct s w = {.d = 1};              // error: field designator 'd' does not refer to any field
    int f[2] = {[2] = 1};               // error: array designator index (2) exceeds array bounds (2)
    int g[2] = 1;                       // error: array initializer must be an initializer list
    int h = {1}, i = {1, 2};            // warning: excess elements in scalar initializer
    struct s v = 1;                     // error: initializing 'struct s' with an expression of incompatible type 'int'
    char t[] = "abc", u[2] = "abc";     // warning: initializer-string for char array is too long
    int j[];                            // error: needs an explicit size or an initializer
    struct s q = x, r = (struct s){1};
    _Static_assert(sizeof(t) == 4, "");
}
// case: constant-initialisers
constant int a = 1;
constant int b = a + 1, c[] = {a, 2, sizeof(int)};
constant int *constant p = &a;
constant int *constant q[] = {&c[1], c + 2, 0};
constant float4 v = (float4)(1, 2, 3, 4) * 2.0f;
constant struct { int x; constant char *s; } r[] = {{1, "one"}, {2, "two"}};
int f(int x) { return x; }
constant int d = f(1);                  // error: initializer element is not a compile-time constant
constant int e = get_global_id(0);      // error: initializer element is not a compile-time constant
// case: enums
enum e { A, B = 5, C, D = -1, E = C + 10 };
_Static_assert(C == 6 && E == 16 && sizeof(enum e) == 4, "");
enum e f(enum e x) { switch (x) { case A: return B; case 6: return x; default: return D; } }
enum empty { };                         // error: use of empty enum
// case: syntax
int f(int x) { return x }               // error: expected ';' after return statement
int g(int x) { int y = ; return 1; }    // error: expected expression
int h(int x { return x; }               // error: expected ')'
int i(void) { return (1 + 2; }          // error: expected ')'
}                                       // error: extraneous closing brace
kernel void k(void) { int a[2; }        // error: expected ']'
kernel void l(void) { for (;;;) {} }    // error: unexpected ';' before ')'
// case: overriding
struct s { int a, b; struct { int c[2]; } in; };
constant int table[] = {[2] = 1, [1] = 2, 3};   // warning: initializer overrides prior initialization of this subobject
kernel void k(global int *p) {
    struct s s = {.b = 1, .a = 2, .a = 3};      // warning: initializer overrides prior initialization of this subobject
    struct s t = {.in.c[0] = 1, .in.c[1] = 2, .a = 3};
    int4 v = {1, 2, 3, 4, 5};                   // error: excess elements in vector initializer
    p[0] = s.a + t.a;
}
// case: without-names
static struct v { int z; };                     // warning: 'static' ignored on this declaration
typedef struct x { int z; };                    // warning: typedef requires a name
enum e { LAST = 0x7fffffff, OVER };             // warning: overflow in enumeration value
kernel void k(global int *p) { }
// case: one-message-each
kernal void a(global int *p) { p[0] = 1; }      // error: unknown type name 'kernal'; did you mean 'kernel'?
kernel void b(globl int *p) { p[0] = 1; }       // error: unknown type name 'globl'; did you mean 'global'?
struct s { int x };                             // warning: expected ';' at end of declaration list
kernel void c(global int *p) {
    int i = 0 int j = 1; p[i] = j;              // error: expected ';' at end of declaration
    int k = static_cast<int>(p[0]); p[1] = k;   // error: use of undeclared identifier 'static_cast' // error: expected expression
    p[0] = (1 + 2)); p[1] = 3;                  // error: extraneous ')' before ';'
    p[0] = later(1) + later(2); p[1] = later(3); // error: implicit declaration of function 'later'
}
extern "C" {                                    // error: 'extern "C"' is not part of OpenCL C
int d(int x) { return x; }
}
kernel void e(global int *p) { p[0] = d(1); }
// case: declared-behind-its-call
kernel void k(global int *p)
{
    p[0] = later();                                     // error: implicit declaration of function 'later' is invalid in OpenCL
    int later(void);
    p[1] = later();
}
// case: defined-behind-its-call
void f(void)
{
    other();                                            // error: implicit declaration of function 'other'
    void other(void) { }                                // error: function definition is not allowed here
    other() + 1;                                        // error: invalid operands to binary expression
}
// case: a-variable-behind-its-call
void f(void)
{
    other();                                            // error: implicit declaration of function 'other'
    other;
    { typedef int other; other x; struct other { int y; }; }
}
// case: auto-type
constant __auto_type c = 3;
__auto_type g = 1;                      // error: program scope variable must reside in constant address space
void f(__auto_type x) { }               // error: '__auto_type' not allowed
kernel void k(global int *p, global float4 *v) {
    __auto_type n = p[0], m = 2;
    const __auto_type *q;               // error: '__auto_type' is for a plain name with an initializer
    __auto_type r = p, s = v[0].x > 1 ? p : r;
    __auto_type w = *v;
    for (__auto_type i = 0; i < c; i++)
        s[i] = n + m + w.x;
    __auto_type x;                      // error: declaration of variable 'x' with deduced type '__auto_type' requires an initializer
    __auto_type y = {1};                // error: cannot use __auto_type with initializer list in C
    __auto_type a = 1, b = 2.0f;        // error: '__auto_type' deduced as 'int' in declaration of 'a' and deduced as 'float' in declaration of 'b'
    __auto_type z = z;                  // error: use of undeclared identifier 'z'
    const __auto_type d = 1;
    d = 2;                              // error: cannot assign to variable 'd' with const-qualified type 'const int'
    struct t { __auto_type m; };        // error: '__auto_type' not allowed
    typedef __auto_type u;              // error: '__auto_type' not allowed in typedef
}
// case: another-type
void f(void) {
    int a = 1;                          // note: previous definition is here
    float a;                            // error: redefinition of 'a' with a different type: 'float' vs 'int'
    int b;
    int b;                              // error: redefinition of 'b'
}
// case: announced
struct x;                               // note: forward declaration of 'struct x'
int f(void) { return sizeof(struct x); } // error: invalid application of 'sizeof' to an incomplete type 'struct x'
void g(void) { struct x y; }            // error: variable has incomplete type 'struct x'
