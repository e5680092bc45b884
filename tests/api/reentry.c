/* The application's callbacks may call OpenCL, also on the objects that the call is about which they come from. So no
 * lock of ours is held while one runs. Every callback here checks that (tests/support/held_locks.c counts our locks),
 * and then calls back in; what still hangs is ended by an alarm. */
#include "api_test.h"
#include "command_buffers.h"
#include "held_locks.h"

#include <pthread.h>
#include <unistd.h>

enum { ITEMS = 64, LIMIT = 60 };

static const char source[] = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
                             "kernel void tell(global int *a) { if (!get_global_id(0)) printf(\"%d\", a[0]); }\n";

static struct buffer_functions f;
static buffer_handle buffer;
static cl_mem mem;
static cl_program program;
static cl_kernel kernel;
static atomic_uint num_reports, num_destroyed, num_others;
static bool watched;
static _Thread_local bool inside; /* a callback: what it causes itself is not followed any further */

/* Calls on everything that there is. Whatever lock the caller had would be asked for again. */
static void call_back_in(void)
{
    cl_uint number;
    size_t size;
    cl_build_status status;
    CHECK(held_locks() == 0);
    if (inside)
        return;
    inside = true;
    if (buffer) {
        OK(f.info(buffer, BUFFER_INFO_STATE, sizeof(number), &number, NULL));
        cl_int recorded = f.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL);
        CHECK(recorded == CL_SUCCESS || recorded == CL_INVALID_OPERATION);
        CHECK(f.update(buffer, 1, NULL, NULL) != CL_SUCCESS);
    }
    OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(number), &number, NULL));
    OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(number), &number, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(size), &size, NULL));
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    cl_mem another = buffer_of(0, 256, NULL);
    OK(clEnqueueCopyBuffer(queue, mem, another, 0, 0, 16, 0, NULL, NULL));
    OK(clReleaseMemObject(another));
    inside = false;
}

static void CL_CALLBACK on_report(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size;
    CHECK(text && *text && data == &num_reports);
    if (!inside)
        num_reports++;
    call_back_in();
}

static void CL_CALLBACK on_destroyed(cl_mem gone, void *data)
{
    (void)gone, (void)data;
    num_destroyed++;
    call_back_in();
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    call_back_in();
    num_others++;
}

static void CL_CALLBACK on_program(cl_program built, void *data)
{
    (void)built, (void)data;
    call_back_in();
    num_others++;
}

static void CL_CALLBACK on_context(cl_context gone, void *data)
{
    (void)gone, (void)data;
    CHECK(held_locks() == 0);
    num_others++;
}

static void CL_CALLBACK on_printf(const char *text, size_t length, size_t complete, void *data)
{
    (void)text, (void)length, (void)complete, (void)data;
    call_back_in();
    num_others++;
}

static void open_all(void)
{
    const cl_context_properties properties[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)on_printf, 0};
    cl_int error;
    find_device();
    watched = held_locks_watch();
    context = clCreateContext(properties, 1, &device, on_report, &num_reports, &error);
    NEED(error == CL_SUCCESS);
    OK(clSetContextDestructorCallback(context, on_context, NULL));
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    NEED(error == CL_SUCCESS && find_buffer_functions(platform, &f));
    program = build(source, "");
    mem = buffer_of(0, ITEMS * sizeof(cl_int), NULL);
    kernel = clCreateKernel(program, "add", &error);
    NEED(error == CL_SUCCESS);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clSetKernelArg(kernel, 1, sizeof(cl_int), &(cl_int){1}));
}

/* A wrong call: it answers the code, and tells so once. */
#define WRONG(code, ...)                                                                                               \
    do {                                                                                                               \
        unsigned before = num_reports;                                                                                 \
        CODE(code, __VA_ARGS__);                                                                                       \
        CHECK(num_reports > before);                                                                                   \
    } while (0)

static buffer_handle make_buffer(cl_ulong flags)
{
    cl_int error;
    buffer_handle made = f.create(1, &queue, (const cl_ulong[]){BUFFER_FLAGS, flags, 0}, &error);
    NEED(error == CL_SUCCESS);
    return made;
}

/* ---- command buffers ---- */

