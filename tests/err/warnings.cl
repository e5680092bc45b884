// case: unused
struct s { int x; };
float square(float x) __attribute__((const));
float square(float x) { return x * x; }
__attribute__((warn_unused_result)) int must(int x) { return x; }
#define BOTH(x) ({ x; })
kernel void k(global int *p, volatile global int *v, int a, int b, struct s s) {
    a;                                  // warning: expression result unused
    a + b; -a; p[0]; s.x; "text";       // warning: unused // warning: unused // warning: unused // warning: unused // warning: unused
    a == b;                             // warning: equality comparison result unused
    a < b;                              // warning: relational comparison result unused
    (a, b);                             // warning: left operand of comma operator has no effect // warning: unused
    a ? a : b; (float)a; sizeof(a);     // warning: unused // warning: unused // warning: unused
    square(1.0f);                       // warning: ignoring return value of function declared with const attribute
    min(a, b); get_global_id(0);        // warning: ignoring return value // warning: ignoring return value
    must(a);                            // warning: ignoring return value of function declared with 'warn_unused_result' attribute
    for (; a; a + 1) b = must(b);       // warning: expression result unused
    ({ a; });                           // warning: expression result unused
    *v; (void)a; a++; a && b++; a ? b++ : 0; BOTH(a); atomic_inc(p); b = (must(a), b); // warning: ignoring return value
}
// case: precedence
kernel void k(global int *p, int a, int b, const int c) {
    if ((c == b)) p[0] = 1;
    if ((a == b)) p[0] = 1;             // warning: equality comparison with extraneous parentheses
    if (a & b == 1) p[0] = 1;           // warning: & has lower precedence than ==; == will be evaluated first
    p[1] = a << 1 + b;                  // warning: operator '<<' has lower precedence than '+'; '+' will be evaluated first
    p[1] = a + (b > 1) ? 1 : 2;         // warning: operator '?:' has lower precedence than '+'; '+' will be evaluated first
    p[1] = a | b > 1 ? 1 : 2;           // warning: operator '?:' has lower precedence than '|' // warning: | has lower precedence than >
    p[1] = !a == b;                     // warning: logical not is only applied to the left hand side of this comparison
    p[1] = !a & b;                      // warning: logical not is only applied to the left hand side of this bitwise operator
    p[1] = 2 ^ 8;                       // warning: result of '2 ^ 8' is 10; did you mean '1 << 8' (256)?
    p[1] = 10 ^ 8;                      // warning: result of '10 ^ 8' is 2; did you mean '1e8'?
    p[1] = 0x2 ^ 8; p[1] = (a == b) & (a < b); p[1] = a == b & a < b; p[1] = a && b || a; p[1] = a & b | 1;
    p[1] = a + b ? 1 : 2; p[1] = (!a) == b; p[1] = !(a == b); p[1] = !a == !b;
}
// case: precedence-all -Wall
kernel void k(global int *p, int a, int b) {
    p[1] = a && b || a;                 // warning: '&&' within '||'
    p[1] = a & b | 1;                   // warning: '&' within '|'
    a = a;                              // warning: explicitly assigning value of variable of type 'int' to itself
}
// case: bodies
kernel void k(global int *p, int a, int b) {
    if (a) if (b) p[0] = 1; else p[0] = 2;              // warning: add explicit braces to avoid dangling else
    if (a) for (;;) if (b) p[0] = 1; else p[0] = 2;     // warning: add explicit braces to avoid dangling else
    if (a) { if (b) p[0] = 1; else p[0] = 2; }
    if (a) if (b) p[0] = 1; else p[0] = 2; else p[0] = 3;
    if (a);                             // warning: if statement has empty body
    while (a--); { p[0] = 1; }          // warning: while loop has empty body
    for (int i = 0; i < a; i++);        // warning: for loop has empty body
        p[0] = 1;
    while (a--)
        ;
    while (a++);
    switch (a);                         // warning: switch statement has empty body
}
// case: comparisons -cl-std=CL2.0
enum e { A, B };
enum f { C, D };
#define SAME(x) ((x) == (x))
kernel void k(global int *p, int a, uint u, uchar c, char s, float x, enum e e, enum f f) {
    p[0] = a == a;                      // warning: self-comparison always evaluates to true
    p[0] = p[a] != p[a];                // warning: self-comparison always evaluates to false
    p[0] = x != x; p[0] = SAME(a); p[0] = p[a] == p[a + 1];
    p[0] = c == 256;                    // warning: result of comparison of constant 256 with expression of type 'uchar' (aka 'unsigned char') is always false
    p[0] = s > 200;                     // warning: is always false
    p[0] = 300 > c;                     // warning: is always true
    p[0] = s == 200u;                   // warning: is always false
    p[0] = a == 5000000000;             // warning: result of comparison of constant 5000000000 with expression of type 'int' is always false
    p[0] = (a < 3) > 4;                 // warning: with boolean expression is always false
    p[0] = u == -1; p[0] = u < 0; p[0] = s == -1; p[0] = s < 127; p[0] = (a < 3) > 0; p[0] = s == 0xffffff80u;
    p[0] = "a" == "b";                  // warning: result of comparison against a string literal is unspecified
    int array[4];
    p[0] = array == 0;                  // warning: comparison of array 'array' equal to a null pointer is always false
    p[0] = &a != 0;                     // warning: comparison of address of 'a' not equal to a null pointer is always true
    bool b = &a;                        // warning: address of 'a' will always evaluate to 'true'
    p[0] = a && 4;                      // warning: use of logical '&&' with constant operand
    p[0] = a && B; p[0] = a || true; p[0] = a && sizeof(a) == 4;
    p[0] = e == f;                      // warning: comparison of different enumeration types ('enum e' and 'enum f')
    e = f;                              // warning: implicit conversion from enumeration type 'enum f' to different enumeration type 'enum e'
}
// case: constants
kernel void k(global int *p, global float *f, int a) {
    p[0] = 65536 * 65536;               // warning: overflow in expression; result is 0 with type 'int'
    p[0] = 2147483647 + 1;              // warning: overflow in expression; result is -2147483648 with type 'int'
    f[0] = 16777217;                    // warning: implicit conversion from 'int' to 'float' changes value from 16777217 to 16777216
    bool b = 2.5f;                      // warning: implicit conversion from 'float' to 'bool' changes value from 2.5 to true
    f[0] = 16777216; p[0] = 65535u * 65536u; b = 1.0f; b = 3;
    global int *q = (global int *)a;    // warning: cast to '__global int *' from smaller integer type 'int'
}
// case: switches
enum e { A, B, C };
int f(enum e e) { switch (e) { case A: return 1; case B: return 2; } return 0; } // warning: enumeration value 'C' not handled in switch
int g(enum e e) { switch (e) { case A: case B: case C: return 1; } }
int h(enum e e) { switch (e) { case A: default: return 1; case 7: return 2; } }  // warning: case value not in enumerated type 'enum e'
int i(uchar c) { switch (c) { case 300: return 1; } return 0; }                  // warning: overflow converting case value to switch condition type (300 to 44)
int j(int x) { switch (x == 1) { default: return 0; } }                          // warning: switch condition has boolean value
int l(void) { switch (1) { case 2: return 1; } return 0; }                       // warning: no case matching constant switch condition '1'
int m(enum e e) { switch (e) { } return 0; }                                     // warning: enumeration values 'A', 'B', and 'C' not handled in switch
kernel void k(global int *p) {}
// case: results
int a(int x) { if (x) return 1; }                                                // warning: non-void function does not return a value in all control paths
int b(int x) { while (1) { if (x) return 1; } }
int c(int x) { while (1) { if (x) break; } }                                     // warning: non-void function does not return a value
int d(int x) { switch (x) { case 1: return 1; default: return 2; } }
int e(int x) { switch (x) { case 1: break; default: return 2; } }                // warning: in all control paths
int f(int x) { do { return 1; } while (0); }
int g(int x) { do { if (x) continue; return 1; } while (0); }                    // warning: in all control paths
int h(int x) { return x; ; }
int i(int x) { if (1) return 1; }
int j(int x) { again: if (x) return 1; goto again; }
int l(int x) { }                                                                 // warning: non-void function does not return a value
int m(int x) { for (int i = 0; i < 4; i++) if (x) return i; }                    // warning: in all control paths
int n(int x) { for (;;) switch (x) { case 1: break; case 2: return 3; } }
int o(int x) { goto out; x++; out: return x; }
kernel void k(global int *p) {}
// case: unused-declarations -Wall -Wextra
static int never(int x) { return x; }   // warning: unused function 'never'
static inline int small(int x) { return x; } // warning: unused function 'small'
static int once(int x) { return x; }
__attribute__((unused)) static int spare(int x) { return x; }
kernel void k(global int *p, int b) {   // warning: unused parameter 'b'
    int a = 1;                          // warning: unused variable 'a'
    int c __attribute__((unused)) = 2, d;
    d = once(3); p[0] = d;
}
// case: unused-names -Wall -Wextra -cl-std=CL2.0
static constant int never = 1;          // warning: unused variable 'never'
static constant int once = 1;
static const constant int quiet = 1;    // warning: unused variable 'quiet' 
struct s { int x; };
int f(int x, int y, int z) {            // warning: parameter 'x' set but not used // warning: parameter 'y' set but not used
    typedef int word;                   // warning: unused typedef 'word'
    typedef int used;
    typedef int spare __attribute__((unused));
    used a = 1;                         // warning: variable 'a' set but not used
    a += 2; a++; --a;
    int b = 1; b = (b + 1);
    int c[2]; c[0] = 1;
    struct s d; d.x = 1;
    int *e; e = &z;                     // warning: variable 'e' set but not used
    volatile int g; g += 1;
    int h; z = (h = 1);
    int i; sizeof(i);                   // warning: expression result unused
    int j __attribute__((unused)); j = 1;
    for (int l = 0, m = 0; l < 2; l++, m++)
        z++;
    float4 v; v.x = 1;
    const int n = 1;                    // warning: unused variable 'n'
    x = 1;
    y++;
again:                                  // warning: unused label 'again'
    z++;
out: __attribute__((unused))
    z++;
back:
    if (z < 10) goto back;
    return z + once;
}
kernel void k(global int *p) { p[0] = f(1, 2, 3); }
// case: nothing-about-names-after-an-error -Wall -Wextra
kernel void k(global int *p, int b) {
    int a = c, d; d = 1;                // error: use of undeclared identifier 'c'
    typedef int word;
}
int f(int x) { }                        // warning: unused parameter 'x'
kernel void l(global int *p, int b) {   // warning: unused parameter 'p' // warning: unused parameter 'b'
    int a;                              // warning: unused variable 'a'
}
// case: vectors-that-are-not-set -Wall
kernel void k(global float4 *p) {
    float4 a, b, c;                     // note: initialize the variable 'a' to silence this warning
    b.x = 1; b.yzw = (float3)(1);
    c[0] = 1;
    p[0] = a;                           // warning: variable 'a' is uninitialized when used here
    p[1] = b + c;
}
// case: declarations
int deprecated(int x) __attribute__((deprecated));
int deprecated(int x) { return x; }
void forever(void) __attribute__((noreturn));
void forever(void) { }                              // warning: function 'forever' declared 'noreturn' should not return
void hidden(struct q *q);                           // warning: declaration of 'struct q' will not be visible outside of this function
#define PLUS(x) ((x) + 1)
kernel void k(global int *p, float f) {
    const const int a = deprecated(1);              // warning: duplicate 'const' declaration specifier // warning: 'deprecated' is deprecated
    p[0] = f == 0.1;                                // warning: floating-point comparison is always false; constant cannot be represented exactly in type 'float'
    p[0] = f == 0.5;
    *(int *)0 = a;                                  // warning: indirection of non-volatile null pointer will be deleted, not trap
    constant char *s = "a" + p[1];                  // warning: adding 'int' to a string does not append to the string
    p[0] =- 1;                                      // warning: use of unary operator that may be intended as compound assignment (-=)
    p[0] = -1; p[0]=-1; p[2] = s[0];
    PLUS(a);
    /* /* */                                        // warning: '/*' within block comment
}
// case: groups -Wno-unused-value -Wno-parentheses -Wno-everything -Wconversion
kernel void k(global int *p, int a, int b) {
    a == b; a + b;
    p[0] = a << 1 + b;
    char c = 300;                       // warning: changes value from 300 to 44
    p[1] = c;
}
// case: groups-of-errors -Werror=unused
// clang: accepts, for it is run with -w
kernel void k(global int *p, int a, int b) {
    a == b;                             // error: equality comparison result unused
    p[0] = a << 1 + b;                  // warning: operator '<<' has lower precedence than '+'
}
// case: uninitialized -Wall
kernel void k(global int *p)
{
    int a, b, c, d, e, f, g, h, i;       // note: initialize the variable 'a' to silence this warning // warning: variable 'e' set but not used
    p[0] = a;                            // warning: variable 'a' is uninitialized when used here
    p[0] = a;
    if (p[1])                            // warning: variable 'b' is used uninitialized whenever 'if' condition is false
        b = 1;
    p[2] = b;                            // note: uninitialized use occurs here
    while (p[3]) {                       // warning: variable 'c' is used uninitialized whenever 'while' loop exits because its condition is false
        c = 1;
        break;
    }
    p[4] = c;                            // note: uninitialized use occurs here
    if (p[5] && (d = p[6]))              // warning: variable 'd' is used uninitialized whenever '&&' condition is false
        p[7] = d;
    p[8] = d;                            // note: uninitialized use occurs here
    e++;                                 // warning: variable 'e' is uninitialized when used here
    int own = own + 1;                   // warning: variable 'own' is uninitialized when used within its own initialization
    if (p[9])
        f = 1;
    if (p[9])
        p[10] = f;                       /* under a condition of its own */
    for (int n = 0; n < p[11]; n++)
        g = n;
    p[12] = g;
    if (p[13])
        h = 1;
    else
        return;
    p[14] = h;
    (void)i;
    p[15] = own;
}
// case: unsequenced
int f(int x) { return x; }
kernel void k(global int *p)
{
    int i = 0, j = 0;
    i = i++ + 1;                         // warning: multiple unsequenced modifications to 'i'
    p[i] = i++;                          // warning: unsequenced modification and access to 'i'
    p[0] = i++ + i++;                    // warning: multiple unsequenced modifications to 'i'
    i = f(i++);
    p[i++] = p[j++];
    p[1] = (j++, j) + (i && i++);
    p[j] = j ? i++ : i--;
    j += j++;                            // warning: unsequenced modification and access to 'j'
}
// case: size-of-array-parameter
void f(int a[4], int *b) { b[0] = sizeof(a) + sizeof(b); } // warning: sizeof on array function parameter will return size of
// case: folded-conditions -Wall
kernel void k(global int *p, int x) {
    int a;                              // note: initialize the variable 'a' to silence this warning
    p[0] = 1 && 0;                      // warning: use of logical '&&' with constant operand
    p[1] = (0 || 1) + (0 && x);         // warning: use of logical '||' with constant operand
    if (1 && 0) p[2] = 1;               // warning: use of logical '&&' with constant operand
    p[3] = 0 && a;
    p[4] = a;                           // warning: variable 'a' is uninitialized when used here
}
// case: constants-of-128-bits
kernel void k(global long *p, int i, long l) {
    p[0] = -9223372036854775808;
    p[1] = -9223372036854775808 - 1;        // warning: implicit conversion from 'long long' to 'long' changes value from -9223372036854775809 to 9223372036854775807
    i = 9223372036854775808;                // warning: implicit conversion from 'long long' to 'int' changes value from 9223372036854775808 to 0
    p[2] = l < 9223372036854775808;         // warning: result of comparison of constant 9223372036854775808 with expression of type 'long' is always true
    p[3] = l + 340282366920938463463374607431768211456; // error: integer literal is too large to be represented in any integer type
    l = 170141183460469231731687303715884105728; // warning: interpreting as unsigned // warning: implicit conversion from 'unsigned long long' to 'long' changes value from 170141183460469231731687303715884105728 to 0
}
