/* What each program of planted faults starts with: one device, a queue, and a program of its kernels. A call that fails
 * ends the process with 1; the program leaves its objects to the process's end. Included once by each, behind the headers of
 * OpenCL; one thread. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void must(cl_int error)
{
    if (error == CL_SUCCESS)
        return;
    printf("a call failed: %d\n", error);
    exit(1);
}

static void begin_program(const char *source, cl_command_queue_properties properties)
{
    cl_int error;
    must(clGetPlatformIDs(1, &platform, NULL));
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error);
    queue = clCreateCommandQueue(context, device, properties, &error);
    must(error);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    must(error);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL));
}
