/* cl_khr_external_memory with opaque descriptors and dma_bufs: buffers and images that a Vulkan program made are
 * changed here and seen there, and by a second process; and what the calls refuse.
 *
 * usage: api_external [twins | step FD]
 *
 * With "twins" it runs under tests/support/twins.c, and the memory is imported into a context of two devices. "step FD"
 * is what the second process does. */
#include "peer.h"
#include "dma_buf_test.h"
#include "share_test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COUNT_OF = 5000, SIZE = COUNT_OF * 4, WIDTH = 33, HEIGHT = 17 };

static const char *source =
    "kernel void step(global uint *data, uint k) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + k; }\n"
    "#ifdef __IMAGE_SUPPORT__\n"
    "kernel void half_red(read_only image2d_t from, write_only image2d_t to) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    float4 texel = read_imagef(from, at);\n"
    "    texel.x *= 0.5f;\n"
    "    texel.y = (float)at.x / 255.0f;\n"
    "    write_imagef(to, at, texel);\n"
    "}\n"
    "#endif\n";

static cl_program program;

static bool has_images(void)
{
    cl_bool images = CL_FALSE;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    return images;
}

static cl_kernel kernel_of(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    NEED(error == CL_SUCCESS);
    return kernel;
}

static cl_mem import_buffer(cl_uint type, int fd, size_t size, cl_int *error)
{
    const cl_mem_properties properties[] = {type, (cl_mem_properties)fd, 0};
    return clCreateBufferWithProperties(context, properties, CL_MEM_READ_WRITE, size, NULL, error);
}

