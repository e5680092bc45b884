/* One thread uses what another one lets go of or changes meanwhile: maps of one region that have one pointer, kernels'
 * arguments that are released during the launch, and commands that a thread of the driver's goes on with. Argument: how
 * many rounds each thread makes (default 500). */
#include "api_test.h"
#include "command_buffers.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, SIDE = 64, BYTES = SIDE * SIDE * 4 };

static int num_rounds = 500;

static cl_command_queue new_queue(void)
{
    cl_int error;
    cl_command_queue made = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    return made;
}

static void run_threads(void *(*run)(void *data), void *data)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        NEED(pthread_create(&threads[i], NULL, run, data) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- maps: OpenCL 3.0 API, 5.5.4 allows overlapping ones for reading ---- */

struct mapped {
    cl_mem mem;
    bool image;
    cl_event failed; /* what maps wait for that fail */
    atomic_uint turn;
};

static void *map_one(struct mapped *mapped, cl_command_queue on, cl_bool blocking, bool fails, cl_int *error)
{
    const size_t origin[3] = {4, 4, 0}, region[3] = {16, 16, 1};
    size_t pitch;
    cl_event *waits = fails ? &mapped->failed : NULL;
    if (mapped->image)
        return clEnqueueMapImage(on, mapped->mem, blocking, CL_MAP_READ, origin, region, &pitch, NULL, fails, waits,
                                 NULL, error);
    return clEnqueueMapBuffer(on, mapped->mem, blocking, CL_MAP_READ, 64, 1024, fails, waits, NULL, error);
}

static void *map_again_and_again(void *data)
{
    struct mapped *mapped = data;
    cl_command_queue own = new_queue();
    bool fails = atomic_fetch_add(&mapped->turn, 1) % THREADS == 0; /* one thread's maps */
    for (int i = 0; i < num_rounds; i++) {
        cl_int error;
        const unsigned char *map = map_one(mapped, own, fails || i % 2, fails, &error);
        if (fails) {
            CHECK(!map && error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            continue;
        }
        OK(error);
        OK(clFinish(own));
        CHECK(map && map[0] == 7 && map[63] == 7);
        OK(clEnqueueUnmapMemObject(own, mapped->mem, (void *)map, 0, NULL, NULL));
    }
    OK(clFinish(own));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

static void test_maps(cl_mem mem, bool image)
{
    struct mapped mapped = {.mem = mem, .image = image, .failed = user_event()};
    cl_uint count = 99;
    OK(clSetUserEventStatus(mapped.failed, -5));
    run_threads(map_again_and_again, &mapped);
    OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
    CHECK(count == 0);
    OK(clReleaseEvent(mapped.failed));
    OK(clReleaseMemObject(mem));
}

static cl_mem image_of_sevens(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    const cl_uint sevens[4] = {7, 7, 7, 7};
    const size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
    cl_int error;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
    OK(error);
    OK(clEnqueueFillImage(queue, image, sevens, origin, region, 0, NULL, NULL));
    OK(clFinish(queue));
    return image;
}

static void *map_svm(void *data)
{
    cl_command_queue own = new_queue();
    cl_event failed = user_event();
    OK(clSetUserEventStatus(failed, -5));
    for (int i = 0; i < num_rounds; i++) {
        OK(clEnqueueSVMMap(own, CL_TRUE, CL_MAP_READ, data, 1024, 0, NULL, NULL));
        CHECK(((unsigned char *)data)[1023] == 7);
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
             clEnqueueSVMMap(own, CL_TRUE, CL_MAP_READ, data, 1024, 1, &failed, NULL));
        OK(clEnqueueSVMUnmap(own, data, 0, NULL, NULL));
    }
    OK(clFinish(own));
    OK(clReleaseEvent(failed));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

static void test_all_maps(void)
{
    unsigned char sevens[BYTES];
    cl_device_svm_capabilities svm = 0;
    cl_bool images = CL_FALSE;
    memset(sevens, 7, sizeof(sevens));
    test_maps(buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(sevens), sevens), false);
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    if (images)
        test_maps(image_of_sevens(), true);
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
    if (!svm)
        return;
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    NEED(memory);
    OK(clEnqueueSVMMemFill(queue, memory, sevens, 4, BYTES, 0, NULL, NULL));
    OK(clFinish(queue));
    run_threads(map_svm, memory);
    clSVMFree(context, memory);
}

/* A map that fails is none: nobody has its pointer. OpenCL 3.0 API, 5.2.4 and 5.3.4 */
static void test_failed_map(void)
{
    struct mapped mapped = {.failed = user_event()};
    OK(clSetUserEventStatus(mapped.failed, -5));
    for (int i = 0; i < 4; i++) {
        cl_uint count = 99;
        cl_int error;
        mapped.image = i % 2;
        mapped.mem = mapped.image ? image_of_sevens() : buffer_of(0, BYTES, NULL);
        void *good = i / 2 ? map_one(&mapped, queue, CL_TRUE, false, &error) : NULL;
        CHECK(!map_one(&mapped, queue, CL_TRUE, true, &error));
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, error);
        OK(clGetMemObjectInfo(mapped.mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
        CHECK(count == (cl_uint)(i / 2));
        if (good)
            OK(clEnqueueUnmapMemObject(queue, mapped.mem, good, 0, NULL, NULL));
        OK(clReleaseMemObject(mapped.mem));
    }
    OK(clReleaseEvent(mapped.failed));
}

/* ---- arguments ---- */

static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n"
                             "kernel void i(write_only image2d_t a) { write_imageui(a, (int2)(0, 0), 1); }\n";

static _Atomic(cl_mem) current; /* for the other thread to release */
static atomic_bool stop;

static void *release_again_and_again(void *data)
{
    (void)data;
    while (!atomic_load(&stop)) {
        cl_mem mem = atomic_exchange(&current, NULL);
        if (mem)
            OK(clReleaseMemObject(mem));
    }
    return NULL;
}

static bool is_answer(cl_int code)
{
    return code == CL_SUCCESS || code == CL_INVALID_KERNEL_ARGS;
}

/* Launches while the argument may be released, or records the launch and runs it. */
static void launch(cl_kernel kernel, const struct buffer_functions *f)
{
    const size_t one = 1;
    cl_int error;
    if (!f) {
        CHECK(is_answer(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL)));
        return;
    }
    buffer_handle buffer = f->create(1, &queue, NULL, &error);
    OK(error);
    error = f->launch(buffer, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL, NULL, NULL);
    CHECK(is_answer(error));
    OK(f->finalize(buffer));
    if (error == CL_SUCCESS)
        OK(f->enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(f->release(buffer));
}

static void test_arguments(cl_kernel kernel, bool image, const struct buffer_functions *f)
{
    pthread_t thread;
    atomic_store(&stop, false);
    NEED(pthread_create(&thread, NULL, release_again_and_again, NULL) == 0);
    for (int i = 0; i < num_rounds; i++) {
        cl_mem mem = image ? image_of_sevens() : buffer_of(0, 1 << 16, NULL);
        OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        atomic_store(&current, mem);
        for (int k = 0; k < 20 && (k == 0 || atomic_load(&current)); k++)
            launch(kernel, f);
        launch(kernel, f);
        while (atomic_load(&current))
            ;
        if (i % 64 == 0)
            OK(clFinish(queue));
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
}

static void test_all_arguments(void)
{
    cl_bool images = CL_FALSE;
    struct buffer_functions f;
    cl_program program = build(source, "");
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    test_arguments(clCreateKernel(program, "k", NULL), false, NULL);
    if (images)
        test_arguments(clCreateKernel(program, "i", NULL), true, NULL);
    if (find_buffer_functions(platform, &f))
        test_arguments(clCreateKernel(program, "k", NULL), false, &f);
    OK(clReleaseProgram(program));
}

/* ---- clFinish() while a thread of the driver's goes on with commands that a user event held back ---- */

static void test_finish(cl_command_queue_properties flags)
{
    enum { HELD = 6 };
    cl_int error, value = 3;
    cl_command_queue own = clCreateCommandQueue(context, device, flags, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = clCreateBuffer(context, 0, BYTES, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (int i = 0; i < num_rounds * 8; i++) {
        cl_event gates[HELD], done[HELD];
        for (int k = 0; k < HELD; k++) {
            gates[k] = user_event();
            OK(clEnqueueFillBuffer(own, mem, &value, 4, 0, 64, 1, &gates[k], &done[k]));
        }
        OK(clFlush(own));
        for (int k = 0; k < HELD; k++) {
            OK(clSetUserEventStatus(gates[k], CL_COMPLETE));
            for (volatile int spin = i % 20 * 200; spin; spin--) /* each wakes a thread, some 30 us later */
                ;
        }
        OK(clFinish(own));
        for (int k = 0; k < HELD; k++) {
            CHECK(event_status(done[k]) == CL_COMPLETE);
            OK(clReleaseEvent(gates[k]));
            OK(clReleaseEvent(done[k]));
        }
    }
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(own));
}

/* ---- the first use of an object that has no memory yet ---- */

struct first {
    cl_mem buffer, image;
    pthread_mutex_t lock;
    pthread_cond_t all_there;
    unsigned count; /* of threads that are there */
};

/* Waits for the other threads; gives each a number. */
static unsigned meet(struct first *first)
{
    pthread_mutex_lock(&first->lock);
    unsigned number = first->count++;
    if (first->count == THREADS)
        pthread_cond_broadcast(&first->all_there);
    while (first->count < THREADS)
        pthread_cond_wait(&first->all_there, &first->lock);
    pthread_mutex_unlock(&first->lock);
    return number;
}

static void *use_first(void *data)
{
    struct first *first = data;
    cl_command_queue own = new_queue();
    unsigned number = meet(first), words[16];
    const size_t part = sizeof(words), origin[3] = {0, number, 0}, region[3] = {16, 1, 1};
    for (int i = 0; i < 16; i++)
        words[i] = number + 1;
    OK(clEnqueueWriteBuffer(own, first->buffer, CL_FALSE, number * part, part, words, 0, NULL, NULL));
    if (first->image)
        OK(clEnqueueWriteImage(own, first->image, CL_FALSE, origin, region, 0, 0, words, 0, NULL, NULL));
    OK(clFinish(own));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

static void check_rows(const unsigned *got)
{
    for (unsigned i = 0; i < 16 * THREADS; i++)
        CHECK(got[i] == i / 16 + 1);
}

/* What each thread writes is there: all have got the same memory. */
static void test_first_uses(void)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = THREADS};
    const size_t origin[3] = {0}, region[3] = {16, THREADS, 1};
    unsigned got[16 * THREADS];
    cl_bool images = CL_FALSE;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    struct first first = {.lock = PTHREAD_MUTEX_INITIALIZER, .all_there = PTHREAD_COND_INITIALIZER};
    for (int i = 0; i < num_rounds / 10; i++) {
        cl_int error = CL_SUCCESS;
        first.buffer = buffer_of(0, i % 2 ? sizeof(got) : 20 << 20, NULL);
        first.image = images ? clCreateImage(context, 0, &format, &desc, NULL, &error) : NULL;
        OK(error);
        first.count = 0;
        run_threads(use_first, &first);
        OK(clEnqueueReadBuffer(queue, first.buffer, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
        check_rows(got);
        if (images)
            OK(clEnqueueReadImage(queue, first.image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
        check_rows(got);
        clReleaseMemObject(first.buffer);
        if (images)
            clReleaseMemObject(first.image);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        num_rounds = atoi(argv[1]);
    open_device(0);
    test_failed_map();
    test_all_maps();
    test_first_uses();
    test_all_arguments();
    test_finish(0);
    test_finish(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    return close_device();
}
