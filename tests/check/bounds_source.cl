// What modules of clang 15 have otherwise than the source: it does not know copies of lines and planes, and moves a vector of three as
// one of four.

//! test: vector_of_three_is_right
//! buffer in float[15] = 1
//! buffer out float[4] = 9
//! expect out = 3 _ _ _
kernel void vector_of_three_is_right(global const float3 *in, global float *out)
{
    float3 v = in[3];
    *out = v.x + v.y + v.z;
}

//! test: copy_of_lines
//! require: cl_khr_extended_async_copies
//! buffer in int[24] = 0..23
//! buffer out int[16] = 9
//! global: 4
//! local: 4
//! expect out = _
kernel void copy_of_lines(global const int *in, global int *out)
{
    local int tile[16];
    event_t done = async_work_group_copy_2D2D(tile, 2, in, 7, sizeof(int), 3, 4, 6, 4, 0); // expect: out-of-bounds
    wait_group_events(1, &done);
    done = async_work_group_copy_2D2D(tile, 1, in, 0, sizeof(int), 4, 4, 4, 4, 0); // expect: out-of-bounds
    wait_group_events(1, &done);
    done = async_work_group_copy_2D2D(out, 0, tile, 0, sizeof(int), 4, 2, 4, 14, 0); // expect: out-of-bounds
    wait_group_events(1, &done);
}

//! test: copy_of_planes
//! require: cl_khr_extended_async_copies
//! buffer in int[24] = 0..23
//! buffer out int[16] = 9
//! global: 4
//! local: 4
//! expect out = _
kernel void copy_of_planes(global const int *in, global int *out)
{
    local int tile[16];
    event_t done = async_work_group_copy_3D3D(tile, 0, in, 1, sizeof(int), 2, 2, 3, 4, 8, 2, 4, 0);
    wait_group_events(1, &done);
    done = async_work_group_copy_3D3D(tile, 0, in, 1, sizeof(int), 2, 2, 3, 4, 10, 2, 4, 0); // expect: out-of-bounds
    wait_group_events(1, &done);
    done = async_work_group_copy_3D3D(out, 2, tile, 0, sizeof(int), 2, 2, 3, 2, 4, 3, 5, 0); // expect: out-of-bounds
    wait_group_events(1, &done);
}

//! test: copies_of_lines_are_right
//! require: cl_khr_extended_async_copies
//! buffer in int[24] = 0..23
//! buffer out int[8] = 9
//! global: 4
//! local: 4
//! expect out = 1 2 9 9 7 8 9 9
kernel void copies_of_lines_are_right(global const int *in, global int *out)
{
    local int tile[8];
    event_t done = async_work_group_copy_2D2D(tile, 0, in, 1, sizeof(int), 2, 4, 6, 2, 0);
    wait_group_events(1, &done);
    done = async_work_group_copy_2D2D(out, 0, tile, 0, sizeof(int), 2, 2, 2, 4, 0);
    wait_group_events(1, &done);
    done = async_work_group_copy_2D2D(tile, 9, in, 99, sizeof(int), 2, 0, 6, 2, 0);
    wait_group_events(1, &done);
}
