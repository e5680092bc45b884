// Kernels with so many accesses that they are noted a lot of them at a time (compiler/lower/check/queue.c). Drivers that
// inline all functions would take minutes for them otherwise.
#define TEN(x, n)  x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7) x(n##8) x(n##9)
#define SIXTY(x)   TEN(x, 1) TEN(x, 2) TEN(x, 3) TEN(x, 4) TEN(x, 5) TEN(x, 6)
#define ADD(n)       \
    if (s == n) {    \
        out[i] += n; \
        continue;    \
    }
#define SET(n)  data[n * 8 + i] = n;
#define TAKE(n) sum += data[n * 8 + next];
#define LEAVE(n)        \
    if (s == n) {       \
        out[i] = n + 1; \
        return;         \
    }
#define LEAVE_60(n)  LEAVE(n + 60)
#define LEAVE_120(n) LEAVE(n + 120)

//! test: no_fault_among_many
//! global: 8
//! buffer in int[8] = 10..17
//! buffer out int[8] = 0
//! expect out = 28 30 32 34 36 38 40 42
kernel void no_fault_among_many(global const int *in, global int *out)
{
    int i = get_global_id(0);
    for (int k = 0; k < 2; k++) {
        int s = in[i] + k * 8;
        SIXTY(ADD)
        out[i] = 0;
    }
}

//! test: a_race_among_many
//! global: 8
//! buffer in int[8] = 10..17
//! buffer out int[8] = 0
//! buffer last int[1] = 0
//! expect out = 28 30 32 34 36 38 40 42
kernel void a_race_among_many(global const int *in, global int *out, global int *last)
{
    int i = get_global_id(0);
    for (int k = 0; k < 2; k++) {
        int s = in[i] + k * 8;
        if (s == 20)
            out[i] += 0;
        last[0] = s; // expect: global-race +0
        SIXTY(ADD)
    }
}

//! test: a_race_behind_many
//! global: 8
//! local: 4
//! buffer data int[560] = 0
//! expect data = _
kernel void a_race_behind_many(global int *data)
{
    int i = get_global_id(0);
    SIXTY(SET) // expect: global-race +1
    int next = data[10 * 8 + (i + 1) % 8];
    data[i] = next;
    data[10 * 8 + i] = 5; // expect: global-race -2
}

//! test: a_barrier_between_many
//! global: 8
//! local: 8
//! buffer data int[600] = 0
//! expect data = _
kernel void a_barrier_between_many(global int *data)
{
    int i = get_global_id(0), next = (i + 1) % 8, sum = 0;
    SIXTY(SET)
    barrier(CLK_GLOBAL_MEM_FENCE);
    SIXTY(TAKE)
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[10 * 8 + i] = sum;
}

//! test: no_barrier_between_many
//! global: 8
//! local: 8
//! buffer data int[600] = 0
//! expect data = _
kernel void no_barrier_between_many(global int *data)
{
    int i = get_global_id(0), next = (i + 1) % 8, sum = 0;
    SIXTY(SET) // expect: global-race +3
    if (sum == 0)
        sum = i;
    SIXTY(TAKE)
    data[0] += i < 0 ? sum : 0; // expect: global-race +0
}

//! test: a_message_of_many
//! options: -cl-std=CL3.0
//! global: 2
//! local: 1
//! buffer flag int[1] = 0
//! buffer data int[600] = 0
//! buffer out int[1] = 0
//! require: __opencl_c_atomic_order_acq_rel __opencl_c_atomic_scope_device
//! expect out = _
kernel void a_message_of_many(global atomic_int *flag, global int *data, global int *out)
{
    int i = 0, next = 0, sum = 0;
    if (get_group_id(0) == 0) {
        SIXTY(SET)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        for (int k = 0; k < 1000; k++)
            data[600 - 1] = k;
    } else {
        for (int k = 0; k < 1000; k++) {
            if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
                SIXTY(TAKE)
                out[0] = sum;
                break;
            }
        }
    }
}

// Nothing is known of where the pointer leads.
//! test: a_race_by_many_pointers
//! global: 8
//! buffer in int[8] = 10..17
//! buffer out int[8] = 0
//! buffer last int[1] = 0
//! expect out = 28 30 32 34 36 38 40 42
kernel void a_race_by_many_pointers(global const int *in, global int *out, global int *last)
{
    global int *volatile kept = out, *volatile one = last;
    int i = get_global_id(0);
    out = kept;
    last = one;
    for (int k = 0; k < 2; k++) {
        int s = in[i] + k * 8;
        last[0] = s; // expect: global-race +0
        SIXTY(ADD)
    }
}

//! test: local_memory_of_many
//! global: 8
//! local: 8
//! buffer out int[8] = 0
//! expect out = _
kernel void local_memory_of_many(global int *out)
{
    local int data[600];
    int i = get_local_id(0), next = (i + 1) % 8, sum = 0;
    SIXTY(SET)
    barrier(CLK_LOCAL_MEM_FENCE);
    SIXTY(TAKE)
    out[i] = sum;
}

//! test: local_memory_of_many_unordered
//! global: 8
//! local: 8
//! buffer out int[8] = 0
//! expect out = _
kernel void local_memory_of_many_unordered(global int *out)
{
    local int data[600];
    int i = get_local_id(0), next = (i + 1) % 8, sum = 0;
    SIXTY(SET)
    data[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    SIXTY(TAKE)
    data[next] = sum; // expect: local-race +1
    out[i] = data[i];
}

//! test: a_local_argument_of_many
//! global: 8
//! local: 8
//! local data 2400
//! buffer out int[8] = 0
//! expect out = _
kernel void a_local_argument_of_many(local int *data, global int *out)
{
    int i = get_local_id(0), next = (i + 1) % 8, sum = 0;
    SIXTY(SET)
    barrier(CLK_LOCAL_MEM_FENCE);
    SIXTY(TAKE)
    out[i] = sum + data[i]; // expect: uninitialised-read
}

// What is noted at once comes behind what was to be noted later.
//! test: local_memory_of_many_in_turn
//! global: 8
//! local: 8
//! buffer in int[8] = 10..17
//! buffer out int[8] = 0
//! expect out = _
kernel void local_memory_of_many_in_turn(global const int *in, global int *out)
{
    local int data[600], flags[8];
    int i = get_local_id(0), next = i, sum = 0;
    SIXTY(SET)
    if (in[i] & 1)
        flags[i] = 1;
    else
        flags[i] = 2;
    for (int k = 10; k < 70; k++)
        sum += data[k * 8 + i];
    atomic_add(&data[10 * 8 + i], 1);
    vstore2((int2)(1, 2), i, data + 560);
    SIXTY(TAKE)
    out[i] = sum + flags[i] + data[560 + i * 2 + 1];
}

//! test: a_race_before_many_ends
//! global: 8
//! buffer in int[8] = 10 12 13 69 70 128 129 189
//! buffer out int[9] = 0
//! expect out = 11 0 0 70 71 129 130 190 _
kernel void a_race_before_many_ends(global const int *in, global int *out)
{
    int i = get_global_id(0), s = in[i];
    if (s == 12 || s == 13) {
        out[8] = s; // expect: global-race +0
        return;
    }
    SIXTY(LEAVE)
    SIXTY(LEAVE_60)
    SIXTY(LEAVE_120)
    out[i] = 1;
}
