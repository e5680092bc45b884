/* What the device cannot run is refused by the build, whatever door it comes in by, and never reaches the driver. */
#include "api_test.h"

static cl_program from_source(const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    NEED(error == CL_SUCCESS);
    return program;
}

/* The build fails, and its log holds the words. */
static void refused_program(cl_program program, const char *words)
{
    char log[8192] = "";
    CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    if (!strstr(log, words)) {
        printf("no \"%s\" in this log:\n%s\n", words, log);
        test_failures++;
    }
    NO_OBJECT(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "f", &error));
    OK(clReleaseProgram(program));
}

static void refused(const char *text, const char *words)
{
    refused_program(from_source(text), words);
}

/* OpenCL C 3.0, 6.11.2: the attribute is the local size of each launch. */
static void test_required_size(void)
{
    refused("kernel __attribute__((reqd_work_group_size(1000000, 1, 1))) void f(global int *o) { o[0] = 1; }",
            "reqd_work_group_size(1000000,1,1)");
    refused("kernel __attribute__((reqd_work_group_size(512, 512, 512))) void f(global int *o) { o[0] = 1; }",
            "reqd_work_group_size(512,512,512)");
    refused(
        "kernel __attribute__((reqd_work_group_size(0x80000000u, 0x80000000u, 4))) void f(global int *o) { o[0] = 1; "
        "}",
        "reqd_work_group_size(2147483648,2147483648,4)");
    /* one that the device cannot run, and one that it can */
    refused("kernel void g(global int *o) { o[0] = 1; }\n"
            "kernel __attribute__((reqd_work_group_size(1, 1, 100000))) void f(global int *o) { o[0] = 1; }",
            "kernel 'f'");
    /* a hint is only that */
    cl_program program = build("kernel __attribute__((work_group_size_hint(1000000, 7, 3))) void f(global int *o) { "
                               "o[get_global_id(0)] = 1; }",
                               "");
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    cl_mem mem = buffer_of(0, 4000, NULL);
    size_t size = 1000;
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void test_subgroup_size(void)
{
    refused("kernel __attribute__((intel_reqd_sub_group_size(3))) void f(global int *o) { o[0] = 1; }",
            "sub-groups of 3");
    refused("kernel __attribute__((intel_reqd_sub_group_size(1024))) void f(global int *o) { o[0] = 1; }",
            "sub-groups of 1024");
}

/* Where each lane runs several work-items, code goes in one level behind each place that some of them leave. */
static void test_sub_groups_too_deep(void)
{
    size_t sizes[16] = {0}, bytes = 0, own = 0;
    char text[512];
    OK(clGetDeviceInfo(device, 0x4108 /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */, sizeof(sizes), sizes, &bytes));
    OK(clGetDeviceInfo(device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(own), &own, NULL));
    if (!bytes || sizes[bytes / sizeof(sizes[0]) - 1] <= own)
        return;
    snprintf(text, sizeof(text),
             "#define A if (o[get_local_id(0) + k++] > v) return;\n"
             "#define B A A A A A A A A\n#define C B B B B B B B B\n"
             "kernel __attribute__((intel_reqd_sub_group_size(%zu))) void f(global int *o, int v) {\n"
             "    int k = 0; C C C C C C C C o[1] = sub_group_reduce_add(v);\n}",
             sizes[bytes / sizeof(sizes[0]) - 1]);
    refused(text, "control flow");
}

static void test_local_memory(void)
{
    refused("kernel void f(global int *o) { local int a[1 << 24]; a[o[0]] = 1; barrier(CLK_LOCAL_MEM_FENCE); o[1] = "
            "a[o[2]]; }",
            "local memory");
    cl_program program =
        build("kernel void f(global int *o, local int *a, local int *b) { a[0] = b[0] = 1; o[0] = a[0] + b[0]; }", "");
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    cl_mem mem = buffer_of(0, 4, NULL);
    size_t one = 1;
    cl_ulong size = 0;
    const size_t sizes[][2] = {{SIZE_MAX - 15, 32},          {32, SIZE_MAX - 15}, {SIZE_MAX, SIZE_MAX},
                               {SIZE_MAX / 2, SIZE_MAX / 2}, {1ull << 32, 4},     {SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1}};
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    for (size_t i = 0; i < COUNT(sizes); i++) {
        OK(clSetKernelArg(kernel, 1, sizes[i][0], NULL));
        OK(clSetKernelArg(kernel, 2, sizes[i][1], NULL));
        CODE(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(size), &size, NULL));
        CHECK(size > UINT32_MAX);
    }
    OK(clSetKernelArg(kernel, 1, 16, NULL));
    OK(clSetKernelArg(kernel, 2, 32, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* OpenCL 3.0 API, 5.8.1: a linked program has neither source nor IL nor binary. */
static void test_linked(void)
{
    cl_int error;
    cl_program object = from_source("kernel void f(global int *o) { o[0] = 1; }");
    OK(clCompileProgram(object, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &object, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CODE(CL_INVALID_OPERATION, clBuildProgram(linked, 0, NULL, NULL, NULL, NULL));
    CODE(CL_INVALID_OPERATION, clBuildProgram(linked, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(linked, "f", &error);
    OK(error);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(object));
}

static void test_device_twice(void)
{
    cl_program program = build("kernel void f(global int *o) { o[0] = 1; }", "");
    size_t sizes[2] = {0};
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes[0]), sizes, NULL));
    unsigned char *binary = malloc(sizes[0]);
    NEED(binary);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    OK(clReleaseProgram(program));
    sizes[1] = sizes[0];
    const cl_device_id devices[2] = {device, device};
    const unsigned char *binaries[2] = {binary, binary};
    cl_int status[2];
    NO_OBJECT(CL_INVALID_DEVICE, clCreateProgramWithBinary(context, 2, devices, sizes, binaries, status, &error));
    free(binary);
}

enum { LOCAL_SIZE = 17, LOCAL_SIZE_HINT = 18, SUBGROUP_SIZE = 35 };

/* SPIR-V 1.1 of: kernel void f(global int *out) { *out = 7; }, with one execution mode. */
static cl_program il_program(uint32_t mode, uint32_t count, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t before[] = {0x7230203, 0x10100, 0,       9, 0, 0x20011, 4, 0x20011, 6,
                               0x20011,   58,      0x3000e, 2, 2, 0x4000f, 6, 1,       0x66},
                   after[] = {0x30003, 3,       0x18e70, 0x20013, 3, 0x40015, 4,       0x20,    0, 0x40020,
                              5,       5,       4,       0x40021, 6, 3,       5,       0x4002b, 4, 2,
                              7,       0x50036, 3,       1,       0, 6,       0x30037, 5,       7, 0x200f8,
                              8,       0x5003e, 7,       2,       2, 4,       0x100fd, 0x10038};
    uint32_t words[COUNT(before) + 6 + COUNT(after)], *at = words;
    memcpy(at, before, sizeof(before));
    at += COUNT(before);
    const uint32_t sizes[3] = {x, y, z};
    *at++ = (3 + count) << 16 | 16;
    *at++ = 1;
    *at++ = mode;
    for (uint32_t i = 0; i < count; i++)
        *at++ = sizes[i];
    memcpy(at, after, sizeof(after));
    at += COUNT(after);
    cl_int error;
    cl_program program = clCreateProgramWithIL(context, words, (size_t)(at - words) * 4, &error);
    NEED(error == CL_SUCCESS);
    return program;
}

static void test_il(void)
{
    char versions[256];
    OK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof(versions), versions, NULL));
    cl_uint sub_groups = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(sub_groups), &sub_groups, NULL));
    if (!versions[0] || !sub_groups)
        return; /* the modules need SubgroupDispatch */
    cl_program program = il_program(LOCAL_SIZE, 3, 4, 1, 1);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseProgram(program));
    refused_program(il_program(LOCAL_SIZE, 3, 4, 0, 1), "zero");
    refused_program(il_program(LOCAL_SIZE, 3, 0, 0, 0), "zero");
    refused_program(il_program(LOCAL_SIZE_HINT, 3, 4, 0, 0), "zero");
    refused_program(il_program(LOCAL_SIZE, 3, UINT32_MAX, UINT32_MAX, UINT32_MAX), "reqd_work_group_size");
    refused_program(il_program(SUBGROUP_SIZE, 1, 3, 0, 0), "sub-groups of 3");
    refused_program(il_program(SUBGROUP_SIZE, 1, UINT32_MAX, 0, 0), "sub-groups of 4294967295");
}

