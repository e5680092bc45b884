/* Transfers between device memory and pinned memory, as programs that know vendors' drivers write them: the host's side
 * is the pointer of a mapped CL_MEM_ALLOC_HOST_PTR buffer, the memory of a CL_MEM_USE_HOST_PTR one, or shared virtual
 * memory. Run as the device is, and as if the host saw no device memory. */
#include "api_test.h"

enum { SIZE = 4 << 20, LOOPS = 60 };

static unsigned char model[SIZE];

static uint32_t seed = 7;

static uint32_t next_random(uint32_t range)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % range;
}

/* Moves random pieces to and fro and compares everything at the end. */
static void shuffle(cl_command_queue own, unsigned char *host)
{
    static unsigned char host_model[SIZE], back[SIZE];
    cl_mem memory = buffer_of(0, SIZE, NULL);
    for (int i = 0; i < SIZE; i++)
        host[i] = host_model[i] = (unsigned char)next_random(256);
    OK(clEnqueueWriteBuffer(own, memory, CL_FALSE, 0, SIZE, host, 0, NULL, NULL));
    memcpy(model, host_model, SIZE);
    for (int i = 0; i < LOOPS; i++) {
        size_t size = 1 + next_random(i % 4 ? 100000 : SIZE / 2), at = next_random((uint32_t)(SIZE - size)),
               there = next_random((uint32_t)(SIZE - size));
        cl_bool blocking = next_random(4) == 0;
        if (next_random(2)) {
            OK(clEnqueueWriteBuffer(own, memory, blocking, at, size, host + there, 0, NULL, NULL));
            memcpy(model + at, host_model + there, size);
        } else {
            OK(clEnqueueReadBuffer(own, memory, blocking, at, size, host + there, 0, NULL, NULL));
            memcpy(host_model + there, model + at, size);
            CHECK(!blocking || memcmp(host + there, host_model + there, size) == 0);
        }
    }
    OK(clFinish(own));
    CHECK(memcmp(host, host_model, SIZE) == 0);
    OK(clEnqueueReadBuffer(own, memory, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
    CHECK(memcmp(back, model, SIZE) == 0);
    clReleaseMemObject(memory);
}

/* A blocking write of bytes that a read which was not waited for brings. */
static void test_chain(unsigned char *host)
{
    static unsigned char first[SIZE], back[SIZE];
    const size_t sizes[] = {100, 40000, 65536, 300000, SIZE};
    cl_mem a = buffer_of(0, SIZE, NULL), b = buffer_of(0, SIZE, NULL);
    for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
        size_t size = sizes[i / 2];
        for (size_t k = 0; k < size; k++)
            first[k] = (unsigned char)next_random(256);
        OK(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, SIZE, first, 0, NULL, NULL));
        memset(host, 0, SIZE);
        OK(clEnqueueReadBuffer(queue, a, CL_FALSE, 0, size, host, 0, NULL, NULL));
        OK(clEnqueueWriteBuffer(queue, b, i % 2 == 0, 0, size, host, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, size, back, 0, NULL, NULL));
        CHECK(memcmp(back, first, size) == 0);
    }
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

/* The times of a transfer are those of its command, in order. */
static void test_times(cl_command_queue own, unsigned char *host)
{
    cl_mem memory = buffer_of(0, SIZE, NULL);
    cl_event events[2];
    OK(clEnqueueWriteBuffer(own, memory, CL_FALSE, 0, SIZE, host, 0, NULL, &events[0]));
    OK(clEnqueueReadBuffer(own, memory, CL_FALSE, 0, SIZE, host, 1, &events[0], &events[1]));
    OK(clWaitForEvents(2, events));
    const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    const cl_command_type types[] = {CL_COMMAND_WRITE_BUFFER, CL_COMMAND_READ_BUFFER};
    for (int i = 0; i < 2; i++) {
        cl_ulong times[4] = {0};
        cl_command_type type = 0;
        for (size_t k = 0; k < COUNT(names); k++)
            OK(clGetEventProfilingInfo(events[i], names[k], sizeof(times[k]), &times[k], NULL));
        CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3]);
        OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
        CHECK(type == types[i]);
        clReleaseEvent(events[i]);
    }
    clReleaseMemObject(memory);
}

int main(void)
{
    static unsigned char pages[SIZE] __attribute__((aligned(65536))), plain[SIZE];
    open_device(0);
    cl_int error;
    cl_command_queue timed = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    OK(error);
    cl_mem allocated = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, SIZE, NULL, &error);
    OK(error);
    cl_mem used = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, SIZE, pages, &error);
    OK(error);
    unsigned char *map =
        clEnqueueMapBuffer(queue, allocated, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &error);
    OK(error);
    NEED(map);
    unsigned char *hosts[] = {map, pages, plain};
    for (size_t i = 0; i < COUNT(hosts); i++) {
        shuffle(queue, hosts[i]);
        shuffle(timed, hosts[i]);
        test_chain(hosts[i]);
        test_times(timed, hosts[i]);
    }
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    if (shared) {
        OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, shared, SIZE, 0, NULL, NULL));
        shuffle(queue, shared);
        OK(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL));
        OK(clFinish(queue));
        clSVMFree(context, shared);
    }
    OK(clEnqueueUnmapMemObject(queue, allocated, map, 0, NULL, NULL));
    OK(clFinish(queue));
    clReleaseMemObject(allocated);
    clReleaseMemObject(used);
    clReleaseCommandQueue(timed);
    return close_device();
}
