/* The programs that sequences are made of. Ours are safe: their kernels end soon, whatever their arguments are, and
 * stay within any object that is made here. Others come from the seeds and are compiled, but never run. */
#include "tests/fuzz/api/api.h"

#include <stdlib.h>
#include <string.h>

struct api_source api_sources[API_MAX_SOURCES];
uint32_t api_num_sources;

static const char *const safe_sources[] = {
    "kernel void add(global int *o, int n) { if (o) o[get_global_id(0) & 15] += n; }\n"
    "kernel void sum(global int *o, local int *l, local int *m) {\n"
    "    if (get_local_id(0) == 0) { l[0] = 1; m[0] = 2; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (o) o[get_local_id(0) & 7] = l[0] + m[0];\n"
    "}\n",
    "struct pair { int a; char b; };\n"
    "constant int table[4] = {1, 2, 3, 4};\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int *o, struct pair p, float4 v) {\n"
    "    if (o) o[get_global_id(1) & 7] = p.a + p.b + (int)v.x + table[get_global_id(0) & 3];\n"
    "}\n"
    "kernel __attribute__((work_group_size_hint(8, 1, 1))) void hinted(constant int *c, global uchar *o) {\n"
    "    if (c && o) o[get_global_id(0) & 31] = (uchar)c[get_global_id(0) & 7];\n"
    "}\n",
    "kernel void show(int a, global int *o) {\n"
    "    if (get_global_id(0) < 2) printf(\"%d %s %v2d\\n\", a, \"text\", (int2)(1, a));\n"
    "    if (o) atomic_add(o, 1);\n"
    "}\n"
    "kernel void late(global int *o, uint n) { if (o) for (uint i = 0; i < (n & 63); i++) o[i & 7] += (int)i; }\n",
    "#ifdef cl_khr_cooperative_matrix\n"
    "#define MATRIX(use) float __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, 8, 8, use)))\n"
    "kernel void product(global float *o, constant float *c) {\n"
    "    local float l[64];\n"
    "    l[get_local_id(0) & 63] = c ? c[get_local_id(0) & 15] : 1;\n"
    "    MATRIX(CLK_COOPERATIVE_MATRIX_A) a = coop_mat_load(l, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 8);\n"
    "    MATRIX(CLK_COOPERATIVE_MATRIX_B) b = coop_mat_load(l, CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR, 8);\n"
    "    MATRIX(CLK_COOPERATIVE_MATRIX_ACCUMULATOR) s = coop_mat_init(2);\n"
    "    coop_mat_store(l, coop_mat_mulAdd(a, b, s) * 3, CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR, 8);\n"
    "    if (o) o[get_local_id(0) & 31] = l[get_local_id(0) & 63];\n"
    "}\n"
    "#endif\n",
    /* a write must go with the format, and stay within the image: nothing else is defined */
    "bool is_signed(int type) { return type >= CLK_SIGNED_INT8 && type <= CLK_SIGNED_INT32; }\n"
    "bool is_unsigned(int type) { return type >= CLK_UNSIGNED_INT8 && type <= CLK_UNSIGNED_INT32; }\n"
    "kernel void paint(write_only image2d_t i, float v) {\n"
    "    int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "    if (any(p < 0) || any(p >= get_image_dim(i))) return;\n"
    "    int type = get_image_channel_data_type(i);\n"
    "    if (is_signed(type)) write_imagei(i, p, (int4)(p.x));\n"
    "    else if (is_unsigned(type)) write_imageui(i, p, (uint4)(p.x));\n"
    "    else write_imagef(i, p, (float4)(v));\n"
    "}\n"
    "kernel void look(read_only image2d_t i, sampler_t s, global float *o) {\n"
    "    float2 p = (float2)(get_global_id(0) * 0.3f, get_global_id(1) - 2.5f);\n"
    "    float4 v = (float4)(0);\n"
    "    int type = get_image_channel_data_type(i);\n"
    "    if (!is_signed(type) && !is_unsigned(type)) v = read_imagef(i, s, p);\n"
    "    if (o) o[get_global_id(0) & 31] = v.x + v.w + get_image_width(i);\n"
    "}\n"
    "constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "kernel void deep(read_only image3d_t i, read_only image2d_array_t a, global float *o) {\n"
    "    int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0) - 2;\n"
    "    float v = get_image_depth(i) + (float)get_image_array_size(a);\n"
    "    int type = get_image_channel_data_type(i), other = get_image_channel_data_type(a);\n"
    "    if (!is_signed(type) && !is_unsigned(type)) v += read_imagef(i, near, p).x;\n"
    "    if (!is_signed(other) && !is_unsigned(other)) v += read_imagef(a, near, p).x;\n"
    "    if (o) o[get_local_id(0) & 31] = v;\n"
    "}\n"
    "kernel void line(read_only image1d_t i, read_only image1d_array_t a, read_only image1d_buffer_t b,\n"
    "                 global float *o) {\n"
    "    int x = get_global_id(0) & 31;\n"
    "    float v = get_image_width(i) + (float)get_image_array_size(a);\n"
    "    int type = get_image_channel_data_type(b);\n"
    "    if (x < get_image_width(b) && !is_signed(type) && !is_unsigned(type)) v += read_imagef(b, x).x;\n"
    "    if (o) o[x] = v;\n"
    "}\n",
    "#ifdef __opencl_c_pipes\n"
    "kernel void give(write_only pipe int p, int n) { write_pipe(p, &n); }\n"
    "kernel void take(read_only pipe int p, global int *o) {\n"
    "    reserve_id_t id = work_group_reserve_read_pipe(p, 2);\n"
    "    int n = 0;\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        read_pipe(p, id, get_local_id(0), &n);\n"
    "        work_group_commit_read_pipe(p, id);\n"
    "    } else {\n"
    "        read_pipe(p, &n);\n"
    "    }\n"
    "    if (o) o[n & 7] = n;\n"
    "}\n"
    "#else\n"
    "kernel void give(global int *o) { if (o) o[0] = 1; }\n"
    "#endif\n",
    "constant sampler_t levels = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;\n"
    "kernel void level(read_only image2d_t i, float lod, global float *o) {\n"
    "    int type = get_image_channel_data_type(i);\n"
    "    float4 v = (float4)(0);\n"
    "#ifdef cl_khr_mipmap_image\n"
    "    bool whole = type >= CLK_SIGNED_INT8 && type <= CLK_UNSIGNED_INT32;\n"
    "    if (!whole) v = read_imagef(i, levels, (float2)(0.3f, 0.7f), fmin(fabs(lod), 5.0f));\n"
    "#endif\n"
    "    if (o) o[get_local_id(0) & 31] = v.x + type;\n"
    "}\n",
    /* few launches, which end */
    "#ifdef __opencl_c_device_enqueue\n"
    "kernel void spawn(global int *o, queue_t q, int n) {\n"
    "    if (get_global_id(0) > 1 || !o) return;\n"
    "    clk_event_t e, m;\n"
    "    for (int i = 0; i < (n & 3); i++) {\n"
    "        if (enqueue_kernel(q, i & 1 ? CLK_ENQUEUE_FLAGS_NO_WAIT : CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
    "                           ndrange_1D(4), 0, NULL, &e, ^{ atomic_inc(o); })) continue;\n"
    "        if (enqueue_marker(q, 1, &e, &m) == CLK_SUCCESS) release_event(m);\n"
    "        release_event(e);\n"
    "    }\n"
    "    if (n & 4) {\n"
    "        e = create_user_event();\n"
    "        if (!is_valid_event(e)) return;\n"
    "        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 2), 1, &e, NULL,\n"
    "                       ^(local void *l) { *(local int *)l = 1; atomic_inc(o + 1); }, 16u);\n"
    "        if (n & 8) set_user_event_status(e, n & 16 ? CL_COMPLETE : -5);\n"
    "        release_event(e);\n"
    "    }\n"
    "}\n"
    "kernel void tree(global int *o) {\n"
    "    queue_t q = get_default_queue();\n"
    "    if (get_global_id(0) || !o) return;\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), ^{\n"
    "        atomic_inc(o);\n"
    "        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ atomic_inc(o + 2); });\n"
    "    });\n"
    "}\n"
    "#else\n"
    "kernel void spawn(global int *o, int q, int n) { if (o) o[0] = q + n; }\n"
    "#endif\n",
    "int inner(int x);\nkernel void outer(global int *o) { if (o) o[0] = inner(o[1]); }\n",
    "int inner(int x) { return x * 3; }\n",
};

const uint32_t api_num_whole = ARRAY_LENGTH(safe_sources) - 2, api_num_safe = ARRAY_LENGTH(safe_sources),
               api_enqueues = ARRAY_LENGTH(safe_sources) - 3;

void api_add_source(const char *text, size_t length, bool safe)
{
    if (api_num_sources == API_MAX_SOURCES || length >= API_MAX_SOURCE)
        return;
    char *copy = malloc(length + 1);
    if (!copy)
        return;
    memcpy(copy, text, length);
    copy[length] = 0;
    api_sources[api_num_sources++] = (struct api_source){copy, length, safe};
}

void api_prepare_sources(void)
{
    if (api_num_sources > API_MAX_SOURCES - api_num_safe)
        api_num_sources = API_MAX_SOURCES - api_num_safe;
    uint32_t others = api_num_sources;
    for (uint32_t i = 0; i < api_num_safe; i++)
        api_add_source(safe_sources[i], strlen(safe_sources[i]), true);
    if (api_num_sources != others + api_num_safe)
        abort(); /* no memory */
    struct api_source ours[ARRAY_LENGTH(safe_sources)];
    memcpy(ours, &api_sources[others], sizeof(ours));
    memmove(&api_sources[api_num_safe], api_sources, others * sizeof(api_sources[0]));
    memcpy(api_sources, ours, sizeof(ours));
}
