// What a stranger's kernel may try. Nothing is known of pointers to local and private memory that are made of numbers: they
// stay in the group's own.

//! test: local_of_a_number
//! global: 1
//! buffer out int[2] = 9
//! value n uint = 2000000000
//! expect out = 9 3
kernel void local_of_a_number(global int *out, uint n)
{
    local int s[4];
    s[get_local_id(0)] = 9;
    local int *p = (local int *)(ulong)n;
    *p = 3;
    out[1] = *p;
    atomic_add(p, 1);
}

//! test: private_of_a_number
//! global: 1
//! buffer out int[2] = 9
//! value n uint = 2000000000
//! expect out = 9 3
kernel void private_of_a_number(global int *out, uint n)
{
    int s[4] = {1, 2, 3, 4};
    private int *p = (private int *)((ulong)&s[n & 1] + n);
    *p = 3;
    out[1] = *p;
}

//! test: private_in_a_buffer_of_a_number
//! global: 1
//! buffer out int[2] = 9
//! value n uint = 2000000000
//! expect out = 9 3
kernel void private_in_a_buffer_of_a_number(global int *out, uint n)
{
    int s[4000];
    for (int i = 0; i < 4000; i++)
        s[i] = i;
    private int *p = (private int *)((ulong)&s[n & 1] + n);
    *p = 3;
    out[1] = *p;
}

//! test: generic_of_a_number
//! options: -cl-std=CL3.0
//! global: 1
//! buffer out int[3] = 9
//! value n uint = 2000000000
//! expect out = 9 3 4
kernel void generic_of_a_number(global int *out, uint n)
{
    local int s[4];
    int t[4] = {1, 2, 3, 4};
    s[get_local_id(0)] = 9;
    int *q = s, *r = &t[n & 1];
    int *p = (int *)((ulong)q + n);
    *p = 3;
    out[1] = *p;
    p = (int *)((ulong)r + n);
    *p = 4;
    out[2] = *p;
}

//! test: local_of_bytes
//! global: 1
//! buffer out int[2] = 9
//! value n uint = 2000000001
//! expect out = 9 -3
kernel void local_of_bytes(global int *out, uint n)
{
    local char s[6];
    local long l[2];
    s[get_local_id(0)] = 9;
    l[get_local_id(0)] = 9;
    local char *p = (local char *)(ulong)n;
    *p = -3;
    out[1] = *p;
    *(local long *)(ulong)(n & ~7u) = 3;
    *(local int4 *)(ulong)(n & ~15u) = 3;
}

//! test: loaded_from_memory
//! global: 1
//! buffer out int[2] = 9
//! buffer forged ulong[1] = 2000000000
//! local words 16
//! expect out = 9 3
kernel void loaded_from_memory(global int *out, global const ulong *forged, local int *words)
{
    local int *pointers[2];
    pointers[0] = words;
    pointers[1] = (local int *)forged[0];
    local int *p = pointers[forged[0] == 2000000000];
    *p = 3;
    out[1] = *p;
}

//! test: sums_that_wrap
//! global: 1
//! buffer a int[16] = 9
//! buffer out int[1] = 9
//! value low int = -2147483648
//! expect out = 81
kernel void sums_that_wrap(global const int *a, global int *out, int low)
{
    int sum = a[low + (-2147483647 - 1)];
    for (int i = low; i < low + 4; i++) {
        for (int k = low; k < low + 2; k++)
            sum += a[i + k];
        sum -= a[i - (-2147483647 - 1)];
    }
    for (int i = low; i < low + 2; i++)
        sum += a[i * 4] + a[i * 2];
    *out = sum;
}

//! test: undefined_indices
//! global: 1
//! buffer out int[4] = 9
//! value n int = 2
//! expect out = 1 9 9 9
kernel void undefined_indices(global int *out, int n)
{
    int i, j[2];
    local int l[4];
    out[i] = 1;
    if (n > 3)
        i = 100;
    l[i] = 3;
    out[j[n & 1] * 3] = 1;
    out[j[n & 1] - 1] = 1;
}

//! test: events_elsewhere
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! global: 1
//! buffer out int[4] = 9
//! value far ulong = 0x123456789000
//! value many uint = 60000
//! expect out = 1 1 1 9
kernel void events_elsewhere(global int *out, ulong far, uint many)
{
    clk_event_t user = create_user_event(), list[2] = {user, user};
    ndrange_t one = ndrange_1D(1);
    set_user_event_status(user, CL_COMPLETE);
    out[0] = enqueue_marker(get_default_queue(), 1, (clk_event_t *)far, (clk_event_t *)(far + 4096)) != 0;
    out[1] = enqueue_marker(get_default_queue(), many, list, (clk_event_t *)far) != 0;
    out[2] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, one, many, (global clk_event_t *)out,
                            (clk_event_t *)far, ^{ out[3] = 4; }) != 0;
    capture_event_profiling_info(user, CLK_PROFILING_COMMAND_EXEC_TIME, (global void *)far);
    release_event(user);
}

