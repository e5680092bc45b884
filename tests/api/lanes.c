/* Large transfers of several queues, and of out-of-order queues, which may run beside kernels: their order and their
 * events are what the queues promise. Run as the device is, and with PUMICE_LANES=own, by which any device has them. */
#include "api_test.h"

#include <pthread.h>

enum { SIZE = 3 << 20, WORDS = SIZE / 4, THREADS = 4 };

static cl_program program;

/* A queue of the test's, with all that one thread needs. */
struct player {
    cl_command_queue queue;
    bool out_of_order;
    cl_mem memory, allocated;
    cl_kernel kernel;
    cl_int *pinned, *plain; /* SIZE bytes each */
    cl_int *model, *pinned_model, *plain_model;
    cl_event last; /* of an out-of-order queue */
    uint32_t seed;
};

static uint32_t next_random(struct player *p, uint32_t range)
{
    p->seed = p->seed * 1664525u + 1013904223u;
    return (p->seed >> 8) % range;
}

static void begin(struct player *p, cl_command_queue_properties properties, uint32_t seed)
{
    cl_int error;
    *p = (struct player){.seed = seed, .out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    p->queue = clCreateCommandQueue(context, device, properties, &error);
    OK(error);
    p->memory = buffer_of(0, SIZE, NULL);
    p->allocated = buffer_of(CL_MEM_ALLOC_HOST_PTR, SIZE, NULL);
    p->kernel = clCreateKernel(program, "add", &error);
    OK(error);
    p->pinned =
        clEnqueueMapBuffer(p->queue, p->allocated, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &error);
    OK(error);
    NEED(p->pinned);
    p->plain = malloc(SIZE);
    p->model = calloc(1, SIZE);
    p->pinned_model = malloc(SIZE);
    p->plain_model = malloc(SIZE);
    for (int i = 0; i < WORDS; i++) {
        p->pinned[i] = p->pinned_model[i] = (cl_int)next_random(p, 1000000);
        p->plain[i] = p->plain_model[i] = (cl_int)next_random(p, 1000000);
    }
    OK(clEnqueueWriteBuffer(p->queue, p->memory, CL_TRUE, 0, SIZE, p->model, 0, NULL, NULL));
}

static void end(struct player *p)
{
    OK(clEnqueueUnmapMemObject(p->queue, p->allocated, p->pinned, 0, NULL, NULL));
    OK(clFinish(p->queue));
    clReleaseMemObject(p->memory);
    clReleaseMemObject(p->allocated);
    clReleaseKernel(p->kernel);
    clReleaseCommandQueue(p->queue);
    free(p->plain);
    free(p->model);
    free(p->pinned_model);
    free(p->plain_model);
}

/* Gives the next command what it waits for, and takes its event: by events, barriers or markers in turn. */
static cl_uint chain(struct player *p, cl_event *wait)
{
    if (!p->out_of_order || !p->last)
        return 0;
    *wait = p->last;
    switch (next_random(p, 4)) {
    case 0:
        OK(clEnqueueBarrierWithWaitList(p->queue, 0, NULL, NULL));
        return 0;
    case 1:
        OK(clEnqueueMarkerWithWaitList(p->queue, 0, NULL, wait));
        clReleaseEvent(p->last);
        p->last = *wait;
        return 1;
    default:
        return 1;
    }
}

static void took(struct player *p, cl_event event)
{
    if (p->last)
        clReleaseEvent(p->last);
    p->last = event;
}

static void step(struct player *p)
{
    cl_event wait = NULL, event = NULL;
    cl_uint count = chain(p, &wait);
    cl_event *ask = p->out_of_order || next_random(p, 2) ? &event : NULL;
    const cl_event *waits = count ? &wait : NULL;
    cl_int one = 1 + (cl_int)next_random(p, 100), zero = 0;
    size_t size = next_random(p, 4) ? (1u << 20) + 4 * next_random(p, 500000) : 4 + 4 * next_random(p, 30000);
    size_t at = 4 * next_random(p, (uint32_t)(SIZE - size) / 4 + 1),
           there = 4 * next_random(p, (uint32_t)(SIZE - size) / 4 + 1);
    size_t global = size / 4, offset = at / 4;
    bool pinned = next_random(p, 2);
    cl_int *host = (pinned ? p->pinned : p->plain) + there / 4;
    cl_int *host_model = (pinned ? p->pinned_model : p->plain_model) + there / 4;
    cl_bool blocking = next_random(p, 8) == 0;
    switch (next_random(p, 5)) {
    case 0:
    case 1:
        OK(clEnqueueWriteBuffer(p->queue, p->memory, blocking, at, size, host, count, waits, ask));
        memcpy((char *)p->model + at, host_model, size);
        break;
    case 2:
    case 3:
        OK(clEnqueueReadBuffer(p->queue, p->memory, blocking, at, size, host, count, waits, ask));
        memcpy(host_model, (char *)p->model + at, size);
        CHECK(!blocking || memcmp(host, host_model, size) == 0);
        break;
    default:
        OK(clSetKernelArg(p->kernel, 0, sizeof(p->memory), &p->memory));
        OK(clSetKernelArg(p->kernel, 1, sizeof(one), &one));
        OK(clSetKernelArg(p->kernel, 2, sizeof(zero), &zero));
        OK(clEnqueueNDRangeKernel(p->queue, p->kernel, 1, &offset, &global, NULL, count, waits, ask));
        for (size_t i = 0; i < global; i++)
            p->model[offset + i] += one;
    }
    if (p->out_of_order)
        took(p, event);
    else if (event)
        clReleaseEvent(event);
    if (next_random(p, 10) == 0)
        OK(clFlush(p->queue));
}

static void compare(struct player *p)
{
    OK(clFinish(p->queue));
    took(p, NULL);
    CHECK(memcmp(p->pinned, p->pinned_model, SIZE) == 0);
    CHECK(memcmp(p->plain, p->plain_model, SIZE) == 0);
    OK(clEnqueueReadBuffer(p->queue, p->memory, CL_TRUE, 0, SIZE, p->plain, 0, NULL, NULL));
    CHECK(memcmp(p->plain, p->model, SIZE) == 0);
    memcpy(p->plain_model, p->plain, SIZE);
}

static void *play(void *data)
{
    struct player *p = data;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 40; i++)
            step(p);
        compare(p);
    }
    return NULL;
}

