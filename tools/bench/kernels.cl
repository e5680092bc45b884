/* Kernels as programs have them, plainly written: what the compiler makes of loops, addresses, private arrays and local
 * memory decides their speed. bench_kernels.c runs them; each takes two inputs, the output and a size. */

#define ARGS __global const float *restrict a, __global const float *restrict b, __global float *restrict c, int n

__kernel void matmul_naive(ARGS)
{
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

#define TILE 16
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul_tiled(ARGS)
{
    __local float left[TILE][TILE], right[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        left[y][x] = a[row * n + t + x];
        right[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

/* As matmul_tiled, of 64-bit integers: what they cost where the device has none */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matmul_long(__global const long *restrict a, __global const long *restrict b, __global long *restrict c, int n)
{
    __local long left[TILE][TILE], right[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    long sum = 0;
    for (int t = 0; t < n; t += TILE) {
        left[y][x] = a[row * n + t + x];
        right[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

/* As BLAS libraries do it: a work-item computes BLOCK x BLOCK elements, in private arrays that must be registers. */
#define BLOCK 4
#define DEPTH 16
__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void matmul_blocked(ARGS)
{
    __local float left[DEPTH][16 * BLOCK], right[DEPTH][16 * BLOCK];
    float sums[BLOCK][BLOCK], in_left[BLOCK], in_right[BLOCK];
    const int x = get_local_id(0), y = get_local_id(1), item = y * 16 + x;
    const int column = get_group_id(0) * 16 * BLOCK, row = get_group_id(1) * 16 * BLOCK;
#pragma unroll
    for (int i = 0; i < BLOCK; i++) {
#pragma unroll
        for (int j = 0; j < BLOCK; j++)
            sums[i][j] = 0.0f;
    }
    for (int t = 0; t < n; t += DEPTH) {
#pragma unroll
        for (int i = 0; i < DEPTH * 16 * BLOCK / 256; i++) {
            int at = i * 256 + item;
            left[at % DEPTH][at / DEPTH] = a[(row + at / DEPTH) * n + t + at % DEPTH];
            right[at / (16 * BLOCK)][at % (16 * BLOCK)] = b[(t + at / (16 * BLOCK)) * n + column + at % (16 * BLOCK)];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < DEPTH; k++) {
#pragma unroll
            for (int i = 0; i < BLOCK; i++) {
                in_left[i] = left[k][y * BLOCK + i];
                in_right[i] = right[k][i * 16 + x];
            }
#pragma unroll
            for (int i = 0; i < BLOCK; i++) {
#pragma unroll
                for (int j = 0; j < BLOCK; j++)
                    sums[i][j] = mad(in_left[i], in_right[j], sums[i][j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int i = 0; i < BLOCK; i++) {
#pragma unroll
        for (int j = 0; j < BLOCK; j++)
            c[(row + y * BLOCK + i) * n + column + j * 16 + x] = sums[i][j];
    }
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void nbody(__global const float4 *a, __global const float4 *b,
                                                                     __global float4 *c, int n)
{
    __local float4 tile[256];
    int item = get_global_id(0), local_item = get_local_id(0);
    float4 me = a[item];
    float3 force = 0.0f;
    for (int t = 0; t < n; t += 256) {
        tile[local_item] = a[t + local_item];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float3 way = tile[j].xyz - me.xyz;
            float inverse = native_rsqrt(dot(way, way) + 0.01f);
            force += way * (tile[j].w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[item] = (float4)(force, 0.0f) + b[item];
}

__kernel void stencil_2d(ARGS)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    c[y * n + x] = 0.5f * a[y * n + x] + 0.125f * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] +
                                                 a[(y + 1) * n + x]);
}

/* A column of 32 planes for each work-item */
__kernel void stencil_3d(ARGS)
{
    int x = get_global_id(0), y = get_global_id(1), plane = n * n;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    for (int z = 1; z < 31; z++) {
        int at = z * plane + y * n + x;
        c[at] = a[at] * 0.4f + 0.1f * (a[at - 1] + a[at + 1] + a[at - n] + a[at + n] + a[at - plane] + a[at + plane]);
    }
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduction(ARGS)
{
    __local float sums[256];
    uint item = get_local_id(0);
    float sum = 0.0f;
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0))
        sum += a[i];
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = get_local_size(0) / 2; step > 0; step >>= 1) {
        if (item < step)
            sums[item] += sums[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        c[get_group_id(0)] = sums[0];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void prefix_sum(__global const uint *a, __global const uint *b,
                                                                          __global uint *c, int n)
{
    __local uint sums[512];
    int item = get_local_id(0), offset = 1;
    __global const uint *in = a + get_group_id(0) * 512;
    sums[2 * item] = in[2 * item];
    sums[2 * item + 1] = in[2 * item + 1];
    for (int d = 256; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < d) {
            int left = offset * (2 * item + 1) - 1, right = offset * (2 * item + 2) - 1;
            sums[right] += sums[left];
        }
        offset *= 2;
    }
    if (item == 0)
        sums[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < d) {
            int left = offset * (2 * item + 1) - 1, right = offset * (2 * item + 2) - 1;
            uint value = sums[left];
            sums[left] = sums[right];
            sums[right] += value;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    c[get_group_id(0) * 512 + 2 * item] = sums[2 * item];
    c[get_group_id(0) * 512 + 2 * item + 1] = sums[2 * item + 1];
}

/* One pass of a transform: eight points a work-item, in a private array, through loops of constant length. */
__kernel void fft_radix_8(__global const float2 *a, __global const float2 *b, __global float2 *c, int n)
{
    int item = get_global_id(0), stride = n / 8, at = item % stride, base = item / stride * n;
    float2 v[8];
    for (int i = 0; i < 8; i++)
        v[i] = a[base + at + i * stride];
    for (int half_size = 4; half_size >= 1; half_size /= 2) {
        for (int i = 0; i < 8; i++) {
            if (i & half_size)
                continue;
            float2 x = v[i], y = v[i + half_size], difference = x - y;
            float angle = -3.14159265f * (float)(i % half_size) / (float)half_size;
            float2 w = (float2)(native_cos(angle), native_sin(angle));
            v[i] = x + y;
            v[i + half_size] =
                (float2)(difference.x * w.x - difference.y * w.y, difference.x * w.y + difference.y * w.x);
        }
    }
    for (int i = 0; i < 8; i++) {
        int reversed = (i & 1) << 2 | (i & 2) | i >> 2;
        float angle = -6.2831853f * (float)(at * reversed) / (float)n;
        float2 w = (float2)(native_cos(angle), native_sin(angle)), x = v[i];
        c[base + at * 8 + reversed] = (float2)(x.x * w.x - x.y * w.y, x.x * w.y + x.y * w.x);
    }
}

__constant uint sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__kernel void sha256(__global const uint *a, __global const uint *b, __global uint *c, int n)
{
    uint w[64], s[8], item = get_global_id(0);
    for (int i = 0; i < 16; i++)
        w[i] = a[i] ^ item;
    for (int i = 16; i < 64; i++) {
        uint x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(x, 25u) ^ rotate(x, 14u) ^ x >> 3) +
               (rotate(y, 15u) ^ rotate(y, 13u) ^ y >> 10);
    }
    for (int i = 0; i < 8; i++)
        s[i] = b[i];
    for (int i = 0; i < 64; i++) {
        uint e = s[4], x = s[0];
        uint t1 = s[7] + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) + bitselect(s[6], s[5], e) + sha_k[i] + w[i];
        uint t2 = (rotate(x, 30u) ^ rotate(x, 19u) ^ rotate(x, 10u)) + ((x & s[1]) | (s[2] & (x | s[1])));
        for (int j = 7; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        c[item * 8 + i] = s[i];
}

/* A bitonic network over 16 values */
__kernel void private_sort(__global const int *a, __global const int *b, __global int *c, int n)
{
    int values[16], item = get_global_id(0);
    for (int i = 0; i < 16; i++)
        values[i] = a[item * 16 + i];
    for (int k = 2; k <= 16; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            for (int i = 0; i < 16; i++) {
                int other = i ^ j;
                if (other > i && (values[i] > values[other]) == !(i & k)) {
                    int value = values[i];
                    values[i] = values[other];
                    values[other] = value;
                }
            }
        }
    }
    for (int i = 0; i < 16; i++)
        c[item * 16 + i] = values[i];
}

__constant float blur_weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

__kernel void blur(__global const uchar4 *a, __global const uchar4 *b, __global uchar4 *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0.0f;
    for (int j = -2; j <= 2; j++) {
        for (int i = -2; i <= 2; i++) {
            int at = clamp(y + j, 0, n - 1) * n + clamp(x + i, 0, n - 1);
            sum += convert_float4(a[at]) * (blur_weights[j + 2] * blur_weights[i + 2]);
        }
    }
    c[y * n + x] = convert_uchar4_sat_rte(sum);
}

/* Numbers kept as halfs: the upper halves of floats below 1, which are halfs below 2 */
__kernel void halfs(__global const half *a, __global const half *b, __global half *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int at = y * n + x, odd = 2 * at + 1;
    float around = vload_half(odd - 2, a) + vload_half(odd + 2, a) + vload_half(odd - 2 * n, a) + vload_half(odd + 2 * n, a);
    vstore_half_rte(0.5f * vload_half(odd, a) + 0.125f * around, at, c);
}

/* What is summed up stays in global memory as it is written, beside reads of local memory. */
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void accumulate(__global const float *a, __global const float *b,
                                                                          __global float *c, int n)
{
    __local float near[128];
    int item = get_global_id(0), id = get_local_id(0);
    c[item] = 0.0f;
    for (int t = 0; t < 16; t++) {
        near[id] = b[(item + t * 128) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 128; k++) {
            float d = a[item] - near[k];
            c[item] += d * d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* A matrix product in which each work-item has 16 rows of a column, and rows of the left matrix lie in local memory. */
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void matmul_rows(ARGS)
{
    __local float rows[16][17];
    int id = get_local_id(0), group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    int column = group % (n / 64) * 64 + id, row = group / (n / 64) * 16;
    float sums[16];
    for (int i = 0; i < 16; i++)
        sums[i] = 0.0f;
    for (int t = 0; t < n; t += 16) {
        for (int i = 0; i < 4; i++)
            rows[id & 15][(id >> 4) + 4 * i] = a[(row + (id >> 4) + 4 * i) * n + t + (id & 15)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) {
            float right = b[(t + k) * n + column];
            for (int i = 0; i < 16; i++)
                sums[i] += rows[k][i] * right;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 16; i++)
        c[(row + i) * n + column] = sums[i];
}

/* Products of bytes, summed up four by four */
__kernel void byte_products(__global const char4 *a, __global const char4 *b, __global int *c, int n)
{
    int item = get_global_id(0), sum = 0;
    char4 x = a[item], y = b[item];
    for (int k = 0; k < 256; k++) {
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
        x = as_char4(as_int(x) + sum);
    }
    c[item] = sum;
}

#ifdef cl_khr_fp64
/* Rates of chemical reactions: exponentials, logarithms, quotients and roots of doubles */
__kernel void reactions(ARGS)
{
    int item = get_global_id(0);
    double t = 300.0 + 1000.0 * a[item], log_t = log(t), inverse = 1.0 / t, sum = 0.0;
    for (int k = 1; k <= 16; k++)
        sum += exp(0.3 * k + 0.1 * log_t - 50.0 * k * inverse) / sqrt(t + k);
    c[item] = (float)sum;
}
#endif
