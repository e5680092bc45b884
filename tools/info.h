/* `pumice info`: what each Vulkan device on this machine can do for OpenCL, and why something is missing. */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

/* argv[0] is "info". Exit code: 0, also where there is no device (which it says); 2 on bad usage. */
int info_main(int argc, char **argv);

#endif
