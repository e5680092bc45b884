// Integer built-in functions. OpenCL C 3.0, 6.15.3.

//! test: abs
//! buffer out uint[4] = 0
//! buffer in int[4] = -5 5 0 -2147483648
//! global: 4
//! expect out = 5 5 0 2147483648
kernel void abs_test(global uint *out, global const int *in)
{
    out[get_global_id(0)] = abs(in[get_global_id(0)]);
}
//! kernel: abs_test

//! test: abs_diff
//! buffer out uchar4[1] = 0
//! value a char4 = -128 127 5 -1
//! value b char4 = 127 -128 7 -1
//! expect out = 255 255 2 0
kernel void abs_diff_test(global uchar4 *out, char4 a, char4 b)
{
    *out = abs_diff(a, b);
}
//! kernel: abs_diff_test

//! test: saturating
//! buffer out int[6] = 0
//! value big int = 2000000000
//! expect out = 2147483647 -2147483648 127 -128 255 0
kernel void saturating(global int *out, int big)
{
    out[0] = add_sat(big, big);
    out[1] = sub_sat(-big, big);
    out[2] = add_sat((char)100, (char)100);
    out[3] = sub_sat((char)-100, (char)100);
    out[4] = add_sat((uchar)200, (uchar)100);
    out[5] = sub_sat((uchar)5, (uchar)6);
}

//! test: saturating_long
//! buffer out long[3] = 0
//! value big long = 9000000000000000000
//! expect out = 9223372036854775807 -9223372036854775808 9223372036854775807
kernel void saturating_long(global long *out, long big)
{
    out[0] = add_sat(big, big);
    out[1] = sub_sat(-big, big);
    out[2] = mad_sat(big, 3L, 1L);
}

//! test: halving
//! buffer out uint[4] = 0
//! expect out = 0xfffffffe 0xffffffff 0xfffffffd 3
kernel void halving(global uint *out)
{
    uint a = 0xffffffff - get_global_id(0), b = 0xfffffffe;
    out[0] = hadd(a, b);
    out[1] = rhadd(a, b);
    out[2] = hadd((int)-3, (int)-2);
    out[3] = rhadd((uchar)2, (uchar)3);
}

//! test: mul_hi
//! buffer out long[4] = 0
//! value a long = 0x7fffffffffffffff
//! value u ulong = 0xffffffffffffffff
//! expect out = 0x3fffffffffffffff -2 -1 63
kernel void mul_hi_test(global long *out, long a, ulong u)
{
    out[0] = mul_hi(a, a);
    out[1] = mul_hi(u, u);
    out[2] = mul_hi(-5, 3);
    out[3] = mul_hi((uchar)255, (uchar)64);
}
//! kernel: mul_hi_test

//! test: mad_hi_sat
//! buffer out int[4] = 0
//! value a int = 0x40000000
//! expect out = 0x10000007 2147483647 -2147483648 24
kernel void mad_hi_sat(global int *out, int a)
{
    out[0] = mad_hi(a, a, 7);
    out[1] = mad_sat(a, 5, 1);
    out[2] = mad_sat(a, -5, 1);
    out[3] = mad_sat((char)4, (char)5, (char)4);
}

//! test: count_bits
//! buffer out int[9] = 0
//! value zero int = 0
//! expect out = 32 31 0 8 16 5 64 12 4
kernel void count_bits(global int *out, int zero)
{
    out[0] = clz(zero);
    out[1] = clz(zero + 1);
    out[2] = clz(zero - 1);
    out[3] = clz((uchar)zero);
    out[4] = popcount(0xffff0000u + zero);
    out[5] = popcount((uchar)(0x1f + zero));
    out[6] = clz((long)zero);
    out[7] = popcount(0xfff000000000UL + zero);
    out[8] = clz((short)(0x0800 + zero));
}

