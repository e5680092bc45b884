/* Whole algorithms: tiles, reductions, scans, sorting, hashing, early returns. Each kernel was compared with PoCL. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void tiled(global float *c, global const uchar *a, global const uchar *b, int n)
{
    local float ta[16][16], tb[16][16];
    int x = get_local_id(0);
    float s = 0;
    for (int t = 0; t < 4; t++) {
        for (int k = 0; k < 16; k++) {
            ta[k][x] = a[(t * 16 + k) * 4 + x];
            tb[x][k] = b[x * 16 + t * 4 + k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            s += ta[k][x] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[get_global_id(0)] = s;
}
kernel void reduce(global uint *out, global const uint *in, local uint *s)
{
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = get_local_size(0) / 2; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
}
kernel void scan(global uint *out, global const uint *in, local uint *s)
{
    int l = get_local_id(0), n = get_local_size(0);
    s[l] = in[get_global_id(0)];
    for (int d = 1; d < n; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint t = l >= d ? s[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] += t;
    }
    out[get_global_id(0)] = s[l];
}
#define ROT(x, n) rotate((uint)(x), (uint)(n))
constant uint K[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
                       0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174};
kernel void sha(global uint *out, global const uchar *in, int n)
{
    uint w[64], h[8];
    uchar *wb = (uchar *)w;
    for (int i = 0; i < 64; i++)
        wb[i ^ 3] = in[get_global_id(0) * 64 + i];
    for (int i = 16; i < 64; i++) {
        uint s0 = ROT(w[i - 15], 25) ^ ROT(w[i - 15], 14) ^ (w[i - 15] >> 3),
             s1 = ROT(w[i - 2], 15) ^ ROT(w[i - 2], 13) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    for (int i = 0; i < 8; i++)
        h[i] = i * 0x1234567;
    uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], hh = h[7];
    for (int i = 0; i < 64; i++) {
        uint t1 = hh + (ROT(e, 26) ^ ROT(e, 21) ^ ROT(e, 7)) + ((e & f) ^ (~e & g)) + K[i] + w[i],
             t2 = (ROT(a, 30) ^ ROT(a, 19) ^ ROT(a, 10)) + ((a & b) ^ (a & c) ^ (b & c));
        hh = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    out[get_global_id(0) * 2] = a + h[0];
    out[get_global_id(0) * 2 + 1] = e + h[4];
}
kernel void bfs(global int *out, global const int *in, int n)
{
    int stack[32];
    int sp = 0;
    int sum = 0;
    stack[sp++] = get_global_id(0) + 1;
    while (sp) {
        int v = stack[--sp];
        if (v > 200)
            continue;
        sum += v ^ in[v];
        if (sp < 30) {
            stack[sp++] = v * 2;
            stack[sp++] = v * 2 + 1;
        }
    }
    out[get_global_id(0)] = sum;
}
kernel void sort(global uint *out, global const uint *in, local uint *s)
{
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    for (int k = 2; k <= 16; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int x = l ^ j;
            if (x > l) {
                bool up = (l & k) == 0;
                uint a = s[l], b = s[x];
                if ((a > b) == up) {
                    s[l] = b;
                    s[x] = a;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[l];
}
kernel void strided(global ushort *out, global const uchar *in, int n)
{
    for (int i = get_global_id(0); i < 1000; i += get_global_size(0)) {
        uchar3 p = (uchar3)(in[i * 3], in[i * 3 + 1], in[i * 3 + 2]);
        out[i] = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
    }
}
kernel void vl(global uchar *out, global const uchar *in, int n)
{
    int i = get_global_id(0);
    uchar4 v = vload4(i, in);
    uint2 u = vload2(i, (global uint *)in);
    vstore3(v.xyz, i, out);
    vstore2(u, i, (global uint *)(out + 1024));
    vstore16(vload16(i & 7, (global const short *)in), i, (global short *)(out + 4096));
}
kernel void dbl(global double *out, global const int *in, double d)
{
    int i = get_global_id(0);
    double x[3] = {in[i], in[i + 1] * 0.25, 3};
    out[i] = x[i % 3] + (double)in[i] * 2 - (long)x[0];
}
int fact(int n, global int *trace, int i)
{
    int r = 1;
    for (int k = 2; k <= n; k++) {
        r *= k;
        if (r > 1000000) {
            trace[i] = k;
            return -1;
        }
    }
    return r;
}
kernel void early(global int *out, global const int *in)
{
    int i = get_global_id(0);
    out[i] = fact(in[i] % 16, out + 1000, i) + fact(3, out + 2000, i);
    if (in[i] & 1)
        return;
    out[i] *= 2;
    for (int k = 0; k < in[i]; k++) {
        if (k * k > 50)
            return;
        out[i] += k;
    }
}
kernel void dupsdevice(global int *out, local int *scratch, constant int *k)
{
    int i = get_local_id(0);
    scratch[i] = k[i];
    local int *p = scratch + i;
    local int **pp = &p;
    (*pp)--;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = i ? **pp : 7;
}
kernel void swz(global float8 *out, global const float8 *in, float f)
{
    int i = get_global_id(0);
    float8 v = in[i & 15];
    v.odd = v.even.wzyx;
    v.s07 *= f;
    v.lo.xyz = v.hi.zyx;
    out[i] = v;
    out[i].s3 = 5;
    float16 w = (float16)(v, in[3]);
    out[i].s5 = w.sA;
    float arr[8];
    vstore8(v, 0, arr);
    out[i].s6 = arr[i & 7];
}
