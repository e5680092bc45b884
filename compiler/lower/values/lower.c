/* What every pass asks of the state of lowering: to fail, and whether code stays as it is written. */
#include "compiler/lower/values/lower.h"

#include "compiler/program_flags.h"

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
