/* Programs that the tool's commands run with settings of theirs: `pumice trace`, `pumice check`. */
#ifndef TOOLS_START_H
#define TOOLS_START_H

#include <stdbool.h>

enum { START_FAILED = 127 };

/* A pipe that no started program gets: to read from the first, to write to the second. */
bool start_pipe(int ends[2]);

/* Runs the program with this process's environment, and waits for its end. Its exit code; 128 and the signal's number
 * where one ended it; START_FAILED where it could not be started: both are said as "pumice COMMAND: ...". Interrupts
 * from the keyboard are the program's affair: it gets them, too. What ends this process is passed on to the program,
 * and the caller goes on when that has ended. */
int start_program(const char *command, char **argv);

#endif
