// Pointers and address spaces. OpenCL C 3.0, 6.7 Address Space Qualifiers; C99 6.5.

//! test: pointer_walk
//! buffer out int[4] = 0
//! buffer in int[4] = 1 2 3 4
//! expect out = 4 3 2 1
kernel void pointer_walk(global int *out, global const int *in)
{
    global const int *p = in + 4;
    while (p != in)
        *out++ = *--p;
}

//! test: pointer_difference
//! buffer out long[3] = 0
//! buffer a int4[4] = 0
//! expect out = 3 -3 48
kernel void pointer_difference(global long *out, global int4 *a)
{
    global int4 *p = a + 3;
    out[0] = p - a;
    out[1] = a - p;
    out[2] = (global char *)p - (global char *)a;
}

//! test: byte_cast
//! buffer out uchar[8] = 0
//! buffer in uint[2] = 0x04030201 0x08070605
//! expect out = 1..8
kernel void byte_cast(global uchar *out, global const uint *in)
{
    global const uchar *bytes = (global const uchar *)in;
    for (int i = 0; i < 8; i++)
        out[i] = bytes[i];
}

//! test: byte_store_into_int
//! buffer out uint[2] = 0
//! expect out = 0xddccbbaa 0x0000ee00
kernel void byte_store_into_int(global uint *out)
{
    global uchar *bytes = (global uchar *)out;
    bytes[0] = 0xaa;
    bytes[1] = 0xbb;
    bytes[2] = 0xcc;
    bytes[3] = 0xdd;
    bytes[5] = 0xee;
}

//! test: unaligned_int
//! buffer out uint[2] = 0
//! buffer in uchar[16] = 0..15
//! expect out = 0x04030201 0x0a090807
typedef uint unaligned_uint __attribute__((aligned(1)));
kernel void unaligned_int(global uint *out, global const uchar *in)
{
    out[0] = *(global const unaligned_uint *)(in + 1);
    out[1] = *(global const unaligned_uint *)(in + 7);
}

//! test: pointer_as_integer
//! buffer out int[2] = 0
//! buffer in int[4] = 10 20 30 40
//! expect out = 30 1
kernel void pointer_as_integer(global int *out, global int *in)
{
    ulong address = (ulong)in;
    out[0] = *(global int *)(address + 8);
    out[1] = (uintptr_t)(in + 1) == address + 4;
}

//! test: null_argument
//! buffer out int[1] = 0
//! null p
//! expect out = 1
kernel void null_argument(global int *out, global int *p)
{
    *out = p == 0;
}

//! test: pointer_in_private_array
//! buffer out int[3] = 0
//! buffer a int[3] = 1 2 3
//! buffer b int[3] = 10 20 30
//! global: 3
//! expect out = 1 20 3
kernel void pointer_in_private_array(global int *out, global int *a, global int *b)
{
    int id = get_global_id(0);
    global int *which[2] = {a, b};
    out[id] = which[id & 1][id];
}

//! test: pointer_select
//! buffer out int[2] = 0
//! global: 2
//! value n int = 3
//! expect out = 3 30
kernel void pointer_select(global int *out, int n)
{
    int a = n, b = 10 * n;
    int *p = get_global_id(0) ? &b : &a;
    out[get_global_id(0)] = *p;
}

//! test: private_array_indexed
//! buffer out int[8] = 0
//! global: 8
//! expect out = 0 1 4 9 16 25 36 49
kernel void private_array_indexed(global int *out)
{
    int squares[8];
    for (int i = 0; i < 8; i++)
        squares[i] = i * i;
    out[get_global_id(0)] = squares[get_global_id(0)];
}

//! test: private_array_punned
//! buffer out uint[4] = 0
//! global: 4
//! expect out = 0x03020100 0x07060504 0x0b0a0908 0x0f0e0d0c
kernel void private_array_punned(global uint *out)
{
    uchar bytes[16];
    for (int i = 0; i < 16; i++)
        bytes[i] = i;
    out[get_global_id(0)] = ((uint *)bytes)[get_global_id(0)];
}

