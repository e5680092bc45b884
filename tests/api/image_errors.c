/* OpenCL 3.0 API, 5.3.3 to 5.3.6: what every command on images says to every wrong argument, on every type of image: a
 * table of wrongs, each tried with each call. */
#include "image_test.h"

enum { W = 6, H = 5, D = 4, BYTES = W * H * D * 4 };

static cl_context other_context;
static cl_command_queue other_queue;
static uint8_t host[BYTES];

/* Arguments as a call gets them; each wrong changes them. */
struct arguments {
    cl_command_queue queue;
    cl_mem image, good, buffer; /* good: the other image of a copy */
    size_t origin[3], region[3];
    const size_t *origin_pointer, *region_pointer;
    cl_uint num_waits;
    const cl_event *waits;
};

#define WAITS a->num_waits, a->waits, NULL

static const size_t zero[3] = {0, 0, 0};

static cl_int do_read(struct arguments *a)
{
    return clEnqueueReadImage(a->queue, a->image, CL_TRUE, a->origin_pointer, a->region_pointer, 0, 0, host, WAITS);
}

static cl_int do_write(struct arguments *a)
{
    return clEnqueueWriteImage(a->queue, a->image, CL_TRUE, a->origin_pointer, a->region_pointer, 0, 0, host, WAITS);
}

static cl_int do_fill(struct arguments *a)
{
    static const cl_uint colour[4] = {1, 2, 3, 4};
    return clEnqueueFillImage(a->queue, a->image, colour, a->origin_pointer, a->region_pointer, WAITS);
}

static cl_int do_copy_from(struct arguments *a)
{
    return clEnqueueCopyImage(a->queue, a->image, a->good, a->origin_pointer, zero, a->region_pointer, WAITS);
}

static cl_int do_copy_to(struct arguments *a)
{
    return clEnqueueCopyImage(a->queue, a->good, a->image, zero, a->origin_pointer, a->region_pointer, WAITS);
}

static cl_int do_to_buffer(struct arguments *a)
{
    return clEnqueueCopyImageToBuffer(a->queue, a->image, a->buffer, a->origin_pointer, a->region_pointer, 0, WAITS);
}

static cl_int do_from_buffer(struct arguments *a)
{
    return clEnqueueCopyBufferToImage(a->queue, a->buffer, a->image, 0, a->origin_pointer, a->region_pointer, WAITS);
}

static cl_int do_map(struct arguments *a)
{
    size_t row, slice;
    cl_int error = 12345;
    void *pointer = clEnqueueMapImage(a->queue, a->image, CL_TRUE, CL_MAP_READ, a->origin_pointer, a->region_pointer,
                                      &row, &slice, a->num_waits, a->waits, NULL, &error);
    CHECK(!pointer == (error != CL_SUCCESS));
    if (pointer)
        OK(clEnqueueUnmapMemObject(queue, a->image, pointer, 0, NULL, NULL));
    return error;
}

static const struct {
    const char *name;
    cl_int (*run)(struct arguments *a);
    bool uses_buffer;
} calls[] = {
    {"clEnqueueReadImage", do_read, false},
    {"clEnqueueWriteImage", do_write, false},
    {"clEnqueueFillImage", do_fill, false},
    {"clEnqueueCopyImage, source", do_copy_from, false},
    {"clEnqueueCopyImage, destination", do_copy_to, false},
    {"clEnqueueCopyImageToBuffer", do_to_buffer, true},
    {"clEnqueueCopyBufferToImage", do_from_buffer, true},
    {"clEnqueueMapImage", do_map, false},
};

/* ---- wrongs ---- */

static cl_event foreign_event, failed_event;
static cl_mem plain_buffer, foreign_image, foreign_buffer, small_buffer;

static void no_queue(struct arguments *a, int axis)
{
    (void)axis;
    a->queue = NULL;
}

static void context_for_queue(struct arguments *a, int axis)
{
    (void)axis;
    a->queue = (cl_command_queue)context;
}

static void foreign_queue(struct arguments *a, int axis)
{
    (void)axis;
    a->queue = other_queue;
}

static void no_image(struct arguments *a, int axis)
{
    (void)axis;
    a->image = NULL;
}

static void buffer_for_image(struct arguments *a, int axis)
{
    (void)axis;
    a->image = plain_buffer;
}

static void queue_for_image(struct arguments *a, int axis)
{
    (void)axis;
    a->image = (cl_mem)queue;
}

static void image_of_another_context(struct arguments *a, int axis)
{
    (void)axis;
    a->image = foreign_image;
}

