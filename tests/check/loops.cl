// Loops that do not end. They end at the bound, and the program goes on.

//! test: while_true
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void while_true(global int *out)
{
    while (1) // expect: endless-loop
        out[get_global_id(0)] += 1;
}

//! test: flag_of_another_group
//! global: 8
//! local: 4
//! buffer flag int[1] = 0
//! buffer out int[8] = 0
//! expect out = _
kernel void flag_of_another_group(global volatile int *flag, global int *out)
{
    while (*flag == 0) // expect: endless-loop
        ;
    out[get_global_id(0)] = 1;
}

//! test: wrong_step
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void wrong_step(global int *out)
{
    for (uint i = 10; i >= 0; i--) // expect: endless-loop
        out[get_global_id(0)] = out[get_global_id(0)] * 3 + i;
}

//! test: one_item_only
//! global: 64
//! local: 64
//! buffer out int[64] = 0
//! expect out = _
// The others wait at the barrier.
kernel void one_item_only(global volatile int *out)
{
    int i = get_local_id(0);
    if (i == 7) {
        do { // expect: endless-loop
            out[i]++;
        } while (out[i] != 0 || out[8] == 0);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = i;
}

//! test: outer_of_two
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
// The inner loop ends each time.
kernel void outer_of_two(global int *out)
{
    int sum = 0;
    for (int k = 0; out[get_global_id(0)] >= 0; k = !k) { // expect: endless-loop
        for (int i = 0; i < 100; i++)
            sum += i * k;
        out[get_global_id(0)] = sum & 15;
    }
}

//! test: inner_of_two
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void inner_of_two(global int *out)
{
    for (int k = 0; k < 10; k++) {
        int i = k;
        while (i < 10) // expect: endless-loop
            out[k & 3] = i;
    }
}

//! test: in_a_function
//! global: 4
//! buffer in int[4] = 1 2 3 4
//! buffer out int[4] = 0
//! expect out = _
int search(global const int *p, int what)
{
    int i = 0;
    for (;;) { // expect: endless-loop
        if (p[i & 3] == what)
            return i;
        i++;
    }
}

kernel void in_a_function(global const int *in, global int *out)
{
    out[get_global_id(0)] = search(in, 9);
}

//! test: lock
//! global: 4
//! local: 4
//! buffer lock int[1] = 1
//! buffer out int[4] = 0
//! expect out = _
// Nobody gives back what was taken.
kernel void lock(global int *lock, global int *out)
{
    while (atomic_cmpxchg(lock, 0, 1) != 0) // expect: endless-loop
        ;
    out[get_global_id(0)] = 1;
}

//! test: back_by_goto
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void back_by_goto(global volatile int *out)
{ // il: endless-loop
again: // expect: endless-loop il: -
    out[get_global_id(0)] = 1;
    if (out[3] < 5)
        goto again;
    out[0] = 7;
}

//! test: right_loops
//! global: 4
//! local: 4
//! buffer out int[4] = 0
//! expect out = 5050 5050 5050 5050
kernel void right_loops(global int *out)
{
    int sum = 0;
    for (int i = 1; i <= 100; i++)
        sum += i;
    while (sum > 5050)
        sum--;
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            if (m == k)
                continue;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    out[get_global_id(0)] = sum;
}

//! test: right_wait
//! global: 4
//! local: 4
//! buffer out int[4] = 0
//! expect out = 4 4 4 4
kernel void right_wait(global int *out)
{
    local int n;
    if (get_local_id(0) == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n);
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_add(&n, 0) != 4)
        ;
    out[get_global_id(0)] = n;
}

// A loop inside of it begins anew in each round.
//! test: round_of_counters
//! buffer in int[4] = 0 0 1 0
//! buffer out int[1] = 0
kernel void round_of_counters(global const int *in, global int *out)
{
    for (;;) { // expect: endless-loop
        int i;
        for (i = 0; i < 4; i++)
            if (in[i] == 1)
                break;
        out[0] += i;
        if (i == 4)
            break;
    }
}

//! test: counters_that_stand
//! buffer in int[4] = 0 0 1 0
//! buffer out int[1] = 0
kernel void counters_that_stand(global const int *in, global int *out)
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; i < 4; k++) { // expect: endless-loop
            if (in[i & 3] == 2)
                break;
            out[0] += k;
        }
}

// It goes past the end.
//! test: counter_that_misses
//! buffer out int[1] = 0
kernel void counter_that_misses(global int *out)
{
    for (int i = 0; i != 7; i += 2) // expect: endless-loop
        out[0] ^= i;
}

//! test: loops_that_end
//! buffer out int[4] = 0
//! expect out = 120 45 10 1024
kernel void loops_that_end(global int *out)
{
    for (int i = 0; i < 16; i++)
        out[0] += i;
    for (uint i = 10; i-- > 0;)
        out[1] += i;
    for (uchar i = 250; i != 4; i++)
        out[2]++;
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 32; k++)
            out[3]++;
}

// A function without a body is called: the library's is linked to it later.
//! test: copies_in_rounds
//! options: -cl-std=CL3.0
//! require: cl_khr_extended_async_copies
//! global: 8
//! local: 8
//! buffer in int[64] = 0..63
//! buffer out int[8] = 0
//! expect out = 42 44 50 52 74 76 82 84
kernel void copies_in_rounds(global const int *in, global int *out)
{
    local int tile[8];
    for (int i = 0; i < 2; i++) {
        event_t copied = async_work_group_copy_3D3D(tile, 0, in, 21, sizeof(int), 2, 2, 2, 4, 16, 2, 4, 0);
        wait_group_events(1, &copied);
        out[get_local_id(0)] += tile[get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
