/* What the cases of planted faults of the host share (faults.c). */
#ifndef TESTS_CHECK_HOST_FAULTS_H
#define TESTS_CHECK_HOST_FAULTS_H

#include "tests/support/opencl.h"

#include <CL/cl_ext.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1024, BYTES = COUNT * sizeof(cl_int) };
static const size_t all = COUNT, half = COUNT / 2;

/* What each case finds, and what is given back behind it; a case that gives something back itself sets it to NULL. */
extern cl_device_id device;
extern cl_context context;
extern cl_command_queue queue, other, loose; /* in order, in order, out of order */
extern cl_program program;
extern cl_kernel fill, copy, add;
extern cl_mem a, b;
extern cl_int data[COUNT], more[COUNT];

struct fault_case {
    const char *name;
    void (*run)(void);
    const char *kind, *words;
};
#define CASE(name, kind, words)                                                                                        \
    {                                                                                                                  \
#name, name, kind, words                                                                                       \
    }
/* Each ends with a row without a name. */
extern const struct fault_case released_cases[], callback_cases[], call_cases[], race_cases[], part_cases[],
    recorded_cases[], header_cases[];

void must(cl_int error);
cl_event launch(cl_command_queue to, cl_kernel kernel, cl_uint num_waits, const cl_event *waits);
void launch_alone(cl_command_queue to, cl_kernel kernel);
void drop(cl_event event);
/* Gives back the command buffer of a case, if it has one. */
void release_recorded(void);
/* What the device lacks, no case can show. */
void need(bool has);
void *shared(size_t size);
void *map(cl_command_queue to, cl_map_flags flags, size_t offset, size_t size);

extern atomic_bool called; /* by a callback */
void wait_for_call(void);

#endif
