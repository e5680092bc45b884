// Every operator on scalars and vectors.
// expect: OpFunctionCall
// expect: OpPhi
// expect: OpSelect
// expect: OpVectorShuffle

int side(global int *p, int v) { *p += v; return v; }

kernel void integers(global int *out, global uint *uout, global long *lout, int a, int b, uint u, long l, char c, uchar uc)
{
    int i = 0;
    out[i++] = a + b;
    out[i++] = a - b;
    out[i++] = a * b;
    out[i++] = a / b;
    out[i++] = a % b;
    out[i++] = a << b;
    out[i++] = a >> b;
    out[i++] = (a & b) | (a ^ b);
    out[i++] = ~a;
    out[i++] = -a;
    out[i++] = +a;
    out[i++] = !a;
    out[i++] = a < b;
    out[i++] = a > b;
    out[i++] = a <= b;
    out[i++] = a >= b;
    out[i++] = a == b;
    out[i++] = a != b;
    out[i++] = a && b;
    out[i++] = a || b;
    out[i++] = a && side(out, b);
    out[i++] = a || side(out, b) || side(out, a) && b;
    out[i++] = a ? b : 3;
    out[i++] = a ? side(out, 1) : side(out, 2);
    out[i++] = (a, b);
    out[i++] = c + uc;
    out[i++] = c << 1;
    uout[0] = u / 3u + u % 7u + (u >> 3) + (u << a);
    uout[1] = u < (uint)a;
    lout[0] = l * a + u;
    lout[1] = l << u;
    lout[2] = l >> 65;
    ++out[0];
    --out[1];
    out[2]++;
    out[3]--;
    out[4] += a;
    out[5] -= a;
    out[6] *= a;
    out[7] /= b;
    out[8] %= b;
    out[9] <<= 2;
    out[10] >>= a;
    out[11] &= a;
    out[12] |= a;
    out[13] ^= a;
    c += a;
    uc *= 1.5f;
    out[14] = c + uc;
    bool flag = a;
    flag++;
    flag = !flag;
    flag |= b > 2;
    flag &= a < 2;
    out[15] = flag;
    out[16] = flag == true;
    out[17] = flag ? 1 : 2;
    out[18] = (bool)a + (bool)1.5f;
    out[19] = a ?: b;
    out[20] = sizeof(a) + sizeof(float4);
}

kernel void floats(global float *out, float a, float b, int i)
{
    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = a / b;
    out[4] = -a;
    out[5] = a < b;
    out[6] = a != b;
    out[7] = !a;
    out[8] = a && b;
    out[9] = i;
    out[10] = (int)a;
    out[11] = (uchar)a;
    out[12] += 1.0f;
    out[13]++;
    --out[14];
    out[15] = a != 0 ? b : 1.0f;
    out[16] = (float)(bool)a;
    out[17] = 1e10f + 0x1p-3f + 1.0 + 3;
    i *= 0.5f;
    out[18] = i;
    out[19] = (a < b) == (b < a);
}

kernel void vectors(global float4 *f, global int4 *i, global uchar16 *u, global float3 *f3, float s, int4 m, long2 l, global long2 *lo)
{
    float4 v = (float4)(1.0f, 2.0f, s, 4.0f);
    float4 w = (float4)(s);
    float2 xy = v.xy;
    f[0] = v + w * 2.0f - v / w;
    f[1] = -v;
    f[2] = (float4)(xy, 3.0f, v.w);
    f[3] = v.wzyx;
    f[4] = v.s0123;
    f[5].x = s;
    f[5].yz = xy;
    f[6].hi = v.lo;
    f[7].odd = v.even;
    v.x = 3.0f;
    v.yw = v.wy;
    v.lo *= 2.0f;
    v.w++;
    f[8] = v;
    f[9].s3 += 1.0f;
    i[0] = v < w;
    i[1] = v == w;
    i[2] = m && i[0];
    i[3] = m || i[0];
    i[4] = !m;
    i[5] = ~m;
    i[6] = m << 3;
    i[7] = m >> (int4)(1, 2, 33, 4);
    i[8] = m % 3;
    i[9] = m ? i[0] : i[1];
    f[10] = m ? v : w;
    f[11] = m.x ? v : w;
    i[10]++;
    i[11] += m;
    i[12] = i[13] = m;
    lo[0] = l < (long2)(1, 2);
    lo[1] = !l;
    u[0] = (uchar16)(1);
    u[1] = u[0].s0123456789abcdef;
    u[2] = (uchar16)(u[0].lo, u[1].hi);
    u[3].s5 = 7;
    u[4] = (uchar16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    f3[0] = v.xyz;
    f3[1] = (float3)(xy, s);
    f3[2].z = s;
    f[12].xyz = f3[0];
    f[13] = (float4)(f3[0], 1.0f);
    f[14] = v.xxxx;
    f[15] = (v.xyz * 2.0f).zzyx;
    f[16] = v[m.x];
    v[m.y] = 2.0f;
    f[17] = v;
    f[18][1] = s;
    f[19] = ((float4)(1, 2, 3, 4)).wzyx;
}

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void widths(global double *d, global half *h, global double2 *d2, global half4 *h4, float f, ulong u, short s)
{
    d[0] = f;
    d[1] = u;
    d[2] = 1.0 / 3.0;
    h[0] = f;
    h[1] = h[0] * (half)2.0f + 1.0h;
    h[2] = -h[0];
    d2[0] = (double2)(1.0, 2.0) * d[0];
    h4[0] = (half4)(h[0]) + h4[1];
    f = d[0] + h[0];
    d[3] = f;
    d[4] = (float)u + (ulong)d[0] + (long)h[0] + s;
    h[3]++;
}
