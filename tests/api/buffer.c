/* OpenCL 3.0 API, 5.2.1 and 5.5: buffers, sub-buffers, their queries and callbacks. */
#include "api_test.h"

#include <unistd.h>

static void test_errors(void)
{
    char host[64];
    NO_OBJECT(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateBuffer(context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 64, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, host, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateBuffer(context, 1ull << 40, 64, NULL, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, NULL, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, SIZE_MAX, NULL, &error));
    NO_OBJECT(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, NULL, &error));
    NO_OBJECT(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_READ_WRITE, 64, host, &error));
    cl_mem_properties properties[] = {0x7777, 1, 0};
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, properties, 0, 64, NULL, &error));
}

static void test_info(void)
{
    cl_mem mem = buffer_of(0, 100, NULL);
    cl_mem_flags flags;
    size_t size;
    cl_uint count;
    cl_mem parent;
    OK(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    CHECK(flags == CL_MEM_READ_WRITE);
    OK(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof(size), &size, NULL));
    CHECK(size == 100);
    OK(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, NULL));
    CHECK(count == 1);
    OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
    CHECK(count == 0);
    OK(clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
    CHECK(parent == NULL);
    CODE(CL_INVALID_VALUE, clGetMemObjectInfo(mem, 0x7777, 0, NULL, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clGetImageInfo(mem, CL_IMAGE_WIDTH, sizeof(size), &size, NULL));
    OK(clReleaseMemObject(mem));
}

/* The contents given at creation, by every flag, come back. */
static void test_contents(void)
{
    static char host[4096] __attribute__((aligned(4096)));
    cl_mem_flags flags[] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR};
    for (size_t i = 0; i < COUNT(flags); i++) {
        for (int k = 0; k < 4096; k++)
            host[k] = (char)(k * 7 + (int)i);
        cl_mem mem = buffer_of(flags[i], sizeof(host), host);
        char back[4096] = {0};
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
        CHECK(memcmp(back, host, sizeof(back)) == 0);
        void *pointer = NULL;
        OK(clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL));
        CHECK(pointer == (flags[i] & CL_MEM_USE_HOST_PTR ? host : NULL));
        OK(clReleaseMemObject(mem));
    }
    /* unaligned host memory cannot be imported, and works all the same */
    cl_mem mem = buffer_of(CL_MEM_USE_HOST_PTR, 1000, host + 1);
    char back[1000];
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    CHECK(memcmp(back, host + 1, sizeof(back)) == 0);
    OK(clReleaseMemObject(mem));
}

static void test_sub_buffers(void)
{
    cl_uint align;
    OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align), &align, NULL));
    align /= 8;
    cl_mem mem = buffer_of(CL_MEM_READ_ONLY, align * 4, NULL);
    cl_buffer_region inside = {align, align}, beyond = {align * 4, 1}, empty = {0, 0}, odd = {1, 4};
    NO_OBJECT(CL_INVALID_VALUE, clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSubBuffer(mem, 0, 0x7777, &inside, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, &error));
    NO_OBJECT(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &error));
    NO_OBJECT(CL_MISALIGNED_SUB_BUFFER_OFFSET, clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &error));
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateSubBuffer(mem, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &inside, &error));
    NO_OBJECT(CL_INVALID_VALUE,
              clCreateSubBuffer(mem, CL_MEM_ALLOC_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &inside, &error));
    cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &inside, NULL);
    NEED(sub);
    NO_OBJECT(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &inside, &error));
    size_t offset;
    cl_mem parent;
    cl_mem_flags flags;
    OK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
    OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
    OK(clGetMemObjectInfo(sub, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    CHECK(offset == align && parent == mem && flags == CL_MEM_READ_ONLY);

    uint32_t value = 0x12345678, back = 0;
    OK(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 4, 4, &value, 0, NULL, NULL));
    OK(clReleaseMemObject(sub));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, align + 4, 4, &back, 0, NULL, NULL));
    CHECK(back == value);
    OK(clReleaseMemObject(mem));
}

static atomic_int gone[4], num_gone;

static void CL_CALLBACK mem_gone(cl_mem mem, void *data)
{
    (void)mem;
    int at = num_gone++;
    gone[at] = (int)(intptr_t)data;
}

/* 5.5.1: in reverse order, and only after the commands that use the object. */
static void test_destructor(void)
{
    cl_mem mem = buffer_of(0, 4096, NULL);
    cl_event block = user_event();
    CODE(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(mem, NULL, NULL));
    for (intptr_t i = 1; i <= 3; i++)
        OK(clSetMemObjectDestructorCallback(mem, mem_gone, (void *)i));
    static char back[4096];
    OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof(back), back, 1, &block, NULL));
    OK(clReleaseMemObject(mem));
    usleep(20000);
    CHECK(num_gone == 0);
    OK(clSetUserEventStatus(block, CL_COMPLETE));
    OK(clReleaseEvent(block));
    OK(clFinish(queue));
    for (int i = 0; i < 500 && num_gone < 3; i++)
        usleep(10000);
    CHECK(num_gone == 3 && gone[0] == 3 && gone[1] == 2 && gone[2] == 1);
}

/* The same where the queue was released before anything else: its commands still use the object. */
static void test_late_destructor(void)
{
    cl_int error;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    cl_mem mem = buffer_of(0, 4096, NULL), other = buffer_of(0, 4096, NULL);
    cl_event block = user_event();
    num_gone = 0;
    OK(clEnqueueCopyBuffer(own, mem, other, 0, 0, 4096, 1, &block, NULL));
    OK(clReleaseCommandQueue(own));
    OK(clSetMemObjectDestructorCallback(mem, mem_gone, NULL));
    OK(clReleaseMemObject(mem));
    usleep(20000);
    CHECK(num_gone == 0);
    OK(clSetUserEventStatus(block, CL_COMPLETE));
    OK(clReleaseEvent(block));
    for (int i = 0; i < 500 && !num_gone; i++)
        usleep(10000);
    CHECK(num_gone == 1);
    OK(clReleaseMemObject(other));
}

/* On a processor all memory is the host's. Buffers that nobody uses take nothing of it, but each of them is to have what
 * it was created with, so no more are created than there is memory for. */
static void test_all_promised(void)
{
    cl_ulong whole, largest;
    cl_device_type type;
    cl_int error = CL_SUCCESS;
    OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(whole), &whole, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(largest), &largest, NULL));
    size_t count = 0, most = (size_t)(2 * whole / largest + 2);
    cl_mem *buffers = calloc(most, sizeof(*buffers));
    NEED(buffers);
    if (type & CL_DEVICE_TYPE_CPU) {
        while (count < most && (buffers[count] = clCreateBuffer(context, 0, (size_t)largest, NULL, &error)))
            count++;
        CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
        NO_OBJECT(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                  clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, (size_t)largest, NULL, &error));
    }
    while (count)
        OK(clReleaseMemObject(buffers[--count]));
    cl_mem last = clCreateBuffer(context, 0, (size_t)largest / 64, NULL, &error);
    OK(error);
    OK(clReleaseMemObject(last));
    free(buffers);
}

int main(void)
{
    open_device(0);
    test_errors();
    test_info();
    test_contents();
    test_sub_buffers();
    test_destructor();
    test_late_destructor();
    test_all_promised();
    return close_device();
}
