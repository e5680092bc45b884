// Functions that stay functions: what they take, return and reach. noinline keeps the small ones; the last tests are large.
#define KEEP __attribute__((noinline))
#define STIR4(x, y) x = x * 1664525u + y; y = rotate(y, 7u) ^ x; x ^= x >> 13; y += x * 0x9e3779b9u;
#define STIR16(x, y) STIR4(x, y) STIR4(x, y) STIR4(x, y) STIR4(x, y)
#define STIR64(x, y) STIR16(x, y) STIR16(x, y) STIR16(x, y) STIR16(x, y)
uint KEEP stir(uint x, uint y)
{
    STIR64(x, y) STIR64(x, y) STIR64(x, y) STIR64(x, y) STIR64(x, y) STIR64(x, y)
    return x ^ y;
}

//! test: call_plain_values
//! global: 4
//! buffer out int[4] = 0
//! expect out = 3 4 9 11
KEEP int plain_sum(int a, bool twice, float4 v, uchar c)
{
    if (twice)
        return 2 * a + (int)v.y + c;
    return a + (int)v.x + c;
}
kernel void call_plain_values(global int *out)
{
    int i = get_global_id(0);
    out[i] = plain_sum(i, i & 2, (float4)(1, 3, 5, 7), 2);
}

//! test: call_global_pointer
//! global: 4
//! buffer in int[8] = 1 2 3 4 5 6 7 8
//! buffer out int[4] = 0
//! expect out = 3 5 7 9
constant int call_table[4] = {0, 10, 20, 30};
KEEP void add_next(global int *to, const global int *from)
{
    *to += from[0] + from[1];
}
kernel void call_global_pointer(const global int *in, global int *out)
{
    size_t i = get_global_id(0);
    add_next(out + i, in + i);
}

//! test: call_returns_constant_struct
//! global: 4
//! buffer out ulong[12] = 0
//! expect out = 4294967301 0 7 0 0 0 9 18446744073709551615 13 4294967301 11 7
typedef struct { ulong8 wide; uchar byte; short4 few; uint last; } constant_struct;
KEEP constant_struct constant_value(uint i, ulong last)
{
    constant_struct some = {(ulong8)(4294967301UL, 0, 0, 0, 0, 0, 0, 11), 0, (short4)(0, 7, 0, 0), 0};
    constant_struct zero = {(ulong8)(0), 0, (short4)(0), 0};
    constant_struct other = {(ulong8)(9, 0, 0, 0, 0, 0, 0, 0), 255, (short4)(-1), 13};
    if (i == 0)
        return some;
    if (i == 1)
        return zero;
    if (i == 2)
        return other;
    some.wide.s1 = last; /* only a part of it is constant */
    some.few.x = 4;
    return some;
}
kernel void call_returns_constant_struct(global ulong *out)
{
    uint i = get_global_id(0);
    constant_struct s = constant_value(i, i * 3);
    if (i < 3) {
        out[3 * i] = s.wide.s0;
        out[3 * i + 1] = i == 2 ? (ulong)s.few.w : s.byte;
        out[3 * i + 2] = i == 2 ? s.last : (ulong)s.few.y;
    } else {
        out[3 * i] = s.wide.s0;
        out[3 * i + 1] = s.wide.s7;
        out[3 * i + 2] = (ulong)s.few.y;
    }
}

//! test: call_constant_pointer
//! global: 4
//! buffer out int[4] = 0
//! expect out = 0 15 30 45
constant int call_tens[4] = {0, 10, 20, 30};
constant int call_fives[4] = {0, 5, 10, 15};
KEEP int look_up(constant int *table, uint i)
{
    return table[i & 3];
}
kernel void call_constant_pointer(global int *out)
{
    uint i = get_global_id(0);
    out[i] = look_up(call_tens, i) + look_up(call_fives, i);
}

