/* Buffers with CL_MEM_USE_HOST_PTR, in the application's memory and as a copy in the device's (PUMICE_HOST_PTR): kernels
 * find what was there at their first use, and maps, reads and sub-buffers show what kernels and writes left. Those with
 * CL_MEM_ALLOC_HOST_PTR lie in the device's memory if kernels or writes come before maps, and in the host's else. */
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

/* What is mapped, for reading, has first + i * step. The pointer stays good for looking at what lies there. */
static volatile uint32_t *look(cl_mem mem, size_t offset, size_t size, uint32_t first, uint32_t step)
{
    cl_int error;
    uint32_t *map = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, offset, size, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    bool right = true;
    for (uint32_t i = 0; i < size / 4; i++)
        right = right && map[i] == first + i * step;
    CHECK(right);
    OK(clEnqueueUnmapMemObject(queue, mem, map, 0, NULL, NULL));
    return map;
}

static void overwrite(cl_mem mem, size_t offset, size_t size, uint32_t step)
{
    cl_int error;
    uint32_t *map = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, offset, size, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (uint32_t i = 0; i < size / 4; i++)
        map[i] = i * step;
    OK(clEnqueueUnmapMemObject(queue, mem, map, 0, NULL, NULL));
}

/* first: what comes first. hidden: the host does not see the device's memory, so that maps copy if the buffer is
 * there. */
static void test_allocated(const char *first, bool hidden)
{
    enum { LARGE = 40 << 20 };
    cl_int error;
    size_t size = !strcmp(first, "large") ? LARGE : BYTES;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL, &error);
    NEED(error == CL_SUCCESS);
    const uint32_t zero = 0;
    fill(1);
    if (!strcmp(first, "write"))
        OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    else if (!strcmp(first, "fill"))
        OK(clEnqueueFillBuffer(queue, mem, &zero, 4, 0, BYTES, 0, NULL, NULL));
    else if (!strcmp(first, "map"))
        overwrite(mem, 0, size, 3);
    else
        run(mem, 0, 64); /* whatever lies there */
    bool copied = hidden && strcmp(first, "map") != 0;
    overwrite(mem, 0, size, 1);
    run(mem, 5, WORDS);
    volatile uint32_t *seen = look(mem, 0, BYTES, 5, 3);
    look(mem, BYTES / 2, BYTES / 2, 5 + 3 * HALF, 3);
    run(mem, 1, WORDS);
    OK(clFinish(queue));
    CHECK(seen[1] == (copied ? 8 : 25));
    look(mem, 0, BYTES, 16, 9);
    overwrite(mem, BYTES / 2, BYTES / 2, 7);
    run(mem, 1, WORDS);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    CHECK(has(0, HALF, 49, 27) && words[HALF] == 1 && words[HALF + 1] == 22 && words[WORDS - 1] == (HALF - 1) * 21 + 1);
    OK(clReleaseMemObject(mem));
}

/* A pointer that is mapped first stays one that transfers come by. */
static void test_pinned(void)
{
    cl_int error;
    cl_mem pinned = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &error);
    cl_mem mem = clCreateBuffer(context, 0, BYTES, NULL, &error);
    NEED(pinned && mem);
    uint32_t *map =
        clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (uint32_t i = 0; i < WORDS; i++)
        map[i] = i;
    OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, BYTES, map, 0, NULL, NULL));
    run(mem, 5, WORDS);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, BYTES, map, 0, NULL, NULL));
    CHECK(map[1] == 8 && map[WORDS - 1] == (WORDS - 1) * 3 + 5);
    OK(clEnqueueUnmapMemObject(queue, pinned, map, 0, NULL, NULL));
    run(pinned, 1, WORDS);
    look(pinned, 0, BYTES, 16, 9);
    OK(clReleaseMemObject(pinned));
    OK(clReleaseMemObject(mem));
}

int main(void)
{
    const char *disabled = getenv("PUMICE_DISABLE");
    const char *where = getenv("PUMICE_HOST_PTR");
    open_device(0);
    cl_program program = build(source, "");
    kernel = clCreateKernel(program, "step", NULL);
    words = aligned_alloc(4096, BYTES);
    NEED(kernel && words && where);
    test_kernels(!strcmp(where, "device"));
    test_parts();
    test_unused();
    cl_bool unified = CL_FALSE;
    OK(clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(unified), &unified, NULL));
    bool hidden = !strcmp(where, "device") && (!unified || (disabled && strstr(disabled, "device_map")));
    test_allocated("kernel", hidden);
    test_allocated("write", hidden);
    test_allocated("fill", hidden);
    test_allocated("large", hidden);
    test_allocated("map", hidden);
    test_pinned();
    free(words);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return close_device();
}
