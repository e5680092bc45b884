/* Sixteen threads do everything at once, to objects of their own and to the same ones: queues of every kind, programs
 * that are built, compiled, linked, queried and specialised together, buffers, images, shared virtual memory, command
 * buffers that are enqueued while they are updated, maps, user events, callbacks that call back in. For
 * ThreadSanitizer, with tests/tsan.supp; argument: how many seconds (default 3). */
#include "api_test.h"
#include "command_buffers.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 16, ITEMS = 256, QUEUES = 4, SIDE = 16 };

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
                             "kernel void tally(global int *io) { atomic_inc(io); }\n"
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

/* ---- images ---- */

static const char image_source[] =
    "kernel void brighten(read_only image2d_t from, write_only image2d_t to, sampler_t s)\n"
    "{\n"
    "    int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imageui(to, p, read_imageui(from, s, p) + 1);\n"
    "}\n";

static cl_program image_program; /* NULL: the device has no images */
static cl_mem shared_image;      /* of zeros, which everybody reads */
static cl_sampler shared_sampler;

static cl_mem new_image(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_int error;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
    OK(error);
    return image;
}

static void open_images(void)
{
    const cl_uint zero[4] = {0};
    const size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
    cl_bool images = CL_FALSE;
    cl_int error;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    if (!images)
        return;
    image_program = build(image_source, "");
    shared_sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    OK(error);
    shared_image = new_image();
    OK(clEnqueueFillImage(queue, shared_image, zero, origin, region, 0, NULL, NULL));
    OK(clFinish(queue));
}

static void close_images(void)
{
    if (!image_program)
        return;
    OK(clReleaseProgram(image_program));
    OK(clReleaseSampler(shared_sampler));
    OK(clReleaseMemObject(shared_image));
}

