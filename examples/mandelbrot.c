/* The Mandelbrot set as a PNG: mandelbrot [out.png]. A few pixels are checked against the host. */
#include "common.h"
#include "picture.h"

#include <stdlib.h>

enum { WIDTH = 960, HEIGHT = 640, LIMIT = 400 };

/* Whether c stays bounded, surely: points well inside the main cardioid or the period-2 disc. */
static bool surely_inside(float x, float y)
{
    float q = (x - 0.25f) * (x - 0.25f) + y * y;
    return q * (q + (x - 0.25f)) < 0.24f * y * y || (x + 1.0f) * (x + 1.0f) + y * y < 0.0600f;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "mandelbrot.png";
    struct example example;
    example_open(&example);
    example_build(&example, "mandelbrot.cl", "-cl-std=CL1.2");
    cl_mem buffer = example_buffer(&example, CL_MEM_WRITE_ONLY, WIDTH * HEIGHT * 3, NULL);
    cl_kernel kernel = example_kernel(&example, "mandelbrot");
    cl_int width = WIDTH, height = HEIGHT, limit = LIMIT;
    cl_float2 centre = {{-0.65f, 0.0f}};
    cl_float scale = 2.6f;
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clSetKernelArg(kernel, 1, sizeof(width), &width));
    CHECK(clSetKernelArg(kernel, 2, sizeof(height), &height));
    CHECK(clSetKernelArg(kernel, 3, sizeof(centre), &centre));
    CHECK(clSetKernelArg(kernel, 4, sizeof(scale), &scale));
    CHECK(clSetKernelArg(kernel, 5, sizeof(limit), &limit));
    size_t global[2] = {WIDTH, HEIGHT};
    double seconds = example_run(&example, kernel, 2, global, NULL);
    struct picture picture = {WIDTH, HEIGHT, malloc(WIDTH * HEIGHT * 3)};
    if (!picture.rgb)
        return 1;
    example_read(&example, buffer, WIDTH * HEIGHT * 3, picture.rgb);

    int wrong = 0, inside = 0, black = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const uint8_t *pixel = picture.rgb + 3 * (y * WIDTH + x);
            bool is_black = !pixel[0] && !pixel[1] && !pixel[2];
            bool in = surely_inside(centre.s[0] + scale * ((float)x - WIDTH / 2.0f) / HEIGHT,
                                    scale * ((float)y - HEIGHT / 2.0f) / HEIGHT);
            inside += in;
            black += is_black;
            wrong += in && !is_black;
        }
    }
    bool ok = wrong == 0 && inside > 1000 && black < WIDTH * HEIGHT / 2 && picture_write(path, &picture);
    int exit_code = example_result("mandelbrot", ok, "%d of %d inner pixels not black; %.3f ms; %s", wrong, inside,
                                   seconds * 1e3, path);
    free(picture.rgb);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer));
    example_close(&example);
    return exit_code;
}
