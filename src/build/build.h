/* Building programs. */
#ifndef SRC_BUILD_BUILD_H
#define SRC_BUILD_BUILD_H

#include "src/object/program.h"

struct ocl_build_request {
    const char *options; /* never NULL */
    bool compile_only;
    cl_uint num_headers;
    const cl_program *headers;
    const char **header_names;
};

cl_int ocl_program_build(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                         const struct ocl_build_request *request);
/* CL_INVALID_OPERATION: another thread built one of the inputs anew meanwhile, and it is no object any more. */
cl_int ocl_program_link(cl_program program, const char *options, cl_uint num_inputs, const cl_program *inputs);

#endif
