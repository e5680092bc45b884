/* The pass check, as the files that it consists of see it: marks become code (check.c). */
#ifndef COMPILER_LOWER_CHECK_CHECKING_H
#define COMPILER_LOWER_CHECK_CHECKING_H

#include "compiler/lower/check/check.h"

/* A report that is yet to be made, in the block at hand. */
struct check_pending {
    spv_id site, value, size, wrong;
    uint32_t what;
    struct spv_inst *before; /* where it has to be made at last; NULL: at the block's end */
};

/* Where the group's notes of local memory lie, and of how many granules (local.c). */
struct check_local_notes {
    spv_id words, granules;
};

/* The pass check at work. */
struct checking {
    struct lower *lower;
    struct spv_module *module;
    struct spv_layouts layouts;
    struct spv_builder b;
    bool reports;
    spv_id check, find, loop, local, local_step; /* functions of the library; 0: not needed yet */
    spv_id written, written_at, lots[2][5], local_bytes_at, local_limit_at, local_clear, local_distance;
    spv_id local_words_at, local_granules_at;
    spv_id local_bytes, local_limit;      /* values in the kernel */
    struct check_local_notes local_notes; /* likewise */
    struct u64_map known_written;         /* marks of what the work-item itself has written before */
    spv_id named_wait, named_place, packet, reserved;
    spv_id track, track_at, track_begin, track_step, touch;
    spv_id state;              /* tracks.c: the variable of what is known of the work-item; 0: none yet */
    bool shares_state;         /* other functions than the kernel have marks */
    struct check_queue *queue; /* queue.c; NULL: each access is noted when it is made */
    spv_id truth, u32, u64;
    spv_id local_spare, private_spare;
    struct spv_function *private_function; /* whose private_spare is */
    uint32_t spare_size;                   /* bytes of these */
    struct u64_map objects;                /* variable or parameter -> one more than its number */
    struct u64_map ending; /* CHECK_LOOP of a loop that is known to end -> the comparison of its result */
    struct u64_map lists;  /* hash of such numbers -> likewise, of the first of a list of them */
    VEC(struct check_pending) pending;
    struct u64_map limits;  /* argument, access and size -> what distances must be below */
    struct u64_map proven;  /* marks of accesses that are in what they lead into -> not NULL */
    struct u64_map checked; /* pointers into local and private memory -> the condition that they are right */
    struct u64_map clamped; /* likewise, where a store must leave what is there */
    uint8_t *other_use;     /* by id: it is used by something else than loads and stores to it */
    uint32_t num_ids;
    uint8_t *wrapping; /* by id, below num_wrapping: what is made of it may wrap around (check.c) */
    uint32_t num_wrapping;
    VEC(spv_id) followed;                 /* of these, whose operands are not noted yet */
    bool follows_memory, followed_memory; /* some come from memory or calls; what goes there is noted, too */
    struct check_restrict *restricts; /* the kernel's arguments that are so; 0: they cannot be in one another's way */
    uint32_t num_restricts;
    struct spv_replacements replacements;
};

/* A mark. */
struct mark {
    struct spv_inst *inst;
    spv_id pointer, size, site; /* size: of what is accessed, from first on */
    uint32_t first;
    const struct clc_check_site *info;
    SpvStorageClass storage;
    spv_id address; /* u64; 0: not asked for yet */
    spv_id value;   /* for the report */
    bool stored;    /* a compare-exchange is done: size says whether it wrote */
    uint32_t what;
};

/* CLC_SITE_* of the access, as others meet it: a compare-exchange reads, and writes when it is done (CHECK_STORED). */
static inline uint32_t check_meeting(const struct mark *mark)
{
    uint32_t access = mark->info->access;
    if (!mark->info->compares)
        return access;
    return access & ~(uint32_t)(mark->stored ? CLC_SITE_READS : CLC_SITE_WRITES);
}

/* lanes.c: bytes of an access that lie one behind the other. */
struct check_part {
    uint32_t first, bytes; /* bytes: 0 where only the kernel knows */
    spv_id size;
};
enum { CHECK_MOST_PARTS = 8 };
/* Those of these lanes, in order; how many. Where only the kernel knows the size it is one, whatever the lanes. */
uint32_t check_parts_of(struct checking *c, const struct mark *mark, uint32_t lanes,
                        struct check_part parts[CHECK_MOST_PARTS]);
/* From the first lane to the last that the kernel loads, without the size's id. */
struct check_part check_reached(const struct clc_check_site *info);
/* The place, and what begins so many bytes behind it. */
spv_id check_part_at(struct checking *c, spv_id place, uint32_t first);

/* check.c */
struct mark check_read_mark(struct checking *c, struct spv_inst *inst); /* the builder is there then */
/* Where struct clc_check_head lies: an address. */
spv_id check_head(struct checking *c);
/* Where accesses go that would be wrong: zeros to read, or what nobody reads. */
spv_id check_page(struct checking *c, bool writes);
/* A call of a function of the library, found by its name when *function is 0; 0: there is none. */
spv_id check_call(struct checking *c, spv_id *function, const char *name, uint32_t count, const spv_id *args);
SpvStorageClass check_storage_of(const struct checking *c, spv_id pointer);
uint32_t check_param_number(const struct checking *c, spv_id id);
/* Whether the launch tells how large it is. */
bool check_is_told(const struct checking *c, const struct spv_inst *root);
/* One more than the number of the object that begins at a parameter or variable; 0: there are too many. */
uint32_t check_object_of(struct checking *c, const struct spv_inst *root);
/* The pointer's number, and that of a pointer as one to storage has it. */
spv_id check_address_of(struct checking *c, struct mark *mark);
spv_id check_number_of(struct checking *c, spv_id pointer, SpvStorageClass storage);
/* How far the access is from where the object begins that root leads to. alone: it leads nowhere else. */
spv_id check_distance_from(struct checking *c, struct mark *mark, const struct spv_inst *root, bool alone);

