/* Sixteen threads do everything at once, to objects of their own and to the same ones: queues of every kind, programs
 * that are built, compiled, linked, queried and specialised together, buffers, maps, user events, callbacks that call
 * back in. For ThreadSanitizer, with tests/tsan.supp; argument: how many seconds (default 3). */
#include "api_test.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 16, ITEMS = 256, QUEUES = 4 };

static const char source[] = "#ifndef VALUE\n"
                             "#define VALUE 1\n"
                             "#endif\n"
                             "constant int table[4] = {1, 2, 3, 4};\n"
                             "global int counter;\n"
                             "kernel void add(global int *io, int value)\n"
                             "{\n"
                             "    io[get_global_id(0)] += value + table[value & 3] - table[value & 3];\n"
                             "}\n"
                             "kernel void local_sum(global int *io, local int *scratch)\n"
                             "{\n"
                             "    size_t i = get_local_id(0);\n"
                             "    scratch[i] = VALUE;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    if (i == 0)\n"
                             "        for (size_t k = 0; k < get_local_size(0); k++)\n"
                             "            io[get_group_id(0)] += scratch[k];\n"
                             "}\n"
                             "kernel void count(void) { atomic_inc(&counter); }\n"
                             "kernel void quiet(global int *io, int n) { if (io[0] == n) printf(\"%d\\n\", n); }\n";

static const cl_queue_properties kinds[QUEUES] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE};

static cl_program shared;
static cl_command_queue queues[QUEUES];
static atomic_bool stop;
static atomic_uint num_rounds;

struct worker {
    pthread_t thread;
    unsigned seed;
    atomic_int pending; /* callbacks to come */
};

static unsigned next(struct worker *worker)
{
    worker->seed = worker->seed * 1664525u + 1013904223u;
    return worker->seed >> 8;
}

static cl_command_queue pick_queue(struct worker *worker)
{
    return queues[next(worker) % QUEUES];
}

static void CL_CALLBACK called_back(cl_event event, cl_int status, void *data)
{
    struct worker *worker = data;
    cl_event marker;
    CHECK(status == CL_COMPLETE && event_status(event) == CL_COMPLETE);
    OK(clEnqueueMarkerWithWaitList(queues[0], 1, &event, &marker));
    OK(clFlush(queues[0]));
    OK(clReleaseEvent(marker));
    worker->pending--;
}

/* Adds go through events, maps and user events, on any queue. */
static void use_memory(struct worker *worker)
{
    cl_int zero = 0, error;
    size_t items = ITEMS;
    cl_kernel kernel = clCreateKernel(shared, "add", &error);
    OK(error);
    cl_mem mem = buffer_of(0, ITEMS * 4, NULL);
    cl_buffer_region region = {0, ITEMS * 2};
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    cl_event user = user_event(), filled, added, mapped;
    OK(clEnqueueFillBuffer(pick_queue(worker), mem, &zero, 4, 0, ITEMS * 4, 1, &user, &filled));
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, 4, &(cl_int){3}));
    OK(clEnqueueNDRangeKernel(pick_queue(worker), kernel, 1, NULL, &items, NULL, 1, &filled, &added));
    worker->pending++;
    OK(clSetEventCallback(added, CL_COMPLETE, called_back, worker));
    cl_command_queue own = pick_queue(worker);
    cl_int *map = clEnqueueMapBuffer(own, sub, CL_FALSE, CL_MAP_READ, 0, ITEMS * 2, 1, &added, &mapped, &error);
    OK(error);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clWaitForEvents(1, &mapped));
    for (int i = 0; map && i < ITEMS / 2; i++)
        CHECK(map[i] == 3);
    OK(clEnqueueUnmapMemObject(own, sub, map, 0, NULL, NULL));
    cl_ulong time;
    cl_int profiled = clGetEventProfilingInfo(added, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL);
    CHECK(profiled == CL_SUCCESS || profiled == CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clReleaseEvent(user));
    OK(clReleaseEvent(filled));
    OK(clReleaseEvent(added));
    OK(clReleaseEvent(mapped));
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

