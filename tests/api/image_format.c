/* Formats that Vulkan has nothing like, or does not write: packed words and components that lie in the high bits of 16.
 * What a kernel reads is what the format says, what it writes is rounded as the format says, and every transfer has the
 * bits that the application gave. */
#include "image_test.h"

#include <math.h>

#define UNORM_10X6    0x10E1
#define UNORM_2_10    0x10E5
#define UNSIGNED_10X6 0x10E6

enum { W = 64, H = 8, TEXELS = W * H };

/* A component's place: bits from shift on; of a word, or of component's own 16. */
struct place {
    uint32_t shift, bits;
};

static const struct sort {
    cl_image_format format;
    const char *name;
    uint32_t words, word_bytes;
    struct place rgba[4]; /* bits 0: there is none. Several words: one component each */
    bool integer;
} sorts[] = {
    {{CL_RGB, CL_UNORM_SHORT_565}, "565", 1, 2, {{11, 5}, {5, 6}, {0, 5}, {0, 0}}, false},
    {{CL_RGBx, CL_UNORM_SHORT_565}, "x565", 1, 2, {{11, 5}, {5, 6}, {0, 5}, {0, 0}}, false},
    {{CL_RGB, CL_UNORM_SHORT_555}, "555", 1, 2, {{10, 5}, {5, 5}, {0, 5}, {0, 0}}, false},
    {{CL_RGB, CL_UNORM_INT_101010}, "101010", 1, 4, {{20, 10}, {10, 10}, {0, 10}, {0, 0}}, false},
    {{CL_RGBA, CL_UNORM_INT_101010_2}, "101010_2", 1, 4, {{22, 10}, {12, 10}, {2, 10}, {0, 2}}, false},
    {{CL_ABGR, UNORM_2_10}, "2_101010", 1, 4, {{0, 10}, {10, 10}, {20, 10}, {30, 2}}, false},
    {{CL_R, UNORM_10X6}, "r 10x6", 1, 2, {{6, 10}}, false},
    {{CL_RG, 0x10E9}, "rg 12x4", 2, 2, {{4, 12}, {4, 12}}, false},
    {{CL_RGBA, 0x10EA}, "rgba 14x2", 4, 2, {{2, 14}, {2, 14}, {2, 14}, {2, 14}}, false},
    {{CL_R, UNSIGNED_10X6}, "r u10x6", 1, 2, {{6, 10}}, true},
    {{CL_RG, 0x10E7}, "rg u12x4", 2, 2, {{4, 12}, {4, 12}}, true},
    {{CL_RGBA, 0x10E8}, "rgba u14x2", 4, 2, {{2, 14}, {2, 14}, {2, 14}, {2, 14}}, true},
};

static uint32_t texel_size(const struct sort *sort)
{
    return sort->words * sort->word_bytes;
}

static uint32_t word_of(const struct sort *sort, const uint8_t *texel, uint32_t component)
{
    uint32_t word = 0;
    memcpy(&word, texel + (sort->words > 1 ? component * sort->word_bytes : 0), sort->word_bytes);
    return word;
}

static uint32_t mask_of(struct place place)
{
    return ((1u << place.bits) - 1) << place.shift;
}

/* Bits that no component has are 0: what becomes of others is not said. */
static void make_texel(const struct sort *sort, uint8_t *texel)
{
    fill_random(texel, texel_size(sort));
    for (uint32_t c = 0; c < sort->words; c++) {
        uint32_t word = word_of(sort, texel, c), mask = mask_of(sort->rgba[c]);
        for (uint32_t i = 0; sort->words == 1 && i < 4; i++)
            mask |= mask_of(sort->rgba[i]);
        word &= mask;
        memcpy(texel + c * sort->word_bytes, &word, sort->word_bytes);
    }
}

static uint32_t number_of(const struct sort *sort, const uint8_t *texel, uint32_t component)
{
    struct place place = sort->rgba[component];
    return (word_of(sort, texel, component) & mask_of(place)) >> place.shift;
}

/* Whether both have the same components; of a word's other bits nothing is said. */
static bool are_same(const struct sort *sort, const uint8_t *a, const uint8_t *b, size_t texels)
{
    for (size_t i = 0; i < texels * texel_size(sort); i += texel_size(sort)) {
        for (uint32_t c = 0; c < 4 && sort->rgba[c].bits; c++) {
            if (number_of(sort, a + i, c) != number_of(sort, b + i, c))
                return false;
        }
    }
    return true;
}

