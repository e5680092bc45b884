// case: parameters
typedef struct { int x; global int *p; } with_pointer; // note: field of illegal type
typedef struct { int x; bool b; } with_bool;
kernel void a(int *p) {}                // error: pointer arguments to kernel functions must reside in
kernel void b(bool x) {}                // error: 'bool' cannot be used as the type of a kernel parameter
kernel void c(size_t n) {}              // error: 'size_t' (aka 'unsigned long') cannot be used as the type of a kernel parameter
kernel void d(half x) {}                // error: declaring function parameter of type
kernel void e(global int *global *p) {} // error: kernel parameter cannot be declared as a pointer to a pointer
kernel void f(with_pointer s) {}        // error: struct kernel parameters may not contain pointers
kernel void g(with_bool s) {}           // error: cannot be used as the type of a kernel parameter
kernel void h(event_t e) {}             // error: 'event_t' cannot be used as the type of a kernel parameter
kernel void i(global with_pointer *p, constant float4 *q, local uchar *l, float16 v, image1d_t m, sampler_t s) {}
// case: pointers-in-structures -cl-std=CL2.0
struct inner { local int *l; };         // note: field of illegal type
struct outer { int n; struct inner in; };
struct shared { global int *g; constant float *c; void *any; int *both[2]; int n; };
kernel void a(struct shared s) { *s.g = s.n; }
kernel void b(struct outer s) {}        // error: struct kernel parameters may not contain pointers
// case: result
kernel int k(void) { return 1; }        // error: kernel must have void return type
// case: static
static kernel void k(void) {}           // error: kernel functions cannot be declared static
// case: attributes
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void a(void) {}
kernel __attribute__((reqd_work_group_size(8, 1))) void b(void) {} // error: 'reqd_work_group_size' attribute requires exactly 3 arguments
kernel __attribute__((reqd_work_group_size(0, 1, 1))) void c(void) {} // error: must be greater than 0
kernel __attribute__((work_group_size_hint(8, 8, 1), vec_type_hint(float4))) void d(void) {}
kernel __attribute__((vec_type_hint(image2d_t))) void e(void) {} // error: invalid attribute argument
kernel __attribute__((no_such_thing(1, 2))) void f(void) {} // warning: unknown attribute 'no_such_thing' ignored
kernel __attribute__((intel_reqd_sub_group_size(16))) void g(void) {}
// case: sizes-of-adrenos
// clang: accepts; it knows no such attribute
kernel __attribute__((qcom_reqd_sub_group_size("half"))) void a(global int *p) {}
kernel __attribute__((qcom_reqd_sub_group_size("full"))) void b(global int *p) {}
kernel __attribute__((qcom_reqd_sub_group_size("third"))) void c(global int *p) {} // error: takes "half" or "full"
kernel __attribute__((qcom_reqd_sub_group_size)) void d(global int *p) {} // error: takes "half" or "full"
kernel __attribute__((qcom_reqd_sub_group_size(64))) void e(global int *p) {} // error: takes "half" or "full"
// case: calls-kernel
kernel void a(global int *p, int n) { p[0] = n; }
kernel void b(global int *p) { a(p, 1); a(p + 1, 2); }
// case: qualifier-elsewhere
kernel int x;                           // error: '__kernel' attribute only applies to functions // error: program scope variable must
kernel struct s { int y; };             // warning: '__kernel' attribute only applies to functions
// case: kernel-attributes
__attribute__((reqd_work_group_size(8, 1, 1))) void f(global int *p) {}  // error: attribute 'reqd_work_group_size' can only be applied to an OpenCL kernel function
__attribute__((vec_type_hint(int))) void g(global int *p) {}             // error: attribute 'vec_type_hint' can only be applied to an OpenCL kernel function
kernel __attribute__((intel_reqd_sub_group_size(0))) void k(global int *p) {} // error: 'intel_reqd_sub_group_size' attribute must be greater than 0
kernel __attribute__((vec_type_hint(bool))) void l(global int *p) {}     // error: expecting a vector or vectorizable scalar type
// case: cluster-sizes -cl-std=CL3.0
// clang: accepts; the SPIR-V that comes out is invalid
kernel void k(global int *p, uint n, int v) {
    const uint four = 4;
    p[0] = sub_group_clustered_reduce_add(v, four) + sub_group_clustered_rotate(v, 1, 1 << 3);
    p[1] = sub_group_clustered_reduce_add(v, n);         // error: argument to 'sub_group_clustered_reduce_add' must be a constant integer
    p[2] = sub_group_clustered_reduce_logical_or(v, 0);  // error: argument should be a power of 2
    p[3] = sub_group_clustered_rotate(v, 1, 3);          // error: argument should be a power of 2
    p[4] = sub_group_clustered_rotate(v, 1, n);          // error: argument to 'sub_group_clustered_rotate' must be a constant integer
}
// case: what-the-default-device-offers -cl-std=CL3.0
// clang: accepts, since its device has fewer extensions, and the call that is wrong is left out
#if !defined(cl_khr_mipmap_image) || !defined(cl_khr_work_group_uniform_arithmetic) || !defined(cl_khr_srgb_image_writes)
#define MISSING
#endif
#if !defined(__opencl_c_atomic_scope_all_devices) || !defined(__opencl_c_ext_fp64_local_atomic_min_max)
#define MISSING
#endif
kernel void k(global atomic_float *a, global float *o, read_only image2d_t i, sampler_t s) {
    o[0] = atomic_fetch_add_explicit(a, 1.0f, memory_order_relaxed, memory_scope_all_devices);
#ifndef MISSING
    o[1] = read_imagef(i, s, (float2)(0), 1.0f).x + work_group_reduce_mul(o[3]);
    no_such();                          // error: implicit declaration of function 'no_such' is invalid in OpenCL
#endif
}
