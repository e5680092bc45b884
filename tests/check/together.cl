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
