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

// Writes of components; LLVM's translators write the vector.
//! test: components_are_written
//! global: 2
//! buffer out float[7] = 9
//! expect out = 1 2 3 9 1 2 3
kernel void components_are_written(global float4 *out)
{
    out[get_global_id(0)].xyz = (float3)(1, 2, 3);
}

//! test: a_component_is_written_outside
//! global: 2
//! buffer out float[7] = 9
//! expect out = 1 9 9 2 1 9 9
kernel void a_component_is_written_outside(global float4 *out)
{
    out[get_global_id(0)].xw = (float2)(1, 2); // expect: out-of-bounds
}

//! test: components_are_changed
//! global: 2
//! buffer out float[7] = 1..7
//! expect out = 2 2 4 4 6 6 8
kernel void components_are_changed(global float4 *out)
{
    out[get_global_id(0)].xz += 1;
}

//! test: components_in_private_memory
//! buffer out float[9] = 9
//! value n int = 1
//! expect out = 9 9 9 9 1 2 3 0 5
kernel void components_in_private_memory(global float *out, int n)
{
    float a[7] __attribute__((aligned(16))), b[2] __attribute__((aligned(16)));
    for (int i = 0; i < 7; i++)
        a[i] = 9;
    b[0] = b[1] = 5;
    ((float4 *)a)[n].xyz = (float3)(n, 2, 3);
    ((float4 *)b)[n - 1].x += 0;
    for (int i = 0; i < 7; i++)
        out[i] = a[i];
    float4 *p = (float4 *)a + n;
    p->w = 4; // expect: out-of-bounds
    out[7] = p->w; // expect: out-of-bounds
    out[8] = b[n];
}

//! test: components_by_a_function
//! buffer out float[6] = 9
//! value n int = 1
//! expect out = 0 0 0 0 1 2
void fill_two(float4 *v)
{
    v->xy = (float2)(1, 2);
}

kernel void components_by_a_function(global float *out, int n)
{
    float a[6] __attribute__((aligned(16))) = {0};
    fill_two((float4 *)a + n);
    for (int i = 0; i < 6; i++)
        out[i] = a[i];
}
