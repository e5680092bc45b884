// case: calls -cl-std=CL2.0
kernel void k(global int *p, int n) {
    int (^add)(int) = ^(int x) { return x + n; };
    p[0] = add(2);
    void (^nothing)(void) = ^{ };
    nothing();
    int (^bad)(int);                    // error: invalid block variable declaration - must be initialized
    add = add;                          // error: invalid operands to binary expression
}
// case: versions -cl-std=CL1.2
kernel void k(global int *p) {
    p[0] = ^(int x) { return x + 1; }(1);       // error: blocks need OpenCL C 2.0
}
// case: restrictions -cl-std=CL3.0
kernel void k(global int *p) {
    int (^v)(int, ...) = 0;                     // error: invalid block prototype, variadic arguments are not allowed
    p[0] = ^(int x, ...) { return x; }(1);      // error: invalid block prototype, variadic arguments are not allowed
    float (^b)(int) = ^(int x) {
        if (x)
            return 1.0f;
        return 2;                               // error: return type 'int' must match previous return type 'float'
    };
    int (^c)(int) = ^(int x) { return x; };
    int (^d)(int) = ^(int x) { return c(x); };  // error: cannot refer to a block inside block
    p[0] = d(1);
}

// case: enqueue -cl-std=CL3.0
kernel void f(global int *p, queue_t q, int n, float x)
{
    ndrange_t r = ndrange_1D(n);
    clk_event_t e;
    local int l;
    int i[2];
    enqueue_kernel(q, 0, p, ^{ p[0] = 1; });             // error: illegal call to 'enqueue_kernel', expected 'ndrange_t' argument type
    enqueue_kernel(p, 0, r, ^{ p[0] = 1; });             // error: illegal call to 'enqueue_kernel', expected 'queue_t' argument type
    enqueue_kernel(q, x, r, ^{ p[0] = 1; });             // error: illegal call to 'enqueue_kernel', expected 'kernel_enqueue_flags_t' (i.e. 'uint') argument type
    enqueue_kernel(q, 0, r);                             // error: too few arguments to function call, expected at least 4, have 3
    enqueue_kernel(q, 0, r, p);                          // error: illegal call to enqueue_kernel, incorrect argument types
    enqueue_kernel(q, 0, r, 1, i, &e, ^{ p[0] = 1; });   // error: illegal call to 'enqueue_kernel', expected 'clk_event_t *' or 'const clk_event_t *' argument type
    enqueue_kernel(q, 0, r, 1, &e, i, ^{ p[0] = 1; });   // error: illegal call to 'enqueue_kernel', expected 'clk_event_t *' argument type
    enqueue_kernel(q, 0, r, 1, &e, &e, p);               // error: illegal call to 'enqueue_kernel', expected 'block' argument type
    enqueue_kernel(q, 0, r, ^(local void *a) {});        // error: mismatch in number of block parameters and local size arguments passed
    enqueue_kernel(q, 0, r, ^(local void *a) {}, x);     // error: illegal call to enqueue_kernel, parameter needs to be specified as integer type
    enqueue_kernel(q, 0, r, ^(local int *a) {}, 4);      // cl_khr_device_enqueue_local_arg_types
    enqueue_kernel(q, 0, r, ^(int a) {}, 4);             // error: blocks used in enqueue_kernel call are expected to have parameters of type 'local void*'
    get_kernel_work_group_size(p);                       // error: illegal call to 'get_kernel_work_group_size', expected 'block' argument type
    get_kernel_work_group_size(^(global void *a) {});    // error: blocks used in get_kernel_work_group_size call are expected to have parameters of type 'local void*'
    get_kernel_sub_group_count_for_ndrange(p, ^{ });     // error: illegal call to 'get_kernel_sub_group_count_for_ndrange', expected 'ndrange_t' argument type
    enqueue_kernel(q, 0, r, 0, NULL, NULL, ^(local void *a) { p[0] = n; }, 4u);
    enqueue_kernel(q, 0, ndrange_1D(1), 0, 0, &e, ^{ });
}

// case: enqueue-itself -cl-std=CL2.0
void f(global int *p, int n)
{
    if (n > 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ f(p, n - 1); });
}
kernel void k(global int *p)
{
    f(p, 4);
}

// case: enqueue-images -cl-std=CL2.0
// clang: accepts
kernel void k(read_only image2d_t i, global float4 *p)
{
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ p[0] = read_imagef(i, (int2)0); }); // error: a block that is enqueued cannot capture images, samplers or pipes
}
// case: addresses -cl-std=CL2.0
kernel void k(global int *p) {
    int x = 3;
    int (^b)(int) = ^(int i) {
        int *q = &x;                          // error: taking address of a capture is not allowed
        int own = i, *r = &own;
        return i + *r;
    };
    p[0] = p[1] ? b(1) : 2;                   // error: block type cannot be used as expression in ternary expression in OpenCL
    &b;                                       // error: invalid argument type 'int (^)(int)' to unary expression
}
