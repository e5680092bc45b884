// Loops whose accesses are looked at in front of them: the copy with all comparisons finds the fault where it is.

//! test: last_round
//! global: 4
//! buffer in int[15] = 1..15
//! buffer out int[4] = 9
//! value n int = 4
//! expect out = 10 26 42 42
kernel void last_round(global const int *in, global int *out, int n)
{
    int sum = 0, row = get_global_id(0);
    for (int k = 0; k < n; k++)
        sum += in[row * n + k]; // expect: out-of-bounds
    out[row] = sum;
}

//! test: first_round
//! global: 4
//! buffer in int[16] = 1..16
//! buffer out int[4] = 9
//! value n int = 4
//! expect out = 6 22 38 54
kernel void first_round(global const int *in, global int *out, int n)
{
    int sum = 0, row = get_global_id(0);
    for (int k = 0; k < n; k++)
        sum += in[row * n + k - 1]; // expect: out-of-bounds
    out[row] = sum;
}

//! test: down_to_a_fault
//! global: 1
//! buffer in int[8] = 1..8
//! buffer out int[1] = 9
//! value n int = 7
//! expect out = 36
kernel void down_to_a_fault(global const int *in, global int *out, int n)
{
    int sum = 0;
    for (int k = n; k >= -1; k--)
        sum += in[k]; // expect: out-of-bounds
    *out = sum;
}

//! test: unequal_end
//! global: 1
//! buffer in int[8] = 1..8
//! buffer out int[2] = 9
//! value n int = 9
//! expect out = 36 36
kernel void unequal_end(global const int *in, global int *out, int n)
{
    int sum = 0, other = 0, k = 0;
    for (uint i = 0; i != n; i++)
        sum += in[i]; // expect: out-of-bounds
    do /* at least once */
        other += in[k]; // expect: out-of-bounds
    while (++k < n);
    out[0] = sum;
    out[1] = other;
}

//! test: wide_steps
//! global: 1
//! buffer in int[8] = 1..8
//! buffer out int[2] = 9
//! value n int = 11
//! value step ulong = 5
//! expect out = 7 10
kernel void wide_steps(global const int *in, global int *out, int n, ulong step)
{
    int sum = 0, other = 0;
    for (size_t i = 0; i < n; i += step)
        sum += in[i]; // expect: out-of-bounds
    for (int k = 1; k <= 8; k *= 2)
        other += in[k]; // expect: out-of-bounds
    out[0] = sum;
    out[1] = other;
}

//! test: index_that_wraps
//! global: 1
//! buffer in int[8] = 1..8
//! buffer out int[1] = 9
//! value base int = 2147483640
//! expect out = 0
kernel void index_that_wraps(global const int *in, global int *out, int base)
{
    int sum = 0;
    for (uint k = 0; k < 10; k++)
        sum += in[(int)((uint)base + k)]; // expect: out-of-bounds
    *out = sum;
}

//! test: product_that_wraps
//! global: 1
//! buffer in int[8] = 1..8
//! buffer out int[1] = 9
//! value step uint = 0x40000000
//! expect out = 4
kernel void product_that_wraps(global const int *in, global int *out, uint step)
{
    int sum = 0;
    for (uint k = 0; k < 13; k++)
        sum += in[k * step]; // expect: out-of-bounds
    *out = sum;
}

//! test: negative_rows
//! global: 1
//! buffer in int[16] = 1..16
//! buffer out int[1] = 9
//! value stride int = -4
//! expect out = 1
kernel void negative_rows(global const int *in, global int *out, int stride)
{
    int sum = 0;
    for (int y = 0; y < 4; y++)
        sum += in[y * stride]; // expect: out-of-bounds
    *out = sum;
}

//! test: nest_with_a_fault
//! global: 2
//! buffer in int[15] = 1
//! buffer out int[2] = 9
//! value n int = 4
//! expect out = 15 15
kernel void nest_with_a_fault(global const int *in, global int *out, int n)
{
    int sum = 0, last = -1;
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            last = y * n + x;
            sum += in[last]; // expect: out-of-bounds
        }
    }
    out[get_global_id(0)] = last == 15 ? sum : last;
}

