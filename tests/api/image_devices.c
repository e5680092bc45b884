/* OpenCL 3.0 API, 3.3.1: images in one context over several devices. They follow the commands from device to device, as
 * do buffers whose texels they are.
 *
 * usage: api_image_devices [twins]: see devices.c */
#include "image_test.h"

enum { W = 9, H = 6, D = 4, BYTES = W * H * D * 4 };

static const char *const box_source = "kernel void k(read_only image3d_t a, write_only image3d_t b)"
                                      "{ int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);"
                                      "  write_imageui(b, at, read_imageui(a, at) * 3u % 251u + 1u); }";
/* The plane is the buffer's memory, too. */
static const char *const buffer_source = "kernel void k(global uchar4 *a)"
                                         "{ size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);"
                                         "  a[at] = convert_uchar4(convert_uint4(a[at]) * 3u % 251u + 1u); }";
static const char *const plane_source = "kernel void k(read_write image2d_t a)"
                                        "{ int2 at = (int2)(get_global_id(0), get_global_id(1));"
                                        "  write_imageui(a, at, read_imageui(a, at) * 3u % 251u + 1u); }";

static cl_device_id devices[8];
static cl_command_queue queues[8];
static cl_uint num_devices;
static uint8_t expected[BYTES], back[BYTES];

static void open_all(bool twins)
{
    cl_int error;
    find_device();
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, COUNT(devices), devices, &num_devices));
    NEED(num_devices >= 2 || !twins);
    if (num_devices < 2)
        exit(TEST_SKIPPED);
    num_devices = num_devices < COUNT(devices) ? num_devices : (cl_uint)COUNT(devices);
    context = clCreateContext(NULL, num_devices, devices, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (cl_uint i = 0; i < num_devices; i++) {
        cl_bool images = CL_FALSE;
        OK(clGetDeviceInfo(devices[i], CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
        if (!images)
            exit(TEST_SKIPPED);
        queues[i] =
            clCreateCommandQueue(context, devices[i], i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
        NEED(error == CL_SUCCESS);
    }
}

/* Every step on the next device, behind the one before by events alone. */
static void go_round(cl_mem boxes[2], cl_mem plane, cl_mem buffer, cl_event last[2])
{
    enum { STEPS = 12 };
    cl_kernel box_kernel = kernel_of(box_source, "-cl-std=CL3.0"),
              plane_kernel = kernel_of(has_read_write() ? plane_source : buffer_source, "-cl-std=CL3.0");
    size_t box[3] = {W, H, D}, all[2] = {W, H * D};
    OK(clSetKernelArg(plane_kernel, 0, sizeof(cl_mem), has_read_write() ? &plane : &buffer));
    for (cl_uint step = 0; step < STEPS; step++) {
        cl_command_queue here = queues[step % num_devices];
        cl_uint waits = step ? 2 : 0;
        cl_event next[2];
        OK(clSetKernelArg(box_kernel, 0, sizeof(cl_mem), &boxes[step % 2]));
        OK(clSetKernelArg(box_kernel, 1, sizeof(cl_mem), &boxes[1 - step % 2]));
        OK(clEnqueueNDRangeKernel(here, box_kernel, 3, NULL, box, NULL, waits, step ? last : NULL, &next[0]));
        OK(clEnqueueNDRangeKernel(here, plane_kernel, 2, NULL, all, NULL, waits, step ? last : NULL, &next[1]));
        for (int i = 0; i < 2; i++) {
            if (step)
                OK(clReleaseEvent(last[i]));
            last[i] = next[i];
        }
        for (int i = 0; i < BYTES; i++)
            expected[i] = (uint8_t)(expected[i] * 3u % 251u + 1u);
    }
    OK(clReleaseKernel(box_kernel));
    OK(clReleaseKernel(plane_kernel));
}

static void check(cl_uint i, cl_mem box, cl_mem plane, cl_mem buffer, const cl_event *waits)
{
    size_t origin[3] = {0}, region[3] = {W, H, D}, flat[3] = {W, H * D, 1}, row, slice;
    cl_uint count = waits ? 2 : 0;
    cl_int error;
    OK(clEnqueueReadImage(queues[i], box, CL_TRUE, origin, region, 0, 0, back, count, waits, NULL));
    CHECK(!memcmp(back, expected, BYTES));
    OK(clEnqueueReadImage(queues[i], plane, CL_TRUE, origin, flat, 0, 0, back, count, waits, NULL));
    CHECK(!memcmp(back, expected, BYTES));
    OK(clEnqueueReadBuffer(queues[i], buffer, CL_TRUE, 0, BYTES, back, count, waits, NULL));
    CHECK(!memcmp(back, expected, BYTES));
    expected[0]++;
    for (int k = 0; k < 2; k++) { /* what one device's queue unmaps, the others see */
        cl_mem image = k ? plane : box;
        uint8_t *map = clEnqueueMapImage(queues[i], image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
                                         k ? flat : region, &row, &slice, count, waits, NULL, &error);
        NEED(error == CL_SUCCESS);
        map[0]++;
        OK(clEnqueueUnmapMemObject(queues[i], image, map, 0, NULL, NULL));
        OK(clFinish(queues[i]));
    }
}

/* All levels of a mip-mapped image (cl_khr_mipmap_image) follow. */
static void test_levels(void)
{
    enum { LEVELS = 4 };
    static uint8_t levels[LEVELS][BYTES];
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H * D, 0);
    desc.num_mip_levels = LEVELS;
    cl_mem image = image_of(0, &ints, &desc, NULL);
    for (cl_uint step = 0; step <= num_devices; step++) {
        for (size_t level = 0; level < LEVELS; level++) {
            size_t origin[3] = {0, 0, level}, region[3] = {W >> level, (H * D) >> level, 1};
            cl_command_queue here = queues[step % num_devices];
            if (step) {
                OK(clEnqueueReadImage(here, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
                CHECK(!memcmp(back, levels[level], region[0] * region[1] * 4));
            }
            fill_random(levels[level], BYTES);
            OK(clEnqueueWriteImage(here, image, CL_TRUE, origin, region, 0, 0, levels[level], 0, NULL, NULL));
        }
    }
    OK(clReleaseMemObject(image));
}

int main(int argc, char **argv)
{
    cl_image_desc box = desc_of(CL_MEM_OBJECT_IMAGE3D, W, H, D), flat = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H * D, 0);
    cl_event last[2];
    open_all(argc > 1 && !strcmp(argv[1], "twins"));
    fill_random(expected, BYTES);
    cl_mem boxes[2] = {image_of(CL_MEM_COPY_HOST_PTR, &ints, &box, expected), image_of(0, &ints, &box, NULL)};
    cl_mem buffer = buffer_of(CL_MEM_COPY_HOST_PTR, BYTES, expected);
    flat.mem_object = buffer;
    cl_mem plane = image_of(0, &ints, &flat, NULL);
    go_round(boxes, plane, buffer, last);
    for (cl_uint i = 0; i < num_devices; i++)
        check(i, boxes[0], plane, buffer, i ? NULL : last);
    check(0, boxes[0], plane, buffer, NULL);
    test_levels();
    cl_mem all[] = {boxes[0], boxes[1], plane, buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseEvent(last[0]));
    OK(clReleaseEvent(last[1]));
    for (cl_uint i = 0; i < num_devices; i++)
        OK(clReleaseCommandQueue(queues[i]));
    return close_device();
}
