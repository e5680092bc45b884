/* Shared virtual memory, unified shared memory and buffers with a device address: what each call answers, and that
 * pointers inside pointers mean the same to the host and to kernels. Skipped parts say what the device lacks. */
#include "api_test.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT         0x5001
#endif

static const char source[] = "struct node { global struct node *next; int value; };\n"
                             "kernel void walk(global struct node *list, global int *sum)\n"
                             "{\n"
                             "    int total = 0;\n"
                             "    for (global struct node *n = list; n; n = n->next) {\n"
                             "        total += n->value;\n"
                             "        n->value = -n->value;\n"
                             "    }\n"
                             "    *sum = total;\n"
                             "}\n"
                             "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n"
                             "struct vectors { global int *in; int scale; struct { global int *to[2]; } out; };\n"
                             "kernel void by_value(struct vectors v)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    v.out.to[i & 1][i] = v.in[i] * v.scale;\n"
                             "}\n"
                             "kernel void by_table(global long *table, int count)\n"
                             "{\n"
                             "    for (int i = 0; i < count; i++)\n"
                             "        ((global int *)table[i])[get_global_id(0)] += i;\n"
                             "}\n"
                             "kernel void around(global int *middle, int from, global int *sum)\n"
                             "{\n"
                             "    for (int i = from; i <= -from; i++)\n"
                             "        *sum += middle[i];\n"
                             "}\n";

struct node {
    struct node *next;
    int value;
};

static cl_device_svm_capabilities svm;
static cl_program program;

static cl_kernel kernel_named(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    NEED(error == CL_SUCCESS);
    return kernel;
}

static void run(cl_kernel kernel, size_t items)
{
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

/* ---- what is refused ---- */

static void test_refused(void)
{
    int value = 0;
    void *nothing = NULL;
    cl_ulong limit = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(limit), &limit, NULL));
    int *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    CHECK(memory != NULL);
    CHECK(!clSVMAlloc(NULL, CL_MEM_READ_WRITE, 64, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 0, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, limit + 1, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 3));
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_USE_HOST_PTR, 64, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0));
    clSVMFree(context, NULL);
    clSVMFree(context, &value);

    CODE(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemcpy(NULL, CL_TRUE, memory, &value, 4, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, &value, 4, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queue, CL_TRUE, memory, &value, 4097, 0, NULL, NULL));
    CODE(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queue, CL_TRUE, memory, memory + 1, 8, 0, NULL, NULL));
    CODE(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemcpy(queue, CL_TRUE, memory, &value, 4, 1, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, memory, memory + 1, 0, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, NULL, &value, 4, 4, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory, NULL, 4, 4, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory, &value, 3, 6, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory, &value, 4, 6, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, (char *)memory + 1, &value, 4, 4, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, 0, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, 1 << 20, memory, 4, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMFree(queue, 0, &nothing, NULL, NULL, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
    const void *inside = memory + 1, *outside = &value;
    size_t size = 4096;
    CODE(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 0, NULL, NULL, 0, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, &outside, NULL, 0, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, &inside, &size, 0, 0, NULL, NULL));
    OK(clEnqueueSVMMigrateMem(queue, 1, &inside, NULL, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));

    cl_kernel table = kernel_named("by_table");
    CODE(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(NULL, 0, memory));
    CODE(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(table, 2, memory));
    CODE(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(table, 1, memory));
    CODE(CL_INVALID_VALUE, clSetKernelExecInfo(table, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &memory));
    CODE(CL_INVALID_VALUE, clSetKernelExecInfo(table, 0x1234, sizeof(memory), &memory));
    OK(clReleaseKernel(table));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4097, memory, &error));
    clSVMFree(context, memory);
}

/* ---- pointers in pointers ---- */

