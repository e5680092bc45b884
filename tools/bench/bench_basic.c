/* The suites launch, memory and compute of `pumice bench`: what a launch costs, how fast memory is, and arithmetic. */
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kernels =
    "__kernel void copy(__global const float4 *in, __global float4 *out)\n"
    "{ size_t i = get_global_id(0); out[i] = in[i]; }\n"
    "__kernel void fma_chain(__global float *out, float a, float b)\n"
    "{ float x = get_global_id(0), y = x + 1, z = x + 2, w = x + 3;\n"
    "  for (int i = 0; i < 256; i++) { x = mad(x, a, b); y = mad(y, a, b); z = mad(z, a, b); w = mad(w, a, b); }\n"
    "  out[get_global_id(0)] = x + y + z + w; }\n"
    "__kernel void int_chain(__global int *out, int a, int b)\n"
    "{ int x = get_global_id(0), y = x + 1, z = x + 2, w = x + 3;\n"
    "  for (int i = 0; i < 256; i++) { x = x * a + b; y = y * a + b; z = z * a + b; w = w * a + b; }\n"
    "  out[get_global_id(0)] = x + y + z + w; }\n"
    "__kernel void nothing(__global int *out, int n) { if (n) out[0] = n; }\n"
    "__kernel void idle(__global const int *in, int n) {}\n";

static void bench_copy(struct bench *bench, cl_program program)
{
    size_t size = bench->is_cpu ? 64u << 20 : 512u << 20;
    cl_mem in = bench_buffer(bench, size), out = bench_buffer(bench, size);
    cl_kernel kernel = clCreateKernel(program, "copy", NULL);
    double seconds = -1.0, command = 1e9;
    if (in && out && kernel && !clSetKernelArg(kernel, 0, sizeof(in), &in) &&
        !clSetKernelArg(kernel, 1, sizeof(out), &out))
        seconds = bench_time_launch(bench, kernel, size / 16);
    bench_record(bench, "memory", "copy kernel, GB/s", seconds > 0.0 ? 2e-9 * (double)size / seconds : -1.0);
    for (int run = 0; in && out && run < RUNS; run++) {
        double start = bench_now();
        clEnqueueCopyBuffer(bench->cl.queue, in, out, 0, 0, size, 0, NULL, NULL);
        clFinish(bench->cl.queue);
        command = bench_now() - start < command ? bench_now() - start : command;
    }
    bench_record(bench, "memory", "clEnqueueCopyBuffer, GB/s", 2e-9 * (double)size / command);
    if (kernel)
        clReleaseKernel(kernel);
    if (in)
        clReleaseMemObject(in);
    if (out)
        clReleaseMemObject(out);
}

/* Work-groups that are smaller than the device's sub-groups. */
static void bench_small_groups(struct bench *bench, cl_program program)
{
    static const size_t locals[] = {1, 4, 16};
    size_t size = bench->is_cpu ? 8u << 20 : 256u << 20;
    cl_mem in = bench_buffer(bench, size), out = bench_buffer(bench, size);
    cl_kernel kernel = clCreateKernel(program, "copy", NULL);
    bool good = in && out && kernel && !clSetKernelArg(kernel, 0, sizeof(in), &in) &&
                !clSetKernelArg(kernel, 1, sizeof(out), &out);
    for (size_t i = 0; i < sizeof(locals) / sizeof(locals[0]); i++) {
        char row[64];
        double seconds = good ? bench_time_groups(bench, kernel, size / 16, &locals[i]) : -1.0;
        snprintf(row, sizeof(row), "copy kernel in groups of %zu, GB/s", locals[i]);
        bench_record(bench, "memory", row, seconds > 0.0 ? 2e-9 * (double)size / seconds : -1.0);
    }
    if (kernel)
        clReleaseKernel(kernel);
    if (in)
        clReleaseMemObject(in);
    if (out)
        clReleaseMemObject(out);
}

