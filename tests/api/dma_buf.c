/* Images that lie in a dma_buf with an offset, a pitch, planes and a modifier (cl_pumice_dma_buf_layout): what lies there
 * is seen, what is written arrives, and nothing else changes; what the calls refuse.
 *
 * usage: api_dma_buf [modifiers]
 *
 * With "modifiers" it runs under tests/support/modifiers.c, whose devices have images in that memory. With
 * PUMICE_DISABLE=dma_buf the host copies. */
#include "dma_buf_test.h"
#include "share_test.h"

#include <dirent.h>
#include <pthread.h>

enum { WIDTH = 64, HEIGHT = 12, SIZE = 65536 };
#define TWO_PLANES UINT64_C(0x7f00000000000001)

static const char *source = "kernel void turn(read_only image2d_t from, write_only image2d_t to) {\n"
                            "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                            "    write_imageui(to, at, read_imageui(from, at) + 3);\n"
                            "}\n";

static cl_program program;
static bool on_host; /* the device runs on the host, and takes any memory for a dma_buf */

static int new_buf(char **map)
{
    int fd = make_dma_buf(SIZE, on_host, map);
    for (int i = 0; fd >= 0 && i < SIZE; i++)
        (*map)[i] = (char)((i * 7 + (i >> 8)) % 241); /* 3 more saturate nothing */
    return fd;
}

static uint8_t first_at(size_t i)
{
    return (uint8_t)((i * 7 + (i >> 8)) % 241);
}

static cl_mem import(const cl_mem_properties *properties, cl_channel_order order, cl_channel_type type, size_t width,
                     size_t height, size_t pitch, cl_mem_flags flags, cl_int *error)
{
    const cl_image_format format = {order, type};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = pitch};
    return clCreateImageWithProperties(context, properties, flags, &format, &desc, NULL, error);
}

static cl_mem plain(cl_channel_order order, cl_channel_type type, size_t width, size_t height)
{
    return import(NULL, order, type, width, height, 0, CL_MEM_READ_WRITE, &(cl_int){0});
}

