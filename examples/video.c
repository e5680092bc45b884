/* A filter over a video: video [frames [folder [file]]]. The program ffmpeg decodes the file, or a moving test picture,
 * to NV12 frames. They come through a pipe into memory that a file descriptor names, and OpenCL has images of their
 * planes in that memory (cl_khr_external_memory_dma_buf, cl_pumice_dma_buf_layout). The program copies nothing, and where
 * the device knows modifiers (and /dev/udmabuf makes dma_bufs), nobody does; else the device, or at last the host, does
 * when the planes change hands. What comes out are PNG files, of which the left half is the video and the right half a
 * cartoon of it; the left half is compared with the program's own conversion. */
#include "common.h"
#include "picture.h"

#include <CL/cl_ext.h>

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 640, HEIGHT = 360, LUMA = WIDTH * HEIGHT, SIZE = LUMA * 3 / 2, PAGES = (SIZE + 65535) / 65536 * 65536 };
enum { SKIPPED = 77 };

/* docs/images.md */
#define CL_MEM_DMA_BUF_OFFSET_PUMICE 0x50756D44

extern char **environ;

static cl_int(CL_API_CALL *acquire)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
static cl_int(CL_API_CALL *give_back)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);

static bool can_import(const struct example *example)
{
    char text[16384] = "";
    CHECK(clGetDeviceInfo(example->device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL));
    *(void **)&acquire =
        clGetExtensionFunctionAddressForPlatform(example->platform, "clEnqueueAcquireExternalMemObjectsKHR");
    *(void **)&give_back =
        clGetExtensionFunctionAddressForPlatform(example->platform, "clEnqueueReleaseExternalMemObjectsKHR");
    return strstr(text, "cl_pumice_dma_buf_layout") && acquire && give_back;
}

/* ---- frames ---- */

struct decoder {
    pid_t process;
    int frames; /* the end of the pipe from which they are read */
};

/* False: there is no ffmpeg. */
static bool start_decoder(const char *file, const char *frames, struct decoder *decoder)
{
    const char *const source[] = {"-f", "lavfi", "-i", "testsrc2=s=640x360:r=12"};
    const char *const of_file[] = {"-i", file, "-vf", "scale=640:360"};
    const char *words[] = {"ffmpeg", "-v",       "error", "",   "",         "",  "",  "-frames:v",
                           frames,   "-pix_fmt", "nv12",  "-f", "rawvideo", "-", NULL};
    memcpy(words + 3, file ? of_file : source, sizeof(source));
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0 || posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    bool started = posix_spawnp(&decoder->process, "ffmpeg", &actions, NULL, (char *const *)words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    decoder->frames = ends[0];
    return started;
}

static bool read_frame(const struct decoder *decoder, char *frame)
{
    size_t got = 0;
    while (got < SIZE) {
        ssize_t more = read(decoder->frames, frame + got, SIZE - got);
        if (more <= 0)
            return false;
        got += (size_t)more;
    }
    return true;
}

static void end_decoder(const struct decoder *decoder)
{
    int status;
    close(decoder->frames); /* which ends it, too */
    waitpid(decoder->process, &status, 0);
}

/* Memory with a file descriptor: of a dma_buf where the system makes such of the host's pages. */
static int make_memory(char **map)
{
    struct {
        uint32_t memfd, flags;
        uint64_t offset, size;
    } create = {.flags = 1, .size = PAGES};
    int memfd = memfd_create("frames", MFD_CLOEXEC | MFD_ALLOW_SEALING),
        maker = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
    if (memfd < 0 || ftruncate(memfd, PAGES) != 0 || fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
        return -1;
    *map = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    create.memfd = (uint32_t)memfd;
    int dma_buf = maker >= 0 ? ioctl(maker, _IOW('u', 0x42, char[24]), &create) : -1;
    if (maker >= 0)
        close(maker);
    if (dma_buf < 0)
        return *map == MAP_FAILED ? -1 : memfd;
    close(memfd);
    return *map == MAP_FAILED ? -1 : dma_buf;
}

/* The descriptor becomes the image's. */
static cl_mem image_of(const struct example *example, int fd, bool chroma)
{
    cl_int error;
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd,
                                            CL_MEM_DMA_BUF_OFFSET_PUMICE, chroma ? LUMA : 0, 0};
    const cl_image_format format = {chroma ? CL_RG : CL_R, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = (size_t)WIDTH >> chroma,
                                .image_height = (size_t)HEIGHT >> chroma};
    cl_mem image =
        clCreateImageWithProperties(example->context, properties, CL_MEM_READ_ONLY, &format, &desc, NULL, &error);
    CHECK(error);
    return image;
}

/* ---- the result ---- */

static double limited(double value)
{
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* The greatest difference of the left half from the frame's own colours. */
static double compare(const char *frame, const uint8_t *rgb)
{
    double worst = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH / 2; x++) {
            const uint8_t *chroma = (const uint8_t *)frame + LUMA + y / 2 * WIDTH + x / 2 * 2,
                          *c = rgb + 3 * (y * WIDTH + x);
            double luma = 1.164384 * ((uint8_t)frame[y * WIDTH + x] - 16.0), u = chroma[0] - 128.0,
                   v = chroma[1] - 128.0;
            double expected[3] = {luma + 1.596027 * v, luma - 0.391762 * u - 0.812968 * v, luma + 2.017232 * u};
            for (int i = 0; i < 3; i++) {
                double difference = limited(expected[i]) - c[i];
                difference = difference < 0 ? -difference : difference;
                worst = difference > worst ? difference : worst;
            }
        }
    }
    return worst;
}