static void no_origin(struct arguments *a, int axis)
{
    (void)axis;
    a->origin_pointer = NULL;
}

static void no_region(struct arguments *a, int axis)
{
    (void)axis;
    a->region_pointer = NULL;
}

static void empty_region(struct arguments *a, int axis)
{
    a->region[axis] = 0;
}

static void long_region(struct arguments *a, int axis)
{
    a->region[axis]++;
}

static void shifted_region(struct arguments *a, int axis)
{
    a->origin[axis]++;
}

static void wrapping_region(struct arguments *a, int axis)
{
    a->origin[axis] = 1;
    a->region[axis] = SIZE_MAX;
}

static void origin_far_away(struct arguments *a, int axis)
{
    a->origin[axis] = (size_t)1 << 32;
}

static void waits_without_list(struct arguments *a, int axis)
{
    (void)axis;
    a->num_waits = 1;
}

static void list_without_waits(struct arguments *a, int axis)
{
    (void)axis;
    a->waits = &foreign_event;
}

static void foreign_wait(struct arguments *a, int axis)
{
    (void)axis;
    a->num_waits = 1;
    a->waits = &foreign_event;
}

static void no_event(struct arguments *a, int axis)
{
    static const cl_event none;
    (void)axis;
    a->num_waits = 1;
    a->waits = &none;
}

static void image_for_event(struct arguments *a, int axis)
{
    (void)axis;
    a->num_waits = 1;
    a->waits = (const cl_event *)&foreign_image;
}

static void image_for_buffer(struct arguments *a, int axis)
{
    (void)axis;
    a->buffer = a->good;
}

static void no_buffer(struct arguments *a, int axis)
{
    (void)axis;
    a->buffer = NULL;
}

static void buffer_of_another_context(struct arguments *a, int axis)
{
    (void)axis;
    a->buffer = foreign_buffer;
}

static void buffer_too_small(struct arguments *a, int axis)
{
    (void)axis;
    a->buffer = small_buffer;
}

static const struct {
    const char *name;
    void (*make)(struct arguments *a, int axis);
    cl_int expected;
    bool each_axis, of_buffer;
} wrongs[] = {
    {"no queue", no_queue, CL_INVALID_COMMAND_QUEUE, false, false},
    {"a context for a queue", context_for_queue, CL_INVALID_COMMAND_QUEUE, false, false},
    {"a queue of another context", foreign_queue, CL_INVALID_CONTEXT, false, false},
    {"no image", no_image, CL_INVALID_MEM_OBJECT, false, false},
    {"a buffer for an image", buffer_for_image, CL_INVALID_MEM_OBJECT, false, false},
    {"a queue for an image", queue_for_image, CL_INVALID_MEM_OBJECT, false, false},
    {"an image of another context", image_of_another_context, CL_INVALID_CONTEXT, false, false},
    {"no origin", no_origin, CL_INVALID_VALUE, false, false},
    {"no region", no_region, CL_INVALID_VALUE, false, false},
    {"an empty region", empty_region, CL_INVALID_VALUE, true, false},
    {"a region that is too long", long_region, CL_INVALID_VALUE, true, false},
    {"a region that reaches out", shifted_region, CL_INVALID_VALUE, true, false},
    {"a region that wraps", wrapping_region, CL_INVALID_VALUE, true, false},
    {"an origin far away", origin_far_away, CL_INVALID_VALUE, true, false},
    {"waits without a list", waits_without_list, CL_INVALID_EVENT_WAIT_LIST, false, false},
    {"a list without waits", list_without_waits, CL_INVALID_EVENT_WAIT_LIST, false, false},
    {"an event of another context", foreign_wait, CL_INVALID_CONTEXT, false, false},
    {"no event in the list", no_event, CL_INVALID_EVENT_WAIT_LIST, false, false},
    {"an image for an event", image_for_event, CL_INVALID_EVENT_WAIT_LIST, false, false},
    {"an image for a buffer", image_for_buffer, CL_INVALID_MEM_OBJECT, false, true},
    {"no buffer", no_buffer, CL_INVALID_MEM_OBJECT, false, true},
    {"a buffer of another context", buffer_of_another_context, CL_INVALID_CONTEXT, false, true},
    {"a buffer that is too small", buffer_too_small, CL_INVALID_VALUE, false, true},
};

/* ---- the product ---- */

