/* cl_intel_planar_yuv: images of a plane of luma and one of chroma, and images of these planes. */
#include "image_test.h"
#include "command_buffers.h"

enum { W = 64, H = 12, LUMA = W * H, BYTES = LUMA * 3 / 2, PITCH = 80, PITCHED = PITCH * H * 3 / 2 };

static const cl_image_format nv12 = {CL_NV12_INTEL, CL_UNORM_INT8}, r = {CL_R, CL_UNORM_INT8},
                             rg = {CL_RG, CL_UNORM_INT8};
static const cl_mem_flags closed = CL_MEM_HOST_NO_ACCESS | CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL;
static const size_t zero[3] = {0, 0, 0}, whole[3] = {W, H, 1}, half[3] = {W / 2, H / 2, 1};
static uint8_t given[BYTES], back[BYTES], pitched[PITCHED];

static cl_image_desc nv12_desc(void)
{
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    desc.image_depth = 1;
    return desc;
}

static cl_image_desc plane_desc(cl_mem image, size_t plane)
{
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 0, 0, 0); /* the sizes are ignored */
    desc.image_depth = plane;
    desc.mem_object = image;
    return desc;
}

static cl_mem plane_of(cl_mem image, size_t plane, cl_mem_flags flags)
{
    cl_image_desc desc = plane_desc(image, plane);
    return image_of(flags, plane ? &rg : &r, &desc, NULL);
}

static cl_mem nv12_of(cl_mem_flags flags, void *host, size_t pitch)
{
    cl_image_desc desc = nv12_desc();
    desc.image_row_pitch = pitch;
    return image_of(flags | closed, &nv12, &desc, host);
}

static void refuse(cl_int expected, cl_mem_flags flags, const cl_image_format *format, cl_image_desc desc)
{
    NO_OBJECT(expected, clCreateImage(context, flags, format, &desc, NULL, &error));
}

/* ---- what there is ---- */

static bool is_listed(cl_mem_flags flags, cl_mem_object_type type)
{
    cl_image_format list[512];
    cl_uint count = 0, found = 0;
    OK(clGetSupportedImageFormats(context, flags | CL_MEM_HOST_NO_ACCESS, type, COUNT(list), list, &count));
    for (cl_uint i = 0; i < count; i++)
        found += list[i].image_channel_order == CL_NV12_INTEL && list[i].image_channel_data_type == CL_UNORM_INT8;
    CHECK(found <= 1);
    return found;
}

static void test_formats(void)
{
    size_t width = 0, height = 0;
    cl_image_format list[512];
    cl_uint count = 0;
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, COUNT(list), list, &count));
    for (cl_uint i = 0; i < count; i++) /* with these flags none can be made */
        CHECK(list[i].image_channel_order != CL_NV12_INTEL);
    CHECK(is_listed(CL_MEM_NO_ACCESS_INTEL, CL_MEM_OBJECT_IMAGE2D));
    CHECK(is_listed(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D));
    CHECK(!is_listed(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D) && !is_listed(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D));
    CHECK(!is_listed(CL_MEM_NO_ACCESS_INTEL, CL_MEM_OBJECT_IMAGE3D));
    OK(clGetDeviceInfo(device, CL_DEVICE_PLANAR_YUV_MAX_WIDTH_INTEL, sizeof(width), &width, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_PLANAR_YUV_MAX_HEIGHT_INTEL, sizeof(height), &height, NULL));
    char names[8192];
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(names), names, NULL));
    CHECK(width >= W && height >= H && strstr(names, "cl_intel_planar_yuv"));
    cl_image_desc wide = nv12_desc();
    wide.image_width = (width + 4) & ~(size_t)3;
    refuse(CL_INVALID_IMAGE_SIZE, CL_MEM_NO_ACCESS_INTEL | closed, &nv12, wide);
}

