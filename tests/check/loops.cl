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
