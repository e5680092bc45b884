/* A call in a header, as programs have that wrap the API: it is named by the header's line. The function comes first in its
 * file, where DWARF 5 makes the header number 1, which addr2line of binutils 2.40 takes for the file itself. */
#include <CL/cl.h>

static __attribute__((noinline)) cl_kernel make_kernel_in_header(cl_program of, const char *name)
{
    cl_kernel kernel = clCreateKernel(of, name, NULL);
    return kernel;
}
