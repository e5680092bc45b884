/* A picture blurred and then turned by 30 degrees, with images and samplers: rotate [in.png [out.png]]. Without
 * arguments it draws a picture itself. Every pixel is checked against the host, to two grey levels: the image between
 * the kernels is of bytes, and a sampler may weigh texels in steps of 1/256. */
#include "common.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RADIUS = 3 };

static bool draw(const char *path)
{
    struct picture picture = {360, 240, malloc(360 * 240 * 3)};
    if (!picture.rgb)
        return false;
    for (uint32_t y = 0; y < picture.height; y++) {
        for (uint32_t x = 0; x < picture.width; x++) {
            uint8_t *pixel = picture.rgb + 3 * (y * picture.width + x);
            double dx = x - 180.0, dy = y - 120.0, radius = sqrt(dx * dx + dy * dy);
            pixel[0] = (uint8_t)(127.5 + 127.5 * sin(radius / 7.0));
            pixel[1] = (x / 20 + y / 20) % 2 ? 210 : 60;
            pixel[2] = (uint8_t)(x * 255 / picture.width);
        }
    }
    bool ok = picture_write(path, &picture);
    free(picture.rgb);
    return ok;
}

static int inside(int i, int size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

static uint8_t *blurred_on_host(const struct picture *in, const float *weights)
{
    int width = (int)in->width, height = (int)in->height;
    uint8_t *rows = malloc((size_t)width * (size_t)height * 3), *out = malloc((size_t)width * (size_t)height * 3);
    for (int pass = 0; rows && out && pass < 2; pass++) {
        const uint8_t *from = pass ? rows : in->rgb;
        for (int i = 0; i < width * height * 3; i++) {
            int x = i / 3 % width, y = i / 3 / width;
            double sum = 0.0;
            for (int k = -RADIUS; k <= RADIUS; k++) {
                int at = pass ? inside(y + k, height) * width + x : y * width + inside(x + k, width);
                sum += (double)weights[abs(k)] * from[at * 3 + i % 3];
            }
            (pass ? out : rows)[i] = (uint8_t)lrint(sum);
        }
    }
    free(rows);
    return out;
}

/* The largest difference of any channel. */
static int compare(const struct picture *in, const uint8_t *got, double cosine, double sine, const float *weights)
{
    int width = (int)in->width, height = (int)in->height, worst = 0;
    uint8_t *blurred = blurred_on_host(in, weights);
    if (!blurred)
        return 255;
    for (int i = 0; i < width * height; i++) {
        double px = i % width + 0.5 - width * 0.5, py = i / width + 0.5 - height * 0.5;
        double u = cosine * px + sine * py + width * 0.5 - 0.5, v = cosine * py - sine * px + height * 0.5 - 0.5;
        double a = u - floor(u), b = v - floor(v);
        for (int c = 0; c < 3; c++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++) {
                int x = inside((int)floor(u) + (k & 1), width), y = inside((int)floor(v) + (k >> 1), height);
                sum += (k & 1 ? a : 1.0 - a) * (k >> 1 ? b : 1.0 - b) * blurred[(y * width + x) * 3 + c];
            }
            int difference = abs((int)lrint(sum) - got[i * 4 + c]);
            worst = difference > worst ? difference : worst;
        }
    }
    free(blurred);
    return worst;
}

static cl_mem make_image(const struct example *example, const struct picture *size, cl_mem_flags flags, void *texels)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = size->width, .image_height = size->height};
    cl_int error;
    cl_mem image =
        clCreateImage(example->context, flags | (texels ? CL_MEM_COPY_HOST_PTR : 0), &format, &desc, texels, &error);
    CHECK(error);
    return image;
}

/* Between three bytes a pixel and an image's four. */
static void convert(const uint8_t *from, int from_size, uint8_t *to, int to_size, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        for (int c = 0; c < to_size; c++)
            to[i * (size_t)to_size + (size_t)c] = c < from_size ? from[i * (size_t)from_size + (size_t)c] : 255;
    }
}

