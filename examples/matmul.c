/* A tiled matrix product: local memory, barriers, a required work-group size, sizes that no tile divides. */
#include "common.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 200, COLUMNS = 150, INNER = 330 };

static double worst_error(const float *a, const float *b, const float *c)
{
    double worst = 0.0;
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            double sum = 0.0;
            for (int k = 0; k < INNER; k++)
                sum += (double)a[row * INNER + k] * (double)b[k * COLUMNS + column];
            worst = fmax(worst, fabs(sum - (double)c[row * COLUMNS + column]));
        }
    }
    return worst;
}

/* Some devices' work-groups are smaller than 16 x 16. */
static size_t tile_of(const struct example *example)
{
    size_t items = 0;
    CHECK(clGetDeviceInfo(example->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(items), &items, NULL));
    return items >= 256 ? 16 : 8;
}

int main(void)
{
    static float a[ROWS * INNER], b[INNER * COLUMNS], c[ROWS * COLUMNS];
    unsigned seed = 7;
    for (int i = 0; i < ROWS * INNER; i++)
        a[i] = example_random(&seed) - 0.5f;
    for (int i = 0; i < INNER * COLUMNS; i++)
        b[i] = example_random(&seed) - 0.5f;

    struct example example;
    example_open(&example);
    size_t tile = tile_of(&example);
    example_build(&example, "matmul.cl", tile == 16 ? "-DTILE=16" : "-DTILE=8");
    cl_mem buffer_a = example_buffer(&example, CL_MEM_READ_ONLY, sizeof(a), a);
    cl_mem buffer_b = example_buffer(&example, CL_MEM_READ_ONLY, sizeof(b), b);
    cl_mem buffer_c = example_buffer(&example, CL_MEM_WRITE_ONLY, sizeof(c), NULL);
    cl_kernel kernel = example_kernel(&example, "matmul");
    cl_int sizes[3] = {ROWS, COLUMNS, INNER};
    for (cl_uint i = 0; i < 3; i++)
        CHECK(clSetKernelArg(kernel, i, sizeof(cl_int), &sizes[i]));
    CHECK(clSetKernelArg(kernel, 3, sizeof(cl_mem), &buffer_a));
    CHECK(clSetKernelArg(kernel, 4, sizeof(cl_mem), &buffer_b));
    CHECK(clSetKernelArg(kernel, 5, sizeof(cl_mem), &buffer_c));
    size_t global[2] = {(COLUMNS + tile - 1) / tile * tile, (ROWS + tile - 1) / tile * tile}, local[2] = {tile, tile};
    double seconds = example_run(&example, kernel, 2, global, local);
    example_read(&example, buffer_c, sizeof(c), c);

    double worst = worst_error(a, b, c);
    int exit_code = example_result("matmul", worst < 1e-4, "largest error %.3g; %.3f ms, %.2f GFLOP/s", worst,
                                   seconds * 1e3, 2.0 * ROWS * COLUMNS * INNER / seconds * 1e-9);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer_a));
    CHECK(clReleaseMemObject(buffer_b));
    CHECK(clReleaseMemObject(buffer_c));
    example_close(&example);
    return exit_code;
}
