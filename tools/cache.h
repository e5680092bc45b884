/* `pumice cache`: shows, trims and clears what Pumice keeps on disk. */
#ifndef TOOLS_CACHE_H
#define TOOLS_CACHE_H

/* argv[0] is "cache". Exit code: 0 done; 1 there is no usable folder, or a file could not be removed; 2 bad usage. */
int cache_main(int argc, char **argv);

#endif
