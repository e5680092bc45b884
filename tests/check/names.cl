// What reports say of the memory that an access was meant for, or lies in.

global int counts[8];
constant int table[4] = {1, 2, 3, 4}, squares[4] = {1, 4, 9, 16};

int __attribute__((noinline)) read_at(global int *p, int at)
{
    return p[at]; // expect: out-of-bounds // says: 4 bytes behind the end of variable at program scope 'counts'
}

//! test: scope_by_pointer
//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables
//! buffer out int[4] = 0
//! value at int = 9
kernel void scope_by_pointer(global int *out, int at)
{
    out[0] = read_at(counts, at) + read_at(out, 0);
}

//! test: scope_race
//! options: -cl-std=CL3.0
//! require: __opencl_c_program_scope_global_variables
//! global: 4
//! local: 4
//! buffer out int[4] = 0
kernel void scope_race(global int *out)
{
    counts[1] = get_global_id(0); // expect: global-race // says: 4 bytes behind the start of variable at program scope 'counts'
    out[get_global_id(0)] = 1;
}

//! test: race
//! options: -cl-std=CL3.0
//! global: 4
//! local: 4
//! buffer out int[4] = 0
kernel void race(global int *out)
{
    out[1] = get_global_id(0); // expect: global-race // says: 4 bytes behind the start of argument 'out'
}

//! test: either_argument
//! options: -cl-std=CL3.0
//! buffer out int[4] = 0
//! buffer in int[8] = 0
//! value at int = 9
kernel void either_argument(global int *out, global int *in, int at)
{
    global int *p = at & 1 ? out : in;
    p[at] = 1; // expect: out-of-bounds // says: 20 bytes behind the end of argument 'out'
}

//! test: pointers_in_memory
//! options: -cl-std=CL3.0
//! buffer out int[4] = 0
//! buffer in int[8] = 0
//! value at int = 9
kernel void pointers_in_memory(global int *out, global int *in, int at)
{
    global int *p[2] = {out, in};
    p[at & 1][at] = 1; // expect: out-of-bounds // says: 4 bytes behind the end of argument 'in'
}

//! test: either_local
//! options: -cl-std=CL3.0
//! buffer out int[4] = 0
//! value at int = 9
kernel void either_local(global int *out, int at)
{
    local int a[4], b[4];
    local int *p = at & 1 ? a : b;
    p[at] = 1; // expect: out-of-bounds // says: outside of local variable 'a' and of local variable 'b'
    out[0] = 1;
}

//! test: either_private
//! options: -cl-std=CL3.0
//! buffer out int[4] = 0
//! value at int = 9
kernel void either_private(global int *out, int at)
{
    int a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4};
    int *p = at & 1 ? a : b;
    out[0] = p[at]; // expect: out-of-bounds // says: outside of private variable 'a' and of private variable 'b'
}

//! test: either_constant
//! options: -cl-std=CL3.0
//! buffer out int[4] = 0
//! value at int = 9
kernel void either_constant(global int *out, int at)
{
    constant int *p = at & 1 ? table : squares;
    out[0] = p[at]; // expect: out-of-bounds // says: outside of constant variable 'table' and of constant variable 'squares'
}

//! test: either_space
//! options: -cl-std=CL3.0
//! require: __opencl_c_generic_address_space
//! buffer out int[4] = 0
//! value at int = 9
kernel void either_space(global int *out, int at)
{
    int mine[3] = {1, 2, 3};
    int *p = at & 1 ? (int *)mine : (int *)out;
    p[at] = 6; // expect: out-of-bounds // says: write of 4 bytes, outside of private variable 'mine'; 
    p = at & 1 ? (int *)out : (int *)mine;
    p[at] = 7; // expect: out-of-bounds // says: 20 bytes behind the end of argument 'out'
    out[0] = mine[at & 1];
}

//! test: misaligned
//! options: -cl-std=CL3.0
//! buffer out char[16] = 0
//! value at int = 1
kernel void misaligned(global char *out, int at)
{
    *(global int *)(out + at) = 1; // expect: misaligned // says: 1 byte behind the start of argument 'out'
}

//! test: captured
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out int[4] = 0
kernel void captured(global int *out)
{
    global int *rest = out + 2;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        rest[2] = 1; // expect: out-of-bounds // says: captured: write of 4 bytes, right behind the end of argument 'out' of kernel 'captured'
    });
}

//! test: captured_twice
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out int[4] = 0
//! buffer in int[4] = 0
kernel void captured_twice(global int *out, global int *in)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2, 2), ^{
            out[0] = 1; // expect: global-race // says: 0 bytes behind the start of argument 'out' of kernel 'captured_twice'
            out[get_global_id(0) + 1] = in[1];
        });
    });
}

//! test: local_of_a_block
//! options: -cl-std=CL3.0
//! require: __opencl_c_device_enqueue
//! buffer out int[4] = 0
kernel void local_of_a_block(global int *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4, 4),
                   ^(local void *first, local void *second) {
        local int *a = first, *b = second;
        int i = get_local_id(0);
        a[i + 4] = i; // expect: out-of-bounds // says: right behind the end of argument 'first'
        b[0] = i; // expect: local-race // says: write of 4 bytes of argument 'second'
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = b[i & 3] + // expect: uninitialised-read // says: read of 4 bytes of argument 'second'
            a[0]; // expect: uninitialised-read // says: argument 'first'
    }, 16u, 16u);
}
