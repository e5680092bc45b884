/* Planted faults of the host, for faults.py: `faults` lists the cases, `faults CASE` runs one. A case is a program of its own, right but for
 * what its row says; rows without a kind are right. What is to be found in a case stands in its row: the kind, and words of the message or of
 * the object. */
#include "tests/check/host/faults.h"

static const char source[] =
    "kernel void fill(global int *out, int value) { out[get_global_id(0)] = value; }\n"
    "kernel void copy(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)]; }\n"
    "kernel void add(global int *sum, int value) { sum[get_global_id(0)] += value; }\n"
    "kernel void texels(read_only image2d_t in, global int *out) { out[get_global_id(0)] = "
    "read_imagei(in, (int2)(0, 0)).x; }\n";

cl_device_id device;
cl_context context;
cl_command_queue queue, other, loose; /* in order, in order, out of order */
cl_program program;
cl_kernel fill, copy, add;
cl_mem a, b;
cl_int data[COUNT], more[COUNT];

void must(cl_int error)
{
    if (error == CL_SUCCESS)
        return;
    printf("a call failed: %d\n", error);
    exit(1);
}

static void begin(void)
{
    cl_platform_id platform;
    cl_int value = 7, error;
    const char *text = source;
    must(clGetPlatformIDs(1, &platform, NULL));
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    other = clCreateCommandQueue(context, device, 0, &error);
    loose = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    must(error);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL));
    fill = clCreateKernel(program, "fill", &error);
    copy = clCreateKernel(program, "copy", &error);
    add = clCreateKernel(program, "add", &error);
    a = clCreateBuffer(context, 0, BYTES, NULL, &error);
    b = clCreateBuffer(context, 0, BYTES, NULL, &error);
    must(error);
    must(clSetKernelArg(fill, 0, sizeof(a), &a));
    must(clSetKernelArg(fill, 1, sizeof(value), &value));
    must(clSetKernelArg(copy, 0, sizeof(a), &a));
    must(clSetKernelArg(copy, 1, sizeof(b), &b));
    must(clSetKernelArg(add, 0, sizeof(a), &a));
    must(clSetKernelArg(add, 1, sizeof(value), &value));
}

/* Cases that give something back themselves set it to NULL. */
static void end(void)
{
    const cl_mem mems[] = {a, b};
    const cl_kernel kernels[] = {fill, copy, add};
    const cl_command_queue queues[] = {queue, other, loose};
    for (int i = 0; i < 3; i++) {
        if (queues[i])
            must(clFinish(queues[i]));
    }
    release_recorded();
    for (int i = 0; i < 2; i++) {
        if (mems[i])
            must(clReleaseMemObject(mems[i]));
    }
    for (int i = 0; i < 3; i++) {
        if (kernels[i])
            must(clReleaseKernel(kernels[i]));
        if (queues[i])
            must(clReleaseCommandQueue(queues[i]));
    }
    if (program)
        must(clReleaseProgram(program));
    if (context)
        must(clReleaseContext(context));
}

cl_event launch(cl_command_queue to, cl_kernel kernel, cl_uint num_waits, const cl_event *waits)
{
    cl_event event;
    must(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &all, NULL, num_waits, waits, &event));
    return event;
}

void launch_alone(cl_command_queue to, cl_kernel kernel)
{
    must(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &all, NULL, 0, NULL, NULL));
}

void drop(cl_event event)
{
    must(clReleaseEvent(event));
}

/* What the device lacks, no case can show. */
void need(bool has)
{
    if (!has)
        _exit(TEST_SKIPPED);
}

void *shared(size_t size)
{
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
    need(memory);
    return memory;
}

atomic_bool called;

void wait_for_call(void)
{
    must(clFinish(queue));
    for (int i = 0; i < 10000 && !called; i++)
        usleep(1000);
}

void *map(cl_command_queue to, cl_map_flags flags, size_t offset, size_t size)
{
    cl_int error;
    void *pointer = clEnqueueMapBuffer(to, a, CL_TRUE, flags, offset, size, 0, NULL, NULL, &error);
    must(error);
    return pointer;
}

static void many_commands(void)
{
    for (int i = 0; i < 5000; i++)
        launch_alone(queue, add);
}

static void nothing(void)
{
}

static const struct fault_case other_cases[] = {
    CASE(nothing, "", ""),
    CASE(many_commands, "", ""),
    {NULL, NULL, NULL, NULL},
};

static const struct fault_case *find(const struct fault_case *list, const char *name)
{
    for (; list->name; list++) {
        if (!name)
            printf("%s\t%s\t%s\n", list->name, list->kind, list->words);
        else if (!strcmp(name, list->name))
            return list;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct fault_case *const lists[] = {other_cases, released_cases, callback_cases,
                                              call_cases,  race_cases,     part_cases,
                                              recorded_cases, header_cases};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const struct fault_case *found = find(lists[i], argc > 1 ? argv[1] : NULL);
        if (!found)
            continue;
        begin();
        found->run();
        end();
        return 0;
    }
    return argc > 1;
}
