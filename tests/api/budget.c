/* When memory is short: buffers go to the host's memory, what the GPU still uses is waited for, other allocations fail
 * with CL_MEM_OBJECT_ALLOCATION_FAILURE, and everything that exists goes on working.
 *
 * Run with PUMICE_LIMITS=heap=67108864, which takes no more than that from the device. */
#include "api_test.h"

#include <CL/cl_ext.h>
#include <pthread.h>

enum { MIB = 1 << 20, HEAP = 64 * MIB, WORDS = MIB };

static const char *source =
    "kernel void step(global uint *data, uint k) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + k; }\n"
    "kernel void slow(global uint *data) {\n"
    "    uint sum = 0;\n"
    "    for (uint i = 0; i < 2000; i++) sum = sum * 5 + data[(get_global_id(0) + i) % 1024];\n"
    "    data[get_global_id(0)] = sum;\n"
    "}\n";

static clDeviceMemAllocINTEL_fn device_alloc;
static clMemFreeINTEL_fn device_free;
static clSetKernelArgMemPointerINTEL_fn set_pointer;
static cl_program program;

static cl_kernel kernel_of(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    NEED(error == CL_SUCCESS);
    return kernel;
}

/* Four times as much as there is, in buffers that are all written and read. */
static void test_buffers(void)
{
    enum { BUFFERS = 4 * HEAP / (4 * WORDS) };
    static uint32_t words[WORDS];
    cl_mem buffers[BUFFERS];
    cl_kernel kernel = kernel_of("step");
    const size_t count = WORDS;
    for (cl_uint i = 0; i < BUFFERS; i++) {
        buffers[i] = buffer_of(0, sizeof(words), NULL);
        OK(clEnqueueFillBuffer(queue, buffers[i], &i, sizeof(i), 0, sizeof(words), 0, NULL, NULL));
        OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[i]));
        OK(clSetKernelArg(kernel, 1, sizeof(i), &i));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    }
    int wrong = 0;
    for (cl_uint i = 0; i < BUFFERS; i++) {
        OK(clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL));
        for (int k = 0; k < WORDS; k++)
            wrong += words[k] != i * 4;
        clReleaseMemObject(buffers[i]);
    }
    CHECK(wrong == 0);
    clReleaseKernel(kernel);
}

/* Memory that was freed while commands use it is there again when it is needed. */
static void test_waiting(void)
{
    cl_kernel kernel = kernel_of("slow");
    const size_t count = 4096;
    for (int round = 0; round < 10; round++) {
        cl_int error;
        void *memory = device_alloc(context, device, NULL, HEAP / 4 * 3, 0, &error);
        NEED(error == CL_SUCCESS);
        OK(set_pointer(kernel, 0, memory));
        for (int i = 0; i < 4; i++)
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
        if (round % 2)
            OK(clFlush(queue));
        OK(device_free(context, memory));
    }
    OK(clFinish(queue));
    clReleaseKernel(kernel);
}

static cl_mem create_image(size_t size, cl_int *error)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = size, .image_height = size};
    return clCreateImage(context, 0, &format, &desc, NULL, error);
}

/* Allocates until nothing is left. What there is works, and after one piece is freed there is memory again. */
static void test_exhaustion(bool images)
{
    enum { PIECE = HEAP / 16 };
    void *pieces[64];
    int count = 0;
    cl_int error = CL_SUCCESS;
    while (count < 64 && (pieces[count] = device_alloc(context, device, NULL, PIECE, 0, &error)))
        count++;
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
    CHECK(count >= 8 && count <= 16);
    if (images)
        NO_OBJECT(CL_MEM_OBJECT_ALLOCATION_FAILURE, create_image(2048, &error));
    cl_kernel kernel = kernel_of("step");
    const size_t global = PIECE / 4;
    const cl_uint k = 7, five = 5;
    uint32_t word = 0;
    OK(clEnqueueSVMMemFill(queue, pieces[0], &five, 4, PIECE, 0, NULL, NULL));
    OK(set_pointer(kernel, 0, pieces[0]));
    OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, &word, (char *)pieces[0] + PIECE - 4, 4, 0, NULL, NULL));
    CHECK(word == 22);
    OK(device_free(context, pieces[--count]));
    pieces[count] = device_alloc(context, device, NULL, PIECE, 0, &error);
    OK(error);
    while (count >= 0)
        OK(device_free(context, pieces[count--]));
    if (images) { /* needs memory that the pieces had a part in */
        cl_mem image = create_image(2048, &error);
        OK(error);
        clReleaseMemObject(image);
    }
    clReleaseKernel(kernel);
}

