/* OpenCL 3.0 API, 3.3.1 and 5.2: one context over several devices. Buffers follow the commands from device to device,
 * with events as the only order, behind user events too. Skipped where the platform has one device. */
#include "api_test.h"

#define SIZE 4096

static cl_device_id devices[8];
static cl_command_queue queues[8];
static cl_uint num_devices;

static const char *source = "kernel void step(global int *data, int k) { data[get_global_id(0)] = "
                            "data[get_global_id(0)] * 3 + k; }\n";

static void open_all(void)
{
    cl_int error;
    find_device();
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, COUNT(devices), devices, &num_devices));
    num_devices = num_devices < COUNT(devices) ? num_devices : (cl_uint)COUNT(devices);
    if (num_devices < 2)
        exit(77);
    context = clCreateContext(NULL, num_devices, devices, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (cl_uint i = 0; i < num_devices; i++) {
        queues[i] =
            clCreateCommandQueue(context, devices[i], i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
        NEED(error == CL_SUCCESS);
    }
}

/* The buffer goes round the devices; each step waits for the one before by an event. */
static void test_rounds(cl_kernel kernel, cl_mem mem, int *expected, bool gated)
{
    enum { STEPS = 24 };
    cl_event done[STEPS], gate = user_event();
    size_t count = SIZE / 4;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    for (int k = 0; k < STEPS; k++) {
        OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
        const cl_event *wait = k ? &done[k - 1] : &gate;
        OK(clEnqueueNDRangeKernel(queues[(cl_uint)k % num_devices], kernel, 1, NULL, &count, NULL, k || gated ? 1 : 0,
                                  k || gated ? wait : NULL, &done[k]));
        for (size_t i = 0; i < count; i++)
            expected[i] = (int)((unsigned)expected[i] * 3 + (unsigned)k);
    }
    if (gated)
        CHECK(event_status(done[STEPS - 1]) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(STEPS, done));
    int back[SIZE / 4];
    for (cl_uint d = 0; d < num_devices; d++) {
        memset(back, 0, sizeof(back));
        OK(clEnqueueReadBuffer(queues[d], mem, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
        CHECK(memcmp(back, expected, SIZE) == 0);
    }
    for (int k = 0; k < STEPS; k++)
        clReleaseEvent(done[k]);
    clReleaseEvent(gate);
}

static void test_maps(cl_mem mem, int *expected)
{
    cl_int error;
    for (cl_uint d = 0; d < num_devices; d++) {
        int *map =
            clEnqueueMapBuffer(queues[d], mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64, 64, 0, NULL, NULL, &error);
        OK(error);
        NEED(map);
        CHECK(memcmp(map, expected + 16, 64) == 0);
        map[3] = expected[19] = (int)d * 1000;
        OK(clEnqueueUnmapMemObject(queues[d], mem, map, 0, NULL, NULL));
        OK(clFinish(queues[d]));
    }
    OK(clEnqueueMigrateMemObjects(queues[0], 1, &mem, 0, 0, NULL, NULL));
    OK(clFinish(queues[0]));
    int back[SIZE / 4];
    OK(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
    CHECK(memcmp(back, expected, SIZE) == 0);
}

int main(void)
{
    open_all();
    cl_program program = build(source, "");
    cl_kernel kernel = clCreateKernel(program, "step", NULL);
    NEED(kernel);
    cl_mem_flags flags[] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    for (size_t f = 0; f < COUNT(flags); f++) {
        static int host[SIZE / 4] __attribute__((aligned(4096)));
        int expected[SIZE / 4];
        for (int i = 0; i < SIZE / 4; i++)
            host[i] = expected[i] = i;
        cl_mem mem = buffer_of(flags[f], SIZE, host);
        test_rounds(kernel, mem, expected, false);
        test_rounds(kernel, mem, expected, true);
        test_maps(mem, expected);
        clReleaseMemObject(mem);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    for (cl_uint i = 0; i < num_devices; i++) {
        OK(clFinish(queues[i]));
        clReleaseCommandQueue(queues[i]);
    }
    return close_device();
}