static char printed[4096];

static void CL_CALLBACK keep_text(const char *text, size_t length, size_t complete, void *data)
{
    (void)complete, (void)data;
    size_t old = strlen(printed);
    length = length < sizeof(printed) - 1 - old ? length : sizeof(printed) - 1 - old;
    memcpy(printed + old, text, length);
    printed[old + length] = 0;
}

/* The count of bytes printed stops before it wraps: what was printed first stays. */
static void test_printf_wraps(void)
{
    cl_int error;
    const cl_context_properties properties[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)keep_text,
                                                CL_PRINTF_BUFFERSIZE_ARM, 1024, 0};
    cl_context small = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    /* records of 8 + 63 x 8 = 512 bytes, 2^23 of them */
    const char *text =
        "kernel void f(uint n) {\n"
        "    for (uint i = 0; i < n; i++)\n"
        "        printf(\"%v16ld%v16ld%v16ld%v8ld%v4ld%v3ld first\\n\", (long16)1, (long16)1, (long16)1,\n"
        "               (long8)1, (long4)1, (long3)1);\n"
        "    printf(\"late\\n\");\n"
        "}\n";
    cl_program program = clCreateProgramWithSource(small, 1, &text, NULL, &error);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    cl_command_queue own = clCreateCommandQueue(small, device, 0, &error);
    NEED(error == CL_SUCCESS && kernel);
    cl_uint count = 1u << 23;
    OK(clSetKernelArg(kernel, 0, sizeof(count), &count));
    OK(clEnqueueTask(own, kernel, 0, NULL, NULL));
    OK(clFinish(own));
    CHECK(strstr(printed, "first") && !strstr(printed, "late"));
    OK(clReleaseCommandQueue(own));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(small));
}

