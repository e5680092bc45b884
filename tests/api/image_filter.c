/* Linear filters: every address mode, with normalised coordinates and without, on every type of image, by a sampler
 * that is a constant and by one that is an argument. OpenCL C 3.0, 8.2, computed here in double. There is no bound in
 * the specification; the conformance suite's are 2^-7 of the greatest texel that takes part, and a step of 8 bits for
 * those. Weights of eight bits err by as much of the distance between texels, which is more where these have both
 * signs. */
#include "image_test.h"

#include <math.h>

enum { W = 13, H = 9, D = 5, COUNT_AT = 512 };

static const struct shape {
    const char *name, *coordinate;
    cl_mem_object_type type;
    int axes;
    bool layers, depth;
} shapes[] = {
    {"image1d_t", "at.x", CL_MEM_OBJECT_IMAGE1D, 1, false, false},
    {"image1d_array_t", "at.xy", CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, true, false},
    {"image2d_t", "at.xy", CL_MEM_OBJECT_IMAGE2D, 2, false, false},
    {"image2d_array_t", "at", CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, true, false},
    {"image3d_t", "at", CL_MEM_OBJECT_IMAGE3D, 3, false, false},
    {"image2d_depth_t", "at.xy", CL_MEM_OBJECT_IMAGE2D, 2, false, true},
    {"image2d_array_depth_t", "at", CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, true, true},
};

static const struct sort {
    cl_image_format format;
    const char *colour; /* where each of the colour's components is in memory: rgba, or a constant */
    uint32_t components, bytes;
    bool opaque; /* so is its border */
} sorts[] = {
    {{CL_RGBA, CL_FLOAT}, "rgba", 4, 4, false},          {{CL_RGBA, CL_UNORM_INT8}, "rgba", 4, 1, false},
    {{CL_BGRA, CL_SNORM_INT8}, "bgra", 4, 1, false},     {{CL_RG, CL_UNORM_INT16}, "rg01", 2, 2, true},
    {{CL_LUMINANCE, CL_HALF_FLOAT}, "rrr1", 1, 2, true}, {{CL_A, CL_FLOAT}, "000r", 1, 4, false},
};
static const struct sort depth = {{CL_DEPTH, CL_FLOAT}, "r000", 1, 4, false};

static const struct mode {
    const char *name;
    cl_addressing_mode mode;
    bool normalized;
} modes[] = {
    {"CLK_ADDRESS_CLAMP", CL_ADDRESS_CLAMP, false},
    {"CLK_ADDRESS_CLAMP", CL_ADDRESS_CLAMP, true},
    {"CLK_ADDRESS_CLAMP_TO_EDGE", CL_ADDRESS_CLAMP_TO_EDGE, false},
    {"CLK_ADDRESS_CLAMP_TO_EDGE", CL_ADDRESS_CLAMP_TO_EDGE, true},
    {"CLK_ADDRESS_REPEAT", CL_ADDRESS_REPEAT, true},
    {"CLK_ADDRESS_MIRRORED_REPEAT", CL_ADDRESS_MIRRORED_REPEAT, true},
};

static double decode(const struct sort *sort, const uint8_t *component)
{
    uint16_t half;
    float value;
    memcpy(&half, component, sort->bytes >= 2 ? 2 : 1);
    switch (sort->format.image_channel_data_type) {
    case CL_UNORM_INT8:
        return component[0] / 255.0;
    case CL_SNORM_INT8:
        return fmax((int8_t)component[0] / 127.0, -1.0);
    case CL_UNORM_INT16:
        return half / 65535.0;
    case CL_HALF_FLOAT:
        return ldexp(1024 + (half & 1023), (half >> 10 & 31) - 25);
    default:
        memcpy(&value, component, sizeof(value));
        return (double)value;
    }
}

static void fill(const struct sort *sort, uint8_t *texels, size_t count)
{
    fill_random(texels, count * sort->components * sort->bytes);
    for (size_t i = 0; i < count * sort->components; i++) {
        float value = (float)texels[i * sort->bytes] / 64.0f - 1.0f;
        uint16_t half = (uint16_t)((10 + texels[i * sort->bytes] % 6) << 10 | i % 1024); /* 2^-5 to 2 */
        if (sort->bytes == 4)
            memcpy(texels + 4 * i, &value, 4);
        else if (sort->format.image_channel_data_type == CL_HALF_FLOAT)
            memcpy(texels + 2 * i, &half, 2);
    }
}

