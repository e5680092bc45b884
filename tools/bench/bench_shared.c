/* Rows of the suite memory about memory that programs know by its address: the copy kernel on SVM and USM, and their
 * transfers, beside those of plain buffers. A device that lacks a kind of memory has no value in its rows. */
#include "bench.h"

#include <CL/cl_ext.h>

#include <stdlib.h>
#include <string.h>

typedef void *(CL_API_CALL *alloc_device)(cl_context, cl_device_id, const cl_bitfield *, size_t, cl_uint, cl_int *);
typedef void *(CL_API_CALL *alloc_host)(cl_context, const cl_bitfield *, size_t, cl_uint, cl_int *);
typedef cl_int(CL_API_CALL *free_pointer)(cl_context, void *);
typedef cl_int(CL_API_CALL *set_pointer)(cl_kernel, cl_uint, const void *);
typedef cl_int(CL_API_CALL *enqueue_copy)(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint,
                                          const cl_event *, cl_event *);

enum kind { SVM_COARSE, SVM_FINE, USM_DEVICE, USM_HOST, USM_SHARED, KINDS };

static const char *const names[KINDS] = {"coarse SVM", "fine SVM", "device USM", "host USM", "shared USM"};

struct usm {
    alloc_device device, shared;
    alloc_host host;
    free_pointer free;
    set_pointer set;
    enqueue_copy copy;
};

/* False: the platform has no such functions. */
static bool find_functions(struct bench *bench, struct usm *usm)
{
    const struct {
        const char *name;
        void *function;
    } functions[] = {{"clDeviceMemAllocINTEL", &usm->device}, {"clSharedMemAllocINTEL", &usm->shared},
                     {"clHostMemAllocINTEL", &usm->host},     {"clMemFreeINTEL", &usm->free},
                     {"clEnqueueMemcpyINTEL", &usm->copy},    {"clSetKernelArgMemPointerINTEL", &usm->set}};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *address = clGetExtensionFunctionAddressForPlatform(bench->cl.platform, functions[i].name);
        if (!address)
            return false;
        memcpy(functions[i].function, &address, sizeof(address));
    }
    return true;
}

static void *allocate(struct bench *bench, const struct usm *usm, enum kind kind, size_t size)
{
    cl_int error;
    switch (kind) {
    case SVM_COARSE:
        return clSVMAlloc(bench->cl.context, CL_MEM_READ_WRITE, size, 0);
    case SVM_FINE:
        return clSVMAlloc(bench->cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
    case USM_DEVICE:
        return usm->device(bench->cl.context, bench->cl.id, NULL, size, 0, &error);
    case USM_HOST:
        return usm->host(bench->cl.context, NULL, size, 0, &error);
    default:
        return usm->shared(bench->cl.context, bench->cl.id, NULL, size, 0, &error);
    }
}

static void release(struct bench *bench, const struct usm *usm, enum kind kind, void *memory)
{
    if (memory && kind <= SVM_FINE)
        clSVMFree(bench->cl.context, memory);
    else if (memory)
        usm->free(bench->cl.context, memory);
}

static void record(struct bench *bench, enum kind kind, const char *what, double bytes, double seconds)
{
    char row[64];
    snprintf(row, sizeof(row), "%s: %s, GB/s", names[kind], what);
    bench_record(bench, "memory", row, seconds > 0.0 ? 1e-9 * bytes / seconds : -1.0);
}

/* The best seconds of a copy that is waited for; < 0: it fails. */
static double time_copy(struct bench *bench, const struct usm *usm, enum kind kind, void *to, const void *from,
                        size_t size)
{
    double best = 1e9;
    for (int run = 0; run <= RUNS; run++) {
        double start = bench_now();
        cl_int error = kind <= SVM_FINE ? clEnqueueSVMMemcpy(bench->cl.queue, CL_TRUE, to, from, size, 0, NULL, NULL)
                                        : usm->copy(bench->cl.queue, CL_TRUE, to, from, size, 0, NULL, NULL);
        double seconds = bench_now() - start;
        if (error != CL_SUCCESS)
            return -1.0;
        if (run && seconds < best)
            best = seconds;
    }
    return best;
}

/* The best seconds of a map and its unmap; < 0: it fails. */
static double time_map(struct bench *bench, cl_map_flags flags, void *memory, size_t size)
{
    double best = 1e9;
    for (int run = 0; run <= RUNS; run++) {
        double start = bench_now();
        if (clEnqueueSVMMap(bench->cl.queue, CL_TRUE, flags, memory, size, 0, NULL, NULL) ||
            clEnqueueSVMUnmap(bench->cl.queue, memory, 0, NULL, NULL) || clFinish(bench->cl.queue))
            return -1.0;
        double seconds = bench_now() - start;
        if (run && seconds < best)
            best = seconds;
    }
    return best;
}

static void bench_kind(struct bench *bench, const struct usm *usm, enum kind kind, cl_kernel kernel)
{
    const size_t size = bench->is_cpu ? 64u << 20 : 512u << 20, part = 64u << 20;
    void *in = allocate(bench, usm, kind, size), *out = allocate(bench, usm, kind, size), *host = malloc(part);
    double seconds = -1.0;
    if (in && out && host) {
        memset(host, 1, part);
        for (size_t at = 0; at < size; at += part)
            time_copy(bench, usm, kind, (char *)in + at, host, part);
        cl_int error = kind <= SVM_FINE ? clSetKernelArgSVMPointer(kernel, 0, in) : usm->set(kernel, 0, in);
        error |= kind <= SVM_FINE ? clSetKernelArgSVMPointer(kernel, 1, out) : usm->set(kernel, 1, out);
        if (!error)
            seconds = bench_time_launch(bench, kernel, size / 16);
        record(bench, kind, "copy kernel", 2.0 * (double)size, seconds);
        record(bench, kind, "copy", 2.0 * (double)size, time_copy(bench, usm, kind, out, in, size));
        record(bench, kind, "write 64 MiB", (double)part, time_copy(bench, usm, kind, in, host, part));
        record(bench, kind, "read 64 MiB", (double)part, time_copy(bench, usm, kind, host, out, part));
    }
    if (in && kind == SVM_COARSE) {
        record(bench, kind, "map 64 MiB to read", (double)part, time_map(bench, CL_MAP_READ, in, part));
        record(bench, kind, "map 64 MiB to write", (double)part,
               time_map(bench, CL_MAP_WRITE_INVALIDATE_REGION, in, part));
    }
    release(bench, usm, kind, in);
    release(bench, usm, kind, out);
    free(host);
}

void bench_shared(struct bench *bench, cl_kernel copy)
{
    struct usm usm;
    cl_device_svm_capabilities svm = 0;
    bool has_usm = find_functions(bench, &usm);
    clGetDeviceInfo(bench->cl.id, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL);
    for (int kind = 0; kind < KINDS; kind++) {
        bool has = kind == SVM_COARSE ? svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
                   : kind == SVM_FINE ? svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER
                                      : has_usm;
        if (!has)
            continue;
        bench_progress(bench, "memory", names[kind]);
        bench_kind(bench, &usm, kind, copy);
    }
}
