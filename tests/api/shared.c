/* Program objects that several threads use at once: built, compiled, linked, specialised, queried, and taken for
 * kernels. Each call succeeds, or says that another thread was faster; what a query gives is of one build and never of
 * two. */
#include "api_test.h"

#include <pthread.h>
#include <time.h>

static cl_program executable, object, caller, il_program;
static atomic_bool stop;

static const char *source = "kernel void twice(global int *data) { data[get_global_id(0)] *= N; }\n"
                            "#if N == 2\n"
                            "kernel void other(global int *data) { data[get_global_id(0)] += 1; }\n"
                            "#endif\n";

/* SPIR-V 1.0 of: kernel void seven(global int *out) { *out = 7; }, where the 7 is specialisation constant 5. */
static const uint32_t il[] = {
    0x7230203,  0x10000, 0,       9, 0,       0x20011, 4, 0x20011, 6,       0x3000e, 2, 2,       0x5000f, 6,      1,
    0x65766573, 0x6e,    0x30003, 3, 0x18e70, 0x40047, 2, 1,       5,       0x20013, 3, 0x40015, 4,       0x20,   0,
    0x40020,    5,       5,       4, 0x40021, 6,       3, 5,       0x40032, 4,       2, 7,       0x50036, 3,      1,
    0,          6,       0x30037, 5, 7,       0x200f8, 8, 0x5003e, 7,       2,       2, 4,       0x100fd, 0x10038};

static void expect(const char *call, cl_int code, cl_int also)
{
    if (code != CL_SUCCESS && code != also) {
        printf("%s: %d\n", call, code);
        test_failures++;
    }
}

static void *build_it(void *data)
{
    (void)data;
    for (int i = 0; !stop; i++)
        expect("clBuildProgram", clBuildProgram(executable, 0, NULL, i % 2 ? "-DN=2" : "-DN=3", NULL, NULL),
               CL_INVALID_OPERATION);
    return NULL;
}

static void *query_it(void *data)
{
    (void)data;
    unsigned char *binary = malloc(1 << 20);
    NEED(binary);
    while (!stop) {
        size_t size, count;
        char text[4096];
        OK(clGetProgramInfo(executable, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
        CHECK(size < 1 << 20);
        OK(clGetProgramInfo(executable, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
        cl_int error = clGetProgramInfo(executable, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL);
        expect("CL_PROGRAM_NUM_KERNELS", error, CL_INVALID_PROGRAM_EXECUTABLE);
        error = clGetProgramInfo(executable, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, NULL);
        expect("CL_PROGRAM_KERNEL_NAMES", error, CL_INVALID_PROGRAM_EXECUTABLE);
        CHECK(error != CL_SUCCESS || strcmp(text, "twice") == 0 || strcmp(text, "twice;other") == 0);
        OK(clGetProgramBuildInfo(executable, device, CL_PROGRAM_BUILD_LOG, sizeof(text), text, NULL));
        OK(clGetProgramBuildInfo(executable, device, CL_PROGRAM_BUILD_OPTIONS, sizeof(text), text, NULL));
    }
    free(binary);
    return NULL;
}

static void *take_kernels(void *data)
{
    (void)data;
    while (!stop) {
        cl_kernel kernels[2] = {0};
        cl_uint count = 0;
        cl_int error = clCreateKernelsInProgram(executable, 2, kernels, &count);
        expect("clCreateKernelsInProgram", error, CL_INVALID_PROGRAM_EXECUTABLE);
        for (cl_uint i = 0; error == CL_SUCCESS && i < count; i++) {
            char name[64];
            OK(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL));
            CHECK(strcmp(name, i ? "other" : "twice") == 0);
            OK(clReleaseKernel(kernels[i]));
        }
        cl_kernel kernel = clCreateKernel(executable, "twice", &error);
        expect("clCreateKernel", error, CL_INVALID_PROGRAM_EXECUTABLE);
        if (kernel)
            OK(clReleaseKernel(kernel));
        struct timespec pause = {0, 200000};
        nanosleep(&pause, NULL); /* builds need moments without kernels */
    }
    return NULL;
}

static void *compile_it(void *data)
{
    (void)data;
    while (!stop)
        expect("clCompileProgram", clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL),
               CL_INVALID_OPERATION);
    return NULL;
}

static void *link_it(void *data)
{
    (void)data;
    while (!stop) {
        const cl_program inputs[2] = {caller, object};
        cl_int error;
        cl_program linked = clLinkProgram(context, 0, NULL, "", 2, inputs, NULL, NULL, &error);
        expect("clLinkProgram", error, CL_LINK_PROGRAM_FAILURE);
        if (linked)
            OK(clReleaseProgram(linked));
    }
    return NULL;
}

enum { BOUND = 3, DECORATION = 20, CONSTANT = 38, MANY = 500 };

/* The same with many more constants, so that there is a list to grow: 100, 101 and so on. */
static cl_program many_constants(void)
{
    static uint32_t words[COUNT(il) + 8 * MANY];
    uint32_t at = 0;
    for (uint32_t i = 0; i < COUNT(il); i++) {
        for (uint32_t n = 0; n < MANY && (i == DECORATION || i == CONSTANT); n++) {
            const uint32_t decorate[] = {0x40047, il[BOUND] + n, 1, 100 + n};
            const uint32_t constant[] = {0x40032, 4, il[BOUND] + n, n};
            memcpy(words + at, i == DECORATION ? decorate : constant, 4 * sizeof(words[0]));
            at += 4;
        }
        words[at++] = i == BOUND ? il[BOUND] + MANY : il[i];
    }
    cl_int error;
    cl_program program = clCreateProgramWithIL(context, words, sizeof(words), &error);
    NEED(error == CL_SUCCESS);
    return program;
}

static void *specialise_it(void *data)
{
    (void)data;
    for (cl_uint i = 0; !stop; i++) {
        cl_int value = (cl_int)i;
        OK(clSetProgramSpecializationConstant(il_program, 100 + i % MANY, 4, &value));
    }
    return NULL;
}

static void *build_il(void *data)
{
    (void)data;
    while (!stop)
        OK(clBuildProgram(il_program, 0, NULL, "", NULL, NULL));
    return NULL;
}

int main(int argc, char **argv)
{
    cl_int error;
    open_device(0);
    const char *inner = "int inner(int x) { return x * 3; }",
               *outer = "int inner(int x);\n"
                        "kernel void f(global int *o) { o[0] = inner(o[0]); }";
    executable = build(source, "-DN=2");
    object = clCreateProgramWithSource(context, 1, &inner, NULL, &error);
    caller = clCreateProgramWithSource(context, 1, &outer, NULL, &error);
    NEED(object && caller);
    OK(clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    OK(clCompileProgram(caller, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    il_program = many_constants();
    void *(*const work[])(void *) = {build_it,   build_it, query_it,      query_it, take_kernels,
                                     compile_it, link_it,  specialise_it, build_il};
    pthread_t threads[COUNT(work)];
    for (size_t i = 0; i < COUNT(work); i++)
        NEED(pthread_create(&threads[i], NULL, work[i], NULL) == 0);
    struct timespec duration = {argc > 1 ? atoi(argv[1]) : 4, 0};
    nanosleep(&duration, NULL);
    stop = true;
    for (size_t i = 0; i < COUNT(work); i++)
        pthread_join(threads[i], NULL);
    OK(clReleaseProgram(executable));
    OK(clReleaseProgram(object));
    OK(clReleaseProgram(caller));
    OK(clReleaseProgram(il_program));
    return close_device();
}
