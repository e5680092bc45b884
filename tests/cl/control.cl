// Statements and control flow. C99 6.8 as OpenCL C 3.0 takes it.

//! test: loop_sum
//! buffer out int[1] = 0
//! value n int = 100000
//! expect out = 704982704
kernel void loop_sum(global int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    *out = sum;
}

//! test: long_loop
//  Lavapipe before Mesa 23 cut loops short after 65,535 iterations.
//! buffer out int[1] = 0
//! value n int = 200000
//! expect out = 200000
kernel void long_loop(volatile global int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[0]++;
}

//! test: nested_break_continue
//! buffer out int[4] = 0
//! global: 4
//! expect out = 0 12 36 72
kernel void nested_break_continue(global int *out)
{
    int id = get_global_id(0), sum = 0;
    for (int i = 0; i < 10; i++) {
        if (i > id)
            break;
        for (int k = 0;; k++) {
            if (k % 2 == 0)
                continue;
            if (k > 7)
                break;
            sum += k == 5 ? i : i * 3 + (k == 7) * id;
        }
    }
    out[id] = sum;
}

//! test: switch_fall_through
//! buffer out int[7] = 0
//! global: 7
//! expect out = 1 12 120 23 230 5 99
kernel void switch_fall_through(global int *out)
{
    int id = get_global_id(0), r = 0;
    switch (id) {
    case 0:
        r = 1;
        break;
    case 2:
        r = 10;
    case 1:
        r = id == 2 ? r * 12 : 12;
        break;
    case 4:
        r = 207;
    case 3:
        r += 23;
        break;
    case 5: {
        r = 5;
        break;
    }
    default:
        r = 99;
    }
    out[id] = r;
}

//! test: switch_in_loop
//! buffer out int[1] = 0
//! value n int = 20
//! expect out = 1040
kernel void switch_in_loop(global int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        switch (i & 3) {
        case 0:
            continue;
        case 1:
            sum += 1;
            break;
        case 2:
            if (i > 10)
                goto done;
            sum += 10;
            break;
        default:
            sum += 2;
        }
        if (i == 11)
            sum += 1000;
    }
done:
    *out = sum;
}

//! test: goto_backward
//! buffer out int[1] = 0
//! value n int = 10
//! expect out = 55
kernel void goto_backward(global int *out, int n)
{
    int i = 0, sum = 0;
again:
    i++;
    sum += i;
    if (i < n)
        goto again;
    *out = sum;
}

//! test: goto_into_loop
//! buffer out int[2] = 0
//! global: 2
//! expect out = 10 7
kernel void goto_into_loop(global int *out)
{
    int id = get_global_id(0), i = 0, sum = 0;
    if (id == 1) {
        i = 3;
        goto middle;
    }
    for (; i < 5; i++) {
        sum += 0;
    middle:
        sum += i;
    }
    out[id] = sum;
}

//! test: duffs_device
//! buffer out int[20] = 0
//! buffer in int[20] = 1..20
//! value count int = 19
//! expect out = 1..19 0
kernel void duffs_device(global int *out, global const int *in, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            *out++ = *in++;
    case 3:
            *out++ = *in++;
    case 2:
            *out++ = *in++;
    case 1:
            *out++ = *in++;
        } while (--n > 0);
    }
}

//! test: do_while_once
//! buffer out int[1] = 0
//! expect out = 1
kernel void do_while_once(global int *out)
{
    int i = 0;
    do
        i++;
    while (0);
    *out = i;
}

//! test: early_returns
//! buffer out int[6] = 0
//! global: 6
//! expect out = -1 101 102 7 204 205
int classify(int x)
{
    if (x == 0)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (i == x && x == 3)
            return 7;
        while (i == 2) {
            if (x < 3)
                return 100 + x;
            break;
        }
    }
    return 200 + x;
}
kernel void early_returns(global int *out)
{
    out[get_global_id(0)] = classify(get_global_id(0));
}

//! test: return_in_kernel
//! buffer out int[4] = 5
//! global: 4
//! expect out = 5 5 2 3
kernel void return_in_kernel(global int *out)
{
    int id = get_global_id(0);
    if (id < 2)
        return;
    out[id] = id;
}