static void test_list(void)
{
    enum { COUNT = 1000 };
    struct node *first = NULL;
    int expected = 0, *sum = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(int), 0);
    void *nodes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        struct node *node = nodes[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(*node), i % 2 ? 0 : 4096);
        NEED(node);
        CHECK((uintptr_t)node % (i % 2 ? 128 : 4096) == 0);
        OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, node, sizeof(*node), 0, NULL, NULL));
        *node = (struct node){first, i};
        OK(clEnqueueSVMUnmap(queue, node, 0, NULL, NULL));
        first = node;
        expected += i;
    }
    cl_kernel kernel = kernel_named("walk");
    OK(clSetKernelArgSVMPointer(kernel, 0, first));
    OK(clSetKernelArgSVMPointer(kernel, 1, sum));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(nodes), nodes));
    run(kernel, 1);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, sum, sizeof(int), 0, NULL, NULL));
    CHECK(*sum == expected);
    for (int i = 0; i < COUNT; i++) {
        struct node *node = nodes[i];
        OK(clEnqueueSVMMap(queue, i == COUNT - 1, CL_MAP_READ, node, sizeof(*node), 0, NULL, NULL));
    }
    for (struct node *node = first; node; node = node->next)
        expected += node->value;
    CHECK(expected == 0);
    for (int i = 0; i < COUNT; i++)
        OK(clEnqueueSVMUnmap(queue, nodes[i], 0, NULL, NULL));
    OK(clEnqueueSVMFree(queue, COUNT, nodes, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
    clSVMFree(context, sum);
}

/* OpenCL C 1.2, 6.9.p forbids pointers in a kernel's structures, OpenCL C 2.0 does not. */
/* What lies before the address that an argument gives. */
static void test_inner(void)
{
    enum { MIDDLE = 500 };
    cl_kernel kernel = kernel_named("around");
    int *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, (2 * MIDDLE + 2) * sizeof(int), 0);
    int *sum = memory + 2 * MIDDLE + 1;
    NEED(memory);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, memory, (2 * MIDDLE + 2) * sizeof(int), 0, NULL, NULL));
    for (int i = 0; i <= 2 * MIDDLE; i++)
        memory[i] = i;
    *sum = 0;
    OK(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
    OK(clSetKernelArgSVMPointer(kernel, 0, memory + MIDDLE));
    OK(clSetKernelArg(kernel, 1, sizeof(int), &(int){-MIDDLE}));
    OK(clSetKernelArgSVMPointer(kernel, 2, sum));
    run(kernel, 1);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, (2 * MIDDLE + 2) * sizeof(int), 0, NULL, NULL));
    CHECK(*sum == MIDDLE * (2 * MIDDLE + 1));
    OK(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
    clSVMFree(context, memory);
}

static void test_by_value(void)
{
    enum { COUNT = 64 };
    struct {
        cl_int *in, scale;
        struct {
            cl_int *to[2];
        } out;
    } vectors = {.scale = 3};
    cl_int *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 3 * COUNT * sizeof(cl_int), 0);
    NEED(memory);
    vectors.in = memory;
    vectors.out.to[0] = memory + COUNT;
    vectors.out.to[1] = memory + 2 * COUNT;
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, memory, 3 * COUNT * sizeof(cl_int), 0, NULL, NULL));
    for (int i = 0; i < 3 * COUNT; i++)
        memory[i] = i < COUNT ? i : -1;
    OK(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
    cl_kernel kernel = kernel_named("by_value"), again = kernel_named("twice");
    OK(clSetKernelArg(kernel, 0, sizeof(vectors), &vectors));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(void *), &memory));
    OK(clSetKernelArgSVMPointer(again, 0, memory));
    run(kernel, COUNT);
    run(again, COUNT); /* behind it, of the same memory */
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, 3 * COUNT * sizeof(cl_int), 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++) {
        CHECK(memory[i] == 2 * i);
        CHECK(memory[(i & 1 ? 2 : 1) * COUNT + i] == 3 * i);
        CHECK(memory[(i & 1 ? 1 : 2) * COUNT + i] == -1);
    }
    OK(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(again));
    clSVMFree(context, memory);
}

/* ---- transfers and buffers over it ---- */

static atomic_int freed;

static void CL_CALLBACK free_it(cl_command_queue of, cl_uint count, void *pointers[], void *data)
{
    CHECK(of == queue && count == 2 && data == &freed);
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
    freed += (int)count;
}

