/* SPIRV-Tools' validator for C: validate_run.cpp. */
#ifndef COMPILER_PROGRAM_VALIDATE_RUN_H
#define COMPILER_PROGRAM_VALIDATE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct validate_request {
    int environment; /* spv_target_env */
    bool scalar_layout;
    const uint32_t *words;
    size_t num_words;
};

enum validate_outcome {
    VALIDATE_VALID,
    VALIDATE_INVALID, /* *message, malloc'ed, says why */
    VALIDATE_NOT_RUN, /* there was no memory for it */
};

enum validate_outcome validate_run(const struct validate_request *request, char **message);
/* Of SPIRV-Tools: "v2023.1 ...". */
const char *validate_version(void);

#ifdef __cplusplus
}
#endif

#endif
