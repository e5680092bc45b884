// options: -cl-std=CL2.0
kernel void blocks(global int *out, int k)
{
    int captured = k * 2;
    int (^add)(int) = ^(int x) { return x + captured + k; };
    captured = 100;
    out[0] = add(3) + add(4);
    out[1] = ^(int y) { return y * 2; }(k);
}