static void test_transfers(void)
{
    enum { COUNT = 100000 };
    int *a = clSVMAlloc(context, CL_MEM_READ_WRITE, COUNT * sizeof(int), 0);
    int *b = clSVMAlloc(context, CL_MEM_READ_WRITE, COUNT * sizeof(int), 0);
    int *host = malloc(COUNT * sizeof(int)), pattern[2] = {7, -9};
    NEED(a && b && host);
    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    cl_event event;
    cl_command_type type = 0;
    OK(clEnqueueSVMMemcpy(queue, CL_FALSE, a, host, COUNT * sizeof(int), 0, NULL, &event));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_SVM_MEMCPY);
    OK(clEnqueueSVMMemFill(queue, b, pattern, sizeof(pattern), COUNT * sizeof(int), 0, NULL, NULL));
    OK(clEnqueueSVMMemcpy(queue, CL_FALSE, b + 10, a + 20, 50 * sizeof(int), 1, &event, NULL));
    OK(clReleaseEvent(event));
    OK(clFinish(queue)); /* until then host is the copy's */
    memset(host, 0, COUNT * sizeof(int));
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, b, COUNT * sizeof(int), 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        CHECK(host[i] == (i >= 10 && i < 60 ? i + 10 : pattern[i % 2]));
    /* both sides the host's own */
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, host + 500, host, 40, 0, NULL, NULL));
    CHECK(memcmp(host + 500, host, 40) == 0);

    cl_bool uses = CL_FALSE;
    cl_mem over = buffer_of(CL_MEM_USE_HOST_PTR, 1024, a + 256);
    OK(clGetMemObjectInfo(over, CL_MEM_USES_SVM_POINTER, sizeof(uses), &uses, NULL));
    CHECK(uses == CL_TRUE);
    cl_kernel kernel = kernel_named("twice");
    OK(clSetKernelArg(kernel, 0, sizeof(over), &over));
    run(kernel, 256);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 1000 * sizeof(int), 0, NULL, NULL));
    for (int i = 0; i < 1000; i++)
        CHECK(a[i] == (i >= 256 && i < 512 ? 2 * i : i));
    OK(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL));
    /* maps of the buffer are the same memory */
    cl_int error;
    int *map = clEnqueueMapBuffer(queue, over, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 64, 0, NULL, NULL, &error);
    OK(error);
    CHECK(map == a + 260 && map[0] == 520 && map[15] == 550);
    map[3] = -1;
    OK(clEnqueueUnmapMemObject(queue, over, map, 0, NULL, NULL));
    run(kernel, 256);
    OK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, a, 1000 * sizeof(int), 0, NULL, NULL));
    for (int i = 0; i < 1000; i++)
        CHECK(host[i] == (i == 263 ? -2 : i >= 256 && i < 512 ? 4 * i : i));
    OK(clReleaseMemObject(over));
    OK(clReleaseKernel(kernel));
    void *both[] = {a, b};
    OK(clEnqueueSVMFree(queue, 2, both, free_it, &freed, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(freed == 2);
    free(host);
}

/* Each map and unmap is followed by a kernel that doubles everything, so that what one of them loses or brings back
 * from an earlier time shows in the numbers. */
static void test_maps(void)
{
    enum { COUNT = 1 << 18 };
    const size_t bytes = COUNT * sizeof(int);
    int *a = clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0), one = 1, wrong = 0;
    NEED(a);
    cl_kernel kernel = kernel_named("twice");
    OK(clSetKernelArgSVMPointer(kernel, 0, a));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, bytes + 1, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a + COUNT - 1, 5, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, a, bytes, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        a[i] = i;
    OK(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL));
    run(kernel, COUNT);
    /* two parts at once, one of them only to be read, and an unmap that waits for its event */
    cl_event mapped, go = user_event();
    cl_command_type type = 0;
    OK(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_WRITE, a + 1000, 4000, 0, NULL, &mapped));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a + 5000, 4000, 0, NULL, NULL));
    OK(clGetEventInfo(mapped, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_SVM_MAP);
    OK(clWaitForEvents(1, &mapped));
    OK(clReleaseEvent(mapped));
    for (int i = 0; i < 1000; i++) {
        wrong += a[1000 + i] != 2 * (1000 + i) || a[5000 + i] != 2 * (5000 + i);
        a[1000 + i] += 1;
    }
    CHECK(wrong == 0);
    OK(clEnqueueSVMUnmap(queue, a + 1000, 1, &go, NULL));
    OK(clEnqueueSVMUnmap(queue, a + 5000, 0, NULL, NULL));
    OK(clEnqueueSVMUnmap(queue, a + 5000, 0, NULL, NULL)); /* is not mapped any more: nothing happens */
    run(kernel, COUNT);
    OK(clSetUserEventStatus(go, CL_COMPLETE));
    OK(clReleaseEvent(go));
    /* the same place mapped twice */
    OK(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, a, 64, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, a, bytes, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++) {
        wrong += a[i] != 4 * i + (i >= 1000 && i < 2000 ? 2 : 0);
        a[i] = 3 * i;
    }
    CHECK(wrong == 0);
    OK(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL));
    OK(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL));
    OK(clEnqueueSVMMemFill(queue, a + 1, &one, sizeof(one), sizeof(one), 0, NULL, NULL));
    run(kernel, COUNT);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, bytes, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        wrong += a[i] != (i == 1 ? 2 : 6 * i);
    CHECK(wrong == 0);
    OK(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
    clSVMFree(context, a);
}

