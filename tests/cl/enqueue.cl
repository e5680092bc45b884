// Device-side enqueue: OpenCL C 3.0, 6.14 (blocks) and 6.15.19. What the host's calls have to do with it is in tests/api/device_queue.c.

//! test: ranges
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out int[24] = -1
//! expect out = 0..23
kernel void ranges(global int *out)
{
    size_t offset[3] = {0, 1, 2}, size[3] = {2, 3, 4}, local_size[3] = {1, 3, 2};
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_3D(offset, size, local_size), ^{
        int x = get_global_id(0), y = get_global_id(1) - 1, z = get_global_id(2) - 2;
        if (get_local_size(1) == 3 && get_local_size(2) == 2 && get_global_offset(2) == 2 && get_num_groups(2) == 2)
            out[(z * 3 + y) * 2 + x] = (z * 3 + y) * 2 + x;
    });
}

//! test: wide_offsets
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out long[6] = -1
//! expect out = 0x200000003 5 0x200000004 5 1 6
kernel void wide_offsets(global long *out)
{
    size_t offset[2] = {0x200000003, 5}, size[2] = {2, 1}, near[2] = {0, 6}, one[2] = {1, 1}, items[2] = {2, 1};
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(offset, size, items), ^{
        out[2 * get_local_id(0)] = get_global_id(0);
        out[2 * get_local_id(0) + 1] = get_global_id(1);
    });
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(near, one, one), ^{
        out[4] = get_global_size(1);
        out[5] = get_global_id(1);
    });
}

//! test: uneven
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out int[11] = -1
//! expect out = 0 0 0 0 1 1 1 1 2 2 2
kernel void uneven(global int *out)
{
    size_t size[2] = {11, 1}, local_size[2] = {4, 1};
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(size, local_size),
                   ^{ out[get_global_id(0)] = get_group_id(0); });
}

//! test: every_item
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! global: 64
//! local: 16
//! buffer out int[64] = 0
//! expect out = 0..63
kernel void every_item(global int *out)
{
    int id = get_global_id(0);
    if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(id), ^{ atomic_inc(&out[id]); }))
        out[id] = -1;
}

//! test: captured_types
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out long[8] = 0
//! value c char = -3
//! value s short4 = 1 2 3 4
//! value l long = 0x123456789abcdef
//! value f float3 = 0.5 1.5 2.5
//! expect out = -3 4 0x123456789abcdef 25 1 77 5 12
struct inner {
    char a;
    long b[2];
};

long sum_of(const struct inner *value)
{
    return value->a + value->b[1];
}

kernel void captured_types(global long *out, char c, short4 s, long l, float3 f)
{
    struct inner inner = {7, {1, 70}};
    bool yes = l > 0;
    global long *tail = out + 6;
    const int three = 3;
    enum { FIRST, SECOND, FIFTH = 5 } which = FIFTH;
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{
        out[0] = c;
        out[1] = s.w;
        out[2] = l;
        out[3] = (long)(f.z * 10);
        out[4] = yes;
        struct inner copy = inner;
        out[5] = sum_of(&copy);
        tail[0] = which;
        tail[1] = ^(int x) { return x * three; }(4);
    });
}

//! test: order
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out int[8] = 0
//! expect out = 1 2 3 4 5 0 0 0
kernel void order(global int *out)
{
    queue_t queue = get_default_queue();
    clk_event_t start = create_user_event(), first, second, both;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &start, &first, ^{
        out[0] = 1;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[1] = out[0] + 1; });
    });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &first, &second, ^{ out[2] = out[1] + 1; });
    clk_event_t list[2] = {first, second};
    enqueue_marker(queue, 2, list, &both);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &both, NULL, ^{ out[3] = out[2] + 1; out[4] = out[0] + 4; });
    set_user_event_status(start, CL_COMPLETE);
    release_event(start);
    release_event(first);
    release_event(second);
    release_event(both);
}

//! test: shared_event
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! global: 16
//! local: 16
//! buffer out int[3] = 0
//! expect out = 16 1 16
// One work-item makes the event, another one sets it, and all wait for it.
kernel void shared_event(global int *out)
{
    local ulong memory[1];
    local clk_event_t *gate = (local clk_event_t *)memory;
    if (get_local_id(0) == 0)
        *gate = create_user_event();
    barrier(CLK_LOCAL_MEM_FENCE);
    clk_event_t event = *gate;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, NULL, ^{ atomic_inc(&out[0]); });
    if (is_valid_event(event))
        atomic_inc(&out[2]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 7) {
        out[1] = out[0] == 0;
        set_user_event_status(event, CL_COMPLETE);
        release_event(event);
    }
}

//! test: profile
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer times ulong[8] = 0
//! buffer out int[4] = 0
//! expect out = 1 1 1 1
// The times are asked for before the command runs, and after it has; the second one counts the descendants.
kernel void profile(global ulong *times, global int *out)
{
    queue_t queue = get_default_queue();
    clk_event_t done;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &done, ^{
        out[3] = 1;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ times[7]++; });
    });
    capture_event_profiling_info(done, CLK_PROFILING_COMMAND_EXEC_TIME, times);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &done, NULL, ^{
        capture_event_profiling_info(done, CLK_PROFILING_COMMAND_EXEC_TIME, times + 2);
        out[0] = times[0] > 0 && times[1] > times[0];
        out[1] = times[0] == times[2] && times[1] == times[3];
        out[2] = times[7] == 1;
        release_event(done);
    });
}

//! test: prints
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out int[1] = 0
//! print = "child 5\n"
kernel void prints(global int *out)
{
    int n = 5;
    out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ printf("child %d\n", n); });
}

//! test: sorts
//! options: -cl-std=CL2.0
//! require: __opencl_c_device_enqueue
//! buffer data int[16] = 9 3 14 0 7 12 1 15 6 4 10 2 13 5 11 8
//! value count int = 16
//! expect data = 0..15
void sort(global int *data, int begin, int end)
{
    if (end - begin < 2)
        return;
    int pivot = data[end - 1], middle = begin;
    for (int i = begin; i < end - 1; i++) {
        if (data[i] < pivot) {
            int low = data[i];
            data[i] = data[middle];
            data[middle++] = low;
        }
    }
    data[end - 1] = data[middle];
    data[middle] = pivot;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ sort(data, begin, middle); });
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ sort(data, middle + 1, end); });
}

kernel void sorts(global int *data, int count)
{
    sort(data, 0, count);
}

//! test: typed_local
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue cl_khr_device_enqueue_local_arg_types
//! buffer out int[4] = 0
//! expect out = 3 2 1 0
struct cell {
    int value, more[3];
};

kernel void typed_local(global int *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4, 4), ^(local struct cell *cells) {
        int id = get_local_id(0);
        cells[id].value = id;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[id] = cells[3 - id].value;
    }, (uint)(4 * sizeof(struct cell)));
}
