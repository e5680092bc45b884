/* Checks of kernels while they run (`pumice check`, robust mode): what the two passes share.
 *
 * check-sites runs while everything is still OpenCL's: an access of a vload is one access then, and OpLine says where it
 * stands. It puts a mark before each access (CHECKED, CHECKED_SIZE: spv/private.def) or other operation
 * (CHECK_FAULT) and notes the site. check runs behind inlining, when it can be seen what most pointers lead into, and
 * makes the marks comparisons, calls that report, and choices of another place for an access that would be wrong. */
#ifndef COMPILER_LOWER_CHECK_CHECK_H
#define COMPILER_LOWER_CHECK_CHECK_H

#include "compiler/lower/values/lower.h"

#include "compiler/spv/layout.h"

/* Where a block begins, which may be a loop. */
struct check_loop_place {
    const struct spv_block *block;
    const char *file;
    uint32_t line, column;
};

/* Words in local memory: those of barriers, of copies, of those that have ended, and of named barriers (lib/check_named.cl). */
enum { CHECK_FIRST_COPY_WORD = 64, CHECK_ENDED_WORD = 66, CHECK_FIRST_NAMED_WORD, CHECK_NAMED_WORDS = 69 };

/* check-sites at work. */
struct check_sites {
    struct lower *lower;
    struct spv_module *module;
    struct spv_layouts layouts;
    struct spv_builder b;
    const char *file;              /* of the instructions at hand; in the lower's arena */
    const struct check_text *text; /* of the file, or NULL */
    struct u64_map texts;          /* OpString -> struct check_text (sites.c) */
    spv_id file_id;
    uint32_t line, column;
    spv_id arrivals; /* local memory: a word for each barrier; 0: none yet */
    uint32_t num_barriers;
    spv_id barriers[CHECK_FIRST_COPY_WORD]; /* their sites */
    bool has_named;                         /* the kernel may wait at named barriers, and that is looked at */
    VEC(struct check_loop_place) places;    /* of the function at hand */
    /* private.c */
    struct u64_map followed;        /* pointer -> struct check_followed */
    struct u64_map known, sources;  /* value -> what is known of its parts; the variable that they are of */
    struct u64_map shapes;          /* structure -> its shape */
    struct u64_map private_objects; /* variable -> one more than its number */
    /* copies.c */
    bool looks_at_copies;
    spv_id own_copies[3]; /* private variables: how many the work-item made, their hash, whether one is not awaited */
    spv_id last_copy;     /* site; 0: there is none */
    uint32_t *used_lanes; /* by id: of a vector. lanes.c */
    uint8_t *by_number;   /* likewise; 1: v[n] is used, of it or of what becomes of it */
    uint32_t num_ids;
};

/* Beside CLC_SITE_*, how many elements of a sub-group's block the work-item accesses: the one at its place in the sub-group,
 * and every further one by as many as the sub-group has. 0: it is no block. */
enum { CHECK_BLOCK_SHIFT = 8 };
/* Likewise: some of the bytes are left out, so that nothing can be said of who writes them when. */
enum { CHECK_LOOSE = 128 };
/* Accesses to local and private memory of up to so many bytes have another place that they go to where they would be wrong. */
enum { CHECK_LARGEST_SPARE = 256 };

/* Notes a place; its number, as a constant. */
spv_id check_add_site(struct check_sites *s, enum clc_site_kind kind);

/* values.c: divisions, shifts, conversions, results that are not finite, and places of images that are written. */
void check_mark_value(struct check_sites *s, struct spv_inst *inst);
/* indices.c: those of arrays inside of what an access leads into. */
void check_mark_indices(struct check_sites *s, spv_id pointer);
/* meetings.c: barriers, and operations of sub-groups. */
void check_mark_meeting(struct check_sites *s, struct spv_inst *inst);
void check_end_barriers(struct check_sites *s); /* at each end of the kernel, once all are marked; then */
void check_begin_barriers(struct check_sites *s);
/* The constant's value, or otherwise that. */
uint32_t check_constant_or(const struct spv_module *module, spv_id id, uint32_t otherwise);
/* Whether work-items wait there for all of their group, whatever memory they name: collective functions, and waits for
 * events. Barriers are no such instructions: their flags count. */
bool check_orders_group(const struct spv_module *module, const struct spv_inst *inst);
void check_emit_barrier(struct check_sites *s, uint32_t memory); /* SpvMemorySemantics*MemoryMask that it orders */

/* named.c: waits at named barriers, which go; this comes last of an instruction's marks. */
void check_begin_named(struct check_sites *s);
void check_mark_named(struct check_sites *s, struct spv_inst *inst);
void check_end_named(struct check_sites *s); /* at each end of the kernel */
/* The work-item comes to a place where it waits for all of its group, and has left it: between them is a barrier, and one
 * must follow. */
void check_count_in(struct check_sites *s, spv_id site);
void check_count_out(struct check_sites *s);