//! test: short_circuit
//! buffer out int[4] = 0
//! buffer count int[1] = 0
//! expect out = 0 1 0 1
//! expect count = 2
int touch(global int *count)
{
    ++*count;
    return 1;
}
kernel void short_circuit(global int *out, global int *count)
{
    int zero = get_global_id(0), one = zero + 1;
    out[0] = zero && touch(count);
    out[1] = one || touch(count);
    out[2] = !(one && touch(count));
    out[3] = zero || touch(count);
}

//! test: comma_and_ternary
//! buffer out int[3] = 0
//! value a int = 4
//! expect out = 9 4 -4
kernel void comma_and_ternary(global int *out, int a)
{
    int b = (a++, a + 4);
    out[0] = b;
    out[1] = a > 3 ? a < 5 ? 1 : 4 : 2;
    out[2] = a == 5 ? -4 : 4;
}

//! test: collatz
//! buffer out int[10] = 0
//! global: 10
//! expect out = 0 1 7 2 5 8 16 3 19 6
kernel void collatz(global int *out)
{
    uint n = get_global_id(0) + 1;
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[get_global_id(0)] = steps;
}

//! test: unroll_unknown_count
//! global: 128
//! local: 128
//! local keys 128
//! buffer io char[8] = 99 97 48 55 66 70 0 36
//! value count uint = 8
//! expect io = 0 36 48 55 66 70 97 99
kernel void unroll_unknown_count(local char *keys, global char *io, uint count)
{
    uint id = get_local_id(0);
    uint n = min((uint)get_local_size(0), count);
    char mine = id < n ? io[id] : 127;
    keys[id] = mine;
    uint even = id & 1 ? (uint)max((int)id - 1, 0) : min(id + 1, n - 1);
    uint odd = id & 1 ? min(id + 1, n - 1) : (uint)max((int)id - 1, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < n; i++) {
        uint other = i & 1 ? odd : even;
        char theirs = keys[other];
        bool swap = other < id ? theirs > mine : theirs < mine;
        mine = swap && id < n && other != id ? theirs : mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        keys[id] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id < n)
        io[id] = mine;
}

//! test: block_captures
//  A block copies what it uses when its literal is evaluated, but arrays as their address (6.14.3, example 5).
//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables
//! buffer out int[4] = 0
//! expect out = 1 8 20 11
struct pair { int values[2]; };
int program_scope = 11;
int (^read_program_scope)(void) = ^{ return program_scope; };
kernel void block_captures(global int *out)
{
    struct pair pair = {{0, 1}};
    int array[2] = {0, 1}, n = 5;
    int (^by_value)(void) = ^{ return pair.values[1]; };
    int (^by_reference)(void) = ^{ return array[1]; };
    int (^nested)(int) = ^(int x) { return ^(int y) { return y * n + x - 3; }(x) + n; };
    pair.values[1] = array[1] = 8;
    n = 100;
    out[0] = by_value();
    out[1] = by_reference();
    out[2] = nested(3);
    out[3] = read_program_scope();
}

