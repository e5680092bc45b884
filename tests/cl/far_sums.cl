// Indices that are sums of numbers far from 0, of which a part may be added to the array's address first: that sum is
// nowhere near the array, and what is left to add is more than 4 GiB.

//! test: ids_from_a_far_offset
//! buffer out uint[8] = 0
//! buffer in uint[64] = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
//! value n int = 8
//! offset: 5000000000
//! global: 8
//! expect out = 28 92 156 220 284 348 412 476
kernel void ids_from_a_far_offset(global uint *out, global const uint *in, int n)
{
    uint sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[(get_global_id(0) - get_global_offset(0)) * n + k];
    out[get_global_id(0) - get_global_offset(0)] = sum;
}

//! test: counter_from_far
//! buffer out uint[8] = 0
//! buffer in uint[16] = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//! buffer firsts long[8] = 0 4294967296 -4294967296 1099511627776 4611686018427387904 1073741824 2147483647 -2147483648
//! value n int = 8
//! global: 8
//! expect out = 28 36 44 52 60 68 76 84
kernel void counter_from_far(global uint *out, global const uint *in, global const long *firsts, int n)
{
    size_t g = get_global_id(0);
    long first = firsts[g], last = first + n;
    uint sum = 0;
    for (long i = first; i < last; i++)
        sum += in[i - first + g];
    out[g] = sum;
}

//! test: unsigned_counter_from_far
//! buffer out uint[4] = 0
//! buffer in uint[16] = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
//! buffer firsts uint[4] = 0 1073741824 2147483648 4294967280
//! value n int = 8
//! global: 4
//! expect out = 28 36 44 52
kernel void unsigned_counter_from_far(global uint *out, global const uint *in, global const uint *firsts, int n)
{
    size_t g = get_global_id(0);
    uint first = firsts[g], sum = 0;
    long shift = (long)g - (long)first;
    for (uint i = first; i < first + n; i++)
        sum += in[i + shift];
    out[g] = sum;
}

//! test: stores_from_far
//! buffer out uint[16] = 0
//! buffer firsts uint[2] = 1073741824 4294967280
//! value n int = 8
//! global: 2
//! expect out = 0 1 2 3 4 5 6 7 10 11 12 13 14 15 16 17
kernel void stores_from_far(global uint *out, global const uint *firsts, int n)
{
    size_t g = get_global_id(0);
    uint first = firsts[g];
    long shift = (long)(8 * g) - (long)first;
    for (uint i = first; i < first + n; i++)
        out[i + shift] = (uint)g * 10 + (i - first);
}

//! test: rows_before_the_array
//! buffer out uint[4] = 0
//! buffer in uint[32] = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
//! value row int = -268435456
//! value width int = 4
//! value first int = 1073741824
//! value n int = 8
//! global: 4
//! expect out = 28 92 156 220
kernel void rows_before_the_array(global uint *out, global const uint *in, int row, int width, int first, int n)
{
    int g = get_global_id(0);
    uint sum = 0;
    for (int k = first; k < first + n; k++)
        sum += in[row * width + g * 8 + k];
    out[g] = sum;
}
