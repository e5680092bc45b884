/* cl_intel_packed_yuv: 2D images that kernels only read, of pairs of texels that share their colour. */
#include "image_test.h"

enum { YUYV = 0x4076, W = 16, H = 6, BYTES = W * H * 2 };

/* Where in its four bytes a pair has the first Y, the second, U and V. */
static const uint8_t places[4][4] = {{0, 2, 1, 3}, {1, 3, 0, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};

static uint8_t given[BYTES], back[BYTES];
static const size_t zero[3] = {0, 0, 0}, whole[3] = {W, H, 1};

static cl_image_format format_of(cl_uint order)
{
    return (cl_image_format){YUYV + order, CL_UNORM_INT8};
}

static void expect_refusal(cl_int expected, cl_mem_flags flags, const cl_image_format *format, cl_image_desc desc)
{
    NO_OBJECT(expected, clCreateImage(context, flags, format, &desc, NULL, &error));
}

static void test_creation(cl_uint order)
{
    const cl_image_format format = format_of(order), bad = {YUYV + order, CL_UNORM_INT16};
    cl_image_desc plane = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0), odd = desc_of(CL_MEM_OBJECT_IMAGE2D, W + 1, H, 0);
    cl_image_desc mipped = plane;
    cl_image_format list[512];
    cl_uint count = 0, found = 0;
    mipped.num_mip_levels = 2;
    expect_refusal(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_MEM_READ_ONLY, &bad, plane);
    expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_READ_ONLY, &format, odd);
    expect_refusal(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_READ_ONLY, &format, mipped);
    expect_refusal(CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_READ_WRITE, &format, plane);
    expect_refusal(CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_WRITE_ONLY, &format, plane);
    expect_refusal(CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_READ_ONLY, &format, desc_of(CL_MEM_OBJECT_IMAGE1D, W, 0, 0));
    expect_refusal(CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_READ_ONLY, &format, desc_of(CL_MEM_OBJECT_IMAGE3D, W, H, 2));
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, COUNT(list), list, &count));
    for (cl_uint i = 0; i < count; i++)
        found += list[i].image_channel_order == YUYV + order && list[i].image_channel_data_type == CL_UNORM_INT8;
    CHECK(found == 1);
}

/* A kernel reads (V, Y, U, 1). */
static void test_reads(cl_mem image, cl_uint order)
{
    static uint8_t got[W * H * 4];
    cl_mem out = buffer_of(0, sizeof(got), NULL);
    cl_kernel kernel =
        kernel_of("kernel void k(read_only image2d_t a, global uchar4 *out)"
                  "{ int2 at = (int2)(get_global_id(0), get_global_id(1));"
                  "  out[at.y * get_global_size(0) + at.x] = convert_uchar4_rte(read_imagef(a, at) * 255.0f); }",
                  "-cl-std=CL3.0");
    uint32_t wrong = 0;
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, whole, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    for (uint32_t i = 0; i < W * H; i++) {
        const uint8_t *pair = given + i / 2 * 4, *place = places[order];
        const uint8_t expected[4] = {pair[place[3]], pair[place[i % 2]], pair[place[2]], 255};
        wrong += memcmp(got + 4 * i, expected, 4) != 0;
    }
    CHECK(wrong == 0);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(out));
}

static void test_transfers(cl_uint order)
{
    static const size_t part[3] = {6, 3, 1}, at[3] = {4, 2, 0}, odd_at[3] = {3, 0, 0}, odd_part[3] = {5, 1, 1};
    static const float colour[4] = {0.2f, 0.4f, 0.6f, 1.0f}; /* V, Y, U */
    const cl_image_format format = format_of(order);
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_mem image = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, given);
    cl_mem other = image_of(CL_MEM_READ_ONLY, &format, &desc, NULL), buffer = buffer_of(0, BYTES, NULL);
    size_t row, slice, size = 0;
    cl_int error;
    OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(size), &size, NULL));
    CHECK(size == 2);
    test_reads(image, order);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back, given, BYTES));
    OK(clEnqueueCopyImage(queue, image, other, zero, zero, whole, 0, NULL, NULL));
    OK(clEnqueueCopyImageToBuffer(queue, other, buffer, at, part, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 36, back, 0, NULL, NULL));
    for (size_t y = 0; y < part[1]; y++)
        CHECK(!memcmp(back + y * 12, given + ((y + at[1]) * W + at[0]) * 2, 12));
    OK(clEnqueueFillImage(queue, other, colour, at, part, 0, NULL, NULL));
    uint8_t *map =
        clEnqueueMapImage(queue, other, CL_TRUE, CL_MAP_READ, zero, whole, &row, &slice, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    const uint8_t *pair = map + at[1] * row + at[0] * 2, *place = places[order];
    CHECK(row == W * 2 && !memcmp(map, given, row) && pair[place[0]] == 102 && pair[place[1]] == 102);
    CHECK(pair[place[2]] == 153 && pair[place[3]] == 51 && pair[12] == given[(at[1] * W + at[0]) * 2 + 12]);
    OK(clEnqueueUnmapMemObject(queue, other, map, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, odd_at, part, 0, 0, back, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueWriteImage(queue, image, CL_TRUE, zero, odd_part, 0, 0, back, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyImage(queue, image, other, zero, odd_at, part, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(queue, buffer, image, 0, zero, odd_part, 0, NULL, NULL));
    NO_OBJECT(CL_INVALID_VALUE,
              clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, odd_at, part, &row, &slice, 0, NULL, NULL, &error));
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES, given, 0, NULL, NULL));
    desc.mem_object = buffer;
    cl_mem over = image_of(CL_MEM_READ_ONLY, &format, &desc, NULL);
    test_reads(over, order);
    cl_mem all[] = {over, image, other, buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
}

int main(void)
{
    open_images(0);
    fill_random(given, sizeof(given));
    for (cl_uint order = 0; order < 4; order++) {
        test_creation(order);
        test_transfers(order);
    }
    return close_device();
}
