/* cl_intel_subgroups and its extensions to other types: sub-groups read and write blocks of images' bytes. */
#include "image_test.h"

#include <stdio.h>

enum { WIDTH = 256, H = 16, BYTES = WIDTH * H }; /* bytes of a row */

static const cl_image_format formats[] = {
    {CL_R, CL_UNSIGNED_INT8},  {CL_RGBA, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8},
    {CL_ARGB, CL_SIGNED_INT8}, {CL_R, CL_FLOAT},         {CL_RG, CL_UNORM_INT16},
    {CL_R, CL_SIGNED_INT16},   {CL_A, CL_UNORM_INT8},    {CL_RGBA, CL_UNSIGNED_INT32},
    {CL_RGBA, CL_HALF_FLOAT},  {CL_RG, CL_SIGNED_INT32}, {CL_RGBA, CL_SIGNED_INT8},
};

/* An element of a block, and how many rows a call takes. */
static const struct element {
    const char *type, *scalar, *suffix;
    size_t bytes, rows;
} elements[] = {
    {"uint", "uint", "", 4, 1},           {"uint8", "uint", "8", 4, 8},
    {"uint2", "uint", "_ui2", 4, 2},      {"ushort", "ushort", "_us", 2, 1},
    {"ushort4", "ushort", "_us4", 2, 4},  {"uchar", "uchar", "_uc", 1, 1},
    {"uchar8", "uchar", "_uc8", 1, 8},    {"ulong", "ulong", "_ul", 8, 1},
    {"ulong2", "ulong", "_ul2", 8, 2},    {"ushort16", "ushort", "_us16", 2, 16},
    {"uchar16", "uchar", "_uc16", 1, 16},
};

/* Every sub-group takes a piece of a row; the first component also goes to out. */
static const char *const source = "kernel void k(read_only image2d_t a, write_only image2d_t b, global SCALAR *out)"
                                  "{"
                                  "    int item = get_global_id(0), first = item - get_sub_group_local_id();"
                                  "    int2 at = (int2)(first * (int)sizeof(SCALAR), get_global_id(1) * ROWS);"
                                  "    TYPE value = READ(a, at);"
                                  "    WRITE(b, at, value);"
                                  "    vstore1(FIRST(value), item + get_global_size(0) * get_global_id(1), out);"
                                  "}";

static cl_kernel kernel_for(const struct element *element)
{
    char text[2048];
    snprintf(text, sizeof(text),
             "#define TYPE %s\n#define SCALAR %s\n#define ROWS %zu\n#define FIRST(v) (%s)\n"
             "#define vstore1(v, i, p) (p)[i] = (v)\n"
             "#define READ intel_sub_group_block_read%s\n#define WRITE intel_sub_group_block_write%s\n%s",
             element->type, element->scalar, element->rows, element->rows > 1 ? "v.s0" : "v", element->suffix,
             element->suffix, source);
    return kernel_of(text, "-cl-std=CL3.0");
}

static size_t texel_size_of(cl_mem image)
{
    size_t size = 0;
    OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(size), &size, NULL));
    return size;
}

/* No NaN, and no lowest number of SNORM: their bits need not stay. */
static void make_bytes(const cl_image_format *format, uint8_t *bytes)
{
    bool floats = format->image_channel_data_type == CL_FLOAT, halfs = format->image_channel_data_type == CL_HALF_FLOAT;
    fill_random(bytes, BYTES);
    for (size_t i = 0; i < BYTES; i++) {
        if ((floats && i % 4 == 3) || (halfs && i % 2 == 1))
            bytes[i] = (uint8_t)((bytes[i] & 0x8f) | 0x30);
    }
}

static size_t smallest_sub_group(void)
{
    size_t sizes[16] = {0}, bytes = 0;
    OK(clGetDeviceInfo(device, 0x4108 /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */, sizeof(sizes), sizes, &bytes));
    size_t smallest = sizes[0];
    for (size_t i = 1; i < bytes / sizeof(sizes[0]); i++)
        smallest = sizes[i] < smallest ? sizes[i] : smallest;
    return smallest;
}