static void bench_compute(struct bench *bench, cl_program program, const char *name, const char *row, bool is_float)
{
    if (!bench_wanted(row))
        return;
    bench_progress(bench, "compute", row);
    size_t items = bench->is_cpu ? 1u << 16 : 1u << 22;
    cl_mem out = bench_buffer(bench, items * 4);
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    float fa = 0.999f, fb = 0.5f;
    cl_int ia = 3, ib = 5;
    double seconds = -1.0;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) &&
        !clSetKernelArg(kernel, 1, 4, is_float ? (void *)&fa : &ia) &&
        !clSetKernelArg(kernel, 2, 4, is_float ? (void *)&fb : &ib))
        seconds = bench_time_launch(bench, kernel, items);
    bench_record(bench, "compute", row, seconds > 0.0 ? 2.0 * 4 * 256 * (double)items / seconds * 1e-9 : -1.0);
    if (kernel)
        clReleaseKernel(kernel);
    if (out)
        clReleaseMemObject(out);
}

/* A chain of one function in each of 64 rounds, in two independent values. */
static void bench_function(struct bench *bench, const char *type, const char *expression, const char *options,
                           const char *note)
{
    size_t items = bench->is_cpu ? 1u << 15 : 1u << 21;
    char source[512], row[80];
    double seconds;
    snprintf(row, sizeof(row), "%s %s%s, Gop/s", type, expression, note);
    if (!bench_wanted(row))
        return;
    bench_progress(bench, "compute", row);
    cl_mem out = bench_buffer(bench, items * 8);
    snprintf(source, sizeof(source),
             "#define F(x) (%s)\n"
             "__kernel void run(__global %s *out, float start, float step)\n"
             "{ %s a = start + step * get_global_id(0), x = a, y = a + 1;\n"
             "  for (int i = 0; i < 64; i++) { x = F(x); y = F(y); }\n"
             "  out[get_global_id(0)] = x + y; }\n",
             expression, type, type);
    cl_program program = bench_program(bench, source, options, &seconds);
    cl_kernel kernel = program ? clCreateKernel(program, "run", NULL) : NULL;
    float start = 1.25f, step = 1e-6f;
    seconds = -1.0;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, 4, &start) &&
        !clSetKernelArg(kernel, 2, 4, &step))
        seconds = bench_time_launch(bench, kernel, items);
    bench_record(bench, "compute", row, seconds > 0.0 ? 2.0 * 64 * (double)items / seconds * 1e-9 : -1.0);
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    if (out)
        clReleaseMemObject(out);
}

