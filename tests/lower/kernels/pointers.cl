/* Pointers: generic ones, ones that meet, ones in memory; unions, control flow around them. Each kernel was compared
 * with PoCL. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
int sum(int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
kernel void gen(global int *out, global int *in, int n)
{
    local int l[16];
    int a[8];
    int i = get_local_id(0);
    l[i] = in[i] * 2;
    for (int k = 0; k < 8; k++)
        a[k] = k * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum(in, n) + sum(l, 8) + sum(a, n & 7);
}
kernel void gen2(global int *out, global int *in, int n)
{
    local int l[16];
    int a[8];
    int i = get_local_id(0);
    l[i] = in[i] * 2;
    for (int k = 0; k < 8; k++)
        a[k] = k * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p[3];
    p[0] = in;
    p[1] = l;
    p[2] = a;
    int *q = p[(in[i] + n) % 3];
    out[get_global_id(0)] = q[i & 7] + sum(q, 5) + (q == l) + 2 * (q == a);
}
struct node {
    global struct node *next;
    int v;
};
kernel void list(global ulong *out, global struct node *nodes)
{
    int i = get_global_id(0);
    if (i == 0) {
        for (int k = 0; k < 10; k++) {
            nodes[k].next = k == 9 ? 0 : &nodes[(k * 3 + 1) % 10];
            nodes[k].v = k * k;
        }
        int c = 0;
        ulong s = 0;
        for (global struct node *p = nodes; p && c < 20; p = p->next) {
            s = s * 3 + p->v;
            c++;
        }
        out[0] = s;
        out[1] = c;
    }
}
union U {
    float f;
    uint u;
    uchar c[4];
    ushort s[2];
};
kernel void unions(global uint *out, global const float *in, int n)
{
    union U u;
    u.u = as_uint(in[get_global_id(0)]);
    u.c[n & 3] = 7;
    u.s[(n >> 1) & 1] += 3;
    out[get_global_id(0)] = u.u + as_uint(u.f);
}
kernel void atom64(global ulong *out, global const uint *in)
{
    atom_add(&out[3], (ulong)in[get_global_id(0)]);
    atom_max(&out[4], (ulong)in[get_global_id(0)] << 20);
    local ulong l;
    if (get_local_id(0) == 0)
        l = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&l, 1ul << get_local_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    out[10 + get_global_id(0)] = l;
}
kernel void cas(global uint *out, global const uint *in)
{
    uint o, n;
    global uint *p = out + (get_global_id(0) & 3);
    do {
        o = *(volatile global uint *)p;
        n = as_uint((float)(int)o + 1);
        n = o + in[get_global_id(0)];
    } while (atomic_cmpxchg(p, o, n) != o);
    atomic_xchg((global float *)&out[50 + get_global_id(0)], (float)in[get_global_id(0)]);
}
kernel void c11(global int *out, global const int *in)
{
    global atomic_int *a = (global atomic_int *)out;
    atomic_fetch_add(a, in[get_global_id(0)]);
    atomic_fetch_max_explicit(a + 1, in[get_global_id(0)], memory_order_relaxed, memory_scope_device);
    local atomic_int l;
    if (!get_local_id(0))
        atomic_init(&l, 3);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_or_explicit(&l, 1 << get_local_id(0), memory_order_acq_rel, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[10 + get_global_id(0)] = atomic_load(&l);
    int e = 3;
    bool b = atomic_compare_exchange_strong(a + 5, &e, 4);
    out[100 + get_global_id(0)] = b;
}
kernel void sw(global int *out, global const int *in, int n)
{
    int r = 0;
    for (int k = 0; k < n; k++) {
        switch (in[k + get_global_id(0)] % 7) {
        case 0:
            r += 3;
            break;
        case 1:
            r *= 2;
        case 2:
            r += k;
            break;
        case 5:
            if (r > 100)
                goto end;
            continue;
        default:
            r ^= 5;
        }
        r++;
    }
end:
    out[get_global_id(0)] = r;
}
kernel void nest(global int *out, global const int *in, int n)
{
    int r = 0;
    int i = get_global_id(0);
    while (1) {
        for (int j = 0; j < 5; j++) {
            if (in[i + j] > 40) {
                r += j;
                if (r > 50)
                    return;
                break;
            }
            do {
                r++;
                if (r % 11 == 0)
                    goto out2;
            } while (r % 3);
        }
        if (++i > 100)
            break;
    }
out2:
    out[get_global_id(0)] = r;
}
typedef struct {
    int4 v[3];
    struct {
        char c;
        double d;
    } in[2];
    uchar tail[5];
} deep;
kernel void deeps(global deep *out, global const uint *in, int n)
{
    deep d;
    uchar *z = (uchar *)&d;
    for (int i = 0; i < sizeof(d); i++)
        z[i] = in[i];
    d.v[n % 3].y = 7;
    d.in[n & 1].d = in[n] * 0.5;
    d.in[1].c = 3;
    d.tail[n % 5] = 9;
    out[get_global_id(0)] = d;
}
kernel void mat(global float *out, global const uint *in, int n)
{
    local float A[16][17], B[16][17];
    int i = get_local_id(0);
    for (int k = 0; k < 16; k++) {
        A[i][k] = in[i * 16 + k] & 63;
        B[k][i] = in[i + k * 16] & 63;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0;
    for (int k = 0; k < 16; k++)
        s += A[i][k] * B[k][(i * 3) & 15];
    out[get_global_id(0)] = s;
}
kernel void localvec(global float4 *out, global const uint4 *in)
{
    local float4 l[16];
    int i = get_local_id(0);
    l[i] = convert_float4(in[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l[15 - i].wzyx + l[i & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    ((local float *)l)[i * 4 + 1] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)].z = l[15 - i].y;
}
kernel void ptrints(global ulong *out, global uint *in, local uint *l, int n)
{
    int a[4];
    ulong u = (ulong)(in + n) - (ulong)in;
    out[get_global_id(0)] = u + ((ulong)&a[n & 3] - (ulong)a) + ((ulong)(l + n) - (ulong)l) + (in == 0) + (l == 0) * 2 +
                            ((void *)a == 0) * 4 + (&in[n] - in) + (&l[n] - l) + (&a[3] - &a[n & 1]);
}
kernel __attribute__((reqd_work_group_size(4, 2, 2))) void ids3(global uint *out)
{
    uint l = get_local_linear_id(), g = get_global_linear_id();
    out[g * 4] = get_global_id(0) + get_global_id(1) * 256 + get_global_id(2) * 65536;
    out[g * 4 + 1] = l + get_group_id(0) * 1000 + get_group_id(1) * 100000;
    out[g * 4 + 2] = get_num_groups(1) + get_local_size(2) * 16 + get_enqueued_local_size(0) * 256;
    out[g * 4 + 3] = 1;
}
kernel void vlocalsel(global char4 *out, global const char4 *in)
{
    int i = get_global_id(0);
    char4 a = in[i], b = in[i + 1];
    out[i] = select(a, b, a > b) + (a == b);
    out[i + 64] = (char4)(a.xy, b.zw);
    out[i].w = 3;
}
void helper(int *x, int *y)
{
    int t = *x;
    *x = *y + 1;
    *y = t;
}
kernel void swaps(global int *out, int n)
{
    int a = get_global_id(0), b = n;
    for (int i = 0; i < n; i++)
        helper(&a, &b);
    out[get_global_id(0)] = a * 1000 + b;
}
kernel void bigarr(global int *out, global const int *in, int n)
{
    int big[16][16];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            big[i][j] = in[i * j] + i;
    int(*row)[16] = &big[n & 15];
    int s = 0;
    for (int j = 0; j < 16; j++)
        s += (*row)[j] * j + big[j][n & 15];
    out[get_global_id(0)] = s;
}
kernel void constfold(global int *out, constant int *c)
{
    constant const int t[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    out[get_global_id(0)] = t[2][1] * 10 + t[0][1] + t[get_global_id(0) & 3][1] * 100 + c[3];
}
kernel void ll(global long *out, global const long *in, long n, ulong m)
{
    int i = get_global_id(0);
    out[i] = in[i] / (n + 1) + in[i] % 7 + (long)(m >> 2) + (in[i] << 5);
}
