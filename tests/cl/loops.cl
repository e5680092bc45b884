// Loops of a constant number of iterations, which may be written out: unroll hints, and private arrays that loops index.

//! test: sort_private
//! buffer in int[16] = 9 3 -4 100 7 7 0 -1 55 2 12 -90 6 8 1 4
//! buffer out int[16] = 0
//! expect out = -90 -4 -1 0 1 2 3 4 6 7 7 8 9 12 55 100
kernel void sort_private(global const int *in, global int *out)
{
    int values[16];
    for (int i = 0; i < 16; i++)
        values[i] = in[i];
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
        out[i] = values[i];
}

//! test: continue_and_steps
//! buffer out int[8] = 0
//! value n int = 3
//! expect out = 3 0 5 6 7 0 9 20
kernel void continue_and_steps(global int *out, int n)
{
    int a[8] = {0}, skipped = 0;
    for (int i = 0; i < 8; i++) {
        if (i % 4 == 1) {
            skipped += n;
            continue;
        }
        if (n == 4)
            continue;
        a[i] = i + n;
        skipped++;
    }
    a[7] += skipped - 2;
    for (uint i = 7; i < 8; i--)
        out[i] = a[i];
}

//! test: do_while
//! buffer out int[5] = 0
//! value n int = 2
//! expect out = 2 4 8 16 5
kernel void do_while(global int *out, int n)
{
    int power[4], i = 0, value = 1;
    do {
        if (n > 100)
            continue;
        value *= n;
        power[i] = value;
    } while (++i < 4);
    for (int k = 0; k < 4; k++)
        out[k] = power[k];
    out[4] = i + (n == 2);
}

//! test: break_in_the_middle
//  The second loop may be left by what is not known: it stays a loop.
//! buffer out int[4] = 0
//! value n int = 2
//! expect out = 0 1 2 2
kernel void break_in_the_middle(global int *out, int n)
{
    int a[4] = {9, 9, 9, 9}, i = 0;
    for (;;) {
        if (i >= 4)
            break;
        a[i] = i;
        i++;
    }
    for (i = 0; i < 4; i++) {
        if (a[i] == n)
            break;
    }
    out[0] = a[0];
    out[1] = a[1];
    out[2] = a[2];
    out[3] = i;
}