static void test_block(const cl_image_format *format, const struct element *element)
{
    static uint8_t given[BYTES], back[BYTES], out[BYTES];
    const size_t items = WIDTH / element->bytes, bands = H / element->rows, zero[3] = {0, 0, 0};
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 1, 1, 0);
    cl_mem probe = image_of(0, format, &desc, NULL);
    const size_t texel = texel_size_of(probe), whole[3] = {WIDTH / texel, H, 1}, global[2] = {items, bands},
                 local[2] = {items < 32 ? items : 32, 1};
    cl_kernel kernel = kernel_for(element);
    make_bytes(format, given);
    desc = desc_of(CL_MEM_OBJECT_IMAGE2D, WIDTH / texel, H, 0);
    cl_mem from = image_of(CL_MEM_COPY_HOST_PTR, format, &desc, given), to = image_of(0, format, &desc, NULL);
    cl_mem buffer = buffer_of(0, BYTES, NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &from));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &to));
    OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, to, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, WIDTH * bands, out, 0, NULL, NULL));
    bool same = true;
    for (size_t band = 0; band < bands; band++)
        same &= !memcmp(out + band * WIDTH, given + band * element->rows * WIDTH, WIDTH);
    bool has_texels = texel <= smallest_sub_group() * element->bytes; /* every block has whole texels */
    if (!same || (has_texels && memcmp(back, given, BYTES))) {
        printf("order 0x%x, type 0x%x, %s: %s is wrong\n", format->image_channel_order, format->image_channel_data_type,
               element->type, same ? "what is written" : "what is read");
        test_failures++;
    }
    cl_mem all[] = {probe, from, to, buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseKernel(kernel));
}

/* Outside, reads give the edge and writes do nothing. */
static void test_edges(void)
{
    static const cl_uint texels[4] = {10, 20, 30, 40};
    static const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const size_t zero[3] = {0, 0, 0}, whole[3] = {4, 1, 1}, global = 8;
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 4, 1, 0);
    cl_mem from = image_of(CL_MEM_COPY_HOST_PTR, &format, &desc, (void *)(uintptr_t)texels);
    cl_mem to = image_of(0, &format, &desc, NULL), buffer = buffer_of(0, 32, NULL);
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_t a, write_only image2d_t b, global uint *out)"
                                 "{ int first = get_global_id(0) - get_sub_group_local_id();"
                                 "  out[get_global_id(0)] = intel_sub_group_block_read(a, (int2)(first * 4 - 8, 5));"
                                 "  intel_sub_group_block_write(b, (int2)(first * 4, 0), (uint)get_global_id(0) + 1);"
                                 "  intel_sub_group_block_write(b, (int2)(first * 4, 1), 77); }",
                                 "-cl-std=CL3.0");
    cl_uint got[8], written[4];
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &from));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &to));
    OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, to, CL_TRUE, zero, whole, 0, 0, written, 0, NULL, NULL));
    for (int i = 0; i < 8; i++)
        CHECK(got[i] == texels[i < 2 ? 0 : i < 6 ? i - 2 : 3]);
    for (cl_uint i = 0; i < 4; i++)
        CHECK(written[i] == i + 1);
    cl_mem all[] = {from, to, buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    char extensions[16384] = "";
    open_images(0);
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    if (!strstr(extensions, "cl_intel_subgroups")) {
        printf("no cl_intel_subgroups\n");
        close_device();
        return TEST_SKIPPED;
    }
    for (size_t f = 0; f < COUNT(formats); f++) {
        for (size_t e = 0; e < COUNT(elements); e++)
            test_block(&formats[f], &elements[e]);
    }
    test_edges();
    return close_device();
}