//! test: ctz
//! require: >=3.0
//! options: -cl-std=CL3.0
//! buffer out int[4] = 0
//! value zero int = 0
//! expect out = 32 4 16 40
kernel void ctz_test(global int *out, int zero)
{
    out[0] = ctz(zero);
    out[1] = ctz(zero + 48);
    out[2] = ctz((short)zero);
    out[3] = ctz((long)zero + 0x10000000000L);
}
//! kernel: ctz_test

//! test: rotate
//! buffer out uint[5] = 0
//! value n uint = 8
//! expect out = 0x34567812 0x12345678 0x78123456 0x21 0x80
kernel void rotate_test(global uint *out, uint n)
{
    out[0] = rotate(0x12345678u, n);
    out[1] = rotate(0x12345678u, n * 4);
    out[2] = rotate(0x12345678u, -n);
    out[3] = rotate((uchar)0x12, (uchar)(n - 4));
    out[4] = rotate((uchar)1, (uchar)(n + 7));
}
//! kernel: rotate_test

//! test: bitwise_steps
//  Choices and majorities of three, each sharing operations with the one before, against the same bit by bit.
//! buffer in uint[4] = 0x12345678 0x9abcdef0 0x0f1e2d3c 0xc0ffee11
//! buffer out uint[2] = 1
//! expect out = 0 0
uint three_by_bits(uint table, uint x, uint y, uint z)
{
    uint result = 0;
    for (uint i = 0; i < 32; i++)
        result |= (table >> ((x >> i & 1) * 4 + (y >> i & 1) * 2 + (z >> i & 1)) & 1) << i;
    return result;
}
kernel void bitwise_steps(global const uint *in, global uint *out)
{
    uint a = in[0], b = in[1], c = in[2], d = in[3], e = in[0], f = in[1], g = in[2], h = in[3];
    uint first = get_global_id(0);
    for (uint i = first; i < 20; i++) {
        a = rotate(a + (i & 1 ? (b & c) | (~b & d) : (b & c) | (b & d) | (c & d)), 7u);
        d = rotate(d + ((a & b) | (a & c) | (b & c)), 11u);
        c = rotate(c + ((d & a) | (d & b) | (a & b)), 19u);
        b = rotate(b + ((c & d) | (~c & a)), 3u);
        e = rotate(e + three_by_bits(i & 1 ? 0xca : 0xe8, f, g, h), 7u);
        h = rotate(h + three_by_bits(0xe8, e, f, g), 11u);
        g = rotate(g + three_by_bits(0xe8, h, e, f), 19u);
        f = rotate(f + three_by_bits(0xca, g, h, e), 3u);
    }
    out[first] = (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h);
}
//! global: 2

//! test: clamp_min_max
//! buffer out int4[4] = 0
//! value a int4 = -10 0 10 20
//! expect out = -5 0 5 5  -1 0 10 20  -10 -1 -1 -1  3 3 10 20
kernel void clamp_min_max(global int4 *out, int4 a)
{
    out[0] = clamp(a, -5, 5);
    out[1] = max(a, -1);
    out[2] = min(a, (int4)(-1));
    out[3] = max(a, (int4)(3));
}

//! test: min_max_unsigned
//! buffer out uint[2] = 0
//! value a uint = 0x80000000
//! expect out = 1 0x80000000
kernel void min_max_unsigned(global uint *out, uint a)
{
    out[0] = min(a, 1u);
    out[1] = max(a, 1u);
}

//! test: mul24
//! buffer out int[3] = 0
//! value a int = -100000
//! expect out = -1000000 -999993 600
kernel void mul24_test(global int *out, int a)
{
    out[0] = mul24(a, 10);
    out[1] = mad24(a, 10, 7);
    out[2] = mul24(20u, 30u);
}
//! kernel: mul24_test

//! test: upsample
//! buffer out long[4] = 0
//! expect out = -255 0x1234 0x12345678 -4294967294
kernel void upsample_test(global long *out)
{
    out[0] = upsample((char)-1, (uchar)1);
    out[1] = upsample((uchar)0x12, (uchar)0x34);
    out[2] = upsample((ushort)0x1234, (ushort)0x5678);
    out[3] = upsample((int)-1, (uint)2);
}
//! kernel: upsample_test