static void test_creation(void)
{
    const cl_mem_flags flags = CL_MEM_NO_ACCESS_INTEL | closed;
    const cl_image_format words = {CL_NV12_INTEL, CL_UNORM_INT16};
    const cl_image_desc good = nv12_desc();
    cl_image_desc desc = good;
    refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, flags, &words, good);
    refuse(CL_INVALID_VALUE, CL_MEM_NO_ACCESS_INTEL, &nv12, good); /* the host must have no access */
    refuse(CL_INVALID_VALUE, CL_MEM_NO_ACCESS_INTEL | CL_MEM_HOST_READ_ONLY, &nv12, good);
    refuse(CL_INVALID_VALUE, flags | CL_MEM_READ_ONLY, &nv12, good);
    refuse(CL_INVALID_VALUE, flags | CL_MEM_READ_WRITE, &nv12, good);
    refuse(CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, &nv12, good);
    refuse(CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, &nv12, good);
    desc.image_width = W + 2;
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, flags, &nv12, desc);
    desc = good;
    desc.image_height = H + 2;
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, flags, &nv12, desc);
    desc = good;
    desc.image_depth = 2;
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, flags, &nv12, desc);
    desc = good;
    desc.num_mip_levels = 2;
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, flags, &nv12, desc);
    desc = good;
    desc.image_row_pitch = W;
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, flags, &nv12, desc);
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, flags, &nv12, desc_of(CL_MEM_OBJECT_IMAGE3D, W, H, 1));
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, flags, &nv12, desc_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, W, H, 1));
    desc = good;
    desc.mem_object = buffer_of(CL_MEM_HOST_NO_ACCESS, BYTES, NULL);
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, &nv12, desc);
    OK(clReleaseMemObject(desc.mem_object));
    desc.mem_object = NULL;
    desc.image_row_pitch = W - 4;
    NO_OBJECT(CL_INVALID_IMAGE_DESCRIPTOR,
              clCreateImage(context, flags | CL_MEM_COPY_HOST_PTR, &nv12, &desc, given, &error));
}

