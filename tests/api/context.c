/* OpenCL 3.0 API, 4.4 and 5.1: contexts and command queues. */
#include "api_test.h"

static void CL_CALLBACK notified(const char *text, const void *data, size_t size, void *count)
{
    (void)data;
    (void)size;
    CHECK(text && text[0]);
    ++*(int *)count;
}

static int order[3], num_order;

static void CL_CALLBACK context_gone(cl_context gone, void *data)
{
    (void)gone;
    order[num_order++] = *(int *)data;
}

static void test_creation(void)
{
    cl_context_properties ours[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, CL_CONTEXT_PLATFORM,
                                     (cl_context_properties)platform, 0};
    cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0x7777, 1, 0};
    NO_OBJECT(CL_INVALID_VALUE, clCreateContext(ours, 0, &device, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateContext(ours, 1, &device, NULL, &order, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &device, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &device, NULL, NULL, &error));
    NO_OBJECT(CL_DEVICE_NOT_FOUND, clCreateContextFromType(ours, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &error));

    cl_int error;
    cl_context made = clCreateContextFromType(ours, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, &error);
    OK(error);
    cl_context_properties back[4];
    size_t size;
    OK(clGetContextInfo(made, CL_CONTEXT_PROPERTIES, sizeof(back), back, &size));
    CHECK(size == sizeof(ours) && memcmp(back, ours, size) == 0);
    cl_uint count;
    OK(clGetContextInfo(made, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL));
    CHECK(count == 1);
    OK(clRetainContext(made));
    OK(clGetContextInfo(made, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL));
    CHECK(count == 2);
    OK(clReleaseContext(made));
    OK(clReleaseContext(made));

    cl_device_id same[] = {device, device};
    made = clCreateContext(NULL, 2, same, NULL, NULL, &error);
    OK(error);
    OK(clGetContextInfo(made, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL));
    CHECK(count == 1);
    OK(clReleaseContext(made));
}

static void test_callbacks(void)
{
    cl_int error;
    int told = 0, first = 1, second = 2;
    cl_context made = clCreateContext(NULL, 1, &device, notified, &told, &error);
    OK(error);
    CHECK(clCreateBuffer(made, CL_MEM_READ_WRITE, 0, NULL, &error) == NULL);
    CODE(CL_INVALID_BUFFER_SIZE, error);
    CHECK(told == 1);
    CODE(CL_INVALID_VALUE, clSetContextDestructorCallback(made, NULL, NULL));
    OK(clSetContextDestructorCallback(made, context_gone, &first));
    OK(clSetContextDestructorCallback(made, context_gone, &second));
    OK(clReleaseContext(made));
    CHECK(num_order == 2 && order[0] == 2 && order[1] == 1);
}

static void test_queues(void)
{
    cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_queue_properties unknown[] = {0x7777, 0, 0}, bad_flags[] = {CL_QUEUE_PROPERTIES, 1u << 20, 0};
    NO_OBJECT(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, unknown, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, bad_flags, &error));
    cl_int error;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, profiling, &error);
    OK(error);
    cl_queue_properties back[4];
    size_t size;
    OK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof(back), back, &size));
    CHECK(size == sizeof(profiling) && memcmp(back, profiling, size) == 0);
    cl_command_queue_properties flags;
    OK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES, sizeof(flags), &flags, NULL));
    CHECK(flags == CL_QUEUE_PROFILING_ENABLE);
    cl_device_id its;
    OK(clGetCommandQueueInfo(made, CL_QUEUE_DEVICE, sizeof(its), &its, NULL));
    CHECK(its == device);
    CODE(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(made, CL_QUEUE_SIZE, sizeof(its), &its, NULL));
    OK(clFlush(made));
    OK(clFinish(made));
    OK(clReleaseCommandQueue(made));
    OK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    CHECK(size == 0);
}

/* What the devices lack has an entry all the same, and an answer. */
static void test_absent(void)
{
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_bool images;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    if (!images) {
        NO_OBJECT(CL_INVALID_OPERATION, clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error));
        NO_OBJECT(CL_INVALID_OPERATION,
                  clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
        cl_uint count = 5;
        OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
        CHECK(count == 0);
    }
    cl_device_svm_capabilities svm;
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
    if (!svm) {
        CHECK(clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0) == NULL);
        CODE(CL_INVALID_OPERATION, clEnqueueSVMUnmap(queue, &svm, 0, NULL, NULL));
        clSVMFree(context, NULL);
    }
}

int main(void)
{
    open_device(0);
    test_creation();
    test_callbacks();
    test_queues();
    test_absent();
    return close_device();
}
