// options: -cl-std=CL2.0
// expect: OpCapability DeviceEnqueue
// expect: "__k_block_invoke_1_kernel"
// expect: OpTypeQueue
// expect: OpTypeDeviceEvent
// expect: OpEnqueueKernel
// expect: OpEnqueueMarker
// expect: OpBuildNDRange
// expect: OpGetDefaultQueue
// expect: OpCreateUserEvent
// expect: OpRetainEvent
// expect: OpReleaseEvent
// expect: OpIsValidEvent
// expect: OpSetUserEventStatus
// expect: OpCaptureEventProfilingInfo
// expect: OpGetKernelWorkGroupSize
// expect: OpGetKernelPreferredWorkGroupSizeMultiple
// expect: OpGetKernelNDrangeSubGroupCount
// expect: OpGetKernelNDrangeMaxSubGroupSize
// A kernel with every form of call that enqueues, and blocks that capture nothing, scalars, pointers, structs and an event.
struct pair {
    char a;
    double2 b;
};

void (^constant nothing)(void) = ^{ };

kernel void k(global int *out, queue_t queue, int n)
{
    struct pair pair = {1, 2};
    bool yes = n > 2;
    queue_t queues[] = {queue, get_default_queue()};
    clk_event_t events[2] = {create_user_event(), CLK_NULL_EVENT};
    size_t sizes[3] = {4, 5, 6};
    void (^block)(void) = ^{
        if (yes)
            out[get_global_id(0)] = pair.a + (int)pair.b.y;
    };
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n), block);
    enqueue_kernel(queues[n & 1], CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(sizes, sizes), 1, events, &events[1], block);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_3D(sizes), ^(local void *a, local void *b) {
        ((local int *)a)[0] = n;
        ((local char *)b)[0] = 1;
    }, n, 4);
    clk_event_t *pointer = &events[1];
    enqueue_kernel(queue, 0, ndrange_1D(1, 2, 3), 2, events, pointer, ^(local void *a) { release_event(events[0]); }, 16);
    enqueue_marker(queue, 1, events, NULL);
    enqueue_kernel(queue, 0, ndrange_1D(1), nothing);
    set_user_event_status(events[0], CL_COMPLETE);
    retain_event(events[1]);
    capture_event_profiling_info(events[1], CLK_PROFILING_COMMAND_EXEC_TIME, (global void *)out);
    release_event(events[1]);
    out[1] = is_valid_event(events[1]);
    out[2] = get_kernel_work_group_size(block) + get_kernel_preferred_work_group_size_multiple(nothing);
    out[3] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(8, 4), ^{ out[0] = 1; }) +
             get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(8, 4), block);
    block();
}
