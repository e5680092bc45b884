/* What the entry points of SVM do, for those of vendors' extensions that do the same under other names. The call's
 * function names the entry point in messages. */
#ifndef SRC_API_SVM_H
#define SRC_API_SVM_H

#include "src/command/command.h"

cl_int ocl_svm_free(const struct ocl_call *call, cl_uint num_svm_pointers, void *svm_pointers[],
                    void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *), void *user_data);
cl_int ocl_svm_copy(const struct ocl_call *call, void *dst_ptr, const void *src_ptr, size_t size);
cl_int ocl_svm_fill(const struct ocl_call *call, void *svm_ptr, const void *pattern, size_t pattern_size, size_t size);
cl_int ocl_svm_map(const struct ocl_call *call, cl_map_flags flags, void *svm_ptr, size_t size);
cl_int ocl_svm_unmap(const struct ocl_call *call, void *svm_ptr);
#endif
