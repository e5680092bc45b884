/* What vendors' extensions add to memory objects: cl_ext_migrate_memobject, cl_intel_create_buffer_with_properties,
 * cl_intel_mem_force_host_memory, and cl_arm_import_memory for memory of the host. */
#include "api_test.h"

#include <CL/cl_ext.h>

#include <unistd.h>

enum { WORDS = 4096, BYTES = WORDS * 4 };

static const char *source =
    "kernel void step(global uint *data, uint k) { data[get_global_id(0)] = data[get_global_id(0)] * 3 + k; }\n";

static cl_program program;

static bool has(const char *name)
{
    const struct test_device opened = {platform, device, context, queue};
    return test_has_extension(&opened, name);
}

static void *function(const char *name)
{
    void *address = clGetExtensionFunctionAddressForPlatform(platform, name);
    NEED(address);
    return address;
}

static void run_step(cl_mem mem, cl_uint k)
{
    cl_int error;
    const size_t count = WORDS;
    cl_kernel kernel = clCreateKernel(program, "step", &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    clReleaseKernel(kernel);
}

static void test_migrate(void)
{
    cl_int (*migrate)(cl_command_queue, cl_uint, const cl_mem *, cl_bitfield, cl_uint, const cl_event *, cl_event *) =
        (cl_int(*)(cl_command_queue, cl_uint, const cl_mem *, cl_bitfield, cl_uint, const cl_event *,
                   cl_event *))function("clEnqueueMigrateMemObjectEXT");
    cl_mem mem = buffer_of(0, BYTES, NULL), none = NULL;
    cl_event done;
    cl_command_type type = 0;
    OK(migrate(queue, 1, &mem, CL_MIGRATE_MEM_OBJECT_HOST_EXT, 0, NULL, NULL));
    OK(migrate(queue, 1, &mem, 0, 0, NULL, &done));
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_MIGRATE_MEM_OBJECT_EXT);
    OK(clWaitForEvents(1, &done));
    CODE(CL_INVALID_VALUE, migrate(queue, 1, &mem, 2, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, migrate(queue, 0, &mem, 0, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, migrate(queue, 1, &none, 0, 0, NULL, NULL));
    CODE(CL_INVALID_COMMAND_QUEUE, migrate(NULL, 1, &mem, 0, 0, NULL, NULL));
    CODE(CL_INVALID_EVENT_WAIT_LIST, migrate(queue, 1, &mem, 0, 1, NULL, NULL));
    clReleaseEvent(done);
    clReleaseMemObject(mem);
}

static void test_intel(void)
{
    cl_mem (*create)(cl_context, const cl_ulong *, cl_mem_flags, size_t, void *, cl_int *) =
        (cl_mem(*)(cl_context, const cl_ulong *, cl_mem_flags, size_t, void *, cl_int *))function(
            "clCreateBufferWithPropertiesINTEL");
    static uint32_t words[WORDS + 64] __attribute__((aligned(4096)));
    const cl_ulong unknown[] = {12345, 0, 0};
    cl_uint line = 0;
    cl_mem_flags flags = 0;
    NO_OBJECT(CL_INVALID_PROPERTY, create(context, unknown, 0, BYTES, NULL, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, create(context, NULL, 0, 0, NULL, &error));
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    cl_int error;
    cl_mem mem = create(context, NULL, CL_MEM_FORCE_HOST_MEMORY_INTEL | CL_MEM_COPY_HOST_PTR, BYTES, words, &error);
    NEED(error == CL_SUCCESS);
    OK(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    CHECK(flags == (CL_MEM_READ_WRITE | CL_MEM_FORCE_HOST_MEMORY_INTEL | CL_MEM_COPY_HOST_PTR));
    run_step(mem, 5);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, BYTES, words, 0, NULL, NULL));
    int wrong = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        wrong += words[i] != i * 3 + 5;
    CHECK(wrong == 0);
    const cl_buffer_region region = {0, 1024};
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateSubBuffer(mem, CL_MEM_FORCE_HOST_MEMORY_INTEL, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    clReleaseMemObject(mem);
    OK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof(line), &line, NULL));
    if (line < 8)
        return;
    const cl_mem_flags both = CL_MEM_FORCE_HOST_MEMORY_INTEL | CL_MEM_USE_HOST_PTR;
    NO_OBJECT(CL_INVALID_HOST_PTR, clCreateBuffer(context, both, line, words + 1, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, both, line + 4, words, &error));
    mem = buffer_of(both, BYTES / line * line, words);
    clReleaseMemObject(mem);
}

/* The pages themselves: what the kernel writes is there without a map, at any 16 bytes. */
static void test_import(void)
{
    cl_mem (*import)(cl_context, cl_mem_flags, const intptr_t *, void *, size_t, cl_int *) =
        (cl_mem(*)(cl_context, cl_mem_flags, const intptr_t *, void *, size_t, cl_int *))function("clImportMemoryARM");
    const intptr_t host[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0},
                   dma_buf[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0}, unknown[] = {12345, 1, 0},
                   consistent_host[] = {CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, CL_TRUE, 0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = aligned_alloc(page, 16 * page);
    NEED(pages);
    NO_OBJECT(CL_INVALID_CONTEXT, import(NULL, 0, NULL, pages, BYTES, &error));
    NO_OBJECT(CL_INVALID_VALUE, import(context, CL_MEM_USE_HOST_PTR, NULL, pages, BYTES, &error));
    NO_OBJECT(CL_INVALID_VALUE, import(context, 0, NULL, NULL, BYTES, &error));
    const int no_file = 987654;
    memcpy(pages, &no_file, sizeof(no_file));
    NO_OBJECT(has("cl_arm_import_memory_dma_buf") ? CL_INVALID_VALUE : CL_INVALID_OPERATION,
              import(context, 0, dma_buf, pages, BYTES, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, import(context, 0, consistent_host, pages, BYTES, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, import(context, 0, unknown, pages, BYTES, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, import(context, 0, host, pages, 0, &error));
    for (size_t offset = 0; offset <= 4096 + 16; offset = offset * 16 + 16) {
        cl_int error;
        uint32_t *words = (uint32_t *)(pages + offset);
        for (uint32_t i = 0; i < WORDS; i++)
            words[i] = i;
        cl_mem mem = import(context, CL_MEM_READ_WRITE, offset ? host : NULL, words, BYTES, &error);
        NEED(error == CL_SUCCESS);
        run_step(mem, 9);
        int wrong = 0;
        for (uint32_t i = 0; i < WORDS; i++) {
            wrong += words[i] != i * 3 + 9;
            words[i] = 4;
        }
        run_step(mem, 1);
        for (uint32_t i = 0; i < WORDS; i++)
            wrong += words[i] != 13;
        CHECK(wrong == 0);
        clReleaseMemObject(mem);
    }
    free(pages);
}

int main(void)
{
    open_device(0);
    program = build(source, "");
    CHECK(has("cl_ext_migrate_memobject") && has("cl_intel_create_buffer_with_properties"));
    CHECK(has("cl_intel_mem_force_host_memory"));
    test_migrate();
    test_intel();
    if (has("cl_arm_import_memory_host"))
        test_import();
    clReleaseProgram(program);
    return close_device();
}
