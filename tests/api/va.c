/* cl_intel_va_api_media_sharing, on surfaces of the driver in tests/support/va_driver.c: every plane there and back,
 * against what libva's images say; errors, order, leaks, threads and ends.
 *
 * PUMICE_TEST_VA tells the driver what it can ("copy": nothing tells what a surface has, so that it is refused). */
#include "api_test.h"
#include "va_display.h"

#include "src/va/private.h"

#include <va/va_drmcommon.h>

#include <dirent.h>
#include <pthread.h>

/* cl_va_api_media_sharing_intel.h, where systems have it */
#define VA_API_DISPLAY         OCL_VA_API_DISPLAY
#define CONTEXT_VA_API_DISPLAY OCL_CONTEXT_VA_API_DISPLAY

_Static_assert(sizeof(struct va_image_format) == sizeof(VAImageFormat), "formats are libva's");
_Static_assert(sizeof(struct va_image) == sizeof(VAImage), "images are libva's");
_Static_assert(offsetof(struct va_image, buf) == offsetof(VAImage, buf), "buffers are where libva has them");
_Static_assert(offsetof(struct va_image, offsets) == offsetof(VAImage, offsets), "planes are where libva has them");
_Static_assert(sizeof(struct va_prime_surface) == sizeof(VADRMPRIMESurfaceDescriptor), "exports are libva's");
_Static_assert(offsetof(struct va_prime_surface, layers) == offsetof(VADRMPRIMESurfaceDescriptor, layers), "layers");
_Static_assert(sizeof(struct va_display_attribute) == sizeof(VADisplayAttribute), "attributes are libva's");
_Static_assert(VA_DRM_PRIME_2 == VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 && VA_PCI_ID == (int)VADisplayPCIID &&
                   VA_NO_SUCH_SURFACE == VA_STATUS_ERROR_INVALID_SURFACE,
               "numbers are libva's");

enum { WIDTH = 70, HEIGHT = 34 };

static struct {
    cl_int (*devices)(cl_platform_id, cl_uint, void *, cl_uint, cl_uint, cl_device_id *, cl_uint *);
    cl_mem (*create)(cl_context, cl_mem_flags, VASurfaceID *, cl_uint, cl_int *);
    cl_int (*acquire)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
    cl_int (*release)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
} va;

static VADisplay display;
static cl_program program;
static const char *source = "kernel void turn(read_only image2d_t from, write_only image2d_t to) {\n"
                            "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                            "    write_imagef(to, at, 1.0f - read_imagef(from, at));\n"
                            "}\n";

static const struct {
    uint32_t fourcc, num_planes;
    struct {
        cl_channel_order order;
        cl_channel_type type;
        uint32_t shift;
    } planes[3];
} formats[] = {
    {VA_FOURCC_NV12, 2, {{CL_R, CL_UNORM_INT8, 0}, {CL_RG, CL_UNORM_INT8, 1}}},
    {VA_FOURCC_P010, 2, {{CL_R, CL_UNORM_INT16, 0}, {CL_RG, CL_UNORM_INT16, 1}}},
    {VA_FOURCC_I420, 3, {{CL_R, CL_UNORM_INT8, 0}, {CL_R, CL_UNORM_INT8, 1}, {CL_R, CL_UNORM_INT8, 1}}},
    {VA_FOURCC_BGRA, 1, {{CL_BGRA, CL_UNORM_INT8, 0}}},
};

static void load_functions(void)
{
    static const char *const names[] = {
        "clGetDeviceIDsFromVA_APIMediaAdapterINTEL", "clCreateFromVA_APIMediaSurfaceINTEL",
        "clEnqueueAcquireVA_APIMediaSurfacesINTEL", "clEnqueueReleaseVA_APIMediaSurfacesINTEL"};
    void *found[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++)
        NEED(found[i] = clGetExtensionFunctionAddressForPlatform(platform, names[i]));
    memcpy(&va, found, sizeof(va));
}

/* ---- surfaces by libva ---- */

static VASurfaceID new_surface(uint32_t fourcc, uint32_t width, uint32_t height)
{
    VASurfaceID surface;
    VASurfaceAttrib attribute = {.type = VASurfaceAttribPixelFormat, .flags = VA_SURFACE_ATTRIB_SETTABLE};
    attribute.value.type = VAGenericValueTypeInteger;
    attribute.value.value.i = (int)fourcc;
    NEED(vaCreateSurfaces(display, VA_RT_FORMAT_YUV420, width, height, &surface, 1, &attribute, 1) ==
         VA_STATUS_SUCCESS);
    return surface;
}