static const char *const float_source =
    "kernel void k(read_only image2d_t a, write_only image2d_t b, global float4 *values, int writes)"
    "{"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));"
    "    int i = at.y * get_global_size(0) + at.x;"
    "    if (writes) write_imagef(b, at, values[i]); else values[i] = read_imagef(a, at);"
    "}";

static void run(cl_kernel kernel, cl_mem read, cl_mem write, cl_mem values, cl_int writes)
{
    size_t global[2] = {W, H};
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &read));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &write));
    OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &values));
    OK(clSetKernelArg(kernel, 3, sizeof(writes), &writes));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
}

static const size_t zero[3] = {0, 0, 0}, whole[3] = {W, H, 1};

/* What floats a texel stands for: 1.5 ulp (OpenCL C 3.0, 8.3.1.1), and exact at both ends. */
static void check_floats(const struct sort *sort, const uint8_t *texels, const float *got)
{
    for (size_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t bits = sort->rgba[c].bits, most = (1u << bits) - 1;
            uint32_t number = bits ? number_of(sort, texels + i * texel_size(sort), c) : 0;
            double expected = bits ? (double)number / most : c == 3;
            double bound = number == 0 || number == most ? 0 : 1.5 * ldexp(1, ilogb(expected) - 23);
            if (!(fabs((double)got[4 * i + c] - expected) <= bound)) {
                printf("%s: component %u of texel %zu is %.9g, not %.9g\n", sort->name, c, i, (double)got[4 * i + c],
                       expected);
                test_failures++;
                return;
            }
        }
    }
}

/* What must be written: clamped, and within 0.6 of the exact product (OpenCL C 3.0, 8.3.1.2). */
static void check_written(const struct sort *sort, const uint8_t *texels, const float *values)
{
    for (size_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < 4 && sort->rgba[c].bits; c++) {
            float most = (float)((1u << sort->rgba[c].bits) - 1), value = values[4 * i + c];
            float scaled = (value > 0.0f ? fminf(value, 1.0f) : 0.0f) * most;
            float number = (float)number_of(sort, texels + i * texel_size(sort), c);
            if (!(fabsf(number - scaled) <= 0.6f)) {
                printf("%s: component %u of texel %zu is %g for %g\n", sort->name, c, i, (double)number,
                       (double)scaled);
                test_failures++;
                return;
            }
        }
    }
}

static void make_values(float *values)
{
    static const float special[] = {-1.0f, 2.0f, INFINITY, 0.0f, 1.0f, 0.5f, 1e-20f, -INFINITY};
    for (size_t i = 0; i < 4 * TEXELS; i++) {
        uint32_t random;
        fill_random(&random, sizeof(random));
        values[i] = i < COUNT(special) ? special[i] : (float)(random >> 8) * 0x1p-24f;
    }
}