int main(int argc, char **argv)
{
    const char *in_path = argc > 1 ? argv[1] : "rotate-in.png", *out_path = argc > 2 ? argv[2] : "rotate-out.png";
    const double angle = 3.14159265358979 / 6.0;
    struct picture picture;
    if ((argc < 2 && !draw(in_path)) || !picture_read(in_path, &picture))
        return 1;
    float weights[RADIUS + 1], total = 0.0f;
    for (int i = 0; i <= RADIUS; i++) {
        weights[i] = expf(-0.5f * (float)(i * i) / 3.0f);
        total += i ? 2.0f * weights[i] : weights[i];
    }
    for (int i = 0; i <= RADIUS; i++)
        weights[i] /= total;

    struct example example;
    example_open(&example);
    cl_bool has_images = CL_FALSE;
    CHECK(clGetDeviceInfo(example.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(has_images), &has_images, NULL));
    if (!has_images) {
        printf("the device has no images\n");
        return 77;
    }
    example_build(&example, "rotate.cl", NULL);
    size_t pixels = (size_t)picture.width * picture.height, global[2] = {picture.width, picture.height};
    uint8_t *texels = malloc(pixels * 4);
    if (!texels)
        return 1;
    convert(picture.rgb, 3, texels, 4, pixels);
    cl_mem images[3] = {make_image(&example, &picture, CL_MEM_READ_WRITE, texels),
                        make_image(&example, &picture, CL_MEM_READ_WRITE, NULL),
                        make_image(&example, &picture, CL_MEM_READ_WRITE, NULL)};
    cl_mem weight_buffer = example_buffer(&example, CL_MEM_READ_ONLY, sizeof(weights), weights);
    cl_kernel blur = example_kernel(&example, "blur_image"), rotate = example_kernel(&example, "rotate_image");
    cl_int error, radius = RADIUS;
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE,
                                                CL_ADDRESS_CLAMP_TO_EDGE, 0};
    cl_sampler edge = clCreateSamplerWithProperties(example.context, properties, &error);
    CHECK(error);
    double seconds = 0.0;
    for (int i = 0; i < 2; i++) { /* 0 to 1 along rows, 1 to 2 along columns */
        cl_int2 step = {{!i, i}};
        CHECK(clSetKernelArg(blur, 0, sizeof(cl_mem), &images[i]));
        CHECK(clSetKernelArg(blur, 1, sizeof(cl_mem), &images[i + 1]));
        CHECK(clSetKernelArg(blur, 2, sizeof(edge), &edge));
        CHECK(clSetKernelArg(blur, 3, sizeof(cl_mem), &weight_buffer));
        CHECK(clSetKernelArg(blur, 4, sizeof(radius), &radius));
        CHECK(clSetKernelArg(blur, 5, sizeof(step), &step));
        seconds += example_run(&example, blur, 2, global, NULL);
    }
    float cosine = (float)cos(angle), sine = (float)sin(angle);
    CHECK(clSetKernelArg(rotate, 0, sizeof(cl_mem), &images[2]));
    CHECK(clSetKernelArg(rotate, 1, sizeof(cl_mem), &images[0]));
    CHECK(clSetKernelArg(rotate, 2, sizeof(cosine), &cosine));
    CHECK(clSetKernelArg(rotate, 3, sizeof(sine), &sine));
    seconds += example_run(&example, rotate, 2, global, NULL);
    const size_t origin[3] = {0, 0, 0}, region[3] = {picture.width, picture.height, 1};
    CHECK(clEnqueueReadImage(example.queue, images[0], CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    int worst = compare(&picture, texels, (double)cosine, (double)sine, weights);
    struct picture result = {picture.width, picture.height, malloc(pixels * 3)};
    if (!result.rgb)
        return 1;
    convert(texels, 4, result.rgb, 3, pixels);
    bool written = picture_write(out_path, &result);
    int exit_code = example_result("rotate", worst <= 2 && written, "largest difference %d; %.3f ms; %s", worst,
                                   seconds * 1e3, out_path);
    free(picture.rgb);
    free(result.rgb);
    free(texels);
    CHECK(clReleaseSampler(edge));
    CHECK(clReleaseKernel(blur));
    CHECK(clReleaseKernel(rotate));
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseMemObject(images[i]));
    CHECK(clReleaseMemObject(weight_buffer));
    example_close(&example);
    return exit_code;
}
