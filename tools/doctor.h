/* `pumice doctor`: why programs see no device, in plain words. */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include <stdint.h>

/* argv[0] is "doctor". Exit code: 0 OpenCL programs see a device of Pumice's, and nothing is wrong; 1 something is, and
 * it was said; 2 bad usage. */
int doctor_main(int argc, char **argv);

/* ---- for the files of doctor*.c ---- */

enum finding {
    FINDING_GOOD, /* as it should be */
    FINDING_NOTE, /* worth knowing, and maybe what was wanted */
    FINDING_BAD,  /* to be mended: the exit code becomes 1 */
};

void doctor_say(enum finding finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line of advice under the last finding. */
void doctor_advise(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* NULL when the library can be loaded, else the loader's message. Valid until the next call. */
const char *doctor_load(const char *library);

/* doctor_opencl.c. Starts a child process that asks the OpenCL loader; call it before anything touches Vulkan. */
struct opencl_answer {
    int pipe;
    int child;
};
void doctor_opencl_ask(struct opencl_answer *answer);
/* What the child said, and what explains it. num_devices: how many devices the backend can offer. */
void doctor_opencl(struct opencl_answer *answer, uint32_t num_devices);

#endif
