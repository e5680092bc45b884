/* The programs whose kernels the drivers get: paragraphs of tests/cl, files of OpenCL C, and SPIR-V. */
#ifndef TESTS_DRIVERS_PROGRAMS_H
#define TESTS_DRIVERS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program { /* owns all */
    char *name, *options, *text;
    char *directory; /* of its file: where #include "..." looks */
    size_t size;     /* of text */
    bool is_il, may_be_refused;
};

struct programs {
    struct program *list;
    uint32_t count, capacity;
};

/* Adds what a file holds; paragraphs have their own options. False: it cannot be read, which was said. Ends the process where there is no memory. */
bool programs_add(struct programs *programs, const char *path, const char *options, bool may_be_refused);
/* The same for all files of a list, which may be refused. */
bool programs_add_list(struct programs *programs, const char *path);
/* Keeps the first of each `every` programs. */
void programs_thin(struct programs *programs, uint32_t every);
void programs_finish(struct programs *programs);

#endif