//! test: functions_of_three
//  Majorities and choices, for all that the three bits can be.
//! buffer out uint[12] = 0
//! buffer wide ulong[2] = 0
//! value a uint = 0xf0
//! value b uint = 0xcc
//! value c uint = 0xaa
//! expect out = 0xe8 0xe8 0xe8 0xe8 0xca 0xe2 0xd8 0xca 0x35 0xc0 0x80 0xe8
//! expect wide = 0xe8 0xffffffffffffff35
kernel void functions_of_three(global uint *out, global ulong *wide, uint a, uint b, uint c)
{
    out[0] = (a & b) | (c & (a | b));
    out[1] = (a & b) | (a & c) | (b & c);
    out[2] = (a & b) ^ (a & c) ^ (b & c);
    out[3] = (a & b) ^ (c & (a ^ b));
    out[4] = (a & b) | (~a & c);
    out[5] = (b & a) | (~b & c);
    out[6] = (a & ~c) ^ (b & c);
    out[7] = ((b ^ c) & a) ^ c;
    out[8] = (~((a & b) | (~a & c))) & 0xff;
    uint both = a & b;
    out[9] = both;
    out[10] = (both | (~a & c)) & (both ^ (c & 0x40)) & c;
    uchar4 x = (uchar4)(a), y = (uchar4)(b), z = (uchar4)(c), most = (x & (y | z)) | (y & z);
    out[11] = most.w;
    ulong u = a, v = b, w = c;
    wide[0] = (u & v) | (w & (u | v));
    wide[1] = ~((u & v) | (~u & w));
}

//! test: bitselect_select
//! buffer out uint4[3] = 0
//! value a uint4 = 0xf0f0f0f0 1 2 3
//! value b uint4 = 0x0f0f0f0f 10 20 30
//! value m int4 = -1 0 -1 0
//! expect out = 0x0f0f0f0f 1 20 3  0xf0f0f0f0 10 2 30  0x0f0f0f0f 1 20 3
kernel void bitselect_select(global uint4 *out, uint4 a, uint4 b, int4 m)
{
    out[0] = bitselect(a, b, as_uint4(m));
    out[1] = select(b, a, as_uint4(m));
    out[2] = select(a, b, m);
}

//! test: clang_builtins
//! buffer out ulong[5] = 0
//! value a uint = 0x11223344
//! value b ulong = 0x1122334455667788
//! expect out = 0x4433 0x44332211 0x8877665544332211 0x22334411 0x55667788
kernel void clang_builtins(global ulong *out, uint a, ulong b)
{
    out[0] = __builtin_bswap16((ushort)a);
    out[1] = __builtin_bswap32(a);
    out[2] = __builtin_bswap64(b);
    out[3] = __builtin_rotateleft32(a, 8u);
    out[4] = (uint)b;
}

//! test: overflow
//! buffer a long[6] = 9223372036854775807 -9223372036854775808 3037000500 3037000499 -9223372036854775808 5
//! buffer b long[6] = 1 -1 3037000500 3037000499 2 -7
//! buffer out uint[6] = 0
//! buffer products long[6] = 0
//! global: 6
//! expect out = 14943169 554461 16156996 16154944 543742 1597480
//! expect products = 9223372036854775807 -9223372036854775808 -9223372036709301616 9223372030926249001 0 -35
#define CHECK(op, x, y, r, at) (__builtin_##op##_overflow(x, y, &r) ? at : 0)
#define ALL(x, y, r, at) (CHECK(add, x, y, r, at) | CHECK(sub, x, y, r, at * 2) | CHECK(mul, x, y, r, at * 4))
kernel void overflow(global const long *a, global const long *b, global uint *out, global long *products)
{
    size_t i = get_global_id(0);
    long x = a[i], y = b[i], l;
    ulong u;
    int n;
    uint m;
    short h;
    uint bits = ALL(x, y, l, 1u) | ALL(x, y, u, 8u) | ALL(x, y, n, 64u) | ALL((ulong)x, y, l, 512u) |
                ALL((ulong)x, (ulong)y, u, 4096u) | ALL((int)x, (int)y, n, (1u << 15)) |
                ALL((uint)x, (uint)y, m, (1u << 18)) | ALL((uint)x, (int)y, h, (1u << 21));
    out[i] = bits;
    __builtin_smull_overflow(x, y, &l);
    products[i] = l;
}

