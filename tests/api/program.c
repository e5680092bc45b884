/* OpenCL 3.0 API, 5.8: programs from source and binaries, building, compiling, linking, queries. */
#include "api_test.h"

static const char *source = "kernel void twice(global int *data) { data[get_global_id(0)] *= 2; }\n"
                            "kernel void add(global int *data, int value) { data[get_global_id(0)] += value; }\n";

static int run(cl_program program, const char *name, int start)
{
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    NEED(kernel);
    cl_mem mem = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(int), &start);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    int back = 0;
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(back), &back, 0, NULL, NULL));
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    return back;
}

static cl_program from_source(const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    NEED(error == CL_SUCCESS);
    return program;
}

static void test_creation(void)
{
    const char *none[] = {source, NULL};
    NO_OBJECT(CL_INVALID_VALUE, clCreateProgramWithSource(context, 0, none, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateProgramWithSource(context, 2, none, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, "none", &error));
    const char *parts[] = {"kernel void twice(global int *data) { xxxx", "data[0] *= 2; }"};
    size_t lengths[] = {strlen(parts[0]) - 4, 0};
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 2, parts, lengths, &error);
    OK(error);
    char text[256];
    OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(text), text, NULL));
    CHECK(strcmp(text, "kernel void twice(global int *data) { data[0] *= 2; }") == 0);
    size_t count;
    CODE(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
    NO_OBJECT(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "twice", &error));
    cl_build_status status;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    CHECK(status == CL_BUILD_NONE);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    CHECK(run(program, "twice", 21) == 42);
    OK(clReleaseProgram(program));
}

static void CL_CALLBACK built(cl_program program, void *data)
{
    (void)program;
    *(int *)data += 1;
}

static void test_build(void)
{
    cl_program program = from_source(source);
    int calls = 0;
    CODE(CL_INVALID_VALUE, clBuildProgram(program, 0, &device, "", NULL, NULL));
    CODE(CL_INVALID_VALUE, clBuildProgram(program, 0, NULL, "", NULL, &calls));
    CODE(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-not-an-option", NULL, NULL));
    OK(clBuildProgram(program, 0, NULL, "-DX=1", built, &calls));
    for (int i = 0; i < 1000 && !calls; i++)
        OK(clFinish(queue));
    CHECK(calls == 1);
    char text[4096];
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof(text), text, NULL));
    CHECK(strcmp(text, "-DX=1") == 0);
    size_t count;
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, NULL));
    CHECK(count == 2 && (strcmp(text, "twice;add") == 0 || strcmp(text, "add;twice") == 0));
    cl_program_binary_type type;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);

    cl_kernel kernels[2];
    cl_uint made;
    CODE(CL_INVALID_VALUE, clCreateKernelsInProgram(program, 1, kernels, NULL));
    OK(clCreateKernelsInProgram(program, 2, kernels, &made));
    CHECK(made == 2);
    CODE(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    clReleaseKernel(kernels[0]);
    clReleaseKernel(kernels[1]);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    OK(clReleaseProgram(program));
}

static void test_failure(void)
{
    cl_program program = from_source("kernel void broken(global int *data) {\n    data[0] = undeclared;\n}\n");
    CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_build_status status;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    CHECK(status == CL_BUILD_ERROR);
    char log[4096] = "";
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    CHECK(strstr(log, "undeclared") && strstr(log, ":2:"));
    NO_OBJECT(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "broken", &error));
    OK(clReleaseProgram(program));
}

static void test_binaries(void)
{
    cl_program program = build(source, "");
    size_t size = 0;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    NEED(size > 0);
    unsigned char *binary = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    OK(clReleaseProgram(program));
    const unsigned char *given = binary;
    cl_int error, status;
    program = clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &error);
    OK(error);
    OK(status);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    CHECK(run(program, "twice", 4) == 8);
    OK(clReleaseProgram(program));

    size_t zero = 0;
    NO_OBJECT(CL_INVALID_VALUE, clCreateProgramWithBinary(context, 1, &device, &zero, &given, &status, &error));
    CODE(CL_INVALID_VALUE, status);
    /* damaged in every place, one after the other: refused or, where nothing depends on the byte, accepted */
    for (size_t at = 0; at < size; at += 1 + size / 97) {
        binary[at] ^= 0x55;
        program = clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &error);
        CHECK((program != NULL) == (error == CL_SUCCESS));
        CHECK(error == CL_SUCCESS || error == CL_INVALID_BINARY);
        if (program)
            clReleaseProgram(program);
        binary[at] ^= 0x55;
    }
    size_t half = size / 2;
    NO_OBJECT(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 1, &device, &half, &given, NULL, &error));
    free(binary);
}

