/* `pumice bench`: every OpenCL device of the machine side by side. This header is what its parts share: a device, how
 * launches on it are timed, and the table of results. The parts use the OpenCL API only. Not thread-safe. */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION          300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, clCreateSampler: old drivers have no others */
#endif
#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>

/* argv[0] is "bench". Exit code: 0 done, 1 a file cannot be read or written, 2 bad usage, 77 there is no device. */
int bench_main(int argc, char **argv);

enum { MAX_DEVICES = 16, MAX_ROWS = 1024, RUNS = 5 };

struct bench_device {
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue; /* in order */
};

struct bench {
    struct bench_device cl;
    bool is_cpu;
    int index;                             /* its column */
    unsigned platform_index, device_index; /* among what the loader lists */
    char name[64];                         /* of the column */
};

/* ---- the table of results (bench_table.c) ---- */

struct bench_column {
    char platform[128], device[256], driver[256], version[256];
};

struct bench_row {
    char suite[16];
    char name[80]; /* "what, unit"; a unit that begins with ns, us or ms is better when it is lower, others when higher
                    */
    double values[MAX_DEVICES]; /* < 0: not measured, or it failed */
};

struct bench_table {
    struct bench_column columns[MAX_DEVICES];
    struct bench_row *rows;
    int num_columns, num_rows, capacity;
};

bool bench_lower_is_better(const struct bench_row *row);
/* How many times as good as the first column's a value is; < 0: cannot be said. */
double bench_ratio(const struct bench_row *row, int column);
/* Adds the value to its row, which is made where there is none yet. False: no memory. */
bool bench_table_put(struct bench_table *table, const char *suite, const char *name, int column, double value);
void bench_table_print(const struct bench_table *table, FILE *out);
bool bench_table_write_json(const struct bench_table *table, FILE *out);
void bench_table_finish(struct bench_table *table);

/* bench_compare.c: reads what bench_table_write_json() wrote. False, and a message on stderr: it is not such a file. */
bool bench_table_read_json(struct bench_table *table, const char *path);
/* The columns of both, device by device in their order: how many times as good b is. */
void bench_table_compare(const struct bench_table *a, const struct bench_table *b, FILE *out);

/* bench_plot.c: a bar chart of the ratios beside the first column, as SVG. */
bool bench_table_plot(const struct bench_table *table, FILE *out);

/* ---- measuring (bench.c) ---- */

/* Whether the user asked for it (--only); say so before the work is done. */
bool bench_wanted(const char *name);
void bench_record(struct bench *bench, const char *suite, const char *name, double value);
/* What is being measured, on stderr where that is a terminal. */
void bench_progress(const struct bench *bench, const char *suite, const char *name);
double bench_now(void); /* seconds */
/* Whether the device's list of extensions has this name in it. */
bool bench_has_extension(const struct bench *bench, const char *name);
/* NULL where it does not build */
cl_program bench_program(struct bench *bench, const char *source, const char *options, double *seconds);
/* The best wall-clock seconds of one launch that is waited for; < 0: it fails. */
double bench_time_launch(struct bench *bench, cl_kernel kernel, size_t global);
/* The same with a local size; NULL: any. */
double bench_time_groups(struct bench *bench, cl_kernel kernel, size_t global, const size_t *local);
cl_mem bench_buffer(struct bench *bench, size_t size);

/* ---- the suites; each measures one device ---- */

/* launch: with the build of these kernels; memory: copies and transfers; compute: arithmetic and some functions */
void bench_basic(struct bench *bench, bool launch, bool memory, bool compute);
/* memory, too: SVM and USM; copy is the copy kernel */
void bench_shared(struct bench *bench, cl_kernel copy);
/* launch: when commands start, what a process costs; memory: pinned memory, copies beside kernels */
void bench_path(struct bench *bench, bool launch, bool memory);
/* What a child process does for that: one kernel on one device of one platform. The process's exit code. */
int bench_one_kernel(unsigned platform, unsigned index);
void bench_math(struct bench *bench);     /* every math function in ns per value */
void bench_kernels(struct bench *bench);  /* the kernels of kernels.cl */
void bench_atomics(struct bench *bench);  /* atomic operations in global and local memory */
void bench_local(struct bench *bench);    /* local memory and barriers */
void bench_builds(struct bench *bench);   /* from text to a first result */
void bench_objects(struct bench *bench);  /* creating, first use, releasing, small reads and writes */
void bench_matrices(struct bench *bench); /* products by cooperative matrices */
void bench_images(struct bench *bench);   /* reads, writes, transfers and a blur of images */
void bench_sharing(struct bench *bench);  /* a kernel on textures of OpenGL's */

#endif
