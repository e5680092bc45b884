/* Memory: every space, width and alignment; struct copies and arguments; constants. Each kernel was compared with PoCL.
 */
kernel void copy(global uint *out, global const uint *in, int n)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + n + get_local_id(0) * 256 + get_group_id(0) * 65536;
}
kernel void chars(global uchar *out, global const uchar *in)
{
    int i = get_global_id(0);
    out[i * 3] = in[i + 1];
    out[i * 3 + 1] = in[i] ^ 7;
}
kernel void shorts(global ushort *out, global const ushort *in)
{
    int i = get_global_id(0);
    out[i * 3] = in[i + 1];
    out[i * 3 + 1] = in[i] ^ 7;
}
kernel void vecs(global float4 *out, global const int4 *in, float f)
{
    int i = get_global_id(0);
    int4 v = in[i];
    out[i] = (float4)(v.x, v.y, v.z, v.w) * f;
}
kernel void vec3s(global int3 *out, global const int3 *in)
{
    int i = get_global_id(0);
    out[i] = in[i + 1].zxy;
}
kernel void v16(global int16 *out, global const int16 *in)
{
    int i = get_global_id(0);
    int16 v = in[i];
    v.s3 = 4;
    v.hi = v.lo + v.even;
    out[i] = v.sfedcba9876543210 + in[1].s0;
}
kernel void v8(global long *out, global const uchar8 *in)
{
    int i = get_global_id(0);
    uchar8 v = in[i];
    out[i] = as_long(v) + (v.s3 > v.s4);
}
struct S {
    char c;
    short s;
    int i;
    long l;
    float3 f;
};
kernel void structs(global struct S *out, global const uint *in, int n)
{
    int i = get_global_id(0);
    struct S s;
    s.c = in[i];
    s.s = in[i + 1];
    s.i = n;
    s.l = in[i + 2];
    s.f = (float3)(1, 2, 3);
    struct S t = s;
    t.i += 5;
    out[i].c = t.c;
    out[i].s = t.s;
    out[i].i = t.i;
    out[i].l = t.l;
    out[i].f = t.f;
}
kernel void structarg(global int *out, struct S s, uchar u, short sh, float4 f)
{
    int i = get_global_id(0);
    out[i] = s.c + s.s * 3 + s.i + (int)s.l + u + sh + as_int(f.y);
}
kernel void locals(global int *out, global const int *in, local int *l)
{
    local int a[64];
    int i = get_local_id(0);
    a[i] = in[get_global_id(0)];
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[15 - i] + l[(i + 1) & 15];
}
kernel void localchars(global uchar *out, global const uchar *in, local uchar *l)
{
    local uchar a[64];
    int i = get_local_id(0);
    a[i] = in[get_global_id(0)];
    l[i] = i * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[15 - i] + l[(i + 1) & 15];
}
kernel void localmixed(global uint *out, global const uchar *in)
{
    local uint a[16];
    int i = get_local_id(0);
    a[i] = 0x01020304 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    ((local uchar *)a)[i * 4 + 1] = in[get_global_id(0)];
    ((local uchar *)a)[((i + 1) & 15) * 4 + 2] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[15 - i] + ((local ushort *)a)[i];
}
kernel void localstruct(global uint *out, global const uint *in)
{
    local struct S a[16];
    int i = get_local_id(0);
    a[i].c = i;
    a[i].s = in[i];
    a[i].i = in[i + 3];
    a[i].l = 0x123456789l * i;
    a[i].f.y = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int j = 15 - i;
    out[get_global_id(0)] = a[j].c + a[j].s + a[j].i + (int)(a[j].l >> 5) + (int)a[j].f.y;
}
kernel void priv(global int *out, global const int *in, int n)
{
    int a[20];
    for (int k = 0; k < 20; k++)
        a[k] = in[k] * k;
    int s = 0;
    for (int k = 0; k < n; k++)
        s += a[(k * 7 + get_global_id(0)) % 20];
    out[get_global_id(0)] = s;
}
kernel void privpun(global int *out, global const int *in, int n)
{
    int a[20];
    for (int k = 0; k < 20; k++)
        a[k] = in[k] * k * 77777;
    int s = 0;
    for (int k = 0; k < n; k++) {
        s += ((uchar *)a)[(k * 7 + get_global_id(0)) % 80];
        ((short *)a)[k] = s;
    }
    out[get_global_id(0)] = s + a[n & 7];
}
kernel void privptr(global int *out, global const int *in, int n)
{
    int a[20], b[30];
    for (int k = 0; k < 20; k++) {
        a[k] = in[k];
        b[k + 10] = in[k + 20];
        b[k % 10] = k;
    }
    int *p = n > (int)get_global_id(0) ? a : b;
    p += get_local_id(0);
    int s = 0;
    while (p != a + 20 && p != b + 30)
        s += *p++;
    out[get_global_id(0)] = s;
}
kernel void atom(global int *out, global const int *in, local int *l)
{
    local int c;
    if (get_local_id(0) == 0) {
        c = 0;
        l[0] = 100;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&c, in[get_global_id(0)]);
    atomic_max(&l[0], in[get_local_id(0)] * 4);
    atomic_inc(&out[100]);
    atomic_or(&out[101], 1 << get_local_id(0));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = c + l[0];
}
constant int tab[8] = {5, 4, 3, 2, 1, 0, -1, -2};
constant int *constant ptab[2] = {tab + 1, tab + 4};
constant char str[] = "hello world";
kernel void consts(global int *out, constant int *c, int n)
{
    int i = get_global_id(0);
    out[i] = tab[i & 7] + c[i] + ptab[i & 1][n & 1] + str[i % 11] + tab[2];
}
kernel void longs(global ulong *out, global const uint *in, int n)
{
    int i = get_global_id(0);
    ulong a[6];
    for (int k = 0; k < 6; k++)
        a[k] = ((ulong)in[k] << 32) + in[i + k];
    out[i] = a[n % 6] + a[i % 6];
}
kernel void bigpriv(global int *out, global const int *in, int n)
{
    int a[2000];
    for (int k = 0; k < 2000; k++)
        a[k] = in[k & 63] + k;
    int s = 0;
    for (int k = 0; k < n; k++)
        s += a[(k * 173 + get_global_id(0)) % 2000];
    out[get_global_id(0)] = s;
}
kernel void unaligned(global uchar *out, global const uchar *in)
{
    int i = get_global_id(0);
    *(global uint *)(out + i * 8 + 1 * 0) = *(global const uint *)(in + i * 4);
    typedef struct __attribute__((packed)) {
        uchar c;
        uint u;
        ushort s;
    } pk;
    global pk *p = (global pk *)(out + 2048) + i;
    p->c = i;
    p->u = 0x11223344 + i;
    p->s = ((global const pk *)in)[i].s;
}
kernel void bools(global uchar *out, global const int *in, int n)
{
    int i = get_global_id(0);
    bool b[4] = {i > 3, in[i] > 9, n > 3, 0};
    bool x = b[i & 3];
    out[i] = x ? 3 : 4;
    out[i + 100] = b[in[i] & 3];
}
typedef struct {
    int a[40];
    int b;
} big;
kernel void bigcopy(global big *out, global const big *in)
{
    int i = get_global_id(0);
    out[i] = in[i];
    out[i].b = 3;
}
kernel void ids(global uint *out)
{
    int i = get_global_id(0);
    out[i * 8] = get_global_size(0);
    out[i * 8 + 1] = get_local_size(0);
    out[i * 8 + 2] = get_num_groups(0);
    out[i * 8 + 3] = get_work_dim();
    out[i * 8 + 4] = get_global_offset(0);
    out[i * 8 + 5] = get_global_id(1) + get_global_size(2) * 10;
    int d = out[0] & 3;
    out[i * 8 + 6] = get_local_id(d);
    out[i * 8 + 7] = get_group_id(0);
}
