/* Lowering as compiler/program calls it: kernels of a program, each to one Vulkan module. */
#ifndef COMPILER_LOWER_KERNELS_H
#define COMPILER_LOWER_KERNELS_H

#include "base/arena.h"
#include "compiler/clc.h"
#include "compiler/spv/spv.h"

struct lower_data;

/* The part of a program that lowering reads. Several threads read it at the same time, and none changes it. */
struct lower_program {
    const struct spv_module *module;
    const struct lower_data *globals;  /* of the module */
    uint32_t flags;                    /* PROGRAM_* */
    const struct spv_entries *entries; /* of the module */
    const spv_id *blocks;              /* functions that kernels enqueue, by their numbers */
    uint32_t num_blocks;
    size_t num_words; /* of its SPIR-V: how much there may be to do */
    size_t memory;    /* bytes that the program holds */
};

/* clc_lower_kernels(). */
void lower_kernels(const struct lower_program *program, struct clc_lowering *kernels, uint32_t count,
                   const struct clc_lower_options *options, clc_lowering_done *done, void *data);

#endif
