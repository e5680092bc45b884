/* What buffers, images and program-scope variables are created with: creating them waits for nothing that the device
 * does, and every command finds the contents, whichever queue is the first to use the object. */
#include "command_buffers.h"
#include "image_test.h"

#include <pthread.h>
#include <time.h>

enum { SIDE = 32, BYTES = SIDE * SIDE * 4, ROW = SIDE * 4, THREADS = 4 };

static const size_t zero[3], whole[3] = {SIDE, SIDE, 1}, quarter[3] = {SIDE / 2, SIDE / 2, 1};
static uint8_t bytes[BYTES];
static cl_command_queue other;

static cl_mem new_image(void)
{
    const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, SIDE, SIDE, 0);
    fill_random(bytes, sizeof(bytes));
    return image_of(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &ints, &desc, bytes);
}

static cl_mem new_buffer(void)
{
    fill_random(bytes, sizeof(bytes));
    return buffer_of(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(bytes), bytes);
}

static bool reads_image(cl_command_queue on, cl_mem image, const uint8_t *expected)
{
    uint8_t back[BYTES] = {0};
    OK(clEnqueueReadImage(on, image, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    return memcmp(back, expected, sizeof(back)) == 0;
}

static bool reads_buffer(cl_command_queue on, cl_mem buffer, const uint8_t *expected)
{
    uint8_t back[BYTES] = {0};
    OK(clEnqueueReadBuffer(on, buffer, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    return memcmp(back, expected, sizeof(back)) == 0;
}

/* ---- while the device has much to do ---- */

static const char *const busy =
    "kernel void k(global uint *out, uint rounds)"
    "{ uint x = 1; for (uint i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u + i % 7u;"
    "  out[0] = x; }";

static const char *const adds = "kernel void k(global uint *words, read_only image2d_t image, global uint4 *out)"
                                "{ int i = get_global_id(0);"
                                "  out[i] = read_imageui(image, (int2)(i, 1)) + words[i]; }";

static const char *const variables = "global uint table[64] = {7, 8, 9};"
                                     "kernel void k(global uint *out) { out[0] = table[0]; out[1] = table[2]++; }";

static cl_event launch_busy(cl_kernel kernel, cl_mem out, cl_uint rounds)
{
    const size_t one = 1;
    cl_event event;
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    OK(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds));
    OK(clEnqueueNDRangeKernel(other, kernel, 1, NULL, &one, &one, 0, NULL, &event));
    OK(clFlush(other));
    return event;
}

static void create_and_release(void)
{
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, SIDE, SIDE, 0);
    for (int i = 0; i < 50; i++) {
        desc.image_width = (size_t)(SIDE - i % 8);
        OK(clReleaseMemObject(image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &ints, &desc, bytes)));
        OK(clReleaseMemObject(image_of(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, &ints, &desc, bytes)));
        OK(clReleaseMemObject(new_buffer()));
    }
}

/* More than may wait for commands; and the last ones come first. */
static void test_much(void)
{
    enum { LARGE = 1024, MANY = 70 };
    static uint32_t texels[LARGE * LARGE];
    cl_mem images[MANY];
    const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, LARGE, LARGE, 0);
    const size_t one[3] = {1, 1, 1};
    for (int i = 0; i < MANY; i++) {
        texels[0] = (uint32_t)i + 1;
        images[i] = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &ints, &desc, texels);
    }
    for (int i = MANY - 1; i >= 0; i--) {
        uint32_t texel = 0;
        OK(clEnqueueReadImage(queue, images[i], CL_TRUE, zero, one, 0, 0, &texel, 0, NULL, NULL));
        CHECK(texel == (uint32_t)i + 1);
        OK(clReleaseMemObject(images[i]));
    }
}

static double time_busy(cl_kernel kernel, cl_mem out, cl_uint rounds)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    cl_event event = launch_busy(kernel, out, rounds);
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* How many of the kernel's rounds take some seconds. The first launch takes its time for the pipeline, and any may lose
 * the processor for a while, so the least of three counts. */
static cl_uint rounds_of_seconds(cl_kernel kernel, cl_mem out)
{
    cl_uint rounds = 1 << 20;
    time_busy(kernel, out, 1);
    for (double least = 0; least < 0.2 && rounds < 1 << 28; rounds *= 2) {
        least = time_busy(kernel, out, rounds);
        for (int i = 0; i < 2 && least >= 0.2; i++) {
            double again = time_busy(kernel, out, rounds);
            least = again < least ? again : least;
        }
    }
    return rounds * 15; /* of 2^28 at most */
}

/* The pipeline is there before, so that only the device keeps the objects waiting. Whether it was busy until they were
 * made. */
