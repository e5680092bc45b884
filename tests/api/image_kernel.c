/* OpenCL 3.0 API, 5.9.2, 5.3.1 and OpenCL C 3.0, 6.15.15: images and samplers as arguments: errors, images of buffers
 * and of images beside what they are of, formats that kernels decode. */
#include "image_test.h"

#include <math.h>

static cl_kernel copy_kernel(const char *read, const char *write)
{
    char options[128];
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DREAD=%s -DWRITE=%s", read, write);
    return kernel_of("kernel void k(read_only image2d_t a, write_only image2d_t b, sampler_t s)"
                     "{ int2 c = (int2)(get_global_id(0), get_global_id(1)); WRITE(b, c, READ(a, s, c)); }",
                     options);
}

static cl_sampler sampler_of(cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter)
{
    cl_int error;
    cl_sampler sampler = clCreateSampler(context, normalized, addressing, filter, &error);
    NEED(error == CL_SUCCESS);
    return sampler;
}

static void set_mem(cl_kernel kernel, cl_uint index, cl_mem mem)
{
    OK(clSetKernelArg(kernel, index, sizeof(mem), &mem));
}

static void run(cl_kernel kernel, size_t width, size_t height)
{
    size_t global[2] = {width, height};
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
}

/* ---- clSetKernelArg ---- */

static void test_argument_errors(void)
{
    static const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
    cl_kernel kernel = copy_kernel("read_imagef", "write_imagef");
    cl_kernel buffers = kernel_of("kernel void k(global int *a) { a[0] = 1; }", "");
    cl_image_desc plane = desc_of(CL_MEM_OBJECT_IMAGE2D, 8, 8, 0), line = desc_of(CL_MEM_OBJECT_IMAGE1D, 8, 0, 0);
    cl_mem any = image_of(0, &rgba8, &plane, NULL), flat = image_of(0, &rgba8, &line, NULL);
    cl_mem reads = image_of(CL_MEM_READ_ONLY, &rgba8, &plane, NULL);
    cl_mem writes = image_of(CL_MEM_WRITE_ONLY, &rgba8, &plane, NULL);
    cl_mem depths = image_of(CL_MEM_READ_ONLY, &depth, &plane, NULL), buffer = buffer_of(0, 64, NULL), none = NULL;
    cl_sampler sampler = sampler_of(CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST), nothing = NULL;
    size_t global = 1;
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &none));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &sampler));
    CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &any));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &flat));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), &depths));
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof(cl_mem), &writes));
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof(cl_mem), &reads));
    CODE(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof(cl_sampler), &nothing));
    CODE(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof(cl_sampler), &any));
    CODE(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof(cl_sampler), NULL));
    CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 4, &sampler));
    CODE(CL_INVALID_MEM_OBJECT, clSetKernelArg(buffers, 0, sizeof(cl_mem), &any));
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &reads));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &writes));
    CODE(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 2, sizeof(cl_sampler), &sampler));
    OK(clReleaseSampler(sampler)); /* its bits are the kernel's */
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    cl_mem objects[] = {any, flat, reads, writes, depths, buffer};
    for (size_t i = 0; i < COUNT(objects); i++)
        OK(clReleaseMemObject(objects[i]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(buffers));
}

/* ---- a copy by a kernel is exact in every format that can be written ---- */

/* cl_ext_image_unsigned_10x6_12x4_14x2: how many bits of 16 lie below a component. */
static uint32_t low_bits(cl_channel_type type)
{
    switch (type) {
    case 0x10E1: /* CL_UNORM_INT10X6_EXT and its kin, then CL_UNSIGNED_INT10X6_EXT and its kin */
    case 0x10E6:
        return 6;
    case 0x10E9:
    case 0x10E7:
        return 4;
    case 0x10EA:
    case 0x10E8:
        return 2;
    default:
        return 0;
    }
}

static bool is_integer(cl_channel_type type)
{
    return (type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32) || (type >= 0x10E6 && type <= 0x10E8) ||
           type == 0x10E3 || type == 0x10E4; /* CL_UNSIGNED_INT_RAW10_EXT and _RAW12_EXT: image_raw.c */
}