static void test_floats(const struct sort *sort)
{
    static uint8_t texels[TEXELS * 8], back[TEXELS * 8];
    static float values[TEXELS * 4], got[TEXELS * 4];
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_kernel kernel = kernel_of(float_source, "-cl-std=CL3.0");
    for (size_t i = 0; i < TEXELS; i++)
        make_texel(sort, texels + i * texel_size(sort));
    cl_mem from = image_of(CL_MEM_COPY_HOST_PTR, &sort->format, &desc, texels),
           to = image_of(0, &sort->format, &desc, NULL);
    cl_mem buffer = buffer_of(0, sizeof(values), NULL);
    run(kernel, from, to, buffer, 0);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    check_floats(sort, texels, got);
    run(kernel, from, to, buffer, 1); /* what was read goes back to the same bits */
    OK(clEnqueueReadImage(queue, to, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    CHECK(are_same(sort, back, texels, TEXELS));
    make_values(values);
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    run(kernel, from, to, buffer, 1);
    OK(clEnqueueReadImage(queue, to, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    check_written(sort, back, values);
    run(kernel, to, from, buffer, 0); /* a kernel sees what another wrote as it was rounded */
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    check_floats(sort, back, got);
    for (size_t i = 0; i < 4; i++) { /* and a fill rounds to the nearest */
        size_t one[3] = {1, 1, 1}, at[3] = {i, 0, 0};
        uint8_t texel[8];
        OK(clEnqueueFillImage(queue, from, values + 4 * i, at, one, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, from, CL_TRUE, at, one, 0, 0, texel, 0, NULL, NULL));
        for (uint32_t c = 0; c < 4 && sort->rgba[c].bits; c++) {
            float value = fminf(fmaxf(values[4 * i + c], 0.0f), 1.0f) * (float)((1u << sort->rgba[c].bits) - 1);
            CHECK(fabsf((float)number_of(sort, texel, c) - value) <= 0.5001f);
        }
    }
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}

static void test_integers(const struct sort *sort)
{
    static uint8_t texels[TEXELS * 8], back[TEXELS * 8];
    static uint32_t values[TEXELS * 4], got[TEXELS * 4];
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_kernel kernel =
        kernel_of("kernel void k(read_only image2d_t a, write_only image2d_t b, global uint4 *values,"
                  "              int writes)"
                  "{"
                  "    int2 at = (int2)(get_global_id(0), get_global_id(1));"
                  "    int i = at.y * get_global_size(0) + at.x;"
                  "    if (writes) write_imageui(b, at, values[i]); else values[i] = read_imageui(a, at);"
                  "}",
                  "-cl-std=CL3.0");
    uint32_t wrong = 0;
    for (size_t i = 0; i < TEXELS; i++)
        make_texel(sort, texels + i * texel_size(sort));
    cl_mem from = image_of(CL_MEM_COPY_HOST_PTR, &sort->format, &desc, texels),
           to = image_of(0, &sort->format, &desc, NULL);
    cl_mem buffer = buffer_of(0, sizeof(values), NULL);
    run(kernel, from, to, buffer, 0);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    for (size_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < 4; c++) {
            bool there = sort->rgba[c].bits;
            wrong += got[4 * i + c] != (there ? number_of(sort, texels + i * texel_size(sort), c) : (uint32_t)(c == 3));
        }
    }
    fill_random(values, sizeof(values));
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] >>= i % 29;
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    run(kernel, from, to, buffer, 1);
    OK(clEnqueueReadImage(queue, to, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    for (size_t i = 0; i < TEXELS; i++) {
        for (uint32_t c = 0; c < 4 && sort->rgba[c].bits; c++) {
            uint32_t most = (1u << sort->rgba[c].bits) - 1, value = values[4 * i + c];
            wrong += number_of(sort, back + i * texel_size(sort), c) != (value < most ? value : most);
        }
    }
    CHECK(wrong == 0);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}

/* Through every kind of transfer: the bits stay what they were. */
static void test_transfers(const struct sort *sort)
{
    enum { PITCH = W * 8 + 24 };
    static uint8_t texels[TEXELS * 8], back[TEXELS * 8], pitched[PITCH * H];
    const uint32_t size = texel_size(sort);
    const size_t part[3] = {W / 2, H / 2, 1}, at[3] = {3, 2, 0};
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_int error;
    size_t row, slice;
    for (size_t i = 0; i < TEXELS; i++)
        make_texel(sort, texels + i * size);
    for (size_t y = 0; y < H; y++)
        memcpy(pitched + y * PITCH, texels + y * W * size, W * size);
    cl_mem image = image_of(0, &sort->format, &desc, NULL), other = image_of(0, &sort->format, &desc, NULL);
    cl_mem buffer = buffer_of(0, PITCH * H, NULL);
    OK(clEnqueueWriteImage(queue, image, CL_FALSE, zero, whole, PITCH, 0, pitched, 0, NULL, NULL));
    OK(clEnqueueCopyImage(queue, image, other, zero, zero, whole, 0, NULL, NULL));
    OK(clEnqueueCopyImageToBuffer(queue, other, buffer, at, part, 2 * size, 0, NULL, NULL));
    OK(clEnqueueFillImage(queue, image, (float[4]){0}, zero, whole, 0, NULL, NULL));
    OK(clEnqueueCopyBufferToImage(queue, buffer, image, 2 * size, at, part, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, at, part, 0, 0, back, 0, NULL, NULL));
    for (size_t y = 0; y < part[1]; y++)
        CHECK(!memcmp(back + y * part[0] * size, texels + ((y + at[1]) * W + at[0]) * size, part[0] * size));
    uint8_t *map = clEnqueueMapImage(queue, other, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, zero, whole, &row, &slice, 0,
                                     NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(row == W * size && !memcmp(map, texels, TEXELS * size));
    memcpy(map + size, texels, size);
    OK(clEnqueueUnmapMemObject(queue, other, map, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, other, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back + size, texels, size) && !memcmp(back + 2 * size, texels + 2 * size, (TEXELS - 2) * size));
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof(pitched), pitched, 0, NULL, NULL));
    desc.mem_object = buffer; /* an image of a buffer's texels */
    desc.image_row_pitch = PITCH;
    cl_mem over = image_of(0, &sort->format, &desc, NULL);
    OK(clEnqueueReadImage(queue, over, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back, texels, TEXELS * size));
    OK(clReleaseMemObject(over));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(other));
    OK(clReleaseMemObject(buffer));
}

/* A kernel reads and writes images of buffers. */
static void test_over_buffer(const struct sort *sort)
{
    static uint8_t texels[TEXELS * 8], back[TEXELS * 8];
    const uint32_t size = texel_size(sort);
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_t a, write_only image2d_t b)"
                                 "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); WRITE(b, at, READ(a, at)); }",
                                 sort->integer ? "-cl-std=CL3.0 -DREAD=read_imageui -DWRITE=write_imageui"
                                               : "-cl-std=CL3.0 -DREAD=read_imagef -DWRITE=write_imagef");
    size_t global[2] = {W, H};
    for (size_t i = 0; i < TEXELS; i++)
        make_texel(sort, texels + i * size);
    cl_mem from = buffer_of(CL_MEM_COPY_HOST_PTR, TEXELS * size, texels), to = buffer_of(0, TEXELS * size, NULL);
    desc.mem_object = from;
    cl_mem a = image_of(0, &sort->format, &desc, NULL);
    desc.mem_object = to;
    cl_mem b = image_of(0, &sort->format, &desc, NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &a));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &b));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, TEXELS * size, back, 0, NULL, NULL));
    CHECK(are_same(sort, back, texels, TEXELS));
    cl_mem all[] = {a, b, from, to};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseKernel(kernel));
}