/* Adds 3 to each component, by way of another image. */
static void turn(cl_command_queue on, cl_mem image, cl_channel_order order, cl_channel_type type, size_t width,
                 size_t height)
{
    cl_int error;
    cl_mem between = plain(order, type, width, height);
    cl_kernel kernel = clCreateKernel(program, "turn", &error);
    NEED(error == CL_SUCCESS && between);
    const size_t size[2] = {width, height}, origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
    OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
    OK(clSetKernelArg(kernel, 1, sizeof(between), &between));
    OK(clEnqueueNDRangeKernel(on, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
    OK(clEnqueueCopyImage(on, between, image, origin, origin, region, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(between));
}

/* Bytes that are not what they were, plus 3 where some of the parts have them. */
struct part {
    size_t offset, pitch, row, rows;
};

static int wrong_bytes(const char *map, const struct part *parts, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < SIZE; i++) {
        bool inside = false;
        for (size_t k = 0; k < count; k++) {
            size_t at = i - parts[k].offset;
            inside = inside || (i >= parts[k].offset && at / parts[k].pitch < parts[k].rows &&
                                at % parts[k].pitch < parts[k].row);
        }
        wrong += (uint8_t)map[i] != (uint8_t)(first_at(i) + (inside ? 3 : 0));
    }
    return wrong;
}

static void free_map(char *map)
{
    munmap(map, SIZE);
}

/* ---- one plane ---- */

static void test_plane(cl_channel_order order, cl_channel_type type, size_t texel, const cl_mem_properties *layout,
                       const struct part *part, size_t image_pitch)
{
    char *map;
    cl_int error;
    int fd = new_buf(&map);
    cl_mem_properties properties[20] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd};
    size_t n = 2;
    for (; layout[n - 2]; n += 2)
        memcpy(&properties[n], &layout[n - 2], 2 * sizeof(layout[0]));
    cl_mem image = import(properties, order, type, WIDTH, HEIGHT, image_pitch, CL_MEM_READ_WRITE, &error);
    NEED(error == CL_SUCCESS);
    CHECK(fcntl(fd, F_GETFD) < 0);
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    uint8_t texels[WIDTH * HEIGHT * 8];
    OK(cl.acquire(queue, 1, &image, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    int wrong = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT * texel; i++)
        wrong += texels[i] != first_at(part->offset + i / (WIDTH * texel) * part->pitch + i % (WIDTH * texel));
    CHECK(wrong == 0);
    turn(queue, image, order, type, WIDTH, HEIGHT);
    OK(cl.give(queue, 1, &image, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(wrong_bytes(map, part, 1) == 0);
    /* what others write meanwhile is seen the next time, and does not change where nothing was written */
    map[part->offset] = 100;
    OK(cl.acquire(queue, 1, &image, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    CHECK(texels[0] == 100);
    map[part->offset + 1] = 101;
    OK(cl.give(queue, 1, &image, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(map[part->offset] == 100 && map[part->offset + 1] == 101);
    OK(clReleaseMemObject(image));
    free_map(map);
}

/* Commands of a context in which they may overlap run in another order than they are enqueued in: a write that is
 * enqueued before the acquiring command, and a release. */
static void test_overlap(void)
{
    char *map;
    cl_int error;
    int fd = new_buf(&map);
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd,
                                            MEM_DMA_BUF_PITCH, 512, 0};
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    uint8_t texels[WIDTH * HEIGHT * 4];
    cl_mem image = import(properties, CL_RGBA, CL_UNSIGNED_INT8, WIDTH, HEIGHT, 0, CL_MEM_READ_WRITE, &error);
    NEED(error == CL_SUCCESS);
    cl_command_queue loose = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    for (int first = 0; first < 2; first++) { /* the write, or the release */
        cl_event gate = user_event(), acquired, written, given;
        memset(texels, 0x41 + first, sizeof(texels));
        if (first)
            OK(cl.give(loose, 1, &image, 1, &gate, &given));
        else
            OK(clEnqueueWriteImage(loose, image, CL_FALSE, origin, region, 0, 0, texels, 1, &gate, &written));
        OK(cl.acquire(loose, 1, &image, 0, NULL, &acquired));
        OK(clWaitForEvents(1, &acquired));
        if (first) {
            OK(clEnqueueWriteImage(loose, image, CL_FALSE, origin, region, 0, 0, texels, 1, &acquired, &written));
            OK(clWaitForEvents(1, &written));
        }
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        if (!first)
            OK(cl.give(loose, 1, &image, 1, &written, &given));
        OK(clWaitForEvents(1, &given));
        CHECK(!memcmp(map, texels, WIDTH * 4) && !memcmp(map + 512 * (HEIGHT - 1), texels, WIDTH * 4));
        cl_event events[] = {gate, acquired, written, given};
        for (int i = 0; i < 4; i++)
            OK(clReleaseEvent(events[i]));
    }
    /* what nobody has acquired stays the others' */
    memset(map, 0x70, WIDTH * 4);
    OK(cl.give(loose, 1, &image, 0, NULL, NULL));
    OK(clFinish(loose));
    CHECK(map[0] == 0x70);
    OK(clReleaseMemObject(image));
    OK(clReleaseCommandQueue(loose));
    free_map(map);
}

static void test_planes(void)
{
    const cl_mem_properties at_offset[] = {MEM_DMA_BUF_OFFSET, 1024, MEM_DMA_BUF_PITCH, 512, 0};
    const struct part wide = {1024, 512, WIDTH * 4, HEIGHT};
    test_plane(CL_RGBA, CL_UNSIGNED_INT8, 4, at_offset, &wide, 0);
    test_plane(CL_RGBA, CL_UNSIGNED_INT8, 4, at_offset, &wide, 512);
    const cl_mem_properties tight[] = {MEM_DMA_BUF_MODIFIER, 0, MEM_DMA_BUF_OFFSET, 4096, 0};
    test_plane(CL_RGBA, CL_UNSIGNED_INT8, 4, tight, &(struct part){4096, WIDTH * 4, WIDTH * 4, HEIGHT}, 0);
    test_plane(CL_R, CL_UNSIGNED_INT8, 1, tight, &(struct part){4096, WIDTH, WIDTH, HEIGHT}, 0);
    test_plane(CL_RG, CL_UNSIGNED_INT8, 2, at_offset, &(struct part){1024, 512, WIDTH * 2, HEIGHT}, 0);
    /* at the very end */
    const cl_mem_properties last[] = {MEM_DMA_BUF_OFFSET, SIZE - 512 * (HEIGHT - 1) - WIDTH * 4, MEM_DMA_BUF_PITCH, 512,
                                      0};
    test_plane(CL_RGBA, CL_UNSIGNED_INT8, 4, last, &(struct part){last[1], 512, WIDTH * 4, HEIGHT}, 0);
}

/* A second plane of memory, by another descriptor of the same. */
static void test_modifier(bool known)
{
    char *map;
    cl_int error;
    int fd = new_buf(&map), other = dup(fd), third = memfd_create("pumice", MFD_CLOEXEC);
    cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
                                      (cl_mem_properties)fd,
                                      MEM_DMA_BUF_MODIFIER,
                                      TWO_PLANES,
                                      MEM_DMA_BUF_OFFSET,
                                      4096,
                                      MEM_DMA_BUF_PITCH,
                                      WIDTH * 4,
                                      MEM_DMA_BUF_OFFSET + 1,
                                      32768,
                                      MEM_DMA_BUF_PITCH + 1,
                                      64,
                                      MEM_DMA_BUF_FD + 1,
                                      (cl_mem_properties)third,
                                      0};
    NO_OBJECT(CL_INVALID_PROPERTY, import(properties, CL_RGBA, CL_UNSIGNED_INT8, WIDTH, HEIGHT, 0, 0, &error));
    properties[13] = (cl_mem_properties)other;
    cl_mem image = import(properties, CL_RGBA, CL_UNSIGNED_INT8, WIDTH, HEIGHT, 0, CL_MEM_READ_WRITE, &error);
    CHECK(known ? error == CL_SUCCESS : error == CL_INVALID_PROPERTY && !image);
    if (image) {
        OK(cl.acquire(queue, 1, &image, 0, NULL, NULL));
        turn(queue, image, CL_RGBA, CL_UNSIGNED_INT8, WIDTH, HEIGHT);
        OK(cl.give(queue, 1, &image, 0, NULL, NULL));
        OK(clFinish(queue));
        CHECK(wrong_bytes(map, &(struct part){4096, WIDTH * 4, WIDTH * 4, HEIGHT}, 1) == 0);
        OK(clReleaseMemObject(image));
    } else {
        close(fd);
    }
    close(other);
    close(third);
    free_map(map);
}

/* ---- two planes ---- */

static cl_mem plane_of(cl_mem frame, size_t plane, cl_int *error)
{
    const cl_image_format format = {plane ? CL_RG : CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_depth = plane, .mem_object = frame};
    return clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, error);
}

/* A frame whose chroma does not begin where its luma ends. */
static void test_frame(void)
{
    char *map;
    cl_int error;
    int fd = new_buf(&map);
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
                                            (cl_mem_properties)fd,
                                            MEM_DMA_BUF_OFFSET,
                                            256,
                                            MEM_DMA_BUF_PITCH,
                                            128,
                                            MEM_DMA_BUF_OFFSET + 1,
                                            8192,
                                            MEM_DMA_BUF_PITCH + 1,
                                            128,
                                            0};
    const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL;
    cl_mem frame = import(properties, CL_NV12_INTEL, CL_UNORM_INT8, WIDTH, HEIGHT, 0, flags, &error);
    NEED(error == CL_SUCCESS);
    cl_mem luma = plane_of(frame, 0, &error);
    OK(error);
    cl_mem chroma = plane_of(frame, 1, &error);
    OK(error);
    OK(cl.acquire(queue, 1, &frame, 0, NULL, NULL));
    turn(queue, luma, CL_R, CL_UNSIGNED_INT8, WIDTH, HEIGHT);
    turn(queue, chroma, CL_RG, CL_UNSIGNED_INT8, WIDTH / 2, HEIGHT / 2);
    OK(cl.give(queue, 1, &frame, 0, NULL, NULL));
    OK(clFinish(queue));
    const struct part parts[] = {{256, 128, WIDTH, HEIGHT}, {8192, 128, WIDTH, HEIGHT / 2}};
    CHECK(wrong_bytes(map, parts, 2) == 0);
    OK(clReleaseMemObject(luma));
    OK(clReleaseMemObject(chroma));
    OK(clReleaseMemObject(frame));
    free_map(map);
}

/* P010: two images, of 16 bits a component, in the same memory. */
static void test_deep_frame(void)
{
    char *map;
    cl_int error;
    int fd = new_buf(&map), fds[2] = {fd, dup(fd)};
    cl_mem planes[2];
    for (size_t i = 0; i < 2; i++) {
        const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
                                                (cl_mem_properties)fds[i],
                                                MEM_DMA_BUF_OFFSET,
                                                i ? 4096 : 0,
                                                MEM_DMA_BUF_PITCH,
                                                256,
                                                0};
        planes[i] = import(properties, i ? CL_RG : CL_R, CL_UNSIGNED_INT16, WIDTH >> i, HEIGHT >> i, 0, 0, &error);
        NEED(error == CL_SUCCESS);
    }
    OK(cl.acquire(queue, 2, planes, 0, NULL, NULL));
    uint16_t black[4] = {16 << 8, 0, 0, 0}, grey[4] = {128 << 8, 128 << 8, 0, 0};
    const size_t origin[3] = {0, 0, 0}, luma[3] = {WIDTH, HEIGHT, 1}, chroma[3] = {WIDTH / 2, HEIGHT / 2, 1};
    const cl_uint dark[4] = {black[0], 0, 0, 1}, middle[4] = {grey[0], grey[1], 0, 1};
    OK(clEnqueueFillImage(queue, planes[0], dark, origin, luma, 0, NULL, NULL));
    OK(clEnqueueFillImage(queue, planes[1], middle, origin, chroma, 0, NULL, NULL));
    OK(cl.give(queue, 2, planes, 0, NULL, NULL));
    OK(clFinish(queue));
    int wrong = 0;
    for (size_t y = 0; y < HEIGHT; y++) {
        for (size_t x = 0; x < 128; x++) {
            uint16_t word;
            memcpy(&word, map + y * 256 + x * 2, 2);
            wrong += word != (x < WIDTH ? black[0] : (first_at(y * 256 + x * 2) | first_at(y * 256 + x * 2 + 1) << 8));
            memcpy(&word, map + 4096 + y * 256 + x * 2, 2);
            wrong += x < WIDTH && y < HEIGHT / 2 && word != grey[0];
        }
    }
    CHECK(wrong == 0);
    for (int i = 0; i < 2; i++)
        OK(clReleaseMemObject(planes[i]));
    free_map(map);
}

/* ---- what is refused ---- */

static void test_refusals(void)
{
    char *map;
    int fd = new_buf(&map);
    const cl_mem_properties dma = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, word = (cl_mem_properties)fd;
    const struct {
        cl_int code;
        size_t pitch;
        cl_mem_properties properties[12];
    } rows[] = {
        {CL_INVALID_PROPERTY, 0, {MEM_DMA_BUF_OFFSET, 0, 0}},
        {CL_INVALID_PROPERTY, 0, {MEM_DMA_BUF_OFFSET, 0, dma, word, MEM_DMA_BUF_OFFSET, 0, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_FD, word, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_MODIFIER + 1, 0, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_MODIFIER, 12345, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_OFFSET, SIZE, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_OFFSET, UINT32_MAX, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_OFFSET, UINT64_C(1) << 40, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_PITCH, SIZE / 8, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_PITCH, 0x80000000u, 0}},
        {CL_INVALID_PROPERTY, 0, {dma, word, MEM_DMA_BUF_OFFSET + 1, 64, 0}},
        {CL_INVALID_IMAGE_DESCRIPTOR, 512, {dma, word, MEM_DMA_BUF_PITCH, 256, 0}},
        {CL_INVALID_IMAGE_DESCRIPTOR, 0, {dma, word, MEM_DMA_BUF_PITCH, 64, 0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        NO_OBJECT(rows[i].code,
                  import(rows[i].properties, CL_RGBA, CL_UNSIGNED_INT8, WIDTH, HEIGHT, rows[i].pitch, 0, &error));
    const cl_mem_properties buffer[] = {dma, word, MEM_DMA_BUF_OFFSET, 64, 0};
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, buffer, 0, 64, NULL, &error));
    const cl_mem_properties large[] = {dma, word, 0};
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, large, 0, SIZE + 1, NULL, &error));
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc volume = {
        .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 8, .image_height = 8, .image_depth = 2};
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateImageWithProperties(context, buffer, 0, &format, &volume, NULL, &error));
    const cl_mem_properties
        apart[] = {dma, word, MEM_DMA_BUF_PITCH, 128, MEM_DMA_BUF_OFFSET + 1, 4096, MEM_DMA_BUF_PITCH + 1, 64, 0},
        before[] = {dma, word, MEM_DMA_BUF_OFFSET, 4096, MEM_DMA_BUF_OFFSET + 1, 0, MEM_DMA_BUF_PITCH + 1, WIDTH, 0};
    const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    NO_OBJECT(CL_INVALID_PROPERTY, import(apart, CL_NV12_INTEL, CL_UNORM_INT8, WIDTH, HEIGHT, 0, flags, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, import(before, CL_NV12_INTEL, CL_UNORM_INT8, WIDTH, HEIGHT, 0, flags, &error));
    CHECK(fcntl(fd, F_GETFD) >= 0);
    close(fd);
    free_map(map);
}

/* ---- many and two ---- */

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

static void test_leaks(void)
{
    int before = 0;
    for (int round = 0; round < 100; round++) {
        char *map;
        cl_int error;
        int fd = new_buf(&map);
        const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, 0};
        cl_mem image = import(properties, CL_RGBA, CL_UNSIGNED_INT8, WIDTH, HEIGHT, 0, CL_MEM_READ_WRITE, &error);
        NEED(error == CL_SUCCESS);
        for (int i = 0; i < 10; i++) {
            OK(cl.acquire(queue, 1, &image, 0, NULL, NULL));
            OK(cl.give(queue, 1, &image, 0, NULL, NULL));
        }
        OK(clFinish(queue));
        OK(clReleaseMemObject(image));
        free_map(map);
        if (round == 9)
            before = open_files();
    }
    CHECK(open_files() <= before + 4); /* some of the last may not have been freed yet */
}

static void *work(void *data)
{
    cl_int error;
    char *map;
    int fd = new_buf(&map), *failures = data;
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, 0};
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
    cl_mem image = import(properties, CL_R, CL_UNSIGNED_INT8, WIDTH, HEIGHT, 0, CL_MEM_READ_WRITE, &error);
    const cl_uint colour[4] = {9, 0, 0, 0};
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    for (int round = 0; round < 100 && image && own; round++) {
        map[5] = 1;
        error = cl.acquire(own, 1, &image, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = clEnqueueFillImage(own, image, colour, origin, region, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = cl.give(own, 1, &image, 0, NULL, NULL);
        if (error == CL_SUCCESS)
            error = clFinish(own);
        *failures += error != CL_SUCCESS || map[5] != 9;
    }
    *failures += !image || !own;
    clReleaseMemObject(image);
    clReleaseCommandQueue(own);
    free_map(map);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[2];
    int failures[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        NEED(pthread_create(&threads[i], NULL, work, &failures[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK(!failures[0] && !failures[1]);
}

int main(int argc, char **argv)
{
    (void)argv;
    open_device(0);
    load_functions();
    cl_device_type type = 0;
    cl_bool images = CL_FALSE;
    char *map;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    on_host = type == CL_DEVICE_TYPE_CPU;
    bool offered = has_extension("cl_pumice_dma_buf_layout");
    CHECK(offered == (images && has_extension("cl_khr_external_memory_dma_buf")));
    int fd = offered ? new_buf(&map) : -1;
    if (fd < 0) {
        printf(offered ? "there are no dma_bufs to test with\n" : "the device has no images of dma_bufs\n");
        close_device();
        return TEST_SKIPPED;
    }
    close(fd);
    free_map(map);
    program = build(source, "");
    test_planes();
    /* where the driver imports what the layer adds */
    test_modifier(argc > 1 && has_extension("cl_arm_import_memory_dma_buf"));
    test_frame();
    test_deep_frame();
    test_refusals();
    test_leaks();
    test_threads();
    test_overlap();
    clReleaseProgram(program);
    return close_device();
}