static void copy_format(const cl_image_format *format)
{
    enum { W = 16, H = 8 };
    cl_channel_type type = format->image_channel_data_type;
    bool floats = type == CL_FLOAT || type == CL_HALF_FLOAT;
    bool is_signed = type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32;
    bool integers = is_integer(type);
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    size_t origin[3] = {0}, region[3] = {W, H, 1}, texel = 0;
    static uint8_t given[W * H * 16], copied[W * H * 16], again[W * H * 16];
    fill_random(given, sizeof(given));
    for (size_t i = 0; i < sizeof(given) && floats; i++)
        given[i] &= type == CL_FLOAT ? (i % 4 == 3 ? 0x3f : 0xff) : (i % 2 ? 0x3b : 0xff); /* no NaN, no subnormals */
    for (size_t i = 0; i < sizeof(given) && floats; i++)
        given[i] |= i % (type == CL_FLOAT ? 4 : 2) == (type == CL_FLOAT ? 3u : 1u) ? 0x20 : 0;
    cl_mem from = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, &desc, given);
    cl_mem to = image_of(CL_MEM_WRITE_ONLY, format, &desc, NULL);
    OK(clGetImageInfo(from, CL_IMAGE_ELEMENT_SIZE, sizeof(texel), &texel, NULL));
    cl_kernel kernel = copy_kernel(integers ? (is_signed ? "read_imagei" : "read_imageui") : "read_imagef",
                                   integers ? (is_signed ? "write_imagei" : "write_imageui") : "write_imagef");
    cl_sampler sampler = sampler_of(CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
    set_mem(kernel, 0, from);
    set_mem(kernel, 1, to);
    OK(clSetKernelArg(kernel, 2, sizeof(sampler), &sampler));
    run(kernel, W, H);
    OK(clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, copied, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, from, CL_TRUE, origin, region, 0, 0, again, 0, NULL, NULL));
    CHECK(!memcmp(again, given, W * H * texel)); /* transfers keep every bit, those below a number, too */
    /* The lowest of SNORM is another -1; bits that are no component's are anything. */
    memcpy(again, given, sizeof(again));
    for (size_t i = 0; i < W * H * texel; i++) {
        if (type == CL_SNORM_INT8 && again[i] == 0x80)
            again[i] = 0x81;
        if (type == CL_SNORM_INT16 && i % 2 && again[i] == 0x80 && again[i - 1] == 0)
            again[i - 1] = 1;
        if (low_bits(type) && !(i % 2))
            again[i] &= (uint8_t)(0xff << low_bits(type));
        if (type == CL_UNORM_SHORT_555 && i % 2)
            again[i] &= 0x7f, copied[i] &= 0x7f;
        if (type == CL_UNORM_INT_101010 && i % 4 == 3)
            again[i] &= 0x3f, copied[i] &= 0x3f;
        if (format->image_channel_order == CL_sRGBx && i % 4 == 3)
            again[i] = copied[i];
    }
    if (memcmp(again, copied, W * H * texel)) {
        size_t i = 0;
        while (again[i] == copied[i])
            i++;
        printf("order 0x%x, type 0x%x: byte %zu is 0x%x, not 0x%x\n", format->image_channel_order, type, i, copied[i],
               again[i]);
        test_failures++;
    }
    OK(clReleaseSampler(sampler));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
}

static void test_formats(void)
{
    cl_image_format list[512];
    cl_uint count = 0;
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, COUNT(list), list, &count));
    for (cl_uint i = 0; i < count; i++) {
        if (list[i].image_channel_order != CL_DEPTH)
            copy_format(&list[i]);
    }
}

