/* `pumice trace`: runs a program and writes down what it does with OpenCL and when. */
#ifndef TOOLS_TRACE_H
#define TOOLS_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* argv[0] is "trace". Exit code: the program's; 128 and the signal's number where one ended it; 127 it could not be
 * started; 2 bad usage; 1 the trace could not be written or read. */
int trace_main(int argc, char **argv);

/* Reads a trace of base/trace.h and prints what took the time: at most rows lines of each kind. False: it could not be
 * read, which standard error says. *events: how many spans there are. */
bool trace_summary(const char *path, uint32_t rows, FILE *out, uint64_t *events);

#endif