//! test: tags_of_a_number
//! options: -cl-std=CL3.0
//! global: 1
//! buffer out int[1] = 9
//! value far ulong = 0x7ff0001f00000100
//! expect out = 9
kernel void tags_of_a_number(global int *out, ulong far)
{
    *(global int *)far = 3;
    *(int *)far = 3;
    *(int *)(far + (1UL << 36)) = 3;
}

//! test: tags_of_the_other
//! options: -cl-std=CL3.0
//! global: 1
//! buffer out int[1] = 9
//! value far ulong = 0x7ff0001f00000100
//! expect out = 9
kernel void tags_of_the_other(global int *out, ulong far)
{
    int s[4] = {1, 2, 3, 4};
    int *p = &s[far & 3];
    *(volatile int *)((ulong)p ^ 8) = 4;
    *(int *)far = 3;
    atomic_add((int *)far, 3);
}

//! test: strings_elsewhere
//! options: -cl-std=CL3.0
//! global: 1
//! buffer out int[1] = 9
//! buffer text uchar[4] = 65
//! value far ulong = 0x123456789000
//! print = "AAAA,,,\n"
//! expect out = 9
kernel void strings_elsewhere(global int *out, global uchar *text, ulong far)
{
    printf("%s,%s,%s,%s\n", text, (global char *)far, (constant char *)far, (char *)(far + 0x7fefe00000000000));
}

//! test: cast_to_another_space
//! options: -cl-std=CL3.0
//! global: 1
//! buffer out int[2] = 9
//! value n int = 1
//! expect out = 9 3
kernel void cast_to_another_space(global int *out, int n)
{
    int t[4] = {1, 2, 3, 4};
    local int s[4];
    int *first = t, *second = &t[n & 3], *third = s + n, *fourth = out + n;
    *(volatile global int *)first = 3;
    *(volatile global int *)second = 3;
    *(volatile global int *)third = 3;
    *(volatile local int *)second = 3;
    *(volatile local int *)fourth = 3;
    *(volatile private int *)third = 3;
    *(volatile private int *)fourth = 3;
    *(volatile global int *)fourth = 3;
}

//! test: table_of_pointers
//! global: 1
//! buffer out int[1] = 9
//! value far int = 1000000000
//! expect out = 9
kernel void table_of_pointers(global int *out, int far)
{
    local int s[4], t[4];
    int u[4] = {1, 2, 3, 4}, v[4] = {1, 2, 3, 4};
    local int *shared[2];
    private int *own[2];
    shared[0] = s;
    shared[1] = t;
    own[0] = u;
    own[1] = v;
    for (int i = 0; i < 2; i++) {
        shared[i][far] = 3;
        own[i][far] = 3;
    }
}

//! test: enqueued_elsewhere
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! global: 1
//! buffer out int[4] = 9
//! value far ulong = 0x123456789000
//! expect out = 9 9 9 4
kernel void enqueued_elsewhere(global int *out, ulong far)
{
    int n = (int)far, t[4] = {1, 2, 3, 4};
    global int *p = (global int *)far;
    int *g = t;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        *p = 3;
        p[n] = 3;
        out[n] = 3;
        out[-1] = 3;
        *g = 3;
        out[3] = 4;
    });
}

//! test: sums_in_memory
//! global: 1
//! buffer a int[16] = 9
//! buffer out int[1] = 9
//! value low int = -2147483648
//! expect out = 27
kernel void sums_in_memory(global const int *a, global int *out, int low)
{
    int idx[3], sum = 0;
    idx[0] = low + (-2147483647 - 1);
    idx[1] = low + low;
    idx[2] = low - 2147483647;
    for (int i = 0; i < 3; i++)
        sum += a[idx[i]];
    *out = sum;
}

//! test: pointers_in_memory
//! global: 1
//! buffer a int[16] = 9
//! buffer out int[1] = 9
//! value low int = -2147483648
//! expect out = 18
kernel void pointers_in_memory(global const int *a, global int *out, int low)
{
    global const int *p[2];
    int sum = 0;
    p[0] = a + (low + low);
    p[1] = &a[low - 2147483647];
    for (int i = 0; i < 2; i++)
        sum += *p[i];
    *out = sum;
}