/* What the host fills with a colour, kernels read as that colour. */
static void test_filled(void)
{
    static const float colour[4] = {0.75f, 0.25f, 0.5f, 1.0f};
    cl_image_format list[512];
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 3, 2, 0);
    size_t origin[3] = {0}, region[3] = {3, 2, 1};
    cl_uint count = 0;
    cl_mem out = buffer_of(0, 16, NULL);
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_t a, global float4 *out)"
                                 "{ *out = read_imagef(a, (int2)(2, 1)); }",
                                 "-cl-std=CL3.0");
    set_mem(kernel, 1, out);
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, COUNT(list), list, &count));
    for (cl_uint i = 0; i < count; i++) {
        cl_channel_order order = list[i].image_channel_order;
        cl_channel_type type = list[i].image_channel_data_type;
        float got[4];
        if (is_integer(type) || order == CL_DEPTH || order >= 0x4076) /* image_yuv.c */
            continue;
        cl_mem image = image_of(CL_MEM_READ_ONLY, &list[i], &desc, NULL);
        OK(clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL));
        set_mem(kernel, 0, image);
        run(kernel, 1, 1);
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
        float red = order == CL_A ? 0.0f : 0.75f;
        bool one = order == CL_R || order == CL_Rx || order == CL_A || order == CL_RA;
        float green = order == CL_INTENSITY || order == CL_LUMINANCE ? 0.75f : one ? 0.0f : 0.25f;
        float blue = order == CL_INTENSITY || order == CL_LUMINANCE ? 0.75f
                     : one || order == CL_RG || order == CL_RGx     ? 0.0f
                                                                    : 0.5f;
        float alpha = order == CL_INTENSITY ? 0.75f : 1.0f, slack = type == CL_UNORM_SHORT_555 ? 0.017f : 0.0165f;
        if (fabsf(got[0] - red) > slack || fabsf(got[1] - green) > slack || fabsf(got[2] - blue) > slack ||
            got[3] != alpha) {
            if (order != CL_INTENSITY || fabsf(got[3] - alpha) > slack) {
                printf("order 0x%x, type 0x%x: %g %g %g %g\n", order, type, (double)got[0], (double)got[1],
                       (double)got[2], (double)got[3]);
                test_failures++;
            }
        }
        OK(clReleaseMemObject(image));
    }
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

/* ---- images of buffers ---- */

enum { W = 12, H = 6, MOST_PITCH = 80 };

static const char *const image_source = "kernel void k(read_write image2d_t im)"
                                        "{ int2 at = (int2)(get_global_id(0), get_global_id(1));"
                                        "  write_imageui(im, at, read_imageui(im, at) + 1); }";
static const char *const buffer_source = "kernel void k(global uchar4 *buffer)"
                                         "{ int at = get_global_id(1) * (PITCH / 4) + get_global_id(0);"
                                         "  buffer[at] = buffer[at] + (uchar4)(3, 5, 7, 9); }";

/* The plane and its buffer are one memory, whoever writes it. */
static void test_plane(size_t offset, int pitch)
{
    static uint8_t expected[MOST_PITCH * H], back[MOST_PITCH * H];
    const int bytes = pitch * H;
    char options[32];
    size_t origin[3] = {0}, region[3] = {W, H, 1};
    if (!has_read_write()) {
        printf("no read_write images: a plane of a buffer is not tested\n");
        return;
    }
    snprintf(options, sizeof(options), "-DPITCH=%d", pitch);
    cl_kernel on_image = kernel_of(image_source, "-cl-std=CL3.0"), on_buffer = kernel_of(buffer_source, options);
    cl_mem buffer = buffer_of(0, (size_t)bytes + offset, NULL);
    cl_buffer_region part = {offset, (size_t)bytes};
    cl_mem sub = offset ? clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, NULL) : buffer;
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    desc.mem_object = sub;
    desc.image_row_pitch = (size_t)pitch;
    cl_mem image = image_of(0, &ints, &desc, NULL), associated;
    OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(associated), &associated, NULL));
    CHECK(associated == sub);
    fill_random(expected, (size_t)bytes);
    OK(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 0, (size_t)bytes, expected, 0, NULL, NULL));
    set_mem(on_image, 0, image);
    set_mem(on_buffer, 0, sub);
    for (int step = 0; step < 12; step++) {
        bool write_image = step % 3 != 1;
        run(write_image ? on_image : on_buffer, W, H);
        for (int i = 0; i < bytes; i++) {
            if (i % pitch < W * 4)
                expected[i] = write_image ? (uint8_t)(expected[i] < 255 ? expected[i] + 1 : 255)
                                          : (uint8_t)(expected[i] + 3 + 2 * (i % 4));
        }
        if (step == 5) {
            cl_uint four[4] = {1, 2, 3, 4};
            OK(clEnqueueFillImage(queue, image, four, origin, region, 0, NULL, NULL));
            for (int i = 0; i < bytes; i++)
                expected[i] = i % pitch < W * 4 ? (uint8_t)(i % 4 + 1) : expected[i];
        }
        if (step == 7) {
            uint32_t word = 0x01020304;
            OK(clEnqueueFillBuffer(queue, sub, &word, 4, 0, (size_t)bytes, 0, NULL, NULL));
            for (int i = 0; i < bytes; i++)
                expected[i] = (uint8_t)(4 - i % 4);
        }
        if (step % 4 == 0) {
            OK(clEnqueueReadBuffer(queue, sub, CL_TRUE, 0, (size_t)bytes, back, 0, NULL, NULL));
            CHECK(!memcmp(back, expected, (size_t)bytes));
        }
    }
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, (size_t)pitch, 0, back, 0, NULL, NULL));
    for (int y = 0; y < H; y++)
        CHECK(!memcmp(back + y * pitch, expected + y * pitch, W * 4));
    OK(clReleaseMemObject(image));
    if (offset)
        OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(on_image));
    OK(clReleaseKernel(on_buffer));
}

