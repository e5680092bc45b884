/* What the passes of lowering share. Lowering takes one kernel of a program from kernel SPIR-V (OpenCL's) to Vulkan
 * SPIR-V.
 *
 * The order of passes is in lower.c and nowhere else. A pass is a function on struct lower that rewrites lower->module
 * in place; between passes the module satisfies spv_check(). A pass keeps its tables in lower->module->arena, and facts
 * for later passes in lower->arena. A pass that meets something that the target or Pumice cannot do returns
 * lower_fail(), whose message reaches the application's build log. It never asserts on input, because the input may
 * come from another front end. */
#ifndef COMPILER_LOWER_LOWER_H
#define COMPILER_LOWER_LOWER_H

#include "compiler/clc.h"
#include "compiler/spv/spv.h"

#include <stdbool.h>
#include <stdint.h>

struct lower_bodies;
struct lower_data;

/* A piece of a by-value struct argument: an Input variable that the entry pass reads from the argument block. */
struct lower_arg_leaf {
    uint32_t arg, offset; /* the kernel's argument, and bytes from its start */
    spv_id variable;
};

/* What kind of library body a function is. */
enum { LOWER_BODY_PLAIN = 1, LOWER_BODY_READ = 2 /* of an image with a sampler */ };

/* A kernel argument as the application sets it. */
struct lower_arg {
    uint32_t size, align; /* bytes in the argument block */
    bool by_place;        /* a large structure: the parameter is a pointer to it in the block, which is in memory */
};

struct lower {
    struct arena *arena;              /* owns all below but the module's content: what lasts until the end */
    struct arena *heaps;              /* two, of which the module uses one after the other; NULL: its arena stays */
    struct arena *scratch;            /* what a pass needs for its own time; NULL: the module's arena */
    size_t compacted;                 /* bytes of the module when it was last copied */
    const struct spv_module *program; /* the whole program; read only */
    const struct lower_data *program_globals; /* of program; NULL: computed from it */
    const struct spv_entries *entries;        /* of program; NULL: found by extract */
    const spv_id *blocks;                     /* of program: functions that kernels enqueue, by their numbers */
    uint32_t num_blocks;
    struct lower_bodies *bodies; /* of the library, for all kernels of the program; NULL: for this one only */
    struct spv_module *module; /* the one being rewritten: the kernel and what it reaches. Its arena is the passes' own
                                  scratch memory: nothing in it lasts from one pass to the next but the module */
    struct spv_function *kernel; /* the entry point's function in module */
    const char *kernel_name;
    const struct clc_lower_options *options;
    const struct clc_target *target;
    uint32_t program_flags; /* PROGRAM_*: what the build options say */
    const char *error;      /* set by lower_fail() */

    /* Facts of the kernel, from extract. */
    bool contraction_off;            /* execution mode ContractionOff */
    uint32_t required_size[3];       /* LocalSize; 0,0,0: none */
    uint32_t required_subgroup_size; /* 0: none */
    uint32_t num_args;               /* parameters of the kernel as the application sees them */

    struct lower_arg *args;
    VEC(struct lower_arg_leaf) arg_leaves;

    /* Filled by the built-ins pass. */
    VEC(struct clc_printf_format) printf_formats;
    VEC(const char *) printf_strings;
    spv_id library;                /* functions from this id on are the library's; 0: there are none */
    struct u64_map library_bodies; /* those of them that are bodies in the library -> LOWER_BODY_* */

    /* Input variables that stand for launch values until the entry pass; see lower_emit_launch_value(). */
    spv_id launch_variables[CLC_LAUNCH_COUNT][3];

    /* Program-scope memory (data.c). */
    struct lower_data *globals;   /* offsets of program-scope variables in the globals block */
    struct lower_data *constants; /* the same for this kernel's constants block */

    VEC(struct clc_binding) bindings; /* by the images pass */

    /* Facts that passes find for those after them. */
    bool split_vectors; /* by the vectors pass: it split vectors, and cleaning may pay */
    bool uses_barrier, uses_subgroups;
    bool flat;          /* sub-groups are used: the work-group runs as N x 1 x 1 */
    bool orders_images; /* an image is read and written, so that fences matter to it */
    bool global_order;  /* barriers, fences or atomics order global memory: decides the memory model */

    bool idle;          /* set by a pass that found nothing to do in the whole module */
    bool thorough;      /* a debug build's check runs: passes do not ask first whether there is anything to do */
    uint32_t checks;    /* how many times such a check of a large module was due */
    uint64_t computing; /* debug builds: a hash of functions that only compute, to see that they stay */
    uint64_t now;       /* when the last part ended, for options->timing */
    uint32_t row;       /* in whose rows the next part probably is */

    struct clc_lowered *out; /* under construction; its arrays are in the arena until the end */

    void (*between_passes)(struct lower *lower); /* NULL, or called by lower_run() */
    void *worker;                                /* the caller's, for between_passes */
};

/* Bytes taken from the system. What passes took for their own time is spare, or with other chunks that wait for their
 * next use. */
size_t lower_held(const struct lower *lower);

/* Whether the program was built with -cl-opt-disable. */
bool lower_keeps_code(const struct lower *lower);

