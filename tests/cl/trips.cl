// How often loops go round: ends that are negations, and counters that are compared behind their step, with ends so far
// away that the distance overflows. Drivers compute that beforehand.

//! test: two_down_to_a_negation
//! buffer out uint[4] = 0
//! buffer in uint[32] = 0 40503 15470 55973 30940 5907 46410 21377 61880 36847 11814 52317 27284 2251 42754 17721 58224 33191 8158 48661 23628 64131 39098 14065 54568 29535 4502 45005 19972 60475 35442 10409
//! value k int = 1
//! global: 4
//! expect out = 1829392 1093872 292816 1523376
kernel void two_down_to_a_negation(global uint *out, global const uint *in, int k)
{
    global const uint *p = in + 16 + get_global_id(0);
    uint sum = 7;
    for (int i = k - 1; i >= -k; i -= 1)
        sum = sum * 31 + p[i];
    out[get_global_id(0)] = sum;
}

//! test: six_down_to_a_negation
//! buffer out uint[4] = 0
//! buffer in uint[32] = 0 40503 15470 55973 30940 5907 46410 21377 61880 36847 11814 52317 27284 2251 42754 17721 58224 33191 8158 48661 23628 64131 39098 14065 54568 29535 4502 45005 19972 60475 35442 10409
//! value k int = 3
//! global: 4
//! expect out = 1591694178 3460759554 2028842146 1492343106
kernel void six_down_to_a_negation(global uint *out, global const uint *in, int k)
{
    global const uint *p = in + 16 + get_global_id(0);
    uint sum = 7;
    for (int i = k - 1; i >= -k; i -= 1)
        sum = sum * 31 + p[i];
    out[get_global_id(0)] = sum;
}

//! test: by_two_down_to_a_negation
//! buffer out uint[4] = 0
//! buffer in uint[32] = 0 40503 15470 55973 30940 5907 46410 21377 61880 36847 11814 52317 27284 2251 42754 17721 58224 33191 8158 48661 23628 64131 39098 14065 54568 29535 4502 45005 19972 60475 35442 10409
//! value k int = 2
//! global: 4
//! expect out = 1053369 317849 1548409 747353
kernel void by_two_down_to_a_negation(global uint *out, global const uint *in, int k)
{
    global const uint *p = in + 16 + get_global_id(0);
    uint sum = 7;
    for (int i = k - 1; i >= -k; i -= 2)
        sum = sum * 31 + p[i];
    out[get_global_id(0)] = sum;
}

//! test: by_three_down_to_a_negation
//! buffer out uint[4] = 0
//! buffer in uint[32] = 0 40503 15470 55973 30940 5907 46410 21377 61880 36847 11814 52317 27284 2251 42754 17721 58224 33191 8158 48661 23628 64131 39098 14065 54568 29535 4502 45005 19972 60475 35442 10409
//! value k int = 2
//! global: 4
//! expect out = 1078402 277346 1573442 772386
kernel void by_three_down_to_a_negation(global uint *out, global const uint *in, int k)
{
    global const uint *p = in + 16 + get_global_id(0);
    uint sum = 7;
    for (int i = k - 1; i >= -k; i -= 3)
        sum = sum * 31 + p[i];
    out[get_global_id(0)] = sum;
}

//! test: from_a_constant_down_to_a_negation
//! buffer out uint[4] = 0
//! buffer in uint[32] = 0 40503 15470 55973 30940 5907 46410 21377 61880 36847 11814 52317 27284 2251 42754 17721 58224 33191 8158 48661 23628 64131 39098 14065 54568 29535 4502 45005 19972 60475 35442 10409
//! value k int = 3
//! global: 4
//! expect out = 3298658420 3230546644 2000612660 636460948
kernel void from_a_constant_down_to_a_negation(global uint *out, global const uint *in, int k)
{
    global const uint *p = in + 16 + get_global_id(0);
    uint sum = 7;
    for (int i = 6; i >= -k; i -= 1)
        sum = sum * 31 + p[i];
    out[get_global_id(0)] = sum;
}

//! test: down_to_before_a_negation
//! buffer out uint[4] = 0
//! buffer in uint[32] = 0 40503 15470 55973 30940 5907 46410 21377 61880 36847 11814 52317 27284 2251 42754 17721 58224 33191 8158 48661 23628 64131 39098 14065 54568 29535 4502 45005 19972 60475 35442 10409
//! value k int = 3
//! global: 4
//! expect out = 9896073 48018400 23226167 63380110
kernel void down_to_before_a_negation(global uint *out, global const uint *in, int k)
{
    global const uint *p = in + 16 + get_global_id(0);
    uint sum = 7;
    for (int i = k - 1; i > -k; i -= 2)
        sum = sum * 31 + p[i];
    out[get_global_id(0)] = sum;
}

//! test: behind_the_step_downwards
//! buffer out int[6] = 0
//! buffer firsts int[6] = 5 -2147483616 -3 -2147483646 2147483640 7
//! buffer ends int[6] = 0 2147483616 4 2147483640 2147483630 7
//! global: 6
//! expect out = 5 1 1 1 10 1
kernel void behind_the_step_downwards(global int *out, global const int *firsts, global const int *ends)
{
    int i = firsts[get_global_id(0)], end = ends[get_global_id(0)], rounds = 0;
    do {
        rounds++;
        i -= 1;
    } while (i > end);
    out[get_global_id(0)] = rounds;
}

//! test: behind_the_step_upwards
//! buffer out int[6] = 0
//! buffer firsts long[6] = -5 9223372036854775700 3 9223372036854775800 -9223372036854775800 7
//! buffer ends long[6] = 1 -9223372036854775700 -4 -9223372036854775807 -9223372036854775790 7
//! global: 6
//! expect out = 3 1 1 1 4 1
kernel void behind_the_step_upwards(global int *out, global const long *firsts, global const long *ends)
{
    long i = firsts[get_global_id(0)], end = ends[get_global_id(0)];
    int rounds = 0;
    do {
        rounds++;
        i += 3;
    } while (i <= end);
    out[get_global_id(0)] = rounds;
}
