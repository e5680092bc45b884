/* The space of locations from inside: files, and the ranges that macros take. See source.c. */
#ifndef COMPILER_FRONT_PP_SOURCE_MAP_H
#define COMPILER_FRONT_PP_SOURCE_MAP_H

#include "base/vec.h"
#include "compiler/front/pp/source.h"

struct line_mark { /* #line: from offset on, lines count from line, in file name */
    uint32_t offset, line;
    const char *name;
};

struct src_file {
    const char *name;      /* as shown */
    const char *directory; /* where its own "includes" are looked for; NULL: nowhere but the search path */
    const char *text;      /* NUL-terminated */
    uint32_t length;
    src_loc base, included_from;
    bool scratch;        /* text of # and ## results */
    VEC(uint32_t) lines; /* offsets of line starts; made when first needed */
    VEC(struct line_mark) marks;
};

enum src_kind { SRC_FILE, SRC_EXPANSION, SRC_ARGUMENT };

/* One range of locations, up to the next entry's base. An expansion maps linearly to where its macro's body is written
 * (spelling) and remembers the call; an argument's tokens map to where they were written in the call, and remember the
 * parameter they replace. */
struct src_entry {
    src_loc base;
    uint8_t kind;
    union {
        struct src_file *file;
        struct {
            src_loc spelling, expansion, expansion_end;
        };
    };
};

enum { SRC_BLOCK = 512 };

struct source_manager {
    VEC(struct src_entry *) blocks; /* of SRC_BLOCK entries each, ascending by base: growing copies none of them */
    uint32_t num_entries;
    src_loc next;             /* first unused location */
    struct src_file *scratch; /* the newest scratch file */
    uint32_t scratch_used, scratch_total;
    uint32_t last; /* entry of the last look-up */
};

void pp_source_init(struct clc_front *front);
/* text must live as long as the compilation and be NUL-terminated. */
struct src_file *pp_source_enter(struct clc_front *front, const char *name, const char *text, size_t length,
                                 src_loc included_from);
/* A range of size locations that maps to spelling; returns its base. */
src_loc pp_source_map(struct clc_front *front, enum src_kind kind, uint32_t size, src_loc spelling, src_loc expansion,
                      src_loc expansion_end);
/* Copies text to scratch space (NUL-terminated there) and tells its location. */
src_loc pp_source_scratch(struct clc_front *front, const char *text, size_t length, const char **copy);
const struct src_entry *pp_source_entry(struct clc_front *front, src_loc loc);
src_loc pp_source_file_loc(struct clc_front *front, src_loc loc);      /* of the call, or the argument's spelling */
src_loc pp_source_expansion_end(struct clc_front *front, src_loc loc); /* of the outermost call */
src_loc pp_source_spelling(struct clc_front *front, src_loc loc);      /* where its characters are */
struct src_position pp_source_file_position(struct clc_front *front, const struct src_file *file, uint32_t offset,
                                            bool presumed);

#endif