static void test_planes(void)
{
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8}, r16 = {CL_R, CL_UNORM_INT16},
                          r_int = {CL_R, CL_UNSIGNED_INT8};
    cl_mem image = nv12_of(CL_MEM_NO_ACCESS_INTEL, NULL, 0);
    cl_image_desc desc = plane_desc(image, 0);
    refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_MEM_READ_ONLY, &rg, desc);
    refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_MEM_READ_ONLY, &rgba, desc);
    refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_MEM_READ_ONLY, &r16, desc);
    refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_MEM_READ_ONLY, &r, plane_desc(image, 1));
    refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_MEM_READ_ONLY, &r, plane_desc(image, 2));
    refuse(CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, &r, desc);
    desc.num_mip_levels = 2;
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_READ_ONLY, &r, desc);
    desc = plane_desc(image, 0);
    desc.image_row_pitch = W + 1;
    refuse(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_READ_ONLY, &r, desc);
    desc = plane_desc(image, 0);
    desc.image_type = CL_MEM_OBJECT_IMAGE1D;
    desc.image_width = W;
    refuse(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_MEM_READ_ONLY, &r, desc);
    desc = plane_desc(image, 0);
    OK(clReleaseMemObject(image_of(CL_MEM_READ_WRITE, &r_int, &desc, NULL)));
    OK(clReleaseMemObject(image));

    /* Without CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL a plane has no more access than its image. */
    cl_image_desc parent = nv12_desc();
    image = image_of(CL_MEM_NO_ACCESS_INTEL | CL_MEM_HOST_NO_ACCESS, &nv12, &parent, NULL);
    refuse(CL_INVALID_VALUE, CL_MEM_READ_ONLY, &r, plane_desc(image, 0));
    refuse(CL_INVALID_VALUE, CL_MEM_WRITE_ONLY, &r, plane_desc(image, 0));
    refuse(CL_INVALID_VALUE, CL_MEM_READ_WRITE, &r, plane_desc(image, 0));
    refuse(CL_INVALID_VALUE, CL_MEM_NO_ACCESS_INTEL | CL_MEM_HOST_READ_ONLY, &r, plane_desc(image, 0));
    cl_mem plane = plane_of(image, 0, 0);
    CODE(CL_INVALID_OPERATION, clEnqueueReadImage(queue, plane, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    OK(clReleaseMemObject(plane));
    OK(clReleaseMemObject(image));
}

static size_t size_info(cl_mem image, cl_image_info name)
{
    size_t value = 0;
    OK(clGetImageInfo(image, name, sizeof(value), &value, NULL));
    return value;
}

static void test_queries(void)
{
    cl_mem image = nv12_of(CL_MEM_NO_ACCESS_INTEL, NULL, 0), luma = plane_of(image, 0, CL_MEM_READ_WRITE);
    cl_mem chroma = plane_of(image, 1, CL_MEM_READ_ONLY), of = NULL;
    cl_image_format format;
    cl_mem_flags flags = 0;
    size_t size = 0, pitch = size_info(image, CL_IMAGE_ROW_PITCH);
    CHECK(size_info(image, CL_IMAGE_ELEMENT_SIZE) == 1 && pitch >= W && size_info(image, CL_IMAGE_SLICE_PITCH) == 0);
    CHECK(size_info(image, CL_IMAGE_WIDTH) == W && size_info(image, CL_IMAGE_HEIGHT) == H);
    CHECK(size_info(image, CL_IMAGE_DEPTH) == 0 && size_info(image, CL_IMAGE_ARRAY_SIZE) == 0);
    OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(format), &format, NULL));
    CHECK(format.image_channel_order == CL_NV12_INTEL && format.image_channel_data_type == CL_UNORM_INT8);
    OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(of), &of, NULL));
    CHECK(of == NULL);
    OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(of), &of, NULL));
    CHECK(of == NULL);
    OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof(size), &size, NULL));
    CHECK(size >= pitch * H * 3 / 2);
    OK(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    CHECK(flags == (CL_MEM_NO_ACCESS_INTEL | closed));

    CHECK(size_info(luma, CL_IMAGE_WIDTH) == W && size_info(luma, CL_IMAGE_HEIGHT) == H);
    CHECK(size_info(chroma, CL_IMAGE_WIDTH) == W / 2 && size_info(chroma, CL_IMAGE_HEIGHT) == H / 2);
    CHECK(size_info(luma, CL_IMAGE_ELEMENT_SIZE) == 1 && size_info(chroma, CL_IMAGE_ELEMENT_SIZE) == 2);
    CHECK(size_info(luma, CL_IMAGE_ROW_PITCH) == pitch && size_info(chroma, CL_IMAGE_ROW_PITCH) == pitch);
    CHECK(size_info(chroma, CL_IMAGE_DEPTH) == 0);
    OK(clGetMemObjectInfo(chroma, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(of), &of, NULL));
    CHECK(of == image);
    cl_mem all[] = {chroma, image, luma};
    for (size_t i = 0; i < COUNT(all); i++) /* planes outlive the image */
        OK(clReleaseMemObject(all[i]));
}

/* ---- transfers ---- */

static void read_planes(cl_mem image)
{
    cl_mem luma = plane_of(image, 0, CL_MEM_READ_WRITE), chroma = plane_of(image, 1, CL_MEM_READ_WRITE);
    memset(back, 0, sizeof(back));
    OK(clEnqueueReadImage(queue, luma, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, chroma, CL_TRUE, zero, half, 0, 0, back + LUMA, 0, NULL, NULL));
    OK(clReleaseMemObject(luma));
    OK(clReleaseMemObject(chroma));
}