static void run_step(cl_command_queue on, cl_mem mem, cl_uint k)
{
    cl_kernel kernel = kernel_of("step");
    size_t count = COUNT_OF;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
    OK(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

static int wrong_words(const uint32_t *words, uint32_t expected)
{
    int wrong = 0;
    for (int i = 0; i < COUNT_OF; i++)
        wrong += words[i] != expected;
    return wrong;
}

/* ---- what is refused ---- */

static void test_refusals(cl_uint type, int fd)
{
    const cl_mem_properties word = (cl_mem_properties)fd;
    const struct {
        cl_int code;
        cl_mem_flags flags;
        void *host;
        cl_mem_properties properties[8];
    } rows[] = {
        {CL_INVALID_PROPERTY, 0, NULL, {12345, 1, 0}},
        {CL_INVALID_PROPERTY, 0, NULL, {type, word, type, word, 0}},
        {CL_INVALID_PROPERTY, 0, NULL, {MEM_DEVICE_HANDLE_LIST, (uintptr_t)device, 0, 0}},
        {CL_INVALID_PROPERTY, 0, NULL, {type, 987654, 0}},
        {CL_INVALID_VALUE, 0, NULL, {type, ~0ull, 0}},
        {CL_INVALID_DEVICE, 0, NULL, {type, word, MEM_DEVICE_HANDLE_LIST, (uintptr_t)queue, 0, 0}},
        {CL_INVALID_DEVICE, 0, NULL, {type, word, MEM_DEVICE_HANDLE_LIST, 0, 0}},
        {CL_INVALID_VALUE, CL_MEM_ALLOC_HOST_PTR, NULL, {type, word, 0}},
        {CL_INVALID_VALUE, CL_MEM_USE_HOST_PTR, &fd, {type, word, 0}},
        {CL_INVALID_HOST_PTR, 0, &fd, {type, word, 0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        NO_OBJECT(rows[i].code,
                  clCreateBufferWithProperties(context, rows[i].properties, rows[i].flags, SIZE, rows[i].host, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, import_buffer(type, fd, 0, &error));
    CHECK(fcntl(fd, F_GETFD) >= 0); /* a call that fails leaves it to the application */
    cl_mem plain = buffer_of(0, SIZE, NULL), none = NULL;
    cl_event failed = user_event();
    OK(clSetUserEventStatus(failed, -3));
    for (int k = 0; k < 2; k++) {
        cl_int (*call)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *) =
            k ? cl.give : cl.acquire;
        CODE(CL_INVALID_COMMAND_QUEUE, call(NULL, 0, NULL, 0, NULL, NULL));
        CODE(CL_INVALID_VALUE, call(queue, 1, NULL, 0, NULL, NULL));
        CODE(CL_INVALID_VALUE, call(queue, 0, &plain, 0, NULL, NULL));
        CODE(CL_INVALID_MEM_OBJECT, call(queue, 1, &plain, 0, NULL, NULL));
        CODE(CL_INVALID_MEM_OBJECT, call(queue, 1, &none, 0, NULL, NULL));
        CODE(CL_INVALID_EVENT_WAIT_LIST, call(queue, 0, NULL, 1, NULL, NULL));
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, call(queue, 0, NULL, 1, &failed, NULL));
        OK(call(queue, 0, NULL, 0, NULL, NULL));
    }
    clReleaseEvent(failed);
    clReleaseMemObject(plain);
}

/* ---- buffers ---- */

/* Vulkan fills, OpenCL computes, Vulkan reads; then OpenCL reads and maps what Vulkan wrote again. */
static void test_buffer(const struct peer *peer)
{
    struct peer_buffer theirs;
    cl_int error;
    int fd;
    peer_buffer_make(peer, SIZE, &theirs, &fd);
    peer_buffer_fill(peer, &theirs, 5);
    test_refusals(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd);
    cl_mem ours = import_buffer(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd, SIZE, &error);
    NEED(error == CL_SUCCESS);
    CHECK(fcntl(fd, F_GETFD) < 0); /* it was given away */
    cl_mem_properties back[3] = {0};
    OK(clGetMemObjectInfo(ours, CL_MEM_PROPERTIES, sizeof(back), back, NULL));
    CHECK(back[0] == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR && back[1] == (cl_mem_properties)fd && !back[2]);
    cl_event acquired;
    cl_command_type type = 0;
    OK(cl.acquire(queue, 1, &ours, 0, NULL, &acquired));
    OK(clGetEventInfo(acquired, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
    clReleaseEvent(acquired);
    run_step(queue, ours, 7);
    OK(cl.give(queue, 1, &ours, 0, NULL, NULL));
    OK(clFinish(queue));
    uint32_t words[COUNT_OF];
    peer_buffer_read(peer, &theirs, words);
    CHECK(wrong_words(words, 22) == 0);
    peer_buffer_fill(peer, &theirs, 99);
    OK(cl.acquire(queue, 1, &ours, 0, NULL, NULL));
    memset(words, 0, sizeof(words));
    OK(clEnqueueReadBuffer(queue, ours, CL_TRUE, 0, SIZE, words, 0, NULL, NULL));
    CHECK(wrong_words(words, 99) == 0);
    uint32_t *map = clEnqueueMapBuffer(queue, ours, CL_TRUE, CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &error);
    NEED(map);
    CHECK(wrong_words(map, 99) == 0);
    for (int i = 0; i < COUNT_OF; i++)
        map[i] = 123;
    OK(clEnqueueUnmapMemObject(queue, ours, map, 0, NULL, NULL));
    OK(cl.give(queue, 1, &ours, 0, NULL, NULL));
    OK(clFinish(queue));
    peer_buffer_read(peer, &theirs, words);
    CHECK(wrong_words(words, 123) == 0);
    OK(clReleaseMemObject(ours));
    peer_buffer_free(peer, &theirs);
}

/* The memory outlives whoever made it, and sub-buffers and images of it work. */
static void test_parts(const struct peer *peer)
{
    struct peer_buffer theirs;
    cl_int error;
    int fd;
    peer_buffer_make(peer, SIZE, &theirs, &fd);
    peer_buffer_fill(peer, &theirs, 1);
    cl_mem ours = import_buffer(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd, SIZE, &error);
    NEED(error == CL_SUCCESS);
    peer_buffer_free(peer, &theirs);
    const cl_buffer_region region = {1024, 256};
    cl_mem part = clCreateSubBuffer(ours, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    CODE(CL_INVALID_MEM_OBJECT, cl.acquire(queue, 1, &part, 0, NULL, NULL));
    OK(cl.acquire(queue, 1, &ours, 0, NULL, NULL));
    const cl_uint pattern = 77;
    uint32_t words[COUNT_OF];
    OK(clEnqueueFillBuffer(queue, part, &pattern, 4, 0, 256, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, ours, CL_TRUE, 0, SIZE, words, 0, NULL, NULL));
    CHECK(words[255] == 1 && words[256] == 77 && words[319] == 77 && words[320] == 1);
    OK(cl.give(queue, 1, &ours, 0, NULL, NULL));
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(ours));
}

/* ---- images ---- */

static cl_mem import_image(cl_uint type, int fd, size_t row_pitch, cl_int *error)
{
    const cl_mem_properties properties[] = {type, (cl_mem_properties)fd, 0};
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = WIDTH,
                                .image_height = HEIGHT,
                                .image_row_pitch = row_pitch};
    return clCreateImageWithProperties(context, properties, CL_MEM_READ_WRITE, &format, &desc, NULL, error);
}

static void run_half_red(cl_mem from, cl_mem to)
{
    cl_kernel kernel = kernel_of("half_red");
    const size_t size[2] = {WIDTH, HEIGHT};
    OK(clSetKernelArg(kernel, 0, sizeof(from), &from));
    OK(clSetKernelArg(kernel, 1, sizeof(to), &to));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

static uint32_t half_red_at(int x)
{
    return 0xff000000u | 0x40u << 16 | (uint32_t)x << 8 | 0x64u; /* red was 0xc8, blue 0x40, alpha 1 */
}

static cl_mem plain_image(void)
{
    cl_int error;
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
    NEED(error == CL_SUCCESS);
    return image;
}

static void test_image(const struct peer *peer, bool in_rows)
{
    struct peer_image theirs;
    cl_int error;
    int fd;
    const float colour[4] = {200 / 255.0f, 1.0f, 64 / 255.0f, 1.0f};
    if (!peer_image_make(peer, WIDTH, HEIGHT, in_rows, &theirs, &fd))
        return;
    peer_image_clear(peer, &theirs, colour);
    NO_OBJECT(CL_INVALID_PROPERTY, import_image(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, 987654, 0, &error));
    NO_OBJECT(CL_INVALID_IMAGE_DESCRIPTOR, import_image(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd, 7, &error));
    cl_mem ours = import_image(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd, theirs.row_pitch, &error);
    NEED(error == CL_SUCCESS);
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    uint32_t texels[WIDTH * HEIGHT];
    OK(cl.acquire(queue, 1, &ours, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, ours, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        wrong += texels[i] != 0xff40ffc8u;
    CHECK(wrong == 0);
    cl_mem between = plain_image();
    run_half_red(ours, between);
    OK(clEnqueueCopyImage(queue, between, ours, origin, origin, region, 0, NULL, NULL));
    OK(cl.give(queue, 1, &ours, 0, NULL, NULL));
    OK(clFinish(queue));
    peer_image_read(peer, &theirs, texels);
    wrong = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        wrong += texels[i] != half_red_at(i % WIDTH);
    CHECK(wrong == 0);
    OK(clReleaseMemObject(between));
    OK(clReleaseMemObject(ours));
    peer_image_free(peer, &theirs);
}

/* ---- dma_buf ---- */

/* By cl_arm_import_memory: no command says when the memory changes hands, and the descriptor stays ours. */
static void test_arm_dma_buf(void)
{
    cl_mem (*import)(cl_context, cl_mem_flags, const intptr_t *, void *, size_t, cl_int *) =
        (cl_mem(*)(cl_context, cl_mem_flags, const intptr_t *, void *, size_t,
                   cl_int *))clGetExtensionFunctionAddressForPlatform(platform, "clImportMemoryARM");
    const intptr_t properties[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM,
                                   CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, CL_TRUE, 0};
    cl_device_type type = 0;
    cl_int error;
    char *map;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    if (!has_extension("cl_arm_import_memory_dma_buf"))
        return; /* the host copies dma_bufs when they change hands, which no command says here */
    int fd = make_dma_buf(SIZE, type == CL_DEVICE_TYPE_CPU, &map);
    if (fd < 0 || !import)
        return;
    CHECK(has_extension("cl_arm_import_memory"));
    uint32_t *words = (uint32_t *)map;
    for (int i = 0; i < COUNT_OF; i++)
        words[i] = 11;
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, import(context, 0, properties, &fd, 0, &error));
    NO_OBJECT(CL_INVALID_VALUE, import(context, 0, properties, NULL, SIZE, &error));
    cl_mem ours = import(context, 0, properties, &fd, SIZE, &error), copy = buffer_of(0, SIZE, NULL);
    NEED(error == CL_SUCCESS);
    close(fd);
    CODE(CL_INVALID_MEM_OBJECT, cl.acquire(queue, 1, &ours, 0, NULL, NULL));
    run_step(queue, ours, 4);
    OK(clEnqueueCopyBuffer(queue, ours, copy, 0, 0, SIZE, 0, NULL, NULL));
    run_step(queue, ours, 1);
    OK(clFinish(queue));
    CHECK(wrong_words(words, 112) == 0);
    words[COUNT_OF - 1] = 7; /* as another owner would */
    run_step(queue, ours, 0);
    OK(clEnqueueCopyBuffer(queue, copy, ours, 0, 0, 4, 0, NULL, NULL));
    uint32_t word = 0;
    OK(clEnqueueReadBuffer(queue, ours, CL_TRUE, (COUNT_OF - 1) * 4, 4, &word, 0, NULL, NULL));
    CHECK(word == 21 && words[COUNT_OF - 1] == 21 && words[0] == 37 && words[1] == 336);
    OK(clReleaseMemObject(ours));
    OK(clReleaseMemObject(copy));
    munmap(map, (SIZE + 65535) & ~(size_t)65535);
}

/* An image has its texels in rows with the pitch that the descriptor says. fd: becomes the image's. */
static void test_dma_buf_image(int fd, char *map)
{
    cl_int error;
    enum { PITCH = 256 };
    memset(map, 0, PITCH * HEIGHT);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++)
            memcpy(map + y * PITCH + x * 4, &(uint32_t){0xff40ffc8u}, 4);
    }
    cl_mem image = import_image(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd, PITCH, &error);
    NEED(error == CL_SUCCESS);
    cl_mem parent = image, buffer = image;
    OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
    OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(buffer), &buffer, NULL));
    CHECK(!parent && !buffer);
    cl_mem between = plain_image();
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    for (int round = 0; round < 2; round++) {
        OK(cl.acquire(queue, 1, &image, 0, NULL, NULL));
        run_half_red(image, between);
        OK(clEnqueueCopyImage(queue, between, image, origin, origin, region, 0, NULL, NULL));
        OK(cl.give(queue, 1, &image, 0, NULL, NULL));
        OK(clFinish(queue));
        int wrong = 0;
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                uint32_t texel;
                memcpy(&texel, map + y * PITCH + x * 4, 4);
                wrong += texel != half_red_at(x);
                /* what somebody else writes between is seen the next time */
                memcpy(map + y * PITCH + x * 4, &(uint32_t){0xff40ffc8u}, 4);
            }
        }
        CHECK(wrong == 0);
    }
    OK(clReleaseMemObject(between));
    OK(clReleaseMemObject(image));
}

static void test_dma_buf(void)
{
    cl_device_type type = 0;
    cl_int error;
    char *map;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    int fd = make_dma_buf(SIZE, type == CL_DEVICE_TYPE_CPU, &map);
    if (fd < 0) {
        printf("there are no dma_bufs to test with\n");
        return;
    }
    uint32_t *words = (uint32_t *)map;
    for (int i = 0; i < COUNT_OF; i++)
        words[i] = 11;
    test_refusals(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd);
    int again = dup(fd);
    cl_mem ours = import_buffer(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd, SIZE, &error);
    NEED(error == CL_SUCCESS);
    OK(cl.acquire(queue, 1, &ours, 0, NULL, NULL));
    run_step(queue, ours, 4);
    OK(cl.give(queue, 1, &ours, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(wrong_words(words, 37) == 0);
    OK(clReleaseMemObject(ours));
    if (has_images())
        test_dma_buf_image(again, map);
    else
        close(again);
}

/* ---- processes and devices ---- */

static int second_process(int fd)
{
    cl_int error;
    cl_mem mem = import_buffer(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd, SIZE, &error);
    NEED(error == CL_SUCCESS);
    OK(cl.acquire(queue, 1, &mem, 0, NULL, NULL));
    run_step(queue, mem, 9);
    OK(cl.give(queue, 1, &mem, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(mem));
    clReleaseProgram(program);
    return close_device();
}

static void test_processes(const struct peer *peer)
{
    struct peer_buffer theirs;
    int fd;
    peer_buffer_make(peer, SIZE, &theirs, &fd);
    peer_buffer_fill(peer, &theirs, 2);
    int inherited = dup(fd);
    end_child(start_child("step", inherited));
    uint32_t words[COUNT_OF];
    peer_buffer_read(peer, &theirs, words);
    CHECK(wrong_words(words, 15) == 0);
    close(inherited);
    close(fd);
    peer_buffer_free(peer, &theirs);
}

/* A context of two devices that see the same memory, and one in which only the second does. */
static void test_two_devices(const struct peer *peer)
{
    cl_device_id devices[2];
    cl_uint count = 0;
    cl_int error;
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count));
    NEED(count >= 2);
    cl_context first_context = context;
    cl_program first_program = program;
    context = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, devices[i], 0, &error);
        NEED(error == CL_SUCCESS);
    }
    for (int only = 0; only < 2; only++) {
        struct peer_buffer theirs;
        int fd;
        peer_buffer_make(peer, SIZE, &theirs, &fd);
        peer_buffer_fill(peer, &theirs, 1);
        const cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                          (cl_mem_properties)fd,
                                          only ? MEM_DEVICE_HANDLE_LIST : 0,
                                          (uintptr_t)devices[1],
                                          0,
                                          0};
        cl_mem ours = clCreateBufferWithProperties(context, list, 0, SIZE, NULL, &error);
        NEED(error == CL_SUCCESS);
        if (only)
            CODE(CL_INVALID_COMMAND_QUEUE, cl.acquire(queues[0], 1, &ours, 0, NULL, NULL));
        uint32_t expected = 1, words[COUNT_OF];
        for (int round = 0; round < 2; round++) {
            OK(cl.acquire(queues[1], 1, &ours, 0, NULL, NULL));
            OK(clFinish(queues[1]));
            for (cl_uint k = 0; k < 5; k++) {
                run_step(queues[k % 2], ours, k);
                OK(clFinish(queues[k % 2]));
                expected = expected * 3 + k;
            }
            OK(cl.give(queues[1], 1, &ours, 0, NULL, NULL));
            OK(clFinish(queues[1]));
            peer_buffer_read(peer, &theirs, words);
            CHECK(wrong_words(words, expected) == 0);
            expected = 40 + (uint32_t)round;
            peer_buffer_fill(peer, &theirs, expected);
        }
        OK(clReleaseMemObject(ours));
        peer_buffer_free(peer, &theirs);
    }
    for (int i = 0; i < 2; i++)
        clReleaseCommandQueue(queues[i]);
    clReleaseProgram(program);
    clReleaseContext(context);
    context = first_context;
    program = first_program;
}

