/* cl_khr_unified_svm 0.9.0: what platform and device say of the types of memory, that memory of every type does what
 * its capabilities promise, queries of pointers, suggested types, and what the calls refuse. */
#include "api_test.h"

enum {
    SYSTEM_ALLOCATED = 1 << 1,
    DEVICE_UNASSOCIATED = 1 << 3,
    HOST_READ = 1 << 6,
    HOST_WRITE = 1 << 7,
    HOST_MAP = 1 << 8,
    INDIRECT_ACCESS = 1 << 14,
};
enum { PROPERTY_DEVICE = 0x2078, PROPERTY_ACCESS, PROPERTY_ALIGNMENT };
enum { INFO_TYPE = 0x2088, INFO_CAPABILITIES, INFO_PROPERTIES, INFO_ACCESS };
enum { INFO_BASE = 0x419B, INFO_SIZE, INFO_DEVICE };
enum { WORDS = 1000, BYTES = WORDS * 4 };

static struct {
    void *(*alloc)(cl_context, const cl_ulong *, cl_uint, size_t, cl_int *);
    cl_int (*free)(cl_context, const cl_ulong *, cl_ulong, void *);
    cl_int (*info)(cl_context, cl_device_id, const void *, cl_uint, size_t, void *, size_t *);
    cl_int (*suggest)(cl_context, cl_ulong, cl_ulong, const cl_ulong *, size_t, cl_uint *);
} cl;

static cl_ulong types[16];
static cl_uint num_types;

static const char *source =
    "kernel void step(global uint *data, uint k) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + k; }\n"
    "kernel void follow(global ulong *table, uint k) { *(global uint *)table[0] += k; }\n";

static void test_queries(void)
{
    cl_ulong of_platform[16];
    size_t size = 0, size_of_platform = 0;
    OK(clGetDeviceInfo(device, 0x1077, sizeof(types), types, &size));
    OK(clGetPlatformInfo(platform, 0x0909, sizeof(of_platform), of_platform, &size_of_platform));
    num_types = (cl_uint)(size / sizeof(types[0]));
    CHECK(size == size_of_platform && num_types > 2);
    bool any = false;
    for (cl_uint i = 0; i < num_types; i++) {
        CHECK(!types[i] || (types[i] & of_platform[i]) == of_platform[i]);
        any |= types[i] != 0;
    }
    CHECK(any);
}

static void write_words(void *memory, cl_ulong can, const uint32_t *words)
{
    if (can & HOST_WRITE) {
        memcpy(memory, words, BYTES);
    } else if (can & HOST_MAP) {
        OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, memory, BYTES, 0, NULL, NULL));
        memcpy(memory, words, BYTES);
        OK(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
    } else {
        OK(clEnqueueSVMMemcpy(queue, CL_TRUE, memory, words, BYTES, 0, NULL, NULL));
    }
}

static void read_words(const void *memory, cl_ulong can, uint32_t *words)
{
    OK(clFinish(queue));
    if (can & HOST_READ)
        memcpy(words, memory, BYTES);
    else
        OK(clEnqueueSVMMemcpy(queue, CL_TRUE, words, memory, BYTES, 0, NULL, NULL));
}

