/* What the passes of lowering share. Lowering takes one kernel of a program from kernel SPIR-V (OpenCL's) to Vulkan
 * SPIR-V.
 *
 * The order of passes is in compiler/passes.def and nowhere else. A pass is a function on struct lower that rewrites
 * lower->module in place; between passes the module satisfies spv_check(). A pass keeps its tables in
 * lower->module->arena, and facts for later passes in lower->arena. A pass that meets something that the target or
 * Pumice cannot do returns lower_fail(), whose message reaches the application's build log. It never asserts on input,
 * because the input may come from another front end. */
#ifndef COMPILER_LOWER_VALUES_LOWER_H
#define COMPILER_LOWER_VALUES_LOWER_H

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

/* An Input variable that stands for what a built-in variable is to one of a lane's work-items. */
struct lower_turn_input {
    spv_id variable;
    uint32_t builtin, turn;
};

/* What kind of library body a function is. */
enum { LOWER_BODY_PLAIN = 1, LOWER_BODY_READ = 2 /* of an image with a sampler */ };

/* A kernel argument as the application sets it. */
struct lower_arg {
    uint32_t size, align; /* bytes in the argument block */
    bool is_address;      /* of global memory */
    bool by_place;        /* a large structure: the parameter is a pointer to it in the block, which is in memory */
};

/* An Input variable that stands for what the launch tells of a pointer argument. */
struct lower_arg_limit {
    uint32_t arg;
    enum clc_arg_limit which;
    spv_id variable;
};

/* A type of cooperative matrices. Where they are not the device's own (native_matrices), it is an array from extract on
 * (ends/matrices.c): component i of a work-item is number i * (sub-group size) + (its place in the sub-group) of the
 * matrix, row by row. */
struct lower_matrix {
    uint32_t rows, columns, use, length; /* length: of the array */
    spv_id component;
    enum spv_matrix_encoding encoding; /* of the component, which is of the code's type where matrices are arrays */
};

/* Beside CLC_SITE_*, for __pumice_check_find(): generic pointers with the tag of local or private memory are right. */
enum lower_tag { LOWER_TAG_LOCAL = 1 << 16, LOWER_TAG_PRIVATE = 1 << 17 };

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
    uint32_t subgroup_size;          /* that one, or the target's for kernels that require none; 0: the device's */
    uint32_t subgroup_lanes;         /* of the device's sub-groups in which those run; 0 likewise */
    uint32_t turns;                  /* work-items that each lane runs (subgroups/turns.c); 0: one */
    bool software_matrices;          /* asked for: matrices are to be arrays */
    bool native_matrices;            /* it has matrices, and they are the device's own (ends/native_matrices.c) */
    uint32_t num_args;               /* parameters of the kernel as the application sees them */

    struct lower_arg *args;
    VEC(struct lower_arg_leaf) arg_leaves;
    struct u64_map matrices; /* types -> struct lower_matrix, from extract to the built-ins pass */

    /* Filled by the built-ins pass. */
    VEC(struct clc_printf_format) printf_formats;
    VEC(const char *) printf_strings;
    spv_id library;                /* functions from this id on are the library's; 0: there are none */
    struct u64_map library_bodies; /* those of them that are bodies in the library -> LOWER_BODY_* */

    /* Input variables that stand for launch values until the entry pass; see lower_emit_launch_value(). */
    spv_id launch_variables[CLC_LAUNCH_COUNT][3];
    VEC(struct lower_turn_input) turn_inputs; /* likewise; see lower_turn_variable() */

    /* Program-scope memory (data.c). */
    struct lower_data *globals;   /* offsets of program-scope variables in the globals block */
    struct lower_data *constants; /* the same for this kernel's constants block */

    VEC(struct clc_binding) bindings; /* by the images pass */

    /* Of checked and robust kernels (lower/check/). */
    uint32_t watched; /* enum clc_check */
    VEC(struct clc_check_site) check_sites;
    VEC(struct clc_check_object) check_objects;
    uint8_t *check_access; /* struct clc_lowered; NULL: nothing is watched */
    VEC(struct lower_arg_limit) arg_limits;
    uint32_t check_page; /* bytes; 0: nothing is checked */
    bool check_ranges, check_written, unseen_writes;
    uint32_t check_tags;   /* enum lower_tag: where generic pointers may lead beside global memory, for checks */
    uint32_t check_leaves; /* likewise: where pointers lead that nothing was compared of */
    uint8_t check_tracks;             /* CLC_TRACKS_* */
    bool check_touches, check_untold; /* clc_lowered; some global memory is touched without that */
    bool check_syncs;                 /* atomics may tell a work-item of what those of other groups did */
    uint32_t check_granule;           /* bytes of local memory that are looked at as one; 0: none */
    bool check_local_bytes;           /* instead each byte has one of its own */
    bool check_sub_groups;            /* barriers of sub-groups order some of its accesses */

    /* Facts that passes find for those after them. */
    bool split_vectors; /* by the vectors pass: it split vectors, and cleaning may pay */
    bool uses_barrier, uses_subgroups;
    bool packs;         /* several work-groups may share one of the device's */
    bool flat;          /* sub-groups are used: the work-group runs as N x 1 x 1 */
    bool orders_images; /* an image is read and written, so that fences matter to it */
    bool global_order;  /* barriers, fences or atomics order global memory: decides the memory model */

    bool idle;          /* set by a pass that found nothing to do in the whole module */
    bool thorough;      /* a debug build's check runs: passes do not ask first whether there is anything to do */
    uint32_t checks;    /* how many times such a check of a large module was due */
    uint64_t computing; /* debug builds: a hash of functions that only compute, to see that they stay */
    uint64_t now;       /* when the last part ended, for options->timing */

    struct clc_lowered *out; /* under construction; its arrays are in the arena until the end */

    void (*between_passes)(struct lower *lower); /* NULL, or called by lower_run() */
    void *worker;                                /* the caller's, for between_passes */
};

/* Whether accesses are looked at before they are made. */
static inline bool lower_watches(const struct lower *lower)
{
    return lower->watched || lower->target->robust;
}

/* Whether no access may leave what its pointer leads into: in robust kernels, and where that is reported. */
static inline bool lower_keeps_bounds(const struct lower *lower)
{
    return lower->target->robust || lower->watched & CLC_CHECK_BOUNDS;
}

/* Whether the program was built with -cl-opt-disable. */
bool lower_keeps_code(const struct lower *lower);

/* Records a message (the first one stays) and returns false. */
bool lower_fail(struct lower *lower, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
