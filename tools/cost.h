/* `pumice cost`: what a device's own compiler makes of the kernels of a file. This header is what its parts share: the
 * request, the report, and the worker that fills it. */
#ifndef TOOLS_COST_H
#define TOOLS_COST_H

#include "vk/vk.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* argv[0] is "cost". Exit code: 0 all kernels have their pipelines; 1 the source is wrong, or a kernel was refused, or
 * the driver crashed or took too long; 2 bad usage, no such file or device. */
int cost_main(int argc, char **argv);

enum { COST_MAX_SIZES = 16 };

struct cost_request {
    const char *path, *device, *kernel; /* device and kernel: NULL where none is named */
    char *options;
    const char *text; /* of the file, with its size and its folder */
    size_t size;
    const char *directory;
    bool is_il;
    uint32_t sizes[COST_MAX_SIZES][3], num_sizes; /* 0: the usual one of each kernel */
    uint32_t local_args;                          /* bytes, for all arguments in local memory together */
    uint32_t limit_s;                             /* for one kernel */
};

enum cost_result {
    COST_LOWERING, /* under way: in Pumice's compiler */
    COST_MAKING,   /* under way: in the driver's */
    COST_MADE,
    COST_REFUSED,  /* by Pumice: the device cannot run it */
    COST_REJECTED, /* by the driver */
    COST_CRASHED,
    COST_LATE, /* not ready when its time was over */
};
const char *cost_result_name(enum cost_result result); /* as the JSON has it */

struct cost_row {
    char kernel[128], reason[512];
    uint32_t local[3];
    enum cost_result result;
    uint32_t spirv_bytes;
    double lowering_ms, driver_ms;
    uint32_t subgroup_size; /* 0: the driver does not say */
    uint32_t num_statistics;
    struct vkb_statistic statistics[VKB_MAX_STATISTICS];
};

struct cost_report {
    char file[256], options[256], device[256], driver[512], probe[128]; /* probe: "" or why nothing was measured */
    bool has_statistics;
    int code; /* the exit code */
    struct cost_row *rows;
    uint32_t num_rows, capacity;
};

/* What a worker writes, one after the other. */
enum cost_message_kind { COST_SAYS_DEVICE, COST_SAYS_ROW, COST_SAYS_END };
struct cost_message {
    enum cost_message_kind kind;
    union {
        struct {
            char name[256], driver[512], probe[128];
            bool has_statistics;
        } device;
        struct cost_row row;
        int code; /* of the end: 0 or the exit code */
    };
};

/* cost_worker.c: compiles, has the driver make pipelines, and writes messages to out; the rows before first were done by
 * workers before it. The whole of a child process: it never returns. */
_Noreturn void cost_work(const struct cost_request *request, uint32_t first, int out);

/* cost_run.c: fills the report, by as many workers as it takes. False, after a message: there is no report. */
bool cost_run(const struct cost_request *request, struct cost_report *report);
/* False: no memory. */
bool cost_add(struct cost_report *report, const struct cost_row *row);
void cost_finish(struct cost_report *report);

/* cost_table.c */
void cost_print(const struct cost_report *report, FILE *out);
void cost_compare(const struct cost_report *a, const struct cost_report *b, FILE *out);
bool cost_write_json(const struct cost_report *report, FILE *out);
/* False, and a message on stderr: it is no such file. */
bool cost_read_json(struct cost_report *report, const char *path);

#endif