//! test: call_local_pointer
//! global: 8
//! local: 4
//! local scratch 16
//! buffer out int[8] = 0
//! expect out = 6 6 6 6 22 22 22 22
KEEP int group_sum(local int *items, int mine)
{
    items[get_local_id(0)] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (size_t i = 0; i < get_local_size(0); i++)
        sum += items[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}
kernel void call_local_pointer(local int *scratch, global int *out)
{
    out[get_global_id(0)] = group_sum(scratch, get_global_id(0));
}

//! test: call_local_variable
//! global: 8
//! local: 4
//! buffer out int[8] = 0
//! expect out = 12 12 12 12 44 44 44 44
KEEP int group_sum_of(local int *items, int mine)
{
    items[get_local_id(0)] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (size_t i = 0; i < get_local_size(0); i++)
        sum += items[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}
kernel void call_local_variable(global int *out)
{
    local int one[4], two[4];
    int i = get_global_id(0);
    out[i] = group_sum_of(one, i) + group_sum_of(two, i);
}

//! test: call_private_pointer
//! global: 4
//! buffer out int[4] = 0
//! expect out = 6 16 26 36
KEEP void swap_ints(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}
KEEP void reverse(int *items, int count)
{
    for (int i = 0; i < count / 2; i++)
        swap_ints(&items[i], &items[count - 1 - i]);
}
kernel void call_private_pointer(global int *out)
{
    int items[5], i = get_global_id(0);
    for (int k = 0; k < 5; k++)
        items[k] = k + 5 * i;
    reverse(items, 5);
    reverse(items + 1, 2);
    out[i] = items[0] + items[1];
}

//! test: call_private_same_twice
//! buffer out int[2] = 0
//! expect out = 7 12
KEEP void add_to(int *a, int *b)
{
    *a += 1;
    *b += *a;
}
kernel void call_private_same_twice(global int *out)
{
    int x = 5, y = 5, z = 6;
    add_to(&y, &z);
    add_to(&x, &x);
    out[0] = y == 6 ? z - 5 : -1;
    out[1] = x;
}

//! test: call_private_null
//! global: 2
//! buffer out int[2] = 0
//! expect out = 1 43
KEEP int maybe_store(int *to, int value)
{
    if (to)
        *to = value;
    return 1;
}
kernel void call_private_null(global int *out)
{
    int x = 0, i = get_global_id(0);
    int r = maybe_store(i ? &x : 0, 42);
    out[i] = x + r;
}

//! test: call_private_overrun
//! global: 2
//! buffer out int[2] = 0
//! expect out = 5 13
KEEP int sum_some(const int *p, bool more)
{
    return more ? p[0] + p[1] + p[2] : p[0];
}
kernel void call_private_overrun(global int *out)
{
    int one = 5, three[3] = {2, 4, 7}, i = get_global_id(0);
    out[i] = i ? sum_some(three, true) : sum_some(&one, false);
}

//! test: call_private_kept_address
//! buffer out int[1] = 0
//! expect out = 9
struct call_holder {
    int *p;
};
KEEP int both_ways(struct call_holder *holder, int *direct)
{
    *direct = 4;
    *holder->p += 5;
    return *direct;
}
kernel void call_private_kept_address(global int *out)
{
    int x = 1;
    struct call_holder holder = {&x};
    out[0] = both_ways(&holder, &x);
}

//! test: call_private_parts
//! global: 3
//! buffer out int[6] = 0
//! expect out = 1106 4 1108 5 1110 6
struct call_parts {
    int head[2], tail[4];
};
KEEP void spread(int *to, const int *from, int *more)
{
    to[0] = from[0] + from[1];
    to[1] = from[2] + 1;
    more[0] += to[0];
}
KEEP void chained(struct call_parts *parts, int i)
{
    spread(parts->head, parts->tail, &parts->tail[3]);   /* parts of one object, disjoint */
    spread(parts->tail, parts->tail + 1, &parts->tail[i]); /* overlapping, at a place that is not constant */
}
kernel void call_private_parts(global int *out)
{
    int i = get_global_id(0);
    struct call_parts parts = {{0, 0}, {1, 2 + i, 3, 100}};
    spread(parts.head, parts.tail, &parts.tail[3]);
    int first = parts.head[1];
    chained(&parts, i > 5 ? 1 : 2);
    int before = parts.tail[2];
    out[2 * i] = parts.tail[3] + 1000 + (before == parts.tail[0] + 3 ? 0 : -5000);
    out[2 * i + 1] = parts.head[1] - first + 4 + i;
}

//! test: call_private_loop
//! global: 2
//! buffer out int[2] = 0
//! expect out = 30 46
KEEP void accumulate(int *sums, const int *items, int i)
{
    sums[i & 1] += items[i];
    if (i & 1)
        sums[2]++;
}
kernel void call_private_loop(global int *out)
{
    int items[8], sums[3] = {0, 0, 0}, g = get_global_id(0);
    for (int i = 0; i < 8; i++)
        items[i] = i + 2 * g;
    for (int i = 0; i < 8; i++)
        accumulate(sums, items, i);
    out[g] = sums[0] + sums[1] + sums[2] - 2;
}

//! test: call_struct_member
//! global: 2
//! buffer out int[4] = 0
//! expect out = 6 104 8 104
struct call_state {
    int sum[3];
    uchar steps;
    long total;
};
KEEP void step(struct call_state *state, int by)
{
    state->sum[1] += by;
    state->steps++;
    state->total += state->sum[1];
}
KEEP void steps(struct call_state *state, int by)
{
    step(state, by);
    step(state, by);
}
kernel void call_struct_member(global int *out)
{
    struct call_state state = {{0, 2, 0}, 100, 0};
    int i = get_global_id(0);
    steps(&state, 1 + i);
    steps(&state, 0);
    out[2 * i] = state.sum[1] + (i ? 2 * state.sum[0] : 2) + (state.total == 0 ? 99 : 0) + (i ? 2 : 0);
    out[2 * i + 1] = state.steps;
}

//! test: call_struct_value
//! global: 3
//! buffer out int[3] = 0
//! expect out = 12 17 22
struct call_pair {
    int a;
    float b;
    struct {
        char c[3];
        long d;
    } inner;
};
KEEP struct call_pair doubled(struct call_pair p)
{
    p.a *= 2;
    p.b *= 2;
    p.inner.c[1] *= 2;
    p.inner.d *= 2;
    return p;
}
kernel void call_struct_value(global int *out)
{
    int i = get_global_id(0);
    struct call_pair p = {i, 1.5f, {{0, 3, 0}, i}};
    struct call_pair q = doubled(p);
    out[i] = q.a + (int)q.b + q.inner.c[1] + (int)q.inner.d + p.inner.c[1] + p.a;
}

//! test: call_big_struct
//! global: 2
//! buffer out int[2] = 0
//! expect out = 4950 5050
struct call_big {
    int items[100];
};
KEEP struct call_big filled(int from)
{
    struct call_big big;
    for (int i = 0; i < 100; i++)
        big.items[i] = from + i;
    return big;
}
KEEP int big_sum(struct call_big big)
{
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        sum += big.items[i];
        big.items[i] = 0;
    }
    return sum;
}
kernel void call_big_struct(global int *out)
{
    int i = get_global_id(0);
    struct call_big big = filled(i);
    int first = big_sum(big);
    out[i] = big_sum(big) == first ? first : -1;
}

//! test: call_long_vectors
//! global: 2
//! buffer out int[2] = 0
//! expect out = 136 172
KEEP int16 widened(int8 a, int8 b)
{
    return (int16)(a + 1, b + 1).sfedcba9876543210;
}
KEEP int total(int16 v)
{
    int8 h = v.lo + v.hi;
    int4 q = h.lo + h.hi;
    return q.x + q.y + q.z + q.w;
}
kernel void call_long_vectors(global int *out)
{
    int i = get_global_id(0);
    int8 a = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
    int16 w = widened(a, a + 8);
    w.s3 += 36 * i;
    out[i] = total(w);
}

//! test: call_pointer_to_long_vector
//! buffer out int[2] = 0
//! expect out = 7 15
KEEP void bump(int8 *v, uint lane)
{
    (*v)[lane] += 2;
    v->s7 *= 2;
}
kernel void call_pointer_to_long_vector(global int *out)
{
    int8 v = (int8)(5);
    bump(&v, 3);
    v.s7 += 5;
    out[0] = v.s3;
    out[1] = v.s7;
}

//! test: call_returns_pointer
//! global: 4
//! buffer a int[4] = 1 2 3 4
//! buffer b int[4] = 10 20 30 40
//! buffer out int[4] = 0
//! expect out = 1 20 3 40
KEEP global int *chosen(global int *a, global int *b, int i)
{
    if (i & 1)
        return b + i;
    return a + i;
}
kernel void call_returns_pointer(global int *a, global int *b, global int *out)
{
    int i = get_global_id(0);
    out[i] = *chosen(a, b, i);
}

//! test: call_returns_private_pointer
//! global: 4
//! buffer out int[4] = 0
//! expect out = 100 1 102 1
KEEP int *larger(int *a, int *b)
{
    return *a > *b ? a : b;
}
kernel void call_returns_private_pointer(global int *out)
{
    int i = get_global_id(0), x = i & 1 ? 7 : 1, y = 5;
    *larger(&x, &y) = 100 + i;
    out[i] = i & 1 ? (x == 100 + i ? 1 : 0) : y;
}

//! test: call_generic_pointer
//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! global: 4
//! local: 4
//! buffer in int[4] = 1 2 3 4
//! buffer out int[4] = 0
//! expect out = 112 114 116 118
KEEP int read_any(const int *p)
{
    return *p;
}
KEEP void write_any(int *p, int value)
{
    *p = value;
}
kernel void call_generic_pointer(global int *in, global int *out)
{
    local int shared[4];
    int mine, i = get_local_id(0);
    write_any(&mine, 10);
    write_any(&shared[i], 100 + i);
    write_any(&out[i], in[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = read_any(&mine) + read_any(&shared[i]) + read_any(&out[i]) + 1;
}

//! test: call_generic_one_space
//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! global: 4
//! buffer out int[4] = 0
//! expect out = 1 2 4 8
KEEP int *next(int *p)
{
    return p + 1;
}
KEEP void set_power(int *p, int i)
{
    int *q = next(p);
    q[-1] = 1 << i;
}
kernel void call_generic_one_space(global int *out)
{
    set_power(out + get_global_id(0), get_global_id(0));
}

//! test: call_struct_with_pointer
//! global: 2
//! buffer in int[4] = 1 2 3 4
//! buffer out int[2] = 0
//! expect out = 3 7
struct call_range {
    const global int *start;
    int count;
};
KEEP struct call_range range_of(const global int *start, int count)
{
    struct call_range range = {start, count};
    return range;
}
KEEP int range_sum(struct call_range range)
{
    int sum = 0;
    while (range.count-- > 0)
        sum += *range.start++;
    return sum;
}
kernel void call_struct_with_pointer(const global int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = range_sum(range_of(in + 2 * i, 2));
}

//! test: call_atomics
//! global: 8
//! buffer counts uint[2] = 0
//! expect counts = 8 28
KEEP void count(volatile global uint *counts, uint by)
{
    atomic_inc(&counts[0]);
    atomic_add(&counts[1], by);
}
kernel void call_atomics(global uint *counts)
{
    count(counts, (uint)get_global_id(0));
}

//! test: call_work_item_functions
//! global: 4 2
//! local: 2 1
//! offset: 10 20
//! buffer out uint[8] = 0
//! expect out = 1020 1120 1220 1320 1021 1121 1221 1321
KEEP uint place(void)
{
    return (get_global_id(0) - get_global_offset(0)) + get_global_size(0) * (get_global_id(1) - get_global_offset(1));
}
KEEP uint ids(void)
{
    return get_global_id(0) * 100 + get_global_id(1) + 0 * get_num_groups(1);
}
kernel void call_work_item_functions(global uint *out)
{
    out[place()] = ids();
}

//! test: call_printf
//! buffer out int[1] = 0
//! print = "callee 5\ncallee 6\n"
//! expect out = 11
KEEP int show(int x)
{
    printf("callee %d\n", x);
    return x;
}
kernel void call_printf(global int *out)
{
    int a = show(5);
    out[0] = a + show(6);
}

//! test: call_early_return
//! global: 6
//! buffer out int[6] = 0
//! expect out = 0 1 2 -1 4 -2
KEEP int find(const int *items, int wanted)
{
    for (int i = 0; i < 8; i++) {
        switch (items[i] - wanted) {
        case 0:
            return i;
        case 100:
            return -2;
        default:
            if (items[i] < 0)
                return -1;
        }
    }
    return 99;
}
kernel void call_early_return(global int *out)
{
    int items[8] = {0, 10, 20, 30, 40, -7, 150, 0}, i = get_global_id(0);
    if (i == 3)
        items[3] = -5;
    if (i == 5)
        items[5] = 150;
    out[i] = find(items, i * 10);
}

//! test: call_frames
//! global: 4
//! buffer out int[4] = 0
//! expect out = 144 164 184 204
KEEP int fold_left(const int *items)
{
    int copy[4];
    for (int i = 0; i < 4; i++)
        copy[i] = items[3 - i];
    return copy[items[0] & 3] + copy[1] + copy[2];
}
KEEP int fold_right(const int *items)
{
    int copy[8];
    for (int i = 0; i < 8; i++)
        copy[i] = items[i & 3] + 1;
    return copy[items[0] & 7] + fold_left(copy + 4);
}
kernel void call_frames(global int *out)
{
    int items[4], i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        items[k] = 8 + 4 * k;
    int a = fold_left(items), b = fold_right(items), c = fold_left(items);
    int spare = 0;
    for (int k = 0; k < 4; k++)
        spare += items[k];
    out[i] = a == c ? b + spare + 20 * i + 32 : -1;
}

//! test: call_kernel_with_local
//! global: 4
//! local: 4
//! local shared 16
//! buffer out int[4] = 0
//! expect out = 4 3 2 1
kernel void call_inner(local int *shared, global int *out)
{
    int i = get_local_id(0);
    shared[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = shared[3 - i];
}
kernel void call_kernel_with_local(local int *shared, global int *out)
{
    call_inner(shared, out);
}

//! test: call_large
//! global: 2
//! buffer out uint[2] = 0
//! expect out = 2739051377 1722124021
#define CALL_MIX(i) state[i & 7] = rotate(state[(i + 3) & 7] ^ words[i & 15], (uint)(i % 31 + 1)) + state[(i + 5) & 7] * 7u;
#define CALL_MIX8(i) CALL_MIX(i) CALL_MIX(i + 1) CALL_MIX(i + 2) CALL_MIX(i + 3) CALL_MIX(i + 4) CALL_MIX(i + 5) CALL_MIX(i + 6) CALL_MIX(i + 7)
#define CALL_MIX64(i) CALL_MIX8(i) CALL_MIX8(i + 8) CALL_MIX8(i + 16) CALL_MIX8(i + 24) CALL_MIX8(i + 32) CALL_MIX8(i + 40) CALL_MIX8(i + 48) CALL_MIX8(i + 56)
void mix(uint *state, const uint *words)
{
    CALL_MIX64(0)
}
void mix_twice(uint *state, uint *words, uint salt)
{
    words[3] ^= salt;
    mix(state, words);
    words[salt & 15] += state[2];
    mix(state, words);
}
kernel void call_large(global uint *out)
{
    uint state[8] = {1, 2, 3, 4, 5, 6, 7, 8}, words[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    uint i = get_global_id(0);
    words[5] = i;
    mix_twice(state, words, 17);
    mix_twice(state, words, 1);
    mix_twice(state, words, 2);
    mix_twice(state, words, 3);
    mix_twice(state, words, 5);
    mix_twice(state, words, i);
    mix_twice(state, words, 7);
    mix_twice(state, words, 8);
    mix_twice(state, words, 9);
    mix_twice(state, words, 10);
    out[i] = state[i] + state[5];
}

//! test: call_library
//! buffer out float[48] = 0
//! buffer in float[8] = 0.5 1.25 -2.0 3.75 100.0 7.5 1e6 -0.125
//! expect out = 0.47942555 0.87758255 1.64872122 -0.693147182 0.812252402 0.135135129 0.948984623 0.315322369 3.49034286 0.223143548 1.06923461 0.337837845 -0.909297407 -0.416146845 0.135335281 0.693147182 1.23114443 -0.540540516 -0.571561337 -0.820559382 42.5210838 1.32175589 1.48665226 1.01351357 -0.506365657 0.862318873 485165184 4.60517025 3.98107171 27.0270271 0.937999964 0.346635312 1808.04236 2.01490307 1.83028352 2.02702713 -0.349993497 0.936752141 485165184 13.8155107 63.0957336 270270.281 -0.12467473 0.992197692 0.882496893 -2.07944155 0.535886705 -0.0337837823 ulp 16
// The library's functions stay functions where many places call them.
#define SIX(i) \
    out[6 * i] = sin(in[i]); \
    out[6 * i + 1] = cos(in[i]); \
    out[6 * i + 2] = exp(fmin(in[i], 20.0f)); \
    out[6 * i + 3] = log(fabs(in[i])); \
    out[6 * i + 4] = pow(fabs(in[i]), 0.3f); \
    out[6 * i + 5] = in[i] / 3.7f;
kernel void call_library(global float *out, global const float *in)
{
    SIX(0) SIX(1) SIX(2) SIX(3) SIX(4) SIX(5) SIX(6) SIX(7)
}

//! test: call_prototypes_of_built_in_functions
//! global: 4
//! local: 4
//! buffer out float[4] = 0
//! buffer in float[4] = 1 4 9 16
//! expect out = 4 3 2 1
// Programs repeat the library's prototypes, with and without the attribute; what has a body is the program's own.
float __attribute__((overloadable)) sqrt(float x);
void __attribute__((overloadable)) barrier(cl_mem_fence_flags);
float __attribute__((overloadable)) half_sqrt(float x);
KEEP float from_behind(const local float *values, size_t i, size_t n)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    return half_sqrt(values[n - 1 - i]);
}
float __attribute__((overloadable)) half_sqrt(float x)
{
    return sqrt(x);
}
kernel void call_prototypes_of_built_in_functions(global float *out, const global float *in)
{
    local float values[4];
    size_t i = get_local_id(0);
    values[i] = in[i];
    out[i] = from_behind(values, i, get_local_size(0));
}

//! test: call_overloads_of_which_one_is_unmarked
//! buffer out int[4] = 0
//! expect out = 3 4 1 2
// As clang has it, one of a set may lack the attribute, wherever it stands.
__attribute__((overloadable)) int which(local int *p) { return 1; }
__attribute__((overloadable)) int which(global int *p) { return 2; }
int which(float x) { return 3; }
__attribute__((overloadable)) int which(char4 x) { return 4; }
kernel void call_overloads_of_which_one_is_unmarked(global int *out)
{
    local int there;
    out[0] = which(1.0f);
    out[1] = which((char4)(1));
    out[2] = which(&there);
    out[3] = which(out);
}

//! test: call_overloads_by_lanes_or_by_scalars
//! buffer out short4[2] = 0
//! value v short4 = 300 -5 7 255
//! expect out = 255 0 7 255  300 -5 7 255
// A number as a scalar of another type is nearer than in every lane.
__attribute__((overloadable)) short4 within(short4 x, short4 low, short4 high) { return x; }
__attribute__((overloadable)) short4 within(short4 x, short low, short high) { return clamp(x, low, high); }
kernel void call_overloads_by_lanes_or_by_scalars(global short4 *out, short4 v)
{
    out[0] = within(v, 0, 255);
    out[1] = within(v, v, v);
}

//! test: call_many_times_where_calls_share_a_body
//! buffer out uint[4] = 0
//! buffer in uint[4] = 1 2 3 4
//! expect out = 0 0 0 0
// With all calls inlined these would be 40,000 instructions, which some drivers take minutes to compile. So the calls
// share a loop there; values pass from one piece of the code between them to others, and out of it.
kernel void call_many_times_where_calls_share_a_body(global uint *out, global const uint *in)
{
    size_t i = get_global_id(0);
    uint t[45], last = in[i];
    for (int k = 0; k < 45; k++)
        t[k] = last = stir(last + k, k > 2 ? t[k - 3] : in[(i + k) & 3]);
    uint x = in[i];
    uint v0 = stir(x + 0, in[(i + 0) & 3]);
    uint v1 = stir(v0 + 1, in[(i + 1) & 3]);
    uint v2 = stir(v1 + 2, in[(i + 2) & 3]);
    uint v3 = stir(v2 + 3, v0);
    uint v4 = stir(v3 + 4, v1);
    uint v5 = stir(v4 + 5, v2);
    uint v6 = stir(v5 + 6, v3);
    uint v7 = stir(v6 + 7, v4);
    uint v8 = stir(v7 + 8, v5);
    uint v9 = stir(v8 + 9, v6);
    uint v10 = stir(v9 + 10, v7);
    if (v3 & 1)
        x ^= v10;
    uint v11 = stir(v10 + 11, v8);
    uint v12 = stir(v11 + 12, v9);
    uint v13 = stir(v12 + 13, v10);
    uint v14 = stir(v13 + 14, v11);
    uint v15 = stir(v14 + 15, v12);
    uint v16 = stir(v15 + 16, v13);
    uint v17 = stir(v16 + 17, v14);
    uint v18 = stir(v17 + 18, v15);
    uint v19 = stir(v18 + 19, v16);
    uint v20 = stir(v19 + 20, v17);
    uint v21 = stir(v20 + 21, v18);
    uint v22 = stir(v21 + 22, v19);
    uint v23 = stir(v22 + 23, v20);
    uint v24 = stir(v23 + 24, v21);
    uint v25 = stir(v24 + 25, v22);
    uint v26 = stir(v25 + 26, v23);
    uint v27 = stir(v26 + 27, v24);
    uint v28 = stir(v27 + 28, v25);
    uint v29 = stir(v28 + 29, v26);
    uint v30 = stir(v29 + 30, v27);
    uint v31 = stir(v30 + 31, v28);
    uint v32 = stir(v31 + 32, v29);
    uint v33 = stir(v32 + 33, v30);
    uint v34 = stir(v33 + 34, v31);
    uint v35 = stir(v34 + 35, v32);
    uint v36 = stir(v35 + 36, v33);
    uint v37 = stir(v36 + 37, v34);
    uint v38 = stir(v37 + 38, v35);
    uint v39 = stir(v38 + 39, v36);
    uint v40 = stir(v39 + 40, v37);
    uint v41 = stir(v40 + 41, v38);
    uint v42 = stir(v41 + 42, v39);
    uint v43 = stir(v42 + 43, v40);
    uint v44 = stir(v43 + 44, v41);
    uint y = in[i];
    if (t[3] & 1)
        y ^= t[10];
    out[i] = (v44 != t[44]) | (v20 != t[20]) << 1 | (v5 != t[5]) << 2 | (x != y) << 3;
}

//! test: call_many_times_with_ifs_between
//! buffer out uint[4] = 0
//! buffer in uint[5] = 1 2 3 4 18
//! expect out = 0 0 0 0
// Small ifs between calls that share a loop become selects; those that store, divide or call stay ifs.
#define ONE_ARM if (x & 1) y ^= x >> 3;
#define TWO_ARMS if (x & 2) y += x * 3u; else y -= x ^ 5u;
#define NESTED if (x & 4) { if (y & 1) y = ~y; else x += 7u; y += 2u; } else if (y & 2) x ^= y;
#define VECTOR if (y & 8) { v = v.yx + x; x = v.x; } else v ^= y; y += v.y;
#define DIVIDED if (x & 15) y += y / (x & 15u); else if (y > x || x & 32) y++;
#define STORED if (x & 64) { kept[y & 3] += x; w = w * 1.5f + 1; } else w -= 1; y ^= kept[x & 3] + (uint)fabs(w);
#define CALLED(k) x = stir(x + k, y);
kernel void call_many_times_with_ifs_between(global uint *out, global const uint *in)
{
    size_t i = get_global_id(0);
    uint x = in[i], y = 5, kept[4] = {1, 2, 3, 4};
    uint2 v = (uint2)(in[i], 9);
    float w = 3;
    CALLED(0) ONE_ARM CALLED(1) TWO_ARMS CALLED(2) NESTED CALLED(3) VECTOR CALLED(4) DIVIDED CALLED(5) STORED
    CALLED(6) ONE_ARM CALLED(7) TWO_ARMS CALLED(8) NESTED CALLED(9) VECTOR CALLED(10) DIVIDED CALLED(11) STORED
    CALLED(12) ONE_ARM CALLED(13) TWO_ARMS CALLED(14) NESTED CALLED(15) VECTOR CALLED(16) DIVIDED CALLED(17) STORED
    uint result = x ^ y ^ v.x ^ v.y ^ kept[y & 3], wanted = as_uint(w);
    x = in[i], y = 5, v = (uint2)(in[i], 9), w = 3;
    for (uint k = 0; k < 4; k++)
        kept[k] = k + 1;
    for (uint k = 0; k < in[4]; k++) {
        CALLED(k)
        switch (k % 6) {
        case 0: ONE_ARM break;
        case 1: TWO_ARMS break;
        case 2: NESTED break;
        case 3: VECTOR break;
        case 4: DIVIDED break;
        default: STORED
        }
    }
    out[i] = (result != (x ^ y ^ v.x ^ v.y ^ kept[y & 3])) | (wanted != as_uint(w)) << 1;
}

//! test: call_many_times_with_reads_between
//! buffer out uint[4] = 0
//! buffer data uint[20] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 18
//! buffer copy uint[20] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 18
//! global: 1
//! expect out = 0 0 0 0
// What is read between calls is read in front of their loop, but not what a store may have changed.
#define READ(p, k) x = stir(x + p[k], p[k + 1]);
#define WRITTEN(p, k) READ(p, k) p[k + 2 + zero] ^= x;
kernel void call_many_times_with_reads_between(global uint *out, global uint *data, global uint *copy)
{
    uint x = 1, zero = copy[19] - 18, result;
    READ(data, 0) READ(data, 1) READ(data, 2) READ(data, 3) READ(data, 4) READ(data, 5)
    WRITTEN(data, 6) READ(data, 7) READ(data, 8) WRITTEN(data, 9) READ(data, 10) READ(data, 11)
    READ(data, 12) WRITTEN(data, 13) READ(data, 14) READ(data, 15) READ(data, 16) READ(data, 17)
    result = x;
    x = 1;
    for (uint k = 0; k < copy[19]; k++) {
        READ(copy, k)
        if (k == 6 || k == 9 || k == 13)
            copy[k + 2] ^= x;
    }
    out[0] = result != x;
}
