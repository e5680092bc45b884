/* Vendors' names for what api/memory.c does (api/memory_vendor.c). */
#ifndef SRC_MEMORY_VENDOR_H
#define SRC_MEMORY_VENDOR_H

#include "src/device/object.h"

struct ocl_call;

/* clCreateBufferWithProperties and clEnqueueMigrateMemObjects under another name (api/memory.c). */
cl_mem ocl_create_buffer(const char *function, cl_context context, const cl_mem_properties *properties,
                         cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret);
cl_int ocl_mem_migrate(const struct ocl_call *call, cl_uint num_mem_objects, const cl_mem *mem_objects,
                       cl_mem_migration_flags flags);
/* The entry points by their names; NULL: it is none of them. */
void *ocl_memory_vendor_function(const char *name);

#endif
