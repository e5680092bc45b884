/* OpenCL 3.0 API, 5.9 and 5.10: kernel objects, arguments, NDRanges of every shape. */
#include "api_test.h"

#include <pthread.h>

static const char *source =
    "#if __OPENCL_C_VERSION__ < 200\n"
    "#define get_enqueued_local_size get_local_size\n"
    "#endif\n"
    "struct pair { int a; char b; };\n"
    "typedef int row __attribute__((ext_vector_type(4)));\n"
    "typedef int4 quad;\n"
    "typedef unsigned int word;\n"
    "kernel void named(global quad *q, quad v, constant row *r, const global word *restrict w, word s, unsigned int "
    "u)\n"
    "{\n"
    "    q[s] = v + r[u] + (int)w[0];\n"
    "}\n"
    "kernel void values(global int *out, char c, int4 v, struct pair p, long d, constant int *table, local int *l)\n"
    "{\n"
    "    l[get_local_id(0)] = c;\n"
    "    out[0] = l[get_local_id(0)] + v.w + p.a + p.b + (int)d + table[1];\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int *out) { out[get_global_id(0)] = 1; }\n"
    "kernel void maybe(global int *out, global int *other) { out[0] = other == 0; }\n"
    "kernel void ids(global uint *out)\n"
    "{\n"
    "    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),\n"
    "           z = get_global_id(2) - get_global_offset(2);\n"
    "    size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "    uint good = get_global_id(0) == get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0) +\n"
    "                    get_global_offset(0);\n"
    "    good &= get_local_id(0) < get_local_size(0) && get_local_id(1) < get_local_size(1);\n"
    "    good &= get_group_id(0) < get_num_groups(0) && get_group_id(1) < get_num_groups(1) &&\n"
    "            get_group_id(2) < get_num_groups(2);\n"
    "    out[at] += good + 2 * get_work_dim();\n"
    "}\n";

static cl_program program;

static cl_kernel kernel_of(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    NEED(error == CL_SUCCESS);
    return kernel;
}

struct pair {
    int a;
    char b;
};

/* cl_khr_suggested_local_work_size: a required size whatever the range is, also one that it does not suit. */
static void test_suggestion(void)
{
    cl_int (*suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
    void *address = clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    if (!address)
        return;
    memcpy(&suggest, &address, sizeof(address));
    size_t size[3] = {64, 64, 64}, got[3] = {0, 0, 77}, zero = 0;
    cl_kernel fixed = kernel_of("fixed"), maybe = kernel_of("maybe");
    cl_mem mem = buffer_of(0, 4096, NULL);
    CODE(CL_INVALID_KERNEL_ARGS, suggest(queue, fixed, 1, NULL, size, got));
    OK(clSetKernelArg(fixed, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(maybe, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(maybe, 1, sizeof(mem), &mem));
    OK(suggest(queue, fixed, 2, NULL, size, got));
    CHECK(got[0] == 4 && got[1] == 2 && got[2] == 77);
    OK(suggest(queue, fixed, 1, NULL, size, got));
    CHECK(got[0] == 4);
    OK(suggest(queue, maybe, 1, NULL, size, got));
    CHECK(got[0] >= 1 && got[0] <= 64);
    CODE(CL_INVALID_GLOBAL_WORK_SIZE, suggest(queue, maybe, 1, NULL, &zero, got));
    CODE(CL_INVALID_WORK_DIMENSION, suggest(queue, maybe, 4, NULL, size, got));
    CODE(CL_INVALID_VALUE, suggest(queue, maybe, 1, NULL, size, NULL));
    OK(clReleaseKernel(fixed));
    OK(clReleaseKernel(maybe));
    OK(clReleaseMemObject(mem));
}

static void test_arguments(void)
{
    NO_OBJECT(CL_INVALID_KERNEL_NAME, clCreateKernel(program, "none", &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateKernel(program, NULL, &error));
    cl_kernel kernel = kernel_of("values");
    int table[2] = {1, 1000}, back = 0;
    cl_mem out = buffer_of(0, 4, NULL), constants = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(table), table);
    cl_int4 v = {{1, 2, 3, 40}};
    struct pair p = {500, 6};
    cl_long d = 70000;
    char c = 5;
    CODE(CL_INVALID_KERNEL_ARGS, clEnqueueTask(queue, kernel, 0, NULL, NULL));
    CODE(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, 7, 4, &back));
    CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 2, &v));
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, 1, NULL));
    CODE(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, NULL));
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 6, 16, &v));
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    OK(clSetKernelArg(kernel, 1, 1, &c));
    OK(clSetKernelArg(kernel, 2, sizeof(v), &v));
    OK(clSetKernelArg(kernel, 3, sizeof(p), &p));
    OK(clSetKernelArg(kernel, 4, sizeof(d), &d));
    OK(clSetKernelArg(kernel, 5, sizeof(constants), &constants));
    OK(clSetKernelArg(kernel, 6, 256, NULL));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    c = 100; /* by value: what was enqueued keeps the old one */
    OK(clSetKernelArg(kernel, 1, 1, &c));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    CHECK(back == 5 + 40 + 500 + 6 + 70000 + 1000);

    cl_int error;
    cl_kernel clone = clCloneKernel(kernel, &error);
    OK(error);
    c = 1;
    OK(clSetKernelArg(kernel, 1, 1, &c));
    OK(clEnqueueTask(queue, clone, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    CHECK(back == 100 + 40 + 500 + 6 + 70000 + 1000);
    size_t huge = 1u << 30, one = 1;
    OK(clSetKernelArg(clone, 6, huge, NULL));
    CODE(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(clone, 6, SIZE_MAX, NULL)); /* with what is before it more than 64 bits hold */
    CODE(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL));
    clReleaseKernel(clone);
    clReleaseKernel(kernel);

    kernel = kernel_of("maybe");
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    OK(clSetKernelArg(kernel, 1, sizeof(out), NULL));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    CHECK(back == 1);
    OK(clSetKernelArg(kernel, 1, sizeof(out), &constants));
    OK(clReleaseMemObject(constants));
    CODE(CL_INVALID_KERNEL_ARGS, clEnqueueTask(queue, kernel, 0, NULL, NULL));
    clReleaseKernel(kernel);
    clReleaseMemObject(out);
}

