/* The floating-point environment of the calling thread: whatever rounding mode, flushing or traps the application has
 * set, its programs mean the same (OpenCL C 3.0, 7.1: round to nearest even), nothing traps, and after each call its
 * environment is as it was, sticky flags included. Each environment is held by a process of its own from before the
 * first call on, so that the driver's device and threads are made in it. */
#include "api_test.h"

#include <fenv.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- environments ---- */

static void set_nearest(void)
{
    fesetround(FE_TONEAREST);
}

static void set_upward(void)
{
    fesetround(FE_UPWARD);
}

static void set_zero(void)
{
    fesetround(FE_TOWARDZERO);
}

/* What gcc's -ffast-math has a program do at its start. */
static void set_flush(void)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)1 << 24));
#endif
}

/* What Free Pascal and Delphi have on from the start. */
static void set_traps(void)
{
#ifdef __GLIBC__
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
#endif
}

static void set_everything(void)
{
    set_flush();
    set_traps();
    set_upward();
}

static const struct {
    const char *name;
    void (*set)(void);
} environments[] = {
    {"nearest", set_nearest}, {"upward", set_upward}, {"toward zero", set_zero},
    {"flush", set_flush},     {"traps", set_traps},   {"everything", set_everything},
};

struct state {
    uint64_t control, x87;
};

static struct state state(void)
{
    struct state now = {0, 0};
#if defined(__x86_64__)
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    now.x87 = x87;
    now.control = __builtin_ia32_stmxcsr() & ~0x3fu;
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(now.control));
#else
    now.control = (uint64_t)fegetround();
#endif
    return now;
}

/* ---- calls ---- */

static int dirty; /* a callback has found flags, or another rounding mode */

static struct state wanted;

static void check_state(const char *call)
{
    struct state now = state();
    int flags = fetestexcept(FE_ALL_EXCEPT);
    if (now.control != wanted.control || now.x87 != wanted.x87 || flags) {
        fprintf(stderr, "environment %llx %llx instead of %llx %llx, flags %x after %s\n",
                (unsigned long long)now.control, (unsigned long long)now.x87, (unsigned long long)wanted.control,
                (unsigned long long)wanted.x87, (unsigned)flags, call);
        test_failures++;
    }
    feclearexcept(FE_ALL_EXCEPT);
}

#define HELD(...)                                                                                                      \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        check_state(#__VA_ARGS__);                                                                                     \
    } while (0)

/* Application code that we call finds the default environment and no flag, which would trap as soon as it turns traps
 * on; and it may do what it likes to the thread. */
static void change_everything(void)
{
    if (fetestexcept(FE_ALL_EXCEPT) || fegetround() != FE_TONEAREST)
        __atomic_store_n(&dirty, 1, __ATOMIC_RELAXED);
    set_everything();
}

static void CL_CALLBACK on_built(cl_program program, void *data)
{
    (void)program;
    (void)data;
    change_everything();
}

static const char source[] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                             "kernel void constants(global uint *out, global const float *one)\n"
                             "{\n"
                             "    const float a = 1.0f, b = 3.0f;\n"
                             "    out[0] = as_uint(a / b);\n"
                             "    out[1] = as_uint(0.1f);\n"
                             "    out[2] = as_uint(1e-40f * 1.0f);\n"
                             "    out[3] = as_uint(1.0f + 5.9604645e-08f);\n"
                             "    out[4] = as_uint(1.1754944e-38f * 0.5f);\n"
                             "    out[5] = as_uint(sqrt(2.0f));\n"
                             "    out[6] = as_uint(1.0f / 0.0f);\n"
                             "    out[7] = (uint)((0.0f / 0.0f) != (0.0f / 0.0f));\n"
                             "    out[8] = as_uint(3.0e38f * 10.0f);\n"
                             "    out[9] = as_uint(16777217.0f);\n"
                             "    out[10] = as_uint((float)16777219);\n"
                             "    out[11] = as_uint(one[0] / 3.0f);\n"
                             "    out[12] = as_uint(one[0] + 5.9604645e-08f);\n"
                             "    out[13] = as_uint(nextafter(1.0f, 2.0f));\n"
                             "    out[14] = as_uint(convert_float_rte(0x1000001));\n"
                             "    out[15] = as_uint(-1.0f / 3.0f);\n"
                             "}\n";
static const uint32_t right[16] = {0x3eaaaaab, 0x3dcccccd, 0x000116c2, 0x3f800000, 0x00400000, 0x3fb504f3,
                                   0x7f800000, 1,          0x7f800000, 0x4b800000, 0x4b800002, 0x3eaaaaab,
                                   0x3f800000, 0x3f800001, 0x4b800000, 0xbeaaaaab};

