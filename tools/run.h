/* `pumice run`: the test files of testfile.h from the command line. */
#ifndef TOOLS_RUN_H
#define TOOLS_RUN_H

/* argv[0] is "run". Exit code: 0 all passed, 1 some failed, 2 bad usage or file, 77 nothing ran (no device, or all
 * skipped). */
int run_main(int argc, char **argv);

#endif