//! test: unroll_hints
//! buffer out int[6] = 0
//! value n int = 10
//! expect out = 45 45 45 45 45 100
kernel void unroll_hints(global int *out, int n)
{
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
#pragma unroll
    for (int i = 0; i < 10; i++)
        a += i;
#pragma unroll 4
    for (int i = 0; i < n; i++)
        b += i;
    __attribute__((opencl_unroll_hint(2))) for (int i = 0; i < 10; i++)
        c += i;
#pragma nounroll
    for (int i = 0; i < 10; i++)
        d += i;
    __attribute__((opencl_unroll_hint)) for (int i = n - 1; i >= 0; i--)
        e += i;
#pragma unroll 3
    for (int i = 0; i < 10; i++) {
#pragma unroll
        for (int k = 0; k < 10; k++)
            f++;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
}

//! test: barriers
//! buffer out int[8] = 0
//! global: 8
//! local: 8
//! expect out = 28 28 28 28 28 28 28 28
kernel void barriers(global int *out)
{
    local int sums[8];
    int id = get_local_id(0);
    sums[id] = id;
#pragma unroll
    for (int step = 1; step < 8; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = sums[id ^ step];
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[id] += other;
    }
    out[id] = sums[id];
}

//! test: counter_behind_the_loop
//! buffer out int[3] = 0
//! value n int = 5
//! expect out = 5 20 3
kernel void counter_behind_the_loop(global int *out, int n)
{
    int i, k = 0, last = 0;
#pragma unroll
    for (i = 0; i < 4; i++) {
        last = k;
        k += n;
    }
    out[0] = i + (last == 15);
    out[1] = k;
    int swap_a = 3, swap_b = 4;
#pragma unroll
    for (int j = 0; j < 6; j++) {
        int t = swap_a;
        swap_a = swap_b;
        swap_b = t;
    }
    out[2] = swap_a;
}

// Private arrays from what fits into registers to what no device has: 4 KiB, 16 KiB, 64 KiB, 1 MiB.

//! test: private_4k
//! buffer out int[16] = 0
//! value n int = 3
//! global: 16
//! local: 8
//! expect out = 1828 1309 790 271 2824 2305 1786 1267
kernel void private_4k(global int *out, int n)
{
    int a[1024];
    for (int i = 0; i < 1024; i++)
        a[i] = i * n;
    int s = get_global_id(0) & 7;
    for (int i = 0; i < 50; i++)
        s = a[(s * 7 + i) & 1023] + i;
    out[get_global_id(0)] = s;
}

//! test: private_16k
//! buffer out int[16] = 0
//! value n int = 3
//! global: 16
//! local: 8
//! expect out = 1828 1309 790 271 12040 11521 11002 10483
kernel void private_16k(global int *out, int n)
{
    int a[4096];
    for (int i = 0; i < 4096; i++)
        a[i] = i * n;
    int s = get_global_id(0) & 7;
    for (int i = 0; i < 50; i++)
        s = a[(s * 7 + i) & 4095] + i;
    out[get_global_id(0)] = s;
}

//! test: private_64k
//! buffer out int[16] = 0
//! value n int = 3
//! global: 16
//! local: 8
//! expect out = 1828 38173 25366 12559 48904 36097 23290 10483
kernel void private_64k(global int *out, int n)
{
    int a[16384];
    for (int i = 0; i < 16384; i++)
        a[i] = i * n;
    int s = get_global_id(0) & 7;
    for (int i = 0; i < 50; i++)
        s = a[(s * 7 + i) & 16383] + i;
    out[get_global_id(0)] = s;
}

//! test: private_1024k
//! buffer out int[16] = 0
//! value n int = 3
//! global: 16
//! local: 2
//! expect out = 1828 185629 369430 553231 737032 134401 318202 502003
kernel void private_1024k(global int *out, int n)
{
    int a[262144];
    for (int i = 0; i < 262144; i++)
        a[i] = i * n;
    int s = get_global_id(0) & 7;
    for (int i = 0; i < 50; i++)
        s = a[(s * 7 + i) & 262143] + i;
    out[get_global_id(0)] = s;
}

//! test: neighbours_in_a_loop
//  Rows that begin at any multiple of an element's size, of lengths that four does not divide; what is stored in between is read.
//! buffer a uint[64] = 0..63
//! buffer b uchar[64] = 0..63
//! buffer c ushort[64] = 0..63
//! buffer d ulong[64] = 0..63
//! buffer e float2[32] = 0..63
//! buffer f uint[64] = 0..63
//! buffer out uint[40] = 0
//! buffer sums float[8] = 0
//! value n int = 7
//! global: 8
//! expect out = 30569571 2155212234 4279854897 2109530264 4234172927 2063848294 4188490957 2018166324 30569571 2155212234 4279854897 2109530264 4234172927 2063848294 4188490957 2018166324 30569571 237653763 444737955 651822147 858906339 1065990531 1273074723 1480158915 1176985955 3301628618 1131303985 3255946648 1085622015 3210264678 1039940045 3164582708 31588556 3317874924 2309193996 1300513068 291832140 3578118508 2569437580 1560756652
//! expect sums = -417 -1173 -1929 -2685 -3441 -4197 -4953 -5709
//! expect f = 0 1 3 6 10 15 21 28 8 17 27 38 50 63 77 92 16 33 51 70 90 111 133 156 24 49 75 102 130 159 189 220 32 65 99 134 170 207 245 284 40 81 123 166 210 255 301 348 48 97 147 198 250 303 357 412 56 113 171 230 290 351 413 476
kernel void neighbours_in_a_loop(global const uint *a, global const uchar *b, global const ushort *c,
                                 global const ulong *d, global const float2 *e, global uint *f, global uint *out,
                                 global float *sums, int n)
{
    int i = get_global_id(0);
    uint h = 0;
    for (int k = 0; k < n; k++)
        h = h * 31 + a[i * n + k];
    out[i] = h;
    h = 0;
    for (int k = 0; k < n; k++)
        h = h * 31 + b[i * n + k];
    out[8 + i] = h;
    h = 0;
    for (int k = 1; k < n; k++)
        h = h * 31 + c[i * n + k];
    out[16 + i] = h;
    h = 0;
    for (int k = n - 1; k >= 0; k--)
        h = h * 31 + (uint)d[i * n + k];
    out[24 + i] = h;
    float2 sum = 0.0f;
    for (int k = 0; k < n - 1; k++)
        sum = sum * 2.0f + e[i * 3 + k];
    sums[i] = sum.x - 3.0f * sum.y;
    h = 0;
    global uint *row = f + i * 8;
    for (int k = 0; k < n; k++) {
        h = h * 31 + row[k];
        row[k + 1] += row[k];
    }
    out[32 + i] = h;
}

//! test: walks_in_steps
//  Down columns, up again, from a start that is only known when it runs, past branches, in loops in loops, by long and by a constant.
//! buffer a int[64] = 0..63
//! buffer out int[32] = 0
//! value n int = 8
//! value from int = 2
//! global: 4
//! expect out = 224 232 240 248 -128 -132 -136 -140 53 56 59 62 1812 1860 1908 1956 168 176 184 192 64 68 72 76 96 100 104 108 24 26 28 30
kernel void walks_in_steps(global int *a, global int *out, int n, int from)
{
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < n; k++)
        s += a[k * n + i];
    out[i] = s;
    s = 0;
    for (int k = 6; k > from; k--)
        s -= a[k * n - n / 2 - k / 8 + i - 3 * (n / 8 - 1)];
    out[4 + i] = s;
    s = 0;
    for (int k = from; k < n; k += 2) {
        if (a[k * n + i] & 32)
            s += a[(k + 1) * n + i] - n * 3;
        else if (k == from)
            s += a[k * n + i] - n * 2 + 5;
    }
    out[8 + i] = s;
    s = 0;
    for (int j = 1; j < 4; j++)
        for (int k = 0; k < n; k++)
            s += a[k * n + i] * j + a[j * n + k];
    out[12 + i] = s;
    s = 0;
    for (long k = 0; k < (long)n; k++)
        s += a[k * (long)(n - 2) + i];
    out[16 + i] = s;
    s = 0;
    for (uint k = 0; k < (uint)n; k += 4)
        s += a[k * (uint)n + i] + a[(k + 1) * (uint)n + i] - n;
    out[20 + i] = s;
    s = 0;
    for (int k = 0; k < n; k += 2)
        s += a[k * 16 / 2 + i];
    out[24 + i] = s;
    s = 0;
    global int *p = a + 63;
    for (int k = from; k < 4; k++)
        s += p[-k * n - n] - 63 + i + 40;
    out[28 + i] = s;
}

