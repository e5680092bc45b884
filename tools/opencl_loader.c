/* The functions of OpenCL that `pumice run` and `pumice bench` call. Each looks for itself in the system's libOpenCL,
 * which is loaded when the first of them is called. So the tool starts where there is no loader, and `pumice doctor`
 * can say that there is none. Without one there are no platforms, and the other functions are not called. */
#define CL_TARGET_OPENCL_VERSION          300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, clCreateSampler */
#include <CL/cl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { NO_PLATFORMS = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;

static void load(void)
{
    library = dlopen(OPENCL_LOADER, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "pumice: there is no OpenCL loader: %s\n", dlerror());
}

static void *find(const char *name)
{
    void *preloaded = dlsym(RTLD_NEXT, name); /* LD_PRELOAD: what watches calls, or answers them in another way */
    pthread_once(&once, load);
    return preloaded ? preloaded : library ? dlsym(library, name) : NULL;
}

#define FORWARD_OR(otherwise, type, name, parameters, arguments)                                                       \
    type CL_API_CALL name parameters                                                                                   \
    {                                                                                                                  \
        static atomic_uintptr_t known; /* looking it up takes as long as a launch */                                   \
        uintptr_t address = atomic_load_explicit(&known, memory_order_relaxed);                                        \
        if (!address)                                                                                                  \
            atomic_store_explicit(&known, address = (uintptr_t)find(#name), memory_order_relaxed);                     \
        type(CL_API_CALL *function) parameters;                                                                        \
        *(void **)&function = (void *)address;                                                                         \
        return function ? function arguments : otherwise;                                                              \
    }
#define FORWARD(name, parameters, arguments)    FORWARD_OR(CL_INVALID_OPERATION, cl_int, name, parameters, arguments)
#define MAKE(type, name, parameters, arguments) FORWARD_OR(NULL, type, name, parameters, arguments)
#define WAITS                                   cl_uint num_waits, const cl_event *waits, cl_event *event
#define RELEASE(name, type)                     FORWARD(name, (type object), (object))
#define INFO(name, type, kind)                                                                                         \
    FORWARD(name, (type object, kind what, size_t size, void *value, size_t *size_ret),                                \
            (object, what, size, value, size_ret))

FORWARD_OR(NO_PLATFORMS, cl_int, clGetPlatformIDs, (cl_uint room, cl_platform_id *platforms, cl_uint *count),
           (room, platforms, count))
INFO(clGetPlatformInfo, cl_platform_id, cl_platform_info)
FORWARD(clGetDeviceIDs,
        (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices, cl_uint *count),
        (platform, type, room, devices, count))
INFO(clGetDeviceInfo, cl_device_id, cl_device_info)
MAKE(cl_context, clCreateContext,
     (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *error),
     (properties, count, devices, notify, data, error))
RELEASE(clReleaseContext, cl_context)
MAKE(cl_command_queue, clCreateCommandQueue,
     (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *error),
     (context, device, properties, error))
MAKE(cl_command_queue, clCreateCommandQueueWithProperties,
     (cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *error),
     (context, device, properties, error))
RELEASE(clReleaseCommandQueue, cl_command_queue)
RELEASE(clFlush, cl_command_queue)
RELEASE(clFinish, cl_command_queue)
FORWARD(clWaitForEvents, (cl_uint count, const cl_event *events), (count, events))
INFO(clGetEventProfilingInfo, cl_event, cl_profiling_info)
RELEASE(clReleaseEvent, cl_event)
MAKE(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error),
     (context, flags, size, host, error))
MAKE(cl_mem, clCreateImage,
     (cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host,
      cl_int *error),
     (context, flags, format, desc, host, error))
RELEASE(clReleaseMemObject, cl_mem)
MAKE(cl_sampler, clCreateSampler,
     (cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter, cl_int *error),
     (context, normalized, addressing, filter, error))
RELEASE(clReleaseSampler, cl_sampler)
MAKE(cl_program, clCreateProgramWithSource,
     (cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *error),
     (context, count, texts, lengths, error))
FORWARD(clBuildProgram,
        (cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
         void(CL_CALLBACK *notify)(cl_program, void *), void *data),
        (program, count, devices, options, notify, data))
FORWARD(clGetProgramBuildInfo,
        (cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *value,
         size_t *size_ret),
        (program, device, what, size, value, size_ret))
RELEASE(clReleaseProgram, cl_program)
MAKE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *error), (program, name, error))
FORWARD(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value), (kernel, index, size, value))
RELEASE(clReleaseKernel, cl_kernel)
FORWARD(clGetKernelWorkGroupInfo,
        (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size, void *value,
         size_t *value_size),
        (kernel, device, name, size, value, value_size))
FORWARD(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
         const size_t *local, WAITS),
        (queue, kernel, dimensions, offset, global, local, num_waits, waits, event))
FORWARD(clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *data, WAITS),
        (queue, buffer, blocking, offset, size, data, num_waits, waits, event))
FORWARD(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, const void *data, WAITS),
        (queue, buffer, blocking, offset, size, data, num_waits, waits, event))
FORWARD(clEnqueueCopyBuffer,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, WAITS),
        (queue, from, to, from_offset, to_offset, size, num_waits, waits, event))
FORWARD(clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size,
         WAITS),
        (queue, buffer, pattern, pattern_size, offset, size, num_waits, waits, event))
FORWARD(clEnqueueReadImage,
        (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region,
         size_t row_pitch, size_t slice_pitch, void *data, WAITS),
        (queue, image, blocking, origin, region, row_pitch, slice_pitch, data, num_waits, waits, event))
FORWARD(clEnqueueWriteImage,
        (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region,
         size_t row_pitch, size_t slice_pitch, const void *data, WAITS),
        (queue, image, blocking, origin, region, row_pitch, slice_pitch, data, num_waits, waits, event))
FORWARD(clEnqueueCopyImage,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
         const size_t *region, WAITS),
        (queue, from, to, from_origin, to_origin, region, num_waits, waits, event))
MAKE(void *, clEnqueueMapBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size, WAITS,
      cl_int *error),
     (queue, buffer, blocking, flags, offset, size, num_waits, waits, event, error))
MAKE(void *, clEnqueueMapImage,
     (cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags, const size_t *origin,
      const size_t *region, size_t *row_pitch, size_t *slice_pitch, WAITS, cl_int *error),
     (queue, image, blocking, flags, origin, region, row_pitch, slice_pitch, num_waits, waits, event, error))
FORWARD(clEnqueueUnmapMemObject, (cl_command_queue queue, cl_mem object, void *data, WAITS),
        (queue, object, data, num_waits, waits, event))
MAKE(void *, clGetExtensionFunctionAddressForPlatform, (cl_platform_id platform, const char *name), (platform, name))
MAKE(void *, clSVMAlloc, (cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment),
     (context, flags, size, alignment))
FORWARD(clSetKernelArgSVMPointer, (cl_kernel kernel, cl_uint index, const void *value), (kernel, index, value))
FORWARD(clEnqueueSVMMemcpy, (cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size, WAITS),
        (queue, blocking, to, from, size, num_waits, waits, event))
FORWARD(clEnqueueSVMMap, (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *data, size_t size, WAITS),
        (queue, blocking, flags, data, size, num_waits, waits, event))
FORWARD(clEnqueueSVMUnmap, (cl_command_queue queue, void *data, WAITS), (queue, data, num_waits, waits, event))

void CL_API_CALL clSVMFree(cl_context context, void *data)
{
    void(CL_API_CALL * function)(cl_context, void *);
    *(void **)&function = find("clSVMFree");
    if (function)
        function(context, data);
}
