/* `pumice c++`: OpenCL C++ to SPIR-V, by the system's clang and our library of headers. */
#ifndef TOOLS_CXX_H
#define TOOLS_CXX_H

/* argv[0] is "c++". Exit code: 0 compiled, 1 the source is wrong, 2 bad usage or file, 77 no clang here. */
int cxx_main(int argc, char **argv);

#endif