static cl_uint num_lines;

static void CL_CALLBACK count_lines(const char *text, size_t length, size_t complete, void *data)
{
    (void)complete;
    (void)data;
    for (size_t i = 0; i < length; i++)
        num_lines += text[i] == '\n';
}

/* Nobody asked for a size: 100,000 lines of a launch are there, and a row of launches has at least
 * CL_DEVICE_PRINTF_BUFFER_SIZE bytes each. */
static void test_printf_many(void)
{
    enum { LINES = 100000, FEW = 20000, LAUNCHES = 12 };
    cl_int error;
    const cl_context_properties properties[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)count_lines, 0};
    cl_context loud = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    const char *text = "kernel void f(void) { printf(\"line %d of many\\n\", (int)get_global_id(0)); }";
    cl_program program = clCreateProgramWithSource(loud, 1, &text, NULL, &error);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    cl_command_queue own = clCreateCommandQueue(loud, device, 0, &error);
    NEED(error == CL_SUCCESS && kernel);
    const size_t lines = LINES, few = FEW;
    OK(clEnqueueNDRangeKernel(own, kernel, 1, NULL, &lines, NULL, 0, NULL, NULL));
    OK(clFinish(own));
    CHECK(num_lines == LINES);
    num_lines = 0;
    cl_event gate = clCreateUserEvent(loud, &error);
    for (int i = 0; i < LAUNCHES; i++)
        OK(clEnqueueNDRangeKernel(own, kernel, 1, NULL, &few, NULL, 1, &gate, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(own));
    CHECK(num_lines == LAUNCHES * FEW);
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(own));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(loud));
}

