/* cl_khr_external_memory_win32 and cl_khr_external_semaphore_win32: memory and semaphores that a Vulkan program shares by NT handles, by
 * global share handles and by names, on Windows.
 *
 * usage: handles [needed]
 *
 * With "needed" it runs beside tests/windows/vulkan_handles.c, and the lack of the extensions is a failure; else it is skipped. */
#include "peer.h"
#include "share_test.h"

#define MEMORY_BY_NAME    0x2069
#define SEMAPHORE_BY_NAME 0x2068

enum { COUNT_OF = 5000, BYTES = COUNT_OF * 4, WIDTH = 33, HEIGHT = 17 };

static const char *source =
    "kernel void step(global uint *data, uint k) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + k; }\n";

static const struct kind {
    cl_uint memory, semaphore; /* OpenCL's numbers */
    VkExternalMemoryHandleTypeFlagBits vulkan_memory;
    VkExternalSemaphoreHandleTypeFlagBits vulkan_semaphore;
    LPCWSTR name;
} kinds[] = {
    {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR,
     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT, NULL},
    {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR,
     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT_BIT, NULL},
    {MEMORY_BY_NAME, SEMAPHORE_BY_NAME, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT,
     VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT, L"Local\\pumice-test \x00e4\x4e00"},
};

static bool is_open(HANDLE handle)
{
    DWORD flags;
    return GetHandleInformation(handle, &flags);
}

/* ---- memory ---- */

static cl_mem import_buffer(cl_uint type, const void *value, cl_int *error)
{
    const cl_mem_properties properties[] = {type, (cl_mem_properties)(uintptr_t)value, 0};
    return clCreateBufferWithProperties(context, properties, CL_MEM_READ_WRITE, BYTES, NULL, error);
}

static void test_refusals(const struct kind *kind)
{
    const void *nothing = kind->name ? (const void *)L"Local\\pumice-test-nothing" : (void *)(uintptr_t)0x7654320;
    NO_OBJECT(CL_INVALID_PROPERTY, import_buffer(kind->memory, NULL, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, import_buffer(kind->memory, nothing, &error));
    const properties_t semaphore[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, kind->semaphore, 0, 0};
    NO_OBJECT(CL_INVALID_PROPERTY, cl.create(context, semaphore, &error));
}

static void run_step(cl_program program, cl_mem mem)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "step", &error);
    const cl_uint k = 7;
    const size_t count = COUNT_OF;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