static void test_line(void)
{
    static uint8_t bytes[64 * 4], back[64 * 4];
    cl_kernel kernel = kernel_of("kernel void k(read_only image1d_buffer_t a, write_only image1d_buffer_t b)"
                                 "{ int i = get_global_id(0); write_imagef(b, i, read_imagef(a, 63 - i).zyxw); }",
                                 "-cl-std=CL3.0");
    cl_mem from = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(bytes), bytes), to = buffer_of(0, sizeof(bytes) + 256, NULL);
    cl_uint align = 0; /* bits */
    OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align), &align, NULL));
    NEED(align >= 1024 && align <= 2048);
    cl_buffer_region part = {align / 8, sizeof(bytes)};
    cl_mem sub = clCreateSubBuffer(to, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, NULL);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = from};
    cl_mem a = image_of(CL_MEM_READ_ONLY, &rgba8, &desc, NULL);
    desc.mem_object = sub;
    cl_mem b = image_of(CL_MEM_WRITE_ONLY, &rgba8, &desc, NULL);
    fill_random(bytes, sizeof(bytes));
    OK(clEnqueueWriteBuffer(queue, from, CL_FALSE, 0, sizeof(bytes), bytes, 0, NULL, NULL));
    set_mem(kernel, 0, a);
    set_mem(kernel, 1, b);
    run(kernel, 64, 1);
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, part.origin, sizeof(back), back, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) {
        const uint8_t *texel = bytes + (63 - i) * 4, turned[4] = {texel[2], texel[1], texel[0], texel[3]};
        CHECK(!memcmp(back + i * 4, turned, 4));
    }
    cl_mem all[] = {a, b, sub, from, to};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseKernel(kernel));
}

/* ---- images of images ---- */

/* OpenCL C 3.0, 8.3.5: converted back, without rounding, it must be within half of a step. */
static bool is_linear(float got, int byte)
{
    double c = (double)got, back = c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
    if (fabs(back * 255.0 - byte) <= 0.5)
        return true;
    printf("%d of sRGB is read as %.9g\n", byte, c);
    return false;
}

static void test_views(void)
{
    static const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8}, r = {CL_R, CL_FLOAT}, depth = {CL_DEPTH, CL_FLOAT};
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 256, 1, 0);
    size_t origin[3] = {0}, region[3] = {256, 1, 1};
    static uint8_t bytes[256 * 4];
    static float got[256 * 4], depths[256];
    for (int i = 0; i < 256 * 4; i++)
        bytes[i] = (uint8_t)(i / 4);
    cl_mem base = image_of(CL_MEM_READ_ONLY, &rgba8, &desc, NULL), out = buffer_of(0, sizeof(got), NULL);
    desc.mem_object = base;
    cl_mem view = image_of(CL_MEM_READ_ONLY, &srgb, &desc, NULL);
    OK(clReleaseMemObject(base)); /* the view keeps it */
    OK(clEnqueueWriteImage(queue, base, CL_FALSE, origin, region, 0, 0, bytes, 0, NULL, NULL));
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_t a, global float4 *out)"
                                 "{ out[get_global_id(0)] = read_imagef(a, (int2)(get_global_id(0), 0)); }",
                                 "-cl-std=CL3.0");
    set_mem(kernel, 0, view);
    set_mem(kernel, 1, out);
    run(kernel, 256, 1);
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    for (int i = 0; i < 256; i++) {
        CHECK(is_linear(got[i * 4], i));
        CHECK(fabsf(got[i * 4 + 3] - (float)i / 255.0f) < 1e-6f);
    }
    OK(clReleaseMemObject(view));
    OK(clReleaseKernel(kernel));

    desc.mem_object = NULL;
    for (int i = 0; i < 256; i++)
        depths[i] = (float)i * 0.25f;
    base = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &r, &desc, depths);
    desc.mem_object = base;
    view = image_of(CL_MEM_READ_ONLY, &depth, &desc, NULL);
    kernel = kernel_of("kernel void k(read_only image2d_depth_t a, global float *out)"
                       "{ out[get_global_id(0)] = read_imagef(a, (int2)(get_global_id(0), 0)); }",
                       "-cl-std=CL3.0");
    set_mem(kernel, 0, view);
    set_mem(kernel, 1, out);
    run(kernel, 256, 1);
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(depths), got, 0, NULL, NULL));
    CHECK(!memcmp(got, depths, sizeof(depths)));
    OK(clReleaseMemObject(view));
    OK(clReleaseMemObject(base));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