/* Zeros are read, sixes are written over them and brightened; each step waits for the one before. */
static void use_images(struct worker *worker)
{
    const cl_uint six[4] = {6, 6, 6, 6};
    const size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
    unsigned char data[SIDE][SIDE][4];
    cl_int error;
    cl_event events[3];
    size_t pitch;
    if (!image_program)
        return;
    cl_mem first = new_image(), second = new_image();
    cl_kernel kernel = clCreateKernel(image_program, "brighten", &error);
    OK(error);
    OK(clEnqueueCopyImage(pick_queue(worker), shared_image, first, origin, origin, region, 0, NULL, &events[0]));
    OK(clEnqueueFillImage(pick_queue(worker), first, six, origin, (size_t[]){SIDE, 1, 1}, 1, &events[0], &events[1]));
    OK(clSetKernelArg(kernel, 0, sizeof(first), &first));
    OK(clSetKernelArg(kernel, 1, sizeof(second), &second));
    OK(clSetKernelArg(kernel, 2, sizeof(shared_sampler), &shared_sampler));
    OK(clEnqueueNDRangeKernel(pick_queue(worker), kernel, 2, NULL, region, NULL, 1, &events[1], &events[2]));
    cl_command_queue last = pick_queue(worker);
    OK(clEnqueueReadImage(last, second, CL_TRUE, origin, region, 0, 0, data, 1, &events[2], NULL));
    CHECK(data[0][0][0] == 7 && data[0][SIDE - 1][3] == 7 && data[1][0][0] == 1 && data[SIDE - 1][SIDE - 1][3] == 1);
    unsigned char *map = clEnqueueMapImage(last, second, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL, 1,
                                           &events[2], NULL, &error);
    OK(error);
    CHECK(map && map[0] == 7 && map[pitch] == 1);
    OK(clEnqueueUnmapMemObject(last, second, map, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        OK(clReleaseEvent(events[i]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(first));
    OK(clReleaseMemObject(second));
}

/* ---- shared virtual memory ---- */

static cl_device_svm_capabilities svm;

static void CL_CALLBACK free_called(cl_command_queue on, cl_uint count, void *list[], void *data)
{
    struct worker *worker = data;
    (void)on;
    CHECK(count == 1);
    clSVMFree(context, list[0]);
    worker->pending--;
}

static void use_svm(struct worker *worker)
{
    const size_t items = ITEMS;
    const int three = 3;
    cl_int error;
    cl_event events[3];
    if (!(svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        return;
    int *a = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, ITEMS * 4, 0),
        *b = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, ITEMS * 4, 0);
    cl_kernel kernel = clCreateKernel(shared, "add", &error);
    OK(error);
    CHECK(a && b);
    OK(clEnqueueSVMMemFill(pick_queue(worker), a, &three, sizeof(three), ITEMS * 4, 0, NULL, &events[0]));
    OK(clSetKernelArgSVMPointer(kernel, 0, a));
    OK(clSetKernelArg(kernel, 1, sizeof(three), &three));
    OK(clEnqueueNDRangeKernel(pick_queue(worker), kernel, 1, NULL, &items, NULL, 1, &events[0], &events[1]));
    cl_command_queue last = pick_queue(worker);
    OK(clEnqueueSVMMemcpy(last, CL_FALSE, b, a, ITEMS * 4, 1, &events[1], &events[2]));
    OK(clEnqueueSVMMap(last, CL_TRUE, CL_MAP_READ, b, ITEMS * 4, 1, &events[2], NULL));
    CHECK(b[0] == 6 && b[ITEMS - 1] == 6);
    OK(clEnqueueSVMUnmap(last, b, 0, NULL, NULL));
    bool called = next(worker) % 2;
    worker->pending += called;
    OK(clEnqueueSVMFree(last, 1, (void *[]){a}, called ? free_called : NULL, worker, 1, &events[2], NULL));
    OK(clFinish(last));
    clSVMFree(context, b);
    for (int i = 0; i < 3; i++)
        OK(clReleaseEvent(events[i]));
    OK(clReleaseKernel(kernel));
}

/* ---- command buffers ---- */

static struct buffer_functions f;
static buffer_handle shared_buffer; /* adds one to tally_mem each time */
static command_handle shared_command;
static cl_mem tally_mem;
static atomic_int num_tallies;

static buffer_handle new_buffer(cl_command_queue on, cl_ulong flags)
{
    cl_int error;
    buffer_handle buffer = f.create(1, &on, (const cl_ulong[]){BUFFER_FLAGS, flags, 0}, &error);
    OK(error);
    return buffer;
}

static void open_buffers(void)
{
    const size_t one = 1;
    const int zero = 0;
    cl_int error;
    NEED(find_buffer_functions(platform, &f));
    tally_mem = buffer_of(0, 4096, NULL);
    OK(clEnqueueFillBuffer(queue, tally_mem, &zero, sizeof(zero), 0, 4096, 0, NULL, NULL));
    OK(clFinish(queue));
    cl_kernel kernel = clCreateKernel(shared, "tally", &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof(tally_mem), &tally_mem));
    shared_buffer = new_buffer(queues[0], BUFFER_MUTABLE);
    OK(f.launch(shared_buffer, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL, NULL, &shared_command));
    OK(f.finalize(shared_buffer));
    OK(clReleaseKernel(kernel));
}

static void close_buffers(void)
{
    int tally = -1;
    OK(clEnqueueReadBuffer(queue, tally_mem, CL_TRUE, 0, sizeof(tally), &tally, 0, NULL, NULL));
    CHECK(tally == num_tallies);
    OK(f.release(shared_buffer));
    OK(clReleaseMemObject(tally_mem));
}

/* The one that all have: enqueued, asked about, and updated to what it was. */
static void use_shared_buffer(struct worker *worker)
{
    cl_uint state;
    const size_t one = 1;
    const struct buffer_arg same = {0, sizeof(tally_mem), &tally_mem};
    const struct buffer_update update = {.command = shared_command, .num_args = 1, .args = &same, .global = &one};
    cl_command_queue on = queues[next(worker) % 2 * 2]; /* those in order */
    OK(f.enqueue(1, &on, shared_buffer, 0, NULL, NULL));
    num_tallies++;
    OK(f.info(shared_buffer, BUFFER_INFO_STATE, sizeof(state), &state, NULL));
    CHECK(state == 1);
    if (next(worker) % 4 == 0)
        OK(f.update(shared_buffer, 1, &(cl_uint){0}, (const void *[]){&update}));
}

static void use_own_buffer(struct worker *worker)
{
    const size_t items = ITEMS;
    const int two = 2;
    int data[ITEMS];
    cl_int error;
    cl_event event;
    cl_uint points[2];
    cl_command_queue on = pick_queue(worker);
    cl_mem mem = buffer_of(0, sizeof(data), NULL), copy = buffer_of(0, sizeof(data), NULL);
    cl_kernel kernel = clCreateKernel(shared, "add", &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(two), &two));
    buffer_handle buffer = new_buffer(on, 0), remapped;
    OK(f.fill(buffer, NULL, NULL, mem, &two, sizeof(two), 0, sizeof(data), 0, NULL, &points[0], NULL));
    OK(f.launch(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, 1, &points[0], &points[1], NULL));
    OK(f.copy(buffer, NULL, NULL, mem, copy, 0, 0, sizeof(data), 1, &points[1], NULL, NULL));
    OK(f.finalize(buffer));
    OK(clReleaseKernel(kernel));
    OK(f.enqueue(0, NULL, buffer, 0, NULL, &event));
    OK(clEnqueueReadBuffer(on, copy, CL_TRUE, 0, sizeof(data), data, 1, &event, NULL));
    CHECK(data[0] == 4 && data[ITEMS - 1] == 4);
    remapped = f.remap(buffer, CL_FALSE, 1, &on, 0, NULL, NULL, &error);
    OK(error);
    OK(f.release(buffer));
    OK(clReleaseEvent(event));
    OK(f.enqueue(0, NULL, remapped, 0, NULL, &event));
    OK(f.release(remapped));
    OK(clEnqueueReadBuffer(on, mem, CL_TRUE, 0, sizeof(data), data, 1, &event, NULL));
    CHECK(data[0] == 4 && data[ITEMS - 1] == 4);
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(copy));
}

/* ---- queues and programs ---- */

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
        unsigned what = next(worker) % 24;
        if (what < 6)
            use_memory(worker);
        else if (what < 10)
            use_own_queue(worker);
        else if (what < 12)
            query();
        else if (what < 14)
            build_own(worker);
        else if (what < 16)
            contend(worker);
        else if (what < 18)
            use_images(worker);
        else if (what < 20)
            use_svm(worker);
        else if (what < 22)
            use_shared_buffer(worker);
        else
            use_own_buffer(worker);
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
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
    open_images();
    open_buffers();
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
    }
    close_images();
    close_buffers();
    OK(clReleaseProgram(shared));
    OK(clReleaseProgram(contended));
    for (int i = 0; i < QUEUES; i++)
        OK(clReleaseCommandQueue(queues[i]));
    printf("%u rounds of %d threads\n", atomic_load(&num_rounds), THREADS);
    return close_device();
}
