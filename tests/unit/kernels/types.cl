/* Types: vectors, structs that point to themselves, unions, arrays, half and double, program-scope constants. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct node {
    int value;
    global struct node *next;
    float4 position[3];
    struct {
        char tag;
        short pair[2];
    } inner;
} node;

typedef union {
    float f;
    uint u;
    uchar bytes[4];
} pun;

constant float table[5] = {1.0f, 2.5f, -0.0f, INFINITY, 0x1p-140f};
constant double wide[2] = {1e300, 0x1p-1074};
constant half narrow = 1.5h;

kernel void types(global node *list, global float4 *out, local int *scratch, global double *d, global half *h)
{
    local float tile[64];
    int id = get_local_id(0);
    pun p;
    p.f = list->position[1].z;
    p.bytes[2] ^= 0x55;
    tile[id] = as_float(p.u) + table[id % 5];
    scratch[id] = list->inner.pair[id & 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = (float4)(tile[63 - id], p.f, 1.0f, 2.0f);
    for (global node *n = list; n; n = n->next)
        v.wzyx += convert_float4(convert_char4_sat_rte(n->position[n->value % 3])) * v.s0123;
    out[id] = fma(v, v.xxyy, sin(v)) + (float4)(select(1, 2, scratch[id]));
    d[id] = wide[id & 1] * d[id] + (double)narrow;
    h[id] = (half)v.x * h[id];
    vstore3(vload3(id, (global float *)out), id, (global float *)out);
    vstore_half_rtz(v.x, id, h);
}