//! test: elementwise
//! buffer v int4[1] = 1 -5 7 2147483647
//! buffer out int[8] = 0
//! buffer f float4[2] = 1.5 -2.5 0.5 -0.5 2 -3 0 4
//! expect out = 5 7 7 2147483647 2147483647 -5 2147483646 13
//! expect f = 2 -2 0 0 2 -2 0 4
kernel void elementwise(global int4 *v, global int *out, global float4 *f)
{
    int4 a = __builtin_elementwise_max(v[0], (int4)(5, 7, 7, 0));
    out[0] = a.x;
    out[1] = a.y;
    out[2] = __builtin_elementwise_abs(v[0]).z;
    out[3] = __builtin_elementwise_add_sat(v[0], v[0]).w;
    out[4] = __builtin_reduce_max(v[0]);
    out[5] = __builtin_reduce_min(v[0]);
    out[6] = __builtin_elementwise_sub_sat(v[0], (int4)(1)).w;
    out[7] = __builtin_reduce_xor(v[0].xyz) & 0xf;
    float4 r = __builtin_elementwise_roundeven(f[0]);
    f[1] = (float4)(__builtin_elementwise_ceil(f[0]).x, __builtin_elementwise_trunc(f[0]).y,
                    __builtin_elementwise_floor(f[0]).z, __builtin_elementwise_max(f[1], r).w);
    f[0] = r + 0.0f;
}

//! test: memory_by_the_byte
//! buffer p uint[8] = 1 2 3 4 5 6 7 8
//! value n uint = 6
//! expect p = 1 2 1 2 3 4 0xff06 0
kernel void memory_by_the_byte(global uint *p, uint n)
{
    uint a[8];
    struct pair { uint x, y; } pairs[4], zero;
    __builtin_memcpy(a, p, sizeof(a));
    __builtin_memset(&zero, 0, sizeof(zero));
    __builtin_memcpy(pairs, a, sizeof(pairs));
    __builtin_memmove(a + 2, a, 4 * sizeof(uint)); /* overlapping */
    __builtin_memset((uchar *)(a + 6) + 1, 0xff, 1);
    __builtin_memcpy((uchar *)(a + 6), &pairs[2].y, n - 5);
    a[7] = zero.y;
    __builtin_memcpy(p, a, sizeof(a));
}

// What clang's own functions take is of the type that the name says, whatever is given.
//! test: clang_counts
//! buffer out int[24] = 0
//! value x int = -2
//! value y int = 0
//! expect out = 0 0 1 31 64 64 1 2 0 0 31 63 31 62 1 1 0 30 62 63 2 2 12 5
kernel void clang_counts(global int *out, int x, int y)
{
    out[0] = __builtin_clz(x);
    out[1] = __builtin_clzl(x);
    out[2] = __builtin_ctz(x);
    out[3] = __builtin_popcount(x);
    out[4] = __builtin_popcountl(x - 1) + 1;
    out[5] = __builtin_popcountl(x | 1);
    out[6] = __builtin_ctzll(x);
    out[7] = __builtin_ffs(x);
    out[8] = __builtin_ffs(y);
    out[9] = __builtin_ffsll(y);
    out[10] = __builtin_clrsb(y);
    out[11] = __builtin_clrsbl(y);
    out[12] = __builtin_clrsb(x | 1);
    out[13] = __builtin_clrsbl(x);
    out[14] = __builtin_parity(x);
    out[15] = __builtin_parityl(x);
    out[16] = __builtin_parity(y);
    out[17] = __builtin_clrsb(x);
    out[18] = __builtin_clzl(x & 3);
    out[19] = __builtin_clzl(x & 1 | 1);
    out[20] = __builtin_abs(x);
    out[21] = (int)__builtin_labs(x);
    out[22] = __builtin_clzs((ushort)(y + 8));
    out[23] = __builtin_ctzs((ushort)(y + 32));
}

