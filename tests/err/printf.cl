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

// case: flags
kernel void k(global int *o, float4 f, int4 i, short2 s) {
    printf("%+d %-5d % d %#x %05d %+g %#g %.3s %8.3f %-s\n", 1, 2, 3, 4, 5, 6.0f, 7.0f, "s", 8.0f, "s");
    printf("%v4hlf %v4hld %v2hd %+v4hld %v4f %v4d\n", f, i, s, i, f, i);
    printf("%+u\n", 1u);                // warning: flag '+' results in undefined behavior with 'u' conversion specifier
    printf("% s\n", "x");               // warning: flag ' ' results in undefined behavior with 's' conversion specifier
    printf("%#d\n", 1);                 // warning: flag '#' results in undefined behavior with 'd' conversion specifier
    printf("%0c\n", 'a');               // warning: flag '0' results in undefined behavior with 'c' conversion specifier
    printf("%-05d\n", 1);               // warning: flag '0' is ignored when flag '-' is present
    printf("%+ d\n", 1);                // warning: flag ' ' is ignored when flag '+' is present
    printf("%.3p\n", o);                // warning: precision used with 'p' conversion specifier
    printf("%hf\n", 1.0f);              // warning: length modifier 'h' results in undefined behavior or no effect with 'f'
    printf("%hld\n", 1);                // warning: length modifier 'hl' results in undefined behavior or no effect with 'd'
    printf("%ls\n", "x");               // warning: length modifier 'l' results in undefined behavior or no effect with 's'
    printf("%lp\n", o);                 // warning: length modifier 'l' results in undefined behavior or no effect with 'p'
    printf("%v4zf\n", f);               // warning: length modifier 'z' results in undefined behavior or no effect with 'f'
    printf("%v4lf\n", f);               // warning: format specifies type 'double4' but the argument has type 'float4'
}
