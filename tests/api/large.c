/* One buffer of many GiB: kernels write it, check every element and sum it up, and it is copied, filled, read and
 * written at places that 32 bits do not reach. The argument is its size in MiB; where the device has not got twice
 * that, the test is skipped. "largest": commands of the largest buffer there is, where that is no more than 4 GiB. */
#include "api_test.h"

#define MIB ((cl_ulong)1 << 20)

static const char source[] =
    "ulong value_of(ulong i, ulong seed) { return i * 0x9E3779B97F4A7C15UL + seed; }\n"
    "kernel void write_all(global ulong *data, ulong seed)\n"
    "{\n"
    "    data[get_global_id(0)] = value_of(get_global_id(0), seed);\n"
    "}\n"
    "kernel void sum_all(global const ulong *data, ulong count, ulong seed, global ulong *sums, global ulong *wrong)\n"
    "{\n"
    "    ulong sum = 0, bad = 0;\n"
    "    for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {\n"
    "        sum += data[i];\n"
    "        bad += data[i] != value_of(i, seed);\n"
    "    }\n"
    "    sums[get_global_id(0)] = sum;\n"
    "    wrong[get_global_id(0)] = bad;\n"
    "}\n"
    "kernel void around(global ulong4 *out, ulong first)\n"
    "{\n"
    "    ulong id = get_global_id(0), i = id - first;\n"
    "    if (i < 1024)\n"
    "        out[i] += (ulong4)(id, get_global_linear_id(), get_group_id(0), get_global_offset(0));\n"
    "}\n";

enum { ITEMS = 1 << 16, AROUND = 512 };

static cl_ulong size, count;
static cl_kernel write_all, sum_all;

static cl_ulong value_of(cl_ulong i, cl_ulong seed)
{
    return i * 0x9E3779B97F4A7C15ull + seed;
}

/* Modulo 2^64; one of two neighbours is even, so that half their product is exact. */
static cl_ulong expected_sum(cl_ulong seed)
{
    cl_ulong pairs = count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1);
    return pairs * 0x9E3779B97F4A7C15ull + count * seed;
}

static cl_ulong device_info(cl_device_info name)
{
    cl_ulong value = 0;
    OK(clGetDeviceInfo(device, name, sizeof(value), &value, NULL));
    return value;
}

static void write_values(cl_mem buffer, cl_ulong seed)
{
    const size_t items = count;
    OK(clSetKernelArg(write_all, 0, sizeof(buffer), &buffer));
    OK(clSetKernelArg(write_all, 1, sizeof(seed), &seed));
    OK(clEnqueueNDRangeKernel(queue, write_all, 1, NULL, &items, NULL, 0, NULL, NULL));
}

/* How many elements are not what they should be, by the device; and whether their sum is the one that is expected. */
static cl_ulong check_values(cl_mem buffer, cl_ulong seed)
{
    static cl_ulong sums[ITEMS], wrong[ITEMS];
    const size_t items = ITEMS;
    cl_mem parts[2] = {buffer_of(0, sizeof(sums), NULL), buffer_of(0, sizeof(wrong), NULL)};
    OK(clSetKernelArg(sum_all, 0, sizeof(buffer), &buffer));
    OK(clSetKernelArg(sum_all, 1, sizeof(count), &count));
    OK(clSetKernelArg(sum_all, 2, sizeof(seed), &seed));
    OK(clSetKernelArg(sum_all, 3, sizeof(cl_mem), &parts[0]));
    OK(clSetKernelArg(sum_all, 4, sizeof(cl_mem), &parts[1]));
    OK(clEnqueueNDRangeKernel(queue, sum_all, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, parts[0], CL_TRUE, 0, sizeof(sums), sums, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, parts[1], CL_TRUE, 0, sizeof(wrong), wrong, 0, NULL, NULL));
    cl_ulong sum = 0, bad = 0;
    for (int i = 0; i < ITEMS; i++) {
        sum += sums[i];
        bad += wrong[i];
    }
    CHECK((sum == expected_sum(seed)) == (bad == 0));
    OK(clReleaseMemObject(parts[0]));
    OK(clReleaseMemObject(parts[1]));
    return bad;
}

