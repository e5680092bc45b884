// case: formats
kernel void k(int n, float f, long l, float4 v, double d) {
    printf("%d %u %x %c %f %g %ld %lu %v4f %v4hlf %s %p %%\n", n, n, n, n, f, d, l, l, v, v, "s", &n);
    printf("%d\n", f);                  // warning: does not fit an argument of type
    printf("%f\n", n);                  // warning: does not fit an argument of type
    printf("%d\n");                     // warning: more '%' conversions than data arguments
    printf("%d\n", n, n);               // warning: data argument not used by format string
    printf("%y\n", n);                  // warning: invalid conversion specifier 'y'
}