/* The same functions for programs of OpenCL 1.2. */
static void test_arm(void)
{
#define ARM(name) name##ARM_fn name##ARM = (name##ARM_fn)clGetExtensionFunctionAddressForPlatform(platform, #name "ARM")
    typedef void *(CL_API_CALL * clSVMAllocARM_fn)(cl_context, cl_bitfield, size_t, cl_uint);
    typedef void(CL_API_CALL * clSVMFreeARM_fn)(cl_context, void *);
    typedef cl_int(CL_API_CALL * clEnqueueSVMFreeARM_fn)(
        cl_command_queue, cl_uint, void *[], void(CL_CALLBACK *)(cl_command_queue, cl_uint, void *[], void *), void *,
        cl_uint, const cl_event *, cl_event *);
    typedef cl_int(CL_API_CALL * clEnqueueSVMMemcpyARM_fn)(cl_command_queue, cl_bool, void *, const void *, size_t,
                                                           cl_uint, const cl_event *, cl_event *);
    typedef cl_int(CL_API_CALL * clEnqueueSVMMemFillARM_fn)(cl_command_queue, void *, const void *, size_t, size_t,
                                                            cl_uint, const cl_event *, cl_event *);
    typedef cl_int(CL_API_CALL * clEnqueueSVMMapARM_fn)(cl_command_queue, cl_bool, cl_map_flags, void *, size_t,
                                                        cl_uint, const cl_event *, cl_event *);
    typedef cl_int(CL_API_CALL * clEnqueueSVMUnmapARM_fn)(cl_command_queue, void *, cl_uint, const cl_event *,
                                                          cl_event *);
    typedef cl_int(CL_API_CALL * clSetKernelArgSVMPointerARM_fn)(cl_kernel, cl_uint, const void *);
    typedef cl_int(CL_API_CALL * clSetKernelExecInfoARM_fn)(cl_kernel, cl_uint, size_t, const void *);
    ARM(clSVMAlloc);
    ARM(clSVMFree);
    ARM(clEnqueueSVMFree);
    ARM(clEnqueueSVMMemcpy);
    ARM(clEnqueueSVMMemFill);
    ARM(clEnqueueSVMMap);
    ARM(clEnqueueSVMUnmap);
    ARM(clSetKernelArgSVMPointer);
    ARM(clSetKernelExecInfo);
    NEED(clSVMAllocARM && clSVMFreeARM && clEnqueueSVMFreeARM && clEnqueueSVMMemcpyARM && clEnqueueSVMMemFillARM);
    NEED(clEnqueueSVMMapARM && clEnqueueSVMUnmapARM && clSetKernelArgSVMPointerARM && clSetKernelExecInfoARM);
    cl_device_svm_capabilities arm = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES_ARM, sizeof(arm), &arm, NULL));
    CHECK(arm == svm);
    int three = 3, got[4];
    cl_event events[5];
    const cl_command_type types[5] = {CL_COMMAND_SVM_MEMFILL_ARM, CL_COMMAND_SVM_MAP_ARM, CL_COMMAND_SVM_UNMAP_ARM,
                                      CL_COMMAND_SVM_MEMCPY_ARM, CL_COMMAND_SVM_FREE_ARM};
    int *a = clSVMAllocARM(context, CL_MEM_READ_WRITE, sizeof(got), 0);
    int *inner = clSVMAllocARM(context, CL_MEM_READ_WRITE, sizeof(got), 0);
    NEED(a && inner);
    void *list[] = {inner};
    OK(clEnqueueSVMMemFillARM(queue, a, &three, sizeof(three), sizeof(got), 0, NULL, &events[0]));
    OK(clEnqueueSVMMapARM(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, a, sizeof(got), 0, NULL, &events[1]));
    CHECK(a[0] == 3 && a[3] == 3);
    a[1] = 50;
    OK(clEnqueueSVMUnmapARM(queue, a, 0, NULL, &events[2]));
    cl_kernel kernel = kernel_named("twice");
    CODE(CL_INVALID_KERNEL, clSetKernelArgSVMPointerARM(NULL, 0, a));
    OK(clSetKernelArgSVMPointerARM(kernel, 0, a));
    OK(clSetKernelExecInfoARM(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS_ARM, sizeof(list), list));
    CODE(CL_INVALID_VALUE, clSetKernelExecInfoARM(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS_ARM, 3, list));
    run(kernel, 4);
    OK(clEnqueueSVMMemcpyARM(queue, CL_TRUE, got, a, sizeof(got), 0, NULL, &events[3]));
    CHECK(got[0] == 6 && got[1] == 100 && got[3] == 6);
    OK(clEnqueueSVMFreeARM(queue, 1, list, NULL, NULL, 0, NULL, &events[4]));
    for (int i = 0; i < 5; i++) {
        cl_command_type type = 0;
        OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
        CHECK(type == types[i]);
        OK(clReleaseEvent(events[i]));
    }
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
    clSVMFreeARM(context, a);
}

