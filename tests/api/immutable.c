/* cl_ext_immutable_memory_objects: buffers and images that nothing may write once they are made. */
#include "image_test.h"

#define IMMUTABLE ((cl_mem_flags)1 << 6)

enum { W = 8, H = 4, BYTES = W * H * 4 };

static uint8_t given[BYTES], back[BYTES];

static void test_buffer_creation(void)
{
    static const cl_mem_flags bad[] = {
        IMMUTABLE,
        IMMUTABLE | CL_MEM_ALLOC_HOST_PTR,
        IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE,
        IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_WRITE_ONLY,
        IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY,
    };
    static const cl_mem_flags good[] = {
        IMMUTABLE | CL_MEM_COPY_HOST_PTR,
        IMMUTABLE | CL_MEM_USE_HOST_PTR,
        IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY,
        IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        void *host = bad[i] & CL_MEM_COPY_HOST_PTR ? given : NULL;
        NO_OBJECT(CL_INVALID_VALUE, clCreateBuffer(context, bad[i], BYTES, host, &error));
    }
    for (size_t i = 0; i < COUNT(good); i++) {
        cl_mem_flags flags = 0;
        cl_int error;
        cl_mem buffer = clCreateBuffer(context, good[i], BYTES, given, &error);
        NEED(error == CL_SUCCESS);
        OK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
        CHECK(flags == good[i]);
        OK(clReleaseMemObject(buffer));
    }
}

/* Every command that would write it; none does. */
static void test_buffer_commands(void)
{
    static const uint8_t other[BYTES] = {1, 2, 3, 4};
    size_t origin[3] = {0}, region[3] = {4, 4, 1}, texels[3] = {W, H, 1};
    cl_buffer_region part = {0, 16};
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_mem buffer = buffer_of(IMMUTABLE | CL_MEM_COPY_HOST_PTR, BYTES, given), plain = buffer_of(0, BYTES, NULL);
    cl_mem image = image_of(0, &rgba8, &desc, NULL);
    cl_int error;
    CODE(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES, other, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION,
         clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 0, 0, 0, 0, other, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueFillBuffer(queue, buffer, other, 4, 0, BYTES, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueCopyBuffer(queue, plain, buffer, 0, 0, BYTES, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION,
         clEnqueueCopyBufferRect(queue, plain, buffer, origin, origin, region, 0, 0, 0, 0, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueCopyImageToBuffer(queue, image, buffer, origin, texels, 0, 0, NULL, NULL));
    NO_OBJECT(CL_INVALID_OPERATION,
              clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_OPERATION, clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, BYTES,
                                                       0, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &error));
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateSubBuffer(buffer, CL_MEM_HOST_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &part, &error));
    cl_mem sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
    NEED(error == CL_SUCCESS);
    CODE(CL_INVALID_OPERATION, clEnqueueFillBuffer(queue, sub, other, 4, 0, 16, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, buffer, plain, 0, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
    CHECK(!memcmp(back, given, BYTES));
    void *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(!memcmp(map, given, BYTES));
    OK(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
    cl_mem all[] = {sub, image, plain, buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
}

static void test_image_creation(cl_mem buffer, cl_mem plain)
{
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_uint count = 0;
    NO_OBJECT(CL_INVALID_VALUE, clCreateImage(context, IMMUTABLE, &rgba8, &desc, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateImage(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE, &rgba8,
                                              &desc, given, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateImage(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_KERNEL_READ_AND_WRITE,
                                              &rgba8, &desc, given, &error));
    desc.mem_object = buffer;
    NO_OBJECT(CL_INVALID_VALUE, clCreateImage(context, 0, &rgba8, &desc, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateImage(context, CL_MEM_READ_ONLY, &rgba8, &desc, NULL, &error));
    OK(clReleaseMemObject(image_of(IMMUTABLE, &rgba8, &desc, NULL)));
    desc.mem_object = plain;
    OK(clReleaseMemObject(image_of(IMMUTABLE, &rgba8, &desc, NULL)));
    OK(clGetSupportedImageFormats(context, IMMUTABLE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    CHECK(count >= 20);
}

static void test_image_commands(void)
{
    static const float colour[4];
    size_t origin[3] = {0}, region[3] = {W, H, 1}, row, slice, one = 1;
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_mem buffer = buffer_of(IMMUTABLE | CL_MEM_COPY_HOST_PTR, BYTES, given), plain = buffer_of(0, BYTES, NULL);
    cl_mem image = image_of(IMMUTABLE | CL_MEM_COPY_HOST_PTR, &rgba8, &desc, given),
           other = image_of(0, &rgba8, &desc, NULL);
    cl_kernel kernel = kernel_of("kernel void k(read_only image2d_t a, write_only image2d_t b, global uchar4 *out)"
                                 "{ out[0] = convert_uchar4_rte(read_imagef(a, (int2)(1, 0)) * 255.0f);"
                                 "  write_imagef(b, (int2)(0, 0), (float4)(1.0f)); }",
                                 "-cl-std=CL3.0");
    test_image_creation(buffer, plain);
    CODE(CL_INVALID_OPERATION, clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, given, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueCopyImage(queue, other, image, origin, origin, region, 0, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clEnqueueCopyBufferToImage(queue, plain, image, 0, origin, region, 0, NULL, NULL));
    NO_OBJECT(CL_INVALID_OPERATION, clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, origin, region, &row, &slice,
                                                      0, NULL, NULL, &error));
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof(cl_mem), &image));
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &other));
    OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &plain));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, 4, back, 0, NULL, NULL));
    CHECK(!memcmp(back, given + 4, 4));
    OK(clEnqueueCopyImage(queue, image, other, origin, origin, region, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, other, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
    CHECK(!memcmp(back, given, BYTES));
    cl_mem all[] = {image, other, plain, buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    open_images(0);
    fill_random(given, sizeof(given));
    test_buffer_creation();
    test_buffer_commands();
    test_image_commands();
    return close_device();
}