/* OpenCL 3.1 API, 5.9.2: a local argument of 0 bytes, beside others, and where variables take all but the last 32 bytes
 * of the local memory. */
static void test_no_local_memory(void)
{
    const char *text = "kernel void f(global int *out, local int *none, local int *some, local int *last, int use)\n"
                       "{\n"
                       "    some[get_local_id(0)] = (int)get_local_id(0);\n"
                       "    if (use) none[get_local_id(0)] = last[get_local_id(0)] = 1;\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    if (get_local_id(0) == 0) out[0] = some[7];\n"
                       "}\n"
                       "kernel void full(global int *out, local int *none, int use)\n"
                       "{\n"
                       "    local int all[SIZE / 4];\n"
                       "    all[SIZE / 4 - 1 - get_local_id(0)] = (int)get_local_id(0);\n"
                       "    if (use) none[get_local_id(0)] = 1;\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    if (get_local_id(0) == 0) out[0] = all[SIZE / 4 - 6];\n"
                       "}\n";
    char options[64];
    cl_int error, back = 0, use = 0;
    cl_ulong size = 0;
    const size_t items = 8;
    cl_mem out = buffer_of(0, 4, NULL);
    OK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(size), &size, NULL));
    snprintf(options, sizeof(options), "-DSIZE=%u", (unsigned)size - 32);
    cl_program with_locals = build(text, options);
    cl_kernel kernel = clCreateKernel(with_locals, "f", &error), full = clCreateKernel(with_locals, "full", &error);
    NEED(kernel && full);
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    OK(clSetKernelArg(kernel, 1, 0, NULL));
    OK(clSetKernelArg(kernel, 2, items * 4, NULL));
    OK(clSetKernelArg(kernel, 3, 0, NULL));
    OK(clSetKernelArg(kernel, 4, sizeof(use), &use));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    CHECK(back == 7);
    OK(clSetKernelArg(full, 0, sizeof(out), &out));
    OK(clSetKernelArg(full, 2, sizeof(use), &use));
    CODE(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, full, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clSetKernelArg(full, 1, 0, NULL));
    OK(clEnqueueNDRangeKernel(queue, full, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    CHECK(back == 5);
    OK(clSetKernelArg(full, 1, 64, NULL));
    CODE(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, full, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(full));
    OK(clReleaseProgram(with_locals));
    OK(clReleaseMemObject(out));
}

/* OpenCL 3.0 API, 5.9.3: the type's name is the one that it was declared with. */
static void test_type_names(void)
{
    static const char *const names[] = {"quad*", "quad", "row*", "word*", "word", "uint"};
    cl_kernel kernel = kernel_of("named");
    for (cl_uint i = 0; i < COUNT(names); i++) {
        char text[128];
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL));
        CHECK(strcmp(text, names[i]) == 0);
    }
    clReleaseKernel(kernel);
}