/* Records a message (the first one stays) and returns false. */
bool lower_fail(struct lower *lower, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Emits one value of the launch: a load from an Input variable, which the entry pass turns into a read of the argument
 * block. The type is u64 or u32, as enum clc_launch_value says. component is 0 unless the value has three. For any pass
 * before entry. */
spv_id lower_emit_launch_value(struct lower *lower, struct spv_builder *builder, enum clc_launch_value value,
                               uint32_t component);
bool lower_launch_value_is_64(enum clc_launch_value value);

/* The module-scope Input variable decorated with a BuiltIn, in OpenCL's form (v3 of u64, u64 or u32). Makes it if it is
 * missing. */
spv_id lower_builtin_variable(struct lower *lower, SpvBuiltIn builtin);
/* Emits a load of it, for three-component built-ins of the given component: u64 or u32 as in OpenCL's SPIR-V. */
spv_id lower_emit_builtin(struct lower *lower, struct spv_builder *builder, SpvBuiltIn builtin, uint32_t component);

/* Emits a component of a Vulkan built-in, a u32. For the passes from entry on. */
spv_id lower_emit_vulkan_builtin(struct lower *lower, struct spv_builder *builder, SpvBuiltIn builtin,
                                 uint32_t component);

/* Emits the linear number (u64) of the work-item within the dispatch, which is its index in scratch memory. */
spv_id lower_emit_linear_item(struct lower *lower, struct spv_builder *builder);

/* The specialisation constant that is the work-group's size in one dimension. */
spv_id lower_spec_local_size(struct lower *lower, uint32_t component);
/* The product of the three sizes. */
spv_id lower_spec_items(struct lower *lower);

/* What a named barrier is after extract: a pointer to its words in local memory (builtins/barrier.c). */
spv_id lower_named_barrier_type(struct spv_module *module);

/* The memory operands of an instruction, which start at words[first] (or are missing). */
struct lower_access {
    uint32_t align; /* 0: not said */
    bool is_volatile;
};
struct lower_access lower_read_access(const struct spv_inst *inst, uint32_t first);

/* ---- passes, in their order ---- */

bool lower_inputs(struct lower *lower); /* a part of extract */
bool lower_extract(
    struct lower *lower); /* extract.c: the kernel into a module of its own; by-value pointers to values */
bool lower_builtins(struct lower *lower); /* builtins/ */
bool lower_inline(struct lower *lower);   /* calls.c: what stays a call and how it passes values; inline.c the rest */
bool lower_barriers(struct lower *lower); /* builtins/barrier.c: named barriers get their places in local memory */
bool lower_generic(struct lower *lower);  /* generic.c: generic pointers that have one source get its address space */
/* The same for one function and its own variables. Its parameters and its calls' results stay generic. */
void lower_generic_body(struct spv_module *module, struct spv_function *function);
bool lower_arguments(struct lower *lower);  /* arguments.c: private memory given to functions becomes values */
bool lower_aggregates(struct lower *lower); /* aggregates.c: structs and arrays as values to their leaves */
bool lower_memory(struct lower *lower);     /* memory.c: pointers become numbers */
bool lower_images(struct lower *lower);     /* images.c: image arguments become descriptors and a word */
bool lower_entry(struct lower *lower);      /* entry.c: parameters, launch values and ids; the Vulkan entry point */
bool lower_vectors(struct lower *lower);    /* vectors.c: vectors of 8 and 16 to vectors of four */
/* wide.c: neighbours in local memory are loaded as vectors. Leaves dead code for opt_dce(). */
bool lower_wide(struct lower *lower);
/* calls/share.c: calls of one function share a loop, where the kernel would be large with all of them inlined. */
bool lower_share_calls(struct lower *lower);
/* lower_contract() for one function of the library, whether or not the program allows contraction. */
void lower_contract_library(struct lower *lower, struct spv_module *module, struct spv_function *function);
bool lower_contract(struct lower *lower); /* contract.c: a * b + c to fma where it is exact, fast and allowed */
/* zeros.c: whether the driver may spoil operations with a zero that is constant: the probe saw it do so, or no probe
 * ran. Where it does not, the next two passes do nothing. */
bool lower_spoils_zeros(const struct lower *lower);
bool lower_halves(struct lower *lower); /* halves.c: the driver cannot drop the rounding of a float to half */
bool lower_hide(struct lower *lower);   /* hide.c: zeros that only the driver would find are kept from it */
/* hide.c: emits, at the function's start, a condition that never holds, but no driver knows: that the number of
 * work-groups is 0. And the integer of 32 bits that is 1 if it holds, else 0. */
spv_id lower_never(struct lower *lower, struct spv_function *function);
spv_id lower_hidden_zero(struct lower *lower, struct spv_function *function);
bool lower_zeros(struct lower *lower); /* zeros.c: float operations with a constant zero as drivers cannot spoil them */
bool lower_patterns(struct lower *lower); /* patterns.c: integer operations that drivers take for others */
bool lower_nesting(struct lower *lower);  /* nesting.c: control flow that is too deep for the driver; once structured */
bool lower_waits(struct lower *lower);    /* waits.c: loads that a loop repeats until another work-item stores */
/* loops.c: values of loops are used behind them through phis, where the driver may lose them otherwise. The last but
 * one, since others take such a phi for a copy. */
bool lower_loops(struct lower *lower);
/* pairs.c, where the device has no 64-bit integers: pairs of words for them */
bool lower_pairs(struct lower *lower);
/* widen.c, where it has no 8- or 16-bit integers: 32 bits for them */
bool lower_widen(struct lower *lower);
bool lower_legalise(struct lower *lower); /* legalise.c: capabilities, execution modes, decorations */

/* Runs all passes over a kernel of program; on success fills lower->out up to words. For kernels.c and the tests. */
bool lower_run(struct lower *lower);

/* Runs one pass by its name ("memory"); false and an error where it failed or does not exist. For tests/lower. */
bool lower_run_pass(struct lower *lower, const char *name);

#endif
