/* What every example needs: a device, a queue, a built program, and errors that end the program with a message. */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

struct example {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order, profiling */
    cl_program program;     /* NULL until example_build() */
};

/* Ends the program with file, line and the error's name unless code is CL_SUCCESS. */
#define CHECK(code) example_check((code), #code, __FILE__, __LINE__)
void example_check(cl_int code, const char *expression, const char *file, int line);

/* Takes the first platform whose name contains $EXAMPLE_PLATFORM (any when unset) that has a device; prints its name.
 */
void example_open(struct example *example);
/* The same for one of several processes on a machine: takes the GPU of this number of the first platform that has GPUs,
 * counted from 0, and round again behind the last one. Where there is no GPU, devices of all kinds are counted. */
void example_open_number(struct example *example, unsigned number);
/* Compiles the .cl file of that name beside the examples' sources; prints the build log and ends the program when that
 * fails. */
void example_build(struct example *example, const char *file, const char *options);
/* The same in two steps for SPIR-V, from a file of this path; specialisation constants are set between them. */
void example_create_il(struct example *example, const char *path);
void example_build_il(struct example *example, const char *options);
cl_kernel example_kernel(struct example *example, const char *name);
/* A buffer of size bytes with these contents; data NULL: uninitialised. */
cl_mem example_buffer(struct example *example, cl_mem_flags flags, size_t size, const void *data);
void example_read(struct example *example, cl_mem buffer, size_t size, void *data); /* blocking */
/* Runs a kernel, waits, and returns the device's time in seconds. local may be NULL. */
double example_run(struct example *example, cl_kernel kernel, cl_uint dimensions, const size_t *global,
                   const size_t *local);
void example_close(struct example *example);

/* Reports and returns the exit code: 0 when ok. */
int example_result(const char *name, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Numbers in [0, 1) from a fixed seed, the same everywhere. */
float example_random(unsigned *state);

#endif
