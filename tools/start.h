/* Programs that the tool's commands run with settings of theirs: `pumice trace`, `pumice check`. */
#ifndef TOOLS_START_H
#define TOOLS_START_H

enum { START_FAILED = 127 };

/* Runs the program with this process's environment, and waits for its end. Its exit code; 128 and the signal's number
 * where one ended it; START_FAILED where it could not be started: both are said as "pumice COMMAND: ...". Interrupts
 * from the keyboard are the program's affair: it gets them, too. What ends this process is passed on to the program,
 * and the caller goes on when that has ended. */
int start_program(const char *command, char **argv);

#endif
