/* The door: the dispatch table that every object carries, and the functions that the library exports.
 *
 * The ICD loader finds clGetExtensionFunctionAddress, asks it for clIcdGetPlatformIDsKHR, and calls everything else
 * through the table (cl_khr_icd). Every entry is a function: a loader does not check for NULL. */
#include "src/command_buffer.h"
#include "src/image.h"
#include "src/interop.h"
#include "src/object.h"
#include "src/pointer.h"

#include "base/util.h"

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

const cl_icd_dispatch ocl_dispatch = {
    .clGetPlatformIDs = clGetPlatformIDs,
    .clGetPlatformInfo = clGetPlatformInfo,
    .clGetDeviceIDs = clGetDeviceIDs,
    .clGetDeviceInfo = clGetDeviceInfo,
    .clCreateContext = clCreateContext,
    .clCreateContextFromType = clCreateContextFromType,
    .clRetainContext = clRetainContext,
    .clReleaseContext = clReleaseContext,
    .clGetContextInfo = clGetContextInfo,
    .clCreateCommandQueue = clCreateCommandQueue,
    .clRetainCommandQueue = clRetainCommandQueue,
    .clReleaseCommandQueue = clReleaseCommandQueue,
    .clGetCommandQueueInfo = clGetCommandQueueInfo,
    .clSetCommandQueueProperty = clSetCommandQueueProperty,
    .clCreateBuffer = clCreateBuffer,
    .clCreateImage2D = clCreateImage2D,
    .clCreateImage3D = clCreateImage3D,
    .clRetainMemObject = clRetainMemObject,
    .clReleaseMemObject = clReleaseMemObject,
    .clGetSupportedImageFormats = clGetSupportedImageFormats,
    .clGetMemObjectInfo = clGetMemObjectInfo,
    .clGetImageInfo = clGetImageInfo,
    .clCreateSampler = clCreateSampler,
    .clRetainSampler = clRetainSampler,
    .clReleaseSampler = clReleaseSampler,
    .clGetSamplerInfo = clGetSamplerInfo,
    .clCreateProgramWithSource = clCreateProgramWithSource,
    .clCreateProgramWithBinary = clCreateProgramWithBinary,
    .clRetainProgram = clRetainProgram,
    .clReleaseProgram = clReleaseProgram,
    .clBuildProgram = clBuildProgram,
    .clUnloadCompiler = clUnloadCompiler,
    .clGetProgramInfo = clGetProgramInfo,
    .clGetProgramBuildInfo = clGetProgramBuildInfo,
    .clCreateKernel = clCreateKernel,
    .clCreateKernelsInProgram = clCreateKernelsInProgram,
    .clRetainKernel = clRetainKernel,
    .clReleaseKernel = clReleaseKernel,
    .clSetKernelArg = clSetKernelArg,
    .clGetKernelInfo = clGetKernelInfo,
    .clGetKernelWorkGroupInfo = clGetKernelWorkGroupInfo,
    .clWaitForEvents = clWaitForEvents,
    .clGetEventInfo = clGetEventInfo,
    .clRetainEvent = clRetainEvent,
    .clReleaseEvent = clReleaseEvent,
    .clGetEventProfilingInfo = clGetEventProfilingInfo,
    .clFlush = clFlush,
    .clFinish = clFinish,
    .clEnqueueReadBuffer = clEnqueueReadBuffer,
    .clEnqueueWriteBuffer = clEnqueueWriteBuffer,
    .clEnqueueCopyBuffer = clEnqueueCopyBuffer,
    .clEnqueueReadImage = clEnqueueReadImage,
    .clEnqueueWriteImage = clEnqueueWriteImage,
    .clEnqueueCopyImage = clEnqueueCopyImage,
    .clEnqueueCopyImageToBuffer = clEnqueueCopyImageToBuffer,
    .clEnqueueCopyBufferToImage = clEnqueueCopyBufferToImage,
    .clEnqueueMapBuffer = clEnqueueMapBuffer,
    .clEnqueueMapImage = clEnqueueMapImage,
    .clEnqueueUnmapMemObject = clEnqueueUnmapMemObject,
    .clEnqueueNDRangeKernel = clEnqueueNDRangeKernel,
    .clEnqueueTask = clEnqueueTask,
    .clEnqueueNativeKernel = clEnqueueNativeKernel,
    .clEnqueueMarker = clEnqueueMarker,
    .clEnqueueWaitForEvents = clEnqueueWaitForEvents,
    .clEnqueueBarrier = clEnqueueBarrier,
    .clGetExtensionFunctionAddress = clGetExtensionFunctionAddress,
    .clCreateFromGLBuffer = clCreateFromGLBuffer,
    .clCreateFromGLTexture2D = clCreateFromGLTexture2D,
    .clCreateFromGLTexture3D = clCreateFromGLTexture3D,
    .clCreateFromGLRenderbuffer = clCreateFromGLRenderbuffer,
    .clGetGLObjectInfo = clGetGLObjectInfo,
    .clGetGLTextureInfo = clGetGLTextureInfo,
    .clEnqueueAcquireGLObjects = clEnqueueAcquireGLObjects,
    .clEnqueueReleaseGLObjects = clEnqueueReleaseGLObjects,
    .clGetGLContextInfoKHR = clGetGLContextInfoKHR,
    .clGetDeviceIDsFromD3D10KHR = (void *)ocl_d3d_no_devices,
    .clCreateFromD3D10BufferKHR = (void *)ocl_d3d_no_object4,
    .clCreateFromD3D10Texture2DKHR = (void *)ocl_d3d_no_object5,
    .clCreateFromD3D10Texture3DKHR = (void *)ocl_d3d_no_object5,
    .clEnqueueAcquireD3D10ObjectsKHR = (void *)ocl_d3d_no_objects,
    .clEnqueueReleaseD3D10ObjectsKHR = (void *)ocl_d3d_no_objects,
    .clSetEventCallback = clSetEventCallback,
    .clCreateSubBuffer = clCreateSubBuffer,
    .clSetMemObjectDestructorCallback = clSetMemObjectDestructorCallback,
    .clCreateUserEvent = clCreateUserEvent,
    .clSetUserEventStatus = clSetUserEventStatus,
    .clEnqueueReadBufferRect = clEnqueueReadBufferRect,
    .clEnqueueWriteBufferRect = clEnqueueWriteBufferRect,
    .clEnqueueCopyBufferRect = clEnqueueCopyBufferRect,
    .clCreateSubDevicesEXT = clCreateSubDevicesEXT,
    .clRetainDeviceEXT = clRetainDeviceEXT,
    .clReleaseDeviceEXT = clReleaseDeviceEXT,
    .clCreateEventFromGLsyncKHR = clCreateEventFromGLsyncKHR,
    .clCreateSubDevices = clCreateSubDevices,
    .clRetainDevice = clRetainDevice,
    .clReleaseDevice = clReleaseDevice,
    .clCreateImage = clCreateImage,
    .clCreateProgramWithBuiltInKernels = clCreateProgramWithBuiltInKernels,
    .clCompileProgram = clCompileProgram,
    .clLinkProgram = clLinkProgram,
    .clUnloadPlatformCompiler = clUnloadPlatformCompiler,
    .clGetKernelArgInfo = clGetKernelArgInfo,
    .clEnqueueFillBuffer = clEnqueueFillBuffer,
    .clEnqueueFillImage = clEnqueueFillImage,
    .clEnqueueMigrateMemObjects = clEnqueueMigrateMemObjects,
    .clEnqueueMarkerWithWaitList = clEnqueueMarkerWithWaitList,
    .clEnqueueBarrierWithWaitList = clEnqueueBarrierWithWaitList,
    .clGetExtensionFunctionAddressForPlatform = clGetExtensionFunctionAddressForPlatform,
    .clCreateFromGLTexture = clCreateFromGLTexture,
    .clGetDeviceIDsFromD3D11KHR = (void *)ocl_d3d_no_devices,
    .clCreateFromD3D11BufferKHR = (void *)ocl_d3d_no_object4,
    .clCreateFromD3D11Texture2DKHR = (void *)ocl_d3d_no_object5,
    .clCreateFromD3D11Texture3DKHR = (void *)ocl_d3d_no_object5,
    .clCreateFromDX9MediaSurfaceKHR = (void *)ocl_d3d_no_object6,
    .clEnqueueAcquireD3D11ObjectsKHR = (void *)ocl_d3d_no_objects,
    .clEnqueueReleaseD3D11ObjectsKHR = (void *)ocl_d3d_no_objects,
    .clGetDeviceIDsFromDX9MediaAdapterKHR = (void *)ocl_d3d_no_devices,
    .clEnqueueAcquireDX9MediaSurfacesKHR = (void *)ocl_d3d_no_objects,
    .clEnqueueReleaseDX9MediaSurfacesKHR = (void *)ocl_d3d_no_objects,
    .clCreateFromEGLImageKHR = clCreateFromEGLImageKHR,
    .clEnqueueAcquireEGLObjectsKHR = clEnqueueAcquireEGLObjectsKHR,
    .clEnqueueReleaseEGLObjectsKHR = clEnqueueReleaseEGLObjectsKHR,
    .clCreateEventFromEGLSyncKHR = clCreateEventFromEGLSyncKHR,
    .clCreateCommandQueueWithProperties = clCreateCommandQueueWithProperties,
    .clCreatePipe = clCreatePipe,
    .clGetPipeInfo = clGetPipeInfo,
    .clSVMAlloc = clSVMAlloc,
    .clSVMFree = clSVMFree,
    .clEnqueueSVMFree = clEnqueueSVMFree,
    .clEnqueueSVMMemcpy = clEnqueueSVMMemcpy,
    .clEnqueueSVMMemFill = clEnqueueSVMMemFill,
    .clEnqueueSVMMap = clEnqueueSVMMap,
    .clEnqueueSVMUnmap = clEnqueueSVMUnmap,
    .clCreateSamplerWithProperties = clCreateSamplerWithProperties,
    .clSetKernelArgSVMPointer = clSetKernelArgSVMPointer,
    .clSetKernelExecInfo = clSetKernelExecInfo,
    .clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfoKHR,
    .clCloneKernel = clCloneKernel,
    .clCreateProgramWithIL = clCreateProgramWithIL,
    .clEnqueueSVMMigrateMem = clEnqueueSVMMigrateMem,
    .clGetDeviceAndHostTimer = clGetDeviceAndHostTimer,
    .clGetHostTimer = clGetHostTimer,
    .clGetKernelSubGroupInfo = clGetKernelSubGroupInfo,
    .clSetDefaultDeviceCommandQueue = clSetDefaultDeviceCommandQueue,
    .clSetProgramReleaseCallback = clSetProgramReleaseCallback,
    .clSetProgramSpecializationConstant = clSetProgramSpecializationConstant,
    .clCreateBufferWithProperties = clCreateBufferWithProperties,
    .clCreateImageWithProperties = clCreateImageWithProperties,
    .clSetContextDestructorCallback = clSetContextDestructorCallback,
};

