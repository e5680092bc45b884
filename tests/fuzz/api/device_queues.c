/* Queues on the device: made, made the default, asked; and the kernels of sources.c that enqueue others, launched with
 * them. */
#include "tests/fuzz/api/api.h"

#include <string.h>

#define ON_DEVICE (CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)

static void make_device_queue(void)
{
    static const cl_queue_properties properties[][5] = {
        {CL_QUEUE_PROPERTIES, ON_DEVICE, 0},
        {CL_QUEUE_PROPERTIES, ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0},
        {CL_QUEUE_PROPERTIES, ON_DEVICE | CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_SIZE, 20000, 0},
        {CL_QUEUE_PROPERTIES, ON_DEVICE, CL_QUEUE_SIZE, 1, 0},
        {CL_QUEUE_PROPERTIES, ON_DEVICE, CL_QUEUE_SIZE, 0, 0},
        {CL_QUEUE_PROPERTIES, ON_DEVICE, CL_QUEUE_SIZE, UINT32_MAX, 0},
        {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0},
        {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT, 0},
        {CL_QUEUE_PROPERTIES, ON_DEVICE, CL_QUEUE_PROPERTIES, ON_DEVICE, 0},
    };
    void *context = api_handle(CONTEXT);
    const cl_queue_properties *chosen = api_chance(3) ? API_PICK(properties) : properties[api_byte() % 3];
    cl_command_queue queue;
    MAKE(queue, clCreateCommandQueueWithProperties, context, api_device(), chosen);
    api_put(QUEUE, queue);
}

static void set_default(void)
{
    void *context = api_handle(CONTEXT);
    cl_device_id device = api_device();
    DO(clSetDefaultDeviceCommandQueue, context, device, api_handle(QUEUE));
}

static void ask(void)
{
    static const cl_command_queue_info names[] = {CL_QUEUE_SIZE, CL_QUEUE_DEVICE_DEFAULT, CL_QUEUE_PROPERTIES,
                                                  CL_QUEUE_PROPERTIES_ARRAY};
    ASK_BY(clGetCommandQueueInfo, clGetCommandQueueInfo, api_handle(QUEUE), API_PICK(names));
}

/* A kernel, a queue for what it enqueues and a queue for itself, since chance alone seldom has all of them. */
static void enqueue_from_kernel(void)
{
    static const cl_queue_properties plain[] = {CL_QUEUE_PROPERTIES, ON_DEVICE, 0};
    void *context = api_run.slots[CONTEXT][0].handle;
    const char *text = api_sources[api_enqueues].text;
    const size_t items = 1u + api_byte() % 4u;
    cl_int number = api_byte();
    cl_command_queue queue;
    cl_kernel kernel;
    cl_program program;
    cl_mem mem = NULL;
    if (!context)
        return;
    MAKE(queue, clCreateCommandQueueWithProperties, context, api_devices[0], plain);
    if (!api_put(QUEUE, queue))
        return;
    void *host_queue = api_handle(QUEUE);
    MAKE(program, clCreateProgramWithSource, context, 1, &text, NULL);
    if (!program)
        return;
    if (DO(clBuildProgram, program, 0, NULL, "-cl-std=CL3.0", NULL, NULL) != CL_SUCCESS)
        fuzz_failed("clBuildProgram", text);
    MAKE(kernel, clCreateKernel, program, "spawn");
    DO(clReleaseProgram, program);
    MAKE(mem, clCreateBuffer, context, 0, 1024, NULL);
    if (kernel && mem && !api_cache_changed) {
        DO(clSetKernelArg, kernel, 0, sizeof(mem), &mem);
        DO(clSetKernelArg, kernel, 1, sizeof(queue), &queue);
        DO(clSetKernelArg, kernel, 2, sizeof(number), &number);
        for (uint32_t n = 2; n; n--)
            ENQUEUE(clEnqueueNDRangeKernel, host_queue, kernel, 1, NULL, &items, NULL);
    }
    if (mem)
        DO(clReleaseMemObject, mem);
    if (kernel)
        DO(clReleaseKernel, kernel);
}

static void (*const calls[])(void) = {make_device_queue, set_default, ask, enqueue_from_kernel};

const struct api_subject api_device_queues = API_SUBJECT(calls, NULL);
