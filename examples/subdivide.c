/* Kernels that enqueue kernels: the Mandelbrot set by subdivision, as a PNG: subdivide [out.png]. The host launches
 * four squares; their descendants fill the picture. It is compared with the one that has every pixel computed. */
#include "common.h"
#include "picture.h"

#include <stdlib.h>

enum { WIDTH = 512, FIRST = 256, LIMIT = 512 };

/* Where get_default_queue() finds what kernels enqueue. */
static cl_command_queue make_default_queue(struct example *example)
{
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        0};
    cl_int error;
    cl_command_queue queue = clCreateCommandQueueWithProperties(example->context, example->device, properties, &error);
    CHECK(error);
    return queue;
}

static void set_numbers(cl_kernel kernel, cl_uint first, const cl_int *numbers, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        CHECK(clSetKernelArg(kernel, first + i, sizeof(cl_int), &numbers[i]));
}

static void colour(const cl_int *counts, struct picture *picture)
{
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        int shade = counts[i] == LIMIT ? 0 : 40 + 8 * counts[i];
        picture->rgb[3 * i] = (uint8_t)(shade > 255 ? 255 : shade);
        picture->rgb[3 * i + 1] = (uint8_t)(shade / 2 > 255 ? 255 : shade / 2);
        picture->rgb[3 * i + 2] = (uint8_t)(shade ? 80 : 0);
    }
}

static bool compare(struct example *example, cl_mem out, cl_mem all, const char *path, const cl_int stats[3])
{
    static cl_int counts[WIDTH * WIDTH], expected[WIDTH * WIDTH];
    struct picture picture = {WIDTH, WIDTH, malloc(WIDTH * WIDTH * 3)};
    int different = 0, inside = 0;
    if (!picture.rgb)
        return false;
    example_read(example, out, sizeof(counts), counts);
    example_read(example, all, sizeof(expected), expected);
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        different += counts[i] != expected[i];
        inside += expected[i] == LIMIT;
    }
    colour(counts, &picture);
    bool ok = different <= WIDTH * WIDTH / 1000 && inside > WIDTH * WIDTH / 20 && stats[0] > 100 && stats[1] > 1000 &&
              stats[2] == 0 && picture_write(path, &picture);
    free(picture.rgb);
    return !example_result("subdivide", ok, "%d squares, %d pixels filled at once, %d of %d differ; %s", stats[0],
                           stats[1], different, WIDTH * WIDTH, path);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "subdivide.png";
    const cl_int numbers[] = {FIRST, WIDTH, LIMIT};
    cl_int stats[3] = {0, 0, 0};
    cl_device_device_enqueue_capabilities can = 0;
    struct example example;
    example_open(&example);
    CHECK(clGetDeviceInfo(example.device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof(can), &can, NULL));
    if (!can) {
        example_close(&example);
        return 77;
    }
    cl_command_queue on_device = make_default_queue(&example);
    example_build(&example, "subdivide.cl", "-cl-std=CL3.0");
    cl_mem out = example_buffer(&example, CL_MEM_READ_WRITE, WIDTH * WIDTH * sizeof(cl_int), NULL);
    cl_mem all = example_buffer(&example, CL_MEM_READ_WRITE, WIDTH * WIDTH * sizeof(cl_int), NULL);
    cl_mem stats_buffer = example_buffer(&example, CL_MEM_READ_WRITE, sizeof(stats), stats);
    cl_kernel subdivide = example_kernel(&example, "subdivide"), direct = example_kernel(&example, "direct");
    CHECK(clSetKernelArg(subdivide, 0, sizeof(out), &out));
    CHECK(clSetKernelArg(subdivide, 1, sizeof(stats_buffer), &stats_buffer));
    set_numbers(subdivide, 2, numbers, 3);
    CHECK(clSetKernelArg(direct, 0, sizeof(all), &all));
    set_numbers(direct, 1, numbers + 1, 2);
    const size_t global[2] = {WIDTH, WIDTH}, items[2] = {32 * (WIDTH / FIRST), WIDTH / FIRST}, local[2] = {32, 1};
    example_run(&example, direct, 2, global, NULL);
    example_run(&example, subdivide, 2, items, local);
    example_read(&example, stats_buffer, sizeof(stats), stats);
    bool ok = compare(&example, out, all, path, stats);
    CHECK(clReleaseKernel(subdivide));
    CHECK(clReleaseKernel(direct));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(all));
    CHECK(clReleaseMemObject(stats_buffer));
    CHECK(clReleaseCommandQueue(on_device));
    example_close(&example);
    return ok ? 0 : 1;
}