/* Of long records as many are kept as fit, and who printed the others is told. */
static void test_printf_long(void)
{
    enum { CAPACITY = 4096, LENGTH = 1100, FIT = 3, ITEMS = 64 }; /* a record has 16 bytes more than its string */
    cl_int error, results[ITEMS];
    const cl_context_properties properties[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)keep_text,
                                                CL_PRINTF_BUFFERSIZE_ARM, CAPACITY, 0};
    cl_context small = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    const char *text = "kernel void f(global char *text, global int *results) {\n"
                       "    results[get_global_id(0)] = printf(\"%s\", text);\n"
                       "}\n";
    char letters[LENGTH + 1] = {0};
    memset(letters, 'a', LENGTH);
    cl_program program = clCreateProgramWithSource(small, 1, &text, NULL, &error);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    cl_command_queue own = clCreateCommandQueue(small, device, 0, &error);
    cl_mem from = clCreateBuffer(small, CL_MEM_COPY_HOST_PTR, sizeof(letters), letters, &error);
    cl_mem to = clCreateBuffer(small, 0, sizeof(results), NULL, &error);
    NEED(error == CL_SUCCESS && kernel && own && from);
    OK(clSetKernelArg(kernel, 0, sizeof(from), &from));
    OK(clSetKernelArg(kernel, 1, sizeof(to), &to));
    const size_t items = ITEMS;
    printed[0] = 0;
    OK(clEnqueueNDRangeKernel(own, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(own, to, CL_TRUE, 0, sizeof(results), results, 0, NULL, NULL));
    OK(clFinish(own));
    CHECK(strlen(printed) == FIT * LENGTH && strspn(printed, "a") == FIT * LENGTH);
    size_t kept = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        CHECK(results[i] == 0 || results[i] == -1);
        kept += results[i] == 0;
    }
    CHECK(kept == FIT);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseCommandQueue(own));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(small));
}

/* A kernel that reads this many images of one dimension. */
static char *reads_images(unsigned count, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "kernel void f(global int *o");
    for (unsigned i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, size - at, ", read_only image1d_t i%u", i);
    at += (size_t)snprintf(text + at, size - at, ") { o[0] = 0");
    for (unsigned i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, size - at, " + read_imagei(i%u, 0).x", i);
    snprintf(text + at, size - at, "; }");
    return text;
}

/* OpenCL API 3.0, 4.2: CL_DEVICE_MAX_READ_IMAGE_ARGS. Drivers crash on more than they have. Pumice may have up to twice
 * as many as it says; with PUMICE_LIMITS=images=8 it says 4. */
static void test_images(void)
{
    enum { SIZE = 4096, FEW = 16 };
    static char text[SIZE];
    cl_uint most = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_READ_IMAGE_ARGS, sizeof(most), &most, NULL));
    if (!most || most > FEW)
        return;
    OK(clReleaseProgram(build(reads_images(most, text, SIZE), "")));
    refused(reads_images(2 * most + 1, text, SIZE), "too many images");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        {"required", test_required_size},
        {"subgroup", test_subgroup_size},
        {"deep", test_sub_groups_too_deep},
        {"local", test_local_memory},
        {"images", test_images},
        {"linked", test_linked},
        {"twice", test_device_twice},
        {"il", test_il},
        {"printf", test_printf_wraps},
        {"long", test_printf_long},
        {"many", test_printf_many},
    };
    open_device(0);
    for (size_t i = 0; i < COUNT(tests); i++) {
        if (argc < 2 || strcmp(argv[1], tests[i].name) == 0)
            tests[i].run();
    }
    return close_device();
}
