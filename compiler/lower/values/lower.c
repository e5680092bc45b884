/* What every pass asks of the state of lowering: to fail, and whether code stays as it is written; and which sub-groups
 * kernels can have. */
#include "compiler/lower/values/lower.h"

#include "compiler/program_flags.h"

#include "base/util.h"

#include <stdarg.h>

bool lower_fail(struct lower *lower, const char *format, ...)
{
    if (lower->error)
        return false;
    struct str text;
    va_list args;
    str_init(&text, lower->arena);
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    lower->error = str_text(&text);
    return false;
}

bool lower_keeps_code(const struct lower *lower)
{
    return lower->program_flags & PROGRAM_OPT_DISABLE;
}

/* Smaller ones have no use: programs ask for what GPUs have. More turns make the code that many times larger. */
enum { LEAST = 8, MOST_TURNS = 8 };

uint32_t clc_subgroup_lanes(const struct clc_target *target, uint32_t size)
{
    uint32_t least = target->min_subgroup_size, most = target->max_subgroup_size;
    if (!is_power_of_two(size) || !target->subgroups)
        return 0;
    if (!least || (size >= least && size <= most))
        return size;
    if (!target->subgroup_resizes || size < LEAST || size > CLC_MAX_SUBGROUP_SIZE)
        return 0;
    return size < least ? least : size / most <= MOST_TURNS ? most : 0;
}
