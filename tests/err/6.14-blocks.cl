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

// case: device-enqueue -cl-std=CL3.0
kernel void f(global int *p)
{
    queue_t q = get_default_queue();          // error: implicit declaration of function 'get_default_queue' // note: the built-in function 'get_default_queue' needs __opencl_c_device_enqueue
    enqueue_kernel(q, 0, p, ^{ p[0] = 1; });  // error: implicit declaration of function 'enqueue_kernel' // note: the built-in function 'enqueue_kernel' needs __opencl_c_device_enqueue
}

// case: device-enqueue-2.0 -cl-std=CL2.0
// clang: accepts, for it knows no device
void f(clk_event_t e)
{
    release_event(e);                         // error: built-in function 'release_event' needs device-side enqueue, which this device does not offer
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
