// C99, 6.10.8: what headers for hosts and devices look for to know whose attributes there are; clang's compilers all have it
__clang__ __GNUC__ __GNUC_MINOR__ __GNUC_PATCHLEVEL__ __llvm__
#if __clang_major__ >= 15 && defined(__clang_minor__) && defined(__clang_patchlevel__)
version
#endif
// expect:
// 1 4 2 1 1
// version