/* OpenCL 3.0 API, 5.9.4: "only available if ... built with the -cl-kernel-arg-info option", in whatever step the text
 * is compiled. A binary keeps what it has. */
static void test_no_arg_info(void)
{
    const char *text = "kernel void k(global const float *data, int n) {}";
    static const char *const options[] = {"", "-cl-kernel-arg-info"};
    for (int with = 0; with < 2; with++) {
        char name[16];
        cl_int error;
        cl_int expected = with ? CL_SUCCESS : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
        cl_program built = build(text, options[with]),
                   compiled = clCreateProgramWithSource(context, 1, &text, NULL, &error);
        OK(clCompileProgram(compiled, 1, &device, options[with], 0, NULL, NULL, NULL, NULL));
        cl_program linked = clLinkProgram(context, 1, &device, "", 1, &compiled, NULL, NULL, &error);
        size_t size = 0;
        OK(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
        unsigned char *binary = malloc(size);
        OK(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
        cl_program loaded =
            clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, NULL, &error);
        OK(clBuildProgram(loaded, 1, &device, "", NULL, NULL));
        cl_program programs[] = {built, linked, loaded};
        for (int i = 0; i < 3; i++) {
            cl_kernel kernel = clCreateKernel(programs[i], "k", &error);
            CODE(expected, clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof(name), name, NULL));
            CHECK(!with || !strcmp(name, "data"));
            CODE(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, sizeof(name), name, NULL));
            clReleaseKernel(kernel);
            clReleaseProgram(programs[i]);
        }
        clReleaseProgram(compiled);
        free(binary);
    }
}

static void test_info(void)
{
    cl_kernel kernel = kernel_of("values");
    char text[128];
    cl_uint count;
    OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(text), text, NULL));
    CHECK(strcmp(text, "values") == 0);
    OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL));
    CHECK(count == 7);
    static const struct {
        const char *name, *type;
        cl_kernel_arg_address_qualifier address;
    } args[] = {
        {"out", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL}, {"c", "char", CL_KERNEL_ARG_ADDRESS_PRIVATE},
        {"v", "int4", CL_KERNEL_ARG_ADDRESS_PRIVATE},  {"p", "struct pair", CL_KERNEL_ARG_ADDRESS_PRIVATE},
        {"d", "long", CL_KERNEL_ARG_ADDRESS_PRIVATE},  {"table", "int*", CL_KERNEL_ARG_ADDRESS_CONSTANT},
        {"l", "int*", CL_KERNEL_ARG_ADDRESS_LOCAL},
    };
    for (cl_uint i = 0; i < COUNT(args); i++) {
        cl_kernel_arg_address_qualifier address = 0;
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL));
        CHECK(strcmp(text, args[i].name) == 0);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL));
        CHECK(strcmp(text, args[i].type) == 0);
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, NULL));
        CHECK(address == args[i].address);
    }
    CODE(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(kernel, 7, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL));
    size_t size, sizes[3];
    cl_ulong local;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(size), &size, NULL));
    CHECK(size >= 1);
    OK(clSetKernelArg(kernel, 6, 128, NULL));
    OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(local), &local, NULL));
    CHECK(local >= 128);
    clReleaseKernel(kernel);
    kernel = kernel_of("fixed");
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(sizes), sizes, NULL));
    CHECK(sizes[0] == 4 && sizes[1] == 2 && sizes[2] == 1);
    OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(text), text, NULL));
    CHECK(strstr(text, "reqd_work_group_size(4,2,1)") || strstr(text, "reqd_work_group_size(4, 2, 1)"));
    cl_mem out = buffer_of(0, 64, NULL);
    size_t global[3] = {8, 2, 1}, wrong[3] = {8, 1, 1}, odd[3] = {7, 2, 1};
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, wrong, 0, NULL, NULL));
    CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, kernel, 2, NULL, odd, NULL, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
}

