/* The process may end while the GPU works. A driver that compiles on the CPU is then still at it, on threads of its
 * own, and must not lose what its exit handlers destroy. */
#include "api_test.h"

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

static void leave_working(bool release)
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
    clEnqueueNDRangeKernel(queue, widen, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFlush(queue);
    if (release)
        clReleaseCommandQueue(queue);
    exit(0);
}

int main(void)
{
    setenv("PUMICE_CACHE", "0", 1);
    for (int i = 0; i < 6; i++) {
        pid_t pid = fork();
        if (pid == 0)
            leave_working(i & 1);
        int status = 0;
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            return 77;
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return failures ? 1 : 0;
}
