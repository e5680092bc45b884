/* From a program to its kernels' Vulkan modules. */
#include "compiler/program/program.h"

#include "compiler/lower/kernels.h"

#include <stdlib.h>

void clc_lower_kernels(const struct clc_program *program, struct clc_lowering *kernels, uint32_t count,
                       const struct clc_lower_options *options, clc_lowering_done *done, void *data)
{
    const struct lower_program view = {.module = program->module,
                                       .globals = program->globals,
                                       .flags = program->flags,
                                       .blocks = program->blocks,
                                       .num_blocks = program->num_blocks,
                                       .num_words = program->num_words,
                                       .memory = program->arena.reserved + program->code.reserved};
    lower_kernels(&view, kernels, count, options, done, data);
}

enum clc_result clc_lower(const struct clc_program *program, const char *kernel,
                          const struct clc_lower_options *options, struct clc_lowered **lowered, char **message)
{
    struct clc_lowering lowering = {.kernel = kernel};
    clc_lower_kernels(program, &lowering, 1, options, NULL, NULL);
    *lowered = lowering.lowered;
    if (message)
        *message = lowering.message;
    else
        free(lowering.message);
    return lowering.result;
}