/* ---- a kernel that takes any image: the other descriptor is there ---- */

static void test_either_class(void)
{
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, 5, 4, 3);
    int got[5] = {0};
    cl_mem out = buffer_of(0, sizeof(got), NULL);
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_array_t a, write_only image3d_t b, global int *out)"
                                 "{ out[0] = get_image_width(a); out[1] = get_image_height(a);"
                                 "  out[2] = get_image_array_size(a); out[3] = get_image_depth(b);"
                                 "  out[4] = get_image_channel_data_type(a); }",
                                 "-cl-std=CL3.0");
    for (int i = 0; i < 2; i++) {
        cl_image_desc box = desc_of(CL_MEM_OBJECT_IMAGE3D, 2, 2, 7);
        cl_mem a = image_of(CL_MEM_READ_ONLY, i ? &ints : &rgba8, &desc, NULL);
        cl_mem b = image_of(CL_MEM_WRITE_ONLY, i ? &rgba8 : &ints, &box, NULL);
        set_mem(kernel, 0, a);
        set_mem(kernel, 1, b);
        set_mem(kernel, 2, out);
        run(kernel, 1, 1);
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
        CHECK(got[0] == 5 && got[1] == 4 && got[2] == 3 && got[3] == 7);
        CHECK(got[4] == (i ? CL_UNSIGNED_INT8 : CL_UNORM_INT8));
        OK(clReleaseMemObject(a));
        OK(clReleaseMemObject(b));
    }
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

/* As many arguments as the device says that there may be. */
static void test_many(void)
{
    enum { MOST = 128 };
    cl_uint count = 0;
    static char source[65536];
    char *end = source;
    static cl_mem images[MOST];
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 2, 2, 0);
    uint32_t sum = 0, got = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_READ_IMAGE_ARGS, sizeof(count), &count, NULL));
    count = count < MOST ? count : MOST;
    end += sprintf(end, "kernel void k(global uint *out");
    for (cl_uint i = 0; i < count; i++)
        end += sprintf(end, ", read_only image2d_t i%u", i);
    end += sprintf(end, ") { uint sum = 0;");
    for (cl_uint i = 0; i < count; i++)
        end += sprintf(end, " sum += read_imageui(i%u, (int2)(1, 0)).x;", i);
    end += sprintf(end, " out[0] = sum; }");
    cl_kernel kernel = kernel_of(source, "-cl-std=CL3.0");
    cl_mem out = buffer_of(0, 4, NULL);
    set_mem(kernel, 0, out);
    for (cl_uint i = 0; i < count; i++) {
        uint8_t texels[16];
        fill_random(texels, sizeof(texels));
        sum += texels[4];
        images[i] = image_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &ints, &desc, texels);
        set_mem(kernel, i + 1, images[i]);
    }
    run(kernel, 1, 1);
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), &got, 0, NULL, NULL));
    CHECK(got == sum);
    for (cl_uint i = 0; i < count; i++)
        OK(clReleaseMemObject(images[i]));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

/* ---- bits of the other class ---- */

static cl_mem bits_image(const cl_image_format *format, cl_mem_object_type type, size_t pitch, cl_mem *buffer)
{
    cl_image_desc desc = desc_of(type, 4, type == CL_MEM_OBJECT_IMAGE2D ? 2 : 0, 0);
    *buffer = pitch ? buffer_of(0, 2 * pitch, NULL) : NULL;
    if (pitch && type == CL_MEM_OBJECT_IMAGE2D)
        desc.image_row_pitch = pitch;
    desc.mem_object = *buffer;
    return image_of(0, format, &desc, NULL);
}

/* A kernel has integers for an image of floats, or floats for one of integers, and both move as bits: doubles come
 * through, and NaNs with what is in them. */
