// case: subjects
constant int a __attribute__((always_inline)) = 1;      // warning: 'always_inline' attribute only applies to functions and statements
constant int b __attribute__((noreturn)) = 1;           // warning: 'noreturn' only applies to function types; type here is '__constant int'
constant int c __attribute__((packed)) = 1;             // warning: 'packed' attribute ignored
constant int d __attribute__((overloadable)) = 1;       // error: 'overloadable' attribute only applies to functions
constant int e __attribute__((reqd_work_group_size(1, 1, 1))) = 1; // error: 'reqd_work_group_size' attribute only applies to functions
typedef int t __attribute__((vec_type_hint(int)));      // error: 'vec_type_hint' attribute only applies to functions
void f(int x __attribute__((convergent)));              // warning: 'convergent' attribute only applies to functions
struct s { int x __attribute__((noinline)); };          // warning: 'noinline' attribute only applies to functions and statements
struct __attribute__((noreturn)) u { int x; };          // warning: 'noreturn' attribute only applies to functions
void g(void) __attribute__((packed));                   // warning: 'packed' attribute ignored
void h(void) __attribute__((opencl_unroll_hint(2)));    // error: 'opencl_unroll_hint' attribute cannot be applied to a declaration
int i __attribute__((ext_vector_type(4)));              // error: 'ext_vector_type' attribute only applies to typedefs // error: program scope variable
void j(void) __attribute__((warn_unused_result));       // warning: attribute 'warn_unused_result' cannot be applied to functions without return value
constant int l __attribute__((warn_unused_result)) = 1; // warning: 'warn_unused_result' attribute only applies to functions
kernel void k(global int *p) {
    __attribute__((opencl_unroll_hint(2))) int x = 1;   // error: 'opencl_unroll_hint' attribute cannot be applied to a declaration
    __attribute__((const)) p[0] = x;
    __attribute__((overloadable)) p[0] = x;             // error: 'overloadable' attribute cannot be applied to a statement
    __attribute__((noinline)) p[0] = x;                 // warning: attribute 'noinline' is ignored on this statement
    __attribute__((fallthrough));
}
// case: arguments
struct __attribute__((packed(1))) s { int x; };         // error: 'packed' attribute takes no arguments
void a(void) __attribute__((noreturn(1)));              // error: 'noreturn' attribute takes no arguments
int b(void) __attribute__((const(1)));                  // error: 'const' attribute takes no arguments
void c(void) __attribute__((deprecated(1)));            // error: 'deprecated' attribute requires a string
void d(void) __attribute__((visibility));               // error: 'visibility' attribute takes one argument
void e(void) __attribute__((visibility(1)));            // error: 'visibility' attribute requires a string
typedef int t __attribute__((ext_vector_type(0)));      // error: zero vector size
constant int f __attribute__((aligned(1, 2))) = 1;      // error: 'aligned' attribute takes one argument
constant int g __attribute__((aligned(-4))) = 1;        // error: evaluates to value -4 that cannot be represented
__attribute__((reqd_work_group_size(1, 2))) kernel void h(void) {}             // error: 'reqd_work_group_size' attribute requires exactly 3 arguments
__attribute__((work_group_size_hint(1, 2, 3, 4))) kernel void i(void) {}       // error: 'work_group_size_hint' attribute requires exactly 3 arguments
__attribute__((reqd_work_group_size)) kernel void j(void) {}                   // error: 'reqd_work_group_size' attribute requires exactly 3 arguments
void l(void) __attribute__((noreturn())) __attribute__((deprecated()));
kernel void k(void) {}
// case: availability
int old(int x) __attribute__((deprecated("use young()")));      // note: 'old' has been explicitly marked deprecated here
int gone(int x) __attribute__((unavailable("nobody has it")));  // note: 'gone' has been explicitly marked unavailable here
constant int number __attribute__((deprecated)) = 1;            // note: 'number' has been explicitly marked deprecated here
typedef int word __attribute__((deprecated("use int")));        // note: 'word' has been explicitly marked deprecated here
enum { A, B __attribute__((deprecated)) };                      // note: 'B' has been explicitly marked deprecated here
struct s { int x, y __attribute__((deprecated("use x"))); int z; }; // note: 'y' has been explicitly marked deprecated here
__attribute__((deprecated)) int older(int x) { return old(x) + number; }
kernel void k(global int *p, global struct s *s) {
    p[0] = old(1);                      // warning: 'old' is deprecated: use young()
    p[1] = gone(1);                     // error: 'gone' is unavailable: nobody has it
    p[2] = number;                      // warning: 'number' is deprecated
    word w = A + B;                     // warning: 'word' is deprecated: use int // warning: 'B' is deprecated
    p[3] = s->x + s->y + s->z + w;      // warning: 'y' is deprecated: use x
}
// case: attributes-before-a-local-variable -Wall
kernel void k(global int *p) {
    __attribute__((unused)) int x = 1;
    __attribute__((aligned(16))) int y = 1;             // warning: unused variable 'y'
    p[0] = 1;
}
// case: mode
typedef int __attribute__((mode(HI))) hi_t;
typedef unsigned __attribute__((mode(__DI__))) udi_t;
typedef float __attribute__((__mode__(DF))) df_t;
typedef float __attribute__((mode(HF))) hf_t;
typedef int4 __attribute__((mode(byte))) bytes_t;
struct s { int x __attribute__((mode(QI))); unsigned y __attribute__((mode(HI))); };
constant int c __attribute__((mode(pointer))) = 0x123456789ab;
int a(int x __attribute__((mode(QI)))) { return sizeof(x); }
_Static_assert(sizeof(hi_t) == 2, "HI");
_Static_assert(sizeof(udi_t) == 8, "DI");
_Static_assert((udi_t)-1 > 0, "unsigned");
_Static_assert(sizeof(df_t) == 8, "DF");
_Static_assert(sizeof(hf_t) == 2, "HF");
_Static_assert(sizeof(bytes_t) == 4, "byte");
_Static_assert(sizeof(struct s) == 4, "fields");
typedef int __attribute__((mode(V4SI))) four_t;         // warning: specifying vector types with the 'mode' attribute is deprecated
_Static_assert(sizeof(four_t) == 16, "V4SI");
typedef int __attribute__((mode(TI))) e1;               // error: unsupported machine mode 'TI'
typedef float __attribute__((mode(SC))) e2;             // error: type of machine mode does not match type of base type
typedef int __attribute__((mode(ZI))) e3;               // error: unknown machine mode 'ZI'
typedef int __attribute__((mode(SF))) e4;               // error: type of machine mode does not match type of base type
typedef float __attribute__((mode(SI))) e5;             // error: type of machine mode does not match type of base type
typedef int __attribute__((mode)) e6;                   // error: 'mode' attribute takes one argument
typedef int __attribute__((mode(3))) e7;                // error: 'mode' attribute requires an identifier
typedef int4 __attribute__((mode(V4SI))) e8;            // error: mode 'V4SI' is not supported for vector types
typedef bool __attribute__((mode(SI))) e9;              // error: mode attribute only supported for integer and floating-point types
int f(void) __attribute__((mode(HI)));                  // error: 'mode' attribute only applies to variables, enums, typedefs, and non-static data members
kernel void k(global int *o) {
    int q __attribute__((mode(HI))) = 70000;            // warning: changes value from 70000 to 4464
    o[0] = q;
}
// case: rgba -cl-std=CL1.2
kernel void k(global float4 *o) {
    o[0].r = o[1].x;                    // warning: vector component name 'r' is a feature from OpenCL version 3.0 onwards
    o[0].xy = o[1].ba;                  // warning: vector component name 'b' is a feature
    o[0].s01 = o[1].hi;
}
// case: rgba-3.0 -cl-std=CL3.0
kernel void k(global float4 *o) { o[0].r = o[1].bgra.x; }
// case: nosvm -cl-std=CL1.2
kernel void k(__attribute__((nosvm)) global int *o) {} // error: attribute 'nosvm' is supported in the OpenCL version 2.0 onwards
// case: nosvm-2.0 -cl-std=CL2.0
kernel void k(__attribute__((nosvm)) global int *o) {} // warning: 'nosvm' attribute is deprecated and ignored
