/* A Gaussian blur of a real picture: blur [in.png [out.png]]. Without arguments it draws a picture itself, writes it to
 * blur-in.png, and reads it back. Every pixel is checked against the host (to one grey level: the sums round
 * differently). */
#include "common.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RADIUS = 6 };

static bool draw(const char *path)
{
    struct picture picture = {320, 240, malloc(320 * 240 * 3)};
    if (!picture.rgb)
        return false;
    for (uint32_t y = 0; y < picture.height; y++) {
        for (uint32_t x = 0; x < picture.width; x++) {
            uint8_t *pixel = picture.rgb + 3 * (y * picture.width + x);
            bool disc = (x - 100.0) * (x - 100.0) + (y - 120.0) * (y - 120.0) < 60.0 * 60.0;
            pixel[0] = disc ? 230 : (uint8_t)(x * 255 / picture.width);
            pixel[1] = (x / 16 + y / 16) % 2 ? 200 : 40;
            pixel[2] = (uint8_t)(y * 255 / picture.height);
        }
    }
    bool ok = picture_write(path, &picture);
    free(picture.rgb);
    return ok;
}

static int clamp_index(int i, int size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* The largest difference in any channel. */
static int compare(const struct picture *in, const uint8_t *out, const float *weights)
{
    int width = (int)in->width, height = (int)in->height, worst = 0;
    double *rows = malloc(sizeof(double) * 3 * in->width * in->height);
    if (!rows)
        return 255;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width * 3; x++) {
            double sum = 0.0;
            for (int i = -RADIUS; i <= RADIUS; i++)
                sum += (double)weights[abs(i)] * in->rgb[(y * width + clamp_index(x / 3 + i, width)) * 3 + x % 3];
            rows[y * width * 3 + x] = sum;
        }
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width * 3; x++) {
            double sum = 0.0;
            for (int i = -RADIUS; i <= RADIUS; i++)
                sum += (double)weights[abs(i)] * rows[clamp_index(y + i, height) * width * 3 + x];
            int difference = abs((int)lrint(sum) - out[y * width * 3 + x]);
            worst = difference > worst ? difference : worst;
        }
    }
    free(rows);
    return worst;
}

int main(int argc, char **argv)
{
    const char *in_path = argc > 1 ? argv[1] : "blur-in.png", *out_path = argc > 2 ? argv[2] : "blur-out.png";
    struct picture picture;
    if ((argc < 2 && !draw(in_path)) || !picture_read(in_path, &picture))
        return 1;
    float weights[RADIUS + 1], total = 0.0f;
    for (int i = 0; i <= RADIUS; i++) {
        weights[i] = expf(-0.5f * (float)(i * i) / 9.0f);
        total += i ? 2.0f * weights[i] : weights[i];
    }
    for (int i = 0; i <= RADIUS; i++)
        weights[i] /= total;

    struct example example;
    example_open(&example);
    example_build(&example, "blur.cl", NULL);
    size_t pixels = (size_t)picture.width * picture.height;
    cl_mem in = example_buffer(&example, CL_MEM_READ_ONLY, pixels * 3, picture.rgb);
    cl_mem middle = example_buffer(&example, CL_MEM_READ_WRITE, pixels * sizeof(cl_float4), NULL);
    cl_mem out = example_buffer(&example, CL_MEM_WRITE_ONLY, pixels * 3, NULL);
    cl_mem weight_buffer = example_buffer(&example, CL_MEM_READ_ONLY, sizeof(weights), weights);
    cl_kernel kernels[2] = {example_kernel(&example, "blur_rows"), example_kernel(&example, "blur_columns")};
    cl_mem from_to[2][2] = {{in, middle}, {middle, out}};
    cl_int width = (cl_int)picture.width, height = (cl_int)picture.height, radius = RADIUS;
    size_t global[2] = {picture.width, picture.height};
    double seconds = 0.0;
    for (int i = 0; i < 2; i++) {
        CHECK(clSetKernelArg(kernels[i], 0, sizeof(cl_mem), &from_to[i][0]));
        CHECK(clSetKernelArg(kernels[i], 1, sizeof(cl_mem), &from_to[i][1]));
        CHECK(clSetKernelArg(kernels[i], 2, sizeof(width), &width));
        CHECK(clSetKernelArg(kernels[i], 3, sizeof(height), &height));
        CHECK(clSetKernelArg(kernels[i], 4, sizeof(cl_mem), &weight_buffer));
        CHECK(clSetKernelArg(kernels[i], 5, sizeof(radius), &radius));
        seconds += example_run(&example, kernels[i], 2, global, NULL);
    }
    struct picture result = {picture.width, picture.height, malloc(pixels * 3)};
    if (!result.rgb)
        return 1;
    example_read(&example, out, pixels * 3, result.rgb);
    int worst = compare(&picture, result.rgb, weights);
    bool written = picture_write(out_path, &result);
    int exit_code = example_result("blur", worst <= 1 && written, "largest difference %d; %.3f ms; %s", worst,
                                   seconds * 1e3, out_path);
    free(picture.rgb);
    free(result.rgb);
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseKernel(kernels[i]));
    cl_mem all[4] = {in, middle, out, weight_buffer};
    for (int i = 0; i < 4; i++)
        CHECK(clReleaseMemObject(all[i]));
    example_close(&example);
    return exit_code;
}