/* What is created and not used yet counts: it will have its memory, and who asks for more is told at once. */
static void test_promises(bool images)
{
    enum { BUFFERS = HEAP / (4 * WORDS), MORE = 4 };
    static uint32_t words[WORDS];
    cl_mem buffers[BUFFERS + MORE];
    cl_int error;
    for (int i = 0; i < BUFFERS - 1; i++)
        buffers[i] = buffer_of(0, sizeof(words), NULL);
    if (images)
        NO_OBJECT(CL_MEM_OBJECT_ALLOCATION_FAILURE, create_image(2048, &error));
    for (int i = BUFFERS - 1; i < BUFFERS + MORE; i++)
        buffers[i] = buffer_of(i % 2 ? CL_MEM_COPY_HOST_PTR : 0, sizeof(words), i % 2 ? words : NULL);
    for (cl_uint i = 0; i < BUFFERS + MORE; i++)
        OK(clEnqueueFillBuffer(queue, buffers[i], &i, sizeof(i), 0, sizeof(words), 0, NULL, NULL));
    for (cl_uint i = 0; i < BUFFERS + MORE; i++) {
        OK(clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL));
        CHECK(words[0] == i && words[WORDS - 1] == i);
        clReleaseMemObject(buffers[i]);
    }
    if (images) { /* which is kept from memory that has an address, too */
        const size_t origin[3] = {0}, region[3] = {2048, 2048, 1};
        const cl_uint4 color = {{1, 2, 3, 4}};
        void *pieces[5];
        int count = 0;
        cl_mem image = create_image(2048, &error);
        OK(error);
        while (count < 5 && (pieces[count] = device_alloc(context, device, NULL, HEAP / 4, 0, &error)))
            count++;
        CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
        CHECK(count == 2 || count == 3);
        OK(clEnqueueFillImage(queue, image, &color, origin, region, 0, NULL, NULL));
        OK(clFinish(queue));
        while (count)
            OK(device_free(context, pieces[--count]));
        clReleaseMemObject(image);
    }
    /* Promises that nobody came for end with their objects. */
    for (int i = 0; i < 8 * BUFFERS; i++)
        clReleaseMemObject(buffer_of(0, sizeof(words), NULL));
    if (images) {
        cl_mem image = create_image(2048, &error);
        OK(error);
        clReleaseMemObject(image);
    }
}

struct user {
    cl_mem image;
    cl_command_queue queue;
    pthread_barrier_t *barrier;
    cl_int error;
};

static void *fill_corner(void *data)
{
    struct user *user = data;
    const size_t origin[3] = {0}, region[3] = {16, 16, 1};
    const cl_uint4 color = {{1, 2, 3, 4}};
    pthread_barrier_wait(user->barrier);
    user->error = clEnqueueFillImage(user->queue, user->image, &color, origin, region, 0, NULL, NULL);
    if (user->error == CL_SUCCESS)
        user->error = clFinish(user->queue);
    return NULL;
}

/* There is memory for one such image, and not for two: threads that need it first at the same time get one. */
static void test_first_use_at_once(void)
{
    enum { USERS = 4, ROUNDS = 40 };
    struct user users[USERS];
    pthread_t threads[USERS];
    pthread_barrier_t barrier;
    cl_int error;
    pthread_barrier_init(&barrier, NULL, USERS);
    for (int i = 0; i < USERS; i++) {
        users[i] = (struct user){.barrier = &barrier};
        users[i].queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
        NEED(error == CL_SUCCESS);
    }
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem image = create_image(3000 + (size_t)round, &error);
        OK(error);
        for (int i = 0; i < USERS; i++) {
            users[i].image = image;
            NEED(pthread_create(&threads[i], NULL, fill_corner, &users[i]) == 0);
        }
        for (int i = 0; i < USERS; i++) {
            pthread_join(threads[i], NULL);
            OK(users[i].error);
        }
        clReleaseMemObject(image);
    }
    for (int i = 0; i < USERS; i++)
        clReleaseCommandQueue(users[i].queue);
    pthread_barrier_destroy(&barrier);
}

static cl_ulong largest_allocation(void)
{
    cl_ulong size = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(size), &size, NULL));
    return size;
}

int main(void)
{
    const char *limits = getenv("PUMICE_LIMITS");
    if (!limits || !strstr(limits, "heap=67108864")) {
        printf("PUMICE_LIMITS does not say heap=67108864\n");
        return TEST_SKIPPED;
    }
    open_device(0);
    cl_bool images = CL_FALSE;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    NEED(device_alloc =
             (clDeviceMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL"));
    NEED(device_free = (clMemFreeINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemFreeINTEL"));
    NEED(set_pointer = (clSetKernelArgMemPointerINTEL_fn)clGetExtensionFunctionAddressForPlatform(
             platform, "clSetKernelArgMemPointerINTEL"));
    cl_ulong before = largest_allocation();
    program = build(source, "");
    test_buffers();
    test_promises(images);
    test_waiting();
    test_exhaustion(images);
    if (images)
        test_first_use_at_once();
    test_buffers();
    CHECK(largest_allocation() == before);
    size_t available[2] = {0, 0};
    if (clGetDeviceInfo(device, 0x4039, sizeof(available), available, NULL) == CL_SUCCESS)
        CHECK(available[0] && available[1] && available[1] <= available[0]);
    clReleaseProgram(program);
    return close_device();
}