static uint8_t byte_at(size_t plane, size_t at)
{
    return (uint8_t)((at * 31 + (at >> 7) * 5 + plane * 50) & 255);
}

/* All bytes of all rows: fills them, or counts those that are not as filled, or their complements in a plane. */
static int visit(VASurfaceID surface, uint32_t fourcc, bool fills, uint32_t turned)
{
    VAImage image;
    VAImageFormat format = {.fourcc = fourcc, .byte_order = VA_LSB_FIRST};
    uint8_t *map;
    int wrong = 0;
    NEED(vaCreateImage(display, &format, WIDTH, HEIGHT, &image) == VA_STATUS_SUCCESS);
    NEED(vaGetImage(display, surface, 0, 0, WIDTH, HEIGHT, image.image_id) == VA_STATUS_SUCCESS);
    NEED(vaMapBuffer(display, image.buf, (void **)&map) == VA_STATUS_SUCCESS);
    for (uint32_t p = 0; p < image.num_planes; p++) {
        size_t width = (size_t)WIDTH >> (p ? 1 : 0), height = (size_t)HEIGHT >> (p ? 1 : 0),
               texel = fourcc == VA_FOURCC_BGRA   ? 4
                       : fourcc == VA_FOURCC_I420 ? 1
                       : p                        ? 2
                                                  : 1;
        texel *= fourcc == VA_FOURCC_P010 ? 2 : 1;
        for (size_t y = 0; y < height; y++) {
            uint8_t *row = map + image.offsets[p] + y * image.pitches[p];
            for (size_t i = 0; i < width * texel; i++) {
                uint8_t value = byte_at(p, y * width * texel + i);
                if (fills)
                    row[i] = value;
                else
                    wrong += row[i] != (p == turned ? (uint8_t)~value : value);
            }
        }
    }
    vaUnmapBuffer(display, image.buf);
    if (fills)
        NEED(vaPutImage(display, surface, image.image_id, 0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT) ==
             VA_STATUS_SUCCESS);
    vaDestroyImage(display, image.image_id);
    return wrong;
}

/* ---- round trips ---- */

static cl_context sharing_context(cl_bool user_sync, cl_int *error)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform,
                                                CONTEXT_VA_API_DISPLAY,
                                                (cl_context_properties)display,
                                                CL_CONTEXT_INTEROP_USER_SYNC,
                                                user_sync,
                                                0};
    return clCreateContext(properties, 1, &device, NULL, NULL, error);
}

static void check_plane(cl_mem image, VASurfaceID surface, size_t format, cl_uint plane)
{
    cl_image_format seen;
    VASurfaceID *of = NULL;
    cl_uint number = 77;
    size_t width = 0, height = 0;
    OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(seen), &seen, NULL));
    CHECK(seen.image_channel_order == formats[format].planes[plane].order &&
          seen.image_channel_data_type == formats[format].planes[plane].type);
    OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof(width), &width, NULL));
    OK(clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof(height), &height, NULL));
    CHECK(width == (size_t)WIDTH >> formats[format].planes[plane].shift &&
          height == (size_t)HEIGHT >> formats[format].planes[plane].shift);
    OK(clGetMemObjectInfo(image, OCL_MEM_VA_API_SURFACE, sizeof(of), &of, NULL));
    CHECK(of && *of == surface);
    OK(clGetImageInfo(image, OCL_IMAGE_VA_API_PLANE, sizeof(number), &number, NULL));
    CHECK(number == plane);
}