static void test_bits(cl_channel_type type, cl_mem_object_type object, size_t pitch)
{
    static const cl_uint words[16] = {0x54442d18, 0x400921fb, 0x7fc00001, 0xffc12345, 0,          1,
                                      0x80000000, 0x7fffffff, 0xffffffff, 0x3f800000, 1234567890, 17,
                                      0x7f800000, 0xff800000, 3,          0x00800000};
    const cl_image_format format = {CL_RG, type};
    size_t origin[3] = {0}, region[3] = {4, object == CL_MEM_OBJECT_IMAGE2D ? 2 : 1, 1}, bytes = 32 * region[1];
    cl_uint back[16];
    char options[160];
    bool floats = type == CL_FLOAT, line = object == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DTYPE=%s -DREAD=read_image%s -DWRITE=write_image%s%s",
             line ? "image1d_buffer_t" : "image2d_t", floats ? "ui" : "f", floats ? "ui" : "f", line ? " -DLINE" : "");
    cl_kernel kernel = kernel_of("#ifdef LINE\n"
                                 "#define AT get_global_id(0)\n"
                                 "#else\n"
                                 "#define AT (int2)(get_global_id(0), get_global_id(1))\n"
                                 "#endif\n"
                                 "kernel void k(read_only TYPE in, write_only TYPE out, global uint2 *o)"
                                 "{ o[get_global_id(1) * 4 + get_global_id(0)] = as_uint4(READ(in, AT)).xy;"
                                 "  WRITE(out, AT, READ(in, AT).yxzw); }",
                                 options);
    cl_mem buffers[2], out = buffer_of(0, sizeof(words), NULL);
    cl_mem from = bits_image(&format, object, pitch, &buffers[0]), to = bits_image(&format, object, pitch, &buffers[1]);
    set_mem(kernel, 0, from);
    set_mem(kernel, 1, to);
    set_mem(kernel, 2, out);
    for (cl_uint round = 0; round < 2; round++) { /* what is written into it later is seen, too */
        cl_uint sent[16];
        for (int i = 0; i < 16; i++)
            sent[i] = words[(i + round) % 16];
        OK(clEnqueueWriteImage(queue, from, CL_TRUE, origin, region, 0, 0, sent, 0, NULL, NULL));
        run(kernel, 4, region[1]);
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, back, 0, NULL, NULL));
        CHECK(!memcmp(back, sent, bytes));
        OK(clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
        for (size_t i = 0; i < bytes / 4; i++)
            CHECK(back[i] == sent[i ^ 1]);
    }
    cl_mem objects[] = {from, to, out, buffers[0], buffers[1]};
    for (size_t i = 0; i < COUNT(objects) - (pitch ? 0 : 2); i++)
        OK(clReleaseMemObject(objects[i]));
    OK(clReleaseKernel(kernel));
}

/* A kernel that has floats for an image's texels, but no numbers, gets something else in the place of an image of
 * numbers, and must not read it. A launch that is held back keeps the image all the same: the application has released
 * it when the launch's turn comes. */
static void test_not_bound(void)
{
    const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 7, 5, 0);
    const size_t items = 1;
    const int no = 0;
    int got = 0;
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_t im, global int *o, int read)"
                                 "{ o[0] = read ? (int)read_imagef(im, (int2)(0, 0)).x : 3; }",
                                 "");
    cl_mem out = buffer_of(0, 4, NULL), image = image_of(0, &ints, &desc, NULL);
    cl_event user = user_event();
    set_mem(kernel, 0, image);
    set_mem(kernel, 1, out);
    OK(clSetKernelArg(kernel, 2, sizeof(no), &no));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 1, &user, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(image));
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), &got, 0, NULL, NULL));
    CHECK(got == 3);
    OK(clReleaseEvent(user));
    OK(clReleaseMemObject(out));
}

int main(void)
{
    open_images(0);
    test_not_bound();
    test_argument_errors();
    test_formats();
    test_filled();
    test_plane(0, 64); /* which the device may lay out so itself */
    test_plane(256, 64);
    test_plane(0, 80);
    test_plane(256, 80);
    test_line();
    test_views();
    test_either_class();
    for (int integers = 0; integers < 2; integers++) {
        cl_channel_type type = integers ? CL_SIGNED_INT32 : CL_FLOAT;
        test_bits(type, CL_MEM_OBJECT_IMAGE2D, 0);
        test_bits(type, CL_MEM_OBJECT_IMAGE2D, 64);
        test_bits(type, CL_MEM_OBJECT_IMAGE2D, 80);
        test_bits(type, CL_MEM_OBJECT_IMAGE1D_BUFFER, 32);
    }
    test_many();
    return close_device();
}
