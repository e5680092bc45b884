/* Entries of the dispatch table that the headers know only as void * (api_interop.c). */
#ifndef SRC_INTEROP_H
#define SRC_INTEROP_H

#include "src/object.h"

cl_int ocl_d3d_no_devices(void);
/* clCreateFrom*: by the number of parameters, the last of which is errcode_ret */
void *ocl_d3d_no_object4(cl_context context, cl_mem_flags flags, void *resource, cl_int *errcode_ret);
void *ocl_d3d_no_object5(cl_context context, cl_mem_flags flags, void *resource, cl_uint sub, cl_int *errcode_ret);
void *ocl_d3d_no_object6(cl_context context, cl_mem_flags flags, cl_uint type, void *info, cl_uint plane,
                         cl_int *errcode_ret);
cl_int ocl_d3d_no_objects(cl_command_queue queue);

#endif
