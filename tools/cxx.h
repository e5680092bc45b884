/* `pumice c++`: OpenCL C++ to SPIR-V, by the system's clang and our library of headers. */
#ifndef TOOLS_CXX_H
#define TOOLS_CXX_H

#include <stddef.h>
#include <stdint.h>

/* argv[0] is "c++". Exit code: 0 compiled, 1 the source is wrong, 2 bad usage or file, 77 no clang here. */
int cxx_main(int argc, char **argv);

/* Gives the module what clang cannot say: kernel parameters that are pointer classes become pointers, and objects of
 * cl::spec_constant become specialisation constants. Returns a new module of *count words (the caller frees it), or
 * NULL: the words are no module, or no memory is left. */
uint32_t *cxx_finish_module(const uint32_t *words, size_t *count);

#endif
