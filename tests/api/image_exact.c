/* What kernels read of every number that a texel can hold, and what becomes of what they write: OpenCL C 3.0, 8.3. With
 * an argument, prints for each format how far off the worst is. */
#include "image_test.h"

#include <math.h>

enum { SIDE = 128, TEXELS = SIDE * SIDE };

static bool tells;

static const struct order {
    cl_channel_order order;
    const char *memory; /* the colour's component that each of memory's is */
    const char *colour; /* what each of the colour's is when it is read: memory's first to fourth are rgba here */
} orders[] = {
    {CL_R, "r", "r001"},         {CL_A, "a", "000r"},         {CL_RG, "rg", "rg01"},      {CL_RA, "ra", "r00g"},
    {CL_RGBA, "rgba", "rgba"},   {CL_BGRA, "bgra", "bgra"},   {CL_ARGB, "argb", "gbar"},  {CL_ABGR, "abgr", "abgr"},
    {CL_INTENSITY, "r", "rrrr"}, {CL_LUMINANCE, "r", "rrr1"}, {CL_sRGBA, "rgba", "rgba"}, {CL_sBGRA, "bgra", "bgra"},
    {CL_sRGBx, "rgba", "rgb1"},
};

static const struct type {
    cl_channel_type type;
    uint32_t bytes;
    bool is_signed, half;
} types[] = {
    {CL_SNORM_INT8, 1, true, false},   {CL_SNORM_INT16, 2, true, false}, {CL_UNORM_INT8, 1, false, false},
    {CL_UNORM_INT16, 2, false, false}, {CL_HALF_FLOAT, 2, false, true},
};

static bool is_srgb(const struct order *order)
{
    return order->order >= CL_sRGB && order->order <= CL_sBGRA;
}

static uint32_t most_of(const struct type *type)
{
    return (1u << (8 * type->bytes - type->is_signed)) - 1;
}

static double half_value(uint32_t bits)
{
    double value = bits >> 10 & 31 ? ldexp(1024 + (bits & 1023), (int)(bits >> 10 & 31) - 25) : ldexp(bits & 1023, -24);
    return bits >> 15 ? -value : value;
}

static int32_t number_of(const struct type *type, const uint8_t *texel, uint32_t component)
{
    int16_t wide;
    if (type->bytes == 1)
        return type->is_signed ? (int8_t)texel[component] : texel[component];
    memcpy(&wide, texel + 2 * component, sizeof(wide));
    return type->is_signed ? wide : (uint16_t)wide;
}

/* How far off, as a part of what is allowed; at most 1 is right. */
static double error_of(const struct type *type, bool srgb, int32_t number, double got)
{
    double most = most_of(type), right = type->half ? half_value((uint32_t)number) : fmax(number / most, -1.0);
    bool exact = type->half || number == 0 || fabs(right) == 1.0;
    if (type->half && fabs(right) < 0x1p-14 && got == 0.0) /* subnormal */
        return 0.0;
    if (exact)
        return got == right ? 0.0 : INFINITY;
    if (!srgb)
        return fabs(got - right) / (1.5 * ldexp(1.0, ilogb(right) - 23));
    /* 8.3.5: converted back, without rounding, it is within half of a step */
    double back = got < 0.0031308 ? 12.92 * got : 1.055 * pow(got, 1.0 / 2.4) - 0.055;
    return fabs(back * 255.0 - number) / 0.5;
}

static cl_mem place(const struct order *order, const struct type *type, bool line, void *texels, size_t size)
{
    cl_image_format format = {order->order, type->type};
    cl_image_desc desc = line ? (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = TEXELS}
                              : desc_of(CL_MEM_OBJECT_IMAGE2D, SIDE, SIDE, 0);
    if (!line)
        return image_of(CL_MEM_COPY_HOST_PTR, &format, &desc, texels);
    desc.mem_object = buffer_of(CL_MEM_COPY_HOST_PTR, size, texels);
    cl_mem image = image_of(0, &format, &desc, NULL);
    OK(clReleaseMemObject(desc.mem_object));
    return image;
}

static void run(cl_kernel kernel, cl_mem image, cl_mem values)
{
    size_t global = TEXELS;
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &values));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
}

static void check_read(const struct order *order, const struct type *type, bool line, cl_kernel kernel)
{
    static uint8_t texels[TEXELS * 8];
    static float got[TEXELS][4];
    const uint32_t count = (uint32_t)strlen(order->memory), size = count * type->bytes;
    double worst = 0.0;
    for (uint32_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < count; c++) {
            uint32_t number = 4 * i + (c + i) % 4; /* every one of 16 bits */
            if (type->half && (number >> 10 & 31) == 31)
                number ^= 1024; /* no infinity, no NaN */
            if (type->bytes == 1)
                number = i + 77 * c;
            memcpy(texels + i * size + c * type->bytes, &number, type->bytes);
        }
    }
    cl_mem image = place(order, type, line, texels, TEXELS * size), values = buffer_of(0, sizeof(got), NULL);
    run(kernel, image, values);
    OK(clEnqueueReadBuffer(queue, values, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    for (uint32_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < 4; c++) {
            const char *from = strchr("rgba", order->colour[c]);
            double value = (double)got[i][c], error = value == order->colour[c] - '0' ? 0.0 : INFINITY;
            int32_t number = 0;
            if (from) {
                number = number_of(type, texels + i * size, (uint32_t)(from - "rgba"));
                error = error_of(type, is_srgb(order) && c < 3, number, value);
            }
            if (error > 1.0 && worst <= 1.0) {
                printf("0x%x 0x%x%s: component %u for %d is %.9g\n", order->order, type->type, line ? " line" : "", c,
                       number, value);
                test_failures++;
            }
            worst = fmax(worst, error);
        }
    }
    if (tells)
        printf("0x%x 0x%x%s read: %.3g of the bound\n", order->order, type->type, line ? " line" : "", worst);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(values));
}

