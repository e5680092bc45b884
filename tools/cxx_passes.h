/* The passes of `pumice c++` over a module that llvm-spirv wrote, in their order. Each returns a new module of *count
 * words, which the caller frees; NULL: the words are no module, no memory is left, or *message says in one sentence
 * what the source may not do. */
#ifndef TOOLS_CXX_PASSES_H
#define TOOLS_CXX_PASSES_H

#include <stddef.h>
#include <stdint.h>

enum { CXX_MESSAGE = 512 };

/* cxx_kernels.c: one function per kernel */
uint32_t *cxx_unwrap_kernels(const uint32_t *words, size_t *count, char message[CXX_MESSAGE]);
/* cxx_handles.c: images, samplers, pipes and other opaque types */
uint32_t *cxx_open_handles(const uint32_t *words, size_t *count, char message[CXX_MESSAGE]);
/* cxx_structors.c: destructors at program scope */
uint32_t *cxx_collect_destructors(const uint32_t *words, size_t *count, char message[CXX_MESSAGE]);
/* cxx_module.c: kernel parameters of pointer classes, specialisation constants */
uint32_t *cxx_complete_module(const uint32_t *words, size_t *count, char message[CXX_MESSAGE]);
/* cxx_sizes.c: sizes of work-groups that kernels ask for */
uint32_t *cxx_set_sizes(const uint32_t *words, size_t *count, char message[CXX_MESSAGE]);

/* cxx_attributes.c, before clang: the source with [[cl::...]] in words that clang knows, malloc'ed. NULL: there are
 * none, no memory is left, or the message says what is wrong. */
char *cxx_rewrite_attributes(const char *text, size_t size, char message[CXX_MESSAGE]);

#endif
