// Sums and differences that wrap, and counted bits, beside divisions of 64-bit integers and doubles. NVIDIA's driver
// (580.159) takes them for operations that it gets wrong there.

//! test: difference_function
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x0 0x1 0x123456784b 0xffffffedcba98670
kernel void difference_function(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    out[i] = sub_sat(x, z);
}

//! test: difference_choice
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x0 0x1 0x123456784b 0xffffffedcba98670
kernel void difference_choice(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    out[i] = x > z ? x - z : 0;
}

//! test: difference_choice_turned
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x0 0x1 0x123456784b 0xffffffedcba98670
kernel void difference_choice_turned(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    out[i] = x < z ? 0 : x - z;
}

//! test: difference_mask
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x0 0x1 0x123456784b 0xffffffedcba98670
kernel void difference_mask(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    out[i] = (x - z) & -(ulong)(x >= z);
}

//! test: difference_branch
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x0 0x1 0x123456784b 0xffffffedcba98670
kernel void difference_branch(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    ulong r = x - z;
    if (x < z)
        r = 0;
    out[i] = r;
}

//! test: difference_constant
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x0 0x0 0x123456784c 0xfffffffffffffebc
kernel void difference_constant(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    out[i] = x > 0x44 ? x - 0x44 : 0;
}

//! test: sum_function
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x87 0x87 0x12345678d5 0xffffffffffffffff
kernel void sum_function(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    out[i] = add_sat(x, z);
}

//! test: sum_choice
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x87 0x87 0x12345678d5 0xffffffffffffffff
kernel void sum_choice(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    ulong r = x + z;
    out[i] = r < x ? ~0ul : r;
}

//! test: sum_choice_before
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x87 0x87 0x12345678d5 0xffffffffffffffff
kernel void sum_choice_before(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    out[i] = x > ~z ? ~0ul : x + z;
}

//! test: sum_mask
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x87 0x87 0x12345678d5 0xffffffffffffffff
kernel void sum_mask(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    out[i] = (x + z) | -(ulong)(x + z < x);
}

//! test: sum_branch
//! buffer out ulong[4] = 0
//! buffer a long[1] = 5
//! buffer b ulong[8] = 0x43 0x44 0x45 0x46 0x8a0e 0xff 0xffffffffffffff00 0x1234567890
//! buffer c long[1] = 0
//! global: 4
//! expect out = 0x87 0x87 0x12345678d5 0xffffffffffffffff
kernel void sum_branch(global ulong *out, global const long *a, global const ulong *b, global long *c)
{
    uint i = get_global_id(0);
    ulong x = b[i == 2 ? 7 : i == 3 ? 6 : i], z = b[i == 0 ? 1 : i == 1 ? 0 : i == 2 ? 2 : 7];
    if (i == 0)
        *c = *a % (*a + 3);
    ulong r = x + z;
    if (r < x)
        r = ~0ul;
    out[i] = r;
}

//! test: counted_bits
//! buffer out uint[6] = 0
//! buffer a long[1] = 5
//! buffer h ushort[2] = 0x8a0e 0xffff
//! buffer y char[2] = -1 -7
//! buffer c long[1] = 0
//! expect out = 6 8 6 16 5 8
kernel void counted_bits(global uint *out, global const long *a, global const ushort *h, global const char *y,
                         global long *c)
{
    *c = *a / (*a + 3);
    out[0] = popcount(h[0]);
    out[1] = (uchar)popcount(y[0]);
    out[2] = (uchar)popcount(y[1]);
    out[3] = popcount((uint)h[1]);
    out[4] = popcount(h[0] & 0xff0fu) - 1;
    out[5] = popcount((uint)(uchar)y[0]);
}

//! test: short_vectors
//! buffer out ushort4[4] = 0
//! buffer a long[1] = 5
//! buffer v ushort4[2] = 0x100 0 0x8000 0xffff 0x2000 0x3e45 0x7e71 0xa96e
//! buffer c long[1] = 0
//! expect out = 0 0 0x18f 0x5691 0x2100 0x3e45 0xfe71 0xffff 0 0 0x18f 0x5691 0x2100 0x3e45 0xfe71 0xffff
kernel void short_vectors(global ushort4 *out, global const long *a, global const ushort4 *v, global long *c)
{
    ushort4 x = v[0], z = v[1];
    *c = *a / (*a + 3);
    out[0] = sub_sat(x, z);
    out[1] = add_sat(x, z);
    out[2] = select((ushort4)0, x - z, x > z);
    out[3] = select(x + z, (ushort4)0xffff, x + z < x);
}

//! test: byte_lanes
//! buffer out uchar2[2] = 0
//! buffer a long[1] = 5
//! buffer v uchar2[2] = 0x81 0x20 1 0
//! buffer c long[1] = 0
//! expect out = 0x20 0x81 0x81 0x81
kernel void byte_lanes(global uchar2 *out, global const long *a, global const uchar2 *v, global long *c)
{
    *c = *a / (*a + 3);
    out[0] = shuffle(v[0], v[1]);
    out[1] = shuffle(v[0], v[1].yy);
}
