// case: lvalues
kernel void k(global const int *p, const int n, global int *q) {
    1 = 2;                              // error: expression is not assignable
    n = 1;                              // error: cannot assign to variable 'n' with const-qualified type 'const int'
    *p = 1;                             // error: read-only variable is not assignable
    (n + 1)++;                          // error: expression is not assignable
    int a[2], b[2];
    a = b;                              // error: array type 'int[2]' is not assignable
    q = &1;                             // error: cannot take the address of an rvalue of type 'int'
    *n = 1;                             // error: indirection requires pointer operand ('int' invalid)
    (a[0]) = 1; *&a[1] = 2; a[0]++, --a[1];
}
// case: operands
struct s { int x; };
kernel void k(struct s a, struct s b, global int *p, global float *f, int i, float x) {
    i = a + b;                          // error: invalid operands to binary expression ('struct s' and 'struct s')
    i = x % 2;                          // error: invalid operands to binary expression
    i = x << 1;                         // error: invalid operands to binary expression
    i = ~x;                             // error: invalid argument type 'float' to unary expression
    i = -a;                             // error: invalid argument type 'struct s' to unary expression
    i = p * 2;                          // error: invalid operands to binary expression
    i = p + p;                          // error: invalid operands to binary expression
    i = p - f;                          // error: are not pointers to compatible types
    i = p - (p + 1); i = p == 0; i = !p; i = p && x; a = b; p += i; p -= 1; p++; p = 1 + p;
    if (a) {}                           // error: statement requires expression of scalar type ('struct s' invalid)
    i = a ? 1 : 2;                      // error: used type 'struct s' where arithmetic or pointer type is required
    a = 1;                              // error: assigning to 'struct s' from incompatible type 'int'
    i = i ? a : 1;                      // error: incompatible operand types
    i = x ? 1 : 2;                      // error: used type 'float' where floating point type is not allowed
    p = x;                              // error: assigning to '__global int *' from incompatible type 'float'
    p = i;                              // error: incompatible integer to pointer conversion
}
// case: members
struct s { int value; struct { int in; }; union { float f; uint u; } w; };
kernel void k(struct s a, global struct s *p, int i) {
    a.value = p->value; a.in = p->in; p->w.u = a.w.u; (*p).value = 1;
    a.valeu = 1;                        // error: no member named 'valeu' in 'struct s'; did you mean 'value'?
    p.value = 1;                        // error: is a pointer; did you mean to use '->'?
    a->value = 1;                       // error: member reference type 'struct s' is not a pointer
    i.x = 1;                            // error: member reference base type 'int' is not a structure or union
    a. = 1;                             // error: expected identifier
}
// case: calls
int f(int a, float b);                  // note: 'f' declared here // note: 'f' declared here
kernel void k(int i) {
    f(1);                               // error: too few arguments to function call, expected 2, have 1
    f(1, 2, 3);                         // error: too many arguments to function call, expected 2, have 3
    i();                                // error: called object type 'int' is not a function or function pointer
    nowhere(1);                         // error: implicit declaration of function 'nowhere' is invalid in OpenCL
    elsewhere = 1; elsewhere++;         // error: use of undeclared identifier 'elsewhere'
}
// case: subscripts
kernel void k(global int *p, int i, float x) {
    i = p[x];                           // error: array subscript is not an integer
    i = i[i];                           // error: subscripted value is not an array, pointer, or vector
    i = 1[p]; i = p[1u]; i = "abc"[1];
    int a[3]; a[3] = 1;                 // warning: array index 3 is past the end of the array
    a[-1] = 2;                          // warning: array index -1 is before the beginning of the array
}
// case: constants
_Static_assert(1 + 2 * 3 == 7 && -1 / 2 == 0 && 7 % -4 == 3 && 1u - 2 > 0, "");
_Static_assert((1 << 33) == 2 && (-8 >> 1) == -4 && (uchar)300 == 44 && (char)200 == -56, "");
_Static_assert((int)1.9f == 1 && 0x7fffffff + 1u == 0x80000000, "");
_Static_assert(1 ? 1 : 0, "");
_Static_assert(sizeof(int) == 8, "no such int"); // error: static assertion failed: no such int
kernel void k(int n) {
    int a = 1 / 0;                      // warning: division by zero is undefined
    a = n % 0;                          // warning: remainder by zero is undefined
    a = n << -1;
    char c = 300;                       // warning: changes value from 300 to 44
    a = 1.5f;                           // warning: changes value from 1.5 to 1
    uchar u = -1; u = 255; c = 127; a = 0xffffffff; ulong l = -1;
}
// case: casts
struct s { int x; };
kernel void k(struct s a, global int *p, float x, int i) {
    a = (struct s)a;
    i = (int)a;                         // error: where arithmetic or pointer type is required
    x = (float)p;                       // error: cannot be cast to type
    p = (global int *)x;                // error: cannot be cast to type
    p = (global int *)i; i = (int)p; (void)i; i = (int)(uintptr_t)p; i = (bool)p; // warning: cast to smaller integer type // warning: from smaller integer type
}
// case: gnu
kernel void k(int n, global int *out) {
    n = n ?: 4;
    n = ({ int t = n; t + 1; });
    __typeof__(n) m = n;
    out[0] = __builtin_constant_p(3) + __builtin_choose_expr(1, 2, "x") + __builtin_expect(n, 1);
    out[1] = _Generic(n, int: 1, float: 2) + _Generic(1.0f, int: 1, default: 3) + m;
    if (n) __builtin_unreachable();
    out[2] = __builtin_shufflevector((int2)(1, 2), (int2)(3, 4), 0, 3).y;
}
// case: deep
kernel void k(global int *p) { p[0] = ((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))); }
// case: suggestions
struct s { int value; };
typedef int number;                     // note: 'number' declared here
kernel void k(global int *p) {
    int length = get_gobal_id(0);       // error: 'get_gobal_id' is invalid in OpenCL; did you mean 'get_global_id'?
    struct s q; q.vlaue = 1;            // error: no member named 'vlaue' in 'struct s'; did you mean 'value'?
    p[0] = lenght;                      // error: use of undeclared identifier 'lenght'; did you mean 'length'?
    lenght++; p[1] = lenght;
    numbre n;                           // error: unknown type name 'numbre'; did you mean 'number'?
    siez_t m; floot4 x;                 // error: did you mean 'size_t'? // error: did you mean 'float4'?
    p[2] = nothing_like_it(1);          // error: implicit declaration of function 'nothing_like_it' is invalid in OpenCL
    p[3] = nothing_like_it(2) + nothing_like_it(3);
}
// case: unavailable -cl-std=CL1.2
kernel void k(global int *p) {
    p[0] = work_group_any(p[0]);        // error: 'work_group_any' is invalid in OpenCL // note: the built-in function 'work_group_any' needs
}
// case: parenthesised-builtins
#define min(a, b) wrong
kernel void k(global int *p) { p[0] = ((min))(p[1], (((max))(p[2], 3))) + (((clamp)))(p[0], 1, 2); }
// case: checked-arithmetic
kernel void k(global int *p, global uint *u, local int *l) {
    const int c = 1;
    float f;
    if (__builtin_add_overflow(p[0], 1L, u))
        p[0] = __builtin_smul_overflow(p[1], p[2], (int *)0);
    __builtin_mul_overflow(1, 2, &f);   // error: result argument to overflow builtin must be a pointer to a non-const integer ('__private float *' invalid)
    __builtin_sub_overflow(1, 2, &c);   // error: result argument to overflow builtin must be a pointer to a non-const integer
    __builtin_add_overflow(1.0f, 2, p); // error: operand argument to overflow builtin must be an integer ('float' invalid)
    __builtin_add_overflow(1, 2);       // error: too few arguments to function call, expected 3, have 2
    __builtin_uadd_overflow(1, 2, l);   // error: passing '__local int *' to parameter of type '__private unsigned int *' changes address space of pointer
}
// case: memory-forms
kernel void k(global int *p, global const int *q) {
    int a[4], b[4];
    __builtin_memcpy(a, p, sizeof(a));
    __builtin_memmove(a, b, 8);
    __builtin_memset(a, 0, sizeof(a));
    __builtin_memcpy(p, 4, a);          // error: passing
    __builtin_memset(q, 0, 4);          // error: passing 'const __global int *' to parameter of type 'void *' of '__builtin_memset'
    __builtin_memset(p, 0);             // error: too few arguments to function call, expected 3, have 2
    p[0] = a[0] + b[0];
}
// case: elementwise
kernel void k(global int4 *v, global float *f, uint u) {
    v[0] = __builtin_elementwise_max(v[0], v[1]) + __builtin_elementwise_abs(v[2]);
    f[0] = __builtin_elementwise_floor(f[1]) + __builtin_reduce_add(v[0]);
    __builtin_elementwise_max(1, f[0]); // error: arguments are of different types ('int' vs 'float')
    __builtin_elementwise_abs(u);       // error: 1st argument must be a signed integer or floating point type (was 'uint'
    __builtin_elementwise_ceil(1);      // error: 1st argument must be a floating point type (was 'int')
    __builtin_elementwise_min(f[0]);    // error: too few arguments to function call, expected 2, have 1
    __builtin_elementwise_add_sat(f[0], f[1]); // error: 1st argument must be a vector of integers or an integer type (was 'float')
    __builtin_reduce_xor(u);            // error: 1st argument must be a vector of integers (was 'uint'
}
// case: members-and-more
struct s { int abc; };                  // note: 'abc' declared here
int f(int a, int b);
void g(global struct s *p) {
    p->abd = 1;                         // error: no member named 'abd' in 'struct s'; did you mean 'abc'?
    p[0]->abc = 2;                      // error: member reference type 'struct s' is not a pointer; did you mean to use '.'?
    f(1, 2,
      3);                               // error: too many arguments to function call, expected 2, have 3
    float4 v = (float4)(1, 2, 3, 4,
                        5);             // error: excess elements in vector initialization (expected 4 elements, have 5)
}
// case: commas
kernel void k(read_only image2d_t i, sampler_t s, global int *p) {
    p[0] = (i, 1);                      // warning: left operand // error: invalid operands to binary expression ('image2d_t' (aka '__read_only image2d_t') and 'int')
    p[0] = (1, s, 2);                   // error: invalid operands to binary expression ('int' and 'sampler_t') // warning: left operand of comma operator has no effect
    event_t e; p[0] = (e, 1);           // warning: left operand of comma operator has no effect
}
// case: literal-of-undefined-structure
kernel void k(global int *out) {
    out[0] = 3 + ((struct undefined){1, 2}); // error: variable has incomplete type 'struct undefined' // note: forward declaration of 'struct undefined'
}
// case: clang-bits
kernel void k(global int *o, global uint *u, float f, float4 v, local ulong *w) {
    o[0] = __builtin_clz(f) + __builtin_ctz((uchar)o[1]);
    o[1] = __builtin_ffs();                   // error: too few arguments to function call, expected 1, have 0
    o[2] = __builtin_popcount(o[1], 2);       // error: too many arguments to function call, expected 1, have 2
    o[3] = __builtin_parity(v);               // error: passing 'float4' (vector of 4 'float' values) to parameter of incompatible type 'unsigned int'
    o[4] = __builtin_addc(1u, 2u, 0u, w);     // error: changes address space of pointer
    o[5] = __builtin_clzb(3);                 // error: implicit declaration of function '__builtin_clzb'
    o[6] = __builtin_nontemporal_load(o[1]);  // error: address argument to '__builtin_nontemporal_load' must be a pointer
    v = __builtin_shufflevector(v, (int2)(1)); // error: must be vectors, the second of as many integers
    __builtin_nontemporal_store(v, o);        // error: assigning to 'int' from incompatible type 'float4'
}
// case: const-arrays
typedef const float row[3];
void f(const float (*m)[3]) {}
void g(const float (*m)[2][3]) {}
void h(float (*m)[3]) {}
void v(volatile float (*m)[3]) {}
void w(float (*m)[4]) {}
kernel void k(global float *out) {
    float m[3][3], n[4][2][3];
    row rows[2];
    f(m); g(n); v(m); f(rows);
    const float (*p)[3] = m;
    w(m);                               // warning: incompatible pointer type
    h(rows);                            // warning: discards qualifiers
    float (*z)[3] = p;                  // warning: discards qualifiers
    f(z);
}
// case: operands-as-written
kernel void k(global float *p, float f, int4 v) {
    p[0] = f % 2;                       // error: invalid operands to binary expression ('float' and 'int')
    p[1] = 3 & f;                       // error: invalid operands to binary expression ('int' and 'float')
    f |= 4;                             // error: invalid operands to binary expression ('float' and 'int')
    p[2] = v % 2.0f;                    // error: invalid operands to binary expression ('int4' (vector of 4 'int' values) and 'float')
}
