// case: formats
kernel void k(int n, float f, long l, float4 v, double d) {
    printf("%d %u %x %c %f %g %ld %lu %v4f %v4hlf %s %p %%\n", n, n, n, n, f, d, l, l, v, v, "s", &n);
    printf("%d\n", f);                  // warning: format specifies type 'int' but the argument has type 'float'
    printf("%f\n", n);                  // warning: format specifies type 'double' but the argument has type 'int'
    printf("%d\n");                     // warning: more '%' conversions than data arguments
    printf("%d\n", n, n);               // warning: data argument not used by format string
    printf("%y\n", n);                  // warning: invalid conversion specifier 'y'
    printf("%", n);                     // warning: incomplete format specifier
    printf("a\0%d", n);                 // warning: within the string body
    printf("%zu %td %5%", l, l);
    printf("%v4d", n);                  // warning: format specifies type 'int4' but the argument has type 'int'
}
