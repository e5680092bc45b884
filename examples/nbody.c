/* An n-body simulation in float4: swizzles, dot, rsqrt, local memory given as an argument, two buffers that swap. The
 * same steps are done in double on the host. */
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 500, STEPS = 8, LOCAL = 64 };
static const float time_step = 0.01f, softening2 = 0.05f;

static void host_step(double (*position)[4], double (*velocity)[4])
{
    static double next[COUNT][4];
    for (int i = 0; i < COUNT; i++) {
        double acceleration[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < COUNT; k++) {
            double away[3], distance2 = (double)softening2;
            for (int d = 0; d < 3; d++) {
                away[d] = position[k][d] - position[i][d];
                distance2 += away[d] * away[d];
            }
            double scale = position[k][3] / (distance2 * sqrt(distance2));
            for (int d = 0; d < 3; d++)
                acceleration[d] += away[d] * scale;
        }
        for (int d = 0; d < 3; d++) {
            velocity[i][d] += acceleration[d] * (double)time_step;
            next[i][d] = position[i][d] + velocity[i][d] * (double)time_step;
        }
        next[i][3] = position[i][3];
    }
    memcpy(position, next, sizeof(next));
}

int main(void)
{
    static cl_float4 position[COUNT], velocity[COUNT];
    static double host_position[COUNT][4], host_velocity[COUNT][4];
    unsigned seed = 42;
    for (int i = 0; i < COUNT; i++) {
        for (int d = 0; d < 3; d++) {
            position[i].s[d] = example_random(&seed) * 2.0f - 1.0f;
            host_position[i][d] = (double)position[i].s[d];
        }
        position[i].s[3] = example_random(&seed) / COUNT;
        host_position[i][3] = (double)position[i].s[3];
    }

    struct example example;
    example_open(&example);
    example_build(&example, "nbody.cl", NULL);
    cl_mem positions[2] = {example_buffer(&example, CL_MEM_READ_WRITE, sizeof(position), position),
                           example_buffer(&example, CL_MEM_READ_WRITE, sizeof(position), NULL)};
    cl_mem velocities = example_buffer(&example, CL_MEM_READ_WRITE, sizeof(velocity), velocity);
    cl_kernel kernel = example_kernel(&example, "advance");
    cl_uint count = COUNT;
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &velocities));
    CHECK(clSetKernelArg(kernel, 3, sizeof(count), &count));
    CHECK(clSetKernelArg(kernel, 4, sizeof(time_step), &time_step));
    CHECK(clSetKernelArg(kernel, 5, sizeof(softening2), &softening2));
    CHECK(clSetKernelArg(kernel, 6, LOCAL * sizeof(cl_float4), NULL));
    size_t global = (COUNT + LOCAL - 1) / LOCAL * LOCAL, local = LOCAL;
    double seconds = 0.0;
    for (int i = 0; i < STEPS; i++) {
        CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &positions[i % 2]));
        CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &positions[(i + 1) % 2]));
        seconds += example_run(&example, kernel, 1, &global, &local);
        host_step(host_position, host_velocity);
    }
    example_read(&example, positions[STEPS % 2], sizeof(position), position);

    double worst = 0.0;
    for (int i = 0; i < COUNT; i++) {
        for (int d = 0; d < 3; d++)
            worst = fmax(worst, fabs((double)position[i].s[d] - host_position[i][d]));
    }
    int exit_code = example_result("nbody", worst < 1e-5, "%d bodies, %d steps, largest error %.3g; %.3f ms a step",
                                   COUNT, STEPS, worst, seconds * 1e3 / STEPS);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(positions[0]));
    CHECK(clReleaseMemObject(positions[1]));
    CHECK(clReleaseMemObject(velocities));
    example_close(&example);
    return exit_code;
}