//! test: private_pointer_to_function
//! buffer out int[2] = 0
//! value a int = 1
//! value b int = 2
//! expect out = 2 1
void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}
kernel void private_pointer_to_function(global int *out, int a, int b)
{
    swap(&a, &b);
    out[0] = a;
    out[1] = b;
}

//! test: constant_table
//! buffer out int[4] = 0
//! global: 4
//! expect out = 2 3 5 7
constant int primes[] = {2, 3, 5, 7};
kernel void constant_table(global int *out)
{
    out[get_global_id(0)] = primes[get_global_id(0)];
}

//! test: constant_struct_table
//! buffer out float[3] = 0
//! global: 3
//! expect out = 1.5 20 300.25
typedef struct {
    char tag;
    float value;
} entry_t;
constant entry_t entries[3] = {{'a', 1.5f}, {.value = 20.0f}, {'c', 300.25f}};
kernel void constant_struct_table(global float *out)
{
    out[get_global_id(0)] = entries[get_global_id(0)].value;
}

//! test: constant_address_of_constant
//! buffer out int[3] = 0
//! global: 3
//! expect out = 5 1 9
constant int low[2] = {5, 6};
constant int high[3] = {7, 8, 9};
constant int one = 1;
constant int *constant table[3] = {low, &one, high + 2};
kernel void constant_address_of_constant(global int *out)
{
    out[get_global_id(0)] = *table[get_global_id(0)];
}

//! test: constant_argument
//! buffer out float[4] = 0
//! buffer weights float[2] = 0.5 2
//! global: 4
//! expect out = 0 2 1 6
kernel void constant_argument(global float *out, constant float *weights)
{
    int i = get_global_id(0);
    out[i] = weights[i & 1] * i;
}

//! test: string_literal
//! buffer out char[6] = 0
//! global: 6
//! expect out = 112 117 109 105 99 101
kernel void string_literal(global char *out)
{
    constant char *text = "pumice";
    out[get_global_id(0)] = text[get_global_id(0)];
}

//! test: pointer_stored_in_memory
//! buffer out int[2] = 0
//! buffer slots ulong[2] = 0
//! buffer in int[2] = 41 42
//! expect out = 42 41
typedef struct {
    global int *p;
} holder_t;
kernel void pointer_stored_in_memory(global int *out, global holder_t *slots, global int *in)
{
    slots[0].p = in + 1;
    slots[1].p = in;
    out[0] = *slots[0].p;
    out[1] = *slots[1].p;
}

//! test: double_indirection
//! buffer out int[1] = 0
//! value n int = 7
//! expect out = 8
kernel void double_indirection(global int *out, int n)
{
    int *p = &n, **pp = &p;
    ++**pp;
    *out = n;
}