/* Ties, what lies next to them, and what is out of range. */
static float value_at(const struct type *type, uint32_t i)
{
    static const float special[] = {-2.0f, 2.0f, INFINITY, -INFINITY, 1.0f, 0.0f, -1.0f, 0.5f};
    uint32_t most = most_of(type);
    float tie = (float)(((double)(i / 3 % most) + 0.5) / most);
    if (i < COUNT(special))
        return special[i];
    tie = i % 3 == 0 ? tie : nextafterf(tie, i % 3 == 1 ? 0.0f : 1.0f);
    return type->is_signed && i & 1 ? -tie : tie;
}

/* 8.3.1.2: rounding to even is preferred, and what is within 0.6 of the exact product is allowed, so that ties may go
 * either way. */
static void check_write(const struct order *order, const struct type *type, bool line, cl_kernel kernel)
{
    static uint8_t texels[TEXELS * 8];
    static float given[TEXELS][4];
    const size_t origin[3] = {0}, region[3] = {line ? TEXELS : SIDE, line ? 1 : SIDE, 1};
    const uint32_t count = (uint32_t)strlen(order->memory), size = count * type->bytes;
    const double most = most_of(type);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < TEXELS * 4; i++)
        given[i / 4][i % 4] = value_at(type, i);
    cl_mem image = place(order, type, line, texels, TEXELS * size);
    cl_mem values = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(given), given);
    run(kernel, image, values);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    for (uint32_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < count; c++) {
            float value = given[i][strchr("rgba", order->memory[c]) - "rgba"];
            double scaled = fmin(fmax((double)value, type->is_signed ? -1.0 : 0.0), 1.0) * most;
            int32_t got = number_of(type, texels + i * size, c);
            if (value < -1.0f && got == -(int32_t)most - 1) /* which is -1, too */
                continue;
            if (fabs(scaled - got) > 0.6 && !wrong++) {
                printf("0x%x 0x%x%s: writing %.9g, which is %.9g, gives %d\n", order->order, type->type,
                       line ? " line" : "", (double)value, scaled, got);
                test_failures++;
            }
        }
    }
    if (tells)
        printf("0x%x 0x%x%s write: %u wrong\n", order->order, type->type, line ? " line" : "", wrong);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(values));
}

static bool is_offered(cl_mem_object_type type, cl_mem_flags flags, cl_image_format format)
{
    static cl_image_format list[512];
    cl_uint count = 0;
    OK(clGetSupportedImageFormats(context, flags, type, COUNT(list), list, &count));
    for (cl_uint i = 0; i < count && i < COUNT(list); i++) {
        if (!memcmp(&list[i], &format, sizeof(format)))
            return true;
    }
    return false;
}

static void check_shape(bool line)
{
    static const char *const source[2] = {
        "kernel void k(read_only IMAGE image, global float4 *values)"
        "{ int i = get_global_id(0); values[i] = read_imagef(image, AT); }",
        "kernel void k(write_only IMAGE image, global const float4 *values)"
        "{ int i = get_global_id(0); write_imagef(image, AT, values[i]); }",
    };
    const char *options = line ? "-cl-std=CL3.0 -DIMAGE=image1d_buffer_t -DAT=i"
                               : "-cl-std=CL3.0 -DIMAGE=image2d_t -DAT=(int2)(i&127,i>>7)";
    cl_mem_object_type shape = line ? CL_MEM_OBJECT_IMAGE1D_BUFFER : CL_MEM_OBJECT_IMAGE2D;
    cl_kernel reads = kernel_of(source[0], options), writes = kernel_of(source[1], options);
    for (size_t o = 0; o < COUNT(orders); o++) {
        for (size_t t = 0; t < COUNT(types); t++) {
            cl_image_format format = {orders[o].order, types[t].type};
            if (is_offered(shape, CL_MEM_READ_ONLY, format))
                check_read(&orders[o], &types[t], line, reads);
            if (!types[t].half && !is_srgb(&orders[o]) && is_offered(shape, CL_MEM_READ_WRITE, format))
                check_write(&orders[o], &types[t], line, writes);
        }
    }
    OK(clReleaseKernel(reads));
    OK(clReleaseKernel(writes));
}

int main(int argc, char **argv)
{
    (void)argv;
    tells = argc > 1;
    open_images(0);
    check_shape(false);
    check_shape(true);
    return close_device();
}
