/* Image filters in OpenCL C++ (cxx_filter.clcpp), whose samplers are C++ objects of the program: softening by four
 * linear samples, and tiling by repeated coordinates. */
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 96, HEIGHT = 64, LANES = 4, TEXELS = WIDTH * HEIGHT, TILES = 3, SKIPPED = 77 };

static cl_mem make_image(struct example *example, cl_mem_flags flags, void *texels)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_int error;
    cl_mem image = clCreateImage(example->context, flags, &format, &desc, texels, &error);
    CHECK(error);
    return image;
}

/* Runs one filter; scale < 0: it takes none. */
static void filter(struct example *example, const char *name, cl_mem from, float scale, float *texels)
{
    const size_t global[] = {WIDTH, HEIGHT}, origin[3] = {0}, region[] = {WIDTH, HEIGHT, 1};
    cl_mem to = make_image(example, CL_MEM_WRITE_ONLY, NULL);
    cl_kernel kernel = example_kernel(example, name);
    CHECK(clSetKernelArg(kernel, 0, sizeof(from), &from));
    CHECK(clSetKernelArg(kernel, 1, sizeof(to), &to));
    if (scale >= 0)
        CHECK(clSetKernelArg(kernel, 2, sizeof(scale), &scale));
    example_run(example, kernel, 2, global, NULL);
    CHECK(clEnqueueReadImage(example->queue, to, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(to));
}

static float texel(const float *texels, int x, int y, int lane)
{
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return texels[(y * WIDTH + x) * LANES + lane];
}

static float softened(const float *texels, int x, int y, int lane)
{
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++)
            sum += (float)((2 - abs(dx)) * (2 - abs(dy))) * texel(texels, x + dx, y + dy, lane);
    }
    return sum / 16;
}

int main(void)
{
    struct example example;
    cl_bool images = CL_FALSE;
    unsigned seed = 1;
    static float in[TEXELS * LANES], soft[TEXELS * LANES], tiles[TEXELS * LANES];
    example_open(&example);
    clGetDeviceInfo(example.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL);
    if (!images) {
        printf("the device has no images\n");
        example_close(&example);
        return SKIPPED;
    }
    example_create_il(&example, EXAMPLE_SPV);
    example_build_il(&example, NULL);
    for (int i = 0; i < TEXELS * LANES; i++)
        in[i] = example_random(&seed);
    cl_mem from = make_image(&example, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, in);
    filter(&example, "soften", from, -1, soft);
    filter(&example, "tile", from, TILES, tiles);
    int wrong = 0;
    for (int i = 0; i < TEXELS * LANES; i++) {
        int lane = i % LANES, x = i / LANES % WIDTH, y = i / LANES / WIDTH;
        wrong += fabsf(soft[i] - softened(in, x, y, lane)) > 2e-3f; /* a GPU's filter has eight bits of fraction */
        int column = (x * TILES + TILES / 2) % WIDTH, row = (y * TILES + TILES / 2) % HEIGHT; /* centres meet centres */
        wrong += tiles[i] != texel(in, column, row, lane);
    }
    int code = example_result("cxx_filter", wrong == 0, "%d of %d values differ", wrong, 2 * TEXELS * LANES);
    CHECK(clReleaseMemObject(from));
    example_close(&example);
    return code;
}
