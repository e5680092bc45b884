// options: -cl-kernel-arg-info
// Calls: overloads, kernels called by kernels, structs by value, statement expressions, attributes.
// expect: LocalSize 8 4 2
// expect: LocalSizeHint 16 1 1
// expect: VecTypeHint
// expect: kernel_arg_type.attributes.
// expect: kernel_arg_type_qual.attributes.
// expect: kernel_attributes.attributes.reqd_work_group_size(8,4,2)
// forbid: never_called
typedef struct { float x, y; } point;

float __attribute__((overloadable)) twice(float x) { return x * 2; }
int __attribute__((overloadable)) twice(int x) { return x * 2; }
static inline point add(point a, point b) { point r = {a.x + b.x, a.y + b.y}; return r; }
bool is_even(int x) { return !(x & 1); }
float3 scale(float3 v, float s) { return v * s; }
void never_called(int x) { x++; }
int later(int x);

kernel void called(global int *out, int v) { out[0] = v; }

kernel __attribute__((reqd_work_group_size(8, 4, 2))) __attribute__((work_group_size_hint(16, 1, 1)))
__attribute__((vec_type_hint(float4)))
void attributes(global float *restrict out, const global int *in, constant float *c, local float *l, volatile global int *v,
                float4 f, int3 i, ulong s, point p)
{
    out[0] = twice(1.5f) + twice(in[0]) + later(3);
    point q = add(p, (point){1.0f, 2.0f});
    out[1] = q.x + add(p, q).y + is_even(in[1]);
    out[2] = scale(f.xyz, 2.0f).z;
    called((global int *)out, in[2]);
    out[3] = ({ int t = in[3]; t * t; });
    int r = ({ if (in[4]) out[5] = 1; in[5]; });
    out[4] = r + l[0] + c[1] + i.z + s;
    (void)r;
    ;
}

int later(int x) { return x + 1; }
