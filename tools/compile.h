/* `pumice compile`: the compiler without any device. */
#ifndef TOOLS_COMPILE_H
#define TOOLS_COMPILE_H

/* argv[0] is "compile". Exit code: 0 compiled, 1 the source is wrong, 2 bad usage or file. */
int compile_main(int argc, char **argv);

#endif