//! test: many_gotos
//  Jumps in every direction, and more values that cross them than there are variables.
//! buffer out uint[13] = 0
//! buffer in uint[12] = 1 38 75 112 149 186 223 260 297 334 371 408
//! value a uint = 3
//! expect out = 1 49 185917 4511 1181 3649 11293 185770 10932 334 371 408 4294967295
#define AT(n, x, y, z, to) \
    l##n: \
    if (!left--) \
        goto end; \
    v##x += v##y * a + n; \
    if (v##z & 4) \
        goto l##to;
kernel void many_gotos(global uint *out, global const uint *in, uint a)
{
    uint left = 500, v0 = in[0], v1 = in[1], v2 = in[2], v3 = in[3], v4 = in[4], v5 = in[5], v6 = in[6], v7 = in[7], v8 = in[8], v9 = in[9], v10 = in[10], v11 = in[11];
    AT(0, 7, 8, 7, 28) AT(1, 8, 9, 3, 11) AT(2, 8, 7, 10, 39) AT(3, 2, 1, 7, 19)
    AT(4, 2, 1, 8, 40) AT(5, 0, 9, 6, 28) AT(6, 10, 11, 9, 41) AT(7, 2, 9, 0, 33)
    AT(8, 1, 0, 0, 12) AT(9, 3, 9, 0, 29) AT(10, 5, 7, 9, 12) AT(11, 8, 3, 10, 18)
    AT(12, 7, 0, 10, 5) AT(13, 7, 10, 4, 26) AT(14, 8, 1, 11, 16) AT(15, 5, 3, 8, 18)
    AT(16, 0, 1, 9, 6) AT(17, 6, 1, 4, 24) AT(18, 1, 0, 10, 0) AT(19, 3, 3, 0, 30)
    AT(20, 6, 11, 6, 26) AT(21, 1, 9, 10, 12) AT(22, 10, 4, 5, 5) AT(23, 4, 5, 0, 26)
    AT(24, 1, 2, 3, 6) AT(25, 0, 0, 7, 31) AT(26, 2, 10, 8, 12) AT(27, 7, 8, 3, 8)
    AT(28, 6, 10, 6, 7) AT(29, 6, 6, 3, 0) AT(30, 4, 9, 4, 1) AT(31, 3, 2, 6, 38)
    AT(32, 10, 9, 1, 2) AT(33, 2, 3, 7, 16) AT(34, 0, 9, 5, 18) AT(35, 6, 1, 1, 5)
    AT(36, 3, 9, 10, 15) AT(37, 0, 9, 5, 23) AT(38, 9, 7, 2, 37) AT(39, 7, 9, 2, 24)
    AT(40, 2, 10, 2, 19) AT(41, 3, 9, 3, 12) AT(42, 2, 11, 10, 35) AT(43, 3, 10, 6, 30)
end:
    out[0] = v0; out[1] = v1; out[2] = v2; out[3] = v3; out[4] = v4; out[5] = v5;
    out[6] = v6; out[7] = v7; out[8] = v8; out[9] = v9; out[10] = v10; out[11] = v11;
    out[12] = left;
}

//! test: many_choices
//  One choice among four at a thousand places: large programs have selects instead of its branches.
//! buffer out uint[4] = 0
//! global: 4
//! expect out = 1024 1024 1024 1024
#define FOUR(m, i)    m(i) m(i + 1) m(i + 2) m(i + 3)
#define SIXTEEN(m, i) FOUR(m, i) FOUR(m, i + 4) FOUR(m, i + 8) FOUR(m, i + 12)
#define CHOICES(m, i) SIXTEEN(m, i) SIXTEEN(m, i + 16) SIXTEEN(m, i + 32) SIXTEEN(m, i + 48)
uint choose_bytes(uint a, uint b, uint c)
{
    uint r = 0;
    c &= 3;
    if (c == 0) {
        r = b;
    } else if (c == 1) {
        r = (a << 24) | (b >> 8);
    } else if (c == 2) {
        r = (a << 16) | (b >> 16);
    } else if (c == 3) {
        r = (a << 8) | (b >> 24);
    }
    return r;
}
#define CHOICE(i) x = choose_bytes(x + (i), y, x >> 7 ^ c); right += x == next(&p, y, c, i); y = y * 1664525u + 1013904223u;
uint next(uint *p, uint y, uint c, uint i)
{
    uint shift = ((*p >> 7 ^ c) & 3) * 8;
    return *p = (uint)(((ulong)(*p + i) << 32 | y) >> shift);
}
kernel void many_choices(global uint *out)
{
    uint c = get_global_id(0), x = 123456789u + c, p = x, y = 987654321u, right = 0;
    CHOICES(CHOICE, 0) CHOICES(CHOICE, 64) CHOICES(CHOICE, 128) CHOICES(CHOICE, 192)
    CHOICES(CHOICE, 256) CHOICES(CHOICE, 320) CHOICES(CHOICE, 384) CHOICES(CHOICE, 448)
    CHOICES(CHOICE, 512) CHOICES(CHOICE, 576) CHOICES(CHOICE, 640) CHOICES(CHOICE, 704)
    CHOICES(CHOICE, 768) CHOICES(CHOICE, 832) CHOICES(CHOICE, 896) CHOICES(CHOICE, 960)
    out[c] = right;
}
