/* Build options, parsed. Implemented by pp/options.c. */
#ifndef COMPILER_FRONT_OPTIONS_H
#define COMPILER_FRONT_OPTIONS_H

#include "base/arena.h"
#include "base/vec.h"
#include "compiler/front/pp/diag.h"

enum clc_std {
    CLC_STD_10 = 100,
    CLC_STD_11 = 110,
    CLC_STD_12 = 120,
    CLC_STD_20 = 200,
    CLC_STD_30 = 300,
    CLC_STD_31 = 310
};

struct clc_option_define {
    const char *name;  /* may be NAME or NAME(params) */
    const char *value; /* "1" by default; NULL: -U */
};

/* Parsed build options: see OpenCL 3.0 API, 5.8.6 Compiler Options and 5.8.7 Linker Options. */
struct clc_options {
    enum clc_std std; /* without -cl-std: OpenCL C 1.2 (API 3.0, 5.8.6.5) */
    bool std_given;
    VEC(struct clc_option_define) defines; /* in order */
    VEC(const char *) include_dirs;
    bool single_precision_constant, denorms_are_zero, fp32_correctly_rounded_divide_sqrt;
    bool opt_disable, mad_enable, no_signed_zeros, unsafe_math, finite_math_only,
        fast_relaxed_math; /* the stronger imply the weaker */
    bool uniform_work_group_size, no_subgroup_ifp;
    bool uneven_work_groups; /* in OpenCL C before 2.0, too */
    bool kernel_arg_info, debug_info;
    bool no_warnings, warnings_are_errors, all_warnings, extra_warnings;
    int8_t group_state[DIAG_GROUP_COUNT]; /* 0 default, 1 on, -1 off, 2 error */
    /* link */
    bool create_library, enable_link_options;
    const char *notes; /* lines for the log: the options that are dropped; "" for none */
};

/* Splits and parses an options string as other drivers take it (quotes, backslashes, "-D X", "-DX=1"). Returns NULL or
 * a message: then the API answers CL_INVALID_BUILD_OPTIONS (or _COMPILER_, _LINKER_). link: only linker options are
 * valid. */
const char *pp_options_parse(struct arena *arena, const char *text, bool link, struct clc_options *options);

#endif