/* Vulkan fills, OpenCL computes, Vulkan reads. The handle stays the application's. */
static void test_buffer(const struct peer *peer, cl_program program, const struct kind *kind)
{
    struct peer_buffer theirs;
    HANDLE handle;
    cl_int error;
    peer_buffer_make(peer, BYTES, &theirs, &handle);
    peer_buffer_fill(peer, &theirs, 5);
    const void *value = kind->name ? (const void *)kind->name : handle;
    bool is_nt = kind->vulkan_memory == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT;
    cl_mem ours = import_buffer(kind->memory, value, &error), again = import_buffer(kind->memory, value, &error);
    NEED(ours && again);
    CHECK(!is_nt || is_open(handle));
    if (is_nt)
        CloseHandle(handle); /* the objects hold the memory */
    cl_mem_properties back[3] = {0};
    OK(clGetMemObjectInfo(ours, CL_MEM_PROPERTIES, sizeof(back), back, NULL));
    CHECK(back[0] == kind->memory && back[1] == (cl_mem_properties)(uintptr_t)value && !back[2]);
    OK(cl.acquire(queue, 1, &ours, 0, NULL, NULL));
    run_step(program, ours);
    OK(cl.give(queue, 1, &ours, 0, NULL, NULL));
    OK(clFinish(queue));
    static uint32_t words[COUNT_OF];
    peer_buffer_read(peer, &theirs, words);
    int wrong = 0;
    for (int i = 0; i < COUNT_OF; i++)
        wrong += words[i] != 22;
    CHECK(wrong == 0);
    peer_buffer_free(peer, &theirs);
    OK(cl.acquire(queue, 1, &again, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, again, CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    CHECK(words[0] == 22 && words[COUNT_OF - 1] == 22);
    OK(clReleaseMemObject(ours));
    OK(clReleaseMemObject(again));
}

static void test_image(const struct peer *peer, const struct kind *kind)
{
    struct peer_image theirs;
    HANDLE handle;
    cl_int error;
    const float colour[4] = {200 / 255.0f, 1.0f, 64 / 255.0f, 1.0f};
    const cl_uint other[4] = {0x10101010, 0, 0, 0};
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    static uint32_t texels[WIDTH * HEIGHT];
    peer_image_make(peer, WIDTH, HEIGHT, false, &theirs, &handle);
    peer_image_clear(peer, &theirs, colour);
    const void *value = kind->name ? (const void *)kind->name : handle;
    const cl_mem_properties properties[] = {kind->memory, (cl_mem_properties)(uintptr_t)value, 0};
    cl_mem ours = clCreateImageWithProperties(context, properties, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    NEED(ours);
    OK(cl.acquire(queue, 1, &ours, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, ours, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    CHECK(texels[0] == 0xff40ffc8u && texels[WIDTH * HEIGHT - 1] == 0xff40ffc8u);
    const size_t one[3] = {1, 1, 1};
    OK(clEnqueueWriteImage(queue, ours, CL_TRUE, origin, one, 0, 0, other, 0, NULL, NULL));
    OK(cl.give(queue, 1, &ours, 0, NULL, NULL));
    OK(clFinish(queue));
    peer_image_read(peer, &theirs, texels);
    CHECK(texels[0] == other[0] && texels[1] == 0xff40ffc8u);
    OK(clReleaseMemObject(ours));
    peer_image_free(peer, &theirs);
    if (kind->vulkan_memory == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT)
        CloseHandle(handle);
}

/* ---- semaphores ---- */

static cl_semaphore_khr import_semaphore(const struct kind *kind, const void *value, cl_int *error)
{
    const properties_t properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, kind->semaphore,
                                       (properties_t)(uintptr_t)value, 0};
    return cl.create(context, properties, error);
}

/* Vulkan signals, OpenCL waits, three times. */
static void test_their_semaphore(const struct peer *peer, const struct kind *kind)
{
    cl_int error;
    VkSemaphore theirs = peer_semaphore_make(peer, kind->vulkan_semaphore);
    HANDLE handle = peer_semaphore_export(peer, theirs, kind->vulkan_semaphore);
    cl_semaphore_khr ours = import_semaphore(kind, handle, &error);
    NEED(ours);
    for (int round = 0; round < 3; round++) {
        cl_event done;
        peer_submit(peer, VK_NULL_HANDLE, theirs, false);
        OK(cl.wait(queue, 1, &ours, NULL, 0, NULL, &done));
        OK(clWaitForEvents(1, &done));
        clReleaseEvent(done);
    }
    OK(cl.release(ours));
    if (kind->vulkan_semaphore == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT) {
        CHECK(is_open(handle));
        CloseHandle(handle);
    }
    peer_semaphore_free(peer, theirs);
}

/* OpenCL signals, Vulkan waits. What the call gives is a HANDLE, whose size it says. */
static void test_our_semaphore(const struct peer *peer, const struct kind *kind)
{
    cl_int error;
    const properties_t properties[] = {CL_SEMAPHORE_TYPE_KHR,
                                       CL_SEMAPHORE_TYPE_BINARY_KHR,
                                       CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                       kind->semaphore,
                                       0,
                                       0};
    cl_semaphore_khr ours = cl.create(context, properties, &error);
    NEED(ours);
    HANDLE handle = NULL;
    size_t size = 0;
    CODE(CL_INVALID_VALUE, cl.handle(ours, device, kind->semaphore, 4, &handle, NULL));
    OK(cl.handle(ours, device, kind->semaphore, sizeof(handle), &handle, &size));
    CHECK(size == sizeof(handle) && handle);
    VkSemaphore theirs = peer_semaphore_make(peer, kind->vulkan_semaphore);
    peer_semaphore_import(peer, theirs, kind->vulkan_semaphore, handle);
    for (int round = 0; round < 3; round++) {
        OK(cl.signal(queue, 1, &ours, NULL, 0, NULL, NULL));
        OK(clFlush(queue));
        peer_submit(peer, theirs, VK_NULL_HANDLE, true);
    }
    OK(cl.release(ours));
    peer_semaphore_free(peer, theirs);
    if (kind->vulkan_semaphore == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT)
        CloseHandle(handle);
}

/* Nobody exports by a name alone: there is no property for it. The name is one that Windows knows. */
static void test_named_semaphore(const struct kind *kind)
{
    cl_int error;
    const properties_t exported[] = {CL_SEMAPHORE_TYPE_KHR,
                                     CL_SEMAPHORE_TYPE_BINARY_KHR,
                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                     kind->semaphore,
                                     0,
                                     0};
    NO_OBJECT(CL_INVALID_PROPERTY, cl.create(context, exported, &error));
    HANDLE semaphore = CreateSemaphoreW(NULL, 1, 1, kind->name);
    cl_semaphore_khr ours = import_semaphore(kind, kind->name, &error);
    NEED(semaphore && ours);
    OK(cl.wait(queue, 1, &ours, NULL, 0, NULL, NULL));
    OK(cl.signal(queue, 1, &ours, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(WaitForSingleObject(semaphore, 0) == WAIT_OBJECT_0);
    OK(cl.release(ours));
    CloseHandle(semaphore);
}

static void test_kind(struct peer *peer, cl_program program, const struct kind *kind, bool layer)
{
    CHECK(lists(CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, kind->memory));
    CHECK(lists(CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, kind->semaphore));
    CHECK(lists(CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, kind->semaphore) == !kind->name);
    test_refusals(kind);
    peer->kind = kind->vulkan_memory;
    peer->name = kind->name;
    test_buffer(peer, program, kind);
    test_image(peer, kind);
    if (!kind->name) {
        test_their_semaphore(peer, kind);
        test_our_semaphore(peer, kind);
    } else if (layer) { /* a driver's semaphores are none of Windows' own */
        test_named_semaphore(kind);
    }
}

int main(int argc, char **argv)
{
    open_device(0);
    load_functions();
    bool needed = argc == 2 && !strcmp(argv[1], "needed");
    bool any = has_extension("cl_khr_external_memory_win32") && has_extension("cl_khr_external_semaphore_win32");
    if (!any && !needed) {
        printf("the device shares nothing by Windows' handles\n");
        close_device();
        return TEST_SKIPPED;
    }
    NEED(any && has_extension("cl_khr_external_memory") && has_extension("cl_khr_external_semaphore"));
    CHECK(!has_extension("cl_khr_external_memory_opaque_fd"));
    struct peer peer;
    uint8_t device_uuid[CL_UUID_SIZE_KHR], driver_uuid[CL_UUID_SIZE_KHR];
    OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof(device_uuid), device_uuid, NULL));
    OK(clGetDeviceInfo(device, CL_DRIVER_UUID_KHR, sizeof(driver_uuid), driver_uuid, NULL));
    NEED(peer_open(&peer, device_uuid, driver_uuid));
    cl_program program = build(source, "");
    for (size_t i = 0; i < COUNT(kinds); i++)
        test_kind(&peer, program, &kinds[i], needed);
    clReleaseProgram(program);
    peer_close(&peer);
    return close_device();
}
