// Cooperative matrices: docs/matrices.md. What clang says is in its pull request 221328.

#define S CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP
#define MATRIX(type, rows, columns, use) type __attribute__((coop_mat(S, rows, columns, CLK_COOPERATIVE_MATRIX_##use)))
#define TYPES                                                                                                          \
    typedef MATRIX(float, 16, 16, A) a_t;                                                                              \
    typedef MATRIX(float, 16, 16, B) b_t;                                                                              \
    typedef MATRIX(float, 16, 16, ACCUMULATOR) c_t;                                                                    \
    typedef MATRIX(int, 16, 16, ACCUMULATOR) i_t;                                                                      \
    typedef MATRIX(float, 8, 16, B) short_t;
#define VARIABLES a_t a; b_t b; c_t c; i_t i; short_t s; float x

// case: matrix-types -cl-std=CL3.0
TYPES
typedef float __attribute__((coop_mat(0, 16, 16, CLK_COOPERATIVE_MATRIX_A))) bad_scope; // error: invalid 'scope' argument of cooperative matrix attribute: it must be memory_scope_sub_group
typedef float __attribute__((coop_mat(S, 16, 16, 99))) bad_use; // error: invalid 'use' argument of cooperative matrix attribute
typedef float __attribute__((coop_mat(S, 0, 16, 1))) bad_rows; // error: a cooperative matrix of 0 rows and 16 columns: 1 to 1024 of each are allowed, and 65536 elements
typedef float __attribute__((coop_mat(S, 1024, 1024, 1))) bad_size; // error: a cooperative matrix of 1024 rows and 1024 columns: 1 to 1024 of each are allowed, and 65536 elements
typedef float __attribute__((coop_mat(S, 16, 1))) few; // error: 'coop_mat' attribute requires exactly 4 arguments
typedef float __attribute__((coop_mat)) none; // error: 'coop_mat' attribute requires exactly 4 arguments
typedef bool __attribute__((coop_mat(S, 16, 16, 0))) of_bool; // error: 'bool' is invalid cooperative matrix element type
typedef float4 __attribute__((coop_mat(S, 16, 16, 0))) of_vectors; // error: 'float4' (vector of 4 'float' values) is invalid cooperative matrix element type
typedef a_t __attribute__((coop_mat(S, 16, 16, 0))) of_matrices; // error: 'a_t'
// case: matrix-places -cl-std=CL3.0
TYPES
a_t global_matrix; // error: variable of type
constant a_t constant_matrix; // error: variable of type
struct s { a_t m; }; // error: the
union u { a_t m[2]; }; // error: the
void by_pointer(a_t *p); // error: pointer to type
void by_array(a_t p[4]); // error: pointer to type 'a_t'
kernel void parameter(a_t a) {} // error: 'a_t'
kernel void k(global float *f, global int *ip, local uchar *u, int n) {
    local a_t shared; // error: variable of type
    static a_t kept; // error: variable of type
    volatile a_t fine;
}
// case: matrix-memory -cl-std=CL3.0
TYPES
kernel void k(global float *f, global int *ip, local uchar *u, int n) {
    VARIABLES;
    x = coop_mat_load(f, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 16); // error: builtin return value should be assigned to cooperative matrix type variable
    a = coop_mat_load(f, 99, 16); // error: invalid argument of built-in function 'coop_mat_load': expected CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR or CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
    a = coop_mat_load(f, n, 16); // error: invalid argument of built-in function 'coop_mat_load': expected CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR or CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
    a = coop_mat_load(f, 0, 16.0f); // error: invalid argument of built-in function 'coop_mat_load': expected a stride of type size_t
    a = coop_mat_load(ip, 0, 16); // error: inconsistent between cooperative matrix element type 'float' and buffer pointer type '__global int *'
    a = coop_mat_load(x, 0, 16); // error: expected a pointer to numbers or vectors of them
    a = coop_mat_load(&x, 0, 16); // error: expected a pointer to global, local or constant memory
    a = coop_mat_load(f, 0); // error: too few arguments to built-in function 'coop_mat_load', expected 3, have 2
    a = coop_mat_load(f, 0, 1, 2); // error: too many arguments to built-in function 'coop_mat_load', expected 3, have 4
    coop_mat_store(f, 1.0f, 0, 16); // error: invalid argument of built-in function 'coop_mat_store': expected a cooperative matrix
}
// case: matrix-products -cl-std=CL3.0
TYPES
kernel void k(global float *f, global int *ip, local uchar *u, int n) {
    VARIABLES;
    coop_mat_store(ip, a, 0, 16); // error: inconsistent between cooperative matrix element type 'float' and buffer pointer type '__global int *'
    coop_mat_store(f, coop_mat_init(0), 0, 16); // error: invalid argument of built-in function 'coop_mat_store': expected a cooperative matrix
    c = coop_mat_mulAdd(a, b, i); // error: inconsistent cooperative matrix element types ('float', 'float' and 'int')
    c = coop_mat_mulAdd(b, b, c); // error: invalid argument of built-in function 'coop_mat_mulAdd': expected a cooperative matrix of CLK_COOPERATIVE_MATRIX_A use
    c = coop_mat_mulAdd(a, a, c); // error: invalid argument of built-in function 'coop_mat_mulAdd': expected a cooperative matrix of CLK_COOPERATIVE_MATRIX_B use
    c = coop_mat_mulAdd(a, b, a); // error: invalid argument of built-in function 'coop_mat_mulAdd': expected a cooperative matrix of CLK_COOPERATIVE_MATRIX_ACCUMULATOR use
    c = coop_mat_mulAdd(a, b, 1.0f); // error: invalid argument of built-in function 'coop_mat_mulAdd': expected a cooperative matrix of CLK_COOPERATIVE_MATRIX_ACCUMULATOR use
    c = coop_mat_mulAdd(a, s, c); // error: cooperative matrices with incompatible shapes: 16x16 times 8x16 plus 16x16
    c = coop_mat_mulAdd(a, b, c, n); // error: invalid argument of built-in function 'coop_mat_mulAdd': expected constant operands, as CLK_COOPERATIVE_MATRIX_OPERAND_NONE
}
// case: matrix-operators -cl-std=CL3.0
TYPES
kernel void k(global float *f, global int *ip, local uchar *u, int n) {
    VARIABLES;
    i = coop_mat_mulAdd(a, b, c); // error: assigning to 'i_t'
    a = b; // error: assigning to 'a_t'
    a = a + b; // error: incompatible cooperative matrix types ('a_t'
    a = a & a; // error: unsupported cooperative matrix binary operator ('a_t'
    a = a / 2.0f; // error: unsupported cooperative matrix scalar operator ('a_t'
    a = a + 1.0f; // error: unsupported cooperative matrix scalar operator ('a_t'
    i = i * 2.5f; // error: unsupported cooperative matrix scalar operator ('i_t'
    a = 1.0f; // error: assigning to 'a_t'
    x = a; // error: assigning to 'float' from incompatible type 'a_t'
    a++; // error: cannot increment value of type 'a_t'
    a = !a; // error: invalid argument type 'a_t'
    i = ~i; // error: invalid argument type 'i_t'
    if (a) x = 1; // error: statement requires expression of scalar type ('a_t'
    x = a == a; // error: unsupported cooperative matrix binary operator ('a_t'
}
// case: matrix-uses -cl-std=CL3.0
TYPES
kernel void k(global float *f, global int *ip, local uchar *u, int n) {
    VARIABLES;
    x = *&a[0]; // error: address of a cooperative matrix, or of an element of one, requested
    x = sizeof(a) + sizeof(a_t); // error: invalid application of 'sizeof' to a cooperative matrix type // error: invalid application of 'sizeof' to a cooperative matrix type
    x = coop_mat_length(1); // error: invalid argument of built-in function 'coop_mat_length': expected a cooperative matrix
    coop_mat_init(1); // error: builtin return value should be assigned to cooperative matrix type variable
    coop_mat_init(1), x = 2; // warning: ignoring return value of function declared with const attribute // error: builtin return value should be assigned to cooperative matrix type variable
    (void)coop_mat_init(1); // error: builtin return value should be assigned to cooperative matrix type variable
    x = coop_mat_init(1)[0]; // error: builtin return value should be assigned to cooperative matrix type variable
    x = coop_mat_init(f); // error: invalid argument of built-in function 'coop_mat_init': expected a number
    a = a[f]; // error: array subscript is not an integer
    a = (a_t)c; // error: invalid conversion of 'c_t'
    a = (a_t)f; // error: invalid conversion of '__global float *' to cooperative matrix type 'a_t'
}
// case: matrix-casts -cl-std=CL3.0
TYPES
kernel void k(global float *f, global int *ip, local uchar *u, int n) {
    VARIABLES;
    x = (float)a; // error: operand of type 'a_t'
    __auto_type y = coop_mat_init(1); // error: variable of type 'cooperative matrix': which one it is cannot be told
    a = n ? a : b; // error: incompatible operand types ('a_t'
    a = n ? coop_mat_init(1) : a; // error: incompatible operand types ('cooperative matrix' and 'a_t'
    a += b; // error: incompatible cooperative matrix types ('a_t'
    x += a; // error: invalid operands to binary expression ('float' and 'a_t'
    a <<= 1; // error: unsupported cooperative matrix scalar operator ('a_t'
    printf("%f", a); // error: invalid arguments ('__constant char *', 'a_t') to built-in function 'printf': expected scalars, vectors and pointers after the format
    a_t two[2] = {a, b}; // error: initializing 'a_t'
    a_t zero = {0}; // error: initializing 'a_t'
    vec_step(a); // error: 'vec_step' requires built-in scalar or vector type, 'a_t'
}
// case: matrix-right -cl-std=CL3.0
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable
float vmat __attribute__((coop_mat(memory_scope_sub_group, 8, 8, CLK_COOPERATIVE_MATRIX_A))); // error: must reside in the private address space
_Static_assert(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP == 3 && CLK_COOPERATIVE_MATRIX_A == 0 && CLK_COOPERATIVE_MATRIX_B == 1, "");
_Static_assert(CLK_COOPERATIVE_MATRIX_ACCUMULATOR == 2 && CLK_COOPERATIVE_MATRIX_OPERAND_NONE == 0, "");
_Static_assert(CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR == 0 && CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR == 1, "");
void f(global float *p, generic float *g, constant float *q, local volatile float *l)
{
    coop_matrix_use_t use = CLK_COOPERATIVE_MATRIX_B;
    coop_matrix_layout_t layout = CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR;
    const MATRIX(float, 8, 8, A) m = coop_mat_load(q, 0, 8);
    MATRIX(float, 8, 8, A) n = m, all[3] = {m, m + m, coop_mat_init(use)};
    n = coop_mat_load(g, 1, layout);
    n = coop_mat_load(l, 1, 8);
    coop_mat_store(p, n, 0, 8);
    m = n; // error: cannot assign to variable 'm' with const-qualified type
}
// case: matrix-names-may-be-others -cl-std=CL1.2
int coop_mat_init(int x) { return x; }
kernel void k(global int *p) { int coop_matrix_use_t = 1; *p = coop_mat_init(coop_matrix_use_t); }
// case: matrix-attribute -cl-std=CL3.0
#define A coop_mat(memory_scope_sub_group, 8, 8, CLK_COOPERATIVE_MATRIX_A)
struct __attribute__((A)) s { int x; }; // error: 'coop_mat' attribute only applies to types of numbers
float __attribute__((A)) result(float __attribute__((A)) x) { return x + x; }
float wrong(void) __attribute__((A)); // error: 'coop_mat' attribute only applies to types of numbers
typedef float *pointer __attribute__((A)); // error: is invalid cooperative matrix element type
void f(float __attribute__((A)) a[2]); // error: pointer to type
void g(void)
{
    float __attribute__((A)) a[2][2], b = coop_mat_init(1);
    a[0][1] = result((float __attribute__((A)))b);
    **a = *a[1];
    (&a[0]); // error: address of a cooperative matrix, or of an element of one, requested
    a[0] = a[1]; // error: is not assignable
    for (coop_mat_init(1);;) { } // error: builtin return value should be assigned to cooperative matrix type variable
    __attribute__((A)) ; // error: 'coop_mat' attribute cannot be applied to a statement
    switch (b) { } // error: statement requires expression of integer type
}
// case: matrix-bfloat16 -cl-std=CL3.0
#define OF_CODES(type, rows, use) type __attribute__((pumice_coop_mat_bfloat16(S, rows, 16, use)))
typedef OF_CODES(ushort, 16, 0) a_t;
typedef OF_CODES(ushort, 16, 1) b_t;
typedef MATRIX(ushort, 16, 16, A) ushorts_t;
typedef MATRIX(float, 16, 16, ACCUMULATOR) c_t;
typedef MATRIX(uint, 16, 16, ACCUMULATOR) u_t;
typedef OF_CODES(float, 16, 0) of_floats; // error: 'float' is invalid element type of a matrix of bfloat16: the codes are of type 'ushort'
typedef OF_CODES(short, 16, 0) of_shorts; // error: 'short' is invalid element type of a matrix of bfloat16
typedef OF_CODES(ushort, 0, 0) no_rows; // error: a cooperative matrix of 0 rows
kernel void k(global ushort *p, global float *f, a_t a) // error: cannot be used as the type of a kernel parameter
{
    a_t x = coop_mat_load(p, 0, 16), y = coop_mat_init(1);
    b_t b = coop_mat_load(p, 1, 16);
    ushorts_t other;
    c_t c = coop_mat_mulAdd(x, b, (c_t)0);
    u_t u = coop_mat_mulAdd(x, b, (u_t)0); // error: inconsistent cooperative matrix element types
    c = coop_mat_mulAdd(other, b, c); // error: inconsistent cooperative matrix element types
    x = coop_mat_load(f, 0, 16); // error: inconsistent between cooperative matrix element type 'unsigned short' and buffer pointer type
    x = x + y; // error: is a matrix of bfloat16, which has neither elements nor arithmetic: convert it before
    x = -x; // error: is a matrix of bfloat16
    x = x * 2; // error: is a matrix of bfloat16
    x[0] = 1; // error: is a matrix of bfloat16
    x = (a_t)1.0f; // error: invalid conversion of 'float' to cooperative matrix type
    x = other; // error: incompatible
    other = (ushorts_t)x;
    x = (a_t)other;
}
// case: matrix-float8 -cl-std=CL3.0
#define OF_CODES(format, type, use) type __attribute__((pumice_coop_mat_##format(S, 16, 16, use)))
typedef OF_CODES(e4m3, uchar, 0) a_t;
typedef OF_CODES(e5m2, uchar, 0) a2_t;
typedef MATRIX(uchar, 16, 16, A) uchars_t;
typedef OF_CODES(e4m3, ushort, 0) of_ushorts; // error: is invalid element type of a matrix of e4m3: the codes are of type 'uchar'
typedef OF_CODES(e5m2, half, 0) of_halfs; // error: 'half' is invalid element type of a matrix of e5m2: the codes are of type 'uchar'
typedef OF_CODES(e3m2, uchar, 0) of_others; // warning: unknown attribute 'pumice_coop_mat_e3m2' ignored
kernel void k(global uchar *p, global ushort *h)
{
    a_t x = coop_mat_load(p, 0, 16), y = coop_mat_init(1);
    a2_t z = (a2_t)x;
    x = coop_mat_load(h, 0, 16); // error: inconsistent between cooperative matrix element type 'unsigned char' and buffer pointer type
    x = z; // error: incompatible
    x = x * y; // error: is a matrix of e4m3, which has neither elements nor arithmetic: convert it before
    z[1] = 0; // error: is a matrix of e5m2, which has neither elements nor arithmetic: convert it before
    uchars_t u = (uchars_t)x;
    u = x; // error: incompatible
}