static void test_threads(void)
{
    struct player players[THREADS];
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++)
        begin(&players[i],
              (i & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0) | (i & 2 ? CL_QUEUE_PROFILING_ENABLE : 0), 99 + i);
    for (int i = 0; i < THREADS; i++)
        NEED(pthread_create(&threads[i], NULL, play, &players[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        end(&players[i]);
    }
}

/* In an out-of-order queue a transfer that waits for the program does not stand in the way of one that the program
 * waits for. */
static void test_user_event(void)
{
    struct player p;
    begin(&p, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 5);
    for (int pinned = 0; pinned < 2; pinned++) {
        cl_int error, *host = pinned ? p.pinned : p.plain;
        cl_event user = clCreateUserEvent(context, &error), first, kernel;
        cl_mem other = buffer_of(0, SIZE, NULL);
        cl_int one = 1, zero = 0;
        size_t global = WORDS;
        OK(error);
        OK(clEnqueueFillBuffer(p.queue, p.memory, &zero, sizeof(zero), 0, SIZE, 0, NULL, NULL));
        OK(clFinish(p.queue));
        OK(clSetKernelArg(p.kernel, 0, sizeof(p.memory), &p.memory));
        OK(clSetKernelArg(p.kernel, 1, sizeof(one), &one));
        OK(clSetKernelArg(p.kernel, 2, sizeof(zero), &zero));
        OK(clEnqueueNDRangeKernel(p.queue, p.kernel, 1, NULL, &global, NULL, 1, &user, &kernel));
        OK(clEnqueueReadBuffer(p.queue, p.memory, CL_FALSE, 0, SIZE, host, 1, &kernel, &first));
        OK(clEnqueueWriteBuffer(p.queue, other, CL_TRUE, 0, SIZE, p.model, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(p.queue, other, CL_TRUE, 0, SIZE, p.model, 0, NULL, NULL));
        OK(clSetUserEventStatus(user, CL_COMPLETE));
        OK(clWaitForEvents(1, &first));
        CHECK(host[0] == 1 && host[WORDS - 1] == 1);
        clReleaseEvent(user);
        clReleaseEvent(first);
        clReleaseEvent(kernel);
        clReleaseMemObject(other);
    }
    end(&p);
}

/* What one queue brings another takes over, by events alone and without flushing by the program between them. */
static void test_relay(void)
{
    struct player p, r;
    begin(&p, 0, 11);
    begin(&r, 0, 12);
    cl_int one = 1, zero = 0, first = 7;
    size_t global = WORDS;
    for (int i = 0; i < 12; i++) {
        cl_event up, done, down;
        cl_int *host = i % 2 ? p.pinned : p.plain;
        for (int k = 0; k < WORDS; k++)
            host[k] = first + k;
        OK(clEnqueueWriteBuffer(p.queue, p.memory, CL_FALSE, 0, SIZE, host, 0, NULL, &up));
        OK(clSetKernelArg(r.kernel, 0, sizeof(p.memory), &p.memory));
        OK(clSetKernelArg(r.kernel, 1, sizeof(one), &one));
        OK(clSetKernelArg(r.kernel, 2, sizeof(zero), &zero));
        OK(clEnqueueNDRangeKernel(r.queue, r.kernel, 1, NULL, &global, NULL, 1, &up, &done));
        OK(clEnqueueReadBuffer(p.queue, p.memory, CL_FALSE, 0, SIZE, r.pinned, 1, &done, &down));
        OK(clFlush(r.queue));
        OK(clFlush(p.queue));
        OK(clWaitForEvents(1, &down));
        cl_int status = 1;
        OK(clGetEventInfo(up, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        CHECK(status == CL_COMPLETE);
        bool right = true;
        for (int k = 0; k < WORDS; k++)
            right &= r.pinned[k] == first + k + 1;
        CHECK(right);
        clReleaseEvent(up);
        clReleaseEvent(done);
        clReleaseEvent(down);
        first += 1000;
    }
    end(&p);
    end(&r);
}

/* A queue may be released while its transfers are under way; their events tell when they have ended. */
static void test_release(void)
{
    struct player p;
    begin(&p, 0, 21);
    for (int i = 0; i < 8; i++) {
        cl_int error;
        cl_command_queue brief =
            clCreateCommandQueue(context, device, i & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
        OK(error);
        cl_event event;
        cl_int *host = i & 2 ? p.pinned : p.plain;
        memset(host, i, SIZE);
        OK(clEnqueueWriteBuffer(brief, p.memory, CL_FALSE, 0, SIZE, host, 0, NULL, &event));
        clReleaseCommandQueue(brief);
        OK(clWaitForEvents(1, &event));
        clReleaseEvent(event);
        OK(clEnqueueReadBuffer(p.queue, p.memory, CL_TRUE, 0, SIZE, p.model, 0, NULL, NULL));
        CHECK(memcmp(p.model, host, SIZE) == 0);
    }
    end(&p);
}

int main(void)
{
    open_device(0);
    struct test_device opened = {.platform = platform, .id = device, .context = context, .queue = queue};
    program = test_build_source(&opened,
                                "kernel void add(global int *a, int n, int unused) { a[get_global_id(0)] += n; }", "");
    NEED(program);
    test_threads();
    test_user_event();
    test_relay();
    test_release();
    clReleaseProgram(program);
    return close_device();
}