/* local.c: accesses to local memory, and what orders them. */
void check_local(struct checking *c, struct mark *mark);
void check_lower_step(struct checking *c, struct spv_inst *inst);
/* Its notes: CHECK_NOTE_*, and how many of them may be made later. */
uint32_t check_notes_of_local(struct checking *c, const struct mark *mark, uint32_t *count);
struct check_local_notes check_find_local_notes(struct checking *c);
/* Emits the call of the library. origin: the number of the pointer to what the access leads into. */
void check_note_local_access(struct checking *c, const struct check_local_notes *notes, spv_id site, spv_id what,
                             spv_id address, spv_id size, spv_id how, spv_id origin);
/* named.c */
void check_lower_named(struct checking *c, struct spv_inst *inst);
void check_lower_place(struct checking *c, struct spv_inst *inst);
/* packets.c */
void check_lower_packet(struct checking *c, struct spv_inst *inst);
void check_lower_reserved(struct checking *c, struct spv_inst *inst);
/* written.c: reads of memory that nobody wrote. */
void check_find_written(struct checking *c, struct spv_function *function); /* before its marks are made code */
void check_written(struct checking *c, struct mark *mark);
void check_begin_local_bytes(struct checking *c); /* at the kernel's start */
void check_local_bytes(struct checking *c, struct mark *mark, uint32_t object, spv_id origin);
/* tracks.c: work-items of a launch that meet in global memory. */
void check_begin_tracks(struct checking *c);                             /* before any mark is made code */
bool check_lower_tracks_step(struct checking *c, struct spv_inst *inst); /* false: it is none of these */
void check_tracks(struct checking *c, struct mark *mark);
/* What is known of the work-item, as 64 bits; 0 where nothing is looked at. */
spv_id check_track_state(struct checking *c);
bool check_looks_at_tracks(const struct checking *c);
/* The notes of an access: CHECK_NOTE_*, and how many of them may be made later. */
uint32_t check_notes_of_tracks(struct checking *c, const struct mark *mark, uint32_t *count);

/* counted.c: loops that are known to end, before any of the function's marks is made code; then whether CHECK_LOOP is one's. */
void check_find_ending(struct checking *c, struct spv_function *function);
bool check_drop_look(struct checking *c, struct spv_inst *look);

/* flags.c: the condition of a fault is that a flag is 0, and it never is. */
bool check_flag_is_set(const struct checking *c, spv_id condition);

/* ends.c: the kernel gets one end, where there may be a queue. */
void check_join_ends(struct checking *c, struct spv_function *function);

/* queue.c, queue_code.c: accesses that are noted later, a lot of them at a time. */
enum { CHECK_NOTE_TRACK = 1, CHECK_NOTE_TRACK_AT = 2, CHECK_NOTE_LOCAL = 4, CHECK_NOTE_NOW = 8 };
/* What is noted, but for its place. */
struct check_note {
    uint32_t kind; /* CHECK_NOTE_TRACK, CHECK_NOTE_TRACK_AT or CHECK_NOTE_LOCAL */
    uint32_t how, what;
    spv_id size;                 /* a constant */
    uint32_t arg;                /* CHECK_NOTE_TRACK: into which it leads */
    const struct spv_inst *root; /* CHECK_NOTE_LOCAL: likewise; NULL: nobody knows */
    SpvStorageClass storage;     /* of a pointer whose number the root's is then compared with */
};
void check_plan_queue(struct checking *c); /* before any mark is made code */
/* Has an access noted later. False: it is to be noted now. */
bool check_write_down(struct checking *c, const struct mark *mark, const struct check_note *note, spv_id place);
void check_make_queue(struct checking *c); /* once all marks are code */

/* reports.c */
/* Has the mark's site reported where the condition wrong holds. what: CLC_WHAT_* and the object's number. */
void check_report(struct checking *c, const struct mark *mark, spv_id wrong, uint32_t what);
/* Of each instruction, before it is lowered: what others may wait for comes behind the reports. */
void check_hold_reports(struct checking *c, struct spv_inst *inst);
void check_make_reports(struct checking *c, struct spv_block *block); /* once all of it is lowered */

/* prove.c: finds marks that need no comparison, and copies loops without those that it makes in front of them. */
void check_prove(struct checking *c, struct spv_function *function);
static inline bool check_is_proven(const struct checking *c, const struct spv_inst *mark)
{
    return u64_map_get(&c->proven, mark->id) != NULL;
}

/* copy_loop.c: a loop and what else comes between it and the block behind it. */
struct check_loop {
    struct spv_function *function;
    struct spv_block *before, *head, *behind; /* before: it alone leads to head from outside */
    const bool *region;                       /* by block->index, below count */
    uint32_t count;
};
/* Puts a copy beside the loop, for where the condition holds, which is known at the end of front. That block is in no
 * function yet. ids: of the loop -> of the copy. */
void check_copy_loop(struct spv_module *module, const struct check_loop *loop, struct spv_block *front,
                     spv_id condition, spv_id *ids);

/* restrict.c */
void check_begin_restrict(struct checking *c); /* before any mark is made code */
/* Has the access reported where a work-item reaches by one restrict argument what it reached by another. */
void check_restrict(struct checking *c, struct mark *mark);

#endif
