/* Programs that load and unload the library again and again, as a plug-in host does, while another thread uses it. Not
 * linked with the OpenCL loader: the library is opened by its path, and called by the tables of its objects.
 *
 *     api_unload LIBRARY */
#include "check.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 300, ITEMS = 64, LIMIT = 120, SKIPPED = 77 };

/* What every object begins with. */
struct head {
    const cl_icd_dispatch *dispatch;
};
#define OF(object) (((const struct head *)(object))->dispatch)
#define OK(...)    CHECK((__VA_ARGS__) == CL_SUCCESS)

static const char *library;
static atomic_bool stop;
static atomic_uint num_uses;

static void *find(void *handle, const char *name)
{
    void *(*get)(const char *);
    void *address = dlsym(handle, "clGetExtensionFunctionAddress");
    memcpy(&get, &address, sizeof(get));
    return address ? get(name) : NULL;
}

/* The first device, or NULL. */
static cl_device_id find_device(void *handle)
{
    cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *);
    void *address = find(handle, "clIcdGetPlatformIDsKHR");
    cl_platform_id platform;
    cl_device_id device;
    CHECK(address);
    memcpy(&get, &address, sizeof(get));
    if (!address || get(1, &platform, NULL) != CL_SUCCESS ||
        OF(platform)->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return NULL;
    return device;
}

/* From a context to a result, and all of it released. */
static void use(cl_device_id device)
{
    static const char *const source = "kernel void add(global int *io) { io[get_global_id(0)] += 5; }";
    const size_t items = ITEMS;
    int data[ITEMS] = {1, 2, 3};
    cl_int error;
    const cl_icd_dispatch *cl = OF(device);
    cl_context context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    cl_command_queue queue = cl->clCreateCommandQueueWithProperties(context, device, NULL, &error);
    OK(error);
    cl_program program = cl->clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
    OK(cl->clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = cl->clCreateKernel(program, "add", &error);
    OK(error);
    cl_mem mem = cl->clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(data), data, &error);
    OK(error);
    OK(cl->clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(cl->clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    CHECK(data[0] == 6 && data[2] == 8 && data[ITEMS - 1] == 5);
    OK(cl->clReleaseMemObject(mem));
    OK(cl->clReleaseKernel(kernel));
    OK(cl->clReleaseProgram(program));
    OK(cl->clReleaseCommandQueue(queue));
    OK(cl->clReleaseContext(context));
    num_uses++;
}

static void *keep_using(void *device)
{
    while (!atomic_load(&stop))
        use(device);
    return NULL;
}

static void *load(void)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return handle;
}

/* The last handle goes while a thread of ours sleeps in the library's code, and while this one has objects of it. */
static void test_rounds(void)
{
    pthread_t thread;
    bool started = false;
    for (int i = 0; i < ROUNDS; i++) {
        void *handle = load();
        cl_device_id device = find_device(handle);
        if (!device) {
            printf("no device\n");
            exit(SKIPPED);
        }
        if (i % 10 == 0)
            use(device);
        CHECK(dlclose(handle) == 0);
        if (i % 10 == 5)
            use(device); /* unwise, but a thread that is in a call does just that */
        if (i == ROUNDS / 3) {
            CHECK(pthread_create(&thread, NULL, keep_using, device) == 0);
            started = true;
        }
    }
    for (int i = 0; i < 10000 && num_uses < ROUNDS / 5 + 10; i++)
        usleep(1000);
    atomic_store(&stop, true);
    if (started)
        pthread_join(thread, NULL);
    CHECK(num_uses >= ROUNDS / 5 + 10);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    library = argv[1];
    alarm(LIMIT);
    test_rounds();
    return test_result();
}