static void arguments_for(struct arguments *a, cl_mem image, cl_mem good, cl_mem buffer, const size_t size[3])
{
    *a = (struct arguments){.queue = queue, .image = image, .good = good, .buffer = buffer};
    memcpy(a->region, size, sizeof(a->region));
    a->origin_pointer = a->origin;
    a->region_pointer = a->region;
}

static void test_type(cl_mem_object_type type, const size_t size[3])
{
    cl_mem under[2] = {buffer_of(0, BYTES, NULL), buffer_of(0, BYTES, NULL)}, buffer = buffer_of(0, BYTES, NULL);
    cl_image_desc desc = desc_of(type, W, H, D);
    cl_mem images[2];
    struct arguments a;
    for (int i = 0; i < 2; i++) {
        if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
            desc.mem_object = under[i];
        images[i] = image_of(0, &ints, &desc, NULL);
    }
    for (size_t c = 0; c < COUNT(calls); c++) {
        arguments_for(&a, images[0], images[1], buffer, size);
        cl_int error = calls[c].run(&a); /* nothing is wrong */
        if (error != CL_SUCCESS) {
            printf("type 0x%x, %s: %d\n", type, calls[c].name, error);
            test_failures++;
        }
        for (size_t w = 0; w < COUNT(wrongs); w++) {
            for (int axis = 0; axis < (wrongs[w].each_axis ? 3 : 1); axis++) {
                if (wrongs[w].of_buffer && !calls[c].uses_buffer)
                    continue;
                arguments_for(&a, images[0], images[1], buffer, size);
                wrongs[w].make(&a, axis);
                error = calls[c].run(&a);
                if (error != wrongs[w].expected) {
                    printf("type 0x%x, %s, %s (axis %d): %d instead of %d\n", type, calls[c].name, wrongs[w].name, axis,
                           error, wrongs[w].expected);
                    test_failures++;
                }
            }
        }
    }
    OK(clFinish(queue));
    cl_mem all[] = {images[0], images[1], under[0], under[1], buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
}

/* A blocking command behind one that failed. */
static void test_failed_wait(void)
{
    const size_t region[3] = {W, H, 1};
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    cl_mem image = image_of(0, &ints, &desc, NULL);
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
         clEnqueueReadImage(queue, image, CL_TRUE, zero, region, 0, 0, host, 1, &failed_event, NULL));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
         clEnqueueWriteImage(queue, image, CL_TRUE, zero, region, 0, 0, host, 1, &failed_event, NULL));
    OK(clReleaseMemObject(image));
}

static void open_other(void)
{
    cl_int error;
    cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, W, H, 0);
    other_context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    other_queue = clCreateCommandQueue(other_context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    foreign_image = clCreateImage(other_context, 0, &ints, &desc, NULL, &error);
    NEED(error == CL_SUCCESS);
    foreign_buffer = clCreateBuffer(other_context, 0, BYTES, NULL, &error);
    NEED(error == CL_SUCCESS);
    foreign_event = clCreateUserEvent(other_context, &error);
    NEED(error == CL_SUCCESS);
    OK(clSetUserEventStatus(foreign_event, CL_COMPLETE));
    failed_event = clCreateUserEvent(context, &error);
    NEED(error == CL_SUCCESS);
    OK(clSetUserEventStatus(failed_event, -5));
    plain_buffer = buffer_of(0, BYTES, NULL);
    small_buffer = buffer_of(0, 4, NULL);
}

static void close_other(void)
{
    cl_mem all[] = {foreign_image, foreign_buffer, plain_buffer, small_buffer};
    for (size_t i = 0; i < COUNT(all); i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseEvent(foreign_event));
    OK(clReleaseEvent(failed_event));
    OK(clReleaseCommandQueue(other_queue));
    OK(clReleaseContext(other_context));
}

int main(void)
{
    open_images(0);
    open_other();
    test_type(CL_MEM_OBJECT_IMAGE1D, (const size_t[3]){W, 1, 1});
    test_type(CL_MEM_OBJECT_IMAGE1D_BUFFER, (const size_t[3]){W, 1, 1});
    test_type(CL_MEM_OBJECT_IMAGE1D_ARRAY, (const size_t[3]){W, H, 1});
    test_type(CL_MEM_OBJECT_IMAGE2D, (const size_t[3]){W, H, 1});
    test_type(CL_MEM_OBJECT_IMAGE2D_ARRAY, (const size_t[3]){W, H, D});
    test_type(CL_MEM_OBJECT_IMAGE3D, (const size_t[3]){W, H, D});
    test_failed_wait();
    close_other();
    return close_device();
}
