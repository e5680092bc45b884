/* What a program's build options say to what makes code of it: a program holds them, its binaries too, and lowering
 * reads them. */
#ifndef COMPILER_PROGRAM_FLAGS_H
#define COMPILER_PROGRAM_FLAGS_H

/* Beyond what the module itself holds (FPFastMathMode, ContractionOff). */
enum {
    PROGRAM_DENORMS_ARE_ZERO = 1,
    PROGRAM_CORRECT_DIVIDE_SQRT = 2,
    PROGRAM_MAD_ENABLE = 4,
    PROGRAM_FAST_RELAXED = 8,
    PROGRAM_FINITE_ONLY = 16,
    PROGRAM_UNSAFE_MATH = 32,
    PROGRAM_NO_SIGNED_ZEROS = 64,
    PROGRAM_OPT_DISABLE = 128,
    PROGRAM_UNIFORM_WORK_GROUP_SIZE = 256,
    PROGRAM_LINK_OPTIONS = 512,     /* a library that a later link's options may change (-enable-link-options) */
    PROGRAM_ENQUEUE_DETAILS = 1024, /* -g: enqueue_kernel() says what went wrong (OpenCL C 3.0, 6.15.19.1) */
    PROGRAM_FOREIGN = 2048,         /* all of it came as SPIR-V */
    PROGRAM_ALL_FLAGS = 4095,
};

#endif