//! test: neighbours_of_a_known_count
//! buffer a uint[400] = 0..399
//! buffer out uint[16] = 0
//! value one uint = 1
//! expect out = 44850 45150 45451 14850 45150 0*11
kernel void neighbours_of_a_known_count(global const uint *a, global uint *out, uint one)
{
    uint s = 0;
    for (int i = 0; i < 300; i++)
        s += a[i];
    out[0] = s;
    s = 0;
    for (int i = 0; i < 300; i++)
        s += a[i + one];
    out[1] = s;
    s = 0;
    for (uint i = 0; i < 301; i++)
        s += a[i] + one;
    out[2] = s;
    s = 0;
    for (int i = 0; i < 300; i += 3)
        s += a[i];
    out[3] = s;
    s = 0;
    int i = 0;
    do
        s += a[i] + one;
    while (++i < 300);
    out[4] = s;
}

//! test: neighbours_past_branches
//  A loop that chooses, over rows at any multiple of an element's size.
//! buffer a int[80] = 0 37 10 47 20 57 30 3 40 13 50 23 60 33 6 43 16 53 26 63 36 9 46 19 56 29 2 39 12 49 22 59 32 5 42 15 52 25 62 35 8 45 18 55 28 1 38 11 48 21 58 31 4 41 14 51 24 61 34 7 44 17 54 27 0 37 10 47 20 57 30 3 40 13 50 23 60 33 6 43
//! buffer b int[40] = 5 28 51 10 33 56 15 38 61 20 43 2 25 48 7 30 53 12 35 58 17 40 63 22 45 4 27 50 9 32 55 14 37 60 19 42 1 24 47 6
//! buffer out int[16] = 0
//! value n int = 5
//! value one int = 1
//! global: 16
//! expect out = 104430 136430 98020 136410 104410 104420 142810 98010 138040 138000 112400 150840 138010 99600 176440 138010
kernel void neighbours_past_branches(global const int *a, global const int *b, global int *out, int n, int one)
{
    int i = get_global_id(0) & 7, from = get_global_id(0) < 8 ? 0 : one, best = 1 << 30, at = 0, hits = 0;
    for (int k = 0; k < n; k++) {
        int d = 0;
        for (int j = 0; j < 4; j++) {
            int e = a[i * 4 + j + from] - b[k * 4 + j + from];
            d += e * e;
        }
        if (d < best) {
            best = d;
            at = k;
        } else if (d & 1) {
            hits += a[k * 4 + from];
        }
    }
    out[get_global_id(0)] = best * 100 + at * 10 + hits;
}

