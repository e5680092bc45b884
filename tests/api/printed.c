/* What kernels print while the application holds stdout's lock: nobody waits for that lock, all comes in order, and
 * what the thread that holds it has waited for is there when clFinish() returns. */
#include "api_test.h"

#include <pthread.h>
#include <unistd.h>

static cl_kernel kernel;
static char name[] = "/tmp/pumice-printed-XXXXXX";

static void print(cl_int number)
{
    size_t items = 1;
    OK(clSetKernelArg(kernel, 0, sizeof(number), &number));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

/* The numbers 0 to count - 1, a line for each, and nothing else. */
static bool has_lines(int count)
{
    FILE *file = fopen(name, "r");
    int got, lines = 0;
    while (file && fscanf(file, "line %d\n", &got) == 1 && got == lines)
        lines++;
    bool ended = file && fgetc(file) == EOF;
    if (file)
        fclose(file);
    return ended && lines == count;
}

static void *finish(void *data)
{
    print(2);
    print(3);
    OK(clFinish(queue));
    return data;
}

int main(void)
{
    cl_int error;
    pthread_t thread;
    cl_event event;
    size_t items = 1;
    open_device(0);
    cl_program program = build("kernel void k(int i) { printf(\"line %d\\n\", i); }", "");
    kernel = clCreateKernel(program, "k", &error);
    NEED(error == CL_SUCCESS);
    alarm(60); /* what hangs is killed, and seen */
    int file = mkstemp(name);
    NEED(file >= 0 && dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
    flockfile(stdout);
    print(0);
    OK(clFinish(queue));
    CHECK(has_lines(1));
    cl_int one = 1;
    OK(clSetKernelArg(kernel, 0, sizeof(one), &one));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
    CHECK(has_lines(2));
    /* another thread's does not end up before the lock is given back, but it does not wait either */
    NEED(pthread_create(&thread, NULL, finish, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK(has_lines(2));
    funlockfile(stdout);
    for (int i = 0; i < 1000 && !has_lines(4); i++)
        usleep(10000);
    CHECK(has_lines(4));
    print(4);
    OK(clFinish(queue));
    CHECK(has_lines(5));
    unlink(name);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    return close_device();
}
