/* See trace.h. The library writes the trace: PUMICE_TRACE tells it where (base/trace.h). This command makes the file,
 * runs the program, closes the file, and sums up what is in it. */
#include "start.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_ROWS = 12 };

static int usage(FILE *out)
{
    fputs("usage: pumice trace [-o FILE] [--top N] [--] PROGRAM [ARGUMENTS]\n"
          "       pumice trace --summary FILE [--top N]\n"
          "Runs a program and writes what it does with OpenCL, and when, into a file that https://ui.perfetto.dev and\n"
          "chrome://tracing show: its calls, builds, pipelines, submissions, and when the device worked on each "
          "command.\n"
          "At its end comes a summary. Only what goes through Pumice is seen.\n"
          "  -o FILE          where the trace goes (default: trace.json)\n"
          "  --top N          how many kernels, copies, calls and others the summary lists (default: 12)\n"
          "  --summary FILE   sums up a trace that is there\n",
          out);
    return out == stdout ? 0 : 2;
}

static bool begin_file(const char *path)
{
    FILE *file = fopen(path, "w");
    bool ok = file && fputs("[\n", file) >= 0;
    if (file && fclose(file) != 0)
        ok = false;
    if (!ok)
        fprintf(stderr, "pumice trace: %s: %s\n", path, strerror(errno));
    return ok;
}

/* Puts the bracket that closes the array in place of the comma behind the last line. A program that was killed may have
 * left a part of a line, which goes. */
static bool end_file(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    off_t size = file >= 0 ? lseek(file, 0, SEEK_END) : -1;
    char c = 0;
    while (size > 1 && pread(file, &c, 1, size - 1) == 1 && c != '\n')
        size--;
    bool ok = size >= 2 && pread(file, &c, 1, size - 2) == 1;
    if (ok && c == ',')
        size -= 2;
    ok = ok && ftruncate(file, size) == 0 && pwrite(file, "\n]\n", 3, size) == 3;
    if (!ok)
        fprintf(stderr, "pumice trace: %s: %s\n", path, strerror(errno));
    if (file >= 0)
        close(file);
    return ok;
}

/* Where the program writes: beside a file that is there, whose place the trace takes when something came; NULL: in `path`
 * itself, as for what is no file but a device. malloc'ed. */
static char *name_beside(const char *path)
{
    struct stat status;
    size_t size = strlen(path) + sizeof(".part");
    bool there = !stat(path, &status) && S_ISREG(status.st_mode) && status.st_size > 0;
    char *name = there && !access(path, W_OK) ? malloc(size) : NULL;
    if (name)
        snprintf(name, size, "%s.part", path);
    return name;
}

/* A trace without anything is no file: one that was there before stays. */
static bool keep_file(const char *written, const char *path, bool beside, bool events)
{
    struct stat status;
    bool regular = !stat(written, &status) && S_ISREG(status.st_mode);
    bool good = events ? !beside || !rename(written, path) : !regular || !unlink(written);
    if (!good)
        fprintf(stderr, "pumice trace: %s: %s\n", path, strerror(errno));
    return good;
}

static int trace_to(const char *written, const char *path, uint32_t rows, char **argv)
{
    uint64_t events = 0;
    if (!begin_file(written))
        return 1;
    char *whole = realpath(written, NULL), *place = realpath(path, NULL); /* the program may change its folder */
    if (!whole || setenv("PUMICE_TRACE", whole, 1) != 0) {
        fprintf(stderr, "pumice trace: %s: %s\n", written, strerror(errno));
        free(whole);
        free(place);
        return 1;
    }
    int code = start_program("trace", argv);
    fflush(stdout);
    bool ok = end_file(whole) && (code == START_FAILED || trace_summary(whole, rows, stderr, &events));
    ok = ok && keep_file(whole, place ? place : whole, written != path, events > 0);
    if (ok && code != START_FAILED && events)
        fprintf(stderr, "\nThe trace is in %s: open it at https://ui.perfetto.dev or chrome://tracing.\n", path);
    else if (ok && code != START_FAILED)
        fputs("No OpenCL call of the program came to Pumice, so no trace is written. 'pumice doctor' says what "
              "programs see.\n",
              stderr);
    free(whole);
    free(place);
    return ok ? code : 1;
}

static int trace_program(const char *path, uint32_t rows, char **argv)
{
    char *beside = name_beside(path);
    int code = trace_to(beside ? beside : path, path, rows, argv);
    free(beside);
    return code;
}

int trace_main(int argc, char **argv)
{
    const char *path = "trace.json", *summary = NULL;
    unsigned long rows = DEFAULT_ROWS;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at += 2) {
        if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h"))
            return usage(stdout);
        if (!strcmp(argv[at], "--")) {
            at++;
            break;
        }
        char *end = NULL;
        const char *value = at + 1 < argc && strcmp(argv[at + 1], "--") != 0 ? argv[at + 1] : NULL;
        if (value && !strcmp(argv[at], "-o"))
            path = value;
        else if (value && !strcmp(argv[at], "--summary"))
            summary = value;
        else if (value && !strcmp(argv[at], "--top") && value[0] >= '0' && value[0] <= '9' &&
                 (rows = strtoul(value, &end, 10)) <= 100000 && !*end)
            continue;
        else {
            bool known = !strcmp(argv[at], "-o") || !strcmp(argv[at], "--top") || !strcmp(argv[at], "--summary");
            if (known)
                fprintf(stderr, "pumice trace: %s wants %s value\n", argv[at], value ? "another" : "a");
            else
                fprintf(stderr, "pumice trace: unknown option '%s'\n", argv[at]);
            return usage(stderr);
        }
    }
    if (summary && at == argc) {
        uint64_t events;
        return trace_summary(summary, (uint32_t)rows, stdout, &events) ? 0 : 1;
    }
    return summary || at >= argc ? usage(stderr) : trace_program(path, (uint32_t)rows, argv + at);
}