//! test: nested_at_once
//  Nested loops that are written out together: bounds that hang on counters around them, ifs on counters, and a loop that
//  is tested at its end and continues from inside.
//! buffer out int[4] = 0
//! value n int = 3
//! expect out = -546928405 1266820422 806529849 -94961086
kernel void nested_at_once(global int *out, int n)
{
    int a[4][4], s = n;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            a[i][j] = s = (int)((uint)s * 5 + i * 4 + j);
    }
    for (int i = 0; i < 4; i++) {
        for (int j = i; j < 4; j++) {
            if (i == j) {
                a[i][j] += 1;
                continue;
            }
            if ((i + j) % 2)
                a[i][j] ^= a[j][i];
            else
                a[j][i] = (int)((uint)a[j][i] - (uint)a[i][j]);
        }
        int k = 3;
        do {
            a[k][i] += k;
            if (a[i][k] & 1)
                continue;
            a[i][k] += 2;
        } while (--k > i);
    }
    for (int i = 0; i < 4; i++) {
        uint h = 0;
        for (int j = 0; j < 4; j++)
            h = h * 31 + (uint)a[i][j];
        out[i] = (int)h;
    }
}

// What a loop adds up in memory is there when the loop has ended, and is not touched by a loop that does not run.

//! test: sums_in_memory
//! buffer in int[8] = 1 2 3 4 5 6 7 8
//! buffer out int[6] = 0 100 0 0 7 7
//! value n int = 8
//! value none int = 0
//! expect out = 36 136 0 40320 7 7
kernel void sums_in_memory(global const int *restrict in, global int *restrict out, int n, int none)
{
    for (int i = 0; i < n; i++) {
        out[0] += in[i];
        out[1] += in[i];
    }
    out[3] = 1;
    int i = 0;
    do {
        out[3] *= in[i];
    } while (++i < n);
    global int *far = out + ((long)none - 1) * (1l << 40);
    for (int k = 0; k < none; k++)
        far[0] += in[k];
}

//! test: sums_that_overlap
//! buffer out int[5] = 1 2 3 0 0
//! value n int = 3
//! expect out = 1 3 9 18 18
kernel void sums_that_overlap(global int *out, int n)
{
    global int *next = out + 1;
    for (int i = 0; i < n; i++) {
        *next += out[i];
        next[1] += *next;
        if (i < 2)
            next++;
    }
}

