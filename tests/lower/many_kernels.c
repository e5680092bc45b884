/* What it takes to lower one kernel does not grow with the number of kernels beside it. Compared is memory, which was
 * zeroed for each kernel, and no time. */
#include "compiler/clc.h"

#include <stdio.h>
#include <stdlib.h>

enum { KERNELS = 20000, LINE = 80, MOST = 512 << 10 /* bytes */ };

int main(void)
{
    char *source = malloc((size_t)KERNELS * LINE), *at = source, *log = NULL, *message = NULL;
    if (!source)
        return 1;
    for (int i = 0; i < KERNELS; i++)
        at += snprintf(at, LINE, "kernel void k%d(global int *p) { p[0] = %d + p[%d]; }\n", i, i, i + 1);
    struct clc_target target;
    struct clc_timing timing = {0};
    clc_target_default(&target);
    const char *text = source;
    struct clc_compile_args args = {.strings = &text, .num_strings = 1, .options = "", .target = &target};
    const struct clc_lower_options options = {.target = &target, .timing = &timing};
    struct clc_program *program = NULL;
    struct clc_lowered *lowered = NULL;
    if (clc_compile(&args, &program, &log) != CLC_SUCCESS ||
        clc_lower(program, "k77", &options, &lowered, &message) != CLC_SUCCESS) {
        fprintf(stderr, "%s%s\n", log ? log : "", message ? message : "");
        return 1;
    }
    printf("one of %d kernels: %zu bytes\n", KERNELS, timing.lower_memory);
    clc_lowered_destroy(lowered);
    clc_program_release(program);
    free(source);
    free(log);
    free(message);
    return timing.lower_memory == 0 || timing.lower_memory > MOST;
}