struct extension_function {
    const char *name;
    void *address;
};

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                                cl_uint *num_platforms);

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                                cl_uint *num_platforms)
{
    return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

EXPORTED CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *function_name)
{
    static const struct extension_function functions[] = {
        {"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
        {"clGetPlatformInfo", (void *)clGetPlatformInfo},
        {"clCreateCommandQueueWithPropertiesKHR", (void *)clCreateCommandQueueWithProperties},
        {"clGetKernelSuggestedLocalWorkSizeKHR", (void *)clGetKernelSuggestedLocalWorkSizeKHR},
        {"clGetKernelSubGroupInfoKHR", (void *)clGetKernelSubGroupInfoKHR},
        {"clGetImageRequirementsInfoEXT", (void *)ocl_get_image_requirements},
        {"clCreateProgramWithILKHR", (void *)clCreateProgramWithIL},
        {"clHostMemAllocINTEL", (void *)clHostMemAllocINTEL},
        {"clDeviceMemAllocINTEL", (void *)clDeviceMemAllocINTEL},
        {"clSharedMemAllocINTEL", (void *)clSharedMemAllocINTEL},
        {"clMemFreeINTEL", (void *)clMemFreeINTEL},
        {"clMemBlockingFreeINTEL", (void *)clMemBlockingFreeINTEL},
        {"clGetMemAllocInfoINTEL", (void *)clGetMemAllocInfoINTEL},
        {"clSetKernelArgMemPointerINTEL", (void *)clSetKernelArgMemPointerINTEL},
        {"clEnqueueMemFillINTEL", (void *)clEnqueueMemFillINTEL},
        {"clEnqueueMemcpyINTEL", (void *)clEnqueueMemcpyINTEL},
        {"clEnqueueMigrateMemINTEL", (void *)clEnqueueMigrateMemINTEL},
        {"clEnqueueMemAdviseINTEL", (void *)clEnqueueMemAdviseINTEL},
        {"clSetKernelArgDevicePointerEXT", (void *)clSetKernelArgDevicePointerEXT},
    };
    for (size_t i = 0; function_name && i < ARRAY_LENGTH(functions); i++) {
        if (strcmp(functions[i].name, function_name) == 0)
            return functions[i].address;
    }
    return function_name ? ocl_command_buffer_function(function_name) : NULL;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                        const char *function_name)
{
    if (!ocl_is(platform, OCL_PLATFORM))
        return NULL;
    return clGetExtensionFunctionAddress(function_name);
}
