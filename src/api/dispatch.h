/* The dispatch table that every object begins with, as this library lays it out. */
#ifndef SRC_API_DISPATCH_H
#define SRC_API_DISPATCH_H

#include "src/device/object.h"

struct ocl_dispatch_table {
    cl_icd_dispatch entries;
#ifndef OCL_HEADERS_HAVE_31
    cl_int(CL_API_CALL *clGetKernelSuggestedLocalWorkSize)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                                           const size_t *, size_t *);
#endif
};

/* Of a process that is traced (traced.c), and of one whose calls are checked (checked.c). */
extern const struct ocl_dispatch_table ocl_traced_dispatch, ocl_checked_dispatch;
/* The wrapper of the entry point that is at the address, or that is handed out by that name; the address
 * itself where there is none. */
void *ocl_traced_function(const char *name, void *address);
void *ocl_checked_function(const char *name, void *address);

/* An entry point and its wrapper. */
struct wrapped_function {
    const char *name;
    void *address; /* NULL: static elsewhere */
    void *wrapper;
    void **original; /* what the wrapper calls */
};
void *ocl_find_wrapper(const struct wrapped_function *functions, size_t count, const char *name, void *address);

#endif
