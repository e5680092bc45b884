/* What strangers' kernels try in a robust context (PUMICE_ROBUST=1): to reach beyond a sub-buffer by every kind of access and
 * by indices of every kind. Around what a kernel is given lie bytes that it must neither change nor see. (Images:
 * image_walls.c.)
 *
 * usage: check_walls [NAME]: all bodies, or the one of that name */
#define CL_TARGET_OPENCL_VERSION 300
#include "tests/support/opencl.h"
#include "tests/check/program.h"

#include <stdbool.h>
#include <string.h>

enum { WHOLE = 8192, FIRST = 4096, SIZE = 256, OUTSIDE = 0x5a, INSIDE = 0x11 };

/* Each is the body of a kernel (global char *p, global char *out, long at), behind what stands in head. */
struct body {
    const char *name, *text, *attributes, *needs; /* the last: an extension that the device has to have, or NULL */
};

static const char head[] =
    "typedef struct { char a; int b[7]; } odd;\n"
    "typedef struct { global int *q; long n; odd rest; } held;\n"
    "typedef struct __attribute__((packed)) { char a; long b; } packed;\n"
    "static __attribute__((noinline)) void put_held(held h) { h.q[h.n] = 1; }\n"
    "static __attribute__((noinline)) int get_held(held h) { return h.q[h.n]; }\n"
    "static __attribute__((noinline)) held step_held(held h) { h.q += h.n; h.n = 0; return h; }\n"
    "static __attribute__((noinline)) global int *far(global int *q, long n) { return n & 1 ? q + n : q - n; }\n";