/* Where the device sees all of the host's memory. */
static void test_system(void)
{
    if (!(svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)) {
        printf("no fine-grained system memory\n");
        return;
    }
    int *plain = malloc(1000 * sizeof(int));
    cl_bool yes = CL_TRUE;
    for (int i = 0; i < 1000; i++)
        plain[i] = i;
    cl_kernel kernel = kernel_named("twice");
    OK(clSetKernelArgSVMPointer(kernel, 0, plain + 1));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes));
    run(kernel, 999);
    run(kernel, 999);
    OK(clFinish(queue));
    for (int i = 0; i < 1000; i++)
        CHECK(plain[i] == 4 * i);
    OK(clReleaseKernel(kernel));
    free(plain);
}

/* ---- unified shared memory ---- */

static clGetMemAllocInfoINTEL_fn get_info;

static void check_info(const void *pointer, cl_uint type, const void *base, size_t size, cl_device_id of)
{
    cl_uint got_type = 0;
    const void *got_base = &got_type;
    size_t got_size = 1;
    cl_device_id got_device = NULL;
    OK(get_info(context, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof(got_type), &got_type, NULL));
    OK(get_info(context, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof(got_base), &got_base, NULL));
    OK(get_info(context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof(got_size), &got_size, NULL));
    OK(get_info(context, pointer, CL_MEM_ALLOC_DEVICE_INTEL, sizeof(got_device), &got_device, NULL));
    CHECK(got_type == type && got_base == base && got_size == size && got_device == of);
}

#define FUNCTION(name) name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name)

