/* Errors, warnings and notes. Implemented by pp/diag.c. */
#ifndef COMPILER_FRONT_DIAG_H
#define COMPILER_FRONT_DIAG_H

#include "compiler/front/pp/source.h"

enum diag_severity { DIAG_NOTE, DIAG_REMARK, DIAG_WARNING, DIAG_ERROR };

/* Warning groups, with clang's names where clang has one ("-Wunused-variable"); the X-list is diag_groups.def:
 * DIAG_GROUP(enum_name, "name", on): 1 by default, 0 off, 2 with -Wall, 3 with -Wextra. */
enum diag_group {
    DIAG_GROUP_NONE, /* errors, and warnings that cannot be turned off one by one */
#define DIAG_GROUP(id, name, on) DIAG_GROUP_##id,
#include "compiler/front/pp/diag_groups.def"
#undef DIAG_GROUP
    DIAG_GROUP_COUNT
};

/* Prints "file:line:column: error: text", the line, a caret, ~~~ under range (may be NULL), then the macro expansion
 * and include stack as notes. -w, -Werror, -W[no-]name and the error limit (20, then "too many errors emitted") are
 * obeyed here. Messages begin with a small letter, quote with '…', and have no full stop, like clang's. */
void pp_error(struct clc_front *front, src_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void pp_error_range(struct clc_front *front, src_loc loc, struct src_range range, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void pp_warning(struct clc_front *front, enum diag_group group, src_loc loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void pp_warning_range(struct clc_front *front, enum diag_group group, src_loc loc, struct src_range range,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Belongs to the error or warning just before, and is dropped with it. */
void pp_note(struct clc_front *front, src_loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Belongs to the next message: what the source lacks at loc, or what should stand there, shown below the caret. */
void pp_hint(struct clc_front *front, src_loc loc, const char *text);
/* Whether this group's warnings are heard: for checks that cost something. */
bool pp_warning_enabled(const struct clc_front *front, enum diag_group group);
/* Ends the compilation at once, by longjmp to its entry, after this message (nesting limits, too many errors). */
_Noreturn void pp_fatal(struct clc_front *front, src_loc loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