//! test: clang_counts_of_constants
//! buffer out int[10] = 0
//! expect out = 27 59 4 5 0 1 31 63 26 16
kernel void clang_counts_of_constants(global int *out)
{
    const int all[10] = {__builtin_clz(16),   __builtin_clzl(16), __builtin_ctz(16),    __builtin_ffs(16),   __builtin_ffs(0),
                         __builtin_parity(7), __builtin_clrsb(0), __builtin_clrsbl(-1), __builtin_clrsb(16), __builtin_abs(-16)};
    int sized[__builtin_ctz(16)];
    _Static_assert(sizeof(sized) == 16, "");
    _Static_assert(__builtin_popcountl(-1) == 64, "");
    _Static_assert(__builtin_bitreverse8(3) == 192, "");
    for (int i = 0; i < 10; i++)
        out[i] = all[i];
}

//! test: clang_reversed_and_rotated
//! buffer out ulong[10] = 0
//! value x uint = 0x12345678
//! expect out = 510274632 2191612856418435072 7786 32 591751041 2166572391 3771333679364702208 13398 9223372036854775808 320255972868096
kernel void clang_reversed_and_rotated(global ulong *out, uint x)
{
    out[0] = __builtin_bitreverse32(x);
    out[1] = __builtin_bitreverse64(x);
    out[2] = __builtin_bitreverse16(x);
    out[3] = __builtin_bitreverse8(x | 0x80) + 1;
    out[4] = __builtin_rotateleft32(x, 4);
    out[5] = __builtin_rotateright32(x, 4);
    out[6] = __builtin_rotateleft64(x, 40) & 0xffffffff00000000;
    out[7] = __builtin_rotateleft16(x >> 8, 0);
    out[8] = __builtin_rotateright64(x - 0x12345677, 1);
    out[9] = __builtin_rotateleft64(x, 20);
}

//! test: clang_carries
//! buffer out uint[8] = 0
//! value big uint = 0xffffffff
//! expect out = 4294967295 1 0 0 1 1 1 0
kernel void clang_carries(global uint *out, uint big)
{
    uint carry;
    out[0] = __builtin_addc(big, big, 1u, &carry);
    out[1] = carry;
    out[2] = (uint)__builtin_addcl(big - big, 0ul, 0ul, &(ulong){7});
    out[3] = __builtin_addc(0u, 0u, 0u, &carry) + carry;
    out[4] = __builtin_subc(0u, big, big - 0xfffffffd, &carry) + 2;
    out[5] = carry;
    out[6] = __builtin_subc(big, big - 2, 1u, &carry);
    out[7] = carry;
}

// Sums of products of bytes, which the compiler knows as dot products.

//! test: products_of_bytes
//! global: 4
//! buffer a char[16] = -128 127 -1 5 1 2 3 4 -128 -128 -128 -128 100 -100 50 -50
//! buffer b char[16] = -128 127 7 -9 -4 3 -2 1 -128 -128 -128 -128 1 1 1 1
//! buffer out int[16] = 0
//! expect out = 32461 35533 973 81620 0 1024 1024 57 65536 65536 -65536 98049 0 512 0 3
kernel void products_of_bytes(global const char4 *a, global const char4 *b, global int4 *out)
{
    int i = get_global_id(0);
    char4 x = a[i], y = b[i];
    uchar4 ux = as_uchar4(x), uy = as_uchar4(y);
    char8 x8 = (char8)(x, a[(i + 2) % 4]), y8 = (char8)(y, b[(i + 2) % 4]);
    out[i].x = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    out[i].y = ux.w * uy.w + ux.x * uy.x + (uy.y * ux.y + ux.z * uy.z);
    out[i].z = x.x * uy.x + uy.y * x.y + x.z * uy.z + x.w * uy.w;
    out[i].w = x8.s6 * y8.s6 + x8.s0 * y8.s0 + x8.s1 * y8.s1 + x8.s2 * y8.s2 + 7 + x8.s3 * y8.s3 + x8.s4 * y8.s4 + x8.s5 * y8.s5;
}