static bool test_busy(void)
{
    uint8_t texels[BYTES];
    cl_mem out = buffer_of(CL_MEM_READ_WRITE, 16, NULL), image, buffer;
    cl_kernel kernel = kernel_of(busy, "");
    cl_event event = launch_busy(kernel, out, rounds_of_seconds(kernel, out));
    create_and_release();
    image = new_image();
    memcpy(texels, bytes, BYTES);
    buffer = new_buffer();
    bool was_busy = event_status(event) != CL_COMPLETE;
    CHECK(reads_image(queue, image, texels) && reads_buffer(queue, buffer, bytes));
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(out));
    return was_busy;
    OK(clReleaseKernel(kernel));
}

/* ---- the first command ---- */

static void put_quarter(uint8_t *to, const uint8_t *texels)
{
    for (size_t y = 0; y < SIDE / 2; y++)
        memcpy(to + y * ROW, texels + y * ROW / 2, ROW / 2);
}

/* What writes a part leaves the rest as it was given. */
static void test_parts(void)
{
    uint8_t texels[BYTES / 4], expected[BYTES];
    const cl_uint colour[4] = {1, 2, 3, 4};
    cl_mem image = new_image();
    fill_random(texels, sizeof(texels));
    memcpy(expected, bytes, BYTES);
    put_quarter(expected, texels);
    OK(clEnqueueWriteImage(queue, image, CL_FALSE, zero, quarter, 0, 0, texels, 0, NULL, NULL));
    CHECK(reads_image(queue, image, expected));
    OK(clReleaseMemObject(image));

    image = new_image();
    memcpy(expected, bytes, BYTES);
    for (size_t i = 0; i < sizeof(texels); i++)
        texels[i] = (uint8_t)(i % 4 + 1);
    put_quarter(expected, texels);
    OK(clEnqueueFillImage(queue, image, colour, zero, quarter, 0, NULL, NULL));
    CHECK(reads_image(queue, image, expected));
    OK(clReleaseMemObject(image));

    cl_mem buffer = new_buffer();
    memcpy(expected, bytes, BYTES);
    memset(expected + 100, 7, 200);
    OK(clEnqueueFillBuffer(queue, buffer, &(uint8_t){7}, 1, 100, 200, 0, NULL, NULL));
    CHECK(reads_buffer(queue, buffer, expected));
    OK(clReleaseMemObject(buffer));
}

static void test_maps(void)
{
    size_t pitch;
    cl_int error;
    cl_mem image = new_image(), buffer;
    uint8_t *map =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, whole, &pitch, NULL, 0, NULL, NULL, &error);
    NEED(map);
    for (size_t y = 0; y < SIDE; y++)
        CHECK(memcmp(map + y * pitch, bytes + y * ROW, ROW) == 0);
    OK(clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL));
    OK(clReleaseMemObject(image));

    buffer = new_buffer();
    map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 64, 64, 0, NULL, NULL, &error);
    NEED(map);
    memset(map, 3, 64);
    memset(bytes + 64, 3, 64);
    OK(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(reads_buffer(other, buffer, bytes));
    OK(clReleaseMemObject(buffer));
}

static void test_kernels(void)
{
    const size_t size = SIDE;
    cl_uint sums[SIDE][4];
    cl_int error;
    cl_kernel kernel = kernel_of(adds, "");
    cl_mem words = new_buffer(), out = buffer_of(CL_MEM_READ_WRITE, sizeof(sums), NULL), image;
    uint32_t first[SIDE];
    memcpy(first, bytes + 128, sizeof(first));
    cl_mem part = clCreateSubBuffer(words, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION,
                                    &(cl_buffer_region){128, sizeof(first)}, &error);
    if (error == CL_MISALIGNED_SUB_BUFFER_OFFSET) {
        part = words;
        OK(clRetainMemObject(words));
        memcpy(first, bytes, sizeof(first));
    }
    image = new_image();
    OK(clReleaseMemObject(words));
    OK(clSetKernelArg(kernel, 0, sizeof(part), &part));
    OK(clSetKernelArg(kernel, 1, sizeof(image), &image));
    OK(clSetKernelArg(kernel, 2, sizeof(out), &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(sums), sums, 0, NULL, NULL));
    for (size_t i = 0; i < SIDE; i++) {
        for (size_t c = 0; c < 4; c++)
            CHECK(sums[i][c] == bytes[ROW + 4 * i + c] + first[i]);
    }
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

static void test_image_of_buffer(void)
{
    cl_mem buffer = new_buffer();
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, 64, 0, 0);
    uint8_t texels[256];
    const size_t region[3] = {64, 1, 1};
    desc.mem_object = buffer;
    cl_mem image = image_of(CL_MEM_READ_ONLY, &ints, &desc, NULL);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
    CHECK(memcmp(texels, bytes, sizeof(texels)) == 0);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
}