/* A kernel changes the memory through an argument, and another through a pointer in a buffer. */
static void test_kernels(cl_program program, void *memory, cl_ulong can)
{
    cl_int error;
    uint32_t words[WORDS];
    const size_t count = WORDS, one = 1;
    const cl_uint k = 5;
    const cl_bool yes = CL_TRUE;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    write_words(memory, can, words);
    cl_kernel step = clCreateKernel(program, "step", &error), follow = clCreateKernel(program, "follow", &error);
    OK(error);
    OK(clSetKernelArgSVMPointer(step, 0, memory));
    OK(clSetKernelArg(step, 1, sizeof(k), &k));
    OK(clEnqueueNDRangeKernel(queue, step, 1, NULL, &count, NULL, 0, NULL, NULL));
    cl_ulong target = (uintptr_t)memory + 8;
    cl_mem table = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(target), &target);
    if (can & INDIRECT_ACCESS) {
        OK(clSetKernelArg(follow, 0, sizeof(table), &table));
        OK(clSetKernelArg(follow, 1, sizeof(k), &k));
        OK(clSetKernelExecInfo(follow, 0x11BB, sizeof(yes), &yes));
        OK(clEnqueueNDRangeKernel(queue, follow, 1, NULL, &one, NULL, 0, NULL, NULL));
    }
    read_words(memory, can, words);
    int wrong = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        wrong += words[i] != i * 3 + k + (i == 2 && can & INDIRECT_ACCESS ? k : 0);
    CHECK(wrong == 0);
    clReleaseMemObject(table);
    clReleaseKernel(step);
    clReleaseKernel(follow);
}

static void check_pointer(const void *memory, cl_uint type, const cl_ulong *properties, size_t properties_size,
                          cl_ulong access)
{
    const char *inside[] = {memory, (const char *)memory + BYTES - 1};
    for (size_t i = 0; i < 4; i++) {
        cl_device_id with = i / 2 ? device : NULL, its = (cl_device_id)&inside;
        const void *pointer = inside[i % 2];
        cl_uint number = 77;
        cl_ulong can = 0, back[8] = {0}, flags = 77;
        void *base = NULL;
        size_t size = 0, length = 77;
        OK(cl.info(context, with, pointer, INFO_TYPE, sizeof(number), &number, NULL));
        OK(cl.info(context, with, pointer, INFO_CAPABILITIES, sizeof(can), &can, NULL));
        OK(cl.info(context, with, pointer, INFO_PROPERTIES, sizeof(back), back, &length));
        OK(cl.info(context, with, pointer, INFO_ACCESS, sizeof(flags), &flags, NULL));
        OK(cl.info(context, with, pointer, INFO_BASE, sizeof(base), &base, NULL));
        OK(cl.info(context, with, pointer, INFO_SIZE, sizeof(size), &size, NULL));
        OK(cl.info(context, with, pointer, INFO_DEVICE, sizeof(its), &its, NULL));
        CHECK(number == type && can == types[type] && flags == access && base == memory && size == BYTES);
        CHECK(length == properties_size && (!length || memcmp(back, properties, length) == 0));
        CHECK(its == (properties ? device : NULL));
    }
}

static void test_types(cl_program program)
{
    const cl_ulong with_device[] = {
        PROPERTY_DEVICE, (uintptr_t)device, PROPERTY_ALIGNMENT, 4096, PROPERTY_ACCESS, 0x101, 0};
    for (cl_uint type = 0; type < num_types; type++) {
        cl_int error;
        if (!types[type]) {
            CHECK(!cl.alloc(context, with_device, type, BYTES, &error) && error != CL_SUCCESS);
            continue;
        }
        void *memory = cl.alloc(context, with_device, type, BYTES, &error);
        NEED(error == CL_SUCCESS && memory);
        CHECK((uintptr_t)memory % 4096 == 0);
        check_pointer(memory, type, with_device, sizeof(with_device), 0x101);
        test_kernels(program, memory, types[type]);
        OK(cl.free(context, NULL, 0, memory));
        CODE(CL_INVALID_VALUE, cl.free(context, NULL, 0, memory));
        memory = cl.alloc(context, NULL, type, BYTES, &error);
        if (types[type] & DEVICE_UNASSOCIATED) {
            NEED(error == CL_SUCCESS && memory);
            check_pointer(memory, type, NULL, 0, 0);
            clSVMFree(context, memory);
            CODE(CL_INVALID_VALUE, cl.free(context, NULL, 0, memory));
        } else {
            CODE(CL_INVALID_VALUE, error);
            CHECK(!memory);
        }
    }
}