static void test_usm(void)
{
    enum { COUNT = 1000, BYTES = COUNT * sizeof(int) };
    FUNCTION(clHostMemAllocINTEL);
    FUNCTION(clDeviceMemAllocINTEL);
    FUNCTION(clSharedMemAllocINTEL);
    FUNCTION(clMemFreeINTEL);
    FUNCTION(clMemBlockingFreeINTEL);
    FUNCTION(clSetKernelArgMemPointerINTEL);
    FUNCTION(clEnqueueMemFillINTEL);
    FUNCTION(clEnqueueMemcpyINTEL);
    FUNCTION(clEnqueueMigrateMemINTEL);
    FUNCTION(clEnqueueMemAdviseINTEL);
    get_info = (clGetMemAllocInfoINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetMemAllocInfoINTEL");
    NEED(get_info && clHostMemAllocINTEL && clDeviceMemAllocINTEL && clSharedMemAllocINTEL && clMemFreeINTEL);
    const cl_mem_properties_intel twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0};
    cl_int error;
    NO_OBJECT(CL_INVALID_CONTEXT, clDeviceMemAllocINTEL(NULL, device, NULL, 64, 0, &error));
    NO_OBJECT(CL_INVALID_DEVICE, clDeviceMemAllocINTEL(context, NULL, NULL, 64, 0, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, clDeviceMemAllocINTEL(context, device, NULL, 0, 0, &error));
    NO_OBJECT(CL_INVALID_VALUE, clDeviceMemAllocINTEL(context, device, NULL, 64, 7, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, clDeviceMemAllocINTEL(context, device, twice, 64, 0, &error));
    const cl_mem_properties_intel here[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0},
                                  there[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
    NO_OBJECT(CL_INVALID_PROPERTY, clDeviceMemAllocINTEL(context, device, here, 64, 0, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, clDeviceMemAllocINTEL(context, device, there, 64, 0, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, clHostMemAllocINTEL(context, here, 64, 0, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, clHostMemAllocINTEL(context, there, 64, 0, &error));

    int *on_device = clDeviceMemAllocINTEL(context, device, NULL, BYTES, 0, &error), got[COUNT], pattern = 5;
    OK(error);
    check_info(on_device + 3, CL_MEM_TYPE_DEVICE_INTEL, on_device, BYTES, device);
    check_info(got, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL);
    OK(clEnqueueMemFillINTEL(queue, on_device, &pattern, sizeof(pattern), BYTES, 0, NULL, NULL));
    cl_kernel kernel = kernel_named("twice");
    OK(clSetKernelArgMemPointerINTEL(kernel, 0, on_device + 500));
    run(kernel, 500);
    OK(clEnqueueMemcpyINTEL(queue, CL_TRUE, got, on_device, BYTES, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == (i < 500 ? 5 : 10));
    OK(clReleaseKernel(kernel));
    if (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) {
        int *on_host = clHostMemAllocINTEL(context, NULL, BYTES, 0, &error);
        OK(error);
        int *shared = clSharedMemAllocINTEL(context, device, here, BYTES, 0, &error);
        OK(error);
        cl_long *table = clSharedMemAllocINTEL(context, NULL, NULL, 3 * sizeof(cl_long), 0, &error);
        OK(error);
        check_info(on_host, CL_MEM_TYPE_HOST_INTEL, on_host, BYTES, NULL);
        check_info(shared, CL_MEM_TYPE_SHARED_INTEL, shared, BYTES, device);
        memset(on_host, 0, BYTES);
        memset(shared, 0, BYTES);
        table[0] = (cl_long)(intptr_t)on_host;
        table[1] = (cl_long)(intptr_t)shared;
        table[2] = (cl_long)(intptr_t)on_device;
        int count = 3;
        cl_bool yes = CL_TRUE;
        kernel = kernel_named("by_table");
        OK(clSetKernelArgMemPointerINTEL(kernel, 0, table));
        OK(clSetKernelArg(kernel, 1, sizeof(count), &count));
        OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof(yes), &yes));
        OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof(yes), &yes));
        OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof(yes), &yes));
        run(kernel, COUNT);
        run(kernel, COUNT);
        OK(clEnqueueMigrateMemINTEL(queue, shared, BYTES, 0, 0, NULL, NULL));
        OK(clEnqueueMemAdviseINTEL(queue, shared, BYTES, 0, 0, NULL, NULL));
        CODE(CL_INVALID_VALUE, clEnqueueMemAdviseINTEL(queue, shared, BYTES, 0x4208, 0, NULL, NULL));
        OK(clEnqueueMemcpyINTEL(queue, CL_TRUE, got, on_device, BYTES, 0, NULL, NULL));
        for (int i = 0; i < COUNT; i++)
            CHECK(on_host[i] == 0 && shared[i] == 2 && got[i] == (i < 500 ? 9 : 14));
        OK(clReleaseKernel(kernel));
        OK(clMemFreeINTEL(context, table));
        OK(clMemFreeINTEL(context, shared));
        OK(clMemBlockingFreeINTEL(context, on_host));
    }
    OK(clMemFreeINTEL(context, NULL));
    CODE(CL_INVALID_VALUE, clMemFreeINTEL(context, got));
    /* what is no allocation is refused at once, also where a command would keep it waiting for ever */
    cl_event held = user_event();
    OK(clEnqueueMarkerWithWaitList(queue, 1, &held, NULL));
    CODE(CL_INVALID_VALUE, clMemBlockingFreeINTEL(context, got));
    CODE(CL_INVALID_VALUE, clMemBlockingFreeINTEL(context, (char *)on_device + 16));
    OK(clMemBlockingFreeINTEL(context, NULL));
    OK(clSetUserEventStatus(held, CL_COMPLETE));
    OK(clReleaseEvent(held));
    OK(clMemBlockingFreeINTEL(context, on_device));
}

/* ---- buffers with an address ---- */

typedef cl_int(CL_API_CALL *set_device_pointer)(cl_kernel kernel, cl_uint index, cl_ulong address);

static void test_addresses(void)
{
    set_device_pointer set =
        (set_device_pointer)clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgDevicePointerEXT");
    NEED(set);
    const cl_mem_properties wanted[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
    const cl_mem_properties wrong[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 2, 0};
    cl_int error, values[256], sum = 0;
    cl_ulong address = 0;
    for (int i = 0; i < 256; i++)
        values[i] = i;
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, wrong, 0, 64, NULL, &error));
    cl_mem buffer = clCreateBufferWithProperties(context, wanted, CL_MEM_COPY_HOST_PTR, sizeof(values), values, &error);
    OK(error);
    cl_mem plain = buffer_of(0, 64, NULL);
    CODE(CL_INVALID_OPERATION, clGetMemObjectInfo(plain, CL_MEM_DEVICE_ADDRESS_EXT, sizeof(address), &address, NULL));
    OK(clGetMemObjectInfo(buffer, CL_MEM_DEVICE_ADDRESS_EXT, sizeof(address), &address, NULL));
    CHECK(address != 0);
    cl_kernel kernel = kernel_named("twice");
    CODE(CL_INVALID_ARG_INDEX, set(kernel, 1, address));
    OK(set(kernel, 0, address + 128 * sizeof(cl_int)));
    run(kernel, 128);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    for (int i = 0; i < 256; i++)
        sum += values[i] != (i < 128 ? i : 2 * i);
    CHECK(sum == 0);
    OK(clReleaseMemObject(plain));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}