static void test_link(void)
{
    cl_int error;
    cl_program one = from_source("#include \"inner/answer.h\"\nint answer(void) { return ANSWER; }\n");
    cl_program two = from_source("int answer(void);\nkernel void ask(global int *data) { data[0] += answer(); }\n");
    cl_program header = from_source("#define ANSWER 42\n");
    const char *name = "inner/answer.h";
    CODE(CL_INVALID_VALUE, clCompileProgram(one, 0, NULL, NULL, 1, &header, NULL, NULL, NULL));
    CODE(CL_INVALID_COMPILER_OPTIONS, clCompileProgram(one, 0, NULL, "-nonsense", 1, &header, &name, NULL, NULL));
    OK(clCompileProgram(one, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
    cl_program both[] = {one, two};
    CHECK(clLinkProgram(context, 0, NULL, NULL, 2, both, NULL, NULL, &error) == NULL);
    CODE(CL_INVALID_OPERATION, error);
    OK(clCompileProgram(two, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program_binary_type type;
    OK(clGetProgramBuildInfo(two, device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    CHECK(clLinkProgram(context, 0, NULL, "-nonsense", 2, both, NULL, NULL, &error) == NULL);
    CODE(CL_INVALID_LINKER_OPTIONS, error);
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, both, NULL, NULL, &error);
    OK(error);
    CHECK(run(linked, "ask", 0) == 42);
    clReleaseProgram(linked);

    cl_program library = clLinkProgram(context, 0, NULL, "-create-library", 1, &one, NULL, NULL, &error);
    OK(error);
    OK(clGetProgramBuildInfo(library, device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program with_library[] = {two, library};
    linked = clLinkProgram(context, 0, NULL, NULL, 2, with_library, NULL, NULL, &error);
    OK(error);
    CHECK(run(linked, "ask", 1) == 43);
    clReleaseProgram(linked);
    linked = clLinkProgram(context, 0, NULL, "-cl-fast-relaxed-math", 2, with_library, NULL, NULL, &error);
    OK(error);
    CHECK(run(linked, "ask", 1) == 43);
    CHECK(clLinkProgram(context, 0, NULL, "-enable-link-options", 1, &one, NULL, NULL, &error) == NULL);
    CODE(CL_INVALID_LINKER_OPTIONS, error);
    CHECK(clLinkProgram(context, 0, NULL, "-cl-kernel-arg-info", 2, both, NULL, NULL, &error) == NULL);
    CODE(CL_INVALID_LINKER_OPTIONS, error);
    cl_program open =
        clLinkProgram(context, 0, NULL, "-create-library -enable-link-options", 1, &one, NULL, NULL, &error);
    OK(error);
    clReleaseProgram(open);
    clReleaseProgram(linked);
    clReleaseProgram(library);

    /* programs of another context */
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    NO_OBJECT(CL_INVALID_CONTEXT, clLinkProgram(other, 0, NULL, NULL, 2, both, NULL, NULL, &error));
    cl_program foreign = clCreateProgramWithSource(other, 1, &(const char *){"#define FOREIGN 1\n"}, NULL, &error);
    OK(error);
    CODE(CL_INVALID_CONTEXT,
         clCompileProgram(one, 0, NULL, NULL, 1, &foreign, &(const char *){"foreign.h"}, NULL, NULL));
    NO_OBJECT(CL_INVALID_CONTEXT,
              clLinkProgram(context, 0, NULL, NULL, 2, (cl_program[]){one, foreign}, NULL, NULL, &error));
    clReleaseProgram(foreign);
    clReleaseContext(other);

    linked = clLinkProgram(context, 0, NULL, NULL, 1, &two, NULL, NULL, &error);
    CODE(CL_LINK_PROGRAM_FAILURE, error);
    if (linked) {
        char log[4096] = "";
        OK(clGetProgramBuildInfo(linked, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
        CHECK(strstr(log, "answer"));
        clReleaseProgram(linked);
    }
    clReleaseProgram(one);
    clReleaseProgram(two);
    clReleaseProgram(header);
}

/* SPIR-V 1.0 of: kernel void seven(global int *out) { *out = 7; }, where the 7 is specialisation constant 5. */
static const uint32_t il[] = {
    0x7230203,  0x10000, 0,       9, 0,       0x20011, 4, 0x20011, 6,       0x3000e, 2, 2,       0x5000f, 6,      1,
    0x65766573, 0x6e,    0x30003, 3, 0x18e70, 0x40047, 2, 1,       5,       0x20013, 3, 0x40015, 4,       0x20,   0,
    0x40020,    5,       5,       4, 0x40021, 6,       3, 5,       0x40032, 4,       2, 7,       0x50036, 3,      1,
    0,          6,       0x30037, 5, 7,       0x200f8, 8, 0x5003e, 7,       2,       2, 4,       0x100fd, 0x10038};

static cl_program with_options(const char *options, bool linked)
{
    cl_int error;
    const char *text = "kernel void f(global int *out) { out[get_global_id(0)] = get_local_size(0); }";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    OK(error);
    if (!linked) {
        OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
        return program;
    }
    OK(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    cl_program whole = clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &error);
    OK(error);
    OK(clReleaseProgram(program));
    return whole;
}

/* What clEnqueueNDRangeKernel says to 10 work-items in groups of 4. */
static cl_int uneven(const char *options, bool linked)
{
    cl_int error;
    size_t global = 10, local = 4;
    cl_program program = with_options(options, linked);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    cl_mem mem = clCreateBuffer(context, 0, 64, NULL, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    cl_int result = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), sizes[10] = {0};
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(sizes), sizes, 0, NULL, NULL));
    CHECK(result != CL_SUCCESS || (sizes[0] == 4 && sizes[7] == 4 && sizes[9] == 2));
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    return result;
}

/* OpenCL 3.0 API, 5.8.6.5: an option counts, and its text within another one does not. */
static void test_uniform_groups(void)
{
    OK(uneven("-cl-std=CL3.0", false));
    OK(uneven("-cl-std=CL3.0 -DTEXT=-cl-uniform-work-group-size", false));
    OK(uneven("-cl-std=CL3.0 -D 'TEXT=a -cl-uniform-work-group-size b'", false));
    CODE(CL_INVALID_WORK_GROUP_SIZE, uneven("-cl-std=CL3.0 -cl-uniform-work-group-size", false));
    CODE(CL_INVALID_WORK_GROUP_SIZE, uneven(NULL, false));
    CODE(CL_INVALID_WORK_GROUP_SIZE, uneven("-DTEXT=-cl-std=CL3.0", false));
    OK(uneven("-cl-std=CL3.0", true));
    /* cl_arm_non_uniform_work_group_size */
    OK(uneven("-cl-arm-non-uniform-work-group-size", false));
    OK(uneven("-cl-std=CL1.1 -cl-arm-non-uniform-work-group-size", true));
    CODE(CL_INVALID_WORK_GROUP_SIZE, uneven("-cl-arm-non-uniform-work-group-size -cl-uniform-work-group-size", false));
    CODE(CL_INVALID_WORK_GROUP_SIZE, uneven("-cl-std=CL3.0 -cl-uniform-work-group-size", true));
}

/* Other vendors' options that are hints: a word in the log, and no more. */
static void test_vendor_options(void)
{
    static const char *const hints[] = {
        "-cl-intel-greater-than-4GB-buffer-required",
        "-cl-intel-256-GRF-per-thread",
        "-ze-opt-large-register-file",
        "-cl-nv-verbose",
        "-cl-nv-maxrregcount=32",
        "-cl-nv-arch sm_90",
        "-qcom-accelerate-16-bit",
        "-qcom-sched-rule=2",
        "-save-temps",
        "-save-temps=/tmp/somewhere",
        "-fno-bin-llvmir",
    };
    for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
        char log[1024] = "", first[64];
        cl_program program = with_options(hints[i], false);
        OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
        snprintf(first, sizeof(first), "'%.*s'", (int)strcspn(hints[i], " "), hints[i]);
        CHECK(strstr(log, "warning: build option") && strstr(log, first));
        OK(clReleaseProgram(program));
    }
    char log[1024] = "";
    cl_program program = with_options("-w -cl-nv-verbose", false);
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    CHECK(!log[0]);
    CODE(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-cl-nobody-knows", NULL, NULL));
    OK(clReleaseProgram(program));
}

static void test_il(void)
{
    char versions[256];
    OK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof(versions), versions, NULL));
    if (!versions[0]) {
        NO_OBJECT(CL_INVALID_OPERATION, clCreateProgramWithIL(context, il, sizeof(il), &error));
        return;
    }
    NO_OBJECT(CL_INVALID_VALUE, clCreateProgramWithIL(context, NULL, sizeof(il), &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateProgramWithIL(context, source, strlen(source), &error));
    cl_int error, value = 70;
    size_t size = 0;
    cl_program program = clCreateProgramWithIL(context, il, sizeof(il), &error);
    OK(error);
    OK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
    CHECK(size == sizeof(il));
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    CHECK(run(program, "seven", 1) == 7);
    CODE(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 5, 3, &value));
    CODE(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 5, 2, &value));
    CODE(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 5, 8, &(cl_long){1}));
    CODE(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 5, ((size_t)1 << 32) + 4, &value));
    CODE(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 5, 4, NULL));
    CODE(CL_INVALID_SPEC_ID, clSetProgramSpecializationConstant(program, 77, 4, &value));
    CODE(CL_INVALID_SPEC_ID, clSetProgramSpecializationConstant(program, 2, 4, &value)); /* the result's id */
    OK(clSetProgramSpecializationConstant(program, 5, 4, &value));
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    CHECK(run(program, "seven", 1) == 70);
    OK(clReleaseProgram(program));
    for (size_t cut = 5; cut < COUNT(il); cut++) {
        program = clCreateProgramWithIL(context, il, cut * 4, &error);
        OK(error);
        CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        OK(clReleaseProgram(program));
    }
    /* SPIR-V 1.6, 2.4: one memory model */
    enum { MODEL = 9, MODEL_WORDS = 3 };
    uint32_t twice[COUNT(il) + MODEL_WORDS];
    memcpy(twice, il, (MODEL + MODEL_WORDS) * sizeof(uint32_t));
    memcpy(twice + MODEL + MODEL_WORDS, il + MODEL, (COUNT(il) - MODEL) * sizeof(uint32_t));
    program = clCreateProgramWithIL(context, twice, sizeof(twice), &error);
    OK(error);
    CODE(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseProgram(program));
}

/* OpenCL 3.0 API, 5.8.3 and 5.8.4: a program from IL can be compiled too, and what comes out linked. */
static void test_il_link(void)
{
    cl_int error;
    cl_program object = clCreateProgramWithIL(context, il, sizeof(il), &error);
    if (error == CL_INVALID_OPERATION)
        return;
    NEED(error == CL_SUCCESS);
    OK(clCompileProgram(object, 1, &device, "", 0, NULL, NULL, NULL, NULL));
    cl_program_binary_type type;
    OK(clGetProgramBuildInfo(object, device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program linked = clLinkProgram(context, 1, &device, "", 1, &object, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    CHECK(run(linked, "seven", 1) == 7);
    clReleaseProgram(linked);
    clReleaseProgram(object);
}

int main(void)
{
    open_device(0);
    test_creation();
    test_build();
    test_failure();
    test_binaries();
    test_link();
    test_il();
    test_uniform_groups();
    test_vendor_options();
    test_il_link();
    return close_device();
}