static double filter(struct example *example, cl_kernel kernel, const cl_mem planes[2], cl_mem out, uint8_t *rgb)
{
    const size_t size[2] = {WIDTH, HEIGHT};
    CHECK(acquire(example->queue, 2, planes, 0, NULL, NULL));
    double time = example_run(example, kernel, 2, size, NULL);
    CHECK(give_back(example->queue, 2, planes, 0, NULL, NULL));
    example_read(example, out, (size_t)LUMA * 3, rgb);
    return time;
}

int main(int argc, char **argv)
{
    const char *frames = argc > 1 ? argv[1] : "6";
    int done = 0;
    const char *folder = argc > 2 ? argv[2] : ".", *file = argc > 3 ? argv[3] : NULL;
    struct example example;
    struct decoder decoder;
    example_open(&example);
    char *frame;
    int fd = can_import(&example) ? make_memory(&frame) : -1;
    if (fd < 0 || !start_decoder(file, frames, &decoder)) {
        printf(fd < 0 ? "the device has no images in dma_bufs\n" : "there is no ffmpeg\n");
        return SKIPPED;
    }
    const cl_mem planes[2] = {image_of(&example, dup(fd), false), image_of(&example, fd, true)};
    cl_mem out = example_buffer(&example, CL_MEM_WRITE_ONLY, (size_t)LUMA * 3, NULL);
    example_build(&example, "video.cl", NULL);
    cl_kernel kernel = example_kernel(&example, "cartoon");
    const cl_int first_drawn = WIDTH / 2;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &planes[0]));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &planes[1]));
    CHECK(clSetKernelArg(kernel, 2, sizeof(out), &out));
    CHECK(clSetKernelArg(kernel, 3, sizeof(first_drawn), &first_drawn));
    struct picture picture = {WIDTH, HEIGHT, malloc((size_t)LUMA * 3)};
    double worst = 0, time = 0;
    bool written = picture.rgb;
    for (; written && read_frame(&decoder, frame); done++) {
        char path[1024];
        time += filter(&example, kernel, planes, out, picture.rgb);
        double off = compare(frame, picture.rgb);
        worst = off > worst ? off : worst;
        snprintf(path, sizeof(path), "%s/video-%03d.png", folder, done);
        written = picture_write(path, &picture);
    }
    end_decoder(&decoder);
    int exit_code = example_result("video", written && done > 0 && worst < 1.0,
                                   "%d frames in %s, colours off by %.2f, %.2f ms a frame", done, folder, worst,
                                   done ? time / done * 1e3 : 0.0);
    free(picture.rgb);
    munmap(frame, PAGES);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(out));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseMemObject(planes[i]));
    example_close(&example);
    return exit_code;
}
