/* Buffers with CL_MEM_USE_HOST_PTR, in the application's memory and as a copy in the device's (PUMICE_HOST_PTR): kernels
 * find what was there at their first use, and maps, reads and sub-buffers show what kernels and writes left. */
#include "api_test.h"

enum { WORDS = 1 << 16, BYTES = WORDS * 4, HALF = WORDS / 2 };

static const char source[] = "kernel void step(global uint *words, uint n)\n"
                             "{\n"
                             "    words[get_global_id(0)] = words[get_global_id(0)] * 3 + n;\n"
                             "}\n";

static cl_kernel kernel;
static uint32_t *words;

static void run(cl_mem mem, uint32_t n, size_t items)
{
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(n), &n));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

/* Whether the memory has first + i * step in the words from begin to end. */
static bool has(uint32_t begin, uint32_t end, uint32_t first, uint32_t step)
{
    for (uint32_t i = begin; i < end; i++) {
        if (words[i] != first + i * step)
            return false;
    }
    return true;
}

static void fill(uint32_t step)
{
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * step;
}

static void check_map(cl_mem mem, size_t offset, size_t size, void *expected)
{
    cl_int error;
    void *map = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, offset, size, 0, NULL, NULL, &error);
    CHECK(error == CL_SUCCESS && map == expected);
    OK(clEnqueueUnmapMemObject(queue, mem, map, 0, NULL, NULL));
}

static void test_kernels(bool copied)
{
    cl_int error;
    fill(1);
    cl_mem mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES, words, &error);
    NEED(error == CL_SUCCESS);
    run(mem, 5, WORDS);
    OK(clFinish(queue));
    CHECK(copied ? has(0, WORDS, 0, 1) : has(0, WORDS, 5, 3));
    check_map(mem, 0, BYTES, words);
    CHECK(has(0, WORDS, 5, 3));
    uint32_t *map = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, BYTES / 2, BYTES / 2, 0,
                                       NULL, NULL, &error);
    CHECK(error == CL_SUCCESS && map == words + HALF);
    for (uint32_t i = HALF; i < WORDS; i++)
        words[i] = 7 * i;
    OK(clEnqueueUnmapMemObject(queue, mem, map, 0, NULL, NULL));
    run(mem, 1, WORDS);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    CHECK(has(0, HALF, 16, 9) && has(HALF, WORDS, 1, 21));
    OK(clReleaseMemObject(mem));
    words[3] = 77; /* it is the application's again */
}

static void test_parts(void)
{
    cl_int error;
    const cl_buffer_region region = {BYTES / 2, BYTES / 2};
    const uint32_t pattern = 9;
    fill(2);
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, words, &error);
    NEED(error == CL_SUCCESS);
    cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    NEED(error == CL_SUCCESS);
    check_map(part, 64, 64, words + HALF + 16);
    CHECK(has(0, WORDS, 0, 2));
    run(part, 4, HALF);
    OK(clEnqueueFillBuffer(queue, mem, &pattern, 4, 0, BYTES / 4, 0, NULL, NULL));
    check_map(mem, 0, BYTES, words);
    CHECK(has(0, HALF / 2, 9, 0) && has(HALF / 2, HALF, 0, 2) && has(HALF, WORDS, 4, 6));
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(part));
}

/* One that nothing uses, and one that is only written and read. */
static void test_unused(void)
{
    cl_int error;
    fill(4);
    for (int i = 0; i < 100; i++) {
        cl_mem mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES, words, &error);
        NEED(error == CL_SUCCESS);
        OK(clReleaseMemObject(mem));
    }
    uint32_t *other = malloc(BYTES);
    cl_mem mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, BYTES, words, &error);
    NEED(other && error == CL_SUCCESS);
    memset(other, 0, BYTES);
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, BYTES / 2, other, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, BYTES, other, 0, NULL, NULL));
    CHECK(other[HALF - 1] == 0 && other[HALF] == HALF * 4 && other[WORDS - 1] == (WORDS - 1) * 4);
    OK(clReleaseMemObject(mem));
    free(other);
}

int main(void)
{
    const char *where = getenv("PUMICE_HOST_PTR");
    open_device(0);
    cl_program program = build(source, "");
    kernel = clCreateKernel(program, "step", NULL);
    words = aligned_alloc(4096, BYTES);
    NEED(kernel && words && where);
    test_kernels(!strcmp(where, "device"));
    test_parts();
    test_unused();
    free(words);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return close_device();
}
