/* cl_khr_unified_svm 0.9.0, which systems' headers lack (api/unified_svm.c). */
#ifndef SRC_UNIFIED_SVM_H
#define SRC_UNIFIED_SVM_H

#include "src/device/object.h"

#define OCL_PLATFORM_SVM_TYPE_CAPABILITIES       0x0909
#define OCL_DEVICE_SVM_TYPE_CAPABILITIES         0x1077
#define OCL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS 0x11BB

/* CL_INVALID_VALUE: it is another query. */
cl_int ocl_unified_svm_device_info(cl_device_id device, cl_device_info name, const struct ocl_out *out);
cl_int ocl_unified_svm_platform_info(cl_platform_info name, const struct ocl_out *out);
/* The entry points by their names; NULL: it is none of them. */
void *ocl_unified_svm_function(const char *name);

#endif
