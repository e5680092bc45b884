/* What the files of the unroller share: unroll.c chooses the loops, unroll_size.c computes their sizes, unroll_copy.c
 * copies them, and unroll_counted.c handles loops that do several iterations at once. */
#ifndef COMPILER_OPT_UNROLL_H
#define COMPILER_OPT_UNROLL_H

#include "compiler/opt/cfg/cfg.h"
#include "compiler/opt/fold.h"

enum { NO_BLOCK = UINT32_MAX, SEVERAL_BLOCKS = UINT32_MAX - 1 };
enum {
    MAX_SIZE = 12000,      /* instructions of a loop written out */
    MAX_FUNCTION = 16000,  /* of the function with all its loops written out */
    MAX_EVALUATIONS = 400, /* steps to find one value */
    MAX_DEPTH = 24,        /* of an expression */
    MAX_ITERATIONS = 1024, /* of a loop written out, or left to the driver */
};
enum { IS_WRITTEN = 1, IS_DROPPED = 2 }; /* states of blocks in a copy: it is there; it is not needed */
enum { IS_SEEN = 1, COUNTS = 2 };        /* of a phi: a search is at it; a number of iterations depends on it */

/* A phi to which each iteration adds a constant. The loop goes on while phi + offset stands in the relation to end. The
 * phi may be a pointer, whose step and offset are bytes, and whose end is a number of 64 bits. */
struct counter {
    const struct spv_inst *phi;
    uint64_t step, offset;
    spv_id end;
    bool is_signed;
    enum spv_relation relation;
};

/* The test of a loop that does several iterations at once: the loop goes on while op holds of counter + offset and limit,
 * or of the distance between the counter and base, and limit. All of them exist at the end of the block before the
 * loop. */
struct unroll_test {
    const struct spv_inst *counter; /* a phi, the loop's */
    spv_id type;                    /* of the numbers that are compared */
    SpvOp op;
    spv_id offset, base; /* 0: none */
    bool is_down;        /* the distance is counter - base, not base - counter */
    spv_id limit;
};

struct block_list {
    uint32_t *data, length, capacity;
};

struct loop {
    bool can_unroll, wanted;
    bool is_counted, is_free; /* count is known; it hangs on no counter of a loop around */
    bool is_running;          /* its phis have values; their user fields are the places in values[] */
    bool is_asked;            /* while the value of one of its phis is asked for */
    bool counter_known, has_counter;
    struct counter counter;
    struct fold_scalar *values;
    struct block_list blocks; /* all of them, once it was written out inside of a copy */
    uint32_t count;           /* of iterations, where it is free; UINT32_MAX: unknown */
    uint32_t counted_when;    /* the value of struct unroll's copied when count was computed */
    uint32_t changes_inside;  /* how often wanted changed for a loop inside of it */
    struct run {              /* the last result of running it for its size, with no outer loop running */
        uint32_t limit, wanted, copied, size, iterations;
    } run;
    uint32_t latch, exit;             /* blocks by index; the one that branches back, the one that branches out */
    spv_id stay, leave;               /* labels after exit */
    uint32_t size;                    /* instructions in it, without those of loops inside */
    uint64_t full_size;               /* with them, as they are */
    uint32_t last_size;               /* of size, what comes before the exit */
    uint32_t num_inner, first_inner;  /* headers of the loops directly inside, in inner[] */
    uint32_t num_blocks, first_block; /* its blocks but for those of loops inside, in members[] */
};