/* Every work-item of the range runs once and knows where it is. */
static void check_range(cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local)
{
    size_t count = 1;
    for (cl_uint i = 0; i < dims; i++)
        count *= global[i];
    cl_uint zero = 0, *back = malloc(count * 4);
    cl_mem out = buffer_of(0, count * 4, NULL);
    OK(clEnqueueFillBuffer(queue, out, &zero, 4, 0, count * 4, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, count * 4, back, 0, NULL, NULL));
    for (size_t i = 0; i < count; i++) {
        if (back[i] == 1 + 2 * dims)
            continue;
        printf("range %zu %zu %zu by %zu: item %zu is %u\n", global[0], dims > 1 ? global[1] : 1,
               dims > 2 ? global[2] : 1, local ? local[0] : 0, i, back[i]);
        test_failures++;
        break;
    }
    free(back);
    clReleaseMemObject(out);
}

static void test_ranges(void)
{
    cl_program newer = build(source, "-cl-std=CL3.0");
    cl_kernel kernel = kernel_of("ids"), uneven = clCreateKernel(newer, "ids", NULL);
    NEED(uneven);
    size_t ranges[][3] = {{1, 1, 1}, {64, 1, 1}, {1000, 1, 1}, {1009, 1, 1}, {17, 19, 1}, {100, 50, 3}, {5, 7, 11}};
    size_t locals[][3] = {{4, 1, 1}, {16, 4, 1}, {8, 4, 2}};
    size_t offset[3] = {5, 1000000007, 3};
    for (size_t i = 0; i < COUNT(ranges); i++) {
        for (cl_uint dims = ranges[i][2] > 1 ? 3 : ranges[i][1] > 1 ? 2 : 1; dims <= 3; dims++) {
            check_range(kernel, dims, NULL, ranges[i], NULL);
            check_range(uneven, dims, offset, ranges[i], NULL);
            check_range(uneven, dims, i % 2 ? offset : NULL, ranges[i], locals[dims - 1]);
        }
    }
    size_t many = 70000, one = 1, thousand = 1000, sixteen = 16;
    check_range(kernel, 1, NULL, &many, &one); /* more groups than Vulkan promises in one dispatch */
    size_t tall[3] = {1, 1, 70000};
    check_range(uneven, 3, NULL, tall, NULL);

    cl_mem out = buffer_of(0, 4096, NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
    CODE(CL_INVALID_WORK_GROUP_SIZE,
         clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &thousand, &sixteen, 0, NULL, NULL));
    CODE(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, kernel, 0, NULL, &one, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, kernel, 4, NULL, &one, NULL, 0, NULL, NULL));
    size_t zero = 0, large = 1u << 20;
    CODE(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &zero, 0, NULL, NULL));
    CODE(CL_INVALID_WORK_ITEM_SIZE, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &large, &large, 0, NULL, NULL));
    cl_event event = NULL;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &zero, NULL, 0, NULL, &event));
    NEED(event);
    OK(clWaitForEvents(1, &event));
    clReleaseEvent(event);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseKernel(uneven);
    clReleaseProgram(newer);
}

static void *build_and_run(void *data)
{
    char text[256];
    cl_int error;
    const char *strings = text;
    snprintf(text, sizeof(text), "kernel void f(global int *o) { o[0] = %d; }", (int)(intptr_t)data);
    for (int i = 0; i < 5; i++) {
        cl_program mine = clCreateProgramWithSource(context, 1, &strings, NULL, &error);
        OK(error);
        OK(clBuildProgram(mine, 0, NULL, NULL, NULL, NULL));
        cl_kernel kernel = clCreateKernel(mine, "f", &error);
        OK(error);
        cl_mem out = clCreateBuffer(context, 0, 4, NULL, &error);
        int back = -1;
        OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
        OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
        CHECK(back == (int)(intptr_t)data);
        clReleaseMemObject(out);
        clReleaseKernel(kernel);
        clReleaseProgram(mine);
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];
    for (intptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, build_and_run, (void *)(i * 11));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    open_device(0);
    program = build(source, "-cl-kernel-arg-info");
    test_suggestion();
    test_arguments();
    test_no_local_memory();
    test_info();
    test_no_arg_info();
    test_type_names();
    test_ranges();
    test_threads();
    clReleaseProgram(program);
    return close_device();
}
