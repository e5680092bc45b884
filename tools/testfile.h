/* Test files: OpenCL C with directives in //! comments. One file holds several tests; what stands before the first "//!
 * test:" is common to all of them, and each test is compiled with that text and its own paragraph only.
 *
 *     //! test: add                        starts a test; the kernel has this name unless "kernel:" says otherwise
 *     //! kernel: name
 *     //! options: -cl-std=CL3.0           build options
 *     //! require: fp64 images cl_khr_fp16 >=3.0    device features (__opencl_c_* too); the test is skipped without
 * them. >=N: an OpenCL C version. __opencl_c_device_enqueue brings a default queue on the device
 *     //! global: 16 1 1                   NDRange (default 1); "offset:" and "local:" likewise; the test is skipped
 * where no work-group is as large
 *     //! buffer out int[16] = 0           kernel arguments, in order: a buffer with its contents,
 *     //! value a float4 = 1 2 3 4         a value passed by clSetKernelArg,
 *     //! local tmp 256                    bytes of local memory
 *     //! null p                           a null pointer
 *     //! expect out = 0..15               contents of a buffer afterwards; may be followed by "ulp N" or "abs X"
 *     //! print = "text\n"                 what printf wrote, exactly
 *     //! build: fails "part of the log"   compiling gives CL_BUILD_PROGRAM_FAILURE, and the log has this text
 *     //! todo: llvmpipe reason            expected to fail on devices (or platforms) whose name has this word; success
 * is then an error
 *
 * Types are OpenCL's scalars and vectors (char2, ulong, half, double16...). Values are separated by blanks: 5, -3,
 * 0x1f, 1.5, 0x1p-3, nan, inf; A..B counts up; V*N repeats; the list is repeated to fill the buffer. In "expect", nan
 * matches any NaN, and _ matches anything. A buffer's elements that are _ are written by nobody. */
#ifndef TOOLS_TESTFILE_H
#define TOOLS_TESTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scalar {
    SCALAR_CHAR,
    SCALAR_UCHAR,
    SCALAR_SHORT,
    SCALAR_USHORT,
    SCALAR_INT,
    SCALAR_UINT,
    SCALAR_LONG,
    SCALAR_ULONG,
    SCALAR_HALF,
    SCALAR_FLOAT,
    SCALAR_DOUBLE,
    SCALAR_COUNT
};

enum test_arg_kind { TEST_ARG_BUFFER, TEST_ARG_VALUE, TEST_ARG_LOCAL, TEST_ARG_NULL };

enum { MAX_TEST_ARGS = 32, MAX_TEST_LINE = 65536 };

/* Elements as stored (3-vectors have 4 lanes), with what is expected of them. */
struct test_data {
    enum scalar scalar;
    uint32_t lanes; /* stored per vector: 1, 2, 4, 8, 16 */
    size_t count;   /* scalars in all */
    uint8_t *bytes; /* count * scalar size; malloc'ed */
    uint8_t *any;   /* per scalar: 1 matches anything; malloc'ed */
};

struct test_arg {
    enum test_arg_kind kind;
    char name[64];
    struct test_data data; /* BUFFER, VALUE */
    size_t local_bytes;    /* LOCAL */
    bool expected;         /* expect is set */
    struct test_data expect;
    double ulp, absolute; /* tolerance; 0: equal (a NaN equals a NaN, +0 does not equal -0) */
};

struct test_case {
    char name[64], kernel[64];
    char options[1024], require[512], todo[256];
    char *source; /* common text and this paragraph, with #line; malloc'ed */
    size_t global[3], local[3], offset[3];
    bool has_local, has_offset;
    uint32_t dimensions;
    struct test_arg args[MAX_TEST_ARGS];
    uint32_t num_args;
    bool build_fails;
    char log_part[256];
    bool has_print;
    char print[2048];
    uint32_t line;
};

struct test_file {
    struct test_case *cases; /* malloc'ed */
    uint32_t num_cases;
};

size_t scalar_size(enum scalar scalar);

/* Reads and parses; on an error prints path:line: message and returns false. */
bool test_file_read(const char *path, struct test_file *file);
void test_file_free(struct test_file *file);

/* Compares what a buffer holds with what is expected; prints the first few differences after this prefix. Returns how
 * many differ. */
size_t test_data_compare(const struct test_arg *arg, const uint8_t *actual, const char *prefix);

/* Runs a file's tests on each device of the platforms whose name has platform (NULL: all), or those only whose name has
 * filter or, with whole_name, is it. */
struct test_totals {
    uint32_t passed, failed, skipped, todo;
};
struct run_options {
    const char *platform, *device, *filter;
    bool whole_name;
    bool verbose;
};
bool test_file_run(const struct test_file *file, const char *path, const struct run_options *options,
                   struct test_totals *totals);

#endif