static void use_own_queue(struct worker *worker)
{
    cl_int error, data[ITEMS], zero = 0;
    size_t items = ITEMS, group = 32;
    cl_command_queue own =
        clCreateCommandQueue(context, device, kinds[next(worker) % QUEUES] & CL_QUEUE_PROFILING_ENABLE, &error);
    OK(error);
    cl_kernel kernel = clCreateKernel(shared, "local_sum", &error), quiet = clCreateKernel(shared, "quiet", &error);
    OK(error);
    cl_kernel clone = clCloneKernel(kernel, &error);
    OK(error);
    cl_mem mem = buffer_of(0, sizeof(data), NULL);
    OK(clEnqueueFillBuffer(own, mem, &zero, 4, 0, sizeof(data), 0, NULL, NULL));
    OK(clSetKernelArg(clone, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(clone, 1, group * 4 << next(worker) % 3, NULL));
    OK(clEnqueueNDRangeKernel(own, clone, 1, NULL, &items, &group, 0, NULL, NULL));
    OK(clSetKernelArg(quiet, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(quiet, 1, 4, &(cl_int){-1}));
    OK(clEnqueueNDRangeKernel(own, quiet, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(quiet));
    OK(clReleaseKernel(clone));
    OK(clEnqueueReadBuffer(own, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    CHECK(data[0] == 32 && data[ITEMS / 32 - 1] == 32 && data[ITEMS / 32] == 0);
    OK(clReleaseMemObject(mem));
    if (next(worker) % 2)
        OK(clFinish(own));
    OK(clReleaseCommandQueue(own));
}

static void query(void)
{
    char text[4096];
    size_t size, number;
    cl_uint count;
    cl_build_status status;
    OK(clGetProgramInfo(shared, CL_PROGRAM_NUM_KERNELS, sizeof(number), &number, NULL));
    OK(clGetProgramInfo(shared, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, NULL));
    OK(clGetProgramInfo(shared, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    OK(clGetProgramBuildInfo(shared, device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    OK(clGetProgramBuildInfo(shared, device, CL_PROGRAM_BUILD_LOG, sizeof(text), text, NULL));
    OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL));
}

static void build_own(struct worker *worker)
{
    char options[64];
    cl_int error;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DVALUE=%u", next(worker) % 4 + 1);
    cl_program program = build(source, options);
    cl_kernel kernel = clCreateKernel(program, "count", &error);
    OK(error);
    size_t items = 1;
    OK(clEnqueueNDRangeKernel(pick_queue(worker), kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* One program that all threads build, compile, link and query at once: whoever comes second may be refused. */
static cl_program contended;

static void contend(struct worker *worker)
{
    cl_int error;
    char text[4096];
    switch (next(worker) % 4) {
    case 0:
        error = clBuildProgram(contended, 0, NULL, "-cl-std=CL3.0", NULL, NULL);
        CHECK(error == CL_SUCCESS || error == CL_INVALID_OPERATION);
        break;
    case 1:
        error = clCompileProgram(contended, 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL);
        CHECK(error == CL_SUCCESS || error == CL_INVALID_OPERATION);
        break;
    case 2: {
        cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &contended, NULL, NULL, &error);
        CHECK(error == CL_SUCCESS || error == CL_INVALID_OPERATION);
        if (linked)
            OK(clReleaseProgram(linked));
        break;
    }
    default: {
        cl_kernel kernel = clCreateKernel(contended, "add", &error);
        CHECK(error == CL_SUCCESS || error == CL_INVALID_PROGRAM_EXECUTABLE);
        if (kernel)
            OK(clReleaseKernel(kernel));
    }
    }
    OK(clGetProgramBuildInfo(contended, device, CL_PROGRAM_BUILD_LOG, sizeof(text), text, NULL));
    error = clGetProgramInfo(contended, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, NULL);
    CHECK(error == CL_SUCCESS || error == CL_INVALID_PROGRAM_EXECUTABLE);
}

static void *work(void *data)
{
    struct worker *worker = data;
    while (!atomic_load(&stop)) {
        unsigned what = next(worker) % 16;
        if (what < 6)
            use_memory(worker);
        else if (what < 10)
            use_own_queue(worker);
        else if (what < 12)
            query();
        else if (what < 14)
            build_own(worker);
        else
            contend(worker);
        if (next(worker) % 8 == 0)
            OK(clFinish(pick_queue(worker)));
        num_rounds++;
    }
    while (worker->pending)
        usleep(1000);
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS];
    int limit = argc > 1 ? atoi(argv[1]) : 3;
    cl_int error;
    open_device(0);
    for (int i = 0; i < QUEUES; i++) {
        queues[i] = clCreateCommandQueue(context, device, kinds[i], &error);
        NEED(error == CL_SUCCESS);
    }
    shared = build(source, "-cl-std=CL3.0");
    contended = clCreateProgramWithSource(context, 1, &(const char *){source}, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].seed = i + 1;
        NEED(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    sleep((unsigned)limit);
    atomic_store(&stop, true);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < QUEUES; i++) {
        OK(clFinish(queues[i]));
        OK(clReleaseCommandQueue(queues[i]));
    }
    OK(clReleaseProgram(shared));
    OK(clReleaseProgram(contended));
    printf("%u rounds of %d threads\n", atomic_load(&num_rounds), THREADS);
    return close_device();
}
