// Broken kernels: clBuildProgram fails, and the log says where and why.

//! test: undeclared
//! build: fails "undeclared identifier 'y'"
kernel void undeclared(global int *out) { *out = y; }

//! test: missing_semicolon
//! build: fails "expected ';'"
kernel void missing_semicolon(global int *out)
{
    int x = 1
    return;
}

//! test: unknown_function
//! build: fails "'frobnicate'"
kernel void unknown_function(global int *out) { *out = frobnicate(1); }

//! test: constant_write
//! build: fails "not assignable"
kernel void constant_write(constant int *p) { *p = 1; }

//! test: address_space_mismatch
//! build: fails "address space"
kernel void address_space_mismatch(global int *g)
{
    local int *l = g;
    *l = 1;
}

//! test: kernel_returns_int
//! build: fails "void"
kernel int kernel_returns_int(global int *out) { return 1; }

//! test: private_pointer_argument
//! build: fails "kernel"
kernel void private_pointer_argument(private int *p) { *p = 1; }

//! test: error_directive
//! build: fails "stop here"
#error stop here
kernel void error_directive(void) {}

//! test: unbalanced_brace
//! build: fails "expected '}'"
kernel void unbalanced_brace(global int *out) { if (out) { *out = 1;

//! test: recursion_with_wrong_types
//! build: fails "incompatible"
struct a { int x; };
struct b { int x; };
kernel void recursion_with_wrong_types(global int *out)
{
    struct a x = {1};
    struct b y = x;
    *out = y.x;
}

//! test: too_many_arguments
//! build: fails "too many arguments"
int one(int x) { return x; }
kernel void too_many_arguments(global int *out) { *out = one(1, 2); }

//! test: bad_swizzle
//! build: fails "vector"
kernel void bad_swizzle(global int *out, int2 v) { *out = v.z; }

//! test: function_pointer
//! build: fails "function"
int f(int x) { return x; }
kernel void function_pointer(global int *out)
{
    int (*p)(int) = f;
    *out = p(1);
}

//! test: bit_field
//! build: fails "bit-field"
struct bits { int a : 3; };
kernel void bit_field(global int *out) { struct bits b; b.a = 1; *out = b.a; }
