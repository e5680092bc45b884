/* Pipes: made and asked. Kernels take them as they take buffers, since both are memory objects. */
#include "tests/fuzz/api/api.h"

static void make_pipe(void)
{
    static const cl_mem_flags flags[] = {0, 0, CL_MEM_READ_WRITE, CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_ONLY, 0x80000};
    static const cl_uint sizes[] = {4, 4, 4, 1, 16, 0, 1024, UINT32_MAX}, counts[] = {8, 1, 3, 1000, 0, UINT32_MAX};
    static const cl_pipe_properties properties[] = {0};
    void *context = api_handle(CONTEXT);
    cl_mem pipe;
    MAKE(pipe, clCreatePipe, context, API_PICK(flags), API_PICK(sizes), API_PICK(counts),
         api_chance(30) ? properties : NULL);
    api_put(MEM, pipe);
}

static void ask(void)
{
    ASK(clGetPipeInfo, api_handle(MEM), CL_PIPE_PACKET_SIZE + api_byte() % 4u);
}

static void (*const calls[])(void) = {make_pipe, ask};

const struct api_subject api_pipes = API_SUBJECT(calls, NULL);
