/* What the chapters of memory objects have in common. */
#ifndef SRC_API_MEMORY_H
#define SRC_API_MEMORY_H

#include "src/object/memory.h"

struct ocl_call;

/* OpenCL 3.0 API, table 14: what contradicts itself or is not among allowed. */
cl_int ocl_mem_check_flags(const char *function, cl_context context, cl_mem_flags flags, cl_mem_flags allowed);
/* The flags of objects over another API's, which say what kernels do and nothing else. 0 becomes CL_MEM_READ_WRITE. */
cl_int ocl_mem_check_access(const char *function, cl_context context, cl_mem_flags *flags);
/* OpenCL 3.0 API, 5.2.1: what a part of an object does not say it inherits, and it may not ask for more. */
cl_int ocl_mem_inherit_flags(cl_mem parent, cl_mem_flags *flags);
/* cl_ext_immutable_memory_objects: an object that nothing may write is made with its contents, or of another. */
cl_int ocl_mem_check_source(const char *function, cl_context context, cl_mem_flags flags, bool has_source);
/* What a command may not write: CL_INVALID_OPERATION. */
cl_int ocl_mem_check_written(const char *function, cl_mem mem);

/* clCreateBufferWithProperties and clEnqueueMigrateMemObjects under another name. in_place: what lies at host_ptr is to
 * be the buffer itself, where it can. */
cl_mem ocl_create_buffer(const char *function, cl_context context, const cl_mem_properties *properties,
                         cl_mem_flags flags, size_t size, void *host_ptr, bool in_place, cl_int *errcode_ret);
cl_int ocl_mem_migrate(const struct ocl_call *call, cl_uint num_mem_objects, const cl_mem *mem_objects,
                       cl_mem_migration_flags flags);

#endif