struct unroll {
    struct spv_module *module;
    struct spv_function *function;
    struct arena *arena;
    struct spv_cfg cfg;
    struct cfg_loops loops;
    struct loop **all;         /* by the header's index; NULL: it is none */
    uint32_t *inner, *members; /* see struct loop */
    bool *in_loop;             /* by block: of the loop that is copied */
    bool few_branches;         /* opt_unroll_few_branches() */
    uint32_t total, tests;
    struct spv_block *last; /* of a copy: what the next block goes behind */
    struct spv_block *open; /* one that lacks its branch to open_label so far, or NULL */
    spv_id open_label;
    uint8_t *state;         /* by block, in this copy: 0, or one of these */
    spv_id *not_taken;      /* by block: where it does not go in this copy; or 0 */
    uint32_t *construct;    /* by block: the first header of which it is the merge block or continue target */
    uint32_t counting;      /* 1 + the header of a loop whose size in a copy is asked for */
    uint64_t written, room; /* instructions in the copies of a loop, and how many there may be */
    uint32_t copied;        /* loops copied, from 1 */
    uint32_t depth;         /* loops being run for their size */
    uint32_t outermost;     /* the first header (blocks are in reverse post-order) whose phi was asked for its value */
};

static inline struct spv_inst *terminator_of(const struct unroll *u, uint32_t block)
{
    return spv_terminator(u->cfg.blocks[block]);
}

static inline uint32_t index_of(const struct unroll *u, spv_id label)
{
    const struct spv_block *block = spv_block_of(u->module, label);
    return block && block->index < u->cfg.count ? block->index : NO_BLOCK;
}

static inline bool contains(const struct unroll *u, uint32_t header, uint32_t block)
{
    return block != NO_BLOCK && cfg_in_loop(&u->loops, header, block);
}

/* Whether block does not run in the last iteration: it comes after the exit. */
static inline bool is_behind_exit(const struct unroll *u, const struct loop *loop, uint32_t block)
{
    return block != loop->exit && spv_dominates(&u->cfg, loop->exit, block);
}

/* Marks the phis that numbers of iterations depend on. */
void unroll_mark_counts(struct unroll *u);

/* How often a loop runs whose counter starts with first and is compared with end, both of that width; UINT64_MAX: for
 * ever. False where the counter wraps around before it reaches the end, in which case the number is not known. */
bool unroll_count(const struct counter *counter, uint32_t width, uint64_t first, uint64_t end, uint64_t *count);

/* Recognises an exit that compares a phi to which each iteration adds a constant with anything else. */
bool unroll_find_counter(const struct unroll *u, uint32_t header, struct counter *counter);

/* How often the loop goes on after its test, by division, with no loop around running. False where that is not known. */
bool unroll_divide(struct unroll *u, uint32_t header, uint64_t *count);

/* How many instructions the loop has when it and the wanted loops inside are written out; UINT32_MAX: unknown, or more
 * than limit. */
uint32_t unroll_size(struct unroll *u, uint32_t header, uint32_t limit, uint32_t *iterations);

/* Unrolls by the factor that the program asks for, if the result is not too large. */
bool unroll_in_part(struct unroll *u, uint32_t header);
/* Unrolls a short loop over memory by four, so that the loads of several iterations are under way at the same time. */
bool unroll_counted(struct unroll *u, uint32_t header);
/* Asks the driver to unroll a loop with a known number of iterations that is too large to be written out here. */
void unroll_hint_driver(struct unroll *u, uint32_t header);

/* The value that a header's phi gets from the latch, or from outside. */
spv_id unroll_incoming(const struct unroll *u, const struct spv_inst *phi, const struct loop *loop, bool from_latch);

/* Whether a "continue" of the loop stands inside of an if or a switch. */
bool unroll_continues_inside(const struct unroll *u, uint32_t header);

/* unroll_size() for a loop inside of the one that is being copied, with the values that it has in this copy. */
uint32_t unroll_size_inside(struct unroll *u, uint32_t header, uint32_t *iterations);

/* Writes the loop out, and the wanted loops inside while the copies have no more than size instructions. */
void unroll_loop(struct unroll *u, uint32_t header, uint32_t iterations, uint32_t size);
/* Makes factor iterations one that has a single test: where it is the first one's, the loop has to go on a multiple of
 * factor times; where it is the last one's, factor - 1 times more. */
void unroll_by(struct unroll *u, uint32_t header, uint32_t factor, bool tests_last);
/* Puts a loop that does factor iterations at once before the loop. */
void unroll_before(struct unroll *u, uint32_t header, uint32_t factor, const struct unroll_test *test);

#endif