/* The host's own look at a place, around which there are at least 8 elements on each side. */
static void check_place(cl_mem buffer, cl_ulong element, cl_ulong seed)
{
    cl_ulong words[16];
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, (size_t)(element - 8) * 8, sizeof(words), words, 0, NULL, NULL));
    int wrong = 0;
    for (cl_ulong i = 0; i < 16; i++)
        wrong += words[i] != value_of(element - 8 + i, seed);
    CHECK(wrong == 0);
    if (wrong) /* which element has this value: the factor's inverse tells */
        fprintf(stderr, "%d of 16 words at element %llu are wrong, the first is that of element %llu\n", wrong,
                (unsigned long long)(element - 8), (unsigned long long)((words[0] - seed) * 0xF1DE83E19937733Dull));
}

static void test_transfers(cl_mem buffer, cl_ulong seed)
{
    const cl_ulong middle = count / 2 + 5, ones = ~(cl_ulong)0;
    cl_ulong words[64];
    for (int i = 0; i < 64; i++)
        words[i] = value_of(middle + (cl_ulong)i, seed);
    OK(clEnqueueFillBuffer(queue, buffer, &ones, sizeof(ones), (size_t)middle * 8, sizeof(words), 0, NULL, NULL));
    CHECK(check_values(buffer, seed) == 64);
    OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, (size_t)middle * 8, sizeof(words), words, 0, NULL, NULL));
    CHECK(check_values(buffer, seed) == 0);

    /* a sub-buffer that begins in the last quarter, and a map of the last page */
    cl_int error;
    const cl_buffer_region region = {(size_t)(size / 4 * 3), 4096};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    OK(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL));
    CHECK(words[0] == value_of(region.origin / 8, seed) && words[63] == value_of(region.origin / 8 + 63, seed));
    OK(clReleaseMemObject(part));
    cl_ulong *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, (size_t)(size - 4096), 4096,
                                       0, NULL, NULL, &error);
    OK(error);
    NEED(map);
    CHECK(map[511] == value_of(count - 1, seed));
    map[511] = 1;
    OK(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
    CHECK(check_values(buffer, seed) == 1);
}

/* A range of more than 2^32 work-items: each around that number runs once, and knows who it is. */
static void test_vast_range(cl_program program)
{
    cl_int error;
    static cl_ulong got[2 * AROUND][4];
    size_t offset = 5, local = 1024, limit = 0, global = ((size_t)1 << 32) + 4096;
    cl_ulong first = offset + ((cl_ulong)1 << 32) - AROUND;
    cl_kernel around = clCreateKernel(program, "around", &error);
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL));
    local = limit < local ? 64 : local;
    cl_mem out = buffer_of(0, sizeof(got), NULL);
    cl_ulong zero = 0;
    OK(clEnqueueFillBuffer(queue, out, &zero, sizeof(zero), 0, sizeof(got), 0, NULL, NULL));
    OK(clSetKernelArg(around, 0, sizeof(out), &out));
    OK(clSetKernelArg(around, 1, sizeof(first), &first));
    OK(clEnqueueNDRangeKernel(queue, around, 1, &offset, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    for (cl_ulong i = 0; i < 2 * AROUND; i++) {
        cl_ulong index = first + i - offset;
        CHECK(got[i][0] == first + i && got[i][1] == index && got[i][2] == index / local && got[i][3] == offset);
    }
    size_t three = 3, uneven = ((size_t)1 << 32) + 2;
    CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, around, 1, NULL, &uneven, &three, 0, NULL, NULL));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(around));
}

static cl_uint last_word(cl_mem mem, size_t bytes)
{
    cl_uint word = 0;
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, bytes - 4, 4, &word, 0, NULL, NULL));
    return word;
}

