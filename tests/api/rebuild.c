/* Threads build, run and release the same few kernels on one queue, so that equal programs come and go at the same
 * time. Each work-item writes a multiple of its index, which tells whose code ran. Argument: for how many seconds
 * (otherwise a few programs per thread). */
#include "api_test.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 16, KERNELS = 24, ITEMS = 32768, STEPS = 30 };

static time_t end;
static atomic_ulong runs;

static cl_uint factor_of(int kernel)
{
    return (cl_uint)kernel * 4 + 4;
}

static cl_uint count_wrong(const cl_uint *results, cl_uint factor)
{
    cl_uint wrong = 0;
    for (cl_uint i = 0; i < ITEMS; i++)
        wrong += results[i] != i * factor;
    return wrong;
}

static cl_uint build_and_run(cl_mem buffer, cl_uint *results, cl_uint factor)
{
    char text[128];
    const char *source = text;
    snprintf(text, sizeof(text), "kernel void k(global uint *d) { uint i = get_global_id(0); d[i] = i * %uu; }",
             factor);
    cl_int error;
    const size_t items = ITEMS;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, ITEMS * sizeof(*results), results, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    return count_wrong(results, factor);
}

static void *work(void *data)
{
    size_t number = (size_t)data;
    uint32_t random = (uint32_t)number * 12345 + 7;
    cl_int error;
    cl_uint *results = calloc(ITEMS, sizeof(*results));
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(*results), NULL, &error);
    NEED(results && buffer);
    for (int step = 0; end ? time(NULL) < end : step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        cl_uint factor = factor_of((step + (int)(random >> 28) / 6) % KERNELS);
        cl_uint wrong = build_and_run(buffer, results, factor);
        runs++;
        if (wrong) {
            printf("thread %zu, step %d: %u wrong results, those of %u instead of %u\n", number, step, wrong,
                   results[1], factor);
            test_failures++;
        }
    }
    OK(clReleaseMemObject(buffer));
    free(results);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    end = argc > 1 ? time(NULL) + atoi(argv[1]) : 0;
    open_device(0);
    for (size_t i = 0; i < THREADS; i++)
        NEED(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu programs built and run\n", atomic_load(&runs));
    return close_device();
}
