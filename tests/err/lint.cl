// case: sizes -Wall
struct st { int x; };
int f(int a[4]) {
    return sizeof(a) / sizeof(a[0]);    // warning: sizeof on array function parameter // warning: 'sizeof (a)' will return the size of the pointer, not the array itself
}
kernel void k(global int *p, int i) {
    int a[4], b[2][3];
    struct st s[2];
    p[0] = sizeof(p) / sizeof(p[0]);    // warning: 'sizeof (p)' will return the size of the pointer, not the array itself
    p[0] = sizeof(p) / sizeof(int);     // warning: 'sizeof (p)' will return the size
    p[0] = sizeof(a) / sizeof(char);    // warning: does not compute the number of elements in this array; element type is 'int', not 'char'
    p[0] = sizeof(a) / (sizeof(char)); p[0] = sizeof(a) / sizeof(a[0]); p[0] = sizeof(a) / sizeof(float); p[0] = sizeof(b) / sizeof(b[0]);
    p[0] = sizeof(s) / sizeof(int); p[0] = sizeof(p) / sizeof(char); p[0] = sizeof(a) / 4;
    p[0] = sizeof(a + 1);               // warning: sizeof on pointer operation will return size of '__private int *' instead of 'int[4]'
    p[0] = sizeof(i++);                 // warning: expression with side effects has no effect in an unevaluated context
    p[0] = sizeof(i = 1);               // warning: expression with side effects has no effect
    p[0] = sizeof(i + 1) + i++;
}
// case: known-results -Wall
kernel void k(global int *p, int i, uint u, float f) {
    p[0] = i < 1 && i > 5;              // warning: overlapping comparisons always evaluate to false
    p[0] = i > 1 || 5 > i;              // warning: overlapping comparisons always evaluate to true
    p[0] = i == 1 && i == 2;            // warning: always evaluate to false
    p[0] = i != 1 || i != 2;            // warning: always evaluate to true
    p[0] = i > 1 && i < 5; p[0] = i == 1 || i == 2; p[0] = i < 1 && u > 5; p[0] = f < 1 && f > 5; p[0] = i < 1 || i > 5;
    p[0] = (i & 8) == 3;                // warning: bitwise comparison always evaluates to false
    p[0] = 3 != (i & 4);                // warning: bitwise comparison always evaluates to true
    p[0] = (i | 8) == 3;                // warning: bitwise comparison always evaluates to false
    if (i | 4) p[0] = 1;                // warning: bitwise or with non-zero value always evaluates to true
    p[0] = (i & 3) == 1; p[0] = (i | 1) == 3; if (i | u) p[0] = 2; if (i & 4) p[0] = 3;
}
// case: known-results-are-quiet
kernel void k(global int *p, int i) { p[0] = i < 1 && i > 5; p[0] = (i & 8) == 3; if (i | 4) p[0] = 1; }
// case: truth -Wall
kernel void k(global int *p, int a, int b) {
    bool x = a == b;
    p[0] = ~x;                          // warning: bitwise negation of a boolean expression; did you mean logical negation?
    p[0] = ~(a == b);                   // warning: bitwise negation of a boolean expression
    p[0] = ~a;
    p[0] = (a++ == 1) & (b++ == 1);     // warning: use of bitwise '&' with boolean operands
    p[0] = (a == 1) & (b == 1); p[0] = (a == 1) | (b++ == 1);
    x = a << 1;                         // warning: converting the result of '<<' to a boolean; did you mean '(a << 1) != 0'?
    x = 1 << 2;                         // warning: converting the result of '<<' to a boolean always evaluates to 'true'
    x = a ? 4 : 2;                      // warning: converting the result of '?:' with integer constants to a boolean always evaluates to 'true'
    x = a ? 0 : 1; x = (a << 1) != 0; if (a << 1) p[0] = 1;
}
// case: pointers -cl-std=CL2.0
struct __attribute__((packed)) p { char c; int i; short s; char d; float4 v; };
struct o { int x; struct p p; };
struct n { int x; struct { char c; int i; } in; };
void take(int *p) { *p = 1; }
int *f(int x) {
    int a[2], b; struct n n; static global int g;
    if (x == 1) return &x;              // warning: address of stack memory associated with parameter 'x' returned
    if (x == 2) return a;               // warning: address of stack memory associated with local variable 'a' returned
    if (x == 3) return &a[1];           // warning: address of stack memory associated with local variable 'a' returned
    if (x == 4) return &n.in.i;         // warning: address of stack memory associated with local variable 'n' returned
    return &g;
}
kernel void k(global int *p, global struct p *q, global struct o *o, global struct n *n, global char *text) {
    p[0] = p == '\0';                   // warning: comparing a pointer to a null character constant; did you mean to compare to NULL?
    p[0] = p == 0;
    global int *y = &q->i;              // warning: taking address of packed member 'i' of class or structure 'p' may result in an unaligned pointer value
    y = &o->p.i;                        // warning: taking address of packed member 'i' of class or structure 'p'
    take(&q->i);                        // warning: taking address of packed member 'i'
    global char *c = &q->c; c = &q->d; c = (global char *)&q->i; global void *v = &q->i; y = &n->in.i; ulong l = (ulong)&q->i;
    text = text + 'c';                  // warning: adding 'char' to a string pointer does not append to the string
    text = text + 1; text = text + p[0];
    constant char *s = "a" + 1;         // warning: adding 'int' to a string does not append to the string
    int a[2], b[2][3];
    private int *e = &a[2]; e = &b[1][3]; e = a + 2;
    e = &a[3];                          // warning: array index 3 is past the end of the array
    a[2] = 1;                           // warning: array index 2 is past the end of the array
    *(global int *)0 = y - p + c[0] + l; // warning: indirection of non-volatile null pointer will be deleted, not trap
}
// case: conversions
enum en { A, B };
enum fn { C };
enum { D };
kernel void k(global int *p, int i, uchar c) {
    i = 3000000000;                     // warning: implicit conversion from 'long' to 'int' changes value from 3000000000 to -1294967296
    i = 0x80000000; i = 4294967295u;
    i = 1e20f;                          // warning: implicit conversion of out of range value from 'float' to 'int' is undefined
    c = 1000.0f;                        // warning: implicit conversion of out of range value from 'float' to
    i = 1e9f;
    enum en e = C;                      // warning: implicit conversion from enumeration type 'enum fn' to different enumeration type 'enum en'
    e = A; e = D; e = 1; p[0] = e + i + c;
    switch (i) { case 3 ... 1: break; } // warning: empty case range specified
}
// case: initialisers -Wall -Wextra
struct st { int x, y; int a[2]; };
struct in { struct st s; int z; };
kernel void k(global int *p) {
    int a[2][2] = { 1, 2, 3, 4 };       // warning: suggest braces around initialization of subobject // warning: suggest braces
    struct st s = { 1 };                // warning: missing field 'y' initializer
    struct st t = { .x = 1 }, u = { 0 }, v = {}, w = { 1, 2, { 3, 4 } };
    struct in i = { 1, 2, { 3, 4 }, 5 };        // warning: suggest braces around initialization of subobject
    int b[2] = { [0] 1, [1] = 2 };      // warning: use of GNU 'missing =' extension in designator
    struct st x = { x: 1, y: 2 };       // warning: use of GNU old-style field designator extension // warning: use of GNU old-style
    int c = { { 1 } };                  // warning: too many braces around scalar initializer
    struct in o = { { 1, 2, { 3, 4 } } };       // warning: missing field 'z' initializer
    p[0] = a[0][0] + s.x + t.x + u.x + v.x + w.x + i.z + b[0] + x.x + c + o.z;
}
const int f(void) { return 1; }         // warning: 'const' type qualifier on return type has no effect
volatile const int g(void);             // warning: 'const volatile' type qualifiers on return type have no effect
int *const h(void);                     // warning: 'const' type qualifier on return type has no effect
const int *i(void);
// case: indentation -Wall
#define CHECK(x) if (x) return
kernel void k(global int *p, int a, int b) {
    if (a)
        p[0] = 1;
        p[1] = 2;                       // warning: misleading indentation; statement is not part of the previous 'if'
    for (int i = 0; i < a; i++)
        p[i] = 1;
        p[2] = 3;                       // warning: misleading indentation; statement is not part of the previous 'for'
    while (a--)
        p[0] = 1;
        p[1] = 4;                       // warning: misleading indentation; statement is not part of the previous 'while'
    if (b)
        p[0] = 2;
    else
        p[1] = 2;
        p[2] = 2;                       // warning: misleading indentation; statement is not part of the previous 'else'
    if (b) { p[0] = 1; }
        p[3] = 1;
    if (a) p[0] = 1;
    p[1] = 1;
    if (a)
    p[0] = 1;
    p[1] = 1;
    CHECK(a);
        p[2] = 1;
    if (a)
        p[0] = 1;
#ifdef X
#endif
        p[1] = 1;
    if (a)
        p[0] = 1; p[1] = 1;
    if (a) p[0] = 1; else
        p[0] = 2;
    p[1] = 1;
}
// case: loops -Wall
int change(int *p) { return *p = 1; }
kernel void k(global int *p, int a, int b) {
    for (int i = 0; i < a; a) p[i] = 1;         // warning: variables 'i' and 'a' used in loop condition not modified in loop body // warning: expression result unused
    for (int i = 0; a < b; i++) p[i] = 1;       // warning: variables 'a' and 'b' used in loop condition not modified in loop body
    for (; a < b;) p[0] = 1;                    // warning: variables 'a' and 'b' used in loop condition
    for (; a;) p[0] = 1;                        // warning: variable 'a' used in loop condition not modified in loop body
    for (int i = 0; i < a; i++) { p[i] = 1; i++; } // warning: variable 'i' is incremented both in the loop header and in the loop body
    for (int i = a; i; i--) { p[i] = 1; --i; }  // warning: variable 'i' is decremented both
    for (int i = 0; i < a; i++) { if (p[i]) continue; i++; }
    for (int i = 0; i < a; i++) { p[i] = 1; i--; }
    for (; a < b;) { if (p[0]) break; }
    for (; a < b;) { if (p[0]) return; }
    for (; a < b;) { for (b = 0;;) ; }
    for (; a < b;) p[0] = change(&a);
    for (; a < p[0];) p[1] = 1;
    for (int i = 0; i < a; p[i++] = 1) ;
    for (;;) p[0] = 1;
}
