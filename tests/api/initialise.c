/* cl_khr_initialize_memory: local and private memory that nobody initialises is 0 when a kernel begins, in a context
 * that asks for it. Another context's kernel has left other values there before. */
#include "api_test.h"

enum { PROPERTY = 0x2030, LOCAL = 1, PRIVATE = 2, GROUP = 64, GROUPS = 8, ITEMS = GROUP * GROUPS };

/* out: 1 bit for each kind of memory that was not 0. Kernels read before they write, and leave ones. */
static const char *source =
    "struct mixed { char a; long b; short c[3]; };\n"
    "int small(int n) { int a[4]; int sum = a[n & 3]; a[n & 3] = -1; return sum | a[(n + 1) & 3]; }\n"
    "kernel void f(global uint *out, local uint *arg, uint arg_words, int n) {\n"
    "    local uint words[300];\n"
    "    local uchar bytes[77];\n"
    "    local ulong longs[9];\n"
    "    uint id = get_local_id(0), bad = 0, scalar;\n"
    "    int table[40], large[3000];\n"
    "    float4 vector;\n"
    "    struct mixed s;\n"
    "    for (uint i = id; i < 300; i += get_local_size(0)) bad |= words[i] ? 1 : 0;\n"
    "    for (uint i = id; i < 77; i += get_local_size(0)) bad |= bytes[i] ? 2 : 0;\n"
    "    for (uint i = id; i < 9; i += get_local_size(0)) bad |= longs[i] ? 4 : 0;\n"
    "    for (uint i = id; i < arg_words; i += get_local_size(0)) bad |= arg[i] ? 8 : 0;\n"
    "    for (int i = 0; i < 40; i++) bad |= table[i * n % 40] ? 16 : 0;\n"
    "    for (int i = 0; i < 3000; i++) bad |= large[i * n % 3000] ? 32 : 0;\n"
    "    if (n > 100) { scalar = n; vector = n; s.b = n; }\n"
    "    bad |= scalar ? 64 : 0;\n"
    "    bad |= any(vector != 0) ? 128 : 0;\n"
    "    bad |= s.a || s.b || s.c[n % 3] ? 256 : 0;\n"
    "    bad |= small(n) ? 512 : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = id; i < 300; i += get_local_size(0)) words[i] = ~0u;\n"
    "    for (uint i = id; i < 77; i += get_local_size(0)) bytes[i] = 255;\n"
    "    for (uint i = id; i < 9; i += get_local_size(0)) longs[i] = ~0ul;\n"
    "    for (uint i = id; i < arg_words; i += get_local_size(0)) arg[i] = ~0u;\n"
    "    for (int i = 0; i < 40; i++) table[i * n % 40] = -1;\n"
    "    for (int i = 0; i < 3000; i++) large[i * n % 3000] = -1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint sum = words[n % 300] + bytes[n % 77] + (uint)longs[n % 9] + arg[n % arg_words] + table[n % 40] + large[n "
    "% 3000];\n"
    "    out[get_global_id(0)] = bad | (sum == 1 ? 1024 : 0);\n"
    "}\n";

static void run(const struct test_device *on, cl_program program, cl_uint out[ITEMS])
{
    enum { ARG = 500 };
    cl_int error;
    const cl_uint words = ARG / 4;
    const cl_int n = 7;
    const size_t size = ITEMS, local = GROUP;
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = clCreateBuffer(on->context, 0, ITEMS * sizeof(out[0]), NULL, &error);
    NEED(error == CL_SUCCESS);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, ARG, NULL));
    OK(clSetKernelArg(kernel, 2, sizeof(words), &words));
    OK(clSetKernelArg(kernel, 3, sizeof(n), &n));
    OK(clEnqueueNDRangeKernel(on->queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(on->queue, mem, CL_TRUE, 0, ITEMS * sizeof(out[0]), out, 0, NULL, NULL));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
}

static cl_program built(const struct test_device *on, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(on->context, 1, &source, NULL, &error);
    NEED(error == CL_SUCCESS);
    OK(clBuildProgram(program, 1, &device, options, NULL, NULL));
    return program;
}

/* A binary that was made in a context without zeros. */
static cl_program loaded(const struct test_device *on, cl_program from)
{
    size_t size;
    cl_int error;
    OK(clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    unsigned char *binary = malloc(size);
    NEED(binary);
    OK(clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    cl_program program =
        clCreateProgramWithBinary(on->context, 1, &device, &size, (const unsigned char **)&binary, NULL, &error);
    NEED(error == CL_SUCCESS);
    OK(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    free(binary);
    return program;
}

static cl_uint found(const struct test_device *dirty, cl_program before, const struct test_device *on,
                     cl_program program)
{
    cl_uint out[ITEMS], bad = 0;
    for (int i = 0; i < 3; i++) {
        run(dirty, before, out);
        run(on, program, out);
        for (int k = 0; k < ITEMS; k++)
            bad |= out[k];
    }
    return bad;
}

static void test_context(cl_context_properties kinds, cl_uint zeros)
{
    const cl_context_properties properties[] = {PROPERTY, kinds, 0};
    cl_int error;
    const struct test_device dirty = {platform, device, context, queue};
    struct test_device clean = {.platform = platform, .id = device};
    clean.context = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    cl_context_properties given[3] = {0};
    OK(clGetContextInfo(clean.context, CL_CONTEXT_PROPERTIES, sizeof(given), given, NULL));
    CHECK(!memcmp(given, properties, sizeof(given)));
    clean.queue = clCreateCommandQueue(clean.context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    cl_program before = built(&dirty, NULL), plain = built(&clean, NULL), slow = built(&clean, "-cl-opt-disable"),
               binary = loaded(&clean, before);
    CHECK((found(&dirty, before, &clean, plain) & zeros) == 0);
    CHECK((found(&dirty, before, &clean, slow) & zeros) == 0);
    CHECK((found(&dirty, before, &clean, binary) & zeros & ~(cl_uint)(64 | 128 | 256)) == 0); /* these are values */
    OK(clReleaseProgram(before));
    OK(clReleaseProgram(plain));
    OK(clReleaseProgram(slow));
    OK(clReleaseProgram(binary));
    OK(clReleaseCommandQueue(clean.queue));
    OK(clReleaseContext(clean.context));
}

int main(void)
{
    enum { IN_LOCAL = 15, IN_PRIVATE = 1023 - 15 };
    open_device(0);
    const struct test_device opened = {platform, device, context, queue};
    if (!test_has_extension(&opened, "cl_khr_initialize_memory")) {
        printf("no cl_khr_initialize_memory\n");
        return TEST_SKIPPED;
    }
    const cl_context_properties unknown[] = {PROPERTY, 4, 0}, twice[] = {PROPERTY, 1, PROPERTY, 1, 0};
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &device, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &device, NULL, NULL, &error));
    test_context(0, 0);
    test_context(LOCAL, IN_LOCAL);
    test_context(PRIVATE, IN_PRIVATE);
    test_context(LOCAL | PRIVATE, IN_LOCAL | IN_PRIVATE);
    return close_device();
}
