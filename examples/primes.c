/* Producer, filter and collector joined by pipes: the primes below a hundred thousand. The pipes hold far fewer packets
 * than there are numbers, so the three kernels run round by round; the order between them is that of the queue. */
#include "common.h"

#include <stdint.h>
#include <stdio.h>

enum { NUMBERS = 100000, ROUND = 4096, LOCAL = 64, COLLECTORS = ROUND / LOCAL };

static cl_mem make_pipe(struct example *example)
{
    cl_int error;
    cl_mem pipe = clCreatePipe(example->context, 0, sizeof(cl_uint), ROUND, NULL, &error);
    CHECK(error);
    return pipe;
}

static void run(struct example *example, cl_mem seen, cl_mem count)
{
    cl_mem numbers = make_pipe(example), primes = make_pipe(example);
    cl_kernel produce = example_kernel(example, "produce"), filter = example_kernel(example, "filter"),
              collect = example_kernel(example, "collect");
    CHECK(clSetKernelArg(produce, 0, sizeof(cl_mem), &numbers));
    CHECK(clSetKernelArg(filter, 0, sizeof(cl_mem), &numbers));
    CHECK(clSetKernelArg(filter, 1, sizeof(cl_mem), &primes));
    CHECK(clSetKernelArg(collect, 0, sizeof(cl_mem), &primes));
    CHECK(clSetKernelArg(collect, 1, sizeof(cl_mem), &seen));
    CHECK(clSetKernelArg(collect, 2, sizeof(cl_mem), &count));
    for (cl_uint first = 0; first < NUMBERS; first += ROUND) {
        size_t items = NUMBERS - first < ROUND ? NUMBERS - first : ROUND;
        size_t collectors = COLLECTORS * LOCAL, local = LOCAL;
        CHECK(clSetKernelArg(produce, 1, sizeof(first), &first));
        CHECK(clEnqueueNDRangeKernel(example->queue, produce, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(example->queue, filter, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(example->queue, collect, 1, NULL, &collectors, &local, 0, NULL, NULL));
    }
    CHECK(clReleaseKernel(produce));
    CHECK(clReleaseKernel(filter));
    CHECK(clReleaseKernel(collect));
    CHECK(clReleaseMemObject(numbers)); /* the commands keep them */
    CHECK(clReleaseMemObject(primes));
}

/* The sieve of Eratosthenes. */
static cl_uint expected_primes(bool prime[NUMBERS])
{
    cl_uint count = 0;
    for (int i = 0; i < NUMBERS; i++)
        prime[i] = i >= 2;
    for (int i = 2; i < NUMBERS; i++) {
        count += prime[i];
        for (int64_t k = (int64_t)i * i; prime[i] && k < NUMBERS; k += i)
            prime[k] = false;
    }
    return count;
}

int main(void)
{
    static cl_uint seen[NUMBERS / 32 + 1];
    static bool prime[NUMBERS];
    cl_uint count = 0, wrong = 0, expected = expected_primes(prime);
    struct example example;
    cl_bool has_pipes = CL_FALSE;
    example_open(&example);
    CHECK(clGetDeviceInfo(example.device, CL_DEVICE_PIPE_SUPPORT, sizeof(has_pipes), &has_pipes, NULL));
    if (!has_pipes) {
        printf("primes: the device has no pipes\n");
        example_close(&example);
        return 77;
    }
    example_build(&example, "primes.cl", "-cl-std=CL3.0");
    cl_mem seen_buffer = example_buffer(&example, CL_MEM_READ_WRITE, sizeof(seen), seen);
    cl_mem count_buffer = example_buffer(&example, CL_MEM_READ_WRITE, sizeof(count), &count);
    run(&example, seen_buffer, count_buffer);
    example_read(&example, seen_buffer, sizeof(seen), seen);
    example_read(&example, count_buffer, sizeof(count), &count);
    for (int i = 0; i < NUMBERS; i++)
        wrong += (seen[i / 32] >> i % 32 & 1) != prime[i];
    int exit_code =
        example_result("primes", wrong == 0 && count == expected,
                       "%u primes of %u came through the pipes, %u numbers are wrong", count, expected, wrong);
    CHECK(clReleaseMemObject(seen_buffer));
    CHECK(clReleaseMemObject(count_buffer));
    example_close(&example);
    return exit_code;
}