/* Commands of exactly CL_DEVICE_MAX_MEM_ALLOC_SIZE bytes: drivers count some of them in 32 bits. */
static int test_largest(size_t bytes)
{
    const cl_uint words[] = {0x12345678, 0x9abcdef0, 3, 4, 5, 6, 7, 8};
    const size_t zero[3] = {0, 0, 0}, rows[3] = {bytes / 1024, 1024, 1};
    cl_mem from = buffer_of(0, bytes, NULL), to = buffer_of(0, bytes, NULL);
    OK(clEnqueueFillBuffer(queue, from, words, 4, 0, bytes, 0, NULL, NULL));
    CHECK(last_word(from, bytes) == words[0]);
    OK(clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, NULL));
    CHECK(last_word(to, bytes) == words[0]);
    OK(clEnqueueFillBuffer(queue, from, words, 32, 0, bytes, 0, NULL, NULL));
    CHECK(last_word(from, bytes) == words[7]);
    OK(clEnqueueCopyBufferRect(queue, from, to, zero, zero, rows, 0, 0, 0, 0, 0, NULL, NULL));
    CHECK(last_word(to, bytes) == words[7]);
    OK(clEnqueueFillBuffer(queue, to, words, 1, 1, bytes - 1, 0, NULL, NULL));
    CHECK(last_word(to, bytes) == 0x78787878);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    return close_device();
}

int main(int argc, char **argv)
{
    cl_int error;
    size = (argc > 1 ? strtoull(argv[1], NULL, 10) : 64) * MIB;
    count = size / 8;
    open_device(0);
    cl_ulong largest = device_info(CL_DEVICE_MAX_MEM_ALLOC_SIZE), memory = device_info(CL_DEVICE_GLOBAL_MEM_SIZE);
    CHECK(largest >= (memory / 4 < 1024 * MIB ? memory / 4 : 1024 * MIB)); /* OpenCL 3.0 API, table 5 */
    bool commands = argc > 1 && !strcmp(argv[1], "largest");
    if (commands)
        size = largest;
    if ((commands && largest > 4096 * MIB) || largest < size || memory / 20 * 19 < 2 * size) {
        printf("%llu MiB in one buffer, %llu in all: too little for two of %llu\n", (unsigned long long)(largest / MIB),
               (unsigned long long)(memory / MIB), (unsigned long long)(size / MIB));
        OK(clReleaseCommandQueue(queue));
        OK(clReleaseContext(context));
        return test_failures ? 1 : TEST_SKIPPED;
    }
    if (commands)
        return test_largest((size_t)largest);
    cl_program program = build(source, "-cl-std=CL3.0");
    write_all = clCreateKernel(program, "write_all", &error);
    sum_all = clCreateKernel(program, "sum_all", &error);
    NEED(write_all && sum_all);

    cl_mem first = buffer_of(0, (size_t)size, NULL), second = buffer_of(0, (size_t)size, NULL);
    write_values(first, 11);
    CHECK(check_values(first, 11) == 0);
    for (cl_ulong at = 8; at < count - 8; at += count / 10)
        check_place(first, at, 11);
    check_place(first, count - 8, 11);
    OK(clEnqueueCopyBuffer(queue, first, second, 0, 0, (size_t)size, 0, NULL, NULL));
    write_values(first, 22); /* while the copy may still run */
    CHECK(check_values(second, 11) == 0);
    CHECK(check_values(first, 22) == 0);
    test_transfers(second, 11);
    CHECK(check_values(first, 22) == 0);
    OK(clReleaseMemObject(first));
    OK(clReleaseMemObject(second));
    char extensions[8192];
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    if (argc == 1 && strstr(extensions, "cl_khr_int64_base_atomics")) /* it takes others minutes (SwiftShader) */
        test_vast_range(program);
    OK(clReleaseKernel(write_all));
    OK(clReleaseKernel(sum_all));
    OK(clReleaseProgram(program));
    return close_device();
}