/* Each is the first user of one object, and the second of the other's. */
static void test_queues(void)
{
    uint8_t a[BYTES], b[BYTES], back[4][BYTES];
    cl_mem image = new_image(), buffer;
    memcpy(a, bytes, BYTES);
    buffer = new_buffer();
    memcpy(b, bytes, BYTES);
    memset(back, 0, sizeof(back));
    OK(clEnqueueReadImage(queue, image, CL_FALSE, zero, whole, 0, 0, back[0], 0, NULL, NULL));
    OK(clEnqueueReadBuffer(other, buffer, CL_FALSE, 0, BYTES, back[1], 0, NULL, NULL));
    OK(clEnqueueReadImage(other, image, CL_FALSE, zero, whole, 0, 0, back[2], 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES, back[3], 0, NULL, NULL));
    OK(clFinish(other)); /* which may be submitted before the one that was told first */
    OK(clFinish(queue));
    CHECK(memcmp(back[0], a, BYTES) == 0 && memcmp(back[2], a, BYTES) == 0);
    CHECK(memcmp(back[1], b, BYTES) == 0 && memcmp(back[3], b, BYTES) == 0);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
}

struct shared {
    cl_mem image, buffer;
    uint8_t texels[BYTES], words[BYTES];
};

static void *read_both(void *data)
{
    struct shared *shared = data;
    cl_int error;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    CHECK(reads_image(own, shared->image, shared->texels) && reads_buffer(own, shared->buffer, shared->words));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

static void test_threads(void)
{
    static struct shared shared;
    for (int i = 0; i < 20; i++) {
        pthread_t threads[THREADS];
        shared.image = new_image();
        memcpy(shared.texels, bytes, BYTES);
        shared.buffer = new_buffer();
        memcpy(shared.words, bytes, BYTES);
        for (int k = 0; k < THREADS; k++)
            NEED(pthread_create(&threads[k], NULL, read_both, &shared) == 0);
        for (int k = 0; k < THREADS; k++)
            pthread_join(threads[k], NULL);
        OK(clReleaseMemObject(shared.image));
        OK(clReleaseMemObject(shared.buffer));
    }
}

/* A command buffer that was recorded before anything used the objects. */
static void test_recorded(void)
{
    struct buffer_functions f;
    cl_int error;
    if (!find_buffer_functions(platform, &f))
        return;
    uint8_t a[BYTES], b[BYTES];
    cl_mem image = new_image(), image_copy, buffer, buffer_copy;
    memcpy(a, bytes, BYTES);
    image_copy = new_image();
    buffer = new_buffer();
    memcpy(b, bytes, BYTES);
    buffer_copy = new_buffer();
    buffer_handle recorded = f.create(1, &queue, NULL, &error);
    NEED(error == CL_SUCCESS);
    OK(f.copy_image(recorded, NULL, NULL, image, image_copy, zero, zero, quarter, 0, NULL, NULL, NULL));
    OK(f.copy(recorded, NULL, NULL, buffer, buffer_copy, 0, 0, BYTES, 0, NULL, NULL, NULL));
    OK(f.finalize(recorded));
    OK(f.enqueue(0, NULL, recorded, 0, NULL, NULL));
    uint8_t texels[BYTES];
    OK(clEnqueueReadImage(queue, image_copy, CL_TRUE, zero, quarter, ROW, 0, texels, 0, NULL, NULL));
    for (size_t y = 0; y < SIDE / 2; y++)
        CHECK(memcmp(texels + y * ROW, a + y * ROW, ROW / 2) == 0);
    CHECK(reads_buffer(queue, buffer_copy, b) && reads_image(queue, image, a));
    OK(f.release(recorded));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(image_copy));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(buffer_copy));
}

static void test_variables(void)
{
    const size_t one = 1;
    uint32_t words[2] = {0, 0};
    cl_kernel kernel = kernel_of(variables, "-cl-std=CL3.0");
    cl_mem out = buffer_of(CL_MEM_READ_WRITE, sizeof(words), NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    for (uint32_t i = 0; i < 3; i++) {
        cl_command_queue on = i % 2 ? other : queue;
        OK(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(on, out, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL));
        CHECK(words[0] == 7 && words[1] == 9 + i);
    }
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

/* An image that was used is given to a new object with other contents, or with none. */
static void test_kept(void)
{
    for (int i = 0; i < 8; i++) {
        cl_mem image = new_image();
        if (i % 3)
            CHECK(reads_image(i % 2 ? queue : other, image, bytes));
        OK(clReleaseMemObject(image));
    }
}

/* A thread may get no processor while the kernel runs; it is not likely to happen each time. */
static void test_while_busy(void)
{
    enum { TRIES = 5 };
    int tries = 0;
    while (tries < TRIES && !test_busy())
        tries++;
    CHECK(tries < TRIES);
}

int main(void)
{
    cl_int error;
    open_images(0);
    other = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    test_parts();
    test_maps();
    test_kernels();
    test_image_of_buffer();
    test_queues();
    test_threads();
    test_recorded();
    test_variables();
    test_kept();
    test_much();
    test_while_busy();
    OK(clFinish(other));
    OK(clReleaseCommandQueue(other));
    return close_device();
}
