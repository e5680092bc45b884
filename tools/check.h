/* `pumice check`: runs a program and reports its faults. */
#ifndef TOOLS_CHECK_H
#define TOOLS_CHECK_H

/* argv[0] is "check". Exit code: 66 (--exit) where there were faults, else the program's; 128 and the signal's number
 * where one ended it; 127 it could not be started; 2 bad usage; 1 a file could not be read or written. */
int check_main(int argc, char **argv);

#endif
