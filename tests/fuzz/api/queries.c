/* Questions about objects of every kind, with places for the answers that are too small, missing, or just right. */
#include "tests/fuzz/api/api.h"

#include <string.h>

static void ask_devices(void)
{
    static const cl_device_type types[] = {
        CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, 0, 0x8000};
    cl_device_id found[2];
    cl_uint count;
    switch (api_byte() % 3) {
    case 0:
        ASK(clGetDeviceInfo, api_device(),
            api_chance(4) ? 0x12A0 + api_byte() % 0x20u : CL_DEVICE_TYPE + api_byte() % 0x80u);
        break;
    case 1:
        ASK(clGetPlatformInfo, api_chance(4) ? NULL : api_platform, CL_PLATFORM_PROFILE + api_byte() % 10u);
        break;
    default:
        DO(clGetDeviceIDs, api_platform, API_PICK(types), api_byte() % 3u, api_chance(4) ? NULL : found,
           api_chance(4) ? NULL : &count);
    }
}

static void ask_times(void)
{
    cl_ulong times[2];
    if (api_chance(2))
        DO(clGetHostTimer, api_device(), api_chance(8) ? NULL : times);
    else
        DO(clGetDeviceAndHostTimer, api_device(), api_chance(8) ? NULL : &times[0], api_chance(8) ? NULL : &times[1]);
}

/* cl_khr_cooperative_matrix: both lists, and the numbers beside them, which are clGetDeviceInfo()'s. */
static void ask_matrices(void)
{
    static cl_int(CL_API_CALL * ask)(cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);
    const cl_uint sizes[2] = {1u << api_byte() % 8, 0}, param = 0x1078 + api_byte() % 5u;
    size_t size = api_chance(4) ? api_byte() % 9u : sizeof(sizes[0]);
    void *address = clGetExtensionFunctionAddressForPlatform(api_platform, "clGetDeviceCooperativeMatrixInfoKHR");
    memcpy(&ask, &address, sizeof(address));
    if (ask)
        ASK_BY(clGetDeviceCooperativeMatrixInfoKHR, ask, api_device(), param, size, api_chance(8) ? NULL : sizes);
    ASK(clGetDeviceInfo, api_device(), param);
}

static void ask_objects(void)
{
    switch (api_byte() % 8) {
    case 0:
        ASK(clGetContextInfo, api_handle(CONTEXT), CL_CONTEXT_REFERENCE_COUNT + api_byte() % 6u);
        break;
    case 1:
        ASK(clGetCommandQueueInfo, api_handle(QUEUE), CL_QUEUE_CONTEXT + api_byte() % 12u);
        break;
    case 2:
        ASK(clGetMemObjectInfo, api_handle(MEM), CL_MEM_TYPE + api_byte() % 14u);
        break;
    case 3:
        ASK(clGetMemObjectInfo, api_handle(IMAGE), CL_MEM_TYPE + api_byte() % 14u);
        break;
    case 4:
        ASK(clGetImageInfo, api_handle(IMAGE), CL_IMAGE_FORMAT + api_byte() % 14u);
        break;
    case 5:
        ASK(clGetSamplerInfo, api_handle(SAMPLER), CL_SAMPLER_REFERENCE_COUNT + api_byte() % 10u);
        break;
    case 6:
        ASK(clGetEventInfo, api_handle(EVENT), CL_EVENT_COMMAND_QUEUE + api_byte() % 6u);
        break;
    default:
        ASK(clGetEventProfilingInfo, api_handle(EVENT), CL_PROFILING_COMMAND_QUEUED + api_byte() % 6u);
    }
}

static void ask_programs(void)
{
    void *object = api_handle(PROGRAM);
    if (api_chance(2))
        ASK(clGetProgramInfo, object, CL_PROGRAM_REFERENCE_COUNT + api_byte() % 14u);
    else
        ASK_BY(clGetProgramBuildInfo, clGetProgramBuildInfo, object, api_device(),
               CL_PROGRAM_BUILD_STATUS + api_byte() % 8u);
}

static void ask_kernels(void)
{
    static const cl_kernel_sub_group_info params[] = {
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, CL_KERNEL_MAX_NUM_SUB_GROUPS,
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS,         0};
    void *object = api_handle(KERNEL);
    size_t input[3] = {api_number(), api_number(), api_number()}, size = api_number() % 5 * 8;
    switch (api_byte() % 4) {
    case 0:
        ASK(clGetKernelInfo, object, CL_KERNEL_FUNCTION_NAME + api_byte() % 8u);
        break;
    case 1:
        ASK_BY(clGetKernelArgInfo, clGetKernelArgInfo, object, api_byte() % 5u,
               CL_KERNEL_ARG_ADDRESS_QUALIFIER + api_byte() % 6u);
        break;
    case 2:
        ASK_BY(clGetKernelWorkGroupInfo, clGetKernelWorkGroupInfo, object, api_device(),
               CL_KERNEL_WORK_GROUP_SIZE + api_byte() % 8u);
        break;
    default:
        ASK_BY(clGetKernelSubGroupInfo, clGetKernelSubGroupInfo, object, api_device(), API_PICK(params),
               size > 24 ? 24 : size, api_chance(8) ? NULL : input);
    }
}

static void (*const calls[])(void) = {ask_devices, ask_times,    ask_matrices, ask_objects,
                                      ask_objects, ask_programs, ask_kernels};

const struct api_subject api_queries = API_SUBJECT(calls, NULL);
