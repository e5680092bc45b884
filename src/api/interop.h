/* Entries of the dispatch table that the headers lack, or know only as void * (api/interop.c). */
#ifndef SRC_API_INTEROP_H
#define SRC_API_INTEROP_H

#include "src/device/object.h"

/* cl_khr_icd 2: in the dispatch table in place of functions that only the loader has. */
#define OCL_ICD2_TAG (sizeof(void *) == 4 ? (uintptr_t)0x434C3331 : (uintptr_t)UINT64_C(0x4F50454E434C3331))

/* OpenCL 3.1; visible like the functions that the headers declare (object.h) */
__attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSize(
    cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
    const size_t *global_work_size, size_t *suggested_local_work_size);

cl_int ocl_d3d_no_devices(void);
/* clCreateFrom*: by the number of parameters, the last of which is errcode_ret */
void *ocl_d3d_no_object4(cl_context context, cl_mem_flags flags, void *resource, cl_int *errcode_ret);
void *ocl_d3d_no_object5(cl_context context, cl_mem_flags flags, void *resource, cl_uint sub, cl_int *errcode_ret);
void *ocl_d3d_no_object6(cl_context context, cl_mem_flags flags, cl_uint type, void *info, cl_uint plane,
                         cl_int *errcode_ret);
cl_int ocl_d3d_no_objects(cl_command_queue queue);

#endif