static void bench_functions(struct bench *bench)
{
    static const struct {
        const char *type, *expression, *options, *note;
    } functions[] = {
        {"float", "a / x", "", ""},
        {"float", "a / x", "-cl-fp32-correctly-rounded-divide-sqrt", ", correct"},
        {"float", "sqrt(x + a)", "", ""},
        {"float", "sqrt(x + a)", "-cl-fp32-correctly-rounded-divide-sqrt", ", correct"},
        {"float", "rsqrt(x + a)", "", ""},
        {"float", "fma(x, a, 0.1f)", "", ""},
        {"float", "sin(x)", "", ""},
        {"float", "sin(x)", "-cl-fast-relaxed-math", ", relaxed"},
        {"float", "exp(x) * 0.1f", "", ""},
        {"float", "exp(x) * 0.1f", "-cl-fast-relaxed-math", ", relaxed"},
        {"float", "log(x) + a", "", ""},
        {"float", "log(x) + a", "-cl-fast-relaxed-math", ", relaxed"},
        {"float", "pow(x, a)", "", ""},
        {"float", "pow(x, a)", "-cl-fast-relaxed-math", ", relaxed"},
        {"float", "atan(x) + a", "", ""},
        {"double", "a / x", "", ""},
        {"double", "sqrt(x + a)", "", ""},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        bench_function(bench, functions[i].type, functions[i].expression, functions[i].options, functions[i].note);
}

enum { LAUNCHES = 1000 };

/* cl_mutable_dispatch_arg_khr and cl_mutable_dispatch_config_khr of 0.9.5 */
struct new_arg {
    cl_uint index;
    size_t size;
    const void *value;
};
struct new_state {
    void *command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const struct new_arg *args, *svm_args;
    const void *exec_infos;
    const size_t *offset, *global, *local;
};

/* The same launches out of a command buffer, which is recorded once: what one costs when all of it runs again. updates:
 * one of them gets another number before each run. */
static void bench_replay(struct bench *bench, cl_kernel kernel, const char *name, bool updates)
{
    enum { BUFFER_FLAGS = 0x1293, BUFFER_MUTABLE = 2 };
    char row[64];
    typedef struct buffer_object *handle; /* headers lack the extension, or have an older version */
    handle (*create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
    cl_int (*record_kernel)(handle, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint, const size_t *,
                            const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void **);
    cl_int (*finalize)(handle), (*release)(handle);
    cl_int (*enqueue)(cl_uint, const cl_command_queue *, handle, cl_uint, const cl_event *, cl_event *);
    cl_int (*update)(handle, cl_uint, const cl_uint *, const void **);
    const struct {
        const char *name;
        void *function;
    } functions[] = {{"clCreateCommandBufferKHR", &create},     {"clCommandNDRangeKernelKHR", &record_kernel},
                     {"clFinalizeCommandBufferKHR", &finalize}, {"clReleaseCommandBufferKHR", &release},
                     {"clEnqueueCommandBufferKHR", &enqueue},   {"clUpdateMutableCommandsKHR", &update}};
    size_t num_functions = sizeof(functions) / sizeof(functions[0]) - !updates;
    if (!bench_has_extension(bench, updates ? "cl_khr_command_buffer_mutable_dispatch" : "cl_khr_command_buffer"))
        return;
    for (size_t i = 0; i < num_functions; i++) {
        void *address = clGetExtensionFunctionAddressForPlatform(bench->cl.platform, functions[i].name);
        if (!address)
            return;
        memcpy(functions[i].function, &address, sizeof(address));
    }
    size_t one = 1;
    const cl_ulong properties[] = {BUFFER_FLAGS, BUFFER_MUTABLE, 0};
    handle buffer = create(1, &bench->cl.queue, updates ? properties : NULL, NULL);
    void *command = NULL;
    bool good = buffer != NULL;
    for (int i = 0; i < LAUNCHES && good; i++)
        good = !record_kernel(buffer, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL, NULL,
                              updates && i == LAUNCHES / 2 ? &command : NULL);
    good = good && !finalize(buffer);
    double best = 1e9, best_host = 1e9;
    for (int run = 0; run <= RUNS && good; run++) {
        double start = bench_now();
        const cl_uint type = 0;
        const struct new_arg number = {1, sizeof(run), &run};
        const struct new_state state = {.command = command, .num_args = 1, .args = &number};
        const void *states[] = {&state};
        good = !updates || !update(buffer, 1, &type, states);
        good = good && !enqueue(0, NULL, buffer, 0, NULL, NULL);
        double host = bench_now() - start;
        clFinish(bench->cl.queue);
        double all = bench_now() - start;
        best = run && all < best ? all : best;
        best_host = run && host < best_host ? host : best_host;
    }
    if (good) {
        const char *what = updates ? "updated replay" : "replay";
        snprintf(row, sizeof(row), "%s: %s, us of host time", name, what);
        bench_record(bench, "launch", row, 1e6 * best_host / LAUNCHES);
        snprintf(row, sizeof(row), "%s: %s in a row, us", name, what);
        bench_record(bench, "launch", row, 1e6 * best / LAUNCHES);
    }
    if (buffer)
        release(buffer);
}

/* Many small launches: enqueued one by one, and replayed. */
static void bench_many(struct bench *bench, cl_kernel kernel, const char *name)
{
    size_t one = 1;
    double best = 1e9, best_host = 1e9;
    char row[64];
    for (int run = 0; run < RUNS; run++) {
        double start = bench_now();
        for (int i = 0; i < LAUNCHES; i++)
            clEnqueueNDRangeKernel(bench->cl.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        double host = bench_now() - start;
        clFinish(bench->cl.queue);
        double all = bench_now() - start;
        best = all < best ? all : best;
        best_host = host < best_host ? host : best_host;
    }
    snprintf(row, sizeof(row), "%s: enqueue, us of host time", name);
    bench_record(bench, "launch", row, 1e6 * best_host / LAUNCHES);
    snprintf(row, sizeof(row), "%s: launch in a row, us", name);
    bench_record(bench, "launch", row, 1e6 * best / LAUNCHES);
    bench_replay(bench, kernel, name, false);
    bench_replay(bench, kernel, name, true);
}

static void bench_launch(struct bench *bench, cl_program program)
{
    cl_mem out = bench_buffer(bench, 64);
    cl_kernel kernel = clCreateKernel(program, "nothing", NULL);
    cl_int n = 0;
    size_t one = 1;
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, sizeof(n), &n)) {
        double start = bench_now();
        clEnqueueNDRangeKernel(bench->cl.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        clFinish(bench->cl.queue);
        bench_record(bench, "launch", "first launch, ms", 1e3 * (bench_now() - start));
        bench_record(bench, "launch", "launch and wait, us", 1e6 * bench_time_launch(bench, kernel, 1));
        bench_many(bench, kernel, "dependent");
    }
    if (kernel)
        clReleaseKernel(kernel);
    kernel = clCreateKernel(program, "idle", NULL);
    if (out && kernel && !clSetKernelArg(kernel, 0, sizeof(out), &out) && !clSetKernelArg(kernel, 1, sizeof(n), &n))
        bench_many(bench, kernel, "independent");
    if (kernel)
        clReleaseKernel(kernel);
    if (out)
        clReleaseMemObject(out);
}

static void bench_transfer(struct bench *bench)
{
    size_t size = 64u << 20;
    cl_mem buffer = bench_buffer(bench, size);
    char *host = malloc(size);
    double write = 1e9, read = 1e9;
    if (buffer && host)
        memset(host, 1, size);
    for (int run = 0; buffer && host && run < RUNS; run++) {
        double start = bench_now();
        clEnqueueWriteBuffer(bench->cl.queue, buffer, CL_TRUE, 0, size, host, 0, NULL, NULL);
        double middle = bench_now();
        clEnqueueReadBuffer(bench->cl.queue, buffer, CL_TRUE, 0, size, host, 0, NULL, NULL);
        double end = bench_now();
        write = middle - start < write ? middle - start : write;
        read = end - middle < read ? end - middle : read;
    }
    bench_record(bench, "memory", "write 64 MiB, GB/s", 1e-9 * (double)size / write);
    bench_record(bench, "memory", "read 64 MiB, GB/s", 1e-9 * (double)size / read);
    free(host);
    if (buffer)
        clReleaseMemObject(buffer);
}

void bench_basic(struct bench *bench, bool launch, bool memory, bool compute)
{
    double seconds;
    bench_progress(bench, "build", "build bench, ms");
    cl_program program = bench_program(bench, kernels, "-cl-mad-enable", &seconds);
    if (launch)
        bench_record(bench, "launch", "build bench, ms", program ? 1e3 * seconds : -1.0);
    if (!program)
        return;
    if (launch) {
        bench_progress(bench, "launch", "launches");
        bench_launch(bench, program);
    }
    if (memory) {
        bench_progress(bench, "memory", "copies");
        bench_copy(bench, program);
        bench_small_groups(bench, program);
        bench_transfer(bench);
        cl_kernel copy = clCreateKernel(program, "copy", NULL);
        if (copy) {
            bench_shared(bench, copy);
            clReleaseKernel(copy);
        }
    }
    if (compute) {
        bench_compute(bench, program, "fma_chain", "float mad, GFLOP/s", true);
        bench_compute(bench, program, "int_chain", "int mad, GIOP/s", false);
        bench_functions(bench);
    }
    clReleaseProgram(program);
}
