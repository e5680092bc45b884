/* Entry points of cl_arm_shared_virtual_memory 1.0: SVM as OpenCL 2.0 has it, for programs of OpenCL 1.2. Flags and
 * capabilities have the same bits; the numbers of commands and of kernels' information differ. */
#include "src/api/functions.h"
#include "src/api/svm.h"

#include "base/util.h"

#include <string.h>

static CL_API_ENTRY cl_int CL_API_CALL free_arm(cl_command_queue queue, cl_uint num_svm_pointers, void *svm_pointers[],
                                                void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[],
                                                                                 void *),
                                                void *user_data, cl_uint num_events_in_wait_list,
                                                const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_FREE_ARM, false);
    call.function = "clEnqueueSVMFreeARM";
    return ocl_svm_free(&call, num_svm_pointers, svm_pointers, pfn_free_func, user_data);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_arm(cl_command_queue queue, cl_bool blocking_copy, void *dst_ptr,
                                                const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                                                const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_MEMCPY_ARM, blocking_copy);
    call.function = "clEnqueueSVMMemcpyARM";
    return ocl_svm_copy(&call, dst_ptr, src_ptr, size);
}

static CL_API_ENTRY cl_int CL_API_CALL fill_arm(cl_command_queue queue, void *svm_ptr, const void *pattern,
                                                size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                                const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_MEMFILL_ARM, false);
    call.function = "clEnqueueSVMMemFillARM";
    return ocl_svm_fill(&call, svm_ptr, pattern, pattern_size, size);
}

static CL_API_ENTRY cl_int CL_API_CALL map_arm(cl_command_queue queue, cl_bool blocking_map, cl_map_flags flags,
                                               void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_MAP_ARM, blocking_map);
    call.function = "clEnqueueSVMMapARM";
    return ocl_svm_map(&call, flags, svm_ptr, size);
}

static CL_API_ENTRY cl_int CL_API_CALL unmap_arm(cl_command_queue queue, void *svm_ptr, cl_uint num_events_in_wait_list,
                                                 const cl_event *event_wait_list, cl_event *event)
{
    FLOAT_ENV_DEFAULT();
    struct ocl_call call = OCL_CALL(CL_COMMAND_SVM_UNMAP_ARM, false);
    call.function = "clEnqueueSVMUnmapARM";
    return ocl_svm_unmap(&call, svm_ptr);
}

static CL_API_ENTRY cl_int CL_API_CALL exec_info_arm(cl_kernel kernel, cl_uint param_name, size_t param_value_size,
                                                     const void *param_value)
{
    FLOAT_ENV_DEFAULT();
    /* Numbers of other extensions keep their meaning. */
    param_name = param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS_ARM ? CL_KERNEL_EXEC_INFO_SVM_PTRS
                 : param_name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM_ARM
                     ? CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
                     : param_name;
    return clSetKernelExecInfo(kernel, param_name, param_value_size, param_value);
}

void *ocl_svm_arm_function(const char *name)
{
    static const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"clSVMAllocARM", (void *)clSVMAlloc},
        {"clSVMFreeARM", (void *)clSVMFree},
        {"clEnqueueSVMFreeARM", (void *)free_arm},
        {"clEnqueueSVMMemcpyARM", (void *)copy_arm},
        {"clEnqueueSVMMemFillARM", (void *)fill_arm},
        {"clEnqueueSVMMapARM", (void *)map_arm},
        {"clEnqueueSVMUnmapARM", (void *)unmap_arm},
        {"clSetKernelArgSVMPointerARM", (void *)clSetKernelArgSVMPointer},
        {"clSetKernelExecInfoARM", (void *)exec_info_arm},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].address;
    }
    return NULL;
}
