// case: sizes
_Static_assert(sizeof(char3) == 4 && sizeof(float3) == 16 && sizeof(double3) == 32, "");
_Static_assert(_Alignof(float3) == 16 && sizeof(void *) == 8 && sizeof(size_t) == 8, "");
struct __attribute__((packed)) p { char a; int b; short c; };
struct n { char a; int b; short c; double d; };
struct a { char a; int b __attribute__((aligned(16))); };
union u { char a[9]; int b; };
_Static_assert(sizeof(struct p) == 7 && sizeof(struct n) == 24 && sizeof(struct a) == 32 && sizeof(union u) == 12, "");
_Static_assert(__builtin_offsetof(struct a, b) == 16, "");
_Static_assert(vec_step(float3) == 4 && vec_step(float) == 1 && vec_step(int16) == 16, "");
// case: half-needs-extension
half f(global half *p);                 // error: declaring function return value of type 'half' is not allowed
void g(half x);                         // error: declaring function parameter of type
kernel void k(global half *p) {
    half h;                             // error: declaring variable of type
    float x = p[0];                     // error: loading directly from pointer to type
    global half *q = p + 1;
    x = vload_half(0, q);
}
// case: half-enabled
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half f(half x) { return x * 2.0h; }
kernel void k(global half *p, half4 v) { half h = p[0]; p[1] = f(h) + v.x; }
// case: half-suffix-of-c23 -cl-std=CL3.0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *p, half x) { p[0] = 1.0f16 / x + 2.5e3F16; p[1] = 1.5f17; } // error: invalid suffix 'f17' on floating constant
// case: unknown-type
kernel void k(global flaot *p) {}       // error: unknown type name 'flaot'
void f(void) { foo x; }                 // error: unknown type name 'foo'
// case: combinations
unsigned float a(void);                 // error: invalid combination of type specifiers
long char b(void);                      // error: invalid combination of type specifiers
short int c(void);
unsigned long int d(void);
signed unsigned e(void);                // error: invalid combination of type specifiers
int float f(void);                      // error: invalid combination of type specifiers
// case: incomplete
struct s;
void f(struct s *p) { p->x = 1; }       // error: incomplete definition of type 'struct s'
void g(void) { struct s x; void y; }    // error: variable has incomplete type 'struct s' // error: variable has incomplete type 'void'
struct t { struct t self; };            // error: field has incomplete type 'struct t'
// case: redefined
struct s { int x; };
struct s { int y; };                    // error: redefinition of 's'
union s z(void);                        // error: use of 's' with tag type that does not match previous declaration
typedef int t;
typedef int t;                          // warning: redefinition of typedef 't' is a C11 feature
typedef float t;                        // error: typedef redefinition with different types ('float' vs 'int')
enum { A, A };                          // error: redefinition of enumerator 'A'
struct d { int x, x; };                 // error: duplicate member 'x'
struct e { int x; struct { int x; }; }; // error: member of anonymous struct redeclares 'x'
struct f { union { int x, y; }; struct { int z; }; int z; }; // error: duplicate member 'z'
struct g { struct { int x; }; struct { int y; union { int z, x; }; }; }; // error: redeclares 'x'
// case: opaque
struct s { event_t e; };                // error: the 'event_t' type cannot be used to declare a structure or union field
struct i { image2d_t i; };              // error: cannot be used to declare a structure or union field
kernel void k(read_only image2d_t i, sampler_t s) {
    image2d_t j;                        // error: can only be used as a function parameter in OpenCL
    sampler_t a[2];                     // error: array of 'sampler_t' type is invalid in OpenCL
    sampler_t *p;                       // error: pointer to type 'sampler_t' is invalid in OpenCL
    int n = i + 1;                      // error: invalid operands to binary expression
}
void f(image2d_t *p);                   // error: pointer to type '__read_only image2d_t' is invalid in OpenCL
// case: access
kernel void k(write_only image2d_t w, read_only write_only image3d_t b) {} // error: multiple access qualifiers
void g(read_only int x);                // error: access qualifier can only be used for pipe and image type
void h(read_write image2d_t i);         // error: access qualifier '__read_write' can not be used for
// case: vector-attribute
// clang: accepts; vectors of any length, which OpenCL C does not have
typedef float f4 __attribute__((ext_vector_type(4)));
typedef int i5 __attribute__((ext_vector_type(5))); // error: invalid vector
float f(f4 x) { return x.w; }
// case: half-stores
kernel void k(global half *p) { p[0] = 1; }             // error: assigning directly to pointer to type 'half' requires cl_khr_fp16
// case: vec_step
struct s { int x; };
kernel void k(global int *p) {
    p[0] = vec_step(int3) + vec_step(p[0]) + vec_step(void);
    p[0] = vec_step(p);                                 // error: 'vec_step' requires built-in scalar or vector type
    p[0] = vec_step(struct s);                          // error: 'vec_step' requires built-in scalar or vector type
}
// case: double-constants -cl-std=CL1.1
kernel void k(global float4 *p) { p[0] = p[0] * 2.0; }  // warning: double precision constant requires cl_khr_fp64, casting to single precision
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void l(global double4 *p) { p[0] = p[0] * 2.0; }
// case: long-double
kernel void k(global double *p) { long double x = p[0]; p[0] = x; }
// case: half-variables
constant half a = 1;                    // error: declaring variable of type '__constant half' is not allowed
void f(void) {
    half b[2];                          // error: declaring variable of type '__private half[2]' is not allowed
    half c;                             // error: declaring variable of type '__private half' is not allowed
}
