/* What the image tests share: images of bytes, and their texels on the host. */
#ifndef TESTS_API_IMAGE_TEST_H
#define TESTS_API_IMAGE_TEST_H

#include "api_test.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8}, ints = {CL_RGBA, CL_UNSIGNED_INT8};

static inline cl_image_desc desc_of(cl_mem_object_type type, size_t width, size_t height, size_t rest)
{
    cl_image_desc desc = {.image_type = type, .image_width = width};
    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D)
        desc.image_height = height;
    if (type == CL_MEM_OBJECT_IMAGE3D)
        desc.image_depth = rest;
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        desc.image_array_size = rest;
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        desc.image_array_size = height;
    return desc;
}

static inline cl_mem image_of(cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host)
{
    cl_int error;
    cl_mem mem = clCreateImage(context, flags, format, desc, host, &error);
    if (error != CL_SUCCESS)
        printf("an image of 0x%x 0x%x: %d\n", format->image_channel_order, format->image_channel_data_type, error);
    NEED(error == CL_SUCCESS);
    return mem;
}

/* Exits with 77 where the device has no images. */
static inline void open_images(cl_command_queue_properties flags)
{
    cl_bool supported = CL_FALSE;
    open_device(flags);
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(supported), &supported, NULL));
    if (!supported) {
        printf("no images\n");
        close_device();
        exit(TEST_SKIPPED);
    }
}

static inline void fill_random(void *data, size_t size)
{
    static uint32_t seed = 1;
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        ((uint8_t *)data)[i] = (uint8_t)(seed >> 24);
    }
}

static inline cl_kernel kernel_of(const char *source, const char *options)
{
    cl_int error;
    cl_program program = build(source, options);
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    NEED(error == CL_SUCCESS);
    OK(clReleaseProgram(program));
    return kernel;
}

/* Whether kernels may have read_write images: __opencl_c_read_write_images. */
static inline bool has_read_write(void)
{
    cl_uint count = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof(count), &count, NULL));
    return count > 0;
}

#endif