static void test_transfers(void)
{
    static const size_t at[3] = {4, 2, 0}, part[3] = {8, 4, 1}, odd_at[3] = {1, 0, 0}, odd_row[3] = {0, 1, 0};
    static const size_t odd_part[3] = {8, 3, 1};
    static const float colour[4] = {0.2f, 0.4f, 0.6f, 1.0f}; /* V, Y, U */
    cl_mem image = nv12_of(CL_MEM_NO_ACCESS_INTEL, NULL, 0), other = nv12_of(CL_MEM_NO_ACCESS_INTEL, NULL, 0);
    cl_mem luma = plane_of(image, 0, CL_MEM_READ_WRITE), chroma = plane_of(image, 1, CL_MEM_READ_WRITE);
    cl_mem buffer = buffer_of(0, BYTES, NULL);
    size_t row, slice;
    cl_int error;
    OK(clEnqueueWriteImage(queue, luma, CL_TRUE, zero, whole, 0, 0, given, 0, NULL, NULL));
    OK(clEnqueueWriteImage(queue, chroma, CL_TRUE, zero, half, 0, 0, given + LUMA, 0, NULL, NULL));
    OK(clEnqueueCopyImage(queue, image, other, zero, zero, whole, 0, NULL, NULL));
    read_planes(other);
    CHECK(!memcmp(back, given, BYTES));

    OK(clEnqueueCopyImageToBuffer(queue, image, buffer, zero, whole, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
    CHECK(!memcmp(back, given, BYTES));
    CODE(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(queue, image, buffer, zero, whole, 1, 0, NULL, NULL));

    /* luma of 8 x 4, then chroma of 4 x 2 */
    OK(clEnqueueCopyImageToBuffer(queue, image, buffer, at, part, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 48, back, 0, NULL, NULL));
    for (size_t y = 0; y < 4; y++)
        CHECK(!memcmp(back + y * 8, given + (at[1] + y) * W + at[0], 8));
    for (size_t y = 0; y < 2; y++)
        CHECK(!memcmp(back + 32 + y * 8, given + LUMA + (at[1] / 2 + y) * W + at[0], 8));
    OK(clEnqueueCopyBufferToImage(queue, buffer, other, 0, zero, part, 0, NULL, NULL));
    uint8_t moved[48];
    memcpy(moved, back, sizeof(moved));
    read_planes(other);
    CHECK(!memcmp(back + W, moved + 8, 8) && !memcmp(back + LUMA + W, moved + 40, 8) && back[8] == given[8]);

    OK(clEnqueueFillImage(queue, other, colour, at, part, 0, NULL, NULL));
    read_planes(other);
    const uint8_t *y = back + at[1] * W + at[0], *uv = back + LUMA + at[1] / 2 * W + at[0];
    CHECK(y[0] == 102 && y[3 * W + 7] == 102 && y[8] == given[at[1] * W + at[0] + 8]);
    CHECK(uv[0] == 153 && uv[1] == 51 && uv[W + 6] == 153 && uv[W + 7] == 51);

    uint8_t *map =
        clEnqueueMapImage(queue, chroma, CL_TRUE, CL_MAP_READ, zero, half, &row, &slice, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(row >= W && !memcmp(map, given + LUMA, W) && !memcmp(map + row, given + LUMA + W, W));
    OK(clEnqueueUnmapMemObject(queue, chroma, map, 0, NULL, NULL));

    CODE(CL_INVALID_OPERATION, clEnqueueReadImage(queue, image, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueWriteImage(queue, image, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    for (cl_map_flags flags = 0; flags <= CL_MAP_WRITE; flags++)
        NO_OBJECT(CL_INVALID_OPERATION,
                  clEnqueueMapImage(queue, image, CL_TRUE, flags, zero, whole, &row, &slice, 0, NULL, NULL, &error));
    CODE(CL_INVALID_VALUE, clEnqueueCopyImage(queue, image, other, odd_at, zero, part, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueCopyImage(queue, image, other, zero, odd_row, part, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueFillImage(queue, other, colour, zero, odd_part, 0, NULL, NULL));
    cl_mem all[] = {luma, chroma, image, other, buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
}

static void test_command_buffer(void)
{
    static const float colour[4] = {0.2f, 0.4f, 0.6f, 1.0f}; /* V, Y, U */
    struct buffer_functions f;
    cl_int error;
    if (!find_buffer_functions(platform, &f))
        return;
    cl_mem image = nv12_of(CL_MEM_NO_ACCESS_INTEL, NULL, 0), other = nv12_of(CL_MEM_NO_ACCESS_INTEL, NULL, 0);
    cl_mem in = buffer_of(CL_MEM_COPY_HOST_PTR, BYTES, given), out = buffer_of(0, BYTES, NULL);
    buffer_handle buffer = f.create(1, &queue, NULL, &error);
    NEED(error == CL_SUCCESS);
    OK(f.buffer_to_image(buffer, NULL, NULL, in, image, 0, zero, whole, 0, NULL, NULL, NULL));
    OK(f.copy_image(buffer, NULL, NULL, image, other, zero, zero, whole, 0, NULL, NULL, NULL));
    OK(f.image_to_buffer(buffer, NULL, NULL, other, out, zero, whole, 0, 0, NULL, NULL, NULL));
    OK(f.fill_image(buffer, NULL, NULL, other, colour, zero, whole, 0, NULL, NULL, NULL));
    OK(f.finalize(buffer));
    for (int run = 0; run < 2; run++) {
        OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
        CHECK(!memcmp(back, given, BYTES));
        read_planes(other);
        CHECK(back[0] == 102 && back[LUMA - 1] == 102 && back[LUMA] == 153 && back[BYTES - 1] == 51);
    }
    OK(f.release(buffer));
    cl_mem all[] = {image, other, in, out};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
}

/* Rows with gaps between them, copied or used in place. */
static void test_host_pointers(void)
{
    size_t row, slice;
    cl_int error;
    memset(pitched, 0, sizeof(pitched));
    for (size_t y = 0; y < H * 3 / 2; y++)
        memcpy(pitched + y * PITCH, given + y * W, W);
    cl_mem copied = nv12_of(CL_MEM_NO_ACCESS_INTEL | CL_MEM_COPY_HOST_PTR, pitched, PITCH);
    CHECK(size_info(copied, CL_IMAGE_ROW_PITCH) == PITCH);
    read_planes(copied);
    CHECK(!memcmp(back, given, BYTES));
    OK(clReleaseMemObject(copied));

    cl_mem used = nv12_of(CL_MEM_NO_ACCESS_INTEL | CL_MEM_USE_HOST_PTR, pitched, PITCH);
    cl_mem chroma = plane_of(used, 1, CL_MEM_READ_WRITE);
    uint8_t *map =
        clEnqueueMapImage(queue, chroma, CL_TRUE, CL_MAP_READ, zero, half, &row, &slice, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(map == pitched + PITCH * H && row == PITCH && !memcmp(map + row, given + LUMA + W, W));
    OK(clEnqueueUnmapMemObject(queue, chroma, map, 0, NULL, NULL));
    OK(clReleaseMemObject(chroma));
    OK(clReleaseMemObject(used));
}

/* ---- kernels ---- */

/* Kernels write the planes; then one reads them as a whole. */
static void test_kernels(size_t pitch)
{
    static uint8_t got[W * H * 4 + 4];
    cl_mem_flags host = pitch ? CL_MEM_COPY_HOST_PTR : 0;
    cl_mem image = nv12_of(CL_MEM_READ_ONLY | host, pitch ? pitched : NULL, pitch);
    cl_mem luma = plane_of(image, 0, CL_MEM_READ_WRITE), chroma = plane_of(image, 1, CL_MEM_WRITE_ONLY);
    cl_mem in = buffer_of(CL_MEM_COPY_HOST_PTR, BYTES, given), out = buffer_of(0, sizeof(got), NULL);
    cl_kernel write = kernel_of("kernel void k(global uchar *in, write_only image2d_t y, write_only image2d_t uv)"
                                "{ int x = get_global_id(0), row = get_global_id(1), w = get_global_size(0);"
                                "  global uchar *c = in + w * get_global_size(1) + row / 2 * w + x / 2 * 2;"
                                "  write_imagef(y, (int2)(x, row), (float4)(in[row * w + x] / 255.0f));"
                                "  if (x % 2 == 0 && row % 2 == 0)"
                                "    write_imagef(uv, (int2)(x / 2, row / 2), (float4)(c[0], c[1], 0, 0) / 255.0f); }",
                                "-cl-std=CL3.0");
    cl_kernel read = kernel_of("kernel void k(read_only image2d_t a, sampler_t s, global uchar4 *out)"
                               "{ int2 at = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(a);"
                               "  out[at.y * size.x + at.x] = convert_uchar4_rte(read_imagef(a, at) * 255.0f);"
                               "  out[size.x * size.y] = convert_uchar4_rte(read_imagef(a, s, (int2)(-1, 0)) * 255.0f)"
                               "      + (uchar4)(0, get_image_channel_order(a) == CLK_NV12_INTEL, 0, 0); }",
                               "-cl-std=CL3.0");
    cl_int error;
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    NEED(error == CL_SUCCESS);
    OK(clSetKernelArg(write, 0, sizeof(cl_mem), &in));
    OK(clSetKernelArg(write, 1, sizeof(cl_mem), &luma));
    OK(clSetKernelArg(write, 2, sizeof(cl_mem), &chroma));
    OK(clSetKernelArg(read, 0, sizeof(cl_mem), &image));
    OK(clSetKernelArg(read, 1, sizeof(cl_sampler), &sampler));
    OK(clSetKernelArg(read, 2, sizeof(cl_mem), &out));
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(read, 0, sizeof(cl_mem), &chroma));
    for (int round = 0; round < 2; round++) { /* what was copied for the first kernel is stale for the second */
        uint32_t wrong = 0;
        OK(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, BYTES, given, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, write, 2, NULL, whole, NULL, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, read, 2, NULL, whole, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
        for (uint32_t i = 0; i < W * H; i++) {
            const uint8_t *c = given + LUMA + i / W / 2 * W + i % W / 2 * 2;
            const uint8_t expected[4] = {c[1], given[i], c[0], 255};
            wrong += memcmp(got + 4 * i, expected, 4) != 0;
        }
        CHECK(wrong == 0);
        const uint8_t border[4] = {0, 1, 0, 255};
        CHECK(!memcmp(got + sizeof(got) - 4, border, 4));
        fill_random(given, sizeof(given));
    }
    cl_mem none = nv12_of(CL_MEM_NO_ACCESS_INTEL, NULL, 0);
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(read, 0, sizeof(cl_mem), &none));
    cl_mem all[] = {none, image, luma, chroma, in, out};
    OK(clReleaseKernel(read));
    OK(clReleaseKernel(write));
    OK(clReleaseSampler(sampler));
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
}

/* ---- the flags, of other objects ---- */

static void test_flags(void)
{
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    const cl_image_format srgba = {CL_sRGBA, CL_UNORM_INT8};
    const cl_buffer_region region = {0, 64};
    cl_int error;
    NO_OBJECT(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_NO_ACCESS_INTEL | CL_MEM_WRITE_ONLY, 64, NULL, &error));
    cl_mem buffer = buffer_of(CL_MEM_NO_ACCESS_INTEL, 64, NULL);
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateSubBuffer(buffer, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    OK(clReleaseMemObject(buffer));
    buffer = buffer_of(CL_MEM_READ_ONLY | closed, 64, NULL);
    cl_mem sub = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE | CL_MEM_HOST_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION,
                                   &region, &error);
    NEED(error == CL_SUCCESS);
    OK(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 0, 64, given, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, sub, CL_TRUE, 0, 64, back, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, given, 0, NULL, NULL));
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(buffer));

    /* Kernels write an image of an image that they do not touch. */
    cl_mem image = image_of(CL_MEM_NO_ACCESS_INTEL | closed, &srgba, &desc, NULL);
    desc.mem_object = image;
    cl_mem view = image_of(CL_MEM_WRITE_ONLY, &rgba8, &desc, NULL);
    cl_kernel kernel = kernel_of("kernel void k(write_only image2d_t a)"
                                 "{ write_imagef(a, (int2)(get_global_id(0), get_global_id(1)), (float4)(1)); }",
                                 "-cl-std=CL3.0");
    uint8_t texel[4] = {0};
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &view));
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &view));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, whole, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, view, CL_TRUE, zero, (size_t[3]){1, 1, 1}, 0, 0, texel, 0, NULL, NULL));
    CHECK(texel[0] == 255 && texel[3] == 255);
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(view));
    OK(clReleaseMemObject(image));
}

int main(void)
{
    open_images(0);
    fill_random(given, sizeof(given));
    test_formats();
    test_creation();
    test_planes();
    test_queries();
    test_transfers();
    test_command_buffer();
    test_host_pointers();
    test_kernels(0);
    test_kernels(PITCH);
    test_flags();
    return close_device();
}
