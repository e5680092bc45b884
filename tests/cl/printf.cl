// printf. OpenCL C 3.0, 6.15.14.

//! test: integers
//! value i int = -42
//! print = "-42 4294967254 ffffffd6 0XFFFFFFD6 00042 [   42] [42   ] +42\n"
kernel void integers(int i)
{
    printf("%d %u %x %#X %05d [%5d] [%-5d] %+d\n", i, i, i, i, -i, -i, -i, -i);
}

//! test: floats
//! value f float = 1.5
//! print = "1.500000 1.50 1.500000e+00 1.5 inf nan 0x1.8p+0\n"
kernel void floats(float f)
{
    printf("%f %.2f %e %g %f %f %a\n", f, f, f, f, INFINITY, fabs(NAN), f);
}

//! test: signs_of_nans
//! require: cl_khr_fp16
//! buffer bits ushort[2] = 65024 32256
//! print = "-nan nan -nan nan\n-nan nan -nan,nan -nan\n"
kernel void signs_of_nans(global const ushort *bits)
{
    printf("%f %f %f %f\n", as_half(bits[0]), as_half(bits[1]), as_float((bits[0] & 0x8000u) << 16 | 0x7fc00000u),
           as_float((bits[1] & 0x8000u) << 16 | 0x7fc00000u));
    half2 both = as_half2((ushort2)(0xfe00, 0x7e00));
    printf("%f %f %v2hf %f\n", as_half((ushort)0xfe00), as_half((ushort)0x7e00), both, as_float(0xffc00000));
}

//! test: strings_and_characters
//! print = "pumice [ab] x 100%\n"
kernel void strings_and_characters()
{
    printf("%s [%.2s] %c 100%%\n", "pumice", "abc", 'x');
}

//! test: chosen_strings
//! value n int = 3
//! print = "zero less x\none less none\nmany more none\n"
kernel void chosen_strings(int n)
{
    for (int i = 0; i < n; i++) {
        const constant char *text = "none";
        if (i == 0)
            text = "x";
        printf("%s %s %s\n", i == 0 ? "zero" : i == 1 ? "one" : "many", i < n - 1 ? "less" : "more", text);
    }
}

//! test: loop_strings
//! value n int = 4
//! buffer out int[4] = 0 1 2 0
//! print = "a q\nb p\n1 p\n2 q\n"
kernel void loop_strings(int n, global int *out)
{
    const constant char *t = "a";
    for (int i = 0; i < n; i++) {
        printf("%s %s\n", t, out[i] ? "p" : "q");
        t = i & 1 ? t : "b";
        switch (out[i]) {
        case 1:
            t = "1";
            break;
        case 2:
            t = "2";
            break;
        }
    }
}

//! test: strings_in_variables
//! options: -cl-opt-disable
//! value n int = 2
//! print = "a b\nb a\nx 0\nx 1\n"
kernel void strings_in_variables(int n)
{
    const constant char *s = "a", *t = "b", *format = "%s %d\n";
    for (int i = 0; i < n; i++) {
        const constant char *old = s;
        printf("%s %s\n", s, t);
        s = t;
        t = old;
    }
    for (int i = 0; i < n; i++)
        printf(format, "x", i);
}

//! test: strings_in_tables
//! value n int = 3
//! value skip int = 2
//! buffer from uchar[6] = 104 101 108 108 111 0
//! print = "[zero][ero]ro\n[one][ne]e\n[two][wo]o\nhello 1 hel llo (null)  7\n<private> <lo>\n"
const constant char *print_and_skip(const constant char *s)
{
    printf("[%s]", s);
    return s + 1;
}

constant char *constant names[] = {"zero", "one", "two"};

kernel void strings_in_tables(int n, int skip, global char *from)
{
    // What is no literal here is copied when the kernel runs.
    local char shared[4];
    char own[] = {'p', 'r', 'i', 'v', 'a', 't', 'e', 0};
    const constant char *nothing = n > 5 ? names[0] : (const constant char *)0;
    for (int i = 0; i < n; i++)
        printf("%s\n", print_and_skip(print_and_skip(names[i])));
    printf("%s %d %.3s %s %s %s %d\n", from, 1, from, from + skip, nothing, from + 5, 7);
    own[7] = (char)(n - 3);
    for (int i = 0; i < 3; i++)
        shared[i] = from[i + 3];
    printf("<%s> <%s>\n", own, shared);
}

//! test: vectors
//! value f float4 = 1 2 3 4
//! value u uchar4 = 1 2 3 255
//! print = "1.0,2.0,3.0,4.0 1,2,3,255 01,02,03,ff\n"
kernel void vectors(float4 f, uchar4 u)
{
    printf("%.1v4hlf %v4hhu %02v4hhx\n", f, u, u);
}

//! test: longs
//! value l long = -9000000000
//! value s short = -3
//! print = "-9000000000 2 -3\n"
kernel void longs(long l, short s)
{
    printf("%ld %lu %hd\n", l, (ulong)2, s);
}

//! test: returns_zero
//! buffer out int[1] = 5
//! expect out = 0
//! print = "x"
kernel void returns_zero(global int *out)
{
    *out = printf("x");
}

//! test: size_lengths
//! options: -cl-std=CL3.1
//! require: >=3.1
//! value n ulong = 5000000000
//! print = "5000000000 -5000000000\n"
kernel void size_lengths(ulong n)
{
    printf("%zu %td\n", (size_t)n, (ptrdiff_t)-n);
}

//! test: redeclared
//! value x int = 7
//! print = "7 0.5\n"
// As programs repeat it; it is the library's all the same, which knows what of its arguments is converted.
int printf(__constant const char *format, ...) __attribute__((format(printf, 1, 2)));
kernel void redeclared(int x)
{
    printf("%d %g\n", x, 0.5f);
}

// Formats that a condition chooses, and formats from constant tables

//! test: chosen_formats
//! value n int = 4
//! print = "even\nzero\nb 0\none 0\nt0 0\ne0\nodd\nc 1\na 1\none 1\nt1 1 0x1\ne1\neven\nbb 2\nb 2\none 2\ne0\nodd\naaa 3\na 3\none 3\ne1\n"
constant char *constant table[3] = {"t0 %d\n", "t1 %d %#x\n", "never %d\n"};
constant char *constant one = "one %d\n";
constant char array_a[] = "a %d\n", array_b[] = "b %d\n";
struct entry {
    int x;
    constant char *format;
};
constant struct entry entries[2] = {{1, "e0\n"}, {2, "e1\n"}};
kernel void chosen_formats(int n)
{
    for (int i = 0; i < n; i++) {
        printf(i & 1 ? "odd\n" : "even\n");
        printf(i > 2 ? "aaa %d\n" : i > 1 ? "bb %d\n" : i ? "c %d\n" : "zero\n", i);
        printf(i & 1 ? array_a : array_b, i);
        printf(one, i);
        if (i < 2)
            printf(table[i], i, i);
        printf(entries[i & 1].format);
    }
}

//! test: chosen_formats_with_strings
//! value n int = 2
//! print = "w [x] 0.50\nhello 1 [yy] 1.500000e+00\nfirst 0\nlater 1\n"
kernel void chosen_formats_with_strings(int n)
{
    for (int i = 0; i < n; i++)
        printf(i ? "%s 1 [%s] %e\n" : "%.1s [%s] %.2f\n", i ? "hello" : "world", i ? "yy" : "x", i + 0.5f);
    constant char *format = "first %d\n";
    for (int i = 0; i < n; i++) {
        printf(format, i);
        format = "later %d\n";
    }
}
