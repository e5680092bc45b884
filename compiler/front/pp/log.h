/* What pp/ alone asks of diagnostics (diag.c). */
#ifndef COMPILER_FRONT_PP_LOG_H
#define COMPILER_FRONT_PP_LOG_H

#include "base/vec.h"
#include "compiler/front/pp/diag.h"

/* See pp_hint(). */
enum { MAX_HINTS = 2 };
struct diag_hint {
    src_loc loc;
    const char *text;
};

struct diag_state {
    src_loc last_include;              /* of the include stack shown last */
    bool dropped;                      /* the last error or warning was not shown, so that its notes are not */
    bool hushed;                       /* say nothing: the lexer looks ahead */
    struct diag_hint hints[MAX_HINTS]; /* of the next message, in the order of the source */
    uint32_t num_hints;
    VEC(int8_t *) saved; /* #pragma clang diagnostic push: copies of options.group_state */
};

void pp_diag_init(struct clc_front *front);
_Noreturn void pp_fatal_range(struct clc_front *front, src_loc loc, struct src_range range, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "2 warnings and 1 error generated." */
void pp_diag_summary(struct clc_front *front);
/* The group of that name, DIAG_GROUP_NONE when unknown. name without "-W". */
enum diag_group pp_diag_group_find(const char *name, size_t length);

#endif
