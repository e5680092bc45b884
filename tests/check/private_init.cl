// Reads of private variables before anything is stored there.

//! test: scalar
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void scalar(global int *out)
{
    int x;
    out[get_global_id(0)] = x; // expect: uninitialised-read
}

//! test: on_one_way
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out int[4] = 0
//! expect out = _
kernel void on_one_way(global const int *in, global int *out)
{
    int i = get_global_id(0), x;
    if (in[i] > 1)
        x = 7;
    out[i] = x; // expect: uninitialised-read
}

//! test: loop_that_may_not_run
//! global: 4
//! buffer n int[1] = 0
//! buffer out int[4] = 0
//! expect out = _
kernel void loop_that_may_not_run(global const int *n, global int *out)
{
    int last;
    for (int i = 0; i < n[0]; i++)
        last = i;
    out[get_global_id(0)] = last; // expect: uninitialised-read
}

//! test: sum
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out int[4] = 0
//! expect out = _
kernel void sum(global const int *in, global int *out)
{
    int total;
    for (int i = 0; i < 4; i++)
        total += in[i]; // expect: uninitialised-read
    out[get_global_id(0)] = total;
}

//! test: condition
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void condition(global int *out)
{
    bool found;
    int i = get_global_id(0);
    if (i == 9)
        found = true;
    if (found) // expect: uninitialised-read
        out[i] = 1;
}

//! test: element
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out int[4] = 0
//! expect out = _
kernel void element(global const int *in, global int *out)
{
    int a[5], i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        a[k] = in[k];
    out[i] = a[in[i] + 1]; // expect: uninitialised-read
}

//! test: lane
//! global: 4
//! buffer out float[4] = 0
//! expect out = _
kernel void lane(global float *out)
{
    float4 v;
    v.x = 1;
    v.yz = (float2)(2, 3);
    out[get_global_id(0)] = v.x + v.z;
    out[get_global_id(0)] += v.w; // expect: uninitialised-read
}

//! test: vector
//! global: 4
//! buffer out float4[4] = 0
//! expect out = _
kernel void vector(global float4 *out)
{
    float4 v;
    v.xyz = (float3)(1, 2, 3);
    out[get_global_id(0)] = v; // expect: uninitialised-read
}

//! test: member
//! global: 4
//! buffer out float[4] = 0
//! expect out = _
typedef struct {
    int a;
    char kind;
    float f[3];
} thing;

kernel void member(global float *out)
{
    thing t;
    t.a = 1;
    t.f[0] = t.f[1] = 2;
    out[get_global_id(0)] = t.a + t.f[1];
    out[get_global_id(0)] += t.f[2]; // expect: uninitialised-read
}

//! test: member_of_a_copy
//! global: 4
//! buffer out float[4] = 0
//! expect out = _
typedef struct {
    int a;
    char kind;
    float f[3];
} thing;

kernel void member_of_a_copy(global float *out)
{
    thing t, u;
    t.a = 1;
    u = t;
    out[get_global_id(0)] = u.a;
    out[get_global_id(0)] += u.kind; // expect: uninitialised-read
}

//! test: in_a_function
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out int[4] = 0
//! expect out = _
int twice(int n)
{
    int result;
    if (n > 1)
        result = 2 * n;
    return result; // expect: uninitialised-read
}

kernel void in_a_function(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = twice(in[i]);
}

//! test: given_to_a_function
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void given_to_a_function(global int *out)
{
    int x;
    out[get_global_id(0)] = max(x, 3); // expect: uninitialised-read
}

//! test: pointer
//! global: 4
//! buffer out int[4] = 0
//! expect out = _
kernel void pointer(global int *out)
{
    global int *where;
    if (get_global_id(0) < 9)
        where = out;
    where[get_global_id(0)] = 1;
    global int *other;
    if (get_global_id(0) > 9)
        other = out;
    out[0] = other == out; // expect: uninitialised-read
}

//! test: of_a_switch
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out int[4] = 0
//! expect out = _
kernel void of_a_switch(global const int *in, global int *out)
{
    int i = get_global_id(0), x;
    switch (in[i]) {
    case 0:
        x = 5;
        break;
    case 1:
        x = 6;
        break;
    case 3:
        x = 7;
    }
    out[i] = x; // expect: uninitialised-read
}

//! test: lane_of_a_result
//! global: 4
//! buffer out float[4] = 0
//! expect out = _
kernel void lane_of_a_result(global float *out)
{
    float4 v;
    v.xyz = 1;
    v *= 2;
    v = fma(v, v, v);
    out[get_global_id(0)] += v.w; // expect: uninitialised-read
}

//! test: result
//! global: 4
//! buffer out float4[4] = 0
//! expect out = _
kernel void result(global float4 *out)
{
    float4 v;
    v.xyz = 1;
    float4 w = clamp(v, 0.0f, 2.0f); // expect: uninitialised-read
    out[get_global_id(0)] = w;
}

//! test: joined
//! global: 4
//! buffer out float4[4] = 0
//! expect out = _
kernel void joined(global float4 *out)
{
    float3 v;
    v.xy = 1;
    float4 w = (float4)(1, v); // expect: uninitialised-read il: -
    out[get_global_id(0)] = w;
}