static void test_suggestions(void)
{
    const cl_ulong here[] = {PROPERTY_DEVICE, (uintptr_t)device, 0};
    cl_ulong all = 0;
    for (cl_uint i = 0; i < num_types; i++)
        all |= types[i];
    for (int bit = 0; bit < 64; bit++) {
        cl_uint index = 77;
        OK(cl.suggest(context, 1ull << bit, 0, bit % 2 ? here : NULL, BYTES, &index));
        CHECK(all >> bit & 1 ? index < num_types && types[index] >> bit & 1 : index == CL_UINT_MAX);
    }
    for (cl_uint i = 0; i < num_types; i++) {
        cl_uint index = 77;
        OK(cl.suggest(context, types[i], 0, here, BYTES, &index));
        CHECK(index < num_types && (types[index] & types[i]) == types[i]);
        OK(cl.suggest(context, 0, types[i] & ~(cl_ulong)SYSTEM_ALLOCATED, here, BYTES, &index));
        CHECK(index < num_types && types[index]);
    }
}

static void test_refusals(void)
{
    const cl_ulong unknown[] = {12345, 1, 0}, twice[] = {PROPERTY_ACCESS, 0, PROPERTY_ACCESS, 0, 0},
                   access[] = {PROPERTY_ACCESS, 4, 0}, odd[] = {PROPERTY_ALIGNMENT, 48, 0},
                   stranger[] = {PROPERTY_DEVICE, (uintptr_t)queue, 0};
    cl_uint index;
    int local = 0;
    NO_OBJECT(CL_INVALID_CONTEXT, cl.alloc(NULL, NULL, 0, BYTES, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, cl.alloc(context, unknown, 0, BYTES, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, cl.alloc(context, twice, 0, BYTES, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, cl.alloc(context, access, 0, BYTES, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, cl.alloc(context, odd, 0, BYTES, &error));
    NO_OBJECT(CL_INVALID_DEVICE, cl.alloc(context, stranger, 0, BYTES, &error));
    NO_OBJECT(CL_INVALID_VALUE, cl.alloc(context, NULL, num_types, BYTES, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE,
              cl.alloc(context, (cl_ulong[]){PROPERTY_DEVICE, (uintptr_t)device, 0}, 2, SIZE_MAX, &error));
    CODE(CL_INVALID_CONTEXT, cl.free(NULL, NULL, 0, NULL));
    CODE(CL_INVALID_PROPERTY, cl.free(context, unknown, 0, NULL));
    CODE(CL_INVALID_VALUE, cl.free(context, NULL, 1, NULL));
    CODE(CL_INVALID_VALUE, cl.free(context, NULL, 0, &local));
    OK(cl.free(context, NULL, 0, NULL));
    CODE(CL_INVALID_CONTEXT, cl.info(NULL, NULL, &local, INFO_SIZE, 0, NULL, NULL));
    CODE(CL_INVALID_DEVICE, cl.info(context, (cl_device_id)queue, &local, INFO_SIZE, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, cl.info(context, NULL, &local, 12345, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, cl.suggest(context, 0, 0, NULL, 0, NULL));
    CODE(CL_INVALID_CONTEXT, cl.suggest(NULL, 0, 0, NULL, 0, &index));
    CODE(CL_INVALID_PROPERTY, cl.suggest(context, 0, 0, unknown, 0, &index));
    /* What is no allocation has no type. */
    cl_uint number = 5;
    size_t size = 5;
    void *base = &local;
    OK(cl.info(context, NULL, &local, INFO_TYPE, sizeof(number), &number, NULL));
    OK(cl.info(context, NULL, &local, INFO_BASE, sizeof(base), &base, NULL));
    OK(cl.info(context, device, &local, INFO_PROPERTIES, 0, NULL, &size));
    CHECK(number == CL_UINT_MAX && !base && size == 0);
}

static cl_device_svm_capabilities svm_of_device(void)
{
    cl_device_svm_capabilities svm = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
    return svm;
}

/* No bytes are no memory and no error, and NULL is as good an address for them as any. */
static void test_nothing(void)
{
    const cl_ulong properties[] = {PROPERTY_DEVICE, (uintptr_t)device, 0};
    const void *addresses[2] = {NULL, NULL};
    void *freed[1] = {NULL};
    size_t sizes[2] = {0, 0};
    int word = 7, other = 8;
    cl_command_type type = 0;
    cl_event event;
    cl_int error = 77;
    for (cl_uint i = 0; i < num_types; i++) {
        error = 77;
        if (!types[i])
            continue;
        CHECK(!cl.alloc(context, properties, i, 0, &error));
        CHECK(error == CL_SUCCESS);
    }
    CHECK(!cl.alloc(context, NULL, num_types, 0, &error) && error == CL_INVALID_VALUE);
    OK(cl.free(context, NULL, 0, NULL));
    if (!svm_of_device()) { /* which has no such commands, whatever they are given */
        CODE(CL_INVALID_OPERATION, clEnqueueSVMMemFill(queue, NULL, &other, sizeof(other), 0, 0, NULL, NULL));
        CODE(CL_INVALID_OPERATION, clEnqueueSVMMigrateMem(queue, 2, addresses, sizes, 0, 0, NULL, NULL));
        return;
    }
    OK(clEnqueueSVMFree(queue, 1, freed, NULL, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, &word, 0, 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, &word, NULL, 0, 0, NULL, NULL));
    OK(clEnqueueSVMMemFill(queue, NULL, &other, sizeof(other), 0, 0, NULL, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_SVM_MEMFILL);
    OK(clReleaseEvent(event));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, NULL, &other, sizeof(other), sizeof(other), 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, NULL, NULL, sizeof(other), 0, 0, NULL, NULL));
    OK(clEnqueueSVMMigrateMem(queue, 2, addresses, sizes, 0, 0, NULL, NULL));
    OK(clEnqueueSVMMigrateMem(queue, 2, addresses, NULL, 0, 0, NULL, NULL));
    sizes[1] = 1;
    CODE(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 2, addresses, sizes, 0, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(word == 7);
}

/* Memory of the C library's has no allocation that a size could be taken from. */
static void test_migrating_system_memory(void)
{
    const cl_device_svm_capabilities svm = svm_of_device();
    char *memory = malloc(BYTES);
    const void *addresses[1] = {memory + 1};
    size_t sizes[1] = {BYTES - 1};
    cl_int expected = svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? CL_SUCCESS : CL_INVALID_VALUE;
    CODE(expected, clEnqueueSVMMigrateMem(queue, 1, addresses, sizes, 0, 0, NULL, NULL));
    sizes[0] = 0;
    CODE(expected, clEnqueueSVMMigrateMem(queue, 1, addresses, sizes, 0, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, addresses, NULL, 0, 0, NULL, NULL));
    OK(clFinish(queue));
    free(memory);
}

int main(void)
{
    open_device(0);
    const struct test_device opened = {platform, device, context, queue};
    if (!test_has_extension(&opened, "cl_khr_unified_svm")) {
        printf("no cl_khr_unified_svm\n");
        close_device();
        return TEST_SKIPPED;
    }
    static const char *const names[] = {"clSVMAllocWithPropertiesKHR", "clSVMFreeWithPropertiesKHR",
                                        "clGetSVMPointerInfoKHR", "clGetSVMSuggestedTypeIndexKHR"};
    void *found[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++)
        NEED(found[i] = clGetExtensionFunctionAddressForPlatform(platform, names[i]));
    memcpy(&cl, found, sizeof(cl));
    cl_program program = build(source, "");
    test_queries();
    test_types(program);
    test_suggestions();
    test_refusals();
    test_nothing();
    if (svm_of_device())
        test_migrating_system_memory();
    clReleaseProgram(program);
    return close_device();
}