// A dividend that has 32 bits though it is of 64, by divisors that have more, that are 0 in their lower half, or negative ints

//! test: divide_sizes
//! buffer out ulong[12] = 0
//! buffer by long[6] = 3 -1 0x100000000 0x100000003 0xffffffff 1
//! global: 6
//! local: 6
//! expect out = 2 0 0 0 0 6 0 6 6 6 6 0
kernel void divide_sizes(global ulong *out, global const long *by)
{
    size_t i = get_global_id(0), size = get_local_size(0);
    out[i] = size / by[i];
    out[i + 6] = size % by[i];
}

// Constants that fit no long have 128 bits (C99, 6.4.4.1)

//! test: wide_literals
//! global: 1
//! buffer out int[32] = 9
//! expect out = 1 1 1 0 1 1 1 -4 1 111 0 1 6 1 4 1 1 0 32 1 1 0 1 1 1 2 5 1 7 9 9 9
//! buffer in long[2] = -5 5
kernel void wide_literals(global int *out, global const long *in)
{
    long l = in[0], p = in[1], least = -9223372036854775808;
    ulong u = (ulong)l;
    int i = (int)l, n = 0, calls = 0;
    out[n++] = l < 9223372036854775808;
    out[n++] = l > -9223372036854775808;
    out[n++] = u > -9223372036854775808;
    out[n++] = u < 9223372036854775808;
    out[n++] = i != 9223372036854775808;
    out[n++] = 18446744073709551616 > u;
    out[n++] = -18446744073709551616 < l++;
    out[n++] = (int)l;
    out[n++] = least < 0 && least == -9223372036854775807 - 1;
    out[n++] = (-9223372036854775808 < 0 ? 1 : 2) + (9223372036854775808 ? 10 : 20) + (18446744073709551616 ? 100 : 200);
    out[n++] = (float)p > 18446744073709551616;
    out[n++] = 1e19f > -18446744073709551616 && 36893488147419103232.0f == 36893488147419103232;
    out[n++] = 18446744073709551616 - 18446744073709551610;
    out[n++] = 9223372036854775808 / 9223372036854775807;
    out[n++] = 18446744073709551616 >> 62;
    out[n++] = ~9223372036854775808 == -9223372036854775809;
    out[n++] = -9223372036854775808 - 1 < -9223372036854775808;
    out[n++] = !9223372036854775808 + !18446744073709551616;
    out[n++] = sizeof(9223372036854775808) + sizeof(-9223372036854775808LL);
    out[n++] = p - 9223372036854775808 == p - 0x7fffffffffffffff - 1;
    out[n++] = l < 0x8000000000000000LL;
    out[n++] = l < (ulong)9223372036854775808;
    out[n++] = (p & 9223372036854775808) == 0 && (l & 9223372036854775808) != 0;
    out[n++] = (int)(9223372036854775808 * 2 / 18446744073709551616);
    switch (least) {
    case -9223372036854775808:
        out[n++] = 1;
    }
    enum { FEW = 18446744073709551616 / 9223372036854775808 };
    out[n++] = FEW;
    out[n++] = 340282366920938463463374607431768211455 % 10;
    out[n++] = 18446744073709551616UL == 18446744073709551616;
    out[n++] = 7;
}

//! test: least_long_saturates
//! buffer out int[6] = 9
//! buffer in float[2] = 2000 -1e19
//! global: 2
//! expect out = 2000 -1 0 1 1 1
kernel void least_long_saturates(global int *out, global const float *in)
{
    size_t i = get_global_id(0);
    float v = in[i];
    out[i] = v < -9223372036854775808 ? -1 : (int)v;
    out[i + 2] = v < -9223372036854775808;
    out[i + 4] = -9223372036854775808 < 0;
}
