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