//! test: left_early
//! global: 2
//! buffer in int[8] = 1..8
//! buffer out int[2] = 9
//! value n int = 12
//! expect out = 4 -1
kernel void left_early(global const int *in, global int *out, int n)
{
    int wanted = get_global_id(0) ? 77 : 5;
    for (int k = 0; k < n; k++) {
        if (in[k] == wanted) { // expect: out-of-bounds
            out[get_global_id(0)] = k;
            return;
        }
    }
    out[get_global_id(0)] = -1;
}

//! test: stores_in_a_loop
//! global: 1
//! buffer out int[7] = 9
//! value n int = 4
//! expect out = 0 9 2 9 4 9 6
kernel void stores_in_a_loop(global int *out, int n)
{
    for (int k = 0; k <= n; k++)
        out[k * 2] = k * 2; // expect: out-of-bounds
}

// What looks like it stays inside of an array, by one.

//! test: just_outside
//! global: 16
//! local: 16
//! buffer out int[16] = 9
//! expect out = 0..14 0
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void just_outside(global int *out)
{
    local int near[16], rows[15];
    int masked[15], item = get_local_id(0), sum = 0;
    near[item] = item;
    rows[item] = item; // expect: out-of-bounds
    for (int i = 0; i < 15; i++)
        masked[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += masked[out[item] & 15 | item & 15]; // expect: out-of-bounds
    sum += near[(item & 15) * 2 / 2 + (item >> 4)];
    out[item] = item < 15 ? sum : 0;
}

//! test: clamped_too_far
//! global: 8
//! buffer in int[8] = 1..8
//! buffer out int[8] = 9
//! value n int = 8
//! expect out = 36
kernel void clamped_too_far(global const int *in, global int *out, int n)
{
    int sum = 0, x = get_global_id(0);
    for (int i = -8; i <= 8; i++)
        sum += in[clamp(x + i, 0, n)] * (x + i >= 0 && x + i <= n); // expect: out-of-bounds
    out[x] = sum;
}

//! test: least_of_an_argument
//! global: 1
//! buffer in int[8] = 1..8
//! buffer out int[1] = 9
//! value n int = -1
//! value from int = 9
//! value rounds int = 4
//! expect out = 21
kernel void least_of_an_argument(global const int *in, global int *out, int n, int from, int rounds)
{
    int sum = 0;
    for (int k = 1; k <= rounds; k++)
        sum += in[from + min(n, 0) * k]; // expect: out-of-bounds
    out[0] = sum;
}

//! test: masked_below_zero
//! global: 1
//! buffer in int[16] = 1..16
//! buffer out int[1] = 9
//! value n int = -8
//! value rounds int = 2
//! expect out = 272
kernel void masked_below_zero(global const int *in, global int *out, int n, int rounds)
{
    int sum = 0;
    for (int k = 0; k < rounds; k++) {
        for (int i = (k & 3) * n; i < 16; i++)
            sum += in[i & 31]; // expect: out-of-bounds
    }
    out[0] = sum;
}

// Nothing is wrong in these.

//! test: loops_inside
//! global: 4
//! buffer in int[16] = 1..16
//! buffer out int[4] = 9
//! value n int = 4
//! expect out = 294 330 366 402
kernel void loops_inside(global const int *in, global int *out, int n)
{
    int sum = 0, row = get_global_id(0);
    for (int k = 0; k < n; k++)
        sum += in[row * n + k];
    for (uint k = n; k > 0; k--)
        sum += in[row * n + k - 1];
    for (size_t k = 0; k != (size_t)n * n; k++)
        sum += in[k];
    for (int k = 8; k > 0; k /= 2)
        sum += in[k + row];
    for (int y = 0; y < n; y++) {
        for (int x = 0; x <= y; x++)
            sum += in[y * n + x];
    }
    for (int k = 1; k <= 8; k *= 2)
        sum += in[k];
    out[row] = sum;
}

//! test: step_behind_its_loop
//! global: 1
//! buffer in char[16] = 1
//! buffer out int[1] = 9
//! value from int = 2147483631
//! value n int = 2147483632
//! value by int = 16
//! expect out = 1
kernel void step_behind_its_loop(global const char *in, global int *out, int from, int n, int by)
{
    int sum = 0, rounds = 0;
    for (int i = 15, j = 0; i < 16; i += j) {
        for (j = from; j < n; j += by)
            sum += in[i]; // expect: out-of-bounds
        if (++rounds > 1)
            break;
    }
    *out = sum;
}