static void check_kernel(const char *options)
{
    cl_program program;
    cl_kernel kernel;
    cl_mem out, in;
    const char *text = source;
    const float one = 1.0f;
    uint32_t got[16] = {0};
    const size_t items = 1;
    cl_event event;
    cl_ulong queued, begun;
    HELD(program = clCreateProgramWithSource(context, 1, &text, NULL, NULL));
    HELD(OK(clBuildProgram(program, 1, &device, options, on_built, NULL)));
    HELD(kernel = clCreateKernel(program, "constants", NULL));
    HELD(out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(got), NULL, NULL));
    HELD(in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(one), (void *)&one, NULL));
    NEED(program && kernel && out && in);
    HELD(OK(clSetKernelArg(kernel, 0, sizeof(out), &out)));
    HELD(OK(clSetKernelArg(kernel, 1, sizeof(in), &in)));
    HELD(OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event)));
    HELD(OK(clFlush(queue)));
    HELD(OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL)));
    HELD(OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof(queued), &queued, NULL)));
    HELD(OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begun), &begun, NULL)));
    for (int i = 0; i < 16; i++) {
        if (got[i] != right[i]) {
            fprintf(stderr, "out[%d] is %08x, not %08x (%s)\n", i, got[i], right[i], options);
            test_failures++;
        }
    }
    HELD(OK(clReleaseEvent(event)));
    HELD(OK(clReleaseMemObject(out)));
    HELD(OK(clReleaseMemObject(in)));
    HELD(OK(clReleaseKernel(kernel)));
    HELD(OK(clReleaseProgram(program)));
}

/* 0.1 as a half lies below 0.1, and as a byte above it. */
static void check_fill(cl_channel_type type, uint32_t texel)
{
    const cl_image_format format = {CL_R, type};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 2};
    const float colour[4] = {0.1f, 0.0f, 0.0f, 0.0f};
    const size_t origin[3] = {0, 0, 0}, region[3] = {2, 2, 1};
    uint16_t got[4] = {0};
    cl_mem image;
    cl_sampler sampler;
    HELD(image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, NULL));
    NEED(image);
    HELD(sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, NULL));
    HELD(OK(clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL)));
    HELD(OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL)));
    CHECK((type == CL_HALF_FLOAT ? got[0] : got[0] & 0xffu) == texel);
    HELD(OK(clReleaseSampler(sampler)));
    HELD(OK(clReleaseMemObject(image)));
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    (void)data;
    change_everything();
}

static void CL_CALLBACK run_native(void *data)
{
    (void)data;
    change_everything();
}

static void check_callbacks(void)
{
    cl_event event;
    for (int i = 0; i < 4; i++) {
        HELD(OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event)));
        HELD(OK(clSetEventCallback(event, CL_COMPLETE, on_complete, NULL)));
        HELD(OK(clReleaseEvent(event)));
        clEnqueueNativeKernel(queue, run_native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
        HELD(OK(clFinish(queue)));
    }
}

static int run(const char *name)
{
    for (size_t i = 0; i < COUNT(environments); i++) {
        if (strcmp(environments[i].name, name) == 0)
            environments[i].set();
    }
    feclearexcept(FE_ALL_EXCEPT);
    wanted = state();
    char text[4096];
    size_t size;
    cl_int error;
    HELD(find_device());
    HELD(context = clCreateContext(NULL, 1, &device, NULL, NULL, &error));
    NEED(error == CL_SUCCESS);
    HELD(OK(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(text), text, &size)));
    HELD(queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error));
    NEED(error == CL_SUCCESS);
    check_kernel("");
    check_kernel("-cl-opt-disable");
    check_fill(CL_HALF_FLOAT, 0x2e66);
    check_fill(CL_UNORM_INT8, 26);
    check_callbacks();
    check_kernel("-cl-std=CL3.0");
    HELD(close_device());
    CHECK(!__atomic_load_n(&dirty, __ATOMIC_RELAXED));
    return test_result();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return run(argv[1]);
    for (size_t i = 0; i < COUNT(environments); i++) {
        int status = 1;
        pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", argv[0], environments[i].name, (char *)NULL);
            _exit(127);
        }
        NEED(child > 0 && waitpid(child, &status, 0) == child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
            return TEST_SKIPPED;
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "%s: status %x\n", environments[i].name, (unsigned)status);
            test_failures++;
        }
    }
    return test_result();
}
