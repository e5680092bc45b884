/* The process may end while the GPU works. A driver that compiles on the CPU is then still at it, on threads of its
 * own, and must not lose what its exit handlers destroy; nor may a thread of ours be in the driver when it goes. */
#include "api_test.h"
#include "no_leaks.h"

#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "kernel void twist(global float *io, int n)\n"
    "{\n"
    "    float a[16];\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        a[i] = io[i + get_global_id(0)];\n"
    "    for (int j = 0; j < n; j++)\n"
    "        for (int i = 0; i < 16; i++)\n"
    "            a[(i * 7 + j) & 15] += sin(a[i]) * atan2(a[i], a[(i + j) & 15]) + pow(a[(i + 3) & 15], 0.3f);\n"
    "    io[get_global_id(0)] = a[n & 15];\n"
    "}\n"
    "kernel void widen(global uchar3 *io)\n"
    "{\n"
    "    long3 x = convert_long3(io[get_global_id(0)]) * 7;\n"
    "    io[0] = convert_uchar3_sat(x);\n"
    "}\n";

enum way { KEEP, RELEASE_QUEUE, RELEASE_ALL, EXIT_IN_CALLBACK, NUM_WAYS };

static void CL_CALLBACK end_process(cl_event event, cl_int status, void *data)
{
    (void)event, (void)data;
    exit(status == CL_COMPLETE ? 0 : 1);
}

static void leave_working(enum way way)
{
    open_device(0);
    cl_program program = build(source, "");
    cl_kernel twist = clCreateKernel(program, "twist", NULL), widen = clCreateKernel(program, "widen", NULL);
    cl_mem buffer = buffer_of(0, 1 << 16, NULL);
    cl_int rounds = 3;
    size_t items = 256;
    clSetKernelArg(twist, 0, sizeof(buffer), &buffer);
    clSetKernelArg(twist, 1, sizeof(rounds), &rounds);
    clSetKernelArg(widen, 0, sizeof(buffer), &buffer);
    clEnqueueNDRangeKernel(queue, twist, 1, NULL, &items, NULL, 0, NULL, NULL);
    cl_event end;
    clEnqueueNDRangeKernel(queue, widen, 1, NULL, &items, NULL, 0, NULL, &end);
    if (way == EXIT_IN_CALLBACK)
        clSetEventCallback(end, CL_COMPLETE, end_process, NULL);
    clFlush(queue);
    if (way == RELEASE_ALL)
        clReleaseMemObject(buffer);
    if (way == RELEASE_ALL || way == RELEASE_QUEUE)
        clReleaseCommandQueue(queue);
    while (way == EXIT_IN_CALLBACK)
        pause();
    exit(0);
}

int main(void)
{
    setenv("PUMICE_CACHE", "0", 1);
    for (int i = 0; i < 2 * NUM_WAYS; i++) {
        pid_t pid = fork();
        if (pid == 0)
            leave_working((enum way)(i % NUM_WAYS));
        int status = 0;
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            return 77;
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return test_result();
}
