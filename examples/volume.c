/* A volume rendered to a picture: volume [out.png]. A kernel fills a 3D image with densities, another sends a ray
 * through it for every pixel. The volume is checked against the host; the picture against one of half as many steps,
 * which a wrong sampler would not come near. */
#include "common.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, WIDTH = 256, HEIGHT = 256, STEPS = 200 };

/* What the kernel of the same name writes, in bytes. */
static void density(int x, int y, int z, double rgb[3])
{
    double p[3] = {(x + 0.5) / SIDE * 2.0 - 1.0, (y + 0.5) / SIDE * 2.0 - 1.0, (z + 0.5) / SIDE * 2.0 - 1.0};
    double to_shell = sqrt(pow(p[0] + 0.25, 2) + pow(p[1] - 0.1, 2) + p[2] * p[2]) - 0.5;
    double to_ball = pow(p[0] - 0.45, 2) + pow(p[1] + 0.3, 2) + pow(p[2] - 0.2, 2);
    rgb[0] = exp(-400.0 * to_shell * to_shell);
    rgb[1] = exp(-60.0 * to_ball);
    rgb[2] = fabs(p[1]) < 0.9 ? exp(-300.0 * (p[0] * p[0] + p[2] * p[2])) : 0.0;
}

static int compare_volume(const uint8_t *texels)
{
    int worst = 0;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        double rgb[3];
        density(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE, rgb);
        for (int c = 0; c < 3; c++) {
            int difference = abs((int)lrint(rgb[c] * 255.0) - texels[i * 4 + c]);
            worst = difference > worst ? difference : worst;
        }
    }
    return worst;
}

static cl_mem make_image(const struct example *example, const cl_image_desc *desc)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_int error;
    cl_mem image = clCreateImage(example->context, CL_MEM_READ_WRITE, &format, desc, NULL, &error);
    CHECK(error);
    return image;
}

static double render(struct example *example, cl_kernel kernel, cl_mem volume, cl_mem out, cl_int steps,
                     uint8_t *texels)
{
    const size_t global[2] = {WIDTH, HEIGHT}, origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    float cosine = cosf(0.5f), sine = sinf(0.5f);
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &volume));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &out));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cosine), &cosine));
    CHECK(clSetKernelArg(kernel, 3, sizeof(sine), &sine));
    CHECK(clSetKernelArg(kernel, 4, sizeof(steps), &steps));
    double seconds = example_run(example, kernel, 2, global, NULL);
    CHECK(clEnqueueReadImage(example->queue, out, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    return seconds;
}

int main(int argc, char **argv)
{
    const char *out_path = argc > 1 ? argv[1] : "volume-out.png";
    struct example example;
    example_open(&example);
    size_t size = 0;
    char extensions[16384] = "";
    CHECK(clGetDeviceInfo(example.device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    if (size < sizeof(extensions))
        CHECK(clGetDeviceInfo(example.device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    if (!strstr(extensions, "cl_khr_3d_image_writes")) {
        printf("the device has no 3D images that kernels write\n");
        return 77;
    }
    example_build(&example, "volume.cl", NULL);
    const cl_image_desc cube = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = SIDE,
                                .image_height = SIDE,
                                .image_depth = SIDE},
                        screen = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    const size_t origin[3] = {0, 0, 0}, all[3] = {SIDE, SIDE, SIDE};
    cl_mem volume = make_image(&example, &cube), out = make_image(&example, &screen);
    cl_kernel make = example_kernel(&example, "make_volume"), draw = example_kernel(&example, "render");
    uint8_t *texels = malloc(SIDE * SIDE * SIDE * 4), *fewer = malloc(WIDTH * HEIGHT * 4),
            *pixels = malloc(WIDTH * HEIGHT * 4);
    struct picture picture = {WIDTH, HEIGHT, malloc(WIDTH * HEIGHT * 3)};
    if (!texels || !fewer || !pixels || !picture.rgb)
        return 1;
    CHECK(clSetKernelArg(make, 0, sizeof(cl_mem), &volume));
    example_run(&example, make, 3, all, NULL);
    CHECK(clEnqueueReadImage(example.queue, volume, CL_TRUE, origin, all, 0, 0, texels, 0, NULL, NULL));
    int wrong = compare_volume(texels), worst = 0;
    render(&example, draw, volume, out, STEPS / 2, fewer);
    double seconds = render(&example, draw, volume, out, STEPS, pixels);
    unsigned brightest = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        for (int c = 0; c < 3; c++) {
            int difference = abs(pixels[i * 4 + c] - fewer[i * 4 + c]);
            worst = difference > worst ? difference : worst;
            brightest = pixels[i * 4 + c] > brightest ? pixels[i * 4 + c] : brightest;
            picture.rgb[i * 3 + c] = pixels[i * 4 + c];
        }
    }
    bool ok = wrong <= 1 && worst <= 12 && brightest > 150 && picture_write(out_path, &picture);
    int exit_code = example_result("volume", ok, "volume off by %d, half the steps by %d; %.3f ms; %s", wrong, worst,
                                   seconds * 1e3, out_path);
    free(texels);
    free(fewer);
    free(pixels);
    free(picture.rgb);
    CHECK(clReleaseKernel(make));
    CHECK(clReleaseKernel(draw));
    CHECK(clReleaseMemObject(volume));
    CHECK(clReleaseMemObject(out));
    example_close(&example);
    return exit_code;
}
