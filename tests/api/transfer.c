/* OpenCL 3.0 API, 5.2.2 to 5.2.4: reading, writing, copying, filling, rectangles and maps. */
#include "api_test.h"

#define SIZE 65536

static unsigned char expected[SIZE], back[SIZE];

static cl_mem fresh(cl_mem_flags flags)
{
    for (int i = 0; i < SIZE; i++)
        expected[i] = (unsigned char)(i * 31 + (i >> 8));
    return buffer_of(flags | CL_MEM_COPY_HOST_PTR, SIZE, expected);
}

static void compare(cl_mem mem, const char *what)
{
    memset(back, 0xee, sizeof(back));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
    for (int i = 0; i < SIZE; i++) {
        if (back[i] == expected[i])
            continue;
        printf("%s: byte %d is %02x instead of %02x\n", what, i, back[i], expected[i]);
        test_failures++;
        return;
    }
}

static void test_errors(void)
{
    cl_mem mem = fresh(0), hidden = buffer_of(CL_MEM_HOST_NO_ACCESS, 64, NULL);
    cl_mem to_read = buffer_of(CL_MEM_HOST_READ_ONLY, 64, NULL), to_write = buffer_of(CL_MEM_HOST_WRITE_ONLY, 64, NULL);
    CODE(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, mem, CL_TRUE, SIZE, 1, back, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, SIZE + 1, back, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, mem, CL_TRUE, SIZE_MAX, 2, back, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 16, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 16, back, 1, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, hidden, CL_TRUE, 0, 16, back, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, to_write, CL_TRUE, 0, 16, back, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, hidden, CL_TRUE, 0, 16, back, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, to_read, CL_TRUE, 0, 16, back, 0, NULL, NULL));
    NO_OBJECT(CL_INVALID_OPERATION,
              clEnqueueMapBuffer(queue, to_read, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_OPERATION,
              clEnqueueMapBuffer(queue, to_write, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, mem, CL_TRUE, 1u << 9, 0, 16, 0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE,
              clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, SIZE + 1, 0, NULL, NULL, &error));
    CODE(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, mem, back, 0, NULL, NULL));
    CODE(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, mem, mem, 0, 8, 16, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, mem, hidden, 0, 0, 65, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, mem, back, 3, 0, 12, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, mem, back, 4, 2, 12, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, mem, NULL, 4, 0, 12, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL));
    OK(clEnqueueMigrateMemObjects(queue, 1, &mem, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    clReleaseMemObject(mem);
    clReleaseMemObject(hidden);
    clReleaseMemObject(to_read);
    clReleaseMemObject(to_write);
}

static void test_linear(void)
{
    cl_mem mem = fresh(0);
    unsigned char piece[333];
    memset(piece, 0x5a, sizeof(piece));
    for (size_t offset = 1; offset < 60000; offset += 9973) {
        OK(clEnqueueWriteBuffer(queue, mem, offset % 2 ? CL_FALSE : CL_TRUE, offset, sizeof(piece), piece, 0, NULL,
                                NULL));
        memcpy(expected + offset, piece, sizeof(piece));
    }
    compare(mem, "write");
    OK(clEnqueueCopyBuffer(queue, mem, mem, 3, 30001, 1003, 0, NULL, NULL));
    memcpy(expected + 30001, expected + 3, 1003);
    compare(mem, "copy");
    for (size_t size = 1, offset = 128; size <= 128; size *= 2, offset += 1024) {
        unsigned char pattern[128];
        for (size_t i = 0; i < size; i++)
            pattern[i] = (unsigned char)(size + i * 3);
        OK(clEnqueueFillBuffer(queue, mem, pattern, size, offset, 512 + size, 0, NULL, NULL));
        for (size_t i = 0; i < 512 + size; i++)
            expected[offset + i] = pattern[i % size];
    }
    OK(clEnqueueFillBuffer(queue, mem, "abcd", 1, 20001, 7, 0, NULL, NULL));
    memset(expected + 20001, 'a', 7);
    compare(mem, "fill");
    clReleaseMemObject(mem);
}

static void test_rects(void)
{
    cl_mem mem = fresh(0), other = buffer_of(0, SIZE, NULL);
    unsigned char host[10 * 10 * 10];
    size_t origin[3] = {5, 2, 1}, host_origin[3] = {1, 2, 3}, region[3] = {7, 5, 4};
    for (size_t i = 0; i < sizeof(host); i++)
        host[i] = (unsigned char)(i * 3);
    OK(clEnqueueWriteBufferRect(queue, mem, CL_TRUE, origin, host_origin, region, 20, 400, 10, 100, host, 0, NULL,
                                NULL));
    for (size_t z = 0; z < 4; z++)
        for (size_t y = 0; y < 5; y++)
            memcpy(expected + (z + 1) * 400 + (y + 2) * 20 + 5, host + (z + 3) * 100 + (y + 2) * 10 + 1, 7);
    compare(mem, "write rect");

    unsigned char read[10 * 10 * 10];
    memset(read, 0, sizeof(read));
    OK(clEnqueueReadBufferRect(queue, mem, CL_TRUE, origin, host_origin, region, 20, 400, 10, 100, read, 0, NULL,
                               NULL));
    for (size_t z = 0; z < 4; z++)
        for (size_t y = 0; y < 5; y++)
            CHECK(memcmp(read + (z + 3) * 100 + (y + 2) * 10 + 1, host + (z + 3) * 100 + (y + 2) * 10 + 1, 7) == 0);
    CHECK(read[0] == 0);

    size_t to[3] = {0, 10, 2};
    OK(clEnqueueCopyBuffer(queue, mem, other, 0, 0, SIZE, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(queue, mem, other, origin, to, region, 20, 400, 32, 1024, 0, NULL, NULL));
    unsigned char before[SIZE];
    memcpy(before, expected, SIZE);
    for (size_t z = 0; z < 4; z++)
        for (size_t y = 0; y < 5; y++)
            memcpy(expected + (z + 2) * 1024 + (y + 10) * 32, before + (z + 1) * 400 + (y + 2) * 20 + 5, 7);
    compare(other, "copy rect");

    size_t near[3] = {6, 2, 1}, apart[3] = {12, 2, 1}, nothing[3] = {0, 1, 1};
    CODE(CL_MEM_COPY_OVERLAP,
         clEnqueueCopyBufferRect(queue, mem, mem, origin, near, region, 20, 400, 20, 400, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(queue, mem, mem, origin, apart, region, 20, 400, 20, 400, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyBufferRect(queue, mem, other, origin, to, nothing, 0, 0, 0, 0, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyBufferRect(queue, mem, other, origin, to, region, 6, 0, 0, 0, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, mem, CL_TRUE, origin, host_origin, region, 20, 410, 10, 100,
                                                   read, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, mem, CL_TRUE, origin, host_origin, region, SIZE / 3, 0, 10,
                                                   100, read, 0, NULL, NULL));
    /* Products that wrap around 64 bits; and the pitch of a single row, which may be any. */
    size_t far = (size_t)1 << 62, zero[3] = {0, 0, 0}, four[3] = {8, 4, 1}, deep[3] = {8, 1, 4}, single[3] = {8, 1, 1},
           second[3] = {8, 0, 0};
    CODE(CL_INVALID_VALUE,
         clEnqueueReadBufferRect(queue, mem, CL_TRUE, zero, zero, four, far, 0, 0, 0, read, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE,
         clEnqueueReadBufferRect(queue, mem, CL_TRUE, zero, zero, four, 0, 0, far * 2, 0, read, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE,
         clEnqueueWriteBufferRect(queue, mem, CL_TRUE, zero, zero, deep, 0, far, 0, 0, read, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyBufferRect(queue, mem, other, zero, zero, deep, 0, 0, 0, far, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(queue, mem, mem, zero, second, single, far * 2, far * 2, far * 2, far * 2, 0, NULL,
                               NULL));
    CODE(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(queue, mem, mem, zero, zero, single, SIZE_MAX, SIZE_MAX, SIZE_MAX,
                                                      SIZE_MAX, 0, NULL, NULL));
    clReleaseMemObject(mem);
    clReleaseMemObject(other);
}

/* A small blocking write takes its bytes and comes back, though the queue waits for an event that is set only later. */
static void test_taken(void)
{
    const size_t to[3] = {3, 2, 0}, from[3] = {1, 1, 0}, region[3] = {40, 5, 2};
    uint8_t bytes[64 * 16], given[sizeof(bytes)], back[2048] = {0};
    cl_event gate = user_event();
    cl_mem buffer = buffer_of(CL_MEM_READ_WRITE, sizeof(back), NULL);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = given[i] = (uint8_t)(i * 7 + i / 64);
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
    OK(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, to, from, region, 64, 64 * 8, 64, 64 * 8, bytes, 0, NULL,
                                NULL));
    memset(bytes, 0, sizeof(bytes));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++)
            CHECK(memcmp(back + (z * 8 + y + 2) * 64 + 3, given + (z * 8 + y + 1) * 64 + 1, region[0]) == 0);
    }
    OK(clReleaseMemObject(buffer));
}

static void test_maps(cl_mem_flags flags, void *host)
{
    cl_int error;
    cl_mem mem = buffer_of(flags, SIZE, host);
    for (int i = 0; i < SIZE; i++)
        expected[i] = (unsigned char)(i * 13);
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, SIZE, expected, 0, NULL, NULL));
    unsigned char *a =
        clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 100, 1000, 0, NULL, NULL, &error);
    OK(error);
    unsigned char *b = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 5000, 1000, 0, NULL, NULL, &error);
    OK(error);
    NEED(a && b);
    if (host)
        CHECK(a == (unsigned char *)host + 100 && b == (unsigned char *)host + 5000);
    cl_uint count;
    OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
    CHECK(count == 2);
    CHECK(memcmp(a, expected + 100, 1000) == 0 && memcmp(b, expected + 5000, 1000) == 0);
    memset(a, 0x77, 1000);
    memset(expected + 100, 0x77, 1000);
    OK(clEnqueueUnmapMemObject(queue, mem, a, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(queue, mem, b, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, mem, b, 0, NULL, NULL));
    a = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 3000, 50, 0, NULL, NULL, &error);
    OK(error);
    NEED(a);
    memset(a, 0x11, 50);
    memset(expected + 3000, 0x11, 50);
    OK(clEnqueueUnmapMemObject(queue, mem, a, 0, NULL, NULL));
    compare(mem, "map");
    OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
    CHECK(count == 0);

    /* non-blocking, ordered by events, and never unmapped */
    cl_event mapped;
    a = clEnqueueMapBuffer(queue, mem, CL_FALSE, CL_MAP_READ, 3000, 50, 0, NULL, &mapped, &error);
    OK(error);
    OK(clWaitForEvents(1, &mapped));
    CHECK(a && a[49] == 0x11);
    cl_command_type type;
    OK(clGetEventInfo(mapped, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_MAP_BUFFER);
    OK(clReleaseEvent(mapped));
    OK(clFinish(queue));
    clReleaseMemObject(mem);
}

int main(void)
{
    static unsigned char aligned[SIZE] __attribute__((aligned(4096))), odd[SIZE + 1];
    open_device(0);
    test_errors();
    test_linear();
    test_rects();
    test_taken();
    test_maps(0, NULL);
    test_maps(CL_MEM_ALLOC_HOST_PTR, NULL);
    test_maps(CL_MEM_USE_HOST_PTR, aligned);
    test_maps(CL_MEM_USE_HOST_PTR, odd + 1);
    return close_device();
}
