// Several faults of one place, each of other work-items. None of them takes the place of another's.

//! test: some_beyond_some_unwritten
//! global: 64
//! buffer in int[64] = _
//! buffer out int[64] = 0
//! value n int = 40
//! expect out = _
kernel void some_beyond_some_unwritten(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    out[i] = in[i + n]; // expect: out-of-bounds uninitialised-read
}

//! test: some_unwritten_some_beyond
//! global: 64
//! buffer in int[64] = _
//! buffer out int[64] = 0
//! value n int = 40
//! expect out = _
kernel void some_unwritten_some_beyond(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    out[i] = in[i - n]; // expect: out-of-bounds uninitialised-read
}

//! test: some_misaligned_some_beyond
//! global: 64
//! buffer in int[64] = 0
//! buffer out int[64] = 0
//! expect out = _
kernel void some_misaligned_some_beyond(global const char *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = *(global const int *)(in + (i < 32 ? i * 4 + 1 : i * 4 + 4096)); // expect: misaligned out-of-bounds
}

//! test: some_beyond_some_misaligned
//! global: 64
//! buffer in int[64] = 0
//! buffer out int[64] = 0
//! expect out = _
kernel void some_beyond_some_misaligned(global const char *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = *(global const int *)(in + (i < 32 ? i * 4 + 4096 : i * 4 - 127)); // expect: misaligned out-of-bounds
}

//! test: some_misaligned_some_unwritten_some_beyond
//! global: 64
//! buffer in int[64] = _
//! buffer out int[64] = 0
//! expect out = _
kernel void some_misaligned_some_unwritten_some_beyond(global char *in, global int *out)
{
    int i = get_global_id(0);
    if (i < 16)
        *(global int8 *)(in + i / 4 * 32) = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = *(global const int *)(in + (i < 16 ? i * 4 + 2 : i < 32 ? i * 4 + 128 : i * 4 + 4096)); // expect: misaligned uninitialised-read out-of-bounds
}