/* The validation layer (1.3.239) knows the layout of an imported image only by what the same instance has done with the
 * memory, and takes the one that the other instance left for UNDEFINED. */
static bool is_validated(void)
{
    const char *layers = getenv("VK_INSTANCE_LAYERS");
    return layers && strstr(layers, "KHRONOS_validation");
}

/* Descriptors of what is no memory, from which a driver could read for ever. They stay the application's. */
static void test_no_memory(cl_uint type)
{
    int ends[2], sockets[2], others[4] = {-1, -1, -1, -1};
    NEED(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    others[0] = ends[0];
    others[1] = sockets[0];
    others[2] = open("/tmp", O_RDONLY | O_CLOEXEC);
    others[3] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    alarm(60); /* what hangs is killed, and seen */
    for (size_t i = 0; i < COUNT(others); i++) {
        cl_int error = CL_SUCCESS;
        if (others[i] < 0)
            continue;
        CHECK(!import_buffer(type, others[i], SIZE, &error) && error != CL_SUCCESS);
        CHECK(!import_image(type, others[i], 0, &error) && error != CL_SUCCESS);
        CHECK(fcntl(others[i], F_GETFD) >= 0);
        close(others[i]);
    }
    alarm(0);
    close(ends[1]);
    close(sockets[1]);
}

int main(int argc, char **argv)
{
    open_device(0);
    load_functions();
    program = build(source, "");
    if (argc == 3)
        return second_process(atoi(argv[2]));
    struct peer peer;
    uint8_t device_uuid[CL_UUID_SIZE_KHR], driver_uuid[CL_UUID_SIZE_KHR];
    OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof(device_uuid), device_uuid, NULL));
    OK(clGetDeviceInfo(device, CL_DRIVER_UUID_KHR, sizeof(driver_uuid), driver_uuid, NULL));
    cl_uint type = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR;
    bool opaque = lists(CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, type);
    bool dma_buf = lists(CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
    CHECK(opaque == has_extension("cl_khr_external_memory_opaque_fd"));
    CHECK(dma_buf == has_extension("cl_khr_external_memory_dma_buf"));
    CHECK((opaque || dma_buf) == has_extension("cl_khr_external_memory"));
    CHECK(lists(MEM_ASSUME_LINEAR, type) == opaque &&
          lists(MEM_ASSUME_LINEAR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR) == dma_buf);
    if (!opaque && !dma_buf) {
        printf("the device imports no memory\n");
        clReleaseProgram(program);
        close_device();
        return TEST_SKIPPED;
    }
    if (opaque)
        test_no_memory(type);
    if (dma_buf)
        test_no_memory(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
    if (opaque && peer_open(&peer, device_uuid, driver_uuid)) {
        test_buffer(&peer);
        test_parts(&peer);
        if (has_images() && !is_validated())
            for (int in_rows = 0; in_rows < 2; in_rows++)
                test_image(&peer, in_rows);
        test_processes(&peer);
        if (argc == 2)
            test_two_devices(&peer);
        peer_close(&peer);
    }
    if (dma_buf)
        test_dma_buf();
    if (dma_buf)
        test_arm_dma_buf();
    clReleaseProgram(program);
    return close_device();
}
