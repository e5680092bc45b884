/* From a program to its kernels' Vulkan modules. */
#include "compiler/program/program.h"

#include "base/float_env.h"
#include "compiler/lower/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
    clc_lowering_done *done;
    void *data;
};

/* What the validator refuses is no result: a fault of ours is better met here than in a driver. */
static void check_lowered(void *data, struct clc_lowering *kernel)
{
    struct check *check = data;
    char *message = NULL;
    if (kernel->lowered &&
        clc_check_valid(kernel->lowered->words, kernel->lowered->num_words, "vulkan", &message) != CLC_SUCCESS) {
        size_t size = strlen(message ? message : "") + 64;
        kernel->message = malloc(size);
        if (kernel->message)
            snprintf(kernel->message, size, "internal error: invalid Vulkan SPIR-V: %s",
                     message ? message : "no memory");
        free(message);
        clc_lowered_destroy(kernel->lowered);
        kernel->lowered = NULL;
        kernel->result = CLC_FAILED;
    }
    if (check->done)
        check->done(check->data, kernel);
}

void clc_lower_kernels(const struct clc_program *program, struct clc_lowering *kernels, uint32_t count,
                       const struct clc_lower_options *options, clc_lowering_done *done, void *data)
{
    FLOAT_ENV_DEFAULT();
    const struct lower_program view = {.module = program->module,
                                       .globals = program->globals,
                                       .entries = program->entries,
                                       .flags = program->flags,
                                       .blocks = program->blocks,
                                       .num_blocks = program->num_blocks,
                                       .num_words = program->num_words,
                                       .memory = program->arena.reserved + program->code.reserved};
    struct check check = {done, data};
    if (program_validates_output())
        lower_kernels(&view, kernels, count, options, check_lowered, &check);
    else
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
