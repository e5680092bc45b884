// case: calls -cl-std=CL2.0
kernel void k(global int *p, int n) {
    int (^add)(int) = ^(int x) { return x + n; };
    p[0] = add(2);
    void (^nothing)(void) = ^{ };
    nothing();
    int (^bad)(int);                    // error: invalid block variable declaration - must be initialized
    add = add;                          // error: invalid operands to binary expression
}