/* Every texel of the plane becomes its complement. */
static void turn(cl_command_queue on, cl_context in, cl_mem image)
{
    cl_int error;
    cl_image_format format;
    size_t size[3] = {0, 0, 1};
    const size_t origin[3] = {0, 0, 0};
    OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(format), &format, NULL));
    OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof(size_t), &size[0], NULL));
    OK(clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof(size_t), &size[1], NULL));
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = size[0], .image_height = size[1]};
    cl_mem between = clCreateImage(in, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    NEED(error == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "turn", &error);
    NEED(error == CL_SUCCESS);
    OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(between), &between));
    OK(clEnqueueNDRangeKernel(on, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
    OK(clEnqueueCopyImage(on, between, image, origin, origin, size, 0, NULL, NULL));
    clReleaseKernel(kernel);
    clReleaseMemObject(between);
}

static void test_plane(size_t format, cl_uint plane, bool user_sync)
{
    cl_int error;
    uint32_t fourcc = formats[format].fourcc;
    VASurfaceID surface = new_surface(fourcc, WIDTH, HEIGHT);
    visit(surface, fourcc, true, 0);
    cl_mem image = va.create(context, CL_MEM_READ_WRITE, &surface, plane, &error);
    NEED(error == CL_SUCCESS);
    check_plane(image, surface, format, plane);
    OK(va.acquire(queue, 1, &image, 0, NULL, NULL));
    OK(va.release(queue, 1, &image, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(visit(surface, fourcc, false, UINT32_MAX) == 0);
    cl_event acquired, released;
    cl_command_type type = 0;
    OK(va.acquire(queue, 1, &image, 0, NULL, &acquired));
    OK(clGetEventInfo(acquired, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == OCL_COMMAND_ACQUIRE_VA_API_SURFACE);
    turn(queue, context, image);
    OK(va.release(queue, 1, &image, 1, &acquired, &released));
    OK(clGetEventInfo(released, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == OCL_COMMAND_RELEASE_VA_API_SURFACE);
    if (user_sync) {
        OK(clWaitForEvents(1, &released));
    } else { /* the call has waited */
        cl_int status = 77;
        OK(clGetEventInfo(released, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
        CHECK(status == CL_COMPLETE);
    }
    CHECK(visit(surface, fourcc, false, plane) == 0);
    /* what VA-API writes meanwhile is seen the next time */
    visit(surface, fourcc, true, 0);
    OK(va.acquire(queue, 1, &image, 0, NULL, NULL));
    turn(queue, context, image);
    OK(va.release(queue, 1, &image, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(visit(surface, fourcc, false, plane) == 0);
    clReleaseEvent(acquired);
    clReleaseEvent(released);
    OK(clReleaseMemObject(image));
    vaDestroySurfaces(display, &surface, 1);
}

static void test_round_trips(bool user_sync)
{
    cl_context first_context = context;
    cl_command_queue first_queue = queue;
    cl_int error;
    context = sharing_context(user_sync, &error);
    NEED(error == CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, 0, &error);
    program = build(source, "");
    for (size_t i = 0; i < COUNT(formats); i++) {
        for (cl_uint plane = 0; plane < formats[i].num_planes; plane++)
            test_plane(i, plane, user_sync);
    }
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    context = first_context;
    queue = first_queue;
}

/* ---- what is refused ---- */

static void test_devices(void)
{
    cl_device_id found[8] = {NULL};
    cl_uint count = 0;
    const cl_uint all = OCL_ALL_DEVICES_FOR_VA_API, best = OCL_PREFERRED_DEVICES_FOR_VA_API;
    OK(va.devices(platform, VA_API_DISPLAY, display, all, 8, found, &count));
    CHECK(count >= 1 && found[0]);
    OK(va.devices(platform, VA_API_DISPLAY, display, best, 8, found, &count));
    CHECK(count == 1);
    OK(va.devices(platform, VA_API_DISPLAY, display, best, 0, NULL, &count));
    OK(va.devices(platform, VA_API_DISPLAY, display, best, 1, found, NULL));
    CODE(CL_INVALID_PLATFORM, va.devices(NULL, VA_API_DISPLAY, display, all, 8, found, &count));
    CODE(CL_INVALID_VALUE, va.devices(platform, 1, display, all, 8, found, &count));
    CODE(CL_INVALID_VALUE, va.devices(platform, VA_API_DISPLAY, display, 1, 8, found, &count));
    CODE(CL_INVALID_VALUE, va.devices(platform, VA_API_DISPLAY, display, all, 0, found, &count));
    CODE(CL_INVALID_VALUE, va.devices(platform, VA_API_DISPLAY, display, all, 8, NULL, NULL));
    CODE(OCL_INVALID_VA_API_ADAPTER, va.devices(platform, VA_API_DISPLAY, NULL, all, 8, found, &count));
}

static void test_contexts(void)
{
    char nothing[1024] = {0};
    cl_context_properties properties[] = {CONTEXT_VA_API_DISPLAY, (cl_context_properties)nothing, 0, 0, 0, 0, 0};
    NO_OBJECT(OCL_INVALID_VA_API_ADAPTER, clCreateContext(properties, 1, &device, NULL, NULL, &error));
    properties[1] = (cl_context_properties)display;
    properties[2] = CL_GL_CONTEXT_KHR;
    properties[3] = (cl_context_properties)nothing;
    properties[4] = CL_EGL_DISPLAY_KHR;
    properties[5] = (cl_context_properties)nothing;
    NO_OBJECT(CL_INVALID_OPERATION, clCreateContext(properties, 1, &device, NULL, NULL, &error));
    properties[2] = CONTEXT_VA_API_DISPLAY;
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateContext(properties, 1, &device, NULL, NULL, &error));
}

static void test_refusals(cl_context sharing, cl_command_queue on)
{
    cl_int error;
    VASurfaceID surface = new_surface(VA_FOURCC_NV12, WIDTH, HEIGHT), yuy2 = new_surface(VA_FOURCC_YUY2, WIDTH, HEIGHT),
                none = 12345;
    NO_OBJECT(CL_INVALID_CONTEXT, va.create(NULL, 0, &surface, 0, &error));
    NO_OBJECT(CL_INVALID_CONTEXT, va.create(context, 0, &surface, 0, &error));
    NO_OBJECT(CL_INVALID_VALUE, va.create(sharing, CL_MEM_ALLOC_HOST_PTR, &surface, 0, &error));
    NO_OBJECT(CL_INVALID_VALUE, va.create(sharing, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &surface, 0, &error));
    NO_OBJECT(CL_INVALID_VALUE, va.create(sharing, 0, &surface, 2, &error));
    NO_OBJECT(OCL_INVALID_VA_API_SURFACE, va.create(sharing, 0, &none, 0, &error));
    NO_OBJECT(OCL_INVALID_VA_API_SURFACE, va.create(sharing, 0, NULL, 0, &error));
    NO_OBJECT(CL_IMAGE_FORMAT_NOT_SUPPORTED, va.create(sharing, 0, &yuy2, 0, &error));
    cl_mem images[2] = {va.create(sharing, CL_MEM_READ_ONLY, &surface, 0, &error), NULL};
    OK(error);
    images[1] = va.create(sharing, CL_MEM_WRITE_ONLY, &surface, 1, &error);
    OK(error);
    cl_mem plain = clCreateBuffer(sharing, 0, 64, NULL, &error), twice[2] = {images[0], images[0]};
    CODE(CL_INVALID_COMMAND_QUEUE, va.acquire(NULL, 1, images, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, va.acquire(on, 0, images, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, va.acquire(on, 1, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_CONTEXT, va.acquire(queue, 0, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, va.acquire(on, 1, &plain, 0, NULL, NULL));
    CODE(CL_INVALID_EVENT_WAIT_LIST, va.acquire(on, 1, images, 1, NULL, NULL));
    OK(va.acquire(on, 0, NULL, 0, NULL, NULL));
    OK(va.release(on, 0, NULL, 0, NULL, NULL));
    CODE(OCL_VA_API_NOT_ACQUIRED, va.release(on, 2, images, 0, NULL, NULL));
    CODE(OCL_VA_API_ALREADY_ACQUIRED, va.acquire(on, 2, twice, 0, NULL, NULL));
    OK(va.acquire(on, 2, images, 0, NULL, NULL));
    CODE(OCL_VA_API_ALREADY_ACQUIRED, va.acquire(on, 1, images, 0, NULL, NULL));
    OK(va.release(on, 1, images + 1, 0, NULL, NULL));
    CODE(OCL_VA_API_NOT_ACQUIRED, va.release(on, 2, images, 0, NULL, NULL));
    OK(va.release(on, 1, images, 0, NULL, NULL));
    cl_int (*external)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *) =
        (cl_int(*)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *))
            clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueAcquireExternalMemObjectsKHR");
    CODE(CL_INVALID_MEM_OBJECT, external(on, 1, images, 0, NULL, NULL));
    void *of;
    CODE(OCL_INVALID_VA_API_SURFACE, clGetMemObjectInfo(plain, OCL_MEM_VA_API_SURFACE, sizeof(of), &of, NULL));
    OK(clFinish(on));
    clReleaseMemObject(plain);
    for (int i = 0; i < 2; i++)
        clReleaseMemObject(images[i]);
    vaDestroySurfaces(display, &surface, 1);
    vaDestroySurfaces(display, &yuy2, 1);
}

/* A surface that is gone is an error of the command, and nothing is touched. */
static void test_gone(cl_context sharing, cl_command_queue on)
{
    cl_int error, status = 0;
    VASurfaceID surface = new_surface(VA_FOURCC_NV12, WIDTH, HEIGHT);
    cl_mem image = va.create(sharing, 0, &surface, 0, &error);
    NEED(error == CL_SUCCESS);
    vaDestroySurfaces(display, &surface, 1);
    cl_event event;
    OK(va.acquire(on, 1, &image, 0, NULL, &event));
    clFinish(on);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    CHECK(status < 0);
    clReleaseEvent(event);
    clReleaseMemObject(image);
}

/* ---- many, two, ends ---- */

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static void test_leaks(cl_context sharing, cl_command_queue on)
{
    cl_int error;
    int before = open_files();
    VASurfaceID surface = new_surface(VA_FOURCC_NV12, WIDTH, HEIGHT);
    for (int round = 0; round < 100; round++) {
        cl_mem image = va.create(sharing, 0, &surface, round % 2, &error);
        NEED(error == CL_SUCCESS);
        for (int i = 0; i < 10; i++) {
            OK(va.acquire(on, 1, &image, 0, NULL, NULL));
            OK(va.release(on, 1, &image, 0, NULL, NULL));
        }
        OK(clReleaseMemObject(image));
    }
    OK(clFinish(on));
    vaDestroySurfaces(display, &surface, 1);
    CHECK(open_files() <= before + 4); /* some of the last may not have been freed yet */
}

struct worker {
    cl_context context;
    uint32_t plane;
    int failures;
};

static void *work(void *data)
{
    struct worker *worker = data;
    cl_int error;
    VASurfaceID surface = new_surface(VA_FOURCC_NV12, WIDTH, HEIGHT);
    cl_command_queue own = clCreateCommandQueue(worker->context, device, 0, &error);
    cl_mem image = va.create(worker->context, 0, &surface, worker->plane, &error);
    const float colour[4] = {1, 1, 0, 1};
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH >> worker->plane, HEIGHT >> worker->plane, 1};
    for (int round = 0; round < 50 && image && own; round++) {
        error = va.acquire(own, 1, &image, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = clEnqueueFillImage(own, image, colour, origin, region, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = va.release(own, 1, &image, 0, NULL, NULL);
        worker->failures += error != CL_SUCCESS;
    }
    worker->failures += !image || !own || clFinish(own) != CL_SUCCESS;
    clReleaseMemObject(image);
    clReleaseCommandQueue(own);
    vaDestroySurfaces(display, &surface, 1);
    return NULL;
}

static void test_threads(cl_context sharing)
{
    pthread_t threads[2];
    struct worker workers[2] = {{sharing, 0, 0}, {sharing, 1, 0}};
    for (int i = 0; i < 2; i++)
        NEED(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK(!workers[0].failures && !workers[1].failures);
}

/* The context goes first, then VA-API's display, and the image is still there. */
static void test_ends(void)
{
    cl_int error;
    cl_context sharing = sharing_context(CL_FALSE, &error);
    NEED(error == CL_SUCCESS);
    VASurfaceID surface = new_surface(VA_FOURCC_NV12, WIDTH, HEIGHT);
    cl_mem image = va.create(sharing, 0, &surface, 0, &error);
    NEED(error == CL_SUCCESS);
    clReleaseContext(sharing);
    vaDestroySurfaces(display, &surface, 1);
    test_va_close(display);
    clReleaseMemObject(image);
}

int main(void)
{
    open_device(0);
    cl_bool images = CL_FALSE;
    const struct test_device opened = {platform, device, context, queue};
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    CHECK(test_has_extension(&opened, "cl_intel_va_api_media_sharing") == images);
    display = images ? test_va_open() : NULL;
    if (!display) {
        printf(images ? "libva did not load the test's driver\n" : "the device has no images\n");
        close_device();
        return TEST_SKIPPED;
    }
    load_functions();
    test_devices();
    test_contexts();
    cl_int error;
    cl_context sharing = sharing_context(CL_FALSE, &error);
    NEED(error == CL_SUCCESS);
    cl_command_queue on = clCreateCommandQueue(sharing, device, 0, &error);
    const char *can = getenv("PUMICE_TEST_VA");
    if (can && !strcmp(can, "copy")) {
        VASurfaceID surface = new_surface(VA_FOURCC_NV12, WIDTH, HEIGHT);
        NO_OBJECT(OCL_INVALID_VA_API_SURFACE, va.create(sharing, 0, &surface, 0, &error));
    } else {
        test_refusals(sharing, on);
        test_gone(sharing, on);
        test_leaks(sharing, on);
        test_threads(sharing);
        for (int user_sync = 0; user_sync < 2; user_sync++)
            test_round_trips(user_sync);
    }
    clReleaseCommandQueue(on);
    clReleaseContext(sharing);
    if (!can || strcmp(can, "copy") != 0)
        test_ends();
    else
        test_va_close(display);
    return close_device();
}