/* packets.c: those of pipes that are read or written by a reservation, before their other operands are looked at; and
 * reservations of writers. */
void check_mark_packet(struct check_sites *s, struct spv_inst *inst);
void check_mark_reserved(struct check_sites *s, struct spv_inst *inst);

/* local.c: what a granule of local memory is, and what orders accesses to it. */
void check_begin_local(struct check_sites *s);
void check_note_local(struct check_sites *s, spv_id pointer, uint32_t align,
                      uint64_t bytes); /* 0 bytes: nobody knows */
void check_mark_order(struct check_sites *s, struct spv_inst *inst);
void check_clear_local(struct check_sites *s); /* once all is marked */

/* private.c: reads of private variables that nobody wrote, before others change the instructions. */
void check_begin_private(struct check_sites *s, struct spv_function *function);
void check_mark_private(struct check_sites *s, struct spv_inst *inst);

/* loops.c: of each block, before its instructions; then what counts the function's loops. */
void check_note_loop(struct check_sites *s, const struct spv_block *block);
void check_count_loops(struct check_sites *s, struct spv_function *function);

const char *check_name_of(const struct lower *lower, spv_id id); /* NULL: it has none */

/* meetings.c: a word in local memory that begins as 0. */
spv_id check_local_word(struct check_sites *s, uint32_t number);
spv_id check_group_items(struct check_sites *s); /* as 32 bits */

/* copies.c: asynchronous copies. */
void check_begin_copies(struct check_sites *s); /* before any is marked */
void check_mark_copies(struct check_sites *s, struct spv_inst *inst);
void check_end_copies(struct check_sites *s); /* at each end of the kernel */
/* Of CHECK_STEP, beside enum local_step (local.c): what orders accesses to global memory. lib/check_tracks.cl has the same. */
enum check_step {
    CHECK_GLOBAL_BARRIER = 0x100,
    CHECK_GLOBAL_SUB_GROUP_BARRIER,
    CHECK_GLOBAL_NAMED_BARRIER,
    CHECK_GLOBAL_READ, /* of what another work-item may have meant to tell */
    CHECK_GLOBAL_ACQUIRE,
    CHECK_GLOBAL_FENCE,
    CHECK_GLOBAL_LONE = 0x10, /* of a barrier: no work-item reads so */
};
/* tracks.c: what orders accesses to global memory. */
void check_mark_tracks(struct check_sites *s, struct spv_inst *inst);

/* lanes.c: which components of vectors are used. From the 17th bit on: those that may be. */
enum { CHECK_ALL_LANES = 0xffff };
void check_find_lanes(struct check_sites *s);
/* Whether each lane of its result comes of the same lanes of its operands that are vectors, and of nothing else. */
bool check_goes_by_lane(const struct spv_module *module, const struct spv_inst *inst);
/* Says of an access of so many bytes which lanes are used of the value that is read. value: 0 where it has none. */
void check_note_lanes(const struct check_sites *s, struct clc_check_site *site, spv_id value, uint64_t bytes);
/* The lanes of a vector that are to be loaded by themselves, since it may lie across the end of an object; 0: all of it.
 * size: bytes, as an array has them. */
uint32_t check_lanes_to_load(struct check_sites *s, spv_id value, spv_id pointer, uint64_t size);
/* Loads these lanes instead of the vector, from what the instruction has for the vector's address. */
void check_load_lanes(struct check_sites *s, struct spv_inst *load, uint32_t lanes);
void check_vload_lanes(struct check_sites *s, struct spv_inst *inst, uint32_t lanes);
/* Of a vector that an instruction makes: a bit for each lane that something may use. */
uint32_t check_lanes_that_count(const struct check_sites *s, const struct spv_inst *inst);

/* A place in a variable that is known now. */
struct check_place {
    const struct spv_inst *variable;
    uint64_t size;  /* of the variable */
    int64_t offset; /* bytes from its start; may be outside */
};

/* Whether the pointer leads to one, by casts and constant indices. */
bool check_find_place(struct spv_layouts *layouts, spv_id pointer, struct check_place *place);
static inline bool check_is_inside(const struct check_place *place, uint64_t size)
{
    return place->offset >= 0 && (uint64_t)place->offset <= place->size &&
           size <= place->size - (uint64_t)place->offset;
}

/* What a pointer into a variable is aligned to at most, by the chain that leads to it; UINT32_MAX: it leads elsewhere. */
uint32_t check_known_align(struct spv_layouts *layouts, spv_id pointer);

enum { CHECK_MOST_ROOTS = 8 };

/* What a pointer may lead into: parameters of the kernel and variables. */
struct check_roots {
    spv_id list[CHECK_MOST_ROOTS];
    uint32_t count;
    bool unknown; /* or something else */
};

void check_find_roots(const struct lower *lower, spv_id pointer, struct check_roots *roots);

#endif
