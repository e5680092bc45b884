/* cl_ext_image_raw10_raw12: 2D images of a sensor's integers, without gaps between them, that kernels only read. */
#include "image_test.h"

enum { RAW10 = 0x10E3, RAW12 = 0x10E4, W = 24, H = 6, TEXELS = W * H };

static const size_t zero[3] = {0, 0, 0}, whole[3] = {W, H, 1};

static const struct sort {
    cl_image_format format;
    uint32_t bits, unit; /* texels that lie in whole bytes together */
} sorts[] = {{{CL_R, RAW10}, 10, 4}, {{CL_R, RAW12}, 12, 2}};

/* Each texel's high eight bits in a byte of its own, then all low ones in one byte, the first texel's lowest. */
static void pack(const struct sort *sort, const uint32_t *numbers, size_t count, uint8_t *bytes)
{
    uint32_t low = sort->bits - 8;
    for (size_t i = 0; i < count; i += sort->unit, bytes += sort->unit + 1) {
        uint32_t rest = 0;
        for (uint32_t k = 0; k < sort->unit; k++) {
            bytes[k] = (uint8_t)(numbers[i + k] >> low);
            rest |= (numbers[i + k] & ((1u << low) - 1)) << low * k;
        }
        bytes[sort->unit] = (uint8_t)rest;
    }
}

static void check_kernel(const struct sort *sort, cl_mem image, const uint32_t *numbers)
{
    static uint32_t got[TEXELS][4];
    size_t global[2] = {W, H};
    uint32_t wrong = 0;
    cl_mem out = buffer_of(0, sizeof(got), NULL);
    cl_kernel kernel = kernel_of("#ifndef __opencl_c_ext_image_raw10_raw12\n"
                                 "#error\n"
                                 "#endif\n"
                                 "constant sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
                                 "kernel void k(read_only image2d_t a, global uint4 *out, int type)"
                                 "{ int2 at = (int2)(get_global_id(0), get_global_id(1));"
                                 "  int i = at.y * get_global_size(0) + at.x;"
                                 "  uint4 plain = read_imageui(a, at), sampled = read_imageui(a, edge, at);"
                                 "  if (any(plain != sampled) || get_image_channel_data_type(a) != type ||"
                                 "      get_image_channel_order(a) != CLK_R || get_image_width(a) != 24 ||"
                                 "      (type != CLK_UNSIGNED_INT_RAW10_EXT && type != CLK_UNSIGNED_INT_RAW12_EXT))"
                                 "      plain = 99999;"
                                 "  out[i] = plain; }",
                                 "-cl-std=CL3.0");
    cl_int type = (cl_int)sort->format.image_channel_data_type;
    OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
    OK(clSetKernelArg(kernel, 2, sizeof(type), &type));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    for (size_t i = 0; i < TEXELS; i++)
        wrong += got[i][0] != numbers[i] || got[i][1] || got[i][2] || got[i][3] != 1;
    CHECK(wrong == 0);
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

static void test_sort(const struct sort *sort)
{
    enum { PITCH = 47 };
    static uint32_t numbers[TEXELS], full[TEXELS];
    static uint8_t bytes[TEXELS * 2], back[TEXELS * 2], pitched[PITCH * H];
    const size_t row = W * sort->bits / 8, part[3] = {8, 2, 1}, at[3] = {4, 3, 0};
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_int error;
    size_t size, pitch;
    for (size_t i = 0; i < TEXELS; i++) {
        fill_random(&numbers[i], 4);
        numbers[i] >>= 32 - sort->bits;
    }
    pack(sort, numbers, TEXELS, bytes);
    for (size_t y = 0; y < H; y++)
        memcpy(pitched + y * PITCH, bytes + y * row, row);
    cl_mem image = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &sort->format, &desc, bytes);
    OK(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof(pitch), &pitch, NULL));
    OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof(size), &size, NULL));
    CHECK(pitch == row && size == row * H);
    check_kernel(sort, image, numbers);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back, bytes, row * H));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, at, part, 0, 0, back, 0, NULL, NULL));
    for (size_t y = 0; y < 2; y++)
        CHECK(!memcmp(back + y * sort->bits, bytes + (y + 3) * row + 4 * sort->bits / 8, sort->bits));

    cl_mem other = image_of(CL_MEM_READ_ONLY, &sort->format, &desc, NULL);
    cl_uint colour[4] = {5000, 0, 0, 0}, most = (1u << sort->bits) - 1;
    OK(clEnqueueFillImage(queue, other, colour, zero, whole, 0, NULL, NULL));
    for (size_t i = 0; i < TEXELS; i++)
        full[i] = most;
    check_kernel(sort, other, full);
    OK(clEnqueueCopyImage(queue, image, other, zero, zero, whole, 0, NULL, NULL));
    uint8_t *map = clEnqueueMapImage(queue, other, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, part, &pitch, NULL, 0, NULL,
                                     NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(pitch == row && !memcmp(map, bytes + 3 * row + 4 * sort->bits / 8, sort->bits));
    memset(map, 0, sort->bits);
    OK(clEnqueueUnmapMemObject(queue, other, map, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, other, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    memset(bytes + 3 * row + 4 * sort->bits / 8, 0, sort->bits);
    CHECK(!memcmp(back, bytes, row * H));

    cl_mem buffer = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(pitched), pitched);
    desc.mem_object = buffer; /* rows of any pitch */
    desc.image_row_pitch = PITCH;
    cl_mem over = image_of(CL_MEM_READ_ONLY, &sort->format, &desc, NULL);
    OK(clEnqueueCopyBufferToImage(queue, buffer, other, 0, zero, (size_t[3]){W, 1, 1}, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, over, CL_TRUE, (size_t[3]){0, 5, 0}, (size_t[3]){W, 1, 1}, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back, pitched + 5 * PITCH, row));
    check_kernel(sort, over, numbers);
    OK(clEnqueueReadImage(queue, other, CL_TRUE, zero, (size_t[3]){W, 1, 1}, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back, pitched, row));
    cl_mem all[] = {over, buffer, other, image};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
}

static void expect(cl_int expected, cl_mem_flags flags, cl_image_format format, cl_image_desc desc)
{
    NO_OBJECT(expected, clCreateImage(context, flags, &format, &desc, NULL, &error));
}

static void test_errors(const struct sort *sort)
{
    const cl_image_format two = {CL_RG, sort->format.image_channel_data_type};
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    expect(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_MEM_READ_ONLY, two, desc);
    expect(CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_READ_WRITE, sort->format, desc);
    expect(CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_READ_ONLY, sort->format, desc_of(CL_MEM_OBJECT_IMAGE3D, W, H, 2));
    desc.image_width = W + 1;
    expect(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_READ_ONLY, sort->format, desc);
    desc.image_width = W;
    cl_mem image = image_of(CL_MEM_READ_ONLY, &sort->format, &desc, NULL);
    uint8_t bytes[64];
    CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, (size_t[3]){1, 0, 0}, (size_t[3]){4, 1, 1}, 0, 0,
                                              bytes, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE,
         clEnqueueWriteImage(queue, image, CL_TRUE, zero, (size_t[3]){3, 1, 1}, 0, 0, bytes, 0, NULL, NULL));
    OK(clReleaseMemObject(image));
}

int main(void)
{
    open_images(0);
    for (size_t i = 0; i < COUNT(sorts); i++) {
        test_sort(&sorts[i]);
        test_errors(&sorts[i]);
    }
    return close_device();
}
