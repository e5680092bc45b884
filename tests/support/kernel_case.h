/* A case of tests/il and tests/cxx: a module of SPIR-V, the kernels of it that run, and what a buffer of 64 numbers
 * holds afterwards. A case is said in comments, one directive a line:
 *
 *     expect: 1 2 3            what the buffer holds, from its start
 *     begin: 5                 each of the buffer's numbers at first (0)
 *     expect-float: 1.5        likewise, floats, to 4 parts in a million
 *     size: 4                  work-items, all in one work-group (1)
 *     global: 64               work-items in all, work-groups of `size`
 *     local: 4 2 1             CL_KERNEL_COMPILE_WORK_GROUP_SIZE; the kernel runs as one work-group of it
 *     hint: 4 2 1              CL_KERNEL_ATTRIBUTES has work_group_size_hint of it
 *     sub-groups: 2            CL_KERNEL_COMPILE_NUM_SUB_GROUPS; the kernel runs as one work-group of whatever size
 *     spec: ID VALUE           clSetProgramSpecializationConstant, of 32 bits
 *     image: NAME KIND ORDER TYPE WIDTH HEIGHT DEPTH
 *                              texel i has the components 4i, 4i+1, 4i+2, 4i+3 in its type (a quarter of that in
 *                              floats, 8 less in ints). KIND: 1d 2d 3d 1d-array 2d-array buffer; ORDER: rgba r depth;
 *                              TYPE: float int uint unorm8
 *     sampler: NAME COORDINATES ADDRESS FILTER
 *                              COORDINATES: normalized unnormalized; ADDRESS: none edge clamp repeat mirrored;
 *                              FILTER: nearest linear
 *     pipe: NAME SIZE PACKETS  a pipe
 *     queue: NAME              the default queue on the device
 *     run: KERNEL NAME...      a kernel with its arguments; `out` is the buffer. Several run in order (k out)
 *     finish: 1                the program is released before the buffer is read
 *     refuse-build: WORDS      the build fails, and its log has these words
 *     extension: NAME          that is so where the device lacks this extension; elsewhere it runs
 *
 * Uses the OpenCL API only. */
#ifndef TESTS_SUPPORT_KERNEL_CASE_H
#define TESTS_SUPPORT_KERNEL_CASE_H

#include "opencl.h"

enum { CASE_NUMBERS = 64, CASE_OBJECTS = 8, CASE_RUNS = 8, CASE_WORDS = 12, CASE_WORD = 32 };

enum case_object_kind { CASE_IMAGE, CASE_SAMPLER, CASE_PIPE, CASE_QUEUE };

struct case_object {
    enum case_object_kind kind;
    char name[CASE_WORD], words[3][CASE_WORD]; /* as in the directive */
    size_t sizes[3];
};

struct kernel_case {
    char name[128], refuse_build[256], extension[64];
    cl_uint numbers[CASE_NUMBERS];
    size_t count, size, global, local[3], hint[3], sub_groups;
    bool floats, finish;
    cl_uint begin, spec_id, spec_value;
    struct case_object objects[CASE_OBJECTS];
    size_t num_objects;
    char runs[CASE_RUNS][CASE_WORDS][CASE_WORD]; /* a kernel and its arguments; "" ends both lists */
    size_t num_runs;
};

void kernel_case_init(struct kernel_case *c, const char *name);
/* The text behind a comment's mark. false: a directive that is none of these; it is not touched. */
bool kernel_case_read(struct kernel_case *c, const char *text);
/* Builds and runs it, and with `relink` also what clCompileProgram and clLinkProgram make of it. Failures are printed;
 * returns how many there were. What the device lacks is skipped with a word. */
int kernel_case_test(const struct kernel_case *c, const struct test_device *opened, const void *il, size_t size,
                     bool relink);

#endif