#define LOADS_AND_STORES(type) {"store " #type, "((global " #type " *)p)[at] = (" #type ")1;"}, LOADS(type)
#define LOADS(type)                                                                                                    \
    {"load " #type, "*(global " #type " *)out = ((global " #type " *)p)[at];"},                                        \
    {                                                                                                                  \
        "copy " #type, "*(global " #type " *)out = ((global " #type " *)p)[at]; ((global " #type                       \
                       " *)p)[at + 1] = ((global " #type " *)p)[at];"                                                  \
    }
#define INDICES(type)                                                                                                  \
    {"store at " #type, "((global int *)p)[(" #type ")at] = 1;"},                                                      \
        {"load at " #type, "*(global int *)out = ((global int *)p)[(" #type ")at];"},                                  \
        {"store at " #type " * 3", "((global short *)p)[(" #type ")((" #type ")at * 3)] = 1;"},                        \
    {                                                                                                                  \
        "walk by " #type, "global int *q = (global int *)p; for (" #type " k = 0; k < 5; k++) { q += (" #type          \
                          ")at; *q = k; *(global int *)out += q[k]; }"                                                 \
    }

static const struct body bodies[] = {
    LOADS_AND_STORES(char),
    LOADS_AND_STORES(short),
    LOADS_AND_STORES(int),
    LOADS_AND_STORES(long),
    LOADS_AND_STORES(float),
    LOADS_AND_STORES(char2),
    LOADS_AND_STORES(int3),
    LOADS_AND_STORES(float4),
    LOADS_AND_STORES(long8),
    LOADS_AND_STORES(int16),
    LOADS(odd),
    LOADS(packed),
    INDICES(char),
    INDICES(uchar),
    INDICES(short),
    INDICES(ushort),
    INDICES(int),
    INDICES(uint),
    INDICES(long),
    INDICES(ulong),
    {"vstore3", "vstore3((char3)1, at, p);"},
    {"vload3", "vstore3(vload3(at, (global short *)p), 0, (global short *)out);"},
    {"vstore16", "vstore16((int16)1, at, (global int *)p);"},
    {"vload16", "vstore16(vload16(at, (global int *)p), 0, (global int *)out);"},
    {"vstore_half", "vstore_half(1.0f, at, (global half *)p);"},
    {"vload_half4", "vstore4(vload_half4(at, (global half *)p), 0, (global float *)out);"},
    {"vstorea_half3", "vstorea_half3((float3)1.0f, at, (global half *)p);"},
    {"atomic_add", "*(global int *)out = atomic_add((global int *)p + at, 1);"},
    {"atomic_xchg float", "*(global float *)out = atomic_xchg((global float *)p + at, 1.0f);"},
    {"atomic_cmpxchg", "*(global int *)out = atomic_cmpxchg((global int *)p + at, 0x5a5a5a5a, 1);"},
    {"atomic_min unsigned", "*(global uint *)out = atomic_min((global uint *)p + at, 1u);"},
    {"atom_add", "*(global long *)out = atom_add((global long *)p + at, 1l);", "", "cl_khr_int64_base_atomics"},
    {"a member", "((global odd *)p)[at].b[at & 7] = 1; *(global int *)out = ((global odd *)p)[at].b[3];"},
    {"a member of a packed structure",
     "((global packed *)p)[at].b = 1; *(global long *)out = ((global packed *)p)[at + 1].b;"},
    {"pointers in an array", "global int *a[3] = {(global int *)p, (global int *)p + at, (global int *)out}; *a[1] = "
                             "1; *a[2] = *a[1 + (at == 77)];"},
    {"a choice of pointers", "(at & 1 ? (global int *)p : (global int *)out)[at] = 1;"},
    {"a structure by value", "held h = {(global int *)p, at}; put_held(h); *(global int *)out = get_held(h);"},
    {"a structure that comes back",
     "held h = {(global int *)p, at}; h = step_held(h); put_held(h); h = step_held(h); *(global int *)out = *h.q;"},
    {"a pointer that comes back", "*far((global int *)p, at) = 1; *(global int *)out = *far((global int *)p, at + 1);"},
    {"a number",
     "*(global int *)((ulong)p + (ulong)at * 4) = 1; *(global int *)out = *(global int *)((ulong)p + (ulong)at * 4);"},
    {"a difference", "global char *q = out + (p - out) + at; *q = 1; out[0] = *q;"},
    {"a copy in",
     "local int l[16]; event_t e = async_work_group_copy(l, (global int *)p + at, 16, 0); wait_group_events(1, &e); "
     "*(global int *)out = l[0] | l[15];"},
    {"a copy out", "local int l[16]; l[0] = l[15] = 1; event_t e = async_work_group_copy((global int *)p + at, l, 16, "
                   "0); wait_group_events(1, &e);"},
    {"a copy of many", "local int l[16]; event_t e = async_work_group_copy((global int *)p, l, (size_t)at, 0); "
                       "wait_group_events(1, &e);"},
    {"a strided copy in", "local int l[4]; event_t e = async_work_group_strided_copy(l, (global int *)p, 4, "
                          "(size_t)at, 0); wait_group_events(1, &e); "
                          "*(global int *)out = l[3];"},
    {"a strided copy out", "local int l[4]; event_t e = async_work_group_strided_copy((global int *)p + at, l, 4, 3, "
                           "0); wait_group_events(1, &e);"},
    {"local memory", "local int l[8]; l[at & 7] = 1; l[at] = 2; *(global int *)out = l[at];"},
    {"a private array", "int t[8] = {1, 2, 3, 4, 5, 6, 7, 8}; t[at] = 2; *(global int *)out = t[at + 1] + t[at & 7];"},
    {"a loop", "for (long k = at; k < at + 40; k++) { ((global int *)p)[k] = (int)k; *(global int *)out |= ((global "
               "int *)p)[k + 1]; }"},
    {"a loop of shorts", "short k = (short)at; do { ((global int *)p)[k] = k; *(global int *)out |= ((global int "
                         "*)p)[k]; k += 7001; } while (k % 13);"},
    {"a block that is written", "intel_sub_group_block_write((global uint *)p + at, 1u);",
     "__attribute__((intel_reqd_sub_group_size(32)))", "cl_intel_subgroups"},
    {"a block that is read", "*(global uint *)out = intel_sub_group_block_read((const global uint *)p + at);",
     "__attribute__((intel_reqd_sub_group_size(32)))", "cl_intel_subgroups"},
    {"four blocks",
     "intel_sub_group_block_write4((global uint *)p + at, intel_sub_group_block_read4((const global uint *)p + at + "
     "8));",
     "__attribute__((intel_reqd_sub_group_size(8)))", "cl_intel_subgroups"},
    {"an index of another work-item",
     "((global int *)p)[intel_sub_group_shuffle((int)at + (int)get_sub_group_local_id() * 9, 31 - "
     "get_sub_group_local_id())] = 1;",
     "__attribute__((intel_reqd_sub_group_size(32)))", "cl_intel_subgroups"},
    {"an index of all",
     "((global int *)p)[sub_group_reduce_add((int)at)] = 1; *(global int *)out = ((global int "
     "*)p)[sub_group_scan_inclusive_add((int)at)];",
     "__attribute__((intel_reqd_sub_group_size(32)))", "cl_intel_subgroups"},
};

static const cl_long indices[] = {0,
                                  1,
                                  31,
                                  62,
                                  63,
                                  64,
                                  65,
                                  127,
                                  255,
                                  256,
                                  1000,
                                  32767,
                                  32768,
                                  65535,
                                  70000,
                                  -1,
                                  -2,
                                  -8,
                                  -63,
                                  -64,
                                  -65,
                                  -1024,
                                  -32768,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x100000000,
                                  0x100000001,
                                  0x4000000000000000,
                                  0x2000000000000001,
                                  INT64_MAX,
                                  INT64_MIN};

static int wrong;

static bool has(const char *extension)
{
    static char extensions[16384];
    if (!*extensions)
        must(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    return !extension || strstr(extensions, extension);
}

static cl_mem buffer_of(const void *bytes, size_t size)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, (void *)bytes, &error);
    must(error);
    return mem;
}

static cl_mem part_of(cl_mem whole)
{
    cl_int error;
    const cl_buffer_region region = {FIRST, SIZE};
    cl_mem mem = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    must(error);
    return mem;
}

static void read_whole(cl_mem mem, unsigned char *bytes)
{
    must(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, WHOLE, bytes, 0, NULL, NULL));
}

static void look_around(const char *name, cl_long at, const char *what, const unsigned char *bytes)
{
    for (int i = 0; i < WHOLE; i++) {
        bool inside = i >= FIRST && i < FIRST + SIZE;
        if (inside || bytes[i] == OUTSIDE)
            continue;
        printf("%s, %lld: byte %d of %s was changed\n", name, (long long)at, i - FIRST, what);
        wrong++;
        return;
    }
}

/* What came of bytes outside would be all such. */
static void look_for_seen(const char *name, cl_long at, const unsigned char *bytes)
{
    for (int i = FIRST; i < FIRST + SIZE; i++) {
        if (bytes[i] == OUTSIDE) {
            printf("%s, %lld: byte %d of the result is one from outside\n", name, (long long)at, i - FIRST);
            wrong++;
            return;
        }
    }
}

static void try_body(const struct body *body)
{
    static char text[8192];
    static unsigned char bytes[WHOLE], after[WHOLE];
    cl_int error;
    const char *source = text;
    const size_t items = body->needs && strstr(body->needs, "subgroups") ? 32 : 1;
    if (!has(body->needs))
        return;
    snprintf(text, sizeof(text), "%s%s kernel void f(global char *p, global char *out, long at) { %s }\n", head,
             body->attributes ? body->attributes : "", body->text);
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    must(error);
    error = clBuildProgram(made, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    if (error) {
        must(clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, sizeof(text), text, NULL));
        printf("%s: not built\n%s\n", body->name, text);
        wrong++;
        return;
    }
    cl_kernel kernel = clCreateKernel(made, "f", &error);
    must(error);
    memset(bytes, OUTSIDE, WHOLE);
    memset(bytes + FIRST, INSIDE, SIZE);
    for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++) {
        cl_mem whole = buffer_of(bytes, WHOLE), other = buffer_of(bytes, WHOLE), part = part_of(whole),
               out = part_of(other);
        must(clSetKernelArg(kernel, 0, sizeof(part), &part));
        must(clSetKernelArg(kernel, 1, sizeof(out), &out));
        must(clSetKernelArg(kernel, 2, sizeof(indices[i]), &indices[i]));
        must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
        read_whole(whole, after);
        look_around(body->name, indices[i], "what it was given", after);
        look_for_seen(body->name, indices[i], after);
        read_whole(other, after);
        look_around(body->name, indices[i], "the result", after);
        look_for_seen(body->name, indices[i], after);
        clReleaseMemObject(part);
        clReleaseMemObject(out);
        clReleaseMemObject(whole);
        clReleaseMemObject(other);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

int main(int argc, char **argv)
{
    begin_program("kernel void nothing(void) {}", 0);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        if (argc < 2 || !strcmp(argv[1], bodies[i].name))
            try_body(&bodies[i]);
    }
    return wrong ? 1 : 0;
}