/* What the device lists is what it can. */
static void check_lists(void)
{
    char *extensions = NULL;
    size_t size = 0;
    cl_device_svm_capabilities own = 0, arm = 0;
    cl_bitfield host = 0, shared = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    extensions = malloc(size);
    NEED(extensions);
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, extensions, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(own), &own, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES_ARM, sizeof(arm), &arm, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, sizeof(host), &host, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, sizeof(shared), &shared, NULL));
    CHECK(own == arm);
    CHECK(!strstr(extensions, "cl_arm_shared_virtual_memory") == !own);
    CHECK(!host == !(own & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) && !shared == !host);
    const char *lacks = getenv("PUMICE_DISABLE");
    if (lacks && !strcmp(lacks, "same_addresses"))
        CHECK(!own);
    else if (lacks && !strcmp(lacks, "shared_maps"))
        CHECK(!(own & ~(cl_device_svm_capabilities)CL_DEVICE_SVM_COARSE_GRAIN_BUFFER));
    void *coarse = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    CHECK(!coarse == !own);
    clSVMFree(context, coarse);
    free(extensions);
}

/* In a process of its own, with a cache: the answer of an earlier process. */
static void check_lists_apart(const char *directory, const char *lacks)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("PUMICE_CACHE", "1", 1);
        setenv("PUMICE_CACHE_DIR", directory, 1);
        if (lacks)
            setenv("PUMICE_DISABLE", lacks, 1);
        else
            unsetenv("PUMICE_DISABLE");
        open_device(0);
        check_lists();
        exit(close_device());
    }
    int status = 0;
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
}

static int kept_answers(const char *directory, bool remove)
{
    int count = 0;
    DIR *dir = opendir(directory);
    NEED(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        count += !strncmp(entry->d_name, "probe-sharing-", 14);
        if (remove && entry->d_name[0] != '.')
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
    return count;
}

/* What one process found is kept, but never for a device that lacks something else, nor where a trial failed. */
static void test_kept_lists(void)
{
    char directory[] = "/tmp/pumice-svm-XXXXXX";
    NEED(mkdtemp(directory));
    const char *const lacks[] = {"same_addresses", NULL, "shared_maps", "same_addresses", NULL, "shared_maps"};
    for (size_t i = 0; i < COUNT(lacks); i++) {
        check_lists_apart(directory, lacks[i]);
        CHECK(i > 0 || kept_answers(directory, false) == 0);
    }
    CHECK(kept_answers(directory, true) <= 2);
    rmdir(directory);
}

int main(void)
{
    test_kept_lists(); /* before this process has threads */
    open_device(0);
    check_lists();
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
    program = build(source, "-cl-std=CL3.0");
    if (svm) {
        test_refused();
        test_list();
        test_inner();
        test_by_value();
        test_transfers();
        test_maps();
        test_arm();
        test_system();
    } else {
        printf("no shared virtual memory\n");
        CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0));
        CODE(CL_INVALID_OPERATION, clEnqueueSVMMemcpy(queue, CL_TRUE, &svm, &svm, 0, 0, NULL, NULL));
    }
    test_usm();
    test_addresses();
    OK(clReleaseProgram(program));
    return close_device();
}