//! test: two_dimensional_array
//! buffer out int[1] = 0
//! value k int = 2
//! expect out = 33
kernel void two_dimensional_array(global int *out, int k)
{
    int m[3][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            m[i][j] = 10 * i + j;
    int(*row)[4] = &m[k - 1];
    *out = (*row)[k] + m[k][1];
}

//! test: vector_component_pointer
//! buffer out float4[1] = 1 2 3 4
//! expect out = 1 9 3 4
kernel void vector_component_pointer(global float4 *out)
{
    ((global float *)out)[1] = 9.0f;
}

//! test: volatile_access
//! buffer out int[1] = 3
//! expect out = 9
kernel void volatile_access(volatile global int *out)
{
    *out = *out * *out;
}

// OpenCL C 3.0, 6.3.5: objects lie at multiples of their size, arguments to the local address space too.
//! test: natural_alignment
//! buffer out ulong[6] = 7
//! local pad 4
//! local wide 128
//! expect out = 0 0 0 0 0 0
kernel void natural_alignment(global ulong *out, local int *pad, local long16 *wide)
{
    local char c;
    local long16 l[2];
    local ulong4 d;
    char p;
    long16 q[2];
    ulong4 r[2];
    c = 1;
    out[0] = ((ulong)&wide[0] & 127) + ((ulong)pad & 3);
    out[1] = (ulong)&l[1] & 127;
    out[2] = (ulong)&d & 31;
    out[3] = ((ulong)&p & 0) + ((ulong)&c & 0);
    out[4] = (ulong)&q[1] & 127;
    out[5] = (ulong)&r[0] & 31;
}

//! test: array_passed_on
//  The array is reached from a pointer to its first element, in a function that is inlined.
//! buffer out uint[6] = 0
//! value k uint = 3
//! expect out = 7 19 24 21 3 4
static uint pick(const uint *w, uint n)
{
    uint sum = 0;
    for (uint i = 0; i < n; i++)
        sum += w[1] + w[i];
    return sum;
}
static void rotate_first(uint *w)
{
    uint first = w[0];
    w[0] = w[1];
    *++w = first;
}
kernel void array_passed_on(global uint *out, uint k)
{
    uint w[16];
    w[0] = k;
    w[1] = k + 1;
    w[2] = k + 2;
    w[3] = k - 3;
    out[0] = pick(w, 1);
    out[1] = pick(w + 1, 2);
    out[2] = pick(w, k);
    rotate_first(w);
    out[3] = pick(w, k);
    uint *end = &w[3];
    out[4] = end[-2];
    out[5] = *(end - 3);
}

//! test: stores_between_loads
//  Each way in which a store may change what a load before it gave.
//! buffer a uint[8] = 1 2 3 4 5 6 7 8
//! buffer out uint[12] = 0
//! value zero uint = 0
//! expect a = 10 20 3 4 0x3f800000 12 30 8
//! expect out = 1 10 2 20 5 0x3f800000 6 12 7 30 3 4
struct pair {
    uint first, second;
};
static uint store_and_read(global uint *p, global uint *q, uint value)
{
    uint before = *p;
    *q = value;
    return before * 100 + *p;
}
kernel void stores_between_loads(global uint *a, global uint *out, uint zero)
{
    global uint *same = a + zero;
    out[0] = a[0];
    same[0] = 10; /* another pointer to it */
    out[1] = a[0];
    global struct pair *pair = (global struct pair *)a;
    out[2] = pair->second;
    a[zero + 1] = 20; /* another type */
    out[3] = pair->second;
    out[4] = a[4];
    ((global float *)a)[4 + zero] = 1.0f;
    out[5] = a[4];
    global ushort *halves = (global ushort *)a;
    out[6] = a[5];
    halves[10 + zero] = 12; /* a part of it */
    out[7] = a[5];
    uint both = store_and_read(&a[6], &same[6], 30);
    out[8] = both / 100;
    out[9] = both % 100;
    out[10] = a[2];
    pair[0].first = a[0];
    out[11] = a[3];
}

//! test: private_and_local_between_loads
//! buffer out uint[10] = 0
//! value one uint = 1
//! value three uint = 3
//! expect out = 5 9 4 0x40a00000 5 26 7 1 2 44
union word {
    uint bits;
    float number;
    uchar bytes[4];
};
kernel void private_and_local_between_loads(global uint *out, uint one, uint three)
{
    uint v[6] = {4, 5, 6, 7, 8, 9};
    local uint l[4];
    uint before = v[1];
    v[one] = 9;
    out[0] = before;
    out[1] = v[1];
    out[2] = v[three - 3];
    union word w;
    w.number = 5.0f;
    out[3] = w.bits;
    uint *p = three == 3 ? v : v + 1; /* either */
    before = v[2];
    p[2] = before - one;
    out[4] = v[2];
    uint sum = 0;
    for (uint i = 0; i < three; i++) {
        sum += v[5];
        v[4 + i % 2] = i;
    }
    out[5] = sum + v[3];
    w.bytes[one - 1] = 7;
    out[6] = w.bits & 0xff;
    l[one] = 1;
    l[three] = 2;
    out[7] = l[1];
    out[8] = l[3];
    local uint *q = l + three;
    local uchar *bytes = (local uchar *)l;
    bytes[12 + one - 1] = 44;
    out[9] = *q;
}

//! test: restrict_pointers
//  What is read through a is never written; what is read through c is, by others too.
//! buffer a uint[4] = 1 2 3 4
//! buffer b uint[4] = 0
//! buffer c uint[4] = 5 6 7 8
//! global: 4
//! local: 4
//! expect b = 1106 1308 1510 912
//! expect c = 9 11 13 15
kernel void restrict_pointers(global const uint *restrict a, global uint *b, global uint *restrict c)
{
    uint i = get_global_id(0), next = (i + 1) & 3, old = c[i], unused = c[next];
    barrier(CLK_GLOBAL_MEM_FENCE);
    c[i] = old + a[i] + 3;
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[i] = c[next] * 100 + a[i] + old + unused * 0;
}

//! test: rows_as_one_array
//  Matrices are walked through by a pointer to their first element: private, local, global, and in a struct.
//! buffer g uint[6] = 0
//! buffer out uint[8] = 0
//! value one uint = 1
//! expect out = 5 1005 5 1005 5 1005 7 1007
//! expect g = 0 1 2 1005 4 5
struct table {
    uint rows[2][3], last;
};
kernel void rows_as_one_array(global uint *g, global uint *out, uint one)
{
    uint m[2][3];
    local uint l[2][3];
    global uint(*rows)[3] = (global uint(*)[3])g;
    struct table t;
    uint *p = &m[0][0], *q = &t.rows[0][0];
    local uint *lp = &l[0][0];
    global uint *gp = &rows[0][0];
    for (uint i = 0; i < 6; i++)
        p[i] = lp[i] = gp[i] = q[i] = i;
    m[1][0] = l[1][0] = rows[1][0] = t.rows[1][0] = 5;
    out[0] = m[1][0];
    p[3] += 1000;
    out[1] = m[1][0];
    out[2] = l[1][0];
    lp[3] += 1000;
    out[3] = l[1][0];
    out[4] = rows[1][0];
    gp[3] += 1000;
    out[5] = rows[1][0];
    t.last = 7;
    out[6] = t.last;
    q[5 + one] += 1000;
    out[7] = t.last;
}

//! test: beside_through_pointers
//! buffer g uint[4] = 1 2 3 4
//! buffer out uint[4] = 0
//! value two uint = 2
//! expect out = 1 30 40 50
//! expect g = 1 2 30 50
kernel void beside_through_pointers(global uint *g, global uint *out, uint two)
{
    global uint *at = g + two, *p = at - 1, *q = at + 1;
    out[0] = g[0];
    p[1] = 20;
    q[-1] = 30;
    out[1] = p[1];
    at[1] = 10;
    p[2] = 40;
    out[2] = at[1];
    p[2] = at[0] + 20;
    out[3] = q[0];
}

//! test: known_across_barriers
//  What other work-items wrote, behind each kind of barrier, in loops and branches.
//! buffer g uint[8] = 0
//! buffer out uint[32] = 0
//! value rounds uint = 3
//! global: 8
//! local: 8
//! expect out = 21 22 23 24 25 26 27 20 2 3 4 5 6 7 8 1 1 1 1 1 1 1 1 1 6*8
//! expect g = 6*8
kernel void known_across_barriers(global uint *restrict g, global uint *out, uint rounds)
{
    local uint l[8], count;
    uint i = get_local_id(0), next = (i + 1) & 7, sum = 0;
    l[i] = i;
    for (uint r = 0; r < rounds; r++) {
        uint own = l[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        l[next] = own + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += l[i] - own;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    l[i] = i;
    uint before = l[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    l[next] = i + 1;
    out[i] = before * 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = 20 + (l[(i + 2) & 7] + 7) % 8;
    out[8 + i] = l[(i + 2) & 7];
    if (i == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint old = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 4)
        atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[16 + i] = old * 0 + count - 3;
    g[i] = sum - sum;
    for (uint r = 0; r < 6; r++) {
        uint mine = g[i];
        barrier(CLK_GLOBAL_MEM_FENCE);
        g[next] = mine + 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (r & 1)
            mine = g[i];
    }
    out[24 + i] = g[i];
}

//! test: stores_side_by_side
//  At buffers' starts and at addresses that allow no vector; what lies between them stays.
//! buffer a uint[72] = 0
//! buffer b uint[40] = 7
//! buffer c uchar[40] = 9
//! buffer d ulong[8] = 0
//! buffer out uint[8] = 0
//! value one uint = 1
//! global: 4
//! expect a = 0 1 2 3 4 5 6 7 0*8 10 11 12 13 14 15 16 17 0*8 20 21 22 23 24 25 26 27 0*8 30 31 32 33 34 35 36 37 0*8 0*8
//! expect b = 7 0 1 2 3 0 1 2 3 0 1 2 3 10 11 12 13 0 1 2 3 20 21 22 23 0 1 2 3 30 31 32 33 7*7
//! expect c = 0 1 2 3 9 9 9 9 10 11 12 13 9 9 9 9 20 21 22 23 9 9 9 9 30 31 32 33 9 9 9 9 9*8
//! expect d = 0 1 2 3 4 5 6 7
//! expect out = 0 4 10 4 20 4 30 4
kernel void stores_side_by_side(global uint *a, global uint *b, global uchar *c, global ulong *d, global uint *out,
                                uint one)
{
    uint i = get_global_id(0), x = i * 10;
    for (int k = 0; k < 8; k++)
        a[i * 16 + k] = x + k;
    global uint *odd = b + one;
    for (int k = 0; k < 4; k++)
        odd[i * 8 + k] = k;
    odd[i * 8 + 4] = x;
    odd[i * 8 + 5] = x + 1;
    odd[i * 8 + 6] = x + 2;
    odd[i * 8 + 7] = x + 3;
    c[i * 8 + 1] = x + 1;
    c[i * 8 + 3] = x + 3;
    c[i * 8] = x;
    c[i * 8 + 2] = x + 2;
    d[i * 2] = i * 2;
    d[i * 2 + 1] = i * 2 + 1;
    out[i * 2] = x + 1;
    out[i * 2 + 1] = out[i * 2] - x;
    out[i * 2] -= 1;
    out[i * 2 + 1] += 3;
}

//! test: pairs_side_by_side
//  Pairs that go as vectors of four where their row begins at a multiple of 16 bytes, and one by one where it does not.
//! buffer a float2[18] = 0
//! buffer b short2[24] = 0
//! value row int = 9
//! global: 4
//! expect a = 0 1 2 3 4 5 6 7 10 11 12 13 14 15 16 17 0 0 20 21 22 23 24 25 26 27 30 31 32 33 34 35 36 37 0 0
//! expect b = 0 1 2 3 0*8 10 11 12 13 0*8 20 21 22 23 0*8 30 31 32 33 0*8
kernel void pairs_side_by_side(global float2 *a, global short2 *b, int row)
{
    int i = get_global_id(0), at = (i >> 1) * row + (i & 1) * 4, x = i * 10;
    for (int k = 3; k >= 0; k--)
        a[at + k] = (float2)(x + 2 * k, x + 2 * k + 1);
    b[i * 6] = (short2)(x, x + 1);
    b[i * 6 + 1] = (short2)(x + 2, x + 3);
}

//! test: indices_without_a_sign
//  Sums of unsigned indices wrap before they are widened, but not where no bit is carried.
//! buffer a uint[64] = 0..63
//! buffer out uint[20] = 0
//! value two uint = 2
//! global: 4
//! local: 4
//! expect out = 6 22 38 54 40 60 72 92 140 364 588 812 57 65 9 17 18 18 18 18
kernel void indices_without_a_sign(global uint *a, global uint *out, uint two)
{
    local uint l[16];
    uint i = get_global_id(0), at = i * 4, below = at - 4 * two, s = 0;
    out[i] = a[at] + a[at + 1] + a[at | 2] + a[at + 3];
    out[4 + i] = a[at + 5] * 3 + a[at | 9] + a[(at | 1) + 15];
    for (uint k = 0; k < 4 * two; k++)
        s += a[i * 8 + k] * k;
    out[8 + i] = s;
    out[12 + i] = a[below + 9] + a[(uchar)(at + 248) % 64];
    for (uint k = 0; k < 4; k++)
        l[at + k] = at + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[16 + i] = l[15 - at] + l[at | 3];
}

//! test: negative_indices
//  Elements before a pointer, of each size, by indices that are int, uint and long.
//! buffer a uchar[64] = 0..63
//! buffer out uint[8] = 0
//! value two uint = 2
//! expect out = 30 15 30 31 0x1f1e1d1c 0x0f0e0d0c 0x0b0a0908 1
kernel void negative_indices(global uchar *a, global uint *out, uint two)
{
    int back = -(int)two;
    long far = back * 8L;
    global uchar *c = a + 32;
    global uint *u = (global uint *)(a + 32);
    global uint4 *v = (global uint4 *)(a + 32);
    out[0] = c[back];
    out[1] = c[far - 1];
    out[2] = *(c - two);
    out[3] = c[(short)(back + 1)];
    out[4] = u[back + 1];
    out[5] = u[far / 4 - 1];
    out[6] = v[back].z;
    out[7] = (v + back) == (global uint4 *)a;
}

//! test: widened_parts
//! buffer a uint2[2] = 0x80ff0102 0x7f00fe03 0x8001ffff 0x7fff0003
//! buffer out float4[4] = 0
//! buffer ints int4[4] = 0
//! buffer longs long2[2] = 0
//! expect out = 2 1 255 128 3 -2 0 127 65535 32769 3 32767 -1 -32767 3 32767
//! expect ints = 2 1 -1 -128 3 254 0 127 -1 -32767 3 32767 255 65535 127 254
//! expect longs = -1 -128 255 128
kernel void widened_parts(global uint2 *a, global float4 *out, global int4 *ints, global long2 *longs)
{
    uchar4 u = as_uchar4(a[0].x);
    char4 s = as_char4(a[0].y);
    out[0] = convert_float4(u);
    out[1] = convert_float4(s);
    out[2] = convert_float4(as_ushort4(a[1]));
    out[3] = convert_float4(as_short4(a[1]));
    ints[0] = convert_int4(as_char4(a[0].x));
    ints[1] = convert_int4(as_uchar4(a[0].y));
    ints[2] = convert_int4(as_short4(a[1]));
    ints[3] = (int4)(u.z, as_ushort2(a[1].x).x, (char)(a[0].y >> 24), as_uchar8(a[0]).s5);
    longs[0] = convert_long2(as_char4(a[0].x).zw);
    longs[1] = convert_long2(as_uchar4(a[0].x).zw);
}

//! test: clang_hints
//! buffer p int[8] = 1 2 3 4 5 6 7 8
//! expect p = 12 2 -1 0 1 24 0 5
// What says something of memory or of values, and changes nothing.
kernel void clang_hints(global int *p)
{
    int array[6];
    const float zero = get_global_id(0);
    __builtin_prefetch(p + 1);
    __builtin_prefetch(p + 1, 0, 3);
    __builtin_nontemporal_store(__builtin_nontemporal_load(p + 4) + 7, p);
    p[2] = __builtin_isinf_sign(-1 / zero);
    p[3] = __builtin_isinf_sign(zero);
    p[4] = __builtin_isinf_sign(1 / zero);
    p[5] = __builtin_object_size(array, 0);
    p[6] = __builtin_LINE() - __LINE__;
    if (__builtin_unpredictable(p[7] == 8))
        p[7] = 5;
    if (p[7] != 5)
        __builtin_debugtrap();
}

//! test: before_a_row
//! buffer out int[64] = 0
//! buffer in int[70] = 0..69
//! value k int = 3
//! global: 8 8
//! expect out = 63..126
kernel void before_a_row(global int *out, global const int *in, int k)
{
    // sums of 7 neighbours whose middle is in[pos + 3]: the loop's indices begin below the row's address
    int x = get_global_id(0), y = get_global_id(1), pos = x + y * 8, sum = 0;
    for (int i = -k; i <= k; i++)
        sum += in[pos + i + 3];
    out[pos] = sum / 7 + 60;
}

//! test: clang_atomics
//! options: -cl-std=CL3.0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! buffer p int[3] = 5 6 7
//! expect p = 8 6 5
kernel void clang_atomics(global atomic_int *p)
{
    int old = __opencl_atomic_fetch_add(p, 3, memory_order_relaxed, memory_scope_device);
    __opencl_atomic_store(p + 2, old, memory_order_relaxed, memory_scope_device);
    int seen = 9;
    if (__opencl_atomic_compare_exchange_strong(p + 1, &seen, 1, memory_order_relaxed, memory_order_relaxed,
                                                memory_scope_device))
        __opencl_atomic_store(p + 1, -1, memory_order_relaxed, memory_scope_device);
}
