/* The door: the dispatch table that every object carries, and the functions that the library exports.
 *
 * An ICD loader finds clGetExtensionFunctionAddress and clIcdGetPlatformIDsKHR, asks each platform for its name, and
 * calls everything else through the table that the objects begin with (cl_khr_icd). Every entry is a function: a loader
 * does not check for NULL. A loader of cl_khr_icd 2 recognises the two tags in the table, asks for each function by its
 * name, and gives all objects a second pointer of its own. Older ones never call what the tags stand for.
 *
 * Asking for the platform's extensions means to look for devices: the list is what all of them offer. Loaders ask in
 * every process that links OpenCL, so the exported clGetPlatformInfo, which only loaders find, answers that without
 * Vulkan. */
#include "src/api/dispatch.h"
#include "src/api/functions.h"
#include "src/api/interop.h"
#include "src/api/queries.h"
#include "src/check/check.h"
#include "src/checked/checked.h"
#include "src/device/device.h"
#include "src/device/object.h"
#include "src/object/pointer.h"

#include "base/trace.h"
#include "base/util.h"

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static const struct ocl_dispatch_table dispatch = {
    .entries =
        {
#define TAG(name)                .name = (void *)OCL_ICD2_TAG,
#define ENTRY(name)              .name = name,
#define ENTRY_AS(name, function) .name = (void *)function,
#include "src/api/dispatch.def"
#undef TAG
#undef ENTRY
#undef ENTRY_AS
#ifdef OCL_HEADERS_HAVE_31
            .clGetKernelSuggestedLocalWorkSize = clGetKernelSuggestedLocalWorkSize,
#endif
        },
#ifndef OCL_HEADERS_HAVE_31
    .clGetKernelSuggestedLocalWorkSize = clGetKernelSuggestedLocalWorkSize,
#endif
};

__attribute__((constructor)) static void give_dispatch(void)
{
    bool checked = check_on(CHECK_CALLS);
    ocl_set_dispatch(&dispatch, checked ? &ocl_checked_dispatch : trace_enabled() ? &ocl_traced_dispatch : &dispatch);
    if (checked)
        checked_start();
}

/* What such a process is given in place of the function. */
static void *watched(const char *name, void *address)
{
    if (check_on(CHECK_CALLS))
        return ocl_checked_function(name, address);
    return trace_enabled() ? ocl_traced_function(name, address) : address;
}

struct named_function {
    const char *name;
    void *address;
};

static void *find_function(const struct named_function *functions, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].address;
    }
    return NULL;
}

/* The extensions' headers declare these, where they are new enough. */
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                                cl_uint *num_platforms);
EXPORTED CL_API_ENTRY void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
                                                                              const char *func_name);
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data);

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                                cl_uint *num_platforms)
{
    return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

/* The entry of the dispatch table is ocl_get_platform_info(). In libpumice.so only loaders find this name; libOpenCL.so
 * has no loader in front of it, and applications call it. */
#ifdef OCL_WITHOUT_LOADER
enum { LOOKS_FOR_DEVICES = true };
#else
enum { LOOKS_FOR_DEVICES = false };
#endif

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                                                           size_t param_value_size, void *param_value,
                                                           size_t *param_value_size_ret)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_out out = OCL_OUT_INIT;
    return ocl_platform_query(platform, param_name, LOOKS_FOR_DEVICES, &out);
}

/* cl_khr_icd 2: every function that the loader may put into the tables that it makes itself. */
EXPORTED CL_API_ENTRY void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
                                                                              const char *func_name)
{
    static const struct named_function functions[] = {
        {"clGetPlatformIDs", (void *)clGetPlatformIDs},
        {"clUnloadCompiler", (void *)clUnloadCompiler},
#define TAG(name)
#define ENTRY(name)              {#name, (void *)name},
#define ENTRY_AS(name, function) {#name, (void *)function},
#include "src/api/dispatch.def"
#undef TAG
#undef ENTRY
#undef ENTRY_AS
        {"clGetKernelSuggestedLocalWorkSize", (void *)clGetKernelSuggestedLocalWorkSize},
    };
    if (!ocl_is(platform, OCL_PLATFORM) || !func_name)
        return NULL;
    void *address = find_function(functions, ARRAY_LENGTH(functions), func_name);
    if (!address)
        return clGetExtensionFunctionAddress(func_name);
    return watched(func_name, address);
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data)
{
    if (!ocl_is(platform, OCL_PLATFORM))
        return ocl_error(NULL, CL_INVALID_PLATFORM, "not a platform of Pumice");
    ocl_platform_set_dispatch_data(dispatch_data);
    return CL_SUCCESS;
}

EXPORTED CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *function_name)
{
    static const struct named_function functions[] = {
        {"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
        {"clIcdGetFunctionAddressForPlatformKHR", (void *)clIcdGetFunctionAddressForPlatformKHR},
        {"clIcdSetPlatformDispatchDataKHR", (void *)clIcdSetPlatformDispatchDataKHR},
        {"clGetPlatformInfo", (void *)clGetPlatformInfo},
        {"clCreateCommandQueueWithPropertiesKHR", (void *)clCreateCommandQueueWithProperties},
        {"clGetKernelSuggestedLocalWorkSizeKHR", (void *)clGetKernelSuggestedLocalWorkSizeKHR},
        {"clGetKernelSubGroupInfoKHR", (void *)clGetKernelSubGroupInfoKHR},
        {"clGetImageRequirementsInfoEXT", (void *)ocl_get_image_requirements},
        {"clCreateProgramWithILKHR", (void *)clCreateProgramWithIL},
        {"clTerminateContextKHR", (void *)clTerminateContextKHR},
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
        {"clEnqueueAcquireExternalMemObjectsKHR", (void *)ocl_enqueue_acquire_external},
        {"clEnqueueReleaseExternalMemObjectsKHR", (void *)ocl_enqueue_release_external},
    };
    if (!function_name)
        return NULL;
    void *address = find_function(functions, ARRAY_LENGTH(functions), function_name);
    if (!address)
        address = ocl_command_buffer_function(function_name);
    if (!address)
        address = ocl_cooperative_matrix_function(function_name);
    if (!address)
        address = ocl_gl_function(function_name);
    if (!address)
        address = ocl_egl_function(function_name);
    if (!address)
        address = ocl_va_function(function_name);
    if (!address)
        address = ocl_semaphore_function(function_name);
    if (!address)
        address = ocl_unified_svm_function(function_name);
    if (!address)
        address = ocl_svm_arm_function(function_name);
    if (!address)
        address = ocl_memory_vendor_function(function_name);
    return address ? watched(function_name, address) : NULL;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                        const char *function_name)
{
    if (!ocl_is(platform, OCL_PLATFORM))
        return NULL;
    return clGetExtensionFunctionAddress(function_name);
}