/* A texel's index on an axis; -1: the border. */
static int wrap(int i, int size, cl_addressing_mode mode)
{
    if (mode == CL_ADDRESS_REPEAT)
        return (i + 4 * size) % size;
    if (mode == CL_ADDRESS_CLAMP && (i < 0 || i >= size))
        return -1;
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

static double unnormalised(float s, int size, const struct mode *mode)
{
    double u = (double)s;
    if (mode->mode == CL_ADDRESS_REPEAT)
        u -= floor(u);
    if (mode->mode == CL_ADDRESS_MIRRORED_REPEAT)
        u = fabs(u - 2 * rint(u / 2));
    return mode->normalized ? u * size : u;
}

/* The colour, and of each component the greatest texel, or the distance between texels where that is more. */
static void blend(const struct shape *shape, const struct sort *sort, const struct mode *mode, const uint8_t *texels,
                  const float at[4], double colour[4], double most[4])
{
    const int size[3] = {W, shape->axes > 1 ? H : 1, shape->axes > 2 ? D : 1};
    int first[3] = {0}, layer = 0;
    double part[3] = {0}, least[4], greatest[4];
    for (int i = 0; i < shape->axes; i++) {
        double u = unnormalised(at[i], size[i], mode) - 0.5;
        first[i] = (int)floor(u);
        part[i] = u - floor(u);
    }
    if (shape->layers)
        layer = (int)fmin(fmax(rint((double)at[shape->axes]), 0.0), (shape->axes == 1 ? H : D) - 1.0);
    for (int c = 0; c < 4; c++)
        colour[c] = most[c] = 0.0;
    for (int corner = 0; corner < 1 << shape->axes; corner++) {
        int index[3] = {0};
        double weight = 1.0;
        bool border = false;
        for (int i = 0; i < shape->axes; i++) {
            bool second = corner >> i & 1;
            index[i] = wrap(first[i] + second, size[i], mode->mode);
            border |= index[i] < 0;
            weight *= second ? part[i] : 1.0 - part[i];
        }
        size_t texel = (size_t)((layer * size[2] + index[2]) * size[1] + index[1]) * W + (size_t)index[0];
        for (int c = 0; c < 4; c++) {
            const char *from = strchr("rgba", sort->colour[c]);
            double value = from ? 0.0 : sort->colour[c] - '0';
            if (border)
                value = c == 3 && sort->opaque;
            else if (from)
                value = decode(sort, texels + (texel * sort->components + (size_t)(from - "rgba")) * sort->bytes);
            colour[c] += weight * value;
            least[c] = corner ? fmin(least[c], value) : value;
            greatest[c] = corner ? fmax(greatest[c], value) : value;
            most[c] = fmax(fmax(fabs(least[c]), fabs(greatest[c])), greatest[c] - least[c]);
        }
    }
}

static void check_sort(const struct shape *shape, const struct sort *sort, const struct mode *mode, cl_kernel kernel)
{
    static uint8_t texels[W * H * D * 16];
    static float at[COUNT_AT][4], got[2 * COUNT_AT][4];
    const size_t global = COUNT_AT;
    cl_image_desc desc = desc_of(shape->type, W, H, D);
    cl_int error;
    const int size[3] = {W, H, D};
    fill(sort, texels, W * H * D);
    for (int i = 0; i < COUNT_AT; i++) {
        for (int c = 0; c < 3; c++) {
            uint32_t random;
            fill_random(&random, sizeof(random));
            at[i][c] = (float)(random >> 8) * 0x1p-24f * (float)(size[c] + 4) - 2.0f;
            if (mode->normalized && c < shape->axes)
                at[i][c] /= (float)size[c];
        }
    }
    cl_mem image = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &sort->format, &desc, texels);
    cl_mem from = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(at), at), to = buffer_of(0, sizeof(got), NULL);
    cl_sampler sampler = clCreateSampler(context, mode->normalized, mode->mode, CL_FILTER_LINEAR, &error);
    NEED(error == CL_SUCCESS);
    OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(from), &from));
    OK(clSetKernelArg(kernel, 2, sizeof(to), &to));
    OK(clSetKernelArg(kernel, 3, sizeof(sampler), &sampler));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < 2 * COUNT_AT; i++) {
        double colour[4], most[4];
        blend(shape, sort, mode, texels, at[i / 2], colour, most);
        for (int c = 0; c < (shape->depth ? 1 : 4); c++) {
            double bound = fmax(0x1p-7 * most[c], sort->bytes == 1 ? 1.0 / 127.0 : 0x1p-20);
            if (!(fabs((double)got[i][c] - colour[c]) <= bound) && !wrong++) {
                printf("%s of 0x%x 0x%x, %s, %snormalised, by %s: (%g, %g, %g) gives component %d as %g, not %g\n",
                       shape->name, sort->format.image_channel_order, sort->format.image_channel_data_type, mode->name,
                       mode->normalized ? "" : "un", i & 1 ? "an argument" : "a constant", (double)at[i / 2][0],
                       (double)at[i / 2][1], (double)at[i / 2][2], c, (double)got[i][c], colour[c]);
                test_failures++;
            }
        }
    }
    OK(clReleaseSampler(sampler));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
}

static void check(const struct shape *shape, const struct mode *mode)
{
    char source[1024];
    snprintf(source, sizeof(source),
             "constant sampler_t fixed = %s | CLK_FILTER_LINEAR | CLK_NORMALIZED_COORDS_%s;"
             "kernel void k(read_only %s image, global const float4 *from, global float4 *to, sampler_t given)"
             "{ int i = get_global_id(0); float4 at = from[i];"
             "  to[2 * i] = (float4)(read_imagef(image, fixed, %s));"
             "  to[2 * i + 1] = (float4)(read_imagef(image, given, %s)); }",
             mode->name, mode->normalized ? "TRUE" : "FALSE", shape->name, shape->coordinate, shape->coordinate);
    cl_kernel kernel = kernel_of(source, "-cl-std=CL3.0");
    if (shape->depth)
        check_sort(shape, &depth, mode, kernel);
    for (size_t i = 0; i < COUNT(sorts) && !shape->depth; i++)
        check_sort(shape, &sorts[i], mode, kernel);
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    open_images(0);
    for (size_t s = 0; s < COUNT(shapes); s++) {
        for (size_t m = 0; m < COUNT(modes); m++)
            check(&shapes[s], &modes[m]);
    }
    return close_device();
}
