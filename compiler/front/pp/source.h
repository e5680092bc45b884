/* Files and locations: where in the source something stands. Implemented by pp/source.c. */
#ifndef COMPILER_FRONT_SOURCE_H
#define COMPILER_FRONT_SOURCE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct clc_front;

/* A position: an offset into all source text laid end to end. Each file entered by #include and each replacement of a
 * macro has a range of its own, so that a token remembers where it was spelled and where it was expanded. 0: none.
 * Within a token offsets can be added: token.loc + token.length is its end, also in a macro. */
typedef uint32_t src_loc;

struct src_range {
    src_loc begin, end; /* end is the first character after */
};

/* What a location resolves to: through #line, for people. */
struct src_position {
    const char *file;
    uint32_t line, column; /* from 1; columns count bytes */
    const char *line_text; /* start of the source line; ends at '\n' or NUL */
    uint32_t line_length;
};

/* For a token of a macro expansion: where it was expanded, or where the argument was written. */
struct src_position pp_source_position(struct clc_front *front, src_loc loc);
/* Where a token of a macro expansion was expanded (outermost), for messages; other locations come back unchanged. */
src_loc pp_source_expansion(struct clc_front *front, src_loc loc);
/* Whether a macro's expansion, an argument in it included, put the token there. */
bool pp_source_in_macro(struct clc_front *front, src_loc loc);
/* Whether a macro's own text holds it, and not an argument of the macro's call. */
bool pp_source_in_macro_body(struct clc_front *front, src_loc loc);
/* Whether both stand in one file, or both in one expansion. */
bool pp_source_together(struct clc_front *front, src_loc a, src_loc b);
/* Whether the file that it stands in was entered by #include. */
bool pp_source_in_header(struct clc_front *front, src_loc loc);
const char *pp_source_text(struct clc_front *front, src_loc loc); /* its characters; the rest of the file follows */

#endif
