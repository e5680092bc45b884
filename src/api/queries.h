/* Answers of clGetDeviceInfo and clGetPlatformInfo, in parts. */
#ifndef SRC_API_QUERIES_H
#define SRC_API_QUERIES_H

#include "src/device/device.h"

/* clGetPlatformInfo. look: whether the answer may cost looking for devices. */
cl_int ocl_platform_query(cl_platform_id platform, cl_platform_info name, bool look, const struct ocl_out *out);
cl_int CL_API_CALL ocl_get_platform_info(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                                         void *param_value, size_t *param_value_size_ret);

cl_int ocl_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
/* Parts of it, each CL_INVALID_VALUE where the question is about something else: vendors' extensions, command buffers,
 * cooperative matrices, unified SVM. */
cl_int ocl_device_vendor_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
cl_int ocl_command_buffer_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
cl_int ocl_cooperative_matrix_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
cl_int ocl_unified_svm_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
cl_int ocl_unified_svm_platform_info(cl_platform_info name, const struct ocl_out *out);

#endif