//! test: length_of_all
//! global: 4
//! buffer out float[4] = 0
//! expect out = _
kernel void length_of_all(global float *out)
{
    float3 v;
    v.xy = 1;
    out[get_global_id(0)] = length(v); // expect: uninitialised-read il: -
}

//! test: right_variables
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out int[4] = 0
//! expect out = 10 12 14 16
typedef struct {
    int a;
    char kind;
    float f[3];
} thing;

void fill(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
}

kernel void right_variables(global const int *in, global int *out)
{
    int i = get_global_id(0), x, y, a[4], b[2], c[3] = {1};
    thing t = {.a = 2}, u;
    float whole;
    float part = fract(2.5f, &whole);
    fill(a, 4);
    if (in[i] > 1)
        x = 1;
    else
        x = 1;
    for (int k = 0; k < 2; k++)
        b[k] = k;
    u = t;
    switch (in[i]) {
    case 0:
        y = 1;
        break;
    default:
        y = 1;
    }
    int4 v;
    v.x = 1;
    v.y = 2;
    v.zw = v.xy;
    int8 w;
    w.lo = v;
    w.hi = w.lo + 1;
    out[i] = x + y + b[1] + u.a + (int)whole + (part > 0) + c[2] + a[0] + 2 * in[i] + (w.s7 == 3) + (v.w == 2);
}

//! test: right_choices
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out int[4] = 0
//! expect out = 7 8 9 10
// Who may be written by a pointer that a condition chose counts as written.
kernel void right_choices(global const int *in, global int *out)
{
    int i = get_global_id(0), a[2], b[2];
    int *p = in[i] & 1 ? a : b, *q = in[i] & 1 ? b : a;
    p[1] = 7;
    q[1] = in[i];
    out[i] = a[1] + b[1];
}

//! test: right_where_not_used
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out int[4] = 0
//! expect out = 0 0 0 3
kernel void right_where_not_used(global const int *in, global int *out)
{
    int i = get_global_id(0), found = 0, x;
    if (in[i] > 2) {
        found = 1;
        x = in[i];
    }
    if (found && x > 2)
        out[i] = x;
}

//! test: right_moved_lanes
//! global: 4
//! buffer out float2[4] = 0
//! expect out = 1 2 1 2 1 2 1 2
kernel void right_moved_lanes(global float2 *out)
{
    float3 v, w;
    v.x = 1;
    v.y = 2;
    w = v;
    float8 x;
    x.lo.xyz = w;
    out[get_global_id(0)] = x.s01;
}

//! test: right_unions
//! global: 4
//! buffer out int[4] = 0
//! expect out = 1065353216 1065353216 1065353216 1065353216
union number {
    int i;
    float f;
};

kernel void right_unions(global int *out)
{
    union number n;
    n.f = 1;
    out[get_global_id(0)] = n.i;
}

//! test: right_lanes_of_results
//! global: 4
//! buffer in int[4] = 0 1 2 3
//! buffer out float2[4] = 0
//! expect out = 5 9 5 9 1 2 1 2
kernel void right_lanes_of_results(global const int *in, global float2 *out)
{
    int i = get_global_id(0);
    int3 a, b, less;
    a.xy = (int2)(1, 2);
    b.xy = (int2)(4, 7);
    less.xy = in[i] < 2 ? -1 : 0;
    b = max(a, b);
    a = select(a, a + b, less);
    a = less == 0 ? a : abs_diff(a, b) + convert_uint3(b).x == 5 ? a : a;
    float4 v = (float4)(convert_float3(a), 3);
    v = fabs(-v);
    float3 w = as_float3(as_int3(v.xyz) & 0x7fffffff);
    out[i] = w.xy;
}

// v[n] is one component.
//! test: components_by_number
//! global: 4
//! value n int = 4
//! buffer out float[4] = 0
//! expect out = 21
kernel void components_by_number(int n, global float *out)
{
    float4 m[3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < n; c++)
            m[r][c] = r + c * 0.5f;
    }
    out[get_global_id(0)] = dot(m[0] + m[1] + m[2], (float4)(1));
}

//! test: a_component_by_number
//! global: 4
//! value n int = 3
//! buffer out float[4] = 0
//! expect out = _
kernel void a_component_by_number(int n, global float *out)
{
    float4 v;
    for (int c = 0; c < n; c++)
        v[c] = c;
    float first = v[n - 1];
    out[get_global_id(0)] = first + v[n]; // expect: uninitialised-read
}

//! test: not_all_components_by_number
//! global: 4
//! value n int = 3
//! buffer out float[4] = 0
//! expect out = _
kernel void not_all_components_by_number(int n, global float *out)
{
    float4 v;
    for (int c = 0; c < n; c++)
        v[c] = c;
    out[get_global_id(0)] = dot(v, (float4)(1)); // expect: uninitialised-read
}

//! test: around_a_gap
//! buffer out float[2] = 0
//! expect out = 4 _
kernel void around_a_gap(global float *out)
{
    float4 v, w;
    v.x = 1;
    v.z = 3;
    w.x = 1;
    w.y = 2;
    float2 ends = v.xz;
    out[0] = ends.x + ends.y;
    out[1] = w.x + w.z; // expect: uninitialised-read
}
