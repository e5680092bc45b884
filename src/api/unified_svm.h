/* cl_khr_unified_svm 0.9.0, which systems' headers lack (api/unified_svm.c). */
#ifndef SRC_API_UNIFIED_SVM_H
#define SRC_API_UNIFIED_SVM_H

#include "src/device/object.h"

#define OCL_PLATFORM_SVM_TYPE_CAPABILITIES       0x0909
#define OCL_DEVICE_SVM_TYPE_CAPABILITIES         0x1077
#define OCL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS 0x11BB

#endif