static void test_recording(void)
{
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, items = ITEMS, too_many[3] = {SIZE_MAX, SIZE_MAX, 1};
    const cl_ulong unknown[] = {0x1234, 1, 0};
    const cl_int pattern[4] = {0};
    cl_uint point = 1000;
    command_handle command;
    buffer = make_buffer(0);
    WRONG(CL_INVALID_VALUE, f.barrier(buffer, NULL, unknown, 0, NULL, NULL, NULL));
    WRONG(CL_INVALID_VALUE, f.barrier(buffer, NULL, NULL, 0, NULL, NULL, &command));
    WRONG(BUFFER_INVALID_SYNC_POINTS, f.barrier(buffer, NULL, NULL, 1, &point, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, f.copy(buffer, NULL, NULL, NULL, mem, 0, 0, 4, 0, NULL, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT,
          f.copy_rect(buffer, NULL, NULL, mem, NULL, zero, zero, one, 0, 0, 0, 0, 0, NULL, NULL, NULL));
    WRONG(CL_INVALID_VALUE, f.fill(buffer, NULL, NULL, mem, pattern, 3, 0, 12, 0, NULL, NULL, NULL));
    cl_bool images = CL_FALSE;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
    const cl_int no_image = images ? CL_INVALID_MEM_OBJECT : CL_INVALID_OPERATION;
    WRONG(no_image, f.copy_image(buffer, NULL, NULL, mem, mem, zero, zero, one, 0, NULL, NULL, NULL));
    WRONG(no_image, f.image_to_buffer(buffer, NULL, NULL, mem, mem, zero, one, 0, 0, NULL, NULL, NULL));
    WRONG(no_image, f.buffer_to_image(buffer, NULL, NULL, mem, mem, 0, zero, one, 0, NULL, NULL, NULL));
    WRONG(no_image, f.fill_image(buffer, NULL, NULL, mem, pattern, zero, one, 0, NULL, NULL, NULL));
    unsigned before = num_reports;
    CHECK(f.svm_copy(buffer, NULL, NULL, NULL, NULL, 4, 0, NULL, NULL, NULL) != CL_SUCCESS);
    CHECK(f.svm_fill(buffer, NULL, NULL, NULL, pattern, 4, 4, 0, NULL, NULL, NULL) != CL_SUCCESS);
    CHECK(num_reports == before + 2);
    WRONG(CL_INVALID_KERNEL, f.launch(buffer, NULL, NULL, NULL, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, f.launch(buffer, NULL, NULL, kernel, 1, NULL, &items, zero, 0, NULL, NULL, NULL));
    WRONG(CL_INVALID_GLOBAL_OFFSET,
          f.launch(buffer, NULL, NULL, kernel, 2, too_many, too_many, NULL, 0, NULL, NULL, NULL));
    WRONG(CL_INVALID_VALUE, f.launch(buffer, NULL, unknown, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    NO_OBJECT(CL_INVALID_VALUE, f.remap(buffer, CL_FALSE, 0, &queue, 0, NULL, NULL, &error));
    OK(f.finalize(buffer));
    WRONG(CL_INVALID_OPERATION, f.finalize(buffer));
    WRONG(CL_INVALID_OPERATION, f.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    WRONG(CL_INVALID_EVENT_WAIT_LIST, f.enqueue(0, NULL, buffer, 1, NULL, NULL));
    NO_OBJECT(CL_INVALID_VALUE,
              f.remap(buffer, CL_FALSE, 1, &queue, 1, &(command_handle){NULL}, &(command_handle){NULL}, &error));
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(f.release(buffer));
    buffer = NULL;
}

static cl_int update_one(const struct buffer_update *update)
{
    return f.update(buffer, 1, &(cl_uint){0}, (const void *[]){update});
}

/* Callbacks that other threads make come a moment later. */
static bool comes_to(atomic_uint *count, unsigned wanted)
{
    for (int i = 0; i < 10000 && *count < wanted; i++)
        usleep(1000);
    return *count == wanted;
}

/* Wrong updates; and right ones that end the life of the memory that the command had. */
static void test_updates(void)
{
    const size_t items = ITEMS, zero = 0;
    command_handle command;
    cl_mem short_lived = buffer_of(0, ITEMS * sizeof(cl_int), NULL);
    OK(clSetMemObjectDestructorCallback(short_lived, on_destroyed, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof(short_lived), &short_lived));
    buffer = make_buffer(BUFFER_MUTABLE);
    OK(f.launch(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &command));
    OK(f.finalize(buffer));
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clReleaseMemObject(short_lived));
    CHECK(num_destroyed == 0); /* the command keeps it */
    const struct buffer_arg same = {0, sizeof(mem), &mem}, wrong = {7, sizeof(mem), &mem}, null = {1, 4, NULL};
    WRONG(CL_INVALID_ARG_INDEX, update_one(&(struct buffer_update){.command = command, .num_args = 1, .args = &wrong}));
    WRONG(CL_INVALID_ARG_VALUE, update_one(&(struct buffer_update){.command = command, .num_args = 1, .args = &null}));
    WRONG(CL_INVALID_VALUE, update_one(&(struct buffer_update){.command = command, .num_args = 1}));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, update_one(&(struct buffer_update){.command = command, .local = &zero}));
    WRONG(BUFFER_INVALID_COMMAND, update_one(&(struct buffer_update){.command = NULL}));
    CHECK(num_destroyed == 0);
    OK(update_one(&(struct buffer_update){.command = command, .num_args = 1, .args = &same}));
    CHECK(comes_to(&num_destroyed, 1));
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(f.release(buffer));
    buffer = NULL;
}

/* A recorded copy is the last that keeps its source. */
static void test_release(void)
{
    cl_mem short_lived = buffer_of(0, 256, NULL);
    OK(clSetMemObjectDestructorCallback(short_lived, on_destroyed, NULL));
    buffer_handle made = make_buffer(0);
    OK(f.copy(made, NULL, NULL, short_lived, mem, 0, 0, 16, 0, NULL, NULL, NULL));
    OK(clReleaseMemObject(short_lived));
    OK(f.release(made));
    CHECK(comes_to(&num_destroyed, 2));
}

/* ---- the other callbacks ---- */

static void test_others(void)
{
    const size_t items = ITEMS;
    cl_int error;
    cl_event event, user = user_event();
    unsigned before = num_others;
    cl_kernel tell = clCreateKernel(program, "tell", &error);
    NEED(error == CL_SUCCESS);
    OK(clSetKernelArg(tell, 0, sizeof(mem), &mem));
    OK(clEnqueueNDRangeKernel(queue, tell, 1, NULL, &items, NULL, 1, &user, &event));
    OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
    OK(clSetEventCallback(user, CL_SUBMITTED, on_event, NULL));
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clWaitForEvents(1, &event));
    CHECK(comes_to(&num_others, before + 3)); /* both events and printf */
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(user));
    OK(clReleaseKernel(tell));
    cl_program other = clCreateProgramWithSource(context, 1, &(const char *){source}, NULL, &error);
    OK(clBuildProgram(other, 0, NULL, "", on_program, NULL));
    OK(clReleaseProgram(other));
    other = clCreateProgramWithSource(context, 1, &(const char *){"nonsense"}, NULL, &error);
    WRONG(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(other, 0, NULL, "", on_program, NULL));
    OK(clReleaseProgram(other));
    CHECK(num_others == before + 5);
    WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 1 << 20, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, mem, &before, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clGetProgramInfo(program, 0x7777, 0, NULL, NULL));
    OK(clFinish(queue));
}

/* ---- a buffer that several threads record ---- */

static void *record_wrongly(void *data)
{
    cl_uint point = 1000000;
    for (int i = 0; i < 200; i++) {
        CHECK(f.barrier(data, NULL, NULL, 1, &point, NULL, NULL) == BUFFER_INVALID_SYNC_POINTS);
        OK(f.copy(data, NULL, NULL, mem, mem, 0, 64, 16, 0, NULL, NULL, NULL));
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];
    buffer = make_buffer(0);
    for (size_t i = 0; i < COUNT(threads); i++)
        NEED(pthread_create(&threads[i], NULL, record_wrongly, buffer) == 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    OK(f.finalize(buffer));
    OK(f.enqueue(0, NULL, buffer, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(f.release(buffer));
    buffer = NULL;
}

int main(void)
{
    alarm(LIMIT);
    open_all();
    test_recording();
    test_updates();
    test_release();
    test_others();
    test_threads();
    CHECK(!watched || held_locks_seen() > 0);
    unsigned before = num_others;
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    CHECK(num_others == before + 1);
    return test_result();
}