//! test: sums_of_members
//! global: 4
//! local: 4
//! buffer out int[12] = 0
//! value n int = 5
//! expect out = 10 30 0 20 30 5 30 30 10 40 30 15
typedef struct {
    int a, b, c;
} three;
kernel void sums_of_members(global three *out, int n)
{
    local int weights[4];
    int me = get_global_id(0);
    for (int round = 0; round < n; round++) {
        weights[me] = me + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 3; k++) {
            out[me].b += weights[k];
            if (k)
                continue;
            out[me].a += 2 * weights[me];
            out[me].c += me;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Neighbours leave the loop at different times. What each loaded last is used behind it.
//! test: left_early
//! global: 16
//! local: 16
//! buffer in int[64] = 1..64
//! buffer out int2[16] = 0
//! expect out = 100 49 104 50 108 51 60 36 63 37 66 38 69 39 72 40 75 41 78 42 81 43 84 44 87 45 90 46 93 47 96 48
kernel void left_early(global const int *in, global int2 *out)
{
    size_t i = get_global_id(0);
    int sum = 0, last = 0;
    if (i < 51) {
        do {
            last = in[i];
            sum += last;
            i += get_global_size(0);
        } while (i < 51);
    }
    out[get_global_id(0)] = (int2)(sum, last);
}

// The same out of two loops, and through memory of each work-item.
//! test: found_in_two_loops
//! global: 8
//! local: 8
//! buffer in int[32] = 9 2 9 4 5 9 7 8 1 9 3 9 5 6 9 8 9 2 3 4 9 6 7 9 1 9 3 4 5 6 7 9
//! buffer out int4[8] = 0
//! expect out = 0 1 9 9 1 1 9 24 0 1 9 9 1 1 9 22 0 3 9 22 0 1 9 9 1 1 9 23 0 2 9 17
kernel void found_in_two_loops(global const int *in, global int4 *out)
{
    int id = get_global_id(0), row = 0, column = 0, value, sum = 0, kept[8] = {0};
    while (true) {
        column = 0;
        do {
            value = in[row * 8 + (id + column * 3) % 8];
            kept[value & 7] = value;
            column++;
            sum += value;
        } while (value != 9 && column < 3);
        if (value == 9 || row == 3)
            break;
        row++;
    }
    out[id] = (int4)(row, column, kept[value & 7], sum);
}

// Two counters and a quotient make an index that several addresses share; loops that run no time at all beside a
// quotient that they alone need.
//! test: shared_indices
//! global: 4
//! buffer in int[32] = 0..31
//! buffer out int4[4] = 0
//! value n int = 8
//! value none int = 0
//! expect out = 336 120 5 2 372 128 5 2 408 136 5 2 444 144 5 2
kernel void shared_indices(global const int *in, global int4 *out, int n, int none)
{
    int me = get_global_id(0), sum = 0, other = 0, never = 5;
    for (int k = 0; k < n; k += 2) {
        for (int p = 0; p < 2; p++) {
            sum += in[(k + p) * (n / 4) + me] * (k + p + 1);
            other += in[(k + p) * (n / 4) + me + 8];
        }
    }
    for (int i = 0; i < none; i++)
        never += n / 7 + (n + INT_MIN) / -1 + n % 3;
    out[me] = (int4)(sum, other, never, n / 3);
}

//! test: met_at_the_limits
//  Loops of which several iterations are done at once, up to the end of the counter's type. An end that is met only
//  after the counter has wrapped around is met all the same; a loop that missed it would run billions of times.
//! buffer in uint[16] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! buffer first uint[8] = 4294967290 0 4294967295 4294967288 2147483640 0 5 7
//! buffer end uint[8] = 7 1 0 4294967294 2147483649 4 18 20
//! buffer out uint[32] = 0
//! global: 8
//! expect out = 9149857 1 16 3455 93469 58 5181476 6775222 0 5 0 10380 280409 179 15544431 20325671 5980650 2 1 5281 32254 182 2465293 3639711 4183 32285032 16 31156 31156 32285032 575719 83644
kernel void met_at_the_limits(global const uint *in, global const uint *first, global const uint *end, global uint *out)
{
    uint g = get_global_id(0), i = first[g], met = 0, reached = 0, down = 0, walked = 0;
    do
        met = met * 3 + in[i & 15];
    while (++i != end[g]);
    for (uint k = first[g]; k <= end[g]; k++)
        reached = reached * 3 + in[k & 15];
    for (uint k = end[g]; k != first[g]; k--)
        down = down * 3 + in[k & 15];
    for (global const uint *p = in + (first[g] & 15); p != in + 16; p++)
        walked = walked * 3 + *p;
    out[g] = met;
    out[8 + g] = reached;
    out[16 + g] = down;
    out[24 + g] = walked;
}