static void test_queries(const struct sort *sort)
{
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_mem image = image_of(0, &sort->format, &desc, NULL), out = buffer_of(0, 8, NULL);
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_t a, global int *out)"
                                 "{ out[0] = get_image_channel_order(a); out[1] = get_image_channel_data_type(a); }",
                                 "-cl-std=CL3.0");
    cl_int got[2];
    size_t one = 1, size = 0;
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    CHECK((cl_uint)got[0] == sort->format.image_channel_order);
    CHECK((cl_uint)got[1] == sort->format.image_channel_data_type);
    OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(size), &size, NULL));
    CHECK(size == texel_size(sort));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

static void test_names(void)
{
    OK(clReleaseKernel(kernel_of("#if !defined(__opencl_c_ext_image_unorm_int_2_101010) || \\\n"
                                 "    !defined(__opencl_c_ext_image_unsigned_10x6_12x4_14x2)\n"
                                 "#error\n"
                                 "#endif\n"
                                 "kernel void k(global int *out) { out[0] = CLK_UNORM_INT_2_101010_EXT +"
                                 "CLK_UNSIGNED_INT10X6_EXT + CLK_UNSIGNED_INT12X4_EXT + CLK_UNSIGNED_INT14X2_EXT +"
                                 "CLK_UNORM_INT10X6_EXT + CLK_UNORM_INT12X4_EXT + CLK_UNORM_INT14X2_EXT +"
                                 "CLK_UNORM_10X6_EXT + CLK_UNORM_12X4_EXT + CLK_UNORM_14X2_EXT +"
                                 "CLK_UNORM_INT_101010_2; }",
                                 "-cl-std=CL3.0")));
}

int main(void)
{
    open_images(0);
    test_names();
    for (size_t i = 0; i < COUNT(sorts); i++) {
        test_queries(&sorts[i]);
        test_transfers(&sorts[i]);
        test_over_buffer(&sorts[i]);
        if (sorts[i].integer)
            test_integers(&sorts[i]);
        else
            test_floats(&sorts[i]);
        if (test_failures) {
            printf("the first format that fails is %s\n", sorts[i].name);
            break;
        }
    }
    return close_device();
}
